"""Convolutions of any rank with strides, dilations, groups and paddings, and their gradients.

Arrays are channels last, [batch, *spatial, channels], or channels first on request. Filters are
[*kernel, channels / groups, outputs] and are not flipped: the field's convolution is a correlation.

Larger convolutions are done natively (`implicit`). Here windows are copied side by side into a
matrix and multiplied by the filters ("im2col": Chellapilla, Puri, Simard 2006). It is a few rows at
a time, so that the copy stays in the cache and the work space small. float16 and bfloat16
accumulate in float32. Depthwise convolutions do not multiply matrices: they add up one filter tap
after the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.machine import products
from graphwright.ops.convolution import implicit, sliding
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

_BLOCK = 2 << 20  # bytes of windows copied at a time: what a core's own cache holds

#: Multiply-adds of a group from which on `implicit` is used: below, having it compiled costs more.
WORTH = 1 << 15

#: Multiply-adds from which on a depthwise convolution is `sliding`'s.
WORTH_OF_DEPTHWISE = 1 << 15


def convolve(
    array: Array,
    filters: Array,
    strides: Sequence[int],
    padding: Padding,
    dilations: Sequence[int] | None = None,
    channels_first: bool = False,
) -> Array:
    """The convolution [batch, *counts, outputs] of an array with filters."""
    array = channels_last(array, channels_first)
    *kernel, depth, outputs = filters.shape
    windows = slide(array.shape[1:-1], kernel, strides, padding, dilations)
    batch, groups = array.shape[0], array.shape[-1] // depth if depth else 1
    if implicit := _native(array.dtype, windows, batch, groups, filters.shape):
        return finish(implicit.convolve(array, filters, windows), array.dtype, channels_first)
    wide = accumulator(array.dtype)
    padded = windows.pad(array.astype(wide, copy=False))
    matrices = _matrices(filters.astype(wide, copy=False), groups)
    result = np.empty((batch, *windows.counts, outputs), wide)
    for items, rows, patches in _patches(windows, padded, groups):
        block = result[items, rows]
        if groups == 1:
            np.matmul(patches[0], matrices[0], out=block.reshape(patches.shape[1], outputs))
        else:
            block[...] = _ungroup(patches @ matrices, block.shape)
    return finish(result, array.dtype, channels_first)


def input_gradient(
    shape: Sequence[int],
    filters: Array,
    gradient: Array,
    strides: Sequence[int],
    padding: Padding,
    dilations: Sequence[int] | None = None,
    channels_first: bool = False,
) -> Array:
    """The gradient for the array of this shape, which is also the transposed convolution."""
    gradient = channels_last(gradient, channels_first)
    if channels_first:
        shape = (shape[0], *shape[2:], shape[1])
    *kernel, depth, _ = filters.shape
    windows = slide(shape[1:-1], kernel, strides, padding, dilations)
    groups = shape[-1] // depth
    if implicit := _native(gradient.dtype, windows, shape[0], groups, filters.shape):
        result = implicit.input_gradient(shape[-1], filters, gradient, windows)
        return finish(result, gradient.dtype, channels_first)
    wide = accumulator(gradient.dtype)
    whole = windows.zeros(shape[0], shape[-1], wide)
    # [*kernel, groups, outputs / groups, depth]: what each tap multiplies the gradient by
    factors = np.moveaxis(filters.reshape(*kernel, depth, groups, -1), -3, -1).astype(wide)
    row_bytes = math.prod(windows.counts[1:]) * shape[-1] * wide.itemsize
    for items, rows in blocks(shape[0], windows.counts[0], row_bytes, _BLOCK // 2):
        target = whole[items]
        part = _group(gradient[items, rows].astype(wide, copy=False), groups)
        spread = np.empty((groups, part.shape[1], depth), wide)
        for tap in windows.taps():
            np.matmul(part, factors[tap], out=spread)
            reached = windows.at(target, tap, rows)
            reached += (
                spread.reshape(reached.shape) if groups == 1 else _ungroup(spread, reached.shape)
            )
    return finish(windows.unpad(whole), gradient.dtype, channels_first)


def filter_gradient(
    array: Array,
    shape: Sequence[int],
    gradient: Array,
    strides: Sequence[int],
    padding: Padding,
    dilations: Sequence[int] | None = None,
    channels_first: bool = False,
) -> Array:
    """The gradient with respect to the filters of this shape."""
    array = channels_last(array, channels_first)
    gradient = channels_last(gradient, channels_first)
    *kernel, depth, outputs = shape
    windows = slide(array.shape[1:-1], kernel, strides, padding, dilations)
    groups = array.shape[-1] // depth
    if implicit := _native(array.dtype, windows, array.shape[0], groups, shape):
        total = implicit.filter_gradient(array, shape, gradient, windows)
        return finish(total, array.dtype, channels_first=False)
    wide = accumulator(array.dtype)
    padded = windows.pad(array.astype(wide, copy=False))
    total = np.zeros((groups, math.prod(kernel) * depth, outputs // groups), wide)
    for items, rows, patches in _patches(windows, padded, groups):
        part = gradient[items, rows].astype(wide, copy=False)
        total += patches.swapaxes(1, 2) @ _group(part, groups)
    ordered = total.reshape(groups, *kernel, depth, outputs // groups)
    return finish(
        np.moveaxis(ordered, 0, -2).reshape(tuple(shape)), array.dtype, channels_first=False
    )


def depthwise(
    array: Array,
    filters: Array,
    strides: Sequence[int],
    padding: Padding,
    dilations: Sequence[int] | None = None,
    channels_first: bool = False,
) -> Array:
    """Each channel by its own filters: [*kernel, channels, m] makes m outputs of a channel."""
    array = channels_last(array, channels_first)
    *kernel, channels, multiplier = filters.shape
    windows = slide(array.shape[1:-1], kernel, strides, padding, dilations)
    wide = accumulator(array.dtype)
    padded = windows.pad(array.astype(wide, copy=False))
    if sliding := _sliding(array.dtype, windows, array.shape[0], filters.shape):
        weights = filters.astype(wide, order="C", copy=False).reshape(-1, channels * multiplier)
        result = sliding.weigh(sliding.ready(_repeated(padded, multiplier)), weights, windows)
        return finish(result, array.dtype, channels_first)
    result = np.zeros((array.shape[0], *windows.counts, channels, multiplier), wide)
    row_bytes = math.prod(windows.counts[1:]) * channels * multiplier * wide.itemsize
    for items, rows in blocks(array.shape[0], windows.counts[0], row_bytes, _BLOCK // 4):
        source, block = padded[items], result[items, rows]
        product = np.empty_like(block)
        for tap in windows.taps():
            np.multiply(windows.at(source, tap, rows)[..., None], filters[tap], out=product)
            block += product
    result = result.reshape(*result.shape[:-2], channels * multiplier)
    return finish(result, array.dtype, channels_first)


def depthwise_input_gradient(
    shape: Sequence[int],
    filters: Array,
    gradient: Array,
    strides: Sequence[int],
    padding: Padding,
    dilations: Sequence[int] | None = None,
    channels_first: bool = False,
) -> Array:
    """The gradient of `depthwise` with respect to the array of this shape."""
    gradient = channels_last(gradient, channels_first)
    if channels_first:
        shape = (shape[0], *shape[2:], shape[1])
    *kernel, channels, multiplier = filters.shape
    windows = slide(shape[1:-1], kernel, strides, padding, dilations)
    wide = accumulator(gradient.dtype)
    if sliding := _sliding(gradient.dtype, windows, shape[0], filters.shape):
        weights = filters.astype(wide, order="C", copy=False).reshape(-1, channels * multiplier)
        whole = windows.zeros(shape[0], channels * multiplier, wide)
        sliding.spread(sliding.ready(gradient), weights, windows, whole)
        if multiplier > 1:
            whole = whole.reshape(*whole.shape[:-1], channels, multiplier).sum(axis=-1)
        return finish(windows.unpad(whole), gradient.dtype, channels_first)
    whole = windows.zeros(shape[0], channels, wide)
    spread = gradient.astype(wide, copy=False)
    spread = spread.reshape(*spread.shape[:-1], channels, multiplier)
    for tap in windows.taps():
        taps = filters[tap].astype(wide, copy=False)
        reached = windows.at(whole, tap)
        reached += spread[..., 0] * taps[:, 0] if multiplier == 1 else (spread * taps).sum(axis=-1)
    return finish(windows.unpad(whole), gradient.dtype, channels_first)


def depthwise_filter_gradient(
    array: Array,
    shape: Sequence[int],
    gradient: Array,
    strides: Sequence[int],
    padding: Padding,
    dilations: Sequence[int] | None = None,
    channels_first: bool = False,
) -> Array:
    """The gradient of `depthwise` with respect to the filters of this shape."""
    array = channels_last(array, channels_first)
    gradient = channels_last(gradient, channels_first)
    *kernel, channels, multiplier = shape
    windows = slide(array.shape[1:-1], kernel, strides, padding, dilations)
    wide = accumulator(array.dtype)
    padded = windows.pad(array.astype(wide, copy=False))
    if sliding := _sliding(array.dtype, windows, array.shape[0], shape):
        repeated = sliding.ready(_repeated(padded, multiplier))
        total = sliding.correlate(repeated, sliding.ready(gradient), windows)
        return finish(total.reshape(tuple(shape)), array.dtype, channels_first=False)
    spread = gradient.astype(wide, copy=False)
    spread = spread.reshape(math.prod(spread.shape[:-1]), channels, multiplier)
    total = np.empty(tuple(shape), wide)
    for tap in windows.taps():
        total[tap] = np.einsum(
            "pc,pcm->cm", windows.at(padded, tap).reshape(spread.shape[:2]), spread
        )
    return finish(total, array.dtype, channels_first=False)


def _native(
    dtype: ArrayDType, windows: Windows, batch: int, groups: int, filters: Sequence[int]
) -> Any:
    """The module of native convolutions, where there is enough to do for it."""
    wide = accumulator(dtype)
    if wide.kind != "f" or not groups:
        return None
    if batch * math.prod(windows.counts) * math.prod(filters) // groups < WORTH:
        return None
    return implicit if products.preparation(wide).is_ready() else None


def _sliding(dtype: ArrayDType, windows: Windows, batch: int, filters: Sequence[int]) -> Any:
    """The module of native sliding windows, where a depthwise convolution is worth it."""
    elements = batch * math.prod(windows.counts) * filters[-1] * filters[-2]
    if not is_much(dtype, windows, elements, WORTH_OF_DEPTHWISE):
        return None
    return sliding if sliding.preparation(accumulator(dtype)).is_ready() else None


def _repeated(array: Array, multiplier: int) -> Array:
    """Each channel as often as it has filters."""
    return array if multiplier == 1 else np.repeat(array, multiplier, axis=-1)


def _patches(windows: Windows, padded: Array, groups: int) -> Any:
    """(items, rows, patches) for each block; patches are [groups, windows, taps * depth]."""
    batch, channels = padded.shape[0], padded.shape[-1]
    depth, taps = channels // groups, math.prod(windows.kernel)
    view = windows.view(padded)
    view = view.reshape(*view.shape[:-1], groups, depth)
    row_bytes = math.prod(windows.counts[1:]) * taps * channels * padded.itemsize
    buffer = np.empty(0, padded.dtype)
    for items, rows in blocks(batch, windows.counts[0], row_bytes, _BLOCK):
        part = np.moveaxis(view[items, rows], -2, 0)
        if buffer.size < part.size:
            buffer = np.empty(part.size, padded.dtype)
        patches = buffer[: part.size].reshape(part.shape)
        np.copyto(patches, part)
        count = math.prod(part.shape[1 : 2 + len(windows.kernel)])
        yield items, rows, patches.reshape(groups, count, taps * depth)


def _matrices(filters: Array, groups: int) -> Array:
    """The filters as [groups, taps * depth, outputs / groups]."""
    outputs = filters.shape[-1]
    rows = math.prod(filters.shape[:-1])
    return np.moveaxis(filters.reshape(rows, groups, outputs // groups), 1, 0)


def _group(array: Array, groups: int) -> Array:
    """[..., channels] as [groups, everything before, channels / groups]."""
    rows = math.prod(array.shape[:-1])
    return np.moveaxis(array.reshape(rows, groups, array.shape[-1] // groups), 1, 0)


def _ungroup(grouped: Array, shape: tuple[int, ...]) -> Array:
    """The inverse of `_group`, for the shape that the array had."""
    depth = grouped.shape[-1]
    rows = math.prod(shape[:-1])
    return np.moveaxis(grouped.reshape(grouped.shape[0], rows, depth), 0, 1).reshape(shape)
