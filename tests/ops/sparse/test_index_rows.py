"""Rows of indices of any size are ordered and told apart as tuples of numbers."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from graphwright.ops.sparse import index_rows

LEAST, MOST = -(2**63), 2**63 - 1


@pytest.mark.parametrize(
    "limits", [(0, 3), (-2, 2), (5, 9999), (MOST - 2, MOST), (LEAST, MOST)]
)
@pytest.mark.parametrize("width", [0, 1, 3])
def test_rows_are_ordered_and_numbered(limits, width):
    random = np.random.default_rng(0)
    a, b = (random.choice(np.array(limits), (size, width)) for size in (40, 0))
    tuples = [tuple(row) for row in a.tolist()]
    order = index_rows.order(a)
    assert [tuples[i] for i in order] == sorted(tuples)
    assert order.tolist() == sorted(range(40), key=tuples.__getitem__)
    distinct, (in_a, in_b) = index_rows.numbered(a, b)
    assert [tuple(row) for row in distinct.tolist()] == sorted(set(tuples))
    np.testing.assert_array_equal(distinct[in_a], a)
    assert in_b.shape == (0,)
    seen = [tuples[:i].count(row) for i, row in enumerate(tuples)]
    assert index_rows.with_occurrences(a)[:, -1].tolist() == seen


@pytest.mark.parametrize("limits", [(0, 3), (MOST - 2, MOST), (LEAST, MOST)])
@pytest.mark.parametrize("width", [0, 1, 2, 3])
@pytest.mark.parametrize("least", [0, 1])
def test_rows_ascend_as_tuples_do(limits, width, least):
    random = np.random.default_rng(0)
    for count in (0, 1, 2, 2, 2, 3, 3, 3, 5):
        rows = random.choice(np.array(limits), (count, width))
        for each in (rows, rows[index_rows.order(rows)], index_rows.numbered(rows)[0]):
            tuples = [tuple(row) for row in each.tolist()]
            pairs = list(pairwise(tuples))
            expected = all(a < b if least else a <= b for a, b in pairs)
            assert index_rows.ascends(each, least) == expected


def test_numbers_of_elements_are_those_of_numpy():
    shape = (3, 4, 5)
    rows = np.argwhere(np.ones(shape))
    np.testing.assert_array_equal(index_rows.flattened(rows, shape), np.arange(60))
    np.testing.assert_array_equal(index_rows.flattened(rows[::20, :1], shape), [0, 20, 40])
    with pytest.raises(ValueError, match="indices of 3 numbers"):
        index_rows.flattened(rows, shape[:2])
    is_within = ((rows >= [1, 0, 2]) & (rows < [3, 2, 4])).all(axis=1)
    result = index_rows.within(rows, np.array([1, 0, 2]), np.array([3, 2, 4]))
    np.testing.assert_array_equal(result, is_within)


@pytest.mark.parametrize("repeated", [False, True])
def test_repeated_rows_are_matched_one_by_one(repeated):
    a, b = np.array([[0, 1], [0, 2], [1, 0]]), np.array([[0, 2], [2, 0]])
    rows, (in_a, in_b) = index_rows.matched(np.repeat(a, 1 + repeated, axis=0), b)
    counts = [1, 1, 1, 1] if not repeated else [2, 2, 2, 1]
    distinct = np.array([[0, 1], [0, 2], [1, 0], [2, 0]])
    np.testing.assert_array_equal(rows, np.repeat(distinct, counts, axis=0))
    np.testing.assert_array_equal(rows[in_a], np.repeat(a, 1 + repeated, axis=0))
    np.testing.assert_array_equal(rows[in_b], b)
