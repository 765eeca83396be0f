"""Learning rates that change with the step, with Keras's names and formulas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from graphwright.ops.core.casting import cast
from graphwright.ops.core.indexing import where
from graphwright.ops.math.arithmetic import minimum
from graphwright.ops.math.comparison import equal, less, less_equal
from graphwright.ops.math.rounding import ceil, floor
from graphwright.ops.math.transcendental import pow as power_of
from graphwright.ops.math.trigonometric import cos
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.types.dtypes import float32
from graphwright.values.convert import convert


class LearningRateSchedule:
    """A function from the step, a scalar, to the learning rate."""

    def __call__(self, step: TensorLike) -> Any:
        raise NotImplementedError(
            f"Learning rate schedule '{type(self).__name__}' must override `__call__(self, step)`."
        )


def progress(step: TensorLike, decay_steps: float, staircase: bool = False) -> Any:
    """The number of periods so far, as float32; rounded down with `staircase`."""
    periods = cast(step, float32) / decay_steps
    return floor(periods) if staircase else periods


def check_positive(name: str, value: float) -> None:
    """Raises ValueError unless the value is above zero."""
    if value <= 0:
        raise ValueError(f"Argument `{name}` must be > 0. Received: {name}={value}")


class ExponentialDecay(LearningRateSchedule):
    """initial_learning_rate * decay_rate ** (step / decay_steps).

    With `staircase` the exponent is rounded down.

    >>> import graphwright as tf
    >>> float(tf.optimizers.schedules.ExponentialDecay(8.0, 10, 0.5)(20))
    2.0
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: int,
        decay_rate: float,
        staircase: bool = False,
        name: str = "ExponentialDecay",
    ) -> None:
        check_positive("decay_steps", decay_steps)
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.decay_rate = decay_rate
        self.staircase = staircase
        self.name = name

    def __call__(self, step: TensorLike) -> Any:
        periods = progress(step, self.decay_steps, self.staircase)
        return self.initial_learning_rate * power_of(self.decay_rate, periods)


class InverseTimeDecay(LearningRateSchedule):
    """initial_learning_rate / (1 + decay_rate * step / decay_steps).

    With `staircase` the quotient is rounded down.
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: int,
        decay_rate: float,
        staircase: bool = False,
        name: str = "InverseTimeDecay",
    ) -> None:
        check_positive("decay_steps", decay_steps)
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.decay_rate = decay_rate
        self.staircase = staircase
        self.name = name

    def __call__(self, step: TensorLike) -> Any:
        periods = progress(step, self.decay_steps, self.staircase)
        return self.initial_learning_rate / (1.0 + self.decay_rate * periods)


class PolynomialDecay(LearningRateSchedule):
    """From `initial_learning_rate` to `end_learning_rate` along (1 - step / decay_steps) ** power.

    With `cycle` it starts over at the end, each time with a longer period.
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: int,
        end_learning_rate: float = 0.0001,
        power: float = 1.0,
        cycle: bool = False,
        name: str = "PolynomialDecay",
    ) -> None:
        check_positive("decay_steps", decay_steps)
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.end_learning_rate = end_learning_rate
        self.power = power
        self.cycle = cycle
        self.name = name

    def __call__(self, step: TensorLike) -> Any:
        steps = cast(step, float32)
        length: Any = float(self.decay_steps)
        if self.cycle:
            cycles = ceil(steps / length)
            length = length * where(equal(steps, 0.0), 1.0, cycles)
        left = 1.0 - minimum(steps, length) / length
        span = self.initial_learning_rate - self.end_learning_rate
        return span * power_of(left, self.power) + self.end_learning_rate


class PiecewiseConstantDecay(LearningRateSchedule):
    """values[0] up to step boundaries[0], values[1] up to boundaries[1], ..., values[-1] after."""

    def __init__(
        self,
        boundaries: Sequence[float],
        values: Sequence[float],
        name: str = "PiecewiseConstant",
    ) -> None:
        if len(boundaries) != len(values) - 1:
            raise ValueError(
                "The length of boundaries should be 1 less than the length of values. Received: "
                f"boundaries={boundaries} of length {len(boundaries)}, and values={values} of "
                f"length {len(values)}."
            )
        self.boundaries = list(boundaries)
        self.values = list(values)
        self.name = name

    def __call__(self, step: TensorLike) -> Any:
        steps = convert(step)
        rate = convert(float(self.values[-1]), float32)
        for boundary, value in zip(reversed(self.boundaries), reversed(self.values[:-1])):
            rate = where(less_equal(steps, cast(boundary, steps.dtype)), float(value), rate)
        return rate


class CosineDecay(LearningRateSchedule):
    """Half a cosine from `initial_learning_rate` down to the fraction `alpha` of it.

    With `warmup_target`, the rate first rises to it from `initial_learning_rate`, in a straight
    line of `warmup_steps`. The cosine then falls from `warmup_target`.
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: int,
        alpha: float = 0.0,
        name: str = "CosineDecay",
        warmup_target: float | None = None,
        warmup_steps: int = 0,
    ) -> None:
        check_positive("decay_steps", decay_steps)
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.alpha = alpha
        self.name = name
        self.warmup_target = warmup_target
        self.warmup_steps = warmup_steps

    def __call__(self, step: TensorLike) -> Any:
        steps = cast(step, float32)
        if self.warmup_target is None:
            return self.decayed(steps, self.initial_learning_rate)
        first = self.initial_learning_rate
        rising = first + (self.warmup_target - first) * steps / max(self.warmup_steps, 1)
        falling = self.decayed(steps - float(self.warmup_steps), self.warmup_target)
        return where(less(steps, float(self.warmup_steps)), rising, falling)

    def decayed(self, step: TensorValue, start: float) -> Any:
        """The rate on a cosine from `start`, after so many steps."""
        fraction = minimum(step, float(self.decay_steps)) / self.decay_steps
        height = 0.5 * (1.0 + cos(math.pi * fraction))
        return start * ((1.0 - self.alpha) * height + self.alpha)
