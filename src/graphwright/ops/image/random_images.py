"""Images changed at random: by ops that draw from a stream, or from a seed that they are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.interpreter import convert
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
from graphwright.ops.random.stateless_random import stateless_uniform
from graphwright.types import dtypes as dt

#: Draws uniform numbers: shape, least, limit, and their dtype (float32).
Draw = Callable[..., Any]


def stream(seed: Any) -> Draw:
    """Draws from a stream of its own."""
    return lambda dims, low, high, kind=dt.float32: uniform(dims, low, high, kind, seed)


def position(seed: Any) -> Draw:
    """Draws what the seed says."""
    return lambda dims, low, high, kind=dt.float32: stateless_uniform(dims, seed, low, high, kind)


# -- what is done, whoever draws ------------------------------------------------------------


def brightened(image: Any, max_delta: float, draw: Draw) -> Any:
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_brightness(image, draw([], -max_delta, max_delta))


def contrasted(image: Any, lower: float, upper: float, draw: Draw) -> Any:
    check_factors(lower, upper)
    return adjust_contrast(image, draw([], lower, upper))


def check_factors(lower: float, upper: float) -> None:
    """The bounds of a factor: not negative, the lower one first."""
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")


def hued(image: Any, max_delta: float, draw: Draw) -> Any:
    if max_delta > 0.5:
        raise ValueError("max_delta must be <= 0.5.")
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_hue(image, draw([], -max_delta, max_delta))


def saturated(image: Any, lower: float, upper: float, draw: Draw) -> Any:
    check_factors(lower, upper)
    return adjust_saturation(image, draw([], lower, upper))


def compressed(image: Any, least: Any, limit: Any, draw: Draw) -> Any:
    if least < 0 or limit < 0 or least > 100 or limit > 100:
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if least >= limit:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")
    return adjust_jpeg_quality(image, draw([], least, limit, dt.int32))


def mirrored(image: Any, mirror: Callable[[Any], Any], draw: Draw) -> Any:
    """Each image mirrored or not."""
    image = convert(image)
    flipped = mirror(image)  # says what is no image
    leading = shape(image)[:-3]
    numbers = draw(leading, 0, 1.0)
    chosen = select(equal(rank(image), 3), less(numbers, 0.5), equal(round(numbers), 1.0))
    return select(reshape(chosen, concat([leading, [1, 1, 1]], 0)), flipped, image)


def cropped(value: Any, size: Any, draw: Draw, name: str | None) -> Any:
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


def fits(size: tuple[Any, ...], dims: tuple[int | None, ...]) -> bool:
    """Whether a part of that size can be in a tensor of these dimensions."""
    known = all(n is None or d is None or n <= d for n, d in zip(size, dims))
    return len(size) == len(dims) and known


# -- the public functions -------------------------------------------------------------------


def random_brightness(image: Any, max_delta: float, seed: int | None = None) -> Any:
    """The image brighter by a number in [-max_delta, max_delta)."""
    return brightened(image, max_delta, stream(seed))


def stateless_random_brightness(image: Any, max_delta: float, seed: Any) -> Any:
    """The image brighter by a number in [-max_delta, max_delta) that the seed determines."""
    return brightened(image, max_delta, position(seed))


def random_contrast(image: Any, lower: float, upper: float, seed: int | None = None) -> Any:
    """The image with its contrast multiplied by a number in [lower, upper)."""
    return contrasted(image, lower, upper, stream(seed))


def stateless_random_contrast(image: Any, lower: float, upper: float, seed: Any) -> Any:
    """The image's contrast multiplied by a number in [lower, upper) that the seed determines."""
    return contrasted(image, lower, upper, position(seed))


def random_hue(image: Any, max_delta: float, seed: int | None = None) -> Any:
    """The image with its hue turned by a number in [-max_delta, max_delta), at most 0.5."""
    return hued(image, max_delta, stream(seed))


def stateless_random_hue(image: Any, max_delta: float, seed: Any) -> Any:
    """The image's hue turned by a number in [-max_delta, max_delta) that the seed determines."""
    return hued(image, max_delta, position(seed))


def random_saturation(image: Any, lower: float, upper: float, seed: int | None = None) -> Any:
    """The image with its saturation multiplied by a number in [lower, upper)."""
    return saturated(image, lower, upper, stream(seed))


def stateless_random_saturation(image: Any, lower: float, upper: float, seed: Any = None) -> Any:
    """The image's saturation multiplied by a number in [lower, upper) that the seed determines."""
    return saturated(image, lower, upper, position(seed))


def random_jpeg_quality(
    image: Any, min_jpeg_quality: int, max_jpeg_quality: int, seed: int | None = None
) -> Any:
    """What the image becomes by being written as a JPEG file of some quality and read."""
    return compressed(image, min_jpeg_quality, max_jpeg_quality, stream(seed))


def stateless_random_jpeg_quality(
    image: Any, min_jpeg_quality: int, max_jpeg_quality: int, seed: Any
) -> Any:
    """What the image becomes by being written as a JPEG file of a quality from the seed."""
    return compressed(image, min_jpeg_quality, max_jpeg_quality, position(seed))


def random_flip_left_right(image: Any, seed: int | None = None) -> Any:
    """Each image mirrored along its width, with probability 1/2."""
    return mirrored(image, flip_left_right, stream(seed))


def stateless_random_flip_left_right(image: Any, seed: Any) -> Any:
    """Each image mirrored along its width or not, as the seed determines."""
    return mirrored(image, flip_left_right, position(seed))


def random_flip_up_down(image: Any, seed: int | None = None) -> Any:
    """Each image mirrored along its height, with probability 1/2."""
    return mirrored(image, flip_up_down, stream(seed))


def stateless_random_flip_up_down(image: Any, seed: Any) -> Any:
    """Each image mirrored along its height or not, as the seed determines."""
    return mirrored(image, flip_up_down, position(seed))


def random_crop(value: Any, size: Any, seed: int | None = None, name: str | None = None) -> Any:
    """A part of a tensor of the given size, from any place in it."""
    return cropped(value, size, stream(seed), name)


def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Any:
    """A part of a tensor of the given size, from the place that the seed determines.

    >>> tf.image.stateless_random_crop([1, 2, 3, 4], [2], seed=[1, 2]).numpy().tolist()
    [2, 3]
    """
    return cropped(value, size, position(seed), name)
