"""Keras trains two rivals: one network makes points, another tells them from those of a ring.

A generative adversarial network with a `train_step` of its own: two optimizers, two tapes, and one
graph for both. The points that it makes in the end lie near the ring, and on all sides of it.

Source: Goodfellow et al., "Generative Adversarial Networks", arXiv:1406.2661.

Needs Keras 3 (`pip install keras`).

    python examples/keras_rivals.py            # some seconds
"""

from __future__ import annotations

import argparse

import numpy as np

import graphwright as tf

keras = tf.keras
layers = keras.layers

NOISE = 4  # numbers that a point is made of


def ring(count):
    """Points `[count, 2]` near the circle of radius 1."""
    numbers = np.random.default_rng(0)
    angle, radius = numbers.uniform(0, 2 * np.pi, count), numbers.normal(1.0, 0.05, count)
    return (radius * np.stack([np.cos(angle), np.sin(angle)])).T.astype("float32")


class Rivals(keras.Model):
    """A maker of points and their judge."""

    def __init__(self):
        super().__init__()
        self.maker = keras.Sequential(
            [keras.Input((NOISE,)), layers.Dense(32, "relu"), layers.Dense(32, "relu"),
             layers.Dense(2)]
        )  # fmt: skip
        self.judge = keras.Sequential(
            [keras.Input((2,)), layers.Dense(64), layers.LeakyReLU(), layers.Dense(64),
             layers.LeakyReLU(), layers.Dense(1)]
        )  # fmt: skip
        self.random = keras.random.SeedGenerator(1)

    def compile(self, makers_optimizer, judges_optimizer):
        super().compile()
        self.makers_optimizer, self.judges_optimizer = makers_optimizer, judges_optimizer
        self.loss_of = keras.losses.BinaryCrossentropy(from_logits=True)
        self.makers_loss = keras.metrics.Mean("maker")
        self.judges_loss = keras.metrics.Mean("judge")

    @property
    def metrics(self):
        return [self.makers_loss, self.judges_loss]

    def noise(self, count):
        return keras.random.normal((count, NOISE), seed=self.random)

    def train_step(self, points):
        count = tf.shape(points)[0]
        with tf.GradientTape() as tape:
            made = self.maker(self.noise(count), training=True)
            verdicts = self.judge(tf.concat([points, made], 0), training=True)
            truth = tf.concat([tf.ones([count, 1]), tf.zeros([count, 1])], 0)
            judges_loss = self.loss_of(truth, verdicts)
        self.apply(tape, judges_loss, self.judge, self.judges_optimizer)
        with tf.GradientTape() as tape:
            verdicts = self.judge(self.maker(self.noise(count), training=True), training=True)
            makers_loss = self.loss_of(tf.ones_like(verdicts), verdicts)
        self.apply(tape, makers_loss, self.maker, self.makers_optimizer)
        self.makers_loss.update_state(makers_loss)
        self.judges_loss.update_state(judges_loss)
        return {metric.name: metric.result() for metric in self.metrics}

    @staticmethod
    def apply(tape, loss, network, optimizer):
        weights = network.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--epochs", type=int, default=60)
    options = parser.parse_args()
    keras.utils.set_random_seed(0)
    points = tf.data.Dataset.from_tensor_slices(ring(2048)).shuffle(2048, 1)
    points = points.batch(128, drop_remainder=True)
    model = Rivals()
    model.compile(keras.optimizers.Adam(2e-3, 0.5), keras.optimizers.Adam(2e-3, 0.5))
    before = model.maker(model.noise(1000)).numpy()
    history = model.fit(points, epochs=options.epochs, shuffle=False, verbose=0).history
    after = model.maker(model.noise(1000)).numpy()
    print(f"losses at the end: maker {history['maker'][-1]:.3f}, judge {history['judge'][-1]:.3f}")
    for name, made in (("before", before), ("after", after)):
        distance = np.abs(np.linalg.norm(made, axis=1) - 1.0).mean()
        sides = len(set(np.floor(np.arctan2(made[:, 1], made[:, 0]) / (np.pi / 4)).tolist()))
        print(f"{name}: {distance:.2f} from the ring, on {sides} of its 8 sides")


if __name__ == "__main__":
    main()
