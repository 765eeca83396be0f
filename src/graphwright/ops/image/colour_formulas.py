"""Colours in expansions: the formulas of the kernels, value by value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from graphwright.op.expansion import GraphTensor
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import zeros_like
from graphwright.ops.core.joining import stack
from graphwright.ops.core.rule_words import widened
from graphwright.ops.math.arithmetic import maximum, minimum
from graphwright.ops.math.comparison import equal, select
from graphwright.ops.math.magnitude import abs as magnitude

Three: TypeAlias = tuple[Any, Any, Any]


def channels(images: GraphTensor) -> Three:
    """The three values along the last axis."""
    return images[..., 0], images[..., 1], images[..., 2]


def within(x: GraphTensor, low: float, high: float) -> Any:
    """`x`, or the end of the range that it is beyond."""
    return minimum(maximum(x, low), high)


def hsv_of(red: GraphTensor, green: GraphTensor, blue: GraphTensor) -> Three:
    """Hue, saturation and value."""
    value = maximum(maximum(red, green), blue)
    spread = value - minimum(minimum(red, green), blue)
    nothing = zeros_like(value)
    saturation = select(value > 0.0, spread / value, nothing)
    norm = 1.0 / (spread * 6.0)
    by_green = norm * (blue - red) + 2.0 / 6.0
    by_blue = norm * (red - green) + 4.0 / 6.0
    hue = select(equal(green, value), by_green, by_blue)
    hue = select(equal(red, value), norm * (green - blue), hue)
    hue = select(spread > 0.0, hue, nothing)
    return select(hue < 0.0, hue + 1.0, hue), saturation, value


def rgb_of(hue: GraphTensor, saturation: GraphTensor, value: GraphTensor) -> Three:
    """Red, green and blue."""
    place = hue * 6.0
    red = within(magnitude(place - 3.0) - 1.0, 0.0, 1.0)
    green = within(2.0 - magnitude(place - 2.0), 0.0, 1.0)
    blue = within(2.0 - magnitude(place - 4.0), 0.0, 1.0)
    grey = 1.0 - saturation
    red, green, blue = [(grey + saturation * share) * value for share in (red, green, blue)]
    return red, green, blue


def changed(change: Callable[..., Three], images: GraphTensor) -> Any:
    """Images with the three values of each place changed; halves as they are."""
    return stack(change(*channels(images)), -1) if images.shape[-1] == 3 else None


def changed_in_hsv(change: Callable[..., Three], images: GraphTensor) -> Any:
    """Images with hue, saturation and value changed, in float32."""
    if images.shape[-1] != 3:
        return None
    values = rgb_of(*change(*hsv_of(*channels(widened(images)))))
    return cast(stack(values, -1), images.dtype)


def changed_in_hue(change: Callable[[Any], Any], images: GraphTensor) -> Any:
    """Images with the hue changed, between the same least and greatest values, in float32."""
    if images.shape[-1] != 3:
        return None
    red, green, blue = channels(widened(images))
    hue, _, value = hsv_of(red, green, blue)
    least = minimum(minimum(red, green), blue)
    whole: Any = 1.0
    shares = rgb_of(change(hue), whole, whole)
    values = [least + (value - least) * share for share in shares]
    return cast(stack(values, -1), images.dtype)
