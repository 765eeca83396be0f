"""Hashes of byte strings that mean the same everywhere.

FarmHash's Fingerprint64, MurmurHash64A and SipHash-2-4.

Sources: Pike and Alakuijala, FarmHash (the "na" variant, which Fingerprint64 is fixed to); Aumasson
and Bernstein, "SipHash: a fast short-input PRF" (2012). All arithmetic is modulo 2**64.

Each formula is written once, for a `Word`: a Python integer, or an array of uint64 with an element
for each of many strings. The singular functions hash one string, the plural ones many.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from graphwright.ops.strings.joined_bytes import Joined

Word = Any  # an integer below 2**64, or an array of uint64
Reader: TypeAlias = Callable[[Word], Word]  # the word that starts at a byte
State = Any  # the words, or the rows of words, that blocks of a string change
Hashes = npt.NDArray[np.uint64]

_MASK = (1 << 64) - 1
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F
_MURMUR = 0xC6A4A7935BD1E995
_MURMUR_SEED = 0xDECAFCAFFE
_FEW = 32  # so many strings take about as long one by one as at once


def fingerprint64(text: bytes) -> int:
    """FarmHash's fingerprint."""
    size, word = len(text), partial(_word, text)
    if size <= _SIZES[-1]:
        result: int = _SHORT[bisect_left(_SIZES, size)](word, size)
        return result
    state = _farm_start(word)
    for place in range(0, _farm_blocks(size) * 64, 64):
        state = _farm_block(state, word, place)
    result = _farm_end(state, word, size)
    return result


def fingerprints64(texts: Sequence[bytes]) -> Hashes:
    """FarmHash's fingerprint of each string."""
    return _at_once(texts, fingerprint64, _fingerprints64)


def _fingerprints64(words: Hashes, starts: Hashes, sizes: Hashes) -> Hashes:
    result = np.empty(len(sizes), np.uint64)
    # The strings come longest first; those of one formula lie side by side.
    edges = len(sizes) - np.searchsorted(sizes[::-1], [-1, *_SIZES], "right")
    for formula, stop, start in zip(_SHORT, edges, edges[1:]):
        if start < stop:
            chosen = slice(start, stop)
            result[chosen] = formula(_reader(words, starts[chosen]), sizes[chosen])
    if long := int(edges[-1]):
        word, sizes = _reader(words, starts[:long]), sizes[:long]
        state: State = np.empty((7, long), np.uint64)
        for part, initial in zip(state, _farm_start(word)):
            part[:] = initial
        for block, running in enumerate(_running(_farm_blocks(sizes))):
            reader = _reader(words, starts[:running])
            state[:, :running] = _farm_block(state[:, :running], reader, 64 * block)
        result[:long] = _farm_end(state, word, sizes)
    return result


def hash64(text: bytes) -> int:
    """MurmurHash64A (Appleby, 2008)."""
    result = _MURMUR_SEED ^ (len(text) * _MURMUR & _MASK)
    whole = len(text) & ~7
    for (word,) in struct.iter_unpack("<Q", text[:whole]):
        result = _murmur_block(result, word)
    if len(text) > whole:
        result = _murmur_left(result, int.from_bytes(text[whole:], "little"))
    mixed: int = _murmur_end(result)
    return mixed


def hashes64(texts: Sequence[bytes]) -> Hashes:
    """MurmurHash64A of each string."""
    return _at_once(texts, hash64, _hashes64)


def _hashes64(words: Hashes, starts: Hashes, sizes: Hashes) -> Hashes:
    result: Word = _MURMUR_SEED ^ sizes * _MURMUR
    for block, running in enumerate(_running(sizes >> 3)):
        word = words[starts[:running] + 8 * block]
        result[:running] = _murmur_block(result[:running], word)
    left = _murmur_left(result, _last_word(words, starts, sizes))
    mixed: Hashes = _murmur_end(np.where(sizes & 7, left, result))
    return mixed


def _murmur_block(result: Word, word: Word) -> Word:
    word = word * _MURMUR & _MASK
    word = (word ^ word >> 47) * _MURMUR & _MASK
    return (result ^ word) * _MURMUR & _MASK


def _murmur_left(result: Word, last: Word) -> Word:
    """With what is left behind the whole words, if anything."""
    return (result ^ last) * _MURMUR & _MASK


def _murmur_end(result: Word) -> Word:
    result = (result ^ result >> 47) * _MURMUR & _MASK
    return result ^ result >> 47


def siphash(key: tuple[int, int], text: bytes) -> int:
    """SipHash-2-4 under a key of two 64-bit words."""
    state = _sip_start(key)
    tail = len(text) % 8
    padded = text + bytes(7 - tail) + bytes([len(text) & 0xFF])
    for (word,) in struct.iter_unpack("<Q", padded):
        state = _sip_block(state, word)
    result: int = _sip_end(state)
    return result


def siphashes(key: tuple[int, int], texts: Sequence[bytes]) -> Hashes:
    """SipHash-2-4 of each string under a key of two 64-bit words."""
    return _at_once(texts, partial(siphash, key), partial(_siphashes, key))


def _siphashes(key: tuple[int, int], words: Hashes, starts: Hashes, sizes: Hashes) -> Hashes:
    state: State = np.repeat(np.array(_sip_start(key), np.uint64)[:, None], len(sizes), 1)
    for block, running in enumerate(_running(sizes >> 3)):
        word = words[starts[:running] + 8 * block]
        state[:, :running] = _sip_block(state[:, :running], word)
    state = _sip_block(state, _last_word(words, starts, sizes) | sizes << 56)
    result: Hashes = _sip_end(state)
    return result


def _at_once(
    texts: Sequence[bytes],
    one: Callable[[bytes], int],
    many: Callable[[Hashes, Hashes, Hashes], Hashes],
) -> Hashes:
    """The hashes of many strings: `many` gets them longest first, as words, starts and sizes.

    A few that are longer than all others go one by one, since arrays over them would be short.
    """
    if len(texts) <= _FEW:
        return np.fromiter(map(one, texts), np.uint64, len(texts))
    joined = Joined(texts)
    order = np.argsort(-joined.sizes)
    alone = int(np.count_nonzero(joined.sizes > joined.sizes[order[_FEW]]))
    rest = order[alone:]
    result = np.empty(len(texts), np.uint64)
    for place in order[:alone].tolist():
        result[place] = one(texts[place])
    starts, sizes = joined.starts[rest], joined.sizes[rest]
    result[rest] = many(joined.words, starts.astype(np.uint64), sizes.astype(np.uint64))
    return result


def _running(counts: npt.NDArray[np.integer]) -> list[int]:
    """For each block, how many strings have one, where those with most come first."""
    blocks = np.arange(int(counts[0]))
    numbers: list[int] = (len(counts) - np.searchsorted(counts[::-1], blocks, "right")).tolist()
    return numbers


def _reader(words: Hashes, starts: Hashes) -> Reader:
    return lambda place: words[starts + place]


def _last_word(words: Hashes, starts: Hashes, sizes: Hashes) -> Hashes:
    """What is left behind the whole words of each string, followed by zeros."""
    left = sizes & 7
    result: Hashes = words[starts + (sizes - left)] & ((np.uint64(1) << left * 8) - 1)
    return result


def _sip_start(key: tuple[int, int]) -> tuple[int, int, int, int]:
    k0, k1 = key[0] & _MASK, key[1] & _MASK
    return (
        k0 ^ 0x736F6D6570736575,
        k1 ^ 0x646F72616E646F6D,
        k0 ^ 0x6C7967656E657261,
        k1 ^ 0x7465646279746573,
    )


def _sip_block(state: State, word: Word) -> State:
    a, b, c, d = state
    a, b, c, d = _sip_round(*_sip_round(a, b, c, d ^ word))
    return a ^ word, b, c, d


def _sip_end(state: State) -> Word:
    a, b, c, d = state
    c = c ^ 0xFF
    for _ in range(4):
        a, b, c, d = _sip_round(a, b, c, d)
    return a ^ b ^ c ^ d


def _sip_round(a: Word, b: Word, c: Word, d: Word) -> tuple[Word, Word, Word, Word]:
    a = (a + b) & _MASK
    c = (c + d) & _MASK
    b = _left(b, 13) ^ a
    d = _left(d, 16) ^ c
    a = _left(a, 32)
    c = (c + b) & _MASK
    a = (a + d) & _MASK
    b = _left(b, 17) ^ c
    d = _left(d, 21) ^ a
    return a, b, _left(c, 32), d


def _left(value: Word, by: int) -> Word:
    return (value << by | value >> 64 - by) & _MASK


def _right(value: Word, by: int) -> Word:
    value = value & _MASK
    return (value >> by | value << 64 - by) & _MASK


def _word(text: bytes, place: int) -> int:
    return int.from_bytes(text[place : place + 8], "little")


def _fold(value: Word) -> Word:
    value = value & _MASK
    return value ^ value >> 47


def _mix(u: Word, v: Word, multiplier: Word) -> Word:
    a = _fold(((u ^ v) & _MASK) * multiplier)
    return _fold(((v & _MASK) ^ a) * multiplier) * multiplier & _MASK


def _to_0(word: Reader, size: Word) -> Word:
    return _K2


def _to_3(word: Reader, size: Word) -> Word:
    y = (word(0) & 0xFF) + ((word(size >> 1) & 0xFF) << 8)
    z = size + ((word(size - 1) & 0xFF) << 2)
    return _fold(y * _K2 ^ z * _K0) * _K2 & _MASK


def _to_7(word: Reader, size: Word) -> Word:
    first, last = word(0) & 0xFFFFFFFF, word(size - 4) & 0xFFFFFFFF
    return _mix(size + (first << 3), last, _multiplier(size))


def _to_16(word: Reader, size: Word) -> Word:
    multiplier = _multiplier(size)
    a, b = (word(0) + _K2) & _MASK, word(size - 8)
    c = _right(b, 37) * multiplier + a
    d = (_right(a, 25) + b) * multiplier
    return _mix(c, d, multiplier)


def _to_32(word: Reader, size: Word) -> Word:
    multiplier = _multiplier(size)
    a, b = word(0) * _K1 & _MASK, word(8)
    c, d = word(size - 8) * multiplier, word(size - 16) * _K2
    u = _right(a + b, 43) + _right(c, 30) + d
    return _mix(u, a + _right(b + _K2, 18) + c, multiplier)


def _to_64(word: Reader, size: Word) -> Word:
    multiplier = _multiplier(size)
    a, b = word(0) * _K2 & _MASK, word(8)
    c, d = word(size - 8) * multiplier, word(size - 16) * _K2
    y = _right(a + b, 43) + _right(c, 30) + d
    z = _mix(y, a + _right(b + _K2, 18) + c, multiplier)
    e, f = word(16) * multiplier & _MASK, word(24)
    g = (y + word(size - 32)) * multiplier
    h = (z + word(size - 24)) * multiplier
    u = _right(e + f, 43) + _right(g, 30) + h
    return _mix(u, e + _right(f + a, 18) + g, multiplier)


_SIZES = (0, 3, 7, 16, 32, 64)  # the longest string of each formula
_SHORT = (_to_0, _to_3, _to_7, _to_16, _to_32, _to_64)


def _multiplier(size: Word) -> Word:
    return (_K2 + size * 2) & _MASK


# Longer strings: 64 bytes a step, and the last 64 bytes once more. The state is x, y, z, v and w,
# of which v and w are pairs.


def _farm_start(word: Reader) -> State:
    x, y = 81, (81 * _K1 + 113) & _MASK
    z = _fold(y * _K2 + 113) * _K2 & _MASK
    return ((x * _K2 & _MASK) + word(0)) & _MASK, y, z, 0, 0, 0, 0


def _farm_blocks(size: Word) -> Word:
    return (size - 1) // 64


def _farm_block(
    state: State, word: Reader, place: Word, multiplier: Word = _K1, factor: int = 1
) -> State:
    """The state after 64 bytes; the last block of a string has a multiplier and a factor."""
    x, y, z, v0, v1, w0, w1 = state
    x = _right(x + y + v0 + word(place + 8), 37) * multiplier
    y = _right(y + v1 + word(place + 48), 42) * multiplier
    x = (x ^ w1 * factor) & _MASK
    y = (y + v0 * factor + word(place + 40)) & _MASK
    z = _right(z + w0, 33) * multiplier & _MASK
    v = _weak(word, place, v1 * multiplier, x + w0)
    w = _weak(word, place + 32, z + w1, y + word(place + 16))
    return z, y, x, *v, *w


def _farm_end(state: State, word: Reader, size: Word) -> Word:
    x, y, z, v0, v1, w0, w1 = state
    multiplier = (_K1 + ((z & 0xFF) << 1)) & _MASK
    w0 = w0 + (size - 1 & 63)
    v0 = v0 + w0
    w0 = w0 + v0
    x, y, z, v0, v1, w0, w1 = _farm_block((x, y, z, v0, v1, w0, w1), word, size - 64, multiplier, 9)
    first = _mix(v0, w0, multiplier) + _fold(y) * _K0 + z
    return _mix(first, _mix(v1, w1, multiplier) + x, multiplier)


def _weak(word: Reader, place: Word, a: Word, b: Word) -> tuple[Word, Word]:
    """Two words from 32 bytes and two seeds."""
    last = word(place + 24)
    a = (a + word(place)) & _MASK
    b = _right(b + a + last, 21)
    c = a
    a = a + word(place + 8) + word(place + 16)
    b += _right(a, 44)
    return (a + last) & _MASK, (b + c) & _MASK
