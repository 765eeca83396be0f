"""Arithmetic, elementwise with broadcasting.

Integers wrap around; integer division rounds towards minus infinity (`floordiv`) or
towards zero (`truncatediv`), and a zero divisor is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.base.errors import InternalError, InvalidArgumentError, StatusError
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import (
    apply,
    convert,
    convert_pair,
    convert_terms,
    values_of,
    with_values,
)
from graphwright.op.one_op import one_op
from graphwright.op.op import Call, Op, not_differentiable
from graphwright.op.op_families import Binary, Unary
from graphwright.op.scalars import (
    S,
    Scalars,
    extreme,
    floor_quotient,
    quotient_of_c,
    truncated_quotient,
)
from graphwright.ops.core.casting import cast
from graphwright.ops.math.comparison import choose, greater_equal, less_equal
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType

# -- sums and products ----------------------------------------------------------------------


class AddV2(Binary):
    """x + y."""

    type_name = "AddV2"
    node_name = "Add"
    ufunc = np.add
    entry = staticmethod(lambda x, y: x + y)

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        return scalars.add(x, y)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return g, g


class Add(Binary):
    """x + y; of strings, one after the other."""

    type_name = "Add"
    dtypes = {"T": dt.NUMERIC | dt.STRING}
    ufunc = np.add
    element = AddV2.element

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        return joined if types[0] is dt.string else np.add

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return g, g


def joined(x: Array, y: Array) -> Array:
    """Strings one after the other, as an array where NumPy gives a bare one, too."""
    return np.asarray(np.add(x, y), object)


class Sub(Binary):
    """x - y."""

    type_name = "Sub"
    ufunc = np.subtract
    entry = staticmethod(lambda x, y: x - y)

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        return scalars.sub(x, y)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return g, -g


class Mul(Binary):
    """x * y."""

    type_name = "Mul"
    ufunc = np.multiply
    entry = staticmethod(lambda x, y: x * y)

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        return scalars.mul(x, y)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, y = call.inputs
        if g.dtype.is_complex:
            return g * conj(y), g * conj(x)
        return g * y, g * x


class Neg(Unary):
    """-x."""

    type_name = "Neg"
    dtypes = {"T": dt.INEXACT | dt.SIGNED}
    passes_rows = True
    ufunc = np.negative

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.neg(x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (-g,)


# -- division -------------------------------------------------------------------------------


def checked_divisor(x: Array, y: Array, refusal: type[StatusError] = InvalidArgumentError) -> None:
    """Raises `refusal` for a zero among integer divisors, if there is anything to divide."""
    if not np.all(y) and np.size(x):
        raise refusal(None, None, "Integer division by zero")


def checked(
    function: Callable[[Array, Array], Array], refusal: type[StatusError] = InvalidArgumentError
) -> Callable[[Array, Array], Array]:
    """`function(x, y)`, which refuses integer divisors of zero."""

    def divide(x: Array, y: Array) -> Array:
        if np.asarray(y).dtype.kind in "iu":
            checked_divisor(x, y, refusal)
        return function(x, y)

    return divide


def no_nan(function: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    """`function(x, y)`, but 0 where y is 0."""

    def guarded(x: Array, y: Array) -> Array:
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

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        return scalars.div(x, y)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, y = conj(call.inputs[0]), conj(call.inputs[1])
        return g / y, g * (-x / y / y)


class Div(Binary):
    """x / y, truncating on integers as C does."""

    type_name = "Div"
    ufunc = staticmethod(checked(quotient_of_c))

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        return scalars.div(x, y)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, y = conj(call.inputs[0]), conj(call.inputs[1])
        return g / y, g * (-x / y / y)


class FloorDiv(Binary):
    """floor(x / y)."""

    type_name = "FloorDiv"
    dtypes = {"T": dt.REAL}
    ufunc = staticmethod(checked(floor_quotient))
    entry = staticmethod(lambda x, y: None if y == 0 else x // y)
    gradient = not_differentiable

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        return scalars.floordiv(x, y)


class FloorMod(Binary):
    """x - floor(x / y) * y."""

    type_name = "FloorMod"
    dtypes = {"T": dt.REAL}
    ufunc = staticmethod(checked(np.mod))
    entry = staticmethod(lambda x, y: None if y == 0 else x % y)

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        return scalars.floormod(x, y)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, y = call.inputs
        return g, -(g * apply(FLOOR_DIV, x, y))


class TruncateDiv(Binary):
    """x / y rounded towards zero."""

    type_name = "TruncateDiv"
    dtypes = {"T": dt.REAL}
    ufunc = staticmethod(checked(truncated_quotient, InternalError))
    gradient = not_differentiable

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        return scalars.truncdiv(x, y)


class TruncateMod(Binary):
    """The remainder of a division rounded towards zero."""

    type_name = "TruncateMod"
    dtypes = {"T": dt.FLOATING | dt.INDEX}
    ufunc = staticmethod(checked(np.fmod, InternalError))

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        return scalars.truncmod(x, y)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, y = call.inputs
        return g, -(g * apply(TruncateDiv.of(), x, y))


class DivNoNan(Binary):
    """x / y, but 0 where y is 0."""

    type_name = "DivNoNan"
    dtypes = {"T": dt.INEXACT}
    ufunc = staticmethod(no_nan(np.divide))

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        zero = scalars.constant(0, y)
        return scalars.select(scalars.equal(y, zero), zero, scalars.div(x, y))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, y = conj(call.inputs[0]), conj(call.inputs[1])
        by = divide_no_nan
        return by(g, y), g * by(by(-x, y), y)


class MulNoNan(Binary):
    """x * y, but 0 where y is 0, even if x is infinite or NaN."""

    type_name = "MulNoNan"
    dtypes = {"T": dt.INEXACT}
    ufunc = staticmethod(no_nan(np.multiply))

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        zero = scalars.constant(0, y)
        return scalars.select(scalars.equal(y, zero), zero, scalars.mul(x, y))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, y = call.inputs
        return multiply_no_nan(g, y), multiply_no_nan(x, g)


# -- extremes, conjugation ------------------------------------------------------------------


class ExtremeOfTwo(Binary):
    """The greater or lesser of x and y, the second of equal ones; NaN if one is."""

    dtypes = {"T": dt.REAL}

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        ufunc: Any = type(self).ufunc
        return extreme(ufunc) if types[0] is dt.float16 else ufunc


class Maximum(ExtremeOfTwo):
    """The greater of x and y; NaN if one is."""

    type_name = "Maximum"
    ufunc = np.maximum
    entry = max

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        return scalars.maximum(x, y)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, y = call.inputs
        return choose(greater_equal(x, y), g)


class Minimum(ExtremeOfTwo):
    """The lesser of x and y; NaN if one is."""

    type_name = "Minimum"
    ufunc = np.minimum
    entry = min

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        return scalars.minimum(x, y)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, y = call.inputs
        return choose(less_equal(x, y), g)


class Conj(Unary):
    """The complex conjugate."""

    type_name = "Conj"
    inputs = ("input: T",)
    outputs = ("output: T",)
    dtypes = {"T": dt.COMPLEX}
    ufunc = np.conj

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.conj(x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (conj(g),)


ADD: Op
SUB: Op
MUL: Op
REAL_DIV: Op
FLOOR_DIV: Op
FLOOR_MOD: Op
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


def add(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Adds elements, with broadcasting; strings are concatenated.

    Args:
        x: A tensor of numbers or strings, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape.

    >>> import graphwright as tf
    >>> tf.add([1, 2], 3)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([4, 5], dtype=int32)>
    >>> tf.add(["a", "b"], "c")
    <tf.Tensor: shape=(2,), dtype=string, numpy=array([b'ac', b'bc'], dtype=object)>
    """
    x, y = convert_terms(x, y)
    return apply(ADD_STRINGS if x.dtype is dt.string else ADD, x, y, name=name)


def subtract(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Subtracts the elements of `y` from those of `x`, with broadcasting.

    Args:
        x: A tensor of numbers, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape.

    >>> import graphwright as tf
    >>> tf.subtract([5, 2], 3)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([ 2, -1], dtype=int32)>
    """
    return apply(SUB, *convert_pair(x, y), name=name)


def multiply(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Multiplies elements, with broadcasting.

    Args:
        x: A tensor of numbers, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape.

    >>> import graphwright as tf
    >>> tf.multiply([[1, 2], [3, 4]], [10, 100])
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[ 10, 200],
           [ 30, 400]], dtype=int32)>
    """
    return apply(MUL, *convert_pair(x, y), name=name)


def negative(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the negative of each element; the least integer of a dtype stays itself.

    Args:
        x: A tensor of floats, signed integers or complex numbers, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> tf.negative([-2, 3])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([ 2, -3], dtype=int32)>
    """
    return apply(NEG, convert(x), name=name)


def floordiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Divides elements and rounds down, as the operator `//` does, with broadcasting.

    Args:
        x: A tensor of integers or floats, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape.

    Raises:
        InvalidArgumentError: An integer is divided by zero.

    >>> import graphwright as tf
    >>> tf.math.floordiv([7, -7], 2)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([ 3, -4], dtype=int32)>
    """
    return apply(FLOOR_DIV, *convert_pair(x, y), name=name)


def floormod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes `x - floor(x / y) * y`, the remainder of the operator `%`, with broadcasting.

    Args:
        x: A tensor of integers or floats, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape; its signs are those of
        `y`.

    Raises:
        InvalidArgumentError: An integer is divided by zero.

    >>> import graphwright as tf
    >>> tf.math.floormod([7, -7], 3)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
    """
    return apply(FLOOR_MOD, *convert_pair(x, y), name=name)


def truncatediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Divides elements and rounds towards zero, with broadcasting.

    Args:
        x: A tensor of integers or floats, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape.

    Raises:
        InternalError: An integer is divided by zero.

    >>> import graphwright as tf
    >>> tf.truncatediv([7, -7], 2)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([ 3, -3], dtype=int32)>
    """
    return apply(TRUNCATE_DIV, *convert_pair(x, y), name=name)


def truncatemod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes the remainder of a division that rounds towards zero, with broadcasting.

    Args:
        x: A tensor of floats, int32 or int64, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape; its signs are those of
        `x`.

    Raises:
        InternalError: An integer is divided by zero.

    >>> import graphwright as tf
    >>> tf.truncatemod([7, -7], 3)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([ 1, -1], dtype=int32)>
    """
    return apply(TRUNCATE_MOD, *convert_pair(x, y), name=name)


def divide_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Divides elements as `tf.divide` does, with a quotient of 0 where `y` is 0.

    Args:
        x: A tensor of numbers, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of the broadcast shape. Integers of 8 and 16 bits give float32, wider ones
        float64, and other numbers their own dtype.

    Raises:
        TypeError: The dtypes of the operands differ.

    >>> import graphwright as tf
    >>> tf.math.divide_no_nan([1.0, 2.0], [0.0, 4.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0. , 0.5], dtype=float32)>
    """
    return apply(DIV_NO_NAN, *quotient_operands(x, y), name=name)


def reciprocal_no_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the reciprocal of each element, 0 for an element of 0.

    Args:
        x: A tensor of floats or complex numbers, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> tf.math.reciprocal_no_nan([4.0, 0.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.25, 0.  ], dtype=float32)>
    """
    x = convert(x)
    return apply(DIV_NO_NAN, convert(1, x.dtype), x, name=name)


def multiply_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Multiplies elements, with a product of 0 where `y` is 0, even for an infinite or NaN `x`.

    Args:
        x: A tensor of floats or complex numbers, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape.

    >>> import graphwright as tf
    >>> tf.math.multiply_no_nan([float("inf"), 2.0], [0.0, 3.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0., 6.], dtype=float32)>
    """
    x = convert(x)
    return apply(MUL_NO_NAN, x, convert(y, x.dtype), name=name)


def maximum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes the greater of each pair of elements, with broadcasting; NaN where either is NaN.

    Args:
        x: A tensor of integers or floats, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape.

    >>> import graphwright as tf
    >>> tf.maximum([-2, 3], 0)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([0, 3], dtype=int32)>
    """
    return apply(MAXIMUM, *convert_pair(x, y), name=name)


def minimum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes the lesser of each pair of elements, with broadcasting; NaN where either is NaN.

    Args:
        x: A tensor of integers or floats, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape.

    >>> import graphwright as tf
    >>> tf.minimum([-2, 3], 0)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([-2,  0], dtype=int32)>
    """
    return apply(MINIMUM, *convert_pair(x, y), name=name)


def conj(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the complex conjugate of each element; returns a real tensor as it is.

    Args:
        x: A tensor of numbers, of any shape, or of dtype `tf.variant`.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        TypeError: The dtype of `x` is neither numeric nor `tf.variant`.

    >>> import graphwright as tf
    >>> tf.math.conj([1 + 2j])
    <tf.Tensor: shape=(1,), dtype=complex128, numpy=array([1.-2.j])>
    """
    x = convert(x)
    dtype = x.dtype
    if dtype.is_floating or dtype.is_integer or dtype is dt.variant:
        return x
    if dtype.is_complex:
        return apply(CONJ, x, name=name)
    raise TypeError(f"Expected numeric or variant tensor, got dtype {dtype!r}.")


def truediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Divides elements as real or complex numbers, with broadcasting.

    Args:
        x: A tensor of numbers, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of the broadcast shape. Integers of 8 and 16 bits give float32, wider ones
        float64, and other numbers their own dtype.

    Raises:
        TypeError: The dtypes of the operands differ or are not numeric.

    >>> import graphwright as tf
    >>> tf.truediv([6, 9], 4)
    <tf.Tensor: shape=(2,), dtype=float64, numpy=array([1.5 , 2.25])>
    """
    return divide(*convert_terms(x, y), name)


def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Divides elements as the operator `/` does, with broadcasting.

    Args:
        x: A tensor of numbers, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of the broadcast shape. Integers of 8 and 16 bits give float32, wider ones
        float64, and other numbers their own dtype.

    Raises:
        TypeError: The dtypes of the operands differ or are not numeric.

    >>> import graphwright as tf
    >>> tf.divide([6, 9], 4)
    <tf.Tensor: shape=(2,), dtype=float64, numpy=array([1.5 , 2.25])>
    """
    return apply(REAL_DIV, *quotient_operands(x, y), name=name)


def realdiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Divides floats or complex numbers, with broadcasting.

    Args:
        x: A tensor of floats or complex numbers, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape.

    >>> import graphwright as tf
    >>> tf.realdiv([6.0, 9.0], 4.0)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1.5 , 2.25], dtype=float32)>
    """
    return apply(REAL_DIV, *convert_pair(x, y), name=name)


def scalar_mul(scalar: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Multiplies a tensor by a scalar.

    Args:
        scalar: A number or scalar tensor of the dtype of `x`.
        x: A tensor of numbers, of any shape, or `tf.IndexedSlices`.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`, or `tf.IndexedSlices` where `x` is one.

    Raises:
        ValueError: `scalar` has axes.

    >>> import graphwright as tf
    >>> tf.scalar_mul(2.0, [1.0, 3.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([2., 6.], dtype=float32)>
    """
    values = values_of(x)
    scalar = convert(scalar, values.dtype)
    if scalar.type.rank != 0:
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {scalar.shape}.")
    return with_values(x, apply(MUL, scalar, values, name=name))


def quotient_operands(x: TensorLike, y: TensorLike) -> tuple[Any, Any]:
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

one_op(
    add,
    subtract,
    multiply,
    floordiv,
    floormod,
    maximum,
    minimum,
    truediv,
    divide,
    tensors=2,
    takes_numbers=True,
)
one_op(negative)
