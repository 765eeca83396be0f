"""`tf.sparse`: tensors that store only the elements that are not zero."""

from __future__ import annotations

from graphwright.ops.core.segment_reduction import sparse_segment_mean as segment_mean
from graphwright.ops.core.segment_reduction import sparse_segment_sqrt_n as segment_sqrt_n
from graphwright.ops.core.segment_reduction import sparse_segment_sum as segment_sum
from graphwright.values.sparse.sparse_arithmetic import (
    add,
    map_values,
    maximum,
    minimum,
    reduce_max,
    reduce_sum,
    sampled_addmm,
    softmax,
    sparse_dense_matmul,
)
from graphwright.values.sparse.sparse_counts import bincount
from graphwright.values.sparse.sparse_crossing import cross, cross_hashed
from graphwright.values.sparse.sparse_functions import (
    concat,
    expand_dims,
    eye,
    fill_empty_rows,
    from_dense,
    mask,
    reorder,
    reset_shape,
    reshape,
    retain,
    slice,
    split,
    to_dense,
    to_indicator,
    transpose,
)
from graphwright.values.sparse.sparse_tensor import SparseTensor

__all__ = [
    "SparseTensor",
    "add",
    "bincount",
    "concat",
    "cross",
    "cross_hashed",
    "expand_dims",
    "eye",
    "fill_empty_rows",
    "from_dense",
    "map_values",
    "mask",
    "maximum",
    "minimum",
    "reduce_max",
    "reduce_sum",
    "reorder",
    "reset_shape",
    "reshape",
    "retain",
    "sampled_addmm",
    "segment_mean",
    "segment_sqrt_n",
    "segment_sum",
    "slice",
    "softmax",
    "sparse_dense_matmul",
    "split",
    "to_dense",
    "to_indicator",
    "transpose",
]
