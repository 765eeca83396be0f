"""How values of replicas are combined: `tf.distribute.ReduceOp`."""

from __future__ import annotations

from enum import Enum

from graphwright.values.variable import VariableAggregation


class ReduceOp(Enum):
    """How the values of replicas are combined: `SUM` or `MEAN`, also by name, as `"sum"`.

    >>> import graphwright as tf
    >>> tf.distribute.get_strategy().reduce(tf.distribute.ReduceOp.MEAN, [1.0, 3.0], axis=0).numpy()
    np.float32(2.0)
    """

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation: VariableAggregation) -> ReduceOp:
        """Returns the way to combine copies of a variable of an aggregation.

        Args:
            aggregation: A `tf.VariableAggregation`.

        Returns:
            A `tf.distribute.ReduceOp`.

        Raises:
            ValueError: Nothing combines them.
        """
        if aggregation.name not in ReduceOp.__members__:
            raise ValueError(
                f"Could not convert from `tf.VariableAggregation` {aggregation} to "
                "`tf.distribute.ReduceOp` type"
            )
        return ReduceOp[aggregation.name]


def reduction(value: ReduceOp | str) -> ReduceOp:
    """A way to combine values, or that of a name; ValueError or TypeError for others."""
    if isinstance(value, str):
        return ReduceOp(value.upper())
    if not isinstance(value, ReduceOp):
        raise TypeError(f"Expected `reduce_op` to be a `tf.distribute.ReduceOp`, not: {value!r}")
    return value
