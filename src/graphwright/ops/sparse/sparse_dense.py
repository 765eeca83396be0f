"""Sparse tensors with dense ones: products, sums; softmax and reductions of sparse tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np

from graphwright.base.errors import InternalError
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert
from graphwright.op.late_imports import late_extension
from graphwright.op.op import Call, Op, Shapes, not_differentiable, undefined
from graphwright.op.op_families import reduced_dims
from graphwright.ops.core.creation import ones_like
from graphwright.ops.core.gathering import gather, gather_nd
from graphwright.ops.core.indicators import one_hot
from graphwright.ops.core.movement import reshape
from graphwright.ops.core.segment_reduction import unsorted_segment_sum
from graphwright.ops.core.shapes import size
from graphwright.ops.core.unique import unique
from graphwright.ops.linalg.linear_systems import matrix_transpose
from graphwright.ops.math.arithmetic import conj, minimum
from graphwright.ops.math.reduction import reduce_sum
from graphwright.ops.sparse import index_rows
from graphwright.ops.sparse.sparse_products import row_major_places
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, TensorType, normalize_axes

Axes: TypeAlias = int | tuple[int, ...]


class SparseTensorDenseMatMul(Op):
    """The product of a sparse matrix and a dense one, either of which may be adjoint."""

    type_name = "SparseTensorDenseMatMul"
    inputs = ("a_indices: Tindices", "a_values: T", "a_shape: int64 host", "b: T")
    outputs = ("product: T",)
    dtypes = {"T": dt.NUMERIC, "Tindices": dt.INDEX}

    adjoint_a: bool = False
    adjoint_b: bool = False

    def shapes(
        self, indices: TensorType, values: TensorType, shape: Dims | None, b: TensorType
    ) -> Shapes:
        if b.rank not in (2, None) or (shape is not None and len(shape) != 2):
            raise ValueError(f"Tensor 'a_shape' must have 2 elements and 'b' be a matrix, got {b}")
        whole: Dims = (None, None) if shape is None else shape
        rows, inner = whole[::-1] if self.adjoint_a else whole
        other, columns = (None, None) if b.dims is None else b.dims[:: -1 if self.adjoint_b else 1]
        if inner is not None and other is not None and inner != other:
            raise ValueError(
                f"Cannot multiply A and B because inner dimension does not match: {inner} vs. "
                f"{other}. Did you forget a transpose? Dimensions of A: {list(whole)}. "
                f"Dimensions of B: {b.dims}"
            )
        return ((rows, columns),)

    def kernel(self, indices: Array, values: Array, shape: tuple[int, ...], b: Array) -> Any:
        if b.ndim != 2 or len(shape) != 2:
            raise ValueError("operands are not matrices")  # `shapes` says so in full
        index_rows.check(np.asarray(indices, np.int64), shape, ordered=False)
        if values.shape != indices.shape[:1]:
            raise ValueError(f"{len(indices)} indices for values of shape {list(values.shape)}")
        dtype = values.dtype
        if dtype.itemsize == 2 and dtype.kind in "fV":
            values, b = values.astype(np.float32), b.astype(np.float32)
        (rows, columns), (height, inner) = indices.T, shape
        if self.adjoint_a:
            rows, columns, height, inner, values = columns, rows, inner, height, values.conj()
        right = np.ascontiguousarray(b.conj().T if self.adjoint_b else b)
        if len(right) != inner:
            raise ValueError("inner dimensions do not match")  # as above
        return product_of_entries(rows, columns, values, height, right).astype(dtype, copy=False)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        indices, values, shape, b = call.inputs
        product = SparseTensorDenseMatMul.of(not self.adjoint_a, False)
        b_side = apply(product, indices, values, shape, g)
        if self.adjoint_b:
            b_side = conj(matrix_transpose(b_side))
        places = [indices[:, 0], indices[:, 1]]
        rows, columns = places[::-1] if self.adjoint_a else places
        right = conj(matrix_transpose(b)) if self.adjoint_b else b
        a_side = reduce_sum(gather(g, rows) * conj(gather(right, columns)), axis=1)
        return None, conj(a_side) if self.adjoint_a else a_side, None, b_side


def product_of_entries(
    rows: Array, columns: Array, values: Array, height: int, right: Array
) -> Array:
    """The product of a matrix that has values in places, and zeros elsewhere, with another one."""
    product = getattr(late_extension("scipy.sparse._sparsetools"), "coo_matmat_dense", None)
    if product is None:
        from scipy.sparse import coo_array  # here, for it takes long to import

        whole: Array = coo_array((values, (rows, columns)), (height, len(right))) @ right
        return whole
    width = right.shape[1]
    result = np.zeros((height, width), right.dtype)
    product(len(values), width, rows, columns, values, right.reshape(-1), result)
    return result


class SparseTensorDenseAdd(Op):
    """The dense sum of a sparse tensor and a dense one of the same shape."""

    type_name = "SparseTensorDenseAdd"
    inputs = ("a_indices: Tindices", "a_values: T", "a_shape: Tindices", "b: T")
    outputs = ("output: T",)
    dtypes = {"T": dt.NUMERIC, "Tindices": dt.INDEX}
    ranks = {"a_indices": 2, "a_values": 1, "a_shape": 1}

    def shapes(self, indices: TensorType, values: TensorType, *parts: TensorType) -> Shapes:
        return (parts[1].dims,)

    def kernel(self, indices: Array, values: Array, shape: Array, b: Array) -> Any:
        if tuple(shape) != b.shape:
            raise ValueError(
                f"Dimensions do not equal: a has shape {index_rows.shown(shape)}, "
                f"b {list(b.shape)} (no broadcasting is done)"
            )
        index_rows.check(indices, shape, ordered=False)
        total = b.copy()
        np.add.at(total, tuple(np.asarray(indices).T), values)
        return total

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return None, gather_nd(g, call.inputs[0]), None, g


class SparseSoftmax(Op):
    """The softmax of the elements that are there, along the last axis."""

    type_name = "SparseSoftmax"
    inputs = ("sp_indices: int64", "sp_values: T", "sp_shape: int64")
    outputs = ("output: T",)
    dtypes = {"T": dt.FLOATING}
    ranks = {"sp_indices": 2, "sp_values": 1, "sp_shape": 1}

    def shapes(self, indices: TensorType, values: TensorType, shape: TensorType) -> Shapes:
        return (values.dims or (None,),)

    def kernel(self, indices: Array, values: Array, shape: Array) -> Any:
        if len(shape) < 2:
            raise ValueError(f"Input should have rank >= 2, got: {len(shape)}")
        index_rows.check_rank(indices, shape)
        index_rows.check_sizes("sp_shape", shape)
        index_rows.check_order(indices, least=0)
        rows, (groups,) = index_rows.numbered(indices[:, :-1])
        exact = values.astype(np.float32) if values.dtype.itemsize == 2 else values
        greatest = np.full(len(rows), -np.inf, exact.dtype)
        np.maximum.at(greatest, groups, exact)
        powers = np.exp(exact - greatest[groups])
        totals = np.zeros(len(rows), exact.dtype)
        np.add.at(totals, groups, powers)
        return (powers / totals[groups]).astype(values.dtype)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        y, (indices, _, shape) = call.outputs[0], call.inputs
        rows, groups = unique(row_major_places(indices[:, :-1], shape[:-1]))
        totals = unsorted_segment_sum(g * y, groups, size(rows))
        return None, y * (g - gather(totals, groups)), None


class SparseReduction(Op):
    """The elements that are there combined along axes: a dense tensor with 0 where none was."""

    inputs = (
        "input_indices: int64", "input_values: T", "input_shape: int64 host",
        "reduction_axes: int32 host",
    )  # fmt: skip
    outputs: ClassVar[tuple[str, ...]] = ("output: T",)
    dtypes = {"T": dt.NUMERIC}
    ranks = {"input_indices": 2, "input_values": 1, "input_shape": 1}
    combine: ClassVar[Any]

    keep_dims: bool = False

    def shapes(
        self, indices: TensorType, values: TensorType, shape: Dims | None, axes: int | Dims | None
    ) -> Shapes:
        return (None if shape is None else reduced_dims(shape, as_axes(axes), self.keep_dims),)

    def grouped(
        self, indices: Array, values: Array, shape: tuple[int, ...], axes: Axes
    ) -> tuple[list[int], Array, Array]:
        """What is left of the shape, the rows of indices left, and the values combined there."""
        index_rows.check_rank(indices, shape)
        index_rows.check_sizes("input_shape", shape)
        gone = set(normalize_axes(as_axes(axes), len(shape)))
        left = [axis for axis in range(len(shape)) if axis not in gone]
        rows, (groups,) = index_rows.numbered(indices[:, left])
        dtype = values.dtype
        exact = values.astype(np.float32) if dtype.itemsize == 2 and dtype.kind in "fV" else values
        starts = np.zeros(len(rows), exact.dtype)
        if self.combine is np.maximum:
            starts[groups] = exact  # any of the group's
        type(self).combine.at(starts, groups, exact)
        sizes = [shape[axis] for axis in left]
        if self.keep_dims:
            wide = np.zeros((len(rows), len(shape)), np.int64)
            wide[:, left] = rows
            rows, sizes = wide, [1 if i in gone else n for i, n in enumerate(shape)]
        return sizes, rows, starts.astype(dtype)

    def kernel(self, indices: Array, values: Array, shape: tuple[int, ...], axes: Axes) -> Any:
        sizes, rows, values_left = self.grouped(indices, values, shape, axes)
        dense = np.zeros(math.prod(sizes), values_left.dtype)
        places = index_rows.flattened(rows, sizes)
        outside = (places < 0) | (places >= dense.size)
        if outside.any():
            raise InternalError(
                None,
                None,
                f"Obtained a write index of {places[np.argmax(outside)]} which is outside of "
                f"bounds of [0, {dense.size})",
            )
        dense[places] = values_left
        return dense.reshape(sizes)


def as_axes(axes: int | Dims | None) -> Dims | None:
    """Axes as a tuple of them."""
    return (axes,) if isinstance(axes, int) else axes


class SparseReduceSum(SparseReduction):
    """Sums along axes."""

    type_name = "SparseReduceSum"
    combine = np.add

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        indices, _, shape, axes = call.inputs
        shape, rank = convert(shape, dt.int64), size(shape)
        places = reshape(convert(axes, dt.int32), [-1]) % rank
        gone = minimum(1, reduce_sum(one_hot(places, rank, dtype=dt.int64), axis=0))
        remains = ones_like(gone) - gone
        back = reshape(g, shape * remains + gone)
        return None, gather_nd(back, indices * remains), None, None


class SparseReduceMax(SparseReduction):
    """The greatest elements along axes."""

    type_name = "SparseReduceMax"
    dtypes = {"T": dt.REAL}
    combine = np.maximum
    gradient = undefined("take tf.reduce_max of tf.sparse.to_dense, which has one")


class SparseReductionSparse(SparseReduction):
    """Such a reduction with a sparse result, which has an element where the tensor has any."""

    outputs = ("output_indices: int64", "output_values: T", "output_shape: int64")
    gradient = not_differentiable

    def shapes(
        self, indices: TensorType, values: TensorType, shape: Dims | None, axes: int | Dims | None
    ) -> Shapes:
        left = None if shape is None else reduced_dims(shape, as_axes(axes), self.keep_dims)
        rank = None if left is None else len(left)
        return (None, rank), (None,), (rank,)

    def kernel(
        self, indices: Array, values: Array, shape: tuple[int, ...], axes: Axes
    ) -> tuple[Array, ...]:
        sizes, rows, combined = self.grouped(indices, values, shape, axes)
        return rows, combined, np.array(sizes, np.int64)


class SparseReduceSumSparse(SparseReductionSparse):
    """Sums along axes, sparse."""

    type_name = "SparseReduceSumSparse"
    gradient = undefined("sum with tf.sparse.reduce_sum to a dense result, which has one")
    combine = np.add


class SparseReduceMaxSparse(SparseReductionSparse):
    """The greatest elements along axes, sparse."""

    type_name = "SparseReduceMaxSparse"
    gradient = undefined("take tf.reduce_max of tf.sparse.to_dense, which has one")
    dtypes = {"T": dt.REAL}
    combine = np.maximum


DENSE_ADD, SOFTMAX = SparseTensorDenseAdd(), SparseSoftmax()
