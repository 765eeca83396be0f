"""NumPy's functions that make arrays, and that move, join and cut them."""

from __future__ import annotations

import builtins
import functools
import math
from typing import Any

import numpy as np

from graphwright.edge.numpy_api.elementwise import equal, not_equal
from graphwright.edge.numpy_api.promotion import (
    asarray,
    dtype_of,
    promoted,
    rank_of,
    result_type,
    sizes_of,
)
from graphwright.edge.numpy_api.reductions import sum as total
from graphwright.op.interpreter import is_tensor
from graphwright.ops import (
    arithmetic,
    creation,
    gathering,
    indexing,
    joining,
    movement,
    padding,
    repetition,
    reversal,
    sequences,
)
from graphwright.ops import matrices as matrix_ops
from graphwright.ops.arithmetic import floormod
from graphwright.ops.clipping import clip_by_value
from graphwright.ops.conversion import cast
from graphwright.ops.grids import meshgrid as grid
from graphwright.ops.reduction import reduce_all, reduce_sum
from graphwright.ops.shape import broadcast_dynamic_shape, broadcast_static_shape
from graphwright.ops.shape import shape as shape_of
from graphwright.ops.static import get_static_value
from graphwright.ops.transcendental import exp, log
from graphwright.ops.transcendental import pow as power
from graphwright.types import dtypes as dt
from graphwright.values.convert import convert


def array(val: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Any:
    """A tensor of a value, with at least `ndmin` axes."""
    x = asarray(val, dtype)
    missing = ndmin - (rank_of(x, "array") if ndmin else 0)
    for _ in range(missing):
        x = movement.expand_dims(x, 0)
    return x


def copy(a: Any) -> Any:
    """The tensor: tensors do not change."""
    return asarray(a)


asanyarray = asarray


def ascontiguousarray(a: Any, dtype: Any = None) -> Any:
    """A tensor with at least one axis."""
    return atleast_1d(asarray(a, dtype))


def zeros(shape: Any, dtype: Any = float) -> Any:
    """A tensor of zeros."""
    return creation.zeros(sizes(shape), dtype_of(dtype))


def ones(shape: Any, dtype: Any = float) -> Any:
    """A tensor of ones."""
    return creation.ones(sizes(shape), dtype_of(dtype))


def sizes(shape: Any) -> Any:
    """A shape, which may be a single number."""
    return [shape] if isinstance(shape, (int, np.integer)) else shape


empty = zeros


def zeros_like(a: Any, dtype: Any = None) -> Any:
    """Zeros of the shape and, unless `dtype` says another, the dtype of a tensor."""
    return creation.zeros_like(asarray(a), None if dtype is None else dtype_of(dtype))


def ones_like(a: Any, dtype: Any = None) -> Any:
    """Ones of the shape and, unless `dtype` says another, the dtype of a tensor."""
    return creation.ones_like(asarray(a), None if dtype is None else dtype_of(dtype))


empty_like = zeros_like


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """A tensor of one value, or of values broadcast to a shape."""
    return movement.broadcast_to(asarray(fill_value, dtype), sizes(shape))


def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
) -> Any:
    """A tensor of one value, of the shape and dtype of another unless these are given."""
    x = asarray(a)
    dtype = x.dtype if dtype is None else dtype_of(dtype)
    shape = shape_of(x) if shape is None else sizes(shape)
    return movement.broadcast_to(asarray(fill_value, dtype), shape)


def eye(N: Any, M: Any = None, k: int = 0, dtype: Any = float) -> Any:
    """The matrix with ones on the diagonal `k`."""
    return tri_mask(N, M, k, dtype_of(dtype), lambda distance: equal(distance, 0))


def identity(n: Any, dtype: Any = float) -> Any:
    """The square matrix with ones on the diagonal."""
    return eye(n, dtype=dtype)


def tri(N: Any, M: Any = None, k: int = 0, dtype: Any = None) -> Any:
    """The matrix with ones on the diagonal `k` and below."""
    dtype = dtype_of(float if dtype is None else dtype)
    return tri_mask(N, M, k, dtype, lambda distance: distance <= 0)


def tri_mask(rows: Any, columns: Any, k: int, dtype: Any, holds: Any) -> Any:
    """Ones where something holds of the distance to the right of a diagonal."""
    columns = rows if columns is None else columns
    place = sequences.range(columns)[None, :] - sequences.range(rows)[:, None] - k
    return cast(holds(place), dtype)


def tril(m: Any, k: int = 0) -> Any:
    """Matrices with zeros above the diagonal `k`."""
    return masked(m, k, lambda distance: distance <= 0)


def triu(m: Any, k: int = 0) -> Any:
    """Matrices with zeros below the diagonal `k`."""
    return masked(m, k, lambda distance: distance >= 0)


def masked(m: Any, k: int, holds: Any) -> Any:
    """Matrices with zeros where something does not hold of the distance from a diagonal."""
    x = asarray(m)
    if x.type.rank is not None and x.type.rank < 2:
        raise ValueError("Argument to tril should have rank >= 2")
    rows, columns = shape_of(x)[-2], shape_of(x)[-1]
    kept = tri_mask(rows, columns, k, dt.bool_, holds)
    return indexing.where(kept, x, creation.zeros_like(x))


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """Numbers from `start` (0 if only one is given) up to `stop`, at steps."""
    if not is_tensor(step) and step == 0:
        raise ValueError("Step must be non-zero.")
    common = result_type(start, 0 if stop is None else stop, step)
    kind = common if dtype is None else dtype_of(dtype)
    if stop is None:
        start, stop = 0, start
    start, stop, step = (asarray(x, kind) if is_tensor(x) else x for x in (start, stop, step))
    if not is_tensor(step):  # what lies the other way is empty
        if is_tensor(start) or is_tensor(stop):
            stop = (arithmetic.maximum if step > 0 else arithmetic.minimum)(start, stop)
        else:
            stop = (max if step > 0 else min)(start, stop)
    return sequences.range(start, stop, step, kind)


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = float,
    axis: int = 0,
) -> Any:
    """`num` evenly spaced numbers from `start` to `stop`, which is left out unless `endpoint`."""
    kind = None if dtype is None else dtype_of(dtype)
    kind = kind if kind is not None and kind.is_floating else result_type(start, stop, 1.0)
    first, last = asarray(start, kind), asarray(stop, kind)
    count = num - 1 if endpoint else num
    step = (last - first) / count if count else first * float("nan")
    if not endpoint:
        last = last - step
    row = sequences.linspace(first, last, num, axis=axis)
    row = row if dtype is None else cast(row, dtype_of(dtype))
    return (row, step) if retstep else row


def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Numbers whose logarithms are evenly spaced from `start` to `stop`."""
    powers = linspace(start, stop, num, endpoint, axis=axis)
    found = power(convert(base, powers.dtype), powers)
    return found if dtype is None else cast(found, dtype_of(dtype))


def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    """Numbers from `start` to `stop`, each the same multiple of the one before."""
    first, last = (asarray(x, dt.float64) for x in (start, stop))
    powers = linspace(log(first / first), log(last / first), num, endpoint, axis=axis)
    found = first * exp(powers)
    return found if dtype is None else cast(found, dtype_of(dtype))


def diag(v: Any, k: int = 0) -> Any:
    """The matrix with a vector on the diagonal `k`, or that diagonal of a matrix."""
    x = asarray(v)
    rank = rank_of(x, "diag")
    if rank == 1:
        return matrix_ops.diag(x, k=k)
    if rank != 2:
        raise ValueError("Input must be 1- or 2-d.")
    return diagonal(x, k)


def diagflat(v: Any, k: int = 0) -> Any:
    """The matrix with all elements on the diagonal `k`."""
    return diag(ravel(v), k)


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The diagonals of matrices in two axes, along a new last axis."""
    x = moveaxis(a, (axis1, axis2), (-2, -1))
    rows, columns = x.shape[-2:]
    if rows is not None and columns is not None and (offset >= columns or offset <= -rows):
        return reduce_sum(x[..., :0], -2)
    return matrix_ops.diag_part(x, k=offset)


def diag_indices(n: int, ndim: int = 2) -> tuple[Any, ...]:
    """The places of a diagonal along each of so many axes."""
    if n < 0:
        raise ValueError(f"n argument to diag_indices must be nonnegative; got {n}")
    return (sequences.range(n),) * ndim


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    """The sums of the diagonals of matrices in two axes."""
    return total(diagonal(a, offset, axis1, axis2), -1, dtype)


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """The powers of each element, the highest first unless `increasing`."""
    row = asarray(x)
    if rank_of(row, "vander") != 1:
        raise ValueError("x must be 1-d")
    count = sizes_of(row, "vander")[0] if N is None else N
    powers = sequences.range(count)
    powers = powers if increasing else count - 1 - powers
    return power(row[:, None], cast(powers, row.dtype)[None, :])


# -- shapes -------------------------------------------------------------------------------------


def reshape(a: Any, newshape: Any, order: str = "C") -> Any:
    """The elements in another shape, in the order of C or, with "F", of Fortran."""
    if order not in ("C", "F"):
        raise ValueError(f"Unsupported `order` argument {order!r}: it is 'C' or 'F'.")
    x, target = asarray(a), sizes(newshape)
    if order == "C":
        return movement.reshape(x, target)
    turned = movement.reshape(transpose(x), reversal.reverse(convert(target), [0]))
    return transpose(turned)


def ravel(a: Any) -> Any:
    """All elements in a row."""
    return movement.reshape(asarray(a), [-1])


def flatten(a: Any, order: str = "C") -> Any:
    """All elements in a row, in the order of C or, with "F", of Fortran."""
    return reshape(a, [-1], order)


def shape(a: Any) -> Any:
    """The shape, as far as it is known."""
    return asarray(a).shape


def ndim(a: Any) -> int | None:
    """The number of axes."""
    found: int | None = asarray(a).type.rank
    return found


def expand_dims(a: Any, axis: Any) -> Any:
    """The tensor with an axis of length 1 more."""
    return movement.expand_dims(asarray(a), axis)


def squeeze(a: Any, axis: Any = None) -> Any:
    """The tensor without its axes of length 1, or without those given."""
    return movement.squeeze(asarray(a), axis)


def transpose(a: Any, axes: Any = None) -> Any:
    """The tensor with its axes in another order, by default reversed."""
    return movement.transpose(asarray(a), axes)


def swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    """The tensor with two axes exchanged."""
    x = asarray(a)
    order = list(range(rank_of(x, "swapaxes")))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return movement.transpose(x, order)


def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """The tensor with axes moved to other places, the rest in order."""
    x = asarray(a)
    rank = rank_of(x, "moveaxis")
    pairs = [[p % rank for p in ([s] if isinstance(s, int) else s)] for s in (source, destination)]
    if len(pairs[0]) != len(pairs[1]):
        raise ValueError("The lengths of source and destination must equal.")
    order = [axis for axis in range(rank) if axis not in pairs[0]]
    for to, axis in sorted(zip(pairs[1], pairs[0])):
        order.insert(to, axis)
    return movement.transpose(x, order)


def broadcast_to(array: Any, shape: Any) -> Any:
    """The tensor broadcast to a shape."""
    return full(shape, array)


def broadcast_arrays(*args: Any, **kwargs: Any) -> list[Any]:
    """The tensors, all broadcast to the shape that they have in common."""
    tensors = [asarray(arg) for arg in args]
    static = functools.reduce(broadcast_static_shape, [tensor.shape for tensor in tensors])
    if static.is_fully_defined():
        return [movement.broadcast_to(tensor, static) for tensor in tensors]
    whole = functools.reduce(broadcast_dynamic_shape, [shape_of(tensor) for tensor in tensors])
    return [movement.broadcast_to(tensor, whole) for tensor in tensors]


def atleast(count: int, values: tuple[Any, ...], place: Any) -> Any:
    """The values with at least so many axes, each new one where `place(rank)` says.

    A list if there are several values.
    """
    made = []
    for value in values:
        x = asarray(value)
        for rank in range(rank_of(x, f"atleast_{count}d"), count):
            x = movement.expand_dims(x, place(rank))
        made.append(x)
    return made[0] if len(made) == 1 else made


def atleast_1d(*arys: Any) -> Any:
    """The tensors with at least one axis."""
    return atleast(1, arys, lambda rank: 0)


def atleast_2d(*arys: Any) -> Any:
    """The tensors with at least two axes, new ones first."""
    return atleast(2, arys, lambda rank: 0)


def atleast_3d(*arys: Any) -> Any:
    """The tensors with at least three axes: a vector's in the middle, a matrix's first."""
    return atleast(3, arys, lambda rank: -1 if rank == 2 else 0)


# -- joining and cutting ------------------------------------------------------------------------


def concatenate(arys: Any, axis: int | None = 0) -> Any:
    """Tensors one after another along an axis, or all elements in a row if it is None."""
    tensors = promoted(*arys)
    if axis is None:
        return joining.concat([ravel(x) for x in tensors], 0)
    return joining.concat(tensors, axis)


def stack(arrays: Any, axis: int = 0) -> Any:
    """Tensors of one shape along a new axis."""
    if is_tensor(arrays):
        return moveaxis(arrays, 0, axis) if axis else asarray(arrays)
    return joining.stack(promoted(*arrays), axis)


def hstack(tup: Any) -> Any:
    """Tensors side by side: along the second axis, vectors along their only one."""
    rows = promoted(*map(atleast_1d, tup))
    return joining.concat(rows, 0 if rank_of(rows[0], "hstack") == 1 else 1)


def vstack(tup: Any) -> Any:
    """Tensors one below another, vectors as rows."""
    return joining.concat(promoted(*map(atleast_2d, tup)), 0)


def dstack(tup: Any) -> Any:
    """Tensors one behind another, along the third axis."""
    return joining.concat(promoted(*map(atleast_3d, tup)), 2)


def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """Values behind a tensor along an axis, or all elements in a row."""
    return concatenate([asarray(arr), asarray(values)], axis)


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Equal pieces along an axis, or those between the places given."""
    x = asarray(ary)
    if isinstance(indices_or_sections, int):
        return list(joining.split(x, indices_or_sections, axis))
    places = np.clip(indices_or_sections, 0, x.shape[axis])
    lengths = np.diff(np.r_[0, places, x.shape[axis]])
    return list(joining.split(x, lengths.tolist(), axis))


def hsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Pieces side by side."""
    return split(ary, indices_or_sections, 0 if asarray(ary).type.rank == 1 else 1)


def vsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Pieces one below another."""
    return split(ary, indices_or_sections, 0)


def dsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Pieces one behind another."""
    return split(ary, indices_or_sections, 2)


def tile(a: Any, reps: Any) -> Any:
    """The tensor repeated as a whole along each axis."""
    x, known = asarray(a), get_static_value(reps)
    rank = rank_of(x, "tile")
    if known is None:
        times = movement.reshape(reps, [-1])
        count = sizes_of(times, "tile")[0]
        times = joining.concat([[1] * (rank - count), times], 0) if count < rank else times
    else:
        times = np.atleast_1d(known).tolist()
        count = len(times)
        times = [1] * (rank - count) + times
    for _ in range(count - rank):
        x = movement.expand_dims(x, 0)
    return repetition.tile(x, times)


def repeat(a: Any, repeats: Any, axis: int | None = None) -> Any:
    """Each element repeated along an axis, or all elements in a row."""
    return repetition.repeat(asarray(a), repeats, axis)


def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """The elements moved along axes, what falls off coming in at the other end."""
    x = asarray(a)
    if axis is not None:
        return reversal.roll(x, shift, axis)
    return movement.reshape(reversal.roll(ravel(x), shift, 0), shape_of(x))


def flip(m: Any, axis: Any = None) -> Any:
    """The elements in reverse order along axes, by default all."""
    x = asarray(m)
    axes = list(range(rank_of(x, "flip"))) if axis is None else sizes(axis)
    return reversal.reverse(x, list(axes))


def flipud(m: Any) -> Any:
    """The rows in reverse order."""
    return flip(m, 0)


def fliplr(m: Any) -> Any:
    """The columns in reverse order."""
    return flip(m, 1)


def rot90(m: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Any:
    """The plane of two axes turned by k right angles."""
    x, (first, second) = asarray(m), axes
    turns = k % 4
    if turns == 0:
        return x
    if turns == 2:
        return flip(x, [a % rank_of(x, "rot90") for a in axes])
    if turns == 1:
        return swapaxes(flip(x, second), first, second)
    return flip(swapaxes(x, first, second), second)


def pad(array: Any, pad_width: Any, mode: str, **kwargs: Any) -> Any:
    """The tensor with more elements around it: constant, or mirrored ones."""
    if mode not in ("constant", "reflect", "symmetric"):
        raise ValueError(f"Unsupported padding mode: {mode}.")
    x = asarray(array)
    known, shape = get_static_value(pad_width), (rank_of(x, "pad"), 2)
    if known is None:
        widths: Any = movement.broadcast_to(pad_width, shape)
    else:
        widths = np.broadcast_to(known, shape).tolist()
    value = asarray(kwargs.get("constant_values", 0), x.dtype)
    return padding.pad(x, widths, mode.upper(), value)


def meshgrid(*xi: Any, **kwargs: Any) -> list[Any]:
    """The coordinates of a grid along each axis."""
    if kwargs.get("sparse") or not kwargs.get("copy", True):
        raise ValueError("tf.numpy doesn't support sparse=True or copy=False.")
    indexing_kind = kwargs.get("indexing", "xy")
    return list(grid(*promoted(*xi), indexing=indexing_kind)) if xi else []


def ix_(*args: Any) -> list[Any]:
    """Vectors along an axis each, which together index a grid."""
    count, made = len(args), []
    for place, arg in enumerate(args):
        x = asarray(arg)
        if rank_of(x, "ix_") != 1:
            raise ValueError(f"Arguments must be 1-d, got arg {place} of rank {x.type.rank}")
        x = nonzero(x)[0] if x.dtype is dt.bool_ else x
        made.append(movement.reshape(x, [-1 if i == place else 1 for i in range(count)]))
    return made


# -- choosing -----------------------------------------------------------------------------------


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """x where the condition holds, else y; without these the places where it does."""
    holds = cast(asarray(condition), dt.bool_)
    if x is None and y is None:
        return nonzero(holds)
    if x is None or y is None:
        raise ValueError("Both x and y must be ndarrays, or both must be None.")
    return indexing.where(holds, *promoted(x, y))


def nonzero(a: Any) -> list[Any]:
    """The places of what is not zero, along each axis."""
    x = atleast_1d(a)
    places = indexing.where(cast(x, dt.bool_))
    return list(joining.unstack(places, x.type.rank, axis=1))


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """The choice of the first condition that holds, else the default."""
    if len(condlist) != len(choicelist) or not condlist:
        raise ValueError(
            f"condlist and choicelist must have the same length of at least 1, got "
            f"{len(condlist)} and {len(choicelist)}"
        )
    *choices, found = promoted(*choicelist, default)
    for condition, choice in zip(reversed(condlist), reversed(choices)):
        found = where(condition, choice, found)
    return found


def compress(condition: Any, a: Any, axis: int | None = None) -> Any:
    """The elements along an axis, or of all in a row, for which a condition holds."""
    x = ravel(a) if axis is None else asarray(a)
    axis = axis or 0
    kept = nonzero(asarray(condition, bool))[0]
    return gathering.gather(x, kept, axis=axis)


def take(a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "clip") -> Any:
    """The elements at indices along an axis, or of all in a row.

    Indices out of range are clipped or, with "wrap", go round.
    """
    if out is not None:
        raise ValueError("out argument is not supported in take.")
    if mode not in ("clip", "wrap"):
        raise ValueError(f"The '{mode}' mode to take is not supported.")
    x, places = (ravel(a) if axis is None else asarray(a)), asarray(indices)
    axis = axis or 0
    length = cast(shape_of(x)[axis], places.dtype)
    zero = creation.zeros_like(length)
    inside = floormod(places, length) if mode == "wrap" else (
        clip_by_value(places, zero, length - 1)
    )  # fmt: skip
    return gathering.gather(x, inside, axis=axis)


def take_along_axis(arr: Any, indices: Any, axis: int | None) -> Any:
    """The elements at indices along an axis, each row by its own indices."""
    x, places = asarray(arr), asarray(indices)
    if axis is None:
        return gathering.gather(ravel(x), places)
    x, places = moveaxis(x, axis, -1), moveaxis(places, axis, -1)
    outer = rank_of(x, "take_along_axis") - 1
    if sizes_of(places, "take_along_axis")[:-1] != sizes_of(x, "take_along_axis")[:-1]:
        whole = broadcast_static_shape(x.shape[:-1], places.shape[:-1])
        x = movement.broadcast_to(x, whole.concatenate(x.shape[-1:]))
        places = movement.broadcast_to(places, whole.concatenate(places.shape[-1:]))
    return moveaxis(gathering.gather(x, places, batch_dims=outer, axis=outer), -1, axis)


def array_equal(a1: Any, a2: Any) -> Any:
    """Whether two tensors have the same shape and elements."""
    x, y = promoted(a1, a2)
    if not x.shape.is_compatible_with(y.shape):
        return convert(False)
    return reduce_all(equal(x, y))


def isscalar(num: Any) -> bool:
    """Whether something is a number, or a tensor without axes."""
    if is_tensor(num):
        return builtins.bool(num.type.rank == 0)
    return builtins.bool(np.isscalar(num))


def iscomplexobj(x: Any) -> bool:
    """Whether a tensor is of complex numbers."""
    return builtins.bool(asarray(x).dtype.is_complex)


def isrealobj(x: Any) -> bool:
    """Whether a tensor is not of complex numbers."""
    return not iscomplexobj(x)


def diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    """What each element is more than the one before, n times."""
    x = moveaxis(a, axis, -1)
    for _ in range(n):
        later, sooner = x[..., 1:], x[..., :-1]
        x = not_equal(later, sooner) if x.dtype is dt.bool_ else later - sooner
    return moveaxis(x, -1, axis)


pi, e, inf = math.pi, math.e, math.inf
