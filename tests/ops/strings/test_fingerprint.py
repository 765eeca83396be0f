"""Hashes of many strings at once are those of the strings one by one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphwright as tf
from graphwright.machine.preparation import Preparation
from graphwright.ops.strings import fingerprint, string_code
from graphwright.types.arrays import Array

KEY = (-3, 1 << 63)
PAIRS: list[tuple[Callable[[bytes], int], Callable[[Array], Any]]] = [
    (fingerprint.fingerprint64, fingerprint.fingerprints64),
    (fingerprint.hash64, fingerprint.hashes64),
    (partial(fingerprint.siphash, KEY), partial(fingerprint.siphashes, KEY)),
]
NAMES = ["farmhash", "murmurhash", "siphash"]


@pytest.fixture(autouse=True, scope="module")
def machine_code() -> None:
    string_code.PREPARATION.work()


def strings(texts: list[bytes]) -> Array:
    """The strings as an array of objects."""
    array = np.empty(len(texts), object)
    array[:] = texts
    return array


@pytest.mark.parametrize(("one", "many"), PAIRS, ids=NAMES)
@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 300), max_size=120))
def test_strings_of_all_sizes(one: Any, many: Any, seed: int, sizes: list[int]) -> None:
    random = np.random.default_rng(seed)
    texts = [random.bytes(size) for size in sizes]
    assert many(strings(texts)).tolist() == [one(text) for text in texts]


@pytest.mark.parametrize(("one", "many"), PAIRS, ids=NAMES)
def test_strings_around_the_sizes_of_formulas(one: Any, many: Any) -> None:
    for fill in (0, 0x7F, 0xFF):
        texts = [bytes([fill]) * size for size in (*range(70), 127, 128, 129, 192, 193, 5000)]
        assert many(strings(texts)).tolist() == [one(text) for text in texts]


#: What TensorFlow gives for a string of so many bytes: the fast hash, the hash under (1, 2).
RECORDED = {
    2: (189228587931635061, 3975947295152346383),
    7: (1526437258159316943, 2995920876578308830),
    16: (334860022068397196, 371276513690943512),
    31: (1500395322752019975, 1913265521887375806),
    64: (2022633339730784631, 52931871424153205),
    65: (3789823131593709906, 2087193746035182743),
    1000: (58262950603655291, 4167695227707167418),
    4099: (769816687432126533, 2087683385641306694),
}


@pytest.mark.parametrize("size", RECORDED)
def test_hashes_are_tensorflows(size: int) -> None:
    text = tf.constant([bytes(i * i % 251 for i in range(size))] * 60)
    fast = tf.strings.to_hash_bucket_fast(text, 1 << 62).numpy()
    strong = tf.strings.to_hash_bucket_strong(text, 1 << 62, [1, 2]).numpy()
    assert {(int(f), int(s)) for f, s in zip(fast, strong)} == {RECORDED[size]}


@pytest.mark.parametrize("other", [np.bytes_(b"c"), None])
def test_other_objects_are_left_to_python(other: object) -> None:
    array = strings([b"a"] * 100)
    array[70] = other
    assert string_code.numbers("farm", array, 0, 0) is None


def test_few_strings_do_not_have_code_made(monkeypatch: pytest.MonkeyPatch) -> None:
    preparation = Preparation(lambda: pytest.fail("code is made"))
    monkeypatch.setattr(string_code, "PREPARATION", preparation)
    few = strings([b"abc", b"", bytes(70)])
    assert fingerprint.fingerprints64(few).tolist() == [*map(fingerprint.fingerprint64, few)]


@pytest.mark.parametrize(("one", "many"), PAIRS, ids=NAMES)
def test_no_strings(one: Any, many: Any) -> None:
    assert many(strings([])).dtype == np.uint64
    assert many(strings([b""] * 50)).tolist() == [one(b"")] * 50
