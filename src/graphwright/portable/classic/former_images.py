"""Functions on images that TensorFlow 1 computed otherwise, or that took fewer arguments."""

from __future__ import annotations

from graphwright.op.interpreter import apply
from graphwright.op.op import Op
from graphwright.ops.image import drawing
from graphwright.ops.image.images import images_of
from graphwright.ops.image.resizing import (
    ResizeArea,
    ResizeBicubic,
    ResizeBilinear,
    ResizeNearestNeighbor,
    checked_size,
    fitting_size,
)
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.values.convert import convert

_METHODS: dict[int | str, type[Op]] = {
    0: ResizeBilinear,
    "bilinear": ResizeBilinear,
    1: ResizeNearestNeighbor,
    "nearest": ResizeNearestNeighbor,
    2: ResizeBicubic,
    "bicubic": ResizeBicubic,
    3: ResizeArea,
    "area": ResizeArea,
}


def resize(
    images: TensorLike,
    size: TensorLike,
    method: int | str = 0,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resizes images to a height and width, with pixels placed by their corners.

    `tf.image.resize` places them by their centres, and so gives other numbers.

    Args:
        images: A tensor of numbers of shape [height, width, channels] or [batch, height, width,
            channels].
        size: Two positive ints, or an int32 tensor of shape [2]: the new height and width.
        method: "bilinear" or 0, "nearest" or 1, "bicubic" or 2, "area" or 3.
        align_corners: Whether the centres of corner pixels stay at the corners.
        preserve_aspect_ratio: Whether the result keeps the proportions of the images and fits into
            `size`.
        name: A name for the op.

    Returns:
        A tensor of float32 of shape [..., new height, new width, channels]. Images that have the
        size already are returned as they are, and "nearest" keeps the dtype.

    Raises:
        ValueError: The rank of `images`, `size` or `method` is not valid.

    >>> import graphwright as tf
    >>> x = tf.constant([[[1.0], [2.0]], [[3.0], [4.0]]])
    >>> tf.compat.v1.image.resize(x, [1, 1]).numpy().tolist()
    [[[1.0]]]
    """
    given = convert(images)
    batch, restore = images_of(given)
    sides = checked_size(size)
    if preserve_aspect_ratio:
        sides = fitting_size(batch, sides)
    if isinstance(sides, tuple) and batch.type.dims[1:3] == sides:
        return given
    if method not in _METHODS:
        raise ValueError(f"Resize method is not implemented: {method}")
    op = _METHODS[method].of(align_corners)
    result: Tensor = restore(apply(op, batch, sides, name=name))
    return result


def draw_bounding_boxes(
    images: TensorLike,
    boxes: TensorLike,
    name: str | None = None,
    colors: TensorLike | None = None,
) -> Tensor:
    """Draws the outlines of boxes into images, as `tf.image.draw_bounding_boxes` does.

    Args:
        images: A tensor of float16 or float32 of shape [batch, height, width, channels].
        boxes: A tensor of float32 of shape [batch, n, 4], with rows (y1, x1, y2, x2) as fractions
            of the image's height and width.
        name: A name for the op.
        colors: A tensor of float32 of shape [m, channels]. None means a fixed cycle of colours.

    Returns:
        A tensor of the shape and dtype of `images`.

    >>> import graphwright as tf
    >>> box = [[[0.0, 0.0, 1.0, 1.0]]]
    >>> tf.compat.v1.image.draw_bounding_boxes(tf.zeros([1, 3, 3, 1]), box).shape
    TensorShape([1, 3, 3, 1])
    """
    return drawing.draw_bounding_boxes(images, boxes, colors, name)
