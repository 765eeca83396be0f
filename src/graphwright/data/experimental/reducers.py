"""`group_by_reducer`: a state for each key, and a function that takes it through elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphwright.data.dataset import Dataset
from graphwright.data.dataset_value import function_for, make
from graphwright.data.element_type import ElementType
from graphwright.data.experimental.transformations import Transformation
from graphwright.data.stages.reducer_stages import GroupByReducerStage
from graphwright.types import dtypes as dt
from graphwright.types.specs import TensorSpec

_KEY = ElementType(TensorSpec([], dt.int64))


class Reducer:
    """How `group_by_reducer` makes one element of all that have a key in common.

    Args:
        init_func: A function of a key, an int64 scalar, which returns the state before the first
            element.
        reduce_func: A function of the state and an element, which returns the next state.
        finalize_func: A function of the last state, which returns an element of the result.

    >>> import graphwright as tf
    >>> reducer = tf.data.experimental.Reducer(lambda key: key * 0, lambda s, x: s + x, lambda s: s)
    >>> sums = tf.data.experimental.group_by_reducer(lambda x: x % 2, reducer)
    >>> [int(x) for x in tf.data.Dataset.range(6).apply(sums)]
    [6, 9]
    """

    def __init__(
        self,
        init_func: Callable[..., object],
        reduce_func: Callable[..., object],
        finalize_func: Callable[..., object],
    ) -> None:
        self._functions = init_func, reduce_func, finalize_func

    @property
    def init_func(self) -> Callable[..., object]:
        """The function of a key."""
        return self._functions[0]

    @property
    def reduce_func(self) -> Callable[..., object]:
        """The function of the state and an element."""
        return self._functions[1]

    @property
    def finalize_func(self) -> Callable[..., object]:
        """The function of the last state."""
        return self._functions[2]


def group_by_reducer(key_func: Callable[..., object], reducer: Reducer) -> Transformation:
    """Returns a function that makes one element of all elements of a dataset with the same key.

    Args:
        key_func: A function of an element, which returns its key: an int64 scalar.
        reducer: A `tf.data.experimental.Reducer`.

    Returns:
        A function for `tf.data.Dataset.apply`. The elements come in the order of their keys. It
        raises ValueError where `key_func` returns something else, and TypeError where the state
        changes its type.

    >>> import graphwright as tf
    >>> reducer = tf.data.experimental.Reducer(
    ...     lambda key: (key, tf.constant(0)), lambda state, x: (state[0], state[1] + 1),
    ...     lambda key, count: (key, count))
    >>> counts = tf.data.experimental.group_by_reducer(lambda x: x % 3, reducer)
    >>> [(int(key), int(count)) for key, count in tf.data.Dataset.range(8).apply(counts)]
    [(0, 3), (1, 3), (2, 2)]
    """

    def transform(dataset: Dataset) -> Any:
        key = function_for(key_func, dataset)
        spec = key.result.specs
        if not isinstance(spec, TensorSpec) or spec.dtype is not dt.int64 or spec.shape.rank != 0:
            raise ValueError(
                "Invalid `key_func`. Expected `key_func` to return a scalar tf.int64 tensor, but "
                f"instead `key_func` has output types={spec.dtype!r} and shapes={spec.shape}."
                if isinstance(spec, TensorSpec)
                else "Invalid `key_func`. Expected `key_func` to return a scalar tf.int64 tensor, "
                f"but it returns {spec}."
            )
        init = function_for(reducer.init_func, _KEY)
        state, reduction = dataset._stepper(reducer.reduce_func, init.result, "reducer")
        final = function_for(reducer.finalize_func, state)
        functions = [key, init, reduction, final]
        return make(GroupByReducerStage, final.result, [dataset], [], functions)

    return transform
