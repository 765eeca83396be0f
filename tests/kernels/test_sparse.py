"""Rows of indices of any size are ordered and told apart as tuples of numbers."""

from __future__ import annotations

import numpy as np
import pytest

from graphwright.kernels import sparse

LEAST, MOST = -(2**63), 2**63 - 1


@pytest.mark.parametrize("limits", [(0, 3), (-2, 2), (MOST - 2, MOST), (LEAST, MOST)])
@pytest.mark.parametrize("width", [0, 1, 3])
def test_rows_are_ordered_and_numbered(limits, width):
    random = np.random.default_rng(0)
    a, b = (random.choice(np.array(limits), (size, width)) for size in (40, 0))
    tuples = [tuple(row) for row in a.tolist()]
    order = sparse.order(a)
    assert [tuples[i] for i in order] == sorted(tuples)
    assert order.tolist() == sorted(range(40), key=tuples.__getitem__)
    distinct, (in_a, in_b) = sparse.numbered(a, b)
    assert [tuple(row) for row in distinct.tolist()] == sorted(set(tuples))
    np.testing.assert_array_equal(distinct[in_a], a)
    assert in_b.shape == (0,)
    seen = [tuples[:i].count(row) for i, row in enumerate(tuples)]
    assert sparse.with_occurrences(a)[:, -1].tolist() == seen
