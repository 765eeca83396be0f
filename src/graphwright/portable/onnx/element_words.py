"""Element expressions in words of ONNX: an elementwise op without a rule is written by these."""

from __future__ import annotations

from graphwright.op.scalars import CheckedScalars, NoNativeForm
from graphwright.portable.onnx.node_writer import NodeWriter
from graphwright.portable.onnx.onnx_types import NUMBER_OF
from graphwright.portable.onnx.wire import Wire
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType

#: Words that are one op.
_UNARY = {
    "abs": "Abs", "acos": "Acos", "acosh": "Acosh", "asin": "Asin", "asinh": "Asinh",
    "atan": "Atan", "atanh": "Atanh", "ceil": "Ceil", "cos": "Cos", "cosh": "Cosh", "erf": "Erf",
    "exp": "Exp", "floor": "Floor", "invert": "BitwiseNot", "isinf": "IsInf", "isnan": "IsNaN",
    "log": "Log", "not": "Not", "rint": "Round", "sigmoid": "Sigmoid", "sign": "Sign",
    "sin": "Sin", "sinh": "Sinh", "sqrt": "Sqrt", "tan": "Tan", "tanh": "Tanh",
}  # fmt: skip
_BINARY = {
    "and": "And", "bitand": "BitwiseAnd", "bitor": "BitwiseOr", "bitxor": "BitwiseXor",
    "maximum": "Max", "minimum": "Min", "or": "Or", "pow": "Pow", "xor": "Xor",
}  # fmt: skip
_COMPARE = {"eq": "Equal", "ge": "GreaterOrEqual", "gt": "Greater", "le": "LessOrEqual",
            "lt": "Less"}  # fmt: skip
_UNSIGNED = {dt.int8: dt.uint8, dt.int16: dt.uint16, dt.int32: dt.uint32, dt.int64: dt.uint64}


class ElementWords(CheckedScalars[Wire]):
    """The words of element expressions as nodes of a graph that is being written."""

    def __init__(self, writer: NodeWriter) -> None:
        self.writer = writer
        self.emit = writer.emit

    def constant(self, value: float, like: Wire) -> Wire:
        return self.writer.like(value, like)

    def unary(self, function: str, x: Wire) -> Wire:
        if function in _UNARY:
            return self.emit(_UNARY[function], x)
        longer = {
            "conj": self._conj,
            "expm1": self._expm1,
            "isfinite": self._isfinite,
            "log1p": self._log1p,
        }
        if function not in longer:
            raise NoNativeForm(f"ONNX has no {function}")
        return longer[function](x)

    def binary(self, function: str, x: Wire, y: Wire) -> Wire:
        if function in _BINARY:
            return self.emit(_BINARY[function], x, y)
        longer = {
            "atan2": self._atan2,
            "floordiv": self._floordiv,
            "floormod": self._floormod,
            "shiftleft": self._shiftleft,
            "shiftright": self._shiftright,
            "truncdiv": self._truncdiv,
            "truncmod": self._truncmod,
        }
        if function not in longer:
            raise NoNativeForm(f"ONNX has no {function}")
        return longer[function](x, y)

    def compare(self, relation: str, x: Wire, y: Wire) -> Wire:
        if relation == "ne":
            return self.emit("Not", self.emit("Equal", x, y))
        return self.emit(_COMPARE[relation], x, y)

    def select(self, condition: Wire, x: Wire, y: Wire) -> Wire:
        return self.emit("Where", condition, x, y)

    def add(self, x: Wire, y: Wire) -> Wire:
        return self.emit("Add", x, y)

    def sub(self, x: Wire, y: Wire) -> Wire:
        return self.emit("Sub", x, y)

    def mul(self, x: Wire, y: Wire) -> Wire:
        return self.emit("Mul", x, y)

    def div(self, x: Wire, y: Wire) -> Wire:
        return self.emit("Div", x, y)

    def neg(self, x: Wire) -> Wire:
        return self.emit("Neg", x)

    def cast(self, x: Wire, dtype: DType) -> Wire:
        return self.writer.cast(x, dtype)

    def on_zero(self, condition: Wire) -> None:
        raise NoNativeForm("ONNX cannot leave elements to other code")

    def bitcast(self, x: Wire, dtype: DType) -> Wire:
        if self.writer.opset < 26 or dtype not in NUMBER_OF:
            raise NoNativeForm("ONNX has BitCast from opset 26 on")
        return self.emit("BitCast", x, dtype=dtype, to=NUMBER_OF[dtype])

    # -- words that are several ops -------------------------------------------------------------

    def _conj(self, x: Wire) -> Wire:
        if x.dtype.is_complex:
            raise NoNativeForm("ONNX computes nothing with complex numbers")
        return x

    def _isfinite(self, x: Wire) -> Wire:
        return self.logical_not(self.logical_or(self.isnan(x), self.isinf(x)))

    def _log1p(self, x: Wire) -> Wire:
        """log(u) x / (u - 1) for u = 1 + x: what u loses of x, the quotient brings back."""
        one = self.constant(1, x)
        u = self.add(x, one)
        log = self.log(u)
        exact = self.mul(log, self.div(x, self.sub(u, one)))
        plain = self.logical_or(self.equal(u, one), self.isinf(u))
        return self.select(plain, self.select(self.isinf(u), log, x), exact)

    def _expm1(self, x: Wire) -> Wire:
        """(u - 1) x / log(u) for u = exp(x), but x where u is 1, and u - 1 where log has no use."""
        one = self.constant(1, x)
        u = self.exp(x)
        less = self.sub(u, one)
        large = self.greater(self.abs(x), one)
        exact = self.mul(less, self.div(x, self.log(u)))
        return self.select(large, less, self.select(self.equal(u, one), x, exact))

    def _atan2(self, x: Wire, y: Wire) -> Wire:
        """The angle of the point (y, x)."""
        zero, pi = self.constant(0, x), self.constant(3.141592653589793, x)
        angle = self.atan(self.div(x, y))
        behind = self.select(self.less(x, zero), self.sub(angle, pi), self.add(angle, pi))
        half = self.mul(self.sign(x), self.constant(1.5707963267948966, x))
        sided = self.select(self.less(y, zero), behind, angle)
        return self.select(self.equal(y, zero), half, sided)

    def _floordiv(self, x: Wire, y: Wire) -> Wire:
        quotient = self.div(x, y)
        if x.dtype.is_floating:
            return self.floor(quotient)
        if x.dtype in dt.UNSIGNED:
            return quotient
        one = self.constant(1, x)
        return self.select(self._turns(self._truncmod(x, y), y), self.sub(quotient, one), quotient)

    def _floormod(self, x: Wire, y: Wire) -> Wire:
        if not x.dtype.is_floating:
            return self.emit("Mod", x, y)
        rest = self._truncmod(x, y)
        return self.select(self._turns(rest, y), self.add(rest, y), rest)

    def _turns(self, rest: Wire, y: Wire) -> Wire:
        """Whether a remainder has not the sign of the divisor."""
        zero = self.constant(0, y)
        signs = self.logical_xor(self.less(rest, zero), self.less(y, zero))
        return self.logical_and(self.not_equal(rest, zero), signs)

    def _truncdiv(self, x: Wire, y: Wire) -> Wire:
        quotient = self.div(x, y)
        if not x.dtype.is_floating:
            return quotient
        negative = self.less(quotient, self.constant(0, x))
        return self.select(negative, self.ceil(quotient), self.floor(quotient))

    def _truncmod(self, x: Wire, y: Wire) -> Wire:
        return self.emit("Mod", x, y, fmod=1)

    def _bounded(self, x: Wire, y: Wire) -> Wire:
        bits = self.constant(x.dtype.numpy_dtype.itemsize * 8 - 1, y)
        return self.minimum(self.maximum(y, self.constant(0, y)), bits)

    def _shiftleft(self, x: Wire, y: Wire) -> Wire:
        return self._shifted(x, self._bounded(x, y), "LEFT")

    def _shiftright(self, x: Wire, y: Wire) -> Wire:
        distance = self._bounded(x, y)
        if x.dtype not in _UNSIGNED:
            return self._shifted(x, distance, "RIGHT")
        below = self.less(x, self.constant(0, x))
        positive = self.select(below, self.invert(x), x)
        shifted = self._shifted(positive, distance, "RIGHT")
        return self.select(below, self.invert(shifted), shifted)

    def _shifted(self, x: Wire, distance: Wire, direction: str) -> Wire:
        unsigned = _UNSIGNED.get(x.dtype, x.dtype)
        bits, far = self.cast(x, unsigned), self.cast(distance, unsigned)
        return self.cast(self.emit("BitShift", bits, far, direction=direction), x.dtype)
