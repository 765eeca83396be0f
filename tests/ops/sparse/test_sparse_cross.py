"""Crosses of features are those of TensorFlow 2.21: numbers and texts that it gave."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf


def features() -> list:
    """Texts and numbers; the third of four rows lacks some."""
    words = tf.SparseTensor(
        [[0, 0], [0, 1], [1, 0], [3, 0], [3, 2]], [b"a", b"b", b"c", b"d", b"e"], [4, 3]
    )
    dense = tf.constant([[1, 2], [3, 4], [5, 6], [-7, 1 << 40]], tf.int64)
    numbers = tf.SparseTensor([[0, 0], [1, 0], [1, 1], [3, 0]], [5, 6, 7, 8], [4, 2])
    return [words, dense, numbers]


def test_texts_are_joined():
    crosses = tf.sparse.cross(features())
    assert crosses.values.numpy().tolist() == [
        b"a_X_5_X_1", b"a_X_5_X_2", b"b_X_5_X_1", b"b_X_5_X_2", b"c_X_6_X_3", b"c_X_6_X_4",
        b"c_X_7_X_3", b"c_X_7_X_4", b"d_X_8_X_-7", b"d_X_8_X_1099511627776", b"e_X_8_X_-7",
        b"e_X_8_X_1099511627776",
    ]  # fmt: skip
    expected = [[row, column] for row in (0, 1, 3) for column in range(4)]
    np.testing.assert_array_equal(crosses.indices, expected)
    np.testing.assert_array_equal(crosses.dense_shape, [4, 4])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), [
            7870557253262917327, 8664971984423663919, 81403548947429440, 9051856087763646833,
            5855086058122908689, 3636468713063409420, 4610905090236358798, 8390013831226625225,
            3659676606810422598, 887868884625855051, 1385214809990837724, 4930035542805495834,
        ]),
        ((1000, 12345), [729, 411, 102, 383, 629, 398, 783, 58, 276, 437, 24, 73]),
    ],
)  # fmt: skip
def test_numbers_are_those_of_tensorflow(options, expected):
    crosses = tf.sparse.cross_hashed(features(), *options)
    assert crosses.values.numpy().tolist() == expected


def test_entries_of_a_row_may_be_anywhere():
    words = tf.SparseTensor([[1, 0], [0, 0], [1, 1]], [b"c", b"a", b"d"], [2, 2])
    crosses = tf.sparse.cross([words, tf.constant([[1], [2]], tf.int64)], separator="-")
    assert crosses.values.numpy().tolist() == [b"a-1", b"c-2", b"d-2"]


def test_no_rows_have_no_crosses():
    assert tf.sparse.cross([tf.zeros([0, 2], tf.int64)]).values.shape == [0]
