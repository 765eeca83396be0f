"""`tf.function`: chooses the trace for each call, traces when there is none.

A repeated call does one dictionary look-up, of a key of the arguments' dtypes and shapes
(`fast_path`). All else, such as binding and subtyping, happens once for each new key.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import perf_counter
from types import MethodType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from graphwright.base.annotations import WrappedSignature
from graphwright.base.borrowed_lock import BorrowedLock
from graphwright.base.errors import show_users_lines
from graphwright.base.forks import held_over_forks
from graphwright.base.identities import IdentityTable
from graphwright.base.waits import Waits
from graphwright.explain.debugging import attended, look_at, mode_of
from graphwright.explain.trace_effects import where_stored
from graphwright.explain.trace_record import History
from graphwright.function.concrete import ConcreteFunction
from graphwright.function.fast_path import FastPath
from graphwright.function.function_spec import FunctionSpec
from graphwright.function.retracing_warning import warn_of_retracing
from graphwright.function.trace_maker import Features, TraceMaker
from graphwright.function.variable_creation import VariableCreation, refuse
from graphwright.function.weak_method import WeakMethod
from graphwright.machine.process_settings import rarely_collected
from graphwright.op.interpreter import STATE
from graphwright.op.late_imports import late_module
from graphwright.op.refusal import boundaries, own_boundary
from graphwright.trace.signature import (
    Binder,
    Bound,
    FunctionType,
    Parameter,
    type_of_call,
    with_valid_kinds,
)
from graphwright.trace.trace_dispatch import DispatchTable
from graphwright.trace.trace_place import PLACE
from graphwright.trace.tracer import current_tracer
from graphwright.types import dtypes as dt
from graphwright.types.arguments import PythonFunction
from graphwright.types.composite import Composite

if TYPE_CHECKING:
    from graphwright.explain.report import Report

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")

#: One lock for all tracing: two functions that call each other cannot deadlock.
TRACING = held_over_forks(BorrowedLock())


#: So many traces for one type inside each other are a recursion without an end.
_NESTED = 8


class Eagerly:
    """Whether functions run as plain Python: `tf.config.run_functions_eagerly`."""

    on = False


def traced_again(
    maker: TraceMaker, target: FunctionType, jit_compile: bool | None
) -> ConcreteFunction:
    """A trace that stands for another one while a tape watches constants of that one."""
    with TRACING:
        concrete = maker.trace(target, refuse)
    concrete.jit_compile = jit_compile
    concrete.again = partial(traced_again, maker, target, jit_compile)
    return concrete


@boundaries
class PolymorphicFunction:
    """A Python function that runs as graphs, one for each type of arguments.

    `tf.function` makes one.

    >>> import graphwright as tf
    >>> @tf.function
    ... def double(x):
    ...     return x * 2
    >>> double(tf.constant(2)).numpy(), double(tf.constant(2.0)).numpy()
    (np.int32(4), np.float32(4.0))
    >>> double.experimental_get_tracing_count()
    2
    """

    __signature__ = WrappedSignature()

    def __init__(
        self,
        function: PythonFunction,
        name: str | None = None,
        input_signature: Sequence[object] | None = None,
        autograph: bool = True,
        jit_compile: bool | None = None,
        reduce_retracing: bool = False,
        experimental_implements: str | None = None,
        experimental_autograph_options: Features = None,
        experimental_attributes: Mapping[str, object] | None = None,
        on_stale: str | None = None,
    ) -> None:
        self._python_function = function
        self._name = name or getattr(function, "__name__", None) or type(function).__name__
        self._options: dict[str, Any] = {
            "autograph": autograph,
            "jit_compile": jit_compile,
            "reduce_retracing": reduce_retracing,
            "experimental_implements": experimental_implements,
            "experimental_autograph_options": experimental_autograph_options,
            "experimental_attributes": experimental_attributes,
            "on_stale": on_stale,
        }
        mode_of(on_stale)
        self._input_signature = None if input_signature is None else tuple(input_signature)
        self._fast = FastPath()
        self._methods: IdentityTable[object, PolymorphicFunction] = IdentityTable()  # of instances
        self._history = History(function, self._name, self._options, self._input_signature)
        self._table: DispatchTable[ConcreteFunction] = DispatchTable(self._history.served)
        self._creation = VariableCreation()
        self._pending: list[FunctionType] = []  # being traced now, under `TRACING`
        self._binder_made: Binder | None = None
        self._maker_made: TraceMaker | None = None
        functools.update_wrapper(self, function, updated=())

    # -- calling ------------------------------------------------------------------------

    @own_boundary
    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Runs the trace for these arguments, after tracing if there is none.

        Args:
            *args: The positional arguments of the function.
            **kwargs: Its arguments by name.

        Returns:
            The results, in the structure that the Python function returns.
        """
        try:
            if STATE.active is None and not Eagerly.on:
                guard, target = self._fast.latest
                arrays = guard(args, kwargs)
                if arrays is not None:
                    return target.run(arrays)
                entry = self._fast.find(args, kwargs)
                if entry is not None:
                    target, arrays = entry
                    next(target.tally.ticks)
                    return target.run(arrays)
            return self._slow_call(args, kwargs)
        except Exception as error:
            show_users_lines(error)
            raise

    def _slow_call(self, args: tuple[object, ...], kwargs: dict[str, object]) -> Any:
        if Eagerly.on:
            return self._python_function(*args, **kwargs)
        try:
            bound = self._bind(args, kwargs)
            concrete = self._choose(bound)
        except Exception as error:
            self._history.failed(error, where_stored(error))
            raise
        if concrete.watch is not None:
            look_at(concrete.watch)
        if not concrete.tally.calls:
            warn_of_retracing(self._history, STATE.active is not None)
        next(concrete.tally.ticks)
        tensors = flat_tensors(concrete.function_type, bound)
        watch = concrete.watch
        if STATE.active is None and not concrete.is_local and not (watch and watch.retraces):
            target = concrete if watch is None else Watched(concrete)
            self._fast.remember(args, kwargs, bound, tensors, target)
        return concrete.call_tensors(tensors)

    def _bind(self, args: tuple[object, ...], kwargs: dict[str, object]) -> Bound:
        binder = self._binder
        bound = binder.bind(args, kwargs)
        constraints = binder.constraints
        if constraints is None:
            return bound
        cast = []
        for name, kind, value in bound:
            type_ = constraints.get(name)
            if type_ is not None:
                try:
                    value = type_.cast(value, CASTING)
                except (TypeError, ValueError, AssertionError) as error:
                    misfit = late_module("graphwright.trace.misfit")  # which few programs need
                    help = misfit.words_on_misfit(name, value, type_, binder.names, len(args))
                    raise binder.misfit(error, args, kwargs, help) from None
            cast.append((name, kind, value))
        return cast

    def _choose(self, bound: Bound) -> ConcreteFunction:
        """The trace for bound arguments: an existing one, or a new one."""
        wanted = self._type_of(bound)
        concrete = self._find(wanted)
        if concrete is not None:
            return concrete
        with TRACING:
            concrete = self._find(wanted)
            return concrete if concrete is not None else self._trace(wanted, bound)

    def _find(self, wanted: FunctionType) -> ConcreteFunction | None:
        tracer, place = current_tracer(), PLACE.get()
        return self._table.find(
            wanted, lambda concrete: concrete.place == place and concrete.is_usable(tracer)
        )

    def _type_of(self, bound: Bound) -> FunctionType:
        constraints = self._binder.constraints
        if constraints is None:
            return type_of_call(bound)
        typed = type_of_call([b for b in bound if b[0] not in constraints])
        free = {name: type_ for name, _, type_ in typed.typed()}
        return FunctionType(
            [
                Parameter(n, k, False, constraints.get(n) or free[n])
                for n, k, _ in with_valid_kinds(bound)
            ]
        )

    def _trace(self, wanted: FunctionType, bound: Bound) -> ConcreteFunction:
        began = perf_counter()
        self._history.request(wanted, began)
        if self._pending.count(wanted) >= _NESTED:
            raise RecursionError(
                f"maximum recursion depth exceeded: `{self._name}` calls itself with arguments of "
                f"the same types {wanted} while it is traced, and nothing ends that. Both sides "
                "of an `if` over a tensor are traced. Loop, or let a Python value end it."
            )
        self._pending.append(wanted)
        try:
            with Waits.around("tracing", self._name), rarely_collected():
                return self._trace_for(wanted, bound, began)
        finally:
            self._pending.pop()

    def _trace_for(self, wanted: FunctionType, bound: Bound, began: float) -> ConcreteFunction:
        target = wanted
        if self._options["reduce_retracing"]:
            target = self._table.generalize(wanted)
        concrete = attended(
            self._history,
            bound,
            lambda: self._creation.trace(
                lambda on_variable: self._maker.trace(target, on_variable),
                lambda concrete: flat_tensors(concrete.function_type, bound),
            ),
        )
        concrete.jit_compile = self._options["jit_compile"]
        concrete.again = partial(traced_again, self._maker, target, concrete.jit_compile)
        concrete.failed = self._history.failing()
        self._table.add(target, concrete)
        self._history.traced(wanted, concrete, began)
        return concrete

    @property
    def _maker(self) -> TraceMaker:
        if self._maker_made is None:
            options = self._options
            self._maker_made = TraceMaker(
                self._python_function, self._name, self._binder, options["autograph"],
                options["experimental_autograph_options"],
            )  # fmt: skip
        return self._maker_made

    @property
    def _binder(self) -> Binder:
        if self._binder_made is None:
            binder = Binder(self._python_function)
            if self._input_signature is not None:
                binder.constrain(self._input_signature)
            self._binder_made = binder
        return self._binder_made

    # -- methods ------------------------------------------------------------------------

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """The function of one instance, which has traces of its own and holds the instance weakly.

        The first access gives one that keeps the instance alive. A composite is an argument like
        others.
        """
        if instance is None:
            return self
        if isinstance(instance, Composite):
            return MethodType(self, instance)
        entry = self._methods.entries.get(id(instance))  # `find`, without its call
        if entry is not None and entry[0]() is instance:
            return entry[1]
        return self._bind_first(instance)

    def _bind_first(self, instance: object) -> PolymorphicFunction:
        """The function of an instance that has none yet."""
        try:
            weakref.ref(instance)
        except TypeError:
            raise TypeError(
                f"The method {self._name!r} is a tf.function, which refers to its object weakly, "
                f"and a {type(instance).__name__} cannot be referred to so: give the class a slot "
                "`__weakref__`, or decorate a function that takes what it needs as arguments."
            ) from None
        method = self._methods.add(instance, self._bind_instance(instance))
        return HoldingFunction.of(method, instance)

    def _bind_instance(self, instance: object) -> PolymorphicFunction:
        method = WeakMethod(self._python_function, instance)
        return PolymorphicFunction(method, self._name, self._input_signature, **self._options)

    # -- public methods -----------------------------------------------------------------

    def get_concrete_function(self, *args: object, **kwargs: object) -> ConcreteFunction:
        """Returns the trace for arguments, after tracing if there is none.

        Args:
            *args: Positional arguments, as values or as `tf.TensorSpec`. None at all stand for the
                input signature, if there is one.
            **kwargs: Arguments by name, as values or as `tf.TensorSpec`.

        Returns:
            A `tf.types.experimental.ConcreteFunction`.

        >>> import graphwright as tf
        >>> f = tf.function(lambda x: x + 1)
        >>> f.get_concrete_function(tf.TensorSpec([None], tf.int32)).output_shapes
        TensorShape([None])
        """
        if self._input_signature is not None and not args and not kwargs:
            args = self._input_signature
        return self._choose(self._bind(args, kwargs))

    @property
    def python_function(self) -> PythonFunction:
        """The Python function that was decorated."""
        function = self._python_function
        return function.__func__ if isinstance(function, WeakMethod) else function

    @property
    def input_signature(self) -> tuple[object, ...] | None:
        """The fixed signature, or None."""
        return self._input_signature

    @property
    def function_spec(self) -> FunctionSpec:
        """The signature of calls: its names, defaults, input signature and `fullargspec`."""
        binder = self._binder
        return FunctionSpec(
            binder.signature, binder.untyped, self._input_signature, self._jit_compile
        )

    @property
    def function_type(self) -> FunctionType:
        """The signature of calls, untyped."""
        return self._binder.untyped

    def experimental_get_tracing_count(self) -> int:
        """How often the function was traced."""
        return len(self._history.records)

    def experimental_get_compiler_ir(self, *args: object, **kwargs: object) -> Callable[..., str]:
        """Returns a function that shows, as text, what the compiler makes of the trace for
        arguments.

        Args:
            *args: Positional arguments, as values or as `tf.TensorSpec`.
            **kwargs: Arguments by name, as values or as `tf.TensorSpec`.

        Returns:
            A function of a `stage`: "graph" (simplified), "segments" (which parts are machine
            code), "nests" (their loops), "llvm" or "assembly"; or "stablehlo", as
            `tf.stablehlo.export` writes it. It raises ValueError for another.

        >>> import graphwright as tf
        >>> f = tf.function(lambda x: x * 2.0 + 1.0)
        >>> print(f.experimental_get_compiler_ir(tf.constant([1.0, 2.0]))(stage="nests"))
        ; segment 0
        b0: input f32[s0]
        b1: result f32[s0]
        nest [s0] outer 0
          each
            .0 = load b0[i0*1] : f32
            .1 = 2.0 : f32
            .2 = Mul(.0, .1) : f32
            .3 = 1.0 : f32
            .4 = AddV2(.2, .3) : f32
            b1[i0*1] = .4
        """
        from graphwright.compile.run.inspection import compiler_ir  # it brings the whole compiler

        graph = self.get_concrete_function(*args, **kwargs).graph
        return lambda stage="nests": compiler_ir(graph, stage)

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """Returns the types of all traces, one after the other.

        Args:
            verbose: A bool; False gives one line for each trace.

        Returns:
            A string.

        >>> import graphwright as tf
        >>> f = tf.function(lambda n: None)
        >>> _ = f(1), f(2)
        >>> print(f.pretty_printed_concrete_signatures(verbose=False))
        (n: Literal[1]) -> Literal[None]
        <BLANKLINE>
        (n: Literal[2]) -> Literal[None]
        """
        shown = [repr(c.function_type) if verbose else str(c.function_type) for c in self._table]
        return "\n\n".join(shown)

    def explain(self) -> Report:
        """Why it was traced, and what would have saved traces; a report to print.

        >>> import graphwright as tf
        >>> @tf.function
        ... def double(x):
        ...     return x * 2
        >>> for n in (1, 2, 3):
        ...     y = double(tf.ones([n]))
        >>> cause = double.explain().causes[0]
        >>> cause.sentence
        '`x` comes in 3 shapes: [1], [2] and [3]; each needs a trace.'
        >>> cause.best.title, cause.best.traces
        ('Fix the signature', 1)
        >>> print(cause.best.code)
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def double(x): ...
        """
        family = self._history.family
        from graphwright.explain.report import report  # which few programs ask for

        histories = [self._history, *[method._history for method in self._methods.values()]]
        traced = [h for h in histories if h.records or h.failures]
        return report(traced or histories[:1], family)

    @property
    def _autograph(self) -> bool:
        """Whether Python's control flow is converted."""
        return bool(self._options["autograph"])

    @property
    def _jit_compile(self) -> bool | None:
        """Whether traces are compiled before their first call."""
        jit_compile: bool | None = self._options["jit_compile"]
        return jit_compile

    @property
    def _reduce_retracing(self) -> bool:
        """Whether a trace may take more shapes than that of its call."""
        return bool(self._options["reduce_retracing"])

    def _clone(self, python_function: PythonFunction | None) -> PolymorphicFunction:
        """Returns a function of the same options without traces, of another Python function where
        one is given."""
        if python_function is not None and not callable(python_function):
            raise TypeError(f"{python_function!r} is not a callable object")
        return PolymorphicFunction(
            python_function or self._python_function,
            self._name,
            self._input_signature,
            **self._options,
        )

    def _trackable_children(
        self, save_type: str = "checkpoint", **kwargs: object
    ) -> dict[str, ConcreteFunction]:
        """The traces by name where a model is saved, as libraries ask for them; at least one where
        `input_signature` says which."""
        if save_type == "checkpoint":
            return {}
        if not self._table and self.input_signature is not None:
            self.get_concrete_function()
        return {f"trace_{place}": concrete for place, concrete in enumerate(self._table)}

    def _list_all_concrete_functions(self) -> list[ConcreteFunction]:
        return list(self._table)

    def __repr__(self) -> str:
        return f"<graphwright.function of {self._python_function!r}>"


class Casting:
    """How far arguments may be changed to fit an input signature."""

    allow_specs = True


CASTING = Casting()


class HoldingFunction(PolymorphicFunction):
    """The function of an instance, which it keeps alive: in `Model().method(x)` nothing else does
    until the call has been made."""

    __slots__ = ("_instance",)
    _instance: object

    @staticmethod
    def of(function: PolymorphicFunction, instance: object) -> HoldingFunction:
        """A function that shares all state of another one."""
        holding = HoldingFunction.__new__(HoldingFunction)
        holding.__dict__ = function.__dict__
        holding._instance = instance
        return holding


class Watched:
    """A trace on the fast path that reports changes of the state it read."""

    __slots__ = ("concrete", "tally")

    def __init__(self, concrete: ConcreteFunction) -> None:
        self.concrete = concrete
        self.tally = concrete.tally

    def run(self, arrays: list[object]) -> Any:
        """The results, after a look at the state."""
        concrete = self.concrete
        if concrete.watch is not None:
            concrete.watch.tell()
        return concrete.run(arrays)


def flat_tensors(function_type: FunctionType, bound: Bound) -> list[Any]:
    """The tensors of bound arguments in the order of the graph's parameters."""
    tensors: list[Any] = []
    handles: set[int] = set()  # a variable given twice is one parameter
    for (_, _, type_), (_, _, value) in zip(function_type.typed(), bound):
        for tensor in type_.to_tensors(value):
            if tensor.dtype is dt.resource:
                if id(tensor) in handles:
                    continue
                handles.add(id(tensor))
            tensors.append(tensor)
    return tensors


if TYPE_CHECKING:

    class TypedConcreteFunction(ConcreteFunction, Generic[R]):
        """A trace of a function with that result."""

        def __call__(self, *args: object, **kwargs: object) -> R: ...

    class TypedFunction(PolymorphicFunction, Generic[P, R]):
        """A function of the parameters and the result of the one that was decorated."""

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...  # type: ignore[override]
        def get_concrete_function(
            self, *args: object, **kwargs: object
        ) -> TypedConcreteFunction[R]: ...
        @overload
        def __get__(self, instance: None, owner: type | None = None) -> TypedFunction[P, R]: ...
        @overload
        def __get__(
            self: TypedFunction[Concatenate[Any, Q], R],
            instance: object,
            owner: type | None = None,
        ) -> TypedFunction[Q, R]: ...
        def __get__(self, instance: object, owner: type | None = None) -> Any: ...


@overload
def function(
    func: Callable[P, R],
    input_signature: Sequence[object] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Features = None,
    experimental_attributes: Mapping[str, object] | None = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
    *,
    on_stale: str | None = None,
) -> TypedFunction[P, R]: ...
@overload
def function(
    func: None = None,
    input_signature: Sequence[object] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Features = None,
    experimental_attributes: Mapping[str, object] | None = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
    *,
    on_stale: str | None = None,
) -> Callable[[Callable[P, R]], TypedFunction[P, R]]: ...
def function(
    func: PythonFunction | None = None,
    input_signature: Sequence[object] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Features = None,
    experimental_attributes: Mapping[str, object] | None = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
    *,
    on_stale: str | None = None,
) -> Any:
    """Makes a Python function run as graphs: a decorator, with or without arguments.

    Args:
        func: The Python function. None makes a decorator.
        input_signature: Types of the arguments, such as `tf.TensorSpec`, for a single trace. None
            traces for each new combination of types.
        autograph: Whether Python's `if`, `while` and `for` may depend on tensors.
        jit_compile: True compiles to machine code before the first call, False never does. None
            does so once it pays.
        reduce_retracing: Whether shapes that change become unknown sizes, so that traces are fewer.
        experimental_implements: Recorded; it has no effect.
        experimental_autograph_options: A `tf.autograph.experimental.Feature`, several, or None.
        experimental_attributes: Recorded; they have no effect.
        experimental_relax_shapes: The former name of `reduce_retracing`.
        experimental_compile: The former name of `jit_compile`.
        experimental_follow_type_hints: Has no effect.
        on_stale: The reaction to a change of state that was read while tracing, such as globals and
            attributes: "warn", "retrace" or "ignore". None ignores it, or warns in debug mode
            (`tf.explain.debug_mode`).

    Returns:
        A callable with the parameters of `func`, or a decorator where `func` is None.

    Raises:
        ValueError: `on_stale` is none of the three.

    >>> import graphwright as tf
    >>> @tf.function
    ... def f(x):
    ...     return x + 1
    >>> f(tf.constant(2))
    <tf.Tensor: shape=(), dtype=int32, numpy=3>
    """
    relax = reduce_retracing if experimental_relax_shapes is None else experimental_relax_shapes
    compile_ = jit_compile if experimental_compile is None else experimental_compile

    def decorate(inner: PythonFunction) -> PolymorphicFunction:
        return PolymorphicFunction(
            inner,
            None,
            input_signature,
            autograph,
            compile_,
            relax,
            experimental_implements,
            experimental_autograph_options,
            experimental_attributes,
            on_stale=on_stale,
        )

    return decorate if func is None else decorate(func)
