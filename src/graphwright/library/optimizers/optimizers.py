"""Optimizers with Keras's names and formulas, so that programs train without Keras."""

from __future__ import annotations

from typing import Any

from graphwright.library.optimizers.base_optimizer import LearningRate, Optimizer
from graphwright.ops.core.casting import cast
from graphwright.ops.math.arithmetic import maximum
from graphwright.ops.math.transcendental import pow as power_of
from graphwright.ops.math.transcendental import sqrt, square
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.values.convert import convert
from graphwright.values.indexed_slices import IndexedSlices
from graphwright.values.variable import Variable


class SGD(Optimizer):
    """Gradient descent: variable -= learning_rate * gradient, with plain or Nesterov momentum.

    The other arguments are those of `tf.optimizers.Optimizer`.

    Args:
        learning_rate: A number, a `tf.optimizers.schedules.LearningRateSchedule`, or a function of
            no arguments.
        momentum: A float from 0 to 1: how much of the last step the next one keeps.
        nesterov: A bool: whether the gradient counts as if that much of the step were taken
            already.

    Raises:
        ValueError: `momentum` is no float from 0 to 1.

    Source:
        Nesterov, "A method for solving the convex programming problem with convergence rate
        O(1/k^2)" (1983).

    >>> import graphwright as tf
    >>> v = tf.Variable(1.0)
    >>> optimizer = tf.optimizers.SGD(learning_rate=0.5)
    >>> _ = optimizer.apply_gradients([(tf.constant(1.0), v)])
    >>> v.numpy()
    np.float32(0.5)
    """

    elementwise = True

    def __init__(
        self,
        learning_rate: LearningRate = 0.01,
        momentum: float = 0.0,
        nesterov: bool = False,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            learning_rate, weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema,
            ema_momentum, ema_overwrite_frequency, loss_scale_factor, gradient_accumulation_steps,
            name,
        )  # fmt: skip
        if not isinstance(momentum, float) or not 0 <= momentum <= 1:
            raise ValueError("`momentum` must be a float between [0, 1].")
        self.momentum = momentum
        self.nesterov = nesterov

    def slots(self) -> dict[str, float]:
        return {"momentum": 0.0} if self.momentum else {}

    def update_step(
        self, gradient: TensorLike, variable: Variable, learning_rate: TensorValue
    ) -> None:
        if not self.momentum and isinstance(gradient, IndexedSlices):
            rows = cast(gradient.values, variable.dtype) * learning_rate
            variable.scatter_sub(IndexedSlices(rows, gradient.indices))
            return
        step = cast(convert(gradient), variable.dtype) * learning_rate
        if not self.momentum:
            variable.assign_sub(step)
            return
        velocity = self.slot("momentum", variable)
        velocity.assign(velocity * self.momentum - step)
        variable.assign_add(velocity * self.momentum - step if self.nesterov else velocity)


class Adam(Optimizer):
    """Steps by the running mean of the gradient over the root of the mean of its square.

    A correction undoes the start of both means at zero. The other arguments are those of
    `tf.optimizers.Optimizer`.

    Args:
        learning_rate: A number, a `tf.optimizers.schedules.LearningRateSchedule`, or a function of
            no arguments.
        beta_1: A float: how much of the mean of gradients each step keeps.
        beta_2: A float: how much of the mean of their squares each step keeps.
        epsilon: A float that is added to the root.
        amsgrad: A bool: whether the second mean counts with its greatest value so far.

    Source:
        Kingma, Ba, "Adam: A Method for Stochastic Optimization" (2014), in the form before section
        2.1; Reddi et al., "On the Convergence of Adam and Beyond" (2018).

    >>> import graphwright as tf
    >>> v = tf.Variable(1.0)
    >>> _ = tf.optimizers.Adam(learning_rate=0.25).apply_gradients([(tf.constant(8.0), v)])
    >>> v.numpy()
    np.float32(0.75)
    """

    elementwise = True

    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            learning_rate, weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema,
            ema_momentum, ema_overwrite_frequency, loss_scale_factor, gradient_accumulation_steps,
            name,
        )  # fmt: skip
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.amsgrad = amsgrad

    def slots(self) -> dict[str, float]:
        names = ["momentum", "velocity", *(["velocity_hat"] if self.amsgrad else [])]
        return dict.fromkeys(names, 0.0)

    def update_step(
        self, gradient: TensorLike, variable: Variable, learning_rate: TensorValue
    ) -> None:
        dtype = variable.dtype
        dense = cast(convert(gradient), dtype)
        time = cast(self.iterations + 1, dtype)
        correction_1 = 1 - power_of(convert(self.beta_1, dtype), time)
        correction_2 = 1 - power_of(convert(self.beta_2, dtype), time)
        mean, spread = self.slot("momentum", variable), self.slot("velocity", variable)
        mean.assign_add((dense - mean) * (1 - self.beta_1))
        spread.assign_add((squared(gradient, dense) - spread) * (1 - self.beta_2))
        if self.amsgrad:
            greatest = self.slot("velocity_hat", variable)
            greatest.assign(maximum(greatest, spread))
            spread = greatest
        rate = learning_rate * sqrt(correction_2) / correction_1
        variable.assign_sub(mean * rate / (sqrt(spread) + self.epsilon))


class AdamW(Adam):
    """Adam with weight decay, which does not enter the means.

    The other arguments are those of `tf.optimizers.Adam` and `tf.optimizers.Optimizer`.

    Args:
        weight_decay: A float: each variable first shrinks by that fraction of the learning rate.

    Raises:
        ValueError: `weight_decay` is None.

    Source:
        Loshchilov, Hutter, "Decoupled Weight Decay Regularization" (2017).

    >>> import graphwright as tf
    >>> v = tf.Variable(1.0)
    >>> optimizer = tf.optimizers.AdamW(learning_rate=0.25, weight_decay=0.5)
    >>> _ = optimizer.apply_gradients([(tf.constant(8.0), v)])
    >>> v.numpy()
    np.float32(0.625)
    """

    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        weight_decay: float = 0.004,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            learning_rate, beta_1, beta_2, epsilon, amsgrad, weight_decay,
            clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum, ema_overwrite_frequency,
            loss_scale_factor, gradient_accumulation_steps, name,
        )  # fmt: skip
        if weight_decay is None:
            raise ValueError("Argument `weight_decay` must be a float. Received: weight_decay=None")


class RMSprop(Optimizer):
    """Steps by the gradient over the root of the running mean of its square.

    The other arguments are those of `tf.optimizers.Optimizer`.

    Args:
        learning_rate: A number, a `tf.optimizers.schedules.LearningRateSchedule`, or a function of
            no arguments.
        rho: A float: how much of the mean each step keeps.
        momentum: A float: how much of the last step the next one keeps.
        epsilon: A float that is added to the mean.
        centered: A bool: whether the root is of that mean less the square of the gradient's running
            mean.

    Source:
        Hinton, "Neural Networks for Machine Learning", lecture 6 (2012).

    >>> import graphwright as tf
    >>> v = tf.Variable(1.0)
    >>> optimizer = tf.optimizers.RMSprop(learning_rate=0.5, rho=0.0)
    >>> _ = optimizer.apply_gradients([(tf.constant(8.0), v)])
    >>> v.numpy()
    np.float32(0.5)
    """

    elementwise = True

    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-7,
        centered: bool = False,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            learning_rate, weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema,
            ema_momentum, ema_overwrite_frequency, loss_scale_factor, gradient_accumulation_steps,
            name,
        )  # fmt: skip
        self.rho = rho
        self.momentum = momentum
        self.epsilon = epsilon
        self.centered = centered

    def slots(self) -> dict[str, float]:
        names = ["velocity"]
        names += ["momentum"] if self.momentum > 0 else []
        names += ["average_gradient"] if self.centered else []
        return dict.fromkeys(names, 0.0)

    def update_step(
        self, gradient: TensorLike, variable: Variable, learning_rate: TensorValue
    ) -> None:
        dense = cast(convert(gradient), variable.dtype)
        velocity = self.slot("velocity", variable)
        velocity.assign(self.rho * velocity + (1 - self.rho) * squared(gradient, dense))
        spread = velocity + self.epsilon
        if self.centered:
            average = self.slot("average_gradient", variable)
            average.assign(self.rho * average + (1 - self.rho) * dense)
            spread = velocity - square(average) + self.epsilon
        step = learning_rate * dense / sqrt(spread)
        if self.momentum > 0:
            momentum = self.slot("momentum", variable)
            momentum.assign(self.momentum * momentum + step)
            step = momentum
        variable.assign_sub(step)


class Adagrad(Optimizer):
    """Steps by the gradient over the root of the sum of its squares so far.

    The other arguments are those of `tf.optimizers.Optimizer`.

    Args:
        learning_rate: A number, a `tf.optimizers.schedules.LearningRateSchedule`, or a function of
            no arguments.
        initial_accumulator_value: A float: what the sum starts from.
        epsilon: A float that is added to the sum.

    Source:
        Duchi, Hazan, Singer, "Adaptive Subgradient Methods for Online Learning" (2011).

    >>> import graphwright as tf
    >>> v = tf.Variable(1.0)
    >>> optimizer = tf.optimizers.Adagrad(learning_rate=0.5, initial_accumulator_value=0.0)
    >>> _ = optimizer.apply_gradients([(tf.constant(8.0), v)])
    >>> v.numpy()
    np.float32(0.5)
    """

    elementwise = True

    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float = 1e-7,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            learning_rate, weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema,
            ema_momentum, ema_overwrite_frequency, loss_scale_factor, gradient_accumulation_steps,
            name,
        )  # fmt: skip
        self.initial_accumulator_value = initial_accumulator_value
        self.epsilon = epsilon

    def slots(self) -> dict[str, float]:
        return {"accumulator": self.initial_accumulator_value}

    def update_step(
        self, gradient: TensorLike, variable: Variable, learning_rate: TensorValue
    ) -> None:
        dense = cast(convert(gradient), variable.dtype)
        total = self.slot("accumulator", variable)
        total.assign_add(squared(gradient, dense))
        variable.assign_sub(learning_rate * dense / sqrt(total + self.epsilon))


def squared(gradient: TensorLike, dense: TensorValue) -> Any:
    """The squares of a gradient, of which `dense` is all in the variable's dtype.

    Rows at equal indices are squared before they are added up, as Keras does.
    """
    if isinstance(gradient, IndexedSlices):
        rows = square(cast(gradient.values, dense.dtype))
        return IndexedSlices(rows, gradient.indices, gradient.dense_shape).to_tensor()
    return square(dense)
