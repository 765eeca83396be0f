"""Functions of elements: traced once, and run for one element or for many at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from graphwright.autograph.conversion import staged_form
from graphwright.base.logs import LOGGER
from graphwright.compile.run.tiers import Compilation, Run, Tiered
from graphwright.control.body import Body, trace_body
from graphwright.control.call import call_of
from graphwright.control.loop import while_loop
from graphwright.control.python_call import py_function
from graphwright.control.tensor_array import TensorArray
from graphwright.control.vectorize import Lane, NotVectorized, Rewrite, first_size
from graphwright.data.blocks import ElementBlock, Row, of_row, of_rows
from graphwright.data.element_type import ElementType, normalized
from graphwright.data.stage import DatasetStage, Epoch, IterationDraws, iterating, present_iteration
from graphwright.function.variable_creation import initialize, refuse
from graphwright.ir.execution import has_stream
from graphwright.ir.graph import Graph
from graphwright.op.interpreter import activate, apply, convert
from graphwright.ops.core.identity import ensure_shape
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ops.math.comparison import logical_and
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import OnVariable, tracing
from graphwright.types import dtypes as dt
from graphwright.types.shape import TensorShape
from graphwright.types.tensor_type import TensorType
from graphwright.values.tensor import Tensor, wrap
from graphwright.values.variable import Variable

#: The elements that a function computes one by one before it is rewritten for many at once.
_FEW = 16


class DebugMode:
    """Whether functions that are traced from now on run eagerly."""

    is_on = False


class ElementFunction:
    """A function of one element or of several, as a graph.

    Args:
        function: A Python function. An element that is a tuple arrives as several arguments.
        *arguments: The types of the elements that it takes.
    """

    def __init__(self, function: Callable[..., object], *arguments: ElementType) -> None:
        if not callable(function):
            raise ValueError(
                f"Argument `func` must be a callable. Received func={function!r} (of type "
                f"{type(function)})"
            )
        staged = staged_form(function)
        self.returned: Any = None
        self.result: ElementType

        def call(*tensors: Any) -> Any:
            self.returned = staged(*spread(packed(arguments, tensors)))
            result = as_element(self.returned)
            self.result = ElementType.of(result)
            return self.result.flatten(result)

        types = [type_ for argument in arguments for type_ in argument.types]
        name = f"Dataset_{getattr(function, '__name__', 'function').replace('<lambda>', 'lambda')}"
        self.function = function
        self.body: Body = body_of(
            lambda on_variable: trace_body(call, name, types, types, on_variable)
        )
        results = self.result.types
        if DebugMode.is_on and not any(t.dtype is dt.variant for t in (*types, *results)):

            def call_eagerly(*tensors: Any) -> Any:
                result = as_element(function(*spread(packed(arguments, tensors))))
                return self.result.flatten(result)

            def call_later(*tensors: Any) -> Any:
                values = py_function(call_eagerly, tensors, [type_.dtype for type_ in results])
                shapes = [TensorShape.from_dims(type_.dims) for type_ in results]
                return [ensure_shape(v, shape) for v, shape in zip(values, shapes)]

            self.body = trace_body(call_later, name, types, types)
        self.graph = self.body.graph
        self.captured: list[Any] = self.graph.captured

        if has_stream(self.graph):
            self.graph.draws = IterationDraws()

        #: Whether the function, or a dataset that it makes, has effects or reads state.
        self.has_effects = self.graph.is_stateful or makes_effects(self.graph)

    def __repr__(self) -> str:
        return f"<function {self.graph.name}>"


def body_of(trace: Callable[[OnVariable], Body]) -> Body:
    """A trace that creates no variables: the first one may, and then there is a second one."""
    created: list[tuple[Variable, Tensor]] = []
    body = trace(lambda variable, value: created.append((variable, value)))
    if not created:
        return body
    initialize(created, body.graph, None)
    return trace(refuse)


def makes_effects(graph: Graph) -> bool:
    """Whether a graph makes datasets that have effects."""
    mine = any(getattr(node.op, "makes_effects", False) for node in graph.nodes)
    return mine or any(map(makes_effects, graph.subgraphs()))


def packed(arguments: Sequence[ElementType], tensors: Sequence[Any]) -> list[Any]:
    """The elements of several types that tensors make."""
    remaining = list(tensors)
    elements = []
    for argument in arguments:
        count = len(argument.types)
        elements.append(argument.pack(remaining[:count]))
        del remaining[:count]
    return elements


def as_element(result: Any) -> Any:
    """What a function returned as an element; TypeError where it is none."""
    try:
        return normalized(tuple(result) if isinstance(result, list) else result)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"Unsupported return value from a function of elements: {result!r}. {error}"
        ) from error


def spread(arguments: Sequence[Any]) -> list[Any]:
    """The arguments of a call for some elements: a tuple becomes several arguments."""
    return [
        part
        for argument in arguments
        for part in (argument if type(argument) is tuple else (argument,))
    ]


class GraphRunner:
    """Runs a graph: by kernels at first, as machine code when that pays."""

    def __init__(self, graph: Graph, captured: Sequence[Any]) -> None:
        self.captured = list(captured)
        self.tiers: Tiered | None = None
        self.graph = graph
        self.run: Run = self.first_run

    def first_run(self, *arrays: Any) -> tuple[Any, ...]:
        """Chooses what runs, then runs it."""
        self.tiers = Tiered(self.graph, None, self.install)
        self.tiers.start()
        return self.run(*arrays)

    def install(self, run: Run, compilation: Compilation | None) -> None:
        """Replaces the code that runs."""
        self.run = run

    def __call__(self, arrays: Sequence[Any]) -> Row:
        """The results for arrays."""
        return [
            array if type(array) is np.ndarray else wrap(array)._array
            for array in self.run(*arrays, *self.captured)
        ]


class DrawingRunner(GraphRunner):
    """A graph that draws random numbers: each iteration draws the same, as in TensorFlow.

    Iterations share its code, and not the streams behind it (`IterationDraws`).
    """

    def __init__(self, graph: Graph, captured: Sequence[Any]) -> None:
        super().__init__(graph, captured)
        #: For elements that are asked for outside of iterations.
        self.outer_epoch = Epoch()

    def __call__(self, arrays: Sequence[Any]) -> Row:
        if present_iteration() is not None:
            return super().__call__(arrays)
        with iterating(self.outer_epoch):
            return super().__call__(arrays)


class BoundFunction:
    """An element function with the values that it captured."""

    def __init__(self, function: ElementFunction, captured: Sequence[Any]) -> None:
        self.function = function
        self.steps: GraphRunner | None = None
        #: Why elements are computed one by one.
        self.refusal = ""
        kind = DrawingRunner if has_stream(function.graph) else GraphRunner
        self.one = kind(function.graph, captured)
        self.many: GraphRunner | None = None
        self.seen = 0
        #: Whether many elements can be computed at once; None before the first attempt.
        self.is_vectorized: bool | None = False if function.has_effects else None
        datasets = [value for value in captured if isinstance(value, DatasetStage)]
        self.has_effects = function.has_effects or any(d.is_observable for d in datasets)

    @property
    def name(self) -> str:
        """The name of the program's function."""
        return self.function.graph.name.removeprefix("Dataset_")

    def __call__(self, arrays: Sequence[Any]) -> Row:
        """The results for one element."""
        with activate(None):
            return self.one(arrays)

    def of_block(self, block: ElementBlock) -> ElementBlock:
        """The results for each element, or for those before one with an error.

        If that is the first, its error is raised.
        """
        if block.count > 1 and self.is_worth(block):
            try:
                with activate(None):
                    results = self.rows()(block.columns)
                return ElementBlock(block.count, tuple(results))
            except Exception:  # noqa: BLE001 - one by one shows which element it is
                LOGGER.debug("%r fails for one of %d elements", self.function, block.count)
        rows: list[Row] = []
        try:
            with activate(None):
                for row in block.rows():
                    rows.append(self.one(row))
        except Exception:
            if not rows:
                raise  # the others are raised when the elements from there on are computed again
        self.seen += len(rows)
        if not rows[0]:
            return ElementBlock(len(rows), ())
        return of_rows(rows) if len(rows) > 1 else of_row(rows[0])

    def step(self, state: Row, block: ElementBlock) -> tuple[Row, ElementBlock]:
        """The state after the function of it and each element in turn, and the other results.

        The function takes the state and an element. It returns the next state and other results.
        """
        width = len(state)
        if block.count > 1 and not self.has_effects and has_columns(block):
            try:
                with activate(None):
                    results = self.stepper(width)([*state, *block.columns])
                return results[:width], ElementBlock(block.count, tuple(results[width:]))
            except Exception:  # noqa: BLE001 - one by one shows which element it is
                LOGGER.debug("%r fails for one of %d elements", self.function, block.count)
        rest = []
        for row in block.rows():
            results = self([*state, *row])
            state = results[:width]
            rest.append(results[width:])
        return state, of_rows(rest) if rest[0] else ElementBlock(block.count, ())

    def stepper(self, width: int) -> GraphRunner:
        """Runs the function for each element of a block, with a state of `width` tensors."""
        if self.steps is None:
            self.steps = GraphRunner(of_steps(self.function.graph, width), self.one.captured)
        return self.steps

    def is_worth(self, block: ElementBlock) -> bool:
        """Whether the elements of a block are computed at once."""
        if self.is_vectorized is None and self.seen + block.count > _FEW:
            self.rows()
        return bool(self.is_vectorized) and has_columns(block)

    def rows(self) -> GraphRunner:
        """Runs the function for many elements at once. The first call shows if it can."""
        if self.many is None:
            graph = self.function.graph
            try:
                self.many = GraphRunner(of_rows_graph([graph]), self.one.captured)
                self.is_vectorized = True
            except NotVectorized as reason:
                self.is_vectorized = False
                self.many = self.one
                self.refusal = f"no rule takes many of it at once ({reason.op})"
                LOGGER.debug("%r is computed one by one: %s", self.function, reason)
        return self.many


def of_rows_graph(functions: Sequence[Graph], predicates: Sequence[Graph] = ()) -> Graph:
    """A graph that takes columns, and gives those of what functions make one after another.

    Args:
        functions: Graphs of a single row, of which each takes what the one before it gives.
        predicates: Graphs that give one bool for a row. Where there are some, the last result of
            the whole graph says for which rows all are true.
    """
    graphs = [*functions, *predicates]
    parameters = graphs[0].parameters
    if not parameters:
        raise NotVectorized("it takes no tensors", "no tensors")
    if any(value.type.dtype is dt.variant for graph in graphs for value in graph.parameters):
        raise NotVectorized("it takes datasets or lists", "datasets")
    whole = Graph("_".join([*[graph.name for graph in graphs], "rows"]), is_body=True)
    with tracing(whole) as tracer:
        for value in parameters:
            whole.parameters.append(whole.placeholder(with_rows(value.type), value.node.name))
        lanes = [Lane(SymbolicTensor(column, whole), True) for column in whole.parameters]
        rewrite = Rewrite(first_size(lanes[0].tensor), fallback=False, warn=False)

        def results_of(graph: Graph) -> list[Lane]:
            captured = [whole.placeholder(value.type, "captured") for _, value in graph.captures]
            whole.parameters += captured
            outside = [Lane(SymbolicTensor(value, whole), False) for value in captured]
            return rewrite.run(graph, [*lanes, *outside])

        for graph in functions:
            lanes = results_of(graph)
        flags = [rewrite.spread(results_of(graph)[0]) for graph in predicates]
        results = [rewrite.spread(lane) for lane in lanes]
        if flags:
            results.append(reduce(logical_and, flags))
        whole.results = [tracer.value_of(tensor) for tensor in results]
    return whole


def of_steps(graph: Graph, width: int) -> Graph:
    """A loop over the rows of columns, with a state of `width` tensors, as a graph.

    `graph` is one iteration: it takes a state and a row, and returns the next state and other
    results. The loop returns the last state, and the other results of all rows.
    """
    whole = Graph(f"{graph.name}_steps", is_body=True)
    state_values, row_values = graph.parameters[:width], graph.parameters[width:]
    with tracing(whole) as tracer:
        types = [value.type for value in state_values]
        types += [with_rows(value.type) for value in row_values]
        types += [value.type for _, value in graph.captures]
        whole.parameters = [whole.placeholder(type_, "operand") for type_ in types]
        operands = [SymbolicTensor(value, whole) for value in whole.parameters]
        columns = operands[width : len(graph.parameters)]
        captured = operands[len(graph.parameters) :]
        count = shape_of(columns[0])[0]
        others = [value.type for value in graph.results[width:]]
        arrays = [TensorArray(t.dtype, count, element_shape=TensorShape(t.dims)) for t in others]

        def turn(
            place: Any, state: list[Any], arrays: list[Any]
        ) -> tuple[Any, list[Any], list[Any]]:
            row = [column[place] for column in columns]
            results = apply(call_of(graph), *state, *row, *captured)
            pairs = zip(arrays, results[width:])
            return place + 1, list(results[:width]), [a.write(place, r) for a, r in pairs]

        start = (convert(0), operands[:width], arrays)
        _, state, arrays = while_loop(lambda place, *_: place < count, turn, start)
        whole.results = [
            tracer.value_of(tensor) for tensor in (*state, *[array.stack() for array in arrays])
        ]
    return whole


def has_columns(block: ElementBlock) -> bool:
    """Whether a block has columns, and each is one array."""
    return bool(block.columns) and block.is_dense


def with_rows(type_: TensorType) -> TensorType:
    """The type of a column of such tensors."""
    return type_ if type_.dims is None else type_.with_dims((None, *type_.dims))
