"""Models that become libraries: a network, a network over images, and a loop of any length."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import graphwright as tf


class LibraryModel(NamedTuple):
    """A traced function, and arguments of several sizes."""

    concrete: Any
    calls: list[list[Any]]


def numbers(*shape: int, seed: int = 0) -> Any:
    """Random numbers about 0."""
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def network() -> LibraryModel:
    """Two dense layers, for any number of rows."""
    layers = [
        (tf.Variable(numbers(12, 40, seed=1)), tf.Variable(numbers(40, seed=2))),
        (tf.Variable(numbers(40, 7, seed=3)), tf.Variable(numbers(7, seed=4))),
    ]

    def predict(x: Any) -> Any:
        (first, first_bias), (second, second_bias) = layers
        hidden = tf.nn.relu(x @ first + first_bias)
        scores = hidden @ second + second_bias
        return {"probabilities": tf.nn.softmax(scores), "label": tf.argmax(scores, -1)}

    concrete = traced(predict, tf.TensorSpec([None, 12], name="x"))
    return LibraryModel(concrete, [[numbers(rows, 12)] for rows in (1, 3, 8, 65)])


def images() -> LibraryModel:
    """Convolutions of all kinds and pooling, for any number of images."""
    filters = tf.Variable(numbers(3, 3, 2, 6, seed=1))
    each = tf.Variable(numbers(3, 3, 6, 2, seed=2))
    grouped = tf.Variable(numbers(2, 2, 6, 4, seed=3))
    wide = tf.Variable(numbers(16, 5, seed=4))

    def predict(x: Any) -> Any:
        y = tf.nn.relu(tf.nn.conv2d(x, filters, 1, "SAME"))
        y = tf.nn.max_pool2d(y, 3, 2, "SAME")
        y = tf.nn.depthwise_conv2d(y, each, [1, 2, 2, 1], "SAME", dilations=[1, 1])
        y = tf.nn.conv2d(y, grouped, 1, [[0, 0], [1, 0], [0, 1], [0, 0]])
        y = tf.nn.avg_pool2d(y, 2, 1, "VALID")
        return tf.reshape(y, [-1, 16]) @ wide

    concrete = traced(predict, tf.TensorSpec([None, 9, 10, 2], name="x"))
    return LibraryModel(concrete, [[numbers(count, 9, 10, 2)] for count in (1, 2, 5)])


def sequences() -> LibraryModel:
    """A loop over time that collects its states, for any length and number of sequences."""
    inner, outer = tf.Variable(numbers(5, 5, seed=1)), tf.Variable(numbers(3, 5, seed=2))

    def predict(x: Any, state: Any) -> Any:
        length = tf.shape(x)[1]
        states = tf.TensorArray(tf.float32, length)
        for i in tf.range(length):
            state = tf.tanh(x[:, i] @ outer + state @ inner)
            states = states.write(i, state)
        return tf.transpose(states.stack(), [1, 0, 2]), state

    specs = tf.TensorSpec([None, None, 3]), tf.TensorSpec([None, 5])
    calls = [[numbers(rows, n, 3), numbers(rows, 5)] for rows, n in ((1, 1), (2, 7), (9, 30))]
    return LibraryModel(traced(predict, *specs), calls)


def traced(function: Any, *specs: tf.TensorSpec) -> Any:
    """A trace that is machine code from its first call on."""
    return tf.function(function, jit_compile=True).get_concrete_function(*specs)


MODELS = {"network": network, "images": images, "sequences": sequences}
