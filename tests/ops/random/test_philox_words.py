"""Random numbers that a seed tells, as machine code: those of the kernels."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.run.inspection import outside

SHAPES = [[], [1], [3], [4], [2, 3], [130]]


def both(function, *arrays):
    """Results of machine code, all of it, and of eager execution."""
    specs = [tf.TensorSpec(a.shape, a.dtype) for a in arrays]
    staged = tf.function(function, input_signature=specs, jit_compile=True)
    left = {node.op.type_name for node, _ in outside(staged.get_concrete_function().graph)}
    assert left <= {"Reshape"}
    tensors = [tf.constant(a) for a in arrays]
    return staged(*tensors).numpy(), function(*tensors).numpy()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [tf.float32, tf.float64], ids=str)
def test_uniform_numbers(shape, dtype):
    for seed in ([1, 2], [-5, 2**31 - 1]):
        own, expected = both(
            lambda s: tf.random.stateless_uniform(shape, s, dtype=dtype), np.array(seed, np.int32)
        )
        np.testing.assert_array_equal(own, expected)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [tf.float32, tf.float64], ids=str)
def test_normal_numbers(shape, dtype):
    seed = np.array([2**40 + 3, -(2**50)])
    own, expected = both(lambda s: tf.random.stateless_normal(shape, s, dtype=dtype), seed)
    tolerance = 1e-6 if dtype == tf.float32 else 1e-14
    np.testing.assert_allclose(own, expected, rtol=tolerance, atol=tolerance)


def test_counters_carry():
    def draw(key, counter):
        return tf.raw_ops.StatelessRandomUniformV2(
            shape=[40], key=key, counter=counter, alg=1, dtype=tf.float32
        )

    key = np.array([2**64 - 3], np.uint64)
    for counter in ([2**64 - 2, 7], [2**64 - 1, 2**64 - 1]):
        own, expected = both(draw, key, np.array(counter, np.uint64))
        np.testing.assert_array_equal(own, expected)


def test_a_simulation_is_one_loop():
    def walk(x, count):
        for i in tf.range(count):
            step = tf.random.stateless_normal([5], [i, 3])
            if tf.random.stateless_uniform([], [i, 4]) < 0.5:
                x += step
        return x

    own, expected = both(walk, np.zeros(5, np.float32), np.array(50, np.int32))
    np.testing.assert_allclose(own, expected, rtol=1e-5, atol=1e-5)


def test_another_generator_is_left_to_kernels():
    seed = np.array([1, 2], np.int32)
    staged = tf.function(lambda s: tf.random.stateless_uniform([4], s, alg="threefry"))
    graph = staged.get_concrete_function(tf.TensorSpec([2], tf.int32)).graph
    assert "StatelessRandomUniformV2" in {node.op.type_name for node, _ in outside(graph)}
    expected = tf.random.stateless_uniform([4], seed, alg="threefry")
    np.testing.assert_array_equal(staged(seed).numpy(), expected.numpy())
