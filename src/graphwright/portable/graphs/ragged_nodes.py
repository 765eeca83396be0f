"""Nodes of TensorFlow's ops on ragged rows, in what ragged tensors are made of here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.ops.core.shapes import size
from graphwright.ops.core.static import static_value
from graphwright.portable.graphs.older_ops import NodeReader, Outputs, counted
from graphwright.portable.model_error import malformed
from graphwright.portable.node_ops import attribute, place
from graphwright.proto.graph_pb2 import NodeDef
from graphwright.ragged.construction import range as rows_of_numbers
from graphwright.ragged.ragged_gathering import gather
from graphwright.ragged.ragged_tensor import RaggedTensor
from graphwright.values.tensor import Tensor


def padded(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """Rows as a tensor, filled up."""
    kinds = attribute(node, "row_partition_types", "tuple[str, ...]") or ()
    shape, values, default, *partitions = counted(node, operands, 3 + len(kinds))
    if kinds and all(kind == "ROW_SPLITS" for kind in kinds):
        rows = RaggedTensor.from_nested_row_splits(values, partitions)
    elif kinds[:1] == ("FIRST_DIM_SIZE",) and set(kinds[1:]) == {"VALUE_ROWIDS"}:
        rows = values
        count, *levels = partitions
        counts = [count, *map(size, levels)]
        for numbers, length in reversed(list(zip(levels, counts))):
            rows = RaggedTensor.from_value_rowids(rows, numbers, length)
    else:
        raise malformed(place(node), f"it has rows of the kinds {list(kinds)}")
    dims = static_value(shape, True)
    if dims is None or (dims.ndim and None in dims.tolist()):
        raise malformed(place(node), "the shape of its result is no constant")
    sizes = [None if n < 0 else n for n in dims.tolist()] if dims.ndim else None
    return {"result": [rows.to_tensor(default, shape=sizes, name=node.name)]}


def gathered(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """Rows of ragged rows, by their numbers."""
    rank = attribute(node, "PARAMS_RAGGED_RANK", "int") or 0
    *splits, values, indices = counted(node, operands, rank + 2)
    if not splits:
        raise malformed(place(node), "it takes no rows")
    taken = gather(RaggedTensor.from_nested_row_splits(values, splits), indices)
    if not isinstance(taken, RaggedTensor):  # one row of plain numbers
        return {"output_nested_splits": [], "output_dense_values": [taken]}
    splits = list(taken.nested_row_splits)
    return {"output_nested_splits": splits, "output_dense_values": [taken.flat_values]}


def numbered(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """Rows of numbers between limits."""
    starts, limits, deltas = counted(node, operands, 3)
    kind = attribute(node, "Tsplits", "DType")
    rows = rows_of_numbers(starts, limits, deltas, row_splits_dtype=kind or "int64")
    return {"rt_nested_splits": [rows.row_splits], "rt_dense_values": [rows.values]}


def sparse(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """Rows as a sparse tensor."""
    rank = attribute(node, "RAGGED_RANK", "int") or 0
    *splits, values = counted(node, operands, rank + 1)
    if not splits:
        raise malformed(place(node), "it takes no rows")
    made: Any = RaggedTensor.from_nested_row_splits(values, splits).to_sparse()
    return {
        "sparse_indices": [made.indices],
        "sparse_values": [made.values],
        "sparse_dense_shape": [made.dense_shape],
    }


#: What is made of the nodes, by their ops.
RAGGED: dict[str, NodeReader] = {
    "RaggedGather": gathered,
    "RaggedRange": numbered,
    "RaggedTensorToSparse": sparse,
    "RaggedTensorToTensor": padded,
}
