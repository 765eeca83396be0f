"""Pooling of data with one, two or three spatial axes, dilated too."""

from __future__ import annotations

from typing import Any

from graphwright.op.interpreter import apply, convert, is_tensor
from graphwright.op.results import named
from graphwright.ops.convolution.pooling import AVERAGE, MAXIMUM, MaxPool, MaxPoolWithArgmax, Pool
from graphwright.ops.convolution.spatial import (
    FORMATS,
    PaddingLike,
    PerAxis,
    check_format,
    explicit_padding,
    is_channels_first,
    per_axis,
)
from graphwright.ops.core.movement import expand_dims, squeeze
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, Tensor, TensorLike, TensorValue


def spatial_axes(x: TensorValue, data_format: str | None) -> int:
    """How many spatial axes data has, by its format or its rank."""
    if data_format is not None:
        is_channels_first(data_format)
        return len(data_format) - 2
    rank = x.type.rank
    if rank not in (3, 4, 5):
        raise ValueError(f"`input.shape.rank` must be 3, 4 or 5. Received: input.shape={x.shape}")
    spatial: int = rank - 2
    return spatial


def pooled(
    ops: dict[int, type[Pool]],
    x: TensorValue,
    spatial: int,
    ksize: PerAxis,
    strides: PerAxis,
    padding: PaddingLike,
    data_format: str | None,
    name: str | None,
) -> Any:
    """Applies a pooling op; one spatial axis is one of two, where the other has size 1."""
    layout = data_format or FORMATS[spatial][0]
    check_format("pooling", layout, spatial)
    sizes = per_axis(ksize, spatial, layout, "ksize")
    steps = per_axis(strides, spatial, layout, "strides")
    if spatial == 1:
        axis = 2 if is_channels_first(layout) else 1
        sizes, steps = ((*e[:axis], 1, *e[axis:]) for e in (sizes, steps))
        if not isinstance(padding, (str, bytes)):
            padding = [*padding[:axis], [0, 0], *padding[axis:]]
        layout = "NCHW" if is_channels_first(layout) else "NHWC"
        y = pooled(ops, expand_dims(x, axis), 2, sizes, steps, padding, layout, name)
        return squeeze(y, [axis])
    if ops is MAXIMUM and spatial == 2:
        op: Pool = MaxPool.of(sizes, steps, *explicit_padding(padding, 4), layout)
    else:
        op = ops[spatial].of(sizes, steps, padding, layout)
    return apply(op, x, name=name)


def max_pool(
    input: TensorLike,
    ksize: PerAxis,
    strides: PerAxis,
    padding: PaddingLike,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the largest element of each window of data with one, two or three spatial axes.

    Args:
        input: A tensor of real numbers of shape [batch, *spatial, channels].
        ksize: The sizes of a window, as one int, one for each spatial axis or one for each axis.
        strides: The steps between windows, as one int, one for each spatial axis or one for each
            axis.
        padding: "VALID", "SAME" for windows that may stick out of the data, or, with one or two
            spatial axes, a pair (before, after) for each axis.
        data_format: The order of the axes, as "NHWC" or "NCHW" for two spatial axes. None means the
            channels come last.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input` of shape [batch, *new spatial, channels].

    Raises:
        ValueError: The rank of `input` or the length of `ksize` or `strides` is not valid.
        InvalidArgumentError: A size, `padding` or `data_format` is not valid.

    >>> import graphwright as tf
    >>> tf.nn.max_pool([[[1.0], [3.0], [2.0], [0.0]]], 2, 2, "VALID")[0, :, 0]
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([3., 2.], dtype=float32)>
    """
    x = convert(input)
    if x.type.rank == 4 and not is_tensor(input):
        x = convert(input, None, dt.float32)
    spatial = spatial_axes(x, data_format)
    return pooled(MAXIMUM, x, spatial, ksize, strides, padding, data_format, name)


def max_pool1d(
    input: TensorLike,
    ksize: PerAxis,
    strides: PerAxis,
    padding: PaddingLike,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """Returns the largest element of each window of sequences.

    Args:
        input: A tensor of real numbers but uint32 and uint64 of shape [batch, width, channels].
        ksize: The sizes of a window, as one int or one for each axis.
        strides: The steps between windows, as one int or one for each axis.
        padding: "VALID", "SAME" for windows that may stick out of the data, or a pair (before,
            after) for each axis.
        data_format: "NWC" or "NCW": the order of the axes.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input` of shape [batch, new width, channels].

    Raises:
        ValueError: `ksize` or `strides` has another length.
        InvalidArgumentError: The rank of `input`, a size or `padding` is not valid.

    >>> import graphwright as tf
    >>> x = [[[1.0], [3.0], [2.0], [0.0]]]
    >>> tf.nn.max_pool1d(x, 2, 2, "VALID").numpy().ravel().tolist()
    [3.0, 2.0]
    """
    return pooled(MAXIMUM, convert(input), 1, ksize, strides, padding, data_format, name)


def max_pool2d(
    input: TensorLike,
    ksize: PerAxis,
    strides: PerAxis,
    padding: PaddingLike,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """Returns the largest element of each window of images.

    Args:
        input: A tensor of real numbers but uint32 and uint64 of shape [batch, height, width,
            channels].
        ksize: The sizes of a window, as one int, one for each spatial axis or one for each axis.
        strides: The steps between windows, as one int, one for each spatial axis or one for each
            axis.
        padding: "VALID", "SAME" for windows that may stick out of the data, or a pair (before,
            after) for each axis.
        data_format: "NHWC" or "NCHW": the order of the axes.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input` of shape [batch, new height, new width, channels].

    Raises:
        ValueError: `ksize` or `strides` has another length.
        InvalidArgumentError: The rank of `input`, a size or `padding` is not valid.

    >>> import graphwright as tf
    >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> tf.nn.max_pool2d(x, 2, 2, "VALID").numpy().ravel().tolist()
    [5.0, 7.0, 13.0, 15.0]
    """
    return pooled(
        MAXIMUM, convert(input, None, dt.float32), 2, ksize, strides, padding, data_format, name
    )


def max_pool3d(
    input: TensorLike,
    ksize: PerAxis,
    strides: PerAxis,
    padding: PaddingLike,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """Returns the largest element of each window of volumes.

    Args:
        input: A tensor of float16, bfloat16 or float32 of shape [batch, depth, height, width,
            channels].
        ksize: The sizes of a window, as one int, one for each spatial axis or one for each axis.
        strides: The steps between windows, as one int, one for each spatial axis or one for each
            axis.
        padding: "VALID", or "SAME" for windows that may stick out of the data.
        data_format: "NDHWC" or "NCDHW": the order of the axes.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input` of shape [batch, new depth, new height, new width,
        channels].

    Raises:
        ValueError: `ksize` or `strides` has another length.
        InvalidArgumentError: The rank of `input`, a size or `padding` is not valid.

    >>> import graphwright as tf
    >>> x = tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1])
    >>> tf.nn.max_pool3d(x, 2, 2, "VALID").numpy().ravel().tolist()
    [7.0]
    """
    return pooled(MAXIMUM, convert(input), 3, ksize, strides, padding, data_format, name)


def max_pool_with_argmax(
    input: TensorLike,
    ksize: PerAxis,
    strides: PerAxis,
    padding: str,
    data_format: str = "NHWC",
    output_dtype: DTypeLike = dt.int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Returns the largest element of each window of images, and its place in the flattened image.

    Args:
        input: A tensor of real numbers of shape [batch, height, width, channels].
        ksize: The sizes of a window, as one int, one for each spatial axis or one for each axis.
        strides: The steps between windows, as one int, one for each spatial axis or one for each
            axis.
        padding: "VALID", or "SAME" for windows that may stick out of the data.
        data_format: "NHWC".
        output_dtype: The dtype of the places: int32 or int64.
        include_batch_in_index: Whether a place counts from the first image of the batch, not from
            its own.
        name: A name for the op.

    Returns:
        A named tuple of two tensors of shape [batch, new height, new width, channels]: `output` in
        the dtype of `input`, and `argmax` in `output_dtype`.

    Raises:
        ValueError: `data_format`, or the length of `ksize` or `strides`, is not valid.
        InvalidArgumentError: `padding` is not valid.

    >>> import graphwright as tf
    >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> best, places = tf.nn.max_pool_with_argmax(x, 2, 2, "VALID")
    >>> best[0, ..., 0].numpy().tolist(), places[0, ..., 0].numpy().tolist()
    ([[5.0, 7.0], [13.0, 15.0]], [[5, 7], [13, 15]])
    """
    if data_format != "NHWC":
        raise ValueError(f"`data_format` values other than 'NHWC' are not supported: {data_format}")
    sizes = per_axis(ksize, 2, data_format, "ksize")
    steps = per_axis(strides, 2, data_format, "strides")
    dtype = MaxPoolWithArgmax.dtype_for("Targmax", output_dtype)
    op = MaxPoolWithArgmax.of(sizes, steps, dtype, padding, include_batch_in_index)
    pair: tuple[Any, Any] = named(MaxPoolWithArgmax)(*apply(op, convert(input), name=name))
    return pair


def avg_pool(
    input: TensorLike,
    ksize: PerAxis,
    strides: PerAxis,
    padding: str,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the mean of each window of data with one, two or three spatial axes.

    What a window has outside the data does not count.

    Args:
        input: A tensor of floats of shape [batch, *spatial, channels].
        ksize: The sizes of a window, as one int, one for each spatial axis or one for each axis.
        strides: The steps between windows, as one int, one for each spatial axis or one for each
            axis.
        padding: "VALID", or "SAME" for windows that may stick out of the data.
        data_format: The order of the axes, as "NHWC" or "NCHW" for two spatial axes. None means the
            channels come last.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input` of shape [batch, *new spatial, channels].

    Raises:
        ValueError: The rank of `input` or the length of `ksize` or `strides` is not valid.
        InvalidArgumentError: A size, `padding` or `data_format` is not valid.

    >>> import graphwright as tf
    >>> tf.nn.avg_pool([[[1.0], [3.0], [2.0], [0.0]]], 2, 2, "VALID")[0, :, 0].numpy().tolist()
    [2.0, 1.0]
    """
    x = convert(input)
    spatial = spatial_axes(x, data_format)
    return pooled(AVERAGE, x, spatial, ksize, strides, padding, data_format, name)


def avg_pool1d(
    input: TensorLike,
    ksize: PerAxis,
    strides: PerAxis,
    padding: str,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """Returns the mean of each window of sequences.

    Args:
        input: A tensor of floats of shape [batch, width, channels].
        ksize: The sizes of a window, as one int or one for each axis.
        strides: The steps between windows, as one int or one for each axis.
        padding: "VALID", or "SAME" for windows that may stick out of the data.
        data_format: "NWC" or "NCW": the order of the axes.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input` of shape [batch, new width, channels].

    Raises:
        ValueError: `ksize` or `strides` has another length.
        InvalidArgumentError: The rank of `input`, a size or `padding` is not valid.

    >>> import graphwright as tf
    >>> x = [[[1.0], [3.0], [2.0], [0.0]]]
    >>> tf.nn.avg_pool1d(x, 2, 2, "VALID").numpy().ravel().tolist()
    [2.0, 1.0]
    """
    return pooled(AVERAGE, convert(input), 1, ksize, strides, padding, data_format, name)


def avg_pool2d(
    input: TensorLike,
    ksize: PerAxis,
    strides: PerAxis,
    padding: str,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """Returns the mean of each window of images.

    Args:
        input: A tensor of floats of shape [batch, height, width, channels].
        ksize: The sizes of a window, as one int, one for each spatial axis or one for each axis.
        strides: The steps between windows, as one int, one for each spatial axis or one for each
            axis.
        padding: "VALID", or "SAME" for windows that may stick out of the data.
        data_format: "NHWC" or "NCHW": the order of the axes.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input` of shape [batch, new height, new width, channels].

    Raises:
        ValueError: `ksize` or `strides` has another length.
        InvalidArgumentError: The rank of `input`, a size or `padding` is not valid.

    >>> import graphwright as tf
    >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> tf.nn.avg_pool2d(x, 2, 2, "VALID").numpy().ravel().tolist()
    [2.5, 4.5, 10.5, 12.5]
    """
    return pooled(AVERAGE, convert(input), 2, ksize, strides, padding, data_format, name)


def avg_pool3d(
    input: TensorLike,
    ksize: PerAxis,
    strides: PerAxis,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """Returns the mean of each window of volumes.

    Args:
        input: A tensor of floats of shape [batch, depth, height, width, channels].
        ksize: The sizes of a window, as one int, one for each spatial axis or one for each axis.
        strides: The steps between windows, as one int, one for each spatial axis or one for each
            axis.
        padding: "VALID", or "SAME" for windows that may stick out of the data.
        data_format: "NDHWC" or "NCDHW": the order of the axes.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input` of shape [batch, new depth, new height, new width,
        channels].

    Raises:
        ValueError: `ksize` or `strides` has another length.
        InvalidArgumentError: The rank of `input`, a size or `padding` is not valid.

    >>> import graphwright as tf
    >>> x = tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1])
    >>> tf.nn.avg_pool3d(x, 2, 2, "VALID").numpy().ravel().tolist()
    [3.5]
    """
    return pooled(AVERAGE, convert(input), 3, ksize, strides, padding, data_format, name)
