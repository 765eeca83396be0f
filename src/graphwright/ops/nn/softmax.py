"""Softmax, its logarithm, and the cross entropies of logits."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from operator import index
from typing import Any, ClassVar

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.batching import batches, last_axes
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert
from graphwright.op.one_op import one_op
from graphwright.op.op import Call, Op, Shapes
from graphwright.op.refusal import fitting_axis
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import zeros_like
from graphwright.ops.core.joining import concat, stack
from graphwright.ops.core.movement import expand_dims, reshape, transpose
from graphwright.ops.core.rule_words import extent, picked, required, rounded_once
from graphwright.ops.core.sequences import range
from graphwright.ops.core.shapes import rank, shape
from graphwright.ops.math.comparison import equal, select
from graphwright.ops.math.reduction import ADD_UP, Peak, reduce, reduce_prod, reduce_sum
from graphwright.ops.math.reduction import along as along_axes
from graphwright.ops.math.transcendental import exp, log
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array, ArrayDType
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import (
    Dims,
    TensorType,
    broadcast_dims,
    is_compatible,
    merge_dims,
    num_elements,
    show_dims,
)

NARROW = (dt.float16, dt.bfloat16)


def in_float32(
    kernel: Callable[..., Array | tuple[Array, ...]], result: ArrayDType
) -> Callable[..., Any]:
    """A kernel that computes narrow floats in float32 and rounds its results once."""

    def widened(*arrays: Array) -> Any:
        wide = [a.astype(np.float32) if a.dtype == result else a for a in arrays]
        values = kernel(*wide)
        if isinstance(values, tuple):
            return tuple([v.astype(result) for v in values])
        return values.astype(result)

    return widened


class Normalizer(Op):
    """The rules that softmax and its logarithm share: they work along the last axis."""

    inputs: ClassVar[tuple[str, ...]] = ("logits: T",)
    dtypes = {"T": dt.FLOATING}
    batched = last_axes
    many_passes = True

    def shapes(self, logits: TensorType) -> Shapes:
        if logits.rank == 0:
            raise ValueError("logits must have >= 1 dimension, got []")
        return (logits.dims,)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        if types[0] in NARROW:
            return in_float32(self.kernel, types[0].numpy_dtype)
        return self.kernel


def shifted(logits: Array) -> Array:
    """The logits less the greatest of each row, so that no exponential overflows."""
    if not logits.ndim:
        raise ValueError("logits must have >= 1 dimension, got []")
    if not logits.size:
        return logits
    differences: Array = logits - np.maximum.reduce(logits, axis=-1, keepdims=True)
    return differences


ROW_SUMS = along_axes(ADD_UP, True, dtype=None)


def row_sums(x: Array) -> Any:
    """Sums along the last axis, which stays."""
    return ROW_SUMS(x, -1)


def softmax_array(logits: Array) -> Array:
    """Softmax along the last axis."""
    weights: Array = np.exp(shifted(logits))
    weights /= row_sums(weights)
    return weights


def peak(x: GraphTensor) -> Any:
    """What the elements of a row are shifted by, in an expansion."""
    return reduce(Peak, x, -1, True, None)


class Softmax(Normalizer):
    """exp(x) / sum(exp(x)) along the last axis."""

    type_name = "Softmax"
    outputs = ("softmax: T",)

    def kernel(self, logits: Array) -> Any:
        return softmax_array(logits)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        y = call.outputs[0]
        return ((g - reduce_sum(g * y, -1, keepdims=True)) * y,)

    @rounded_once
    def expand(self, x: GraphTensor) -> Any:
        """One division a row."""
        weights = exp(x - peak(x))
        return weights * (1.0 / reduce_sum(weights, -1, True))


class LogSoftmax(Normalizer):
    """x - log(sum(exp(x))) along the last axis."""

    type_name = "LogSoftmax"
    outputs = ("logsoftmax: T",)

    def kernel(self, logits: Array) -> Any:
        x = shifted(logits)
        return x - np.log(row_sums(np.exp(x)))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g - reduce_sum(g, -1, keepdims=True) * exp(call.outputs[0]),)

    @rounded_once
    def expand(self, x: GraphTensor) -> Any:
        shifted = x - peak(x)
        return shifted - log(reduce_sum(exp(shifted), -1, True))


# -- cross entropies ------------------------------------------------------------------------


def logits_cotangent(call: Call, g: Cotangent | None, g_backprop: Cotangent | None) -> Any:
    """The cotangent of the logits, from those of the losses and of their gradient, or None."""
    cotangent = None if g is None else expand_dims(g, -1) * call.outputs[1]
    if g_backprop is None:
        return cotangent
    y = apply(SOFTMAX, call.inputs[0])
    bend = (g_backprop - reduce_sum(g_backprop * y, -1, keepdims=True)) * y
    return bend if cotangent is None else cotangent + bend


class SoftmaxCrossEntropyWithLogits(Op):
    """The cross entropy of each row of logits and of label probabilities; and its gradient."""

    type_name = "SoftmaxCrossEntropyWithLogits"
    inputs = ("features: T", "labels: T")
    outputs = ("loss: T", "backprop: T")
    dtypes = {"T": dt.FLOATING}
    batched = batches

    def shapes(self, features: TensorType, labels: TensorType) -> Shapes:
        try:
            dims = broadcast_dims(features.dims, labels.dims)
        except ValueError:
            raise ValueError(
                f"logits and labels must be broadcastable: logits_size={show_dims(features.dims)} "
                f"labels_size={show_dims(labels.dims)}"
            ) from None
        if dims is not None and len(dims) != 2:
            raise ValueError(
                "logits and labels must be either 2-dimensional, or broadcasted to be "
                f"2-dimensional: {show_dims(features.dims)} and {show_dims(labels.dims)}"
            )
        rows = None if dims is None else dims[0]
        return (rows,), dims or (None, None)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        if types[0] in NARROW:
            return in_float32(self.kernel, types[0].numpy_dtype)
        return self.kernel

    def kernel(self, features: Array, labels: Array) -> Any:
        if features.shape != labels.shape:
            features, labels = np.broadcast_arrays(features, labels)
        if features.ndim != 2:
            raise ValueError("logits and labels must be 2-dimensional")
        x = shifted(features)
        weights = np.exp(x)
        total = row_sums(weights)
        loss = np.add.reduce(labels * (np.log(total) - x), axis=-1)
        return loss, weights / total - labels

    def gradient(self, call: Call, g: Cotangent, g_backprop: Cotangent) -> Sequence[Any]:
        to_labels = None if g_backprop is None else -g_backprop
        if g is not None:
            direct = expand_dims(g, -1) * -apply(LOG_SOFTMAX, call.inputs[0])
            to_labels = direct if to_labels is None else direct + to_labels
        return logits_cotangent(call, g, g_backprop), to_labels

    @rounded_once
    def expand(self, logits: GraphTensor, labels: GraphTensor) -> Any:
        """sum(labels * (log(sum(exp(x))) - x)) and softmax - labels, x the shifted logits."""
        x = logits - peak(logits)
        weights = exp(x)
        total = reduce_sum(weights, -1, True)
        return reduce_sum(labels * (log(total) - x), -1), weights / total - labels


class SparseSoftmaxCrossEntropyWithLogits(Op):
    """The cross entropy of each row of logits and of a class number; and its gradient."""

    type_name = "SparseSoftmaxCrossEntropyWithLogits"
    inputs = ("features: T", "labels: Tlabels")
    outputs = ("loss: T", "backprop: T")
    dtypes = {"T": dt.FLOATING, "Tlabels": dt.INDEX}
    batched = batches

    def shapes(self, features: TensorType, labels: TensorType) -> Shapes:
        if features.rank not in (2, None):
            raise ValueError(f"logits must be 2-D, but got shape {show_dims(features.dims)}")
        if labels.rank not in (1, None):
            raise ValueError(f"labels must be 1-D, but got shape {show_dims(labels.dims)}")
        rows, classes = features.dims or (None, None)
        if not is_compatible((rows,), labels.dims):
            raise ValueError(
                "logits and labels must have the same first dimension, got logits shape "
                f"{show_dims(features.dims)} and labels shape {show_dims(labels.dims)}"
            )
        merged = merge_dims((rows,), labels.dims) or (None,)
        return merged, (merged[0], classes)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        if types[0] in NARROW:
            return in_float32(self.kernel, types[0].numpy_dtype)
        return self.kernel

    def kernel(self, features: Array, labels: Array) -> Any:
        if features.ndim != 2 or labels.shape != features.shape[:1]:
            raise ValueError("logits and labels must have the same first dimension")
        rows, classes = features.shape
        outside = (labels < 0) | (labels >= classes)
        if outside.any():
            raise InvalidArgumentError(
                None,
                None,
                f"Received a label value of {labels[outside][0]} which is outside the valid range "
                f"of [0, {classes}).  Label values: {' '.join(map(str, labels.tolist()))}",
            )
        x = shifted(features)
        weights = np.exp(x)
        total = row_sums(weights)
        places = np.arange(rows)
        loss = np.log(total)[:, 0] - x[places, labels]
        weights /= total
        weights[places, labels] -= 1
        return loss, weights

    def gradient(self, call: Call, g: Cotangent, g_backprop: Cotangent) -> Sequence[Any]:
        return logits_cotangent(call, g, g_backprop), None

    @rounded_once
    def expand(self, logits: GraphTensor, labels: GraphTensor) -> Any:
        rows, count = extent(logits, 0), extent(labels, 0)
        if not (isinstance(rows, int) and isinstance(count, int)):  # else the shapes were compared
            labels = required(labels, equal(rows, count))
        place = picked(labels, 1, logits)
        hit = equal(expand_dims(cast(place, dt.int32), 1), range(extent(logits, 1)))
        x = logits - peak(logits)
        weights = exp(x)
        total = reduce_sum(weights, -1, True)
        loss = reduce_sum(select(hit, log(total) - x, zeros_like(x)), -1)
        return loss, weights * (1.0 / total) - cast(hit, x.dtype)


SOFTMAX, LOG_SOFTMAX = Softmax(), LogSoftmax()
CROSS_ENTROPY = SoftmaxCrossEntropyWithLogits()
SPARSE_CROSS_ENTROPY = SparseSoftmaxCrossEntropyWithLogits()


# -- the public functions -------------------------------------------------------------------


def along(op: Op, x: TensorValue, axis: int | None, name: str | None) -> Any:
    """Applies an op of the last axis along any axis, which changes places with the last."""
    ndims = x.type.rank
    if axis is None or axis == -1 or (ndims is not None and axis == ndims - 1):
        return apply(op, x, name=name)
    if ndims is not None and not -ndims <= axis < ndims:
        raise InvalidArgumentError(
            None,
            None,
            f"`axis` ({axis}) must be in the range [{-ndims}, {ndims}) where {ndims} is the "
            f"number of dimensions in the input. Received: axis={axis}{fitting_axis(axis, ndims)}",
        )
    order = swap_with_last(x, axis)
    return transpose(apply(op, transpose(x, order)), order, name=name)


def swap_with_last(x: TensorValue, axis: int) -> Any:
    """The permutation of the axes of `x` that exchanges `axis` and the last."""
    ndims, axis = x.type.rank, index(axis)
    if ndims is not None:
        check_axis(axis, ndims)
        order = list(builtins.range(ndims))
        order[axis], order[-1] = order[-1], order[axis]
        return tuple(order)
    count = rank(x)
    places, last = range(count), count - 1
    chosen = axis if axis >= 0 else axis + count
    return select(equal(places, chosen), last, select(equal(places, last), chosen, places))


def check_axis(axis: int, ndims: int) -> None:
    """InvalidArgumentError for an axis that a tensor of so many does not have."""
    if not -ndims <= axis < ndims:
        raise InvalidArgumentError(
            None, None, f"axis must be in the range [-{ndims}, {ndims}), but it is {axis}"
        )


def move_to_last(x: TensorValue, axis: int) -> Any:
    """`x` with `axis` moved behind the others, which keep their order."""
    ndims, axis = x.type.rank, index(axis)
    if axis == -1 or (ndims is not None and axis == ndims - 1):
        return x
    if ndims is not None:
        check_axis(axis, ndims)
        order = list(builtins.range(ndims))
        order.append(order.pop(axis))
        return transpose(x, tuple(order))
    count = rank(x)
    chosen = axis if axis >= 0 else axis + count
    return transpose(x, concat([range(chosen), range(chosen + 1, count), [chosen]], 0))


def as_rows(x: TensorValue) -> Any:
    """`x` as a matrix whose rows are its last axis."""
    dims = x.type.dims
    if dims is not None and not dims:
        raise InvalidArgumentError(None, None, "logits and labels must have an axis, got a scalar")
    if dims is not None and len(dims) == 2:
        return x
    if dims is not None and dims[-1]:
        rows = num_elements(dims[:-1])
        return reshape(x, (-1 if rows is None else rows, dims[-1]))
    # Not -1: of a tensor without elements it means another size.
    return reshape(x, stack([reduce_prod(shape(x)[:-1]), shape(x)[-1]]))


def outer_shape(x: TensorValue) -> Any:
    """The shape of `x` without its last axis, as a host operand."""
    dims = x.type.dims
    if dims is not None and None not in dims[:-1]:
        return dims[:-1]
    return shape(x)[:-1]


def softmax(logits: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """Computes exp(logits) / sum(exp(logits)) along an axis, without overflow.

    Args:
        logits: A tensor of floats, of rank 1 or more.
        axis: The axis, an int. None means the last.
        name: A name for the op.

    Returns:
        A tensor like `logits`.

    Raises:
        InvalidArgumentError: `logits` is a scalar or not of floats, or `axis` is out of range.

    >>> import graphwright as tf
    >>> tf.nn.softmax([[0.0, 0.0], [0.0, 1000.0]])
    <tf.Tensor: shape=(2, 2), dtype=float32, numpy=
    array([[0.5, 0.5],
           [0. , 1. ]], dtype=float32)>
    """
    return along(SOFTMAX, convert(logits), axis, name)


def log_softmax(logits: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """Computes logits - log(sum(exp(logits))) along an axis, without overflow.

    Args:
        logits: A tensor of floats, of rank 1 or more.
        axis: The axis, an int. None means the last.
        name: A name for the op.

    Returns:
        A tensor like `logits`.

    Raises:
        InvalidArgumentError: `logits` is a scalar or not of floats, or `axis` is out of range.

    >>> import graphwright as tf
    >>> tf.nn.log_softmax([0.0, 0.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([-0.6931472, -0.6931472], dtype=float32)>
    """
    return along(LOG_SOFTMAX, convert(logits), axis, name)


def softmax_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, axis: int = -1, name: str | None = None
) -> Tensor:
    """Computes the cross entropy of probabilities and of softmax(logits), along an axis.

    Gradients flow to both operands.

    Args:
        labels: A tensor of the shape of `logits`: along the axis, probabilities that sum to 1.
        logits: A tensor of floats.
        axis: The axis of the classes, an int.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `logits`, of its shape without the axis.

    Raises:
        InvalidArgumentError: The shapes do not fit.

    >>> import graphwright as tf
    >>> tf.nn.softmax_cross_entropy_with_logits([[1.0, 0.0]], [[0.0, 0.0]])
    <tf.Tensor: shape=(1,), dtype=float32, numpy=array([0.6931472], dtype=float32)>
    """
    logits = convert(logits)
    dtype = logits.dtype
    precise = cast(logits, dt.float32) if dtype in NARROW else logits
    truth = move_to_last(cast(convert(labels), precise.dtype), axis)
    precise = move_to_last(precise, axis)
    loss, _ = apply(CROSS_ENTROPY, as_rows(precise), as_rows(truth), name=name)
    loss = reshape(loss, outer_shape(precise))
    return cast(loss, dtype) if dtype in NARROW else loss


def sparse_softmax_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, name: str | None = None
) -> Tensor:
    """Computes the cross entropy of class numbers and of softmax(logits), along the last axis.

    Args:
        labels: A tensor of int32 or int64: the class of each row of `logits`.
        logits: A tensor of floats, of shape [labels..., classes].
        name: A name for the op.

    Returns:
        A tensor of the dtype of `logits`, of the shape of `labels`.

    Raises:
        ValueError: The shapes do not fit.
        InvalidArgumentError: A label is no class.

    >>> import graphwright as tf
    >>> tf.nn.sparse_softmax_cross_entropy_with_logits([1], [[0.0, 0.0]])
    <tf.Tensor: shape=(1,), dtype=float32, numpy=array([0.6931472], dtype=float32)>
    """
    labels, logits = convert(labels), convert(logits)
    check_label_shape(labels, logits)
    dtype = logits.dtype
    precise = cast(logits, dt.float32) if dtype in NARROW else logits
    if precise.type.rank == 2:
        loss, _ = apply(SPARSE_CROSS_ENTROPY, precise, labels, name=name)
    else:
        flat = reshape(labels, (-1,))
        loss, _ = apply(SPARSE_CROSS_ENTROPY, as_rows(precise), flat, name=name)
        loss = reshape(loss, labels.type.dims if labels.type.is_static else shape(labels))
    return cast(loss, dtype) if dtype in NARROW else loss


def fitting_labels(have: Dims, want: Dims) -> str:
    """A line with a call that takes labels in a column, or probabilities, or both exchanged."""
    if len(have) == len(want) + 1 and is_compatible(have[:-1], want):
        return "\n    tf.nn.sparse_softmax_cross_entropy_with_logits(logits, labels) takes them"
    if have == (*want[:-1], 1):
        return "\n    tf.squeeze(labels, -1) fits"
    if have == want:
        return "\n    tf.nn.softmax_cross_entropy_with_logits(labels, logits) takes them"
    return ""


def check_label_shape(labels: TensorValue, logits: TensorValue) -> None:
    """ValueError unless `labels` may have the shape of `logits` without its last axis."""
    have, want = labels.type.dims, logits.type.dims
    if want == ():
        raise ValueError(f"`logits` cannot be a scalar. Received logits={logits}`")
    if have is None or want is None:
        return
    if len(have) != len(want) - 1:
        raise ValueError(
            "`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: labels.shape="
            f"{labels.shape} of rank {len(have)} and logits.shape={logits.shape} of rank "
            f"{len(want)}{fitting_labels(have, want)}"
        )
    if not is_compatible(have, want[:-1]):
        raise ValueError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. Received: "
            f"labels.shape={labels.shape} and logits.shape={logits.shape}"
        )

one_op(softmax, log_softmax, attributes=1, by_rank=True)
