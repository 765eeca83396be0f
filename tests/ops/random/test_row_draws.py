"""Words of many rows are the blocks that Python's integers give for each."""

from __future__ import annotations

import numpy as np
import pytest

from graphwright.ops.random import philox
from graphwright.ops.random.row_draws import words_of_rows

_LAST = (1 << 64) - 1


@pytest.mark.parametrize("blocks", [1, 32, 33, 65])
@pytest.mark.parametrize("low", [12345678901234567, _LAST - 40, _LAST])
@pytest.mark.parametrize("is_native", [False, True])
def test_words_are_those_of_single_blocks(
    blocks: int, low: int, is_native: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    philox.NATIVE.preparation.work()
    monkeypatch.setattr(philox.NATIVE.preparation, "is_done", is_native)
    keys = [3, _LAST, 0x0123456789ABCDEF]
    counters = [(low, 7), (5, _LAST), (low, _LAST)]
    words = words_of_rows(
        np.array(keys, np.uint64)[:, None], np.array(counters, np.uint64), 4 * blocks - 1
    )
    assert words.shape[1] >= 4 * blocks - 1
    for row, key, (low_half, high_half) in zip(words, keys, counters):
        for place in range(blocks):
            at = (low_half | high_half << 64) + place & (1 << 128) - 1
            block = philox.encipher(key, at & _LAST, at >> 64)
            assert row[4 * place : 4 * place + 4].tolist() == list(block)
