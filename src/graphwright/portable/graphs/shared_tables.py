"""The tables of a graph by their shared names: each is made when a node first needs it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graphwright.ops.state.tables import Table
from graphwright.ops.state.variable_ops import HANDLE
from graphwright.portable.graphs.dereference import shared_name
from graphwright.portable.graphs.older_ops import NodeReader, Outputs
from graphwright.portable.restored_objects import RestoredResource
from graphwright.portable.table_import import DENSE, FIXED, MAKERS, described, table_nodes
from graphwright.proto.graph_pb2 import NodeDef
from graphwright.values.tensor import Tensor, box


class SharedTables:
    """Tables that all functions of a graph share."""

    def __init__(self) -> None:
        self.by_name: dict[str, RestoredResource] = {}

    def readers(self, is_asset: Callable[[Tensor], bool]) -> dict[str, NodeReader]:
        """What is made of nodes that make and fill tables; they read assets and no other file."""
        return {**table_nodes(is_asset), **dict.fromkeys(MAKERS - DENSE, self._handle)}

    def _handle(self, node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
        """The handle of a node's table."""
        name = shared_name(node)
        if name not in self.by_name:
            self.by_name[name] = RestoredResource()
            table = Table(*described(node, operands), is_fixed=node.op in FIXED)
            self.by_name[name].resource_handle = box(table, HANDLE)
        return {"table_handle": [self.by_name[name].resource_handle]}
