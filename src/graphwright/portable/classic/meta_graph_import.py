"""The file of a graph of TensorFlow 1 (`.meta`), read into the graph that is open.

Its nodes are imported, but for those that save and restore, and those of ops that are not here: a
program that wants a result needs nothing of what trained it. What the nodes that restore say
remains: which tensor of a checkpoint is which variable.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

from google.protobuf.message import DecodeError

from graphwright.control.graph_variable import GLOBAL as GLOBAL_VARIABLES
from graphwright.control.graph_variable import LOCAL, TRAINABLE, GraphVariable
from graphwright.ir.operation import Operation
from graphwright.portable.classic.figures.summary_ops import SUMMARY_OPS, summary_node
from graphwright.portable.classic.saved_parts import SavedPart
from graphwright.portable.function_body import ANY, Source, called_by
from graphwright.portable.function_import import AssetFile
from graphwright.portable.graphs.classic_variables import (
    MAKERS,
    RestoredPlaces,
    TensorReader,
)
from graphwright.portable.graphs.dereference import REFERRING, shared_name
from graphwright.portable.graphs.graph_body import GraphNodes, TensorName, tensor_name
from graphwright.portable.graphs.graph_import import (
    PLACEHOLDERS,
    GraphImport,
    nodes_of_graphs,
    tensor,
)
from graphwright.portable.graphs.shared_tables import SharedTables
from graphwright.portable.model_error import malformed
from graphwright.portable.node_ops import is_known, reach
from graphwright.portable.restored_objects import Asset
from graphwright.portable.saved_model import bytes_of
from graphwright.portable.table_import import FROM_FILE
from graphwright.proto.graph_pb2 import GraphDef, NodeDef
from graphwright.proto.saved_model_pb2 import CollectionDef, MetaGraphDef, VariableDef
from graphwright.trace.scopes import name_scope
from graphwright.trace.tracer import Tracer
from graphwright.values.tensor import Tensor

#: Ops of savers, which read and write files.
_SAVING = frozenset(
    {"MergeV2Checkpoints", "Restore", "RestoreSlice", "RestoreV2", "Save", "SaveSlices", "SaveV2",
     "ShardedFilename"}
)  # fmt: skip
#: Collections whose items are variables.
_VARIABLES = frozenset(
    {GLOBAL_VARIABLES, TRAINABLE, LOCAL, "global_step", "metric_variables", "model_variables",
     "moving_average_variables", "trainable_resource_variables"}
)  # fmt: skip
#: Collections of what is not there: programs do not read them.
_LEFT_OUT = frozenset({"cond_context", "while_context", "queue_runners", "savers"})


class MetaGraphImport:
    """The nodes of a message in the graph that is open, and what is listed there."""

    def __init__(
        self,
        message: MetaGraphDef,
        tracer: Tracer,
        scope: str,
        given: Mapping[TensorName, Tensor],
        assets: Mapping[TensorName, Asset] | None = None,
        reader: TensorReader | None = None,
    ) -> None:
        """Adds the nodes; `assets` are the files that tables may read, by what names them, and
        `reader` reads what tables held."""
        self._message, self._tracer, self._assets = message, tracer, assets or {}
        self._nodes = GraphNodes("the graph", message.graph_def.node)
        self._functions = {f.signature.name: f for f in message.graph_def.library.function}
        summaries = {op.message_name: summary_node for op in SUMMARY_OPS}
        restore = message.saver_def.restore_op_name
        self._restored = RestoredPlaces(self._nodes, restore, self._functions)
        tables = SharedTables()
        tables.reader, tables.places = reader, self._restored.tables
        self._special = {**tables.readers(self._is_asset), **summaries}
        rest = self._nodes.without(self._blocked(scope))
        part = GraphDef(node=rest, library=message.graph_def.library)
        readers = {**self._special, **nodes_of_graphs(tracer.graph)}
        self._importer = GraphImport(part, readers)
        for asset in self._assets.values():
            self._importer.note(asset.outside, AssetFile(asset._path))
        given = {**given, **{name: asset.outside for name, asset in self._assets.items()}}
        self._importer.refuse([node for node in rest if node.op not in readers])
        with name_scope(scope) if scope else nullcontext():
            self._body, self._values = self._importer.add_all(given)
        self._variables = {n.name: v for n in rest if (v := self._made(n.name, n.op)) is not None}

    def _blocked(self, scope: str) -> dict[str, str]:
        """The nodes that cannot be imported; the graph learns why, and who needs them."""
        readers = {
            *GraphImport(GraphDef()).special, *REFERRING, *PLACEHOLDERS, *MAKERS, *self._special
        }  # fmt: skip
        reasons: dict[str, str] = {}
        for name, node in self._nodes.nodes.items():
            if node.op in _SAVING or self._saves(node):
                reasons[name] = f"{node.op} is what a saver does: call its `save` or `restore`"
            elif node.op == FROM_FILE and not self._reads_asset(name):
                reasons[name] = f"the node {name!r} ({node.op}) reads a file that is no asset"
            elif node.op in readers:
                continue
            elif not is_known(node.op):
                reasons[name] = f"graphwright has no op {node.op}, which the node {name!r} needs"
            elif (words := reach(node)) is not None:
                reasons[name] = f"the node {name!r} ({node.op}) {words}"
        prefix = f"{scope}/" if scope else ""
        self._left_out = self._nodes.dependents(reasons)
        for name, first in self._left_out.items():
            self._tracer.graph.left_out[prefix + name] = reasons[first]
        return reasons

    def _saves(self, node: NodeDef) -> bool:
        """Whether a node calls a function that does what a saver does."""
        called = [f for f in called_by(node) if f in self._functions]
        return any(n.op in _SAVING for f in called for n in self._functions[f].node_def)

    def _reads_asset(self, name: str) -> bool:
        """Whether the file that a node fills a table from is one of those that it may read."""
        return any(TensorName(s.node, s.place) in self._assets for s in self._nodes.inputs[name])

    def _is_asset(self, tensor: Tensor) -> bool:
        return isinstance(self._importer.behind(tensor), AssetFile)

    def _made(self, name: str, op: str) -> GraphVariable | None:
        """The variable that a node makes, or None for other nodes, and such that were replaced."""
        node = self._importer.made.get(name) if op in MAKERS else None
        made = None if node is None else self._tracer.graph.handles.get(node.outputs[0])
        return made if isinstance(made, GraphVariable) else None

    def saved(self) -> list[SavedPart]:
        """The variables that the saver of the message saves."""
        places = self._restored.places
        parts: dict[tuple[str, str], SavedPart] = {}
        for name, variable in self._variables.items():
            place = places.get(shared_name(self._nodes.nodes[name]))
            if place is not None:
                parts[place] = SavedPart(*place, variable)
        return list(parts.values())

    def operation(self, name: str) -> Operation:
        """The operation that a node became."""
        node = self._importer.made.get(name)
        if node is None:
            why = self._tracer.graph.left_out.get(name, "the graph has it not")
            raise malformed(f"the node {name!r}", why)
        return Operation(node, self._tracer.graph)

    def add_collections(self) -> None:
        """Lists in the graph what the message lists."""
        collections = self._message.collection_def
        for key in sorted(collections):
            if key not in _LEFT_OUT:
                self._tracer.graph.get_collection_ref(key).extend(
                    self._items(key, collections[key])
                )

    def _items(self, key: str, content: CollectionDef) -> list[Any]:
        kind = content.WhichOneof("kind")
        if kind == "node_list":
            elements = [self._element(name, key) for name in content.node_list.value]
            return [element for element in elements if element is not None]
        if kind == "bytes_list" and key in _VARIABLES:
            return [self._variable(value, key) for value in content.bytes_list.value]
        return [] if kind in (None, "any_list") else list(getattr(content, kind).value)

    def _element(self, text: str, key: str) -> Operation | Tensor | None:
        """What a name names; None for what is inside a branch or a loop, or was left out."""
        name = tensor_name(text)
        if name is None or name.node not in self._nodes.nodes:
            raise malformed(f"the collection {key!r}", f"the graph has no {text!r}")
        if name.node not in self._values:
            return None
        if ":" in text:
            made: Tensor = tensor(
                self._importer, self._body, self._values, Source(name.node, ANY, name.place)
            )
            return made
        node = self._importer.made.get(name.node)
        return None if node is None else Operation(node, self._tracer.graph)

    def _variable(self, content: bytes, key: str) -> GraphVariable:
        """The variable that a collection describes."""
        where = f"the collection {key!r}"
        try:
            described = VariableDef.FromString(content)
        except DecodeError as error:
            raise malformed(where, str(error)) from None
        name = described.variable_name.partition(":")[0]
        variable = self._variables.get(name)
        if variable is None:
            raise malformed(where, f"the graph has no variable {described.variable_name!r}")
        initializer = self._element(described.initializer_name, key)
        if isinstance(initializer, Operation):
            variable._initializer = initializer
        elif described.initializer_name not in self._left_out:  # else a checkpoint has the value
            raise malformed(where, f"nothing initializes {described.variable_name!r}")
        variable._trainable = described.trainable or key == TRAINABLE
        if described.initial_value_name:
            variable._initial_value = self._element(described.initial_value_name, key)
        snapshot = self._element(described.snapshot_name, key)
        if isinstance(snapshot, Tensor):
            variable._snapshot = snapshot
        return variable


def as_meta_graph(source: object) -> MetaGraphDef:
    """A message, of ours or of TensorFlow, or that of a file.

    Raises:
        OSError: There is no such file, or it has no such message.
        TypeError: It is neither a message nor a path.
    """
    if isinstance(source, MetaGraphDef):
        return source
    if getattr(getattr(source, "DESCRIPTOR", None), "name", "") == "MetaGraphDef":
        return MetaGraphDef.FromString(source.SerializeToString())  # type: ignore[attr-defined]
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"a graph is read from a path or a message, not from {source!r}")
    path = os.fspath(source)
    if not os.path.isfile(path):
        raise OSError(f"File does not exist. Received: {path}.")
    with open(path, "rb") as file:
        content = file.read()
    try:
        return MetaGraphDef.FromString(content)
    except DecodeError:
        try:
            return MetaGraphDef.FromString(bytes_of(content, MetaGraphDef()))
        except (DecodeError, ValueError) as error:
            raise OSError(f"Cannot parse file {path}: {error}.") from None
