"""`tf.graph_util.import_graph_def`: the nodes of a message as nodes of the graph that is open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from graphwright.control.graph_variable import GraphVariable, described
from graphwright.ir.control_edges import waiting
from graphwright.ir.graph import Graph, Node
from graphwright.ir.operation import Operation
from graphwright.op.interpreter import apply, convert
from graphwright.op.refusal import complete
from graphwright.ops.core.effect_ops import NoOp
from graphwright.portable.allowance import Allowance
from graphwright.portable.function_body import ANY, NodeBody, Source
from graphwright.portable.function_import import FunctionImport, Values
from graphwright.portable.graphs.dereference import REFERRING, dereference, shared_name
from graphwright.portable.graphs.graph_body import GraphNodes, TensorName, tensor_name
from graphwright.portable.graphs.older_ops import NodeReader, Outputs
from graphwright.portable.model_error import malformed
from graphwright.portable.node_ops import attribute, place, refuse_ops
from graphwright.proto.graph_pb2 import GraphDef, NodeDef
from graphwright.trace.scopes import name_scope
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import Tracer, current_tracer
from graphwright.types.arguments import TensorLike
from graphwright.types.tensor_type import TensorType
from graphwright.values.tensor import Tensor

#: Ops of what is given when a graph runs.
PLACEHOLDERS = frozenset({"Placeholder", "PlaceholderV2"})


class GraphImport(FunctionImport):
    """The nodes of one message, added to the graph that is being traced."""

    def __init__(self, message: GraphDef, special: Mapping[str, NodeReader] | None = None) -> None:
        library = message.library
        count = sum(len(f.node_def) for f in library.function) + len(message.node)
        super().__init__(library, Allowance(count), special)
        self.nodes = GraphNodes("the graph", message.node)
        #: The nodes that stand for nodes of the message.
        self.made: dict[str, Node] = {}
        self._top: NodeBody | None = None

    def refuse(self, nodes: Iterable[NodeDef], allowed_ops: Sequence[str] = ()) -> None:
        """Refuses nodes, and those of functions that they call, if some cannot be imported."""
        uses = self.uses([], [(f"the node {node.name!r}", node) for node in nodes])
        refuse_ops(uses, {*self.special, *REFERRING}, allowed_ops)

    def add_all(
        self, given: Mapping[TensorName, Tensor], fetches: Sequence[TensorName] = ()
    ) -> tuple[NodeBody, Values]:
        """Adds all nodes, where some tensors are given; the body that they became, which returns
        fetches, and its values."""
        arguments = {name: f"{number}:given" for number, name in enumerate(given)}
        written = self.nodes.body("the graph", arguments, fetches, self.nodes.nodes)
        body = self._top = self.structured(dereference(written))
        self.allowance.use(len(body.nodes))
        values = self.values(body, dict(zip(arguments.values(), given.values())))
        return body, values

    def _outputs(
        self, body: NodeBody, values: Values, node: NodeDef, operands: list[Any]
    ) -> dict[str, list[Any]]:
        tracer = current_tracer()
        if body is not self._top or tracer is None:
            return super()._outputs(body, values, node, operands)
        nodes = tracer.graph.nodes
        count = len(nodes)
        before = [self.made[name] for name in body.waits[node.name] if name in self.made]
        with waiting(tracer.graph, before):
            outputs = super()._outputs(body, values, node, operands)
            if len(nodes) == count and node.op == "NoOp":
                apply(NoOp.of(), name=node.name)
        given = next((tensor for tensors in outputs.values() for tensor in tensors), None)
        if given is not None and given.key in tracer.graph.handles:
            self.note(given, tracer.graph.handles[given.key]._storage)
        if len(nodes) > count:
            self.made[node.name] = nodes[-1]
        elif isinstance(given, SymbolicTensor):
            self.made[node.name] = given._value.node
        return outputs


def import_graph_def(
    graph_def: GraphDef | bytes,
    input_map: Mapping[str, TensorLike] | None = None,
    return_elements: Sequence[str] | None = None,
    name: str | None = None,
    op_dict: object = None,
    producer_op_list: object = None,
) -> Any:
    """Adds the nodes of a message to the graph that is open.

    Branches and loops of TensorFlow 1 become those of TensorFlow 2, and references to variables
    become handles. Placeholders become parameters of the graph.

    Args:
        graph_def: A message, of graphwright or of TensorFlow, or its bytes.
        input_map: A dict from names of tensors in the message, such as "x:0", to tensors that take
            their places.
        return_elements: The names of tensors ("add:0") and operations ("add") that are returned.
        name: What the names of the nodes begin with; None is "import". With "", they are as in the
            message.
        op_dict: It has no effect.
        producer_op_list: It has no effect.

    Returns:
        A list of what `return_elements` names, or None.

    Raises:
        TypeError: `graph_def` is no message, or another argument is of a wrong type.
        ValueError: `input_map` or `return_elements` names what is not there.
        NotFoundError: The message has ops that graphwright has not, all of which are named.
        PermissionDeniedError: It has ops that read or write files or run Python.
        InvalidArgumentError: The message contradicts itself.
        RuntimeError: No graph is open.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default() as graph:
    ...     doubled = tf.compat.v1.placeholder(tf.float32, [None], name="x") * 2.0
    >>> with tf.Graph().as_default() as other:
    ...     (y,) = tf.graph_util.import_graph_def(
    ...         graph.as_graph_def(), {"x:0": tf.constant([1.0])}, [doubled.name])
    >>> y
    <tf.Tensor 'import/mul:0' shape=(1,) dtype=float32>
    """
    message = as_graph_def(graph_def)
    tracer = current_tracer()
    if tracer is None:
        raise RuntimeError(
            "tf.graph_util.import_graph_def adds to a graph: call it in a function that "
            "tf.compat.v1.wrap_function traces, or in a block of `tf.Graph().as_default()`."
        )
    given = tensors_of(input_map)
    elements = names_of(return_elements)
    readers = nodes_of_graphs(tracer.graph)
    importer = GraphImport(message, readers)
    importer.refuse([node for node in message.node if node.op not in readers])
    used = {TensorName(s.node, s.place) for ss in importer.nodes.inputs.values() for s in ss}
    used |= {name for _, name in elements if name is not None}
    unused = [str(n) for n in given if n not in used and n.node not in importer.nodes.nodes]
    if unused:
        words = "Attempted to map inputs that were not found in graph_def: "
        raise complete(ValueError(f"{words}[{', '.join(unused)}]"))
    for text, element in elements:
        if (text if element is None else element.node) not in importer.nodes.nodes:
            raise complete(not_in_message(text))
    # What a Merge says besides its value is there if somebody asks for it.
    counts = [
        n for _, n in elements if n and importer.nodes.nodes[n.node].op == "Merge" and n.place
    ]
    with nullcontext() if name == "" else name_scope("import" if name is None else name):
        body, values = importer.add_all(given, counts)
    sources = dict(zip(counts, body.returned))
    made = [
        operation(importer, text, tracer)
        if name is None
        else tensor(importer, body, values, sources.get(name, Source(name.node, ANY, name.place)))
        for text, name in elements
    ]
    return None if return_elements is None else made


def as_graph_def(message: object) -> GraphDef:
    """A message of ours; TypeError for anything else."""
    from google.protobuf.message import DecodeError

    if isinstance(message, GraphDef):
        return message
    try:
        if isinstance(message, bytes):
            return GraphDef.FromString(message)
        descriptor = getattr(message, "DESCRIPTOR", None)
        if getattr(descriptor, "name", "") == "GraphDef":  # of TensorFlow, or another program
            return GraphDef.FromString(message.SerializeToString())  # type: ignore[attr-defined]
    except DecodeError as error:
        raise TypeError(f"`graph_def` is damaged: {error}") from None
    raise TypeError(f"Argument `graph_def` must be a GraphDef proto. Received: {message!r}.")


def tensors_of(input_map: object) -> dict[TensorName, Any]:
    """The tensors that take the places of others."""
    if input_map is None:
        return {}
    if not isinstance(input_map, Mapping) or not all(isinstance(key, str) for key in input_map):
        raise TypeError(
            "Argument `input_map` must be a dictionary mapping strings to Tensor objects. "
            f"Received {input_map!r}"
        )
    tensors = {}
    for key, value in input_map.items():
        name = tensor_name(key)
        if name is None:
            raise complete(ValueError(f"`input_map` names no tensor by {key!r}"))
        tensors[name] = convert(value)
    return tensors


def names_of(elements: object) -> list[tuple[str, TensorName | None]]:
    """What is returned: names as they are written, and the tensors that they name."""
    if elements is None:
        return []
    if isinstance(elements, str) or not isinstance(elements, Sequence):
        raise TypeError(
            f"Argument `return_elements` must be a list of strings. Received {elements!r}."
        )
    if not all(isinstance(element, str) for element in elements):
        raise TypeError(
            f"Argument `return_elements` must be a list of strings. Received {elements!r}."
        )
    return [(e, tensor_name(e) if ":" in e else None) for e in elements]


def not_in_message(text: str) -> ValueError:
    """The error about a name that no tensor or operation of a message has."""
    return ValueError(f"Requested return_element {text!r} not found in graph_def.")


def operation(importer: GraphImport, name: str, tracer: Tracer) -> Operation:
    """The operation that a node became."""
    made = importer.made.get(name)
    if made is None:
        words = f"the operation {name!r} is inside a branch or a loop, and is none by itself"
        raise complete(ValueError(words))
    return Operation(made, tracer.graph)


def tensor(importer: GraphImport, body: NodeBody, values: Values, source: Source) -> Any:
    """The tensor of an output of a node."""
    text = str(TensorName(source.node, source.place))
    outputs = values.get(source.node)
    if outputs is None:
        words = f"the tensor {text!r} is inside a branch or a loop, and has no value outside"
        raise complete(ValueError(words))
    if isinstance(outputs, Tensor):
        return outputs
    if source.place >= sum(map(len, outputs.values())):
        raise complete(not_in_message(text))
    return importer.value(body, values, source)


def nodes_of_graphs(graph: Graph) -> dict[str, NodeReader]:
    """What is made of nodes that stand in graphs alone, by their ops."""

    def parameter(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
        return {"output": [placeholder(graph, node)]}

    readers: dict[str, NodeReader] = dict.fromkeys(PLACEHOLDERS, parameter)
    tracer = current_tracer()
    if tracer is not None and tracer.graph is graph and graph.is_plain:
        readers["VarHandleOp"] = lambda node, _: {"resource": [shared_handle(tracer, node)]}
    return readers


def shared_handle(tracer: Tracer, node: NodeDef) -> SymbolicTensor:
    """The handle of the variable of a node's shared name, which a session has; else of its own."""
    declared = node.attr["shared_name"].s if "shared_name" in node.attr else b""
    name = shared_name(node) if declared else tracer.graph.names.scope + node.name
    for value, variable in tracer.graph.handles.items():
        if isinstance(variable, GraphVariable) and variable._storage.name == name:
            return SymbolicTensor(value, tracer.graph)
    dtype = attribute(node, "dtype", "DType")
    if dtype is None:
        raise malformed(place(node), "it does not say what it holds")
    dims = attribute(node, "shape", "Dims | None")
    return described(tracer, name, node.name, TensorType(dtype, dims))


def placeholder(graph: Graph, node: NodeDef) -> SymbolicTensor:
    """A new parameter of a graph."""
    dtype = attribute(node, "dtype", "DType")
    if dtype is None:
        raise malformed(place(node), "it has no dtype")
    dims = attribute(node, "shape", "Dims | None")
    value = graph.placeholder(TensorType(dtype, dims), node.name)
    graph.parameters.append(value)
    return SymbolicTensor(value, graph)
