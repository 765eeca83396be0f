"""Hashes of many strings at once are those of the strings one by one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphwright.ops.strings import fingerprint

KEY = (-3, 1 << 63)
PAIRS: list[tuple[Callable[[bytes], int], Callable[[list[bytes]], Any]]] = [
    (fingerprint.fingerprint64, fingerprint.fingerprints64),
    (fingerprint.hash64, fingerprint.hashes64),
    (partial(fingerprint.siphash, KEY), partial(fingerprint.siphashes, KEY)),
]
NAMES = ["farmhash", "murmurhash", "siphash"]


@pytest.mark.parametrize(("one", "many"), PAIRS, ids=NAMES)
@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 300), max_size=120))
def test_strings_of_all_sizes(one: Any, many: Any, seed: int, sizes: list[int]) -> None:
    random = np.random.default_rng(seed)
    texts = [random.bytes(size) for size in sizes]
    assert many(texts).tolist() == [one(text) for text in texts]


@pytest.mark.parametrize(("one", "many"), PAIRS, ids=NAMES)
@pytest.mark.parametrize("longest", [[], [b"x" * 5000, b"y" * 777]])
def test_strings_of_one_size_and_a_few_longer_ones(one: Any, many: Any, longest: Any) -> None:
    for size in (*range(70), 127, 128, 129, 192, 193):
        texts = [bytes([fill]) * size for fill in range(40)] + longest
        assert many(texts).tolist() == [one(text) for text in texts]


@pytest.mark.parametrize(("one", "many"), PAIRS, ids=NAMES)
def test_no_strings(one: Any, many: Any) -> None:
    assert many([]).dtype == np.uint64
    assert many([b""] * 50).tolist() == [one(b"")] * 50
