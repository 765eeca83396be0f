"""Short rows in order, as machine code: the kernels' values, places and treatment of NaN."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.run.inspection import outside


def agree(function, *arrays, dims=None):
    """Compares machine code with eager execution; only what is a view may be outside."""
    shapes = dims or [a.shape for a in arrays]
    specs = [tf.TensorSpec(d, a.dtype) for d, a in zip(shapes, arrays, strict=True)]
    staged = tf.function(function, input_signature=specs, jit_compile=True)
    left = {node.op.type_name for node, _ in outside(staged.get_concrete_function().graph)}
    assert left <= {"Transpose"}
    own, expected = tf.nest.flatten(staged(*arrays)), tf.nest.flatten(function(*arrays))
    for x, y in zip(own, expected, strict=True):
        assert x.dtype == y.dtype
        np.testing.assert_array_equal(x.numpy(), y.numpy())


def few(dtype, *shape):
    """Small numbers, of which many are equal."""
    return np.random.default_rng(len(shape)).integers(0, 5, shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "uint8", "int64"])
@pytest.mark.parametrize("shape", [(1,), (7,), (3, 40), (2, 3, 5)])
def test_the_greatest_elements(dtype, shape):
    x = few(dtype, *shape)
    for k in {1, shape[-1] // 2 + 1, shape[-1]}:
        agree(lambda x, k=k: tf.math.top_k(x, k), x)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "uint8", "int64"])
@pytest.mark.parametrize("shape", [(1,), (40,), (2, 60)])
def test_the_greatest_elements_of_rows_of_any_length(dtype, shape):
    for k in sorted({1, min(shape[-1], 4)}):
        agree(lambda x, k=k: tf.math.top_k(x, k), few(dtype, *shape), dims=[(*shape[:-1], None)])


def test_rows_that_are_too_short_are_refused():
    staged = tf.function(
        lambda x: tf.math.top_k(x, 3),
        input_signature=[tf.TensorSpec([None])],
        jit_compile=True,
    )
    assert staged(tf.range(3.0)).indices.numpy().tolist() == [2, 1, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least k columns"):
        staged(tf.range(2.0))


def test_special_numbers_of_rows_of_any_length_are_in_the_kernels_order():
    x = np.array([np.nan, -np.inf, 0.0, -0.0, np.inf, np.nan, 1.0, np.inf], np.float32)
    for k in (1, 4, 8):
        agree(lambda x, k=k: tf.math.top_k(x, k), x, dims=[(None,)])
    agree(lambda x: tf.math.top_k(x, 3), np.full(9, -np.inf, np.float32), dims=[(None,)])
    agree(lambda x: tf.math.top_k(x, 3), np.full(9, np.nan), dims=[(None,)])
    agree(lambda x: tf.math.top_k(x, 3), np.full(9, -128, np.int8), dims=[(None,)])


def test_the_greatest_elements_of_any_number_of_rows():
    agree(lambda x: tf.math.top_k(x, 3, index_type=tf.int16), few("int32", 9, 4), dims=[(None, 4)])


@pytest.mark.parametrize("direction", ["ASCENDING", "DESCENDING"])
def test_sorting_along_any_axis(direction):
    x = np.random.default_rng(0).normal(size=(6, 5, 4)).astype(np.float32)
    for axis in (0, 1, -1):
        agree(lambda x, axis=axis: tf.sort(x, axis, direction), x)
        agree(lambda x, axis=axis: tf.argsort(x, axis, direction, stable=True), x)


def test_special_numbers_are_in_the_kernels_order():
    x = np.array([np.nan, -np.inf, 0.0, -0.0, np.inf, np.nan, 1.0, np.inf], np.float32)
    for k in (1, 4, 8):
        agree(lambda x, k=k: tf.math.top_k(x, k), x)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_ranges_that_numbers_are_in(dtype):
    boundaries = [0.0, 1.0, 1.0, 2.5, 4.0]
    agree(lambda x: tf.raw_ops.Bucketize(input=x, boundaries=boundaries), few(dtype, 4, 9))


def test_a_beam_search_is_one_loop():
    def search(scores, first):
        beams, kept = first, tf.zeros([4], tf.int32)
        for _ in tf.range(20):
            total = tf.reshape(beams[:, None] + scores, [-1])
            beams, kept = tf.math.top_k(total, 4)
            beams = beams - tf.reduce_max(beams)
        return beams, kept

    rng = np.random.default_rng(1)
    agree(search, rng.normal(size=(4, 12)), rng.normal(size=4))


def test_long_rows_are_left_to_kernels():
    staged = tf.function(lambda x: tf.sort(x), jit_compile=True)
    graph = staged.get_concrete_function(tf.TensorSpec([1000])).graph
    assert "TopKV2" in {node.op.type_name for node, _ in outside(graph)}


def test_derivatives_of_what_is_sorted():
    def slope(x):
        x = tf.identity(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.sort(x, axis=-1) * tf.range(5.0))
        return tape.gradient(y, x)

    agree(slope, np.random.default_rng(2).normal(size=(3, 5)).astype(np.float32))


@pytest.mark.parametrize("dtype", ["float32", "int32", "float64", "int64"])
@pytest.mark.parametrize("span", [3, 40, 2**31 - 1])
@pytest.mark.parametrize("shape", [(4000,), (9, 300), (3, 500, 2), (1, 70_000)])
def test_many_elements_keep_the_order_of_equals(shape, span, dtype):
    random = np.random.default_rng(0)
    x = random.integers(-span, span, shape, dtype=np.int64).astype(dtype)
    x.flat[:2] = [-(2**31), 2**31 - 1]
    if dtype[0] == "f":
        x.flat[2:6] = [0.0, -0.0, np.inf, -np.inf]
        x[x == 1] = -0.0
    size = shape[-1]
    expected = np.argsort(-x.astype(np.float64), axis=-1, kind="stable")
    for k in {1, 2, size // 20, size // 3, size}:
        values, places = tf.math.top_k(x, k)
        np.testing.assert_array_equal(places, expected[..., :k])
        chosen = np.take_along_axis(x, expected[..., :k], -1)
        assert values.numpy().tobytes() == chosen.tobytes()
