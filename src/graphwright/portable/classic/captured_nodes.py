"""The nodes of what a graph captures from outside: arrays, and tables with what fills them."""

from __future__ import annotations

from typing import Any

from graphwright.ir.graph import Graph, Names
from graphwright.ir.tensor_proto import content_proto, tensor_proto
from graphwright.library.lookup.lookup_initializers import TextFileInitializer
from graphwright.ops.state.tables import Table
from graphwright.portable.model_graph import as_array
from graphwright.portable.model_tables import (
    const_node,
    filling_node,
    reserved_nodes,
    table_node,
)
from graphwright.portable.table_import import FILLS, FROM_FILE
from graphwright.proto.graph_pb2 import GraphDef, NodeDef
from graphwright.types import dtypes as dt
from graphwright.values.tensor import EagerTensor


class CapturedNodes:
    """Puts nodes in a message in the places of what its graph captures.

    Args:
        message: The graph as a message.
        graph: The graph.
    """

    def __init__(self, message: GraphDef, graph: Graph) -> None:
        self._message, self._names = message, Names()
        #: The nodes that fill tables.
        self.fills: list[str] = []
        cells: dict[str, Table] = {}
        places: dict[str, NodeDef] = {}
        for node in message.node:
            self._names.claim(node.name)
            if node.op == "Placeholder":
                places[node.name] = node
        for outside, value in graph.captures:
            place = places.get(value.node.name)
            if place is not None and isinstance(outside, EagerTensor):
                array: Any = outside._array
                if isinstance(array, Table):
                    keys = [self._add(node) for node in reserved_nodes(array)]
                    place.CopyFrom(table_node(array, place.name, keys))
                    cells[place.name] = array
                elif outside.dtype.is_numpy_compatible:
                    place.CopyFrom(const_node(place.name, content_proto(array, outside.dtype)))
        for node in message.node:
            if node.op in (FILLS, FROM_FILE):  # the graph itself fills a table
                self.fills.append(node.name)
                cells.pop(node.input[0], None)
        for name, cell in cells.items():
            self._fill(name, cell)

    def _add(self, node: NodeDef) -> str:
        node.name = self._names.claim(node.name)
        self._message.node.append(node)
        return node.name

    def _fill(self, name: str, cell: Table) -> None:
        """Adds what fills a table."""
        source = cell.source
        if isinstance(source, TextFileInitializer):
            path = tensor_proto(as_array(source._path.encode()), dt.string)
            content = [const_node(f"{name}/path", path)]
        else:
            keys, values = cell.export()
            content = [
                const_node(f"{name}/keys", content_proto(keys, cell.key_dtype)),
                const_node(f"{name}/values", content_proto(values, cell.value_dtype)),
            ]
        inputs = [name, *[self._add(node) for node in content]]
        self.fills.append(self._add(filling_node(cell, f"{name}/fill", inputs)))
