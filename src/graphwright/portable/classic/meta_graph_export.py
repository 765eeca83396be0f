"""The file of a graph of TensorFlow 1 (`.meta`): its nodes, its collections, and its saver.

TensorFlow restores a checkpoint by nodes of the graph, which are added to the message alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from graphwright.base.files import write_whole
from graphwright.control.graph_variable import GraphVariable
from graphwright.ir.graph import Graph, Names
from graphwright.ir.operation import Operation
from graphwright.ir.tensor_proto import data_type, tensor_proto
from graphwright.ops.io.file_system import system_errors
from graphwright.portable.classic.captured_nodes import CapturedNodes
from graphwright.portable.classic.graph_collections import GraphKeys
from graphwright.portable.classic.saved_parts import SavedPart
from graphwright.portable.model_graph import as_array, strings
from graphwright.portable.model_saving import TENSORFLOW
from graphwright.portable.model_tables import const_node
from graphwright.proto.graph_pb2 import GraphDef, NodeDef
from graphwright.proto.saved_model_pb2 import CollectionDef, MetaGraphDef, SaverDef, VariableDef
from graphwright.types import dtypes as dt
from graphwright.values.tensor import Tensor

#: The collection of what fills tables.
TABLE_INITIALIZERS = GraphKeys.TABLE_INITIALIZERS


def meta_graph(graph: Graph, keys: Iterable[Any] | None = None) -> MetaGraphDef:
    """A graph as a message, with some of its collections, or all that a message can hold."""
    message = MetaGraphDef()
    message.meta_info_def.tensorflow_version = TENSORFLOW
    for key in graph.collections if keys is None else keys:
        items = graph.get_collection(key)
        content = collection(items) if isinstance(key, str) else None
        if content is not None:
            message.collection_def[key].CopyFrom(content)
    message.graph_def.CopyFrom(graph.as_graph_def())
    fills = CapturedNodes(message.graph_def, graph).fills
    if fills:
        message.collection_def[TABLE_INITIALIZERS].node_list.value[:] = fills
    return message


def collection(items: list[Any]) -> CollectionDef | None:
    """What a graph lists under a name, or None where it is of several kinds, or of another one."""
    content = CollectionDef()
    if items and all(isinstance(item, GraphVariable) for item in items):
        content.bytes_list.value.extend([variable(v).SerializeToString() for v in items])
    elif items and all(isinstance(item, (Tensor, Operation)) for item in items):
        content.node_list.value.extend([item.name for item in items])
    elif items and all(isinstance(item, (str, bytes)) for item in items):
        content.bytes_list.value.extend([as_bytes(item) for item in items])
    elif items and all(isinstance(item, (int, np.integer)) for item in items):
        content.int64_list.value.extend([int(item) for item in items])
    elif items and all(isinstance(item, float) for item in items):
        content.float_list.value.extend(items)
    else:
        return None
    return content


def as_bytes(item: str | bytes) -> bytes:
    """A text as bytes."""
    return item.encode() if isinstance(item, str) else item


def variable(v: GraphVariable) -> VariableDef:
    """A variable by the names of what stands for it."""
    return VariableDef(
        variable_name=f"{v.op.name}:0",
        initializer_name=v.initializer.name,
        initial_value_name=v.initial_value.name,
        snapshot_name=v.snapshot.name,
        is_resource=True,
        trainable=v.trainable,
    )


def exported(
    message: MetaGraphDef, path: str | None, as_text: bool, clear_devices: bool
) -> MetaGraphDef:
    """A message as programs ask for it: without devices or with them, in a file or not."""
    for node in message.graph_def.node if clear_devices else ():
        node.device = ""
    if path is not None:
        write(message, path, as_text)
    return message


def write(message: MetaGraphDef, path: str, as_text: bool = False) -> None:
    """Writes a message to a file, whose directory is made where it is missing."""
    if as_text:
        from google.protobuf import text_format  # few files are text

        content = text_format.MessageToString(message).encode()
    else:
        content = message.SerializeToString(deterministic=True)
    with system_errors(path):
        write_whole(path, content)


def add_saver(message: MetaGraphDef, parts: Sequence[SavedPart], limit: int) -> None:
    """Adds the nodes that save and restore variables to a message, and names them in it."""
    SaverNodes(message.graph_def).add(message.saver_def, parts)
    message.saver_def.max_to_keep = limit
    message.saver_def.keep_checkpoint_every_n_hours = 10000.0
    message.saver_def.version = SaverDef.V2


class SaverNodes:
    """The nodes of a saver, under names that a graph does not have yet."""

    def __init__(self, graph: GraphDef) -> None:
        self._graph, self._names = graph, Names()
        for node in graph.node:
            self._names.claim(node.name)
        self._scope = self._names.claim("save")

    def _add(self, node: NodeDef) -> str:
        node.name = self._names.claim(f"{self._scope}/{node.name}")
        self._graph.node.append(node)
        return node.name

    def add(self, message: SaverDef, parts: Sequence[SavedPart]) -> None:
        """Adds the nodes, and names those that a program runs."""
        text = tensor_proto(as_array(b"model"), dt.string)
        node = NodeDef(name="Const", op="PlaceholderWithDefault")
        node.input.append(self._add(const_node("filename/input", text)))
        node.attr["dtype"].type = data_type(dt.string)
        node.attr["shape"].shape.SetInParent()
        prefix = self._add(node)
        keys = self._add(strings("tensor_names", [part.key for part in parts]))
        places = self._add(strings("shape_and_slices", [part.part for part in parts]))
        dtypes = [data_type(part.variable.dtype) for part in parts]
        handles = [part.variable.op.name for part in parts]
        values = []
        for handle, dtype in zip(handles, dtypes):
            read = NodeDef(name="ReadVariableOp", op="ReadVariableOp", input=[handle])
            read.attr["dtype"].type = dtype
            values.append(self._add(read))
        save = NodeDef(name="SaveV2", op="SaveV2", input=[prefix, keys, places, *values])
        restore = NodeDef(name="RestoreV2", op="RestoreV2", input=[prefix, keys, places])
        for node in (save, restore):
            node.attr["dtypes"].list.type.extend(dtypes)
        done = NodeDef(name="control_dependency", op="Identity")
        done.input.extend([prefix, f"^{self._add(save)}"])
        done.attr["T"].type = data_type(dt.string)
        done.attr["_class"].list.s.append(f"loc:@{prefix}".encode())
        message.filename_tensor_name = f"{prefix}:0"
        message.save_tensor_name = f"{self._add(done)}:0"
        message.restore_op_name = self._restoring(self._add(restore), handles, dtypes)

    def _restoring(self, source: str, handles: Sequence[str], dtypes: Sequence[Any]) -> str:
        """The node that runs all assignments of what is read."""
        waits = []
        for place, (handle, dtype) in enumerate(zip(handles, dtypes)):
            passed = NodeDef(name="Identity", op="Identity", input=[f"{source}:{place}"])
            passed.attr["T"].type = dtype
            assign = NodeDef(name="Assign", op="AssignVariableOp")
            assign.input.extend([handle, self._add(passed)])
            assign.attr["dtype"].type = dtype
            waits.append(f"^{self._add(assign)}")
        return self._add(NodeDef(name="restore_all", op="NoOp", input=waits))
