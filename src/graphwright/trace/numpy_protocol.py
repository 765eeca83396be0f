"""NumPy functions on symbolic tensors: staged where a graph op means the same.

`np.sin(x)` of a symbolic tensor becomes `Sin`, through `__array_ufunc__` and
`__array_function__`. A function without a graph form is refused; the error says what to call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from graphwright.op.interpreter import convert
from graphwright.ops.core import (
    creation,
    identity,
    indexing,
    joining,
    movement,
    repetition,
    reversal,
)
from graphwright.ops.linalg import contraction
from graphwright.ops.math import (
    arithmetic,
    bitwise,
    comparison,
    magnitude,
    reduction,
    rounding,
    transcendental,
    trigonometric,
)
from graphwright.types.arguments import TensorLike, TensorValue

#: A tensor reduced along an axis, or axes; the last argument is whether these stay, of size 1.
Reduction: TypeAlias = Callable[[TensorValue, "TensorLike | None", bool], Any]

#: ufunc -> the op of the same meaning.
UFUNCS: dict[Any, Callable[..., Any]] = {
    np.add: arithmetic.add,
    np.subtract: arithmetic.subtract,
    np.multiply: arithmetic.multiply,
    np.divide: arithmetic.truediv,
    np.floor_divide: arithmetic.floordiv,
    np.mod: arithmetic.floormod,
    np.negative: arithmetic.negative,
    np.positive: identity.identity,
    np.maximum: arithmetic.maximum,
    np.minimum: arithmetic.minimum,
    np.conjugate: arithmetic.conj,
    np.absolute: magnitude.abs,
    np.power: transcendental.pow,
    np.sqrt: transcendental.sqrt,
    np.square: transcendental.square,
    np.exp: transcendental.exp,
    np.expm1: transcendental.expm1,
    np.log: transcendental.log,
    np.log1p: transcendental.log1p,
    np.sign: magnitude.sign,
    np.floor: rounding.floor,
    np.ceil: rounding.ceil,
    np.rint: rounding.round,
    np.reciprocal: transcendental.reciprocal,
    np.sin: trigonometric.sin,
    np.cos: trigonometric.cos,
    np.tan: trigonometric.tan,
    np.arcsin: trigonometric.asin,
    np.arccos: trigonometric.acos,
    np.arctan: trigonometric.atan,
    np.arctan2: trigonometric.atan2,
    np.sinh: trigonometric.sinh,
    np.cosh: trigonometric.cosh,
    np.tanh: trigonometric.tanh,
    np.arcsinh: trigonometric.asinh,
    np.arccosh: trigonometric.acosh,
    np.arctanh: trigonometric.atanh,
    np.less: comparison.less,
    np.less_equal: comparison.less_equal,
    np.greater: comparison.greater,
    np.greater_equal: comparison.greater_equal,
    np.equal: comparison.equal,
    np.not_equal: comparison.not_equal,
    np.logical_and: comparison.logical_and,
    np.logical_or: comparison.logical_or,
    np.logical_not: comparison.logical_not,
    np.logical_xor: comparison.logical_xor,
    np.bitwise_and: bitwise.and_operator,
    np.bitwise_or: bitwise.or_operator,
    np.bitwise_xor: bitwise.xor_operator,
    np.invert: bitwise.invert_operator,
    np.isnan: rounding.is_nan,
    np.isinf: rounding.is_inf,
    np.isfinite: rounding.is_finite,
    np.matmul: contraction.matmul,
}


#: ufunc -> the method of a tensor behind an array in an operator. `array + tensor` comes
#: here as a ufunc, and has the dtype of the tensor.
REFLECTED: dict[Any, str] = {
    np.add: "__radd__",
    np.subtract: "__rsub__",
    np.multiply: "__rmul__",
    np.divide: "__rtruediv__",
    np.floor_divide: "__rfloordiv__",
    np.mod: "__rmod__",
    np.power: "__rpow__",
    np.matmul: "__rmatmul__",
    np.bitwise_and: "__rand__",
    np.bitwise_or: "__ror__",
    np.bitwise_xor: "__rxor__",
    np.less: "__gt__",
    np.less_equal: "__ge__",
    np.greater: "__lt__",
    np.greater_equal: "__le__",
    np.equal: "__eq__",
    np.not_equal: "__ne__",
}


def reduced(function: Reduction) -> Callable[..., Any]:
    """A reduction with NumPy's argument names."""

    def reduce(a: TensorLike, axis: TensorLike | None = None, keepdims: bool = False) -> Any:
        return function(convert(a), axis, keepdims)

    return reduce


def _transpose(a: TensorLike, axes: TensorLike | None = None) -> Any:
    return movement.transpose(a, axes)


def _reshape(a: TensorLike, /, shape: TensorLike) -> Any:
    return movement.reshape(a, shape if isinstance(shape, (tuple, list)) else (shape,))


def _concatenate(arrays: Iterable[TensorLike], axis: int = 0) -> Any:
    return joining.concat(list(arrays), axis)


def _stack(arrays: Iterable[TensorLike], axis: int = 0) -> Any:
    return joining.stack(list(arrays), axis)


def _dot(a: TensorLike, b: TensorLike) -> Any:
    left, right = convert(a), convert(b)
    if left.type.rank == 2 and right.type.rank == 2:
        return contraction.matmul(left, right)
    if left.type.rank == 1 and right.type.rank == 1:
        return reduction.reduce_sum(left * right)
    raise NotImplementedError(
        "numpy.dot of symbolic tensors is staged for two vectors or two matrices; use "
        "`tf.tensordot` for others"
    )


def _where(condition: TensorLike, x: TensorLike, y: TensorLike) -> Any:
    return indexing.where(condition, x, y)


def _squeeze(a: TensorLike, axis: int | Sequence[int] | None = None) -> Any:
    return movement.squeeze(a, axis)


#: NumPy function -> the function of the same meaning.
FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.sum: reduced(reduction.reduce_sum),
    np.prod: reduced(reduction.reduce_prod),
    np.mean: reduced(reduction.reduce_mean),
    np.max: reduced(reduction.reduce_max),
    np.min: reduced(reduction.reduce_min),
    np.any: reduced(reduction.reduce_any),
    np.all: reduced(reduction.reduce_all),
    np.transpose: _transpose,
    np.reshape: _reshape,
    np.concatenate: _concatenate,
    np.stack: _stack,
    np.expand_dims: lambda a, axis: movement.expand_dims(a, axis),
    np.squeeze: _squeeze,
    np.dot: _dot,
    np.tile: lambda A, reps: repetition.tile(A, reps),
    np.flip: lambda m, axis: reversal.reverse(m, axis),
    np.broadcast_to: lambda array, shape: movement.broadcast_to(array, shape),
    np.zeros_like: lambda a: creation.zeros_like(a),
    np.ones_like: lambda a: creation.ones_like(a),
    np.clip: lambda a, a_min, a_max: arithmetic.minimum(arithmetic.maximum(a, a_min), a_max),
    np.where: _where,
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: a.ndim,
}


def stage_ufunc(
    ufunc: np.ufunc, method: str, inputs: tuple[object, ...], options: dict[str, object]
) -> Any:
    """A ufunc call on symbolic tensors as a graph op; NotImplementedError where there is none."""
    name = f"numpy.{ufunc.__name__}"
    if method == "reduce" and ufunc in REDUCERS:
        return REDUCERS[ufunc](inputs[0], **options)
    function = UFUNCS.get(ufunc)
    if method != "__call__" or function is None:
        raise refused(name if method == "__call__" else f"{name}.{method}", inputs)
    if options:
        raise refused(f"{name} with {', '.join(options)}", inputs)
    if ufunc in REFLECTED and isinstance(inputs[0], (np.ndarray, np.generic)):
        array, tensor = inputs
        return getattr(tensor, REFLECTED[ufunc])(array)
    return function(*inputs)


REDUCERS: dict[Any, Callable[..., Any]] = {
    np.add: reduced(reduction.reduce_sum),
    np.multiply: reduced(reduction.reduce_prod),
    np.maximum: reduced(reduction.reduce_max),
    np.minimum: reduced(reduction.reduce_min),
    np.logical_and: reduced(reduction.reduce_all),
    np.logical_or: reduced(reduction.reduce_any),
}


def stage_function(
    function: Callable[..., object], args: tuple[object, ...], kwargs: dict[str, object]
) -> Any:
    """A NumPy function on symbolic tensors as graph ops."""
    staged = FUNCTIONS.get(function)
    name = f"{function.__module__}.{function.__name__}"
    if staged is None:
        raise refused(name, args)
    try:
        return staged(*args, **kwargs)
    except TypeError as error:
        if "unexpected keyword argument" in str(error):
            raise refused(f"{name} with {', '.join(kwargs)}", args) from None
        raise


def refused(what: str, inputs: tuple[object, ...]) -> NotImplementedError:
    """The error for a NumPy call without a graph form."""
    tensor = next((x for x in inputs if hasattr(x, "graph")), inputs[0] if inputs else None)
    return NotImplementedError(
        f"Cannot convert a symbolic tf.Tensor ({getattr(tensor, 'name', tensor)}) to a numpy "
        f"array: {what} has no graph form. Use a TensorFlow function, or run it when the graph "
        f"runs with `tf.numpy_function({what.partition(' ')[0]}, [x], dtype)`."
    )
