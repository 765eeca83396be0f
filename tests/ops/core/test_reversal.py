"""Rotations by a number that only a call tells, in machine code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.run.inspection import outside

SHIFTS = [0, 1, -1, 3, 7, 8, -100, 2**31 - 10, -(2**31)]


@pytest.mark.parametrize("size", [7, 1, None])
def test_a_loop_rotates_by_what_it_computes(size: int | None) -> None:
    @tf.function(jit_compile=True)
    def f(x: Any, shift: Any) -> Any:
        for i in tf.range(4):
            x = x + tf.roll(x, shift + i, 0) * 0.5
        return x

    concrete = f.get_concrete_function(tf.TensorSpec([size]), tf.TensorSpec([], tf.int32))
    assert not outside(concrete.graph)
    x = np.random.default_rng(0).random(size or 5, np.float32)
    for shift in SHIFTS:
        expected = x
        for i in range(4):
            expected = expected + np.roll(expected, shift + i) * np.float32(0.5)
        np.testing.assert_allclose(
            concrete(tf.constant(x), tf.constant(shift)), expected, rtol=1e-6
        )


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("shape", [(3, 4), (1, 5), (2, 0)])
def test_an_axis_is_rotated_by_an_argument(shape: tuple[int, int], axis: int) -> None:
    f = tf.function(lambda x, shift: tf.roll(x, shift, axis) + 1, jit_compile=True)
    x = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    for shift in SHIFTS[:7]:
        for number in (tf.constant(shift), tf.constant(shift, tf.int64)):
            np.testing.assert_array_equal(f(x, number), np.roll(x, shift, axis) + 1)
