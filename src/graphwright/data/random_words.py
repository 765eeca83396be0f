"""The random words behind shuffling, sampling and random datasets: those of TensorFlow."""

from __future__ import annotations

from graphwright.base.forks import own_lock
from graphwright.ops.random import philox
from graphwright.ops.random.seeds import anywhere


class RandomWords:
    """The 32-bit words of TensorFlow's generator for two seeds, one by one."""

    def __init__(self, seed: int, seed2: int, drawn: int = 0) -> None:
        self.seed, self.seed2 = seed, seed2
        self.drawn = drawn

    def take(self, count: int) -> list[int]:
        """The next words."""
        first, offset = divmod(self.drawn, philox.WORDS)
        blocks = -(-(offset + count) // philox.WORDS)
        mask = (1 << 64) - 1
        counter = ((self.seed2 & mask) << 64) + first
        words = philox.blocks(self.seed & mask, counter, blocks).ravel()
        self.drawn += count
        taken: list[int] = words[offset : offset + count].tolist()
        return taken


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
            seed, seed2 = self.words.take(2)
        return seed, seed2
