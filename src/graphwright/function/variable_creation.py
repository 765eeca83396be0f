"""Variables created inside a function: once, on its first call.

The first trace may create variables. Their initial values are computed outside the
graph, from constants, captures and, where they need them, the first call's arguments.
Then the function is traced again. A variable created in that or a later trace is an error,
since every call would make a new one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from graphwright.compile.run.straight_line import runner
from graphwright.function.concrete import CallTensor, ConcreteFunction
from graphwright.ir.graph import Graph, Value
from graphwright.op.refusal import complete, set_help
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import OnVariable
from graphwright.values.tensor import Tensor
from graphwright.values.variable import Variable, announce

_REFUSAL = (
    "tf.function only supports singleton tf.Variables created on the first call. Make sure the "
    "tf.Variable is only created once or created outside tf.function. See "
    "https://www.tensorflow.org/guide/function#creating_tfvariables for more information."
)

_DEPENDENT = (
    "The initial value of a variable depends on an argument of a function that is traced, which "
    "has no value yet. Create it outside of the function, and change it inside."
)

#: Makes a trace, given what is done about the variables that are created meanwhile.
Trace: TypeAlias = Callable[[OnVariable], ConcreteFunction]
#: The tensors of the call that is traced, in the order of the trace's parameters.
Arguments: TypeAlias = Callable[[ConcreteFunction], Sequence[CallTensor]]


class VariableCreation:
    """Whether the traces of one function may create variables."""

    def __init__(self) -> None:
        self._allowed = True

    def trace(self, trace: Trace, arguments: Arguments) -> ConcreteFunction:
        """Traces; where that created variables, initialises them and traces again."""
        if not self._allowed:
            return trace(refuse)
        created: list[tuple[Variable, Tensor]] = []
        try:
            concrete = trace(lambda variable, value: created.append((variable, value)))
        except BaseException:
            initialize_alone(created)
            raise
        self._allowed = False
        if not created:
            return concrete
        initialize(created, concrete.graph, lambda: arguments(concrete))
        return trace(refuse)


def refuse(variable: Variable, value: Tensor) -> None:
    """Raises the error for a variable that is created after the first trace."""
    from graphwright.function.creation_advice import lines_on_creation  # rare

    error = complete(ValueError(_REFUSAL))
    set_help(error, lines_on_creation(variable))  # its words are TensorFlow's
    raise error


def initialize(
    created: Sequence[tuple[Variable, Tensor]],
    traced: Graph,
    arguments: Callable[[], Sequence[CallTensor]] | None,
) -> None:
    """Gives new variables their values: the graph of the initial values is run once.

    Args:
        created: Variables with their initial values.
        traced: The graph in which they were created.
        arguments: Gives tensors for the parameters of the graph; None where there are none yet.
    """
    symbolic = [
        (v, value)
        for v, value in created
        if isinstance(value, SymbolicTensor) and not v._storage.is_set  # a checkpoint may have
    ]
    if not symbolic:
        return
    mine = [pair for pair in symbolic if pair[1]._graph is traced]
    others = [pair for pair in symbolic if pair[1]._graph is not traced]  # of branches, and around
    arrays = list(lifted([value._value for _, value in mine], traced, arguments))
    arrays += [array_of(value) for _, value in others]
    for (variable, _), array in zip(mine + others, arrays):
        variable._storage.write(array)
        announce(variable)


def initialize_alone(created: Sequence[tuple[Variable, Tensor]]) -> None:
    """Gives variables of a trace that failed the values that depend on no argument.

    The program may hold them: then the next trace does not create them again.
    """
    for variable, value in created:
        if isinstance(value, SymbolicTensor) and not variable._storage.is_set:
            graph = sliced([value._value], value._graph)
            needed = needs(graph)
            around = [v for tensor, v in graph.captures if isinstance(tensor, SymbolicTensor)]
            if needed.isdisjoint([*graph.parameters, *around]):
                initialize([(variable, value)], value._graph, None)


def lifted(
    results: Sequence[Value],
    traced: Graph,
    arguments: Callable[[], Sequence[CallTensor]] | None = None,
    refusal: str = _DEPENDENT,
) -> Sequence[Any]:
    """The arrays of values of a graph that may still grow: what they need is run once.

    Raises:
        ValueError: One depends on a parameter of the graph, and there are no arguments. `refusal`
            has the words.
    """
    graph = sliced(results, traced)
    needed = needs(graph)
    given: Sequence[CallTensor | None]
    if arguments is not None:
        given = arguments()
    elif needed.isdisjoint(graph.parameters):
        given = [None] * len(graph.parameters)
    else:
        raise complete(ValueError(refusal))
    pairs = zip([*given, *traced.captured], graph.arguments)
    return runner(graph)(*[array_of(t) if value in needed else None for t, value in pairs])


def sliced(results: Sequence[Value], traced: Graph) -> Graph:
    """The part of a graph that values of it need."""
    graph = Graph(f"{traced.name}_initial_values")
    graph.nodes, graph.parameters = traced.nodes, traced.parameters
    graph.captures = traced.captures
    graph.results = list(results)
    return without_writes(graph)


def needs(graph: Graph) -> set[Value]:
    """The values that nodes and results of a graph read."""
    return {value for node in graph.nodes for value in node.inputs}.union(graph.results)


def array_of(tensor: CallTensor) -> object:
    """The value of an argument, which a function that is traced has for variables alone."""
    if isinstance(tensor, SymbolicTensor):  # of a function around the one that is traced
        return lifted([tensor._value], tensor._graph)[0]
    variable = tensor.variable
    return tensor._array if variable is None else variable.handle._array


def without_writes(graph: Graph) -> Graph:
    """The graph without its side effects: only what the results need is left, as random numbers."""
    needed: set[Value] = set(graph.results)
    nodes = []
    for node in reversed(graph.nodes):
        is_needed = any(v in needed for v in node.outputs)
        if is_needed or (node.outputs and node.outputs[0] in graph.arguments):
            needed.update(node.inputs)
            nodes.append(node)
    graph.nodes = nodes[::-1]
    return graph
