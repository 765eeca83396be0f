"""Elements and slices taken from places that are given as data, and put back there."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.batching import Each
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert, rows_of
from graphwright.op.late_imports import late_module
from graphwright.op.op import REGISTRY, Call, Op, Shapes, is_nested
from graphwright.op.refusal import fitting_axis
from graphwright.ops.core import scatter_kernels as kernels
from graphwright.ops.core.casting import cast
from graphwright.ops.core.joining import concat, stack
from graphwright.ops.core.movement import (
    broadcast_to,
    expand_dims,
    inverse_permutation,
    reshape,
    transpose,
)
from graphwright.ops.core.rule_words import columns_of, gathered, host, scattered
from graphwright.ops.core.shapes import rank_of, shape, shape_of
from graphwright.ops.core.slicing import entry
from graphwright.ops.core.static import known_int
from graphwright.types import dtypes as dt
from graphwright.types.arguments import HostValue, ShapeLike, Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array, ArrayDType
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType, is_compatible, show_dims

SMALL_INDEX = frozenset({dt.int16, dt.int32, dt.int64})
#: The dtypes as which negative indices are too great, so that NumPy refuses them.
UNSIGNED = {dt.int16: np.uint16, dt.int32: np.uint32}

#: So many single elements may be worth machine code.
_MANY_ELEMENTS = 1 << 15


# -- whole slices along an axis -------------------------------------------------------------


class GatherV2(Op):
    """The slices of `params` at `indices` along `axis`, for each of `batch_dims` batches."""

    type_name = "GatherV2"
    inputs = ("params: Tparams", "indices: Tindices", "axis: Taxis host")
    outputs = ("output: Tparams",)
    dtypes = {"Tparams": dt.ANY, "Tindices": SMALL_INDEX, "Taxis": dt.INDEX}
    computes = False

    batch_dims: int = 0

    def shapes(self, params: TensorType, indices: TensorType, axis: int | None) -> Shapes:
        if params.dims is None or indices.dims is None:
            return (None,)
        rank = len(params.dims)
        batch = self.checked_batch(indices.dims)
        if rank == 0:
            raise ValueError("params must be at least 1 dimensional")
        if axis is None:
            return ((None,) * (rank + len(indices.dims) - batch - 1),)
        if not -rank <= axis < rank:
            least = axis + 1 if axis >= 0 else -axis
            raise ValueError(
                f"Shape must be at least rank {least} but is rank {rank}: params has no axis {axis}"
                f"{fitting_axis(axis, rank)}"
            )
        place = axis % rank
        if batch > place:
            raise ValueError(f"batch_dims ({batch}) must be less than or equal to axis ({place})")
        for i in range(batch):
            if None not in (params.dims[i], indices.dims[i]) and params.dims[i] != indices.dims[i]:
                raise ValueError(
                    f"params.shape[{i}]: {params.dims[i]} should be equal to indices.shape[{i}]: "
                    f"{indices.dims[i]}"
                )
        return ((*params.dims[:place], *indices.dims[batch:], *params.dims[place + 1 :]),)

    def checked_batch(self, dims: Dims) -> int:
        """The number of batch dimensions, not negative."""
        rank = len(dims)
        if not -rank <= self.batch_dims <= rank:
            raise ValueError(
                f"Expected batch_dims in the range [{-rank}, {rank}], but got {self.batch_dims}"
            )
        return self.batch_dims % rank if self.batch_dims < 0 else self.batch_dims

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        unsigned = UNSIGNED.get(types[1])
        if self.batch_dims:
            return self.kernel

        def kernel(params: Array, indices: Array, axis: int) -> Any:
            if np.size(indices) >= _MANY_ELEMENTS and np.ndim(params) == 1 and axis in (0, -1):
                code = late_module("graphwright.ops.core.place_code")  # most programs need none
                elements: Array | None = code.taken(params, indices)
                if elements is not None:
                    return elements
            if np.ndim(params) and not kernels.is_large(params, indices, axis):
                try:
                    if unsigned is not None:
                        return params.take(indices.view(unsigned), axis)
                    if not indices.size or np.minimum.reduce(indices, None) >= 0:
                        return params.take(indices, axis)
                except IndexError:
                    pass
            return self.kernel(params, indices, axis)

        return kernel

    def kernel(self, params: Array, indices: Array, axis: int) -> Any:
        if np.ndim(params) == 0:
            raise ValueError("params must be at least 1 dimensional")
        size = np.shape(params)[axis]
        if np.less(indices, 0).any() or np.greater_equal(indices, size).any():
            raise_out_of_range(indices, size)
        if self.batch_dims:
            return self.gather_batches(params, indices, axis)
        return kernels.taken(params, indices, axis)

    def gather_batches(self, params: Array, indices: Array, axis: int) -> Any:
        """Gathers for each batch: the batches as one axis, beside what is gathered from."""
        shape, places = np.shape(params), np.shape(indices)
        (result,) = self.shapes(TensorType(dt.float32, shape), TensorType(dt.int32, places), axis)
        batch = self.checked_batch(places)
        place = axis % len(shape)
        count = int(np.prod(shape[:batch]))
        outer, inner = int(np.prod(shape[batch:place])), int(np.prod(shape[place + 1 :]))
        parts = np.reshape(params, (count, outer, shape[place], inner)).swapaxes(1, 2)
        width = int(np.prod(places[batch:]))
        taken = parts[np.arange(count)[:, None], np.reshape(indices, (count, width))]
        return np.reshape(taken.swapaxes(1, 2), result)

    def known(self, params: HostValue, indices: HostValue, axis: int | None) -> Any:
        is_first = axis == 0 or (axis == -1 and not is_nested(params))
        if not isinstance(params, tuple) or not is_first or self.batch_dims:
            return None
        return _picked(params, indices)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        params, indices, axis = call.inputs
        if not self.batch_dims and axis_of(axis) == 0:
            return gathered_rows(g, params, indices), None, None
        return gathered_back(g, params, indices, axis, self.batch_dims), None, None

    def expand(self, x: GraphTensor, indices: GraphTensor, axis: GraphTensor) -> Any:
        """The elements at the indices' places, which are checked."""
        place = host(axis)
        if place is None or not x.shape.rank:
            return None
        place, batch = place % x.shape.rank, self.batch_dims
        batch = batch + indices.shape.rank if batch < 0 else batch
        return gathered(x, place, [indices], batch)

    def batched(self, each: Each) -> Any:
        axis = each.axes(2)
        if self.batch_dims == 0 and not each.stacked[1]:
            return apply(self, each.inputs[0], each.inputs[1], axis)
        if self.batch_dims == 0 and not each.stacked[0] and axis == 1:
            return apply(self, *each.inputs)
        dims = self.batch_dims % (each.rank(1) + 1) if self.batch_dims < 0 else self.batch_dims
        return apply(GatherV2.of(dims + 1), each.full(0), each.full(1), axis)


def _picked(params: tuple[HostValue, ...], indices: Any) -> Any:
    if isinstance(indices, tuple):
        return tuple([_picked(params, i) for i in indices])
    return params[indices] if indices is not None and 0 <= indices < len(params) else None


def raise_out_of_range(indices: Array, size: int) -> None:
    """Raises InvalidArgumentError for the first index that is not in [0, size)."""
    indices = np.asarray(indices)
    bad = np.argwhere((indices < 0) | (indices >= size))
    where = tuple(bad[0])
    label = f"indices[{','.join(map(str, where))}]" if where else "indices"
    raise InvalidArgumentError(None, None, f"{label} = {indices[where]} is not in [0, {size})")


def axis_of(axis: int | TensorValue) -> int | None:
    """The number of an axis that is known, not negative; else None."""
    number = known_int(axis)
    return number if isinstance(number, int) and number >= 0 else None


def gathered_rows(g: Cotangent, params: TensorValue, indices: TensorValue) -> Any:
    """The slices of `g` as rows of a tensor like `params`: a `tf.IndexedSlices`."""
    whole = convert(shape_of(params), dt.int32)
    if indices.type.rank != 1:
        indices = reshape(indices, [-1])
        g = reshape(g, concat([[-1], whole[1:]], 0))
    return rows_of(g, indices, whole)


def gathered_back(
    g: Cotangent,
    params: TensorValue,
    indices: TensorValue,
    axis: int | TensorValue,
    batch_dims: int,
) -> Any:
    """Zeros like `params`, with the slices of `g` added at the places they were gathered from."""
    target = shape_of(params)
    axis = known_int(axis)
    if isinstance(axis, int) and axis == 0 and not batch_dims:
        return scatter_nd(expand_dims(indices, -1), g, target)
    rank, many = rank_of(params), rank_of(indices)
    if isinstance(rank, int) and axis == -rank and not batch_dims:
        return scatter_nd(expand_dims(indices, -1), g, target)
    batch = batch_dims + many if batch_dims < 0 else batch_dims
    place = (axis + rank) % rank
    width = many - batch
    # The axes that were gathered come right after the batches, and back again at the end.
    moved = spans((0, batch), (place, place + 1), (batch, place), (place + 1, rank))
    forward = spans(
        (0, batch), (place, place + width), (batch, place), (place + width, rank - 1 + width)
    )
    if isinstance(moved, tuple):
        sizes = axis_sizes(params)
        target = host_vector([sizes[i] for i in moved])
    else:
        target = gather(target, moved)
    places = with_batches(expand_dims(indices, -1), batch)
    result = scatter_nd(places, transpose(g, forward), target)
    return transpose(result, inverse_permutation(moved))


def spans(*bounds: tuple[Any, Any]) -> Any:
    """The numbers of several ranges as a host operand, of ints or of scalar tensors."""
    if all(isinstance(b, int) for pair in bounds for b in pair):
        return tuple([i for first, last in bounds for i in range(first, last)])
    count = REGISTRY["Range"].of(dt.int32)
    return concat([apply(count, first, last, 1) for first, last in bounds], 0)


def axis_sizes(x: TensorValue, rank: int | None = None) -> list[Any]:
    """The size of each axis of a tensor of known rank: an int, or a scalar tensor."""
    dims = x.type.dims
    if dims is None and rank is not None:
        dims = (None,) * rank
    if dims is None:
        raise ValueError("A tensor of known rank is needed here; fix it with tf.ensure_shape.")
    if None not in dims:
        return list(dims)
    dynamic = shape_of(x)
    return [entry(dynamic, i) if d is None else d for i, d in enumerate(dims)]


def axis_size(x: TensorValue, axis: int) -> Any:
    """The size of an axis: an int where it is known, else a scalar tensor."""
    dims = x.type.dims
    if dims is None or not -len(dims) <= axis < len(dims) or dims[axis] is None:
        return shape(x)[axis]
    return dims[axis]


def host_vector(entries: Sequence[int | TensorValue]) -> Any:
    """A host operand of ints and scalar tensors: a tuple if all are ints."""
    if all(isinstance(e, int) for e in entries):
        return tuple(entries)
    return stack(list(entries))


def with_batches(indices: TensorValue, batch_dims: int | TensorValue) -> Any:
    """Index vectors, preceded by the position of the batch that each is in."""
    if isinstance(batch_dims, int) and batch_dims == 0:
        return indices
    if not isinstance(batch_dims, int):
        raise ValueError("batch_dims < 0 needs indices of known rank; fix it with ensure_shape.")
    rank = indices.type.rank
    if rank is None:
        dims = shape_of(indices)
        whole: Any = concat([dims[:-1], [1]], 0)
        flat: Any = whole * 0 + 1
    else:
        whole = host_vector([*axis_sizes(indices)[:-1], 1])
        flat = (1,) * rank
    grid = []
    for i in range(batch_dims):
        size = whole[i] if isinstance(whole, tuple) else entry(whole, i)
        steps = apply(REGISTRY["Range"].of(indices.dtype), 0, size, 1)
        before, after = (1,) * i + (-1,), flat[i + 1 :]
        column = before + after if isinstance(after, tuple) else concat([before, after], 0)
        grid.append(broadcast_to(reshape(steps, column), whole))
    return concat([*grid, indices], -1)


# -- elements and slices at index vectors ---------------------------------------------------


def in_bounds(indices: Array, dims: Dims) -> Any:
    """Which index vectors point into a shape."""
    return np.all((indices >= 0) & (indices < np.array(dims[: indices.shape[-1]])), axis=-1)


def blank(dtype: ArrayDType) -> Any:
    """The element of places without a value: 0, or the empty string."""
    return b"" if dtype.kind == "O" else 0


#: What becomes of indices out of bounds, where they are refused: the default says so, too.
_REFUSING = ("", "DEFAULT", "ERROR")

#: So many numbers in index vectors NumPy takes longer to combine than to multiply, and elements at
#: one number longer to index than to take.
_MANY_PLACES = 1 << 10


def of_numbered_rows(params: Array, indices: Array, places: Array) -> Array | None:
    """The slices at index vectors, found by their numbers; None if a vector points outside.

    `places` are the indices without sign, so negative ones are too great.
    """
    depth = indices.shape[-1]
    dims, inner = params.shape[:depth], params.shape[depth:]
    numbers: Any = 0
    for axis, size in enumerate(dims):
        column = places[..., axis]
        if not size or column.max() >= size:
            return None
        numbers = numbers * size + indices[..., axis].astype(np.intp)
    rows = params.reshape(math.prod(dims), *inner)
    return kernels.taken(rows, numbers, 0)


class GatherNd(Op):
    """The slices of `params` at the index vectors along the last axis of `indices`."""

    type_name = "GatherNd"
    inputs = ("params: Tparams", "indices: Tindices")
    outputs = ("output: Tparams",)
    dtypes = {"Tparams": dt.ANY, "Tindices": SMALL_INDEX}
    computes = False

    bad_indices_policy: str = ""

    def shapes(self, params: TensorType, indices: TensorType) -> Shapes:
        if indices.dims == ():
            raise ValueError("indices must be at least a vector")
        if indices.dims is None or indices.dims[-1] is None or params.dims is None:
            return (None,)
        depth = indices.dims[-1]
        if depth > len(params.dims):
            raise ValueError(
                "index innermost dimension length must be <= params rank; saw: "
                f"{depth} vs. {len(params.dims)}"
            )
        return ((*indices.dims[:-1], *params.dims[depth:]),)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        check_policy(self.bad_indices_policy)
        if self.bad_indices_policy == "IGNORE":
            return self.kernel
        few = self.kernel_of_few(types[1])
        unsigned = UNSIGNED.get(types[1], np.uint64)

        def kernel(params: Array, indices: Array) -> Any:
            if np.size(indices) >= _MANY_PLACES and 0 < indices.shape[-1] <= np.ndim(params):
                results = of_numbered_rows(params, indices, indices.view(unsigned))
                if results is not None:
                    return results
            return few(params, indices)

        return kernel

    def kernel_of_few(self, dtype: DType) -> Callable[..., Any]:
        """The kernel of a few index vectors of a dtype."""
        unsigned = UNSIGNED.get(dtype)
        if unsigned is None:
            return self.kernel

        def kernel(params: Array, indices: Array) -> Any:
            if np.ndim(indices):
                places = indices.view(unsigned)
                flat = places.ndim == 2
                index = tuple(places.T if flat else np.moveaxis(places, -1, 0))
                try:
                    if index:
                        return params[index]
                except IndexError:
                    pass
            return self.kernel(params, indices)

        return kernel

    def kernel(self, params: Array, indices: Array) -> Any:
        params, indices = np.asarray(params), np.asarray(indices)
        self.shapes(TensorType(dt.float32, params.shape), TensorType(dt.int32, indices.shape))
        if self.bad_indices_policy != "IGNORE":
            return kernels.gather_nd(params, indices)
        good = in_bounds(indices, params.shape)
        shape = (*good.shape, *params.shape[indices.shape[-1] :])
        result = np.full(shape, blank(params.dtype), params.dtype)
        result[good] = kernels.gather_nd(params, indices[good])
        return result

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        params, indices = call.inputs
        dims = indices.type.dims
        if dims is not None and len(dims) == 2 and dims[1] == 1 and not self.bad_indices_policy:
            return gathered_rows(g, params, reshape(indices, [-1])), None
        back = ScatterNd.of(self.bad_indices_policy)
        return apply(back, indices, g, shape_of(params)), None

    def expand(self, x: GraphTensor, indices: GraphTensor) -> Any:
        is_plain = indices.shape[-1] and self.bad_indices_policy in _REFUSING
        return gathered(x, 0, columns_of(indices)) if is_plain else None

    def batched(self, each: Each) -> Any:
        if not each.stacked[0]:
            return apply(self, *each.inputs)
        return apply(self, each.inputs[0], with_rows(each, 1))


def with_rows(each: Each, i: int) -> Any:
    """Operand i, indices of places in a row `[..., k]`, as indices of places in all rows: the
    row's number in front."""
    indices, rank = each.full(i), each.rank(i)
    rows = each.rows(indices.dtype)
    rows = reshape(rows, [-1, *[1] * rank])
    sizes = host_vector([*axis_sizes(indices, rank + 1)[:-1], 1])
    return concat([broadcast_to(rows, sizes), indices], -1)


class ScatterNd(Op):
    """Zeros of a shape, with `updates` added at the index vectors of `indices`."""

    type_name = "ScatterNd"
    inputs = ("indices: Tindices", "updates: T", "shape: Tindices host")
    outputs = ("output: T",)
    dtypes = {"T": dt.NUMERIC | dt.BOOL | dt.STRING, "Tindices": SMALL_INDEX}

    bad_indices_policy: str = ""

    def shapes(self, indices: TensorType, updates: TensorType, shape: Dims | None) -> Shapes:
        if shape is None:
            return (None,)
        for d in shape:
            if d is not None and d < 0:
                raise ValueError(f"Dimension {d} must be >= 0")
        if indices.dims == ():
            raise ValueError("Indices shape must have rank at least one. Found:[]")
        check_updates(indices.dims, updates.dims, shape)
        return (shape,)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        check_policy(self.bad_indices_policy)
        return self.kernel

    def kernel(self, indices: Array, updates: Array, shape: tuple[int, ...]) -> Any:
        check_updates(np.shape(indices), np.shape(updates), shape)
        updates = np.asarray(updates)
        zeros = np.full(shape, blank(updates.dtype), updates.dtype)
        return scatter("add", zeros, indices, updates, self.bad_indices_policy, out=zeros)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        back = GatherNd.of(self.bad_indices_policy)
        return None, apply(back, g, call.inputs[0]), None

    def expand(self, indices: GraphTensor, updates: GraphTensor, shape: GraphTensor) -> Any:
        """Updates added up in the places of rows of indices."""
        if not indices.shape[-1] or shape.shape[0] is None or self.bad_indices_policy:
            return None
        dims = [cast(shape[i], dt.int32) for i in range(shape.shape[0])]
        combine = "any" if updates.dtype is dt.bool_ else "sum"
        return scattered(combine, updates, columns_of(indices), dims)

    def batched(self, each: Each) -> Any:
        places = with_rows(each, 0)
        return apply(self, places, each.full(1), each.longer(each.same(2)))


def check_updates(indices: Dims | None, updates: Dims | None, shape: Dims | None) -> None:
    """ValueError unless `updates` has a slice of `shape` for each vector of `indices`."""
    if indices is None or not indices or updates is None or shape is None or indices[-1] is None:
        return
    outer = len(indices) - 1
    if not is_compatible(indices[:-1], updates[:outer]):
        raise ValueError(
            f"Dimensions [0,{outer}) of indices[shape={show_dims(indices)}] must match dimensions "
            f"[0,{outer}) of updates[shape={show_dims(updates)}]"
        )
    depth = indices[-1]
    if depth > len(shape) or not is_compatible(shape[depth:], updates[outer:]):
        raise ValueError(
            f"Dimensions [{depth},{len(shape)}) of input[shape={show_dims(shape)}] must match "
            f"dimensions [{outer},{len(updates)}) of updates[shape={show_dims(updates)}]"
        )


def check_policy(policy: str) -> None:
    """ValueError where a word does not say what becomes of indices out of bounds."""
    if policy not in (*_REFUSING, "IGNORE"):
        raise ValueError(f"Unknown bad indices handling attribute: {policy}")


def scatter(
    kind: kernels.Combination,
    into: Array,
    indices: Array,
    updates: Array,
    policy: str,
    out: Array | None = None,
) -> Any:
    """`into` with the updates combined into it; with "IGNORE", without those out of bounds.

    It is a copy of `into`, or `into` itself where that is `out`.
    """
    if policy == "IGNORE":
        good = in_bounds(indices, into.shape)
        indices, updates = indices[good], updates[good]
    return kernels.tensor_scatter(kind, into, indices, updates, out)


# -- the public functions -------------------------------------------------------------------


def gather(
    params: TensorLike,
    indices: TensorLike,
    validate_indices: TensorLike | None = None,
    axis: TensorLike | None = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Tensor:
    """Gathers slices of a tensor by their indices along an axis.

    A variable gives only the slices that are gathered along its first axis; the others are not
    read.

    Args:
        params: A tensor of any dtype and of rank 1 or more, or a variable.
        indices: A tensor of int16, int32 or int64, of any shape.
        validate_indices: Accepted for TensorFlow's signature and not used.
        axis: The axis of `params` that is indexed: an int or a scalar. None means `batch_dims`.
        batch_dims: How many leading axes of `params` and `indices` are batch axes, which they
            share.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `params`. Its shape is that of `params` with `axis` replaced by the
        axes of `indices` behind the batch axes.

    Raises:
        InvalidArgumentError: An index is outside [0, size), or the batch axes differ.

    >>> import graphwright as tf
    >>> tf.gather([10, 20, 30], [2, 0])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([30, 10], dtype=int32)>
    >>> tf.gather([[1, 2], [3, 4]], [[1], [0]], batch_dims=1).numpy().tolist()
    [[2], [3]]
    """
    if axis is None:
        axis = batch_dims
    if isinstance(axis, int) and axis == 0:
        batch_dims = 0
        if hasattr(params, "sparse_read"):  # a variable, whose other rows need not be read
            return params.sparse_read(indices, name=name)
    return apply(GatherV2.of(batch_dims), convert(params), convert(indices), axis, name=name)


def gather_nd(
    params: TensorLike,
    indices: TensorLike,
    batch_dims: int = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Tensor:
    """Gathers elements or slices of a tensor by index vectors.

    An index vector as long as the rank of `params` names an element; a shorter one names a slice.

    Args:
        params: A tensor of any dtype.
        indices: A tensor of int16, int32 or int64; its last axis holds the index vectors.
        batch_dims: How many leading axes of `params` and `indices` are batch axes, which they
            share.
        name: A name for the op.
        bad_indices_policy: What an index out of bounds does: "" or "ERROR" fails, "IGNORE" gives
            zeros.

    Returns:
        A tensor of the dtype of `params`: a slice for each index vector.

    Raises:
        InvalidArgumentError: An index is out of bounds, or an index vector is longer than the rank
            of `params`.

    >>> import graphwright as tf
    >>> tf.gather_nd([[1, 2], [3, 4]], [[0, 0], [1, 1]])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 4], dtype=int32)>
    >>> tf.gather_nd([1, 2], [[1], [7]], bad_indices_policy="IGNORE").numpy().tolist()
    [2, 0]
    """
    places = with_batches(convert(indices), int(batch_dims))
    return apply(GatherNd.of(bad_indices_policy), convert(params), places, name=name)


def scatter_nd(
    indices: TensorLike,
    updates: TensorLike,
    shape: ShapeLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Adds updates into a tensor of zeros at index vectors.

    Updates of one place are summed.

    Args:
        indices: A tensor of int16, int32 or int64; its last axis holds the index vectors.
        updates: A tensor of numbers, bools or strings: a slice of the result for each index vector.
        shape: The shape of the result: a list of ints or a vector of the dtype of `indices`.
        bad_indices_policy: What an index out of bounds does: "" or "ERROR" fails, "IGNORE" drops
            it.
        name: A name for the op.

    Returns:
        A tensor of `shape` and the dtype of `updates`.

    Raises:
        InvalidArgumentError: An index is out of bounds, or `updates` has no slice of the result for
            each vector.

    >>> import graphwright as tf
    >>> tf.scatter_nd([[1], [3], [1]], [10, 20, 30], [5]).numpy().tolist()
    [0, 40, 0, 20, 0]
    """
    op = ScatterNd.of(bad_indices_policy)
    return apply(op, convert(indices), convert(updates), shape, name=name)
