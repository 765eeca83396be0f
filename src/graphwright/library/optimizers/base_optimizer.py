"""The base of optimizers, with Keras's names: slots, bounds, averages, accumulated gradients.

The slots of a variable are variables too: an optimizer's state for it. `build` makes them. The
first `apply_gradients` calls it, also inside a `tf.function`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.base.logs import LOGGER
from graphwright.control.branch import cond
from graphwright.library.objects.module import Module
from graphwright.library.optimizers.replica_sums import division_here, summed_over_replicas
from graphwright.library.optimizers.schedules import LearningRateSchedule
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import zeros_like
from graphwright.ops.math.clipping import (
    clip_by_global_norm,
    clip_by_norm,
    clip_by_value,
    global_norm,
)
from graphwright.ops.math.comparison import equal, not_equal
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike, TensorValue, Typed
from graphwright.types.tensor_type import is_compatible, show_dims
from graphwright.values.convert import convert
from graphwright.values.indexed_slices import IndexedSlices
from graphwright.values.tensor import Tensor
from graphwright.values.variable import Variable

#: A learning rate: a number, or a function of the step (a schedule) or of nothing.
LearningRate: TypeAlias = float | Typed | LearningRateSchedule | Callable[[], TensorLike]
#: Pairs of a gradient, None where there is none, and its variable.
Gradients: TypeAlias = Iterable[tuple[TensorLike | None, Variable]]


class Optimizer(Module):
    """The base of optimizers: a subclass states its `slots` and one `update_step`.

    Args:
        learning_rate: A number, a `tf.optimizers.schedules.LearningRateSchedule`, or a function of
            no arguments.
        weight_decay: A float: each variable first shrinks by that fraction of the learning rate.
        clipnorm: A float: the greatest norm of a gradient.
        clipvalue: A float: the greatest size of an element of a gradient.
        global_clipnorm: A float: the greatest norm of all gradients together.
        use_ema: A bool: whether a running average of each variable is kept.
        ema_momentum: A float from 0 to 1: how much of the average each step keeps.
        ema_overwrite_frequency: An int: after so many steps the averages take the place of the
            variables. None leaves that to `finalize_variable_values`.
        loss_scale_factor: A float: gradients are divided by it, as `scale_loss` multiplies by it.
        gradient_accumulation_steps: An int of 2 or more: only every so many steps change the
            variables, by the mean of the gradients since.
        name: A Python identifier; None means the class's name.

    Raises:
        ValueError: An argument is out of range, or more than one of `clipnorm`, `clipvalue` and
            `global_clipnorm` is given.

    >>> import graphwright as tf
    >>> class SignDescent(tf.optimizers.Optimizer):
    ...     def update_step(self, gradient, variable, learning_rate):
    ...         variable.assign_sub(learning_rate * tf.sign(gradient))
    >>> v = tf.Variable(1.0)
    >>> steps = SignDescent(learning_rate=0.25).apply_gradients([(tf.constant(8.0), v)])
    >>> v.numpy()
    np.float32(0.75)
    """

    _GRAPHWRIGHT_IGNORED = Module._GRAPHWRIGHT_IGNORED | {
        "_trained", "_undecayed", "_division", "_targets"
    }  # fmt: skip

    #: Whether `update_step` of this class changes each element by itself. Only then may
    #: `CommunicationOptions(divide_state=True)` divide it among workers.
    elementwise: ClassVar[bool] = False

    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
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
        super().__init__(name)
        bounds = {"clipnorm": clipnorm, "clipvalue": clipvalue, "global_clipnorm": global_clipnorm}
        active = {key: bound for key, bound in bounds.items() if bound is not None}
        if len(active) > 1:
            raise ValueError(
                "Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set. Received: "
                + ", ".join(f"{key}={bound}" for key, bound in bounds.items())
            )
        for key, bound in active.items():
            if bound < 0:
                raise ValueError(f"`{key}` must be >= 0, received {bound}.")
        check_averaging(use_ema, ema_momentum, ema_overwrite_frequency)
        if gradient_accumulation_steps is not None and not gradient_accumulation_steps >= 2:
            raise ValueError(
                "`gradient_accumulation_steps` must be an integer >= 2. Received: "
                f"gradient_accumulation_steps={gradient_accumulation_steps}"
            )
        self.use_ema = use_ema
        self.ema_momentum = ema_momentum
        self.ema_overwrite_frequency = ema_overwrite_frequency
        self.loss_scale_factor = loss_scale_factor
        self.gradient_accumulation_steps = gradient_accumulation_steps
        self.weight_decay = weight_decay
        self.clipnorm = clipnorm
        self.clipvalue = clipvalue
        self.global_clipnorm = global_clipnorm
        self.built = False
        self._iterations = Variable(0, dtype=dt.int64, trainable=False, name="iteration")
        rate: Any = learning_rate
        self._rate: Any = rate
        if not callable(rate):
            if isinstance(rate, str) or not hasattr(rate, "__float__"):
                raise ValueError(
                    "Argument `learning_rate` should be float, or an instance of "
                    "LearningRateSchedule, or a callable that returns the rate of the next step. "
                    f"Received instead: learning_rate={rate!r}"
                )
            self._rate = Variable(
                float(rate), dtype=dt.float32, trainable=False, name="learning_rate"
            )
        self._trained: list[Variable] = []
        self._slots: dict[str, list[Variable]] = {}
        self._undecayed: set[Any] = set()
        self._division = division_here()
        self._targets: list[Variable] = []  # what steps change: the variables, or shares of them

    # -- state --------------------------------------------------------------------------

    def slots(self) -> dict[str, float]:
        """Returns the slots of each variable: their names and initial values."""
        return {}

    def build(self, variables: Iterable[Variable]) -> None:
        """Makes the slots of the variables to train; later calls do nothing.

        Args:
            variables: The variables.
        """
        if self.built:
            return
        self._trained = list(variables)
        self._targets = self._trained
        if self._division is not None:
            self._refuse_whole_updates()
            self._targets = [self._division.share(v) for v in self._trained]
        common = {"average": 0.0} if self.use_ema else {}
        common |= {"gradient_accumulator": 0.0} if self.gradient_accumulation_steps else {}
        self._slots = {
            name: [self._slot_like(v, name, start) for v in self._trained]
            for name, start in (common | self.slots()).items()
        }
        self.built = True

    def _slot_like(self, variable: Variable, name: str, start: float) -> Variable:
        if self._division is None:
            return slot_like(variable, name, start)
        return self._division.slot(variable, name, start)

    def _refuse_whole_updates(self) -> None:
        """Raises ValueError where `update_step` does not say that it is elementwise."""
        owner = next(k for k in type(self).__mro__ if "update_step" in vars(k))
        if not vars(owner).get("elementwise"):
            raise ValueError(
                f"The state of {type(self).__name__} cannot be divided among workers: "
                f"{owner.__name__}.update_step may look at whole variables. If it changes each "
                f"element by itself, say so in the class: `elementwise = True`."
            )

    def slot(self, name: str, variable: Variable) -> Variable:
        """Returns the slot of a variable.

        Args:
            name: The name of the slot.
            variable: A variable that the optimizer was built with.

        Returns:
            A variable of the same shape.

        Raises:
            ValueError: The optimizer was not built with the variable.

        >>> import graphwright as tf
        >>> v = tf.Variable([1.0, 2.0])
        >>> optimizer = tf.optimizers.Adagrad(initial_accumulator_value=0.5)
        >>> optimizer.build([v])
        >>> optimizer.slot("accumulator", v).numpy()
        array([0.5, 0.5], dtype=float32)
        """
        place = self._place(variable)
        slot = self._slots[name][place]
        if self._division is None or variable is not self._targets[place]:
            return slot
        return self._division.share_of(slot)

    def _place(self, variable: Variable) -> int:
        for place, candidates in enumerate(zip(self._trained, self._targets)):
            if variable is candidates[0] or variable is candidates[1]:
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
        return (self._iterations, *rate, *[v for kind in self._slots.values() for v in kind])

    @property
    def iterations(self) -> Any:
        """The number of changes of the variables: a variable, or a tensor with accumulation."""
        steps = self.gradient_accumulation_steps
        return self._iterations if steps is None else self._iterations // steps

    @property
    def learning_rate(self) -> Any:
        """The learning rate of the next step: a variable, or the result of the function."""
        if isinstance(self._rate, Variable):
            return self._rate
        scheduled = isinstance(self._rate, LearningRateSchedule)
        return self._rate(self.iterations) if scheduled else self._rate()

    @learning_rate.setter
    def learning_rate(self, value: LearningRate) -> None:
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
        """Excludes variables from `weight_decay`.

        Args:
            var_list: The variables.

        >>> import graphwright as tf
        >>> w, b = tf.Variable(1.0), tf.Variable(1.0)
        >>> optimizer = tf.optimizers.SGD(learning_rate=0.5, weight_decay=0.5)
        >>> optimizer.exclude_from_weight_decay([b])
        >>> optimizer.apply([tf.constant(0.0), tf.constant(0.0)], [w, b])
        >>> print(w.numpy(), b.numpy())
        0.75 1.0
        """
        self._undecayed |= {v.ref() for v in var_list}

    # -- one step -----------------------------------------------------------------------

    def apply_gradients(self, grads_and_vars: Gradients) -> Any:
        """Takes a step along gradients.

        Args:
            grads_and_vars: Pairs of a gradient, a tensor or a `tf.IndexedSlices` of the variable's
                shape, and its variable. Rows at equal indices are squared and clipped one by one,
                as in Keras; `tf.convert_to_tensor` of the gradient adds them up first. A gradient
                that is None is left out, with a warning.

        Returns:
            The number of steps, a scalar of int64.

        Raises:
            ValueError: All gradients are None, or a variable is new.
            TypeError: There is something else than pairs.
            InvalidArgumentError: A gradient is of another shape.

        >>> import graphwright as tf
        >>> v = tf.Variable(1.0)
        >>> with tf.GradientTape() as tape:
        ...     loss = v * v
        >>> optimizer = tf.optimizers.SGD(0.25)
        >>> steps = optimizer.apply_gradients(zip(tape.gradient(loss, [v]), [v]))
        >>> v.numpy()
        np.float32(0.5)
        """
        pairs = listed(grads_and_vars)
        self.apply([g for g, _ in pairs], [v for _, v in pairs])
        return self.iterations

    def apply(
        self,
        grads: Sequence[TensorLike | None],
        trainable_variables: Iterable[Variable] | None = None,
    ) -> None:
        """Takes a step along gradients.

        Args:
            grads: The gradients, as of `apply_gradients`.
            trainable_variables: Their variables. None means those that the optimizer was built
                with.

        Raises:
            ValueError: All gradients are None, a variable is new, or their number is another.
            InvalidArgumentError: A gradient is of another shape.
        """
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
        pairs = connected(list(zip(grads, variables)))
        check_shapes(pairs)  # before any variable changes
        self.build(variables)
        with summed_over_replicas(self._iterations, pairs, self._division) as summed:
            self._apply(summed)

    def _apply(self, pairs: Sequence[tuple[TensorLike, Variable]]) -> None:
        """Changes the variables, in the order that every replica has."""
        scale = self.loss_scale_factor
        gradients = [g if scale is None else divided(g, scale) for g, _ in pairs]
        places = [self._place(v) for _, v in pairs]
        changed = [self._trained[place] for place in places]
        opened = range(len(self._trained)) if self.use_ema else places  # averages are of all
        shares = [self._targets[place] for place in opened]
        wholes = [self._trained[place] for place in opened]
        if self._division is not None:
            self._division.open(shares, wholes)
        if self.gradient_accumulation_steps is None:
            self._update(gradients, places)
        else:
            self._accumulate(gradients, places, self.gradient_accumulation_steps)
        if self.use_ema:
            self._average()
        if self._division is not None:
            self._division.close(shares, wholes)
        for variable in changed:
            if variable.constraint is not None:
                variable.assign(variable.constraint(variable))
        self._iterations.assign_add(1)

    def _update(self, grads: Sequence[TensorLike], places: list[int]) -> None:
        """Changes the variables at `places` by their gradients."""
        rate = convert(self.learning_rate)
        for gradient, place in zip(self._clipped(grads), places):
            variable = self._targets[place]
            typed_rate = cast(rate, variable.dtype)
            is_decayed = self._trained[place].ref() not in self._undecayed
            if self.weight_decay is not None and is_decayed:
                variable.assign(variable - variable * self.weight_decay * typed_rate)
            self.update_step(gradient, variable, typed_rate)

    def _accumulate(self, grads: Sequence[TensorLike], places: list[int], steps: int) -> None:
        """Adds to the sums of gradients; every `steps` calls, the means change the variables."""
        sums = [self.slot("gradient_accumulator", self._targets[place]) for place in places]

        def apply_all() -> None:
            self._update([(convert(g) + total) / steps for g, total in zip(grads, sums)], places)
            for total in sums:
                total.assign(zeros_like(total))

        def add() -> None:
            for g, total in zip(grads, sums):
                total.assign_add(convert(g))

        cond(equal((self._iterations + 1) % steps, 0), apply_all, add)

    def _average(self) -> None:
        """Updates the running averages; when due, puts them in the place of the variables."""
        for variable in self._targets:
            average = self.slot("average", variable)
            later = cast(not_equal(self.iterations, 0), variable.dtype)
            momentum = later * self.ema_momentum  # the first step has nothing to average with
            average.assign(momentum * average + (1 - momentum) * variable)
        if self.ema_overwrite_frequency:
            due = equal((self.iterations + 1) % self.ema_overwrite_frequency, 0)
            cond(due, lambda: self.finalize_variable_values(self._targets), lambda: None)

    def finalize_variable_values(self, var_list: Iterable[Variable]) -> None:
        """Puts the running averages in the place of variables, if `use_ema` keeps averages.

        Args:
            var_list: The variables.

        >>> import graphwright as tf
        >>> v = tf.Variable(1.0)
        >>> optimizer = tf.optimizers.SGD(learning_rate=0.5, use_ema=True, ema_momentum=0.5)
        >>> for _ in range(2):
        ...     optimizer.apply([tf.constant(1.0)], [v])
        >>> optimizer.finalize_variable_values([v])
        >>> print(v.numpy())
        0.25
        """
        if self.use_ema:
            for variable in var_list:
                variable.assign(self.slot("average", variable))

    def scale_loss(self, loss: TensorValue) -> Any:
        """Multiplies a loss by `loss_scale_factor`, so that small gradients of float16 do not
        vanish.

        Args:
            loss: A scalar.

        Returns:
            A scalar.

        >>> import graphwright as tf
        >>> tf.optimizers.SGD(loss_scale_factor=8.0).scale_loss(tf.constant(0.5)).numpy()
        np.float32(4.0)
        """
        scale = self.loss_scale_factor
        return loss if scale is None else loss * scale

    def _clipped(self, grads: Sequence[TensorLike]) -> Sequence[TensorLike]:
        """The gradients, clipped to the bound if there is one."""
        bound = self.clipnorm or self.global_clipnorm
        if bound and self._division is not None:
            norms = self._division.norms(grads)
            if self.global_clipnorm:
                norms = [global_norm(norms)] * len(norms)
            pairs = zip(grads, norms)
            return [clip_by_global_norm([g], bound, norm)[0][0] for g, norm in pairs]
        if self.clipnorm:
            return [clip_by_norm(g, self.clipnorm) for g in grads]
        if self.clipvalue:
            return [clip_by_value(g, -self.clipvalue, self.clipvalue) for g in grads]
        if self.global_clipnorm:
            norm = global_norm(grads)  # of the rows as they are, as Keras has it
            dense = [convert(g) for g in grads]
            return list(clip_by_global_norm(dense, self.global_clipnorm, norm)[0])
        return grads

    def update_step(
        self, gradient: TensorLike, variable: Variable, learning_rate: TensorValue
    ) -> None:
        """Changes a variable, and its slots, by its gradient: for subclasses to state.

        Args:
            gradient: A tensor or a `tf.IndexedSlices` of the variable's shape.
            variable: The variable.
            learning_rate: A scalar of the variable's dtype.
        """
        raise NotImplementedError(f"{type(self).__name__} must override `update_step`.")


def check_averaging(use_ema: bool, momentum: float, frequency: int | None) -> None:
    """Raises ValueError for settings of running averages that are out of their range."""
    if not use_ema:
        return
    if not 0 <= momentum <= 1:
        raise ValueError(
            f"`ema_momentum` must be in the range [0, 1]. Received: ema_momentum={momentum}"
        )
    if frequency and (not isinstance(frequency, int) or frequency < 1):
        raise ValueError(
            "`ema_overwrite_frequency` must be an integer >= 1 or None. Received: "
            f"ema_overwrite_frequency={frequency}"
        )


def divided(gradient: TensorLike, scale: float) -> Any:
    """The gradient divided by a number: rows where it is rows."""
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(gradient.values / scale, gradient.indices, gradient.dense_shape)
    return convert(gradient) / scale


def slot_like(variable: Variable, name: str, start: float) -> Variable:
    """A new variable of the shape and dtype of another, filled with `start`."""
    dims = [d for d in variable.type.dims or () if d is not None]
    if not variable.type.is_static:
        raise ValueError(
            f"{variable!r} has no fixed shape, so an optimizer cannot make slots for it."
        )
    array = np.full(dims, start, variable.dtype.numpy_dtype)
    return Variable(array, trainable=False, name=f"{variable._name}_{name}")


def listed(grads_and_vars: Gradients) -> list[tuple[TensorLike | None, Variable]]:
    """The pairs as a list; TypeError for what is no pair of a gradient and a variable."""
    single = isinstance(grads_and_vars, Tensor)
    pairs: list[Any] = [grads_and_vars] if single else list(grads_and_vars)
    for pair in pairs:
        if not (isinstance(pair, (tuple, list)) and len(pair) == 2):
            raise TypeError(
                "apply_gradients takes pairs of a gradient and its variable, as "
                f"zip(gradients, variables) gives them, got {pair!r}"
            )
        if not isinstance(pair[1], Variable):
            raise TypeError(
                "apply_gradients takes pairs of a gradient and its variable, in this order; the "
                f"second of this one is no variable: {pair!r}"
            )
    return pairs


def check_shapes(pairs: list[tuple[TensorLike, Variable]]) -> None:
    """Raises InvalidArgumentError for a gradient of another shape than its variable's."""
    for gradient, variable in pairs:
        if isinstance(gradient, Tensor) and not is_compatible(
            gradient.type.dims, variable.type.dims
        ):
            raise InvalidArgumentError(
                None,
                None,
                f"Cannot update variable {variable.name!r} with shape "
                f"{show_dims(variable.type.dims)} using a gradient with shape "
                f"{show_dims(gradient.type.dims)}, shapes must be equal.",
            )


def connected(
    pairs: list[tuple[TensorLike | None, Variable]],
) -> list[tuple[TensorLike, Variable]]:
    """The pairs that have a gradient; warns of the others. ValueError if none is left."""
    present = [(g, v) for g, v in pairs if g is not None]
    if not present:
        names = ", ".join(v.name for _, v in pairs)
        raise ValueError(
            f"No gradients provided for any variable: None for each of {names}. The tape saw no "
            "way from them to the loss. Compute the loss inside the tape, from the variables and "
            "not from their .numpy()."
        )
    missing = [v.name for g, v in pairs if g is None]
    if missing:
        LOGGER.warning(
            "Gradients do not exist for variables %s when minimizing the loss.", ", ".join(missing)
        )
    return present
