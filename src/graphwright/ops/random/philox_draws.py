"""Uniform and normal numbers from Philox words: the numbers that TensorFlow draws on CPUs.

Every sampler here is a pure function of a key, a counter (Python ints, see `philox`) and a count of
outputs. The key and the counter come from `scramble` (stateless ops), `key_counter` (stateful ops
with two seeds) or `unpack` (the state of a `Generator`). Words become floats by filling the
mantissa of a number in [1, 2); normals come from the Box-Muller transform (Box, Muller 1958).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from graphwright.ops.random import philox
from graphwright.ops.random.shuffling import permutation
from graphwright.types.arrays import Array, ArrayDType

RESERVED = 256  # counters that a stateful draw reserves for each output
TRUNCATION = 2.0  # standard deviations that a truncated normal keeps

_MASK64 = (1 << 64) - 1
_MANTISSA_BITS = {"float16": 10, "bfloat16": 7, "float32": 23}
_MAX_SEED = 2**31 - 1
_DEFAULT_SEED = 87654321  # the global seed that an op seed alone goes with
SCRAMBLE_KEY = 0x02461E293EC8F720
SMALLEST_UNIFORM = 1.0e-7  # keeps the logarithm of Box-Muller finite


def scramble(seed: tuple[int, int]) -> tuple[int, int]:
    """The (key, counter) of a stateless op's seeds; signed ones count as their bit patterns."""
    counter = seed[0] & _MASK64 | (seed[1] & _MASK64) << 64
    low, high = philox.blocks(SCRAMBLE_KEY, counter, 1).view(np.uint64)[0].tolist()
    return low, high << 64


def key_counter(seed: int, seed2: int) -> tuple[int, int]:
    """The (key, counter) from which a stateful op with these two seeds starts."""
    return seed & _MASK64, (seed2 & _MASK64) << 64


def seed_pair(global_seed: int | None, op_seed: int | None) -> tuple[int, int] | None:
    """The two seeds of a stateful op from the global one and its own; None if both are absent.

    In eager mode an op without seed under a global one takes the next of `operation_seeds`.
    """
    if global_seed is None and op_seed is None:
        return None
    first = _DEFAULT_SEED if global_seed is None else global_seed % _MAX_SEED
    second = (op_seed or 0) % _MAX_SEED
    return (first, second) if first or second else (0, _MAX_SEED)


def operation_seeds(global_seed: int) -> Iterator[int]:
    """The seeds that eager ops without one take in turn after `set_seed(global_seed)`."""
    source = random.Random(global_seed)
    while True:
        yield source.randint(0, _MAX_SEED)


def unforeseen() -> int:
    """64 bits that nobody can predict."""
    return random.SystemRandom().getrandbits(64)


def unpack(state: npt.NDArray[np.int64]) -> tuple[int, int]:
    """The (key, counter) in a generator's state: first the counter's 64-bit words, last the key."""
    words = state.view(np.uint64).tolist()
    return words[-1], sum(word << 64 * place for place, word in enumerate(words[:-1]))


def skip(state: npt.NDArray[np.int64], outputs: int) -> npt.NDArray[np.int64]:
    """A generator's state after drawing that many outputs."""
    key, counter = unpack(state)
    counter += outputs * RESERVED
    words = [counter >> 64 * place & _MASK64 for place in range(state.size - 1)]
    return np.array([*words, key], np.uint64).view(np.int64)


def seed_state(seed: int | Sequence[int], size: int) -> npt.NDArray[np.int64]:
    """A generator's state of `size` words: an integer's low words, or zeros before a list's."""
    if isinstance(seed, int):
        words = [seed >> 64 * place & _MASK64 for place in range(size)]
    else:
        words = [word & _MASK64 for word in seed[:size]]
    return np.array([0] * (size - len(words)) + words, np.uint64).view(np.int64)


def uniform(key: int, counter: int, count: int, dtype: npt.DTypeLike) -> Array:
    """`count` floats of `dtype` in [0, 1)."""
    dtype = np.dtype(dtype)
    if dtype == np.float64:
        return unit_doubles(_words(key, counter, 2 * count).reshape(count, 2))
    return unit_floats(_words(key, counter, count), dtype)


def full_range(key: int, counter: int, count: int, dtype: npt.DTypeLike) -> Array:
    """`count` integers of `dtype` (32 or 64 bits), all values equally likely."""
    dtype = np.dtype(dtype)
    return _words(key, counter, count * dtype.itemsize // 4).view(dtype)


def integers(
    key: int, counter: int, count: int, low: int, high: int, dtype: npt.DTypeLike
) -> Array:
    """`count` integers of `dtype` in [low, high) by remainder, with TensorFlow's slight bias."""
    dtype = np.dtype(dtype)
    unsigned = np.dtype(f"u{dtype.itemsize}")
    drawn = full_range(key, counter, count, unsigned)
    drawn %= unsigned.type(high - low)
    drawn += np.asarray(low, dtype).view(unsigned)
    return drawn.view(dtype)


def normal(key: int, counter: int, count: int, dtype: npt.DTypeLike) -> Array:
    """`count` standard normals of `dtype`."""
    dtype = np.dtype(dtype)
    blocks = -(-count * _words_a_normal(dtype) // philox.WORDS)
    drawn = box_muller(philox.blocks(key, counter, blocks), dtype)
    return drawn.reshape(-1)[:count].astype(dtype, copy=False)


def truncated_normal(key: int, counter: int, count: int, dtype: npt.DTypeLike) -> Array:
    """`count` standard normals of `dtype` with magnitude below 2, others drawn again.

    Each group of outputs, as many as a block gives normals, has a stream of its own. The streams of
    two groups are as far apart as if each output reserved 256 words.
    """
    dtype = np.dtype(dtype)
    size = philox.WORDS // _words_a_normal(dtype)
    groups = -(-count // size)
    stride = np.uint64(size * RESERVED // philox.WORDS)
    offsets = np.arange(groups, dtype=np.uint64) * stride
    result = box_muller(philox.blocks_at(key, *philox.counters(counter, offsets)), dtype)
    active = np.flatnonzero((np.abs(result) >= TRUNCATION).any(axis=1))
    filled = np.zeros(groups, np.intp)
    while active.size:
        words = philox.blocks_at(key, *philox.counters(counter, offsets[active]))
        drawn = box_muller(words, dtype)
        accepted = np.abs(drawn) < TRUNCATION
        slot = filled[active, None] + np.cumsum(accepted, axis=1) - 1
        accepted &= slot < size
        row, column = np.nonzero(accepted)
        result[active[row], slot[row, column]] = drawn[row, column]
        filled[active] += accepted.sum(axis=1)
        offsets[active] += np.uint64(1)
        active = active[filled[active] < size]
    return result.reshape(-1)[:count].astype(dtype, copy=False)


def shuffle(key: int, counter: int, count: int) -> npt.NDArray[np.int64]:
    """A permutation of `range(count)`, by Fisher and Yates: which old row each new row takes."""
    left = np.arange(count, 1, -1, dtype=np.uint32)
    steps = _words(key, counter, max(count - 1, 0)) % left
    return permutation(steps.astype(np.int64))[:count]


def shuffle_reserve(count: int) -> int:
    """How many counters a stateful shuffle takes; other draws here take RESERVED an output."""
    return -(-max(count - 1, 0) // philox.WORDS)


def _words(key: int, counter: int, count: int) -> philox.UInt32s:
    return philox.blocks(key, counter, -(-count // philox.WORDS)).reshape(-1)[:count]


def unit_floats(words: philox.UInt32s, dtype: ArrayDType) -> Array:
    """[0, 1) from the low mantissa bits of each word."""
    mantissa = _MANTISSA_BITS[dtype.name]
    bits = np.dtype(f"u{dtype.itemsize}")
    one = np.ones((), dtype).view(bits)
    unit: Array = ((words & np.uint32((1 << mantissa) - 1)).astype(bits) | one).view(dtype)
    unit -= dtype.type(1)
    return unit


def unit_doubles(pairs: philox.UInt32s) -> npt.NDArray[np.float64]:
    """[0, 1) from word pairs [n, 2]: 20 bits of the first above the 32 of the second."""
    both = pairs.view(np.uint64)[:, 0]
    bits = both << np.uint64(32)
    bits &= np.uint64(0xFFFFF << 32)
    bits |= both >> np.uint64(32)
    bits |= np.uint64(0x3FF << 52)
    unit: npt.NDArray[np.float64] = bits.view(np.float64)
    unit -= 1.0
    return unit


def _words_a_normal(dtype: ArrayDType) -> int:
    return 2 if dtype == np.float64 else 1


def box_muller(words: philox.UInt32s, dtype: npt.DTypeLike) -> Array:
    """Normals of blocks of words [n, 4]: four float32 each, or two float64 for that dtype.

    Sines stand in the even places, cosines in the odd ones. Below float64 the transform works in
    float32; its functions are taken in float64 and rounded, which is within an ulp of any good
    float32 library.
    """
    if dtype == np.float64:
        unit = unit_doubles(words.reshape(-1, 2)).reshape(-1, 2)
        radius = np.sqrt(-2.0 * np.log(np.maximum(unit[:, 0], SMALLEST_UNIFORM)))
        angle = 2.0 * np.pi * unit[:, 1]
        return np.stack([np.sin(angle) * radius, np.cos(angle) * radius], axis=1)
    single = np.float32
    unit = unit_floats(words.reshape(-1), np.dtype(single)).reshape(-1, 2)
    clamped = np.maximum(unit[:, 0], single(SMALLEST_UNIFORM))
    logarithm = np.log(clamped, dtype=np.float64).astype(single)
    radius = np.sqrt(single(-2.0) * logarithm)
    angle = (2.0 * np.pi * unit[:, 1].astype(np.float64)).astype(single).astype(np.float64)
    turns = np.stack([np.sin(angle), np.cos(angle)], axis=1).astype(single)
    drawn: Array = turns * radius[:, None]
    return drawn.reshape(-1, philox.WORDS)
