"""Grey-scale dilation and erosion of images, with the gradients of dilation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np

from graphwright.base.errors import UnimplementedError
from graphwright.op.batching import channelwise
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.convolution.spatial import check_padding, check_rank, window_count
from graphwright.ops.convolution.windows import Windows, slide
from graphwright.ops.core.creation import zeros_like
from graphwright.ops.core.reversal import reverse
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, TensorType, merge_dims, show_dims

#: A tap of a filter, and what belongs to it of each window.
AtTap: TypeAlias = tuple[tuple[int, ...], Array]

#: Channels up to which NumPy adds the filter's to them sooner where it lies repeated along rows.
_MANY = 64


class Morphology(Op):
    """What dilation and its gradients share: where their windows lie."""

    dtypes = {"T": dt.REAL}
    outputs: ClassVar[tuple[str, ...]] = ("output: T",)
    ruled = True
    batched = channelwise

    strides: tuple[int, ...]
    rates: tuple[int, ...]
    padding: str

    def result_dims(self, x: Dims | None, filters: Dims | None) -> Dims:
        """The dims of the dilation; ValueError if the operands do not fit."""
        check_padding(self.type_name, self.padding, ("SAME", "VALID"))
        self.check_steps("strides", self.strides, 1)
        self.check_steps("rates", self.rates, 0)
        check_rank(self.type_name, "input", x, 4)
        check_rank(self.type_name, "filter", filters, 3)
        x, filters = x or (None,) * 4, filters or (None,) * 3
        if None not in (x[3], filters[2]) and x[3] != filters[2]:
            raise ValueError(
                f"input and filter of {self.type_name} must have the same depth: {show_dims(x)} "
                f"vs {show_dims(filters)}"
            )
        height, width = (
            window_count(
                x[i], filters[i - 1], self.strides[i], self.rates[i], self.padding, may_be_none=True
            )
            for i in (1, 2)
        )
        return (x[0], height, width, x[3])

    def check_cotangent(self, x: TensorType, filters: TensorType, g: TensorType) -> None:
        """ValueError for a cotangent without the result's shape, unless the filter is empty."""
        dims = self.result_dims(x.dims, filters.dims)
        check_rank(self.type_name, "out_backprop", g.dims, 4)
        if filters.size != 0:
            merge_dims(dims, g.dims)

    def check_steps(self, name: str, steps: tuple[int, ...], least: int) -> None:
        """ValueError unless there is a step for each axis that is not too small;
        UnimplementedError for other steps than 1 over images or channels."""
        if len(steps) != 4:
            raise ValueError(
                f"Length for attr '{name}' of {len(steps)} must be 4: one for each axis of the "
                f"images of {self.type_name}. Received: {steps}"
            )
        if steps[0] != 1 or steps[3] != 1:
            raise UnimplementedError(
                None,
                None,
                f"{name} other than 1 are only supported across spatial dimensions. Received: "
                f"{steps} [Op:{self.type_name}]",
            )
        if min(steps) < least:
            raise ValueError(f"{name} of {self.type_name} must be >= {least}, but got {steps}")

    def windows(self, x: Array, filters: Array) -> Windows:
        """The windows of a filter over images."""
        size, steps = filters.shape[:2], self.strides[1:3]
        padding: Any = self.padding
        return slide(x.shape[1:3], size, steps, padding, self.rates[1:3])

    def winners(self, x: Array, filters: Array) -> tuple[Array, Iterator[AtTap]]:
        """The dilation, and for each tap of the filter where its sum is the greatest."""
        best, sums = self.sums(x, filters)
        place = np.full(best.shape, -1, np.int32)
        taps = []
        for number, (tap, value) in enumerate(sums):
            better = value > best
            np.copyto(best, value, where=better)
            np.copyto(place, number, where=better)
            taps.append(tap)
        return best, ((tap, place == number) for number, tap in enumerate(taps))

    def sums(self, x: Array, filters: Array) -> tuple[Array, Iterator[AtTap]]:
        """The lowest numbers in the shape of the dilation, and the sums at each tap."""
        windows = self.windows(x, filters)
        lowest = np.iinfo(x.dtype).min if x.dtype.kind in "iu" else -np.inf
        padded = windows.pad(x, lowest)
        best = np.full((x.shape[0], *windows.counts, x.shape[3]), lowest, x.dtype)
        taps = [(tap, windows.at(padded, tap)) for tap in windows.taps()]
        if not 1 < x.shape[3] < _MANY:
            return best, ((tap, part + filters[tap]) for tap, part in taps)
        lines = (*best.shape[:2], best.shape[2] * best.shape[3])
        tiled = (
            filters[:, :, None, :]
            .repeat(best.shape[2], axis=2)
            .reshape(*filters.shape[:2], lines[2])
        )
        sums = ((tap, part.reshape(lines) + tiled[tap]) for tap, part in taps)
        return best, ((tap, total.reshape(best.shape)) for tap, total in sums)


class Dilation2D(Morphology):
    """The greatest sum of a window's elements and those of the filter, for each channel."""

    type_name = "Dilation2D"
    inputs = ("input: T", "filter: T")

    def shapes(self, x: TensorType, filters: TensorType) -> Shapes:
        return (self.result_dims(x.dims, filters.dims),)

    def kernel(self, x: Array, filters: Array) -> Any:
        best, sums = self.sums(x, filters)
        for _, value in sums:
            np.fmax(best, value, out=best)  # NaN is passed over
        return best

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        attributes = (self.strides, self.rates, self.padding)
        to_input = apply(Dilation2DBackpropInput.of(*attributes), *call.inputs, g)
        return to_input, apply(Dilation2DBackpropFilter.of(*attributes), *call.inputs, g)


class DilationTangent(Morphology):
    """How a dilation changes as its operands do: the sum of what the winners gain."""

    type_name = "GraphwrightDilation2DTangent"
    inputs = ("input: T", "filter: T", "input_tangent: T", "filter_tangent: T")

    def shapes(self, x: TensorType, filters: TensorType, dx: TensorType, df: TensorType) -> Shapes:
        return (self.result_dims(x.dims, filters.dims),)

    def kernel(self, x: Array, filters: Array, dx: Array, df: Array) -> Any:
        windows = self.windows(x, filters)
        moved = windows.pad(dx)
        best, winners = self.winners(x, filters)
        total = np.zeros_like(best)
        for tap, won in winners:
            total += np.where(won, windows.at(moved, tap) + df[tap], x.dtype.type(0))
        return total

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        operands = call.inputs[:2]
        attributes = (self.strides, self.rates, self.padding)
        to_input = apply(Dilation2DBackpropInput.of(*attributes), *operands, g)
        to_filter = apply(Dilation2DBackpropFilter.of(*attributes), *operands, g)
        return None, None, to_input, to_filter


class Dilation2DBackpropInput(Morphology):
    """The cotangent of a dilation's input: each window's goes to the element that won."""

    type_name = "Dilation2DBackpropInput"
    inputs = ("input: T", "filter: T", "out_backprop: T")
    outputs = ("in_backprop: T",)

    def shapes(self, x: TensorType, filters: TensorType, g: TensorType) -> Shapes:
        self.check_cotangent(x, filters, g)
        return (x.dims,)

    def kernel(self, x: Array, filters: Array, g: Array) -> Any:
        windows = self.windows(x, filters)
        whole = windows.zeros(x.shape[0], x.shape[3], x.dtype)
        for tap, won in self.winners(x, filters)[1]:
            reached = windows.at(whole, tap)
            reached += np.where(won, g, g.dtype.type(0))
        return np.ascontiguousarray(windows.unpad(whole))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, filters, _ = call.inputs
        op = DilationTangent.of(self.strides, self.rates, self.padding)
        return None, None, apply(op, x, filters, g, zeros_like(filters))


class Dilation2DBackpropFilter(Morphology):
    """The cotangent of a dilation's filter: each window's goes to the element that won."""

    type_name = "Dilation2DBackpropFilter"
    inputs = ("input: T", "filter: T", "out_backprop: T")
    outputs = ("filter_backprop: T",)

    def shapes(self, x: TensorType, filters: TensorType, g: TensorType) -> Shapes:
        self.check_cotangent(x, filters, g)
        return (filters.dims,)

    def kernel(self, x: Array, filters: Array, g: Array) -> Any:
        total = np.zeros_like(filters)
        for tap, won in self.winners(x, filters)[1]:
            total[tap] = np.where(won, g, g.dtype.type(0)).sum(axis=(0, 1, 2))
        return total

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, filters, _ = call.inputs
        op = DilationTangent.of(self.strides, self.rates, self.padding)
        return None, None, apply(op, x, filters, zeros_like(x), g)


def dilation2d(
    input: TensorLike,
    filters: TensorLike,
    strides: Sequence[int],
    padding: str,
    data_format: str,
    dilations: Sequence[int],
    name: str | None = None,
) -> Tensor:
    """Returns the greatest sum of the elements of each window and a filter, for each channel.

    Args:
        input: A tensor of real numbers of shape [batch, height, width, channels].
        filters: A tensor of the dtype of `input` of shape [height, width, channels].
        strides: The steps between windows as [1, rows, columns, 1].
        padding: "VALID", or "SAME" for windows that may stick out of the data.
        data_format: "NHWC".
        dilations: The steps between the elements of a window as [1, rows, columns, 1].
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input` of shape [batch, new height, new width, channels].

    Raises:
        ValueError: `data_format` is another string.
        InvalidArgumentError: The shapes do not fit, or a list does not have 4 entries.
        UnimplementedError: The first or last entry of a list is not 1.

    >>> import graphwright as tf
    >>> x = tf.reshape(tf.range(4.0), [1, 2, 2, 1])
    >>> ones = [1, 1, 1, 1]
    >>> tf.nn.dilation2d(x, tf.ones([2, 2, 1]), ones, "VALID", "NHWC", ones).numpy().item()
    4.0
    """
    if data_format != "NHWC":
        raise ValueError(
            f"`data_format` values other than 'NHWC' are not supported. Received: {data_format}"
        )
    x = convert(input)
    op = Dilation2D.of(strides, dilations, padding)
    return apply(op, x, convert(filters, None, x.dtype), name=name)


def erosion2d(
    value: TensorLike,
    filters: TensorLike,
    strides: Sequence[int],
    padding: str,
    data_format: str,
    dilations: Sequence[int],
    name: str | None = None,
) -> Tensor:
    """Returns the least difference of the elements of each window and a mirrored filter, for each
    channel.

    Args:
        value: A tensor of real numbers of shape [batch, height, width, channels].
        filters: A tensor of the dtype of `value` of shape [height, width, channels].
        strides: The steps between windows as [1, rows, columns, 1].
        padding: "VALID", or "SAME" for windows that may stick out of the data.
        data_format: "NHWC".
        dilations: The steps between the elements of a window as [1, rows, columns, 1].
        name: A name for the op.

    Returns:
        A tensor of the dtype of `value` of shape [batch, new height, new width, channels].

    Raises:
        ValueError: `data_format` is another string.
        InvalidArgumentError: The shapes do not fit, or a list does not have 4 entries.
        UnimplementedError: The first or last entry of a list is not 1.

    >>> import graphwright as tf
    >>> x = tf.reshape(tf.range(4.0), [1, 2, 2, 1])
    >>> ones = [1, 1, 1, 1]
    >>> tf.nn.erosion2d(x, tf.ones([2, 2, 1]), ones, "VALID", "NHWC", ones).numpy().item()
    -1.0
    """
    x = convert(value)
    mirrored = reverse(convert(filters, None, x.dtype), [0, 1])
    return -dilation2d(-x, mirrored, strides, padding, data_format, dilations, name)
