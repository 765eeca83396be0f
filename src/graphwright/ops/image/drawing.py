"""Boxes drawn on images, and glimpses taken of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Effect, Op, Shapes, not_differentiable, undefined
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, TensorType, is_compatible, show_dims

#: The colours of boxes for which none are given, red, green, blue and alpha.
COLORS = np.array(
    [
        [1, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0.5, 0, 0.5, 1],
        [0.5, 0.5, 0, 1], [0.5, 0, 0, 1], [0, 0, 0.5, 1], [0, 1, 1, 1], [1, 0, 1, 1],
    ],
    np.float32,
)  # fmt: skip


class DrawBoundingBoxesV2(Op):
    """Images with the outlines of boxes [y1, x1, y2, x2], in parts of the image's size."""

    type_name = "DrawBoundingBoxesV2"
    inputs = ("images: T", "boxes: float32", "colors: float32")
    outputs = ("output: T",)
    dtypes = {"T": frozenset({dt.float32, dt.float16})}
    gradient = not_differentiable
    ranks = {"images": 4, "boxes": 3, "colors": 2}

    def shapes(self, images: TensorType, boxes: TensorType, colors: TensorType) -> Shapes:
        batch, channels = (None, None) if images.dims is None else (images.dims[0], images.dims[3])
        if not is_compatible(boxes.dims, (batch, None, 4)):
            raise ValueError(
                f"boxes of shape {show_dims(boxes.dims)} for images {show_dims(images.dims)}: "
                "there must be rows of 4 numbers for each"
            )
        table: Dims = colors.dims or (0, None)
        least, width = channels or 0, table[1]
        if table[0] != 0 and width is not None and width < least:
            raise ValueError(f"colors must have {channels} channels, got {width}")
        return (images.dims,)

    def kernel(self, images: Array, boxes: Array, colors: Array) -> Any:
        channels = images.shape[-1]
        if channels not in (1, 3, 4):
            raise InvalidArgumentError(
                None,
                None,
                f"images must be grey, RGB or RGBA, with 1, 3 or 4 channels, not {channels}",
            )
        table = colors if len(colors) else COLORS
        if table is COLORS and channels == 1:
            table = np.ones_like(table)
        result = np.array(images)
        for image, rows in zip(result, boxes):
            for number, box in enumerate(rows):
                outline(image, box, table[number % len(table), :channels])
        return result


def outline(image: Array, box: Array, color: Array) -> None:
    """Draws the sides of a box that are in the image."""
    height, width = image.shape[:2]
    sizes = np.array([height, width, height, width], np.float32)
    top, left, bottom, right = to_places(box * (sizes - 1)).tolist()
    if top > bottom or left > right:
        return
    if top >= height or bottom < 0 or left >= width or right < 0:
        return
    rows = slice(max(top, 0), min(bottom, height - 1) + 1)
    columns = slice(max(left, 0), min(right, width - 1) + 1)
    if top >= 0:
        image[top, columns] = color
    if bottom < height:
        image[bottom, columns] = color
    if left >= 0:
        image[rows, left] = color
    if right < width:
        image[rows, right] = color


class ExtractGlimpseV2(Op):
    """A window of each image, of one size; noise fills what lies outside the image."""

    type_name = "ExtractGlimpseV2"
    inputs = ("input: float32", "size: int32 host", "offsets: float32")
    outputs = ("glimpse: float32",)
    effect = Effect.WRITE  # noise is new each time
    ranks = {"input": 4, "size": 1, "offsets": 2}
    gradient = undefined("cut with tf.image.crop_and_resize, which has one")

    centered: bool = True
    normalized: bool = True
    uniform_noise: bool = True
    noise: str = "uniform"

    def shapes(self, images: TensorType, size: Dims | None, offsets: TensorType) -> Shapes:
        if size is not None and len(size) != 2:
            raise ValueError(f"size must be a vector of 2 elements, not {size}")
        height, width = size or (None, None)
        if any(n is not None and n < 0 for n in (height, width)):
            raise ValueError(f"size must be non-negative, not {size}")
        batch, channels = (images.dims or (None,))[0], (images.dims or (None,))[-1]
        if not is_compatible(offsets.dims, (batch, 2)):
            raise ValueError(
                f"offsets must be two numbers for each of the images, got {show_dims(offsets.dims)}"
            )
        return ((batch, height, width, channels),)

    def kernel(self, images: Array, size: tuple[int, ...], offsets: Array) -> Array:
        result = self.filled((len(images), *size, images.shape[-1]))
        rows, columns = (
            self.places(offsets[:, axis], images.shape[1 + axis], size[axis]) for axis in (0, 1)
        )
        down = (rows >= 0) & (rows < images.shape[1])
        across = (columns >= 0) & (columns < images.shape[2])
        image, row, column = np.nonzero(down[:, :, None] & across[:, None, :])
        result[image, row, column] = images[image, rows[image, row], columns[image, column]]
        return result

    def places(self, offsets: Array, whole: int, size: int) -> Array:
        """The places along an axis that the windows show, [images, size]."""
        first = np.asarray(offsets, np.float32)
        if self.normalized:
            first = first * np.float32(whole)
        if self.centered and self.normalized:
            first = first / np.float32(2) + np.float32(whole / 2) - np.float32(size / 2)
        elif self.centered:
            first = first + np.float32(whole / 2)
        return to_places(first)[:, None] + np.arange(size)

    def filled(self, shape: tuple[int, ...]) -> Array:
        """The noise, or zeros."""
        noise = np.random.default_rng()
        if self.noise == "zero":
            return np.zeros(shape, np.float32)
        if self.noise == "gaussian" and not self.uniform_noise:
            return noise.standard_normal(shape, np.float32)
        return noise.random(shape, np.float32)


def to_places(numbers: Array) -> Array:
    """Numbers as places in an image, rounded towards zero.

    What is too far away, or no number, becomes the least int32.
    """
    return np.asarray(numbers, np.float32).astype(np.int32).astype(np.int64)


# -- the public functions -------------------------------------------------------------------


def draw_bounding_boxes(
    images: TensorLike, boxes: TensorLike, colors: TensorLike | None, name: str | None = None
) -> Tensor:
    """Draws the outlines of boxes into images.

    Args:
        images: A tensor of float16 or float32 of shape [batch, height, width, channels].
        boxes: A tensor of float32 of shape [batch, n, 4], with rows (y1, x1, y2, x2) as fractions
            of the image's height and width.
        colors: A tensor of float32 of shape [m, channels], whose rows the boxes take in turn. None
            means a fixed cycle of colours.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `images`.

    Raises:
        InvalidArgumentError: The shapes do not fit (`ValueError` while tracing).

    >>> import graphwright as tf
    >>> images = tf.zeros([1, 3, 3, 1])
    >>> drawn = tf.image.draw_bounding_boxes(images, [[[0.0, 0.0, 1.0, 1.0]]], [[1.0]])
    >>> drawn[0, ..., 0].numpy().tolist()
    [[1.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0]]
    """
    table = np.zeros((0, 0), np.float32) if colors is None else colors
    images = convert(images, hint=dt.float32)
    operands = images, convert(boxes, dt.float32), convert(table, dt.float32)
    return apply(DrawBoundingBoxesV2.of(), *operands, name=name)


def extract_glimpse(
    input: TensorLike,
    size: TensorLike,
    offsets: TensorLike,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Tensor:
    """Cuts a window of one size out of each image, at an offset of its own.

    Args:
        input: A tensor of float32 of shape [batch, height, width, channels].
        size: Two ints of at least 0: the height and width of the windows.
        offsets: A tensor of float32 of shape [batch, 2]: the row and column of each window.
        centered: Whether an offset is the middle of its window, counted from the middle of the
            image. Otherwise it is the window's first corner.
        normalized: Whether offsets are fractions of the image's size: in [-1, 1] if `centered`.
        noise: What fills a window outside its image: "uniform", "gaussian" or "zero".
        name: A name for the op.

    Returns:
        A tensor of float32 of shape [batch, *size, channels].

    Raises:
        ValueError: `noise` is another string.
        InvalidArgumentError: `size` or the shape of `offsets` is not valid.

    >>> import graphwright as tf
    >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.image.extract_glimpse(x, [1, 1], [[0.0, 0.0]]).numpy().item()
    4.0
    """
    if noise not in ("uniform", "gaussian", "zero"):
        raise ValueError(f"noise must be 'uniform', 'gaussian' or 'zero', got {noise!r}")
    op = ExtractGlimpseV2.of(centered, normalized, False, noise)
    return apply(op, convert(input, dt.float32), size, convert(offsets, dt.float32), name=name)
