"""Sums of many terms in machine code: accurate along any axis, whatever the number of threads."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf

ROWS = 1 << 21


def native(function):
    return tf.function(function, jit_compile=True)


@pytest.mark.parametrize(
    ("shape", "axes"), [((ROWS, 3), [0]), ((3, ROWS), [1]), ((2, ROWS, 2), [1])]
)
def test_sums_of_many_terms_stay_accurate(shape, axes):
    x = np.random.default_rng(1).random(shape, np.float32)
    result = native(lambda x: tf.reduce_sum(x * 1.0, axes))(x).numpy()
    exact = x.sum(axes[0], dtype=np.float64)
    assert np.all(np.abs(result - exact) < 1e-6 * exact)


@pytest.mark.slow
@pytest.mark.parametrize("axis", [0, 1])
def test_a_sum_of_a_hundred_million_terms_is_accurate(axis):
    x = np.random.default_rng(1).random((10**8, 1) if axis == 0 else (1, 10**8), np.float32)
    x = np.repeat(x, 2, 1 - axis)
    result = native(lambda x: tf.reduce_sum(x * 1.0, axis))(x).numpy()
    exact = x.sum(axis, dtype=np.float64)
    assert np.all(np.abs(result - exact) < 1e-6 * exact)


def test_column_sums_do_not_depend_on_the_number_of_threads():
    x = np.random.default_rng(2).normal(size=(30_011, 37)).astype(np.float32)
    f = native(lambda x: (tf.reduce_sum(tf.exp(x), 0), tf.reduce_max(x, 0), tf.reduce_sum(x, 0)))
    before = tf.config.threading.get_intra_op_parallelism_threads()
    result = []
    for threads in (1, 2):
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        result.append([r.numpy() for r in f(x)])
    tf.config.threading.set_intra_op_parallelism_threads(before)
    for a, b in zip(*result):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int8, np.uint64])
@pytest.mark.parametrize(
    ("shape", "axes"), [((2100, 3, 5), [0]), ((90, 60, 32), [0, 1]), ((4, 3001, 5), [1])]
)
def test_blocks_combine_as_numpy_does(shape, axes, dtype):
    x = (np.random.default_rng(3).random(shape) * 20).astype(dtype)
    ops = tf.reduce_sum, tf.reduce_max, tf.reduce_min
    result = native(lambda x: [op(x * 1, axes) for op in ops])(x)
    for own, name in zip(result, ("sum", "max", "min")):
        wanted = getattr(x, name)(tuple(axes), **({"dtype": dtype} if name == "sum" else {}))
        np.testing.assert_allclose(own.numpy(), wanted, rtol=1e-5 if dtype == np.float32 else 1e-13)


def test_blocks_of_truths():
    x = np.random.default_rng(4).random((5000, 9)) > [0.0, 1e-4, 0.5, 0.9999, 2, 0.2, 0.1, 1, 0]
    every, some = native(lambda x: (tf.reduce_all(x, 0), tf.reduce_any(x, 0)))(x)
    assert every.numpy().tolist() == x.all(0).tolist()
    assert some.numpy().tolist() == x.any(0).tolist()


def test_cotangents_of_small_floats_are_added_up_like_any_sum():
    def slope(x, y):
        with tf.GradientTape() as tape:
            tape.watch(y)
            z = x + y
        return tape.gradient(z, y)

    operands = tf.ones([1000], tf.bfloat16), tf.ones([1], tf.bfloat16)
    assert slope(*operands).numpy() == native(slope)(*operands).numpy() == 1000.0
