"""Pooling of data with one, two or three spatial axes, dilated too."""

from __future__ import annotations

from typing import Any

from graphwright.op.interpreter import apply, convert, is_tensor
from graphwright.op.results import named
from graphwright.ops.convolution.pooling import AVERAGE, MAXIMUM, MaxPool, MaxPoolWithArgmax, Pool
from graphwright.ops.convolution.spatial import (
    FORMATS,
    check_format,
    explicit_padding,
    is_channels_first,
    is_named,
    per_axis,
)
from graphwright.ops.core.movement import expand_dims, squeeze
from graphwright.types import dtypes as dt


def spatial_axes(x: Any, data_format: str | None) -> int:
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
    x: Any,
    spatial: int,
    ksize: Any,
    strides: Any,
    padding: Any,
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
        if not is_named(padding):
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
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Any:
    """The largest element of each window of data with one, two or three spatial axes.

    `ksize` and `strides` are one number or one for each spatial axis; `padding` is "SAME",
    "VALID" or, with two spatial axes, a list of (before, after) for each axis.

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
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Any:
    """The largest element of each window of sequences [batch, width, channels]."""
    return pooled(MAXIMUM, convert(input), 1, ksize, strides, padding, data_format, name)


def max_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Any:
    """The largest element of each window of images [batch, height, width, channels]."""
    return pooled(
        MAXIMUM, convert(input, None, dt.float32), 2, ksize, strides, padding, data_format, name
    )


def max_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Any:
    """The largest element of each window of volumes [batch, depth, height, width, channels]."""
    return pooled(MAXIMUM, convert(input), 3, ksize, strides, padding, data_format, name)


def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    output_dtype: Any = dt.int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The largest element of each window of images and its place in the flattened image."""
    if data_format != "NHWC":
        raise ValueError(f"`data_format` values other than 'NHWC' are not supported: {data_format}")
    sizes = per_axis(ksize, 2, data_format, "ksize")
    steps = per_axis(strides, 2, data_format, "strides")
    dtype = MaxPoolWithArgmax.dtype_for("Targmax", output_dtype)
    op = MaxPoolWithArgmax.of(sizes, steps, dtype, padding, bool(include_batch_in_index))
    best, places = apply(op, convert(input), name=name)
    found: tuple[Any, Any] = named(MaxPoolWithArgmax)(best, places)
    return found


def avg_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str | None = None,
    name: str | None = None,
) -> Any:
    """The mean of each window of data with one, two or three spatial axes, without padding."""
    x = convert(input)
    spatial = spatial_axes(x, data_format)
    return pooled(AVERAGE, x, spatial, ksize, strides, padding, data_format, name)


def avg_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NWC",
    name: str | None = None,
) -> Any:
    """The mean of each window of sequences [batch, width, channels]."""
    return pooled(AVERAGE, convert(input), 1, ksize, strides, padding, data_format, name)


def avg_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Any:
    """The mean of each window of images [batch, height, width, channels]."""
    return pooled(AVERAGE, convert(input), 2, ksize, strides, padding, data_format, name)


def avg_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Any:
    """The mean of each window of volumes [batch, depth, height, width, channels]."""
    return pooled(AVERAGE, convert(input), 3, ksize, strides, padding, data_format, name)
