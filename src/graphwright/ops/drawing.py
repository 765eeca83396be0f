"""Boxes drawn on images, and glimpses taken of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Effect, Op, Shapes, not_differentiable, undefined
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType, show_dims

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

    def shapes(self, images: TensorType, boxes: TensorType, colors: TensorType) -> Shapes:
        if images.rank not in (4, None):
            raise ValueError("The rank of the images should be 4")
        if boxes.rank not in (3, None):
            raise ValueError("The rank of the boxes tensor should be 3")
        return (images.dims,)

    def kernel(self, images: Any, boxes: Any, colors: Any) -> Any:
        if np.ndim(images) != 4 or np.ndim(boxes) != 3:
            raise ValueError("The rank of the images should be 4, that of the boxes 3")
        if len(boxes) != len(images) or np.shape(boxes)[-1] != 4:
            raise ValueError(
                f"boxes of shape {show_dims(np.shape(boxes))} for {len(images)} images: there must "
                "be rows of 4 numbers for each"
            )
        channels = np.shape(images)[-1]
        table = np.asarray(colors) if np.ndim(colors) == 2 and np.size(colors) else COLORS
        if table.shape[1] < channels:
            raise ValueError(f"colors must have {channels} channels, got {table.shape[1]}")
        if table is COLORS and channels == 1:
            table = np.ones_like(table)
        result = np.array(images)
        for image, rows in zip(result, boxes):
            for number, box in enumerate(rows):
                outline(image, box, table[number % len(table), :channels])
        return result


def outline(image: Any, box: Any, color: Any) -> None:
    """Draws the sides of a box that are in the image."""
    height, width = image.shape[:2]
    top, left, bottom, right = [
        int(side * (size - 1)) for side, size in zip(box, (height, width, height, width))
    ]
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
    """A window of a size for each image; what is outside of it is noise."""

    type_name = "ExtractGlimpseV2"
    inputs = ("input: float32", "size: int32 host", "offsets: float32")
    outputs = ("glimpse: float32",)
    effect = Effect.WRITE  # noise is new each time
    gradient = undefined("cut with tf.image.crop_and_resize, which has one")

    centered: bool = True
    normalized: bool = True
    uniform_noise: bool = True
    noise: str = "uniform"

    def shapes(self, images: TensorType, size: Any, offsets: TensorType) -> Shapes:
        if images.rank not in (4, None):
            raise ValueError(f"input must be 4-dimensional, not {show_dims(images.dims)}")
        if offsets.rank not in (2, None):
            raise ValueError(f"input must be a matrix, not {show_dims(offsets.dims)}")
        if size is not None and (not isinstance(size, tuple) or len(size) != 2):
            raise ValueError(f"input must be a vector of size 2, not {size}")
        height, width = size or (None, None)
        batch, channels = (images.dims or (None,))[0], (images.dims or (None,))[-1]
        return ((batch, height, width, channels),)

    def kernel(self, images: Any, size: Any, offsets: Any) -> Any:
        types = [TensorType(dt.float32, x.shape) for x in (images, offsets)]
        self.shapes(types[0], size, types[1])
        if min(size) < 0 or offsets.shape != (len(images), 2):
            raise ValueError(f"glimpses of size {size} at offsets {show_dims(offsets.shape)}")
        result = self.filled((len(images), *size, images.shape[-1]))
        rows, columns = (
            self.places(offsets[:, axis], images.shape[1 + axis], size[axis]) for axis in (0, 1)
        )
        down = (rows >= 0) & (rows < images.shape[1])
        across = (columns >= 0) & (columns < images.shape[2])
        image, row, column = np.nonzero(down[:, :, None] & across[:, None, :])
        result[image, row, column] = images[image, rows[image, row], columns[image, column]]
        return result

    def places(self, offsets: Any, whole: int, size: int) -> Any:
        """What the windows [images, size] have of an axis."""
        at = np.asarray(offsets, np.float32)
        if self.normalized:
            at = at * np.float32(whole)
        if self.centered:
            half = np.float32(whole / 2)
            at = at / np.float32(2) + half - np.float32(size / 2) if self.normalized else at + half
        return at.astype(np.int64)[:, None] + np.arange(size)

    def filled(self, shape: tuple[int, ...]) -> Any:
        """The noise, or zeros."""
        noise = np.random.default_rng()
        if self.noise == "zero":
            return np.zeros(shape, np.float32)
        if self.noise == "gaussian" and not self.uniform_noise:
            return noise.standard_normal(shape, np.float32)
        return noise.random(shape, np.float32)


# -- the public functions -------------------------------------------------------------------


def draw_bounding_boxes(images: Any, boxes: Any, colors: Any, name: str | None = None) -> Any:
    """Images [batch, height, width, channels] with the outlines of boxes [batch, n, 4].

    A box is [y1, x1, y2, x2] in parts of the image's size; `colors` has rows of channels that
    the boxes take in turn, or is None.
    """
    table = np.zeros((0, 0), np.float32) if colors is None else colors
    images = convert(images, hint=dt.float32)
    operands = images, convert(boxes, dt.float32), convert(table, dt.float32)
    return apply(DrawBoundingBoxesV2.of(), *operands, name=name)


def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Any:
    """A window of `size` for each image, around (or, not `centered`, beginning at) its offset.

    Offsets are in parts of the image's size if `normalized`; what the window has beyond the image
    is `noise`: "uniform", "gaussian" or "zero".
    """
    if noise not in ("uniform", "gaussian", "zero"):
        raise ValueError(f"noise must be 'uniform', 'gaussian' or 'zero', got {noise!r}")
    op = ExtractGlimpseV2.of(bool(centered), bool(normalized), False, noise)
    return apply(op, convert(input, dt.float32), size, convert(offsets, dt.float32), name=name)
