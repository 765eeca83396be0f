"""Samplers of class ids, and the expected count of each id in a sample.

The ids are drawn one by one from a Philox stream, as TensorFlow draws them. In a sample without
repetitions, an id that is there already is drawn again.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

import numpy as np

from graphwright.ops.random.single_numbers import Numbers
from graphwright.types.arrays import Array


class ClassSampler(ABC):
    """A distribution over ids below a limit."""

    def __init__(self, limit: int) -> None:
        self.limit = limit

    @abstractmethod
    def draw(self, numbers: Numbers) -> int:
        """An id."""

    @abstractmethod
    def probability(self, ids: Array) -> Array:
        """How likely each id is to be drawn."""

    def learn(self, ids: Iterable[int]) -> None:  # noqa: B027 - most of them do not
        """Counts ids that occur in the data."""

    def sample(self, numbers: Numbers, count: int, unique: bool) -> tuple[Array, int]:
        """`count` ids, and the number of draws that they took."""
        if not unique:
            return np.array([self.draw(numbers) for _ in range(count)], np.int64), count
        chosen: dict[int, None] = {}
        tries = 0
        while len(chosen) < count:
            tries += 1
            chosen[self.draw(numbers)] = None
        return np.array(list(chosen), np.int64), tries

    def expected(self, ids: Array, count: int, tries: int) -> Array:
        """The expected count of each id in such a sample."""
        p = self.probability(ids.astype(np.float64))
        counts = p * count if tries == count else -np.expm1(tries * np.log1p(-p))
        return counts.astype(np.float32)


class Uniform(ClassSampler):
    """Each id is as likely as any other."""

    def draw(self, numbers: Numbers) -> int:
        return numbers.below_wide(self.limit)

    def probability(self, ids: Array) -> Array:
        return np.full(ids.shape, 1 / self.limit)


class LogUniform(ClassSampler):
    """An id is about as likely as 1 over it: for ids in the order of their frequency."""

    def draw(self, numbers: Numbers) -> int:
        return (int(math.exp(numbers.double() * math.log1p(self.limit))) - 1) % self.limit

    def probability(self, ids: Array) -> Array:
        chances: Array = np.log((ids + 2) / (ids + 1)) / math.log1p(self.limit)
        return chances


class Learned(ClassSampler):
    """An id is as likely as it was frequent so far."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.counts = np.ones(limit, np.int64)

    def draw(self, numbers: Numbers) -> int:
        place = numbers.below(int(self.counts.sum()))
        return int(np.searchsorted(np.cumsum(self.counts), place, side="right"))

    def probability(self, ids: Array) -> Array:
        chances: Array = self.counts[ids.astype(np.int64)] / self.counts.sum()
        return chances

    def learn(self, ids: Iterable[int]) -> None:
        np.add.at(self.counts, list(ids), 1)


class Fixed(ClassSampler):
    """An id is as likely as its weight says; the alias method draws it (Walker, 1974)."""

    def __init__(self, weights: Sequence[float]) -> None:
        super().__init__(len(weights))
        self.weights = np.asarray(weights, np.float32).astype(np.float64)
        shares = self.weights * len(weights) / self.weights.sum()
        self.other = list(range(len(weights)))
        low = [i for i, share in enumerate(shares) if share < 1]
        high = [i for i, share in enumerate(shares) if share >= 1]
        while low and high:
            small, great = low.pop(), high.pop()
            self.other[small] = great
            shares[great] -= 1 - shares[small]
            (low if shares[great] < 1 else high).append(great)
        shares[[*low, *high]] = 1
        self.shares = shares.astype(np.float32)

    def draw(self, numbers: Numbers) -> int:
        chance = numbers.unit()
        place = numbers.below(self.limit)
        return place if chance < self.shares[place] else self.other[place]

    def probability(self, ids: Array) -> Array:
        chances: Array = self.weights[ids.astype(np.int64)] / self.weights.sum()
        return chances
