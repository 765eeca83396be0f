"""Native sums of products over tables of offsets: the functions of `tile_code`, for Python.

c[i, j] = sum over k of a[i, k] * b[k, j], or this sum times a factor plus c[i, j] times another.
Element (i, k) of `a` lies at `rows[i] + cols[k]` bytes from an address. Row k of `b` lies at
`rows[k]`, row i of `c` at `places[i]`. Elements are float32 or float64. Addresses must be valid
for all offsets in the tables: nothing is checked here.
"""

from __future__ import annotations

import ctypes
import functools
import math
from array import array
from typing import Any

import numpy as np
import numpy.typing as npt

from graphwright.base.named_tuples import NamedTuple
from graphwright.machine import compiler, targets, threads
from graphwright.machine.array_layout import Array, FloatDType, address
from graphwright.machine.preparation import Preparation, threaded
from graphwright.machine.tile_code import CodeTile

Table = npt.NDArray[np.int64]

#: Multiply-adds that one thread does before a second one has started.
ALONE = 1 << 22

_REMEMBERED = 1 << 13  # entries of a table that is kept for the next call
_LINE = 64  # bytes of a line of the cache, to which packed panels are aligned


class Shared(NamedTuple):
    """A native function of a context and the number of a part."""

    call: Any
    address: int

    def run(self, context: int, parts: int) -> None:
        """Does all parts; the memory at the addresses in the context must stay alive."""
        if parts == 1:
            self.call(context, 0)
        else:
            threads.run(self.address, context, parts)


class Kernels(NamedTuple):
    """The native functions for one dtype."""

    tile: CodeTile
    pack: Any
    multiply: Any
    shared_product: Any
    multiply_rows: Any
    matmul_part: Shared
    perform: Shared


@functools.cache
def kernels(dtype: FloatDType) -> Kernels:
    """The functions for float32 or float64, compiled at the first call."""
    made = load(tile_of(dtype))
    _MADE.add(dtype)
    return made


#: The dtypes whose kernels are there.
_MADE: set[FloatDType] = set()


def draft_kernels(dtype: FloatDType) -> Kernels:
    """Functions that give the same results, for code that is soon replaced.

    They are made in a third of the time and take up to three times as long. Where better ones are
    there, or under way for a large product, it is these.
    """
    if dtype in _MADE or preparation(dtype).is_asked:
        return kernels(dtype)
    return _quick_kernels(dtype)


@functools.cache
def _quick_kernels(dtype: FloatDType) -> Kernels:
    return load(tile_of(dtype), is_quick=True)


def tile_of(dtype: FloatDType) -> CodeTile:
    """The tile of products of float32 or float64 on this processor."""
    return CodeTile(targets.vectors(), dtype.itemsize * 8)


@functools.cache
def preparation(dtype: FloatDType) -> Preparation:
    """The preparation of the functions for float32 or float64, and of threads for them."""
    return threaded(functools.partial(kernels, dtype))


def load(tile: CodeTile, is_quick: bool = False) -> Kernels:
    """The functions for a tile, compiled."""
    addresses = compiler.compiled(tile.text(), is_quick).addresses
    place, number = ctypes.c_void_p, ctypes.c_int64
    left = (place, place, number, place, number)
    signatures = {
        "pack": (place, place, number, number, number, place),
        "multiply": (*left, place, number, place, place, place),
        "shared_product": (*[place, number, number] * 2, place, *[number] * 4, place),
        "multiply_rows": (place, number, *[place, number, number], place, *[number] * 4),
        "matmul_part": (place, number),
        "perform": (place, number),
    }
    pack, multiply, whole, rows, *shared = [
        ctypes.CFUNCTYPE(number if name == "shared_product" else None, *types)(addresses[name])
        for name, types in signatures.items()
    ]
    places = addresses["matmul_part"], addresses["perform"]
    return Kernels(tile, pack, multiply, whole, rows, *map(Shared, shared, places))


def aligned(size: int, dtype: FloatDType) -> Array:
    """An uninitialized vector that starts at a line of the cache."""
    raw = np.empty(size * dtype.itemsize + _LINE, np.uint8)
    skip = -address(raw) % _LINE
    return raw[skip : skip + size * dtype.itemsize].view(dtype)


def steps(shape: tuple[int, ...], strides: tuple[int, ...]) -> Table:
    """The offset of every index of these axes, read-only; the last axis varies fastest."""
    if math.prod(shape) <= _REMEMBERED:
        return _remembered_steps(shape, strides)
    return _steps(shape, strides)


def _steps(shape: tuple[int, ...], strides: tuple[int, ...]) -> Table:
    table = np.zeros(1, np.int64)
    for size, stride in zip(shape, strides):
        table = np.add.outer(table, np.arange(size, dtype=np.int64) * stride).reshape(-1)
    table.flags.writeable = False
    return table


_remembered_steps = functools.lru_cache(maxsize=256)(_steps)


class PackedOperand(NamedTuple):
    """A right operand in panels, as the kernels read it."""

    panels: Array
    rows: int
    columns: int


def pack(matrix: Array, out: Array | None = None) -> PackedOperand:
    """A matrix in panels: at the start of `out`, or in new memory without it."""
    k, n = matrix.shape
    functions = kernels(matrix.dtype)
    if out is None:
        out = aligned(packed_size(k, n, functions.tile), matrix.dtype)
    rows = steps((k,), matrix.strides[:1])
    functions.pack(address(matrix), address(rows), k, matrix.strides[1], n, address(out))
    return PackedOperand(out, k, n)


def packed_size(k: int, n: int, tile: CodeTile) -> int:
    """The elements of a matrix of k rows and n columns when it is packed."""
    return k * -(-n // tile.lanes) * tile.lanes


def multiply(
    a: int,
    rows: Table,
    cols: Table,
    b: PackedOperand,
    c: int,
    places: Table,
    factors: tuple[float, float] | None = None,
) -> None:
    """Writes the product to `c`; with factors the sum of old result and product, each scaled."""
    functions = kernels(b.panels.dtype)
    pair = None if factors is None else array(b.panels.dtype.char, factors)
    functions.multiply(
        a,
        address(rows),
        len(rows),
        address(cols),
        len(cols),
        address(b.panels),
        b.columns,
        c,
        address(places),
        None if pair is None else pair.buffer_info()[0],
    )


def work_size(m: int, k: int, n: int, tile: CodeTile, reused: bool) -> int:
    """The bytes of work space for the native `matmul`.

    A right operand that is `reused` needs room for all its panels, another for one.
    """
    n = n if reused else min(n, tile.widest * tile.lanes)
    return 16 * (m + k) + _LINE + packed_size(k, n, tile) * tile.size
