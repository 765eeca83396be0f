"""Elementwise ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphwright.ops.core.casting import bitcast, cast
from graphwright.ops.core.creation import fill, ones_like, zeros_like
from graphwright.ops.core.identity import identity
from graphwright.ops.core.indexing import where
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import reshape
from graphwright.ops.core.shapes import shape
from graphwright.ops.math.arithmetic import (
    add,
    floormod,
    maximum,
    minimum,
    multiply,
    negative,
    realdiv,
    subtract,
    truncatediv,
    truncatemod,
)
from graphwright.ops.math.bitwise import (
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    invert,
    left_shift,
    right_shift,
)
from graphwright.ops.math.comparison import (
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
)
from graphwright.ops.math.logistic import sigmoid
from graphwright.ops.math.magnitude import abs, sign
from graphwright.ops.math.rounding import ceil, floor, is_inf, is_nan, rint
from graphwright.ops.math.special import erf
from graphwright.ops.math.transcendental import exp, log, pow, reciprocal, sqrt
from graphwright.ops.math.trigonometric import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    cos,
    cosh,
    sin,
    sinh,
    tan,
    tanh,
)
from graphwright.ops.nn.activation import elu, gelu, relu, softplus, softsign
from graphwright.ops.strings.encoding import as_string, to_number
from graphwright.portable.onnx.meaning import OnnxNode, meaning, rank_of
from graphwright.portable.onnx.onnx_reading import dtype_of_number
from graphwright.portable.onnx.sequence import ItemSequence
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorValue
from graphwright.types.dtypes import DType

#: Ops of ONNX that are functions of ours.
_SAME: dict[str, Callable[..., Any]] = {
    "Abs": abs, "Acos": acos, "Acosh": acosh, "Add": add, "And": logical_and, "Asin": asin,
    "Asinh": asinh, "Atan": atan, "Atanh": atanh, "BitwiseAnd": bitwise_and,
    "BitwiseNot": invert, "BitwiseOr": bitwise_or, "BitwiseXor": bitwise_xor, "Ceil": ceil,
    "Cos": cos, "Cosh": cosh, "Equal": equal, "Erf": erf, "Exp": exp, "Floor": floor,
    "Greater": greater, "GreaterOrEqual": greater_equal, "IsNaN": is_nan, "Less": less,
    "LessOrEqual": less_equal, "Log": log, "Mul": multiply, "Neg": negative, "Not": logical_not,
    "Or": logical_or, "Reciprocal": reciprocal, "Relu": relu, "Round": rint, "Sigmoid": sigmoid,
    "Sign": sign, "Sin": sin, "Sinh": sinh, "Softplus": softplus, "Softsign": softsign,
    "Sqrt": sqrt, "Sub": subtract, "Tan": tan, "Tanh": tanh, "Xor": logical_xor,
}  # fmt: skip


def same(function: Callable[..., Any]) -> Callable[..., Any]:
    """The rule that a node is a function of its operands."""

    def read(n: OnnxNode, *operands: TensorValue) -> Any:
        return function(*older(n, operands))

    read.__module__ = __name__
    return read


def older(n: OnnxNode, operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """The operands; the second one along axes of the first, as opset 6 and before have it."""
    if n.opset < 7 and n.get("broadcast") and len(operands) == 2:
        x, y = operands
        rank, count = rank_of(x), rank_of(y)
        axis = n.get("axis")
        behind = 0 if axis is None else rank - count - int(axis) % rank
        return x, reshape(y, concat([shape(y), fill([behind], 1)], 0)) if behind else y
    return operands


for _name, _function in _SAME.items():
    meaning(_name)(same(_function))


@meaning("Identity")
def same_value(n: OnnxNode, x: TensorValue | ItemSequence) -> Any:
    """The operand itself."""
    return x if isinstance(x, ItemSequence) else identity(x)


@meaning("Div")
def divided(n: OnnxNode, x: TensorValue, y: TensorValue) -> Any:
    """The quotient; that of integers is rounded towards zero."""
    x, y = older(n, (x, y))
    return truncatediv(x, y) if x.dtype.is_integer else realdiv(x, y)


@meaning("Mod")
def remainder(n: OnnxNode, x: TensorValue, y: TensorValue) -> Any:
    """The remainder, with the sign of the divisor, or of the dividend."""
    if not n.get("fmod"):
        return floormod(x, y)
    if x.dtype.is_integer and x.dtype not in dt.INDEX:
        wide = dt.int64
        return cast(truncatemod(cast(x, wide), cast(y, wide)), x.dtype)
    return truncatemod(x, y)


@meaning("Pow")
def power(n: OnnxNode, x: TensorValue, y: TensorValue) -> Any:
    """The power, in the dtype of its base."""
    x, y = older(n, (x, y))
    if x.dtype is y.dtype:
        return pow(x, y)
    if y.dtype.is_floating and x.dtype.is_integer:
        return cast(pow(cast(x, y.dtype), y), x.dtype)
    return pow(x, cast(y, x.dtype))


def folded(function: Callable[..., Any]) -> Callable[..., Any]:
    """The rule that a node combines any number of operands."""

    def read(n: OnnxNode, first: TensorValue, *others: TensorValue) -> Any:
        result = first
        for other in others:
            result = function(result, other)
        return identity(result) if not others else result

    read.__module__ = __name__
    return read


meaning("Max")(folded(maximum))
meaning("Min")(folded(minimum))
meaning("Sum")(folded(add))


@meaning("Mean")
def mean(n: OnnxNode, first: TensorValue, *others: TensorValue) -> Any:
    """The mean of tensors."""
    total = first
    for other in others:
        total = total + other
    return total / (1 + len(others))


@meaning("Where")
def chosen(n: OnnxNode, condition: TensorValue, x: TensorValue, y: TensorValue) -> Any:
    """One of two elements."""
    return where(condition, x, y)


@meaning("Clip")
def clipped(
    n: OnnxNode, x: TensorValue, low: TensorValue | None = None, high: TensorValue | None = None
) -> Any:
    """Between two numbers, of which each may be left out."""
    low = n.get("min") if low is None else low
    high = n.get("max") if high is None else high
    if low is not None:
        x = maximum(x, low)
    return x if high is None else minimum(x, high)


@meaning("IsInf")
def infinite(n: OnnxNode, x: TensorValue) -> Any:
    """Whether elements are infinite, of the signs that count."""
    result = is_inf(x)
    if not n.get("detect_negative", 1):
        result = logical_and(result, x > 0)
    if not n.get("detect_positive", 1):
        result = logical_and(result, x < 0)
    return result


@meaning("Cast")
def converted(n: OnnxNode, x: TensorValue) -> Any:
    """Another dtype."""
    target = dtype_of_number(int(n.get("to", 0)), n.name)
    return as_dtype(n, x, target)


@meaning("CastLike")
def converted_like(n: OnnxNode, x: TensorValue, like: TensorValue) -> Any:
    """The dtype of another tensor."""
    return as_dtype(n, x, like.dtype)


def as_dtype(n: OnnxNode, x: TensorValue, target: DType) -> Any:
    """A tensor as another dtype."""
    if x.dtype is target:
        return identity(x)
    if target is dt.string:
        return as_string(x)
    if x.dtype is dt.string:
        wide = dt.float64 if target.is_floating else dt.int64
        return cast(to_number(x, wide), target)
    if target.name.startswith("float8") and x.dtype.is_floating and n.get("saturate", 1):
        x = saturated(x, target)
    return cast(x, target)


def saturated(x: TensorValue, target: DType) -> Any:
    """Floats with what is too large as the largest of a narrow dtype."""
    most = float(np.asarray(target.max, np.float64))
    limit = cast(fill([], most), x.dtype)
    return where(is_nan(x), x, minimum(maximum(x, -limit), limit))


@meaning("BitShift")
def shifted(n: OnnxNode, x: TensorValue, distance: TensorValue) -> Any:
    """Bits moved to one side."""
    width = x.dtype.size * 8
    zero = zeros_like(x)
    inside = logical_and(distance >= 0, less(cast(distance, dt.int64), width))
    near = where(inside, distance, zeros_like(distance))
    if n.text("direction") == "LEFT":
        return where(inside, left_shift(x, near), zero)
    rest = where(x < 0, zero - 1, zero) if x.dtype in dt.SIGNED else zero
    return where(inside, right_shift(x, near), rest)


@meaning("BitCast")
def reinterpreted(n: OnnxNode, x: TensorValue) -> Any:
    """The bits as another dtype."""
    target = dtype_of_number(int(n.get("to", 0)), n.name)
    x = cast(x, dt.uint8) if x.dtype is dt.bool_ else x
    if target is dt.bool_:
        return cast(bitcast(x, dt.uint8), dt.bool_)
    return bitcast(x, target)


@meaning("Elu")
def elu_of(n: OnnxNode, x: TensorValue) -> Any:
    """exp(x) - 1 of negative numbers, times alpha."""
    alpha = n.get("alpha", 1.0)
    return elu(x) if alpha == 1.0 else where(x < 0, alpha * (exp(x) - 1), x)


@meaning("Celu")
def celu(n: OnnxNode, x: TensorValue) -> Any:
    """Max(0, x) + min(0, alpha (exp(x / alpha) - 1))."""
    alpha = n.get("alpha", 1.0)
    return maximum(x, 0) + minimum(alpha * (exp(x / alpha) - 1), 0)


@meaning("Selu")
def selu_of(n: OnnxNode, x: TensorValue) -> Any:
    """Scaled exponential units of two constants."""
    alpha, gamma = n.get("alpha", 1.67326319217681884765625), n.get("gamma", 1.05070102214813232)
    return gamma * where(x > 0, x, alpha * exp(x) - alpha)


@meaning("LeakyRelu")
def leaky(n: OnnxNode, x: TensorValue) -> Any:
    """One slope for negative numbers."""
    return where(x < 0, n.get("alpha", 0.01) * x, x)


@meaning("PRelu")
def sloped(n: OnnxNode, x: TensorValue, slope: TensorValue) -> Any:
    """Slopes for negative numbers."""
    return where(x < 0, slope * x, x)


@meaning("ThresholdedRelu")
def thresholded(n: OnnxNode, x: TensorValue) -> Any:
    """0 up to alpha."""
    return where(x > n.get("alpha", 1.0), x, zeros_like(x))


@meaning("HardSigmoid")
def hard_sigmoid(n: OnnxNode, x: TensorValue) -> Any:
    """A line between 0 and 1."""
    return minimum(maximum(n.get("alpha", 0.2) * x + n.get("beta", 0.5), 0), 1)


@meaning("HardSwish")
def hard_swish(n: OnnxNode, x: TensorValue) -> Any:
    """X times a line between 0 and 1."""
    return x * minimum(maximum(x / 6 + 0.5, 0), 1)


@meaning("Gelu")
def gelu_of(n: OnnxNode, x: TensorValue) -> Any:
    """Gaussian error units."""
    return gelu(x, approximate=n.text("approximate", "none") == "tanh")


@meaning("Mish")
def mish(n: OnnxNode, x: TensorValue) -> Any:
    """X times tanh of softplus."""
    return x * tanh(softplus(x))


@meaning("Shrink")
def shrunk(n: OnnxNode, x: TensorValue) -> Any:
    """0 near 0, and nearer to it elsewhere."""
    limit, bias = n.get("lambd", 0.5), n.get("bias", 0.0)
    kind = x.dtype
    wide = x if kind.is_floating else cast(x, dt.float32)
    zero = zeros_like(wide)
    moved = where(wide < -limit, wide + bias, where(wide > limit, wide - bias, zero))
    return cast(moved, kind)


@meaning("Dropout")
def dropout(
    n: OnnxNode,
    x: TensorValue,
    ratio: TensorValue | None = None,
    training: TensorValue | None = None,
) -> Any:
    """The operand itself, and that all of it stays; training is not read."""
    if training is not None and bool(np.any(n.static(training, "whether it is trained"))):
        rate = 0.5 if ratio is None else float(n.static(ratio, "the ratio"))
        if rate:
            raise n.unread("it drops elements at random")
    return [identity(x), cast(ones_like(x), dt.bool_)]
