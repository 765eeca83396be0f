"""Rules of ops on the colours of images: the formulas of their kernels, value by value."""

from __future__ import annotations

from typing import Any

from graphwright.op.op import Op
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import zeros_like
from graphwright.ops.core.indexing import where
from graphwright.ops.core.joining import stack
from graphwright.ops.core.rule_words import Rule, widened
from graphwright.ops.image.color import (
    AdjustContrastv2,
    AdjustHue,
    AdjustSaturation,
    HSVToRGB,
    RGBToHSV,
)
from graphwright.ops.math.arithmetic import floormod, maximum, minimum
from graphwright.ops.math.comparison import equal
from graphwright.ops.math.reduction import average
from graphwright.ops.math.transcendental import abs as magnitude

Three = tuple[Any, Any, Any]


def channels(images: Any) -> Three:
    """The three values along the last axis."""
    return images[..., 0], images[..., 1], images[..., 2]


def within(x: Any, low: float, high: float) -> Any:
    """`x`, or the end of the range that it is beyond."""
    return minimum(maximum(x, low), high)


def hsv(red: Any, green: Any, blue: Any) -> Three:
    """Hue, saturation and value."""
    value = maximum(maximum(red, green), blue)
    spread = value - minimum(minimum(red, green), blue)
    nothing = zeros_like(value)
    saturation = where(value > 0.0, spread / value, nothing)
    norm = 1.0 / (spread * 6.0)
    by_green = norm * (blue - red) + 2.0 / 6.0
    by_blue = norm * (red - green) + 4.0 / 6.0
    hue = where(equal(green, value), by_green, by_blue)
    hue = where(equal(red, value), norm * (green - blue), hue)
    hue = where(spread > 0.0, hue, nothing)
    return where(hue < 0.0, hue + 1.0, hue), saturation, value


def rgb(hue: Any, saturation: Any, value: Any) -> Three:
    """Red, green and blue."""
    place = hue * 6.0
    red = within(magnitude(place - 3.0) - 1.0, 0.0, 1.0)
    green = within(2.0 - magnitude(place - 2.0), 0.0, 1.0)
    blue = within(2.0 - magnitude(place - 4.0), 0.0, 1.0)
    grey = 1.0 - saturation
    red, green, blue = [(grey + saturation * share) * value for share in (red, green, blue)]
    return red, green, blue


def of_three(change: Any) -> Rule:
    """The rule that changes the three values of each place; halves as they are."""

    def rule(op: Op, images: Any) -> Any:
        return stack(change(*channels(images)), -1) if images.shape[-1] == 3 else None

    return rule


def in_hsv(change: Any) -> Rule:
    """The rule that changes hue, saturation and value by a number, in float32."""

    def rule(op: Op, images: Any, number: Any) -> Any:
        if images.shape[-1] != 3:
            return None
        changed = rgb(*change(*hsv(*channels(widened(images))), number))
        return cast(stack(changed, -1), images.dtype)

    return rule


def turned(hue: Any, saturation: Any, value: Any, delta: Any) -> Three:
    """The hue moved around the circle."""
    return floormod(hue + delta, 1.0), saturation, value


def saturated(hue: Any, saturation: Any, value: Any, scale: Any) -> Three:
    """The saturation scaled, and kept in its range."""
    return hue, within(saturation * scale, 0.0, 1.0), value


def contrast(op: Op, images: Any, factor: Any) -> Any:
    """(x - mean) * factor + mean, of each channel of each image, in float32"""
    wide = widened(images)
    rank = wide.shape.rank
    mean = average(average(wide, [rank - 3], True), [rank - 2], True)  # long rows first
    return cast((wide - mean) * factor + mean, images.dtype)


RULES: dict[type[Op], Rule] = {
    AdjustContrastv2: contrast,
    AdjustHue: in_hsv(turned),
    AdjustSaturation: in_hsv(saturated),
    HSVToRGB: of_three(rgb),
    RGBToHSV: of_three(hsv),
}
