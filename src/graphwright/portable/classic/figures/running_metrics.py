"""`tf.compat.v1.metrics`: figures over many batches, in local variables of a graph.

Each function returns the figure so far, and the operation that adds a batch and gives the figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from graphwright.control.graph_variable import LOCAL
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import ones_like, zeros
from graphwright.ops.core.movement import squeeze
from graphwright.ops.math.arithmetic import divide_no_nan
from graphwright.ops.math.comparison import equal, logical_and, logical_not
from graphwright.ops.math.magnitude import abs as magnitude
from graphwright.ops.math.reduction import reduce_sum
from graphwright.ops.math.transcendental import sqrt, squared_difference
from graphwright.portable.classic.classic_functions import variable
from graphwright.portable.classic.graph_collections import GraphKeys, add_to_collections
from graphwright.portable.classic.variable_scopes import variable_scope
from graphwright.trace.scopes import executing_eagerly
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike
from graphwright.values.convert import convert
from graphwright.values.tensor import Tensor
from graphwright.values.variable import Variable

#: A figure so far, and the operation that adds a batch.
Running: TypeAlias = tuple[Tensor, Tensor]
#: The names of the collections that list a figure, or an operation; None for none.
Keys: TypeAlias = str | Sequence[str] | None
#: The collections that list variables of figures.
LISTS = (LOCAL, GraphKeys.METRIC_VARIABLES)


def refuse_eager(name: str) -> None:
    """RuntimeError where no graph is open."""
    if executing_eagerly():
        words = f"tf.metrics.{name} is not supported when eager execution is enabled."
        raise RuntimeError(words)


def sum_of(name: str, shape: Sequence[int] = ()) -> Variable:
    """A local variable for a sum, 0 at first."""
    return variable(zeros(shape, dt.float32), False, LISTS, name=name)


def listed(value: Any, update: Any, values: Keys, updates: Keys) -> Running:
    """A figure and its operation, which collections list."""
    for names, item in ((values, value), (updates, update)):
        if names is not None:
            add_to_collections(names, item)
    return value, update


def quotient(name: str, total: Any, count: Any) -> Any:
    """A sum by another, or 0 where there is nothing yet."""
    return divide_no_nan(total, count, name=name)


def weighed(values: Any, weights: TensorLike | None) -> Any:
    """The weights of values, 1 by default."""
    whole = ones_like(values, dt.float32)
    return whole if weights is None else whole * cast(convert(weights), dt.float32)


def alike(labels: TensorLike, predictions: TensorLike) -> tuple[Any, Any]:
    """Both without a last axis of size 1 that the other lacks."""
    pair: list[Any] = [convert(labels), convert(predictions)]
    for one, other in ((0, 1), (1, 0)):
        ranks = pair[one].shape.rank, pair[other].shape.rank
        if None not in ranks and ranks[0] == ranks[1] + 1 and pair[one].shape[-1] == 1:
            pair[one] = squeeze(pair[one], [-1])
    pair[1].shape.assert_is_compatible_with(pair[0].shape)
    return pair[0], pair[1]


def averaged(
    default: str, values: Any, weights: TensorLike | None, name: str | None, keys: Sequence[Keys]
) -> Running:
    """The running mean of values that are given."""
    with variable_scope(name, default):
        total, count = sum_of("total"), sum_of("count")
        values = cast(values, dt.float32)
        shares = weighed(values, weights)
        value = quotient("value", total, count)
        more = total.assign_add(reduce_sum(values * shares))
        counted = count.assign_add(reduce_sum(shares))
        update = quotient("update_op", more, counted)
        return listed(value, update, *keys)


def mean(
    values: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Keys = None,
    updates_collections: Keys = None,
    name: str | None = None,
) -> Running:
    """Returns the mean of all values so far, and the operation that adds some.

    Args:
        values: A tensor of numbers, of any shape.
        weights: Weights of the values, a tensor that broadcasts to them; None weighs all alike.
        metrics_collections: The names of collections that list the mean, or None.
        updates_collections: The names of collections that list the operation, or None.
        name: A string, with which names of variables begin.

    Returns:
        A pair of scalars of dtype float32.

    Raises:
        RuntimeError: No graph is open.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.placeholder(tf.float32, [None])
    ...     average, add = tf.compat.v1.metrics.mean(x)
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     for batch in ([1.0, 2.0], [6.0]):
    ...         _ = session.run(add, {x: batch})
    ...     session.run(average)
    np.float32(3.0)
    """
    refuse_eager("mean")
    return averaged(
        "mean", convert(values), weights, name, (metrics_collections, updates_collections)
    )


def accuracy(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Keys = None,
    updates_collections: Keys = None,
    name: str | None = None,
) -> Running:
    """Returns which share of predictions was right so far, and the operation that adds some.

    Args:
        labels: What is right, a tensor.
        predictions: A tensor of the same shape.
        weights: Weights, a tensor that broadcasts to `labels`; None weighs all alike.
        metrics_collections: The names of collections that list the share, or None.
        updates_collections: The names of collections that list the operation, or None.
        name: A string, with which names of variables begin.

    Returns:
        A pair of scalars of dtype float32.

    Raises:
        RuntimeError: No graph is open.
        ValueError: The shapes differ.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     share, add = tf.compat.v1.metrics.accuracy([1, 2, 3, 4], [1, 2, 3, 0])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(add)
    np.float32(0.75)
    """
    refuse_eager("accuracy")
    wanted, made = alike(labels, predictions)
    right = equal(cast(made, wanted.dtype), wanted)
    return averaged("accuracy", right, weights, name, (metrics_collections, updates_collections))


def mean_absolute_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Keys = None,
    updates_collections: Keys = None,
    name: str | None = None,
) -> Running:
    """Returns the mean distance of predictions so far, and the operation that adds some.

    Args:
        labels: What is right, a tensor of numbers.
        predictions: A tensor of the same shape.
        weights: Weights, a tensor that broadcasts to `labels`; None weighs all alike.
        metrics_collections: The names of collections that list the mean, or None.
        updates_collections: The names of collections that list the operation, or None.
        name: A string, with which names of variables begin.

    Returns:
        A pair of scalars of dtype float32.

    Raises:
        RuntimeError: No graph is open.
        ValueError: The shapes differ.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     _, add = tf.compat.v1.metrics.mean_absolute_error([1.0, 2.0], [2.0, 4.0])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(add)
    np.float32(1.5)
    """
    refuse_eager("mean_absolute_error")
    wanted, made = alike(labels, predictions)
    distance = magnitude(made - wanted)
    return averaged(
        "mean_absolute_error", distance, weights, name, (metrics_collections, updates_collections)
    )


def mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Keys = None,
    updates_collections: Keys = None,
    name: str | None = None,
) -> Running:
    """Returns the mean squared distance of predictions so far, and the operation that adds some.

    Args:
        labels: What is right, a tensor of numbers.
        predictions: A tensor of the same shape.
        weights: Weights, a tensor that broadcasts to `labels`; None weighs all alike.
        metrics_collections: The names of collections that list the mean, or None.
        updates_collections: The names of collections that list the operation, or None.
        name: A string, with which names of variables begin.

    Returns:
        A pair of scalars of dtype float32.

    Raises:
        RuntimeError: No graph is open.
        ValueError: The shapes differ.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     _, add = tf.compat.v1.metrics.mean_squared_error([1.0, 2.0], [2.0, 4.0])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(add)
    np.float32(2.5)
    """
    refuse_eager("mean_squared_error")
    wanted, made = alike(labels, predictions)
    distance = squared_difference(made, wanted)
    return averaged(
        "mean_squared_error", distance, weights, name, (metrics_collections, updates_collections)
    )


def root_mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Keys = None,
    updates_collections: Keys = None,
    name: str | None = None,
) -> Running:
    """Returns the root of the mean squared distance so far, and the operation that adds some.

    Args:
        labels: What is right, a tensor of numbers.
        predictions: A tensor of the same shape.
        weights: Weights, a tensor that broadcasts to `labels`; None weighs all alike.
        metrics_collections: The names of collections that list the root, or None.
        updates_collections: The names of collections that list the operation, or None.
        name: A string, with which names of variables begin.

    Returns:
        A pair of scalars of dtype float32.

    Raises:
        RuntimeError: No graph is open.
        ValueError: The shapes differ.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     _, add = tf.compat.v1.metrics.root_mean_squared_error([1.0, 2.0], [4.0, 5.0])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(add)
    np.float32(3.0)
    """
    refuse_eager("root_mean_squared_error")
    title = name or "root_mean_squared_error"
    value, update = mean_squared_error(labels, predictions, weights, name=title)
    keys = metrics_collections, updates_collections
    return listed(sqrt(value), sqrt(update), *keys)


def chosen(kind: str, wanted: Any, made: Any) -> Any:
    """Which answers are of a kind, such as "false_positives": `made` where `wanted` is true."""
    if kind.endswith("negatives"):
        made = logical_not(made)
    if kind in ("false_positives", "true_negatives"):
        wanted = logical_not(wanted)
    return logical_and(wanted, made)


def counted(name: str, hits: Any, weights: TensorLike | None) -> tuple[Any, Any]:
    """The weight of hits so far, and what it is after these are added."""
    with variable_scope(name):
        count = sum_of("count")
        update = count.assign_add(reduce_sum(cast(hits, dt.float32) * weighed(hits, weights)))
        return convert(count), convert(update)


def ratio(
    default: str, others: str, pair: tuple[Any, Any], weights: TensorLike | None,
    name: str | None, keys: Sequence[Keys],
) -> Running:  # fmt: skip
    """The share of predictions that are true and right among these and others."""
    wanted, made = [cast(side, dt.bool_) for side in pair]
    wrong = chosen(others, wanted, made)
    with variable_scope(name, default):
        rights = counted("true_positives", chosen("true_positives", wanted, made), weights)
        wrongs = counted(others, wrong, weights)
        value, update = [
            quotient(title, right, right + other)
            for title, right, other in zip(("value", "update_op"), rights, wrongs)
        ]
        return listed(value, update, *keys)


def precision(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Keys = None,
    updates_collections: Keys = None,
    name: str | None = None,
) -> Running:
    """Returns which share of what was predicted true is so, and the operation that adds some.

    Args:
        labels: What is true, a tensor that is cast to bool.
        predictions: A tensor of the same shape, which is cast to bool.
        weights: Weights, a tensor that broadcasts to `labels`; None weighs all alike.
        metrics_collections: The names of collections that list the share, or None.
        updates_collections: The names of collections that list the operation, or None.
        name: A string, with which names of variables begin.

    Returns:
        A pair of scalars of dtype float32.

    Raises:
        RuntimeError: No graph is open.
        ValueError: The shapes differ.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     _, add = tf.compat.v1.metrics.precision([1, 0, 1, 1], [1, 1, 0, 0])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(add)
    np.float32(0.5)
    """
    refuse_eager("precision")
    keys = metrics_collections, updates_collections
    return ratio("precision", "false_positives", alike(labels, predictions), weights, name, keys)


def recall(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Keys = None,
    updates_collections: Keys = None,
    name: str | None = None,
) -> Running:
    """Returns which share of what is true was predicted so, and the operation that adds some.

    Args:
        labels: What is true, a tensor that is cast to bool.
        predictions: A tensor of the same shape, which is cast to bool.
        weights: Weights, a tensor that broadcasts to `labels`; None weighs all alike.
        metrics_collections: The names of collections that list the share, or None.
        updates_collections: The names of collections that list the operation, or None.
        name: A string, with which names of variables begin.

    Returns:
        A pair of scalars of dtype float32.

    Raises:
        RuntimeError: No graph is open.
        ValueError: The shapes differ.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     _, add = tf.compat.v1.metrics.recall([1, 0, 1, 1, 1], [1, 1, 0, 0, 0])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(add)
    np.float32(0.25)
    """
    refuse_eager("recall")
    keys = metrics_collections, updates_collections
    return ratio("recall", "false_negatives", alike(labels, predictions), weights, name, keys)
