"""The tables of a graph by their shared names: each is made when a node first needs it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.ops.state.tables import Table
from graphwright.ops.state.variable_ops import HANDLE
from graphwright.portable.graphs.classic_variables import TensorReader
from graphwright.portable.graphs.dereference import shared_name
from graphwright.portable.graphs.older_ops import NodeReader, Outputs
from graphwright.portable.model_error import malformed
from graphwright.portable.node_ops import place
from graphwright.portable.restored_objects import RestoredResource
from graphwright.portable.table_import import (
    FIXED,
    MAKERS,
    RESERVED,
    described,
    restore_table,
    table_nodes,
)
from graphwright.proto.graph_pb2 import NodeDef
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType
from graphwright.values.tensor import Tensor, box


class SharedTables:
    """Tables that all functions of a graph share."""

    def __init__(self) -> None:
        self.by_name: dict[str, RestoredResource] = {}
        #: The keys of what files have for tables, by their shared names, and what reads them.
        self.places: dict[str, tuple[str, str]] = {}
        self.reader: TensorReader | None = None

    def readers(self, is_asset: Callable[[Tensor], bool]) -> dict[str, NodeReader]:
        """What is made of nodes that make and fill tables; they read assets and no other file."""
        return {**table_nodes(is_asset), **dict.fromkeys(MAKERS, self._handle)}

    def _handle(self, node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
        """The handle of a node's table."""
        name = shared_name(node)
        if name not in self.by_name:
            key, value, shape = described(node, operands)
            reserved = {constant_of(node, x, key): what for x, what in zip(operands, RESERVED)}
            if len(reserved) < len(operands):
                raise malformed(place(node), "the keys that may not be used are equal")
            table = Table(key, value, shape, reserved, is_fixed=node.op in FIXED)
            if name in self.places and self.reader is not None:
                keys, values = [self.reader.read(column, "") for column in self.places[name]]
                restore_table(table, keys, values, name)
            self.by_name[name] = RestoredResource()
            self.by_name[name].resource_handle = box(table, HANDLE)
        return {"table_handle": [self.by_name[name].resource_handle]}


def constant_of(node: NodeDef, tensor: Any, dtype: DType) -> Any:
    """The key that a tensor always is."""
    op = tensor.key.node.op if isinstance(tensor, SymbolicTensor) else None
    array = getattr(tensor, "_array", None) if op is None else getattr(op, "value", None)
    array = getattr(array, "array", array)
    if tensor.type != TensorType(dtype, ()) or array is None:
        raise malformed(place(node), "the keys that may not be used are no constant keys")
    return np.asarray(array).item()
