"""Graphs as TensorFlow's GraphDef: nodes by name, graphs inside graphs as functions.

The attributes of a node are the fields of its op, and those that its operands decide. The latter
are the dtype of each type variable and the length of each list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from graphwright.ir.control_edges import order_of
from graphwright.ir.equivalents import in_tensorflow
from graphwright.ir.graph import Graph, Node, Value
from graphwright.ir.tensor_proto import data_type, shape_proto, tensor_proto
from graphwright.op.op import Op, Operand
from graphwright.ops.core.creation import Literal, Placeholder
from graphwright.proto.graph_pb2 import (
    AttrValue,
    FunctionDef,
    GraphDef,
    NameAttrList,
    NodeDef,
)
from graphwright.types.dtypes import as_dtype

V = TypeVar("V")

#: Loops: their function `body` takes and returns all operands of the loop, so captures too, which
#: it does not change.
_LOOPS = frozenset({"While", "StatelessWhile"})

#: The version of GraphDef's format that is written, and the oldest reader of it.
PRODUCER, MIN_CONSUMER = 2474, 12


def graph_def(graph: Graph, add_shapes: bool = False) -> GraphDef:
    """The graph as a message; `add_shapes` adds the shapes of all outputs."""
    graph, library = in_tensorflow(graph), _Library(add_shapes)
    message = GraphDef()
    message.versions.producer = PRODUCER
    message.versions.min_consumer = MIN_CONSUMER
    names = {value: _tensor_name(value) for node in graph.nodes for value in node.outputs}
    message.node.extend(library.nodes(graph, graph.nodes, names))
    message.library.function.extend(library.functions())
    return message


def function_def(graph: Graph, name: str) -> FunctionDef:
    """A graph as a function of a library, under a name."""
    return _Library(add_shapes=False).function(name, graph, carries=False)


def node_def(graph: Graph, node: Node) -> NodeDef:
    """One node of a graph as a message."""
    names = {value: _tensor_name(value) for value in node.inputs}
    messages = _Library(add_shapes=False).nodes(graph, [node], names)
    return {message.name: message for message in messages}[node.name]


def _tensor_name(value: Value) -> str:
    return value.node.name if value.index == 0 else value.name


class _Library:
    """The functions that the nodes written so far refer to."""

    def __init__(self, add_shapes: bool) -> None:
        self.add_shapes = add_shapes
        self._names: dict[tuple[int, bool], str] = {}
        self._pending: list[tuple[str, Graph, bool]] = []

    def reference(self, graph: Graph, carries: bool = False) -> str:
        """The name of a graph's function, which will be written.

        With `carries`, the function returns the values of its captures after its results.
        """
        name = self._names.get((graph.id, carries))
        if name is None:
            prefix = "" if graph.is_body else "__inference_"
            name = f"{prefix}{graph.name}_{len(self._names)}"
            self._names[graph.id, carries] = name
            self._pending.append((name, graph, carries))
        return name

    def functions(self) -> Iterator[FunctionDef]:
        """All functions that nodes refer to, those in functions included."""
        while self._pending:
            yield self.function(*self._pending.pop())

    def nodes(self, graph: Graph, nodes: Iterable[Node], names: dict[Value, str]) -> list[NodeDef]:
        """The nodes as messages, and one more that waits for all effects, if there are any."""
        order = order_of(graph)
        messages = []
        for node in [*nodes, order.barrier] if order.barrier else nodes:
            message = self.node(node, names)
            message.input.extend(sorted("^" + n.name for n in order.before.get(node, ())))
            messages.append(message)
        return messages

    def node(self, node: Node, names: dict[Value, str]) -> NodeDef:
        """A node without its control inputs."""
        message = NodeDef(name=node.name, op=node.op.type_name)
        message.input.extend(names[value] for value in node.inputs)
        for name, value in self.attributes(node).items():
            message.attr[name].CopyFrom(value)
        if isinstance(node.op, Placeholder):
            message.attr["_user_specified_name"].s = node.name.encode()
        return message

    def attributes(self, node: Node) -> dict[str, AttrValue]:
        """The attributes of a node by name."""
        messages = operand_attributes(node)
        hints = node.op.private
        for field, kind in node.op.fields.items():
            name = "_" + field if field in hints else field
            value = getattr(node.op, field)
            if isinstance(value, Graph):
                carries = node.op.type_name in _LOOPS and field == "body"
                messages[name] = AttrValue(func=NameAttrList(name=self.reference(value, carries)))
            elif (attribute := self.attribute(kind, value, node.op)) is not None:
                messages[name] = attribute
        if self.add_shapes:
            shapes = [shape_proto(value.type.dims) for value in node.outputs]
            messages["_output_shapes"] = AttrValue(list=AttrValue.ListValue(shape=shapes))
        return messages

    def attribute(self, kind: str, value: Any, op: Op) -> AttrValue | None:
        """A field of an op as an attribute; None for one that is not set."""
        if value is None and kind != "Dims | None":  # no dims are a shape of unknown rank
            return None
        if kind.startswith("tuple["):
            entries = kind.removeprefix("tuple[").removesuffix(", ...]")
            field, entry = self._writer(entries, op)
            return AttrValue(list=AttrValue.ListValue(**{field: [entry(v) for v in value]}))
        field, entry = self._writer(kind.removesuffix(" | None"), op)
        return AttrValue(**{field: entry(value)})

    def _writer(self, kind: str, op: Op) -> tuple[str, Callable[[Any], Any]]:
        """The field of AttrValue for a kind of value, and the function that writes it."""
        writers: dict[str, tuple[str, Callable[[Any], Any]]] = {
            "bool": ("b", bool),
            "int": ("i", int),
            "float": ("f", float),
            "str": ("s", str.encode),
            "bytes": ("s", bytes),
            "DType": ("type", data_type),
            "Dims": ("shape", shape_proto),
            "Literal": ("tensor", _literal_proto),
            "Graph": ("func", lambda graph: {"name": self.reference(graph)}),
        }
        if kind not in writers:
            raise TypeError(f"an attribute of {op} is of type {kind}, which no GraphDef can hold")
        return writers[kind]

    def function(self, name: str, graph: Graph, carries: bool) -> FunctionDef:
        """A graph as a function of its arguments."""
        graph, message = in_tensorflow(graph), FunctionDef()
        message.signature.name = name
        message.signature.is_stateful = graph.is_stateful
        placeholders = {value.node for value in graph.arguments}
        body = [node for node in graph.nodes if node not in placeholders]
        taken = {node.name for node in body}
        names = {v: f"{v.node.name}:{_output_entry(v)}" for n in body for v in n.outputs}
        for position, value in enumerate(graph.arguments):
            names[value] = _unused(_argument_name(value), taken)
            taken.add(names[value])
            message.signature.input_arg.add(name=names[value], type=data_type(value.type.dtype))
            specified = message.arg_attr[position].attr["_user_specified_name"]
            specified.s = value.node.name.encode()
        message.node_def.extend(self.nodes(graph, body, names))
        carried = [value for _, value in graph.captures] if carries else []
        for value in [*graph.results, *carried]:
            result = _unused(_argument_name(value), taken)
            taken.add(result)
            message.signature.output_arg.add(name=result, type=data_type(value.type.dtype))
            message.ret[result] = names[value]
        for node in order_of(graph).effects:
            message.signature.control_output.append(node.name)
            message.control_ret[node.name] = node.name
        return message


def operand_attributes(node: Node) -> dict[str, AttrValue]:
    """The attributes that the operands and results decide: dtypes, lists of them, counts."""
    op = node.op
    attributes: dict[str, AttrValue] = {}
    fields = set(op.fields)
    for operands, values in ((op.operands, node.inputs), (op.results, node.outputs)):
        for operand, group in grouped(operands, values):
            name, types = operand.dtype, [data_type(value.type.dtype) for value in group]
            if operand.variadic and values is node.inputs:
                attributes["N"] = AttrValue(i=len(group))
            if name in fields or (name not in op.dtypes and is_dtype(name)):
                continue
            if operand.mixed:
                attributes.setdefault(name, AttrValue(list=AttrValue.ListValue(type=types)))
            elif types:
                attributes.setdefault(name, AttrValue(type=types[0]))
    return attributes


def grouped(
    operands: tuple[Operand, ...], values: tuple[V, ...]
) -> Iterable[tuple[Operand, tuple[V, ...]]]:
    """Each declared operand with the values that it takes; all lists have one length."""
    position = 0
    lists = sum(operand.variadic or operand.mixed for operand in operands)
    length = (len(values) - len(operands) + lists) // max(lists, 1)
    for operand in operands:
        count = length if operand.variadic or operand.mixed else 1
        yield operand, values[position : position + count]
        position += count


def is_dtype(name: str) -> bool:
    """Whether a declared dtype is a fixed one and not a variable."""
    try:
        as_dtype(name)
    except TypeError:
        return False
    return True


def _literal_proto(literal: Literal) -> Any:
    return tensor_proto(literal.array, literal.type.dtype)


def attribute_value(value: AttrValue) -> Any:
    """An attribute as a plain value: dtypes as DTypes, the rest as the message has it."""
    field = value.WhichOneof("value")
    if field == "type":
        return as_dtype(value.type)
    if field != "list":
        return getattr(value, field) if field else None
    for descriptor, entries in value.list.ListFields():
        types = descriptor.name == "type"
        return [as_dtype(entry) if types else entry for entry in entries]
    return []


def _output_entry(value: Value) -> str:
    """The name of an output in a function's node: the operand's name and the place in its list."""
    for operand, group in grouped(value.node.op.results, value.node.outputs):
        for place, member in enumerate(group):
            if member is value:
                return f"{operand.name}:{place}"
    raise LookupError(f"{value!r} is no result that {value.node.op} declares")


def _argument_name(value: Value) -> str:
    """A name for a signature of a function: lower case letters, digits and underscores."""
    name = re.sub(r"[^a-z0-9_]", "_", value.node.name.lower())
    return name if name[:1].isalpha() else "arg_" + name.lstrip("_")


def _unused(name: str, taken: set[str]) -> str:
    """`name`, numbered if it is taken."""
    candidate, number = name, 0
    while candidate in taken:
        number += 1
        candidate = f"{name}_{number}"
    return candidate
