"""`tf.compat.v1.losses`: mean losses, which the graph lists so that a program can add them up."""

from __future__ import annotations

from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import ones_like
from graphwright.ops.core.identity import identity
from graphwright.ops.core.shapes import size
from graphwright.ops.math import magnitude
from graphwright.ops.math.arithmetic import divide_no_nan, maximum, minimum
from graphwright.ops.math.comparison import not_equal
from graphwright.ops.math.reduction import reduce_sum
from graphwright.ops.math.sums import add_n
from graphwright.ops.math.transcendental import log, squared_difference
from graphwright.ops.nn.activation import relu
from graphwright.ops.nn.losses import sigmoid_cross_entropy_with_logits
from graphwright.ops.nn.softmax import (
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from graphwright.portable.classic.graph_collections import (
    GraphKeys,
    add_to_collection,
    get_collection,
)
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike
from graphwright.values.convert import constant, convert
from graphwright.values.tensor import Tensor


class LossReduction:
    """How losses become one number.

    >>> import graphwright as tf
    >>> tf.compat.v1.losses.Reduction.SUM
    'weighted_sum'
    """

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_OVER_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Returns all ways."""
        return (
            cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, cls.SUM_BY_NONZERO_WEIGHTS
        )  # fmt: skip

    @classmethod
    def validate(cls, key: str) -> None:
        """Refuses what is no way.

        Args:
            key: A string.

        Raises:
            ValueError: It is none of `all`.
        """
        if key not in cls.all():
            raise ValueError(f"Invalid LossReduction Key {key}.")


_MEAN = LossReduction.SUM_BY_NONZERO_WEIGHTS


def compute_weighted_loss(
    losses: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN,
) -> Tensor:
    """Returns losses times weights as one number.

    Args:
        losses: A tensor of a float or an integer dtype.
        weights: Weights of the losses, a tensor that broadcasts to them.
        scope: It has no effect.
        loss_collection: The collection of the graph that lists the loss; None for none.
        reduction: One of `tf.compat.v1.losses.Reduction`: the mean over losses with weights other
            than 0 by default.

    Returns:
        A scalar of the dtype of `losses`; with `LossReduction.NONE` a tensor of their shape.

    Raises:
        ValueError: `reduction` is no way.

    >>> import graphwright as tf
    >>> tf.compat.v1.losses.compute_weighted_loss([1.0, 3.0], [1.0, 0.0]).numpy()
    np.float32(1.0)
    """
    LossReduction.validate(reduction)
    given = convert(losses)
    values, shares = cast(given, dt.float32), cast(convert(weights), dt.float32)
    loss = values * shares
    whole = shares * ones_like(values)
    if reduction != LossReduction.NONE:
        total = reduce_sum(loss)
        if reduction == LossReduction.SUM_OVER_BATCH_SIZE:
            total = divide_no_nan(total, cast(size(loss), dt.float32))
        elif reduction == LossReduction.MEAN:
            total = divide_no_nan(total, reduce_sum(whole))
        elif reduction == LossReduction.SUM_BY_NONZERO_WEIGHTS:
            total = divide_no_nan(total, reduce_sum(cast(not_equal(whole, 0.0), dt.float32)))
        loss = total
    loss = cast(loss, given.dtype)
    add_loss(loss, loss_collection)
    result: Tensor = loss
    return result


def add_loss(loss: Tensor, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    """Lists a loss in the open graph.

    Args:
        loss: A tensor.
        loss_collection: The name of the collection; None for none.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.losses.add_loss(tf.constant(1.0))
    ...     len(tf.compat.v1.losses.get_losses())
    1
    """
    if loss_collection and isinstance(loss, SymbolicTensor) and loss.graph.is_plain:
        add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: str = GraphKeys.LOSSES) -> list[Tensor]:
    """Returns the losses that the open graph lists.

    Args:
        scope: A regular expression for the beginnings of names, or None.
        loss_collection: The name of the collection.

    Returns:
        A list of tensors.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.losses.get_losses()
    []
    """
    return get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Tensor]:
    """Returns the losses of regularizers that the open graph lists.

    Args:
        scope: A regular expression for the beginnings of names, or None.

    Returns:
        A list of tensors.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.losses.get_regularization_losses()
    []
    """
    return get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> Tensor:
    """Returns the sum of all losses that the open graph lists.

    Args:
        add_regularization_losses: A bool: whether those of regularizers count too.
        name: A name for the op.
        scope: A regular expression for the beginnings of names, or None.

    Returns:
        A scalar; 0 where there are none.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     loss = tf.compat.v1.losses.mean_squared_error([1.0, 2.0], [1.0, 4.0])
    ...     session.run(tf.compat.v1.losses.get_total_loss())
    np.float32(2.0)
    """
    losses = get_losses(scope)
    if add_regularization_losses:
        losses += get_regularization_losses(scope)
    if len(losses) == 1:
        result: Tensor = identity(losses[0], name=name)
        return result
    return add_n(losses, name=name) if losses else constant(0.0)


def mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN,
) -> Tensor:
    """Returns the mean of the squares of differences.

    Args:
        labels: A tensor of a numeric dtype.
        predictions: A tensor of its shape.
        weights: Weights of the losses, a tensor that broadcasts to them.
        scope: It has no effect.
        loss_collection: The collection of the graph that lists the loss; None for none.
        reduction: One of `tf.compat.v1.losses.Reduction`: the mean over losses with weights other
            than 0 by default.

    Returns:
        A scalar.

    Raises:
        ValueError: `reduction` is no way.

    >>> import graphwright as tf
    >>> tf.compat.v1.losses.mean_squared_error([1.0, 2.0], [1.0, 4.0]).numpy()
    np.float32(2.0)
    """
    losses = squared_difference(
        cast(convert(predictions), dt.float32), cast(convert(labels), dt.float32)
    )
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def absolute_difference(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN,
) -> Tensor:
    """Returns the mean of the sizes of differences.

    Args:
        labels: A tensor of a numeric dtype.
        predictions: A tensor of its shape.
        weights: Weights of the losses, a tensor that broadcasts to them.
        scope: It has no effect.
        loss_collection: The collection of the graph that lists the loss; None for none.
        reduction: One of `tf.compat.v1.losses.Reduction`: the mean over losses with weights other
            than 0 by default.

    Returns:
        A scalar.

    Raises:
        ValueError: `reduction` is no way.

    >>> import graphwright as tf
    >>> tf.compat.v1.losses.absolute_difference([1.0, 2.0], [1.0, 4.0]).numpy()
    np.float32(1.0)
    """
    losses = magnitude.abs(
        cast(convert(predictions), dt.float32) - cast(convert(labels), dt.float32)
    )
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def softmax_cross_entropy(
    onehot_labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN,
) -> Tensor:
    """Returns the mean cross-entropy of labels that are vectors.

    Args:
        onehot_labels: A tensor of shape [n, classes]: a probability for each class.
        logits: A tensor of its shape.
        weights: Weights of the losses, a tensor that broadcasts to them.
        label_smoothing: How much of each label goes to all of them in equal parts.
        scope: It has no effect.
        loss_collection: The collection of the graph that lists the loss; None for none.
        reduction: One of `tf.compat.v1.losses.Reduction`: the mean over losses with weights other
            than 0 by default.

    Returns:
        A scalar.

    Raises:
        ValueError: `reduction` is no way.

    >>> import graphwright as tf
    >>> tf.compat.v1.losses.softmax_cross_entropy([[1.0, 0.0]], [[0.0, 0.0]]).numpy()
    np.float32(0.6931472)
    """
    values = convert(logits)
    labels = cast(convert(onehot_labels), values.dtype)
    if label_smoothing:
        classes = cast(size(labels) / size(labels[..., 0]), values.dtype)
        labels = labels * (1.0 - label_smoothing) + label_smoothing / classes
    losses = softmax_cross_entropy_with_logits(labels, values)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def sparse_softmax_cross_entropy(
    labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN,
) -> Tensor:
    """Returns the mean cross-entropy of labels that are numbers of classes.

    Args:
        labels: A tensor of int32 or int64, of shape [n].
        logits: A tensor of shape [n, classes].
        weights: Weights of the losses, a tensor that broadcasts to them.
        scope: It has no effect.
        loss_collection: The collection of the graph that lists the loss; None for none.
        reduction: One of `tf.compat.v1.losses.Reduction`: the mean over losses with weights other
            than 0 by default.

    Returns:
        A scalar.

    Raises:
        ValueError: `reduction` is no way.

    >>> import graphwright as tf
    >>> tf.compat.v1.losses.sparse_softmax_cross_entropy([1], [[0.0, 0.0]]).numpy()
    np.float32(0.6931472)
    """
    losses = sparse_softmax_cross_entropy_with_logits(labels, logits)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def sigmoid_cross_entropy(
    multi_class_labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN,
) -> Tensor:
    """Returns the mean cross-entropy of labels that do not exclude each other.

    Args:
        multi_class_labels: A tensor of numbers from 0 to 1.
        logits: A tensor of its shape.
        weights: Weights of the losses, a tensor that broadcasts to them.
        label_smoothing: How much of each label goes to all of them in equal parts.
        scope: It has no effect.
        loss_collection: The collection of the graph that lists the loss; None for none.
        reduction: One of `tf.compat.v1.losses.Reduction`: the mean over losses with weights other
            than 0 by default.

    Returns:
        A scalar.

    Raises:
        ValueError: `reduction` is no way.

    >>> import graphwright as tf
    >>> tf.compat.v1.losses.sigmoid_cross_entropy([1.0], [0.0]).numpy()
    np.float32(0.6931472)
    """
    values = convert(logits)
    labels = cast(convert(multi_class_labels), values.dtype)
    if label_smoothing:
        labels = labels * (1.0 - label_smoothing) + 0.5 * label_smoothing
    losses = sigmoid_cross_entropy_with_logits(labels, values)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def huber_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN,
) -> Tensor:
    """Returns the mean of squares of small differences and of the sizes of great ones.

    Args:
        labels: A tensor of a numeric dtype.
        predictions: A tensor of its shape.
        weights: Weights of the losses, a tensor that broadcasts to them.
        delta: A float: up to which size a difference is small.
        scope: It has no effect.
        loss_collection: The collection of the graph that lists the loss; None for none.
        reduction: One of `tf.compat.v1.losses.Reduction`: the mean over losses with weights other
            than 0 by default.

    Returns:
        A scalar.

    Raises:
        ValueError: `reduction` is no way.

    >>> import graphwright as tf
    >>> tf.compat.v1.losses.huber_loss([1.0, 2.0], [2.0, 5.0]).numpy()
    np.float32(1.5)
    """
    sizes = magnitude.abs(floats(predictions) - floats(labels))
    small = minimum(sizes, delta)
    losses = 0.5 * small * small + delta * (sizes - small)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def log_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN,
) -> Tensor:
    """Returns the mean cross-entropy of probabilities of two classes.

    Args:
        labels: A tensor of numbers from 0 to 1.
        predictions: A tensor of its shape, of probabilities.
        weights: Weights of the losses, a tensor that broadcasts to them.
        epsilon: A small float that keeps logarithms finite.
        scope: It has no effect.
        loss_collection: The collection of the graph that lists the loss; None for none.
        reduction: One of `tf.compat.v1.losses.Reduction`: the mean over losses with weights other
            than 0 by default.

    Returns:
        A scalar.

    Raises:
        ValueError: `reduction` is no way.

    >>> import graphwright as tf
    >>> tf.compat.v1.losses.log_loss([1.0], [0.5]).numpy()
    np.float32(0.69314694)
    """
    p, wanted = floats(predictions), floats(labels)
    losses = -wanted * log(p + epsilon) - (1.0 - wanted) * log(1.0 - p + epsilon)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def hinge_loss(
    labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN,
) -> Tensor:
    """Returns the mean of how far scores are below 1 on the side of their labels.

    Args:
        labels: A tensor of 0 and 1.
        logits: A tensor of its shape, of scores.
        weights: Weights of the losses, a tensor that broadcasts to them.
        scope: It has no effect.
        loss_collection: The collection of the graph that lists the loss; None for none.
        reduction: One of `tf.compat.v1.losses.Reduction`: the mean over losses with weights other
            than 0 by default.

    Returns:
        A scalar.

    Raises:
        ValueError: `reduction` is no way.

    >>> import graphwright as tf
    >>> tf.compat.v1.losses.hinge_loss([1.0, 0.0], [0.5, 2.0]).numpy()
    np.float32(1.75)
    """
    losses = relu(1.0 - (2.0 * floats(labels) - 1.0) * floats(logits))
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def cosine_distance(
    labels: TensorLike,
    predictions: TensorLike,
    axis: int | None = None,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN,
    dim: int | None = None,
) -> Tensor:
    """Returns the mean of 1 minus the products of vectors, which have the length 1.

    Args:
        labels: A tensor of a numeric dtype.
        predictions: A tensor of its shape.
        axis: The axis of the vectors.
        weights: Weights of the losses, a tensor that broadcasts to them.
        scope: It has no effect.
        loss_collection: The collection of the graph that lists the loss; None for none.
        reduction: One of `tf.compat.v1.losses.Reduction`: the mean over losses with weights other
            than 0 by default.
        dim: The same as `axis`.

    Returns:
        A scalar.

    Raises:
        ValueError: `reduction` is no way, or there is no axis.

    >>> import graphwright as tf
    >>> tf.compat.v1.losses.cosine_distance([[1.0, 0.0]], [[0.6, 0.8]], axis=1).numpy()
    np.float32(0.39999998)
    """
    if (place := dim if axis is None else axis) is None:
        raise ValueError("You must specify argument `axis`.")
    losses = 1.0 - reduce_sum(floats(labels) * floats(predictions), place, keepdims=True)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def mean_pairwise_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
) -> Tensor:
    """Returns the mean of squares of what differs between two elements of an example.

    Args:
        labels: A tensor of a numeric dtype, [batch, ...].
        predictions: A tensor of its shape.
        weights: Weights of the examples, a tensor that broadcasts to them.
        scope: It has no effect.
        loss_collection: The collection of the graph that lists the loss; None for none.

    Returns:
        A scalar.

    >>> import graphwright as tf
    >>> tf.compat.v1.losses.mean_pairwise_squared_error([[1.0, 2.0]], [[1.0, 4.0]]).numpy()
    np.float32(4.0)
    """
    differences, shares = floats(predictions) - floats(labels), floats(weights)
    axes = list(range(1, differences.type.rank or 1))
    whole = shares * ones_like(differences)
    count = reduce_sum(cast(not_equal(whole, 0.0), dt.float32), axes, keepdims=True)
    squares = reduce_sum(differences * differences, axes, keepdims=True)
    sums = reduce_sum(differences, axes, keepdims=True)
    single = divide_no_nan(squares, maximum(count - 1.0, 0.0))
    paired = divide_no_nan(sums * sums, maximum(count * (count - 1.0), 0.0))
    loss: Tensor = reduce_sum(2.0 * (single - paired) * shares)
    add_loss(loss, loss_collection)
    return loss


def get_regularization_loss(
    scope: str | None = None, name: str = "total_regularization_loss"
) -> Tensor:
    """Returns the sum of the losses of regularizers that the open graph lists.

    Args:
        scope: A regular expression for the beginnings of names, or None.
        name: A name for the op.

    Returns:
        A scalar; 0 where there are none.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     session.run(tf.compat.v1.losses.get_regularization_loss())
    np.float32(0.0)
    """
    losses = get_regularization_losses(scope)
    return add_n(losses, name=name) if losses else constant(0.0)


def floats(values: TensorLike) -> Tensor:
    """The values as float32."""
    result: Tensor = cast(convert(values), dt.float32)
    return result
