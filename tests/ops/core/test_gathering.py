"""Slices whose memory is large are NumPy's, and so are those at many index vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphwright as tf
from graphwright.machine import large_arrays

INDICES = [np.int16, np.int32, np.int64]
SIZE = large_arrays.LEAST // 4  # of float32


@pytest.mark.parametrize("dtype", INDICES, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_large_slices_along_an_axis(dtype, axis):
    params = np.random.default_rng(1).normal(size=(64, 32, 64)).astype(np.float32)
    count = SIZE // (params.size // params.shape[axis]) + 1
    indices = np.random.default_rng(2).integers(0, params.shape[axis], (count, 1)).astype(dtype)
    for _ in range(3):  # the first results leave their memory to later ones
        result = tf.gather(params, indices, axis=axis).numpy()
        np.testing.assert_array_equal(result, params.take(indices, axis))
    for wrong in (-1, params.shape[axis]):
        indices[-1] = wrong
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"= {wrong} is not in"):
            tf.gather(params, indices, axis=axis)


@pytest.mark.parametrize("dtype", INDICES, ids=lambda dtype: dtype.__name__)
def test_large_slices_at_index_vectors(dtype):
    params = np.random.default_rng(1).normal(size=(1000, 3, 1000)).astype(np.float32)
    indices = np.random.default_rng(2).integers(0, 1000, (SIZE // 3000 + 1, 1)).astype(dtype)
    for _ in range(3):
        result = tf.gather_nd(params, indices).numpy()
        np.testing.assert_array_equal(result, params[indices[:, 0]])
    for wrong in (-1, 1000):
        indices[-1] = wrong
        with pytest.raises(tf.errors.InvalidArgumentError, match=rf"\[{wrong}\] does not index"):
            tf.gather_nd(params, indices)


@settings(max_examples=80, deadline=None)
@given(
    dims=st.lists(st.integers(1, 5), min_size=1, max_size=4),
    lead=st.sampled_from([(3,), (2, 2), (2000,), (40, 50)]),
    dtype=st.sampled_from(INDICES),
    data=st.data(),
)
def test_slices_at_index_vectors(dims, lead, dtype, data):
    random = np.random.default_rng(data.draw(st.integers(0, 1 << 30)))
    depth = data.draw(st.integers(1, len(dims)))
    params = random.normal(size=dims)
    indices = random.integers(0, dims[:depth], (*lead, depth)).astype(dtype)
    result = tf.gather_nd(params, indices).numpy()
    np.testing.assert_array_equal(result, params[tuple(np.moveaxis(indices, -1, 0))])
    place = tuple([data.draw(st.integers(0, size - 1)) for size in indices.shape])
    indices[place] = data.draw(st.sampled_from([-1, dims[place[-1]]]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not index into"):
        tf.gather_nd(params, indices)
