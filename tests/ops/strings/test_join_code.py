"""Strings that machine code joins are those that Python joins."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.many_strings import strings_of

import graphwright as tf
from graphwright.ops.strings import join_code
from graphwright.ops.strings.string_code import MANY

TEXTS = st.lists(st.binary(max_size=5) | st.binary(max_size=80), min_size=1, max_size=12)
SEPARATORS = st.binary(max_size=3)


@pytest.fixture(autouse=True, scope="module")
def _ready() -> None:
    join_code.PREPARATION.work()


@given(texts=TEXTS, separator=SEPARATORS, width=st.integers(1, 4), more=st.integers(0, 9))
def test_columns_are_joined_wherever_they_lie(
    texts: list[bytes], separator: bytes, width: int, more: int
) -> None:
    count = MANY + more
    matrix = strings_of(texts, count * width).reshape(count, width)
    one = strings_of(texts[-1:], 1)
    columns = [*matrix.T, np.broadcast_to(one, (count,)), matrix[::-1, 0]]
    results = join_code.joined_columns(columns, separator)
    assert results is not None
    rows = zip(*[column.tolist() for column in columns])
    assert results.tolist() == [separator.join(row) for row in rows]


@given(texts=TEXTS, separator=SEPARATORS, width=st.integers(1, 9), is_turned=st.booleans())
def test_rows_are_joined(texts: list[bytes], separator: bytes, width: int, is_turned: bool) -> None:
    strings = strings_of(texts, MANY * width)
    matrix = strings.reshape(width, MANY).T if is_turned else strings.reshape(MANY, width)
    results = join_code.joined_rows(matrix, separator)
    assert results is not None
    assert results.tolist() == [separator.join(row) for row in matrix.tolist()]


@given(texts=TEXTS, separator=SEPARATORS, width=st.integers(1, 5), seed=st.integers(0, 99))
def test_runs_are_joined(texts: list[bytes], separator: bytes, width: int, seed: int) -> None:
    strings = strings_of(texts, 20)[::2]
    firsts = np.random.default_rng(seed).integers(0, len(strings) - width + 1, MANY)
    results = join_code.joined_runs(strings, firsts, width, separator)
    assert results is not None
    words = strings.tolist()
    assert results.tolist() == [separator.join(words[i : i + width]) for i in firsts.tolist()]


def test_python_does_what_is_no_plain_string_and_what_is_little() -> None:
    class Text(bytes):
        pass

    strings = strings_of([b"A", b"BC", Text(b"D")], 3 * MANY).reshape(MANY, 3)
    assert join_code.joined_rows(strings, b"-") is None
    assert tf.strings.reduce_join(strings, 1, separator="-").numpy().tolist() == [b"A-BC-D"] * MANY
    assert join_code.joined_rows(strings[:-1, :2], b"-") is None
    assert join_code.joined_rows(strings[:, :0], b"-") is None
    assert join_code.joined_columns([], b"-") is None
    # No list of so many places is made.
    assert join_code.joined_runs(strings[:, 0], np.zeros(0, np.int64), 1 << 50, b"-") is None


def test_each_result_is_counted_once_and_no_part_is_kept() -> None:
    strings = strings_of([bytes(range(20)), b"xyz"], 2 * MANY).reshape(MANY, 2)
    before = sys.getrefcount(strings[0, 0]), sys.getrefcount(None)
    for _ in range(50):
        results = join_code.joined_rows(strings, b", ")
        assert results is not None
    after = sys.getrefcount(strings[0, 0]), sys.getrefcount(None)
    assert sys.getrefcount(results[0]) <= 3
    assert after[0] == before[0]
    assert abs(after[1] - before[1]) < 100
