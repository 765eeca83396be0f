"""Rows of sparse tensors that are filled where they are empty, as a loop over them does it."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf


@pytest.mark.parametrize("rows", [[0, 1, 1, 2], [2, 0, 1, 1], [0, 0, 3], [3, 0, 0], []])
def test_empty_rows_get_the_default(rows):
    count = 4 if 3 in rows or not rows else 3
    values = np.arange(len(rows)) + 1.0
    indices = np.array([[row, 5] for row in rows], np.int64).reshape(-1, 2)
    x = tf.SparseTensor(indices, values, [count, 6])
    filled, empty = tf.sparse.fill_empty_rows(x, -1.0)
    expected = [(row, 5, value) for row, value in zip(rows, values)]
    expected += [(row, 0, -1.0) for row in range(count) if row not in rows]
    expected.sort(key=lambda entry: entry[0])
    np.testing.assert_array_equal(filled.indices, [entry[:2] for entry in expected])
    np.testing.assert_array_equal(filled.values, [entry[2] for entry in expected])
    np.testing.assert_array_equal(empty, [row not in rows for row in range(count)])
