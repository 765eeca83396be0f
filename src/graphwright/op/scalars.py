"""The vocabulary of element expressions: what one output element is, in scalar terms.

An elementwise op's `element` is written against `Scalars`; an implementation gives the
words a meaning. `NumpyScalars` is the reference; native code generation provides another.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np

from graphwright.op import special_functions
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array, ArrayDType
from graphwright.types.dtypes import DType

S = TypeVar("S")


class NoNativeForm(Exception):
    """An element expression, or a word of one, means nothing in machine code."""


class Scalars(ABC, Generic[S]):
    """Scalar operations on values of one element type.

    Ops write `scalars.exp(x)`: each word is a method, and `op.spelling` refuses the class of an op
    that misspells one. An implementation says what words mean by `unary`, `binary` and `compare`.
    """

    @abstractmethod
    def constant(self, value: float, like: S) -> S:
        """A number of the same type as another."""

    @abstractmethod
    def unary(self, function: str, x: S) -> S:
        """A word of `UNARY`."""

    @abstractmethod
    def binary(self, function: str, x: S, y: S) -> S:
        """A word of `BINARY`."""

    @abstractmethod
    def compare(self, relation: str, x: S, y: S) -> S:
        """A word of `COMPARE`; a bool."""

    @abstractmethod
    def select(self, condition: S, x: S, y: S) -> S:
        """`x` where a condition holds, else `y`."""

    @abstractmethod
    def add(self, x: S, y: S) -> S:
        """The sum."""

    @abstractmethod
    def sub(self, x: S, y: S) -> S:
        """The difference."""

    @abstractmethod
    def mul(self, x: S, y: S) -> S:
        """The product."""

    @abstractmethod
    def div(self, x: S, y: S) -> S:
        """The quotient; of integers, rounded towards zero."""

    @abstractmethod
    def neg(self, x: S) -> S:
        """-x."""

    @abstractmethod
    def cast(self, x: S, dtype: DType) -> S:
        """The value as another dtype."""

    # -- words of one operand ---------------------------------------------------------------

    def abs(self, x: S) -> S:
        return self.unary("abs", x)

    def acos(self, x: S) -> S:
        return self.unary("acos", x)

    def acosh(self, x: S) -> S:
        return self.unary("acosh", x)

    def asin(self, x: S) -> S:
        return self.unary("asin", x)

    def asinh(self, x: S) -> S:
        return self.unary("asinh", x)

    def atan(self, x: S) -> S:
        return self.unary("atan", x)

    def atanh(self, x: S) -> S:
        return self.unary("atanh", x)

    def bessel_i0(self, x: S) -> S:
        return self.unary("bessel_i0", x)

    def bessel_i0e(self, x: S) -> S:
        return self.unary("bessel_i0e", x)

    def bessel_i1(self, x: S) -> S:
        return self.unary("bessel_i1", x)

    def bessel_i1e(self, x: S) -> S:
        return self.unary("bessel_i1e", x)

    def bessel_j0(self, x: S) -> S:
        return self.unary("bessel_j0", x)

    def bessel_j1(self, x: S) -> S:
        return self.unary("bessel_j1", x)

    def bessel_k0(self, x: S) -> S:
        return self.unary("bessel_k0", x)

    def bessel_k0e(self, x: S) -> S:
        return self.unary("bessel_k0e", x)

    def bessel_k1(self, x: S) -> S:
        return self.unary("bessel_k1", x)

    def bessel_k1e(self, x: S) -> S:
        return self.unary("bessel_k1e", x)

    def bessel_y0(self, x: S) -> S:
        return self.unary("bessel_y0", x)

    def bessel_y1(self, x: S) -> S:
        return self.unary("bessel_y1", x)

    def ceil(self, x: S) -> S:
        return self.unary("ceil", x)

    def conj(self, x: S) -> S:
        return self.unary("conj", x)

    def cos(self, x: S) -> S:
        return self.unary("cos", x)

    def cosh(self, x: S) -> S:
        return self.unary("cosh", x)

    def digamma(self, x: S) -> S:
        return self.unary("digamma", x)

    def erf(self, x: S) -> S:
        return self.unary("erf", x)

    def erfc(self, x: S) -> S:
        return self.unary("erfc", x)

    def exp(self, x: S) -> S:
        return self.unary("exp", x)

    def expint(self, x: S) -> S:
        return self.unary("expint", x)

    def expm1(self, x: S) -> S:
        return self.unary("expm1", x)

    def floor(self, x: S) -> S:
        return self.unary("floor", x)

    def invert(self, x: S) -> S:
        return self.unary("invert", x)

    def isfinite(self, x: S) -> S:
        return self.unary("isfinite", x)

    def isinf(self, x: S) -> S:
        return self.unary("isinf", x)

    def isnan(self, x: S) -> S:
        return self.unary("isnan", x)

    def lgamma(self, x: S) -> S:
        return self.unary("lgamma", x)

    def log(self, x: S) -> S:
        return self.unary("log", x)

    def log1p(self, x: S) -> S:
        return self.unary("log1p", x)

    def logical_not(self, x: S) -> S:
        return self.unary("not", x)

    def popcount(self, x: S) -> S:
        return self.unary("popcount", x)

    def rint(self, x: S) -> S:
        return self.unary("rint", x)

    def sigmoid(self, x: S) -> S:
        return self.unary("sigmoid", x)

    def sign(self, x: S) -> S:
        return self.unary("sign", x)

    def sin(self, x: S) -> S:
        return self.unary("sin", x)

    def sinh(self, x: S) -> S:
        return self.unary("sinh", x)

    def sqrt(self, x: S) -> S:
        return self.unary("sqrt", x)

    def tan(self, x: S) -> S:
        return self.unary("tan", x)

    def tanh(self, x: S) -> S:
        return self.unary("tanh", x)

    # -- words of two operands --------------------------------------------------------------

    def logical_and(self, x: S, y: S) -> S:
        return self.binary("and", x, y)

    def atan2(self, x: S, y: S) -> S:
        return self.binary("atan2", x, y)

    def bitand(self, x: S, y: S) -> S:
        return self.binary("bitand", x, y)

    def bitor(self, x: S, y: S) -> S:
        return self.binary("bitor", x, y)

    def bitxor(self, x: S, y: S) -> S:
        return self.binary("bitxor", x, y)

    def floordiv(self, x: S, y: S) -> S:
        return self.binary("floordiv", x, y)

    def floormod(self, x: S, y: S) -> S:
        return self.binary("floormod", x, y)

    def maximum(self, x: S, y: S) -> S:
        return self.binary("maximum", x, y)

    def minimum(self, x: S, y: S) -> S:
        return self.binary("minimum", x, y)

    def nextafter(self, x: S, y: S) -> S:
        return self.binary("nextafter", x, y)

    def logical_or(self, x: S, y: S) -> S:
        return self.binary("or", x, y)

    def pow(self, x: S, y: S) -> S:
        return self.binary("pow", x, y)

    def shiftleft(self, x: S, y: S) -> S:
        return self.binary("shiftleft", x, y)

    def shiftright(self, x: S, y: S) -> S:
        return self.binary("shiftright", x, y)

    def truncdiv(self, x: S, y: S) -> S:
        return self.binary("truncdiv", x, y)

    def truncmod(self, x: S, y: S) -> S:
        return self.binary("truncmod", x, y)

    def logical_xor(self, x: S, y: S) -> S:
        return self.binary("xor", x, y)

    # -- comparisons ------------------------------------------------------------------------

    def equal(self, x: S, y: S) -> S:
        return self.compare("eq", x, y)

    def not_equal(self, x: S, y: S) -> S:
        return self.compare("ne", x, y)

    def less(self, x: S, y: S) -> S:
        return self.compare("lt", x, y)

    def less_equal(self, x: S, y: S) -> S:
        return self.compare("le", x, y)

    def greater(self, x: S, y: S) -> S:
        return self.compare("gt", x, y)

    def greater_equal(self, x: S, y: S) -> S:
        return self.compare("ge", x, y)


class CheckedScalars(Scalars[S]):
    """The same where elements can be refused: the call then runs as kernels."""

    @abstractmethod
    def on_zero(self, condition: S) -> None:
        """Refuses the elements for which a condition holds."""

    @abstractmethod
    def bitcast(self, x: S, dtype: DType) -> S:
        """The bits as another dtype of the same size."""

    def is_inside(self, place: S, size: S) -> S:
        """Whether an integer is a place among so many."""
        zero = self.constant(0, place)
        return self.logical_and(self.greater_equal(place, zero), self.less(place, size))


# -- functions that NumPy lacks -------------------------------------------------------------


def floor_quotient(x: Array, y: Array) -> Any:
    """floor(x / y); integers exactly."""
    if np.asarray(y).dtype.kind in "iu":
        return np.floor_divide(x, y)
    return np.floor(np.divide(x, y))


def quotient_of_c(x: Array, y: Array) -> Any:
    """The integer quotient rounded towards zero; an ordinary division of floats."""
    if np.asarray(y).dtype.kind not in "iu":
        return np.divide(x, y)
    quotient = np.floor_divide(x, y)
    inexact = np.not_equal(quotient * y, x)
    below = inexact & (np.less(x, 0) != np.less(y, 0))
    return np.add(quotient, below, dtype=quotient.dtype)


def truncated_quotient(x: Array, y: Array) -> Any:
    """The quotient rounded towards zero."""
    quotient = quotient_of_c(x, y)
    return quotient if quotient.dtype.kind in "iu" else np.trunc(quotient)


def extreme(ufunc: np.ufunc) -> Callable[[Array, Array], Array]:
    """The greater or the lesser, and of equal numbers the second.

    So do NumPy's vector code and machine code; its other code, of float16, takes the first.
    """

    def second(x: Array, y: Array) -> Array:
        result: Array = ufunc(y, x) if x.dtype == np.float16 else ufunc(x, y)
        return result

    return second


def shift(ufunc: np.ufunc) -> Callable[..., Any]:
    """A shift whose distance is brought into the width of the dtype, as in [0, width)."""

    def shifted(x: Array, y: Array) -> Any:
        bits = np.asarray(y).dtype.type(np.asarray(x).dtype.itemsize * 8 - 1)
        return ufunc(x, np.clip(y, 0, bits))

    return shifted


def logistic(x: Array) -> Any:
    """1 / (1 + exp(-x)), of complex numbers too.

    SciPy has it, and takes 100 ms to import: many programs need nothing else of it.
    """
    x = np.asarray(x)
    if x.dtype.kind == "c":
        return np.reciprocal(1 + np.exp(np.negative(x)))
    power = np.exp(np.negative(x, dtype=np.float64))  # infinite for results that are 0
    return np.reciprocal(power + 1.0).astype(x.dtype, copy=False)


def psi(x: Array) -> Any:
    """Digamma; NaN at its poles, 0 among them."""
    pole = np.less_equal(x, 0) & np.equal(x, np.floor(x))
    return np.where(pole, x.dtype.type(np.nan), special_functions.psi(x))


def count_of_bits(x: Array) -> Any:
    """How many bits of integers are set; of a negative one in two's complement."""
    x = np.asarray(x)
    return np.bitwise_count(x.view(f"u{x.dtype.itemsize}"))


#: Unary functions that every implementation of `Scalars` knows.
UNARY: dict[str, Callable[..., Any]] = {
    "abs": np.abs,
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "bessel_i0": special_functions.i0,
    "bessel_i0e": special_functions.i0e,
    "bessel_i1": special_functions.i1,
    "bessel_i1e": special_functions.i1e,
    "bessel_j0": special_functions.j0,
    "bessel_j1": special_functions.j1,
    "bessel_k0": special_functions.k0,
    "bessel_k0e": special_functions.k0e,
    "bessel_k1": special_functions.k1,
    "bessel_k1e": special_functions.k1e,
    "bessel_y0": special_functions.y0,
    "bessel_y1": special_functions.y1,
    "ceil": np.ceil,
    "conj": np.conj,
    "cos": np.cos,
    "cosh": np.cosh,
    "digamma": psi,
    "erf": special_functions.erf,
    "erfc": special_functions.erfc,
    "exp": np.exp,
    "expint": special_functions.expi,
    "expm1": np.expm1,
    "floor": np.floor,
    "invert": np.invert,
    "isfinite": np.isfinite,
    "isinf": np.isinf,
    "isnan": np.isnan,
    "lgamma": special_functions.lgamma,
    "log": np.log,
    "log1p": np.log1p,
    "not": np.logical_not,
    "popcount": count_of_bits,
    "rint": np.rint,
    "sigmoid": logistic,
    "sign": np.sign,
    "sin": np.sin,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
}

#: Binary functions that every implementation of `Scalars` knows.
BINARY: dict[str, Callable[..., Any]] = {
    "and": np.logical_and,
    "atan2": np.arctan2,
    "bitand": np.bitwise_and,
    "bitor": np.bitwise_or,
    "bitxor": np.bitwise_xor,
    "floordiv": floor_quotient,
    "floormod": np.mod,
    "maximum": extreme(np.maximum),
    "minimum": extreme(np.minimum),
    "nextafter": np.nextafter,
    "or": np.logical_or,
    "pow": np.power,
    "shiftleft": shift(np.left_shift),
    "shiftright": shift(np.right_shift),
    "truncdiv": truncated_quotient,
    "truncmod": np.fmod,
    "xor": np.logical_xor,
}

COMPARE = {
    "eq": np.equal,
    "ge": np.greater_equal,
    "gt": np.greater,
    "le": np.less_equal,
    "lt": np.less,
    "ne": np.not_equal,
}


def caster(source: ArrayDType, target: ArrayDType) -> Callable[[Array], Array]:
    """A function that converts elements of a dtype to another one, each by the same rule.

    NumPy's result for floats that fit no unsigned integer depends on their place in the array. This
    one is that of TensorFlow's conversion of one number, of 64 bits.
    """
    narrow = [dt.of_numpy(t) in dt.NARROW_INTEGER for t in (source, target)]
    if any(narrow) and source != target:  # NumPy converts these to and from plain integers only
        other = source if narrow[1] else target
        through = np.dtype(np.int32 if all(narrow) or other.kind in "iub" else np.float32)
        return lambda x: x.astype(through).astype(target)
    is_float = source.kind in "fV" and source.names is None
    if is_float and target == np.uint32:
        return lambda x: x.astype(np.int64).astype(np.uint32)
    if is_float and target == np.uint64:
        return as_uint64
    return lambda x: x.astype(target)


def as_uint64(x: Array) -> Array:
    """Floats as uint64; 2^63 where they do not fit."""
    converted = np.asarray(x.astype(np.uint64))
    beyond = x.astype(np.float64, copy=False) >= 2.0**64
    return np.where(beyond, np.uint64(2**63), converted) if beyond.any() else converted


class NumpyScalars(Scalars[Array]):
    """Element expressions over whole NumPy arrays: the meaning to test others against."""

    def constant(self, value: float, like: Array) -> Any:
        return np.asarray(like).dtype.type(value)

    def unary(self, function: str, x: Array) -> Any:
        return UNARY[function](x)

    def binary(self, function: str, x: Array, y: Array) -> Any:
        return BINARY[function](x, y)

    def compare(self, relation: str, x: Array, y: Array) -> Any:
        return COMPARE[relation](x, y)

    def select(self, condition: Array, x: Array, y: Array) -> Any:
        return np.where(condition, x, y)

    def add(self, x: Array, y: Array) -> Any:
        return np.add(x, y)

    def sub(self, x: Array, y: Array) -> Any:
        return np.subtract(x, y)

    def mul(self, x: Array, y: Array) -> Any:
        return np.multiply(x, y)

    def div(self, x: Array, y: Array) -> Any:
        return quotient_of_c(x, y)

    def cast(self, x: Array, dtype: DType) -> Any:
        x = np.asarray(x)
        return caster(x.dtype, dtype.numpy_dtype)(x)

    def neg(self, x: Array) -> Any:
        return np.negative(x)
