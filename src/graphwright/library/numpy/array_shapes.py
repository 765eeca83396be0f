"""NumPy's functions that give arrays other shapes, and that move, join and cut them."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from graphwright.library.numpy.promotion import asarray, promoted, rank_of, sizes, sizes_of
from graphwright.op.interpreter import is_tensor
from graphwright.ops.core import joining, movement, padding, repetition, reversal
from graphwright.ops.core.grids import meshgrid as grid
from graphwright.ops.core.shapes import broadcast_dynamic_shape, broadcast_static_shape
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ops.core.static import get_static_value
from graphwright.values.convert import convert

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
    return movement.broadcast_to(asarray(array), sizes(shape))


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
