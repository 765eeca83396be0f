"""Images changed at random: by numbers drawn from a stream, or from a seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.interpreter import convert
from graphwright.op.late_imports import late_module
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import reshape
from graphwright.ops.core.shapes import rank, shape
from graphwright.ops.core.slicing import slice as slice_of
from graphwright.ops.image.color import (
    adjust_brightness,
    adjust_contrast,
    adjust_hue,
    adjust_saturation,
)
from graphwright.ops.image.cropping import flip_left_right, flip_up_down
from graphwright.ops.image.image_files import adjust_jpeg_quality
from graphwright.ops.math.arithmetic import floormod
from graphwright.ops.math.comparison import equal, less, select
from graphwright.ops.math.rounding import round
from graphwright.ops.random.stateful_random import uniform
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike, TensorValue
from graphwright.types.tensor_type import Dims

#: Draws uniform numbers: shape, least, limit, and their dtype (float32).
Draw: TypeAlias = Callable[..., Any]


def stream(seed: int | None) -> Draw:
    """Draws from a stream of its own."""
    return lambda dims, low, high, kind=dt.float32: uniform(dims, low, high, kind, seed)


def position(seed: TensorLike) -> Draw:
    """Draws what the seed says."""
    start: Any = seed  # None is refused where it is converted
    draws: Any = late_module("graphwright.ops.random.stateless_random")
    return lambda dims, low, high, kind=dt.float32: draws.stateless_uniform(
        dims, start, low, high, kind
    )


# -- changes of images, from given numbers --------------------------------------------------


def brightened(image: TensorLike, max_delta: float, draw: Draw) -> Any:
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_brightness(image, draw([], -max_delta, max_delta))


def contrasted(image: TensorLike, lower: float, upper: float, draw: Draw) -> Any:
    check_factors(lower, upper)
    return adjust_contrast(image, draw([], lower, upper))


def check_factors(lower: float, upper: float) -> None:
    """The bounds of a factor: not negative, the lower one first."""
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")


def hued(image: TensorLike, max_delta: float, draw: Draw) -> Any:
    if max_delta > 0.5:
        raise ValueError("max_delta must be <= 0.5.")
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_hue(image, draw([], -max_delta, max_delta))


def saturated(image: TensorLike, lower: float, upper: float, draw: Draw) -> Any:
    check_factors(lower, upper)
    return adjust_saturation(image, draw([], lower, upper))


def compressed(image: TensorLike, least: int, limit: int, draw: Draw) -> Any:
    if least < 0 or limit < 0 or least > 100 or limit > 100:
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if least >= limit:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")
    return adjust_jpeg_quality(image, draw([], least, limit, dt.int32))


def mirrored(image: TensorLike, mirror: Callable[[TensorValue], TensorValue], draw: Draw) -> Any:
    """Each image mirrored or not."""
    image = convert(image)
    leading = shape(image)[:-3]
    if image.type.rank == 3:  # the mirror behind the draw is computed with what follows
        return select(less(draw(leading, 0, 1.0), 0.5), mirror(image), image)
    flipped = mirror(image)  # says what is no image
    numbers = draw(leading, 0, 1.0)
    chosen = select(equal(rank(image), 3), less(numbers, 0.5), equal(round(numbers), 1.0))
    return select(reshape(chosen, concat([leading, [1, 1, 1]], 0)), flipped, image)


def cropped(value: TensorLike, size: TensorLike, draw: Draw, name: str | None) -> Any:
    """A part of that size from a place that is drawn; refused where the size is too great."""
    value, size = convert(value), convert(size, hint=dt.int32)
    known, dims = size.known, value.type.dims
    if dims is not None and isinstance(known, tuple) and not fits(known, dims):
        message = f"Need value.shape >= size, got {dims} and {known}"
        raise InvalidArgumentError(None, None, message)
    have = shape(value, size.dtype)
    limit = have - size + 1
    offset = floormod(draw(shape(have), 0, size.dtype.max, size.dtype), limit)
    return slice_of(value, offset, size, name=name)


def fits(size: Dims, dims: Dims) -> bool:
    """Whether a part of that size can be in a tensor of these dimensions."""
    known = all(n is None or d is None or n <= d for n, d in zip(size, dims))
    return len(size) == len(dims) and known


# -- the public functions -------------------------------------------------------------------


def random_brightness(image: TensorLike, max_delta: float, seed: int | None = None) -> Tensor:
    """Adds a random number to all pixels, on the scale where floats span [0, 1].

    Args:
        image: A tensor of floats or integers, of any shape.
        max_delta: A number of at least 0: the bound of the draw from [-max_delta, max_delta).
        seed: An int, or None for one that `tf.random.set_seed` determines.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: `max_delta` is negative.

    >>> import graphwright as tf
    >>> image = tf.fill([1, 2, 1], 0.5)
    >>> tf.image.random_brightness(image, 0.2, seed=1).shape
    TensorShape([1, 2, 1])
    """
    return brightened(image, max_delta, stream(seed))


def stateless_random_brightness(image: TensorLike, max_delta: float, seed: TensorLike) -> Tensor:
    """Adds a number drawn from a seed to all pixels, on the scale where floats span [0, 1].

    Args:
        image: A tensor of floats or integers, of any shape.
        max_delta: A number of at least 0: the bound of the draw from [-max_delta, max_delta).
        seed: A tensor of int32 or int64 of shape [2].

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: `max_delta` is negative.

    >>> import graphwright as tf
    >>> image = tf.fill([1, 2, 1], 0.5)
    >>> tf.image.stateless_random_brightness(image, 0.2, seed=[1, 2]).numpy().tolist()
    [[[0.6376241445541382], [0.6376241445541382]]]
    """
    return brightened(image, max_delta, position(seed))


def random_contrast(
    image: TensorLike, lower: float, upper: float, seed: int | None = None
) -> Tensor:
    """Scales the contrast by a random factor, as `tf.image.adjust_contrast` does.

    Args:
        image: A tensor of floats or integers of shape [..., height, width, channels].
        lower: The least factor, a number of at least 0.
        upper: The bound of the factor, above `lower`.
        seed: An int, or None for one that `tf.random.set_seed` determines.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: `lower` is negative, or `upper` is not above it.

    >>> import graphwright as tf
    >>> image = tf.constant([[[0.25], [0.75]]])
    >>> tf.image.random_contrast(image, 0.5, 1.5, seed=1).shape
    TensorShape([1, 2, 1])
    """
    return contrasted(image, lower, upper, stream(seed))


def stateless_random_contrast(
    image: TensorLike, lower: float, upper: float, seed: TensorLike
) -> Tensor:
    """Scales the contrast by a factor drawn from a seed, as `tf.image.adjust_contrast` does.

    Args:
        image: A tensor of floats or integers of shape [..., height, width, channels].
        lower: The least factor, a number of at least 0.
        upper: The bound of the factor, above `lower`.
        seed: A tensor of int32 or int64 of shape [2].

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: `lower` is negative, or `upper` is not above it.

    >>> import graphwright as tf
    >>> image = tf.constant([[[0.25], [0.75]]])
    >>> tf.image.stateless_random_contrast(image, 0.5, 1.5, seed=[1, 2]).numpy().tolist()
    [[[0.16398489475250244], [0.8360151052474976]]]
    """
    return contrasted(image, lower, upper, position(seed))


def random_hue(image: TensorLike, max_delta: float, seed: int | None = None) -> Tensor:
    """Turns the hue by a random part of the colour circle.

    Args:
        image: A tensor of floats or integers of shape [..., 3].
        max_delta: A number in [0, 0.5]: the bound of the draw from [-max_delta, max_delta).
        seed: An int, or None for one that `tf.random.set_seed` determines.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: `max_delta` is outside [0, 0.5].

    >>> import graphwright as tf
    >>> image = tf.constant([[[1.0, 0.5, 0.0]]])
    >>> tf.image.random_hue(image, 0.25, seed=1).shape
    TensorShape([1, 1, 3])
    """
    return hued(image, max_delta, stream(seed))


def stateless_random_hue(image: TensorLike, max_delta: float, seed: TensorLike) -> Tensor:
    """Turns the hue by a part of the colour circle drawn from a seed.

    Args:
        image: A tensor of floats or integers of shape [..., 3].
        max_delta: A number in [0, 0.5]: the bound of the draw from [-max_delta, max_delta).
        seed: A tensor of int32 or int64 of shape [2].

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: `max_delta` is outside [0, 0.5].

    >>> import graphwright as tf
    >>> image = tf.constant([[[1.0, 0.5, 0.0]]])
    >>> tf.image.stateless_random_hue(image, 0.25, seed=[1, 2]).numpy().tolist()
    [[[0.4678187370300293, 1.0, 0.0]]]
    """
    return hued(image, max_delta, position(seed))


def random_saturation(
    image: TensorLike, lower: float, upper: float, seed: int | None = None
) -> Tensor:
    """Scales the saturation by a random factor.

    Args:
        image: A tensor of floats or integers of shape [..., 3].
        lower: The least factor, a number of at least 0.
        upper: The bound of the factor, above `lower`.
        seed: An int, or None for one that `tf.random.set_seed` determines.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: `lower` is negative, or `upper` is not above it.

    >>> import graphwright as tf
    >>> image = tf.constant([[[1.0, 0.5, 0.5]]])
    >>> tf.image.random_saturation(image, 0.5, 1.5, seed=1).shape
    TensorShape([1, 1, 3])
    """
    return saturated(image, lower, upper, stream(seed))


def stateless_random_saturation(
    image: TensorLike, lower: float, upper: float, seed: TensorLike | None = None
) -> Tensor:
    """Scales the saturation by a factor drawn from a seed.

    Args:
        image: A tensor of floats or integers of shape [..., 3].
        lower: The least factor, a number of at least 0.
        upper: The bound of the factor, above `lower`.
        seed: A tensor of int32 or int64 of shape [2], which is required.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: `lower` is negative, or `upper` is not above it.

    >>> import graphwright as tf
    >>> image = tf.constant([[[1.0, 0.5, 0.5]]])
    >>> tf.image.stateless_random_saturation(image, 0.5, 1.5, seed=[1, 2]).numpy().tolist()
    [[[1.0, 0.3279697895050049, 0.3279697895050049]]]
    """
    required: Any = seed
    return saturated(image, lower, upper, position(required))


def random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: int | None = None
) -> Tensor:
    """Encodes an image as a JPEG file of a random quality and decodes it again.

    It needs Pillow (the extra `image`).

    Args:
        image: A tensor of floats in [0, 1] or of integers, of shape [height, width, 1 or 3].
        min_jpeg_quality: The least quality, an int in [0, 100].
        max_jpeg_quality: The bound of the quality, above `min_jpeg_quality` and up to 100.
        seed: An int, or None for one that `tf.random.set_seed` determines.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: The bounds of the quality are not valid.

    >>> import graphwright as tf
    >>> image = tf.zeros([1, 2, 1])
    >>> tf.image.random_jpeg_quality(image, 50, 90, seed=1).shape
    TensorShape([1, 2, 1])
    """
    return compressed(image, min_jpeg_quality, max_jpeg_quality, stream(seed))


def stateless_random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: TensorLike
) -> Tensor:
    """Encodes an image as a JPEG file of a quality drawn from a seed and decodes it again.

    It needs Pillow (the extra `image`).

    Args:
        image: A tensor of floats in [0, 1] or of integers, of shape [height, width, 1 or 3].
        min_jpeg_quality: The least quality, an int in [0, 100].
        max_jpeg_quality: The bound of the quality, above `min_jpeg_quality` and up to 100.
        seed: A tensor of int32 or int64 of shape [2].

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: The bounds of the quality are not valid.

    >>> import graphwright as tf
    >>> image = tf.zeros([1, 2, 1])
    >>> tf.image.stateless_random_jpeg_quality(image, 50, 90, seed=[1, 2]).numpy().tolist()
    [[[0.003921568859368563], [0.003921568859368563]]]
    """
    return compressed(image, min_jpeg_quality, max_jpeg_quality, position(seed))


def random_flip_left_right(image: TensorLike, seed: int | None = None) -> Tensor:
    """Mirrors each image along its width with probability 1/2.

    Args:
        image: A tensor of shape [height, width, channels] or [batch, height, width, channels].
        seed: An int, or None for one that `tf.random.set_seed` determines.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: `image` has neither 3 nor 4 axes.

    >>> import graphwright as tf
    >>> image = tf.constant([[[1], [2]]])
    >>> tf.image.random_flip_left_right(image, seed=1).shape
    TensorShape([1, 2, 1])
    """
    return mirrored(image, flip_left_right, stream(seed))


def stateless_random_flip_left_right(image: TensorLike, seed: TensorLike) -> Tensor:
    """Mirrors each image along its width with probability 1/2, as a seed determines.

    Args:
        image: A tensor of shape [height, width, channels] or [batch, height, width, channels].
        seed: A tensor of int32 or int64 of shape [2].

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: `image` has neither 3 nor 4 axes.

    >>> import graphwright as tf
    >>> image = tf.constant([[[1], [2]]])
    >>> tf.image.stateless_random_flip_left_right(image, seed=[1, 2]).numpy().tolist()
    [[[1], [2]]]
    """
    return mirrored(image, flip_left_right, position(seed))


def random_flip_up_down(image: TensorLike, seed: int | None = None) -> Tensor:
    """Mirrors each image along its height with probability 1/2.

    Args:
        image: A tensor of shape [height, width, channels] or [batch, height, width, channels].
        seed: An int, or None for one that `tf.random.set_seed` determines.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: `image` has neither 3 nor 4 axes.

    >>> import graphwright as tf
    >>> image = tf.constant([[[1]], [[2]]])
    >>> tf.image.random_flip_up_down(image, seed=1).shape
    TensorShape([2, 1, 1])
    """
    return mirrored(image, flip_up_down, stream(seed))


def stateless_random_flip_up_down(image: TensorLike, seed: TensorLike) -> Tensor:
    """Mirrors each image along its height with probability 1/2, as a seed determines.

    Args:
        image: A tensor of shape [height, width, channels] or [batch, height, width, channels].
        seed: A tensor of int32 or int64 of shape [2].

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: `image` has neither 3 nor 4 axes.

    >>> import graphwright as tf
    >>> image = tf.constant([[[1]], [[2]]])
    >>> tf.image.stateless_random_flip_up_down(image, seed=[1, 2]).numpy().tolist()
    [[[1]], [[2]]]
    """
    return mirrored(image, flip_up_down, position(seed))


def random_crop(
    value: TensorLike, size: TensorLike, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Cuts a part of a given size out of a tensor, from a random place.

    Args:
        value: A tensor of any dtype and shape.
        size: The shape of the part, as ints or an int32 or int64 tensor of shape [rank].
        seed: An int, or None for one that `tf.random.set_seed` determines.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `value` and of shape `size`.

    Raises:
        InvalidArgumentError: `size` does not fit into the shape of `value`.

    >>> import graphwright as tf
    >>> tf.image.random_crop([1, 2, 3, 4], [2], seed=1).shape
    TensorShape([2])
    """
    return cropped(value, size, stream(seed), name)


def stateless_random_crop(
    value: TensorLike, size: TensorLike, seed: TensorLike, name: str | None = None
) -> Tensor:
    """Cuts a part of a given size out of a tensor, from a random place that a seed determines.

    Args:
        value: A tensor of any dtype and shape.
        size: The shape of the part, as ints or an int32 or int64 tensor of shape [rank].
        seed: A tensor of int32 or int64 of shape [2].
        name: A name for the op.

    Returns:
        A tensor of the dtype of `value` and of shape `size`.

    Raises:
        InvalidArgumentError: `size` does not fit into the shape of `value`.

    >>> tf.image.stateless_random_crop([1, 2, 3, 4], [2], seed=[1, 2]).numpy().tolist()
    [2, 3]
    """
    return cropped(value, size, position(seed), name)
