"""A small convolutional network whose training step is one graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import graphwright as tf
from graphwright.demo.digits import CLASSES, SIDE, DigitSet


class Network(tf.Module):
    """Two convolutions of 3x3, the maximum of each 2x2 pixels, then a score for each digit.

    `traced` has the types of the arguments at each trace of `train_step`. Python runs only while
    tracing, so a list to which a function appends shows each trace.
    """

    def __init__(self, filters: int, rate: float, seed: int = 0) -> None:
        super().__init__()
        random = np.random.RandomState(seed)

        def weights(*shape: int) -> tf.Variable:
            scale = np.sqrt(2 / np.prod(shape[:-1]))
            return tf.Variable(random.normal(0, scale, shape), dtype=tf.float32)

        self.edges = weights(3, 3, 1, filters)
        self.edges_bias = tf.Variable(tf.zeros([filters]))
        self.shapes = weights(3, 3, filters, 2 * filters)
        self.shapes_bias = tf.Variable(tf.zeros([2 * filters]))
        self.digits = weights((SIDE // 2) ** 2 * 2 * filters, CLASSES)
        self.digits_bias = tf.Variable(tf.zeros([CLASSES]))
        self.optimizer = tf.optimizers.SGD(rate, momentum=0.9)
        self.optimizer.build(self.trainable_variables)
        self.traced: list[dict[str, str]] = []

    def scores(self, images: tf.Tensor) -> Any:
        """A score `[n, 10]` for each digit, for images `[n, 8, 8, 1]`."""
        x = tf.nn.relu(tf.nn.conv2d(images, self.edges, 1, "SAME") + self.edges_bias)
        x = tf.nn.relu(tf.nn.conv2d(x, self.shapes, 1, "SAME") + self.shapes_bias)
        x = tf.nn.max_pool2d(x, 2, 2, "VALID")
        return tf.matmul(tf.reshape(x, [tf.shape(x)[0], -1]), self.digits) + self.digits_bias

    @tf.function
    def train_step(self, images: tf.Tensor, one_hot: tf.Tensor) -> Any:
        """Makes one step of gradient descent; the loss (mean cross-entropy) before it."""
        self.traced.append({"images": describe(images), "one_hot": describe(one_hot)})
        with tf.GradientTape() as tape:
            losses = tf.nn.softmax_cross_entropy_with_logits(one_hot, self.scores(images))
            loss = tf.reduce_mean(losses)
        variables = self.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    @tf.function
    def read(self, images: tf.Tensor) -> Any:
        """The digit with the highest score for each image."""
        return tf.argmax(self.scores(images), axis=1)

    def confusion(self, part: DigitSet) -> npt.NDArray[np.int64]:
        """How often each digit (row) was read as each digit (column): `[10, 10]`."""
        counts = np.zeros((CLASSES, CLASSES), np.int64)
        np.add.at(counts, (part.digits, self.read(tf.constant(part.images)).numpy()), 1)
        return counts


def describe(tensor: tf.Tensor) -> str:
    """A tensor's type in words: `float32 (64, 10)`."""
    return f"{tensor.dtype.name} {tensor.shape}"
