"""Convolutions made of other convolutions: one-dimensional, transposed, separable, atrous."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.op.interpreter import apply, convert
from graphwright.ops.convolution.convolution import (
    Conv2DBackpropInput,
    Conv3DBackpropInputV2,
    Sliding,
    attributes,
    conv2d,
    conv3d,
    depthwise_conv2d,
)
from graphwright.ops.convolution.spatial import (
    FORMATS,
    Entry,
    PaddingLike,
    PerAxis,
    check_format,
    is_channels_first,
    per_axis,
)
from graphwright.ops.core.movement import expand_dims, squeeze
from graphwright.types.arguments import ShapeLike, Tensor, TensorLike


def widened(entries: Sequence[Entry], axis: int, entry: Entry) -> list[Entry]:
    """Entries for each axis with another at `axis`."""
    return [*entries[:axis], entry, *entries[axis:]]


def as_planar(
    strides: PerAxis, padding: PaddingLike, data_format: str | None, dilations: PerAxis | None
) -> tuple[int, list[int], PaddingLike, str, list[int]]:
    """The attributes of a convolution over one axis as one over two, and where the other is."""
    layout = data_format or "NWC"
    check_format("conv1d", layout, 1)
    axis = 2 if is_channels_first(layout) else 1
    steps = widened(per_axis(strides, 1, layout, "stride"), axis, 1)
    spread = widened(per_axis(dilations, 1, layout, "dilations"), axis, 1)
    if not isinstance(padding, (str, bytes)):
        padding = widened(padding, axis, [0, 0])
    return axis, steps, padding, "NCHW" if is_channels_first(layout) else "NHWC", spread


def conv1d(
    input: TensorLike,
    filters: TensorLike,
    stride: PerAxis,
    padding: PaddingLike,
    data_format: str = "NWC",
    dilations: PerAxis | None = None,
    name: str | None = None,
) -> Tensor:
    """Convolves sequences with filters.

    The filters are not mirrored. `input` may have more batch axes than one.

    Args:
        input: A tensor of floats or int32 of shape [batch, width, channels].
        filters: A tensor of the dtype of `input` of shape [width, channels / groups, outputs].
        stride: The steps between windows, as one int or one for each axis.
        padding: "VALID", "SAME" for zeros around the data, or a pair (before, after) for each axis.
        data_format: "NWC" or "NCW": the order of the axes.
        dilations: The steps between the taps of a filter, as one int or one for each axis;
            None means 1.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input` of shape [batch, new width, outputs].

    Raises:
        ValueError: `stride`, `dilations` or `padding` has a length that does not fit.
        InvalidArgumentError: The shapes do not fit, or a step or `padding` is not valid.

    >>> import graphwright as tf
    >>> tf.nn.conv1d([[[1.0], [2.0], [3.0]]], [[[1.0]], [[10.0]]], 1, "VALID")[0, :, 0]
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([21., 32.], dtype=float32)>
    """
    x = convert(input)
    axis, strides, padding, layout, spread = as_planar(stride, padding, data_format, dilations)
    axis -= 4  # from the end, for there may be more batch axes than one
    images = expand_dims(x, axis)
    filters = expand_dims(convert(filters, None, x.dtype), 0)
    y = conv2d(images, filters, strides, padding, layout, spread, name=name)
    return squeeze(y, [axis])


def convolution(
    input: TensorLike,
    filters: TensorLike,
    strides: PerAxis | None = None,
    padding: PaddingLike = "VALID",
    data_format: str | None = None,
    dilations: PerAxis | None = None,
    name: str | None = None,
) -> Tensor:
    """Convolves data with one, two or three spatial axes with filters.

    The filters are not mirrored. `input` may have more batch axes than one.

    Args:
        input: A tensor of floats of shape [batch, *spatial, channels].
        filters: A tensor of the dtype of `input` of shape [*sizes, channels / groups, outputs].
        strides: The steps between windows, as one int, one for each spatial axis or one for each
            axis; None means 1.
        padding: "VALID", "SAME" for zeros around the data, or, with one or two spatial axes, a pair
            (before, after) for each axis.
        data_format: The order of the axes, as "NHWC" or "NCHW" for two spatial axes. None means the
            channels come last.
        dilations: The steps between the taps of a filter, as one int, one for each spatial axis or
            one for each axis; None means 1.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input` of shape [batch, *new spatial, outputs].

    Raises:
        ValueError: The rank of `filters` is not 3, 4 or 5, or a list has a length that does not
            fit. Or there are strides above 1 and dilations above 1.
        InvalidArgumentError: The shapes do not fit, or a step or `padding` is not valid.

    >>> import graphwright as tf
    >>> x = tf.constant([[[1.0], [2.0], [3.0]]])
    >>> tf.nn.convolution(x, [[[1.0]], [[10.0]]])[0, :, 0].numpy().tolist()
    [21.0, 32.0]
    """
    x = convert(input)
    filters = convert(filters, None, x.dtype)
    rank = filters.type.rank
    if rank is None and data_format is not None:
        rank = len(data_format)
    if rank not in (3, 4, 5):
        raise ValueError(
            "`num_spatial_dims` must be 1, 2, or 3. Received: num_spatial_dims="
            f"{None if rank is None else rank - 2}."
        )
    if data_format is None:
        data_format = FORMATS[rank - 2][0]
    function = {1: conv1d, 2: conv2d, 3: conv3d}[rank - 2]
    strides = 1 if strides is None else strides
    if exceeds_one(strides) and dilations is not None and exceeds_one(dilations):
        raise ValueError(
            "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
            f"strides={strides} and dilation_rate={dilations}; tf.nn.conv{rank - 2}d takes both"
        )
    return function(x, filters, strides, padding, data_format, dilations, name)


def exceeds_one(steps: PerAxis) -> bool:
    """Whether a step, or one of several, is larger than 1."""
    return any(step > 1 for step in ([steps] if isinstance(steps, int) else steps))


# -- transposed -----------------------------------------------------------------------------


def transposed(
    op: Sliding, x: TensorLike, filters: TensorLike, output_shape: ShapeLike, name: str | None
) -> Any:
    """The cotangent of the input of a convolution: its transpose."""
    x = convert(x)
    return apply(op, output_shape, convert(filters, None, x.dtype), x, name=name)


def conv2d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: PerAxis,
    padding: PaddingLike = "SAME",
    data_format: str = "NHWC",
    dilations: PerAxis | None = None,
    name: str | None = None,
) -> Tensor:
    """Applies the transpose of a convolution of images, which spreads each element by the filters.

    It is the gradient of `tf.nn.conv2d` with respect to its input.

    Args:
        input: A tensor of floats or int32 of shape [batch, height, width, channels].
        filters: A tensor of the dtype of `input` of shape [height, width, outputs, channels].
        output_shape: The shape of the result, with all axes, as ints or an int32 tensor.
        strides: The steps of the convolution, as one int, one for each spatial axis or one for each
            axis.
        padding: Of the convolution: "VALID", "SAME" for zeros around the data, or a pair (before,
            after) for each axis.
        data_format: "NHWC" or "NCHW": the order of the axes.
        dilations: The steps between the taps of a filter, as one int, one for each spatial axis or
            one for each axis; None means 1.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input` of shape `output_shape`.

    Raises:
        ValueError: `strides` or `dilations` has a length that does not fit.
        InvalidArgumentError: `output_shape` is no shape that the convolution maps to that of
            `input`.

    >>> import graphwright as tf
    >>> x = tf.reshape([1.0, 2.0], [1, 1, 2, 1])
    >>> y = tf.nn.conv2d_transpose(x, tf.ones([1, 2, 1, 1]), [1, 1, 4, 1], strides=[1, 2])
    >>> y.numpy().ravel().tolist()
    [1.0, 1.0, 2.0, 2.0]
    """
    op = Conv2DBackpropInput.of(*attributes(2, strides, padding, data_format, dilations))
    return transposed(op, input, filters, output_shape, name)


def conv3d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: PerAxis,
    padding: PaddingLike = "SAME",
    data_format: str = "NDHWC",
    dilations: PerAxis | None = None,
    name: str | None = None,
) -> Tensor:
    """Applies the transpose of a convolution of volumes, which spreads each element by the filters.

    It is the gradient of `tf.nn.conv3d` with respect to its input.

    Args:
        input: A tensor of floats of shape [batch, depth, height, width, channels].
        filters: A tensor of the dtype of `input` of shape [depth, height, width, outputs,
            channels].
        output_shape: The shape of the result, with all axes, as ints or an int32 tensor.
        strides: The steps of the convolution, as one int, one for each spatial axis or one for each
            axis.
        padding: Of the convolution: "VALID", or "SAME" for zeros around the data.
        data_format: "NDHWC" or "NCDHW": the order of the axes.
        dilations: The steps between the taps of a filter, as one int, one for each spatial axis or
            one for each axis; None means 1.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input` of shape `output_shape`.

    Raises:
        ValueError: `strides` or `dilations` has a length that does not fit.
        InvalidArgumentError: `output_shape` is no shape that the convolution maps to that of
            `input`.

    >>> import graphwright as tf
    >>> x = tf.reshape([1.0, 2.0], [1, 1, 1, 2, 1])
    >>> y = tf.nn.conv3d_transpose(x, tf.ones([1, 1, 2, 1, 1]), [1, 1, 1, 4, 1], strides=[1, 1, 2])
    >>> y.numpy().ravel().tolist()
    [1.0, 1.0, 2.0, 2.0]
    """
    op = Conv3DBackpropInputV2.of(*attributes(3, strides, padding, data_format, dilations))
    return transposed(op, input, filters, output_shape, name)


def conv1d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    strides: PerAxis,
    padding: PaddingLike = "SAME",
    data_format: str = "NWC",
    dilations: PerAxis | None = None,
    name: str | None = None,
) -> Tensor:
    """Applies the transpose of a convolution of sequences, which spreads each element by the
    filters.

    It is the gradient of `tf.nn.conv1d` with respect to its input.

    Args:
        input: A tensor of floats or int32 of shape [batch, width, channels].
        filters: A tensor of the dtype of `input` of shape [width, outputs, channels].
        output_shape: The shape of the result, with all axes, as ints or an int32 tensor.
        strides: The steps of the convolution, as one int or one for each axis.
        padding: Of the convolution: "VALID", "SAME" for zeros around the data, or a pair (before,
            after) for each axis.
        data_format: "NWC" or "NCW": the order of the axes.
        dilations: The steps between the taps of a filter, as one int or one for each axis;
            None means 1.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input` of shape `output_shape`.

    Raises:
        ValueError: `strides` or `dilations` has a length that does not fit.
        InvalidArgumentError: `output_shape` is no shape that the convolution maps to that of
            `input`.

    >>> import graphwright as tf
    >>> x = tf.constant([[[1.0], [2.0]]])
    >>> y = tf.nn.conv1d_transpose(x, tf.ones([2, 1, 1]), [1, 4, 1], strides=2)
    >>> y.numpy().ravel().tolist()
    [1.0, 1.0, 2.0, 2.0]
    """
    axis, steps, padding, layout, spread = as_planar(strides, padding, data_format, dilations)
    sizes = output_shape if isinstance(output_shape, (list, tuple)) else convert(output_shape)
    wide = widened([sizes[i] for i in range(3)], axis, 1)
    images = expand_dims(convert(input), axis)
    filters = expand_dims(convert(filters, None, images.dtype), 0)
    y = conv2d_transpose(images, filters, wide, steps, padding, layout, spread, name=name)
    return squeeze(y, [axis])


def conv_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    strides: PerAxis,
    padding: PaddingLike = "SAME",
    data_format: str | None = None,
    dilations: PerAxis | None = None,
    name: str | None = None,
) -> Tensor:
    """Applies the transpose of a convolution, which spreads each element by the filters.

    It is the gradient of `tf.nn.convolution` with respect to its input.

    Args:
        input: A tensor of floats of shape [batch, *spatial, channels].
        filters: A tensor of the dtype of `input` of shape [*sizes, outputs, channels].
        output_shape: The shape of the result, with all axes, as ints or an int32 tensor.
        strides: The steps of the convolution, as one int, one for each spatial axis or one for each
            axis.
        padding: Of the convolution: "VALID", or "SAME" for zeros around the data.
        data_format: The order of the axes, as "NHWC" or "NCHW" for two spatial axes. None means the
            channels come last.
        dilations: The steps between the taps of a filter, as one int, one for each spatial axis or
            one for each axis; None means 1.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input` of shape `output_shape`.

    Raises:
        ValueError: The rank of `filters` is not 3, 4 or 5.
        InvalidArgumentError: `output_shape` is no shape that the convolution maps to that of
            `input`.

    >>> import graphwright as tf
    >>> x = tf.constant([[[1.0], [2.0]]])
    >>> tf.nn.conv_transpose(x, tf.ones([2, 1, 1]), [1, 4, 1], 2).numpy().ravel().tolist()
    [1.0, 1.0, 2.0, 2.0]
    """
    x = convert(input)
    filters = convert(filters, None, x.dtype)
    rank = filters.type.rank if data_format is None else len(data_format)
    if rank is None and isinstance(output_shape, (list, tuple)):
        rank = len(output_shape)
    if rank not in (3, 4, 5):
        raise ValueError(f"`filters` must have rank 3, 4 or 5. Received: {filters.shape}")
    if data_format is None:
        data_format = FORMATS[rank - 2][0]
    function = {1: conv1d_transpose, 2: conv2d_transpose, 3: conv3d_transpose}[rank - 2]
    return function(x, filters, output_shape, strides, padding, data_format, dilations, name)


# -- separable and atrous -------------------------------------------------------------------


def separable_conv2d(
    input: TensorLike,
    depthwise_filter: TensorLike,
    pointwise_filter: TensorLike,
    strides: PerAxis,
    padding: PaddingLike,
    data_format: str | None = None,
    dilations: PerAxis | None = None,
    name: str | None = None,
) -> Tensor:
    """Convolves each channel of images by itself, then mixes the channels of each place.

    Args:
        input: A tensor of floats of shape [batch, height, width, channels].
        depthwise_filter: A tensor of the dtype of `input` of shape [height, width, channels,
            multiplier].
        pointwise_filter: A tensor of the dtype of `input` of shape [1, 1, channels * multiplier,
            outputs].
        strides: The steps between windows, as one int, one for each spatial axis or one for each
            axis.
        padding: "VALID", "SAME" for zeros around the data, or a pair (before, after) for each axis.
        data_format: "NHWC" or "NCHW": the order of the axes. None means "NHWC".
        dilations: The steps between the taps of a filter, as one int, one for each spatial axis or
            one for each axis; None means 1.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input` of shape [batch, new height, new width, outputs].

    Raises:
        ValueError: `strides`, `dilations` or `padding` has a length that does not fit.
        InvalidArgumentError: The shapes do not fit, or a step or `padding` is not valid.

    >>> import graphwright as tf
    >>> x, depthwise = tf.ones([1, 2, 2, 2]), tf.ones([2, 2, 2, 1])
    >>> tf.nn.separable_conv2d(x, depthwise, [[[[1.0], [10.0]]]], 1, "VALID").numpy().item()
    44.0
    """
    layout = data_format or "NHWC"
    x = convert(input)
    channels = depthwise_conv2d(x, depthwise_filter, strides, padding, layout, dilations)
    return conv2d(channels, pointwise_filter, 1, "VALID", layout, name=name)


def atrous_conv2d(
    value: TensorLike, filters: TensorLike, rate: int, padding: PaddingLike, name: str | None = None
) -> Tensor:
    """Convolves images with filters whose taps lie `rate` apart.

    Args:
        value: A tensor of floats of shape [batch, height, width, channels].
        filters: A tensor of the dtype of `value` of shape [height, width, channels / groups,
            outputs].
        rate: A positive int.
        padding: "VALID", "SAME" for zeros around the data, or a pair (before, after) for each axis.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `value` of shape [batch, new height, new width, outputs].

    Raises:
        InvalidArgumentError: `rate` is not positive, or the shapes do not fit.

    >>> import graphwright as tf
    >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.nn.atrous_conv2d(x, tf.ones([2, 2, 1, 1]), 2, "VALID").numpy().item()
    16.0
    """
    return convolution(value, filters, padding=padding, dilations=[rate, rate], name=name)


def atrous_conv2d_transpose(
    value: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    rate: int,
    padding: PaddingLike,
    name: str | None = None,
) -> Tensor:
    """Applies the transpose of a convolution of images whose taps lie `rate` apart.

    Args:
        value: A tensor of floats of shape [batch, height, width, channels].
        filters: A tensor of the dtype of `value` of shape [height, width, outputs, channels].
        output_shape: The shape of the result, with all axes, as ints or an int32 tensor.
        rate: A positive int.
        padding: Of the convolution: "VALID", "SAME" for zeros around the data, or a pair (before,
            after) for each axis.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `value` of shape `output_shape`.

    Raises:
        ValueError: `rate` is not positive.
        InvalidArgumentError: `output_shape` is no shape that the convolution maps to that of
            `value`.

    >>> import graphwright as tf
    >>> filters = tf.ones([2, 2, 1, 1])
    >>> y = tf.nn.atrous_conv2d_transpose(tf.ones([1, 1, 1, 1]), filters, [1, 3, 3, 1], 2, "VALID")
    >>> y[0, ..., 0].numpy().tolist()
    [[1.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 1.0]]
    """
    if rate < 1:
        raise ValueError(f"`rate` cannot be less than one. Received: rate={rate}")
    return conv2d_transpose(value, filters, output_shape, 1, padding, dilations=rate, name=name)
