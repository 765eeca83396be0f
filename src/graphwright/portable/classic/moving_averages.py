"""`tf.train.ExponentialMovingAverage`: averages of variables that forget what is long past."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from graphwright.control.dependencies import control_dependencies, group
from graphwright.control.graph_variable import GraphVariable
from graphwright.op.interpreter import convert
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import zeros
from graphwright.ops.math.arithmetic import minimum
from graphwright.portable.classic.graph_collections import (
    EAGER,
    GraphKeys,
    add_to_collection,
    get_collection,
    global_variables,
    open_graph,
    trainable_variables,
)
from graphwright.portable.classic.variable_scopes import get_variable_scope
from graphwright.trace.scopes import init_scope, name_scope
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike
from graphwright.values.tensor import Tensor
from graphwright.values.variable import Variable

#: The dtypes that have averages.
_FLOATS = (dt.bfloat16, dt.float16, dt.float32, dt.float64)


class ExponentialMovingAverage:
    """Averages of variables: each `apply` moves them by `1 - decay` towards the variables.

    The averages are variables of their own, which are not trained.

    Args:
        decay: A float, a scalar tensor or a variable: how much of an average stays.
        num_updates: How many updates there were, a scalar; the decay is then at most
            `(1 + num_updates) / (10 + num_updates)`. None means the decay is as stated.
        zero_debias: A bool: whether averages of tensors, which begin at 0, are divided by the
            weight that they have so far.
        name: A string, with which names of averages end.

    >>> import graphwright as tf
    >>> v = tf.Variable(0.0)
    >>> ema = tf.train.ExponentialMovingAverage(0.75)
    >>> ema.apply([v])
    >>> v.assign(4.0)
    <tf.Variable 'Variable:0' shape=() dtype=float32, numpy=4.0>
    >>> ema.apply([v])
    >>> ema.average(v).numpy()
    np.float32(1.0)
    """

    def __init__(
        self,
        decay: TensorLike,
        num_updates: TensorLike | None = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay, self._num_updates, self._zero_debias = decay, num_updates, zero_debias
        self._name = name
        self._averages: dict[Any, Variable] = {}
        #: Of averages that begin at 0: the sum that they are made of, and the number of its terms.
        self._sums: dict[Any, tuple[Variable, Variable]] = {}

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    def apply(self, var_list: Iterable[Variable | Tensor] | None = None) -> Any:
        """Moves the averages; the first call makes them, with the values of the variables.

        Args:
            var_list: Variables of a float dtype, in a graph also tensors. None takes all trained
                variables of the open graph.

        Returns:
            An operation of the open graph; None where ops run at once.

        Raises:
            TypeError: An item is of another dtype, or a tensor outside of a graph.

        >>> import graphwright as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        ...     v = tf.Variable(8.0, name="v")
        ...     step = tf.train.ExponentialMovingAverage(0.5).apply([v])
        ...     session.run(tf.compat.v1.global_variables_initializer())
        ...     v.load(0.0, session)
        ...     session.run(step)
        ...     session.run("v/ExponentialMovingAverage:0")
        np.float32(4.0)
        """
        items: list[Any] = list(trainable_variables() if var_list is None else var_list)
        for item in items:
            if not isinstance(item, Variable) and open_graph() is EAGER:
                raise TypeError(
                    "tf.train.ExponentialMovingAverage does not support non-Variable tensors when "
                    "eager execution is enabled."
                )
        for item in items:
            if item.dtype not in _FLOATS:
                raise TypeError(f"The variables must be half, float, or double: {item.name}")
            if item.ref() not in self._averages:
                self._averages[item.ref()] = self._new_average(item)
        with name_scope(self._name) as scope:
            decay: Any = convert(self._decay, dt.float32)
            if self._num_updates is not None:
                count: Any = cast(self._num_updates, dt.float32)
                decay = minimum(decay, (1.0 + count) / (10.0 + count))
            moves = [self._moved(item, 1.0 - decay) for item in items]
            return group(*moves, name=scope)

    def _new_average(self, item: Any) -> Variable:
        """A new variable for the average of one, or of a tensor."""
        name = self._path(item)
        if open_graph() is EAGER:
            with init_scope():
                return Variable(item.read_value(), trainable=False, name=name)
        with control_dependencies(None), name_scope(""):
            if not isinstance(item, Variable):
                made = Variable(zeros(item.shape, item.dtype), trainable=False, name=name)
                if self._zero_debias:
                    base = "/".join(filter(None, [get_variable_scope().name, made.op.name]))
                    self._sums[item.ref()] = (
                        Variable(
                            zeros(item.shape, item.dtype), trainable=False, name=f"{base}/biased"
                        ),
                        Variable(zeros([], item.dtype), trainable=False, name=f"{base}/local_step"),
                    )
                return made
            value = item.initialized_value() if isinstance(item, GraphVariable) else item
            made = Variable(value, trainable=False, name=name)
        add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, item)
        return made

    def _path(self, item: Any) -> str:
        """The name of the average of a variable or a tensor, in the scope that is open."""
        base = item.name.partition(":")[0] if isinstance(item, Variable) else item.op.name
        return "/".join(filter(None, [get_variable_scope().name, base, self._name]))

    def _moved(self, item: Any, rate: Any) -> Any:
        """Moves an average."""
        average = self._averages[item.ref()]
        step = cast(rate, average.dtype)
        if item.ref() not in self._sums:
            return average.assign_sub((average.read_value() - item) * step)
        total, count = self._sums[item.ref()]
        weighed = total.assign_sub((total.read_value() - item) * step).read_value()
        weight = 1.0 - (1.0 - step) ** count.assign_add(1.0).read_value()
        return average.assign(weighed / weight)

    def average(self, var: Variable | Tensor) -> Variable | None:
        """Returns the average of a variable.

        Args:
            var: A variable.

        Returns:
            A variable, or None where there is no average of it.

        >>> import graphwright as tf
        >>> print(tf.train.ExponentialMovingAverage(0.9).average(tf.Variable(1.0)))
        None
        """
        return self._averages.get(var.ref())

    def average_name(self, var: Variable | Tensor) -> str:
        """Returns the name of the average of a variable, which may not be there yet.

        Args:
            var: A variable.

        Returns:
            A string.

        >>> import graphwright as tf
        >>> ema = tf.train.ExponentialMovingAverage(0.9)
        >>> ema.average_name(tf.Variable(1.0, name="v"))
        'v/ExponentialMovingAverage'
        """
        made = self._averages.get(var.ref())
        name: str = (var.name if made is None else made.name).partition(":")[0]
        return name if made is not None else f"{name}/{self._name}"

    def variables_to_restore(
        self, moving_avg_variables: Iterable[Variable] | None = None
    ) -> dict[str, Variable]:
        """Returns what a saver restores so that variables get the values of their averages.

        Args:
            moving_avg_variables: The variables that have averages. None takes the trained ones, and
                those that an average was made of.

        Returns:
            A dict from names in a checkpoint to all global variables of the open graph.

        >>> import graphwright as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.Variable(1.0, name="v")
        ...     list(tf.train.ExponentialMovingAverage(0.9).variables_to_restore())
        ['v/ExponentialMovingAverage']
        """
        if moving_avg_variables is None:
            listed = get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES)
            moving_avg_variables = [*trainable_variables(), *listed]
        averaged = {variable.name: variable for variable in moving_avg_variables}
        names = {self.average_name(variable): variable for variable in averaged.values()}
        for variable in global_variables():
            if variable.name not in averaged:
                names.setdefault(variable.name.partition(":")[0], variable)
        return names
