"""What functions of dense and sparse tensors mean for ragged ones."""

from __future__ import annotations

from typing import Any

import pytest

import graphwright as tf

ROWS, WEIGHTS = [[1, 2, 2], [], [3]], [[1.0, 2.0, 0.5], [], [4.0]]


@pytest.mark.parametrize(
    ("options", "counts"),
    [
        ({}, [0, 1, 2, 1]),
        ({"axis": -1}, [[0, 1, 2, 0], [0, 0, 0, 0], [0, 0, 0, 1]]),
        ({"axis": -1, "binary_output": True}, [[0, 1, 1, 0], [0, 0, 0, 0], [0, 0, 0, 1]]),
        ({"axis": -1, "maxlength": 3}, [[0, 1, 2], [0, 0, 0], [0, 0, 0]]),
        ({"axis": -1, "minlength": 5}, [[0, 1, 2, 0, 0], [0] * 5, [0, 0, 0, 1, 0]]),
    ],
)
def test_numbers_of_ragged_rows_are_counted(options: dict[str, Any], counts: list[Any]) -> None:
    counted = tf.sparse.bincount(tf.ragged.constant(ROWS), **options)
    assert tf.sparse.to_dense(counted).numpy().tolist() == counts


def test_weights_of_ragged_rows_are_ragged() -> None:
    rows = tf.ragged.constant(ROWS)
    counted = tf.sparse.bincount(rows, tf.ragged.constant(WEIGHTS), axis=-1)
    wanted = [[0, 1.0, 2.5, 0], [0, 0, 0, 0], [0, 0, 0, 4.0]]
    assert tf.sparse.to_dense(counted).numpy().tolist() == wanted
    with pytest.raises(ValueError, match="must be a RaggedTensor if `values`"):
        tf.sparse.bincount(rows, tf.ones([4]), axis=-1)


def test_gathered_rows_forget_that_they_are_of_one_length() -> None:
    """As in TensorFlow 2.21; a dataset of batches of such rows has this shape."""
    rows = tf.RaggedTensor.from_tensor(tf.ones([5, 4]))
    assert rows.shape.as_list() == [5, 4]
    assert tf.gather(rows, [0, 2, 4]).shape.as_list() == [3, None]
    assert tf.gather(rows, [[0], [4]]).shape.as_list() == [2, None, None]
    assert tf.gather(rows, [0, 2]).to_tensor().numpy().tolist() == [[1.0] * 4] * 2
    taken = tf.data.Dataset.from_tensors([1, 3]).map(lambda i: tf.gather(rows, i))
    assert taken.element_spec.shape.as_list()[1] is None


@pytest.mark.parametrize(
    "other",
    [
        tf.ragged.constant([[1], [2]]),
        tf.ragged.constant([[1], [2], [3]], dtype=tf.int64),
        tf.ragged.constant([[[1, 2, 2]], [], [[3]]]),
        tf.ones([3, 2], tf.int32),
        tf.ones([7], tf.int32),
        "abc",
        1.5,
        None,
    ],
    ids=str,
)
def test_what_does_not_broadcast_is_not_equal(other: object) -> None:
    """As in TensorFlow, where a list of ragged tensors can be searched."""
    rows = tf.ragged.constant(ROWS)
    assert (rows == other) is False
    assert (rows != other) is True
    assert (other == rows) is False
    assert (other != rows) is True
    assert rows not in [other]
    if other is not None:
        with pytest.raises((ValueError, TypeError, tf.errors.InvalidArgumentError)):
            tf.function(lambda x: x == other)(rows)


def test_a_dense_tensor_is_compared_with_rows() -> None:
    rows, dense = tf.ragged.constant(ROWS), tf.constant([[2], [0], [3]])
    equal = [[False, True, True], [], [True]]
    for compared in (dense == rows, rows == dense, tf.function(lambda x, y: x == y)(dense, rows)):
        assert compared.to_list() == equal
    assert (dense != rows).to_list() == [[not each for each in row] for row in equal]
