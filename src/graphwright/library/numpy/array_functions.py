"""NumPy's elementwise functions, most of them made from a table."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np

from graphwright.control.loop import while_loop
from graphwright.library.numpy.promotion import asarray, inexact, inexact_pair, promoted
from graphwright.op.interpreter import convert
from graphwright.ops.core import casting
from graphwright.ops.core.creation import ones_like, zeros_like
from graphwright.ops.core.indexing import where
from graphwright.ops.math import (
    arithmetic,
    bitwise,
    comparison,
    complex_parts,
    magnitude,
    rounding,
    transcendental,
    trigonometric,
)
from graphwright.ops.math.reduction import reduce_all
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike, TensorValue

Function = TypeVar("Function", bound=Callable[..., Any])

#: Ops of one and of two tensors.
TensorFunction: TypeAlias = Callable[[TensorValue], Any]
TensorPairFunction: TypeAlias = Callable[[TensorValue, TensorValue], Any]


class ArrayFunction(Protocol):
    """One of NumPy's functions of an array."""

    def __call__(self, x: TensorLike) -> Tensor: ...


class PairFunction(Protocol):
    """One of NumPy's functions of two arrays."""

    def __call__(self, x1: TensorLike, x2: TensorLike) -> Tensor: ...


_ARRAY = "An array of a dtype that NumPy's function takes: a tensor, or a value that makes one."


def unary(
    name: str,
    function: TensorFunction,
    prepare: Callable[[TensorLike], TensorValue] = asarray,
    example: str = "0.5",
) -> ArrayFunction:
    """NumPy's function `name`: `function` of the operand that `prepare` makes."""

    def of_array(x: TensorLike) -> Tensor:
        return function(prepare(x))

    return described(of_array, name, {"x": _ARRAY}, example)


def binary(
    name: str,
    function: TensorPairFunction,
    prepare: Callable[[TensorLike, TensorLike], list[TensorValue]] = promoted,
) -> PairFunction:
    """NumPy's function `name`: `function` of the two operands that `prepare` makes."""

    def of_arrays(x1: TensorLike, x2: TensorLike) -> Tensor:
        return function(*prepare(x1, x2))

    second = "An array like it, which broadcasts against `x1`."
    return described(of_arrays, name, {"x1": _ARRAY, "x2": second}, "5, 3")


def described(function: Function, name: str, parameters: dict[str, str], example: str) -> Function:
    """The function, with a name and a docstring; `example` has operands for it."""
    function.__name__ = function.__qualname__ = name
    entries = "\n".join([f"    {parameter}: {text}" for parameter, text in parameters.items()])
    function.__doc__ = f"""Computes NumPy's `{name}` of each element.

Args:
{entries}

Returns:
    A tensor of the shape that the operands broadcast to, with the values of NumPy's result.

>>> import graphwright as tf
>>> np.allclose(tf.experimental.numpy.{name}({example}), np.{name}({example}))
True
"""
    return function


def truth(x: TensorLike) -> Any:
    """The elements as booleans."""
    return casting.cast(asarray(x), dt.bool_)


def truths(x: TensorLike, y: TensorLike) -> list[Any]:
    """The elements of two arrays as booleans."""
    return [truth(x), truth(y)]


#: A float64, beside which NumPy's operators give float64 once a program turns them on.
_LN2 = np.log(2.0)


def dividends(x: TensorLike, y: TensorLike) -> list[Any]:
    """Two values as tensors of one dtype, which is not bool."""
    pair = promoted(x, y)
    return [*map(inexact, pair)] if pair[0].dtype is dt.bool_ else pair


def bits(
    x: TensorValue, y: TensorValue, integers: TensorPairFunction, booleans: TensorPairFunction
) -> Any:
    """The op `booleans` of bool tensors, `integers` of others."""
    return (booleans if x.dtype is dt.bool_ else integers)(x, y)


def inverted(x: TensorValue) -> Any:
    """The elements with each bit, or each boolean, inverted."""
    return (comparison.logical_not if x.dtype is dt.bool_ else bitwise.invert)(x)


def cbrt(x: TensorLike) -> Tensor:
    """Computes the real cube root of each element.

    Args:
        x: An array: a tensor, or a value that makes one.

    Returns:
        A tensor of floats or complex numbers; integers give float64.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.cbrt([8, -27]).numpy().round(4)
    array([ 2., -3.])
    """
    x = inexact(x)
    return magnitude.sign(x) * transcendental.pow(magnitude.abs(x), 1.0 / 3.0)


def sinc(x: TensorLike) -> Tensor:
    """Computes sin(pi x) / (pi x) of each element, which is 1 at 0.

    Args:
        x: An array: a tensor, or a value that makes one.

    Returns:
        A tensor of floats or complex numbers; integers give float64.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.sinc([0, 0.5]).numpy()
    array([1.        , 0.63661977])
    """
    x = inexact(x) * math.pi
    one = ones_like(x)
    is_zero = comparison.equal(x, zeros_like(x))
    return where(is_zero, one, trigonometric.sin(x) / where(is_zero, one, x))


def fix(x: TensorLike) -> Tensor:
    """Rounds each element towards 0.

    Args:
        x: An array: a tensor, or a value that makes one.

    Returns:
        A tensor of floats or complex numbers; integers give float64.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.fix([1.7, -1.7]).numpy()
    array([ 1., -1.])
    """
    values = inexact(x)
    return where(values > 0, rounding.floor(values), rounding.ceil(values))


def around(a: TensorLike, decimals: int = 0) -> Tensor:
    """Rounds each element to a number of decimals, halves to even.

    Args:
        a: An array: a tensor, or a value that makes one.
        decimals: The number of decimals; negative ones round to tens, hundreds and so on.

    Returns:
        A tensor of the shape and dtype of `a`.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.around([1.25, 1.75], 1).numpy()
    array([1.2, 1.8])
    """
    x = asarray(a)
    if not (x.dtype.is_floating or x.dtype.is_complex) and decimals >= 0:
        return x
    scale = 10.0**decimals
    return casting.cast(rounding.round(inexact(x) * scale) / scale, x.dtype)


def heaviside(x1: TensorLike, x2: TensorLike) -> Tensor:
    """Computes the step function: 0 below 0, 1 above it, and `x2` at 0.

    Args:
        x1: The first array.
        x2: The second array, which broadcasts against `x1`.

    Returns:
        A tensor of floats or complex numbers; integers give float64.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.heaviside([-1, 0, 1], 0.5).numpy()
    array([0. , 0.5, 1. ])
    """
    x, at_zero = inexact_pair(x1, x2)
    zero, one = zeros_like(x), ones_like(x)
    return where(x < 0, zero, where(x > 0, one, at_zero))


def hypot(x1: TensorLike, x2: TensorLike) -> Tensor:
    """Computes sqrt(x1**2 + x2**2) of each pair of elements.

    Args:
        x1: The first array.
        x2: The second array, which broadcasts against `x1`.

    Returns:
        A tensor of floats or complex numbers; integers give float64.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.hypot(3, 4).numpy()
    np.float64(5.0)
    """
    x, y = inexact_pair(x1, x2)
    return transcendental.sqrt(x * x + y * y)


def logaddexp(x1: TensorLike, x2: TensorLike) -> Tensor:
    """Computes log(exp(x1) + exp(x2)) of each pair of elements.

    Args:
        x1: The first array.
        x2: The second array, which broadcasts against `x1`.

    Returns:
        A tensor of floats or complex numbers; integers give float64.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.logaddexp(0, 0).numpy()
    np.float64(0.6931471805599453)
    """
    x, y = inexact_pair(x1, x2)
    greater = arithmetic.maximum(x, y)
    return greater + transcendental.log1p(transcendental.exp(-magnitude.abs(x - y)))


def logaddexp2(x1: TensorLike, x2: TensorLike) -> Tensor:
    """Computes log2(2**x1 + 2**x2) of each pair of elements.

    Args:
        x1: The first array.
        x2: The second array, which broadcasts against `x1`.

    Returns:
        A tensor of floats or complex numbers; integers give float64.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.logaddexp2(0, 0).numpy()
    np.float64(1.0)
    """
    x, y = inexact_pair(x1, x2)
    return logaddexp(x * _LN2, y * _LN2) / _LN2


def gcd(x1: TensorLike, x2: TensorLike) -> Tensor:
    """Computes the greatest common divisor of each pair of integers.

    Args:
        x1: The first array.
        x2: The second array, which broadcasts against `x1`.

    Returns:
        A tensor of the promoted dtype, without negative elements.

    Raises:
        ValueError: The operands are no integers.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.gcd(12, -18).numpy()
    np.int64(6)
    """
    x, y = promoted(x1, x2)
    if not x.dtype.is_integer:
        raise ValueError("Arguments to gcd must be integers.")
    x, y = x + zeros_like(y), y + zeros_like(x)

    def step(a: TensorValue, b: TensorValue) -> Any:
        safe = where(comparison.equal(b, 0), ones_like(b), b)
        left = where(comparison.equal(b, 0), a, b)
        return left, where(comparison.equal(b, 0), b, arithmetic.floormod(a, safe))

    pair = magnitude.abs(x), magnitude.abs(y)
    return while_loop(lambda _, b: comparison.logical_not(reduce_all(comparison.equal(b, 0))),
                      step, pair)[0]  # fmt: skip


def lcm(x1: TensorLike, x2: TensorLike) -> Tensor:
    """Computes the least common multiple of each pair of integers, which is 0 with 0.

    Args:
        x1: The first array.
        x2: The second array, which broadcasts against `x1`.

    Returns:
        A tensor of the promoted dtype, without negative elements.

    Raises:
        ValueError: The operands are no integers.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.lcm(4, 6).numpy()
    np.int64(12)
    """
    x, y = promoted(x1, x2)
    divisor = gcd(x, y)
    safe = where(comparison.equal(divisor, 0), ones_like(divisor), divisor)
    return magnitude.abs(arithmetic.floordiv(x, safe) * y)


def divmod(x1: TensorLike, x2: TensorLike) -> tuple[Tensor, Tensor]:
    """Computes the quotients, rounded down, and the remainders.

    Args:
        x1: The dividend, an array.
        x2: The divisor, which broadcasts against `x1`.

    Returns:
        A tuple of two tensors of the promoted dtype.

    >>> import graphwright as tf
    >>> [x.numpy().item() for x in tf.experimental.numpy.divmod(-7, 2)]
    [-4, 1]
    """
    return arithmetic.floordiv(*promoted(x1, x2)), arithmetic.floormod(*promoted(x1, x2))


def clip(a: TensorLike, a_min: TensorLike | None, a_max: TensorLike | None) -> Tensor:
    """Limits each element to an interval.

    Args:
        a: An array: a tensor, or a value that makes one.
        a_min: The lower bound, as a number or an array, or None.
        a_max: The upper bound, or None.

    Returns:
        A tensor of the promoted dtype.

    Raises:
        ValueError: Both bounds are None.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.clip([1, 5, 9], 2, 6).numpy()
    array([2, 5, 6])
    """
    if a_min is None and a_max is None:
        raise ValueError("Not more than one of `a_min` and `a_max` may be `None`.")
    if a_max is not None:
        a = minimum(a, a_max)
    return asarray(a) if a_min is None else maximum(a, a_min)


def angle(z: TensorLike, deg: bool = False) -> Tensor:
    """Computes the angle of each complex number.

    Args:
        z: An array: a tensor, or a value that makes one.
        deg: Whether the angles are in degrees rather than in radians.

    Returns:
        A tensor of floats; float16 gives float32.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.angle(1j, deg=True).numpy()
    np.float64(90.0)
    """
    x = inexact(z)
    radians = complex_parts.angle(casting.cast(x, dt.float32) if x.dtype is dt.float16 else x)
    return radians * (180.0 / math.pi) if deg else radians


def real(val: TensorLike) -> Tensor:
    """Returns the real part of each element.

    Args:
        val: An array: a tensor, or a value that makes one.

    Returns:
        A tensor of the dtype of the parts.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.real([1 + 2j]).numpy()
    array([1.])
    """
    return complex_parts.real(asarray(val))


def imag(val: TensorLike) -> Tensor:
    """Returns the imaginary part of each element.

    Args:
        val: An array: a tensor, or a value that makes one.

    Returns:
        A tensor of the dtype of the parts.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.imag([1 + 2j]).numpy()
    array([2.])
    """
    return complex_parts.imag(asarray(val))


def iscomplex(x: TensorLike) -> Tensor:
    """Says which elements have an imaginary part other than 0.

    Args:
        x: An array: a tensor, or a value that makes one.

    Returns:
        A bool tensor of the shape of `x`.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.iscomplex([1 + 2j, 1]).numpy()
    array([ True, False])
    """
    part = imag(x)
    return comparison.not_equal(part, zeros_like(part))


def isreal(x: TensorLike) -> Tensor:
    """Says which elements have no imaginary part, or one of 0.

    Args:
        x: An array: a tensor, or a value that makes one.

    Returns:
        A bool tensor of the shape of `x`.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.isreal([1 + 2j, 1]).numpy()
    array([False,  True])
    """
    return comparison.logical_not(iscomplex(x))


def sign(
    x: TensorLike, out: TensorLike | None = None, where: TensorLike | None = None, **kwargs: object
) -> Tensor:
    """Computes the sign of each element: -1, 0 or 1.

    Args:
        x: An array: a tensor, or a value that makes one.
        out: None: tensors cannot be written into.
        where: None: it is not supported.
        **kwargs: None are supported.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ValueError: Another argument than `x` is given.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.sign([-2, 0, 3]).numpy()
    array([-1,  0,  1])
    """
    if out is not None or where is not None or kwargs:
        raise ValueError("tf.experimental.numpy.sign takes neither `out` nor `where`.")
    return _SIGN(x)


def signbit(x: TensorLike) -> Tensor:
    """Says which elements are below 0.

    Args:
        x: An array: a tensor, or a value that makes one.

    Returns:
        A bool tensor of the shape of `x`.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.signbit([-1, 0]).numpy()
    array([ True, False])
    """
    values = asarray(x)
    if values.dtype is dt.bool_:
        return zeros_like(values)
    return comparison.less(values, zeros_like(values))


def infinite(x: TensorLike, sign: int) -> Any:
    """Whether each element is the infinity of a sign."""
    values = inexact(x)
    return comparison.equal(values, convert(sign * np.inf, values.dtype))


def isclose(
    a: TensorLike, b: TensorLike, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """Says which pairs of elements differ by at most `atol + rtol * abs(b)`.

    Args:
        a: The first array.
        b: The second array, which broadcasts against `a`.
        rtol: The relative tolerance.
        atol: The absolute tolerance.
        equal_nan: Whether NaNs are equal to each other.

    Returns:
        A bool tensor.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.isclose([1.0, 2.0], [1.0, 2.1]).numpy()
    array([ True, False])
    """
    x, y = inexact_pair(a, b)
    near = magnitude.abs(x - y) <= atol + rtol * magnitude.abs(y)
    near = comparison.logical_or(comparison.equal(x, y), comparison.logical_and(
        near, rounding.is_finite(y)))  # fmt: skip
    if not equal_nan:
        return near
    both = comparison.logical_and(rounding.is_nan(x), rounding.is_nan(y))
    return comparison.logical_or(near, both)


def allclose(
    a: TensorLike, b: TensorLike, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """Says whether all pairs of elements differ by at most `atol + rtol * abs(b)`.

    Args:
        a: The first array.
        b: The second array, which broadcasts against `a`.
        rtol: The relative tolerance.
        atol: The absolute tolerance.
        equal_nan: Whether NaNs are equal to each other.

    Returns:
        A scalar bool tensor.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.allclose([1.0, 2.0], [1.0, 2.1]).numpy()
    np.False_
    """
    return reduce_all(isclose(a, b, rtol, atol, equal_nan))


def scaled(factor: float) -> TensorFunction:
    """The function that multiplies by a constant."""
    return lambda x: x * factor


_T, _G, _R, _A, _C = transcendental, trigonometric, rounding, arithmetic, comparison

# Functions of one operand of any dtype.
abs = absolute = unary("abs", magnitude.abs)
conj = conjugate = unary("conj", _A.conj)
negative = unary("negative", _A.negative)
positive = unary("positive", lambda x: x)
_SIGN = unary("sign", magnitude.sign)
square = unary("square", _T.square)
reciprocal = unary("reciprocal", _T.reciprocal)
bitwise_not = unary("bitwise_not", inverted, example="5")
logical_not = unary("logical_not", _C.logical_not, truth)

# Functions of one operand of floats.
arccos, arccosh = unary("arccos", _G.acos, inexact), unary("arccosh", _G.acosh, inexact, "1.5")
arcsin, arcsinh = unary("arcsin", _G.asin, inexact), unary("arcsinh", _G.asinh, inexact)
arctan, arctanh = unary("arctan", _G.atan, inexact), unary("arctanh", _G.atanh, inexact)
sin, sinh = unary("sin", _G.sin, inexact), unary("sinh", _G.sinh, inexact)
cos, cosh = unary("cos", _G.cos, inexact), unary("cosh", _G.cosh, inexact)
tan, tanh = unary("tan", _G.tan, inexact), unary("tanh", _G.tanh, inexact)
exp, expm1 = unary("exp", _T.exp, inexact), unary("expm1", _T.expm1, inexact)
log, log1p = unary("log", _T.log, inexact), unary("log1p", _T.log1p, inexact)
sqrt, fabs = unary("sqrt", _T.sqrt, inexact), unary("fabs", magnitude.abs)
ceil, floor = unary("ceil", _R.ceil, inexact), unary("floor", _R.floor, inexact)
isfinite = unary("isfinite", _R.is_finite, inexact)
isinf, isnan = unary("isinf", _R.is_inf, inexact), unary("isnan", _R.is_nan, inexact)
isneginf = unary("isneginf", lambda x: infinite(x, -1))
isposinf = unary("isposinf", lambda x: infinite(x, 1))
deg2rad = unary("deg2rad", scaled(math.pi / 180), inexact)
rad2deg = unary("rad2deg", scaled(180 / math.pi), inexact)
exp2 = unary("exp2", lambda x: _T.exp(x * math.log(2)), inexact)
log2 = unary("log2", lambda x: _T.log(x) / _LN2, inexact)
log10 = unary("log10", lambda x: _T.log(x) / np.log(10.0), inexact)

# Functions of two operands of one dtype.
multiply = binary("multiply", lambda x, y: bits(x, y, _A.multiply, _C.logical_and))
add = binary("add", lambda x, y: bits(x, y, _A.add, _C.logical_or))
subtract = binary("subtract", _A.subtract)
floor_divide = binary("floor_divide", _A.floordiv)
mod = remainder = binary("mod", _A.floormod)
maximum = binary("maximum", lambda x, y: bits(x, y, _A.maximum, _C.logical_or))
minimum = binary("minimum", lambda x, y: bits(x, y, _A.minimum, _C.logical_and))
power = float_power = binary("power", _T.pow)
bitwise_and = binary("bitwise_and", lambda x, y: bits(x, y, bitwise.bitwise_and, _C.logical_and))
bitwise_or = binary("bitwise_or", lambda x, y: bits(x, y, bitwise.bitwise_or, _C.logical_or))
bitwise_xor = binary("bitwise_xor", lambda x, y: bits(x, y, bitwise.bitwise_xor, _C.logical_xor))
equal, not_equal = binary("equal", _C.equal), binary("not_equal", _C.not_equal)
greater, less = binary("greater", _C.greater), binary("less", _C.less)
greater_equal = binary("greater_equal", _C.greater_equal)
less_equal = binary("less_equal", _C.less_equal)
logical_and = binary("logical_and", _C.logical_and, truths)
logical_or = binary("logical_or", _C.logical_or, truths)
logical_xor = binary("logical_xor", _C.logical_xor, truths)

# Functions of two operands of floats.
true_divide = divide = binary("true_divide", _A.truediv, dividends)
arctan2 = binary("arctan2", _G.atan2, inexact_pair)
nextafter = binary("nextafter", _R.nextafter, inexact_pair)
round = around
