"""Element expressions in words of StableHLO: elementwise ops are written by these."""

from __future__ import annotations

import math
from collections.abc import Sequence

from graphwright.compile.llvm.functions.error_functions import ERF_MOST, ERFC_LEAST
from graphwright.compile.llvm.functions.polynomials import ERF, ERFC, ERFC_MIDDLE, LOG_ERFC
from graphwright.op.scalars import CheckedScalars, NoNativeForm
from graphwright.portable.stablehlo.block_writer import BlockWriter
from graphwright.portable.stablehlo.hlo_value import HloValue
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType

#: Words that are one op.
_UNARY = {
    "abs": "abs", "ceil": "ceil", "cos": "cosine", "exp": "exponential",
    "expm1": "exponential_minus_one", "floor": "floor", "invert": "not", "log": "log",
    "log1p": "log_plus_one", "not": "not", "popcount": "popcnt", "rint": "round_nearest_even",
    "sigmoid": "logistic", "sign": "sign", "sin": "sine", "sqrt": "sqrt", "tan": "tan",
    "tanh": "tanh",
}  # fmt: skip
_BINARY = {
    "and": "and", "atan2": "atan2", "bitand": "and", "bitor": "or", "bitxor": "xor",
    "maximum": "maximum", "minimum": "minimum", "or": "or", "pow": "power",
    "truncmod": "remainder", "xor": "xor",
}  # fmt: skip


class HloWords(CheckedScalars[HloValue]):
    """The words of element expressions as lines of a block. Operands have one shape."""

    def __init__(self, writer: BlockWriter) -> None:
        self.writer = writer
        self.emit = writer.same

    def constant(self, value: float, like: HloValue) -> HloValue:
        return self.writer.constant(value, like.dtype, like.sizes)

    def unary(self, function: str, x: HloValue) -> HloValue:
        if function == "abs" and x.dtype in dt.UNSIGNED:
            return x
        if function in _UNARY:
            return self.emit(_UNARY[function], x)
        longer = getattr(self, f"_{function}", None)
        if longer is None:
            raise NoNativeForm(f"StableHLO has no {function}")
        result: HloValue = longer(x)
        return result

    def binary(self, function: str, x: HloValue, y: HloValue) -> HloValue:
        if function in _BINARY:
            return self.emit(_BINARY[function], x, y)
        longer = getattr(self, f"_{function}", None)
        if longer is None:
            raise NoNativeForm(f"StableHLO has no {function}")
        result: HloValue = longer(x, y)
        return result

    def compare(self, relation: str, x: HloValue, y: HloValue) -> HloValue:
        return self.writer.compare(relation.upper(), x, y)

    def select(self, condition: HloValue, x: HloValue, y: HloValue) -> HloValue:
        return self.writer.select(condition, x, y)

    def add(self, x: HloValue, y: HloValue) -> HloValue:
        return self.emit("add", x, y)

    def sub(self, x: HloValue, y: HloValue) -> HloValue:
        return self.emit("subtract", x, y)

    def mul(self, x: HloValue, y: HloValue) -> HloValue:
        return self.emit("multiply", x, y)

    def div(self, x: HloValue, y: HloValue) -> HloValue:
        return self.emit("divide", x, y)

    def neg(self, x: HloValue) -> HloValue:
        return self.emit("negate", x)

    def cast(self, x: HloValue, dtype: DType) -> HloValue:
        return self.writer.convert(x, dtype)

    def on_zero(self, condition: HloValue) -> None:
        raise NoNativeForm("StableHLO cannot leave elements to other code")

    def bitcast(self, x: HloValue, dtype: DType) -> HloValue:
        return self.writer.emit("bitcast_convert", [x], dtype, x.sizes)

    # -- words that are several ops ---------------------------------------------------------------

    def _acos(self, x: HloValue) -> HloValue:
        return self.atan2(self._other_side(x), x)

    def _acosh(self, x: HloValue) -> HloValue:
        one = self.constant(1, x)
        less = self.sub(x, one)
        root = self.mul(self.sqrt(less), self.sqrt(self.add(x, one)))
        large = self.add(self.log(x), self.constant(math.log(2), x))
        near = self.log1p(self.add(less, root))
        return self.select(self.greater(x, self.constant(2**10, x)), large, near)

    def _asin(self, x: HloValue) -> HloValue:
        return self.atan2(x, self._other_side(x))

    def _other_side(self, x: HloValue) -> HloValue:
        """sqrt(1 - x^2), exact near 1."""
        one = self.constant(1, x)
        return self.sqrt(self.mul(self.sub(one, x), self.add(one, x)))

    def _asinh(self, x: HloValue) -> HloValue:
        one, size = self.constant(1, x), self.abs(x)
        square = self.mul(size, size)
        part = self.div(square, self.add(one, self.sqrt(self.add(square, one))))
        near = self.log1p(self.add(size, part))
        large = self.add(self.log(size), self.constant(math.log(2), x))
        length = self.select(self.greater(size, self.constant(1e10, x)), large, near)
        return self.select(self.less(x, self.constant(0, x)), self.neg(length), length)

    def _atan(self, x: HloValue) -> HloValue:
        return self.atan2(x, self.constant(1, x))

    def _atanh(self, x: HloValue) -> HloValue:
        twice = self.sub(self.log1p(x), self.log1p(self.neg(x)))
        return self.mul(twice, self.constant(0.5, x))

    def _conj(self, x: HloValue) -> HloValue:
        return x

    def _cosh(self, x: HloValue) -> HloValue:
        # e^(x - log 2) does not overflow before the result does.
        less = self.constant(-math.log(2), x)
        size = self.abs(x)
        return self.add(self.exp(self.add(size, less)), self.exp(self.sub(less, size)))

    def _sinh(self, x: HloValue) -> HloValue:
        less, half, size = self.constant(-math.log(2), x), self.constant(0.5, x), self.abs(x)
        part = self.expm1(size)
        near = self.mul(half, self.add(part, self.div(part, self.add(part, self.constant(1, x)))))
        far = self.exp(self.add(size, less))
        length = self.select(self.greater(size, self.constant(10, x)), far, near)
        return self.select(self.less(x, self.constant(0, x)), self.neg(length), length)

    def _erf(self, x: HloValue) -> HloValue:
        """A polynomial up to 1; above it 1 minus the exponential of one."""
        kind = _kind_of(x)
        size, one = self.abs(x), self.constant(1, x)
        near = self._erf_near_zero(size)
        last = self.minimum(size, self.constant(ERF_MOST[kind], x))
        far = self.sub(one, self.exp(self._polynomial(last, LOG_ERFC[kind], one)))
        length = self.select(self.less(size, one), near, far)
        return self.select(self.less(x, self.constant(0, x)), self.neg(length), length)

    def _erf_near_zero(self, x: HloValue) -> HloValue:
        """erf(x) for |x| <= 1."""
        return self.add(self._polynomial(self.mul(x, x), ERF[_kind_of(x)], x), x)

    def _erfc(self, x: HloValue) -> HloValue:
        """exp(-x^2) / (1 + 2 x) times a polynomial in (x - 4) / (x + 4); 1 - erf(x) near 0.

        The square is that of a short number, which is exact, and the small rest of it.
        """
        kind = _kind_of(x)
        zero, one, four, grid = (self.constant(n, x) for n in (0, 1, 4, 16))
        size = self.minimum(self.abs(x), self.constant(ERFC_LEAST[kind], x))
        short = self.div(self.floor(self.mul(size, grid)), grid)
        rest = self.mul(self.sub(size, short), self.add(size, short))
        power = self.mul(self.exp(self.neg(self.mul(short, short))), self.exp(self.neg(rest)))
        place = self.div(self.sub(size, four), self.add(size, four))
        series = self._polynomial(place, ERFC[kind], place)
        series = self.add(series, self.constant(ERFC_MIDDLE[kind][0], x))
        far = self.mul(self.div(series, self.add(self.add(size, size), one)), power)
        far = self.select(self.less(x, zero), self.sub(self.constant(2, x), far), far)
        near = self.sub(one, self._erf_near_zero(x))
        return self.select(self.less(size, self.constant(0.65, x)), near, far)

    def _polynomial(self, x: HloValue, powers: Sequence[float], factor: HloValue) -> HloValue:
        """A factor times a polynomial, whose lowest power comes first."""
        total = self.constant(powers[-1], x)
        for number in powers[-2::-1]:
            total = self.add(self.mul(total, x), self.constant(number, x))
        return self.mul(total, factor)

    def _isfinite(self, x: HloValue) -> HloValue:
        return self.writer.emit("is_finite", [x], dt.bool_, x.sizes)

    def _isinf(self, x: HloValue) -> HloValue:
        return self.equal(self.abs(x), self.constant(math.inf, x))

    def _isnan(self, x: HloValue) -> HloValue:
        return self.not_equal(x, x)

    def _truncdiv(self, x: HloValue, y: HloValue) -> HloValue:
        quotient = self.div(x, y)
        if not x.dtype.is_floating:
            return quotient
        negative = self.less(quotient, self.constant(0, x))
        return self.select(negative, self.ceil(quotient), self.floor(quotient))

    def _floordiv(self, x: HloValue, y: HloValue) -> HloValue:
        quotient = self.div(x, y)
        if x.dtype.is_floating:
            return self.floor(quotient)
        if x.dtype in dt.UNSIGNED:
            return quotient
        turns = self._turns(self.truncmod(x, y), y)
        return self.select(turns, self.sub(quotient, self.constant(1, x)), quotient)

    def _floormod(self, x: HloValue, y: HloValue) -> HloValue:
        rest = self.truncmod(x, y)
        if x.dtype in dt.UNSIGNED:
            return rest
        return self.select(self._turns(rest, y), self.add(rest, y), rest)

    def _turns(self, rest: HloValue, y: HloValue) -> HloValue:
        """Whether a remainder has not the sign of the divisor."""
        zero = self.constant(0, y)
        signs = self.logical_xor(self.less(rest, zero), self.less(y, zero))
        return self.logical_and(self.not_equal(rest, zero), signs)

    def _shiftleft(self, x: HloValue, y: HloValue) -> HloValue:
        return self.emit("shift_left", x, self._bounded(x, y))

    def _shiftright(self, x: HloValue, y: HloValue) -> HloValue:
        kind = "logical" if x.dtype in dt.UNSIGNED else "arithmetic"
        return self.emit(f"shift_right_{kind}", x, self._bounded(x, y))

    def _bounded(self, x: HloValue, y: HloValue) -> HloValue:
        bits = self.constant(x.dtype.numpy_dtype.itemsize * 8 - 1, y)
        return self.minimum(self.maximum(y, self.constant(0, y)), bits)


def _kind_of(x: HloValue) -> str:
    """The precision of polynomials for a value."""
    kind = {dt.float32: "f32", dt.float64: "f64"}.get(x.dtype)
    if kind is None:
        raise NoNativeForm(f"StableHLO has no such function of {x.dtype.name}")
    return kind
