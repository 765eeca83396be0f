"""`tf.compat.v1.metrics`: figures of classes over many batches."""

from __future__ import annotations

from typing import Any

from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import zeros
from graphwright.ops.core.indexing import where
from graphwright.ops.core.movement import reshape
from graphwright.ops.core.segment_reduction import unsorted_segment_sum
from graphwright.ops.linalg.tensor_diagonals import tensor_diag_part
from graphwright.ops.math.arithmetic import divide_no_nan
from graphwright.ops.math.comparison import equal, greater
from graphwright.ops.math.counting import confusion_matrix
from graphwright.ops.math.reduction import reduce_mean, reduce_sum
from graphwright.portable.classic.classic_functions import variable
from graphwright.portable.classic.figures.running_metrics import (
    LISTS,
    Keys,
    Running,
    alike,
    listed,
    refuse_eager,
    sum_of,
    weighed,
)
from graphwright.portable.classic.variable_scopes import variable_scope
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike
from graphwright.values.convert import convert


def flat_classes(labels: TensorLike, predictions: TensorLike) -> tuple[Any, Any]:
    """Both as vectors of int64."""
    wanted, made = [reshape(cast(side, dt.int64), [-1]) for side in alike(labels, predictions)]
    return wanted, made


def mean_iou(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: int,
    weights: TensorLike | None = None,
    metrics_collections: Keys = None,
    updates_collections: Keys = None,
    name: str | None = None,
) -> Running:
    """Returns how far classes overlap so far, and the operation that adds some predictions.

    The figure of a class is what was rightly said to be in it, over all that is in it or was said
    to be. Classes that never come do not count.

    Args:
        labels: Classes, a tensor of integers.
        predictions: Classes, a tensor of the same shape.
        num_classes: So many classes there are.
        weights: Weights, a tensor that broadcasts to `labels`; None weighs all alike.
        metrics_collections: The names of collections that list the mean, or None.
        updates_collections: The names of collections that list the operation, or None.
        name: A string, with which names of variables begin.

    Returns:
        The mean over classes, a scalar of float32, and the matrix of counts after the batch, of
        shape [num_classes, num_classes].

    Raises:
        RuntimeError: No graph is open.
        ValueError: The shapes differ.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     mean, add = tf.compat.v1.metrics.mean_iou([0, 1, 1], [0, 1, 0], 2)
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     _ = session.run(add)
    ...     session.run(mean)
    np.float32(0.5)
    """
    refuse_eager("mean_iou")
    with variable_scope(name, "mean_iou"):
        shape = [num_classes, num_classes]
        total = variable(zeros(shape, dt.float64), False, LISTS, name="total_confusion_matrix")
        wanted, made = flat_classes(labels, predictions)
        shares = None if weights is None else reshape(cast(convert(weights), dt.float64), [-1])
        counts = confusion_matrix(wanted, made, num_classes, shares, dt.float64)
        update = convert(total.assign_add(counts))
        whole = convert(total)
        right = cast(tensor_diag_part(whole), dt.float32)
        sides = [cast(reduce_sum(whole, axis), dt.float32) for axis in (0, 1)]
        union = sides[0] + sides[1] - right
        present = cast(greater(union, 0.0), dt.float32)
        each = right / where(greater(union, 0.0), union, 1.0)
        value = divide_no_nan(reduce_sum(each), reduce_sum(present), name="mean_iou")
        return listed(value, update, metrics_collections, updates_collections)


def mean_per_class_accuracy(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: int,
    weights: TensorLike | None = None,
    metrics_collections: Keys = None,
    updates_collections: Keys = None,
    name: str | None = None,
) -> Running:
    """Returns the mean over classes of the share that was right, and the operation that adds some.

    Args:
        labels: Classes, a tensor of integers.
        predictions: Classes, a tensor of the same shape.
        num_classes: So many classes there are.
        weights: Weights, a tensor that broadcasts to `labels`; None weighs all alike.
        metrics_collections: The names of collections that list the mean, or None.
        updates_collections: The names of collections that list the operation, or None.
        name: A string, with which names of variables begin.

    Returns:
        The mean, a scalar of float32, and the shares of classes after the batch, of shape
        [num_classes].

    Raises:
        RuntimeError: No graph is open.
        ValueError: The shapes differ.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     _, add = tf.compat.v1.metrics.mean_per_class_accuracy([0, 1, 1], [0, 1, 0], 2)
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(add)
    array([1. , 0.5], dtype=float32)
    """
    refuse_eager("mean_per_class_accuracy")
    with variable_scope(name, "mean_accuracy"):
        wanted, made = flat_classes(labels, predictions)
        totals, rights = sum_of("total", [num_classes]), sum_of("count", [num_classes])
        shares = reshape(weighed(wanted, None if weights is None else reshape(weights, [-1])), [-1])
        right = cast(equal(wanted, made), dt.float32) * shares
        more = totals.assign_add(unsorted_segment_sum(shares, wanted, num_classes))
        better = rights.assign_add(unsorted_segment_sum(right, wanted, num_classes))
        value = reduce_mean(divide_no_nan(rights, totals), name="mean_accuracy")
        update = divide_no_nan(better, more, name="update_op")
        return listed(value, update, metrics_collections, updates_collections)
