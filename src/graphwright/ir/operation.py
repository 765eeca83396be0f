"""A graph as programs look at it: operations and tensors, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphwright.ir.graph import Graph, Node, Value
    from graphwright.proto.graph_pb2 import GraphDef, NodeDef


class Tensors:
    """Makes the tensor of a value: `trace` provides it when it is imported."""

    of: Callable[[Value, Graph], Any]


class Operation:
    """A node of a graph: `tf.Operation`."""

    __slots__ = ("__weakref__", "graph", "node")

    def __init__(self, node: Node, graph: Graph) -> None:
        self.node = node
        self.graph = graph

    @property
    def name(self) -> str:
        """The node's unique name."""
        return self.node.name

    @property
    def type(self) -> str:
        """The name of the op, such as 'MatMul'."""
        return self.node.op.type_name

    @property
    def device(self) -> str:
        """Not decided while tracing."""
        return ""

    @property
    def inputs(self) -> tuple[Any, ...]:
        """The tensors that it takes."""
        return tuple([Tensors.of(value, self.graph) for value in self.node.inputs])

    @property
    def outputs(self) -> list[Any]:
        """The tensors that it makes."""
        return [Tensors.of(value, self.graph) for value in self.node.outputs]

    def values(self) -> tuple[Any, ...]:
        """The tensors that it makes, as a tuple."""
        return tuple(self.outputs)

    @property
    def control_inputs(self) -> list[Operation]:
        """The operations that must have run before it for their effects."""
        from graphwright.ir.ordering import order_of

        before = {node.name: nodes for node, nodes in order_of(self.graph).before.items()}
        return [Operation(node, self.graph) for node in before.get(self.name, ())]

    @property
    def node_def(self) -> NodeDef:
        """The operation as a message."""
        from graphwright.ir.graphdef import node_def

        return node_def(self.graph, self.node)

    def get_attr(self, name: str) -> Any:
        """The value of an attribute; ValueError if there is none of this name."""
        from graphwright.ir.graphdef import attribute_value

        attributes = self.node_def.attr
        if name not in attributes:
            raise ValueError(
                f"operation {self.name!r} ({self.type}) has no attribute {name!r}: it has "
                f"{', '.join(sorted(attributes)) or 'none'}"
            )
        return attribute_value(attributes[name])

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Operation) and self.graph is other.graph and self.name == other.name
        )

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"<tf.Operation {self.name!r} type={self.type}>"


class Elements:
    """What a graph's operations and tensors are found by."""

    nodes: list[Node]
    results: list[Value]

    def _graph(self) -> Graph:
        raise NotImplementedError

    @property
    def inputs(self) -> list[Any]:
        """The placeholders' tensors: parameters, then captures."""
        return [Tensors.of(value, self._graph()) for value in self._graph().arguments]

    @property
    def outputs(self) -> list[Any]:
        """The tensors of the results."""
        return [Tensors.of(value, self._graph()) for value in self.results]

    @property
    def control_outputs(self) -> list[Operation]:
        """The operations that run for their effects whatever the results need."""
        from graphwright.ir.ordering import order_of

        return [Operation(node, self._graph()) for node in order_of(self._graph()).effects]

    def as_graph_def(self, from_version: int | None = None, add_shapes: bool = False) -> GraphDef:
        """The graph as a message that TensorFlow reads too.

        `from_version` is accepted and has no meaning: graphs have no versions.
        """
        # protobuf is loaded only by programs that export.
        from graphwright.ir.graphdef import graph_def

        return graph_def(self._graph(), add_shapes)

    def get_operations(self) -> list[Operation]:
        """All operations in the order in which they were traced.

        Where results wait for effects, the last one is the NoOp that they wait for.
        """
        from graphwright.ir.ordering import order_of

        barrier = order_of(self._graph()).barrier
        nodes = [*self.nodes, barrier] if barrier else self.nodes
        return [Operation(node, self._graph()) for node in nodes]

    def get_operation_by_name(self, name: str) -> Operation:
        """The operation of this name; KeyError if there is none."""
        if not isinstance(name, str):
            raise TypeError(f"the name of an operation is a string, not {name!r}")
        for operation in self.get_operations():
            if operation.name == name:
                return operation
        raise KeyError(f"the graph has no operation named {name!r}")

    def get_tensor_by_name(self, name: str) -> Any:
        """The tensor of a name such as 'add:0'; KeyError if there is none."""
        if not isinstance(name, str):
            raise TypeError(f"the name of a tensor is a string, not {name!r}")
        operation, colon, number = name.partition(":")
        if not colon or not number.isdecimal():
            raise ValueError(
                f"{name!r} does not name a tensor: write the operation's name and the number of "
                f"its output, '{operation}:0'"
            )
        outputs = self.get_operation_by_name(operation).outputs
        if int(number) >= len(outputs):
            raise KeyError(
                f"there is no tensor {name!r}: operation {operation!r} has {len(outputs)} outputs"
            )
        return outputs[int(number)]

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
        """The operation or tensor that `obj` is or names; TypeError for anything else."""
        if isinstance(obj, str) and ":" in obj and allow_tensor:
            return self.get_tensor_by_name(obj)
        if isinstance(obj, str) and allow_operation:
            return self.get_operation_by_name(obj)
        is_operation = isinstance(obj, Operation)
        if getattr(obj, "graph", None) is self and (
            allow_operation if is_operation else allow_tensor
        ):
            return obj
        raise TypeError(f"{obj!r} is no tensor or operation of this graph, and names none")
