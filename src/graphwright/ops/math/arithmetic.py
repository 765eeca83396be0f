"""Arithmetic, elementwise with broadcasting.

Integers wrap around; integer division rounds towards minus infinity (`floordiv`) or
towards zero (`truncatediv`), and a zero divisor is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.interpreter import (
    apply,
    convert,
    convert_pair,
    convert_terms,
    values_of,
    with_values,
)
from graphwright.op.op import Call, not_differentiable
from graphwright.op.op_families import Binary, Unary
from graphwright.op.scalars import (
    Scalars,
    floor_quotient,
    quotient_of_c,
    truncated_quotient,
)
from graphwright.ops.core.casting import cast
from graphwright.ops.math.comparison import choose, greater_equal, less_equal
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType

# -- sums and products ----------------------------------------------------------------------


class AddV2(Binary):
    """x + y."""

    type_name = "AddV2"
    node_name = "Add"
    ufunc = np.add
    entry = staticmethod(lambda x, y: x + y)

    def element(self, scalars: Scalars[Any], x: Any, y: Any) -> Any:
        return scalars.add(x, y)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        return g, g


class Add(Binary):
    """x + y; of strings, one after the other."""

    type_name = "Add"
    dtypes = {"T": dt.NUMERIC | dt.STRING}
    ufunc = np.add
    element = AddV2.element

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        return g, g


class Sub(Binary):
    """x - y."""

    type_name = "Sub"
    ufunc = np.subtract
    entry = staticmethod(lambda x, y: x - y)

    def element(self, scalars: Scalars[Any], x: Any, y: Any) -> Any:
        return scalars.sub(x, y)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        return g, -g


class Mul(Binary):
    """x * y."""

    type_name = "Mul"
    ufunc = np.multiply
    entry = staticmethod(lambda x, y: x * y)

    def element(self, scalars: Scalars[Any], x: Any, y: Any) -> Any:
        return scalars.mul(x, y)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        x, y = call.inputs
        if g.dtype.is_complex:
            return g * conj(y), g * conj(x)
        return g * y, g * x


class Neg(Unary):
    """-x."""

    type_name = "Neg"
    dtypes = {"T": dt.INEXACT | dt.SIGNED}
    ufunc = np.negative

    def element(self, scalars: Scalars[Any], x: Any) -> Any:
        return scalars.neg(x)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        return (-g,)


# -- division -------------------------------------------------------------------------------


def checked_divisor(x: Any, y: Any) -> None:
    """An integer divisor must have no zero, where there is anything to divide."""
    if not np.all(y) and np.size(x):
        raise InvalidArgumentError(None, None, "Integer division by zero")


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """A division that refuses integer divisors of zero."""

    def divide(x: Any, y: Any) -> Any:
        if np.asarray(y).dtype.kind in "iu":
            checked_divisor(x, y)
        return function(x, y)

    return divide


def no_nan(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function(x, y)`, but 0 where y is 0."""

    def guarded(x: Any, y: Any) -> Any:
        zero = np.equal(y, 0)
        if not zero.any():
            return function(x, y)
        safe = np.where(zero, np.asarray(y).dtype.type(1), y)
        result = function(x, safe)
        return np.where(zero, result.dtype.type(0), result)

    return guarded


class RealDiv(Binary):
    """x / y of floating or complex numbers."""

    type_name = "RealDiv"
    node_name = "truediv"
    dtypes = {"T": dt.INEXACT}
    ufunc = np.divide

    def element(self, scalars: Scalars[Any], x: Any, y: Any) -> Any:
        return scalars.div(x, y)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        x, y = conj(call.inputs[0]), conj(call.inputs[1])
        return g / y, g * (-x / y / y)


class Div(Binary):
    """x / y, truncating on integers as C does."""

    type_name = "Div"
    ufunc = staticmethod(checked(quotient_of_c))

    def element(self, scalars: Scalars[Any], x: Any, y: Any) -> Any:
        return scalars.div(x, y)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        x, y = conj(call.inputs[0]), conj(call.inputs[1])
        return g / y, g * (-x / y / y)


class FloorDiv(Binary):
    """floor(x / y)."""

    type_name = "FloorDiv"
    dtypes = {"T": dt.REAL}
    ufunc = staticmethod(checked(floor_quotient))
    entry = staticmethod(lambda x, y: None if y == 0 else x // y)
    gradient = not_differentiable

    def element(self, scalars: Scalars[Any], x: Any, y: Any) -> Any:
        return scalars.floordiv(x, y)


class FloorMod(Binary):
    """x - floor(x / y) * y."""

    type_name = "FloorMod"
    dtypes = {"T": dt.REAL}
    ufunc = staticmethod(checked(np.mod))
    entry = staticmethod(lambda x, y: None if y == 0 else x % y)

    def element(self, scalars: Scalars[Any], x: Any, y: Any) -> Any:
        return scalars.floormod(x, y)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        x, y = call.inputs
        return g, -(g * apply(FLOOR_DIV, x, y))


class TruncateDiv(Binary):
    """x / y rounded towards zero."""

    type_name = "TruncateDiv"
    dtypes = {"T": dt.REAL}
    ufunc = staticmethod(checked(truncated_quotient))
    gradient = not_differentiable

    def element(self, scalars: Scalars[Any], x: Any, y: Any) -> Any:
        return scalars.truncdiv(x, y)


class TruncateMod(Binary):
    """The remainder of a division rounded towards zero."""

    type_name = "TruncateMod"
    dtypes = {"T": dt.FLOATING | dt.INDEX}
    ufunc = staticmethod(checked(np.fmod))

    def element(self, scalars: Scalars[Any], x: Any, y: Any) -> Any:
        return scalars.truncmod(x, y)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        x, y = call.inputs
        return g, -(g * apply(TruncateDiv.of(), x, y))


class DivNoNan(Binary):
    """x / y, but 0 where y is 0."""

    type_name = "DivNoNan"
    dtypes = {"T": dt.INEXACT}
    ufunc = staticmethod(no_nan(np.divide))

    def element(self, scalars: Scalars[Any], x: Any, y: Any) -> Any:
        zero = scalars.constant(0, y)
        return scalars.select(scalars.equal(y, zero), zero, scalars.div(x, y))

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        x, y = conj(call.inputs[0]), conj(call.inputs[1])
        by = divide_no_nan
        return by(g, y), g * by(by(-x, y), y)


class MulNoNan(Binary):
    """x * y, but 0 where y is 0, even if x is infinite or NaN."""

    type_name = "MulNoNan"
    dtypes = {"T": dt.INEXACT}
    ufunc = staticmethod(no_nan(np.multiply))

    def element(self, scalars: Scalars[Any], x: Any, y: Any) -> Any:
        zero = scalars.constant(0, y)
        return scalars.select(scalars.equal(y, zero), zero, scalars.mul(x, y))

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        x, y = call.inputs
        return multiply_no_nan(g, y), multiply_no_nan(x, g)


# -- extremes, conjugation ------------------------------------------------------------------


class Maximum(Binary):
    """The greater of x and y; NaN if one is."""

    type_name = "Maximum"
    dtypes = {"T": dt.REAL}
    ufunc = np.maximum
    entry = max

    def element(self, scalars: Scalars[Any], x: Any, y: Any) -> Any:
        return scalars.maximum(x, y)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        x, y = call.inputs
        return choose(greater_equal(x, y), g)


class Minimum(Binary):
    """The lesser of x and y; NaN if one is."""

    type_name = "Minimum"
    dtypes = {"T": dt.REAL}
    ufunc = np.minimum
    entry = min

    def element(self, scalars: Scalars[Any], x: Any, y: Any) -> Any:
        return scalars.minimum(x, y)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        x, y = call.inputs
        return choose(less_equal(x, y), g)


class Conj(Unary):
    """The complex conjugate."""

    type_name = "Conj"
    inputs = ("input: T",)
    outputs = ("output: T",)
    dtypes = {"T": dt.COMPLEX}
    ufunc = np.conj

    def element(self, scalars: Scalars[Any], x: Any) -> Any:
        return scalars.conj(x)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        return (conj(g),)


ADD, ADD_STRINGS, SUB, MUL, NEG = AddV2(), Add(), Sub(), Mul(), Neg()
REAL_DIV, FLOOR_DIV, FLOOR_MOD = RealDiv(), FloorDiv(), FloorMod()
TRUNCATE_DIV, TRUNCATE_MOD, DIV_NO_NAN, MUL_NO_NAN = (
    TruncateDiv(),
    TruncateMod(),
    DivNoNan(),
    MulNoNan(),
)
MAXIMUM, MINIMUM, CONJ = Maximum(), Minimum(), Conj()


# -- the public functions -------------------------------------------------------------------


def add(x: Any, y: Any, name: str | None = None) -> Any:
    """x + y, elementwise with broadcasting; strings are concatenated.

    >>> import graphwright as tf
    >>> tf.add([1, 2], 3)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([4, 5], dtype=int32)>
    """
    x, y = convert_terms(x, y)
    return apply(ADD_STRINGS if x.dtype is dt.string else ADD, x, y, name=name)


def subtract(x: Any, y: Any, name: str | None = None) -> Any:
    """x - y, elementwise with broadcasting."""
    return apply(SUB, *convert_pair(x, y), name=name)


def multiply(x: Any, y: Any, name: str | None = None) -> Any:
    """x * y, elementwise with broadcasting."""
    return apply(MUL, *convert_pair(x, y), name=name)


def negative(x: Any, name: str | None = None) -> Any:
    """-x, elementwise."""
    return apply(NEG, convert(x), name=name)


def floordiv(x: Any, y: Any, name: str | None = None) -> Any:
    """floor(x / y), elementwise; the quotient of `//`."""
    return apply(FLOOR_DIV, *convert_pair(x, y), name=name)


def floormod(x: Any, y: Any, name: str | None = None) -> Any:
    """x - floor(x / y) * y, elementwise; the remainder of `%`."""
    return apply(FLOOR_MOD, *convert_pair(x, y), name=name)


def truncatediv(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y rounded towards zero, elementwise."""
    return apply(TRUNCATE_DIV, *convert_pair(x, y), name=name)


def truncatemod(x: Any, y: Any, name: str | None = None) -> Any:
    """The remainder of a division rounded towards zero, elementwise."""
    return apply(TRUNCATE_MOD, *convert_pair(x, y), name=name)


def divide_no_nan(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y as `divide` has it, but 0 where y is 0.

    >>> import graphwright as tf
    >>> tf.math.divide_no_nan([1.0, 2.0], [0.0, 4.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0. , 0.5], dtype=float32)>
    """
    return apply(DIV_NO_NAN, *quotient_operands(x, y), name=name)


def reciprocal_no_nan(x: Any, name: str | None = None) -> Any:
    """1 / x, but 0 where x is 0; of floating or complex `x`."""
    x = convert(x)
    return apply(DIV_NO_NAN, convert(1, x.dtype), x, name=name)


def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Any:
    """x * y, but 0 where y is 0, even if x is infinite or NaN."""
    x = convert(x)
    return apply(MUL_NO_NAN, x, convert(y, x.dtype), name=name)


def maximum(x: Any, y: Any, name: str | None = None) -> Any:
    """The greater of x and y, elementwise."""
    return apply(MAXIMUM, *convert_pair(x, y), name=name)


def minimum(x: Any, y: Any, name: str | None = None) -> Any:
    """The lesser of x and y, elementwise."""
    return apply(MINIMUM, *convert_pair(x, y), name=name)


def conj(x: Any, name: str | None = None) -> Any:
    """The complex conjugate; x itself where it is real. TypeError where it is no number."""
    x = convert(x)
    dtype = x.dtype
    if dtype.is_floating or dtype.is_integer or dtype is dt.variant:
        return x
    if dtype.is_complex:
        return apply(CONJ, x, name=name)
    raise TypeError(f"Expected numeric or variant tensor, got dtype {dtype!r}.")


def truediv(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y as real numbers: integers are divided as float64 (8 and 16 bit ones as float32).

    TypeError where the dtypes differ or are no numbers.
    """
    return divide(*convert_terms(x, y), name)


def divide(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y, the quotient of `/`: as `truediv`.

    >>> import graphwright as tf
    >>> tf.divide([6, 9], 4)
    <tf.Tensor: shape=(2,), dtype=float64, numpy=array([1.5 , 2.25])>
    """
    return apply(REAL_DIV, *quotient_operands(x, y), name=name)


def realdiv(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y of floating or complex numbers."""
    return apply(REAL_DIV, *convert_pair(x, y), name=name)


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """A scalar times a tensor of its dtype; ValueError where `scalar` has axes."""
    values = values_of(x)
    scalar = convert(scalar, values.dtype)
    if scalar.type.rank != 0:
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {scalar.shape}.")
    return with_values(x, apply(MUL, scalar, values, name=name))


def quotient_operands(x: Any, y: Any) -> tuple[Any, Any]:
    """Both operands of a division as real numbers of one dtype."""
    x, y = convert_pair(x, y)
    if x.dtype is not y.dtype:
        raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.")
    wide = QUOTIENT.get(x.dtype)
    if wide is not None:
        return cast(x, wide), cast(y, wide)
    if x.dtype not in dt.INEXACT:
        raise TypeError(
            f"Invalid dtype {x.dtype!r} in __truediv__. Expected one of "
            f"{sorted(t.name for t in dt.NUMERIC)}."
        )
    return x, y


QUOTIENT: dict[DType, DType] = {
    **dict.fromkeys((dt.int8, dt.uint8, dt.int16, dt.uint16), dt.float32),
    **dict.fromkeys((dt.int32, dt.uint32, dt.int64, dt.uint64), dt.float64),
}
