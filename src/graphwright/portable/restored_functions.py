"""Functions of a loaded model: their traces, and which of them serves a call."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from graphwright.function.concrete import ConcreteFunction
from graphwright.function.polymorphic import TRACING, PolymorphicFunction
from graphwright.function.structure import Outputs
from graphwright.ir.graph import Graph
from graphwright.machine.process_settings import uncollected
from graphwright.op.interpreter import STATE, activate
from graphwright.op.refusal import complete, own_words
from graphwright.portable.function_body import NAME
from graphwright.portable.function_import import FunctionImport
from graphwright.portable.model_error import malformed
from graphwright.portable.structured_values import decode
from graphwright.proto.saved_model_pb2 import FunctionSpec, SavedConcreteFunction
from graphwright.trace.argument_types import from_value, is_tensor
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
from graphwright.types.containers import is_namedtuple
from graphwright.types.specs import TensorSpec
from graphwright.types.type_spec import TypeSpec
from graphwright.values.convert import convert
from graphwright.values.tensor import Tensor
from graphwright.values.variable import Variable


class RestoredTrace:
    """A trace of a saved function; its graph is imported when it is first needed."""

    def __init__(
        self,
        name: str,
        message: SavedConcreteFunction,
        functions: FunctionImport,
        captured: Callable[[int], Tensor],
    ) -> None:
        self.name = name
        self._message = message
        self._functions = functions
        self._captured = captured
        signature = decode(message.canonicalized_input_signature)
        if not is_call(signature):
            raise malformed(name, "its signature is no pair of positional and named arguments")
        self.args: tuple[Any, ...] = tuple(signature[0])
        self.kwargs: dict[str, Any] = dict(signature[1])
        self._made: ConcreteFunction | None = None
        #: What positional parameters are called.
        self.names: Sequence[str] = ()

    @property
    def signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The types of the arguments, and Python values that the trace was made for."""
        return self.args, self.kwargs

    def concrete(self) -> ConcreteFunction:
        """The function that runs it."""
        if self._made is None:
            with TRACING, activate(None), uncollected():
                if self._made is None:
                    self._made = self._imported()
        return self._made

    def _imported(self) -> ConcreteFunction:
        specs = list(tensor_specs(self.signature))
        name, functions = self.name, self._functions
        body = functions.body(name)
        bound = list(self._message.bound_inputs)
        if len(specs) + len(bound) != len(body.arguments):
            words = f"it takes {len(body.arguments)} tensors, not {len(specs)} and {len(bound)}"
            raise malformed(name, words)
        graph = Graph(name)
        with tracing(graph) as tracer:
            for spec, argument in zip(specs, body.arguments):
                graph.parameters.append(
                    graph.placeholder(spec.type, placeholder_name(spec, argument))
                )
            captured = [self._captured(number) for number in bound]
            inputs: list[Any] = [SymbolicTensor(value, graph) for value in graph.parameters]
            for outside in captured:
                value = tracer.capture(outside, outside.type)
                inputs.append(SymbolicTensor(value, graph))
                functions.note(inputs[-1], functions.behind(outside))
            results = functions.inline(name, inputs)
            outputs = Outputs(self.structured(results), self.concrete)
            graph.results = outputs.results(tracer)
        return RestoredConcrete(plain_name(name), self._type(), graph, outputs, self._specs())

    def _specs(self) -> Any:
        """The structure of the results, as the model has it."""
        return decode(self._message.output_signature)

    def structured(self, results: list[Any]) -> Any:
        """Results in the structure that the function returned."""
        structure = self._specs()
        specs = [leaf for leaf in tree.flatten(structure) if isinstance(leaf, TypeSpec)]
        parts = [part for spec in specs for part in spec.flatten()]
        fits = len(parts) == len(results) and all(
            part.dtype is result.dtype and part.shape.is_compatible_with(result.shape)
            for part, result in zip(parts, results)
        )
        if not fits:
            raise malformed(self.name, f"{structure!r} is not what it returns")
        rest = iter(results)

        def filled(leaf: object) -> Any:
            if not isinstance(leaf, TypeSpec):
                return leaf
            return next(rest) if isinstance(leaf, TensorSpec) else leaf.from_tensors(rest)

        try:
            return tree.map_structure(filled, structure)
        except (TypeError, ValueError) as error:
            words = f"{structure!r} is not what it returns: {own_words(error)}"
            raise malformed(self.name, words) from error

    def _type(self) -> FunctionType:
        """The type of the function."""
        parameters = []
        for i, argument in enumerate(self.args):
            name = self.names[i] if i < len(self.names) else f"args_{i}"
            more = len(self.args) > len(self.names)
            kind = POSITIONAL_ONLY if more else POSITIONAL_OR_KEYWORD
            parameters.append(Parameter(name, kind, False, from_value(argument)))
        for name in sorted(self.kwargs):
            if not name.isidentifier():
                raise malformed(self.name, f"no argument can be called {name!r}")
            parameters.append(Parameter(name, KEYWORD_ONLY, False, from_value(self.kwargs[name])))
        try:
            return FunctionType(parameters)
        except ValueError as error:
            raise malformed(self.name, str(error)) from None

    def tensors(
        self, args: tuple[object, ...], kwargs: Mapping[str, object], converting: bool
    ) -> list[Any] | None:
        """The tensors of a call, or None where the trace does not serve it."""
        try:
            return list(matched(self.signature, (args, kwargs), converting))
        except Misfit:
            return None

    def refusal(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> str:
        """Why the trace does not serve a call."""
        try:
            list(matched(self.signature, (args, kwargs), True))
        except Misfit as misfit:
            return misfit.words()
        return ""


class RestoredConcrete(ConcreteFunction):
    """A trace of a loaded model; the structure of its results has the names that were saved."""

    def __init__(
        self, name: str, function_type: FunctionType, graph: Graph, outputs: Outputs, specs: Any
    ) -> None:
        super().__init__(name, function_type, graph, outputs)
        self._specs = specs

    @property
    def structured_outputs(self) -> Any:
        """The structure of the results, with a `tf.TensorSpec` for each tensor."""
        return self._specs


def placeholder_name(spec: TensorSpec, argument: str) -> str:
    """What the placeholder of an argument is called."""
    return spec.name if spec.name and NAME.fullmatch(spec.name) else argument


class Misfit(Exception):
    """A value is not what a trace takes."""

    def __init__(self, expected: object, value: object) -> None:
        super().__init__()
        self.expected = expected
        self.value = value

    def words(self) -> str:
        """What the value is, and what the trace takes."""
        expected, value = self.expected, self.value
        if isinstance(value, Tensor):
            name = expected.name if isinstance(expected, TensorSpec) else None
            value = TensorSpec.from_type(value.type, name)
        return f"Can not cast {value!r} to {expected!r}"


def is_call(signature: object) -> bool:
    """Whether a structure is positional arguments and named ones."""
    return (
        isinstance(signature, tuple)
        and len(signature) == 2
        and isinstance(signature[0], (tuple, list))
        and isinstance(signature[1], dict)
    )


def tensor_specs(signature: object) -> Iterator[TensorSpec]:
    """The specs of the tensors in a structure."""
    for leaf in tree.flatten(signature):
        if isinstance(leaf, TypeSpec):
            yield from leaf.flatten()


def matched(expected: Any, value: Any, converting: bool) -> Iterator[Any]:
    """The tensors of a value, in the order of the specs that it should fit."""
    if isinstance(expected, TensorSpec):
        yield matched_tensor(expected, value, converting)
    elif isinstance(expected, TypeSpec):
        if not expected.is_compatible_with(value):
            raise Misfit(expected, value)
        yield from expected.to_tensors(value)
    elif isinstance(expected, Mapping):
        if not isinstance(value, Mapping) or value.keys() != expected.keys():
            raise Misfit(expected, value)
        for key in sorted(expected):
            yield from matched(expected[key], value[key], converting)
    elif isinstance(expected, (list, tuple)):
        if not is_alike(expected, value):
            raise Misfit(expected, value)
        for part, item in zip(expected, value):
            yield from matched(part, item, converting)
    elif is_tensor(value) or is_tensor(expected) or type(value) is not type(expected):
        if value is not expected and not (is_number(value) and value == expected):
            raise Misfit(expected, value)
    elif value != expected:
        raise Misfit(expected, value)


def is_number(value: object) -> bool:
    """Whether a value is a number or a bool of Python's."""
    return isinstance(value, (bool, int, float))


def is_alike(expected: Any, value: Any) -> bool:
    """Whether a value is a sequence of the same kind and length."""
    if is_namedtuple(type(expected)):
        return bool(getattr(value, "_fields", None) == expected._fields)
    kind = list if isinstance(expected, list) else tuple
    return isinstance(value, kind) and len(value) == len(expected)


def matched_tensor(spec: TensorSpec, value: Any, converting: bool) -> Any:
    """The tensor that a value is, or is converted to."""
    if isinstance(value, Variable):
        value = convert(value)
    if not isinstance(value, Tensor):
        if not converting:
            raise Misfit(spec, value)
        try:
            value = convert(value, None, spec.dtype)
        except (TypeError, ValueError):
            raise Misfit(spec, value) from None
    if value.dtype is not spec.dtype or not spec.shape.is_compatible_with(value.shape):
        raise Misfit(spec, value)
    return value


# -- signatures of Python -----------------------------------------------------------------------


def python_signature(spec: FunctionSpec) -> inspect.Signature:
    """The parameters of the Python function that was saved, without its object."""
    whole = decode(spec.fullargspec)
    fields = ("args", "varargs", "varkw", "defaults", "kwonlyargs", "kwonlydefaults")
    if not is_namedtuple(type(whole)) or not set(fields) <= set(whole._fields):
        raise malformed("a function", f"{whole!r} are no parameters")
    try:
        return inspect.Signature(list(python_parameters(whole, spec.is_method)))
    except (TypeError, ValueError) as error:
        raise malformed("a function", str(error)) from None


def python_parameters(whole: Any, is_method: bool) -> Iterator[inspect.Parameter]:
    """The parameters of an `inspect.FullArgSpec`, without the object of a method."""
    names = list(whole.args or ())
    if is_method and names:
        names = names[1:]
    defaults = list(whole.defaults or ())
    first = len(names) - len(defaults)  # that has a default
    kind = POSITIONAL_OR_KEYWORD
    for i, name in enumerate(names):
        default = defaults[i - first] if i >= first else inspect.Parameter.empty
        yield inspect.Parameter(name, kind, default=default)
    if whole.varargs:
        yield inspect.Parameter(whole.varargs, inspect.Parameter.VAR_POSITIONAL)
    named = dict(whole.kwonlydefaults or {})
    for name in whole.kwonlyargs or ():
        default = named.get(name, inspect.Parameter.empty)
        yield inspect.Parameter(name, KEYWORD_ONLY, default=default)
    if whole.varkw:
        yield inspect.Parameter(whole.varkw, inspect.Parameter.VAR_KEYWORD)


def restored_function(
    name: str, spec: FunctionSpec, traces: Sequence[RestoredTrace]
) -> RestoredFunction:
    """The function that these traces were made of."""
    signature = python_signature(spec)
    positional = [p.name for p in signature.parameters.values() if p.kind is POSITIONAL_OR_KEYWORD]
    for trace in traces:
        trace.names = positional

    jit_compile = {FunctionSpec.ON: True, FunctionSpec.OFF: False}.get(spec.jit_compile)
    specs = stated_specs(spec)
    dispatch = Dispatch(name, signature, traces, specs is not None)
    return RestoredFunction(dispatch, name, jit_compile, traces, specs)


def stated_specs(spec: FunctionSpec) -> tuple[Any, ...] | None:
    """The input signature that a saved function had, or None."""
    if not spec.HasField("input_signature"):
        return None
    specs = decode(spec.input_signature)
    if specs is not None and not isinstance(specs, (list, tuple)):
        raise malformed("a function", f"{specs!r} is no input signature")
    return None if specs is None else tuple(specs)


class Dispatch:
    """What stands for the Python function of a saved one: it calls a trace that fits."""

    def __init__(
        self,
        name: str,
        signature: inspect.Signature,
        traces: Sequence[RestoredTrace],
        is_typed: bool,
    ) -> None:
        self.__name__ = self.__qualname__ = name
        self.__signature__ = signature
        self._traces = traces
        self._is_typed = is_typed and bool(traces)  # whether it had an input signature

    def __call__(self, *args: object, **kwargs: object) -> Any:
        concrete, tensors = self.serving(args, kwargs)
        return concrete.call_tensors(tensors)

    def serving(
        self, args: tuple[object, ...], kwargs: Mapping[str, object]
    ) -> tuple[ConcreteFunction, list[Any]]:
        """The first trace that fits a call, and its tensors; TypeError or ValueError where none
        does."""
        try:
            bound = self.__signature__.bind(*args, **kwargs)
        except TypeError as error:
            raise self.misfit(own_words(error), args, kwargs) from None
        bound.apply_defaults()
        for converting in (False, True):
            for trace in self._traces:
                tensors = trace.tensors(bound.args, bound.kwargs, converting)
                if tensors is not None:
                    return trace.concrete(), tensors
        if self._is_typed:
            reason = self._traces[0].refusal(bound.args, bound.kwargs)
            raise self.misfit(reason, args, kwargs)
        raise complete(ValueError(no_trace(self._traces, bound.args, bound.kwargs)))

    def misfit(
        self, reason: str, args: tuple[object, ...], kwargs: Mapping[str, object]
    ) -> TypeError:
        """The error of a call that does not fit the signature."""
        typed = self._traces[0]._type() if self._is_typed else self.__signature__
        return complete(TypeError(
            f"Binding inputs to tf.function failed due to `{reason}`. Received args: {args} and "
            f"kwargs: {dict(kwargs)} for signature: {typed}."
        ))  # fmt: skip

    def __repr__(self) -> str:
        return f"<{self.__name__}{self.__signature__} of a loaded model>"


class RestoredFunction(PolymorphicFunction):
    """A function of a loaded model; a call is served by the first of its traces that fits."""

    def __init__(
        self,
        function: Dispatch,
        name: str,
        jit_compile: bool | None,
        traces: Sequence[RestoredTrace],
        specs: tuple[Any, ...] | None,
    ) -> None:
        super().__init__(function, name, autograph=False, jit_compile=jit_compile)
        self._dispatch = function
        self._traces = traces
        self._stated_specs = specs

    @property
    def input_signature(self) -> tuple[object, ...] | None:
        """The fixed signature that the function had, or None."""
        return self._stated_specs

    def get_concrete_function(self, *args: object, **kwargs: object) -> Any:
        """The only trace of a function with an input signature, else one that a trace serves."""
        if not args and not kwargs and self._stated_specs is not None and len(self._traces) == 1:
            return self._traces[0].concrete()
        return super().get_concrete_function(*args, **kwargs)

    def _slow_call(self, args: tuple[object, ...], kwargs: dict[str, object]) -> Any:
        """Has a saved trace serve the call, and no new one."""
        concrete, tensors = self._dispatch.serving(args, kwargs)
        if STATE.active is None:
            bound = self._bind(args, kwargs)
            named = [part for part in bound if part[1] is KEYWORD_ONLY]
            places = [part for part in bound if part[1] is not KEYWORD_ONLY]
            ordered = [*places, *sorted(named, key=itemgetter(0))]  # as the trace takes them
            self._fast.remember(args, kwargs, ordered, tensors, concrete)
        return concrete.call_tensors(tensors)

    @property
    def concrete_functions(self) -> list[ConcreteFunction]:
        """The traces that were saved, as functions."""
        return [trace.concrete() for trace in self._traces]

    def _list_all_concrete_functions(self) -> list[ConcreteFunction]:
        return self.concrete_functions

    def __repr__(self) -> str:
        return f"<graphwright function {self._name!r} of a loaded model>"


def no_trace(
    traces: Sequence[RestoredTrace], args: tuple[object, ...], kwargs: Mapping[str, object]
) -> str:
    """The words about a call that no trace serves."""
    if not traces:
        return (
            "Found zero restored functions for caller function. It had no trace when the model was "
            "saved. Call it before that, or its `get_concrete_function(tf.TensorSpec(...))`."
        )

    def shown(args: Sequence[object], kwargs: Mapping[str, object]) -> str:
        lines = [f"    * {argument!r}" for argument in args]
        positional = "\n".join([f"  Positional arguments ({len(args)} total):", *lines])
        return f"{positional}\n  Keyword arguments: {dict(kwargs)}"

    options = [f"Option {i + 1}:\n{shown(*trace.signature)}" for i, trace in enumerate(traces)]
    return (
        f"Could not find matching concrete function to call loaded from the SavedModel. Got:\n"
        f"{shown(args, kwargs)}\n\n Expected these arguments to match one of the following "
        f"{len(traces)} option(s):\n\n" + "\n\n".join(options)
    )


def plain_name(name: str) -> str:
    """The name that a function had in the program: `__inference_f_12` was `f`."""
    match = re.fullmatch(r"__inference_(\w+)_\d+", name)
    return match[1] if match and match[1].isidentifier() else "function"
