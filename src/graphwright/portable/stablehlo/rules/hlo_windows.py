"""Convolutions and pooling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.ops.convolution.convolution import DepthwiseConv2dNative
from graphwright.portable.refused_op import NoCounterpart
from graphwright.portable.stablehlo.block_writer import BlockWriter, integers, pairs
from graphwright.portable.stablehlo.hlo_rule import hlo_rule
from graphwright.portable.stablehlo.hlo_value import HloValue
from graphwright.portable.stablehlo.rules.hlo_reductions import windows
from graphwright.types import dtypes as dt


class SpaceLayout:
    """Where the axes of space are among those of images."""

    def __init__(self, data_format: str) -> None:
        self.count = len(data_format) - 2
        self.first = 1 if data_format.endswith("C") else 2
        self.spatial = slice(self.first, self.first + self.count)
        space = [str(i) for i in range(self.count)]
        ends = ["b", *space, "f"] if self.first == 1 else ["b", "f", *space]
        self.images = ", ".join(ends)
        self.filters = ", ".join([*space, "i", "o"])
        self.turned_filters = ", ".join([*space, "o", "i"])

    def along(self, values: Sequence[int]) -> list[int]:
        """The numbers for the axes of space."""
        return [int(v) for v in values[self.spatial]]


def around(
    op: Any, layout: SpaceLayout, sizes: Sequence[int], window: Sequence[int],
    dilations: Sequence[int],
) -> list[tuple[int, int]]:  # fmt: skip
    """What is put before and behind each axis of space."""
    if op.padding == "VALID":
        return [(0, 0)] * layout.count
    if op.padding == "EXPLICIT":
        given = op.explicit_paddings
        return [(int(a), int(b)) for a, b in zip(given[::2], given[1::2])][layout.spatial]
    result = []
    for size, width, stride, rate in zip(sizes, window, layout.along(op.strides), dilations):
        total = max((-(-size // stride) - 1) * stride + (width - 1) * rate + 1 - size, 0)
        result.append((total // 2, total - total // 2))
    return result


def convolved(
    w: BlockWriter,
    layout: SpaceLayout,
    x: HloValue,
    filters: HloValue,
    dims: Sequence[int],
    padding: Sequence[tuple[int, int]],
    strides: Sequence[int],
    spread: Sequence[int],
    dilations: Sequence[int],
    groups: int = 1,
    turned: bool = False,
) -> HloValue:
    """A convolution of StableHLO; halves are added up in float32."""
    names = layout.turned_filters if turned else layout.filters
    exact = "#stablehlo<precision HIGHEST>"
    words = (
        f"batch_group_count = 1 : i64, "
        f"dimension_numbers = #stablehlo.conv<[{layout.images}]x[{names}]->[{layout.images}]>, "
        f"feature_group_count = {groups} : i64, lhs_dilation = {integers(spread)}, "
        f"padding = {pairs(padding)}, precision_config = [{exact}, {exact}], "
        f"rhs_dilation = {integers(dilations)}, window_strides = {integers(strides)}"
    )
    dtype = x.dtype
    wide = dt.float32 if dtype in (dt.float16, dt.bfloat16) else dtype
    made = w.emit("convolution", [w.convert(x, wide), w.convert(filters, wide)], wide, dims, words)
    return w.convert(made, dtype)


@hlo_rule("Conv2D", "Conv3D")
def convolution(w: BlockWriter, op: Any, x: HloValue, filters: HloValue) -> HloValue:
    """A convolution; filters of fewer channels make groups."""
    layout = SpaceLayout(op.data_format)
    channels = x.sizes[-1 if layout.first == 1 else 1]
    return forward(w, op, layout, x, filters, channels // filters.sizes[-2])


@hlo_rule("DepthwiseConv2dNative")
def depthwise(
    w: BlockWriter, op: DepthwiseConv2dNative, x: HloValue, filters: HloValue
) -> HloValue:
    """A convolution of each channel by itself."""
    high, wide, channels, times = filters.sizes
    single = w.reshape(filters, (high, wide, 1, channels * times))
    return forward(w, op, SpaceLayout(op.data_format), x, single, channels)


def forward(
    w: BlockWriter, op: Any, layout: SpaceLayout, x: HloValue, filters: HloValue, groups: int
) -> HloValue:
    """A convolution as a program states it."""
    window, rates = filters.sizes[: layout.count], layout.along(op.dilations)
    padding = around(op, layout, layout.along(x.sizes), window, rates)
    return convolved(
        w, layout, x, filters, w.target(), padding, layout.along(op.strides),
        [1] * layout.count, rates, groups,
    )  # fmt: skip


@hlo_rule("Conv2DBackpropInput", "Conv3DBackpropInputV2")
def transposed_convolution(
    w: BlockWriter, op: Any, sizes: HloValue, filters: HloValue, gradient: HloValue
) -> HloValue:
    """The convolution backwards: of a gradient with zeros between, by filters turned around."""
    layout, dims = SpaceLayout(op.data_format), w.target()
    channels = dims[-1 if layout.first == 1 else 1]
    if channels != filters.sizes[-2]:
        raise NoCounterpart("filters of fewer channels are not written backwards")
    window, rates = filters.sizes[: layout.count], layout.along(op.dilations)
    strides, space = layout.along(op.strides), layout.along(dims)
    before = around(op, layout, space, window, rates)
    padding = []
    for size, rows, width, stride, rate, (low, _) in zip(
        space, layout.along(gradient.sizes), window, strides, rates, before
    ):
        reach = (width - 1) * rate
        first = reach - low
        padding.append((first, size + reach - ((rows - 1) * stride + 1) - first))
    axes = list(range(layout.count))
    turned = w.emit(
        "reverse", [filters], filters.dtype, filters.sizes, f"dimensions = {integers(axes)}"
    )
    return convolved(
        w, layout, gradient, turned, dims, padding, [1] * layout.count, strides, rates,
        turned=True,
    )  # fmt: skip


def pooled(w: BlockWriter, op: Any, word: str, x: HloValue) -> HloValue:
    """Windows of images combined."""
    layout = SpaceLayout(op.data_format)
    ones = [1] * layout.count
    space = around(op, layout, layout.along(x.sizes), layout.along(op.ksize), ones)
    sides = [(0, 0)] * len(x.sizes)
    sides[layout.spatial] = space
    return windows(w, word, x, op.ksize, op.strides, sides)


@hlo_rule("MaxPool", "MaxPool3D")
def max_pool(w: BlockWriter, op: Any, x: HloValue) -> HloValue:
    """The greatest of each window."""
    return pooled(w, op, "maximum", x)


@hlo_rule("AvgPool", "AvgPool3D")
def average_pool(w: BlockWriter, op: Any, x: HloValue) -> HloValue:
    """The mean of what is inside of each window; halves are added up in float32."""
    wide = dt.float32 if x.dtype in (dt.float16, dt.bfloat16) else x.dtype
    total = pooled(w, op, "add", w.convert(x, wide))
    count = pooled(w, op, "add", w.constant(1, wide, x.sizes))
    return w.convert(w.same("divide", total, count), x.dtype)
