"""Operations and tensors of a graph by name, as programs use them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from graphwright.ir.control_edges import order_of, waiting
from graphwright.ir.default_session import session_for
from graphwright.ir.graph import Graph, Node, Value
from graphwright.types import tree

if TYPE_CHECKING:
    from traceback import StackSummary

    from graphwright.ir.picture import View
    from graphwright.proto.graph_pb2 import GraphDef, NodeDef


class TensorOf:
    """Makes the tensor of a value; `hooks` provides it."""

    of: Callable[[Value, Graph], Any]


class Operation:
    """A node of a graph.

    >>> import graphwright as tf
    >>> f = tf.function(lambda x: x + 1).get_concrete_function(tf.TensorSpec([], tf.int32))
    >>> add = f.graph.get_operation_by_name("add")
    >>> add.type, [x.name for x in add.inputs]
    ('AddV2', ['x:0', 'add/y:0'])
    """

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
        outputs, graph = self.node.outputs, self.graph
        if graph.is_plain and outputs and outputs[0] in graph.handles:
            return "VarHandleOp"  # as the graph's message has it
        return self.node.op.type_name

    @property
    def device(self) -> str:
        """The name of the device that the program stated, or an empty string."""
        return self.graph.devices.get(self.node, "")

    @property
    def inputs(self) -> tuple[Any, ...]:
        """The tensors that it takes."""
        return tuple([TensorOf.of(value, self.graph) for value in self.node.inputs])

    @property
    def outputs(self) -> list[Any]:
        """The tensors that it makes."""
        return [TensorOf.of(value, self.graph) for value in self.node.outputs]

    def values(self) -> tuple[Any, ...]:
        """The tensors that it makes, as a tuple."""
        return tuple(self.outputs)

    @property
    def control_inputs(self) -> list[Operation]:
        """The operations that must have run before it for their effects."""
        before = {node.name: nodes for node, nodes in order_of(self.graph).before.items()}
        return [Operation(node, self.graph) for node in before.get(self.name, ())]

    @property
    def traceback(self) -> StackSummary:
        """The line of the program that made it; empty where none is known, as for constants."""
        from traceback import FrameSummary, StackSummary  # few programs ask for it

        location = self.node.location
        lines = [] if location is None else [FrameSummary(*location)]
        return StackSummary.from_list(lines)

    @property
    def node_def(self) -> NodeDef:
        """The operation as a message."""
        from graphwright.ir.graphdef import node_def

        return node_def(self.graph, self.node)

    def run(self, feed_dict: object = None, session: object = None) -> None:
        """Runs it in a session.

        Args:
            feed_dict: A dict from tensors, or their names, to values.
            session: A `tf.compat.v1.Session`; None takes the default one.

        Raises:
            ValueError: There is no session.

        >>> import graphwright as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session():
        ...     v = tf.Variable(3.0)
        ...     v.initializer.run()
        ...     v.eval()
        np.float32(3.0)
        """
        session_for(session, "execute operation using `run()`", "run").run(self, feed_dict)

    def get_attr(self, name: str) -> Any:
        """Returns the value of an attribute.

        Args:
            name: Its name, such as "transpose_a".

        Returns:
            A Python value, a dtype or a shape.

        Raises:
            ValueError: There is no such attribute.

        >>> import graphwright as tf
        >>> f = tf.function(lambda x: x + 1).get_concrete_function(tf.TensorSpec([], tf.int32))
        >>> f.graph.get_operation_by_name("add").get_attr("T")
        tf.int32
        """
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


class Faces:
    """See `ir.face.GraphMethods`."""

    #: Opens a block whose ops are added to a graph; `hooks` provides it.
    as_default: Callable[[Graph], AbstractContextManager[Graph]]

    #: Opens a block whose ops are on a device; `hooks` provides it.
    device: Callable[..., AbstractContextManager[None]]

    @staticmethod
    def waiting(graph: Graph, control_inputs: object) -> AbstractContextManager[None]:
        """A block whose ops wait for others. In functions they follow the program's order."""
        if not graph.is_plain:
            return nullcontext()
        if control_inputs is None:
            return waiting(graph, None)
        parts = tree.flatten(control_inputs, expand_composites=True)
        operations = [part if isinstance(part, Operation) else part.op for part in parts]
        return waiting(graph, [operation.node for operation in operations])

    @staticmethod
    def seed(graph: Graph) -> int | None:
        """The seed of a graph's random ops, or None."""
        from graphwright.ops.random.seeds import Seeding  # few programs ask a graph for it

        source = Seeding.graphs.get(graph)
        return None if source is None else source.seed

    @staticmethod
    def tensors(graph: Graph, values: Sequence[Value]) -> list[Any]:
        """The tensors of values."""
        return [TensorOf.of(value, graph) for value in values]

    @staticmethod
    def control_outputs(graph: Graph) -> list[Operation]:
        """The operations that run for their effects, even if no result needs them."""
        return [Operation(node, graph) for node in order_of(graph).effects]

    @staticmethod
    def operations(graph: Graph) -> list[Operation]:
        """All operations, and the NoOp for which results wait if there are effects."""
        barrier = order_of(graph).barrier
        nodes = [*graph.nodes, barrier] if barrier else graph.nodes
        return [Operation(node, graph) for node in nodes]

    @staticmethod
    def operation_by_name(graph: Graph, name: str) -> Operation:
        """The operation of this name; KeyError if there is none."""
        if not isinstance(name, str):
            raise TypeError(f"the name of an operation is a string, not {name!r}")
        for operation in Faces.operations(graph):
            if operation.name == name:
                return operation
        reason = graph.left_out.get(name)
        words = f"the graph has no operation named {name!r}"
        raise KeyError(words if reason is None else f"{words}: it was left out, since {reason}")

    @staticmethod
    def tensor_by_name(graph: Graph, name: str) -> Any:
        """The tensor of a name such as 'add:0'; KeyError if there is none."""
        if not isinstance(name, str):
            raise TypeError(f"the name of a tensor is a string, not {name!r}")
        operation, colon, number = name.partition(":")
        if not colon or not number.isdecimal():
            raise ValueError(
                f"{name!r} does not name a tensor: write the operation's name and the number of "
                f"its output, '{operation}:0'"
            )
        outputs = Faces.operation_by_name(graph, operation).outputs
        if int(number) >= len(outputs):
            raise KeyError(
                f"there is no tensor {name!r}: operation {operation!r} has {len(outputs)} outputs"
            )
        return outputs[int(number)]

    @staticmethod
    def element(graph: Graph, obj: object, allow_tensor: bool, allow_operation: bool) -> Any:
        """The operation or tensor that an object is or names; TypeError for anything else."""
        if isinstance(obj, str) and ":" in obj and allow_tensor:
            return Faces.tensor_by_name(graph, obj)
        if isinstance(obj, str) and allow_operation:
            return Faces.operation_by_name(graph, obj)
        is_operation = isinstance(obj, Operation)
        if getattr(obj, "graph", None) is graph and (
            allow_operation if is_operation else allow_tensor
        ):
            return obj
        raise TypeError(f"{obj!r} is no tensor or operation of this graph, and names none")

    @staticmethod
    def message(graph: Graph, add_shapes: bool) -> GraphDef:
        """The graph as a message."""
        from graphwright.ir.graphdef import graph_def  # protobuf is loaded for exports alone

        return graph_def(graph, add_shapes)

    @staticmethod
    def view(graph: Graph) -> View:
        """A view of the graph."""
        from graphwright.ir.picture import View  # few programs look at graphs

        return View(graph)

    @staticmethod
    def dot(graph: Graph) -> str:
        """The graph in the language of Graphviz."""
        from graphwright.ir.picture import to_dot

        return to_dot(graph)
