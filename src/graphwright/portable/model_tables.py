"""The tables that a model is saved with: functions that make and fill them."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import Any

from graphwright.ir.graphdef import FunctionLibrary
from graphwright.ir.tensor_proto import data_type, shape_proto, tensor_proto
from graphwright.library.lookup.lookup import LookupTable
from graphwright.library.lookup.lookup_initializers import TextFileInitializer
from graphwright.ops.state.tables import Table
from graphwright.portable.restored_objects import RestoredResource
from graphwright.portable.structured_values import encode
from graphwright.portable.table_import import FROM_FILE
from graphwright.proto.graph_pb2 import FunctionDef, NodeDef
from graphwright.proto.saved_model_pb2 import SavedConcreteFunction
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType

#: What is a table.
TABLES = (LookupTable, RestoredResource)
#: The functions of a table by the names that its object holds them under.
CREATE, FILL, DESTROY = "_create_resource", "_initialize", "_destroy_resource"


def cell_of(table: LookupTable | RestoredResource) -> Table:
    """The table behind an object."""
    assert table.resource_handle is not None
    cell: Table = table.resource_handle._array
    return cell


def maker_of(cell: Table) -> str:
    """The op that makes such a table in TensorFlow."""
    if cell.reserved:
        return "MutableDenseHashTableV2"
    if cell.value_shape:
        return "MutableHashTableOfTensorsV2"
    return "HashTableV2" if cell.is_fixed else "MutableHashTableV2"


def table_node(cell: Table, name: str, reserved: Sequence[str] = ()) -> NodeDef:
    """The node that makes a table, of nodes of the keys that may not be used."""
    node = NodeDef(name=name, op=maker_of(cell), input=reserved)
    node.attr["key_dtype"].type = data_type(cell.key_dtype)
    node.attr["value_dtype"].type = data_type(cell.value_dtype)
    node.attr["shared_name"].s = f"table_{uuid.uuid4()}".encode()
    if cell.value_shape:
        node.attr["value_shape"].shape.CopyFrom(shape_proto(cell.value_shape))
    return node


def reserved_nodes(cell: Table) -> list[NodeDef]:
    """The nodes of the keys that may not be used."""
    dtype = cell.key_dtype
    return [
        const_node(name, tensor_proto(dtype.numpy_dtype.type(key), dtype))
        for key, name in cell.reserved.items()
    ]


def filling_node(cell: Table, name: str, inputs: Sequence[str]) -> NodeDef:
    """The node that fills a table, from a file where a file has filled it."""
    source = cell.source
    if isinstance(source, TextFileInitializer):
        node = NodeDef(name=name, op=FROM_FILE, input=inputs)
        node.attr["key_index"].i, node.attr["value_index"].i = source._columns
        node.attr["vocab_size"].i = -1 if source._count is None else source._count
        node.attr["delimiter"].s = source._delimiter
        node.attr["offset"].i = source._offset
        return node
    op = "LookupTableInsertV2" if cell.reserved else "LookupTableImportV2"
    node = NodeDef(name=name, op=op, input=inputs)
    node.attr["Tin"].type = data_type(cell.key_dtype)
    node.attr["Tout"].type = data_type(cell.value_dtype)
    return node


class TableFunctions:
    """The functions that make, fill and end one table, with the numbers of what they capture.

    `constant` gives the number of an array of a dtype, `asset` that of a file.
    """

    def __init__(
        self,
        table: LookupTable | RestoredResource,
        number: int,
        library: FunctionLibrary,
        constant: Callable[[Array, DType], int],
        asset: Callable[[str], int],
    ) -> None:
        self._cell = cell_of(table)
        self._names = {
            role: library.claim(f"__inference_{role}_{number}")
            for role in ("_creator", "_initializer", "_destroyer")
        }
        source = self._cell.source
        arguments: list[tuple[str, DType]] = []
        if not self._cell.is_filled:
            self._bound = [number]
        elif not isinstance(source, TextFileInitializer):
            keys, values = self._cell.export()
            columns = [(keys, self._cell.key_dtype), (values, self._cell.value_dtype)]
            self._bound = [number, *[constant(*column) for column in columns]]
            arguments = [("keys", self._cell.key_dtype), ("values", self._cell.value_dtype)]
        else:
            self._bound = [number, asset(source._path)]
            arguments = [("filename", dt.string)]
        self.definitions = [self._creator(), self._filler(arguments), self._destroyer()]
        self.by_name = dict(zip((CREATE, FILL, DESTROY), self._names.values()))

    def messages(self) -> dict[str, SavedConcreteFunction]:
        """What is saved of each function as a trace."""
        create, fill, destroy = self._names.values()
        message = SavedConcreteFunction()
        message.canonicalized_input_signature.CopyFrom(encode(((), {})))
        message.output_signature.CopyFrom(encode(None))
        made, filled, ended = [SavedConcreteFunction() for _ in range(3)]
        for one in (made, filled, ended):
            one.CopyFrom(message)
        filled.bound_inputs.extend(self._bound)
        for one, dtype in ((made, dt.resource), (filled, dt.int32), (ended, dt.int32)):
            spec = one.output_signature.tensor_spec_value
            spec.dtype, spec.name = data_type(dtype), "unknown"
            spec.shape.SetInParent()
        return {create: made, fill: filled, destroy: ended}

    def _creator(self) -> FunctionDef:
        reserved = reserved_nodes(self._cell)
        node = table_node(self._cell, "table", [f"{one.name}:output:0" for one in reserved])
        result = "table:table_handle:0", dt.resource
        return function(self._names["_creator"], [], [*reserved, node], result, "table")

    def _filler(self, content: Sequence[tuple[str, DType]]) -> FunctionDef:
        arguments = [("table", dt.resource), *content]
        if not content:  # nothing has filled it
            return function(self._names["_initializer"], arguments, [zero()], ZERO)
        node = filling_node(self._cell, "fill", [name for name, _ in arguments])
        return function(self._names["_initializer"], arguments, [node, zero()], ZERO, "fill")

    def _destroyer(self) -> FunctionDef:
        return function(self._names["_destroyer"], [], [zero()], ZERO)


#: The result of functions that return nothing.
ZERO = ("zero:output:0", dt.int32)


def zero() -> NodeDef:
    """The node of the constant 0."""
    return const_node("zero", tensor_proto(dt.int32.numpy_dtype.type(0), dt.int32))


def const_node(name: str, proto: Any) -> NodeDef:
    """The node of a constant."""
    node = NodeDef(name=name, op="Const")
    node.attr["dtype"].type = proto.dtype
    node.attr["value"].tensor.CopyFrom(proto)
    return node


def function(
    name: str,
    arguments: Sequence[tuple[str, DType]],
    nodes: Sequence[NodeDef],
    result: tuple[str, DType],
    effect: str = "",
) -> FunctionDef:
    """A function of one result, which waits for a node with an effect."""
    message = FunctionDef()
    message.signature.name = name
    for argument, dtype in arguments:
        message.signature.input_arg.add(name=argument, type=data_type(dtype))
    message.node_def.extend(nodes)
    source, dtype = result
    identity = message.node_def.add(name="result", op="Identity", input=[source])
    identity.attr["T"].type = data_type(dtype)
    message.signature.output_arg.add(name="identity", type=data_type(dtype))
    message.ret["identity"] = "result:output:0"
    if effect:
        identity.input.append(f"^{effect}")
        message.signature.is_stateful = True
        message.signature.control_output.append(effect)
        message.control_ret[effect] = effect
    return message
