"""States of iterators as bytes: what goes in comes out, and other bytes are refused."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from graphwright.base.errors import DataLossError, UnimplementedError
from graphwright.data.state_coding import decode, encode

ARRAYS = hnp.arrays(
    st.sampled_from([np.int16, np.int64, np.uint64, np.float32, np.bool_, np.uint8, np.complex64]),
    hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
)
WORDS = st.lists(st.binary(max_size=5), max_size=4).map(lambda words: np.array(words, object))
LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | ARRAYS | WORDS
STATES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=10,
)


def assert_same(one: object, two: object) -> None:
    """Asserts that two states are equal to the dtype."""
    assert type(one) is type(two)
    if isinstance(one, np.ndarray) and isinstance(two, np.ndarray):
        assert (one.dtype, one.shape) == (two.dtype, two.shape)
        if one.dtype.kind == "O":
            assert one.tolist() == two.tolist()
        else:
            assert one.tobytes() == two.tobytes()
    elif isinstance(one, list) and isinstance(two, list):
        assert len(one) == len(two)
        for mine, theirs in zip(one, two):
            assert_same(mine, theirs)
    elif isinstance(one, dict) and isinstance(two, dict):
        assert list(one) == list(two)
        for key in one:
            assert_same(one[key], two[key])
    else:
        assert one == two


@given(STATES)
def test_a_state_comes_back(state: object) -> None:
    assert_same(decode(encode(state)), state)


@given(st.lists(st.integers(-40_000, 70_000), min_size=50, max_size=60))
def test_many_whole_numbers_take_little_room(numbers: list[int]) -> None:
    array = np.array(numbers, np.int64)
    assert_same(decode(encode(array)), array)
    assert len(encode(array)) < len(encode(array.astype(np.float64)))


@given(STATES, st.data())
def test_other_bytes_are_refused_or_give_a_state(state: object, data: st.DataObject) -> None:
    whole = bytearray(encode(state))
    place = data.draw(st.integers(0, len(whole) - 1))
    whole[place] ^= data.draw(st.integers(1, 255))
    with suppress(DataLossError):
        decode(bytes(whole[: data.draw(st.integers(0, len(whole)))]))


def test_objects_are_refused_in_words() -> None:
    with pytest.raises(UnimplementedError, match="cannot be saved"):
        encode({"waiting": [object()]})
