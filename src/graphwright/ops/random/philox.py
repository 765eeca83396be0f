"""Philox 4x32-10, the counter-based generator behind TensorFlow's random numbers.

Source: Salmon, Moraes, Dror, Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3" (SC 2011),
section 3.3. A 128-bit counter enciphered under a 64-bit key gives a block of four 32-bit words.
Keys and counters are plain Python ints here; a block's words are numbered from the least
significant end of the counter.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from graphwright.ops.random.philox_code import NativeCipher

WORDS = 4  # 32-bit words in a block
COUNTER_BITS = 128

_MASK32, _MASK64 = (1 << 32) - 1, (1 << 64) - 1
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)  # golden ratio and sqrt(3) - 1: the keys' increments
_ROUNDS = 10
_CHUNK = 8192  # blocks enciphered at a time, so that the work arrays stay in the cache
_FEW = 8  # blocks up to which Python's own integers are faster

#: The same as machine code.
NATIVE = NativeCipher((_MULTIPLIERS, _WEYL, _ROUNDS))

UInt32s = npt.NDArray[np.uint32]
UInt64s = npt.NDArray[np.uint64]


class Integers(Protocol):
    """Integers of 64 bits, one or many: a Python int, an array, or tensors in a wrapper."""

    def __and__(self, other: int, /) -> Any: ...
    def __rshift__(self, bits: int, /) -> Any: ...


def blocks(key: int, counter: int, count: int) -> UInt32s:
    """The blocks at `counter`, `counter + 1`, ... as words of shape [count, 4]."""
    if count <= _FEW:
        starts = [(counter + offset) & (1 << COUNTER_BITS) - 1 for offset in range(count)]
        few = [encipher(key, start & _MASK64, start >> 64) for start in starts]
        return np.array(few, np.uint32).reshape(count, WORDS)
    low = counter & _MASK64
    if low + count <= _MASK64 and NATIVE.is_ready_for(count):
        return NATIVE.stream(key, low, counter >> 64 & _MASK64, count)
    return blocks_at(key, *counters(counter, np.arange(count, dtype=np.uint64)))


def counters(start: int, offsets: UInt64s) -> tuple[UInt64s, UInt64s]:
    """The low and high halves of the 128-bit counters `start + offsets`, wrapping around."""
    base = np.uint64(start & _MASK64)
    low = base + offsets
    carry = (low < base).astype(np.uint64)
    return low, carry + np.uint64(start >> 64 & _MASK64)


def blocks_at(key: int, low: UInt64s, high: UInt64s) -> UInt32s:
    """The blocks at the counters with these halves of shape [n], as words of shape [n, 4]."""
    words = np.empty((low.size, WORDS), np.uint32)
    for start in range(0, low.size, _CHUNK):
        part = slice(start, start + _CHUNK)
        for place, word in enumerate(encipher(key, low[part], high[part])):
            words[part, place] = word
    return words


def encipher(key: Integers, low: Integers, high: Integers) -> tuple[Any, Any, Any, Any]:
    """The four words of the blocks at these counters, in the low halves of 64 bits."""
    c0, c1, c2, c3 = low & _MASK32, low >> 32, high & _MASK32, high >> 32
    k0, k1 = key & _MASK32, key >> 32 & _MASK32
    for _ in range(_ROUNDS):
        p0, p1 = c0 * _MULTIPLIERS[0], c2 * _MULTIPLIERS[1]
        c0, c1 = (p1 >> 32) ^ c1 ^ k0, p1 & _MASK32
        c2, c3 = (p0 >> 32) ^ c3 ^ k1, p0 & _MASK32
        k0, k1 = k0 + _WEYL[0] & _MASK32, k1 + _WEYL[1] & _MASK32
    return c0, c1, c2, c3
