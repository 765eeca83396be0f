"""Convolutions as products of matrices that are never written down.

Row p of the left matrix is the window of output p, column k one element (tap, channel) of every
window; the element lies at the sum of an offset of p and one of k (`products`). The convolution
multiplies this matrix by the filters. The gradient of the filters multiplies its transpose, the
same tables exchanged, by the gradient. The gradient of the input is a convolution of the gradient
again, or several: with strides, the inputs fall into phases that different taps reach.

Where windows reach into padding, a strip of rows at a time is copied into a frame of zeros, as
large as a core's own cache holds; this is all the work space there is.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from graphwright.kernels import products, threads
from graphwright.kernels.products import Packed, Table, address, steps
from graphwright.kernels.windows import Windows, accumulator, blocks

Array = npt.NDArray[Any]

_FEW = 64  # rows of a product whose right operand is not read often enough to align it by packing
_STRIP = 1 << 19  # bytes of a strip: half of a core's own cache, the filters have the other


class Phase(NamedTuple):
    """Outputs that the same taps reach: `counts` of them, from `starts`, `strides` apart.

    `offsets` are, for each axis, where its taps lie before the first output's step.
    """

    counts: tuple[int, ...]
    starts: tuple[int, ...]
    strides: tuple[int, ...]
    offsets: tuple[tuple[int, ...], ...]

    @property
    def taps(self) -> int:
        return math.prod([len(o) for o in self.offsets])


class Geometry(NamedTuple):
    """Where the outputs of all phases read: `steps` apart, from `lows` to `highs`."""

    sizes: tuple[int, ...]
    steps: tuple[int, ...]
    lows: tuple[int, ...]
    highs: tuple[int, ...]
    phases: tuple[Phase, ...]

    @classmethod
    def of(
        cls, sizes: tuple[int, ...], steps: tuple[int, ...], phases: Sequence[Phase]
    ) -> Geometry:
        lows, highs = [], []
        for axis, step in enumerate(steps):
            lows.append(min(min(p.offsets[axis]) for p in phases))
            highs.append(max(max(p.offsets[axis]) + (p.counts[axis] - 1) * step for p in phases))
        return cls(sizes, steps, tuple(lows), tuple(highs), tuple(phases))

    @property
    def rows(self) -> int:
        """Outputs along the first axis, of the longest phase."""
        return max(p.counts[0] for p in self.phases)

    @property
    def inside(self) -> bool:
        """Whether no window reaches into padding."""
        ends = zip(self.lows, self.highs, self.sizes)
        return all(low >= 0 and high < size for low, high, size in ends)

    def frame(self, rows: int) -> tuple[int, ...]:
        """The sizes of what a number of rows of outputs reads."""
        reach = max(max(p.offsets[0]) for p in self.phases) - self.lows[0]
        first = (rows - 1) * self.steps[0] + reach + 1
        return (first, *[h - low + 1 for low, h in zip(self.lows[1:], self.highs[1:])])


def convolve(array: Array, filters: Array, windows: Windows) -> Array:
    """The convolution of a channels-last array, in the dtype of sums."""
    dtype = accumulator(array.dtype)
    depth, outputs = filters.shape[-2:]
    result = np.empty((array.shape[0], *windows.counts, outputs), dtype)
    matrix = filters.reshape(-1, outputs).astype(dtype, copy=False)
    geometry = _forward(windows)
    correlate(array, geometry, [_grouped(matrix, array.shape[-1] // depth)], depth, result)
    return result


def input_gradient(channels: int, filters: Array, gradient: Array, windows: Windows) -> Array:
    """The gradient for the array, channels last, in the dtype of sums."""
    dtype = accumulator(gradient.dtype)
    *kernel, depth, outputs = filters.shape
    groups = channels // depth
    phases, chosen = _backward(windows)
    reached = sum(math.prod(p.counts) for p in phases) == math.prod(windows.sizes)
    make = np.empty if reached else np.zeros
    result = make((gradient.shape[0], *windows.sizes, channels), dtype)
    if not phases:
        return result
    geometry = Geometry.of(windows.counts, (1,) * len(windows.sizes), phases)
    # [*kernel, groups, outputs / groups, depth]
    turned = np.moveaxis(filters.reshape(*kernel, depth, groups, -1), -3, -1)
    weights = []
    for taps in chosen:
        part = turned[np.ix_(*taps)].astype(dtype, copy=False)
        part = np.moveaxis(part, -3, 0).reshape(groups, -1, depth)
        weights.append([products.pack(matrix) for matrix in part])
    correlate(gradient, geometry, weights, outputs // groups, result)
    return result


def filter_gradient(array: Array, shape: Sequence[int], gradient: Array, windows: Windows) -> Array:
    """The gradient for the filters of this shape, in the dtype of sums."""
    dtype = accumulator(array.dtype)
    depth, outputs = shape[-2:]
    groups = array.shape[-1] // depth
    width = outputs // groups
    geometry = _forward(windows)
    strips = Strips(array, geometry, dtype)
    cols = strips.columns(geometry.phases[0], depth)
    places = steps((len(cols),), (outputs * dtype.itemsize,))
    work = array.shape[0] * math.prod(windows.counts) * math.prod(shape)
    parts = _parts(work, len(strips.all))
    total = np.zeros((parts, *shape), dtype)
    tile = products.kernels(dtype).tile

    few = len(cols) <= _FEW

    def sum_part(part: int) -> None:
        buffer = products.aligned(0, dtype)
        for strip in strips.part(part, parts):
            rows = strips.rows(geometry.phases[0], strip)
            piece = gradient[strip.items, strip.rows].astype(dtype, copy=False)
            piece = piece.reshape(-1, outputs)
            size = products.packed_size(len(piece), width, tile)
            if buffer.size < size:
                buffer = products.aligned(size, dtype)
            for group in range(groups):
                columns = piece[:, group * width : (group + 1) * width]
                packed = (few and products.as_packed(columns)) or products.pack(columns, buffer)
                a = strip.address + group * depth * dtype.itemsize
                c = address(total[part]) + group * width * dtype.itemsize
                products.multiply(a, cols, rows, packed, c, places, True)

    threads.share(sum_part, parts)
    summed: Array = total[0] if parts == 1 else total.sum(axis=0)
    return summed


def correlate(
    source: Array,
    geometry: Geometry,
    weights: Sequence[Sequence[Packed]],
    depth: int,
    result: Array,
) -> None:
    """Writes every phase of a convolution; `weights` are its matrices, one for each group."""
    size = result.itemsize
    strips = Strips(source, geometry, result.dtype)
    columns = [strips.columns(phase, depth) for phase in geometry.phases]
    work = sum(
        len(source) * math.prod(p.counts) * len(c) * result.shape[-1]
        for p, c in zip(geometry.phases, columns)
    )
    parts = _parts(work, len(strips.all))

    def write_part(part: int) -> None:
        for strip in strips.part(part, parts):
            for phase, cols, matrices in zip(geometry.phases, columns, weights):
                rows = strips.rows(phase, strip)
                if not len(rows):
                    continue
                places, c = _places(phase, strip, result)
                for group, matrix in enumerate(matrices):
                    a = strip.address + group * depth * size
                    to = c + group * matrix.columns * size
                    products.multiply(a, rows, cols, matrix, to, places)

    threads.share(write_part, parts)


def _places(phase: Phase, strip: Strip, result: Array) -> tuple[Table, int]:
    """Where the outputs of a strip go: offsets, and the address from which they count."""
    axes = result.strides[1:-1]
    count = len(range(strip.rows.start, min(strip.rows.stop, phase.counts[0])))
    strides = [stride * axis for stride, axis in zip(phase.strides, axes)]
    items = strip.items.stop - strip.items.start
    table = steps((items, count, *phase.counts[1:]), (result.strides[0], *strides))
    start = sum(s * axis for s, axis in zip(phase.starts, axes)) + strip.rows.start * strides[0]
    return table, address(result) + strip.items.start * result.strides[0] + start


class Strip(NamedTuple):
    """Some rows of outputs of some images, and where what they read begins."""

    items: slice
    rows: slice
    address: int


class Strips:
    """The strips of an array: where it lies, if all windows are inside, else framed copies."""

    def __init__(self, source: Array, geometry: Geometry, dtype: np.dtype[Any]) -> None:
        self.source = source
        self.geometry = geometry
        self.dtype = dtype
        close = source.strides[-1] == source.itemsize and source.dtype == dtype
        self.direct = geometry.inside and close
        row = math.prod(geometry.frame(1)[1:]) * geometry.steps[0] * source.shape[-1]
        self.all = list(blocks(len(source), geometry.rows, row * dtype.itemsize, _STRIP))
        items = max(i.stop - i.start for i, _ in self.all)
        longest = max(r.stop - r.start for _, r in self.all)
        self.shape = (items, *geometry.frame(longest), source.shape[-1])
        self.strides = source.strides if self.direct else _packed_strides(self.shape, dtype)

    def part(self, part: int, parts: int) -> Iterator[Strip]:
        """A share of the strips, one after the other; each is gone when the next one comes."""
        start, stop = (len(self.all) * p // parts for p in (part, part + 1))
        if self.direct:
            first = address(self.source) + sum(
                low * stride for low, stride in zip(self.geometry.lows, self.strides[1:])
            )
            for items, rows in self.all[start:stop]:
                skip = rows.start * self.geometry.steps[0] * self.strides[1]
                yield Strip(items, rows, first + items.start * self.strides[0] + skip)
            return
        frame = np.zeros(self.shape, self.dtype)
        for items, rows in self.all[start:stop]:
            self._fill(frame, items, rows)
            yield Strip(items, rows, address(frame))

    def _fill(self, frame: Array, items: slice, rows: slice) -> None:
        """Copies what some rows of outputs read into the frame; its sides stay zero."""
        low = self.geometry.lows[0] + rows.start * self.geometry.steps[0]
        stop = min(low + frame.shape[1], self.geometry.sizes[0])
        start = max(low, 0)
        images = frame[: items.stop - items.start]
        images[:, : start - low] = 0
        images[:, max(stop - low, 0) :] = 0
        inner = list(zip(self.geometry.sizes[1:], self.geometry.lows[1:], self.shape[2:-1]))
        to = [slice(max(-lo, 0), max(min(size - lo, width), 0)) for size, lo, width in inner]
        read = [slice(max(lo, 0), min(size, lo + width)) for size, lo, width in inner]
        if stop > start:
            inside = (slice(None), slice(start - low, stop - low), *to)
            lying = (items, slice(start, stop), *read)
            np.copyto(images[inside], self.source[lying], casting="unsafe")

    def rows(self, phase: Phase, strip: Strip) -> Table:
        """The offsets of a strip's windows."""
        count = len(range(strip.rows.start, min(strip.rows.stop, phase.counts[0])))
        sizes = (strip.items.stop - strip.items.start, count, *phase.counts[1:])
        strides = [step * axis for step, axis in zip(self.geometry.steps, self.strides[1:])]
        return steps(sizes, (self.strides[0], *strides))

    def columns(self, phase: Phase, depth: int) -> Table:
        """The offsets of a window's elements: taps, and the channels of a group."""
        table = np.zeros(1, np.int64)
        for offsets, low, stride in zip(phase.offsets, self.geometry.lows, self.strides[1:]):
            places = (np.array(offsets, np.int64) - low) * stride
            table = np.add.outer(table, places).reshape(-1)
        return np.add.outer(table, steps((depth,), self.strides[-1:])).reshape(-1)


def _packed_strides(shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[int, ...]:
    sizes = itertools.accumulate(reversed(shape[1:]), lambda a, b: a * b, initial=dtype.itemsize)
    return tuple(sizes)[::-1]


def _forward(windows: Windows) -> Geometry:
    """A convolution is one phase."""
    rank = len(windows.sizes)
    offsets = [
        tuple(tap * dilation - before for tap in range(taps))
        for taps, dilation, (before, _) in zip(windows.kernel, windows.dilations, windows.pads)
    ]
    phase = Phase(windows.counts, (0,) * rank, (1,) * rank, tuple(offsets))
    return Geometry.of(windows.sizes, windows.strides, [phase])


def _backward(windows: Windows) -> tuple[list[Phase], list[tuple[tuple[int, ...], ...]]]:
    """The phases of the gradient of the input, and the taps that reach each."""
    axes = [_axis_phases(windows, axis) for axis in range(len(windows.sizes))]
    phases, chosen = [], []
    for combined in itertools.product(*axes):
        counts, starts, strides, taps, offsets = zip(*combined)
        phases.append(Phase(counts, starts, strides, offsets))
        chosen.append(taps)
    return phases, chosen


def _axis_phases(windows: Windows, axis: int) -> list[tuple[Any, ...]]:
    """(count, start, stride, taps, offsets) of each phase of an axis that some tap reaches.

    Input i is read by tap t of output o where i + before = o * stride + t * dilation.
    """
    size, stride, before = windows.sizes[axis], windows.strides[axis], windows.pads[axis][0]
    found = []
    for start in range(min(stride, size)):
        reaching = [
            (tap, (start + before - tap * windows.dilations[axis]) // stride)
            for tap in range(windows.kernel[axis])
            if (start + before - tap * windows.dilations[axis]) % stride == 0
        ]
        if reaching:
            taps, offsets = zip(*reaching)
            found.append((len(range(start, size, stride)), start, stride, taps, offsets))
    return found


def _grouped(matrix: Array, groups: int) -> list[Packed]:
    """The columns of each group, packed."""
    width = matrix.shape[1] // groups
    return [products.pack(matrix[:, g * width : (g + 1) * width]) for g in range(groups)]


def _parts(work: int, strips: int) -> int:
    """How many threads some work is shared between."""
    return max(1, min(threads.available(), strips, work // products.ALONE))
