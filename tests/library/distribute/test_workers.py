"""Buckets of arrays that are summed together."""

from __future__ import annotations

import numpy as np

from graphwright.library.distribute.workers import buckets, describe


def test_neighbours_of_one_dtype_share_a_bucket_up_to_its_size() -> None:
    sizes = [(4, np.float32), (4, np.float32), (4, np.int32), (1, np.int32), (100, np.int32)]
    arrays = [np.zeros(size, dtype) for size, dtype in sizes]
    assert buckets(arrays, 40) == [[0, 1], [2, 3], [4]]
    assert buckets(arrays, 0) == [[0], [1], [2], [3], [4]]
    assert buckets([], 40) == []


def test_arrays_are_named_by_dtype_and_shape() -> None:
    assert describe(np.zeros([2, 3], np.float32)) == "float32[2,3]"
    assert describe(np.zeros([], np.int64)) == "int64[]"
