"""Fit a differential equation to data: the loop is the model.

The Hudson's Bay Company counted the pelts of hares and lynxes that trappers brought it each year
(thousands; C. G. Hewitt, The Conservation of the Wild Life of Canada, 1921). Lotka and Volterra say
why both rise and fall:

    d hares / dt = (a - b lynxes) hares        d lynxes / dt = (d hares - c) lynxes

From guesses of a, b, c, d and of the first year's herds, gradient descent finds those that explain
the counts. Each prediction integrates the equation with steps as long as the error allows
(Bogacki and Shampine 1989): a `tf.while_loop` of an unknown number of iterations inside another
one over the years, and the gradient goes back through both.

    python examples/predators.py            # some seconds
"""

import argparse
import time

import numpy as np

import graphwright as tf

YEARS = range(1900, 1921)
HARES: list[float] = [30, 47.2, 70.2, 77.4, 36.3, 20.6, 18.1, 21.4, 22, 25.4, 27.1, 40.3, 57, 76.6,
                      52.3, 19.5, 11.2, 7.6, 14.6, 16.2, 24.7]  # fmt: skip
LYNXES: list[float] = [4, 6.1, 9.8, 35.2, 59.4, 41.7, 19, 13, 8.3, 9.1, 7.4, 8, 12.3, 19.5, 45.7,
                       51.1, 29.7, 15.8, 9.7, 10.1, 8.6]  # fmt: skip

ERROR = 1e-4  # of one step of the integration, in logarithms of the herds


class Model(tf.Module):
    """The equation's constants, and the herds at the beginning: logarithms, so all is positive."""

    def __init__(self) -> None:
        super().__init__()
        self.growth = tf.Variable(np.log([0.4, 0.5]))  # a, c
        self.meetings = tf.Variable(np.log([0.02, 0.02]))  # b, d
        self.start = tf.Variable(np.log([HARES[0], LYNXES[0]]))

    def slope(self, herds: tf.Tensor) -> tf.Tensor:
        """The change of the herds' logarithms in a year."""
        signs = tf.constant([1.0, -1.0], tf.float64)
        others = tf.reverse(tf.exp(herds), [0])
        return signs * (tf.exp(self.growth) - tf.exp(self.meetings) * others)

    def step(self, herds: tf.Tensor, slope: tf.Tensor, h: tf.Tensor) -> tuple[tf.Tensor, ...]:
        """The herds after `h` years, the slope there, and how wrong that may be."""
        second = self.slope(herds + h / 2 * slope)
        third = self.slope(herds + h * 3 / 4 * second)
        after = herds + h / 9 * (2 * slope + 3 * second + 4 * third)
        last = self.slope(after)
        error = h * (-5 / 72 * slope + 1 / 12 * second + 1 / 9 * third - 1 / 8 * last)
        return after, last, tf.reduce_max(tf.abs(error))

    def year(self, herds: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """The herds a year later, and the steps that took."""

        def goes_on(left: tf.Tensor, *_: tf.Tensor) -> tf.Tensor:
            return left > 0

        def body(
            left: tf.Tensor, h: tf.Tensor, herds: tf.Tensor, slope: tf.Tensor, steps: tf.Tensor
        ) -> tuple[tf.Tensor, ...]:
            h = tf.minimum(h, left)
            after, last, error = self.step(herds, slope, h)
            good = error <= ERROR
            # How long steps are is a choice, not a part of the model: no gradient goes there.
            longer = 0.9 * tf.stop_gradient(ERROR / (error + 1e-12)) ** (1 / 3)
            return (
                tf.where(good, left - h, left),
                h * tf.clip_by_value(longer, 0.2, 5.0),
                tf.where(good, after, herds),
                tf.where(good, last, slope),
                steps + 1,
            )

        one = tf.constant(1.0, tf.float64)
        state = one, one / 4, herds, self.slope(herds), tf.constant(0)
        _, _, herds, _, steps = tf.while_loop(goes_on, body, state)
        return herds, steps

    def predict(self) -> tuple[tf.Tensor, tf.Tensor]:
        """The logarithms of the herds of every year `[years, 2]`, and all steps taken."""
        count = len(YEARS)

        def body(
            i: tf.Tensor, herds: tf.Tensor, steps: tf.Tensor, found: tf.TensorArray
        ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor, tf.TensorArray]:
            herds, taken = self.year(herds)
            return i + 1, herds, steps + taken, found.write(i, herds)

        first = tf.convert_to_tensor(self.start)
        found = tf.TensorArray(tf.float64, size=count).write(0, first)
        state = tf.constant(1), first, tf.constant(0), found
        _, _, steps, found = tf.while_loop(lambda i, *_: i < count, body, state)
        return found.stack(), steps


@tf.function
def train_step(
    model: Model, optimizer: tf.optimizers.Optimizer, counted: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor]:
    """One step down the slope; the mean squared error of logarithms, and the steps taken."""
    with tf.GradientTape() as tape:
        predicted, steps = model.predict()
        loss = tf.reduce_mean(tf.square(predicted - counted))
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return loss, steps


def chart(model: Model) -> None:
    """Counted hares (o) and lynxes (x) by the year, and what the equation says (.)."""
    predicted = tf.exp(model.predict()[0]).numpy()
    for year, hares, lynxes, herds in zip(YEARS, HARES, LYNXES, predicted):
        line = [" "] * 82
        for number in herds:
            line[min(round(number), len(line) - 1)] = "."
        line[round(lynxes)], line[round(hares)] = "x", "o"
        print(year, "".join(line).rstrip())


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--steps", type=int, default=150)
    steps = parser.parse_args().steps

    counted = tf.math.log(tf.constant(list(zip(HARES, LYNXES)), tf.float64))
    model = Model()
    rate = tf.optimizers.schedules.CosineDecay(0.2, steps)
    optimizer = tf.optimizers.Adam(rate, beta_2=0.99)
    optimizer.build(model.trainable_variables)
    started = time.perf_counter()
    for i in range(steps):
        loss, taken = train_step(model, optimizer, counted)
        if i % max(1, steps // 10) == 0 or i == steps - 1:
            print(f"step {i + 1:4}: error {float(loss):.4f}, {int(taken)} steps of integration")
    seconds = time.perf_counter() - started
    print(f"{seconds:.1f} s; traced {train_step.experimental_get_tracing_count()} time\n")

    (a, c), (b, d) = tf.exp(model.growth).numpy(), tf.exp(model.meetings).numpy()
    chart(model)
    print(f"\na = {a:.3f}, b = {b:.4f}, c = {c:.3f}, d = {d:.4f}")
    assert train_step.experimental_get_tracing_count() == 1


if __name__ == "__main__":
    main()
