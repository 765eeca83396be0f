"""A variational autoencoder draws digits that nobody wrote.

An encoder says of a picture which codes it may have come from: a normal distribution over a few
numbers. A decoder draws a picture from a code. Both learn at once: the picture must come back, and
all codes together must be near one standard normal distribution. So a code at random is a digit
(Kingma and Welling, "Auto-Encoding Variational Bayes", 2013).

    python examples/autoencoder.py                      # some seconds
    python examples/autoencoder.py --png drawn.png      # writes what it draws as a PNG
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

import graphwright as tf
from graphwright.demo.digits import BRIGHTEST, SIDE, read

PIXELS = SIDE * SIDE
SHADES = " .:-=+*#%@"
Activation: TypeAlias = Callable[[tf.Tensor], tf.Tensor]
Pixels: TypeAlias = npt.NDArray[np.float32]


class Dense(tf.Module):
    """A layer: a matrix and a bias, made when the first input says how wide it is."""

    def __init__(self, units: int, activation: Activation = tf.identity) -> None:
        super().__init__()
        self.units, self.activation = units, activation
        self.matrix: tf.Variable | None = None

    @tf.Module.with_name_scope
    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        if self.matrix is None:
            width = x.shape[-1]
            assert width is not None
            start = tf.random.stateless_normal([width, self.units], [width, self.units])
            self.matrix = tf.Variable(start * (2.0 / width) ** 0.5, name="matrix")
            self.bias = tf.Variable(tf.zeros([self.units]), name="bias")
        return self.activation(x @ self.matrix + self.bias)


class Autoencoder(tf.Module):
    """The encoder and the decoder."""

    def __init__(self, codes: int, units: int) -> None:
        super().__init__()
        self.codes = codes
        self.encoder = [Dense(units, tf.nn.relu), Dense(units, tf.nn.relu), Dense(2 * codes)]
        self.decoder = [Dense(units, tf.nn.relu), Dense(units, tf.nn.relu), Dense(PIXELS)]

    def encode(self, pictures: tf.Tensor) -> list[tf.Tensor]:
        """The means of the codes of pictures, and the logarithms of their variances."""
        for layer in self.encoder:
            pictures = layer(pictures)
        return tf.split(pictures, 2, axis=-1)

    def decode(self, codes: tf.Tensor) -> tf.Tensor:
        """The pixels for codes, as logits."""
        for layer in self.decoder:
            codes = layer(codes)
        return codes

    def draw(self, count: int, seed: list[int]) -> tf.Tensor:
        """Pictures for so many codes at random, pixels from 0 to 1."""
        return tf.sigmoid(self.decode(tf.random.stateless_normal([count, self.codes], seed)))

    def loss(self, pictures: tf.Tensor, noise: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """How badly pictures come back, and how far their codes are from a standard normal."""
        mean, log_variance = self.encode(pictures)
        logits = self.decode(mean + tf.exp(log_variance / 2) * noise)
        wrong = tf.nn.sigmoid_cross_entropy_with_logits(labels=pictures, logits=logits)
        away = (tf.square(mean) + tf.exp(log_variance) - log_variance - 1) / 2
        return tf.reduce_mean(tf.reduce_sum(wrong, -1)), tf.reduce_mean(tf.reduce_sum(away, -1))


@tf.function
def train_step(
    model: Autoencoder, optimizer: tf.optimizers.Optimizer, pictures: tf.Tensor, noise: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor]:
    """One step; the two parts of the loss."""
    with tf.GradientTape() as tape:
        wrong, away = model.loss(pictures, noise)
        loss = wrong + away
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return wrong, away


def batches(pixels: Pixels, size: int, codes: int, epochs: int) -> tf.data.Dataset:
    """Batches of pictures, each with the noise for its codes."""
    pictures = tf.data.Dataset.from_tensor_slices(pixels)
    pictures = pictures.shuffle(2000, seed=1).batch(size, drop_remainder=True).repeat(epochs)
    seeds = tf.data.Dataset.counter().map(lambda i: tf.stack([i, 7]))
    noise = seeds.map(lambda seed: tf.random.stateless_normal([size, codes], seed))
    return tf.data.Dataset.zip(pictures, noise).prefetch(2)


def mosaic(pictures: tf.Tensor, columns: int) -> Pixels:
    """Pictures `[n, 64]` side by side, in so many columns: an array of rows of pixels."""
    space = tf.pad(tf.reshape(pictures, [-1, SIDE, SIDE]), [[0, 0], [0, 1], [0, 1]])
    rows = tf.transpose(tf.reshape(space, [-1, columns, SIDE + 1, SIDE + 1]), [0, 2, 1, 3])
    return tf.reshape(rows, [-1, columns * (SIDE + 1)]).numpy()


def show(pixels: Pixels) -> None:
    """Prints an array of pixels from 0 to 1."""
    for row in pixels:
        print("".join(2 * SHADES[int(pixel * (len(SHADES) - 1) + 0.5)] for pixel in row).rstrip())


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--codes", type=int, default=8)
    parser.add_argument("--units", type=int, default=128)
    parser.add_argument("--png", help="where to write the drawn digits")
    options = parser.parse_args()

    pictures = read()[0].reshape(-1, PIXELS) / BRIGHTEST
    model = Autoencoder(options.codes, options.units)
    optimizer = tf.optimizers.Adam(1e-3)
    started, count, steps = time.perf_counter(), 0, len(pictures) // 64
    wrong = away = tf.constant(0.0)
    for batch, noise in batches(pictures.astype("float32"), 64, options.codes, options.epochs):
        wrong, away = train_step(model, optimizer, batch, noise)
        if count % (steps * max(1, options.epochs // 6)) == 0:
            print(f"epoch {count // steps:3}: {wrong:6.2f} nats to draw, {away:5.2f} for the code")
        count += 1
    seconds = time.perf_counter() - started
    print(f"{count} steps in {seconds:.1f} s; {wrong:.2f} and {away:.2f} nats at the end")

    show(mosaic(model.draw(8, seed=[2, 3]), 4))
    if options.png:
        pixels = mosaic(model.draw(64, seed=[4, 5]), 8)
        large = tf.image.resize(pixels[..., None] * 255, [576, 576], "nearest")
        tf.io.write_file(options.png, tf.io.encode_png(tf.cast(large, tf.uint8)))


if __name__ == "__main__":
    main()
