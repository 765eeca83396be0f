"""Strings that machine code strips or puts in another case are Python's, and so are joined ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.many_strings import strings_of

import graphwright as tf
from graphwright.ops.strings import letter_code, string_kernels
from graphwright.ops.strings.string_code import MANY

#: Short strings of spaces and letters, those near to letters, and strings of several chunks.
TEXTS = st.lists(
    st.text(" \t\n\v\f\r\0aAzZ@[`{é", max_size=6).map(str.encode) | st.binary(max_size=120),
    min_size=1,
    max_size=12,
)


@pytest.fixture(autouse=True, scope="module")
def _ready() -> None:
    letter_code.PREPARATION.work()


@given(texts=TEXTS, more=st.integers(0, 40))
def test_each_string_is_pythons(texts: list[bytes], more: int) -> None:
    strings = strings_of(texts, MANY + more)
    copies = [bytes(bytearray(text)) for text in strings.tolist()]
    for function, reference in (
        (letter_code.stripped, bytes.strip),
        (letter_code.lowered, bytes.lower),
        (letter_code.raised, bytes.upper),
    ):
        results = function(strings)
        assert results is not None
        assert results.tolist() == [reference(text) for text in copies]
    assert strings.tolist() == copies


def test_results_have_the_shape_of_the_strings() -> None:
    texts = strings_of([b" aB ", b"Cd"], 2 * MANY).reshape(2, MANY).T
    for function, pair in (
        (tf.strings.strip, [b"aB", b"Cd"]),
        (tf.strings.lower, [b" ab ", b"cd"]),
        (tf.strings.upper, [b" AB ", b"CD"]),
    ):
        results = function(tf.constant(texts)).numpy()
        assert results.shape == texts.shape
        assert results.T.reshape(-1).tolist() == pair * MANY


def test_python_does_what_is_no_plain_string() -> None:
    class Text(bytes):
        pass

    strings = strings_of([b" A", Text(b" B")], MANY)
    assert letter_code.stripped(strings) is None
    assert string_kernels.strip(strings).tolist() == [b"A", b"B"] * (MANY // 2)
    assert letter_code.lowered(strings[: MANY - 1]) is None


@given(
    texts=TEXTS,
    shape=st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(1, 3)),
    separator=st.binary(max_size=3),
    axis=st.integers(-3, 2),
)
def test_joined_strings_are_those_of_a_loop(
    texts: list[bytes], shape: tuple[int, int, int], separator: bytes, axis: int
) -> None:
    strings = strings_of(texts, shape[0] * shape[1] * shape[2]).reshape(shape)
    joined = string_kernels.reduce_join(strings, [axis], separator=separator)
    moved = np.moveaxis(strings, axis, -1)
    assert joined.shape == moved.shape[:-1]
    for place in np.ndindex(joined.shape):
        assert joined[place] == separator.join(moved[place])
    row = strings[:1, :, :1]
    pairs = string_kernels.join([strings, row], separator)
    for place in np.ndindex(shape):
        assert pairs[place] == strings[place] + separator + row[0, place[1], 0]
