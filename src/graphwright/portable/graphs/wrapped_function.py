"""`tf.compat.v1.wrap_function`: a function of TensorFlow 1's kind, with other functions in it.

Its graph is that of one call of the Python function. `prune` makes functions between any tensors of
the graph: nothing runs but what their results need.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from graphwright.base.errors import InvalidArgumentError
from graphwright.control.call import call_of
from graphwright.control.graph_variable import GraphVariable
from graphwright.function.concrete import ConcreteFunction, Placeholders
from graphwright.function.structure import Outputs
from graphwright.function.variable_creation import initialize
from graphwright.ir.graph import Graph, Node, Value
from graphwright.ir.operation import Operation
from graphwright.op.interpreter import apply
from graphwright.op.op import c_name
from graphwright.op.refusal import complete
from graphwright.ops.core.creation import Placeholder
from graphwright.trace.argument_types import from_value
from graphwright.trace.signature import (
    KEYWORD_ONLY,
    POSITIONAL_ONLY,
    POSITIONAL_OR_KEYWORD,
    FunctionType,
    Parameter,
)
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import tracing
from graphwright.types import tree
from graphwright.types.arguments import PythonFunction
from graphwright.types.composite import Composite
from graphwright.types.specs import TensorSpec
from graphwright.types.tensor_type import show_dims
from graphwright.values.tensor import Tensor
from graphwright.values.variable import Variable

#: The words about a placeholder that nobody gives.
_LOST = (
    "Unable to lift tensor {} because it depends transitively on placeholder {}, which is not "
    "among the feeds"
)


class Unfed(ValueError):
    """A placeholder that a function needs, and that nobody gives."""

    def __init__(self, value: Value, words: str) -> None:
        super().__init__(words)
        self.value = value


class WrappedFunction(ConcreteFunction):
    """A function made by `tf.compat.v1.wrap_function`, or by `prune` of one."""

    def __init__(
        self,
        name: str,
        function_type: FunctionType,
        graph: Graph,
        outputs: Outputs,
        variables: Sequence[Variable],
        unfed: Sequence[Value] = (),
    ) -> None:
        super().__init__(name, function_type, graph, outputs)
        self._variables = list(variables)
        self._unfed = list(unfed)

    def call_tensors(self, tensors: Sequence[Any]) -> Any:
        """Runs it on the tensors of its parameters; InvalidArgumentError where its results need
        a placeholder that is none of them."""
        if not self._unfed:
            return super().call_tensors(tensors)
        graph = Pruned(self.graph, self.graph.name, self.inputs[: len(tensors)])
        values = [graph.result(tensor) for tensor in self.outputs]
        missing = [value for value in self._unfed if value.node in graph.needed()]
        if missing:
            (value,) = missing[:1]
            raise complete(InvalidArgumentError(None, None, unfed_words(value)))
        graph.fill()
        graph.graph.results = [graph.new[v] for v in values if v is not None]
        return self._outputs.pack(apply(call_of(graph.graph), *tensors, *graph.graph.captured))

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that the Python function made, and others that the graph uses."""
        by_identity = {id(v): v for v in (*self._variables, *self.graph.variables)}
        return tuple(by_identity.values())

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of `variables` that are trained."""
        return tuple([variable for variable in self.variables if variable.trainable])

    def prune(
        self,
        feeds: Any,
        fetches: Any,
        name: str | None = None,
        input_signature: Any = None,
    ) -> WrappedFunction:
        """Returns a function between tensors of the graph.

        Args:
            feeds: The tensors that are given, a structure of tensors or names such as "x:0".
            fetches: What is computed: a structure of tensors, operations and names. Operations run
                for their effects, and give None.
            name: A string that names the function, or None.
            input_signature: The structure of the arguments as a pair of positional specs and specs
                by name. None takes the feeds one by one.

        Returns:
            A `WrappedFunction`.

        Raises:
            KeyError: The graph has no tensor of a name.
            ValueError: A feed is no tensor, or a fetch needs a placeholder that is not fed.

        >>> import graphwright as tf
        >>> f = tf.compat.v1.wrap_function(
        ...     lambda x: tf.identity(x * 2.0, name="double") + 1.0, [tf.TensorSpec([])])
        >>> double = f.prune(f.inputs[0], "double:0")
        >>> double(tf.constant(3.0)).numpy()
        np.float32(6.0)
        """
        return pruned_function(
            self.graph,
            flattened(feeds),
            fetches,
            name or "pruned",
            input_signature,
            self._variables,
        )


def pruned_function(
    graph: Graph,
    feeds: Sequence[Any],
    fetches: Any,
    name: str,
    input_signature: Any,
    variables: Sequence[Variable],
) -> WrappedFunction:
    """A function between tensors of a graph; see `WrappedFunction.prune`."""
    flat_feeds = [element_of(graph, feed) for feed in feeds]
    for feed in flat_feeds:
        if not isinstance(feed, Tensor):
            words = "All members of argument `feeds` must be tensors. Got "
            raise complete(ValueError(f"{words}{feed!r} with type {type(feed)}."))
    structure = tree.map_structure(lambda leaf: element_of(graph, leaf), fetches)
    pruned = Pruned(graph, name, flat_feeds)
    results = [pruned.result(leaf) for leaf in flattened(structure)]
    pruned.fill()
    with tracing(pruned.graph) as tracer:
        tensors = [
            None if v is None else SymbolicTensor(pruned.new[v], pruned.graph) for v in results
        ]
        packed = tree.pack_sequence_as(structure, tensors, expand_composites=True)
        outputs = Outputs(packed, pruned_function)
        pruned.graph.results = outputs.results(tracer)
    kind = type_of(pruned.graph, input_signature)
    return WrappedFunction(name, kind, pruned.graph, outputs, variables)


def unfed_words(value: Value) -> str:
    """The words about a placeholder that a call needs and nobody gives."""
    dims = value.type.dims
    shape = "<unknown>" if dims is None else show_dims(dims).replace("None", "?")
    return (
        f"You must feed a value for placeholder tensor {value.node.name!r} with dtype "
        f"{c_name(value.type.dtype)} and shape {shape}"
    )


def flattened(structure: Any) -> list[Any]:
    """The tensors of a structure, those of composites among them."""
    return tree.flatten(structure, expand_composites=True)


def element_of(graph: Graph, what: Any) -> Any:
    """The tensor or the operation of a graph that a fetch or a feed names."""
    if isinstance(what, Composite) or what is None:
        return what
    if isinstance(what, GraphVariable):
        return graph.as_graph_element(what.snapshot)
    name = getattr(what, "name", None)
    if not isinstance(what, (str, Tensor, Operation)) and isinstance(name, str):
        what = name  # a TensorInfo
    if isinstance(what, Variable):
        what = what.name
    return graph.as_graph_element(what)


def type_of(graph: Graph, input_signature: Any) -> FunctionType:
    """The type of a function whose arguments are the parameters of a graph, or as it is said."""
    parameters = []
    if input_signature is not None:
        args, kwargs = input_signature
        for number, argument in enumerate(args):
            name = getattr(argument, "name", None) or f"arg_{number}"
            parameters.append(Parameter(name, POSITIONAL_OR_KEYWORD, False, from_value(argument)))
        for name in sorted(kwargs):
            parameters.append(Parameter(name, KEYWORD_ONLY, False, from_value(kwargs[name])))
        return FunctionType(parameters)
    names = [value.node.name for value in graph.parameters]
    named = all(name.isidentifier() for name in names)
    for number, value in enumerate(graph.parameters):
        spec = TensorSpec.from_type(value.type, names[number])
        name = names[number] if named else f"arg_{number}"
        kind = POSITIONAL_OR_KEYWORD if named else POSITIONAL_ONLY
        parameters.append(Parameter(name, kind, False, from_value(spec)))
    return FunctionType(parameters)


class Pruned:
    """A graph that computes some values of another one, of others that are given."""

    def __init__(self, graph: Graph, name: str, feeds: Sequence[Any]) -> None:
        self._home = graph
        self.graph = Graph(name)
        self.graph.folded = graph.folded
        #: The values of the new graph by those of the other.
        self.new: dict[Value, Value] = {}
        self._needed: dict[Node, None] = {}
        for tensor in feeds:
            value: Value = tensor.key
            parameter = self.graph.placeholder(value.type, value.node.name)
            self.graph.parameters.append(parameter)
            self.new[value] = parameter
        self._waiting: list[Node] = []
        #: Whether placeholders that are not given become parameters.
        self.takes_others = False

    def result(self, fetch: Any) -> Value | None:
        """The value of a fetch, or None for an operation; both will be there."""
        if fetch is None:
            return None
        if isinstance(fetch, Operation):
            self._waiting.append(fetch.node)
            return None
        value: Value = fetch.key
        if value not in self.new:
            self._waiting.append(value.node)
        return value

    def needed(self) -> Collection[Node]:
        """The nodes that the results need."""
        for node in self._waiting:
            if node not in self._needed:
                self._needed[node] = None
                self._waiting += [v.node for v in node.inputs if v not in self.new]
                self._waiting += self._home.waits.get(node, [])
        return self._needed

    def fill(self) -> None:
        """Adds the nodes that are needed, in the order of the other graph."""
        self.needed()
        outside = {value: tensor for tensor, value in self._home.captures}
        nodes: dict[Node, Node] = {}
        for node in self._home.nodes:
            if node not in self._needed:
                continue
            if isinstance(node.op, Placeholder):
                self._bring_in(node, outside)
                continue
            inputs = tuple([self.new[v] for v in node.inputs])
            types = tuple([v.type for v in node.outputs])
            copy = self.graph.add(node.op, inputs, types, node.name or None, node.location)
            nodes[node] = copy
            waits = [nodes[n] for n in self._home.waits.get(node, []) if n in nodes]
            if waits:
                self.graph.waits[copy] = waits
            for value, new in zip(node.outputs, copy.outputs):
                self.new.setdefault(value, new)
        constants = self._home.constants.items()
        self.graph.constants = {key: self.new[v] for key, v in constants if v in self.new}

    def _bring_in(self, node: Node, outside: dict[Value, Any]) -> None:
        """Adds a capture; refuses a parameter that is not given."""
        (value,) = node.outputs
        if value in self.new:
            return
        if value not in outside and self.takes_others:
            self.new[value] = self.graph.placeholder(value.type, node.name)
            self.graph.parameters.append(self.new[value])
            return
        if value not in outside:
            user = next((n for n in self._needed if value in n.inputs), node)
            shown = SymbolicTensor(user.outputs[0], self._home) if user.outputs else user.name
            operation = Operation(node, self._home)
            raise complete(Unfed(value, _LOST.format(shown, operation)))
        new = self.graph.placeholder(value.type, node.name)
        self.graph.captures.append((outside[value], new))
        self.new[value] = new
        if value in self._home.handles:
            self.graph.handles[new] = self._home.handles[value]


@contextmanager
def opened(graph: Graph) -> Iterator[None]:
    """Lets the block add parameters to a graph that is being traced."""
    graph.is_open = True
    try:
        yield
    finally:
        graph.is_open = False


def wrap_function(fn: PythonFunction, signature: Any, name: str | None = None) -> WrappedFunction:
    """Returns a function whose graph is that of one call of a Python function, made at once.

    The Python function may make variables, which have their initial values afterwards. Unlike a
    `tf.function` it is called once, without AutoGraph, and other functions can be made of parts of
    its graph.

    Args:
        fn: The Python function.
        signature: A list of the specs, or other values, of its positional arguments.
        name: A string that names the function, or None.

    Returns:
        A `WrappedFunction`, which is called with tensors and has `prune`, `graph` and `variables`.

    Raises:
        TypeError: The function returns what is no tensor.

    >>> import graphwright as tf
    >>> def counted(x):
    ...     total = tf.Variable(5.0)
    ...     return total.assign_add(x)
    >>> f = tf.compat.v1.wrap_function(counted, [tf.TensorSpec([])])
    >>> f(tf.constant(1.0)).numpy(), f.variables[0].numpy()
    (np.float32(6.0), np.float32(6.0))
    """
    created: list[tuple[Variable, Tensor]] = []
    name = name or "wrapped_function"
    parameters = [
        Parameter(f"arg_{number}", POSITIONAL_ONLY, False, from_value(argument))
        for number, argument in enumerate(signature)
    ]
    kind = FunctionType(parameters)
    graph = Graph(name)
    with tracing(graph) as tracer:
        tracer.on_variable = lambda variable, value: created.append((variable, value))
        placeholders = Placeholders(tracer)
        placeholders.argument = "Placeholder"
        arguments = [type_.placeholder_value(placeholders) for _, _, type_ in kind.typed()]
        given = list(graph.parameters)
        with opened(graph):
            outputs = Outputs(fn(*arguments), fn)
        graph.results = outputs.results(tracer)
    unfed = graph.parameters[len(given) :]
    graph.parameters = given
    variables = [variable for variable, _ in created]
    wrapped = WrappedFunction(name, kind, graph, outputs, variables, unfed)
    initialize(created, graph, None)
    return wrapped
