"""Normalizations over batches, and sums along channels: machine code against the kernels."""

from __future__ import annotations

import numpy as np
import pytest
from support.tiers import differences, normal, numbers

import graphwright as tf


def batch_norm(x, scale, offset, mean, variance, training, data_format):
    return list(
        tf.raw_ops.FusedBatchNormV3(
            x=x, scale=scale, offset=offset, mean=mean, variance=variance,
            is_training=training, data_format=data_format,
        )
    )  # fmt: skip


def operands(data_format, dtype=np.float32):
    count = 3 if data_format == "NHWC" else 4
    vectors = [normal(count), normal(count + 1)[1:], normal(count), np.abs(normal(count))]
    return [normal(2, 4, 5, 3).astype(dtype), *vectors]


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_batch_normalization(data_format, training, dynamic):
    function = lambda x, s, o, m, v: batch_norm(x, s, o, m, v, training, data_format)  # noqa: E731
    assert not differences(function, operands(data_format), dynamic)
    assert not differences(function, operands(data_format, np.float16), dynamic)

    def gradient(x, s, o, m, v):
        with tf.GradientTape() as tape:
            tape.watch([x, s, o])
            y = tf.reduce_sum(tf.sin(function(x, s, o, m, v)[0]))
        return tape.gradient(y, [x, s, o])

    assert not differences(gradient, operands(data_format), dynamic)


def test_statistics_of_the_batch_alone():
    x, scale, offset, *_ = operands("NHWC")
    function = lambda x, s, o: batch_norm(x, s, o, [], [], True, "NHWC")  # noqa: E731
    for dynamic in (False, True):
        assert not differences(function, [x, scale, offset], dynamic)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32"])
@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_bias(data_format, dtype):
    x = tf.cast(normal(4, 3, 5, 3) * 4.0, dtype).numpy()
    bias = tf.cast(normal(3) * 4.0, dtype).numpy()
    for dynamic in (False, True):
        add = lambda x, b: tf.nn.bias_add(x, b, data_format)  # noqa: E731
        back = lambda g: tf.raw_ops.BiasAddGrad(out_backprop=g, data_format=data_format)  # noqa: E731
        assert not differences(add, [x, bias], dynamic, exact=True)
        assert not differences(back, [x], dynamic)


HALVES = {
    "sum": lambda x: [tf.reduce_sum(x, axis) for axis in (0, 1, None)],
    "mean": lambda x: [tf.reduce_mean(x, axis) for axis in (0, 1, None)],
    "max": lambda x: [tf.reduce_max(x, axis) for axis in (0, 1, None)],
    "min": lambda x: [tf.reduce_min(x, axis) for axis in (0, 1, None)],
    "product": lambda x: [tf.reduce_prod(x, axis) for axis in (0, 1, None)],
    "softmax": tf.nn.softmax,
    "log softmax": tf.nn.log_softmax,
    "half the squares": tf.nn.l2_loss,
    "norm": lambda x: tf.math.reduce_euclidean_norm(x, 1),
    "bias gradient": lambda x: tf.raw_ops.BiasAddGrad(out_backprop=x),
    "sparse cross entropy": lambda x: tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(
        features=x, labels=numbers(6)
    ),
    "bits": lambda x: tf.bitcast(x, tf.uint16) + 1,
}


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", HALVES)
def test_halves_are_rounded_once(name, dtype):
    x = tf.cast(normal(6, 40), dtype).numpy()
    function = lambda x: list(tf.nest.flatten(HALVES[name](x)))  # noqa: E731
    for dynamic in (False, name != "sparse cross entropy"):
        assert not differences(function, [x], dynamic)


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint16", "uint64"])
def test_means_of_integers_are_truncated(dtype):
    x = (normal(6, 40) * 30).astype(dtype)
    function = lambda x: [tf.reduce_mean(x, axis) for axis in (0, 1, None)]  # noqa: E731
    for dynamic in (False, True):
        assert not differences(function, [x], dynamic, exact=True)


def test_bits_of_numbers():
    x = normal(4, 40)
    function = lambda x: tf.bitcast(tf.bitcast(x * 2.0, tf.int32) | 1, tf.float32) + 1.0  # noqa: E731
    assert not differences(function, [x], True, exact=True)
    assert not differences(lambda x: tf.bitcast(x, tf.uint32) + 1, [numbers(9)], True, exact=True)


def test_evenly_spaced_numbers():
    cases = [
        lambda x: tf.linspace(x[0], x[1], 7) * 2.0,
        lambda x: tf.raw_ops.LinSpace(start=x[0], stop=x[1], num=40) * 2.0,
    ]
    for function in cases:
        assert not differences(function, [normal(2)], False, exact=True)


def test_arithmetic_on_sizes():
    cases = [
        lambda x: tf.range(tf.shape(x)[0] + 2) * 2,
        lambda x: tf.range(tf.shape(x)[0] - 2) * 2,
        lambda x: tf.range(tf.minimum(tf.shape(x)[0], tf.shape(x)[1])) * 2,
        lambda x: tf.range(tf.maximum(tf.shape(x)[0], 7)) * 2,
        lambda x: tf.reshape(x * 2.0, [tf.shape(x)[0] * tf.shape(x)[1], -1]) + 1.0,
        lambda x: tf.tile(x, [3, 2]) * 2.0,
    ]
    for function in cases:
        for shape in [(4, 5), (5, 3)]:
            assert not differences(function, [normal(*shape)], True, exact=True)


@pytest.mark.parametrize("batch", [0, None])
def test_of_no_elements_the_mean_is_zero(batch):
    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([batch, 2, 2, 3])])
    def moments(x):
        one = tf.ones([3])
        with tf.GradientTape() as tape:
            tape.watch(one)
            y, *_, mean, variance, _ = tf.raw_ops.FusedBatchNormV3(
                x=x, scale=one, offset=one, mean=tf.zeros([0]), variance=tf.zeros([0])
            )
        return mean, variance, tape.gradient(y, one)

    for found in moments(tf.zeros([0, 2, 2, 3])):
        assert found.numpy().tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("channels", [1, 3, 11])
@pytest.mark.parametrize("radius", [0, 2, 5])
def test_local_response(radius, channels, dynamic):
    function = lambda x: tf.nn.local_response_normalization(x, radius, 1.5, 0.7, 0.6)  # noqa: E731

    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.sin(function(x)))
        return tape.gradient(y, x)

    x = normal(2, 3, 2, channels)
    assert not differences(function, [x], dynamic)
    assert not differences(function, [x.astype(np.float16)], dynamic)
    assert not differences(gradient, [x], dynamic)
