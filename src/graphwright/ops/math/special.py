"""Special functions of the gamma, beta and error function families, elementwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi, sqrt
from typing import Any, ClassVar

import numpy as np

from graphwright.op import special_functions
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert, convert_pair
from graphwright.op.op import Call, Op, Shapes, undefined
from graphwright.op.op_families import Binary, Unary, no_element
from graphwright.op.scalars import UNARY, S, Scalars, psi
from graphwright.op.spelling import misspelt
from graphwright.ops.core.casting import cast
from graphwright.ops.math.arithmetic import conj
from graphwright.ops.math.comparison import not_equal
from graphwright.ops.math.reduction import reduce_sum
from graphwright.ops.math.transcendental import exp, log, log1p, square
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType, merge_dims, show_dims

SINGLE_DOUBLE = frozenset({dt.float32, dt.float64})


def widened(function: Callable[..., Array], dtype: DType) -> Callable[..., Array]:
    """The function on arrays of `dtype`: those that SciPy does not know go through float32."""
    if dtype in SINGLE_DOUBLE:
        return function
    narrow = dtype.numpy_dtype

    def through_float32(*arrays: Array) -> Array:
        return function(*[a.astype(np.float32) for a in arrays]).astype(narrow)

    return through_float32


class Special(Unary):
    """A function of one real number."""

    dtypes = {"T": dt.FLOATING}
    element = no_element

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        return widened(type(self).ufunc, types[0])


class Worded(Special):
    """A function that element expressions have a word for."""

    word: ClassVar[str]

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if cls.word not in UNARY:
            raise misspelt(f"{cls.__name__}: no word is called {cls.word!r}", cls.word, UNARY)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        return widened(UNARY[self.word], types[0])

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.unary(self.word, x)


class SpecialBinary(Binary):
    """A function of two real numbers."""

    dtypes = {"T": dt.FLOATING}
    element = no_element

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        return widened(type(self).ufunc, types[0])


# -- the gamma function ---------------------------------------------------------------------


class Lgamma(Worded):
    """log |gamma(x)|."""

    type_name = "Lgamma"
    word = "lgamma"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g * digamma(call.inputs[0]),)


class Digamma(Worded):
    """The derivative of lgamma."""

    type_name = "Digamma"
    word = "digamma"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x = call.inputs[0]
        return (g * polygamma(convert(1, x.dtype), x),)


def derivative_of_psi(a: Array, x: Array) -> Array:
    """The derivative of order `a` of digamma, NaN where `a` is no whole number >= 0."""
    order = np.asarray(a, np.float64)
    sign = np.where(order % 2 == 0, -1.0, 1.0)
    value = (
        sign
        * special_functions.gamma(order + 1)
        * special_functions.zeta(order + 1, np.asarray(x, np.float64))
    )
    zeroth = order == 0
    if zeroth.any():
        value = np.where(zeroth, psi(np.asarray(x, np.float64)), value)
    valid = (order >= 0) & (order == np.floor(order))
    return np.where(valid, value, np.nan).astype(a.dtype)


class Polygamma(SpecialBinary):
    """The derivative of order `a` of digamma at x."""

    type_name = "Polygamma"
    inputs = ("a: T", "x: T")
    dtypes = {"T": SINGLE_DOUBLE}
    ufunc = staticmethod(derivative_of_psi)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        a, x = call.inputs
        return None, g * polygamma(a + 1, x)


class Zeta(SpecialBinary):
    """The Hurwitz zeta function: the sum of (q + n) ** -x for n = 0, 1, ..."""

    type_name = "Zeta"
    inputs = ("x: T", "q: T")
    dtypes = {"T": SINGLE_DOUBLE}
    ufunc = special_functions.zeta

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, q = call.inputs
        return None, g * (-x * zeta(x + 1, q))


def lower_gamma(a: Array, x: Array) -> Any:
    """The regularised lower incomplete gamma function; NaN where a <= 0 or x < 0."""
    undefined = np.less_equal(a, 0) & np.not_equal(x, 0)
    return np.where(undefined, x.dtype.type(np.nan), special_functions.gammainc(a, x))


def upper_gamma(a: Array, x: Array) -> Any:
    """The regularised upper incomplete gamma function; NaN where a <= 0 or x < 0."""
    return np.where(np.less_equal(a, 0), x.dtype.type(np.nan), special_functions.gammaincc(a, x))


def density(a: TensorValue, x: TensorValue) -> Any:
    """The density of the gamma distribution of shape `a`: the slope of igamma in x."""
    return exp(-x + (a - 1) * log(x) - lgamma(a))


class Igamma(SpecialBinary):
    """The regularised lower incomplete gamma function P(a, x)."""

    type_name = "Igamma"
    inputs = ("a: T", "x: T")
    ufunc = staticmethod(lower_gamma)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        a, x = call.inputs
        return g * apply(IGAMMA_GRAD_A, a, x), g * density(a, x)


class Igammac(SpecialBinary):
    """The regularised upper incomplete gamma function Q(a, x) = 1 - P(a, x)."""

    type_name = "Igammac"
    inputs = ("a: T", "x: T")
    ufunc = staticmethod(upper_gamma)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        a, x = call.inputs
        return -g * apply(IGAMMA_GRAD_A, a, x), -g * density(a, x)


def slope_of_lower_gamma(a: Array, x: Array) -> Array:
    """dP(a, x) / da, by the series P = sum of exp((a + n) log x - x - lgamma(a + n + 1)).

    Each term is differentiated; their number grows with the largest x, so large `a` go another way.
    """
    shape, place = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(x, np.float64))
    valid = (shape > 0) & (place > 0) & np.isfinite(place)
    large = valid & (shape > _LARGE)
    near = valid & ~large
    order, y = np.where(near, shape, 1.0).ravel(), np.where(near, place, 1.0).ravel()
    y = np.minimum(y, 2000.0 + 4 * order)  # beyond, P is 1 and its slope 0
    parts = [slice(start, start + _NEAR) for start in range(0, y.size, _NEAR)]
    total = np.concatenate([slopes_of_series(order[part], y[part]) for part in parts] or [y])
    total = total.reshape(valid.shape)
    total[large] = slopes_at_large(shape[large], place[large])
    result = np.where(valid, total, np.where((shape > 0) & (place == 0), 0.0, np.nan))
    return result.astype(a.dtype)


#: Elements whose terms stay in the cache of a core from one to the next.
_NEAR = 1 << 12
#: Beyond, the series has too many terms; beyond the other, P is the normal distribution's.
_LARGE, _NORMAL = 1e4, 1e20


def slopes_at_large(order: Array, y: Array) -> Any:
    """dP(a, y) / da for large `a`, by central differences of order 6.

    P changes over a distance of the root of `a`. Steps are powers of two, so they are exact.
    """
    step = np.exp2(np.rint(np.log2(0.03 * np.sqrt(order))))
    total = np.zeros_like(order)
    with np.errstate(under="ignore", over="ignore", invalid="ignore"):
        for i, weight in enumerate((45, -9, 1), 1):
            ends = [special_functions.gammainc(order + side * i * step, y) for side in (1, -1)]
            total += weight * (ends[0] - ends[1])
        density = np.exp(-np.square((y - order) / np.sqrt(order)) / 2)
    normal = -density / np.sqrt(2 * np.pi * order)
    return np.where(order > _NORMAL, normal, total / (60 * step))


def slopes_of_series(order: Array, y: Array) -> Array:
    """The sum of the differentiated terms.

    Each term is the one before times y / (order + n). Digamma at order + n + 1 is the one before
    plus 1 / (order + n).
    """
    logarithm = np.log(y)
    term = np.exp(order * logarithm - y - special_functions.gammaln(order + 1))
    least = 2.0**-60 * term
    slope = logarithm - special_functions.psi(order + 1)
    total: Array = term * slope
    divisor, step = order.copy(), np.empty_like(y)
    peak = float(y.max(initial=0.0))  # from here on, no term is greater than the one before
    n = 0
    while n <= peak or np.greater(term, least).any():
        for _ in range(8):
            divisor += 1
            np.reciprocal(divisor, out=step)
            slope -= step
            step *= y
            term *= step
            np.multiply(term, slope, out=step)
            total += step
        n += 8
    return total


class IgammaGradA(SpecialBinary):
    """The slope of igamma in its first argument."""

    type_name = "IgammaGradA"
    gradient = undefined("the slope of igamma in its first argument has none itself")
    inputs = ("a: T", "x: T")
    dtypes = {"T": SINGLE_DOUBLE}
    ufunc = staticmethod(slope_of_lower_gamma)


class Betainc(Op):
    """The regularised incomplete beta function; operands that are not scalars have one shape."""

    type_name = "Betainc"
    inputs = ("a: T", "b: T", "x: T")
    outputs = ("z: T",)
    dtypes = {"T": SINGLE_DOUBLE}

    def shapes(self, *operands: TensorType) -> Shapes:
        dims: Any = ()
        for operand in operands:
            if operand.dims == ():
                continue
            try:
                dims = operand.dims if dims == () else merge_dims(dims, operand.dims)
            except ValueError:
                raise ValueError(
                    "Shapes of a, b and x are inconsistent: "
                    + " vs. ".join(show_dims(o.dims) for o in operands)
                ) from None
        return (dims,)

    def kernel(self, a: Array, b: Array, x: Array) -> Any:
        shapes = {np.shape(v) for v in (a, b, x)} - {()}
        if len(shapes) > 1:
            raise ValueError("Shapes of a, b and x are inconsistent")
        return special_functions.betainc(a, b, x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        a, b, x = call.inputs
        log_beta = lgamma(a) + lgamma(b) - lgamma(a + b)
        slope = g * exp((b - 1) * log1p(-x) + (a - 1) * log(x) - log_beta)
        return None, None, slope if x.type.rank != 0 else reduce_sum(slope)


# -- the error function ---------------------------------------------------------------------


class Erf(Worded):
    """The error function."""

    type_name = "Erf"
    word = "erf"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g * (2 / sqrt(pi)) * exp(-square(call.inputs[0])),)


class Erfc(Worded):
    """1 - erf(x), exact for large x."""

    type_name = "Erfc"
    word = "erfc"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g * (-2 / sqrt(pi)) * exp(-square(call.inputs[0])),)


class Erfinv(Special):
    """The inverse of the error function."""

    type_name = "Erfinv"
    ufunc = special_functions.erfinv

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g * (sqrt(pi) / 2) * exp(square(call.outputs[0])),)


class Ndtri(Special):
    """The inverse of the distribution function of the normal distribution."""

    type_name = "Ndtri"
    ufunc = special_functions.ndtri

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g * sqrt(2 * pi) * exp(square(call.outputs[0]) / 2),)


# -- products that are 0 wherever x is ------------------------------------------------------


def zero_guarded(function: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    """`function(x, y)`, but 0 where x is 0, whatever y is."""

    def guarded(x: Array, y: Array) -> Array:
        zero = np.equal(x, 0)
        return np.where(zero, np.asarray(x).dtype.type(0), function(x, y))

    return guarded


class Xlogy(Binary):
    """x log(y), 0 where x is."""

    type_name = "Xlogy"
    dtypes = {"T": dt.INEXACT}
    ufunc = staticmethod(zero_guarded(lambda x, y: np.multiply(x, np.log(y))))

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        zero = scalars.constant(0, x)
        product = scalars.mul(x, scalars.log(y))
        return scalars.select(scalars.equal(x, zero), zero, product)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, y = conj(call.inputs[0]), conj(call.inputs[1])
        return g * xlogy(cast(not_equal(x, 0), x.dtype), y), g * xdivy(x, y)


class Xlog1py(Binary):
    """x log(1 + y), 0 where x is."""

    type_name = "Xlog1py"
    dtypes = {"T": dt.INEXACT}
    ufunc = staticmethod(zero_guarded(lambda x, y: np.multiply(x, np.log1p(y))))

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        zero = scalars.constant(0, x)
        product = scalars.mul(x, scalars.log1p(y))
        return scalars.select(scalars.equal(x, zero), zero, product)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, y = conj(call.inputs[0]), conj(call.inputs[1])
        return g * xlog1py(cast(not_equal(x, 0), x.dtype), y), g * xdivy(x, y + 1)


class Xdivy(Binary):
    """x / y, 0 where x is."""

    type_name = "Xdivy"
    dtypes = {"T": dt.INEXACT}
    ufunc = staticmethod(zero_guarded(np.divide))

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        zero = scalars.constant(0, x)
        return scalars.select(scalars.equal(x, zero), zero, scalars.div(x, y))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, y = conj(call.inputs[0]), conj(call.inputs[1])
        return g * xdivy(cast(not_equal(x, 0), x.dtype), y), g * xdivy(-x, square(y))


LGAMMA, DIGAMMA, POLYGAMMA, ZETA = Lgamma(), Digamma(), Polygamma(), Zeta()
IGAMMA, IGAMMAC, IGAMMA_GRAD_A, BETAINC = Igamma(), Igammac(), IgammaGradA(), Betainc()
ERF, ERFC, ERFINV, NDTRI = Erf(), Erfc(), Erfinv(), Ndtri()
XLOGY, XLOG1PY, XDIVY = Xlogy(), Xlog1py(), Xdivy()


# -- the public functions -------------------------------------------------------------------


def lgamma(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the logarithm of the absolute value of the gamma function for each element.

    Args:
        x: A tensor of floats, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> [round(float(y), 4) for y in tf.math.lgamma([1.0, 5.0])]
    [0.0, 3.1781]
    """
    return apply(LGAMMA, convert(x), name=name)


def digamma(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the derivative of `tf.math.lgamma` for each element.

    Args:
        x: A tensor of floats, of any shape. Zero and the negative whole numbers give NaN.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> [round(float(y), 4) for y in tf.math.digamma([1.0, 0.0])]
    [-0.5772, nan]
    """
    return apply(DIGAMMA, convert(x), name=name)


def polygamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the derivative of order `a` of `tf.math.digamma` at `x`, with broadcasting.

    Args:
        a: A tensor of float32 or float64, of any shape: the orders. One that is negative or not
            whole gives NaN.
        x: A tensor of the dtype of `a`; its shape broadcasts with that of `a`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape.

    >>> import graphwright as tf
    >>> [round(float(y), 4) for y in tf.math.polygamma([0.0, 1.0], 1.0)]
    [-0.5772, 1.6449]
    """
    return apply(POLYGAMMA, *convert_pair(a, x), name=name)


def zeta(x: TensorLike, q: TensorLike, name: str | None = None) -> Tensor:
    """Computes the Hurwitz zeta function: the sum of `(q + n) ** -x` for n = 0, 1, ...

    Args:
        x: A tensor of float32 or float64, of any shape. An exponent below 1 gives NaN.
        q: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape.

    >>> import graphwright as tf
    >>> round(float(tf.math.zeta(2.0, 1.0)), 4)
    1.6449
    """
    return apply(ZETA, *convert_pair(x, q), name=name)


def igamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the regularised lower incomplete gamma function P(a, x), with broadcasting.

    Args:
        a: A tensor of floats, of any shape: the order, which is positive.
        x: A tensor of the dtype of `a`, whose shape broadcasts; a negative number gives NaN.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape.

    >>> import graphwright as tf
    >>> round(float(tf.math.igamma(2.0, 1.0)), 4)
    0.2642
    """
    return apply(IGAMMA, *convert_pair(a, x), name=name)


def igammac(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the regularised upper incomplete gamma function 1 - P(a, x), with broadcasting.

    Args:
        a: A tensor of floats, of any shape: the order; one that is not positive gives NaN.
        x: A tensor of the dtype of `a`, whose shape broadcasts; a negative number gives NaN.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape.

    >>> import graphwright as tf
    >>> round(float(tf.math.igammac(2.0, 1.0)), 4)
    0.7358
    """
    return apply(IGAMMAC, *convert_pair(a, x), name=name)


def betainc(a: TensorLike, b: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the regularised incomplete beta function I_x(a, b) for each element.

    Args:
        a: A tensor of float32 or float64. Operands that are not scalars have one shape.
        b: A tensor of the dtype of `a`.
        x: A tensor of the dtype of `a`: the upper limit of the integral, in [0, 1].
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of the shape of those that are not scalars.

    Raises:
        InvalidArgumentError: Two operands have different shapes and neither is a scalar
            (ValueError when traced).

    >>> import graphwright as tf
    >>> tf.math.betainc(1.0, 2.0, [0.0, 0.5, 1.0])
    <tf.Tensor: shape=(3,), dtype=float32, numpy=array([0.  , 0.75, 1.  ], dtype=float32)>
    """
    a, b = convert_pair(a, b)
    return apply(BETAINC, *convert_pair(a, b), convert_pair(a, x)[1], name=name)


def lbeta(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the logarithm of the modulus of the multivariate beta function along the last axis.

    It is the sum of `lgamma(x)`, less `lgamma` of the sum of `x`.

    Args:
        x: A tensor of floats, of shape [..., n].
        name: A name, which has no effect.

    Returns:
        A tensor of the dtype of `x`, of shape [...].

    >>> import graphwright as tf
    >>> [round(float(y), 4) for y in tf.math.lbeta([[1.0, 2.0], [3.0, 4.0]])]
    [-0.6931, -4.0943]
    """
    x = convert(x)
    total = lgamma(reduce_sum(x, -1))
    return reduce_sum(lgamma(x), -1) - total


def erf(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the error function of each element.

    Args:
        x: A tensor of floats, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> [round(float(y), 4) for y in tf.math.erf([0.0, 1.0])]
    [0.0, 0.8427]
    """
    return apply(ERF, convert(x), name=name)


def erfc(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes `1 - erf(x)` for each element, accurately for large `x` too.

    Args:
        x: A tensor of floats, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> [round(float(y), 4) for y in tf.math.erfc([0.0, 1.0])]
    [1.0, 0.1573]
    """
    return apply(ERFC, convert(x), name=name)


def erfinv(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the inverse of the error function for each element.

    Args:
        x: A tensor of floats, of any shape. A number outside [-1, 1] gives NaN.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> tf.math.erfinv([0.0, 1.0, 2.0])
    <tf.Tensor: shape=(3,), dtype=float32, numpy=array([ 0., inf, nan], dtype=float32)>
    """
    return apply(ERFINV, convert(x), name=name)


def erfcinv(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the inverse of `tf.math.erfc` for each element.

    Args:
        x: A tensor of floats, of any shape. A number outside [0, 2] gives NaN.
        name: A name, which has no effect.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> tf.math.erfcinv([0.0, 2.0, 3.0])
    <tf.Tensor: shape=(3,), dtype=float32, numpy=array([ inf, -inf,  nan], dtype=float32)>
    """
    return -ndtri(0.5 * convert(x)) * sqrt(0.5)


def ndtri(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the quantile of the standard normal distribution for each probability.

    Args:
        x: A tensor of floats, of any shape. A number outside [0, 1] gives NaN.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> [round(float(y), 4) for y in tf.math.ndtri([0.5, 0.975])]
    [0.0, 1.96]
    """
    return apply(NDTRI, convert(x), name=name)


def xlogy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes `x * log(y)`, or 0 where `x` is 0, elementwise with broadcasting.

    Args:
        x: A tensor of floats or complex numbers, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape.

    >>> import graphwright as tf
    >>> tf.math.xlogy([0.0, 2.0], [0.0, 1.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0., 0.], dtype=float32)>
    """
    return apply(XLOGY, *convert_pair(x, y), name=name)


def xlog1py(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes `x * log(1 + y)`, or 0 where `x` is 0, elementwise with broadcasting.

    Args:
        x: A tensor of floats or complex numbers, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape.

    >>> import graphwright as tf
    >>> tf.math.xlog1py([0.0, 2.0], [-1.0, 0.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0., 0.], dtype=float32)>
    """
    return apply(XLOG1PY, *convert_pair(x, y), name=name)


def xdivy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes `x / y`, or 0 where `x` is 0, elementwise with broadcasting.

    Args:
        x: A tensor of floats or complex numbers, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape.

    >>> import graphwright as tf
    >>> tf.math.xdivy([0.0, 1.0], [0.0, 2.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0. , 0.5], dtype=float32)>
    """
    return apply(XDIVY, *convert_pair(x, y), name=name)
