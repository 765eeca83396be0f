"""The random words behind shuffling, sampling and random datasets: those of TensorFlow."""

from __future__ import annotations

import numpy as np

from graphwright.base.forks import own_lock
from graphwright.data.dataset_value import int64
from graphwright.ir.known import known
from graphwright.ops.core.casting import cast
from graphwright.ops.random import philox
from graphwright.ops.random.seeds import anywhere, seeds_for
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike
from graphwright.types.arrays import Array
from graphwright.values.tensor import Tensor

#: So many words are computed ahead at most.
_AHEAD = 4096


def seed_numbers(seed: TensorLike | None) -> list[Tensor]:
    """The two seeds of a stage; a seed may be a tensor of a function that is being traced."""
    if isinstance(seed, SymbolicTensor):
        value = known(seed._value)
        if value is None:
            return [int64(seeds_for(1)[0]), cast(seed, dt.int64)]
        seed = int(value)
    if isinstance(seed, (float, str)):
        raise TypeError(f"Cannot convert {seed!r} to a seed: an int64 scalar is wanted")
    return [int64(number) for number in seeds_for(seed)]


class RandomWords:
    """The 32-bit words of TensorFlow's generator for two seeds, one by one."""

    def __init__(self, seed: int, seed2: int, drawn: int = 0) -> None:
        self.seed, self.seed2 = seed, seed2
        self.drawn = drawn
        #: Words that are computed, and which word of all is the first of them.
        self.ahead: Array = np.empty(0, np.int64)
        self.start = drawn

    def take(self, count: int) -> Array:
        """The next words, as int64."""
        place = self.drawn - self.start
        if not 0 <= place <= len(self.ahead) - count:
            self.compute(max(count, min(2 * len(self.ahead), _AHEAD)))
            place = self.drawn - self.start
        self.drawn += count
        return self.ahead[place : place + count]

    def compute(self, count: int) -> None:
        """Computes so many words from the next one on, and perhaps some before it."""
        first, offset = divmod(self.drawn, philox.WORDS)
        blocks = -(-(offset + count) // philox.WORDS)
        mask = (1 << 64) - 1
        counter = ((self.seed2 & mask) << 64) + first
        self.ahead = philox.blocks(self.seed & mask, counter, blocks).ravel().astype(np.int64)
        self.start = first * philox.WORDS


class SeedGenerator:
    """The seeds of each round of a shuffled dataset."""

    def __init__(self, seed: int, seed2: int, is_fixed: bool) -> None:
        self.seeds = (seed, seed2) if seed or seed2 else anywhere()
        self.is_fixed = is_fixed
        self.words = RandomWords(*self.seeds)
        self.lock = own_lock(self)

    def next_seeds(self) -> tuple[int, int]:
        """The seeds of another round."""
        if self.is_fixed:
            return self.seeds
        with self.lock:
            seed, seed2 = self.words.take(2).tolist()
        return seed, seed2
