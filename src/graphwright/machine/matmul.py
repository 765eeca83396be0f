"""Products of matrices: NumPy's, or native ones where these are faster.

NumPy calls BLAS for each matrix of a batch, and for small matrices the call costs more than the
product. Larger matrices are multiplied natively too: BLAS would use threads of its own. These look
for work for many milliseconds after each call, and take the cores from everything else.
"""

from __future__ import annotations

import functools
import math
from array import array

import numpy as np
import numpy.typing as npt

from graphwright.machine import products, targets, threads
from graphwright.machine.array_layout import Array, FloatDType, address
from graphwright.machine.preparation import WORTH, WORTH_OF_BATCH
from graphwright.machine.products import steps
from graphwright.machine.strip_code import ADD, MULTIPLY, OVER, PACK, UPDATE
from graphwright.machine.strips import OTHER, PART_PANELS, RESULT, SOURCE, StripPlan
from graphwright.machine.tile_code import BLOCK, CodeTile

_SHARES = 8  # parts for each thread: all wait for the last part
_MANY = 500  # matrices, however small, that BLAS takes one by one for longer than a native call
_HIGH = 512  # rows of the left operand that go through a block together
_LOW = 48  # rows where many panels are packed together: tiles, which stay in a core's cache
_NEAR = 4 << 20  # bytes of a left operand that is read again for each panel: all cores' cache
_WIDE = 10  # panels that are packed together where it is larger
_NARROW = 12  # panels that are packed together where a row of a panel has few lines of the cache
_FEW = 128  # bytes of such a row
_PACKED = 1 << 18  # bytes of a right operand that stays in a core's cache as a whole


def matmul(x: Array, y: Array) -> Array:
    """x @ y of matrices [..., m, k] and [..., k, n] with any strides."""
    if x.dtype == y.dtype and x.dtype.char in "fd" and x.ndim >= 2 and y.ndim >= 2:
        product = _native(x, y)
        if product is not None:
            return product
    result: Array = np.matmul(x, y)
    return result


def update(total: Array, x: Array, y: Array, keep: float, scale: float) -> None:
    """Sets total = keep * total + scale * (x @ y) of matrices.

    `total` is contiguous and shares no memory with the others.
    """
    if x.size and y.size and _is_ready(x.dtype):
        plan = _plan_of(x, y, UPDATE)
        plan.perform(x.dtype, x, y, total, keep=keep, scale=scale)
        return
    product = np.matmul(x, y)
    product *= product.dtype.type(scale)
    if keep != 1.0:
        total *= total.dtype.type(keep)
    total += product


def _native(x: Array, y: Array) -> Array | None:
    """The product by native kernels; None where NumPy should compute it."""
    (m, k), (inner, n) = x.shape[-2:], y.shape[-2:]
    work = m * k * n
    if k != inner or work == 0 or min(m, n) < 2:
        return None
    if x.ndim == y.ndim == 2:
        if work <= WORTH or not _is_ready(x.dtype):
            return None
        return _blocked(x, y)
    batch = x.shape[:-2]
    if batch != y.shape[:-2]:
        batch = np.broadcast_shapes(batch, y.shape[:-2])
    count = math.prod(batch)
    if count == 1:
        product = _native(x.reshape(m, k), y.reshape(k, n))
        return None if product is None else product.reshape(*batch, m, n)
    if not count or (count < _MANY and (min(m, n) < 8 or count * work < WORTH_OF_BATCH)):
        return None
    if y.strides[-1] != y.itemsize and m < 64 < work <= WORTH:  # packing would take the most time
        return None
    return _batched(x, y, batch) if _is_ready(x.dtype) else None


def _is_ready(dtype: FloatDType) -> bool:
    """Whether native kernels are ready, on a processor where they are faster than BLAS."""
    return products.preparation(dtype).is_ready() and _has_vectors()


@functools.cache
def _has_vectors() -> bool:
    return targets.vectors().bits >= 256


def _is_narrow(tile: CodeTile) -> bool:
    """Whether a row of a panel is so short that only several are read at the speed of memory."""
    return tile.widest * tile.lanes * tile.size <= _FEW


@functools.lru_cache(maxsize=256)
def _starts(batch: tuple[int, ...], *strides: tuple[int, ...]) -> npt.NDArray[np.int64]:
    """The offsets of the matrices of each entry of a batch, in the operands and the result."""
    return np.stack([steps(batch, operand) for operand in strides], axis=1)


def _spread(array: Array, batch: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of an operand's batch axes; 0 for an axis along which it is broadcast."""
    own_batch = array.shape[:-2]
    if own_batch == batch:
        return array.strides[:-2]
    missing = len(batch) - len(own_batch)
    stretched = [0 if size == 1 else s for size, s in zip(own_batch, array.strides)]
    return (0,) * missing + tuple(stretched)


def _batched(x: Array, y: Array, batch: tuple[int, ...]) -> Array:
    (m, k), n = x.shape[-2:], y.shape[-1]
    result = np.empty((*batch, m, n), x.dtype)
    spread = _spread(y, batch)
    starts = _starts(batch, _spread(x, batch), spread, result.strides[:-2])
    functions = products.kernels(x.dtype)
    reused = 0 in spread or _is_packed_whole(y, functions.tile)
    count = len(starts)
    shares = 1 if threads.available() == 1 else _SHARES * threads.available()
    parts = max(1, min(count, count * m * k * n // products.ALONE, shares))

    size = products.work_size(m, k, n, functions.tile, reused)
    room = np.empty((parts, size), np.uint8)
    context = array(
        "q",
        (
            *(address(x), *x.strides[-2:], m, k, address(y), *y.strides[-2:], n),
            *(address(result), result.strides[-2], address(starts), count, reused),
            *(address(room), size, parts),
        ),
    )
    functions.matmul_part.run(context.buffer_info()[0], parts)
    return result


def _is_packed_whole(y: Array, tile: CodeTile) -> bool:
    """Whether all of each matrix on the right is packed before it is multiplied.

    Panels of it are in the nearest cache if each is multiplied at once. But where they are narrow,
    their rows come from memory line by line, which takes longer than to read whole rows.
    """
    k, n = y.shape[-2:]
    is_small = products.packed_size(k, n, tile) * tile.size <= _PACKED
    return is_small and y.strides[-1] == y.itemsize and _is_narrow(tile)


def _blocked(x: Array, y: Array) -> Array:
    """A product of two matrices."""
    result = np.empty((len(x), y.shape[1]), x.dtype)
    _plan_of(x, y, OVER).perform(x.dtype, x, y, result)
    return result


def _plan_of(x: Array, y: Array, mode: int) -> StripPlan:
    """The plan of a product of two matrices."""
    (m, k), n = x.shape, y.shape[1]
    shared = 1 if m * k * n < 2 * products.ALONE else threads.available()
    return _plan((m, k, n), x.strides, y.strides, x.dtype, shared, BLOCK, mode)


@functools.lru_cache(maxsize=128)
def _plan(
    sizes: tuple[int, int, int],
    left: tuple[int, ...],
    right: tuple[int, ...],
    dtype: FloatDType,
    shared: int,
    most: int,
    mode: int,
) -> StripPlan:
    """The steps of a product of matrices with these strides, for `shared` threads.

    Threads share the columns, or rows where there are few columns. `most` rows of the right operand
    are packed together. The first of these blocks treats the old result as `mode` says.
    """
    m, k, n = sizes
    size, tile = dtype.itemsize, products.kernels(dtype).tile
    vectors = -(-n // tile.lanes)
    panels = -(-vectors // tile.widest)
    by_columns = panels >= 2 * shared
    together = by_columns and _is_narrow(tile)
    rows_together = min(_HIGH // 24 * 24, max(_LOW, m // 768 * 24)) if together else _HIGH
    if not by_columns:
        pieces = max(shared, min(_SHARES * shared, m // _HIGH))
    elif together:
        pieces = max(min(panels, 4 * shared if shared > 1 else 1), panels // _NARROW)
    elif m * min(k, most) * size <= _NEAR:  # each panel meets all of the left operand
        pieces = panels
    else:
        pieces = max(shared, panels // _WIDE)
    unit = tile.lanes if by_columns else tile.rows(-(-vectors // panels))
    units = -(-(n if by_columns else m) // unit)
    rows, cols = steps((m,), left[:1]), steps((k,), left[1:])
    places = steps((m,), (n * size,))
    plan = StripPlan(pieces if shared > 1 else 1)
    plan.end_part()
    for piece in range(pieces):
        start, stop = (units * p // pieces * unit for p in (piece, piece + 1))
        top, bottom = (0, m) if by_columns else (start, min(stop, m))
        first, last = (start, min(stop, n)) if by_columns else (0, n)
        width = last - first
        for deep in range(0, k, most):
            depth = min(most, k - deep)
            offset = deep * right[0] + first * right[1]
            plan.need(PART_PANELS, products.packed_size(depth, width, tile) * size)
            plan.add(
                PACK,
                OTHER,
                offset,
                PART_PANELS,
                0,
                steps((depth,), right[:1]),
                depth,
                right[1],
                width,
            )
            for high in range(top, bottom, rows_together):
                some = slice(high, min(high + rows_together, bottom))
                plan.add(
                    *(MULTIPLY, SOURCE, 0, PART_PANELS, 0, RESULT, first * size),
                    *(rows[some], len(rows[some]), cols[deep : deep + depth], depth, width),
                    *(places[some], ADD if deep else mode),
                )
        if plan.parts > 1:
            plan.end_part()
    if plan.parts == 1:
        plan.end_part()
    return plan.finish()
