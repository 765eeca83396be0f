"""Random numbers one by one, for what is drawn until it fits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from graphwright.ops.random import philox
from graphwright.ops.random.philox_draws import unit_doubles, unit_floats


class Numbers:
    """The numbers of a Philox stream, one after another."""

    def __init__(self, key: int, counter: int) -> None:
        self._words = self._endless(key, counter)

    def _endless(self, key: int, counter: int) -> Iterator[int]:
        while True:
            yield from map(int, philox.blocks(key, counter, 8).reshape(-1))
            counter += 8

    def unit(self) -> Any:
        """A float32 in [0, 1)."""
        return unit_floats(np.array([next(self._words)], np.uint32), np.dtype(np.float32))[0]

    def double(self) -> float:
        """A float64 in [0, 1)."""
        pair = np.array([[next(self._words), next(self._words)]], np.uint32)
        return float(unit_doubles(pair)[0])

    def below(self, limit: int) -> int:
        """An integer of 32 bits in [0, limit), all equally likely."""
        return bounded(limit, 32, self._words)

    def below_wide(self, limit: int) -> int:
        """An integer of 64 bits in [0, limit), all equally likely."""
        return bounded(limit, 64, (low | next(self._words) << 32 for low in self._words))


def bounded(limit: int, bits: int, words: Iterator[int]) -> int:
    """A random word modulo the limit, without bias: the least 2**bits % limit words are skipped."""
    if limit & (limit - 1) == 0:
        return next(words) & (limit - 1)
    least = (2**bits - 1) % limit + 1
    word = next(words)
    while word < least:
        word = next(words)
    return word % limit
