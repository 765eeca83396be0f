"""Functions of TensorFlow 1 that TensorFlow 2 has no longer, in words of those that it has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from graphwright.control.dependencies import control_dependencies
from graphwright.op.interpreter import apply
from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.identity import identity
from graphwright.ops.core.shapes import size
from graphwright.ops.core.space_blocks import batch_to_space as blocks_together
from graphwright.ops.core.space_blocks import space_to_batch_nd
from graphwright.ops.linalg.contraction import matmul
from graphwright.ops.linalg.norms import norm
from graphwright.ops.math.arithmetic import maximum
from graphwright.ops.nn.activation import relu
from graphwright.ops.nn.batch_norm import FusedBatchNormV3
from graphwright.ops.nn.bias import bias_add
from graphwright.ops.strings import printing
from graphwright.portable.classic.former_signatures import at
from graphwright.portable.classic.graph_collections import GraphKeys, get_collection
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.dtypes import DType
from graphwright.values.convert import convert
from graphwright.values.indexed_slices import IndexedSlices
from graphwright.values.sparse.sparse_tensor import SparseTensor, converted


def Print(
    input_: TensorLike,
    data: Sequence[TensorLike],
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns a tensor, and writes others to the standard error each time that it is computed.

    Args:
        input_: A tensor of any dtype and shape.
        data: A list of tensors to write.
        message: The text before them.
        first_n: None or a number below 0: each time. Other numbers are refused.
        summarize: How many entries at both ends of an axis are written; -1 means all.
        name: A name for the op.

    Returns:
        `input_`.

    Raises:
        NotImplementedError: `first_n` is 0 or more.

    >>> import graphwright as tf
    >>> x = tf.compat.v1.Print([1, 2], [3], "three: ")
    >>> x.numpy().tolist()
    [1, 2]
    """
    if first_n is not None and first_n >= 0:
        raise NotImplementedError(
            f"Print(first_n={first_n}): a graph does not count how often it was run. Leave out "
            "first_n, and print in the program what a session's run returns"
        )
    ends = 3 if summarize is None else summarize
    words: list[object] = [message or ""]
    for value in map(convert, data):
        words += ["[", value, "]"] if value.type.rank == 0 else [value]
    with control_dependencies([printing.print(*words, sep="", summarize=ends)]):
        return identity(convert(input_), name=name)


def batch_gather(params: TensorLike, indices: TensorLike, name: str | None = None) -> Tensor:
    """Gathers along the last axis of `indices`, separately for all axes before it.

    Args:
        params: A tensor of any dtype.
        indices: A tensor of int32 or int64, whose axes but the last are those of `params`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `params`.

    >>> import graphwright as tf
    >>> tf.compat.v1.batch_gather([[1, 2], [3, 4]], [[1], [0]]).numpy().tolist()
    [[2], [3]]
    """
    places = convert(indices)
    if places.type.rank is None:
        raise ValueError("batch_gather does not allow indices with unknown shape.")
    axes = places.type.rank - 1
    return gather(params, places, axis=axes, batch_dims=axes, name=name)


def space_to_batch(
    input: TensorLike,
    paddings: TensorLike,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: TensorLike | None = None,
) -> Tensor:
    """Moves places inside blocks of space to the batch, as `tf.space_to_batch` does.

    Args:
        input: A tensor of any dtype: [batch, space..., rest...].
        paddings: A matrix of int32 or int64: the width of zeros before and after each axis.
        block_size: An int: the size of a block along two axes.
        name: A name for the op.
        block_shape: A vector of int32 or int64, or the same as `block_size`.

    Returns:
        A tensor of the dtype and rank of `input`.

    >>> import graphwright as tf
    >>> tf.compat.v1.space_to_batch(tf.ones([1, 2, 2, 1]), [[0, 0], [0, 0]], 2).shape
    TensorShape([4, 1, 1, 1])
    """
    return space_to_batch_nd(input, block_of(block_size, block_shape), paddings, name)


def batch_to_space(
    input: TensorLike,
    crops: TensorLike,
    block_size: int | None,
    name: str | None = None,
    block_shape: TensorLike | None = None,
) -> Tensor:
    """Moves batches back to blocks of space, as `tf.batch_to_space` does.

    Args:
        input: A tensor of any dtype: [batch, space..., rest...].
        crops: A matrix of int32 or int64: how much is cut before and after along each axis.
        block_size: An int: the size of a block along two axes.
        name: A name for the op.
        block_shape: A vector of int32 or int64, or the same as `block_size`.

    Returns:
        A tensor of the dtype and rank of `input`.

    >>> import graphwright as tf
    >>> tf.compat.v1.batch_to_space(tf.ones([4, 1, 1, 1]), [[0, 0], [0, 0]], 2).shape
    TensorShape([1, 2, 2, 1])
    """
    return blocks_together(input, block_of(block_size, block_shape), crops, name)


def block_of(block_size: int | None, block_shape: TensorLike | None) -> Any:
    """The sizes of a block, of which one int stands for two axes."""
    if block_size is not None and block_shape is not None:
        raise ValueError("Cannot specify both 'block_shape' and 'block_size'.")
    block = block_size if block_shape is None else block_shape
    return [block, block] if isinstance(block, int) else block


def clip_by_average_norm(
    t: TensorLike, clip_norm: TensorLike, name: str | None = None
) -> Tensor:
    """Scales a tensor down so that its 2-norm per element is at most a number.

    Args:
        t: A tensor of floats.
        clip_norm: A scalar above 0.
        name: A name for the op.

    Returns:
        A tensor of the dtype and shape of `t`.

    >>> import graphwright as tf
    >>> tf.compat.v1.clip_by_average_norm([3.0, 4.0], 1.25).numpy().tolist()
    [1.5, 2.0]
    """
    values = convert(t)
    average = norm(values) / cast(size(values), values.dtype)
    return identity(values * clip_norm / maximum(average, clip_norm), name=name)


@contextmanager
def colocate_with(op: object, ignore_existing: bool = False) -> Iterator[None]:
    """Opens a block that changes nothing: all ops run on the same device.

    Args:
        op: An operation or a tensor.
        ignore_existing: It has no effect.

    >>> import graphwright as tf
    >>> with tf.compat.v1.colocate_with(tf.constant(1.0)):
    ...     x = tf.constant(2.0)
    """
    yield


@contextmanager
def container(container_name: str) -> Iterator[str]:
    """Opens a block that changes nothing: variables belong to sessions, not to containers.

    Args:
        container_name: A string.

    >>> import graphwright as tf
    >>> with tf.compat.v1.container("models"):
    ...     x = tf.constant(2.0)
    """
    yield container_name


def convert_to_tensor_or_indexed_slices(
    value: object, dtype: DType | str | None = None, name: str | None = None
) -> Any:
    """Returns indexed slices and sparse tensors as they are, and a tensor of all else.

    Args:
        value: Slices, a sparse tensor, or what `tf.convert_to_tensor` takes.
        dtype: The dtype of the tensor; None means that of `value`.
        name: A name for the op.

    Returns:
        A tensor, a `tf.IndexedSlices` or a `tf.SparseTensor`.

    >>> import graphwright as tf
    >>> tf.compat.v1.convert_to_tensor_or_indexed_slices([1, 2]).shape
    TensorShape([2])
    """
    if isinstance(value, (IndexedSlices, SparseTensor)):
        return value
    return at("convert_to_tensor")(value, dtype, name=name)


def convert_to_tensor_or_sparse_tensor(
    value: object, dtype: DType | str | None = None, name: str | None = None
) -> Any:
    """Returns sparse tensors as they are, and a tensor of all else.

    Args:
        value: A sparse tensor, its three parts as `SparseTensorValue`, or what
            `tf.convert_to_tensor` takes.
        dtype: The dtype of the tensor; None means that of `value`.
        name: A name for the op.

    Returns:
        A tensor or a `tf.SparseTensor`.

    >>> import graphwright as tf
    >>> tf.compat.v1.convert_to_tensor_or_sparse_tensor([1, 2]).shape
    TensorShape([2])
    """
    if all(hasattr(value, part) for part in ("indices", "values", "dense_shape")):
        return converted(value)
    return at("convert_to_tensor")(value, dtype, name=name)


def model_variables(scope: str | None = None) -> list[Any]:
    """Returns the variables that the open graph lists as those of a model.

    Args:
        scope: A regular expression for the beginnings of names, or None.

    Returns:
        A list of variables.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.model_variables()
    []
    """
    return get_collection(GraphKeys.MODEL_VARIABLES, scope)


def moving_average_variables(scope: str | None = None) -> list[Any]:
    """Returns the variables of the open graph that have moving averages.

    Args:
        scope: A regular expression for the beginnings of names, or None.

    Returns:
        A list of variables.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.moving_average_variables()
    []
    """
    return get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def relu_layer(
    x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None
) -> Tensor:
    """Returns `relu(x @ weights + biases)`.

    Args:
        x: A tensor of shape [rows, inner].
        weights: A tensor of shape [inner, columns].
        biases: A tensor of shape [columns].
        name: A name for the op.

    Returns:
        A tensor of shape [rows, columns].

    >>> import graphwright as tf
    >>> tf.compat.v1.nn.relu_layer([[1.0]], [[2.0, -2.0]], [0.5, 0.5]).numpy().tolist()
    [[2.5, 0.0]]
    """
    return relu(bias_add(matmul(x, weights), biases), name=name or "relu_layer")


def fused_batch_norm(
    x: TensorLike,
    scale: TensorLike,
    offset: TensorLike,
    mean: TensorLike | None = None,
    variance: TensorLike | None = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Normalizes images by the mean and the variance of each channel.

    Args:
        x: A tensor of floats of rank 4, or of rank 5 for volumes.
        scale: A vector of float32, [channels].
        offset: A vector of float32, [channels].
        mean: A vector of float32, [channels]: the running mean; None where the batch has its own.
        variance: A vector of float32, [channels]: the running variance.
        epsilon: A small float that is added to the variance; at least 1.001e-5.
        data_format: "NHWC" or "NCHW", or "NDHWC" or "NCDHW".
        is_training: Whether mean and variance are those of the batch.
        name: A name for the op.
        exponential_avg_factor: The share of the batch in the running mean and variance.

    Returns:
        A tensor like `x`, and the running mean and variance.

    Raises:
        ValueError: The mean or the variance is needed and None.

    >>> import graphwright as tf
    >>> x = tf.reshape([1.0, 3.0], [1, 1, 2, 1])
    >>> y, mean, variance = tf.compat.v1.nn.fused_batch_norm(x, [1.0], [0.0])
    >>> float(mean[0]), float(variance[0])
    (2.0, 2.0)
    """
    if (not is_training or exponential_avg_factor != 1.0) and (mean is None or variance is None):
        raise ValueError(
            "Both `mean` and `variance` must be a 1D tensor when `is_training` is False or "
            "`exponential_avg_factor` != 1.0. "
            f"Received: `mean` {mean!r} and `variance` {variance!r}"
        )
    op = FusedBatchNormV3.of(
        max(epsilon, 1.001e-5), exponential_avg_factor, data_format, is_training
    )
    means = convert([] if mean is None else mean, dt.float32)
    spreads = convert([] if variance is None else variance, dt.float32)
    scales, offsets = convert(scale, dt.float32), convert(offset, dt.float32)
    results = apply(op, convert(x), scales, offsets, means, spreads, name=name)
    return results[0], results[1], results[2]


def ctc_loss(
    labels: SparseTensor,
    inputs: TensorLike | None = None,
    sequence_length: TensorLike | None = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: TensorLike | None = None,
) -> Tensor:
    """Computes the loss of sequences of labels, whose blank is the last class.

    Args:
        labels: A `tf.SparseTensor` of int32, [batch, longest].
        inputs: A tensor of floats, [time, batch, classes].
        sequence_length: A vector of int32, [batch]: how many times of each row count.
        preprocess_collapse_repeated: Only False is supported.
        ctc_merge_repeated: Only True is supported.
        ignore_longer_outputs_than_inputs: Only False is supported.
        time_major: Whether the first axis of `inputs` is the time.
        logits: The same as `inputs`.

    Returns:
        A vector of floats, [batch].

    Raises:
        NotImplementedError: A flag is not as above.
        InvalidArgumentError: A row of labels is empty, or longer than its time.

    >>> import graphwright as tf
    >>> labels = tf.SparseTensor([[0, 0]], [1], [1, 1])
    >>> loss = tf.compat.v1.nn.ctc_loss(labels, tf.zeros([2, 1, 3]), [2])
    >>> round(float(loss[0]), 4)
    1.0986
    """
    if preprocess_collapse_repeated or not ctc_merge_repeated or ignore_longer_outputs_than_inputs:
        raise NotImplementedError(
            "ctc_loss: preprocess_collapse_repeated=True, ctc_merge_repeated=False and "
            "ignore_longer_outputs_than_inputs=True are not supported. Change the labels before, "
            "by tf.nn.collapse_repeated for the first"
        )
    scores = logits if inputs is None else inputs
    loss: Tensor = at("nn.ctc_loss")(
        labels, scores, None, sequence_length, time_major, blank_index=-1
    )
    return loss
