"""Shuffles step by step and natively are the same permutations."""

from __future__ import annotations

import numpy as np
import pytest

from graphwright.ops.random import shuffling

pytestmark = pytest.mark.usefixtures("native_kernels")


@pytest.mark.parametrize("count", [0, 1, 2, 5000])
def test_native_swaps_are_the_same(count, monkeypatch):
    random = np.random.default_rng(count)
    steps = (random.uniform(size=count) * np.arange(count + 1, 1, -1)).astype(np.int64)
    monkeypatch.setattr(shuffling, "WORTH", 10**9)
    expected = shuffling.permutation(steps)
    monkeypatch.setattr(shuffling, "WORTH", 0)
    np.testing.assert_array_equal(shuffling.permutation(steps), expected)
    assert sorted(expected.tolist()) == list(range(count + 1))
