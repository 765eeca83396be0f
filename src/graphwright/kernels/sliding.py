"""Native pooling and depthwise convolutions: what `window_code` emits, for Python.

Arrays are channels last, padded, of float32 or float64, with their channels side by side.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from graphwright.kernels import jobs, machine
from graphwright.kernels.jobs import Job
from graphwright.kernels.products import Table, address, steps
from graphwright.kernels.window_code import KINDS, Sliding
from graphwright.kernels.windows import Windows, accumulator, blocks

Array = npt.NDArray[Any]

_ALONE = 1 << 18  # elements of windows that one thread visits sooner than a second one starts
_BLOCK = 1 << 18  # bytes of results worked on at a time: their table stays small


class Functions(NamedTuple):
    """The native functions for one dtype."""

    greatest: Job
    weigh: Job
    spread: Job
    give: Job
    correlate: Job


@functools.cache
def functions(dtype: np.dtype[Any]) -> Functions:
    """The functions for a dtype, compiled at the first call."""
    return load(Sliding(machine.vectors(), dtype.itemsize * 8))


def load(code: Sliding) -> Functions:
    """Compiles the functions."""
    engine = machine.compiled(code.text())
    return Functions(*[jobs.load(engine, name, kinds) for name, kinds in KINDS.items()])


def ready(array: Array) -> Array:
    """An array as the native functions take it: in the dtype of sums, its channels together."""
    array = array.astype(accumulator(array.dtype), copy=False)
    together = array.strides[-1] == array.itemsize or array.shape[-1] == 1
    return array if together else np.ascontiguousarray(array)


def greatest(padded: Array, windows: Windows) -> Array:
    """The greatest element of each window: nan where it holds nothing else."""
    out = _results(padded, windows)
    taps = _taps(padded, windows)
    found = _blocks(out, windows)
    rows = [(*block.at(padded, out), *block.sizes(out), address(taps)) for block in found]
    functions(out.dtype).greatest.run(rows, _shared(out, windows))
    return out


def give(padded: Array, gradient: Array, windows: Windows, to_all: bool) -> Array:
    """The gradient of `greatest` with respect to the padded array."""
    total = np.zeros(padded.shape, padded.dtype)
    taps, to = _taps(padded, windows), _taps(total, windows)
    rest = (address(taps), address(to), int(to_all))
    found = _blocks(gradient, windows, overlapping=True)
    rows = [(*block.at(padded, gradient, total), *block.sizes(gradient), *rest) for block in found]
    functions(total.dtype).give.run(rows, _shared(gradient, windows))
    return total


def weigh(padded: Array, weights: Array, windows: Windows) -> Array:
    """The sum over each window, every tap times its weights [taps or 1, channels]."""
    out = _results(padded, windows)
    taps = _taps(padded, windows)
    rest = (address(taps), *_weights(weights))
    found = _blocks(out, windows)
    rows = [(*block.at(padded, out), *block.sizes(out), *rest) for block in found]
    functions(out.dtype).weigh.run(rows, _shared(out, windows))
    return out


def spread(gradient: Array, weights: Array, windows: Windows, total: Array) -> None:
    """Adds the gradient of `weigh` with respect to the padded array to `total`."""
    taps = _taps(total, windows)
    rest = (address(taps), *_weights(weights))
    found = _blocks(gradient, windows, overlapping=True)
    rows = [(*block.at(gradient, total), *block.sizes(gradient), *rest) for block in found]
    functions(total.dtype).spread.run(rows, _shared(gradient, windows))


def correlate(padded: Array, gradient: Array, windows: Windows) -> Array:
    """The gradient of `weigh` with respect to the weights, [taps, channels]."""
    taps = _taps(padded, windows)
    found = _blocks(gradient, windows)
    sums = np.zeros((len(found), len(taps), padded.shape[-1]), padded.dtype)
    rows = [
        (*block.at(padded, gradient), *block.sizes(gradient), address(taps), *_weights(own))
        for block, own in zip(found, sums)
    ]
    functions(padded.dtype).correlate.run(rows, _shared(gradient, windows))
    total: Array = sums.sum(axis=0)
    return total


class Block:
    """Some rows of the windows of some images; its tables live as long as it does."""

    def __init__(self, windows: Windows, items: slice, rows: slice) -> None:
        self.windows = windows
        self.items = items
        self.rows = rows
        self.shape = (items.stop - items.start, rows.stop - rows.start, *windows.counts[1:])
        self.tables: list[Table] = []

    def at(self, *arrays: Array) -> Iterator[int]:
        """The address and the table of each array; one without windows' sizes is padded."""
        for array in arrays:
            dense = array.shape[1:-1] == self.windows.counts
            strides = array.strides[1:-1]
            if not dense:
                strides = tuple(s * step for s, step in zip(strides, self.windows.strides))
            table = steps(self.shape, (array.strides[0], *strides))
            self.tables.append(table)
            start = self.items.start * array.strides[0] + self.rows.start * strides[0]
            yield address(array) + start
            yield address(table)

    def sizes(self, results: Array) -> tuple[int, int, int]:
        """How many windows, taps and channels there are."""
        return math.prod(self.shape), math.prod(self.windows.kernel), results.shape[-1]


def _blocks(results: Array, windows: Windows, overlapping: bool = False) -> list[Block]:
    """The blocks of the windows: whole images where what different rows write overlaps."""
    row_bytes = math.prod(results.shape[2:]) * results.itemsize
    limit = max(_BLOCK, windows.counts[0] * row_bytes) if overlapping else _BLOCK
    found = blocks(len(results), windows.counts[0], row_bytes, limit)
    return [Block(windows, items, rows) for items, rows in found]


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
