"""Nodes about rows of several lengths and crosses of columns, in functions of such tensors.

TensorFlow has ops for them, which models of Keras have that prepare texts and categories.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.ops.core.shapes import size
from graphwright.ops.core.static import static_value
from graphwright.portable.graphs.older_ops import NodeReader, Outputs, counted, given
from graphwright.portable.model_error import malformed
from graphwright.portable.node_ops import attribute, place
from graphwright.proto.graph_pb2 import NodeDef
from graphwright.ragged.ragged_functions import bincount, sparse_bincount
from graphwright.ragged.ragged_tensor import RaggedTensor
from graphwright.values.sparse.sparse_crossing import cross_hashed
from graphwright.values.sparse.sparse_tensor import SparseTensor
from graphwright.values.tensor import Tensor


def padded(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """The tensor that all rows fit in, or that has a given shape."""
    kinds = attribute(node, "row_partition_types", "tuple[str, ...]") or ()
    shape, values, default, *parts = counted(node, operands, 3 + len(kinds))
    count: Any = None
    levels: list[Any] = []
    for kind, part in zip(kinds, parts):
        if kind == "FIRST_DIM_SIZE":
            count = part
        elif kind == "ROW_SPLITS":
            levels.append((RaggedTensor.from_row_splits, (part,)))
            count = part[-1]
        elif kind == "VALUE_ROWIDS" and count is not None:
            levels.append((RaggedTensor.from_value_rowids, (part, count)))
            count = size(part, part.dtype)
        else:
            raise malformed(place(node), f"it has a partition of rows {kind!r}")
    sizes = static_value(shape)
    if sizes is None or not levels:
        raise malformed(place(node), "it does not say of which shape its result is")
    rows: Any = values
    for make, arguments in reversed(levels):
        rows = make(rows, *arguments, validate=False)
    wanted: Any = None if sizes.ndim == 0 else [None if n < 0 else int(n) for n in sizes]
    return {"result": [rows.to_tensor(default, node.name, wanted)]}


def counts(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """The counts of each number in each row, as a matrix."""
    splits, values, most, weights = counted(node, operands, 4)
    rows = RaggedTensor.from_row_splits(values, splits, validate=False)
    result = bincount(
        rows, heavy(weights), most, most, weights.dtype, node.name, axis=-1,
        **given(node, binary_output="bool"),
    )  # fmt: skip
    return {"output": [result]}


def sparse_counts(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """The counts of the numbers that occur in each row, as a sparse matrix."""
    splits, values, weights = counted(node, operands, 3)
    rows = RaggedTensor.from_row_splits(values, splits, validate=False)
    limits = {name: attribute(node, name, "int") for name in ("minlength", "maxlength")}
    limits = {name: limit for name, limit in limits.items() if limit is not None and limit >= 0}
    weight = heavy(weights)
    if weight is not None:
        weight = RaggedTensor.from_row_splits(weight, splits, validate=False)
    result = sparse_bincount(rows, weight, axis=-1, **limits, **given(node, binary_output="bool"))
    return {
        "output_indices": [result.indices],
        "output_values": [result.values],
        "output_dense_shape": [result.dense_shape],
    }


def heavy(weights: Tensor) -> Tensor | None:
    """Weights of counts; None where there are none, which an empty vector says."""
    return None if weights.shape.num_elements() == 0 else weights


def crosses(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """The hashes of all combinations of the values in a row of several matrices."""
    if not attribute(node, "hashed_output", "bool"):
        raise malformed(place(node), "it crosses columns to strings, not to hashes")
    columns = attribute(node, "N", "int") or 0
    indices, values, shapes = (operands[i * columns : (i + 1) * columns] for i in range(3))
    sparse = [SparseTensor(*parts) for parts in zip(indices, values, shapes)]
    result = cross_hashed(
        [*sparse, *operands[3 * columns :]], name=node.name,
        **given(node, num_buckets="int", hash_key="int"),
    )  # fmt: skip
    return {
        "output_indices": [result.indices],
        "output_values": [result.values],
        "output_shape": [result.dense_shape],
    }


ROWS: dict[str, NodeReader] = {
    "RaggedBincount": counts,
    "RaggedCountSparseOutput": sparse_counts,
    "RaggedTensorToTensor": padded,
    "SparseCross": crosses,
}
