"""ThreeFry 2x32-20 and the numbers that TensorFlow's XLA draws with it; its CPU kernels refuse it.

Source: Salmon, Moraes, Dror, Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3" (SC 2011), section
3.2. A 64-bit counter enciphered under a 64-bit key gives two 32-bit words; keys and counters are
Python ints. Unlike Philox's, floats take the high bits of a word, and normals pair the first half
of the outputs with the second.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import numpy.typing as npt

from graphwright.op.special_functions import erfinv
from graphwright.types.arrays import Array, ArrayDType

WORDS = 2  # 32-bit words in a block

_PARITY = 0x1BD11BDA
_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_MASK32 = 0xFFFFFFFF
_WITHIN_TWO_DEVIATIONS = 0.9544997361036416  # erf(2 / sqrt(2))

UInt32s = npt.NDArray[np.uint32]


def blocks(key: int, counter: int, count: int) -> UInt32s:
    """The blocks at `counter`, `counter + 1`, ... as words of shape [count, 2]."""
    start = np.uint64(counter & (1 << 64) - 1)
    counters = start + np.arange(count, dtype=np.uint64)
    x0, x1 = counters.astype(np.uint32), (counters >> np.uint64(32)).astype(np.uint32)
    keys = [key & _MASK32, key >> 32 & _MASK32]
    keys.append(_PARITY ^ keys[0] ^ keys[1])
    x0 += np.uint32(keys[0])
    x1 += np.uint32(keys[1])
    for group in range(1, 6):
        for distance in _ROTATIONS[(group - 1) % 2]:
            x0 += x1
            x1 = x1 << np.uint32(distance) | x1 >> np.uint32(32 - distance)
            x1 ^= x0
        x0 += np.uint32(keys[group % 3])
        x1 += np.uint32(keys[(group + 1) % 3] + group & _MASK32)
    return np.stack([x0, x1], axis=1)


def full_range(key: int, counter: int, count: int, dtype: npt.DTypeLike) -> Array:
    """`count` integers of `dtype` (32 or 64 bits), all values equally likely."""
    dtype = np.dtype(dtype)
    words = count * dtype.itemsize // 4
    return blocks(key, counter, -(-words // WORDS)).reshape(-1)[:words].view(dtype)


def integers(
    key: int, counter: int, count: int, low: int, high: int, dtype: npt.DTypeLike
) -> Array:
    """`count` integers of `dtype` in [low, high) by remainder."""
    dtype = np.dtype(dtype)
    unsigned = np.dtype(f"u{dtype.itemsize}")
    drawn = full_range(key, counter, count, unsigned) % unsigned.type(high - low)
    drawn += np.asarray(low, dtype).view(unsigned)
    signed: Array = drawn.view(dtype)
    return signed


def uniform(key: int, counter: int, count: int, dtype: npt.DTypeLike) -> Array:
    """`count` floats of `dtype` in [0, 1): float16 of low bits, bfloat16 by cutting a float32."""
    dtype = np.dtype(dtype)
    if dtype == ml_dtypes.bfloat16:
        return _cut(uniform(key, counter, count, np.float32), dtype)
    mantissa = int(np.finfo(dtype).nmant)
    unsigned = np.dtype(f"u{dtype.itemsize}")
    one = np.ones((), dtype).view(unsigned)
    if dtype == np.float16:
        words = full_range(key, counter, count, np.uint32)
        bits = (words & np.uint32((1 << mantissa) - 1)).astype(unsigned)
    else:
        words = full_range(key, counter, count, unsigned)
        bits = words >> unsigned.type(8 * dtype.itemsize - mantissa)
    unit: Array = (bits | one).view(dtype) - dtype.type(1)
    return unit


def normal(key: int, counter: int, count: int, dtype: npt.DTypeLike) -> Array:
    """`count` standard normals of `dtype` by Box-Muller: radii and angles take blocks in turn."""
    dtype = np.dtype(dtype)
    words = 1 if dtype == np.float64 else 2
    pairs = -(-count // (2 * words))
    unit = _wide_uniform(key, counter, 2 * words * pairs, dtype).reshape(pairs, 2, words)
    radius = np.sqrt(-2.0 * np.log(np.maximum(unit[:, 0], 1.0e-7)))
    angle = 2.0 * np.pi * unit[:, 1]
    drawn = np.stack([radius * np.sin(angle), radius * np.cos(angle)], axis=-1)
    return _narrow(drawn.reshape(-1)[:count], dtype)


def truncated_normal(key: int, counter: int, count: int, dtype: npt.DTypeLike) -> Array:
    """`count` standard normals of `dtype` with magnitude below 2, by inversion."""
    dtype = np.dtype(dtype)
    unit = _wide_uniform(key, counter, count, dtype)
    return _narrow(np.sqrt(2.0) * erfinv((2.0 * unit - 1.0) * _WITHIN_TWO_DEVIATIONS), dtype)


def _wide_uniform(key: int, counter: int, count: int, dtype: ArrayDType) -> Array:
    wide = np.dtype(np.float32 if dtype == ml_dtypes.bfloat16 else dtype)
    return uniform(key, counter, count, wide).astype(np.float64)


def _narrow(drawn: Array, dtype: ArrayDType) -> Array:
    if dtype == ml_dtypes.bfloat16:
        return _cut(drawn.astype(np.float32), dtype)
    return drawn.astype(dtype)


def _cut(single: Array, dtype: ArrayDType) -> Array:
    """float32 to bfloat16 towards zero."""
    high: Array = (single.view(np.uint32) >> np.uint32(16)).astype(np.uint16)
    return high.view(dtype)
