"""Native pooling and depthwise convolutions: calls of the functions that `window_code` emits.

Arrays are channels last, padded, of float32 or float64, with their channels side by side.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.machine import jobs, targets
from graphwright.machine.array_layout import address
from graphwright.machine.drafts import lasting
from graphwright.machine.jobs import Job
from graphwright.machine.linking import Library
from graphwright.machine.preparation import Preparation, threaded
from graphwright.machine.products import Table, steps
from graphwright.ops.convolution.window_code import KINDS, SlidingCode
from graphwright.ops.convolution.windows import Windows, accumulator, blocks
from graphwright.types.arrays import Array, ArrayDType

_ALONE = 1 << 18  # elements of windows that one thread visits sooner than a second one starts
_BLOCK = 1 << 18  # bytes of results worked on at a time: their table stays small


class Functions:
    """The native functions for one dtype."""

    greatest: Job
    weigh: Job
    spread: Job
    give: Job
    put: Job
    correlate: Job

    def use(self, library: Library) -> None:
        """Has calls that begin from now on run a library's functions."""
        made = {name: jobs.load(library, name, kinds) for name, kinds in KINDS.items()}
        vars(self).update(made)


@functools.cache
def functions(dtype: ArrayDType) -> Functions:
    """The functions for a dtype, compiled at the first call."""
    return load(SlidingCode(targets.vectors(), dtype.itemsize * 8))


@functools.cache
def preparation(dtype: ArrayDType) -> Preparation:
    """The preparation of the functions for a dtype, and of threads for them."""
    return threaded(functools.partial(functions, dtype))


def load(code: SlidingCode) -> Functions:
    """Compiles the functions."""
    functions = Functions()
    lasting(code.text(), functions.use)
    return functions


def ready(array: Array) -> Array:
    """An array as the native functions take it: in the dtype of sums, its channels together."""
    array = array.astype(accumulator(array.dtype), copy=False)
    together = array.strides[-1] == array.itemsize or array.shape[-1] == 1
    return array if together else np.ascontiguousarray(array)


def greatest(padded: Array, windows: Windows) -> Array:
    """The greatest element of each window: nan where it holds nothing else."""
    out = _results(padded, windows)
    plan = _plan(windows, out.shape, (padded.strides, out.strides), (False, True))
    rows = plan.rows((padded, out), _taps(padded, windows))
    functions(out.dtype).greatest.run(rows, _shared(out, windows))
    return out


def give(padded: Array, gradient: Array, windows: Windows, to_all: bool) -> Array:
    """The gradient of `greatest` with respect to the padded array."""
    make = np.empty if windows.cover else np.zeros
    total = make(padded.shape, padded.dtype)
    taps, to = _taps(padded, windows), _taps(total, windows)
    strides = padded.strides, gradient.strides, total.strides
    apart = windows.apart
    plan = _plan(windows, gradient.shape, strides, (False, True, False), not apart)
    rows = plan.rows((padded, gradient, total), taps, address(to), int(to_all))
    kinds = functions(total.dtype)
    (kinds.put if apart else kinds.give).run(rows, _shared(gradient, windows))
    return total


def weigh(padded: Array, weights: Array, windows: Windows) -> Array:
    """The sum over each window, every tap times its weights [taps or 1, channels]."""
    out = _results(padded, windows)
    plan = _plan(windows, out.shape, (padded.strides, out.strides), (False, True))
    rows = plan.rows((padded, out), _taps(padded, windows), *_weights(weights))
    functions(out.dtype).weigh.run(rows, _shared(out, windows))
    return out


def spread(gradient: Array, weights: Array, windows: Windows, total: Array) -> None:
    """Adds the gradient of `weigh` with respect to the padded array to `total`."""
    strides = gradient.strides, total.strides
    plan = _plan(windows, gradient.shape, strides, (True, False), not windows.apart)
    rows = plan.rows((gradient, total), _taps(total, windows), *_weights(weights))
    functions(total.dtype).spread.run(rows, _shared(gradient, windows))


def correlate(padded: Array, gradient: Array, windows: Windows) -> Array:
    """The gradient of `weigh` with respect to the weights, [taps, channels]."""
    taps = _taps(padded, windows)
    strides = padded.strides, gradient.strides
    plan = _plan(windows, gradient.shape, strides, (False, True))
    sums = np.zeros((len(plan.blocks), len(taps), padded.shape[-1]), padded.dtype)
    weights, step = _weights(sums[0])
    rows = [
        (*row, weights + i * sums.strides[0], step)
        for i, row in enumerate(plan.rows((padded, gradient), taps))
    ]
    functions(padded.dtype).correlate.run(rows, _shared(gradient, windows))
    total: Array = sums.sum(axis=0)
    return total


class SlidingPlan(NamedTuple):
    """Blocks of windows: some rows of those of some images, and where they lie in some arrays."""

    blocks: tuple[tuple[tuple[int, int], ...], ...]  # for each array, an offset and a table's place
    sizes: tuple[tuple[int, int, int], ...]  # how many windows, taps and channels there are
    tables: tuple[Table, ...]  # whose places are used

    def rows(self, arrays: tuple[Array, ...], taps: Table, *rest: int) -> list[tuple[int, ...]]:
        """The arguments of a native function, for each block."""
        starts = [address(array) for array in arrays]
        last = (address(taps), *rest)
        rows = []
        for block, sizes in zip(self.blocks, self.sizes):
            places = [n for a, (offset, table) in zip(starts, block) for n in (a + offset, table)]
            rows.append((*places, *sizes, *last))
        return rows


@functools.lru_cache(maxsize=128)
def _plan(
    windows: Windows,
    results: tuple[int, ...],
    strides: tuple[tuple[int, ...], ...],
    dense: tuple[bool, ...],
    overlapping: bool = False,
) -> SlidingPlan:
    """The blocks of results of this shape: whole images where what different rows write overlaps.

    An array is dense if it has an element for each window, else it is what the windows lie in.
    """
    itemsize = min(array_strides[-1] for array_strides in strides)
    row_bytes = math.prod(results[2:]) * itemsize
    limit = max(_BLOCK, windows.counts[0] * row_bytes) if overlapping else _BLOCK
    offsets, sizes, tables = [], [], []
    for items, rows in blocks(results[0], windows.counts[0], row_bytes, limit):
        shape = (items.stop - items.start, rows.stop - rows.start, *windows.counts[1:])
        places = []
        for array_strides, each in zip(strides, dense):
            gaps = (1,) * len(windows.strides) if each else windows.strides
            axes = tuple(s * step for s, step in zip(array_strides[1:-1], gaps))
            tables.append(steps(shape, (array_strides[0], *axes)))
            start = items.start * array_strides[0] + rows.start * axes[0]
            places.append((start, address(tables[-1])))
        offsets.append(tuple(places))
        sizes.append((math.prod(shape), math.prod(windows.kernel), results[-1]))
    return SlidingPlan(tuple(offsets), tuple(sizes), tuple(tables))


def _shared(results: Array, windows: Windows) -> bool:
    """Whether there is enough to do for several threads."""
    return results.size * math.prod(windows.kernel) >= _ALONE


def _results(padded: Array, windows: Windows) -> Array:
    return np.empty((len(padded), *windows.counts, padded.shape[-1]), padded.dtype)


def _taps(array: Array, windows: Windows) -> Table:
    """Where the taps of a window lie in an array."""
    axes = zip(array.strides[1:-1], windows.dilations)
    return steps(windows.kernel, tuple(stride * dilation for stride, dilation in axes))


def _weights(weights: Array) -> tuple[int, int]:
    """Their address, and the bytes from one tap to the next: none if all share one."""
    return address(weights), weights.strides[0] if len(weights) > 1 else 0
