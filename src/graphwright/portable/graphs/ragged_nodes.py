"""Nodes of TensorFlow's ops on ragged rows and crosses of columns, in functions of such tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.ops.core.shapes import size
from graphwright.ops.core.static import static_value
from graphwright.portable.graphs.older_ops import NodeReader, Outputs, counted, given
from graphwright.portable.model_error import malformed
from graphwright.portable.node_ops import attribute, place
from graphwright.proto.graph_pb2 import NodeDef
from graphwright.ragged.construction import range as rows_of_numbers
from graphwright.ragged.ragged_functions import bincount, sparse_bincount
from graphwright.ragged.ragged_gathering import gather
from graphwright.ragged.ragged_tensor import RaggedTensor
from graphwright.values.sparse.sparse_crossing import cross_hashed
from graphwright.values.sparse.sparse_tensor import SparseTensor
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


def counts(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """The counts of each number in each row, as a matrix."""
    splits, values, most, weights = counted(node, operands, 4)
    rows = RaggedTensor.from_row_splits(values, splits)
    result = bincount(
        rows, heavy(weights), most, most, weights.dtype, node.name, axis=-1,
        **given(node, binary_output="bool"),
    )  # fmt: skip
    return {"output": [result]}


def sparse_counts(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """The counts of the numbers that occur in each row, as a sparse matrix."""
    splits, values, weights = counted(node, operands, 3)
    rows = RaggedTensor.from_row_splits(values, splits)
    limits = {name: attribute(node, name, "int") for name in ("minlength", "maxlength")}
    limits = {name: limit for name, limit in limits.items() if limit is not None and limit >= 0}
    weight = heavy(weights)
    if weight is not None:
        weight = RaggedTensor.from_row_splits(weight, splits)
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


#: What is made of the nodes, by their ops.
READERS: dict[str, NodeReader] = {
    "RaggedBincount": counts,
    "RaggedCountSparseOutput": sparse_counts,
    "RaggedGather": gathered,
    "RaggedRange": numbered,
    "RaggedTensorToSparse": sparse,
    "RaggedTensorToTensor": padded,
    "SparseCross": crosses,
}
