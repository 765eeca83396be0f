"""Rules of random numbers that follow from a key and a counter: Philox as integer arithmetic.

The numbers are the kernels', bit by bit, but for what elementary functions make of them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from graphwright.op.interpreter import apply
from graphwright.op.op import Op
from graphwright.ops.core.casting import cast
from graphwright.ops.core.joining import Pack, stack
from graphwright.ops.core.movement import expand_dims, reshape
from graphwright.ops.core.own_ops import Reinterpreted
from graphwright.ops.core.rule_words import Rule, host
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
from graphwright.ops.random.stateless_random import (
    Algorithm,
    StatelessRandomGetKeyCounter,
    StatelessRandomNormalV2,
    StatelessRandomUniformV2,
)
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.types import dtypes as dt

_FLOATS = (dt.float32, dt.float64)


class Word:
    """A tensor of uint64 with the operators that the cipher is made of."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __and__(self, other: int) -> Word:
        return Word(bitwise_and(self.x, np.uint64(other)))

    def __xor__(self, other: Any) -> Word:
        other = other.x if isinstance(other, Word) else np.uint64(other)
        return Word(bitwise_xor(self.x, other))

    def __rshift__(self, bits: int) -> Word:
        return Word(right_shift(self.x, np.uint64(bits)))

    def __mul__(self, factor: int) -> Word:
        return Word(self.x * np.uint64(factor))

    def __add__(self, term: int) -> Word:
        return Word(self.x + np.uint64(term))


def joined(low: Any, high: Any) -> Any:
    """Two words of 32 bits as one of 64."""
    return bitwise_or(low, left_shift(high, np.uint64(32)))


def key_of_seed(op: Op, seed: Any) -> Any:
    """The seed, enciphered"""
    low, high = [apply(Reinterpreted.of(dt.uint64), cast(x, dt.int64)) for x in entries(seed)]
    found = [w.x for w in encipher(SCRAMBLE_KEY, Word(low), Word(high))]
    key, counter = joined(*found[:2]), joined(*found[2:])
    return expand_dims(key, 0), stack([counter * np.uint64(0), counter])


def entries(seed: Any) -> Any:
    """The two numbers of a seed: what it was packed of is no tensor, but may be a size."""
    value = seed._value
    if not isinstance(value.node.op, Pack):
        return seed[0], seed[1]
    return [SymbolicTensor(v, seed.graph) for v in value.node.inputs]


def words_of(key: Any, counter: Any, count: int) -> Any:
    """Words of 32 bits, as uint64 of shape [blocks, 4]."""
    base = counter[0]
    low = base + cast(steps(-(-count // WORDS)), dt.uint64)
    high = counter[1] + cast(low < base, dt.uint64)
    return stack([w.x for w in encipher(Word(key[0]), Word(low), Word(high))], axis=1)


def drawn(op: Any, shape: Any, alg: Any) -> tuple[int, ...] | None:
    """The shape of what is drawn, if there is a native form."""
    dims = host(shape)
    philox = host(alg) not in (None, Algorithm.THREEFRY.value)
    return dims if philox and isinstance(dims, tuple) and op.dtype in _FLOATS else None


def unit(words: Any, dtype: Any) -> Any:
    """[0, 1) of words of shape [n, 4]: of each, or of each two"""
    if dtype is dt.float32:
        bits = bitwise_or(bitwise_and(cast(words, dt.uint32), np.uint32(0x7FFFFF)), ONE)
        return apply(Reinterpreted.of(dtype), bits) - np.float32(1)
    first, second = words[:, ::2], words[:, 1::2]
    high = bitwise_or(bitwise_and(first, np.uint64(0xFFFFF)), np.uint64(0x3FF00000))
    return apply(Reinterpreted.of(dtype), joined(second, high)) - np.float64(1)


#: The bits of 1 as a float32.
ONE = np.uint32(0x3F800000)


def shaped(x: Any, dims: tuple[int, ...]) -> Any:
    """As many of the elements as a shape takes"""
    return reshape(reshape(x, [-1])[: math.prod(dims)], list(dims))


def uniform(op: Any, shape: Any, key: Any, counter: Any, alg: Any) -> Any:
    """The bits of words as those behind the point"""
    dims = drawn(op, shape, alg)
    if dims is None:
        return None
    count = math.prod(dims) * op.dtype.size // 4
    return shaped(unit(words_of(key, counter, count), op.dtype), dims)


def normal(op: Any, shape: Any, key: Any, counter: Any, alg: Any) -> Any:
    """Box and Muller's transform; its functions in float64, as the kernel has them"""
    dims = drawn(op, shape, alg)
    if dims is None:
        return None
    dtype, wide = op.dtype, dt.float64
    numbers = unit(words_of(key, counter, math.prod(dims) * dtype.size // 4), dtype)
    one, two = numbers[:, ::2], numbers[:, 1::2]
    least = maximum(one, cast(SMALLEST_UNIFORM, dtype))
    radius = sqrt(cast(log(cast(least, wide)), dtype) * cast(-2.0, dtype))
    angle = cast(cast(cast(two, wide) * (2.0 * math.pi), dtype), wide)
    turns = stack([cast(sin(angle), dtype), cast(cos(angle), dtype)], axis=-1)
    return shaped(turns * expand_dims(radius, -1), dims)


RULES: dict[type[Op], Rule] = {
    StatelessRandomGetKeyCounter: key_of_seed,
    StatelessRandomNormalV2: normal,
    StatelessRandomUniformV2: uniform,
}
