"""Python functions inside graphs: `py_function` and `numpy_function`."""

from __future__ import annotations

import functools
import itertools
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.autodiff.sweep import carries_gradient
from graphwright.autodiff.tape import Recorder, gradients_of
from graphwright.base.errors import (
    InvalidArgumentError,
    OutOfRangeError,
    ResourceExhaustedError,
    StatusError,
    UnimplementedError,
    UnknownError,
    show_users_lines,
)
from graphwright.ir.graph import Graph, Node
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import activate, apply, convert
from graphwright.op.op import Call, Effect, Op, c_name, not_differentiable
from graphwright.ops.core.creation import zeros_like
from graphwright.ops.core.identity import identity
from graphwright.trace.tracer import current_tracer
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.composite import Composite
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.specs import TensorSpec
from graphwright.types.tensor_type import TensorType, VariantValue
from graphwright.types.type_spec import TypeSpec
from graphwright.values.convert import make_array
from graphwright.values.tensor import EagerTensor, Tensor, wrap

_NUMBERS = itertools.count()

#: The class of error that an exception in the function becomes.
_STATUS: tuple[tuple[type[Exception], type[StatusError]], ...] = (
    (ValueError, InvalidArgumentError),
    (TypeError, InvalidArgumentError),
    (StopIteration, OutOfRangeError),
    (MemoryError, ResourceExhaustedError),
    (NotImplementedError, UnimplementedError),
)


class FreshFunction:
    """A function of this library as the function of a node.

    Its results are new and of the dtypes promised, so none is copied. Its errors stay as they are,
    since they are no program's.

    Args:
        compute: From arrays to a sequence of arrays.
    """

    def __init__(self, compute: Callable[..., Sequence[Array]]) -> None:
        self.compute = compute

    def __call__(self, *arrays: Any) -> Sequence[Array]:
        """What the node computes."""
        return self.compute(*arrays)


class DescribedFunction(FreshFunction):
    """One that says in reports what it does there."""

    def shown(self, node: Node, graph: Graph) -> str:
        """What its node in a graph does, in words."""
        raise NotImplementedError


def descriptions(graph: Graph) -> list[str]:
    """What the described functions of a graph do, in its order."""
    result = []
    for node in graph.nodes:
        function = getattr(getattr(node.op, "token", None), "function", None)
        if isinstance(function, DescribedFunction):
            result.append(function.shown(node, graph))
    return result


class Token(str):
    """The name by which a graph knows a Python function, which it holds."""

    __slots__ = ("function",)
    function: Callable[..., Any]


def token_of(function: Callable[..., object]) -> Token:
    """A new name for a function."""
    token = Token(f"pyfunc_{next(_NUMBERS)}")
    token.function = function
    return token


def status_of(error: Exception) -> StatusError:
    """The error that says what happened inside the function, with its traceback."""
    status = next((s for kind, s in _STATUS if type(error) is kind), UnknownError)
    show_users_lines(error)
    trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return status(None, None, f"{type(error).__name__}: {error}\n{trace}\n")


class Tape(VariantValue):
    """The record of a call under a gradient tape, for its gradient: a value of dtype variant."""

    def __init__(
        self, recorder: Recorder, inputs: Sequence[TensorValue], outputs: Sequence[TensorValue]
    ) -> None:
        self.recorder = recorder
        self.inputs = inputs
        self.outputs = outputs

    def __repr__(self) -> str:
        return "<tape of a Python function>"


class HostOp(Op):
    """An op whose kernel is a program's Python function."""

    inputs = ("input: Tin...",)
    outputs = ("output: Tout...",)
    effect = Effect.WRITE
    pure = False
    returns_tuple = True

    token: str
    Tout: tuple[DType, ...]

    @property
    def function(self) -> Callable[..., Any]:
        """The Python function; it does not come along when a graph leaves its process."""
        if isinstance(self.token, Token):
            return self.token.function
        raise InvalidArgumentError(None, None, f"callback {self.token} is not found")

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        return self.Tout

    def infer(self, operands: Sequence[object]) -> tuple[TensorType, ...]:
        return tuple([TensorType(dtype, None) for dtype in self.result_dtypes(())])

    def refuse_count(self, count: int) -> InvalidArgumentError:
        """The error for a function that returned another number of values."""
        return InvalidArgumentError(
            None,
            None,
            f"{self.token} returns {count} values, but expects to see {len(self.Tout)} values.",
        )


class EagerPyFunc(HostOp):
    """Calls a Python function on eager tensors."""

    type_name = "EagerPyFunc"

    def kernel(self, *arrays: Any) -> tuple[Any, ...]:
        with activate(None):
            return tuple([t._array for t in self.run([wrap(array) for array in arrays])])

    def run(self, inputs: Sequence[TensorValue]) -> list[Any]:
        """The function's results as eager tensors of the dtypes promised."""
        function = self.function
        try:
            returned = function(*inputs)
        except Exception as error:
            raise status_of(error) from error
        return self.tensors_of(returned)

    def tensors_of(self, returned: Any) -> list[Any]:
        """What the function returned, as eager tensors of the dtypes promised."""
        if type(returned) is EagerTensor and self.Tout == (returned.dtype,):
            return [returned]
        try:
            results = tree.flatten(returned) if tree.is_nested(returned) else [returned]
            results = [] if returned is None else results
            if len(results) >= len(self.Tout):
                return [convert(r, dtype) for r, dtype in zip(results, self.Tout)]
        except Exception as error:
            raise status_of(error) from error
        raise self.refuse_count(len(results))

    def taped(self, operands: tuple[object, ...]) -> Op:
        return RecordedPyFunc(self.token, self.Tout)

    def untaped(self, result: tuple[TensorValue, ...]) -> Any:
        return result[:-1]


class RecordedPyFunc(EagerPyFunc):
    """The same call, which records itself for its gradient in a further result."""

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        return (*self.Tout, dt.variant)

    def taped(self, operands: tuple[object, ...]) -> Op:
        return self

    def kernel(self, *arrays: Any) -> tuple[Any, ...]:
        inputs = [wrap(array) for array in arrays]
        recorder = Recorder(watch_accessed_variables=False)
        outputs = remembered(recorder, inputs, lambda: self.run(inputs))
        return (*[t._array for t in outputs], Tape(recorder, inputs, outputs))

    def gradient(self, call: Call, *cotangents: Cotangent) -> Sequence[Any]:
        return cotangents_of(call.outputs[-1], call.inputs, cotangents[:-1])


def remembered(
    recorder: Recorder, inputs: Sequence[Tensor], run: Callable[[], Sequence[TensorValue]]
) -> Any:
    """What a function returns, with a recorder noting how it depends on the inputs."""
    for tensor in filter(carries_gradient, inputs):
        recorder.watch(tensor)
    with activate(None):
        recorder.enter()
        return [identity(result) for result in run()]


def cotangents_of(
    record: TensorValue, inputs: Sequence[TensorValue], cotangents: Sequence[Cotangent | None]
) -> list[Any]:
    """The cotangents of the inputs of a recorded call, from those of its results."""
    op = EagerPyFuncGradient(
        tuple([x.dtype for x in inputs]), tuple([g is not None for g in cotangents])
    )
    results = apply(op, record, *inputs, *[g for g in cotangents if g is not None])
    return [
        g if x.dtype.is_floating or x.dtype.is_complex else None for x, g in zip(inputs, results)
    ]


class EagerPyFuncGradient(Op):
    """The cotangents of a recorded call's inputs, zeros where there are none.

    The inputs are operands for the sake of second derivatives: the tape knows their values.
    """

    type_name = "EagerPyFuncGradient"
    inputs = ("tape: variant", "operands: Tin...")
    outputs = ("output: Tout...",)
    pure = False
    returns_tuple = True

    Tout: tuple[DType, ...]
    given: tuple[bool, ...]

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        return self.Tout

    def infer(self, operands: Sequence[object]) -> tuple[TensorType, ...]:
        return tuple([TensorType(dtype, None) for dtype in self.result_dtypes(())])

    def kernel(self, recorded: Tape, *arrays: Any) -> tuple[Any, ...]:
        weights = [wrap(array) for array in arrays[len(self.Tout) :]]
        with activate(None):
            return tuple([g._array for g in self.run(recorded, weights)])

    def run(self, recorded: Tape, weights: Sequence[TensorValue]) -> list[Any]:
        """The cotangents, given those of some of the results."""
        chosen = [t for t, given in zip(recorded.outputs, self.given) if given]
        inputs = recorded.inputs
        gradients = gradients_of(recorded.recorder.calls, chosen, inputs, weights)
        return [zeros_like(x) if g is None else convert(g) for x, g in zip(inputs, gradients)]

    def taped(self, operands: tuple[object, ...]) -> Op:
        return RecordedPyFuncGradient(self.Tout, self.given)

    def untaped(self, result: tuple[TensorValue, ...]) -> Any:
        return result[:-1]


class RecordedPyFuncGradient(EagerPyFuncGradient):
    """The same cotangents, computed under the tape that recorded the call."""

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        return (*self.Tout, dt.variant)

    def taped(self, operands: tuple[object, ...]) -> Op:
        return self

    def kernel(self, recorded: Tape, *arrays: Any) -> tuple[Any, ...]:
        weights = [wrap(array) for array in arrays[len(self.Tout) :]]
        cotangents = remembered(recorded.recorder, weights, lambda: self.run(recorded, weights))
        again = Tape(recorded.recorder, [*recorded.inputs, *weights], cotangents)
        return (*[g._array for g in cotangents], again)

    def gradient(self, call: Call, *cotangents: Cotangent) -> Sequence[Any]:
        return [None, *cotangents_of(call.outputs[-1], call.inputs[1:], cotangents[:-1])]


class PyFunc(HostOp):
    """Calls a Python function on NumPy arrays."""

    type_name = "PyFunc"
    gradient = not_differentiable

    def kernel(self, *arrays: Any) -> tuple[Any, ...]:
        function = self.function
        try:
            with activate(None):
                returned = function(*[np.asarray(a)[()] for a in arrays])
        except Exception as error:
            if isinstance(function, FreshFunction):
                raise
            raise status_of(error) from error
        return tuple(returned) if isinstance(function, FreshFunction) else self.arrays_of(returned)

    def arrays_of(self, returned: Any) -> tuple[Any, ...]:
        """What the function returned, as arrays of the dtypes promised."""
        results = [] if returned is None else returned
        if not isinstance(results, (list, tuple)):
            results = [results]
        if len(results) != len(self.Tout):
            raise self.refuse_count(len(results))
        return tuple([self.result(i, value) for i, value in enumerate(results)])

    def result(self, position: int, value: TensorLike) -> Any:
        """A returned value as an array of the dtype promised; an error if it has another."""
        if isinstance(value, EagerTensor):
            value = value.numpy()
        if isinstance(value, (bool, int, float, complex)):
            value = np.asarray(value)  # of NumPy's own width: int64, float64
        array = make_array(value, None)
        present, wanted = dt.of_numpy(array.dtype), self.Tout[position]
        if present is not wanted:
            raise InvalidArgumentError(
                None,
                None,
                f"{position}-th value returned by {self.token} is {c_name(present)}, but expects "
                f"{c_name(wanted)}",
            )
        return array


class PyFuncStateless(PyFunc):
    """Calls a Python function that has no effects: it may run fewer times."""

    type_name = "PyFuncStateless"
    effect = Effect.NONE


def py_function(
    func: Callable[..., object] | None = None,
    inp: Sequence[TensorLike] | None = None,
    Tout: object = None,
    name: str | None = None,
) -> Any:
    """Calls a Python function on eager tensors, whenever the graph runs.

    Gradients flow through it. Without `inp`, it is a decorator.

    Args:
        func: A function of eager tensors, or of composites.
        inp: A list of the arguments: tensors or composites.
        Tout: The dtype of the result, or a nested structure of dtypes and type specs.
        name: A name for the op.

    Returns:
        Tensors or composites in the structure of `Tout`; without `inp`, a function.

    Raises:
        ValueError: `func` cannot be called.
        InvalidArgumentError: The function raises ValueError or TypeError, or returns another dtype.
        UnknownError: The function raises another exception.

    >>> import graphwright as tf
    >>> tf.py_function(lambda x: x + 1, [tf.constant(1.0)], tf.float32)
    <tf.Tensor: shape=(), dtype=float32, numpy=2.0>
    """
    if inp is None:
        return decorator(func, Tout, py_function, name)
    return called(EagerPyFunc, func, inp, Tout, name or "EagerPyFunc")


def numpy_function(
    func: Callable[..., object] | None = None,
    inp: Sequence[TensorLike] | None = None,
    Tout: object = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """Calls a Python function on NumPy arrays, whenever the graph runs.

    No gradient flows through it. Without `inp`, it is a decorator.

    Args:
        func: A function of NumPy arrays.
        inp: A list of the arguments: tensors.
        Tout: The dtype of the result, or a nested structure of dtypes. Eagerly it is not used.
        stateful: Whether calls of the function have effects, so that none may be left out.
        name: A name for the op.

    Returns:
        Tensors in the structure of `Tout`, eagerly a list of them or one alone; without `inp`, a
        function.

    Raises:
        ValueError: In a graph, `func` cannot be called.
        InvalidArgumentError: In a graph, the function raises ValueError or TypeError, or returns
            another dtype.

    >>> import graphwright as tf
    >>> import numpy as np, graphwright as tf
    >>> tf.numpy_function(np.sinh, [tf.constant(1.0)], tf.float32)
    <tf.Tensor: shape=(), dtype=float32, numpy=1.175201177597046>
    """
    if inp is None:
        return decorator(func, Tout, functools.partial(numpy_function, stateful=stateful), name)
    if current_tracer() is None:
        function: Any = func
        returned = tree.flatten(function(*[np.array(x) for x in inp]))
        results = [None if r is None else convert(r) for r in returned]
        return results[0] if len(results) == 1 else results
    return called(PyFunc if stateful else PyFuncStateless, func, inp, Tout, name or "PyFunc")


def fresh_results(
    function: FreshFunction,
    inp: Sequence[TensorLike],
    dtypes: Sequence[DType],
    name: str = "PyFunc",
) -> list[Any]:
    """The results of a function of this library, now or whenever the graph runs."""
    return called(PyFunc, function, inp, list(dtypes), name)


def decorator(
    func: Callable[..., object] | None,
    Tout: object,
    caller: Callable[..., object],
    name: str | None,
) -> Any:
    """`@py_function(Tout=...)`."""

    def decorate(function: Callable[..., object]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*inp: Any) -> Any:
            return caller(function, inp, Tout, name=name)

        return wrapper

    return decorate if func is None else decorate(func)


def called(
    kind: type[HostOp],
    func: Callable[..., object] | None,
    inp: Sequence[TensorLike],
    Tout: object,
    name: str,
) -> Any:
    """The op's results in the structure of `Tout`."""
    if not callable(func):
        raise ValueError(
            f"Expected func to be callable. Received func={func} of type {type(func)}."
        )
    leaves = tree.flatten(Tout)
    if any(isinstance(x, Composite) for x in inp) or any(map(is_composite_type, leaves)):
        return called_on_composites(func, inp, Tout, name)
    dtypes = tuple([t.dtype if isinstance(t, TensorSpec) else as_dtype(t) for t in leaves])
    op = kind(token_of(func), dtypes)
    results = apply(op, *[convert(x) for x in inp], name=name) or ()
    for leaf, result in zip(leaves, results):
        if isinstance(leaf, TensorSpec):
            result.set_shape(leaf.shape)
    return tree.pack_sequence_as(Tout, list(results))


def is_composite_type(spec: object) -> bool:
    """Whether a result is to be a composite."""
    return isinstance(spec, TypeSpec) and not isinstance(spec, TensorSpec)


def called_on_composites(
    func: Callable[..., object], inp: Sequence[TensorLike], Tout: object, name: str
) -> Any:
    """`py_function` of values made of tensors: the op has these."""
    arguments = [x.__graphwright_spec__ if isinstance(x, Composite) else None for x in inp]
    leaves = tree.flatten(Tout)

    def on_tensors(*tensors: Any) -> list[Any]:
        remaining = iter(tensors)
        values = [next(remaining) if t is None else t.from_tensors(remaining) for t in arguments]
        returned = func(*values)
        results = tree.flatten(returned) if tree.is_nested(returned) else [returned]
        if len(results) < len(leaves):
            raise ValueError(f"{func} returned {len(results)} values, not {len(leaves)}")
        return [tensor for pair in zip(leaves, results) for tensor in tensors_of_result(*pair)]

    flat = [t for leaf in leaves for t in (leaf.flatten() if is_composite_type(leaf) else [leaf])]
    parts = tree.flatten(list(inp), expand_composites=True)
    results = iter(called(EagerPyFunc, on_tensors, parts, flat, name))
    packed = [
        leaf.from_tensors(results) if is_composite_type(leaf) else next(results) for leaf in leaves
    ]
    return tree.pack_sequence_as(Tout, packed)


def tensors_of_result(leaf: Any, result: object) -> list[Any]:
    """The tensors of one result; ValueError if it is not of the type that was promised."""
    if not is_composite_type(leaf):
        return [result]
    if not leaf.is_compatible_with(result):
        raise ValueError(f"py_function returned {result!r}, which is not compatible with {leaf!r}")
    tensors: list[Any] = leaf.to_tensors(result)
    return tensors
