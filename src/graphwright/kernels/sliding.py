"""Native pooling and depthwise convolutions: what `window_code` emits, for Python.

Arrays are channels last, padded, of float32 or float64, with their channels side by side.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from graphwright.kernels import machine, threads
from graphwright.kernels.products import Table, address, steps
from graphwright.kernels.window_code import Sliding
from graphwright.kernels.windows import Windows, accumulator, blocks

Array = npt.NDArray[Any]

_ALONE = 1 << 18  # elements of windows that one thread visits sooner than a second one starts
_BLOCK = 1 << 18  # bytes of results worked on at a time: their table stays small


class Functions(NamedTuple):
    """The native functions for one dtype."""

    greatest: Any
    weigh: Any
    spread: Any
    give: Any
    correlate: Any


@functools.cache
def functions(dtype: np.dtype[Any]) -> Functions:
    """The functions for a dtype, compiled at the first call."""
    return load(Sliding(machine.vectors(), dtype.itemsize * 8))


def load(code: Sliding) -> Functions:
    """Compiles the functions."""
    engine = machine.compiled(code.text())
    place, number = ctypes.c_void_p, ctypes.c_int64
    counts, weights = (number, number, number, place), (place, number)
    signatures = {
        "greatest": (*[place] * 4, *counts),
        "weigh": (*[place] * 4, *counts, *weights),
        "spread": (*[place] * 4, *counts, *weights),
        "give": (*[place] * 6, *counts, *weights),
        "correlate": (*[place] * 4, *counts, *weights),
    }
    return Functions(
        *[
            ctypes.CFUNCTYPE(None, *types)(engine.get_function_address(name))
            for name, types in signatures.items()
        ]
    )


def ready(array: Array) -> Array:
    """An array as the native functions take it: in the dtype of sums, its channels together."""
    array = array.astype(accumulator(array.dtype), copy=False)
    together = array.strides[-1] == array.itemsize or array.shape[-1] == 1
    return array if together else np.ascontiguousarray(array)


def greatest(padded: Array, windows: Windows) -> Array:
    """The greatest element of each window: nan where it holds nothing else."""
    out = _results(padded, windows)
    function, taps = functions(out.dtype).greatest, _taps(padded, windows)

    def run(block: Block) -> None:
        function(*block.at(padded, out), *block.sizes(out), address(taps))

    _each(out, windows, run)
    return out


def give(padded: Array, gradient: Array, windows: Windows, to_all: bool) -> Array:
    """The gradient of `greatest` with respect to the padded array."""
    total = np.zeros(padded.shape, padded.dtype)
    function = functions(total.dtype).give
    taps, to = _taps(padded, windows), _taps(total, windows)

    def run(block: Block) -> None:
        arrays = block.at(padded, gradient, total)
        function(*arrays, *block.sizes(gradient), address(taps), address(to), to_all)

    _each(gradient, windows, run, split=False)
    return total


def weigh(padded: Array, weights: Array, windows: Windows) -> Array:
    """The sum over each window, every tap times its weights [taps or 1, channels]."""
    out = _results(padded, windows)
    function, taps = functions(out.dtype).weigh, _taps(padded, windows)

    def run(block: Block) -> None:
        function(*block.at(padded, out), *block.sizes(out), address(taps), *_weights(weights))

    _each(out, windows, run)
    return out


def spread(gradient: Array, weights: Array, windows: Windows, total: Array) -> None:
    """Adds the gradient of `weigh` with respect to the padded array to `total`."""
    function, taps = functions(total.dtype).spread, _taps(total, windows)

    def run(block: Block) -> None:
        arrays = block.at(gradient, total)
        function(*arrays, *block.sizes(gradient), address(taps), *_weights(weights))

    _each(gradient, windows, run, split=False)


def correlate(padded: Array, gradient: Array, windows: Windows) -> Array:
    """The gradient of `weigh` with respect to the weights, [taps, channels]."""
    function, taps = functions(padded.dtype).correlate, _taps(padded, windows)
    sums: dict[tuple[int, int], Array] = {}

    def run(block: Block) -> None:
        own = np.zeros((len(taps), padded.shape[-1]), padded.dtype)
        arrays = block.at(padded, gradient)
        function(*arrays, *block.sizes(gradient), address(taps), *_weights(own))
        sums[block.items.start, block.rows.start] = own

    _each(gradient, windows, run)
    total: Array = np.sum([sums[place] for place in sorted(sums)], axis=0, dtype=padded.dtype)
    return total


class Block:
    """Some rows of the windows of some images."""

    def __init__(self, windows: Windows, items: slice, rows: slice) -> None:
        self.windows = windows
        self.items = items
        self.rows = rows
        self.shape = (items.stop - items.start, rows.stop - rows.start, *windows.counts[1:])
        self.tables: list[Table] = []  # alive while the native function reads them

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


def _each(
    results: Array, windows: Windows, run: Callable[[Block], None], split: bool = True
) -> None:
    """Runs each block of the windows, images (and rows, if they may be) shared by threads."""
    row_bytes = math.prod(results.shape[2:]) * results.itemsize
    found = [
        Block(windows, items, rows)
        for items, rows in blocks(len(results), windows.counts[0], row_bytes, _BLOCK)
    ]
    work = results.size * math.prod(windows.kernel)
    units = [[block] for block in found]
    if not split:  # windows of one image overlap: one thread writes them
        units = [list(g) for _, g in itertools.groupby(found, lambda block: block.items.start)]
    parts = max(1, min(threads.available(), len(units), work // _ALONE))

    def run_part(part: int) -> None:
        start, stop = (len(units) * p // parts for p in (part, part + 1))
        for block in itertools.chain(*units[start:stop]):
            run(block)

    threads.share(run_part, parts)


def _results(padded: Array, windows: Windows) -> Array:
    return np.empty((len(padded), *windows.counts, padded.shape[-1]), padded.dtype)


def _taps(array: Array, windows: Windows) -> Table:
    """Where the taps of a window lie in an array."""
    axes = zip(array.strides[1:-1], windows.dilations)
    return steps(windows.kernel, tuple(stride * dilation for stride, dilation in axes))


def _weights(weights: Array) -> tuple[int, int]:
    """Their address, and the bytes from one tap to the next: none if all share one."""
    return address(weights), weights.strides[0] if len(weights) > 1 else 0
