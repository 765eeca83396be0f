"""Ragged tensors of one rank whose uniform inner axes differ in number."""

from __future__ import annotations

from typing import Any

import pytest

import graphwright as tf

DEEP = [[[1.0, 2.0], [3.0]], []]
FLAT = [[[4.0, 5.0]], [[6.0, 7.0], [8.0, 9.0]]]


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("turned", [False, True])
def test_they_are_joined_as_lists_are(staged: bool, turned: bool) -> None:
    deep, flat = tf.ragged.constant(DEEP), tf.ragged.constant(FLAT, ragged_rank=1)
    assert (deep.ragged_rank, flat.ragged_rank) == (2, 1)

    def joined(*parts: Any) -> Any:
        return tf.concat(parts, 0), tf.concat(parts, 1), tf.stack(parts)

    run = tf.function(joined) if staged else joined
    first, second = (FLAT, DEEP) if turned else (DEEP, FLAT)
    rows, columns, stacked = run(*((flat, deep) if turned else (deep, flat)))
    assert rows.to_list() == [*first, *second]
    assert columns.to_list() == [[*a, *b] for a, b in zip(first, second)]
    assert stacked.to_list() == [first, second]


def test_a_tensor_is_divided_like_the_others() -> None:
    dense = tf.constant([[[0.0, 1.0]], [[2.0, 3.0]]])
    found = tf.concat([tf.ragged.constant(DEEP), dense], 1)
    assert found.to_list() == [[*DEEP[0], [0.0, 1.0]], [[2.0, 3.0]]]


def test_the_number_of_rows_stays_known_behind_a_new_axis() -> None:
    for rows in (2, None):
        f = tf.function(lambda x: (x[:, None], x[None], x[:, :1]))
        concrete = f.get_concrete_function(tf.RaggedTensorSpec([rows, None], tf.float32))
        shapes = [x.shape.as_list() for x in concrete.structured_outputs]
        assert shapes == [[rows, 1, None], [1, rows, None], [rows, None]]
    assert f(tf.ragged.constant([[1.0, 2.0], [3.0]]))[0].to_list() == [[[1.0, 2.0]], [[3.0]]]


@pytest.mark.parametrize(
    ("values", "ragged_rank"),
    [
        ([[[1, 2], [3]]], 1),
        ([[[1, 2]], [[3]]], 1),
        ([[[[1, 2], [3]]]], 1),
        ([[[[1, 2], [3, 4]]], [[[5, 6], [7]]]], 2),
    ],
)
def test_values_inside_have_one_shape(values: Any, ragged_rank: int) -> None:
    with pytest.raises(ValueError, match="inner values have inconsistent shape"):
        tf.ragged.constant(values, ragged_rank=ragged_rank)


def test_rows_of_an_unknown_rank_are_joined() -> None:
    x = tf.ragged.constant([[1.0], [2.0, 3.0]])
    joined = tf.function(lambda x: tf.concat([x, x], 0))
    concrete = joined.get_concrete_function(tf.RaggedTensorSpec(None, tf.float32, ragged_rank=1))
    assert concrete(x).to_list() == x.to_list() * 2
