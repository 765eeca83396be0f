"""Training of three models with any number of replicas: the losses, and the weights after it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

_STEPS, _BATCH = 4, 16

#: A model: its variables, and the losses of examples.
Model = tuple[list[Any], Callable[[Any, Any], Any]]


def linear(tf: Any, random: np.random.Generator) -> Model:
    """A line through examples, with decay by hand."""
    w = tf.Variable(random.normal(size=[8, 1]).astype(np.float32))
    return [w], lambda x, y: tf.reduce_sum((tf.reshape(x, [-1, 64])[:, :8] @ w - y) ** 2, 1)


def layers(tf: Any, random: np.random.Generator) -> Model:
    """A perceptron of three layers."""
    sizes = [64, 32, 16, 1]
    weights = [
        tf.Variable(0.3 * random.normal(size=[a, b]).astype(np.float32))
        for a, b in itertools.pairwise(sizes)
    ]
    biases = [tf.Variable(tf.zeros([b])) for b in sizes[1:]]

    def losses(x: Any, y: Any) -> Any:
        for w, b in zip(weights, biases):
            x = tf.tanh(tf.reshape(x, [-1, w.shape[0]]) @ w + b)
        return tf.reduce_sum((x - y) ** 2, 1)

    return [*weights, *biases], losses


def convolutions(tf: Any, random: np.random.Generator) -> Model:
    """Two convolutions and a mean."""
    first = tf.Variable(0.4 * random.normal(size=[3, 3, 1, 4]).astype(np.float32))
    last = tf.Variable(0.4 * random.normal(size=[3, 3, 4, 1]).astype(np.float32))

    def losses(x: Any, y: Any) -> Any:
        x = tf.nn.relu(tf.nn.conv2d(tf.reshape(x, [-1, 8, 8, 1]), first, 1, "SAME"))
        x = tf.nn.conv2d(x, last, 1, "SAME")
        return tf.reduce_sum((tf.reduce_mean(x, [1, 2]) - y) ** 2, 1)

    return [first, last], losses


MODELS = {
    "linear": (linear, lambda tf: tf.optimizers.SGD(0.01)),
    "layers": (layers, lambda tf: tf.optimizers.Adam(0.01)),
    "convolutions": (convolutions, lambda tf: tf.optimizers.SGD(0.1, momentum=0.9)),
}


def train(tf: Any, name: str, strategy: Any) -> tuple[list[bytes], list[float]]:
    """The weights after some steps, as bytes, and the loss of each step."""
    make, optimizing = MODELS[name]
    random = np.random.default_rng(3)
    x = random.normal(size=[_STEPS * _BATCH, 64]).astype(np.float32)
    y = random.normal(size=[_STEPS * _BATCH, 1]).astype(np.float32)
    with strategy.scope():
        variables, losses = make(tf, random)
        optimizer = optimizing(tf)
    data = strategy.experimental_distribute_dataset(
        tf.data.Dataset.from_tensor_slices((x, y)).batch(_BATCH)
    )

    def replica_step(batch: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(losses(*batch)) / _BATCH
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    @tf.function(jit_compile=True)  # no tier changes on the way
    def step(batch: Any) -> Any:
        return strategy.reduce("SUM", strategy.run(replica_step, args=(batch,)), axis=None)

    results = [float(step(batch)) for batch in data]
    return [v.numpy().tobytes() for v in variables], results
