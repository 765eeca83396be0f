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
    """The base of functions from the step to the learning rate.

    >>> import graphwright as tf
    >>> class Halving(tf.optimizers.schedules.LearningRateSchedule):
    ...     def __call__(self, step):
    ...         return 0.5 ** tf.cast(step, tf.float32)
    >>> optimizer = tf.optimizers.SGD(Halving())
    >>> optimizer.learning_rate.numpy()
    np.float32(1.0)
    """

    def __call__(self, step: TensorLike) -> Any:
        """Returns the learning rate at a step.

        Args:
            step: A scalar: the number of steps taken so far.

        Returns:
            A scalar of float32.
        """
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
    """Exponential decay: initial_learning_rate * decay_rate ** (step / decay_steps).

    Args:
        initial_learning_rate: A float: the learning rate at step 0.
        decay_steps: An int above 0: the length of a period.
        decay_rate: A float.
        staircase: A bool: whether only whole periods count.
        name: A string, which has no effect.

    Raises:
        ValueError: `decay_steps` is not above 0.

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
    """Inverse time decay: initial_learning_rate / (1 + decay_rate * step / decay_steps).

    Args:
        initial_learning_rate: A float: the learning rate at step 0.
        decay_steps: An int above 0: the length of a period.
        decay_rate: A float.
        staircase: A bool: whether only whole periods count.
        name: A string, which has no effect.

    Raises:
        ValueError: `decay_steps` is not above 0.

    >>> import graphwright as tf
    >>> float(tf.optimizers.schedules.InverseTimeDecay(8.0, 10, 0.5)(20))
    4.0
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
    """Polynomial decay: from one rate to another along (1 - step / decay_steps) ** power.

    Args:
        initial_learning_rate: A float: the learning rate at step 0.
        decay_steps: An int above 0: the length of a period.
        end_learning_rate: A float: the learning rate at the end of the period, and after it.
        power: A float.
        cycle: A bool: whether it starts over at the end, each time with a longer period.
        name: A string, which has no effect.

    Raises:
        ValueError: `decay_steps` is not above 0.

    >>> import graphwright as tf
    >>> float(tf.optimizers.schedules.PolynomialDecay(8.0, 10, 0.0)(5))
    4.0
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
    """Constant pieces: values[0] up to step boundaries[0], values[1] up to boundaries[1], ...

    Args:
        boundaries: Steps in ascending order, each the last of its value.
        values: Learning rates, one more than boundaries: the last one holds after them.
        name: A string, which has no effect.

    Raises:
        ValueError: Their numbers do not go together.

    >>> import graphwright as tf
    >>> rate = tf.optimizers.schedules.PiecewiseConstantDecay([10], [0.5, 0.25])
    >>> float(rate(10)), float(rate(11))
    (0.5, 0.25)
    """

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
    """Half a cosine from a rate down to a fraction of it, perhaps after a straight line up.

    Args:
        initial_learning_rate: A float: the learning rate at step 0.
        decay_steps: An int above 0: the length of the cosine.
        alpha: A float: the fraction of the highest rate at the end.
        name: A string, which has no effect.
        warmup_target: A float: where the straight line leads, and the cosine begins. None means no
            line.
        warmup_steps: An int: the length of the line.

    Raises:
        ValueError: `decay_steps` is not above 0.

    Source:
        Loshchilov, Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts" (2016).

    >>> import graphwright as tf
    >>> float(tf.optimizers.schedules.CosineDecay(8.0, 10)(5))
    4.0
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
        """Returns the learning rate along the cosine.

        Args:
            step: A scalar: the number of steps from its start.
            start: A float: the learning rate there.

        Returns:
            A scalar of float32.
        """
        fraction = minimum(step, float(self.decay_steps)) / self.decay_steps
        height = 0.5 * (1.0 + cos(math.pi * fraction))
        return start * ((1.0 - self.alpha) * height + self.alpha)
