"""Images flipped, turned, cropped and padded: [height, width, channels], or a batch of such."""

from __future__ import annotations

from typing import Any

from graphwright.op.interpreter import convert, is_tensor
from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import axis_sizes, gather, host_vector, spans
from graphwright.ops.core.identity import ensure_shape
from graphwright.ops.core.movement import transpose as transposed
from graphwright.ops.core.padding import pad
from graphwright.ops.core.reversal import reverse
from graphwright.ops.core.sequences import range as arange
from graphwright.ops.core.shapes import rank_of
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ops.core.slicing import slice as slice_of
from graphwright.ops.core.static import NUMPY, PYTHON, check_whole, known_int, static_value
from graphwright.ops.image.images import check_pixels, check_rank, images_of
from graphwright.ops.math.arithmetic import maximum, minimum
from graphwright.ops.math.comparison import equal, greater_equal, logical_or, select
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Length, Tensor, TensorLike, TensorValue


def flip_left_right(image: TensorLike) -> Tensor:
    """Mirrors images along their width.

    Args:
        image: A tensor of shape [height, width, channels] or [batch, height, width, channels].

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: `image` has neither 3 nor 4 axes, or no pixels.

    >>> import graphwright as tf
    >>> tf.image.flip_left_right([[[1], [2]]]).numpy().tolist()
    [[[2], [1]]]
    """
    return flipped(image, -2)


def flip_up_down(image: TensorLike) -> Tensor:
    """Mirrors images along their height.

    Args:
        image: A tensor of shape [height, width, channels] or [batch, height, width, channels].

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: `image` has neither 3 nor 4 axes, or no pixels.

    >>> import graphwright as tf
    >>> tf.image.flip_up_down([[[1]], [[2]]]).numpy().tolist()
    [[[2]], [[1]]]
    """
    return flipped(image, -3)


def flipped(image: TensorLike, axis: int) -> Any:
    """The images reversed along an axis counted from the last."""
    image = convert(image)
    check_rank(image)
    check_pixels(image)
    rank = image.type.rank
    return reverse(image, [axis if rank is None else axis + rank])


def transpose(image: TensorLike, name: str | None = None) -> Tensor:
    """Exchanges the height and the width of images.

    Args:
        image: A tensor of shape [height, width, channels] or [batch, height, width, channels].
        name: A name for the op.

    Returns:
        A tensor of shape [..., width, height, channels] of the dtype of `image`.

    Raises:
        ValueError: `image` has neither 3 nor 4 axes, or no pixels.

    >>> import graphwright as tf
    >>> tf.image.transpose([[[1], [2]], [[3], [4]]])[..., 0].numpy().tolist()
    [[1, 3], [2, 4]]
    """
    image = convert(image)
    check_rank(image)
    check_pixels(image)
    first = rank_of(image) - 3
    order = spans((0, first), (first + 1, first + 2), (first, first + 1), (first + 2, first + 3))
    return transposed(image, order, name=name)


def rot90(image: TensorLike, k: TensorLike = 1, name: str | None = None) -> Tensor:
    """Turns images counter-clockwise by multiples of 90 degrees.

    Args:
        image: A tensor of shape [height, width, channels] or [batch, height, width, channels].
        k: An int or scalar of integers: the number of quarter turns.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `image`, with height and width exchanged where `k` is odd.

    Raises:
        ValueError: `image` has neither 3 nor 4 axes, or no pixels.

    >>> import graphwright as tf
    >>> tf.image.rot90([[[1], [2]], [[3], [4]]])[..., 0].numpy().tolist()
    [[2, 4], [1, 3]]
    """
    image = convert(image)
    check_rank(image)
    check_pixels(image)
    check_whole(k, "k", cut=(PYTHON, NUMPY), error=ValueError)
    turns = known_int(k)
    if is_tensor(turns):
        return turned(image, turns % 4)
    if not isinstance(turns, int) and not hasattr(turns, "dtype"):
        raise TypeError(f"`k` must be an integer, got {k!r}")
    turns = int(turns) % 4
    if turns == 0:
        return image
    if turns == 1:
        return flip_up_down(transpose(image))
    if turns == 2:
        return flip_up_down(flip_left_right(image))
    return transpose(flip_up_down(image))


def turned(image: TensorValue, turns: TensorValue) -> Any:
    """The images after some quarter turns, 0 to 3, whose number only a run tells."""
    first = rank_of(image) - 3
    odd = cast(turns % 2, first.dtype) if is_tensor(first) else turns % 2
    high, wide = first + odd, first + 1 - odd
    order = spans((0, first), (high, high + 1), (wide, wide + 1), (first + 2, first + 3))
    image = transposed(image, order)
    upside_down = logical_or(equal(turns, 1), equal(turns, 2))
    for axis, mirrored in ((-3, upside_down), (-2, greater_equal(turns, 2))):
        size = shape_of(image)[axis]
        places = arange(size)
        image = gather(image, select(mirrored, size - 1 - places, places), axis=axis)
    return image


def crop_to_bounding_box(
    image: TensorLike,
    offset_height: TensorLike,
    offset_width: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
) -> Tensor:
    """Cuts a part of a given height and width out of images.

    Args:
        image: A tensor of shape [height, width, channels] or [batch, height, width, channels].
        offset_height: An int or int32 scalar of at least 0: the first row of the part.
        offset_width: An int or int32 scalar of at least 0: the first column of the part.
        target_height: A positive int or int32 scalar.
        target_width: A positive int or int32 scalar.

    Returns:
        A tensor of shape [..., target_height, target_width, channels] of the dtype of `image`.

    Raises:
        ValueError: The part is not within the image, or one of them is empty.

    >>> import graphwright as tf
    >>> tf.image.crop_to_bounding_box(tf.ones([4, 5, 1]), 1, 2, 2, 3).shape
    TensorShape([2, 3, 1])
    """
    images, restore = images_of(image)
    check_pixels(images)
    height, width = images.type.dims[1:3]
    top, left = known_int(offset_height), known_int(offset_width)
    tall, wide = known_int(target_height), known_int(target_width)
    check(at_least(left, 0), "offset_width must be >= 0.")
    check(at_least(top, 0), "offset_height must be >= 0.")
    check(at_least(wide, 1), "target_width must be > 0.")
    check(at_least(tall, 1), "target_height must be > 0.")
    check(fits_in(width, wide, left), "width must be >= target + offset.")
    check(fits_in(height, tall, top), "height must be >= target + offset.")
    return restore(slice_of(images, [0, top, left, 0], [-1, tall, wide, -1]))


def check(holds: bool, message: str) -> None:
    """ValueError unless it holds."""
    if not holds:
        raise ValueError(message)


def at_least(value: Length, least: int) -> bool:
    """Whether a number is not known to be less."""
    return not isinstance(value, int) or value >= least


def fits_in(size: int | None, target: Length, offset: Length) -> bool:
    """Whether a part is not known to stick out."""
    if isinstance(size, int) and isinstance(target, int) and isinstance(offset, int):
        return size >= target + offset
    return True


def pad_to_bounding_box(
    image: TensorLike,
    offset_height: TensorLike,
    offset_width: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
) -> Tensor:
    """Puts images at an offset into an area of zeros.

    Args:
        image: A tensor of shape [height, width, channels] or [batch, height, width, channels].
        offset_height: An int or int32 scalar of at least 0: the rows of zeros above the image.
        offset_width: An int or int32 scalar of at least 0: the columns of zeros before the image.
        target_height: An int or int32 scalar: the height of the area.
        target_width: An int or int32 scalar: the width of the area.

    Returns:
        A tensor of shape [..., target_height, target_width, channels] of the dtype of `image`.

    Raises:
        ValueError: The image is empty, or does not fit into the area at that offset.

    >>> import graphwright as tf
    >>> tf.image.pad_to_bounding_box(tf.ones([1, 1, 1]), 0, 1, 2, 3)[..., 0].numpy().tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    images, restore = images_of(image)
    check_pixels(images)
    height, width = axis_sizes(images)[1:3]
    places = [offset_height, offset_width, target_height, target_width]
    names = ("offset_height", "offset_width", "target_height", "target_width")
    for place, argument in zip(places, names):
        check_whole(place, argument)
    top, left, tall, wide = map(known_int, places)
    right, bottom = wide - left - width, tall - top - height
    check(at_least(top, 0), "offset_height must be >= 0.")
    check(at_least(left, 0), "offset_width must be >= 0.")
    check(at_least(right, 0), "width must be <= target - offset.")
    check(at_least(bottom, 0), "height must be <= target - offset.")
    border = [[0, 0], [top, bottom], [left, right], [0, 0]]
    return restore(of_size(pad(images, border), images, tall, wide))


def resize_with_crop_or_pad(
    image: TensorLike, target_height: TensorLike, target_width: TensorLike
) -> Tensor:
    """Crops the middle of images or pads them with zeros, to a given height and width.

    Args:
        image: A tensor of shape [height, width, channels] or [batch, height, width, channels].
        target_height: A positive int or int32 scalar.
        target_width: A positive int or int32 scalar.

    Returns:
        A tensor of shape [..., target_height, target_width, channels] of the dtype of `image`.

    Raises:
        ValueError: A target is not positive, or `image` is empty.

    >>> import graphwright as tf
    >>> tf.image.resize_with_crop_or_pad(tf.ones([4, 2, 1]), 2, 4).shape
    TensorShape([2, 4, 1])
    """
    images, restore = images_of(image)
    check_pixels(images)
    tall, wide = known_int(target_height), known_int(target_width)
    check(at_least(wide, 1), "target_width must be > 0.")
    check(at_least(tall, 1), "target_height must be > 0.")
    height, width = axis_sizes(images)[1:3]
    less_height, less_width = height - tall, width - wide
    top, left = greatest(less_height // 2, 0), greatest(less_width // 2, 0)
    cropped = crop_to_bounding_box(images, top, left, least(height, tall), least(width, wide))
    top, left = greatest(-less_height // 2, 0), greatest(-less_width // 2, 0)
    return restore(pad_to_bounding_box(cropped, top, left, tall, wide))


def of_size(result: TensorValue, images: TensorValue, height: Length, width: Length) -> Any:
    """A result with the static shape of images of another height and width."""
    batch, *_, channels = images.type.dims or (None,) * 4
    sides = [side if isinstance(side, int) else None for side in (height, width)]
    return ensure_shape(result, [batch, *sides, channels])


def greatest(x: Length, y: int) -> Any:
    """The greater of two ints or tensors."""
    return max(x, y) if isinstance(x, int) else maximum(x, y)


def least(x: Length, y: Length) -> Any:
    """The lesser of two ints or tensors."""
    return min(x, y) if isinstance(x, int) and isinstance(y, int) else minimum(x, y)


def central_crop(image: TensorLike, central_fraction: TensorLike) -> Tensor:
    """Cuts out the middle of images, a fraction of their height and of their width.

    Args:
        image: A tensor of shape [height, width, channels] or [batch, height, width, channels].
        central_fraction: A number or scalar in (0, 1].

    Returns:
        A tensor of the rank and dtype of `image`.

    Raises:
        ValueError: `central_fraction` is known and outside (0, 1], or `image` is empty.

    >>> import graphwright as tf
    >>> tf.image.central_crop(tf.ones([4, 6, 1]), 0.5).shape
    TensorShape([2, 4, 1])
    """
    image = convert(image)
    fraction = static_value(central_fraction)
    if fraction is None:
        fraction = cast(central_fraction, dt.float64)
    else:
        fraction = float(fraction)
        check(0.0 < fraction <= 1.0, "central_fraction must be within (0, 1]")
        if fraction == 1.0:
            return image
    check_pixels(image)
    images, restore = images_of(image)
    height, width = axis_sizes(images)[1:3]
    top, left = margin(height, fraction), margin(width, fraction)
    size = host_vector([-1, height - 2 * top, width - 2 * left, -1])
    return restore(slice_of(images, host_vector([0, top, left, 0]), size))


def margin(size: Length, fraction: float | TensorValue) -> Any:
    """What is left out on one side for the fraction in the middle to remain."""
    if isinstance(size, int) and isinstance(fraction, float):
        return int((size - size * fraction) / 2)
    wide = cast(convert(size), dt.float64)
    return cast((wide - wide * fraction) / 2, dt.int32)
