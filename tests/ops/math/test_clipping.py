"""Casts within bounds: exact at the bounds of every dtype."""

from __future__ import annotations

import warnings
from typing import Any

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


FLOATS = (tf.float16, tf.bfloat16, tf.float32, tf.float64)


@pytest.mark.parametrize("compiled", [None, True])
@pytest.mark.parametrize("to", FLOATS)
@pytest.mark.parametrize("source", FLOATS)
def test_saturate_cast_leaves_no_infinity(source: Any, to: Any, compiled: bool | None) -> None:
    """Recorded from TensorFlow 2.21: infinities become the bound of the narrower dtype."""
    x = tf.constant([np.inf, -np.inf, np.nan, 1.5], source)
    # Rounded inwards where the source cannot hold the bound, and by the cast to the other dtype.
    limit = 65280.0 if source is tf.bfloat16 and to is tf.float16 else float(source.max)
    bound = float(tf.cast(tf.constant(min(limit, float(to.max)), tf.float64), to))
    traced = tf.function(lambda x: tf.saturate_cast(x, to), jit_compile=compiled)
    for result in (tf.saturate_cast(x, to), traced(x)):
        top, bottom, nan, rest = (float(v) for v in result.numpy())
        assert (top, bottom, rest) == (bound, -bound, 1.5)
        assert np.isnan(nan)
