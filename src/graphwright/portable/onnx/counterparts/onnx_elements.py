"""Elementwise ops that are one op of ONNX. All others are written word by word."""

from __future__ import annotations

from collections.abc import Callable

from graphwright.op.op import Op
from graphwright.ops.core.casting import Cast
from graphwright.ops.core.own_ops import PickIndex
from graphwright.ops.nn.activation import LeakyRelu
from graphwright.ops.nn.bias import BiasAdd
from graphwright.portable.onnx.counterpart import counterpart
from graphwright.portable.onnx.element_words import ElementWords
from graphwright.portable.onnx.node_writer import NodeWriter
from graphwright.portable.onnx.wire import Wire
from graphwright.portable.refused_op import NoCounterpart
from graphwright.types import dtypes as dt

#: Our ops, and those of ONNX that take the same operands.
SAME = {
    "Abs": "Abs", "Acos": "Acos", "Acosh": "Acosh", "Add": "Add", "AddV2": "Add", "Asin": "Asin",
    "Asinh": "Asinh", "Atan": "Atan", "Atanh": "Atanh", "BitwiseAnd": "BitwiseAnd",
    "BitwiseOr": "BitwiseOr", "BitwiseXor": "BitwiseXor", "Ceil": "Ceil", "Cos": "Cos",
    "Cosh": "Cosh", "Elu": "Elu", "Equal": "Equal", "Erf": "Erf", "Exp": "Exp", "Floor": "Floor",
    "Greater": "Greater", "GreaterEqual": "GreaterOrEqual", "Invert": "BitwiseNot",
    "IsInf": "IsInf", "IsNan": "IsNaN", "Less": "Less", "LessEqual": "LessOrEqual", "Log": "Log",
    "LogicalAnd": "And", "LogicalNot": "Not", "LogicalOr": "Or", "Maximum": "Max",
    "Minimum": "Min", "Mul": "Mul", "Neg": "Neg", "Pow": "Pow", "RealDiv": "Div",
    "Reciprocal": "Reciprocal", "Relu": "Relu", "Rint": "Round", "Sigmoid": "Sigmoid",
    "Sign": "Sign", "Sin": "Sin", "Sinh": "Sinh", "Softplus": "Softplus",
    "Softsign": "Softsign", "Sqrt": "Sqrt", "Sub": "Sub", "Tan": "Tan", "Tanh": "Tanh",
}  # fmt: skip


def same(name: str) -> Callable[..., Wire]:
    """The rule that an op is another of the same operands."""

    def write(w: NodeWriter, op: Op, *operands: Wire) -> Wire:
        if dt.string in (operands[0].dtype, operands[-1].dtype) and name == "Add":
            raise NoCounterpart("Add of ONNX takes no string")
        return w.emit(name, *operands)

    write.__module__ = __name__
    return write


for _ours, _name in SAME.items():
    counterpart(_ours, onnx=_name)(same(_name))


@counterpart("Round", onnx="Round")
def rounded(w: NodeWriter, op: Op, x: Wire) -> Wire:
    """Halves go to even numbers; integers stay."""
    return x if x.dtype.is_integer else w.emit("Round", x)


@counterpart("Selu", onnx="Selu")
def selu(w: NodeWriter, op: Op, x: Wire) -> Wire:
    """Its constants are ONNX's defaults, which have the digits of float32."""
    if x.dtype is dt.float64:
        raise NoCounterpart("Selu of ONNX has constants of float32")
    return w.emit("Selu", x)


@counterpart("LeakyRelu", onnx="LeakyRelu")
def leaky_relu(w: NodeWriter, op: LeakyRelu, x: Wire) -> Wire:
    """One slope for negative numbers, which has the digits of float32."""
    if x.dtype is dt.float64:
        raise NoCounterpart("LeakyRelu of ONNX has a slope of float32")
    return w.emit("LeakyRelu", x, alpha=float(op.alpha))


@counterpart("SelectV2", onnx="Where")
def select(w: NodeWriter, op: Op, condition: Wire, x: Wire, y: Wire) -> Wire:
    """One of two elements."""
    return w.emit("Where", condition, x, y)


@counterpart("NotEqual", onnx="Equal, Not")
def not_equal(w: NodeWriter, op: Op, x: Wire, y: Wire) -> Wire:
    """The opposite of equality."""
    return w.emit("Not", w.emit("Equal", x, y))


@counterpart("Rsqrt", onnx="Sqrt, Reciprocal")
def rsqrt(w: NodeWriter, op: Op, x: Wire) -> Wire:
    """1 / sqrt(x)."""
    return w.emit("Reciprocal", w.emit("Sqrt", x))


@counterpart("ClipByValue", onnx="Min, Max")
def clip_by_value(w: NodeWriter, op: Op, x: Wire, low: Wire, high: Wire) -> Wire:
    """The nearest number between two."""
    return w.emit("Max", w.emit("Min", x, high), low)


@counterpart("Cast", onnx="Cast", note="what a number that does not fit becomes is not defined")
def cast(w: NodeWriter, op: Cast, x: Wire) -> Wire:
    """Another dtype; a bool is what is not 0."""
    if x.dtype.is_complex or op.DstT.is_complex:
        raise NoCounterpart("Cast of ONNX takes no complex number")
    return w.cast(x, op.DstT)


@counterpart("AddN", onnx="Sum, Add")
def add_n(w: NodeWriter, op: Op, terms: list[Wire]) -> Wire:
    """The sum of many; ONNX's Sum has none of integers."""
    if terms[0].dtype.is_floating:
        return w.emit("Sum", *terms)
    total = terms[0]
    for term in terms[1:]:
        total = w.emit("Add", total, term)
    return total if len(terms) > 1 else w.emit("Identity", total)


@counterpart("BiasAdd", onnx="Add")
def bias_add(w: NodeWriter, op: BiasAdd, value: Wire, bias: Wire) -> Wire:
    """A vector along the axis of channels."""
    if op.data_format == "NCHW":
        ones = [1] * (w.rank(value) - 2)
        bias = w.reshape(bias, w.longs(-1, *ones))
    return w.emit("Add", value, bias)


@counterpart("_Average", onnx="Size, Div")
def average(w: NodeWriter, op: Op, total: Wire, x: Wire) -> Wire:
    """A sum over how many were added."""
    count = w.emit("Div", w.emit("Size", x), w.emit("Size", total))
    return w.emit("Div", total, w.cast(count, total.dtype))


@counterpart("_PickIndex", onnx="Less, Add, Where, Size")
def pick_index(w: NodeWriter, op: PickIndex, index: Wire, x: Wire) -> Wire:
    """A place that counts from the start."""
    place = w.cast(index, dt.int64)
    if not op.wraps:
        return place
    size = w.emit("Shape", x, start=op.axis, end=op.axis + 1)
    words = ElementWords(w)
    scalar = w.reshape(size, w.longs())
    return words.select(words.less(place, w.like(0, place)), words.add(place, scalar), place)
