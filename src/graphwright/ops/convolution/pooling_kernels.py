"""Maximum and average pooling of any rank, and their gradients.

Arrays are channels last, [batch, *spatial, channels], or channels first on request. Maxima and sums
are separable, and taken along one axis after the other: a kernel costs the sum of its sizes, not
their product. Averages count only the elements of the array, not its padding.
As in TensorFlow a maximum ignores nan unless its window holds nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from graphwright.ops.convolution import sliding
from graphwright.ops.convolution.branchless_choice import keep
from graphwright.ops.convolution.windows import (
    Padding,
    Windows,
    accumulator,
    blocks,
    channels_last,
    finish,
    is_much,
    slide,
)
from graphwright.types.arrays import Array, ArrayDType

#: Elements of windows from which on `sliding` is used: below, calling it costs too much.
WORTH = 1 << 15

_BLOCK = 1 << 18  # bytes of gradient worked on at a time, so that all of it stays in the cache


def max_pool(
    array: Array,
    kernel: Sequence[int],
    strides: Sequence[int],
    padding: Padding,
    channels_first: bool = False,
) -> Array:
    """The largest element of each window, [batch, *counts, channels]."""
    array = channels_last(array, channels_first)
    windows = slide(array.shape[1:-1], kernel, strides, padding)
    padded = windows.pad(array, _lowest(array.dtype))
    if sliding := _native(windows, array):
        best = sliding.greatest(sliding.ready(padded), windows)
        return finish(best, array.dtype, channels_first)
    return finish(_reduce(np.fmax, windows, padded), array.dtype, channels_first)


def max_pool_with_argmax(
    array: Array,
    kernel: Sequence[int],
    strides: Sequence[int],
    padding: Padding,
    batch_in_index: bool = False,
) -> tuple[Array, npt.NDArray[np.int64]]:
    """The first largest element of each window and its index in the image, or in the whole array.

    Here a nan counts where it comes first in its window.
    """
    windows = slide(array.shape[1:-1], kernel, strides, padding)
    image = math.prod(array.shape[1:])
    index = np.arange(image, dtype=np.int64).reshape(1, *array.shape[1:])
    if batch_in_index:
        index = index + image * np.arange(array.shape[0]).reshape(-1, *[1] * (array.ndim - 1))
    indices = windows.pad(index, -1)
    return _first_maxima(windows, windows.pad(array, _lowest(array.dtype)), indices)


def max_pool_gradient(
    array: Array,
    gradient: Array,
    kernel: Sequence[int],
    strides: Sequence[int],
    padding: Padding,
    channels_first: bool = False,
    to_all: bool = False,
) -> Array:
    """The gradient of `max_pool`: to the first largest element of a window, or to all of them.

    TensorFlow's pooling in three dimensions is the one that gives to all.
    """
    array, gradient = channels_last(array, channels_first), channels_last(gradient, channels_first)
    windows = slide(array.shape[1:-1], kernel, strides, padding)
    padded = windows.pad(array, _lowest(array.dtype))
    if sliding := _native(windows, array):
        whole = sliding.give(sliding.ready(padded), sliding.ready(gradient), windows, to_all)
        return finish(windows.unpad(whole), gradient.dtype, channels_first)
    best = _reduce(np.fmax, windows, padded)
    whole = windows.zeros(array.shape[0], array.shape[-1], accumulator(gradient.dtype))
    row_bytes = math.prod(best.shape[2:]) * whole.itemsize
    for items, rows in blocks(best.shape[0], best.shape[1], row_bytes, _BLOCK):
        target, source, top = whole[items], padded[items], best[items, rows]
        share = gradient[items, rows].astype(whole.dtype, order="C")
        for tap in windows.taps():
            hit = windows.at(source, tap, rows) == top
            reached = windows.at(target, tap, rows)
            reached += keep(share, hit)
            if not to_all:  # what has been given is no longer there for ties
                share = keep(share, ~hit)
    return finish(windows.unpad(whole), gradient.dtype, channels_first)


def avg_pool(
    array: Array,
    kernel: Sequence[int],
    strides: Sequence[int],
    padding: Padding,
    channels_first: bool = False,
) -> Array:
    """The mean of each window's elements, [batch, *counts, channels]."""
    array = channels_last(array, channels_first)
    windows = slide(array.shape[1:-1], kernel, strides, padding)
    wide = accumulator(array.dtype)
    padded = windows.pad(array.astype(wide, copy=False))
    if sliding := _native(windows, array):
        sums = sliding.weigh(sliding.ready(padded), _ones(padded), windows)
    else:
        sums = _reduce(np.add, windows, padded)
    if sums.dtype.kind == "f":
        np.divide(sums, _populations(windows).astype(wide), out=sums)
    else:
        sums = sums / _populations(windows).astype(wide)
    return finish(sums, array.dtype, channels_first)


def avg_pool_gradient(
    shape: Sequence[int],
    gradient: Array,
    kernel: Sequence[int],
    strides: Sequence[int],
    padding: Padding,
    channels_first: bool = False,
) -> Array:
    """The gradient of `avg_pool` with respect to the array of this shape."""
    gradient = channels_last(gradient, channels_first)
    if channels_first:
        shape = (shape[0], *shape[2:], shape[1])
    windows = slide(shape[1:-1], kernel, strides, padding)
    wide = accumulator(gradient.dtype)
    spread = gradient.astype(wide, copy=False) / _populations(windows).astype(wide)
    if sliding := _native(windows, gradient):
        whole = windows.zeros(shape[0], shape[-1], wide)
        sliding.spread(sliding.ready(spread), _ones(spread), windows, whole)
        return finish(windows.unpad(whole), gradient.dtype, channels_first)
    for axis in reversed(range(len(windows.sizes))):
        size = windows.sizes[axis] + sum(windows.pads[axis])
        widened = np.zeros((*spread.shape[: axis + 1], size, *spread.shape[axis + 2 :]), wide)
        for tap in range(windows.kernel[axis]):
            widened[_along(axis, windows, tap)] += spread
        spread = widened
    return finish(windows.unpad(spread), gradient.dtype, channels_first)


def _native(windows: Windows, array: Array) -> Any:
    """The module of native sliding windows, where there is enough to do for it."""
    elements = array.shape[0] * math.prod(windows.counts) * array.shape[-1]
    if not is_much(array.dtype, windows, elements, WORTH):
        return None
    return sliding if sliding.preparation(accumulator(array.dtype)).is_ready() else None


def _ones(array: Array) -> Array:
    """The weights of a plain sum: for all taps the same."""
    return np.ones((1, array.shape[-1]), array.dtype)


def _reduce(operation: Callable[..., Array], windows: Windows, padded: Array) -> Array:
    """The windows' reduction by an associative operation, axis after axis."""
    for axis, taps in enumerate(windows.kernel):
        reduced = padded[_along(axis, windows, 0)].copy()
        for tap in range(1, taps):
            operation(reduced, padded[_along(axis, windows, tap)], out=reduced)
        padded = reduced
    return padded


def _along(axis: int, windows: Windows, tap: int) -> tuple[slice, ...]:
    """The index of the elements of all windows at a tap, along one spatial axis."""
    start, step = tap * windows.dilations[axis], windows.strides[axis]
    stop = start + (windows.counts[axis] - 1) * step + 1
    return (*(slice(None),) * (axis + 1), slice(start, max(stop, start), step))


def _populations(windows: Windows) -> npt.NDArray[np.int64]:
    """How many elements of the array each window holds, [1, *counts, 1]."""
    ones = windows.pad(np.ones((1, *windows.sizes, 1), np.int64))
    return np.maximum(_reduce(np.add, windows, ones), 1)


def _first_maxima(windows: Windows, padded: Array, indices: Array) -> tuple[Array, Array]:
    """Each window's first largest element and its entry in `indices`, if not negative."""
    shape = (padded.shape[0], *windows.counts, padded.shape[-1])
    best, place = np.zeros(shape, padded.dtype), np.full(shape, -1, np.int64)
    for tap in windows.taps():
        value, index = windows.at(padded, tap), windows.at(indices, tap)
        better = (index >= 0) & ((place < 0) | (value > best))
        np.copyto(best, value, where=better)
        np.copyto(place, index, where=better)
    return best, place


def _lowest(dtype: ArrayDType) -> float:
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf
