"""Native discrete Fourier transforms along one axis, of lengths 2^a 3^b 5^c.

`complex_transform`, `half_spectrum` and `signal` return None where NumPy should compute: for other
lengths, for little work, and until the code is there.
"""

from __future__ import annotations

import ctypes
import functools
import math
import struct
from array import array
from typing import Any

import numpy as np
import numpy.typing as npt

from graphwright.base.named_tuples import NamedTuple
from graphwright.machine import compiler, targets, threads
from graphwright.machine.array_layout import Array, address
from graphwright.machine.preparation import Preparation, threaded
from graphwright.machine.products import Shared, aligned
from graphwright.ops.signal.transform_code import AS_FIRST, AS_LAST, FIRST, FourierCode

#: Elements from which on the code is worth to be made, and how often fewer are worth it.
WORTH_MAKING, PATIENCE = 1 << 13, 8
#: Elements from which on a call of it is worth it.
WORTH_CALLING = 1 << 8
#: The longest transform: the buffers of longer ones leave the caches.
LONGEST = 1 << 18
#: Elements that one thread transforms before a second one has started.
ALONE = 1 << 14
#: Bytes to work in from which on each thread has one part: parts have rooms of their own.
ROOMY = 1 << 20
_SPECTRA, _PAIRS = 1, 2  # half spectra are written, or read

Table = npt.NDArray[Any]


class TransformKernel(NamedTuple):
    """The native function for one kind of element."""

    code: FourierCode
    part: Shared


@functools.cache
def kernel(bits: int) -> TransformKernel:
    """The function for elements of so many bits, compiled at the first call."""
    return load(FourierCode(targets.vectors(), bits))


def load(code: FourierCode) -> TransformKernel:
    """The function of a text, compiled."""
    place = compiler.compiled(code.text()).addresses["fourier_part"]
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(place)
    return TransformKernel(code, Shared(call, place))


@functools.cache
def preparation(bits: int) -> Preparation:
    """The preparation of the function, and of threads for it."""
    made = threaded(functools.partial(kernel, bits))
    return Preparation(made.make, is_brief=True, patience=PATIENCE)


class PassPlan(NamedTuple):
    """The passes of a transform, with the tables that they read."""

    cells: int  # that the passes are for
    is_split: bool
    passes: Table
    tables: tuple[Table, ...]


def roots(n: int) -> npt.NDArray[np.complex128]:
    """exp(-2 pi i k / n) for all k, each from an angle of at most an eighth of a turn."""
    octant, rest = np.divmod(8 * np.arange(n), n)
    is_odd = octant % 2 == 1
    unit = math.gcd(8, n)
    eighth = np.arctan(np.longdouble(1))  # more digits than a double has, where there are any
    angles = np.arange(n // unit + 1) * (eighth * unit / n)
    places = np.where(is_odd, n - rest, rest) // unit
    cosines, sines = np.cos(angles).astype("d")[places], np.sin(angles).astype("d")[places]
    swaps = (octant + 1) // 2 % 2 == 1  # nearer to the axis of imaginary numbers
    re, im = np.where(swaps, sines, cosines), np.where(swaps, cosines, sines)
    re = np.where((octant >= 2) & (octant < 6), -re, re)
    return re + 1j * np.where(octant < 4, -im, im)


@functools.lru_cache(maxsize=256)
def factors(n: int) -> tuple[int, ...] | None:
    """The factors of a length that have passes, in their order; None if another one remains."""
    result: list[int] = []
    for factor in (5, 3):
        while n % factor == 0:
            result.append(factor)
            n //= factor
    if n & (n - 1):
        return None
    result += twos_of(n.bit_length() - 1)
    return tuple(result)


def twos_of(power: int) -> list[int]:
    """The factors of 2^power in their order.

    A pass of 8 writes eight streams. Far apart, they are in each other's places in the nearest
    cache: (4, 8, 4, 4, 4) takes 21 us for 2^11 cells of 64 bytes, and (4, 8, 8, 8) takes 39.
    """
    if power <= 9:
        eights, rest = divmod(power, 3)
        if rest == 1 and eights:
            return [8] * (eights - 1) + [4, 4]
        return [8] * eights + [[], [2], [4]][rest]
    some = [8] if power % 2 else [8, 8]
    return [4, *some, *[4] * ((power - 2 - 3 * len(some)) // 2)]


def is_split(n: int, lanes: int) -> bool:
    """Whether a row of n elements is transformed by itself."""
    return n % (2 * lanes) == 0 and n >= lanes * lanes


@functools.lru_cache(maxsize=16)
def plan(n: int, split: bool, code: FourierCode) -> PassPlan:
    """The passes of a transform of n complex numbers: of a row, or of lines beside each other."""
    cells = n // code.lanes if split else n
    dtype = np.dtype("f" if code.bits == 32 else "d")
    rows, tables = [], []
    done, left = 1, cells
    all_roots = roots(n)
    for factor in factors(cells) or ():
        apart = left // factor
        is_last = split and apart == 1
        if is_last:  # cell k of the result, lane by lane
            order = np.arange(cells).reshape(factor, done).T.reshape(-1)
            places = np.outer(order, np.arange(code.lanes))
            some = all_roots[places]
            parts = np.stack([some.real, some.imag], axis=1)
        else:
            places = np.outer(np.arange(apart), np.arange(1, factor))
            some = all_roots[places * (n // left)]
            parts = np.stack([some.real, some.imag], axis=2)
        table = aligned(parts.size, dtype)
        table[:] = parts.reshape(-1)
        tables.append(table)
        kind = factor + AS_LAST if is_last else factor
        if split and done == 1 < apart and factor in FIRST:
            kind = factor + AS_FIRST
        rows.append((kind, apart, done, address(table)))
        done, left = done * factor, apart
    return PassPlan(cells, split, np.array(rows, np.int64).reshape(-1, 4), tuple(tables))


def turns(half: int, bits: int) -> Table:
    """What halves of a half spectrum are multiplied by: -i exp(-pi i k / half)."""
    some = -1j * roots(2 * half)[: half // 2 + 1]
    return np.concatenate([some.real, some.imag]).astype("f" if bits == 32 else "d")


class TransformLines(NamedTuple):
    """Where the lines of a transform lie: `lines` for each of `outer` places; steps in bytes."""

    outer: int
    lines: int
    steps: tuple[int, int, int]  # from place to place, from line to line, along a line
    to: tuple[int, int, int]


class TransformPreset(NamedTuple):
    """All that a call needs beside its arrays."""

    words: tuple[int, ...]  # of the context, behind the addresses of its arrays
    room: int  # bytes to work in
    parts: int
    tables: tuple[PassPlan, Table | None]  # whose addresses are among the words


@functools.lru_cache(maxsize=32)
def preset(
    lines: TransformLines,
    n: int,
    spectra: int,
    is_inverse: bool,
    scale: float,
    bits: int,
    shares: int,
) -> TransformPreset:
    """What transforms such lines of n complex numbers, for so many threads."""
    code = kernel(bits).code
    unit = 2 * code.size
    split = is_split(n, code.lanes) and lines.steps[2] == unit
    chosen = plan(n, split, code)
    groups = lines.lines if split else -(-lines.lines // code.lanes)
    room = 2 * chosen.cells * code.cell
    if spectra == _PAIRS:
        room += n * unit * (1 if split else code.lanes)
    room += -room % 64
    items = lines.outer * groups
    most = shares if room > ROOMY else 2 * shares
    parts = min(items, most) if items * n > ALONE and shares > 1 else 1
    mirrors = turns(n, bits) if spectra else None
    sign = -1.0 if is_inverse else 1.0
    numbers = struct.unpack("3q", struct.pack("3d", sign, scale, scale * sign))
    words = (
        *(*lines.steps, *lines.to, items, groups, lines.lines, chosen.cells, split),
        *(address(chosen.passes), len(chosen.passes), spectra, n),
        *(0 if mirrors is None else address(mirrors), room, parts, *numbers),
    )
    return TransformPreset(words, parts * room, parts, (chosen, mirrors))


def complex_transform(x: Array, axis: int, is_inverse: bool) -> Array | None:
    """The transform of complex numbers along an axis; None where NumPy should compute it."""
    n = x.shape[axis]
    if not _is_native(x, n, x.size):
        return None
    x = np.ascontiguousarray(x)
    result = np.empty_like(x)
    axis %= x.ndim
    outer, inner = math.prod(x.shape[:axis]), math.prod(x.shape[axis + 1 :])
    unit = x.itemsize
    if inner == 1:
        lines = TransformLines(1, outer, (0, n * unit, unit), (0, n * unit, unit))
    else:
        steps = (n * inner * unit, unit, inner * unit)
        lines = TransformLines(outer, inner, steps, steps)
    _run(x, result, lines, n, 0, is_inverse, 1 / n if is_inverse else 1.0)
    return result


def half_spectrum(x: Array, n: int) -> Array | None:
    """Half the spectrum of the first n reals along the last axis; None for NumPy."""
    if n % 2 or not _is_native(x, n // 2, x.size // 2):
        return None
    x = np.ascontiguousarray(x)
    half, unit = n // 2, 2 * x.itemsize
    result = np.empty((*x.shape[:-1], half + 1), np.dtype(f"c{unit}"))
    steps, to = (0, x.shape[-1] * x.itemsize, unit), (0, (half + 1) * unit, unit)
    lines = TransformLines(1, math.prod(x.shape[:-1]), steps, to)
    _run(x, result, lines, half, _SPECTRA, False, 0.5)
    return result


def signal(x: Array, n: int) -> Array | None:
    """The n reals whose half spectrum lies along the last axis; None for NumPy."""
    if n % 2 or not _is_native(x, n // 2, x.size):
        return None
    x = np.ascontiguousarray(x)
    half, unit = n // 2, x.itemsize
    result = np.empty((*x.shape[:-1], n), np.dtype(f"f{unit // 2}"))
    steps, to = (0, x.shape[-1] * unit, unit), (0, half * unit, unit)
    lines = TransformLines(1, math.prod(x.shape[:-1]), steps, to)
    _run(x, result, lines, half, _PAIRS, True, 1 / n)
    return result


#: The bits of parts of elements.
BITS = {"f": 32, "F": 32, "d": 64, "D": 64}


def _is_native(x: Array, n: int, work: int) -> bool:
    """Whether native code transforms n complex numbers of each of these lines, and is there."""
    bits = BITS.get(x.dtype.char)
    if bits is None or work < WORTH_CALLING or not 1 < n <= LONGEST or factors(n) is None:
        return False
    if not preparation(bits).is_ready_for(work, WORTH_MAKING):
        return False
    return work >= 2 * n or is_split(n, kernel(bits).code.lanes)


def _run(
    x: Array,
    result: Array,
    lines: TransformLines,
    n: int,
    spectra: int,
    is_inverse: bool,
    scale: float,
) -> None:
    """Transforms lines of x."""
    bits = BITS[x.dtype.char]
    chosen = preset(lines, n, spectra, is_inverse, scale, bits, threads.available())
    work = aligned(chosen.room // 4, np.dtype(np.float32))
    context = array("q", (address(x), address(result), address(work), *chosen.words))
    kernel(bits).part.run(context.buffer_info()[0], chosen.parts)
