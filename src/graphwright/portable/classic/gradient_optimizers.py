"""Optimizers of TensorFlow 1: `minimize` gives an operation that changes variables of a graph.

A rule says how a step changes a variable and its slots, of the variable's size. It stands for whole
variables, and for the rows alone that a sparse gradient names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from graphwright.autodiff.tape import GradientTape
from graphwright.control.dependencies import control_dependencies, group
from graphwright.control.jacobian import gradients
from graphwright.op.refusal import complete
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import fill
from graphwright.ops.core.segment_reduction import unsorted_segment_sum
from graphwright.ops.core.shapes import size
from graphwright.ops.core.unique import unique
from graphwright.ops.math.transcendental import rsqrt, sqrt
from graphwright.portable.classic.graph_collections import (
    GraphKeys,
    open_graph,
    trainable_variables,
)
from graphwright.portable.classic.variable_scopes import get_variable_scope
from graphwright.trace.scopes import executing_eagerly, name_scope
from graphwright.types.arguments import TensorLike
from graphwright.types.dtypes import DType
from graphwright.values.convert import convert
from graphwright.values.indexed_slices import IndexedSlices
from graphwright.values.tensor import Tensor
from graphwright.values.variable import Variable

#: A rate: a number, a tensor, or a function that returns one.
Rate: TypeAlias = TensorLike | Callable[[], TensorLike]


class ClassicOptimizer:
    """The base of optimizers: a subclass states its slots and its rule.

    Args:
        use_locking: It has no effect.
        name: A string, with which names of slots end.

    Raises:
        ValueError: There is no name.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.Variable(4.0)
    ...     step = tf.compat.v1.train.GradientDescentOptimizer(0.25).minimize(x * x)
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     session.run(step)
    ...     session.run(x)
    np.float32(2.0)
    """

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2

    #: The initial value of each slot, in order.
    slot_values: tuple[float, ...] = ()
    #: The names of slots, in the same order.
    slot_names: tuple[str, ...] = ()
    #: Whether a sparse gradient changes rows that it does not name.
    changes_all_rows = False

    def __init__(self, use_locking: bool, name: str) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._name = name
        self._slots: dict[int, tuple[Variable, list[Variable]]] = {}

    # -- what programs call -----------------------------------------------------------------

    def get_name(self) -> str:
        """Returns the name."""
        return self._name

    def minimize(
        self,
        loss: object,
        global_step: Variable | None = None,
        var_list: Iterable[Variable] | None = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: object = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: TensorLike | None = None,
    ) -> Any:
        """Returns an operation that makes one step.

        Args:
            loss: A tensor; where ops run at once, a function of no arguments that returns one.
            global_step: A variable that each step adds 1 to, or None.
            var_list: The variables; None takes all that are trained.
            gate_gradients: It has no effect.
            aggregation_method: It has no effect.
            colocate_gradients_with_ops: It has no effect.
            name: A name for the operation.
            grad_loss: A weight of the loss, of its shape, or None.

        Returns:
            A `tf.Operation`; None where ops run at once, and the step has been made.

        Raises:
            ValueError: No variable has a gradient, or there is none.
        """
        pairs = self.compute_gradients(loss, var_list, grad_loss=grad_loss)
        if all(gradient is None for gradient, _ in pairs):
            names = [str(variable) for _, variable in pairs]
            raise complete(ValueError(
                f"No gradients provided for any variable, check your graph for ops that do not "
                f"support gradients, between variables {names} and loss {loss}."
            ))  # fmt: skip
        return self.apply_gradients(pairs, global_step, name)

    def compute_gradients(
        self,
        loss: object,
        var_list: Iterable[Variable] | None = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: object = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: TensorLike | None = None,
    ) -> list[tuple[Any, Any]]:
        """Returns the gradients of a loss.

        Args:
            loss: As that of `minimize`.
            var_list: As that of `minimize`.
            gate_gradients: It has no effect.
            aggregation_method: It has no effect.
            colocate_gradients_with_ops: It has no effect.
            grad_loss: As that of `minimize`.

        Returns:
            A list of pairs of a gradient, or None, and its variable.

        Raises:
            RuntimeError: Ops run at once, and `loss` is no function.
            ValueError: There are no variables.
        """
        if callable(loss):
            with GradientTape() as tape:
                value = loss()
            variables = list(tape.watched_variables() if var_list is None else var_list)
            return list(zip(tape.gradient(value, variables, grad_loss), variables))
        if executing_eagerly():
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a function when eager "
                "execution is enabled."
            )
        variables = list(trainable_variables() if var_list is None else var_list)
        if not variables:
            raise ValueError("No variables to optimize.")
        weights = None if grad_loss is None else [grad_loss]
        return list(zip(gradients([loss], variables, weights), variables))

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        global_step: Variable | None = None,
        name: str | None = None,
    ) -> Any:
        """Returns an operation that changes variables by their gradients.

        Args:
            grads_and_vars: Pairs of a gradient, or None, and its variable.
            global_step: A variable that each step adds 1 to, or None.
            name: A name for the operation.

        Returns:
            A `tf.Operation`; None where ops run at once.

        Raises:
            ValueError: There are no gradients.
        """
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("No variables provided.")
        present = [(gradient, variable) for gradient, variable in pairs if gradient is not None]
        if not present:
            names = [str(variable) for _, variable in pairs]
            raise ValueError(f"No gradients provided for any variable: {names}.")
        self._prepare([variable for _, variable in present])
        with name_scope(name or self._name) as scope:
            changes = [self._change(g, v) for g, v in present]
            changes += self._finish(changes)
            if global_step is None:
                operation = group(*changes, name=scope)
            else:
                with control_dependencies([group(*changes, name="update")]):
                    counted = global_step.assign_add(1, name=scope, read_value=False)
                operation = None if executing_eagerly() else counted
        if operation is not None:
            steps = open_graph().collections.setdefault(GraphKeys.TRAIN_OP, [])
            if operation not in steps:
                steps.append(operation)
        return operation

    def get_slot_names(self) -> list[str]:
        """Returns the names of slots, in order."""
        return sorted(self.slot_names)

    def get_slot(self, var: Variable, name: str) -> Any:
        """Returns a slot of a variable.

        Args:
            var: The variable.
            name: The name of the slot, such as "momentum".

        Returns:
            A variable, or None where there is none.
        """
        made = self._slots.get(id(var._handle))
        return made[1][self.slot_names.index(name)] if made and name in self.slot_names else None

    def variables(self) -> list[Any]:
        """Returns the slots of all variables, and what else it keeps."""
        return [slot for _, slots in self._slots.values() for slot in slots]

    # -- what subclasses state --------------------------------------------------------------

    def _rule(
        self, gradient: Tensor, value: Tensor, slots: Sequence[Tensor]
    ) -> tuple[Any, list[Any]]:
        """What is subtracted from a value, and the next values of its slots."""
        raise NotImplementedError

    def _prepare(self, variables: Sequence[Variable]) -> None:
        """Makes what is there before a step: slots, and other variables."""
        for variable in variables:
            self._slots_of(variable)

    def _finish(self, changes: Sequence[object]) -> list[Any]:
        """What changes after all variables."""
        return []

    # -- one variable -----------------------------------------------------------------------

    def _slots_of(self, variable: Variable) -> list[Variable]:
        """The slots of a variable, which its first step makes."""
        key = id(variable._handle)
        if key not in self._slots:
            with control_dependencies(None), name_scope(""):
                path = [get_variable_scope().name, variable.name.partition(":")[0], self._name]
                slots = [
                    Variable(
                        fill(variable.shape, cast(value, variable.dtype)),
                        trainable=False,
                        name="/".join(filter(None, path)),
                    )
                    for value in self.slot_values
                ]
            self._slots[key] = variable, slots
        return self._slots[key][1]

    def _change(self, gradient: TensorLike, variable: Variable) -> Any:
        """The operation that changes a variable and its slots."""
        slots = self._slots_of(variable)
        if isinstance(gradient, IndexedSlices) and not self.changes_all_rows:
            return self._change_rows(gradient, variable, slots)
        total = convert(gradient)
        value = variable.read_value()
        delta, news = self._rule(total, value, [slot.read_value() for slot in slots])
        return group(
            *[slot.assign(new, read_value=False) for slot, new in zip(slots, news)],
            variable.assign_sub(delta, read_value=False),
        )

    def _change_rows(
        self, gradient: IndexedSlices, variable: Variable, slots: Sequence[Variable]
    ) -> Any:
        """The operation that changes the rows that a gradient names."""
        rows, places = unique(gradient.indices)
        total = unsorted_segment_sum(gradient.values, places, size(rows))
        value = variable.sparse_read(rows)
        delta, news = self._rule(total, value, [slot.sparse_read(rows) for slot in slots])
        return group(
            *[slot.scatter_update(IndexedSlices(new, rows)) for slot, new in zip(slots, news)],
            variable.scatter_sub(IndexedSlices(delta, rows)),
        )


def number(rate: Rate, dtype: DType) -> Any:
    """A rate as a tensor of a dtype."""
    now: Any = rate() if callable(rate) else rate
    return cast(now, dtype)


class GradientDescentOptimizer(ClassicOptimizer):
    """Subtracts the gradient times a rate.

    Args:
        learning_rate: A number, a tensor, or a function that returns one.
        use_locking: It has no effect.
        name: A string.

    >>> import graphwright as tf
    >>> x = tf.Variable(4.0)
    >>> tf.compat.v1.train.GradientDescentOptimizer(0.25).minimize(lambda: x * x)
    >>> x.numpy()
    np.float32(2.0)
    """

    def __init__(
        self, learning_rate: Rate, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(use_locking, name)
        self._rate = learning_rate

    def _rule(
        self, gradient: Tensor, value: Tensor, slots: Sequence[Tensor]
    ) -> tuple[Any, list[Any]]:
        return number(self._rate, value.dtype) * gradient, []


class MomentumOptimizer(ClassicOptimizer):
    """Subtracts a decaying sum of gradients times a rate.

    Args:
        learning_rate: A number, a tensor, or a function that returns one.
        momentum: How much of the sum each step keeps.
        use_locking: It has no effect.
        name: A string.
        use_nesterov: A bool: whether a step looks ahead, as Nesterov (1983) does.

    >>> import graphwright as tf
    >>> x, step = tf.Variable(4.0), tf.compat.v1.train.MomentumOptimizer(0.25, 0.5)
    >>> for _ in range(2):
    ...     step.minimize(lambda: x * x)
    >>> x.numpy()
    np.float32(0.0)
    """

    slot_values, slot_names = (0.0,), ("momentum",)

    def __init__(
        self,
        learning_rate: Rate,
        momentum: Rate,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._rate, self._momentum, self._use_nesterov = learning_rate, momentum, use_nesterov

    def _rule(
        self, gradient: Tensor, value: Tensor, slots: Sequence[Tensor]
    ) -> tuple[Any, list[Any]]:
        rate, share = number(self._rate, value.dtype), number(self._momentum, value.dtype)
        total = slots[0] * share + gradient
        if self._use_nesterov:
            return gradient * rate + total * share * rate, [total]
        return total * rate, [total]


class AdagradOptimizer(ClassicOptimizer):
    """Subtracts the gradient times a rate, over the root of the sum of its squares.

    Args:
        learning_rate: A number, a tensor, or a function that returns one.
        initial_accumulator_value: The sum before the first step, a positive float.
        use_locking: It has no effect.
        name: A string.

    Raises:
        ValueError: `initial_accumulator_value` is not positive.

    >>> import graphwright as tf
    >>> x = tf.Variable(4.0)
    >>> tf.compat.v1.train.AdagradOptimizer(1.0, 36.0).minimize(lambda: x * x)
    >>> x.numpy()
    np.float32(3.2)
    """

    slot_names = ("accumulator",)

    def __init__(
        self,
        learning_rate: Rate,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._rate, self.slot_values = learning_rate, (initial_accumulator_value,)

    def _rule(
        self, gradient: Tensor, value: Tensor, slots: Sequence[Tensor]
    ) -> tuple[Any, list[Any]]:
        total = slots[0] + gradient * gradient
        return gradient * number(self._rate, value.dtype) * rsqrt(total), [total]


class AdadeltaOptimizer(ClassicOptimizer):
    """Subtracts the gradient times a root of past changes, over one of past gradients.

    Source: Zeiler (2012).

    Args:
        learning_rate: A number, a tensor, or a function that returns one.
        rho: How much of both running means each step keeps.
        epsilon: A number that is added under the roots.
        use_locking: It has no effect.
        name: A string.

    >>> import graphwright as tf
    >>> x = tf.Variable(4.0)
    >>> tf.compat.v1.train.AdadeltaOptimizer(1.0, epsilon=1.0).minimize(lambda: x * x)
    >>> round(float(x.numpy()), 3)
    0.09
    """

    slot_values, slot_names = (0.0, 0.0), ("accum", "accum_update")

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        rho: Rate = 0.95,
        epsilon: Rate = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._rate, self._rho, self._epsilon = learning_rate, rho, epsilon

    def _rule(
        self, gradient: Tensor, value: Tensor, slots: Sequence[Tensor]
    ) -> tuple[Any, list[Any]]:
        rate, rho, small = [number(n, value.dtype) for n in (self._rate, self._rho, self._epsilon)]
        squares = slots[0] * rho + gradient * gradient * (1.0 - rho)
        change = sqrt(slots[1] + small) * rsqrt(squares + small) * gradient
        return change * rate, [squares, slots[1] * rho + change * change * (1.0 - rho)]


class RMSPropOptimizer(ClassicOptimizer):
    """Subtracts the gradient over the root of a running mean of its squares.

    Args:
        learning_rate: A number, a tensor, or a function that returns one.
        decay: How much of the mean each step keeps.
        momentum: How much of the last change each step keeps.
        epsilon: A number that is added under the root.
        use_locking: It has no effect.
        centered: A bool: whether the square of a running mean is taken off the mean of squares.
        name: A string.

    >>> import graphwright as tf
    >>> x = tf.Variable(4.0)
    >>> tf.compat.v1.train.RMSPropOptimizer(1.0).minimize(lambda: x * x)
    >>> round(float(x.numpy()), 3)
    1.039
    """

    def __init__(
        self,
        learning_rate: Rate,
        decay: Rate = 0.9,
        momentum: Rate = 0.0,
        epsilon: Rate = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._rate, self._decay, self._momentum = learning_rate, decay, momentum
        self._epsilon, self._centered = epsilon, centered
        self.slot_names = ("rms", "mg", "momentum") if centered else ("rms", "momentum")
        self.slot_values = (1.0, 0.0, 0.0) if centered else (1.0, 0.0)

    def _rule(
        self, gradient: Tensor, value: Tensor, slots: Sequence[Tensor]
    ) -> tuple[Any, list[Any]]:
        dtype = value.dtype
        new = 1.0 - number(self._decay, dtype)
        squares = slots[0] + (gradient * gradient - slots[0]) * new
        under, news = squares + number(self._epsilon, dtype), [squares]
        if self._centered:
            mean = slots[1] + (gradient - slots[1]) * new
            under, news = under - mean * mean, [squares, mean]
        last = slots[-1] * number(self._momentum, dtype)
        step = last + number(self._rate, dtype) * gradient * rsqrt(under)
        return step, [*news, step]


class AdamOptimizer(ClassicOptimizer):
    """Subtracts a running mean of gradients over the root of one of their squares.

    Source: Kingma and Ba (2014), in the form before section 2.1, as TensorFlow has it.

    Args:
        learning_rate: A number, a tensor, or a function that returns one.
        beta1: How much of the mean of gradients each step keeps.
        beta2: How much of the mean of squares each step keeps.
        epsilon: A number that is added to the root.
        use_locking: It has no effect.
        name: A string.

    >>> import graphwright as tf
    >>> x = tf.Variable(4.0)
    >>> tf.compat.v1.train.AdamOptimizer(0.5).minimize(lambda: x * x)
    >>> x.numpy()
    np.float32(3.5)
    """

    slot_values, slot_names, changes_all_rows = (0.0, 0.0), ("m", "v"), True

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta1: Rate = 0.9,
        beta2: Rate = 0.999,
        epsilon: Rate = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(use_locking, name)
        self._rate, self._betas, self._epsilon = learning_rate, (beta1, beta2), epsilon
        self._powers: list[Variable] = []

    def _prepare(self, variables: Sequence[Variable]) -> None:
        """Makes slots, and the powers of the shares that steps keep."""
        if not self._powers:
            first = min(variables, key=lambda variable: variable.name)
            with control_dependencies(None):
                self._powers = [
                    Variable(number(beta, first.dtype), trainable=False, name=name)
                    for beta, name in zip(self._betas, ("beta1_power", "beta2_power"))
                ]
        super()._prepare(variables)

    def _rule(
        self, gradient: Tensor, value: Tensor, slots: Sequence[Tensor]
    ) -> tuple[Any, list[Any]]:
        dtype = value.dtype
        beta1, beta2 = [number(beta, dtype) for beta in self._betas]
        power1, power2 = [cast(power.read_value(), dtype) for power in self._powers]
        rate = number(self._rate, dtype) * sqrt(1.0 - power2) / (1.0 - power1)
        mean = slots[0] + (gradient - slots[0]) * (1.0 - beta1)
        squares = slots[1] + (gradient * gradient - slots[1]) * (1.0 - beta2)
        return mean * rate / (sqrt(squares) + number(self._epsilon, dtype)), [mean, squares]

    def _finish(self, changes: Sequence[object]) -> list[Any]:
        """The powers for the next step."""
        with control_dependencies(list(changes)):
            return [
                power.assign(power.read_value() * number(beta, power.dtype), read_value=False)
                for power, beta in zip(self._powers, self._betas)
            ]

    def variables(self) -> list[Any]:
        """Returns the slots of all variables, and the powers."""
        return [*super().variables(), *self._powers]
