"""One trace of a function: its type, its graph, and how it is called."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from graphwright.base.errors import InvalidArgumentError
from graphwright.compile.run.tiers import Compilation, Run, Tiered
from graphwright.control.call import call_of, note_other_variables
from graphwright.control.lift_constants import with_lifted_constants
from graphwright.explain.debugging import look_at
from graphwright.explain.glimpse import Glimpse
from graphwright.explain.state import StateWatch
from graphwright.explain.trace_effects import TraceEffect
from graphwright.explain.trace_record import Tally
from graphwright.function.structure import Outputs, type_of_structure
from graphwright.ir.graph import Graph
from graphwright.op.interpreter import STATE, apply
from graphwright.op.late_imports import late_module
from graphwright.op.op import c_name
from graphwright.op.refusal import boundaries, boundary, complete, own_boundary, own_words
from graphwright.trace.argument_types import Structure, VariableType, spec_of
from graphwright.trace.device_scopes import check_devices
from graphwright.trace.signature import (
    KEYWORD_ONLY,
    POSITIONAL_ONLY,
    Binder,
    FunctionType,
)
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.trace_place import PLACE
from graphwright.trace.tracer import OnVariable, Tracer, current_tracer, folds_watched, tracing
from graphwright.types import tree
from graphwright.types.arguments import PythonFunction, TensorLike
from graphwright.types.composite import Composite
from graphwright.types.shape import TensorShape
from graphwright.types.specs import NoSpecs, TensorSpec
from graphwright.types.tensor_type import TensorType
from graphwright.types.trace_type import TraceType
from graphwright.values.convert import convert
from graphwright.values.tensor import EagerTensor, Tensor
from graphwright.values.variable import Variable

if TYPE_CHECKING:
    from graphwright.proto.graph_pb2 import FunctionDef

#: An argument of a graph: a tensor with a value, or one of the graph that is being traced.
CallTensor: TypeAlias = EagerTensor | SymbolicTensor

_NUMBERS = itertools.count(1)


class Placeholders:
    """Makes the symbolic arguments of a trace; the context of `placeholder_value`."""

    def __init__(self, tracer: Tracer) -> None:
        self.tracer = tracer
        self.argument = ""
        self._variables: dict[int, Variable] = {}

    def placeholder(self, spec: TensorSpec) -> SymbolicTensor:
        """A parameter of the graph, named after the argument that it belongs to."""
        graph = self.tracer.graph
        value = graph.placeholder(spec.type, spec.name or self.argument)
        graph.parameters.append(value)
        return SymbolicTensor(value, graph)

    def variable(self, type_: VariableType) -> Variable:
        """A variable whose storage arrives with the call: the call's own, or a stand-in."""
        variable = self._variables.get(type_.alias)
        if variable is None:
            variable, argument = placeholder_variable(self, type_)
            original = None if type_.original is None else type_.original()
            if original is not None and original.shape == variable.shape:
                self.tracer.stand_for(original.handle, argument)
                variable = original
            self._variables[type_.alias] = variable
        return variable


def placeholder_variable(
    placeholders: Placeholders, type_: VariableType
) -> tuple[Variable, SymbolicTensor]:
    """A stand-in for a variable argument, and its symbolic handle."""
    from graphwright.ops.state.variable_ops import HANDLE, Storage

    graph = placeholders.tracer.graph
    value = graph.placeholder(HANDLE, placeholders.argument)
    graph.parameters.append(value)
    variable = Variable.__new__(Variable)
    variable._storage = Storage(None, type_.spec.dtype, type_.spec.type.dims, placeholders.argument)
    handle = SymbolicTensor(value, graph)
    variable._handle = handle  # type: ignore[assignment]
    variable._name = placeholders.argument
    variable._trainable = type_.trainable
    graph.handles[value] = variable
    return variable, handle


class AtomicFunction:
    """A graph as one callable on flat tensors: no structure, no gradient of its own.

    >>> import graphwright as tf
    >>> f = tf.function(lambda x: {"sum": x + 1}).get_concrete_function(tf.TensorSpec([], tf.int32))
    >>> f.inference_fn(tf.constant(2)).numpy()
    np.int32(3)
    """

    def __init__(self, name: str, function_type: FunctionType, graph: Graph) -> None:
        self._name = name
        self.function_type = function_type
        self.graph = graph

    @property
    def name(self) -> bytes:
        """The name of its message, in UTF-8."""
        return self._name.encode()

    def __call__(self, *args: TensorLike) -> Any:
        """Runs it on tensors.

        Args:
            *args: The tensors of its parameters.

        Returns:
            A tensor, or a list of several.

        Raises:
            ValueError: It has captures, which `call_with_captures` takes.
        """
        if self.graph.captures:
            words = "The FunctionType defines captured inputs. Use call_with_captures instead."
            raise complete(ValueError(words))
        return self.call_flat([convert(a) for a in args])

    def call_with_captures(
        self,
        args: Sequence[TensorLike],
        kwargs: Mapping[str, TensorLike],
        captures: Sequence[Tensor],
    ) -> Any:
        """Runs it on tensors and captures.

        Args:
            args: The tensors of its first parameters.
            kwargs: The tensors of the others, in their order.
            captures: The tensors of its captures.

        Returns:
            A tensor, or a list of several.
        """
        tensors = [convert(a) for a in (*args, *kwargs.values())]
        return self.call_flat([*tensors, *captures])

    def call_flat(self, tensors: Sequence[Tensor]) -> Any:
        """Runs it on all arguments of the graph.

        Args:
            tensors: Those of the parameters, then those of the captures.

        Returns:
            A tensor, or a list of several.
        """
        results = apply(call_of(self.graph), *tensors)
        return results[0] if len(results) == 1 else list(results)

    def __repr__(self) -> str:
        return f"<AtomicFunction> {self._name}{self.function_type}"


class Departure:
    """What takes a function to another process; `hooks` provides it."""

    #: Makes of a function what `pickle` takes along.
    reduce: Callable[[ConcreteFunction], tuple[Any, ...]]
    #: Makes bytes of a function.
    pack: Callable[[ConcreteFunction], bytes]
    #: Returns the function of bytes.
    arrive: Callable[[bytes], ConcreteFunction]
    #: Returns the function of the bytes of a SHA-256, if this process has read them.
    arrived: Callable[[bytes], ConcreteFunction | None]


@runtime_checkable
class CallWatcher(Protocol):
    """An interpreter that looks at calls as a whole, and lets traces run as they would."""

    below: Any

    def watch_call(self, concrete: ConcreteFunction, tensors: Sequence[CallTensor]) -> Any:
        """The results of a call, packed."""


@boundaries
class ConcreteFunction:
    """A function traced for one type of arguments.

    It is called with the arguments of the Python function, or with its tensors alone. An argument
    that is no tensor may be left out; else it must be that of the trace.

    >>> import graphwright as tf
    >>> f = tf.function(lambda x, n: x * n)
    >>> triple = f.get_concrete_function(tf.TensorSpec([None]), 3)
    >>> triple(tf.constant([1.0, 2.0])).numpy()
    array([3., 6.], dtype=float32)
    """

    def __init__(
        self, name: str, function_type: FunctionType, graph: Graph, outputs: Outputs
    ) -> None:
        self._outputs = outputs
        self.graph = graph
        self._name = f"__inference_{name}_{next(_NUMBERS)}"
        self._python_name = name
        captures: dict[Hashable, TraceType] = {
            id(outside): spec_of(value.type) for outside, value in graph.captures
        }
        self.function_type = function_type.with_output(
            captures, type_of_structure(outputs.structure)
        )
        self.inference_fn = AtomicFunction(self._name, self.function_type, graph)
        self.run: Callable[[list[object]], Any] = self._first_run
        self.jit_compile: bool | None = None  # the option of its function
        self.tiers: Tiered | None = None
        self.tally = Tally()
        self.compilations: list[Compilation] = []  # one for each code that was made for it
        self.watch: StateWatch | None = None  # the state that it read
        self.failed: Callable[[BaseException, tuple[str, ...]], None] | None = None  # notes it
        self.notes: StateWatch | None = None  # that state, for reports alone
        self.glimpse: Glimpse | None = None  # what it could read, for reports alone
        self.effects: tuple[TraceEffect, ...] = ()  # what it did while it was traced
        #: Makes the same trace again, with captures in place of constants that are watched then.
        self.again: Callable[[], ConcreteFunction] | None = None
        self._opened: ConcreteFunction | None = None
        self._deferred = 0  # how many captures were replaced by closures
        self.place = PLACE.get()  # which scope, and which replica, it was traced in

    @property
    def name(self) -> bytes:
        """The name of its message, in UTF-8."""
        return self._name.encode()

    # -- running ------------------------------------------------------------------------

    def _first_run(self, arrays: list[object]) -> Any:
        """Generates the code, then runs it; later calls go straight to the code."""
        check_devices(self.graph)
        graph, deferred = self.graph, self._deferred
        captured = [] if deferred else [outside._array for outside in graph.captured]
        wrapped = self._outputs.wrapped
        me = weakref.ref(self)  # or what runs it would keep it alive

        def install(run: Run, compilation: Compilation | None) -> None:
            def call(arrays: list[object]) -> Any:
                return wrapped(run(*arrays, *captured))

            def call_now(arrays: list[object]) -> Any:
                return wrapped(run(*arrays, *[outside._array for outside in graph.captured]))

            concrete = me()
            if concrete is not None:
                concrete.run = call_now if deferred else call
                if concrete.graph is not graph or concrete._deferred != deferred:
                    concrete.run = concrete._first_run  # a capture was replaced meanwhile
                if compilation is not None:
                    concrete.compilations.append(compilation)

        self.tiers = Tiered(self.graph, self.jit_compile, install)
        self.tiers.start()
        return self.run(list(arrays))

    def run_by(self, run: Run, tensors: Sequence[CallTensor]) -> Any:
        """Returns the result of a call that code other than its own computes.

        Args:
            run: A function from the arrays of all arguments to those of the results.
            tensors: The tensors of the parameters.

        Returns:
            The results, in their structure.
        """
        captured = [outside._array for outside in self.graph.captured]
        return self._outputs.wrapped(run(*[t._array for t in tensors], *captured))

    @own_boundary
    def call_tensors(self, tensors: Sequence[CallTensor]) -> Any:
        """Calls it with the tensors of its parameters, by the interpreter that is active.

        Args:
            tensors: A sequence of tensors.

        Returns:
            The results, in their structure.
        """
        active = STATE.active
        if active is None:
            return self.run([t._array for t in tensors])
        if isinstance(active, CallWatcher) and active.below is None:
            return active.watch_call(self, tensors)
        graph = self.graph
        tracer = current_tracer()
        if graph.folded:
            if self.again is not None and folds_watched(graph):
                return self.opened().call_tensors(tensors)
            if tracer is not None:
                graph = with_lifted_constants(graph)
                tracer.note_folded(graph.folded)
        if tracer is not None and any(map(tracer.is_argument, graph.captured)):
            note_other_variables(graph)  # another call of the trace has others
        results = apply(call_of(graph), *tensors, *graph.captured)
        return self._outputs.pack(results)

    def replace_capture_with_deferred_capture(
        self,
        tensor: TensorLike,
        closure: Callable[[], object],
        spec: TensorSpec,
        placeholder: SymbolicTensor | None = None,
        default_value: object = None,
    ) -> None:
        """Lets a function give the value of a tensor that the trace captured, at each call.

        Args:
            tensor: The tensor, as `graph.captures` has it, or the very one that the function used.
            closure: A function of no arguments that returns a tensor of the same dtype and shape.
            spec: A `tf.TensorSpec` of what it returns.
            placeholder: The tensor of the graph that stands for `tensor`; None looks for it.
            default_value: It has no effect.

        Raises:
            ValueError: The trace does not capture `tensor`, or `spec` does not fit it.

        >>> import graphwright as tf
        >>> rate = tf.constant(2.0)
        >>> f = tf.function(lambda x: x * rate).get_concrete_function(tf.TensorSpec([]))
        >>> f.replace_capture_with_deferred_capture(
        ...     rate, lambda: tf.constant(10.0), tf.TensorSpec([])
        ... )
        >>> f(tf.constant(3.0)).numpy()
        np.float32(30.0)
        """
        captures: Any = late_module("graphwright.function.deferred_captures")  # few need it
        self.graph = captures.with_deferred_capture(
            self.graph, self._name, tensor, closure, spec, placeholder
        )
        self.inference_fn.graph = self.graph
        self._deferred += 1
        self._opened = None
        self.run = self._first_run

    def opened(self) -> ConcreteFunction:
        """The trace for tapes that watch constants of this one."""
        if self._opened is None:
            assert self.again is not None
            self._opened = self.again()
        return self._opened

    @property
    def tier(self) -> str:
        """Which tier runs it now: "python" or "native"."""
        return self.compilations[-1].tier if self.compilations else "python"

    @boundary
    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Calls it by the Python function's signature, else by its flat tensors.

        Args:
            *args: The positional arguments of the function.
            **kwargs: Its arguments by name.

        Returns:
            The results, in the structure that the Python function returns.

        Raises:
            TypeError: The arguments fit neither.
            InvalidArgumentError: A tensor is of another dtype.
        """
        try:
            tensors = self._tensors(args, kwargs)
            self._check(tensors)
        except Exception as error:
            if self.failed is not None:
                self.failed(error, ())
            raise
        if self.watch is not None:
            look_at(self.watch)
        return self.call_tensors(tensors)

    def _tensors(self, args: tuple[object, ...], kwargs: dict[str, object]) -> list[Any]:
        """The tensors of a call by the Python function's signature, else of a flat one."""
        try:
            return self._structured(args, kwargs)
        except TypeError as structured:
            try:
                return self._flat(args, kwargs)
            except TypeError as flat:
                words = f"{structured}\nFallback to flat signature also failed due to: {flat}"
                raise complete(TypeError(words)) from None

    def _structured(self, args: tuple[object, ...], kwargs: dict[str, object]) -> list[Any]:
        types = {name: type_ for name, _, type_ in self.function_type.typed()}
        try:
            bound = self._bind(args, kwargs)
            values = []
            for name, value in bound.items():
                if name not in types:
                    raise TypeError(f"got an unexpected keyword argument {name!r}")
                values.append(cast_loosely(types[name], value))
            return [t for name, v in zip(bound, values) for t in tensors_of(types[name], v)]
        except TypeError as error:
            raise TypeError(
                f"Binding inputs to tf.function failed due to `{own_words(error)}`. Received args: "
                f"{args} and kwargs: {kwargs} for signature: {self.function_type}."
            ) from None

    def _bind(self, args: tuple[object, ...], kwargs: dict[str, object]) -> dict[str, object]:
        """Arguments by parameter name; what a literal type fixes may be left out."""
        bound: dict[str, object] = {}
        remaining = list(args)
        named = dict(kwargs)
        for name, kind, type_ in self.function_type.typed():
            if kind is not KEYWORD_ONLY and remaining:
                if name in named:
                    raise TypeError(f"multiple values for argument {name!r}")
                bound[name] = remaining.pop(0)
            elif kind is not POSITIONAL_ONLY and name in named:
                bound[name] = named.pop(name)
            elif not type_.flatten():
                bound[name] = type_.placeholder_value(None)
            else:
                raise TypeError(f"missing a required argument: {name!r}")
        if remaining:
            raise TypeError("too many positional arguments")
        if named:
            raise TypeError(f"got an unexpected keyword argument {next(iter(named))!r}")
        return bound

    def _flat(self, args: tuple[object, ...], kwargs: dict[str, object]) -> list[Any]:
        """Arguments as the flat tensors, by position or by the names of placeholders."""
        names = [v.node.name for v in self.graph.parameters]
        signature = f"{self._python_name}({', '.join(names)})"
        unknown = [k for k in kwargs if k not in names]
        if unknown:
            raise TypeError(f"{signature} got unexpected keyword arguments: {', '.join(unknown)}.")
        if len(args) > len(names):
            raise TypeError(
                f"{signature} takes {len(names)} positional arguments, got {len(args)}."
            )
        for name in names[: len(args)]:
            if name in kwargs:
                raise TypeError(f"{signature} got two values for {name!r}.")
        values: list[Any] = list(args)
        for name in names[len(args) :]:
            if name not in kwargs:
                raise TypeError(f"{signature} missing required arguments: {name}.")
            values.append(kwargs[name])
        return [flat_argument(v, p.type) for v, p in zip(values, self.graph.parameters)]

    def _check(self, tensors: Sequence[Tensor]) -> None:
        for i, (tensor, parameter) in enumerate(zip(tensors, self.graph.parameters)):
            expected: TensorType = parameter.type
            if tensor.dtype is not expected.dtype:
                words = (
                    f"cannot compute {self._name} as input #{i}(zero-based) was expected to be a "
                    f"{c_name(expected.dtype)} tensor but is a {c_name(tensor.dtype)} tensor "
                    f"[Op:{self._name}]"
                )
                raise complete(InvalidArgumentError(None, None, words))

    # -- properties ---------------------------------------------------------------------

    @property
    def structured_input_signature(self) -> Any:
        """The types of the arguments as `(args, kwargs)` of TensorSpecs and Python values."""
        args, kwargs = [], {}
        for name, kind, type_ in self.function_type.typed():
            spec = spec_structure(type_, name)
            if kind is KEYWORD_ONLY:
                kwargs[name] = spec
            else:
                args.append(spec)
        return tuple(args), kwargs

    @property
    def structured_outputs(self) -> Any:
        """The result's structure, holding the graph's result tensors."""
        return self._outputs.pack(self.outputs)

    @property
    def inputs(self) -> list[SymbolicTensor]:
        """The graph's placeholders: parameters, then captures."""
        return [SymbolicTensor(v, self.graph) for v in self.graph.arguments]

    @property
    def outputs(self) -> list[SymbolicTensor]:
        """The graph's result tensors."""
        return [SymbolicTensor(v, self.graph) for v in self.graph.results]

    @property
    def output_dtypes(self) -> Any:
        """The dtypes of the results, in their structure; composites count as their parts."""
        return each_part(self._outputs.structure, lambda t: getattr(t, "dtype", None))

    @property
    def output_shapes(self) -> Any:
        """The shapes of the results, in their structure; composites count as their parts."""
        return each_part(self._outputs.structure, shape_of_result)

    @property
    def captured_inputs(self) -> list[Any]:
        """The outside tensors, resource handles among them, that the graph uses."""
        return self.graph.captured

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables outside that the graph uses, without those among the arguments."""
        return self.graph.variables

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of `variables` that are trained."""
        return self.graph.trainable_variables

    @property
    def function_def(self) -> FunctionDef:
        """The graph as the message of a library of functions."""
        # Only programs that export load protobuf.
        from graphwright.ir.graphdef import function_def

        return function_def(self.graph, self._name)

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """Returns its parameters, results and captures.

        Args:
            verbose: A bool; False gives one line.

        Returns:
            A string.

        >>> import graphwright as tf
        >>> f = tf.function(lambda x: x + 1).get_concrete_function(tf.TensorSpec([2]))
        >>> print(f.pretty_printed_signature(verbose=False).partition(" -> ")[0])
        (x: TensorSpec(shape=(2,), dtype=tf.float32, name=None))
        """
        return repr(self.function_type) if verbose else str(self.function_type)

    @property
    def is_local(self) -> bool:
        """Whether it uses tensors of a function that was being traced around it."""
        return any(isinstance(t, SymbolicTensor) for t, _ in self.graph.captures)

    def is_usable(self, tracer: Tracer | None) -> bool:
        """Returns whether a call can supply the captures, and state is as it was.

        Args:
            tracer: What traces the function around the call, or None.

        Returns:
            A bool.
        """
        if self.watch is not None and self.watch.is_outdated():
            return False
        return all(
            not isinstance(t, SymbolicTensor)
            or (tracer is not None and (tracer.graph is t.graph or tracer.encloses(t.graph)))
            for t, _ in self.graph.captures
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Departure.reduce(self)

    def __str__(self) -> str:
        return f"ConcreteFunction {self.function_type!r}"

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.function_type} at {id(self):#x}>"


def cast_loosely(type_: TraceType, value: object) -> Any:
    """A value for a parameter: tensors may be of other shapes, and are checked when called."""
    if isinstance(type_, TensorSpec):
        argument: Any = value
        if isinstance(value, (Variable, Tensor)):
            return convert(value)
        return fitting(convert(argument, None, type_.dtype), type_)
    if isinstance(type_, Structure):
        parts = zip(type_.children, type_.components(value))
        return type_.build([cast_loosely(t, v) for t, v in parts])
    try:
        return type_.cast(value, NoSpecs)
    except (TypeError, AssertionError):
        raise TypeError(f"Can not cast {value!r} to {type_!r}") from None


def each_part(structure: object, ask: Callable[[object], object]) -> Any:
    """The structure with an answer for each tensor, and for composites their parts' answers."""

    def answer(leaf: object) -> Any:
        if isinstance(leaf, Composite):
            return each_part(leaf.__graphwright_spec__._to_components(leaf), ask)
        return ask(leaf)

    return tree.map_structure(answer, structure)


def shape_of_result(result: object) -> TensorShape:
    """The shape of a result; None has an unknown one."""
    return getattr(result, "shape", TensorShape(None))


def flat_argument(value: TensorLike, type_: TensorType) -> Tensor:
    """A value for a placeholder: variables are passed by their handles."""
    if isinstance(value, Variable):
        return value.handle
    if isinstance(value, Tensor):
        return value
    return fitting(convert(value, type_.dtype), TensorSpec.from_type(type_))


def fitting(tensor: Tensor, spec: TensorSpec) -> Tensor:
    """The tensor, if it fits the spec; TypeError otherwise."""
    if not spec.is_compatible_with(tensor):
        raise TypeError(f"Can not cast {TensorSpec.from_type(tensor.type)!r} to {spec!r}")
    return tensor


def tensors_of(type_: TraceType, value: object) -> list[Any]:
    """The flat tensors of an argument."""
    return [value] if isinstance(type_, TensorSpec) else type_.to_tensors(value)


def spec_structure(type_: TraceType, name: str) -> Any:
    """A trace type as `structured_input_signature` shows it."""
    if isinstance(type_, TensorSpec):
        return TensorSpec(type_.shape, type_.dtype, name=type_.name or name)
    if isinstance(type_, Structure):
        return type_.build([spec_structure(c, name) for c in type_.children])
    return type_.placeholder_value(None) if not type_.flatten() else type_


def trace(
    function: PythonFunction,
    name: str,
    binder: Binder,
    function_type: FunctionType,
    on_variable: OnVariable,
) -> ConcreteFunction:
    """The trace of a Python function, which runs once on placeholders."""
    graph = Graph(name)
    with tracing(graph) as tracer:
        tracer.on_variable = on_variable
        placeholders = Placeholders(tracer)
        bound = []
        for parameter, kind, type_ in function_type.typed():
            placeholders.argument = parameter
            bound.append((parameter, kind, type_.placeholder_value(placeholders)))
        outputs = Outputs(binder.call(function, bound), function)
        graph.results = outputs.results(tracer)
    return ConcreteFunction(name, function_type, graph, outputs)
