"""Losses of a replica as its part of those of all replicas."""

from __future__ import annotations

from typing import Any

from graphwright.base.errors import InvalidArgumentError
from graphwright.library.distribute.replica_scopes import SCOPE
from graphwright.op.interpreter import convert
from graphwright.ops.core.casting import cast
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import expand_dims, reshape, squeeze
from graphwright.ops.core.shapes import rank, shape
from graphwright.ops.math.arithmetic import divide_no_nan
from graphwright.ops.math.comparison import equal, greater, logical_and, select
from graphwright.ops.math.magnitude import abs
from graphwright.ops.math.reduction import reduce_sum
from graphwright.types.arguments import Tensor, TensorLike, TensorValue


def replicas_of(function: str) -> int:
    """The number of replicas that a loss is averaged over; RuntimeError across replicas."""
    scope = SCOPE.get()
    if scope is None or scope.is_default:
        return 1
    if scope.replica is None:
        raise RuntimeError(
            f"You are calling `{function}` in cross replica context, while it was expected to be "
            "called in replica context."
        )
    count: int = scope.strategy.num_replicas_in_sync
    return count


def compute_average_loss(
    per_example_loss: TensorLike,
    sample_weight: TensorLike | None = None,
    global_batch_size: TensorLike | None = None,
) -> Tensor:
    """Sums the losses of examples and divides by the global batch size.

    A batch of no examples has the loss 0.

    Args:
        per_example_loss: A tensor of floats, of rank 1 or more; its first axis is the batch.
        sample_weight: Weights that broadcast to the losses; a last axis of size 1 may be missing or
            extra.
        global_batch_size: A scalar of integers. None means the size of the first axis, times the
            number of replicas.

    Returns:
        A scalar of the dtype of `per_example_loss`.

    Raises:
        ValueError: The losses are a scalar, or the batch size is not.
        TypeError: The batch size is no integer.
        InvalidArgumentError: The batch size is negative.
        RuntimeError: There is no batch size, and the program is across replicas.

    >>> import graphwright as tf
    >>> tf.nn.compute_average_loss([1.0, 3.0], sample_weight=[1.0, 0.0]).numpy()
    np.float32(0.5)
    """
    losses = convert(per_example_loss)
    dtype = losses.dtype
    if losses.type.rank == 0:
        raise ValueError(
            "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1. "
            f"Received per_example_loss={per_example_loss!r}."
        )
    if sample_weight is not None:
        losses = losses * aligned_weights(cast(convert(sample_weight), dtype), losses)
    if global_batch_size is None:
        size = shape(losses)[0] * replicas_of("compute_average_loss")
    else:
        size = convert(global_batch_size)
    if size.type.rank not in (0, None):
        raise ValueError(f"global_batch_size must be scalar. It has the shape {size.shape}.")
    if not size.dtype.is_integer:
        raise TypeError(f"global_batch_size must be an integer. It has dtype {size.dtype.name}.")
    if size.known is not None and size.known < 0:
        raise InvalidArgumentError(
            None, None, f"global_batch_size must be non-negative. It is {size.known}."
        )
    return divide_no_nan(reduce_sum(losses), cast(size, dtype))


def scale_regularization_loss(regularization_loss: TensorLike) -> Tensor:
    """Sums a regularization loss and divides by the number of replicas.

    Args:
        regularization_loss: A tensor of numbers, of any shape.

    Returns:
        A scalar of the dtype of the loss; of integers, as `tf.math.truediv` gives.

    Raises:
        RuntimeError: The program is across replicas.

    >>> import graphwright as tf
    >>> tf.nn.scale_regularization_loss([1.0, 2.0]).numpy()
    np.float32(3.0)
    """
    count = replicas_of("scale_regularization_loss")
    return reduce_sum(convert(regularization_loss)) / count


def aligned_weights(weights: TensorValue, losses: TensorValue) -> Any:
    """Weights with as many axes as the losses, where they have one more or less."""
    have: Any = weights.type.rank
    want: Any = losses.type.rank
    if have is None or want is None:
        have, want = rank(weights), rank(losses)
        near = logical_and(greater(have, 0), equal(abs(want - have), 1))
        sizes = concat([shape(weights), [1]], 0)[: select(near, want, have)]
        return reshape(weights, sizes)
    if have == want + 1:
        return squeeze(weights, [-1])
    return expand_dims(weights, -1) if 0 < have == want - 1 else weights
