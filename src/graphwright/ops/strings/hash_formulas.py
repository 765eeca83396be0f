"""The formulas of hashes, each for a `Word`: a Python integer, or a word of machine code.

FarmHash's Fingerprint64, MurmurHash64A and SipHash-2-4.

Sources: Pike and Alakuijala, FarmHash (the "na" variant, which Fingerprint64 is fixed to); Aumasson
and Bernstein, "SipHash: a fast short-input PRF" (2012). All arithmetic is modulo 2**64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

Word = Any  # an integer below 2**64, or a `hash_code.CodeWord`
Reader: TypeAlias = Callable[[Word], Word]  # the word that starts at a byte
State = Any  # the words that blocks of a string change

MASK = (1 << 64) - 1
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F
MURMUR = 0xC6A4A7935BD1E995
MURMUR_SEED = 0xDECAFCAFFE


def murmur_start(size: Word) -> Word:
    return MURMUR_SEED ^ (size * MURMUR & MASK)


def murmur_block(result: Word, word: Word) -> Word:
    word = word * MURMUR & MASK
    word = (word ^ word >> 47) * MURMUR & MASK
    return (result ^ word) * MURMUR & MASK


def murmur_left(result: Word, last: Word) -> Word:
    """With what is left behind the whole words, if anything."""
    return (result ^ last) * MURMUR & MASK


def murmur_end(result: Word) -> Word:
    result = (result ^ result >> 47) * MURMUR & MASK
    return result ^ result >> 47


def sip_start(key: tuple[Word, Word]) -> State:
    k0, k1 = key[0] & MASK, key[1] & MASK
    return (
        k0 ^ 0x736F6D6570736575,
        k1 ^ 0x646F72616E646F6D,
        k0 ^ 0x6C7967656E657261,
        k1 ^ 0x7465646279746573,
    )


def sip_block(state: State, word: Word) -> State:
    a, b, c, d = state
    a, b, c, d = _sip_round(*_sip_round(a, b, c, d ^ word))
    return a ^ word, b, c, d


def sip_end(state: State) -> Word:
    a, b, c, d = state
    c = c ^ 0xFF
    for _ in range(4):
        a, b, c, d = _sip_round(a, b, c, d)
    return a ^ b ^ c ^ d


def _sip_round(a: Word, b: Word, c: Word, d: Word) -> tuple[Word, Word, Word, Word]:
    a = (a + b) & MASK
    c = (c + d) & MASK
    b = _left(b, 13) ^ a
    d = _left(d, 16) ^ c
    a = _left(a, 32)
    c = (c + b) & MASK
    a = (a + d) & MASK
    b = _left(b, 17) ^ c
    d = _left(d, 21) ^ a
    return a, b, _left(c, 32), d


def _left(value: Word, by: int) -> Word:
    return (value << by | value >> 64 - by) & MASK


def _right(value: Word, by: int) -> Word:
    value = value & MASK
    return (value >> by | value << 64 - by) & MASK


def _fold(value: Word) -> Word:
    value = value & MASK
    return value ^ value >> 47


def _mix(u: Word, v: Word, multiplier: Word) -> Word:
    a = _fold(((u ^ v) & MASK) * multiplier)
    return _fold(((v & MASK) ^ a) * multiplier) * multiplier & MASK


def _to_0(word: Reader, size: Word) -> Word:
    return _K2


def _to_3(word: Reader, size: Word) -> Word:
    y = (word(0) & 0xFF) + ((word(size >> 1) & 0xFF) << 8)
    z = size + ((word(size - 1) & 0xFF) << 2)
    return _fold(y * _K2 ^ z * _K0) * _K2 & MASK


def _to_7(word: Reader, size: Word) -> Word:
    first, last = word(0) & 0xFFFFFFFF, word(size - 4) & 0xFFFFFFFF
    return _mix(size + (first << 3), last, _multiplier(size))


def _to_16(word: Reader, size: Word) -> Word:
    multiplier = _multiplier(size)
    a, b = (word(0) + _K2) & MASK, word(size - 8)
    c = _right(b, 37) * multiplier + a
    d = (_right(a, 25) + b) * multiplier
    return _mix(c, d, multiplier)


def _to_32(word: Reader, size: Word) -> Word:
    multiplier = _multiplier(size)
    a, b = word(0) * _K1 & MASK, word(8)
    c, d = word(size - 8) * multiplier, word(size - 16) * _K2
    u = _right(a + b, 43) + _right(c, 30) + d
    return _mix(u, a + _right(b + _K2, 18) + c, multiplier)


def _to_64(word: Reader, size: Word) -> Word:
    multiplier = _multiplier(size)
    a, b = word(0) * _K2 & MASK, word(8)
    c, d = word(size - 8) * multiplier, word(size - 16) * _K2
    y = _right(a + b, 43) + _right(c, 30) + d
    z = _mix(y, a + _right(b + _K2, 18) + c, multiplier)
    e, f = word(16) * multiplier & MASK, word(24)
    g = (y + word(size - 32)) * multiplier
    h = (z + word(size - 24)) * multiplier
    u = _right(e + f, 43) + _right(g, 30) + h
    return _mix(u, e + _right(f + a, 18) + g, multiplier)


SIZES = (0, 3, 7, 16, 32, 64)  # the longest string of each formula
SHORT = (_to_0, _to_3, _to_7, _to_16, _to_32, _to_64)


def _multiplier(size: Word) -> Word:
    return (_K2 + size * 2) & MASK


# Longer strings: 64 bytes a step, and the last 64 bytes once more. The state is x, y, z, v and w,
# of which v and w are pairs.


def farm_start(word: Reader) -> State:
    x, y = 81, (81 * _K1 + 113) & MASK
    z = _fold(y * _K2 + 113) * _K2 & MASK
    return ((x * _K2 & MASK) + word(0)) & MASK, y, z, 0, 0, 0, 0


def farm_blocks(size: Word) -> Word:
    return (size - 1) // 64


def farm_block(
    state: State, word: Reader, place: Word, multiplier: Word = _K1, factor: int = 1
) -> State:
    """The state after 64 bytes; the last block of a string has a multiplier and a factor."""
    x, y, z, v0, v1, w0, w1 = state
    x = _right(x + y + v0 + word(place + 8), 37) * multiplier
    y = _right(y + v1 + word(place + 48), 42) * multiplier
    x = (x ^ w1 * factor) & MASK
    y = (y + v0 * factor + word(place + 40)) & MASK
    z = _right(z + w0, 33) * multiplier & MASK
    v = _weak(word, place, v1 * multiplier, x + w0)
    w = _weak(word, place + 32, z + w1, y + word(place + 16))
    return z, y, x, *v, *w


def farm_end(state: State, word: Reader, size: Word) -> Word:
    x, y, z, v0, v1, w0, w1 = state
    multiplier = (_K1 + ((z & 0xFF) << 1)) & MASK
    w0 = w0 + (size - 1 & 63)
    v0 = v0 + w0
    w0 = w0 + v0
    x, y, z, v0, v1, w0, w1 = farm_block((x, y, z, v0, v1, w0, w1), word, size - 64, multiplier, 9)
    first = _mix(v0, w0, multiplier) + _fold(y) * _K0 + z
    return _mix(first, _mix(v1, w1, multiplier) + x, multiplier)


def _weak(word: Reader, place: Word, a: Word, b: Word) -> tuple[Word, Word]:
    """Two words from 32 bytes and two seeds."""
    last = word(place + 24)
    a = (a + word(place)) & MASK
    b = _right(b + a + last, 21)
    c = a
    a = a + word(place + 8) + word(place + 16)
    b += _right(a, 44)
    return (a + last) & MASK, (b + c) & MASK
