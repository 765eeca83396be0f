"""Hashes of byte strings that mean the same everywhere.

`hash_formulas` has the formulas. The singular functions hash one string. The plural ones hash an
array of them, by machine code where that is worth it.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Callable
from functools import partial

import numpy as np

from graphwright.ops.strings import string_code
from graphwright.ops.strings.hash_formulas import (
    SHORT,
    SIZES,
    farm_block,
    farm_blocks,
    farm_end,
    farm_start,
    murmur_block,
    murmur_end,
    murmur_left,
    murmur_start,
    sip_block,
    sip_end,
    sip_start,
)
from graphwright.ops.strings.string_code import Numbers
from graphwright.types.arrays import Array

_FEW = 1 << 10  # more strings are not looked at to know what their hashes cost

#: Bytes, and 64 for each string, from which on machine code is made, and from which on it is waited
#: for: Python takes 0.1 us for each.
_WORTH, _WORTH_WAITING = 1 << 12, 1 << 20


def fingerprint64(text: bytes) -> int:
    """FarmHash's fingerprint."""
    size, word = len(text), partial(_word, text)
    if size <= SIZES[-1]:
        result: int = SHORT[bisect_left(SIZES, size)](word, size)
        return result
    state = farm_start(word)
    for place in range(0, farm_blocks(size) * 64, 64):
        state = farm_block(state, word, place)
    result = farm_end(state, word, size)
    return result


def fingerprints64(strings: Array) -> Numbers:
    """FarmHash's fingerprint of each string."""
    return _hashes("farm", fingerprint64, strings)


def hash64(text: bytes) -> int:
    """MurmurHash64A (Appleby, 2008)."""
    result = murmur_start(len(text))
    whole = len(text) & ~7
    for (word,) in struct.iter_unpack("<Q", text[:whole]):
        result = murmur_block(result, word)
    if len(text) > whole:
        result = murmur_left(result, int.from_bytes(text[whole:], "little"))
    mixed: int = murmur_end(result)
    return mixed


def hashes64(strings: Array) -> Numbers:
    """MurmurHash64A of each string."""
    return _hashes("murmur", hash64, strings)


def siphash(key: tuple[int, int], text: bytes) -> int:
    """SipHash-2-4 under a key of two 64-bit words."""
    state = sip_start(key)
    tail = len(text) % 8
    padded = text + bytes(7 - tail) + bytes([len(text) & 0xFF])
    for (word,) in struct.iter_unpack("<Q", padded):
        state = sip_block(state, word)
    result: int = sip_end(state)
    return result


def siphashes(key: tuple[int, int], strings: Array) -> Numbers:
    """SipHash-2-4 of each string under a key of two 64-bit words."""
    return _hashes("sip", partial(siphash, key), strings, key)


def _hashes(
    name: str, one: Callable[[bytes], int], strings: Array, key: tuple[int, int] = (0, 0)
) -> Numbers:
    """The hashes of an array of strings: by machine code, or one by one."""
    work = 64 * strings.size
    if strings.size < _FEW and not string_code.PREPARATION.is_done:
        work += sum(map(len, strings.flat))
    hashes = string_code.numbers(name, strings, work, _WORTH, _WORTH_WAITING, key)
    if hashes is None:
        hashes = np.fromiter(map(one, strings.flat), np.uint64, strings.size)
    return hashes.reshape(strings.shape)


def _word(text: bytes, place: int) -> int:
    return int.from_bytes(text[place : place + 8], "little")
