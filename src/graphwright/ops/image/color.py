"""The colours of images: representations of their values, spaces, adjustments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np

from graphwright.base.errors import FailedPreconditionError
from graphwright.op.batching import Each, last_axes, last_axes_of_first
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert, is_tensor
from graphwright.op.op import Call, Op, Shapes, not_differentiable, undefined
from graphwright.ops.core.casting import cast
from graphwright.ops.core.identity import ensure_shape, identity
from graphwright.ops.core.joining import stack, unstack
from graphwright.ops.core.movement import expand_dims, reshape
from graphwright.ops.core.repetition import tile
from graphwright.ops.core.rule_words import widened
from graphwright.ops.core.sequences import only_at
from graphwright.ops.core.shapes import shape
from graphwright.ops.image.colour_formulas import (
    changed,
    changed_in_hsv,
    changed_in_hue,
    hsv_of,
    rgb_of,
    within,
)
from graphwright.ops.image.images import check_pixels
from graphwright.ops.linalg.contraction import tensordot
from graphwright.ops.math.arithmetic import floordiv, floormod, maximum
from graphwright.ops.math.clipping import saturate_cast
from graphwright.ops.math.comparison import SELECT, equal, greater
from graphwright.ops.math.reduction import average, reduce_mean, reduce_prod, reduce_std, reduce_sum
from graphwright.ops.math.transcendental import pow, rsqrt
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array, ArrayDType
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.tensor_type import TensorType, show_dims

# -- the range of values --------------------------------------------------------------------


def convert_image_dtype(
    image: TensorLike, dtype: DTypeLike, saturate: bool = False, name: str | None = None
) -> Tensor:
    """Converts images to a dtype, scaled from the range of the old dtype to that of the new one.

    The range of floats is [0, 1]; that of integers is 0 to their maximum.

    Args:
        image: A tensor of floats or integers, of any shape.
        dtype: The dtype of the result, a float or integer dtype.
        saturate: Whether values outside the range of `dtype` are clipped.
        name: A name for the op.

    Returns:
        A tensor of the shape of `image` and of `dtype`.

    Raises:
        AttributeError: One of the dtypes is neither a float nor an integer dtype.

    >>> import graphwright as tf
    >>> tf.image.convert_image_dtype([[[0.0], [1.0]]], tf.uint8).numpy().tolist()
    [[[0], [255]]]
    """
    image, to = convert(image), as_dtype(dtype)
    if not to.is_floating and not to.is_integer:
        raise AttributeError("dtype must be either floating point or integer")
    if not image.dtype.is_floating and not image.dtype.is_integer:
        raise AttributeError("image dtype must be either floating point or integer")
    if image.dtype is to:
        return identity(image, name=name)
    shrink = saturate_cast if saturate else cast
    if image.dtype.is_integer and to.is_integer:
        return between_integers(image, to, shrink)
    if image.dtype.is_floating and to.is_floating:
        return cast(image, to, name=name)
    if image.dtype.is_integer:
        return cast(image, to) * (1.0 / image.dtype.max)
    # Half a step more than the maximum, so that the cast's rounding down is even.
    return shrink(image * (to.max + 0.5), to, name=name)


def between_integers(
    image: TensorValue, to: DType, shrink: Callable[[TensorValue, DType], TensorValue]
) -> Any:
    """Images of one integer dtype as another, by a whole factor."""
    have, want = image.dtype.max, to.max
    if have > want:
        return shrink(floordiv(image, (have + 1) // (want + 1)), to)
    return shrink(image, to) * ((want + 1) // (have + 1))


def as_float(image: TensorLike) -> tuple[TensorValue, DType]:
    """Images as float16 or float32, and the dtype to convert back to."""
    image = convert(image)
    original = image.dtype
    if original in (dt.float16, dt.float32):
        return image, original
    return convert_image_dtype(image, dt.float32), original


# -- spaces ---------------------------------------------------------------------------------


#: Three arrays of one number for each pixel. NumPy is slow along an axis of three.
Channels: TypeAlias = tuple[Array, Array, Array]


def channels_of(pixels: Array) -> Channels:
    """The three values along the last axis."""
    return pixels[..., 0].copy(), pixels[..., 1].copy(), pixels[..., 2].copy()


def pixels_of(channels: Channels, dtype: ArrayDType) -> Array:
    """Three values along a last axis."""
    pixels = np.empty((*channels[0].shape, 3), dtype)
    for i, channel in enumerate(channels):
        pixels[..., i] = channel
    return pixels


def hsv_channels(channels: Channels) -> Channels:
    """Hue, saturation and value of red, green and blue."""
    red, green, blue = channels
    kind = red.dtype.type
    value = np.maximum(np.maximum(red, green), blue)
    spread = value - np.minimum(np.minimum(red, green), blue)
    saturation = np.where(value > 0, spread / value, kind(0))
    norm = kind(1) / (kind(6) * spread)
    hue = np.where(
        red == value,
        norm * (green - blue),
        np.where(
            green == value,
            norm * (blue - red) + kind(2.0 / 6.0),
            norm * (red - green) + kind(4.0 / 6.0),
        ),
    )
    hue = np.where(spread > 0, hue, kind(0))
    return np.where(hue < 0, hue + kind(1), hue), saturation, value


def hue_shares(hue: Array) -> Channels:
    """Red, green and blue of a hue of full saturation and value."""
    kind = hue.dtype.type
    sixths = hue * kind(6)
    red = np.abs(sixths - kind(3)) - kind(1)
    green, blue = [kind(2) - np.abs(sixths - kind(place)) for place in (2, 4)]
    zero, one = kind(0), kind(1)
    return np.clip(red, zero, one), np.clip(green, zero, one), np.clip(blue, zero, one)


def rgb_channels(channels: Channels) -> Channels:
    """Red, green and blue of hue, saturation and value."""
    hue, saturation, value = channels
    rest = hue.dtype.type(1) - saturation
    red, green, blue = [(rest + saturation * share) * value for share in hue_shares(hue)]
    return red, green, blue


class Colours(Op):
    """A map of the three values along the last axis."""

    inputs: ClassVar[tuple[str, ...]] = ("images: T",)
    outputs = ("output: T",)
    dtypes = {"T": dt.FLOATING}
    many_passes = exact_passes = True

    def shapes(self, images: TensorType, *others: TensorType) -> Shapes:
        if images.rank == 0:
            raise ValueError("input must be at least 1D: []")
        if images.dims is not None and images.dims[-1] not in (3, None):
            raise ValueError(f"input must have 3 channels but input only has {images.dims[-1]}")
        return (None if images.dims is None else (*images.dims[:-1], 3),)

    def checked(self, images: Array) -> Array:
        """The images as an array; FailedPreconditionError unless they have three channels."""
        images = np.asarray(images)
        if images.ndim and images.shape[-1] != 3:
            raise FailedPreconditionError(
                None,
                None,
                f"input must have 3 channels but input only has {images.shape[-1]} channels.",
            )
        return images


class RGBToHSV(Colours):
    """Hue, saturation and value of red, green and blue."""

    type_name = "RGBToHSV"
    batched = last_axes

    def kernel(self, images: Array) -> Any:
        images = self.checked(images)
        return pixels_of(hsv_channels(channels_of(images)), images.dtype)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        red, green, blue = unstack(call.inputs[0], 3, -1)
        hue, saturation, value = unstack(g, 3, -1)
        rgb = [red, green, blue]
        top = maximum(maximum(red, green), blue)
        low = -maximum(maximum(-red, -green), -blue)
        is_top = first_of([equal(c, top) for c in rgb])
        is_low = first_of([equal(c, low) for c in rgb])
        spread = top - low
        grey = equal(spread, 0)
        one = convert(1, spread.dtype)
        safe = apply(SELECT, grey, one, spread)
        bright = apply(SELECT, greater(top, 0), top, one)
        parts = []
        for i in range(3):
            up, down = numbers(is_top[i], spread), numbers(is_low[i], spread)
            d_spread = up - down
            d_saturation = d_spread / bright - up * spread / (bright * bright)
            d_hue = hue_slope(rgb, i, is_top, d_spread, safe)
            d_hue = apply(SELECT, grey, convert(0, spread.dtype), d_hue)
            parts.append(value * up + saturation * d_saturation + hue * d_hue)
        return (stack(parts, -1),)

    def expand(self, images: GraphTensor) -> Any:
        return changed(hsv_of, images)


def first_of(conditions: Sequence[TensorValue]) -> list[TensorValue]:
    """Each condition where none before it holds."""
    result: list[TensorValue] = []
    before: Any = None
    for condition in conditions:
        result.append(condition if before is None else condition & ~before)
        before = condition if before is None else before | condition
    return result


def numbers(condition: TensorValue, like: TensorValue) -> Any:
    """1 where a condition holds, else 0."""
    return cast(condition, like.dtype)


def hue_slope(
    rgb: Sequence[TensorValue],
    i: int,
    is_top: Sequence[TensorValue],
    d_spread: TensorValue,
    spread: TensorValue,
) -> Any:
    """The derivative of the hue by channel i, where the colour is not grey."""
    total: Any = 0
    for top in range(3):
        plus, minus = (top + 1) % 3, (top + 2) % 3
        sign = (1 if i == plus else 0) - (1 if i == minus else 0)
        difference = rgb[plus] - rgb[minus]
        slope = (sign - difference * d_spread / spread) / (6.0 * spread)
        total = total + numbers(is_top[top], spread) * slope
    return total


class HSVToRGB(Colours):
    """Red, green and blue of hue, saturation and value."""

    type_name = "HSVToRGB"
    gradient = not_differentiable
    batched = last_axes

    def kernel(self, images: Array) -> Any:
        images = self.checked(images)
        return pixels_of(rgb_channels(channels_of(images)), images.dtype)

    def expand(self, images: GraphTensor) -> Any:
        return changed(rgb_of, images)


def adjusted_rows(op: Op, each: Each) -> Any:
    """Images of rows, changed by one amount, or by an amount for each row."""
    if not each.stacked[1]:
        return last_axes_of_first(op, each)
    return apply(OF_ROWS[type(op)].of(), each.full(0), each.full(1))


class OfRows:
    """A change of images by an amount for each of the first axis."""

    #: How many axes of images an amount is the same for, counted from the end.
    amount_axes = 3

    def kernel(self, images: Array, amounts: Array) -> Any:
        shape = (len(amounts), *(1,) * (self.amount_axes + images.ndim - 4))
        whole: Any = super()
        return whole.kernel(images, np.reshape(amounts, shape))

    def expand(self, images: GraphTensor, amounts: GraphTensor) -> Any:
        shape = [-1, *(1,) * (self.amount_axes + images.shape.rank - 4)]
        whole: Any = super()
        return whole.expand(images, reshape(amounts, shape))


class Adjustment(Op):
    """A change of the hue, the saturation and the value of images; a run sees to the channels."""

    dtypes = {"T": frozenset({dt.float16, dt.float32})}
    many_passes = exact_passes = True
    batched = adjusted_rows
    gradient = undefined("colours are moved in HSV, of which no derivative leads back")

    def shapes(self, images: TensorType, amount: TensorType) -> Shapes:
        if images.rank is not None and images.rank < 3:
            raise ValueError(f"Shape must be at least rank 3 but is rank {images.rank}")
        return (images.dims,)

    @staticmethod
    def channels(images: Array) -> Channels:
        """Red, green and blue as float32; ValueError unless there are three channels."""
        if images.ndim < 3:
            raise ValueError(f"input must be at least 3-D, got shape{list(images.shape)}")
        if images.shape[-1] != 3:
            raise ValueError(f"input must have 3 channels but instead has {images.shape[-1]}")
        return channels_of(images.astype(np.float32))


class AdjustHue(Adjustment):
    """The hue moved around the circle, of which 1 is a whole turn.

    The least and the greatest value stay, also where they are below 0.
    """

    type_name = "AdjustHue"
    inputs = ("images: T", "delta: float32")
    outputs = ("output: T",)
    ranks = {"delta": 0}

    def kernel(self, images: Array, delta: Array) -> Any:
        red, green, blue = channels = self.channels(images)
        hue, _, value = hsv_channels(channels)
        least = np.minimum(np.minimum(red, green), blue)
        shares = hue_shares(np.mod(hue + np.float32(delta), np.float32(1)))
        red, green, blue = [least + (value - least) * share for share in shares]
        return pixels_of((red, green, blue), images.dtype)

    def expand(self, images: GraphTensor, delta: GraphTensor) -> Any:
        return changed_in_hue(lambda hue: floormod(hue + delta, 1.0), images)


class AdjustSaturation(Adjustment):
    """The saturation scaled, and kept in [0, 1]."""

    type_name = "AdjustSaturation"
    inputs = ("images: T", "scale: float32")
    outputs = ("output: T",)
    ranks = {"scale": 0}

    def kernel(self, images: Array, scale: Array) -> Any:
        hue, saturation, value = hsv_channels(self.channels(images))
        saturation = np.clip(saturation * np.float32(scale), np.float32(0), np.float32(1))
        return pixels_of(rgb_channels((hue, saturation, value)), images.dtype)

    def expand(self, images: GraphTensor, scale: GraphTensor) -> Any:
        return changed_in_hsv(lambda h, s, v: (h, within(s * scale, 0.0, 1.0), v), images)


class AdjustContrastv2(Op):
    """(x - mean) * factor + mean, with the mean of each channel of each image."""

    type_name = "AdjustContrastv2"
    many_passes = True
    inputs = ("images: T", "contrast_factor: float32")
    ranks = {"contrast_factor": 0}
    outputs = ("output: T",)
    dtypes = {"T": frozenset({dt.float16, dt.float32})}
    batched = adjusted_rows

    def shapes(self, images: TensorType, factor: TensorType) -> Shapes:
        if images.dims is not None and len(images.dims) < 3:
            raise ValueError(f"input must be at least 3-D, got shape{show_dims(images.dims)}")
        return (images.dims,)

    def kernel(self, images: Array, factor: Array) -> Any:
        wide = images.astype(np.float32)
        # Rows first: NumPy is slow where the last axis is short.
        rows = np.add.reduce(wide, axis=-3, keepdims=True)
        height, width = images.shape[-3:-1]
        mean = np.add.reduce(rows, axis=-2, keepdims=True) / np.float32(height * width)
        return ((wide - mean) * np.float32(factor) + mean).astype(images.dtype)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        images, factor = call.inputs
        scale = cast(factor, g.dtype)
        to_images = g * scale + (1.0 - scale) * reduce_mean(g, (-3, -2), keepdims=True)
        centred = images - reduce_mean(images, (-3, -2), keepdims=True)
        return to_images, cast(reduce_sum(g * centred), dt.float32)

    def expand(self, images: GraphTensor, factor: GraphTensor) -> Any:
        wide = widened(images)
        rank = wide.shape.rank
        mean = average(average(wide, [rank - 3], True), [rank - 2], True)  # long rows first
        return cast((wide - mean) * factor + mean, images.dtype)


class HueOfRows(OfRows, AdjustHue):
    """The hue of each row moved by an amount of its own."""

    type_name = "_AdjustHueOfRows"
    ranks = {"delta": 1}
    amount_axes = 2


class SaturationOfRows(OfRows, AdjustSaturation):
    """The saturation of each row scaled by a factor of its own."""

    type_name = "_AdjustSaturationOfRows"
    ranks = {"scale": 1}
    amount_axes = 2


class ContrastOfRows(OfRows, AdjustContrastv2):
    """The contrast of each row scaled by a factor of its own."""

    type_name = "_AdjustContrastOfRows"
    ranks = {"contrast_factor": 1}

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        images, factors = call.inputs
        rank = images.type.rank
        if rank is None:
            raise NotImplementedError("images of an unknown rank")
        scale = cast(reshape(factors, [-1, *(1,) * (rank - 1)]), g.dtype)
        to_images = g * scale + (1.0 - scale) * reduce_mean(g, (-3, -2), keepdims=True)
        centred = images - reduce_mean(images, (-3, -2), keepdims=True)
        return to_images, cast(reduce_sum(g * centred, tuple(range(1, rank))), dt.float32)


OF_ROWS: dict[type[Op], type[Op]] = {
    AdjustHue: HueOfRows,
    AdjustSaturation: SaturationOfRows,
    AdjustContrastv2: ContrastOfRows,
}

RGB_TO_HSV, HSV_TO_RGB = RGBToHSV(), HSVToRGB()

YIQ = (
    (0.299, 0.59590059, 0.2115),
    (0.587, -0.27455667, -0.52273617),
    (0.114, -0.32134392, 0.31119955),
)
RGB_OF_YIQ = (
    (1.0, 1.0, 1.0),
    (0.95598634, -0.27201283, -1.10674021),
    (0.6208248, -0.64720424, 1.70423049),
)
YUV = (
    (0.299, -0.14714119, 0.61497538),
    (0.587, -0.28886916, -0.51496512),
    (0.114, 0.43601035, -0.10001026),
)
RGB_OF_YUV = (
    (1.0, 1.0, 1.0),
    (0.0, -0.394642334, 2.03206185),
    (1.13988303, -0.58062185, 0.0),
)
GREY = (0.2989, 0.5870, 0.1140)


def rgb_to_hsv(images: TensorLike, name: str | None = None) -> Tensor:
    """Converts RGB colours to hue, saturation and value, each in [0, 1].

    Args:
        images: A tensor of floats of shape [..., 3], with red, green and blue in [0, 1].
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `images`.

    Raises:
        InvalidArgumentError: `images` is a scalar.
        FailedPreconditionError: `images` does not have 3 channels (`ValueError` while tracing).

    >>> import graphwright as tf
    >>> tf.image.rgb_to_hsv([[[0.0, 1.0, 0.0]]]).numpy().round(3).tolist()
    [[[0.3330000042915344, 1.0, 1.0]]]
    """
    return apply(RGB_TO_HSV, convert(images, None, dt.float32), name=name)


def hsv_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Converts colours of hue, saturation and value to RGB colours.

    Args:
        images: A tensor of floats of shape [..., 3], with hue, saturation and value in [0, 1].
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `images`.

    Raises:
        InvalidArgumentError: `images` is a scalar.
        FailedPreconditionError: `images` does not have 3 channels (`ValueError` while tracing).

    >>> import graphwright as tf
    >>> tf.image.hsv_to_rgb([[[0.0, 0.5, 1.0]]]).numpy().tolist()
    [[[1.0, 0.5, 0.5]]]
    """
    return apply(HSV_TO_RGB, convert(images, None, dt.float32), name=name)


def rgb_to_yiq(images: TensorLike) -> Tensor:
    """Converts RGB colours to luma and the two chroma values of NTSC.

    Args:
        images: A tensor of floats of shape [..., 3], with red, green and blue in [0, 1].

    Returns:
        A tensor of the shape and dtype of `images`, with the channels Y, I and Q.

    >>> import graphwright as tf
    >>> tf.image.rgb_to_yiq([[[1.0, 1.0, 1.0]]]).numpy().round(4).tolist()
    [[[1.0, 0.0, -0.0]]]
    """
    return recoloured(images, YIQ)


def yiq_to_rgb(images: TensorLike) -> Tensor:
    """Converts luma and the two chroma values of NTSC to RGB colours.

    Args:
        images: A tensor of floats of shape [..., 3], with the channels Y, I and Q.

    Returns:
        A tensor of the shape and dtype of `images`, with the channels red, green and blue.

    >>> import graphwright as tf
    >>> tf.image.yiq_to_rgb([[[0.5, 0.0, 0.0]]]).numpy().tolist()
    [[[0.5, 0.5, 0.5]]]
    """
    return recoloured(images, RGB_OF_YIQ)


def rgb_to_yuv(images: TensorLike) -> Tensor:
    """Converts RGB colours to luma and the two chroma values of PAL.

    Args:
        images: A tensor of floats of shape [..., 3], with red, green and blue in [0, 1].

    Returns:
        A tensor of the shape and dtype of `images`, with the channels Y, U and V.

    >>> import graphwright as tf
    >>> tf.image.rgb_to_yuv([[[0.0, 0.0, 1.0]]]).numpy().round(4).tolist()
    [[[0.11400000005960464, 0.4359999895095825, -0.10000000149011612]]]
    """
    return recoloured(images, YUV)


def yuv_to_rgb(images: TensorLike) -> Tensor:
    """Converts luma and the two chroma values of PAL to RGB colours.

    Args:
        images: A tensor of floats of shape [..., 3], with the channels Y, U and V.

    Returns:
        A tensor of the shape and dtype of `images`, with the channels red, green and blue.

    >>> import graphwright as tf
    >>> tf.image.yuv_to_rgb([[[0.5, 0.0, 0.0]]]).numpy().tolist()
    [[[0.5, 0.5, 0.5]]]
    """
    return recoloured(images, RGB_OF_YUV)


def recoloured(images: TensorLike, matrix: TensorLike) -> Any:
    """The values along the last axis times a matrix."""
    images = convert(images)
    return tensordot(images, convert(matrix, images.dtype), [[-1], [0]])


def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> Tensor:
    """Converts RGB colours to one channel, their luma.

    Args:
        images: A tensor of floats or integers of shape [..., 3].
        name: A name for the op.

    Returns:
        A tensor of shape [..., 1] of the dtype of `images`.

    >>> import graphwright as tf
    >>> tf.image.rgb_to_grayscale([[[1.0, 2.0, 3.0]]]).shape
    TensorShape([1, 1, 1])
    """
    images = convert(images)
    floats = convert_image_dtype(images, dt.float32)
    weights = convert(GREY, dt.float32)
    if images.type.rank is None:
        grey = reduce_sum(floats * weights, -1, keepdims=True)
    else:
        grey = expand_dims(tensordot(floats, weights, [[-1], [-1]]), -1)
    return convert_image_dtype(grey, images.dtype, name=name)


def grayscale_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Repeats one channel as red, green and blue.

    Args:
        images: A tensor of any dtype of shape [..., width, 1].
        name: A name for the op.

    Returns:
        A tensor of shape [..., 3] of the dtype of `images`.

    Raises:
        ValueError: `images` has fewer than 2 axes, or its last axis is not of size 1.

    >>> import graphwright as tf
    >>> tf.image.grayscale_to_rgb([[[7]]]).numpy().tolist()
    [[[7, 7, 7]]]
    """
    images = convert(images)
    dims = images.type.dims
    if dims is not None and len(dims) < 2:
        raise ValueError(
            f"A grayscale image (shape {images.shape}) must be at least two-dimensional."
        )
    if dims is not None and dims[-1] not in (1, None):
        raise ValueError("Last dimension of a grayscale image should be size 1.")
    colours = tile(images, only_at(-1, 3, 1, images), name=name)
    return colours if dims is None else ensure_shape(colours, [*dims[:-1], 3])


# -- adjustments ----------------------------------------------------------------------------


def adjust_brightness(image: TensorLike, delta: TensorLike) -> Tensor:
    """Adds a number to all pixels, on the scale where floats span [0, 1].

    Args:
        image: A tensor of floats or integers, of any shape.
        delta: A number or scalar, usually in [-1, 1].

    Returns:
        A tensor of the shape and dtype of `image`, saturated where that is an integer dtype.

    >>> import graphwright as tf
    >>> tf.image.adjust_brightness([[[0.25]]], 0.5).numpy().tolist()
    [[[0.75]]]
    """
    floats, original = as_float(image)
    adjusted = floats + cast(convert(delta), floats.dtype)
    return convert_image_dtype(adjusted, original, saturate=True)


def adjust_contrast(images: TensorLike, contrast_factor: TensorLike) -> Tensor:
    """Scales the distance of each pixel from the mean of its channel in its image.

    The result is `(x - mean) * contrast_factor + mean`.

    Args:
        images: A tensor of floats or integers of shape [..., height, width, channels].
        contrast_factor: A number or float32 scalar.

    Returns:
        A tensor of the shape and dtype of `images`, saturated where that is an integer dtype.

    Raises:
        InvalidArgumentError: `images` has fewer than 3 axes.

    >>> import graphwright as tf
    >>> tf.image.adjust_contrast([[[1.0], [3.0]]], 2.0).numpy().tolist()
    [[[0.0], [4.0]]]
    """
    floats, original = as_float(images)
    factor = convert(contrast_factor, None if is_tensor(contrast_factor) else dt.float32)
    adjusted = apply(AdjustContrastv2.of(), floats, factor)
    return convert_image_dtype(adjusted, original, saturate=True)


def adjust_gamma(image: TensorLike, gamma: TensorLike = 1, gain: TensorLike = 1) -> Tensor:
    """Applies the gamma curve `gain * x ** gamma`, with `x` on the scale where floats span [0, 1].

    Args:
        image: A tensor of floats or integers, of any shape.
        gamma: A number or scalar of at least 0.
        gain: A number or scalar.

    Returns:
        A tensor of the shape and dtype of `image`, saturated where that is an integer dtype.

    Raises:
        ValueError: `gamma` is a negative Python number.

    >>> import graphwright as tf
    >>> tf.image.adjust_gamma([[[0.5]]], 2).numpy().tolist()
    [[[0.25]]]
    """
    if isinstance(gamma, (int, float)) and gamma < 0:
        raise ValueError("Gamma should be a non-negative real number.")
    floats, original = as_float(image)
    adjusted = gain * pow(floats, cast(convert(gamma), floats.dtype))
    return convert_image_dtype(adjusted, original, saturate=True)


def adjust_hue(image: TensorLike, delta: TensorLike, name: str | None = None) -> Tensor:
    """Turns the hue of RGB images on the colour circle, of which 1 is a whole turn.

    Args:
        image: A tensor of floats or integers of shape [..., height, width, 3].
        delta: A number or float32 scalar in [-1, 1].
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: `delta` is a Python number outside [-1, 1].
        InvalidArgumentError: `image` has fewer than 3 axes, or no 3 channels.

    >>> import graphwright as tf
    >>> tf.image.adjust_hue([[[1.0, 0.0, 0.0]]], 0.5).numpy().tolist()
    [[[0.0, 1.0, 1.0]]]
    """
    if isinstance(delta, (int, float)) and not -1 <= delta <= 1:
        raise ValueError(f"delta must be in the interval [-1, 1], got {delta}")
    floats, original = as_float(image)
    moved = apply(AdjustHue.of(), floats, convert(delta, dt.float32), name=name)
    return convert_image_dtype(moved, original)


def adjust_saturation(
    image: TensorLike, saturation_factor: TensorLike, name: str | None = None
) -> Tensor:
    """Scales the saturation of RGB images, which stays in [0, 1].

    Args:
        image: A tensor of floats or integers of shape [..., height, width, 3].
        saturation_factor: A number or float32 scalar.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        InvalidArgumentError: `image` has fewer than 3 axes, or no 3 channels.

    >>> import graphwright as tf
    >>> tf.image.adjust_saturation([[[1.0, 0.5, 0.5]]], 2.0).numpy().tolist()
    [[[1.0, 0.0, 0.0]]]
    """
    floats, original = as_float(image)
    scaled = apply(AdjustSaturation.of(), floats, convert(saturation_factor, dt.float32), name=name)
    return convert_image_dtype(scaled, original)


def per_image_standardization(image: TensorLike) -> Tensor:
    """Scales each image to the mean 0 and the standard deviation 1.

    The divisor is at least 1 over the square root of the number of values, also for even images.

    Args:
        image: A tensor of numbers of shape [..., height, width, channels].

    Returns:
        A tensor of float32 of the shape of `image`.

    Raises:
        ValueError: `image` has fewer than 3 axes, or no pixels.

    >>> import graphwright as tf
    >>> tf.image.per_image_standardization([[[1.0], [3.0]]]).numpy().tolist()
    [[[-1.0], [1.0]]]
    """
    floats = cast(convert(image), dt.float32)
    check_pixels(floats)
    least = rsqrt(cast(reduce_prod(shape(floats)[-3:]), floats.dtype))
    axes = (-1, -2, -3)
    centred = floats - reduce_mean(floats, axes, keepdims=True)
    return centred / maximum(reduce_std(floats, axes, keepdims=True), least)
