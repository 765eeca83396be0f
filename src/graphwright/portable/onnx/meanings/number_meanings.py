"""Products of matrices, quantized numbers, and strings."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import fill, zeros_like
from graphwright.ops.core.indexing import boolean_mask, where
from graphwright.ops.core.joining import concat, stack
from graphwright.ops.core.movement import broadcast_to, expand_dims, reshape, squeeze, transpose
from graphwright.ops.core.padding import pad
from graphwright.ops.core.repetition import repeat
from graphwright.ops.core.sequences import range
from graphwright.ops.core.shapes import broadcast_dynamic_shape, shape, size
from graphwright.ops.linalg.contraction import matmul
from graphwright.ops.linalg.einsum import einsum
from graphwright.ops.linalg.linear_systems import det
from graphwright.ops.math.arithmetic import maximum, minimum
from graphwright.ops.math.comparison import equal, logical_not
from graphwright.ops.math.complex_parts import complex, imag, real
from graphwright.ops.math.reduction import reduce_any, reduce_sum
from graphwright.ops.math.rounding import rint
from graphwright.ops.math.trigonometric import cos
from graphwright.ops.signal.fourier import fft, ifft
from graphwright.ops.strings.strings import join as string_join
from graphwright.ops.strings.strings import lower, regex_full_match, upper
from graphwright.portable.onnx.meaning import OnnxNode, dims_of, meaning, rank_of
from graphwright.portable.onnx.meanings.element_meanings import saturated
from graphwright.portable.onnx.meanings.window_meanings import convolved
from graphwright.portable.onnx.onnx_reading import dtype_of_number
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorValue
from graphwright.values.convert import convert


@meaning("MatMul")
def product(n: OnnxNode, a: TensorValue, b: TensorValue) -> Any:
    """The product, as NumPy has it."""
    if rank_of(a) == 1 and rank_of(b) == 1:
        return reduce_sum(a * b)
    if rank_of(a) == 1:
        return squeeze(matmul(expand_dims(a, 0), b), [-2])
    if rank_of(b) == 1:
        return squeeze(matmul(a, expand_dims(b, 1)), [-1])
    if a.dtype in (dt.uint32, dt.uint64):
        wide = matmul(cast(a, dt.int64), cast(b, dt.int64))
        return cast(wide, a.dtype)
    return matmul(a, b)


@meaning("Gemm")
def affine(n: OnnxNode, a: TensorValue, b: TensorValue, c: TensorValue | None = None) -> Any:
    """Alpha a b + beta c, of matrices that may be transposed."""
    a = transpose(a) if n.get("transA") else a
    b = transpose(b) if n.get("transB") else b
    result = matmul(a, b)
    alpha, beta = n.get("alpha", 1.0), n.get("beta", 1.0)
    if alpha != 1.0:
        result = result * cast(convert(alpha), result.dtype)
    if c is None or not beta:
        return result
    return result + (c if beta == 1.0 else c * cast(convert(beta), c.dtype))


@meaning("Einsum")
def summed_products(n: OnnxNode, *terms: TensorValue) -> Any:
    """Sums of products, by an equation."""
    return einsum(n.text("equation").replace(" ", ""), *terms)


@meaning("Det")
def determinant(n: OnnxNode, x: TensorValue) -> Any:
    """The determinants of matrices."""
    return det(x)


@meaning("MatMulInteger")
def integer_product(
    n: OnnxNode,
    a: TensorValue,
    b: TensorValue,
    zero_a: TensorValue | None = None,
    zero_b: TensorValue | None = None,
) -> Any:
    """The product of small integers, less what stands for 0."""
    a, b = cast(a, dt.int32), cast(b, dt.int32)
    if zero_a is not None:
        rows = cast(zero_a, dt.int32)
        a = a - (rows if rank_of(rows) != 1 else expand_dims(rows, 1))
    if zero_b is not None:
        b = b - cast(zero_b, dt.int32)
    return matmul(a, b)


@meaning("ConvInteger")
def integer_convolution(
    n: OnnxNode,
    x: TensorValue,
    w: TensorValue,
    zero_x: TensorValue | None = None,
    zero_w: TensorValue | None = None,
) -> Any:
    """A convolution of small integers, less what stands for 0."""
    wide = [cast(x, dt.float64), cast(w, dt.float64)]
    if zero_x is not None:
        wide[0] = wide[0] - cast(reshape(zero_x, []), dt.float64)
    if zero_w is not None:
        zero = cast(zero_w, dt.float64)
        wide[1] = wide[1] - (zero if rank_of(zero) == 0 else reshape(zero, [-1, 1, 1, 1]))
    return cast(convolved(n, *wide), dt.int32)


def along(n: OnnxNode, x: TensorValue, values: Any) -> Any:
    """A number, one for each slice along an axis, or one for each block along it."""
    axis, block = int(n.get("axis", 1)), int(n.get("block_size", 0))
    if rank_of(values) == 0 or values.type.dims == (1,):
        return reshape(values, [])
    if block:
        wide = repeat(values, block, axis)
        index: list[Any] = [builtins.slice(None)] * rank_of(x)
        index[axis] = builtins.slice(0, shape(x)[axis])
        return wide[tuple(index)]
    place = axis % rank_of(x)
    return reshape(values, [-1 if i == place else 1 for i in builtins.range(rank_of(x))])


@meaning("QuantizeLinear")
def quantized(
    n: OnnxNode, x: TensorValue, scale: TensorValue, zero: TensorValue | None = None
) -> Any:
    """Numbers in steps, as small integers."""
    number = n.get("output_dtype")
    default = dt.uint8 if zero is None else zero.dtype
    target = dtype_of_number(int(number), n.name) if number else default
    wide = x if x.dtype.is_floating else cast(x, dt.float32)
    steps = wide / cast(along(n, x, scale), wide.dtype)
    if not target.is_integer:
        return cast(saturated(steps, target) if n.get("saturate", 1) else steps, target)
    steps = rint(steps)
    if zero is not None:
        steps = steps + cast(along(n, x, zero), steps.dtype)
    low, high = (cast(convert(float(v)), steps.dtype) for v in (target.min, target.max))
    return cast(minimum(maximum(steps, low), high), target)


@meaning("DequantizeLinear")
def dequantized(
    n: OnnxNode, x: TensorValue, scale: TensorValue, zero: TensorValue | None = None
) -> Any:
    """Small integers as the numbers that they stand for."""
    number = n.get("output_dtype")
    target = dtype_of_number(int(number), n.name) if number else scale.dtype
    wide = cast(x, dt.int32) if x.dtype.is_integer else cast(x, dt.float32)
    if zero is not None:
        wide = wide - cast(along(n, x, zero), wide.dtype)
    return cast(cast(wide, scale.dtype) * along(n, x, scale), target)


@meaning("QLinearMatMul")
def quantized_product(
    n: OnnxNode,
    a: TensorValue,
    scale_a: TensorValue,
    zero_a: TensorValue,
    b: TensorValue,
    scale_b: TensorValue,
    zero_b: TensorValue,
    scale: TensorValue,
    zero: TensorValue,
) -> Any:
    """The product of what small integers stand for, as small integers."""
    left, right = dequantized(n, a, scale_a, zero_a), dequantized(n, b, scale_b, zero_b)
    return quantized(n, product(n, left, right), scale, zero)


@meaning("QLinearConv")
def quantized_convolution(
    n: OnnxNode,
    x: TensorValue,
    scale_x: TensorValue,
    zero_x: TensorValue,
    w: TensorValue,
    scale_w: TensorValue,
    zero_w: TensorValue,
    scale: TensorValue,
    zero: TensorValue,
    bias: TensorValue | None = None,
) -> Any:
    """A convolution of what small integers stand for, as small integers."""
    images = (cast(x, dt.float32) - cast(zero_x, dt.float32)) * scale_x
    low, factor = cast(zero_w, dt.float32), scale_w
    if low.type.dims not in ((), (1,)):
        low, factor = reshape(low, [-1, 1, 1, 1]), reshape(factor, [-1, 1, 1, 1])
    filters = (cast(w, dt.float32) - low) * factor
    offset = None
    if bias is not None:
        offset = cast(bias, dt.float32) * scale_x * reshape(scale_w, [-1])
    return quantized(n, convolved(n, images, filters, offset), scale, zero)


@meaning("StringConcat")
def joined(n: OnnxNode, x: TensorValue, y: TensorValue) -> Any:
    """Strings one after the other."""
    sizes = broadcast_dynamic_shape(shape(x), shape(y))
    return string_join([broadcast_to(x, sizes), broadcast_to(y, sizes)])


@meaning("RegexFullMatch")
def matched(n: OnnxNode, x: TensorValue) -> Any:
    """Whether a pattern matches whole strings."""
    return regex_full_match(x, n.text("pattern"))


@meaning("StringNormalizer")
def normalized(n: OnnxNode, x: TensorValue) -> Any:
    """Strings in one case, without those that stop."""
    action, stops = n.text("case_change_action", "NONE"), n.get("stopwords") or []
    flat = reshape(x, [-1])
    if stops:
        words = convert(np.array(stops, object))
        key: Any = flat
        if not n.get("is_case_sensitive"):
            key, words = lower(flat, encoding="utf-8"), lower(words, encoding="utf-8")
        stays = logical_not(reduce_any(equal(expand_dims(key, 1), words), 1))
        flat = boolean_mask(flat, stays)
        blank = fill([1], convert(b""))
        flat = concat([flat, blank[: where(equal(size(flat), 0), 1, 0)]], 0)
    if action != "NONE":
        flat = (lower if action == "LOWER" else upper)(flat, encoding="utf-8")
    return expand_dims(flat, 0) if rank_of(x) == 2 else flat


@meaning("BlackmanWindow", "HammingWindow", "HannWindow")
def taper(n: OnnxNode, count: TensorValue) -> Any:
    """A window of cosines."""
    dtype = dtype_of_number(int(n.get("output_datatype", 1)), n.name)
    whole = count if n.get("periodic", 1) else count - 1
    angle = cast(range(cast(reshape(count, []), dt.int64)), dt.float64) * (2 * np.pi)
    angle = angle / cast(reshape(whole, []), dt.float64)
    if n.kind == "HannWindow":
        return cast(0.5 - 0.5 * cos(angle), dtype)
    if n.kind == "HammingWindow":
        return cast(25 / 46 - 21 / 46 * cos(angle), dtype)
    return cast(0.42 - 0.5 * cos(angle) + 0.08 * cos(2 * angle), dtype)


@meaning("DFT", note="of axes that are known")
def fourier(
    n: OnnxNode, x: TensorValue, length: TensorValue | None = None, axis: TensorValue | None = None
) -> Any:
    """The Fourier transform of real numbers, or of pairs of real and imaginary parts."""
    place = (
        int(n.static(axis, "the axis"))
        if axis is not None
        else int(n.get("axis", 1 if n.opset < 20 else -2))
    )
    place = place % rank_of(x)
    if x.dtype not in (dt.float32, dt.float64):
        raise n.unread(f"it is of {x.dtype.name}")
    both = dims_of(x)[-1]
    if both == 2:
        value = complex(x[..., 0], x[..., 1])
    elif both == 1:
        value = complex(x[..., 0], zeros_like(x[..., 0]))
    else:
        raise n.unread("the last axis must be known")
    if length is not None:
        count = cast(reshape(length, []), dt.int32)
        size_before = shape(value)[place]
        index: list[Any] = [builtins.slice(None)] * rank_of(value)
        index[place] = builtins.slice(0, minimum(size_before, count))
        sides = [[0, 0] for _ in builtins.range(rank_of(value))]
        rows: list[Any] = [list(pair) for pair in sides]
        rows[place][1] = maximum(count - size_before, 0)
        value = pad(value[tuple(index)], convert(rows))
    order = [i for i in builtins.range(rank_of(value)) if i != place] + [place]
    back = [order.index(i) for i in builtins.range(rank_of(value))]
    rows_last = transpose(value, order)
    inverse, one_side = bool(n.get("inverse")), bool(n.get("onesided"))
    if inverse and one_side:
        raise n.unread("it is the inverse of one side")
    made = transpose(ifft(rows_last) if inverse else fft(rows_last), back)
    if one_side:
        index = [builtins.slice(None)] * rank_of(made)
        index[place] = builtins.slice(0, shape(made)[place] // 2 + 1)
        made = made[tuple(index)]
    return stack([real(made), imag(made)], axis=-1)
