"""Dilated windows by rearranging data into blocks; pooling of any kind over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from graphwright.op.interpreter import convert
from graphwright.ops.convolution.any_pooling import avg_pool, max_pool
from graphwright.ops.convolution.spatial import FORMATS, is_channels_first
from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import axis_sizes
from graphwright.ops.core.identity import ensure_shape
from graphwright.ops.core.joining import unstack
from graphwright.ops.core.space_blocks import batch_to_space_nd, space_to_batch_nd
from graphwright.ops.core.static import static_value
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Length, Tensor, TensorLike, TensorValue

Filter: TypeAlias = Callable[[TensorValue, int, str], Any]


def with_space_to_batch(
    input: TensorLike,
    dilation_rate: TensorLike,
    padding: str,
    op: Filter,
    filter_shape: Sequence[int] | None = None,
    spatial_dims: Sequence[int] | None = None,
    data_format: str | None = None,
) -> Tensor:
    """Calls a function of data so that its taps lie `dilation_rate` apart.

    Blocks of the spatial axes are moved into the batch before the call, and back after it. With
    rates of 1 there is only the call.

    Args:
        input: A tensor of shape [batch, *spatial, channels].
        dilation_rate: Positive ints, one for each of `spatial_dims`, or a vector of an integer
            dtype, whose length must be known.
        padding: "VALID", or "SAME" for zeros around the data.
        op: A function of a tensor, the number of spatial axes and a padding that returns a tensor.
        filter_shape: The sizes of the filter along the axes, which "SAME" needs.
        spatial_dims: The axes, as increasing positive ints. None means those that `data_format`
            says.
        data_format: The order of the axes, as "NWC". None means the channels come last.

    Returns:
        A tensor, the result of `op` with the blocks put back.

    Raises:
        ValueError: A rate, `spatial_dims` or `padding` is not valid, or `filter_shape` is missing.

    >>> import graphwright as tf
    >>> def pairs(x, rank, padding):
    ...     return tf.nn.max_pool(x, 2, 1, padding)
    >>> x = tf.constant([[[1.0], [5.0], [2.0], [3.0]]])
    >>> tf.nn.with_space_to_batch(x, [2], "VALID", pairs)[0, :, 0].numpy().tolist()
    [2.0, 5.0]
    """
    x = convert(input)
    rates = rates_of(dilation_rate)
    if any(isinstance(r, int) and r < 1 for r in rates):
        raise ValueError(f"`dilation_rate` must be positive. Received: dilation_rate={rates}")
    first = data_format is not None and data_format.startswith("NC")
    if spatial_dims is None:
        spatial_dims = range(2 if first else 1, len(rates) + (2 if first else 1))
    axes = [int(a) for a in spatial_dims]
    if sorted(set(axes)) != axes or axes[0] < 1 or len(axes) != len(rates):
        raise ValueError(
            "`spatial_dims` must be a strictly increasing sequence of positive integers, one for "
            f"each dilation rate. Received: spatial_dims={axes} and dilation_rate={rates}"
        )
    if all(isinstance(r, int) and r == 1 for r in rates):
        return op(x, len(rates), padding)
    pads = base_paddings(rates, padding, filter_shape)
    blocks, paddings, crops = block_paddings(axis_sizes(x), axes, rates, pads)
    y = op(space_to_batch_nd(x, blocks, paddings), len(rates), "VALID")
    return batch_to_space_nd(y, blocks, crops)


def rates_of(dilation_rate: TensorLike) -> list[Length]:
    """Rates as ints, or as scalars of int32 where they are not known."""
    vector: Any = convert(dilation_rate)
    known = static_value(vector)
    if known is not None:
        return [int(rate) for rate in known]
    return list(unstack(cast(vector, dt.int32)))


def base_paddings(
    rates: Sequence[Length], padding: str, filter_shape: Sequence[int] | None
) -> list[tuple[Length, Length]]:
    """The zeros that a padding puts before and after each axis under a dilated filter."""
    if padding == "VALID":
        return [(0, 0)] * len(rates)
    if padding != "SAME":
        raise ValueError(f"`padding` must be one of 'VALID' or 'SAME'. Received: padding={padding}")
    if filter_shape is None:
        raise ValueError("`filter_shape` must be specified for `padding='SAME'`.")
    totals = [(int(size) - 1) * rate for size, rate in zip(filter_shape, rates)]
    return [(total // 2, total - total // 2) for total in totals]


def block_paddings(
    sizes: Sequence[Length],
    axes: Sequence[int],
    rates: Sequence[Length],
    pads: Sequence[tuple[Length, Length]],
) -> tuple[list[Length], list[list[Any]], list[list[Any]]]:
    """Blocks, paddings and crops of the axes from the first to the last of `axes`."""
    blocks: list[Length] = []
    paddings, crops = [], []
    for axis in range(1, axes[-1] + 1):
        rate: Any = 1
        before: Any = 0
        after: Any = 0
        if axis in axes:
            place = axes.index(axis)
            rate, (before, after) = rates[place], pads[place]
        extra = -(sizes[axis] + before + after) % rate
        blocks.append(rate)
        paddings.append([before, after + extra])
        crops.append([0, extra])
    return blocks, paddings, crops


def pool(
    input: TensorLike,
    window_shape: Sequence[int],
    pooling_type: str,
    strides: Sequence[int] | None = None,
    padding: str = "VALID",
    data_format: str | None = None,
    dilations: Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """Pools windows, which may be dilated, of data with one, two or three spatial axes.

    Args:
        input: A tensor of floats of shape [batch, *spatial, channels].
        window_shape: The size of a window along each spatial axis, as a list of ints.
        pooling_type: "MAX" or "AVG".
        strides: The steps between windows along each spatial axis; None means 1.
        padding: "VALID", or "SAME" for windows that may stick out of the data.
        data_format: The order of the axes, as "NHWC" or "NCHW" for two spatial axes. None means the
            channels come last.
        dilations: The steps between the elements of a window along each spatial axis; None means 1.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input` of shape [batch, *new spatial, channels].

    Raises:
        ValueError: An argument is not valid, `dilations` come with `strides` or with "SAME", or a
            stride is greater than its window.

    >>> import graphwright as tf
    >>> x = tf.constant([[[1.0], [5.0], [2.0], [3.0]]])
    >>> tf.nn.pool(x, [2], "AVG", dilations=[2])[0, :, 0].numpy().tolist()
    [1.5, 4.0]
    """
    x = convert(input)
    window = [int(w) for w in window_shape]
    spatial = len(window)
    if spatial not in FORMATS:
        raise ValueError(
            "`len(window_shape)` must be 1, 2, or 3. Received: window_shape="
            f"{window_shape} of length {spatial}"
        )
    if pooling_type not in ("MAX", "AVG"):
        raise ValueError(f"{spatial}-D {pooling_type} pooling is not supported.")
    steps = [1] * spatial if strides is None else [int(s) for s in strides]
    rates = [1] * spatial if dilations is None else [int(d) for d in dilations]
    check_pool(window, steps, rates, padding)
    layout = data_format or FORMATS[spatial][0]
    function = max_pool if pooling_type == "MAX" else avg_pool

    def pooled(x: TensorValue, _: int, padding: str) -> Any:
        return function(x, window, steps, padding, layout, name)

    start = 2 if is_channels_first(layout) else 1
    axes = range(start, start + spatial)
    if x.type.rank is None:
        x = ensure_shape(x, [None] * (spatial + 2))
    if x.type.rank != spatial + 2:
        raise ValueError(
            f"`input` must have rank {spatial + 2} for a window of {spatial} sizes, but its shape "
            f"is {x.shape}"
        )
    return with_space_to_batch(x, rates, padding, pooled, window, axes, layout)


def check_pool(
    window: Sequence[int], steps: Sequence[int], rates: Sequence[int], padding: str
) -> None:
    """ValueError for windows that `pool` does not take."""
    if len(steps) != len(window) or len(rates) != len(window):
        raise ValueError(
            f"strides {list(steps)} and dilations {list(rates)} must have the length of "
            f"window_shape {list(window)}"
        )
    dilated = any(r > 1 for r in rates)
    if dilated and any(s > 1 for s in steps):
        raise ValueError(
            "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
            f"strides={list(steps)} and dilation_rate={list(rates)}"
        )
    if padding == "SAME" and dilated:
        raise ValueError(
            "pooling with 'SAME' padding is not implemented for `dilation_rate` > 1. Received: "
            f"padding={padding} and dilation_rate={list(rates)}"
        )
    if any(s > w for s, w in zip(steps, window)):
        raise ValueError(
            "`strides` > `window_shape` not supported due to inconsistency between CPU and GPU "
            f"implementations. Received: strides={list(steps)} and window_shape={list(window)}"
        )
