"""Functions of elements: traced once, and run for one element or for many at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from graphwright.autograph.traced_form import traced_form
from graphwright.base.logs import LOGGER
from graphwright.control.body import Body, trace_body
from graphwright.data.blocks import ElementBlock, Layout, Row, of_row, of_rows
from graphwright.data.columns.graph_runner import DrawingRunner, GraphRunner
from graphwright.data.element_type import ElementType, normalized
from graphwright.data.stage import DatasetStage, IterationDraws
from graphwright.function.variable_creation import initialize, refuse
from graphwright.ir.execution import has_stream
from graphwright.ir.graph import Graph
from graphwright.op.batching import NotVectorized
from graphwright.op.interpreter import activate
from graphwright.op.late_imports import late_module
from graphwright.op.op import Effect
from graphwright.ops.core.identity import ensure_shape
from graphwright.trace.tracer import OnVariable
from graphwright.types import dtypes as dt
from graphwright.types.shape import TensorShape
from graphwright.types.type_spec import TypeSpec
from graphwright.values.tensor import Tensor
from graphwright.values.variable import Variable

if TYPE_CHECKING:
    from graphwright.data.columns.column_function import ColumnFunction
    from graphwright.data.columns.python_calls import PythonCalls, Results

#: The elements that a function computes one by one before it is rewritten for many at once.
_FEW = 16
#: The kinds of ops that call Python.
_PYTHON = frozenset({"EagerPyFunc", "PyFunc"})


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
        staged = traced_form(function, spread([classes_of(a) for a in arguments]))
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
                calls: Any = late_module("graphwright.control.python_call")
                dtypes = [type_.dtype for type_ in results]
                values = calls.py_function(call_eagerly, tensors, dtypes)
                shapes = [TensorShape.from_dims(type_.dims) for type_ in results]
                return [ensure_shape(v, shape) for v, shape in zip(values, shapes)]

            self.body = trace_body(call_later, name, types, types)
        self.graph = self.body.graph
        self.captured: list[Any] = self.graph.captured

        if has_stream(self.graph):
            self.graph.draws = IterationDraws()

        #: Whether the function, or a dataset that it makes, has effects or reads state.
        self.has_effects = self.graph.is_stateful or makes_effects(self.graph)
        #: Whether it draws from streams of random numbers, and has no other effect.
        self.draws_alone = self.has_effects and not (
            makes_effects(self.graph) or changes_more_than_streams(self.graph)
        )

    def bound(self, captured: Sequence[Any]) -> BoundFunction:
        """The function with the values that it captured."""
        return BoundFunction(self, captured)

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


def changes_more_than_streams(graph: Graph) -> bool:
    """Whether a node of a graph reads or changes another state than a stream of random numbers."""
    ops = [node.op for node in graph.nodes if node.op.effect is not Effect.NONE]
    return not all(op.has_stream for op in ops)


def packed(arguments: Sequence[ElementType], tensors: Sequence[Any]) -> list[Any]:
    """The elements of several types that tensors make."""
    remaining = list(tensors)
    elements = []
    for argument in arguments:
        count = len(argument.types)
        elements.append(argument.pack(remaining[:count]))
        del remaining[:count]
    return elements


def classes_of(argument: ElementType) -> Any:
    """The classes of the parts that an element is spread into; None for structures."""
    parts = argument.specs if type(argument.specs) is tuple else (argument.specs,)
    return tuple([part.value_type if isinstance(part, TypeSpec) else None for part in parts])


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


class BoundFunction:
    """An element function with the values that it captured."""

    def __init__(self, function: ElementFunction, captured: Sequence[Any]) -> None:
        self.function = function
        self.steps: GraphRunner | None = None
        #: Why elements are computed one by one.
        self.refusal = ""
        kind = DrawingRunner if has_stream(function.graph) else GraphRunner
        self.one = kind(function.graph, captured)
        #: What calls it for each element, where it is one call of a Python function.
        self.calls = python_calls(function.graph, captured)
        #: What runs the function for columns, by their layout; None where nothing can.
        self.many: dict[Layout, ColumnFunction | None] = {}
        self.seen = 0
        datasets = [value for value in captured if isinstance(value, DatasetStage)]
        self.draws_alone = function.draws_alone and not datasets
        #: Whether many elements can be computed at once; None before the first attempt.
        self.is_vectorized: bool | None = None
        if function.has_effects and not (self.draws_alone and can_draw(function.graph)):
            self.is_vectorized = False
        self.has_effects = function.has_effects or any(
            d.is_observable or d.streams() for d in datasets
        )

    @property
    def is_seen(self) -> bool:
        """Whether it takes one element at a time, since its effects are between other ones."""
        return self.has_effects and not (self.draws_alone and self.is_vectorized is not False)

    @property
    def draws_for_many(self) -> bool:
        """Whether it draws random numbers, for many elements at once, and has no other effect."""
        if self.draws_alone and self.is_vectorized is None:
            count = len(self.function.graph.parameters)
            self.together_in(Layout((False,) * count, False))
        return self.draws_alone and bool(self.is_vectorized)

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
        results = self.at_once(block)
        if results is not None:
            return results
        results, error = self.each(block)
        if results is not None:  # the error is raised when the elements from there on are computed
            return results
        assert error is not None, "a block has elements"
        raise error

    def at_once(self, block: ElementBlock) -> ElementBlock | None:
        """The results for all elements; None where each must be computed alone, or one fails."""
        together = self.together(block)
        if together is None:
            return None
        try:
            with activate(None), self.undone_if_it_fails():
                return ElementBlock(block.count, together(block))
        except Exception:  # noqa: BLE001 - one by one shows which element it is
            LOGGER.debug("%r fails for one of %d elements", self.function, block.count)
            return None

    def undone_if_it_fails(self) -> AbstractContextManager[None]:
        """Has streams of random numbers go back if the block raises an error."""
        one = self.one
        return one.undone_if_it_fails() if isinstance(one, DrawingRunner) else nullcontext()

    def each(self, block: ElementBlock) -> Results:
        """The results for the elements before the first with an error, one by one, and that error.

        None is computed again, so the function may have effects.
        """
        if self.calls is not None:
            return self.calls(block)
        rows: list[Row] = []
        error: Exception | None = None
        try:
            with activate(None):
                for row in block.rows():
                    rows.append(self.one(row))
        except Exception as failure:  # noqa: BLE001 - it is raised where its element would come
            error = failure
        self.seen += len(rows)
        if not rows:
            return None, error
        if not rows[0]:
            return ElementBlock(len(rows), ()), error
        return of_rows(rows) if len(rows) > 1 else of_row(rows[0]), error

    def step(self, state: Row, block: ElementBlock) -> tuple[Row, ElementBlock]:
        """The state after the function of it and each element in turn, and the other results.

        The function takes the state and an element. It returns the next state and other results.
        """
        width = len(state)
        if block.count > 1 and not self.has_effects and block.columns and block.is_dense:
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
            graphs: Any = late_module("graphwright.data.columns.step_graph")
            graph = graphs.of_steps(self.function.graph, width)
            self.steps = GraphRunner(graph, self.one.captured)
        return self.steps

    def together(self, block: ElementBlock) -> ColumnFunction | None:
        """What computes the elements of a block at once; None where nothing can, or few came."""
        if block.count < 2 or self.is_vectorized is False:
            return None
        layout = block.layout
        if layout is None or (not self.many and self.seen + block.count <= _FEW):
            return None
        return self.together_in(layout)

    def together_in(self, layout: Layout) -> ColumnFunction | None:
        """What computes columns of a layout; None where nothing can."""
        if layout not in self.many:
            self.many[layout] = self.of_columns(layout)
        return self.many[layout]

    def of_columns(self, layout: Layout) -> ColumnFunction | None:
        """What runs the function for columns of a layout, if anything can."""
        try:
            one = self.one if isinstance(self.one, DrawingRunner) else None
            made: ColumnFunction = late_module(
                "graphwright.data.columns.column_function"
            ).ColumnFunction([self.function.graph], [], self.one.captured, layout, one)
        except NotVectorized as reason:
            if not any(layout.ragged):
                self.is_vectorized = False
            self.refusal = f"no rule takes many of it at once ({reason.op})"
            LOGGER.debug("%r is computed one by one: %s", self.function, reason)
            return None
        self.is_vectorized = True
        return made


def can_draw(graph: Graph) -> bool:
    """Whether the streams of a function can be drawn from for many elements at once."""
    draws: Any = late_module("graphwright.data.columns.drawn_rows")
    answer: bool = draws.can_draw(graph)
    return answer


def functions_of(stage: DatasetStage) -> list[BoundFunction]:
    """The functions that a stage calls."""
    return [value for value in vars(stage).values() if isinstance(value, BoundFunction)]


def python_calls(graph: Graph, captured: Sequence[Any]) -> PythonCalls | None:
    """The calls of a Python function that a graph is, if it is one call."""
    if not any(node.op.type_name in _PYTHON for node in graph.nodes):
        return None
    calls: Any = late_module("graphwright.data.columns.python_calls")
    made: PythonCalls | None = calls.PythonCalls.of(graph, captured)
    return made
