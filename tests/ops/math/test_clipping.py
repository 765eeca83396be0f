"""Casts within bounds: exact at the bounds of every dtype."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import graphwright as tf

NAMES = ["float16", "bfloat16", "float32", "float64", "int8", "int32", "int64", "uint8", "uint64"]


@pytest.mark.parametrize("source", NAMES)
@pytest.mark.parametrize("target", NAMES)
def test_a_cast_within_bounds_keeps_what_fits_and_ends_at_the_bounds(
    source: str, target: str
) -> None:
    own, to = tf.as_dtype(source), tf.as_dtype(target)
    numbers = [0, 1, 100, *([] if own.is_unsigned else [-1, -100])]
    x = tf.constant(np.array([*numbers, own.min, own.max], own.as_numpy_dtype))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = [float(v) for v in tf.cast(tf.saturate_cast(x, to), tf.float64).numpy()]
    least, most = float(to.min), float(to.max)
    expected = [min(max(float(v), least), most) for v in tf.cast(x, tf.float64).numpy()]
    np.testing.assert_allclose(found, expected, rtol=1e-2)
    assert all(least <= v <= most for v in found)
