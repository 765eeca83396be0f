"""Simon, a block cipher of any even width, and the shuffles of a range that it gives.

Source: Beaulieu, Shors, Smith, Treatman-Clark, Weeks, Wingers, "The Simon and Speck Families of
Lightweight Block Ciphers" (2013), section 3, with three key words. Enciphering until the result is
in a range shuffles the range (Black and Rogaway, "Ciphers with Arbitrary Finite Domains", 2002).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from graphwright.types.arrays import Array

#: Words of the cipher: one, or many at once.
Words = TypeVar("Words", int, Array)
_LEAST_WIDTH = 16
_SMALL = 1 << 10  # ranges that end before this are shuffled whole, since their walks are long
_ROUND_CONSTANTS = 0x7369F885192C0EF5  # the bits of z3, the first the least
_BASE = 0xFFFFFFFC


def rotated(x: Words, by: int, width: int) -> Words:
    """The words of so many bits, rotated to the left."""
    mask = (1 << width) - 1
    return ((x << by) | (x >> (width - by))) & mask


def round_keys(key: Sequence[int], rounds: int, width: int) -> list[int]:
    """One key for each round: the key words, then what follows from them."""
    mask = (1 << width) - 1
    keys = [word & mask for word in key[:rounds]]
    constants = _ROUND_CONSTANTS
    for i in range(3, rounds):
        turned = rotated(keys[-1], width - 3, width) ^ rotated(keys[-1], width - 4, width)
        keys.append((_BASE ^ (constants & 1) ^ keys[i - 3] ^ turned) & mask)
        constants >>= 1
    return keys


def encipher(x: Array, keys: Sequence[int], width: int) -> Array:
    """Blocks of two words of so many bits under the keys of an even number of rounds."""

    def mixed(word: Array) -> Array:
        both: Array = rotated(word, 1, width) & rotated(word, 8 % width, width)
        return both ^ rotated(word, 2, width)

    left, right = x >> width, x & ((1 << width) - 1)
    for first, second in zip(keys[::2], keys[1::2]):
        left = left ^ mixed(right) ^ first
        right = right ^ mixed(left) ^ second
    return left << width | right


def shuffled(index: Array | int, key: Sequence[int], last: int, rounds: int) -> Any:
    """The place of each index in the shuffle of 0..last that a key of three words selects."""
    if last < _SMALL:
        return small_shuffle(tuple(key), last, rounds)[index]
    bits = max(_LEAST_WIDTH, (last - 1).bit_length())
    width = (bits + 1) // 2
    keys = round_keys(key, rounds, width)
    result = np.asarray(encipher(np.asarray(index, np.uint64), keys, width))
    places = result.reshape(-1)
    outside = np.flatnonzero(places > last)
    while outside.size:
        again = encipher(places[outside], keys, width)
        places[outside] = again
        outside = outside[again > last]
    return result


@lru_cache(maxsize=256)
def small_shuffle(key: tuple[int, ...], last: int, rounds: int) -> Array:
    """The shuffle of 0..last, from all the blocks there are.

    The walk of each block into the range doubles its stride at each step.
    """
    width = _LEAST_WIDTH // 2
    blocks = np.arange(1 << _LEAST_WIDTH, dtype=np.uint16)
    onward = encipher(blocks, round_keys(key, rounds, width), width).astype(np.intp)
    places = onward[: last + 1].copy()
    onward[: last + 1] = blocks[: last + 1]
    while (places > last).any():
        places = onward[places]
        onward = onward[onward]
    shuffle: Array = places.astype(np.uint64)
    return shuffle
