"""Cases of the quantization ops: (public name, positional arguments, keyword arguments)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

Case = tuple[str, tuple[Any, ...], dict[str, Any]]


def values(*shape: int, dtype: str = "float32") -> Any:
    """Values around 0, some of them beyond the ranges of the cases."""
    return (np.random.default_rng(5).normal(size=shape) * 3).astype(dtype)


def scalar(value: float, dtype: str = "float32") -> Any:
    """A bound as an array."""
    return np.array(value, dtype)


def fake() -> Iterator[Case]:
    for bounds, bits, narrow in product(
        ((-6.0, 6.0), (0.0, 3.0), (-1.0, 0.5), (0.5, 4.0), (-4.0, -1.0)), (2, 8), (False, True)
    ):
        options = {"num_bits": bits, "narrow_range": narrow}
        name = "quantization.fake_quant_with_min_max"
        yield f"{name}_args", (values(4, 5), *bounds), options
        yield f"{name}_vars", (values(4, 5), *map(scalar, bounds)), options
        low, high = np.full(5, bounds[0], np.float32), np.full(5, bounds[1], np.float32)
        high = high + np.arange(5, dtype=np.float32) / 4
        yield f"{name}_vars_per_channel", (values(2, 4, 5), low, high), options
    yield "quantization.fake_quant_with_min_max_vars", (values(3), scalar(0), scalar(0)), {}
    yield "quantization.fake_quant_with_min_max_vars", (values(3), values(1), scalar(0)), {}
    yield "quantization.fake_quant_with_min_max_vars_per_channel", (
        values(3, 2), values(3), values(3)), {}  # fmt: skip


def grids() -> Iterator[Case]:
    flags = (False, True)
    for name, signed, given, mode, narrow, bits in product(
        ("", "_v2"), flags, flags, ("HALF_TO_EVEN", "HALF_UP"), flags, (3, 8)
    ):
        options = {
            "signed_input": signed, "num_bits": bits, "range_given": given, "round_mode": mode,
            "narrow_range": narrow,
        }  # fmt: skip
        low = scalar(-2.0 if signed else 0.0)
        args = (values(4, 5), low, scalar(2.5))
        yield f"quantization.quantize_and_dequantize{name}", args, options
    for axis in (0, 1, -2):
        low, high = values(4) * 0 - 2, np.abs(values(4)) + 1
        args = (values(4, 4), low, high)
        options = {"range_given": True, "axis": axis}
        yield "quantization.quantize_and_dequantize", args, options
        yield "quantization.quantize_and_dequantize_v2", args, options
        options = {"range_given": False, "axis": axis}
        yield "quantization.quantize_and_dequantize", args, options
        yield "quantization.quantize_and_dequantize_v2", args, options
    wide = values(3, 3, dtype="float64"), scalar(-1, "float64"), scalar(2, "float64")
    yield "quantization.quantize_and_dequantize_v2", wide, {"range_given": True}
    yield "quantization.quantize_and_dequantize_v2", (values(3), scalar(2), scalar(-1)), {
        "range_given": True}  # fmt: skip


def quantized(tf: Any, *args: Any, **options: Any) -> Any:
    """`tf.quantization.quantize`, the integers as int32."""
    result = tf.quantization.quantize(*args, **options)
    return [tf.cast(result[0], tf.int32), *result[1:]]


def dequantized(tf: Any, bits: Any, dtype: str, *args: Any, **options: Any) -> Any:
    """`tf.quantization.dequantize` of integers seen as quantized ones."""
    return tf.quantization.dequantize(tf.bitcast(bits, getattr(tf, dtype)), *args, **options)


def concatenated(tf: Any, axis: int, parts: Any, dtype: str, lows: Any, highs: Any) -> Any:
    """`tf.quantization.quantized_concat` of integers seen as quantized ones."""
    values = [tf.bitcast(part, getattr(tf, dtype)) for part in parts]
    result = tf.quantization.quantized_concat(axis, values, lows, highs)
    return [tf.cast(result[0], tf.int32), *result[1:]]


KINDS = {"quint8": "uint8", "qint8": "int8", "quint16": "uint16", "qint16": "int16"}
HERE = "tools.golden.quantization"


def stored() -> Iterator[Case]:
    """Quantized integers: made, read, joined."""
    x = values(4, 5)  # no ties of rounding: TensorFlow's faster kernels round them to even
    for kind, mode in product(("quint8", "qint8", "quint16", "qint16"), MODES):
        for low, high in ((-2.0, 3.0), (0.0, 1.5), (1.0, 2.0), (-1.0, -0.5), (0.0, 0.0)):
            yield f"{HERE}.quantized", (x, scalar(low), scalar(high), kind), {"mode": mode}
        if mode == "SCALED":
            ranges = scalar(-3.1), scalar(2.0)
            yield f"{HERE}.quantized", (x, *ranges, kind), {"mode": mode, "narrow_range": True}
    low, high = np.array([-1, -2, -3, -4], np.float32), np.array([2, 1, 5, 3], np.float32)
    for kind, mode in product(("quint8", "qint8"), ("MIN_COMBINED", "SCALED")):
        yield f"{HERE}.quantized", (x, low, high, kind), {"mode": mode, "axis": 0}
        yield f"{HERE}.quantized", (x, low, high, kind), {"mode": mode, "axis": -2}
        yield f"{HERE}.quantized", (x, low, high, kind), {"mode": mode}
    close = {"mode": "MIN_COMBINED", "ensure_minimum_range": 0.5}
    yield f"{HERE}.quantized", (x, scalar(0.0), scalar(0.1), "quint8"), close
    yield f"{HERE}.quantized", (x, scalar(1.0), scalar(-1.0), "quint8"), {}
    yield f"{HERE}.quantized", (x, scalar(-1.0), scalar(1.0), "quint8"), {"mode": "NONE"}
    yield f"{HERE}.quantized", (x, scalar(-1.0), scalar(1.0), "quint8"), {
        "round_mode": "HALF_TO_EVEN"}  # fmt: skip
    yield from read()
    a, b = np.arange(12, dtype=np.uint8).reshape(3, 4) * 20, np.arange(4, dtype=np.uint8)[None] * 9
    for axis, kind, lows, highs in (
        (0, "quint8", (-1, -2), (1, 3)), (0, "quint8", (0.5, 0.25), (2, 2)),
        (1, "quint8", (0, 0), (1, 1)), (2, "quint8", (0, 0), (1, 1)),
        (0, "quint8", (0, 0), (1, 1)), (0, "qint32", (-1, -2), (1, 3)),
    ):  # fmt: skip
        parts = [p.astype("int32") if kind == "qint32" else p for p in (a, b)]
        ranges = [[scalar(v) for v in lows], [scalar(v) for v in highs]]
        yield f"{HERE}.concatenated", (axis, parts, kind, *ranges), {}


MODES = ("MIN_COMBINED", "MIN_FIRST", "SCALED")


def read() -> Iterator[Case]:
    """Quantized integers as floats."""
    for (kind, dtype), mode in product(KINDS.items(), MODES):
        info = np.iinfo(dtype)
        bits = np.linspace(info.min, info.max, 12).astype(dtype).reshape(3, 4)
        for low, high in ((-2.0, 3.0), (0.0, 1.5), (1.0, 2.0), (-4.0, -1.0)):
            args = (bits, kind, scalar(low), scalar(high))
            yield f"{HERE}.dequantized", args, {"mode": mode}
        if mode == "SCALED":
            yield f"{HERE}.dequantized", args, {"mode": mode, "narrow_range": True}
    bits = np.arange(-6, 6, dtype=np.int8).reshape(3, 4)
    low, high = np.array([-1, -2, -3], np.float32), np.array([2, 1, 5], np.float32)
    for mode in ("MIN_COMBINED", "SCALED"):
        yield f"{HERE}.dequantized", (bits, "qint8", low, high), {"mode": mode, "axis": 0}
    yield f"{HERE}.dequantized", (bits, "qint8", scalar(-1.0), scalar(1.0)), {"mode": "NONE"}


def fixed(tf: Any, name: str, *args: Any, **options: Any) -> Any:
    """A function's results without their gradients, of which TensorFlow has none."""
    results = getattr(tf.quantization, name)(*args, **options)
    return tf.nest.map_structure(tf.stop_gradient, results)


def slopes() -> Iterator[Case]:
    """The gradients of fake quantization as functions."""
    g, x = values(4, 5)[::-1], values(4, 5)
    low, high = np.full(5, -1, np.float32), np.arange(1, 6, dtype=np.float32)
    name = "fake_quant_with_min_max"
    for bits, narrow in product((4, 8), (False, True)):
        options = {"num_bits": bits, "narrow_range": narrow}
        yield f"{HERE}.fixed", (f"{name}_args_gradient", g, x, -1.5, 2.0), options
        yield f"{HERE}.fixed", (f"{name}_vars_gradient", g, x, scalar(-1.5), scalar(2.0)), options
        yield f"{HERE}.fixed", (f"{name}_vars_per_channel_gradient", g, x, low, high), options
    yield f"{HERE}.fixed", (f"{name}_vars_gradient", g, x, low, scalar(2.0)), {}
    yield f"{HERE}.fixed", (f"{name}_vars_per_channel_gradient", g, x, low[:3], high), {}


#: (pattern of a case's text, why it is meant to differ)
DEPARTURES = (
    (r"range_given=True, axis", "vectors of bounds are documented, but TensorFlow refuses them"),
)


def cases() -> list[Case]:
    """All cases of the area."""
    return [*fake(), *grids(), *stored(), *slopes()]
