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


#: (pattern of a case's text, why it is meant to differ)
DEPARTURES = (
    (r"range_given=True, axis", "vectors of bounds are documented, but TensorFlow refuses them"),
)


def cases() -> list[Case]:
    """All cases of the area."""
    return [*fake(), *grids()]
