"""Convolutions over two and three spatial axes and depthwise ones, with both their adjoints.

Filters are not flipped: the field's convolution is a correlation. Each of the three kinds is a
family of three ops, and the gradient of each of these is the other two.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from graphwright.op.batching import Each, Refusal, images
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.convolution import convolution_kernels as kernels
from graphwright.ops.convolution.spatial import (
    FORMATS,
    PaddingLike,
    PerAxis,
    arranged,
    channels_of,
    check_format,
    check_padding,
    check_rank,
    explicit_padding,
    is_channels_first,
    paired,
    per_axis,
    spatial_part,
    window_count,
)
from graphwright.ops.core.gathering import axis_sizes, host_vector
from graphwright.ops.core.movement import reshape
from graphwright.ops.core.shapes import shape_of
from graphwright.types import dtypes as dt
from graphwright.types.arguments import ShapeLike, Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, TensorType, show_dims


class Sliding(Op, fields=False):
    """What the three ops of a family share: where their windows lie."""

    spatial: ClassVar[int]
    depthwise: ClassVar[bool] = False
    paddings: ClassVar[tuple[str, ...]]

    strides: tuple[int, ...]
    padding: str
    explicit_paddings: Any = ()
    data_format: str
    dilations: tuple[int, ...]

    def check(self) -> None:
        """ValueError for attributes that make no sense."""
        check_format(self.type_name, self.data_format, self.spatial)
        check_padding(self.type_name, self.padding, self.paddings)
        for name, entries in (("strides", self.strides), ("dilations", self.dilations)):
            outer = (entries[0], channels_of(entries, self.data_format))
            if outer != (1, 1):
                raise ValueError(
                    f"Current implementation does not yet support {name} in the batch and depth "
                    f"dimensions: {list(entries)}"
                )
            if min(entries) < 1:
                raise ValueError(f"{name} of {self.type_name} must be positive: {list(entries)}")
        if any(p < 0 for p in self.explicit_paddings):
            raise ValueError(f"All elements of explicit_paddings must be nonnegative for {self}")

    def window(self) -> tuple[Any, ...]:
        """Strides, padding, dilations and layout, as the kernels take them."""
        padding: Any = self.padding
        if padding == "EXPLICIT":
            padding = paired(self.explicit_paddings, self.data_format)
        first = is_channels_first(self.data_format)
        strides = spatial_part(self.strides, self.data_format)
        dilations = spatial_part(self.dilations, self.data_format)
        return strides, padding, dilations, first

    def output_dims(self, x: Dims | None, filters: Dims | None) -> Dims:
        """The dims of a convolution; ValueError if the operands do not fit."""
        self.check()
        check_rank(self.type_name, "input", x, self.spatial + 2, self.fitting(x, filters))
        check_rank(self.type_name, "filter", filters, self.spatial + 2)
        unknown = (None,) * (self.spatial + 2)
        x, filters = x or unknown, filters or unknown
        self.check_depth(x, filters)
        pairs = paired(self.explicit_paddings, self.data_format) or ((0, 0),) * self.spatial
        strides = spatial_part(self.strides, self.data_format)
        dilations = spatial_part(self.dilations, self.data_format)
        sizes = spatial_part(x, self.data_format)
        counts = [
            window_count(size, taps, stride, dilation, self.padding, pair)
            for size, taps, stride, dilation, pair in zip(sizes, filters, strides, dilations, pairs)
        ]
        outputs = filters[-1]
        if self.depthwise:
            outputs = None if None in filters[-2:] else filters[-1] * filters[-2]  # type: ignore[operator]
        return arranged(x[0], counts, outputs, self.data_format)

    def fitting(self, x: Dims | None, filters: Dims | None) -> str:
        """A line with a call that adds the axis that one picture, or pictures in grey, lack."""
        rank = self.spatial + 2
        if x is None or filters is None or (len(x), len(filters)) != (rank - 1, rank):
            return ""
        last = -self.spatial - 1 if is_channels_first(self.data_format) else -1
        if x[last] == filters[-2]:
            return "\n    tf.expand_dims(input, 0) fits"
        return f"\n    tf.expand_dims(input, {last}) fits" if filters[-2] == 1 else ""

    def check_depth(self, x: Dims, filters: Dims) -> None:
        """ValueError unless the filters fit the channels: all of them, or groups of equal size."""
        if 0 in filters[:-1]:
            raise ValueError(f"filter must not have zero elements: {show_dims(filters)}")
        channels, depth, outputs = channels_of(x, self.data_format), *filters[-2:]
        if channels is None or depth is None:
            return
        if self.depthwise:
            if channels != depth:
                raise ValueError(
                    f"input and filter must have the same depth: {channels} vs {depth}"
                )
        elif not channels:
            raise ValueError(f"{self.type_name} must have at least one group: 0 groups of {depth}")
        elif channels % depth:
            raise ValueError(
                f"input depth must be evenly divisible by filter depth: {channels} vs {depth}"
            )
        elif outputs is not None and outputs % (channels // depth or 1):
            raise ValueError(
                f"output depth must be evenly divisible by number of groups: {outputs} vs "
                f"{channels // depth}"
            )

    def dims_of(self, name: str, sizes: Dims | None) -> Dims:
        """The dims that an operand of sizes says; ValueError where these are too many or few."""
        rank = self.spatial + 2
        dims = (None,) * rank if sizes is None else sizes
        if not isinstance(dims, tuple) or len(dims) != rank:
            raise ValueError(f"{name} of {self.type_name} must have {rank} elements, got {sizes}")
        return dims

    def sibling(self, family: dict[type[Sliding], type[Sliding]]) -> Sliding:
        """Another op of the family with the same windows."""
        return family[type(self)].of(*self.describe().values())


class Planar(Sliding):
    """The attributes of windows over two spatial axes."""

    spatial = 2
    paddings = ("SAME", "VALID", "EXPLICIT")

    strides: tuple[int, ...]
    padding: str
    explicit_paddings: tuple[int, ...] = ()
    data_format: str = "NHWC"
    dilations: tuple[int, ...] = (1, 1, 1, 1)


class Solid(Sliding):
    """The attributes of windows over three spatial axes, which know no explicit paddings."""

    spatial = 3
    paddings = ("SAME", "VALID")

    strides: tuple[int, ...]
    padding: str
    data_format: str = "NDHWC"
    dilations: tuple[int, ...] = (1, 1, 1, 1, 1)


class Convolution(Sliding):
    """The sums of the elements in each window, weighted by filters."""

    inputs: ClassVar[tuple[str, ...]] = ("input: T", "filter: T")
    outputs: ClassVar[tuple[str, ...]] = ("output: T",)
    dtypes = {"T": dt.FLOATING}
    ruled = True
    batched = images

    def shapes(self, x: TensorType, filters: TensorType) -> Shapes:
        dims = self.output_dims(x.dims, filters.dims)
        if filters.dims and filters.dims[-1] == 0:
            raise ValueError(f"filter must not have zero elements: {show_dims(filters.dims)}")
        return (dims,)

    def kernel(self, x: Array, filters: Array) -> Any:
        compute = kernels.depthwise if self.depthwise else kernels.convolve
        return compute(x, filters, *self.window())

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, filters = call.inputs
        to_input = apply(self.sibling(INPUT_GRADIENT), shape_of(x), filters, g)
        return to_input, apply(self.sibling(FILTER_GRADIENT), x, shape_of(filters), g)


def check_cotangent(op: Sliding, expected: Dims, out: Dims | None) -> None:
    """ValueError unless the cotangent of a convolution has the dims of its result."""
    check_rank(op.type_name, "out_backprop", out, op.spatial + 2)
    for axis, (want, got) in enumerate(zip(expected, out or ())):
        if None not in (want, got) and want != got:
            raise ValueError(
                f"{op.type_name}: Size of out_backprop doesn't match computed: actual = {got}, "
                f"computed = {want}, dimension: {axis} of {show_dims(out)}"
            )


class InputGradient(Sliding):
    """The cotangent of a convolution's input: the transposed convolution."""

    inputs: ClassVar[tuple[str, ...]] = ("input_sizes: int32 host", "filter: T", "out_backprop: T")
    outputs: ClassVar[tuple[str, ...]] = ("output: T",)
    dtypes = {"T": dt.FLOATING}

    def result_dims(self, sizes: Dims | None, filters: Dims | None, out: Dims | None) -> Dims:
        """The dims of the input; ValueError if the operands do not fit them."""
        dims = self.dims_of("input_sizes", sizes)
        check_cotangent(self, self.output_dims(dims, filters), out)
        batch = out[0] if dims[0] is None and out is not None else dims[0]
        return (batch, *dims[1:])

    def shapes(self, sizes: Dims | None, filters: TensorType, out: TensorType) -> Shapes:
        return (self.result_dims(sizes, filters.dims, out.dims),)

    def kernel(self, sizes: tuple[int, ...], filters: Array, out: Array) -> Array:
        self.result_dims(sizes, filters.shape, out.shape)
        compute = kernels.depthwise_input_gradient if self.depthwise else kernels.input_gradient
        return compute(sizes, filters, out, *self.window())

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        _, filters, out = call.inputs
        to_filter = apply(self.sibling(FILTER_GRADIENT), g, shape_of(filters), out)
        return None, to_filter, apply(self.sibling(FORWARD), g, filters)

    def batched(self, each: Each) -> Any:
        g, sizes = each.merged(2), each.same(0)
        others = [sizes[i] for i in range(1, self.spatial + 2)]
        merged = host_vector([axis_sizes(g)[0], *others])
        return each.split(apply(self, merged, each.same(1), g), 2)


class FilterGradient(Sliding):
    """The cotangent of a convolution's filters."""

    inputs: ClassVar[tuple[str, ...]] = ("input: T", "filter_sizes: int32 host", "out_backprop: T")
    outputs: ClassVar[tuple[str, ...]] = ("output: T",)
    dtypes = {"T": dt.FLOATING}

    def result_dims(self, x: Dims | None, sizes: Dims | None, out: Dims | None) -> Dims:
        """The dims of the filters; ValueError if the operands do not fit them."""
        dims = self.dims_of("filter_sizes", sizes)
        check_cotangent(self, self.output_dims(x, dims), out)
        return dims

    def shapes(self, x: TensorType, sizes: Dims | None, out: TensorType) -> Shapes:
        return (self.result_dims(x.dims, sizes, out.dims),)

    def kernel(self, x: Array, sizes: tuple[int, ...], out: Array) -> Array:
        self.result_dims(x.shape, sizes, out.shape)
        compute = kernels.depthwise_filter_gradient if self.depthwise else kernels.filter_gradient
        return compute(x, sizes, out, *self.window())

    def batched(self, each: Each) -> Any:
        """Rows become groups of channels, which have filters of their own."""
        if self.data_format.startswith("NC"):
            raise Refusal("the channels are not its last axis")
        sizes = [each.same(1)[i] for i in range(self.spatial + 2)]
        folded = -2 if self.depthwise else -1
        sizes[folded] = sizes[folded] * each.count
        sums = apply(self, each.channels(0), host_vector(sizes), each.channels(2))
        return each.unfolded(sums, folded)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, _, out = call.inputs
        to_input = apply(self.sibling(INPUT_GRADIENT), shape_of(x), g, out)
        return to_input, None, apply(self.sibling(FORWARD), x, g)


# -- two spatial axes -----------------------------------------------------------------------

WITH_INT32 = {"T": dt.FLOATING | {dt.int32}}


class Conv2D(Convolution, Planar):
    """The convolution of images with filters [height, width, channels / groups, outputs]."""

    type_name = "Conv2D"
    dtypes = WITH_INT32


class Conv2DBackpropInput(InputGradient, Planar):
    """The cotangent of Conv2D's input."""

    type_name = "Conv2DBackpropInput"
    dtypes = WITH_INT32


class Conv2DBackpropFilter(FilterGradient, Planar):
    """The cotangent of Conv2D's filters."""

    type_name = "Conv2DBackpropFilter"


# -- three spatial axes ---------------------------------------------------------------------


class Conv3D(Convolution, Solid):
    """The convolution of volumes with filters [depth, height, width, channels, outputs]."""

    type_name = "Conv3D"


class Conv3DBackpropInputV2(InputGradient, Solid):
    """The cotangent of Conv3D's input."""

    type_name = "Conv3DBackpropInputV2"
    inputs = ("input_sizes: Tshape host", "filter: T", "out_backprop: T")
    dtypes = {"T": dt.FLOATING, "Tshape": dt.INDEX}


class Conv3DBackpropFilterV2(FilterGradient, Solid):
    """The cotangent of Conv3D's filters."""

    type_name = "Conv3DBackpropFilterV2"


# -- depthwise ------------------------------------------------------------------------------


class DepthwiseConv2dNative(Convolution, Planar):
    """The convolution of each channel with filters [height, width, channels, multiplier]."""

    type_name = "DepthwiseConv2dNative"
    depthwise = True


class DepthwiseConv2dNativeBackpropInput(InputGradient, Planar):
    """The cotangent of a depthwise convolution's input."""

    type_name = "DepthwiseConv2dNativeBackpropInput"
    depthwise = True


class DepthwiseConv2dNativeBackpropFilter(FilterGradient, Planar):
    """The cotangent of a depthwise convolution's filters."""

    type_name = "DepthwiseConv2dNativeBackpropFilter"
    depthwise = True


FAMILIES: tuple[tuple[type[Sliding], type[Sliding], type[Sliding]], ...] = (
    (Conv2D, Conv2DBackpropInput, Conv2DBackpropFilter),
    (Conv3D, Conv3DBackpropInputV2, Conv3DBackpropFilterV2),
    (
        DepthwiseConv2dNative,
        DepthwiseConv2dNativeBackpropInput,
        DepthwiseConv2dNativeBackpropFilter,
    ),
)
FORWARD = {member: family[0] for family in FAMILIES for member in family}
INPUT_GRADIENT = {member: family[1] for family in FAMILIES for member in family}
FILTER_GRADIENT = {member: family[2] for family in FAMILIES for member in family}


# -- the public functions -------------------------------------------------------------------


def attributes(
    spatial: int,
    strides: PerAxis | None,
    padding: PaddingLike,
    data_format: str | None,
    dilations: PerAxis | None,
) -> tuple[Any, ...]:
    """The attributes of a convolution, from the arguments of a public function."""
    layout = data_format or FORMATS[spatial][0]
    steps = per_axis(strides, spatial, layout, "strides")
    spread = per_axis(dilations, spatial, layout, "dilations")
    if spatial == 3:
        return steps, padding, layout, spread
    return steps, *explicit_padding(padding, 4), layout, spread


def batched(op: Sliding, x: TensorValue, filters: TensorValue, name: str | None) -> Any:
    """Applies a convolution to data of any number of batch axes."""
    rank, inner = x.type.rank, op.spatial + 1
    if rank is None or rank <= inner + 1:
        return apply(op, x, filters, name=name)
    sizes = axis_sizes(x)
    flat = reshape(x, host_vector([-1, *sizes[-inner:]]))
    y = apply(op, flat, filters, name=name)
    return reshape(y, host_vector([*sizes[:-inner], *axis_sizes(y)[1:]]))


def conv2d(
    input: TensorLike,
    filters: TensorLike,
    strides: PerAxis,
    padding: PaddingLike,
    data_format: str = "NHWC",
    dilations: PerAxis | None = None,
    name: str | None = None,
) -> Tensor:
    """Convolves images with filters.

    The filters are not mirrored. `input` may have more batch axes than one.

    Args:
        input: A tensor of floats or int32 of shape [batch, height, width, channels].
        filters: A tensor of the dtype of `input` of shape [height, width, channels / groups,
            outputs].
        strides: The steps between windows, as one int, one for each spatial axis or one for each
            axis.
        padding: "VALID", "SAME" for zeros around the data, or a pair (before, after) for each axis.
        data_format: "NHWC" or "NCHW": the order of the axes.
        dilations: The steps between the taps of a filter, as one int, one for each spatial axis or
            one for each axis; None means 1.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input` of shape [batch, new height, new width, outputs].

    Raises:
        ValueError: `strides`, `dilations` or `padding` has a length that does not fit.
        InvalidArgumentError: The shapes do not fit, or a step or `padding` is not valid.

    >>> import graphwright as tf
    >>> tf.nn.conv2d(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), 1, "VALID")[0, :, :, 0]
    <tf.Tensor: shape=(2, 2), dtype=float32, numpy=
    array([[4., 4.],
           [4., 4.]], dtype=float32)>
    """
    x = convert(input)
    op = Conv2D.of(*attributes(2, strides, padding, data_format, dilations))
    return batched(op, x, convert(filters, None, x.dtype), name)


def conv3d(
    input: TensorLike,
    filters: TensorLike,
    strides: PerAxis,
    padding: PaddingLike,
    data_format: str = "NDHWC",
    dilations: PerAxis | None = None,
    name: str | None = None,
) -> Tensor:
    """Convolves volumes with filters.

    The filters are not mirrored. `input` may have more batch axes than one.

    Args:
        input: A tensor of floats of shape [batch, depth, height, width, channels].
        filters: A tensor of the dtype of `input` of shape [depth, height, width, channels / groups,
            outputs].
        strides: The steps between windows, as one int, one for each spatial axis or one for each
            axis.
        padding: "VALID", or "SAME" for zeros around the data.
        data_format: "NDHWC" or "NCDHW": the order of the axes.
        dilations: The steps between the taps of a filter, as one int, one for each spatial axis or
            one for each axis; None means 1.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input` of shape [batch, new depth, new height, new width,
        outputs].

    Raises:
        ValueError: `strides`, `dilations` has a length that does not fit.
        InvalidArgumentError: The shapes do not fit, or a step or `padding` is not valid.

    >>> import graphwright as tf
    >>> tf.nn.conv3d(tf.ones([1, 2, 2, 2, 1]), tf.ones([2, 2, 2, 1, 1]), 1, "VALID").numpy().item()
    8.0
    """
    x = convert(input)
    op = Conv3D.of(*attributes(3, strides, padding, data_format, dilations))
    return batched(op, x, convert(filters, None, x.dtype), name)


def depthwise_conv2d(
    input: TensorLike,
    filter: TensorLike,
    strides: PerAxis,
    padding: PaddingLike,
    data_format: str | None = None,
    dilations: PerAxis | None = None,
    name: str | None = None,
) -> Tensor:
    """Convolves each channel of images with filters of its own.

    Args:
        input: A tensor of floats of shape [batch, height, width, channels].
        filter: A tensor of the dtype of `input` of shape [height, width, channels, multiplier].
        strides: The steps between windows, as one int, one for each spatial axis or one for each
            axis.
        padding: "VALID", "SAME" for zeros around the data, or a pair (before, after) for each axis.
        data_format: "NHWC" or "NCHW": the order of the axes. None means "NHWC".
        dilations: The steps between the taps of a filter, as one int, one for each spatial axis or
            one for each axis; None means 1.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input` of shape [batch, new height, new width, channels *
        multiplier]. The results of one channel are neighbours.

    Raises:
        ValueError: `strides`, `dilations` or `padding` has a length that does not fit.
        InvalidArgumentError: The shapes do not fit, or a step or `padding` is not valid.

    >>> import graphwright as tf
    >>> x = tf.constant([[[[1.0, 2.0]]]])
    >>> tf.nn.depthwise_conv2d(x, [[[[1.0, 10.0], [1.0, 10.0]]]], 1, "SAME").numpy().tolist()
    [[[[1.0, 10.0, 2.0, 20.0]]]]
    """
    x = convert(input)
    op = DepthwiseConv2dNative.of(*attributes(2, strides, padding, data_format, dilations))
    return apply(op, x, convert(filter, None, x.dtype), name=name)


def depthwise_conv2d_backprop_input(
    input_sizes: ShapeLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: PerAxis,
    padding: PaddingLike,
    data_format: str = "NHWC",
    dilations: PerAxis = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of a depthwise convolution with respect to its input.

    Args:
        input_sizes: The shape of the input, as ints or an int32 tensor.
        filter: A tensor of floats of shape [height, width, channels, multiplier].
        out_backprop: The gradient with respect to the result, a tensor of its shape and of the
            dtype of `filter`.
        strides: The strides of `tf.nn.depthwise_conv2d`.
        padding: The padding of `tf.nn.depthwise_conv2d`.
        data_format: "NHWC" or "NCHW": the order of the axes.
        dilations: The dilations of `tf.nn.depthwise_conv2d`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `filter` of shape `input_sizes`.

    Raises:
        InvalidArgumentError: The shapes do not fit.

    >>> import graphwright as tf
    >>> y = tf.nn.depthwise_conv2d_backprop_input(
    ...     [1, 1, 2, 1], tf.fill([1, 2, 1, 1], 3.0), tf.ones([1, 1, 1, 1]), [1, 1, 1, 1], "VALID"
    ... )
    >>> y.numpy().ravel().tolist()
    [3.0, 3.0]
    """
    op = DepthwiseConv2dNativeBackpropInput.of(
        *attributes(2, strides, padding, data_format, dilations)
    )
    return apply(op, input_sizes, convert(filter), convert(out_backprop), name=name)


def depthwise_conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: ShapeLike,
    out_backprop: TensorLike,
    strides: PerAxis,
    padding: PaddingLike,
    data_format: str = "NHWC",
    dilations: PerAxis = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of a depthwise convolution with respect to its filter.

    Args:
        input: A tensor of floats of shape [batch, height, width, channels].
        filter_sizes: The shape of the filter, as ints or an int32 tensor.
        out_backprop: The gradient with respect to the result, a tensor of its shape and of the
            dtype of `input`.
        strides: The strides of `tf.nn.depthwise_conv2d`.
        padding: The padding of `tf.nn.depthwise_conv2d`.
        data_format: "NHWC" or "NCHW": the order of the axes.
        dilations: The dilations of `tf.nn.depthwise_conv2d`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input` of shape `filter_sizes`.

    Raises:
        InvalidArgumentError: The shapes do not fit.

    >>> import graphwright as tf
    >>> y = tf.nn.depthwise_conv2d_backprop_filter(
    ...     tf.fill([1, 1, 2, 1], 3.0), [1, 2, 1, 1], tf.ones([1, 1, 1, 1]), [1, 1, 1, 1], "VALID"
    ... )
    >>> y.numpy().ravel().tolist()
    [3.0, 3.0]
    """
    op = DepthwiseConv2dNativeBackpropFilter.of(
        *attributes(2, strides, padding, data_format, dilations)
    )
    return apply(op, convert(input), filter_sizes, convert(out_backprop), name=name)
