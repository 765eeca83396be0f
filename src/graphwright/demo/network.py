"""A small network whose training step is one graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import graphwright as tf
from graphwright.demo.digits import CLASSES, PIXELS, Part


class Network:
    """A hidden layer of rectified units, then a softmax over the digits.

    `traced` lists the types of the arguments at each trace of `train_step`: Python runs while
    tracing only, so what a function appends to a list tells when it was traced.
    """

    def __init__(self, hidden: int, rate: float, seed: int = 0) -> None:
        random = np.random.RandomState(seed)

        def weights(inputs: int, outputs: int) -> tf.Variable:
            scale = np.sqrt(2 / inputs)
            return tf.Variable(random.normal(0, scale, (inputs, outputs)), dtype=tf.float32)

        self.rate = rate
        self.inner = weights(PIXELS, hidden)
        self.inner_bias = tf.Variable(tf.zeros([hidden]))
        self.outer = weights(hidden, CLASSES)
        self.outer_bias = tf.Variable(tf.zeros([CLASSES]))
        self.traced: list[dict[str, str]] = []

    @property
    def variables(self) -> list[tf.Variable]:
        """What training changes."""
        return [self.inner, self.inner_bias, self.outer, self.outer_bias]

    def scores(self, images: Any) -> Any:
        """A score `[n, 10]` for each digit, for images `[n, 64]`."""
        hidden = tf.nn.relu(tf.matmul(images, self.inner) + self.inner_bias)
        return tf.matmul(hidden, self.outer) + self.outer_bias

    @tf.function
    def train_step(self, images: Any, one_hot: Any) -> Any:
        """One step of gradient descent; the loss (mean cross-entropy) before it."""
        self.traced.append({"images": describe(images), "one_hot": describe(one_hot)})
        with tf.GradientTape() as tape:
            losses = tf.nn.softmax_cross_entropy_with_logits(one_hot, self.scores(images))
            loss = tf.reduce_mean(losses)
        for variable, slope in zip(self.variables, tape.gradient(loss, self.variables)):
            variable.assign_sub(self.rate * slope)
        return loss

    def accuracy(self, part: Part) -> float:
        """The share of the images whose digit gets the highest score."""
        scores: npt.NDArray[np.float32] = self.scores(tf.constant(part.images)).numpy()
        return float(np.mean(scores.argmax(axis=1) == part.digits))


def describe(tensor: tf.Tensor) -> str:
    """A tensor's type in words: `float32 (64, 10)`."""
    return f"{tensor.dtype.name} {tensor.shape}"
