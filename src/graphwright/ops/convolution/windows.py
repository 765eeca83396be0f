"""Sliding windows over the middle axes of channels-last arrays [batch, *spatial, channels].

The arithmetic of sizes and paddings is TensorFlow's. SAME makes ceil(size / stride) windows and
puts the odd padding element at the end. VALID takes the windows that fit. Explicit paddings are
(before, after) pairs.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

import ml_dtypes
import numpy as np
import numpy.typing as npt

from graphwright.base.named_tuples import NamedTuple
from graphwright.types.arrays import Array, ArrayDType

Padding: TypeAlias = Literal["SAME", "VALID"] | Sequence[tuple[int, int]]


class Windows(NamedTuple):
    """Where the windows of one call lie; all fields have one entry a spatial axis."""

    sizes: tuple[int, ...]
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: tuple[tuple[int, int], ...]
    counts: tuple[int, ...]  # of windows

    @property
    def apart(self) -> bool:
        """Whether no element is in two windows."""
        axes = zip(self.kernel, self.dilations, self.strides)
        return all((taps - 1) * dilation < stride for taps, dilation, stride in axes)

    @property
    def cover(self) -> bool:
        """Whether every element of a padded array is in one window."""
        axes = zip(self._padded_sizes(), self.counts, self.kernel, self.strides, self.dilations)
        return all(
            taps == stride and dilation == 1 and size == count * taps
            for size, count, taps, stride, dilation in axes
        )

    def pad(self, array: Array, value: float = 0) -> Array:
        """The array with its spatial axes padded, itself where there is nothing to pad."""
        if not any(before or after for before, after in self.pads):
            return array
        shape = (array.shape[0], *self._padded_sizes(), array.shape[-1])
        padded = np.full(shape, value, array.dtype)
        padded[self._inner()] = array
        return padded

    def zeros(self, batch: int, channels: int, dtype: npt.DTypeLike) -> Array:
        """What the windows of a gradient add into: as large as a padded array."""
        return np.zeros((batch, *self._padded_sizes(), channels), dtype)

    def unpad(self, padded: Array) -> Array:
        """The part of a padded array that `pad` took from its argument."""
        return padded[self._inner()]

    def view(self, padded: Array) -> Array:
        """The windows of a padded array as a read-only view [batch, *counts, *kernel, channels]."""
        batch, *spatial, channel = padded.strides
        steps = [stride * step for stride, step in zip(spatial, self.strides, strict=True)]
        taps = [stride * step for stride, step in zip(spatial, self.dilations, strict=True)]
        shape = (padded.shape[0], *self.counts, *self.kernel, padded.shape[-1])
        strides = (batch, *steps, *taps, channel)
        return np.lib.stride_tricks.as_strided(padded, shape, strides, writeable=False)

    def taps(self) -> Iterator[tuple[int, ...]]:
        """The positions in the kernel, in row-major order."""
        return itertools.product(*map(range, self.kernel))

    def at(self, padded: Array, tap: tuple[int, ...], rows: slice = slice(None)) -> Array:
        """What each window (of those rows, on the first axis) has at this tap: a writable view."""
        index = [slice(None)]
        for axis in range(len(tap)):
            first, last, _ = (rows if axis == 0 else slice(None)).indices(self.counts[axis])
            step = self.strides[axis]
            start = tap[axis] * self.dilations[axis] + first * step
            stop = start + (last - first - 1) * step + 1
            index.append(slice(start, max(stop, start), step))
        return padded[tuple(index)]

    def _padded_sizes(self) -> tuple[int, ...]:
        return tuple(size + sum(pad) for size, pad in zip(self.sizes, self.pads, strict=True))

    def _inner(self) -> tuple[slice, ...]:
        spatial = zip(self.sizes, self.pads, strict=True)
        return (slice(None), *(slice(before, before + size) for size, (before, _) in spatial))


def slide(
    sizes: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
    padding: Padding,
    dilations: Sequence[int] | None = None,
) -> Windows:
    """The windows of a kernel over spatial axes of these sizes."""
    dilations = tuple(dilations) if dilations is not None else (1,) * len(sizes)
    axes = list(zip(sizes, kernel, strides, dilations, strict=True))
    extents = [(taps - 1) * dilation + 1 for _, taps, _, dilation in axes]
    if padding == "SAME":
        pads = tuple(
            _same(size, extent, stride) for (size, _, stride, _), extent in zip(axes, extents)
        )
    elif padding == "VALID":
        pads = ((0, 0),) * len(axes)
    else:
        pads = tuple((int(before), int(after)) for before, after in padding)
    counts = tuple(
        max((size + before + after - extent) // stride + 1, 0)
        for (size, _, stride, _), extent, (before, after) in zip(axes, extents, pads, strict=True)
    )
    return Windows(tuple(sizes), tuple(kernel), tuple(strides), dilations, pads, counts)


def _same(size: int, extent: int, stride: int) -> tuple[int, int]:
    total = max((-(-size // stride) - 1) * stride + extent - size, 0)
    return total // 2, total - total // 2


def blocks(batch: int, rows: int, row_bytes: int, limit: int) -> Iterator[tuple[slice, slice]]:
    """(batch, rows) slices that cover batch x rows, of at most `limit` bytes where possible.

    Whole images go together as long as they fit, otherwise some rows of one image.
    """
    image = rows * row_bytes
    if image <= limit:
        step = max(limit // max(image, 1), 1)
        for start in range(0, batch, step):
            yield slice(start, min(start + step, batch)), slice(0, rows)
        return
    step = max(limit // row_bytes, 1)
    for item, start in itertools.product(range(batch), range(0, rows, step)):
        yield slice(item, item + 1), slice(start, min(start + step, rows))


def accumulator(dtype: ArrayDType) -> ArrayDType:
    """The dtype that sums over windows are taken in: float32 for the narrower floats."""
    narrow = dtype in (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16))
    return np.dtype(np.float32) if narrow else dtype


def is_much(dtype: ArrayDType, windows: Windows, elements: int, worth: int) -> bool:
    """Whether there is enough to do for native sliding windows.

    They take about as long for an element as NumPy's passes for one tap of it.
    """
    return accumulator(dtype).kind == "f" and elements * math.prod(windows.kernel) >= worth


def channels_last(array: Array, channels_first: bool) -> Array:
    """The array with its channels last, moved there if they come first."""
    return np.moveaxis(array, 1, -1) if channels_first else array


def finish(result: Array, dtype: ArrayDType, channels_first: bool) -> Array:
    """A channels-last result in the dtype and the order that were asked for."""
    ordered = np.moveaxis(result, -1, 1) if channels_first else result
    narrowed: Array = np.ascontiguousarray(ordered.astype(dtype, copy=False))
    return narrowed
