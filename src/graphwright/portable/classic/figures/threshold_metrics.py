"""`tf.compat.v1.metrics`: counts of right and wrong answers over batches, and areas under curves.

A score above a threshold says yes. Each function returns the figure so far, and the operation that
adds a batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from graphwright.ops.core.casting import cast
from graphwright.ops.core.indexing import where
from graphwright.ops.core.movement import reshape
from graphwright.ops.math.arithmetic import divide_no_nan, maximum, minimum
from graphwright.ops.math.comparison import greater, logical_and
from graphwright.ops.math.reduction import reduce_sum
from graphwright.ops.math.transcendental import log
from graphwright.portable.classic.figures.running_metrics import (
    Keys,
    Running,
    alike,
    chosen,
    counted,
    listed,
    refuse_eager,
    sum_of,
    weighed,
)
from graphwright.portable.classic.variable_scopes import variable_scope
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike
from graphwright.values.convert import constant, convert

#: Thresholds at the ends lie so far beyond 0 and 1; and what keeps quotients from being 0 / 0.
_EDGE, _SMALL = 1e-7, 1e-6


class Answers(NamedTuple):
    """The weights of four kinds of answers, each a value for each threshold, or None."""

    true_positives: Any = None
    false_negatives: Any = None
    true_negatives: Any = None
    false_positives: Any = None


def answers(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None,
    kinds: Sequence[str] = Answers._fields,
) -> tuple[Answers, Answers]:
    """The answers so far at thresholds, and those after a batch is added."""
    wanted, scores = alike(labels, predictions)
    shares = reshape(weighed(scores, weights), [1, -1])
    is_true = reshape(cast(wanted, dt.bool_), [1, -1])
    is_yes = greater(
        reshape(cast(scores, dt.float32), [1, -1]), reshape(constant(thresholds), [-1, 1])
    )
    values, updates = {}, {}
    for kind in kinds:
        hits = cast(chosen(kind, is_true, is_yes), dt.float32) * shares
        total = sum_of(kind, [len(thresholds)])
        values[kind] = convert(total)
        updates[kind] = convert(total.assign_add(reduce_sum(hits, 1)))
    return Answers(**values), Answers(**updates)


def area(points: Answers, curve: str, method: str) -> Any:
    """The area under a curve whose points are answers at thresholds."""
    right, missed, silent, wrong = points
    if method == "careful_interpolation" and curve == "PR":
        return careful_area(right, missed, wrong)
    recall = (right + _SMALL) / (right + missed + _SMALL)
    if curve == "ROC":
        x, y = wrong / (wrong + silent + _SMALL), recall
    else:
        x, y = recall, (right + _SMALL) / (right + wrong + _SMALL)
    pairs: dict[str, Callable[[Any, Any], Any]] = {"minoring": minimum, "majoring": maximum}
    between = pairs.get(method, lambda a, b: (a + b) / 2.0)
    return reduce_sum((x[:-1] - x[1:]) * between(y[:-1], y[1:]))


def careful_area(right: Any, missed: Any, wrong: Any) -> Any:
    """The area under precision over recall, where answers are interpolated and not quotients.

    Source: Davis and Goadrich (2006).
    """
    yes = right + wrong
    step = right[:-1] - right[1:]
    slope = divide_no_nan(step, maximum(yes[:-1] - yes[1:], 0.0))
    start = right[1:] - slope * yes[1:]
    both = logical_and(greater(yes[:-1], 0.0), greater(yes[1:], 0.0))
    ratio = where(both, divide_no_nan(yes[:-1], maximum(yes[1:], 0.0)), 1.0)
    whole = maximum(right[1:] + missed[1:], 0.0)
    return reduce_sum(divide_no_nan(slope * (step + start * log(ratio)), whole))


def auc(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Keys = None,
    updates_collections: Keys = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Sequence[float] | None = None,
) -> Running:
    """Returns the area under a curve of answers so far, and the operation that adds some.

    Args:
        labels: What is true, a tensor that is cast to bool.
        predictions: Scores from 0 to 1, a tensor of the same shape.
        weights: Weights, a tensor that broadcasts to `predictions`; None weighs all alike.
        num_thresholds: So many thresholds the curve has, at even distances.
        metrics_collections: The names of collections that list the area, or None.
        updates_collections: The names of collections that list the operation, or None.
        curve: "ROC" for the share of true answers over that of false ones; "PR" for precision over
            recall.
        name: A string, with which names of variables begin.
        summation_method: "trapezoidal", "minoring", "majoring", or "careful_interpolation".
        thresholds: Thresholds between 0 and 1 in place of `num_thresholds`, or None.

    Returns:
        A pair of scalars of dtype float32.

    Raises:
        RuntimeError: No graph is open.
        ValueError: `curve` or `summation_method` is none of these, or the shapes differ.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     area, add = tf.compat.v1.metrics.auc([0, 0, 1, 1], [0.1, 0.6, 0.5, 0.9])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     round(float(session.run(add)), 3)
    0.75
    """
    refuse_eager("auc")
    if curve not in ("ROC", "PR"):
        raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
    if summation_method not in ("trapezoidal", "minoring", "majoring", "careful_interpolation"):
        raise ValueError(f"Invalid summation_method: {summation_method}")
    inner = thresholds
    if inner is None:
        inner = [(i + 1) / (num_thresholds - 1) for i in range(num_thresholds - 2)]
    with variable_scope(name, "auc"):
        cuts = [-_EDGE, *sorted(inner), 1.0 + _EDGE]
        pair = answers(labels, predictions, cuts, weights)
        value, update = [area(each, curve, summation_method) for each in pair]
        return listed(value, update, metrics_collections, updates_collections)


def share(
    name: str | None, kinds: tuple[str, str], labels: TensorLike, predictions: TensorLike,
    thresholds: Sequence[float], weights: TensorLike | None, keys: Sequence[Keys], default: str,
) -> Running:  # fmt: skip
    """The first kind of answers among two, for each threshold."""
    refuse_eager(default)
    with variable_scope(name, default):
        pair = answers(labels, predictions, thresholds, weights, kinds)
        value, update = [
            getattr(each, kinds[0])
            / (_EDGE + getattr(each, kinds[0]) + getattr(each, kinds[1]))
            for each in pair
        ]  # fmt: skip
        return listed(value, update, *keys)


def precision_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None = None,
    metrics_collections: Keys = None,
    updates_collections: Keys = None,
    name: str | None = None,
) -> Running:
    """Returns which share of what scores say is true so far, and the operation that adds some.

    Args:
        labels: What is true, a tensor that is cast to bool.
        predictions: Scores from 0 to 1, a tensor of the same shape.
        thresholds: A list of floats: above it a score says yes.
        weights: Weights, a tensor that broadcasts to `predictions`; None weighs all alike.
        metrics_collections: The names of collections that list the share, or None.
        updates_collections: The names of collections that list the operation, or None.
        name: A string, with which names of variables begin.

    Returns:
        A pair of vectors of dtype float32, with a value for each threshold.

    Raises:
        RuntimeError: No graph is open.
        ValueError: The shapes differ.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     _, add = tf.compat.v1.metrics.precision_at_thresholds([1, 0], [0.9, 0.4], [0.2, 0.5])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     [round(float(share), 3) for share in session.run(add)]
    [0.5, 1.0]
    """
    return share(
        name, ("true_positives", "false_positives"), labels, predictions, thresholds, weights,
        (metrics_collections, updates_collections), "precision_at_thresholds",
    )  # fmt: skip


def recall_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None = None,
    metrics_collections: Keys = None,
    updates_collections: Keys = None,
    name: str | None = None,
) -> Running:
    """Returns which share of what is true scores say so far, and the operation that adds some.

    Args:
        labels: What is true, a tensor that is cast to bool.
        predictions: Scores from 0 to 1, a tensor of the same shape.
        thresholds: A list of floats: above it a score says yes.
        weights: Weights, a tensor that broadcasts to `predictions`; None weighs all alike.
        metrics_collections: The names of collections that list the share, or None.
        updates_collections: The names of collections that list the operation, or None.
        name: A string, with which names of variables begin.

    Returns:
        A pair of vectors of dtype float32, with a value for each threshold.

    Raises:
        RuntimeError: No graph is open.
        ValueError: The shapes differ.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     _, add = tf.compat.v1.metrics.recall_at_thresholds([1, 1], [0.9, 0.4], [0.2, 0.5])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     [round(float(share), 3) for share in session.run(add)]
    [1.0, 0.5]
    """
    return share(
        name, ("true_positives", "false_negatives"), labels, predictions, thresholds, weights,
        (metrics_collections, updates_collections), "recall_at_thresholds",
    )  # fmt: skip


def answers_of(
    kind: str, labels: TensorLike, predictions: TensorLike, weights: TensorLike | None,
    name: str | None, keys: Sequence[Keys],
) -> Running:  # fmt: skip
    """The weight of one kind of answers so far, and after these are added."""
    refuse_eager(kind)
    wanted, made = [cast(side, dt.bool_) for side in alike(labels, predictions)]
    return listed(*counted(name or kind, chosen(kind, wanted, made), weights), *keys)


def true_positives(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Keys = None,
    updates_collections: Keys = None,
    name: str | None = None,
) -> Running:
    """Returns how often a prediction was true and right so far, and the operation that adds some.

    Args:
        labels: What is true, a tensor that is cast to bool.
        predictions: A tensor of the same shape, which is cast to bool.
        weights: Weights, a tensor that broadcasts to `labels`; None weighs all alike.
        metrics_collections: The names of collections that list the count, or None.
        updates_collections: The names of collections that list the operation, or None.
        name: A string, with which names of variables begin.

    Returns:
        A pair of scalars of dtype float32.

    Raises:
        RuntimeError: No graph is open.
        ValueError: The shapes differ.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     _, add = tf.compat.v1.metrics.true_positives([1, 0, 1, 1], [1, 1, 0, 1])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(add)
    np.float32(2.0)
    """
    keys = metrics_collections, updates_collections
    return answers_of("true_positives", labels, predictions, weights, name, keys)


def false_positives(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Keys = None,
    updates_collections: Keys = None,
    name: str | None = None,
) -> Running:
    """Returns how often a prediction was true and wrong so far, and the operation that adds some.

    Args:
        labels: What is true, a tensor that is cast to bool.
        predictions: A tensor of the same shape, which is cast to bool.
        weights: Weights, a tensor that broadcasts to `labels`; None weighs all alike.
        metrics_collections: The names of collections that list the count, or None.
        updates_collections: The names of collections that list the operation, or None.
        name: A string, with which names of variables begin.

    Returns:
        A pair of scalars of dtype float32.

    Raises:
        RuntimeError: No graph is open.
        ValueError: The shapes differ.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     _, add = tf.compat.v1.metrics.false_positives([1, 0, 1, 1], [1, 1, 0, 1])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(add)
    np.float32(1.0)
    """
    keys = metrics_collections, updates_collections
    return answers_of("false_positives", labels, predictions, weights, name, keys)


def true_negatives(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Keys = None,
    updates_collections: Keys = None,
    name: str | None = None,
) -> Running:
    """Returns how often a prediction was false and right so far, and the operation that adds some.

    Args:
        labels: What is true, a tensor that is cast to bool.
        predictions: A tensor of the same shape, which is cast to bool.
        weights: Weights, a tensor that broadcasts to `labels`; None weighs all alike.
        metrics_collections: The names of collections that list the count, or None.
        updates_collections: The names of collections that list the operation, or None.
        name: A string, with which names of variables begin.

    Returns:
        A pair of scalars of dtype float32.

    Raises:
        RuntimeError: No graph is open.
        ValueError: The shapes differ.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     _, add = tf.compat.v1.metrics.true_negatives([1, 0, 0, 1], [1, 1, 0, 1])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(add)
    np.float32(1.0)
    """
    keys = metrics_collections, updates_collections
    return answers_of("true_negatives", labels, predictions, weights, name, keys)


def false_negatives(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Keys = None,
    updates_collections: Keys = None,
    name: str | None = None,
) -> Running:
    """Returns how often a prediction was false and wrong so far, and the operation that adds some.

    Args:
        labels: What is true, a tensor that is cast to bool.
        predictions: A tensor of the same shape, which is cast to bool.
        weights: Weights, a tensor that broadcasts to `labels`; None weighs all alike.
        metrics_collections: The names of collections that list the count, or None.
        updates_collections: The names of collections that list the operation, or None.
        name: A string, with which names of variables begin.

    Returns:
        A pair of scalars of dtype float32.

    Raises:
        RuntimeError: No graph is open.
        ValueError: The shapes differ.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     _, add = tf.compat.v1.metrics.false_negatives([1, 0, 1, 1], [1, 1, 0, 0])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(add)
    np.float32(2.0)
    """
    keys = metrics_collections, updates_collections
    return answers_of("false_negatives", labels, predictions, weights, name, keys)
