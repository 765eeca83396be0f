"""Convolutions as products of matrices that are never written down.

Row p of the left matrix is the window of output p, column k one element (tap, channel) of every
window. The element lies at the sum of an offset of p and one of k (`products`). The convolution
multiplies this matrix by the filters. The gradient of the filters multiplies its transpose, the
same tables exchanged, by the gradient. The gradient of the input is a convolution of the gradient
again, or several: with strides, the inputs fall into phases that different taps reach.

Where windows reach into padding, a strip of rows at a time is copied into a frame with zeros
around it. A frame fits into a core's own cache, and is all the work space there is. All steps of a
call are native (`strips`), and their plan is remembered for the next one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.machine import products, threads
from graphwright.machine.products import Table, steps
from graphwright.machine.strip_code import ADD, FILL, MULTIPLY, OVER, PACK
from graphwright.machine.strips import FRAME, OTHER, PANELS, PART_PANELS, RESULT, SOURCE, StripPlan
from graphwright.ops.convolution.tap_geometry import Geometry, Phase, backward, forward
from graphwright.ops.convolution.windows import Windows, accumulator, blocks
from graphwright.types.arrays import Array, ArrayDType

_FEW = 64  # rows of a product whose right operand is not read often enough to align it by packing
_STRIP = 1 << 19  # bytes of a strip: half of a core's own cache, the filters have the other
_DEEP = 128  # windows whose gradients are packed together: a panel stays in the nearest cache
_PLANS = 64  # that are remembered


class Costs(NamedTuple):
    """What decides how work is cut: threads, multiply-adds of one alone, bytes of a strip."""

    threads: int
    alone: int
    strip: int

    @classmethod
    def now(cls) -> Costs:
        return cls(threads.available(), products.ALONE, _STRIP)


class ConvolutionCase(NamedTuple):
    """What a plan follows from.

    `shape` is that of the array whose windows are read, `dtype` that of sums.
    """

    shape: tuple[int, ...]
    filters: tuple[int, ...]
    windows: Windows
    dtype: np.dtype[Any]
    costs: Costs

    @property
    def work(self) -> int:
        """The multiply-adds."""
        return self.shape[0] * math.prod(self.windows.counts) * math.prod(self.filters)

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return self.dtype.itemsize


def convolve(array: Array, filters: Array, windows: Windows) -> Array:
    """The convolution of a channels-last array, in the dtype of sums."""
    dtype = accumulator(array.dtype)
    outputs = filters.shape[-1]
    result = np.empty((array.shape[0], *windows.counts, outputs), dtype)
    plan = _convolution(ConvolutionCase(array.shape, filters.shape, windows, dtype, Costs.now()))
    plan.perform(dtype, ready(array, dtype), ready(filters, dtype), result)
    return result


def input_gradient(channels: int, filters: Array, gradient: Array, windows: Windows) -> Array:
    """The gradient for the array, channels last, in the dtype of sums."""
    dtype = accumulator(gradient.dtype)
    phases, _ = backward(windows)
    reached = sum(math.prod(p.counts) for p in phases) == math.prod(windows.sizes)
    make = np.empty if reached else np.zeros
    result = make((gradient.shape[0], *windows.sizes, channels), dtype)
    if phases:
        case = ConvolutionCase(gradient.shape, filters.shape, windows, dtype, Costs.now())
        plan = _input_gradient(case, channels)
        plan.perform(dtype, ready(gradient, dtype), ready(filters, dtype), result)
    return result


def filter_gradient(array: Array, shape: Sequence[int], gradient: Array, windows: Windows) -> Array:
    """The gradient for the filters of this shape, in the dtype of sums."""
    dtype = accumulator(array.dtype)
    plan = _filter_gradient(ConvolutionCase(array.shape, tuple(shape), windows, dtype, Costs.now()))
    total = np.empty((plan.parts, *shape), dtype)
    plan.perform(dtype, ready(array, dtype), ready(gradient, dtype), total, apart=True)
    summed: Array = total[0] if plan.parts == 1 else total.sum(axis=0)
    return summed


def ready(array: Array, dtype: ArrayDType) -> Array:
    """The array as the plans take it."""
    return np.ascontiguousarray(array, dtype)


# -- plans: they follow from sizes ------------------------------------------------------------


@lru_cache(maxsize=_PLANS)
def _convolution(case: ConvolutionCase) -> StripPlan:
    """A convolution is one phase."""
    *_, depth, outputs = case.filters
    strips = Strips(case, forward(case.windows))
    groups = case.shape[-1] // depth
    width = outputs // groups
    rows = steps((math.prod(case.filters[:-1]),), (outputs * case.size,))
    strips.pack([rows], groups, width * case.size, case.size, width)
    return strips.correlate((case.shape[0], *case.windows.counts, outputs), depth)


@lru_cache(maxsize=_PLANS)
def _input_gradient(case: ConvolutionCase, channels: int) -> StripPlan:
    """A convolution of the gradient with the filters turned around: a row for each tap and
    output, a column for each channel of a group."""
    *kernel, depth, outputs = case.filters
    phases, chosen = backward(case.windows)
    groups = channels // depth
    each = outputs // groups
    strides = packed_strides(case.filters, case.size)
    strips = Strips(case, Geometry.of(case.windows.counts, (1,) * len(kernel), phases))
    rows = [sums([*taps, range(each)], (*strides[:-2], case.size)) for taps in chosen]
    strips.pack(rows, groups, each * case.size, strides[-2], depth)
    return strips.correlate((case.shape[0], *case.windows.sizes, channels), each)


@lru_cache(maxsize=_PLANS)
def _filter_gradient(case: ConvolutionCase) -> StripPlan:
    """Windows as columns times the gradient as rows, summed over strips."""
    *_, depth, outputs = case.filters
    groups = case.shape[-1] // depth
    width, size = outputs // groups, case.size
    strips = Strips(case, forward(case.windows))
    (phase,) = strips.geometry.phases
    tile = products.kernels(case.dtype).tile
    cols = strips.columns(phase, depth)
    places = steps((len(cols),), (outputs * size,))
    panel = tile.is_panel(outputs) and groups == 1 and len(cols) <= _FEW
    strides = packed_strides((case.shape[0], *case.windows.counts, outputs), size)
    plan = strips.plan
    plan.end_part()
    for part in range(plan.parts):
        for number, strip in enumerate(strips.part(part)):
            base, start = strips.fill(strip)
            rows = strips.rows(phase, strip)
            items, lines = strip
            first = items.start * strides[0] + lines.start * strides[1]
            pieces = steps((min(len(rows), _DEEP),), (outputs * size,))
            for deep, group in itertools.product(range(0, len(rows), _DEEP), range(groups)):
                some = rows[deep : deep + _DEEP]
                offset = first + deep * outputs * size + group * width * size
                right, skip = (OTHER, offset) if panel else (PART_PANELS, 0)
                if not panel:
                    plan.need(PART_PANELS, products.packed_size(len(some), width, tile) * size)
                    plan.add(PACK, OTHER, offset, PART_PANELS, 0, pieces, len(some), size, width)
                a, c = start + group * depth * size, group * width * size
                mode = ADD if number > 0 or deep > 0 else OVER
                plan.add(
                    *(MULTIPLY, base, a, right, skip, RESULT, c),
                    *(cols, len(cols), some, len(some), width, places, mode),
                )
        plan.end_part()
    return plan.finish()


class Strip(NamedTuple):
    """Some rows of outputs of some images."""

    items: slice
    rows: slice


class Strips:
    """The strips of an array, and the steps over them: where it lies, if all windows are inside,
    else in frames."""

    def __init__(self, case: ConvolutionCase, geometry: Geometry) -> None:
        shape, dtype, costs = case.shape, case.dtype, case.costs
        self.geometry = geometry
        self.dtype = dtype
        self.channels = shape[-1]
        self.packed = packed_strides(shape, dtype.itemsize)
        self.direct = geometry.inside
        row = math.prod(geometry.frame(1)[1:]) * geometry.steps[0] * self.channels * dtype.itemsize
        parts = max(1, min(costs.threads, case.work // costs.alone))
        count = -(-shape[0] * geometry.rows * row // costs.strip)
        count = -(-count // parts) * parts  # as many for each part
        limit = min(costs.strip, -(-shape[0] * geometry.rows * row // count))
        self.all = [Strip(*s) for s in blocks(shape[0], geometry.rows, row, limit)]
        longest = max(r.stop - r.start for _, r in self.all)
        self.frame = geometry.frame(longest)
        framed = packed_strides((1, *self.frame, self.channels), dtype.itemsize)
        self.strides = self.packed if self.direct else framed
        self.plan = StripPlan(min(parts, len(self.all)))
        self.panels: list[list[int]] = []  # where each phase's packed matrices begin
        self.width = 0  # of these

    def part(self, part: int) -> list[Strip]:
        """A share of the strips."""
        start, stop = (len(self.all) * p // self.plan.parts for p in (part, part + 1))
        return self.all[start:stop]

    def pack(self, rows: Sequence[Table], groups: int, skip: int, step: int, width: int) -> None:
        """Packs the matrices of each phase: one for each group, `skip` bytes apart, of `width`
        columns."""
        tile = products.kernels(self.dtype).tile
        end = 0
        for table in rows:
            self.panels.append([])
            for group in range(groups):
                self.panels[-1].append(end)
                where = OTHER, group * skip, PANELS, end
                self.plan.add(PACK, *where, table, len(table), step, width)
                end += products.packed_size(len(table), width, tile) * self.dtype.itemsize
        self.plan.need(PANELS, end)
        self.width = width

    def correlate(self, result: tuple[int, ...], depth: int) -> StripPlan:
        """Writes every phase to its places in a result of this shape."""
        plan = self.plan
        plan.end_part()
        columns = [self.columns(phase, depth) for phase in self.geometry.phases]
        size = self.dtype.itemsize
        for part in range(plan.parts):
            for strip in self.part(part):
                base, start = self.fill(strip)
                for phase, cols, panels in zip(self.geometry.phases, columns, self.panels):
                    rows = self.rows(phase, strip)
                    if not len(rows):
                        continue
                    places, first = self.places(phase, strip, result)
                    for group, panel in enumerate(panels):
                        a, c = start + group * depth * size, first + group * self.width * size
                        plan.add(
                            *(MULTIPLY, base, a, PANELS, panel, RESULT, c),
                            *(rows, len(rows), cols, len(cols), self.width, places, OVER),
                        )
            plan.end_part()
        return plan.finish()

    def fill(self, strip: Strip) -> tuple[int, int]:
        """Adds the step that fills a frame with what a strip reads.

        It returns where that lies: the memory and the offset.
        """
        items, rows = strip
        low = self.geometry.lows[0] + rows.start * self.geometry.steps[0]
        if self.direct:
            lows = (low, *self.geometry.lows[1:])
            inside = sum(place * stride for place, stride in zip(lows, self.packed[1:]))
            return SOURCE, items.start * self.packed[0] + inside
        plan = self.plan
        count = items.stop - items.start
        step = math.prod(self.frame) * self.channels * self.dtype.itemsize
        plan.need(FRAME, count * step)
        sizes = self.geometry.frame(rows.stop - rows.start)
        lows = (low, *self.geometry.lows[1:])
        axes = list(zip(sizes, lows, self.geometry.sizes, self.packed[1:]))
        outer = np.zeros(1, np.int64)
        for width, first, size, stride in axes[:-1]:
            places = np.arange(first, first + width)
            offsets = np.where((places < 0) | (places >= size), -(1 << 62), places * stride)
            outer = np.maximum(np.add.outer(outer, offsets), -(1 << 62)).reshape(-1)
        width, first, size, stride = axes[-1]
        left = min(max(-first, 0), width)
        run = max(min(size, first + width) - max(first, 0), 0)
        table = outer + max(first, 0) * stride if run else np.full_like(outer, -1)
        spans = [n * stride for n in (left, run, width - left - run)]
        table = np.ascontiguousarray(table)
        plan.add(
            *(FILL, SOURCE, items.start * self.packed[0], FRAME, 0),
            *(table, len(table), *spans, count, self.packed[0], step),
        )
        return FRAME, 0

    def rows(self, phase: Phase, strip: Strip) -> Table:
        """The offsets of a strip's windows."""
        count = len(range(strip.rows.start, min(strip.rows.stop, phase.counts[0])))
        sizes = (strip.items.stop - strip.items.start, count, *phase.counts[1:])
        strides = [step * axis for step, axis in zip(self.geometry.steps, self.strides[1:])]
        return steps(sizes, (self.strides[0], *strides))

    def columns(self, phase: Phase, depth: int) -> Table:
        """The offsets of a window's elements: taps, and the channels of a group."""
        lows = self.geometry.lows
        taps = [[o - low for o in offsets] for offsets, low in zip(phase.offsets, lows)]
        return sums([*taps, range(depth)], self.strides[1:])

    def places(self, phase: Phase, strip: Strip, result: tuple[int, ...]) -> tuple[Table, int]:
        """Where the outputs of a strip go: offsets, and where these count from."""
        image, *axes, _ = packed_strides(result, self.dtype.itemsize)
        count = len(range(strip.rows.start, min(strip.rows.stop, phase.counts[0])))
        strides = [stride * axis for stride, axis in zip(phase.strides, axes)]
        items = strip.items.stop - strip.items.start
        start = sum(s * axis for s, axis in zip(phase.starts, axes)) + strip.rows.start * strides[0]
        table = steps((items, count, *phase.counts[1:]), (image, *strides))
        return table, strip.items.start * image + start


def sums(places: Sequence[Sequence[int]], strides: Sequence[int]) -> Table:
    """The offset of every combination of places, the last axis running fastest."""
    table = np.zeros(1, np.int64)
    for axis, stride in zip(places, strides):
        table = np.add.outer(table, np.array(axis, np.int64) * stride).reshape(-1)
    return table


def packed_strides(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """The strides of an array without gaps."""
    sizes = itertools.accumulate(reversed(shape[1:]), lambda a, b: a * b, initial=size)
    return tuple(sizes)[::-1]
