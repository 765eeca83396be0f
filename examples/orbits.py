"""An op of one's own, with its own gradient: where a planet is.

Kepler's equation, E - e sin E = M, has no closed solution. Newton's method solves it in a loop that
ends when all places are exact. The gradient needs no way back through that loop: at the solution
the implicit function theorem gives it in a line. So `tf.custom_gradient` makes an op of both, and
gradient descent finds a star's orbit from the light of its wobble, as planets of other stars are
found (radial velocities: Mayor and Queloz, "A Jupiter-mass companion to a solar-type star", 1995).

    python examples/orbits.py            # a second or two
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

import graphwright as tf

TRUE = {"period": 71.5, "eccentricity": 0.55, "passage": 20.0, "speed": 120.0, "turn": 0.9}
Numbers: TypeAlias = npt.NDArray[np.float64]


@tf.function
def solve(mean: tf.Tensor, eccentricity: tf.Tensor) -> tf.Tensor:
    """Solves Kepler's equation by Newton's method, from a guess."""
    angle = mean + eccentricity * tf.sin(mean)
    wrong = tf.ones_like(mean)
    while tf.reduce_max(tf.abs(wrong)) > 1e-12:
        wrong = angle - eccentricity * tf.sin(angle) - mean
        angle -= wrong / (1.0 - eccentricity * tf.cos(angle))
    return angle


@tf.custom_gradient
def anomaly(
    mean: tf.Tensor, eccentricity: tf.Tensor
) -> tuple[tf.Tensor, Callable[[tf.Tensor], tuple[tf.Tensor, tf.Tensor]]]:
    """The eccentric anomaly for mean anomalies, float64, and its gradient."""
    angle = solve(mean, eccentricity)

    def gradient(upstream: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """dE/dM = 1 / (1 - e cos E), dE/de = sin E / (1 - e cos E)."""
        share = upstream / (1.0 - eccentricity * tf.cos(angle))
        return share, tf.reduce_sum(share * tf.sin(angle))

    return angle, gradient


def velocity(
    times: tf.Tensor,
    period: tf.Tensor,
    eccentricity: tf.Tensor,
    passage: tf.Tensor,
    speed: tf.Tensor,
    turn: tf.Tensor | tf.Variable,
) -> tf.Tensor:
    """How fast a star comes or goes at some times, because a planet moves it."""
    mean = 2.0 * np.pi * (times - passage) / period
    half = anomaly(mean, eccentricity) / 2.0
    stretch = tf.sqrt((1.0 + eccentricity) / (1.0 - eccentricity))
    place = 2.0 * tf.atan2(stretch * tf.sin(half), tf.cos(half))
    return speed * (tf.cos(place + turn) + eccentricity * tf.cos(turn))


class Orbit(tf.Module):
    """The five numbers of an orbit, as variables that may take any value."""

    def __init__(
        self, period: float, eccentricity: float, passage: float, speed: float, turn: float
    ) -> None:
        super().__init__()
        self.period = tf.Variable(np.log(period), dtype=tf.float64)
        shape = np.log(eccentricity / (1 - eccentricity))
        self.shape = tf.Variable(shape, dtype=tf.float64)
        self.passage = tf.Variable(passage / period, dtype=tf.float64)
        self.speed = tf.Variable(np.log(speed), dtype=tf.float64)
        self.turn = tf.Variable(turn, dtype=tf.float64)

    def numbers(self) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor, tf.Variable]:
        """Period, eccentricity, passage, speed and turn."""
        period = tf.exp(self.period)
        shape = tf.sigmoid(self.shape)
        return period, shape, self.passage * period, tf.exp(self.speed), self.turn


@tf.function
def fit(
    orbit: Orbit,
    optimizer: tf.optimizers.Optimizer,
    times: tf.Tensor,
    speeds: tf.Tensor,
    steps: tf.Tensor,
) -> tf.Tensor:
    """Takes steps down the slope of the mean squared error; the last error's root."""
    loss = tf.constant(0.0, tf.float64)
    for _ in tf.range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(velocity(times, *orbit.numbers()) - speeds))
        variables = orbit.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return tf.sqrt(loss)


def chart(times: Numbers, speeds: Numbers, orbit: Orbit) -> None:
    """Prints the measured speeds (o) and the orbit's (.) over one period."""
    period, _, _, speed, _ = (float(number) for number in orbit.numbers())
    rows, columns = 15, 72
    page = [[" "] * columns for _ in range(rows)]
    line = np.arange(columns) * period / columns

    def put(when: Numbers, speeds: Numbers, sign: str) -> None:
        for moment, now in zip(when, speeds):
            height = round((1 - now / (1.7 * speed)) * (rows - 1) / 2)
            page[min(max(height, 0), rows - 1)][int(moment % period / period * columns)] = sign

    put(line, velocity(tf.constant(line), *orbit.numbers()).numpy(), ".")
    put(times, speeds, "o")
    print("\n".join("".join(row).rstrip() for row in page))


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--steps", type=int, default=500)
    options = parser.parse_args()

    random = np.random.RandomState(0)
    times = tf.constant(np.sort(random.uniform(0, 400, 60)))
    true = [tf.constant(number, tf.float64) for number in TRUE.values()]
    speeds = velocity(times, *true) + tf.constant(random.normal(0, 4, 60))

    orbit = Orbit(period=70.0, eccentricity=0.3, passage=15.0, speed=100.0, turn=0.5)
    optimizer = tf.optimizers.Adam(0.01)
    started = time.perf_counter()
    for _ in range(5):
        error = fit(orbit, optimizer, times, speeds, tf.constant(options.steps // 5))
        print(f"the speeds are wrong by {float(error):7.3f} m/s")
    seconds = time.perf_counter() - started
    chart(times.numpy(), speeds.numpy(), orbit)
    for (name, number), fitted in zip(TRUE.items(), orbit.numbers()):
        print(f"{name:12} {float(fitted):8.3f}, in truth {number}")
    print(f"{options.steps} steps in {seconds:.2f} s")


if __name__ == "__main__":
    main()
