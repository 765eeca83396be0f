"""Strings of a table found by machine code are those that a dictionary finds, and so are distinct
ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphwright as tf
from graphwright.ops.core import unique
from graphwright.ops.state.tables import _MANY, Table
from graphwright.ops.strings import key_code
from graphwright.ops.strings.fingerprint import fingerprint64
from graphwright.ops.strings.key_code import PlacedKeys
from graphwright.types.arrays import Array

#: Short keys often meet, long ones have all formulas of the hash.
KEYS = st.one_of(st.binary(max_size=2), st.binary(max_size=200))
TABLES = st.dictionaries(KEYS, st.integers(0, 2**40), max_size=60)


@pytest.fixture(autouse=True, scope="module")
def _ready() -> None:
    key_code.PREPARATION.work()


def strings_of(texts: list[bytes]) -> Array:
    """An array of strings."""
    strings = np.empty(len(texts), object)
    strings[:] = texts
    return strings


@given(rows=TABLES, others=st.lists(KEYS, max_size=30))
def test_rows_are_those_of_a_dictionary(rows: dict[bytes, int], others: list[bytes]) -> None:
    texts = [*rows, *others, *reversed(rows)]
    result = PlacedKeys(rows).rows_of(strings_of(texts))
    assert result is not None
    assert result.tolist() == [rows.get(text, -1) for text in texts]


@given(key=KEYS, other=KEYS)
def test_a_key_of_the_same_hash_is_another_one(key: bytes, other: bytes) -> None:
    placed = PlacedKeys({key: 7})
    spot = fingerprint64(other)
    placed.places[:] = 0
    placed.places[spot & len(placed.places) - 1] = np.uint64(spot >> 32 << 32 | 1).view(np.int64)
    result = placed.rows_of(strings_of([other]))
    assert result is not None
    assert result.tolist() == [7 if key == other else -1]


@given(texts=st.lists(KEYS, min_size=1, max_size=40), repeats=st.integers(1, 3))
def test_strings_are_counted_as_by_a_dictionary(texts: list[bytes], repeats: int) -> None:
    many = [bytes(bytearray(text)) for text in texts * repeats]
    ranks: dict[bytes, int] = {}
    expected = [ranks.setdefault(text, len(ranks)) for text in many]
    filled = many * (1 + unique._WORTH // len(many))
    values, which, counts = tf.unique_with_counts(strings_of(filled))
    assert values.numpy().tolist() == [*ranks]
    assert which.numpy().tolist() == expected * (len(filled) // len(many))
    assert counts.numpy().tolist() == [filled.count(text) for text in ranks]
    assert key_code.distinct_strings(strings_of(filled)) is not None


@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["insert", "remove", "clear", "replace"]), TABLES), max_size=8
    )
)
def test_a_table_that_changes_is_looked_up_anew(steps: list[tuple[str, Any]]) -> None:
    table = Table(tf.string, tf.int64)
    model: dict[bytes, int] = {}
    for name, entries in steps:
        keys, values = strings_of([*entries]), np.array([*entries.values()], np.int64)
        match name:
            case "insert":
                table.insert(keys, values)
                model |= entries
            case "replace":
                table.replace(keys, values)
                model = dict(entries)
            case "remove":
                table.remove(keys)
                model = {key: value for key, value in model.items() if key not in entries}
            case "clear":
                table.clear()
                model = {}
        texts = (([*model, *entries, b"none"]) * _MANY)[: 2 * _MANY * (1 + len(model))]
        result = table.find(strings_of(texts), np.int64(-5))
        assert (table.placed is not None) == (len(texts) >= _MANY)
        assert result.tolist() == [model.get(text, -5) for text in texts]


def test_python_looks_at_what_is_no_plain_string() -> None:
    class Text(bytes):
        pass

    assert PlacedKeys({Text(b"a"): 1}).rows_of(strings_of([b"a"])) is None
    assert PlacedKeys({b"a": 1}).rows_of(strings_of([b"a", Text(b"a")])) is None
