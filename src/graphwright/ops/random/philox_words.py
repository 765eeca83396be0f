"""Philox in expansions: random numbers of a key and a counter by integer arithmetic on tensors.

The numbers are the kernels', bit by bit, except for what elementary functions make of them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply
from graphwright.ops.core.casting import cast
from graphwright.ops.core.joining import stack
from graphwright.ops.core.movement import expand_dims, reshape
from graphwright.ops.core.own_ops import Reinterpreted
from graphwright.ops.core.sequences import range as steps
from graphwright.ops.math.arithmetic import maximum
from graphwright.ops.math.bitwise import (
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    left_shift,
    right_shift,
)
from graphwright.ops.math.transcendental import log, sqrt
from graphwright.ops.math.trigonometric import cos, sin
from graphwright.ops.random.philox import WORDS, encipher
from graphwright.ops.random.philox_draws import SCRAMBLE_KEY, SMALLEST_UNIFORM
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType

#: The bits of 1 as a float32.
ONE = np.uint32(0x3F800000)


class CipherWord:
    """A tensor of uint64 with the operators that the cipher is made of."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __and__(self, other: int) -> CipherWord:
        return CipherWord(bitwise_and(self.x, np.uint64(other)))

    def __xor__(self, other: Any) -> CipherWord:
        other = other.x if isinstance(other, CipherWord) else np.uint64(other)
        return CipherWord(bitwise_xor(self.x, other))

    def __rshift__(self, bits: int) -> CipherWord:
        return CipherWord(right_shift(self.x, np.uint64(bits)))

    def __mul__(self, factor: int) -> CipherWord:
        return CipherWord(self.x * np.uint64(factor))

    def __add__(self, term: int) -> CipherWord:
        return CipherWord(self.x + np.uint64(term))


def joined(low: GraphTensor, high: GraphTensor) -> Any:
    """Two words of 32 bits as one of 64."""
    return bitwise_or(low, left_shift(high, np.uint64(32)))


def key_and_counter(seed: GraphTensor) -> Any:
    """The seed, enciphered. What it was packed of is no tensor, but may be a size."""
    entries = (seed[0], seed[1]) if seed.parts is None else seed.parts
    key, counter = scrambled(*entries)
    return expand_dims(key, 0), stack([counter * np.uint64(0), counter])


def key_and_counter_of_rows(seeds: GraphTensor) -> Any:
    """The same for each row of seeds."""
    key, counter = scrambled(seeds[:, 0], seeds[:, 1])
    return expand_dims(key, 1), stack([counter * np.uint64(0), counter], axis=1)


def scrambled(first: GraphTensor, second: GraphTensor) -> tuple[Any, Any]:
    """Two numbers of seeds, enciphered: the words of keys, and the upper ones of counters."""
    low, high = [apply(Reinterpreted.of(dt.uint64), cast(x, dt.int64)) for x in (first, second)]
    words = [w.x for w in encipher(SCRAMBLE_KEY, CipherWord(low), CipherWord(high))]
    return joined(*words[:2]), joined(*words[2:])


def words_of(key: GraphTensor, counter: GraphTensor, count: int) -> Any:
    """Words of 32 bits, as uint64 of shape [blocks, 4], behind the axis of rows if there is one."""
    if key.shape.rank == 1:
        start, base, above = key[0], counter[0], counter[1]
    else:
        start, base, above = key, counter[:, :1], counter[:, 1:]
    low = base + cast(steps(-(-count // WORDS)), dt.uint64)
    high = above + cast(low < base, dt.uint64)
    words = encipher(CipherWord(start), CipherWord(low), CipherWord(high))
    return stack([w.x for w in words], axis=-1)


def units_of(key: GraphTensor, counter: GraphTensor, dims: tuple[int, ...], dtype: DType) -> Any:
    """Numbers in [0, 1), at least as many as a shape takes: the bits of words behind the point.

    Keys and counters of rows give such numbers for each row.
    """
    words = words_of(key, counter, math.prod(dims) * dtype.size // 4)
    if dtype is dt.float32:
        bits = bitwise_or(bitwise_and(cast(words, dt.uint32), np.uint32(0x7FFFFF)), ONE)
        return apply(Reinterpreted.of(dtype), bits) - np.float32(1)
    first, second = words[..., ::2], words[..., 1::2]
    high = bitwise_or(bitwise_and(first, np.uint64(0xFFFFF)), np.uint64(0x3FF00000))
    return apply(Reinterpreted.of(dtype), joined(second, high)) - np.float64(1)


def normals_of(units: GraphTensor) -> Any:
    """Box and Muller's transform; its functions in float64, as the kernel has them."""
    dtype, wide = units.dtype, dt.float64
    one, two = units[..., ::2], units[..., 1::2]
    least = maximum(one, cast(SMALLEST_UNIFORM, dtype))
    radius = sqrt(cast(log(cast(least, wide)), dtype) * cast(-2.0, dtype))
    angle = cast(cast(cast(two, wide) * (2.0 * math.pi), dtype), wide)
    turns = stack([cast(sin(angle), dtype), cast(cos(angle), dtype)], axis=-1)
    return turns * expand_dims(radius, -1)


def shaped(x: GraphTensor, dims: tuple[int, ...]) -> Any:
    """As many of the elements as a shape takes."""
    return reshape(reshape(x, [-1])[: math.prod(dims)], list(dims))


def shaped_rows(x: GraphTensor, dims: tuple[int, ...]) -> Any:
    """The same of each row, of which it takes one element or more."""
    width = math.prod([x.shape[i] for i in range(1, x.shape.rank)])
    return reshape(reshape(x, [-1, width])[:, : math.prod(dims)], [-1, *dims])
