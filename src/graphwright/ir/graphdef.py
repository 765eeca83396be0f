"""Graphs as TensorFlow's GraphDef: nodes by name, graphs inside graphs as functions.

The attributes of a node are the fields of its op, and those that its operands decide. The latter
are the dtype of each type variable and the length of each list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

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
from graphwright.types.dtypes import DType, as_dtype, int32, resource
from graphwright.types.tensor_type import TensorType

V = TypeVar("V")


class TypedValue(Protocol):
    """A value of a graph, or a tensor that stands for one."""

    @property
    def type(self) -> TensorType: ...


#: Loops: their function `body` takes and returns all operands of the loop, so captures too, which
#: it does not change.
_LOOPS = frozenset({"While", "StatelessWhile"})

#: The version of GraphDef's format that is written, and the oldest reader of it.
PRODUCER, MIN_CONSUMER = 2474, 12


def graph_def(graph: Graph, add_shapes: bool = False) -> GraphDef:
    """The graph as a message; `add_shapes` adds the shapes of all outputs.

    Attributes that no message can hold, as those of datasets, are words in it. So a training
    program can write its graph, and whoever imports what needs them gets an error.
    """
    graph, library = in_tensorflow(graph), FunctionLibrary(add_shapes, describes=True)
    message = versioned()
    names = {value: _tensor_name(value) for node in graph.nodes for value in node.outputs}
    message.node.extend(library.nodes(graph, graph.nodes, names))
    message.library.function.extend(library.functions())
    return message


def versioned() -> GraphDef:
    """A graph without nodes, with the versions of its format."""
    message = GraphDef()
    message.versions.producer = PRODUCER
    message.versions.min_consumer = MIN_CONSUMER
    return message


def function_def(graph: Graph, name: str) -> FunctionDef:
    """A graph as a function of a library, under a name."""
    return FunctionLibrary(add_shapes=False).function(name, graph)


def node_def(graph: Graph, node: Node) -> NodeDef:
    """One node of a graph as a message."""
    names = {value: _tensor_name(value) for value in node.inputs}
    messages = FunctionLibrary(add_shapes=False).nodes(graph, [node], names)
    return {message.name: message for message in messages}[node.name]


def element_attributes(types: Sequence[TensorType]) -> dict[str, AttrValue]:
    """The attributes that say of which dtypes and shapes the elements of an iterator are."""
    dtypes = AttrValue.ListValue(type=[data_type(type_.dtype) for type_ in types])
    shapes = AttrValue.ListValue(shape=[shape_proto(type_.dims) for type_ in types])
    return {"output_types": AttrValue(list=dtypes), "output_shapes": AttrValue(list=shapes)}


def _tensor_name(value: Value) -> str:
    return value.node.name if value.index == 0 else value.name


class FunctionLibrary:
    """The functions that the nodes written so far refer to.

    With `add_shapes`, messages have the shapes of outputs and arguments, and the types of what is
    behind handles. With `counted`, loops have two variables more in front: the number of turns and
    its limit, which TensorFlow's gradient of a loop takes. With `describes`, attributes that no
    message can hold are words.
    """

    def __init__(self, add_shapes: bool, counted: bool = False, describes: bool = False) -> None:
        self.add_shapes = add_shapes
        self.describes = describes
        self.counted = counted
        self._names: dict[tuple[int, str], str] = {}
        self._taken: set[str] = set()
        #: The graphs of functions by their names.
        self.graphs: dict[str, Graph] = {}
        self._pending: list[tuple[str, Graph, str]] = []

    def claim(self, name: str) -> str:
        """A name for a function that is written elsewhere, numbered if it is taken."""
        name = _unused(name, self._taken)
        self._taken.add(name)
        return name

    def add(self, graph: Graph, name: str) -> None:
        """Lets a graph be written as the function of a name, by which nodes refer to it."""
        self._names[graph.id, ""] = name
        self.graphs[name] = graph
        self._pending.append((name, graph, ""))

    def reference(self, graph: Graph, role: str = "") -> str:
        """The name of a graph's function, which will be written.

        The `body` of a loop returns the values of its captures after its results. It and the `cond`
        have the loop's further variables.
        """
        name = self._names.get((graph.id, role))
        if name is None:
            prefix = "" if graph.is_body else "__inference_"
            name = self.claim(f"{prefix}{graph.name}_{len(self._names)}")
            self._names[graph.id, role] = name
            self.graphs[name] = graph
            self._pending.append((name, graph, role))
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
            if graph.is_plain and node.outputs and node.outputs[0] in graph.handles:
                message = handle_node(node.name, graph.handles[node.outputs[0]].type)
            if node in graph.devices:
                message.device = graph.devices[node]
            if self.counted and node.op.type_name in _LOOPS:
                messages += self._counted(node, message, {n.name for n in graph.nodes})
            message.input.extend(sorted("^" + n.name for n in order.before.get(node, ())))
            messages.append(message)
        return messages

    def _counted(self, node: Node, message: NodeDef, taken: set[str]) -> list[NodeDef]:
        """Gives a loop its further variables, and returns the nodes of their first values."""
        made = []
        for name, value in (("loop_counter", 0), ("maximum_iterations", -1)):
            first = NodeDef(name=_unused(f"{node.name}/{name}", taken), op="Const")
            first.attr["dtype"].type = data_type(int32)
            proto = tensor_proto(int32.numpy_dtype.type(value), int32)
            first.attr["value"].tensor.CopyFrom(proto)
            made.append(first)
        rest = list(message.input)
        message.input[:] = [*[f"{first.name}:output:0" for first in made], *rest]
        types, shapes = message.attr["T"].list.type, message.attr["_output_shapes"].list.shape
        types[:] = [data_type(int32)] * 2 + list(types)
        every = [shape_proto(()), shape_proto(()), *shapes]
        message.attr["_output_shapes"].list.CopyFrom(AttrValue.ListValue(shape=every))
        message.attr["output_shapes"].list.CopyFrom(AttrValue.ListValue(shape=every))
        message.attr["_num_original_outputs"].i = len(every)
        return made

    def node(self, node: Node, names: dict[Value, str]) -> NodeDef:
        """A node without its control inputs."""
        message = NodeDef(name=node.name, op=node.op.message_name or node.op.type_name)
        message.input.extend(names[value] for value in node.inputs)
        for name, value in self.attributes(node).items():
            message.attr[name].CopyFrom(value)
        if isinstance(node.op, Placeholder):
            message.attr["_user_specified_name"].s = node.name.encode()
        return message

    def attributes(self, node: Node) -> dict[str, AttrValue]:
        """The attributes of a node by name."""
        messages = operand_attributes(node.op, node.inputs, node.outputs)
        hints = node.op.private
        for field, kind in node.op.fields.items():
            name = "_" + field if field in hints else field
            value = getattr(node.op, field)
            if isinstance(value, Graph):
                is_loop = node.op.type_name in _LOOPS and (field == "body" or self.counted)
                reference = self.reference(value, field if is_loop else "")
                messages[name] = AttrValue(func=NameAttrList(name=reference))
            elif kind == "ElementType":
                messages |= element_attributes(value.types)
            elif (attribute := self.attribute(kind, value, node.op)) is not None:
                messages[name] = attribute
        if self.add_shapes:
            values = list(node.outputs)
            if node.op.type_name in _LOOPS:
                values += node.inputs[len(values) :]
            shapes = [shape_proto(value.type.dims) for value in values]
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
        if kind not in writers and self.describes:
            return "s", lambda value: str(value).encode()
        if kind not in writers:
            raise TypeError(
                f"{op.type_name} has an attribute of type {kind}, which no GraphDef can hold, as "
                "that of a dataset or an iterator. A graph without it takes the tensors of a batch"
            )
        return writers[kind]

    def _output_entry(self, value: Value) -> str:
        """The name of an output in a function's node; those of counted loops come later."""
        if self.counted and value.node.op.type_name in _LOOPS:
            return f"output:{value.index + 2}"
        return _output_entry(value)

    def _add_counts(self, message: FunctionDef, taken: set[str], returned: bool) -> None:
        """Adds the further variables of a loop to a function of it."""
        names = []
        for name in ("loop_counter", "maximum_iterations"):
            names.append(_unused(name, taken))
            taken.add(names[-1])
            message.signature.input_arg.add(name=names[-1], type=data_type(int32))
        if not returned:
            return
        one, total, limit = [
            _unused(f"counting/{name}", taken) for name in ("one", "total", "limit")
        ]
        node = message.node_def.add(name=one, op="Const")
        node.attr["dtype"].type = data_type(int32)
        node.attr["value"].tensor.CopyFrom(tensor_proto(int32.numpy_dtype.type(1), int32))
        node = message.node_def.add(name=total, op="AddV2", input=[names[0], f"{one}:output:0"])
        node.attr["T"].type = data_type(int32)
        node = message.node_def.add(name=limit, op="Identity", input=[names[1]])
        node.attr["T"].type = data_type(int32)
        for name, source in ((total, f"{total}:z:0"), (limit, f"{limit}:output:0")):
            result = _unused(re.sub(r"\W", "_", name), taken)
            taken.add(result)
            message.signature.output_arg.add(name=result, type=data_type(int32))
            message.ret[result] = source

    def function(
        self, name: str, graph: Graph, role: str = "", arguments: Sequence[Value] | None = None
    ) -> FunctionDef:
        """A graph as a function of its arguments, in another order if one is given."""
        graph, message = in_tensorflow(graph), FunctionDef()
        message.signature.name = name
        message.signature.is_stateful = graph.is_stateful
        placeholders = {value.node for value in graph.arguments}
        body = [node for node in graph.nodes if node not in placeholders]
        taken = {node.name for node in body}
        names = {v: f"{v.node.name}:{self._output_entry(v)}" for n in body for v in n.outputs}
        if self.counted and role:
            self._add_counts(message, taken, returned=role == "body")
        more = len(message.signature.input_arg)
        for position, value in enumerate(arguments or graph.arguments, more):
            names[value] = _unused(_argument_name(value), taken)
            taken.add(names[value])
            made = message.signature.input_arg.add(
                name=names[value], type=data_type(value.type.dtype)
            )
            attributes = message.arg_attr[position].attr
            attributes["_user_specified_name"].s = value.node.name.encode()
            if self.add_shapes:
                shape = shape_proto(value.type.dims)
                attributes["_output_shapes"].list.shape.append(shape)
                held = type_behind(graph, value)
                if held is not None:
                    made.handle_data.add(dtype=data_type(held.dtype), shape=shape_proto(held.dims))
        message.node_def.extend(self.nodes(graph, body, names))
        carried = [value for _, value in graph.captures] if role == "body" else []
        for value in [*graph.results, *carried]:
            result = _unused(_argument_name(value), taken)
            taken.add(result)
            message.signature.output_arg.add(name=result, type=data_type(value.type.dtype))
            message.ret[result] = names[value]
        for node in order_of(graph).effects:
            message.signature.control_output.append(node.name)
            message.control_ret[node.name] = node.name
        return message


def handle_node(name: str, type_: TensorType) -> NodeDef:
    """The node of a variable that its sessions share by its name."""
    message = NodeDef(name=name, op="VarHandleOp")
    message.attr["dtype"].type = data_type(type_.dtype)
    message.attr["shape"].shape.CopyFrom(shape_proto(type_.dims))
    message.attr["shared_name"].s = name.encode()
    message.attr["container"].s = b""
    return message


def type_behind(graph: Graph, value: Value) -> TensorType | None:
    """The type of the value of the variable behind a handle; None where that is unknown, or no
    handle."""
    variable = graph.handles.get(value)
    if variable is not None:
        type_: TensorType = variable.type
        return type_
    for outside, captured in graph.captures:
        if captured is value and outside.dtype is resource:
            if isinstance(outside.key, Value):
                return type_behind(outside.graph, outside.key)
            return getattr(outside._array, "value_type", None)
    return None


def _output_entry(value: Value) -> str:
    """The name of an output in a function's node: the operand's name and the place in its list."""
    for operand, group in grouped(value.node.op.results, value.node.outputs, value.node.op):
        for place, member in enumerate(group):
            if member is value:
                return f"{operand.name}:{place}"
    raise LookupError(f"{value!r} is no result that {value.node.op} declares")


def operand_attributes(
    op: Op, inputs: tuple[TypedValue, ...], outputs: tuple[TypedValue, ...]
) -> dict[str, AttrValue]:
    """The attributes that the operands and results decide, as messages."""
    messages: dict[str, AttrValue] = {}
    for name, decided in decided_attributes(op, inputs, outputs).items():
        if isinstance(decided, int):
            messages[name] = AttrValue(i=decided)
        elif isinstance(decided, DType):
            messages[name] = AttrValue(type=data_type(decided))
        else:
            types = [data_type(dtype) for dtype in decided]
            messages[name] = AttrValue(list=AttrValue.ListValue(type=types))
    return messages


def decided_attributes(
    op: Op, inputs: tuple[TypedValue, ...], outputs: tuple[TypedValue, ...]
) -> dict[str, int | DType | list[DType]]:
    """What the operands and results decide: dtypes, lists of them, counts."""
    decided: dict[str, int | DType | list[DType]] = {}
    for operands, values in ((op.operands, inputs), (op.results, outputs)):
        for operand, group in grouped(operands, values, op):
            name = operand.dtype
            if operand.variadic and values is inputs:
                decided["N"] = len(group)
            if name in op.fields or (name not in op.dtypes and is_dtype(name)):
                continue
            if operand.mixed:
                decided.setdefault(name, [value.type.dtype for value in group])
            elif group:
                decided.setdefault(name, group[0].type.dtype)
    return decided


def grouped(
    operands: tuple[Operand, ...], values: tuple[V, ...], op: Op | None = None
) -> Iterable[tuple[Operand, tuple[V, ...]]]:
    """Each declared operand with the values that it takes.

    Lists are as long as the attributes of `op` say. Those of which none says it have one length.
    """
    lists = [operand for operand in operands if operand.variadic or operand.mixed]
    if not lists:
        return [(operand, values[i : i + 1]) for i, operand in enumerate(operands)]
    position, groups = 0, []
    lengths = {operand.name: length_of(op, operand) for operand in lists}
    free = [name for name, length in lengths.items() if length is None]
    rest = len(values) - len(operands) + len(lists) - sum(n or 0 for n in lengths.values())
    for operand in operands:
        length = lengths.get(operand.name, 1)
        count = rest // len(free) if length is None else length
        groups.append((operand, values[position : position + count]))
        position += count
    return groups


def length_of(op: Op | None, operand: Operand) -> int | None:
    """How many tensors a list has, if an attribute of the op says so."""
    said = getattr(op, operand.length or operand.dtype, None)
    if operand.mixed:
        return len(said) if isinstance(said, tuple) else None
    return said if operand.length and isinstance(said, int) else None


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
