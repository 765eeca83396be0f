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
