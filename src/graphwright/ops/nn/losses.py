"""Losses that are no softmax: logistic, Poisson and quadratic ones, and their averages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.op.batching import Each
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.core.rule_words import rounded_once
from graphwright.ops.math.comparison import (
    greater_equal,
    less_equal,
    logical_and,
    select,
)
from graphwright.ops.math.magnitude import abs
from graphwright.ops.math.reduction import reduce_sum
from graphwright.ops.math.transcendental import exp, log, log1p
from graphwright.ops.nn.activation import relu
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType, is_compatible


class L2Loss(Op):
    """Half the sum of the squares of all elements."""

    type_name = "L2Loss"
    inputs = ("t: T",)
    outputs = ("output: T",)
    dtypes = {"T": dt.FLOATING}

    def shapes(self, t: TensorType) -> Shapes:
        return ((),)

    def kernel(self, t: Array) -> Any:
        t = np.asarray(t)
        wide = t.ravel().astype(np.float32) if t.itemsize == 2 else t.ravel()
        return (np.dot(wide, wide) / 2).astype(t.dtype)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (call.inputs[0] * g,)

    @rounded_once
    def expand(self, t: GraphTensor) -> Any:
        return reduce_sum(t * t) * 0.5

    def batched(self, each: Each) -> Any:
        t = each.inputs[0]
        return reduce_sum(t * t, range(1, each.rank(0) + 1)) / 2


L2_LOSS = L2Loss()


def l2_loss(t: TensorLike, name: str | None = None) -> Tensor:
    """Computes half the sum of the squares of all elements.

    Args:
        t: A tensor of floats, of any shape.
        name: A name for the op.

    Returns:
        A scalar of the dtype of `t`.

    Raises:
        InvalidArgumentError: `t` is not of floats.

    >>> import graphwright as tf
    >>> tf.nn.l2_loss([3.0, 4.0])
    <tf.Tensor: shape=(), dtype=float32, numpy=12.5>
    """
    return apply(L2_LOSS, convert(t), name=name)


def check_same_shape(first: str, x: TensorValue, second: str, y: TensorValue) -> None:
    """ValueError if the shapes of two arguments are known to differ."""
    if not is_compatible(x.type.dims, y.type.dims):
        raise ValueError(
            f"`{first}` and `{second}` must have the same shape, received ({x.shape} vs {y.shape})."
        )


def sigmoid_cross_entropy_with_logits(
    labels: TensorLike | None = None, logits: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Computes the cross entropy of probabilities and of sigmoid(logits), element by element.

    Args:
        labels: A tensor of the dtype and shape of `logits`: probabilities in [0, 1].
        logits: A tensor of floats.
        name: A name for the op.

    Returns:
        A tensor like `logits`.

    Raises:
        ValueError: An operand is missing, or the shapes differ.

    >>> import graphwright as tf
    >>> tf.nn.sigmoid_cross_entropy_with_logits([1.0, 0.0], [0.0, 2.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.6931472, 2.126928 ], dtype=float32)>
    """
    if labels is None or logits is None:
        raise ValueError("Both `labels` and `logits` must be provided.")
    logits = convert(logits)
    labels = convert(labels, None, logits.dtype)
    check_same_shape("logits", logits, "labels", labels)
    positive = greater_equal(logits, 0)
    rectified = select(positive, logits, 0)
    tail = log1p(exp(select(positive, -logits, logits)))
    return rectified - logits * labels + tail


def weighted_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, pos_weight: TensorLike, name: str | None = None
) -> Tensor:
    """Computes the sigmoid cross entropy, with a weight for its positive term, element by element.

    Args:
        labels: A tensor of the dtype and shape of `logits`: probabilities in [0, 1].
        logits: A tensor of floats.
        pos_weight: A number or tensor that broadcasts to `logits`: the weight of the positive term.
        name: A name for the op.

    Returns:
        A tensor like `logits`.

    Raises:
        ValueError: The shapes differ.

    >>> import graphwright as tf
    >>> tf.nn.weighted_cross_entropy_with_logits([1.0, 0.0], [0.0, 0.0], 2.0)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1.3862944, 0.6931472], dtype=float32)>
    """
    logits = convert(logits)
    labels = convert(labels, None, logits.dtype)
    check_same_shape("logits", logits, "labels", labels)
    positive: Any = pos_weight
    weight = 1 + (positive - 1) * labels
    return (1 - labels) * logits + weight * (log1p(exp(-abs(logits))) + relu(-logits))


def log_poisson_loss(
    targets: TensorLike,
    log_input: TensorLike,
    compute_full_loss: bool = False,
    name: str | None = None,
) -> Tensor:
    """Computes the Poisson loss of the logarithm of a rate: exp(log_input) - log_input * targets.

    Args:
        targets: A tensor of the dtype and shape of `log_input`: counts.
        log_input: A tensor of floats: logarithms of rates.
        compute_full_loss: Whether Stirling's approximation of log(targets!) is added, for targets
            above 1.
        name: A name for the op.

    Returns:
        A tensor like `log_input`.

    Raises:
        ValueError: The shapes differ.

    >>> import graphwright as tf
    >>> tf.nn.log_poisson_loss([1.0, 2.0], [0.0, 0.0], compute_full_loss=True)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1.       , 1.6518065], dtype=float32)>
    """
    log_input = convert(log_input)
    targets = convert(targets, None, log_input.dtype)
    check_same_shape("log_input", log_input, "targets", targets)
    loss = exp(log_input) - log_input * targets
    if not compute_full_loss:
        return loss
    stirling = targets * log(targets) - targets + 0.5 * log(2 * math.pi * targets)
    small = logical_and(greater_equal(targets, 0), less_equal(targets, 1))
    return loss + select(small, 0, stirling)
