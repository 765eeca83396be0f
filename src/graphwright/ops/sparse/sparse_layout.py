"""Sparse tensors as their parts (indices, values, dense shape): dense form, order, pieces."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, LateRefusal, Op, Shapes, not_differentiable
from graphwright.ops.core.gathering import gather, gather_nd
from graphwright.ops.core.movement import invert_permutation
from graphwright.ops.core.sequences import range as range_of
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ops.math.reduction import reduce_sum
from graphwright.ops.sparse import index_rows
from graphwright.ops.sparse.sparse_parts import (
    all_known,
    check_counts,
    check_width,
    count_of,
    width_of,
)
from graphwright.ops.sparse.sparse_sums import SPARSE_ADD_GRAD
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, TensorType, is_compatible, show_dims


class SparseToDense(Op):
    """The dense tensor that has the values at the indices and the default elsewhere."""

    type_name = "SparseToDense"
    inputs = (
        "sparse_indices: Tindices", "output_shape: Tindices host", "sparse_values: T",
        "default_value: T",
    )  # fmt: skip
    outputs = ("dense: T",)
    dtypes = {"T": dt.ANY, "Tindices": dt.INDEX}
    ruled = True

    validate_indices: bool = True

    def shapes(
        self, indices: TensorType, shape: Dims | None, values: TensorType, default: TensorType
    ) -> Shapes:
        if indices.rank is not None and indices.rank > 2:
            raise ValueError(
                "sparse_indices should be a scalar, vector, or matrix, got shape "
                f"{show_dims(indices.dims)}"
            )
        if default.rank not in (0, None):
            raise LateRefusal(
                f"default_value should be a scalar, got shape {show_dims(default.dims)}"
            )
        each = (count_of(indices) if indices.rank else 1,)
        if values.dims and indices.dims is not None and not is_compatible(values.dims, each):
            raise ValueError(
                f"sparse_values has incorrect shape {show_dims(values.dims)}, should be [] or "
                f"{show_dims(each)}"
            )
        return (None if shape is None else tuple(shape),)

    def kernel(
        self, indices: Array, shape: tuple[int, ...], values: Array, default: Array
    ) -> Array:
        rows = np.asarray(indices)
        rows = rows if rows.ndim == 2 else rows.reshape(-1, 1)
        index_rows.check(rows, shape, ordered=self.validate_indices)
        dense = np.full(shape, default, np.asarray(values).dtype)
        dense[tuple(rows.T)] = values
        return dense

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        values = gather_nd(g, call.inputs[0])
        return None, None, values, reduce_sum(g) - reduce_sum(values)


class SparseReorder(Op):
    """The same elements in the order of a dense tensor's."""

    type_name = "SparseReorder"
    inputs = ("input_indices: int64", "input_values: T", "input_shape: int64")
    outputs = ("output_indices: int64", "output_values: T")
    dtypes = {"T": dt.ANY}
    ranks = {"input_indices": 2, "input_values": 1, "input_shape": 1}

    def shapes(self, indices: TensorType, values: TensorType, shape: TensorType) -> Shapes:
        check_counts(indices, values)
        return indices.dims or (None, None), values.dims or (None,)

    def kernel(self, indices: Array, values: Array, shape: Array) -> Any:
        index_rows.check_rank(indices, shape)
        sorting = index_rows.order(indices)
        return indices.take(sorting, axis=0), values[sorting]

    def gradient(self, call: Call, _: Cotangent, g: Cotangent) -> Sequence[Any]:
        indices, values, shape = call.inputs
        places = range_of(shape_of(values, out_type=dt.int64)[0])
        moved = apply(self, indices, places, shape)[1]
        return None, gather(g, invert_permutation(moved)), None


class SparseReshape(Op):
    """The indices that elements have in a dense tensor of another shape."""

    type_name = "SparseReshape"
    inputs = ("input_indices: int64", "input_shape: int64", "new_shape: int64")
    outputs = ("output_indices: int64", "output_shape: int64")
    ranks = {"input_indices": 2, "input_shape": 1, "new_shape": 1}
    gradient = not_differentiable

    def shapes(self, indices: TensorType, shape: TensorType, new: TensorType) -> Shapes:
        check_width(indices, count_of(shape))
        rank = count_of(new)
        return (count_of(indices), rank), (rank,)

    def known(self, indices: object, shape: Dims | None, new: Dims | None) -> Any:
        before, after = all_known(shape), all_known(new)
        if before is None or after is None:
            return None, new if new is None or -1 not in new else None
        return None, filled(before, after)

    def kernel(self, indices: Array, shape: Array, new: Array) -> Any:
        target = np.array(filled(shape.tolist(), new.tolist()), np.int64)
        if np.array_equal(target, shape):
            return indices, target
        return index_rows.unflattened(index_rows.flattened(indices, shape), target), target


def filled(shape: Sequence[int], new: Sequence[int]) -> tuple[int, ...]:
    """The new shape, its -1 replaced by the size that is left; ValueError if none fits."""
    if list(new).count(-1) > 1:
        raise ValueError("only one output dimension may be -1, not both of them")
    size, rest = math.prod(shape), math.prod(n for n in new if n != -1)
    if -1 in new:
        if not rest or size % rest:
            raise ValueError(
                f"Input to reshape is a SparseTensor with {size} dense values, but the requested "
                f"shape requires a multiple of {rest}. input_shape={list(shape)} "
                f"output_shape={list(new)}"
            )
        return tuple(size // rest if n == -1 else n for n in new)
    if size != rest:
        raise ValueError(
            f"Input to reshape is a tensor with {size} dense values, but the requested shape has "
            f"{rest}. input_shape={list(shape)} output_shape={list(new)}"
        )
    return tuple(new)


class SparseConcat(Op):
    """Sparse tensors one after another along an axis."""

    type_name = "SparseConcat"
    inputs = ("indices: int64*", "values: T*", "shapes: int64*")
    outputs = ("output_indices: int64", "output_values: T", "output_shape: int64")
    dtypes = {"T": dt.ANY}
    ranks = {"indices": 2, "values": 1, "shapes": 1}
    least = {"indices": 2, "values": 2, "shapes": 2}

    concat_dim: int

    def shapes(self, *parts: TensorType) -> Shapes:
        count = len(parts) // 3
        for indices, values, shape in zip(parts, parts[count:], parts[2 * count :]):
            check_counts(indices, values)
            check_width(indices, count_of(shape))
        counts = [count_of(values) for values in parts[count : 2 * count]]
        total = None if None in counts else sum(n for n in counts if n is not None)
        rank = width_of(parts[0])
        return (total, rank), (total,), (rank,)

    def known(self, *parts: Any) -> Any:
        shapes = parts[2 * (len(parts) // 3) :]
        if any(shape is None or None in shape for shape in shapes):
            return None, None, None
        return None, None, joined_shape(shapes, self.concat_dim)

    def kernel(self, *parts: Any) -> Any:
        count = len(parts) // 3
        shapes = [shape.tolist() for shape in parts[2 * count :]]
        target = joined_shape(shapes, self.concat_dim)
        rows, before = [], 0
        for indices, shape in zip(parts[:count], shapes):
            index_rows.check_rank(indices, shape)
            moved = indices.copy()
            moved[:, self.concat_dim] += before
            before += shape[self.concat_dim]
            rows.append(moved)
        every = np.concatenate(rows)
        sorting = index_rows.order(every)
        values = np.concatenate(parts[count : 2 * count])
        return every.take(sorting, axis=0), values[sorting], np.array(target, np.int64)

    def gradient(self, call: Call, _: Cotangent, g: Cotangent, __: Cotangent) -> Sequence[Any]:
        count = len(call.inputs) // 3
        places, before = [], convert(0, dt.int64)
        for values in call.inputs[count : 2 * count]:
            after = before + shape_of(values, out_type=dt.int64)[0]
            places.append(range_of(before, after))
            before = after
        shapes = call.inputs[2 * count :]
        moved = apply(self, *call.inputs[:count], *places, *shapes)[1]
        back = gather(g, invert_permutation(moved))
        return (*[None] * count, *[gather(back, place) for place in places], *[None] * count)


def joined_shape(shapes: Sequence[Sequence[int]], axis: int) -> tuple[int, ...]:
    """The shape of tensors joined along an axis; ValueError where the others differ."""
    first = list(shapes[0])
    if not -len(first) <= axis < len(first):
        raise ValueError(
            f"Concat dimension must be in range [{-len(first)}, {len(first)}), got {axis}"
        )
    axis %= len(first)
    for place, shape in enumerate(shapes[1:], 1):
        if len(shape) != len(first):
            raise ValueError(
                f"Ranks of all input tensors must match: expected {len(first)} but got "
                f"{len(shape)} at position {place}"
            )
        for i, (a, b) in enumerate(zip(first, shape)):
            if i != axis and a != b:
                raise ValueError(
                    f"Input shapes must match: expected {a} for dimension {i} but got {b} at "
                    f"position {place}"
                )
    first[axis] = sum(shape[axis] for shape in shapes)
    return tuple(first)


class SparseSlice(Op):
    """The elements of a part of the tensor, numbered from its start."""

    type_name = "SparseSlice"
    inputs = ("indices: int64", "values: T", "shape: int64", "start: int64", "size: int64")
    outputs = ("output_indices: int64", "output_values: T", "output_shape: int64")
    dtypes = {"T": dt.ANY}
    ranks = {"indices": 2, "values": 1, "shape": 1, "start": 1, "size": 1}

    def shapes(self, indices: TensorType, values: TensorType, *parts: TensorType) -> Shapes:
        return (None, width_of(indices)), (None,), parts[0].dims

    def known(
        self,
        indices: object,
        values: object,
        shape: Dims | None,
        start: Dims | None,
        size: Dims | None,
    ) -> Any:
        whole, first, most = all_known(shape), all_known(start), all_known(size)
        if whole is None or first is None or most is None:
            return None, None, None
        return None, None, tuple(max(0, min(n, s - b)) for s, b, n in zip(whole, first, most))

    def kernel(self, indices: Array, values: Array, shape: Array, start: Array, size: Array) -> Any:
        if start.shape != shape.shape or size.shape != shape.shape:
            raise ValueError(
                f"start has {start.size} and size {size.size} numbers for a tensor of rank "
                f"{shape.size}"
            )
        for name, sizes in (("shape", shape), ("size", size)):
            index_rows.check_sizes(name, sizes)
        inside = index_rows.within(indices, start, start + size)
        left = np.maximum(0, np.minimum(size, shape - start))
        return indices.compress(inside, axis=0) - start, values[inside], left

    def gradient(self, call: Call, _: Cotangent, g: Cotangent, __: Cotangent) -> Sequence[Any]:
        indices, _, _, start, _ = call.inputs
        back = apply(SLICE_GRAD, g, indices, start, call.outputs[0])
        return None, back, None, None, None


class SparseSliceGrad(Op):
    """The cotangent of the sliced tensor's values: zero outside the slice."""

    type_name = "SparseSliceGrad"
    inputs = (
        "backprop_val_grad: T", "input_indices: int64", "input_start: int64",
        "output_indices: int64",
    )  # fmt: skip
    outputs = ("val_grad: T",)
    dtypes = {"T": dt.NUMERIC}
    ranks = {
        "backprop_val_grad": 1, "input_indices": 2, "input_start": 1, "output_indices": 2,
    }  # fmt: skip

    def shapes(self, g: TensorType, indices: TensorType, *parts: TensorType) -> Shapes:
        start, output = parts
        check_counts(output, g)
        for rows in (indices, output):
            check_width(rows, count_of(start))
        return ((count_of(indices),),)

    def kernel(self, g: Array, indices: Array, start: Array, output: Array) -> Any:
        rows, (outer, inner) = index_rows.numbered(indices, output + start)
        full = np.zeros(len(rows), g.dtype)
        full[inner] = g
        return full[outer]

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        _, indices, start, output = call.inputs
        rows = output + start
        return apply(SPARSE_ADD_GRAD, g, rows, rows, indices)[0], None, None, None


class SparseFillEmptyRows(Op):
    """The tensor with the default in the first column of each row that has no element."""

    type_name = "SparseFillEmptyRows"
    inputs = ("indices: int64", "values: T", "dense_shape: int64", "default_value: T")
    outputs = (
        "output_indices: int64", "output_values: T", "empty_row_indicator: bool",
        "reverse_index_map: int64",
    )  # fmt: skip
    dtypes = {"T": dt.ANY}
    ranks = {"indices": 2, "values": 1, "dense_shape": 1, "default_value": 0}

    def shapes(
        self, indices: TensorType, values: TensorType, shape: TensorType, default: TensorType
    ) -> Shapes:
        check_counts(indices, values)
        check_width(indices, count_of(shape))
        return (None, width_of(indices)), (None,), (None,), values.dims or (None,)

    def kernel(self, indices: Array, values: Array, shape: Array, default: Array) -> Any:
        rows, count = indices[:, 0].copy(), int(shape[0])
        outside = (rows < 0) | (rows >= count)
        if outside.any():
            place = int(np.argmax(outside))
            raise ValueError(f"indices({place}, 0) is invalid: {rows[place]} >= {count}")
        empty = np.bincount(rows, minlength=count) == 0
        if not empty.any() and (rows[:-1] <= rows[1:]).all():
            return indices, values, empty, np.arange(len(rows))
        added = np.zeros((int(empty.sum()), indices.shape[1]), np.int64)
        added[:, 0] = np.flatnonzero(empty)
        every = np.concatenate([indices, added])
        sorting = np.argsort(every[:, 0], kind="stable")
        default = np.full(len(added), default, values.dtype)
        places = np.empty(len(every), np.int64)
        places[sorting] = np.arange(len(every))
        filled_in = np.concatenate([values, default]).take(sorting)
        return every.take(sorting, axis=0), filled_in, empty, places[: len(values)]

    def gradient(
        self, call: Call, _: Cotangent, g: Cotangent, __: Cotangent, ___: Cotangent
    ) -> Sequence[Any]:
        values = gather(g, call.outputs[3])
        return None, values, None, reduce_sum(g) - reduce_sum(values)


SLICE_GRAD = SparseSliceGrad()
REORDER, RESHAPE, SLICE = SparseReorder(), SparseReshape(), SparseSlice()
FILL_EMPTY_ROWS = SparseFillEmptyRows()
