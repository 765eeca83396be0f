"""Optimizers by Keras's names and formulas, so that programs train without Keras.

What an optimizer remembers of a variable, its slots, are variables too; they are made when
it is built, which the first `apply_gradients` does, inside a `tf.function` as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from graphwright.edge.module import Module
from graphwright.edge.schedules import LearningRateSchedule
from graphwright.logs import LOGGER
from graphwright.ops.arithmetic import maximum
from graphwright.ops.clipping import clip_by_global_norm, clip_by_norm, clip_by_value
from graphwright.ops.conversion import cast
from graphwright.ops.transcendental import pow as power_of
from graphwright.ops.transcendental import sqrt, square
from graphwright.types import dtypes as dt
from graphwright.values.convert import convert
from graphwright.values.indexed_slices import IndexedSlices
from graphwright.values.variable import Variable


class Optimizer(Module):
    """The base of optimizers: a subclass states its `slots` and one `update_step`.

    `learning_rate` is a number, a `schedules.LearningRateSchedule` or a function of no
    arguments. `weight_decay` shrinks each variable by that fraction of the learning rate first.
    At most one of `clipnorm` (of each gradient), `clipvalue` and `global_clipnorm` (of all
    together) bounds the gradients; ValueError for more, or for one below zero.
    """

    _GRAPHWRIGHT_IGNORED = Module._GRAPHWRIGHT_IGNORED | {"_trained", "_undecayed"}

    def __init__(
        self,
        learning_rate: Any = 0.001,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(name)
        bounds = {"clipnorm": clipnorm, "clipvalue": clipvalue, "global_clipnorm": global_clipnorm}
        given = {key: bound for key, bound in bounds.items() if bound is not None}
        if len(given) > 1:
            raise ValueError(
                "Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set. Received: "
                + ", ".join(f"{key}={bound}" for key, bound in bounds.items())
            )
        for key, bound in given.items():
            if bound < 0:
                raise ValueError(f"`{key}` must be >= 0, received {bound}.")
        self.weight_decay = weight_decay
        self.clipnorm = clipnorm
        self.clipvalue = clipvalue
        self.global_clipnorm = global_clipnorm
        self.built = False
        self.iterations = Variable(0, dtype=dt.int64, trainable=False, name="iteration")
        self._rate: Any = learning_rate
        if not callable(learning_rate):
            self._rate = Variable(
                float(learning_rate), dtype=dt.float32, trainable=False, name="learning_rate"
            )
        self._trained: list[Variable] = []
        self._slots: dict[str, list[Variable]] = {}
        self._undecayed: set[Any] = set()

    # -- what it holds ------------------------------------------------------------------

    def slots(self) -> dict[str, float]:
        """The names of what is remembered of each variable, and what it starts from."""
        return {}

    def build(self, variables: Iterable[Variable]) -> None:
        """Makes the slots of the variables that will be trained; later calls do nothing."""
        if self.built:
            return
        self._trained = list(variables)
        self._slots = {
            name: [slot_like(v, name, start) for v in self._trained]
            for name, start in self.slots().items()
        }
        self.built = True

    def slot(self, name: str, variable: Variable) -> Variable:
        """What is remembered of a variable; ValueError for one that it was not built with."""
        return self._slots[name][self._place(variable)]

    def _place(self, variable: Variable) -> int:
        for place, known in enumerate(self._trained):
            if known is variable:
                return place
        raise ValueError(
            f"Unknown variable: {variable!r}. This optimizer can only be called for the variables "
            "it was originally built with. When working with a new set of variables, you should "
            "recreate a new optimizer instance."
        )

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The iteration count, the learning rate unless it is a schedule, the slots."""
        rate = [self._rate] if isinstance(self._rate, Variable) else []
        return (self.iterations, *rate, *[v for kind in self._slots.values() for v in kind])

    @property
    def learning_rate(self) -> Any:
        """The learning rate of the next step: a variable, or what the schedule gives."""
        if isinstance(self._rate, Variable):
            return self._rate
        scheduled = isinstance(self._rate, LearningRateSchedule)
        return self._rate(self.iterations) if scheduled else self._rate()

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        if not isinstance(self._rate, Variable):
            if not callable(value):
                raise TypeError(
                    "This optimizer was created with a `LearningRateSchedule` object as its "
                    "`learning_rate` constructor argument, hence its learning rate is not settable."
                )
            self._rate = value
        elif callable(value):
            self._rate = value
        else:
            self._rate.assign(value)

    def exclude_from_weight_decay(self, var_list: Iterable[Variable]) -> None:
        """Has `weight_decay` leave these variables alone."""
        self._undecayed |= {v.ref() for v in var_list}

    # -- one step -----------------------------------------------------------------------

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Variable]]) -> Variable:
        """One step along pairs of a gradient and its variable; returns the iteration count.

        Gradients that are None are left out, with a warning; ValueError if all are.
        """
        pairs = list(grads_and_vars)
        self.apply([g for g, _ in pairs], [v for _, v in pairs])
        return self.iterations

    def apply(self, grads: Sequence[Any], trainable_variables: Any = None) -> None:
        """One step along gradients of `trainable_variables`, else of those it was built with."""
        if not len(grads):
            return
        if trainable_variables is None:
            if not self.built:
                raise ValueError(
                    "When passing `grads` without `variables`, the optimizer must already be built "
                    "on a list of variables. Call `optimizer.build(trainable_variables)` first."
                )
            if len(grads) != len(self._trained):
                raise ValueError(
                    f"Received a list of {len(grads)} gradients, but the optimizer is tracking "
                    f"{len(self._trained)} trainable variables."
                )
            trainable_variables = self._trained
        variables = list(trainable_variables)
        self.build(variables)
        pairs = connected(list(zip(grads, variables)))
        places = [self._place(v) for _, v in pairs]
        rate = convert(self.learning_rate)
        for gradient, place in zip(self._clipped([g for g, _ in pairs]), places):
            variable = self._trained[place]
            own = cast(rate, variable.dtype)
            if self.weight_decay is not None and variable.ref() not in self._undecayed:
                variable.assign(variable - variable * self.weight_decay * own)
            self.update_step(gradient, variable, own)
            if variable.constraint is not None:
                variable.assign(variable.constraint(variable))
        self.iterations.assign_add(1)

    def _clipped(self, grads: list[Any]) -> list[Any]:
        """The gradients within the bounds that were asked for."""
        if self.clipnorm:
            return [clip_by_norm(convert(g), self.clipnorm) for g in grads]
        if self.clipvalue:
            return [clip_by_value(convert(g), -self.clipvalue, self.clipvalue) for g in grads]
        if self.global_clipnorm:
            clipped = clip_by_global_norm([convert(g) for g in grads], self.global_clipnorm)[0]
            return list(clipped)
        return grads

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """Changes a variable, and its slots, by its gradient."""
        raise NotImplementedError(f"{type(self).__name__} must override `update_step`.")


def slot_like(variable: Variable, name: str, start: float) -> Variable:
    """A new variable of the shape of another, with one value in every place."""
    dims = [d for d in variable.type.dims or () if d is not None]
    if not variable.type.is_static:
        raise ValueError(f"{variable!r} has no fixed shape, so no optimizer can follow it.")
    array = np.full(dims, start, variable.dtype.numpy_dtype)
    return Variable(array, trainable=False, name=f"{variable._name}_{name}")


def connected(pairs: list[tuple[Any, Variable]]) -> list[tuple[Any, Variable]]:
    """The pairs that have a gradient; a warning for the others, ValueError if none is left."""
    found = [(g, v) for g, v in pairs if g is not None]
    if not found:
        raise ValueError("No gradients provided for any variable.")
    missing = [v.name for g, v in pairs if g is None]
    if missing:
        LOGGER.warning(
            "Gradients do not exist for variables %s when minimizing the loss.", ", ".join(missing)
        )
    return found


class SGD(Optimizer):
    """variable -= learning_rate * gradient, with `momentum`, plain or Nesterov's.

    >>> import graphwright as tf
    >>> v = tf.Variable(1.0)
    >>> optimizer = tf.optimizers.SGD(learning_rate=0.5)
    >>> _ = optimizer.apply_gradients([(tf.constant(1.0), v)])
    >>> v.numpy()
    np.float32(0.5)
    """

    def __init__(
        self,
        learning_rate: Any = 0.01,
        momentum: float = 0.0,
        nesterov: bool = False,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, weight_decay, clipnorm, clipvalue, global_clipnorm, name)
        if not isinstance(momentum, float) or not 0 <= momentum <= 1:
            raise ValueError("`momentum` must be a float between [0, 1].")
        self.momentum = momentum
        self.nesterov = nesterov

    def slots(self) -> dict[str, float]:
        return {"momentum": 0.0} if self.momentum else {}

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
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
    """Steps by the running mean of the gradient over the root of that of its square.

    Both means are corrected for their start at zero; with `amsgrad` the second never falls.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, weight_decay, clipnorm, clipvalue, global_clipnorm, name)
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.amsgrad = amsgrad

    def slots(self) -> dict[str, float]:
        names = ["momentum", "velocity", *(["velocity_hat"] if self.amsgrad else [])]
        return dict.fromkeys(names, 0.0)

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        dtype = variable.dtype
        gradient = cast(convert(gradient), dtype)
        time = cast(self.iterations + 1, dtype)
        rest_1 = 1 - power_of(convert(self.beta_1, dtype), time)
        rest_2 = 1 - power_of(convert(self.beta_2, dtype), time)
        mean, spread = self.slot("momentum", variable), self.slot("velocity", variable)
        mean.assign_add((gradient - mean) * (1 - self.beta_1))
        spread.assign_add((square(gradient) - spread) * (1 - self.beta_2))
        if self.amsgrad:
            greatest = self.slot("velocity_hat", variable)
            greatest.assign(maximum(greatest, spread))
            spread = greatest
        pace = learning_rate * sqrt(rest_2) / rest_1
        variable.assign_sub(mean * pace / (sqrt(spread) + self.epsilon))


class AdamW(Adam):
    """Adam with weight decay, which the means know nothing of."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        weight_decay: float = 0.004,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            learning_rate, beta_1, beta_2, epsilon, amsgrad, weight_decay,
            clipnorm, clipvalue, global_clipnorm, name,
        )  # fmt: skip
        if weight_decay is None:
            raise ValueError("Argument `weight_decay` must be a float. Received: weight_decay=None")


class RMSprop(Optimizer):
    """Steps by the gradient over the root of the running mean of its square.

    `centered` subtracts the square of the running mean first.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-7,
        centered: bool = False,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, weight_decay, clipnorm, clipvalue, global_clipnorm, name)
        self.rho = rho
        self.momentum = momentum
        self.epsilon = epsilon
        self.centered = centered

    def slots(self) -> dict[str, float]:
        names = ["velocity"]
        names += ["momentum"] if self.momentum > 0 else []
        names += ["average_gradient"] if self.centered else []
        return dict.fromkeys(names, 0.0)

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        gradient = cast(convert(gradient), variable.dtype)
        velocity = self.slot("velocity", variable)
        velocity.assign(self.rho * velocity + (1 - self.rho) * square(gradient))
        spread = velocity + self.epsilon
        if self.centered:
            average = self.slot("average_gradient", variable)
            average.assign(self.rho * average + (1 - self.rho) * gradient)
            spread = velocity - square(average) + self.epsilon
        step = learning_rate * gradient / sqrt(spread)
        if self.momentum > 0:
            momentum = self.slot("momentum", variable)
            momentum.assign(self.momentum * momentum + step)
            step = momentum
        variable.assign_sub(step)


class Adagrad(Optimizer):
    """Steps by the gradient over the root of the sum of all its squares so far."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float = 1e-7,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, weight_decay, clipnorm, clipvalue, global_clipnorm, name)
        self.initial_accumulator_value = initial_accumulator_value
        self.epsilon = epsilon

    def slots(self) -> dict[str, float]:
        return {"accumulator": self.initial_accumulator_value}

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        gradient = cast(convert(gradient), variable.dtype)
        total = self.slot("accumulator", variable)
        total.assign_add(square(gradient))
        variable.assign_sub(learning_rate * gradient / sqrt(total + self.epsilon))
