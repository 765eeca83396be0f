"""Philox 4x32-10, the counter-based generator behind TensorFlow's random numbers on CPUs and GPUs.
 Source: Salmon, Moraes, Dror, Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3" (SC 2011),
section 3.3. A 128-bit counter enciphered under a 64-bit key gives a block of four 32-bit words.
Keys and counters are plain Python ints here; a block's words are numbered from the least
significant end of the counter.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

WORDS = 4  # 32-bit words in a block
KEY_BITS = 64
COUNTER_BITS = 128

_MASK32 = np.uint64(0xFFFFFFFF)
_SHIFT32 = np.uint64(32)
_MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_WEYL = (0x9E3779B9, 0xBB67AE85)  # golden ratio and sqrt(3) - 1: the keys' increments
_ROUNDS = 10
_CHUNK = 8192  # blocks enciphered at a time, so that the work arrays stay in the cache

UInt32s = npt.NDArray[np.uint32]
UInt64s = npt.NDArray[np.uint64]


def blocks(key: int, counter: int, count: int) -> UInt32s:
    """The blocks at `counter`, `counter + 1`, ... as words of shape [count, 4]."""
    return blocks_at(key, *counters(counter, np.arange(count, dtype=np.uint64)))


def counters(start: int, offsets: UInt64s) -> tuple[UInt64s, UInt64s]:
    """The low and high halves of the 128-bit counters `start + offsets`, wrapping around."""
    base = np.uint64(start & (1 << 64) - 1)
    low = base + offsets
    carry = (low < base).astype(np.uint64)
    return low, carry + np.uint64(start >> 64 & (1 << 64) - 1)


def blocks_at(key: int, low: UInt64s, high: UInt64s) -> UInt32s:
    """The blocks at the counters with the given halves (shape [n]), as words of shape [n, 4]."""
    words = np.empty((low.size, WORDS), np.uint32)
    for start in range(0, low.size, _CHUNK):
        part = slice(start, start + _CHUNK)
        _encipher(key, low[part], high[part], words[part])
    return words


def _encipher(key: int, low: UInt64s, high: UInt64s, out: UInt32s) -> None:
    """Ten rounds over one chunk; the words travel as the low halves of 64-bit lanes."""
    c0, c1 = low & _MASK32, low >> _SHIFT32
    c2, c3 = high & _MASK32, high >> _SHIFT32
    p0, p1 = np.empty_like(c0), np.empty_like(c0)
    k0, k1 = key & 0xFFFFFFFF, key >> 32 & 0xFFFFFFFF
    for _ in range(_ROUNDS):
        np.multiply(c0, _MULTIPLIERS[0], out=p0)
        np.multiply(c2, _MULTIPLIERS[1], out=p1)
        c1 ^= np.uint64(k0)
        c3 ^= np.uint64(k1)
        np.right_shift(p1, _SHIFT32, out=c0)
        np.right_shift(p0, _SHIFT32, out=c2)
        c0 ^= c1
        c2 ^= c3
        np.bitwise_and(p1, _MASK32, out=c1)
        np.bitwise_and(p0, _MASK32, out=c3)
        k0, k1 = k0 + _WEYL[0] & 0xFFFFFFFF, k1 + _WEYL[1] & 0xFFFFFFFF
    for word, lane in enumerate((c0, c1, c2, c3)):
        out[:, word] = lane
