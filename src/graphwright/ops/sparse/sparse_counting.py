"""How often each number occurs, where most do not: sparse counts of dense and sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.op.op import Op, Shapes, undefined
from graphwright.ops.sparse import index_rows
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType

COUNTS = frozenset({dt.int32, dt.int64, dt.float32, dt.float64})


class CountSparseOutput(Op):
    """Counts of numbers, or sums of their weights, as a sparse tensor."""

    outputs = ("output_indices: int64", "output_values: output_type", "output_dense_shape: int64")
    dtypes = {"T": dt.INDEX, "output_type": COUNTS}
    least = {"minlength": -1, "maxlength": -1}
    gradient = undefined("add weights up with tf.math.unsorted_segment_sum, which has one")

    output_type: DType
    binary_output: bool
    minlength: int = -1
    maxlength: int = -1

    def counted(
        self, groups: Array, values: Array, weights: Array, outer: list[int]
    ) -> tuple[Array, Array, Array]:
        """The counts of the numbers of each group."""
        if (values < 0).any():
            raise ValueError("Input values must all be non-negative")
        if weights.size and weights.shape != values.shape:
            raise ValueError(
                "Weights and data must have the same shape. Weight shape: "
                f"{list(weights.shape)}; data shape: {list(values.shape)}"
            )
        greatest = int(values.max()) if len(values) else 0
        size = self.maxlength if self.maxlength >= 0 else max(greatest + 1, self.minlength)
        below = values < size
        rows = np.column_stack([groups, values]).astype(np.int64).compress(below, axis=0)
        distinct, (numbers,) = index_rows.numbered(rows)
        dtype = self.output_type.numpy_dtype
        counts = np.zeros(len(distinct), dtype)
        np.add.at(counts, numbers, weights[below] if weights.size else dtype.type(1))
        if self.binary_output:
            counts = np.ones_like(counts)
        return distinct, counts, np.array([*outer, size], np.int64)


class DenseCountSparseOutput(CountSparseOutput):
    """Counts of a vector's numbers, or of each row's of a matrix."""

    type_name = "DenseCountSparseOutput"
    inputs = ("values: T", "weights: output_type")

    def shapes(self, values: TensorType, weights: TensorType) -> Shapes:
        if values.rank not in (1, 2, None):
            raise ValueError(f"Input must be a 1 or 2-dimensional tensor. Got rank: {values.rank}")
        return (None, values.rank), (None,), (values.rank,)

    def kernel(self, values: Array, weights: Array) -> Any:
        if values.ndim not in (1, 2):
            raise ValueError("Input must be a 1 or 2-dimensional tensor.")
        outer = list(values.shape[:-1])
        groups = np.repeat(np.arange(outer[0]), values.shape[1])[:, None] if outer else (
            np.zeros((len(values), 0), np.int64)
        )  # fmt: skip
        if weights.size and weights.shape != values.shape:
            raise ValueError(
                f"Weights and data must have the same shape: {weights.shape} for {values.shape}"
            )
        return self.counted(groups, values.reshape(-1), weights.reshape(-1), outer)


class SparseCountSparseOutput(CountSparseOutput):
    """Counts of a sparse vector's numbers, or of each row's of a matrix."""

    type_name = "SparseCountSparseOutput"
    inputs = ("indices: int64", "values: T", "dense_shape: int64", "weights: output_type")

    def shapes(self, indices: TensorType, values: TensorType, *parts: TensorType) -> Shapes:
        rank = None if indices.dims is None else indices.dims[1]
        return (None, rank), (None,), (rank,)

    def kernel(self, indices: Array, values: Array, shape: Array, weights: Array) -> Any:
        if len(shape) not in (1, 2):
            raise ValueError(f"Input must be a 1 or 2-dimensional tensor. Got rank: {len(shape)}")
        index_rows.check(indices, shape, ordered=False)
        return self.counted(indices[:, :-1], values, weights, shape[:-1].tolist())
