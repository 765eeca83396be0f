"""Boxes cut out of images, each resampled to one size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from graphwright.base.errors import OutOfRangeError
from graphwright.base.named_tuples import NamedTuple
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import zeros_like
from graphwright.ops.core.gathering import axis_sizes, gather_nd, host_vector, scatter_nd
from graphwright.ops.core.joining import stack, unstack
from graphwright.ops.core.movement import broadcast_to, expand_dims, reshape
from graphwright.ops.core.sequences import range as range_of
from graphwright.ops.core.shapes import shape
from graphwright.ops.image.interpolation_code import (
    KINDS,
    interpolated_parts,
    is_ready_for,
    readable,
)
from graphwright.ops.math.arithmetic import maximum
from graphwright.ops.math.clipping import clip_by_value
from graphwright.ops.math.comparison import equal, greater_equal, less_equal, logical_and, select
from graphwright.ops.math.reduction import reduce_sum
from graphwright.ops.math.rounding import ceil, floor
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Length, Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType, is_compatible, show_dims

SOURCES = dt.REAL - {dt.uint32, dt.uint64, dt.bfloat16}


class Samples(NamedTuple):
    """Where the results along an axis lie, for each box: rows of positions among the pixels."""

    positions: Array  # [boxes, count], in float32
    inside: Array  # which of them are in the image
    share: Array  # the derivative of a position by the first bound of the box
    size: int


def samples(first: Array, last: Array, size: int, count: int) -> Samples:
    """The positions of `count` results from `first` to `last`, of an axis of `size` pixels."""
    span, half = np.float32(size - 1), np.float32(0.5)
    steps = np.arange(count, dtype=np.float32)
    if count > 1:
        scale = (last - first) * span / np.float32(count - 1)
        positions = (first * span)[:, None] + steps * scale[:, None]
        share = np.float32(1) - steps / np.float32(count - 1)
    else:
        positions = np.repeat((half * (first + last) * span)[:, None], count, axis=1)
        share = np.full(count, half)
    inside = (positions >= 0) & (positions <= span)
    return Samples(positions, inside, share, size)


def check_boxes(
    image: TensorType, boxes: TensorType, box_ind: TensorType, size: Dims | None
) -> None:
    """ValueError where the shapes of the operands do not fit together."""
    if image.dims is not None and len(image.dims) != 4:
        raise ValueError(f"input image must be 4-D{show_dims(image.dims)}")
    if boxes.dims is not None and (len(boxes.dims) != 2 or boxes.dims[1] not in (4, None)):
        raise ValueError(f"boxes must have 4 columns: {show_dims(boxes.dims)}")
    if box_ind.dims is not None and len(box_ind.dims) != 1:
        raise ValueError(f"box_index must be 1-D{show_dims(box_ind.dims)}")
    if boxes.dims is not None and box_ind.dims is not None:
        counts = (boxes.dims[0], box_ind.dims[0])
        if None not in counts and counts[0] != counts[1]:
            raise ValueError(f"box_index has incompatible shape {show_dims(box_ind.dims)}")
    if size is not None and (not isinstance(size, tuple) or len(size) != 2):
        raise ValueError(f"crop_size must have two elements: {size}")
    if size is not None and any(n is not None and n <= 0 for n in size):
        raise ValueError(f"crop dimensions must be positive, got {size}")


def grid(boxes: Array, shape: tuple[int, ...], size: tuple[int, ...]) -> tuple[Samples, Samples]:
    """The positions of the results of all boxes along the height and the width."""
    boxes = np.asarray(boxes, np.float32)
    rows = samples(boxes[:, 0], boxes[:, 2], shape[1], size[0])
    columns = samples(boxes[:, 1], boxes[:, 3], shape[2], size[1])
    return rows, columns


def neighbours(axis: Samples) -> tuple[Array, Array, Array]:
    """The pixels before and after each position, and how far it is from the first.

    NaN counts as 0; it comes of bounds that are far apart, and lies outside.
    """
    positions = np.where(np.isnan(axis.positions), np.float32(0), axis.positions)
    before = np.clip(np.floor(positions), 0, axis.size - 1)
    after = np.clip(np.ceil(positions), 0, axis.size - 1)
    return before.astype(np.intp), after.astype(np.intp), positions - before


def corners(rows: Samples, columns: Samples) -> Iterator[tuple[Array, Array, Array]]:
    """(row, column, weight) of the four pixels around each result, for each box."""
    top, bottom, down = neighbours(rows)
    left, right, across = neighbours(columns)
    one = np.float32(1)
    for row, by_row in ((top, one - down), (bottom, down)):
        for column, by_column in ((left, one - across), (right, across)):
            weight = by_row[:, :, None] * by_column[:, None, :]
            yield row[:, :, None], column[:, None, :], weight


def nearest(rows: Samples, columns: Samples) -> tuple[Array, Array]:
    """The row and column of the nearest pixel of each result, halves away from zero."""
    places = []
    for axis in (rows, columns):
        near = np.floor(axis.positions + np.float32(0.5))
        places.append(np.clip(near, 0, axis.size - 1).astype(np.intp))
    return places[0][:, :, None], places[1][:, None, :]


def checked_numbers(box_ind: Array, batch: int) -> Array:
    """Which image each box is of, as a column over rows and columns."""
    box_ind = np.asarray(box_ind)
    if ((box_ind < 0) | (box_ind >= batch)).any():
        raise OutOfRangeError(None, None, f"box_index has values outside [0, {batch})")
    return box_ind[:, None, None]


def pixels(image: Array, number: Array, row: Array, column: Array) -> Array:
    """The pixels [boxes, rows, columns, channels] at places of images, as a new array."""
    count, height, width, depth = image.shape
    places = (number * height + row) * width + column
    taken: Array = image.reshape(count * height * width, depth).take(places, axis=0)
    return taken


def interpolated(image: Array, number: Array, rows: Samples, columns: Samples) -> Array:
    """The weighted mean of the four pixels around each result.

    Channels lie in the rows, since NumPy is slow where the last axis is short.
    """
    top, bottom, down = neighbours(rows)
    left, right, across = neighbours(columns)
    results = down.size * across.shape[1] * image.shape[3]
    if image.dtype.name in KINDS and image.size and is_ready_for(results):
        places = np.stack([top, bottom], 2), np.stack([left, right], 2)
        shares = down, across
        return interpolated_parts(readable(image), number.reshape(-1), places, shares)
    down, across = down[:, :, None], np.repeat(across, image.shape[3], axis=1)[:, None, :]

    def line(row: Array) -> Array:
        start, end = (
            pixels(image, number, row[:, :, None], column[:, None, :])
            .reshape(*row.shape, across.shape[2])
            .astype(np.float32, copy=False)
            for column in (left, right)
        )
        end -= start
        end *= across
        end += start
        return end

    start, end = line(top), line(bottom)
    end -= start
    end *= down
    end += start
    return end.reshape(*rows.positions.shape, columns.positions.shape[1], image.shape[3])


class CropAndResize(Op):
    """The boxes of images, each resampled to `crop_size`; boxes are in parts of the image."""

    type_name = "CropAndResize"
    ruled = True
    inputs = ("image: T", "boxes: float32", "box_ind: int32", "crop_size: int32 host")
    outputs = ("crops: float32",)
    dtypes = {"T": SOURCES}

    method: str = "bilinear"
    extrapolation_value: float = 0.0

    def shapes(
        self, image: TensorType, boxes: TensorType, box_ind: TensorType, size: Dims | None
    ) -> Shapes:
        check_boxes(image, boxes, box_ind, size)
        count = boxes.dims[0] if boxes.dims else None
        if count is None and box_ind.dims:
            count = box_ind.dims[0]
        return ((count, *(size or (None, None)), image.dims[3] if image.dims else None),)

    def kernel(self, image: Array, boxes: Array, box_ind: Array, size: tuple[int, ...]) -> Array:
        number = checked_numbers(box_ind, image.shape[0])
        if not np.isfinite(boxes).all():
            raise ValueError("boxes must be finite")
        rows, columns = grid(boxes, image.shape, size)
        if self.method == "nearest":
            result = pixels(image, number, *nearest(rows, columns))
        else:
            result = interpolated(image, number, rows, columns)
        result = result.astype(np.float32, copy=False)
        if not (rows.inside.all() and columns.inside.all()):
            inside = rows.inside[:, :, None] & columns.inside[:, None, :]
            result[~inside] = self.extrapolation_value
        return result

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        image, boxes, box_ind, _ = call.inputs
        d_image = None
        if image.dtype in (dt.float16, dt.float32, dt.float64):
            size = host_vector(axis_sizes(image, 4))
            back = CropAndResizeGradImage.of(image.dtype, self.method)
            d_image = apply(back, g, boxes, box_ind, size)
        d_boxes = apply(CropAndResizeGradBoxes.of(), g, image, boxes, box_ind)
        return d_image, d_boxes, None, None


class CropAndResizeGradImage(Op):
    """The cotangent of the images of a CropAndResize."""

    type_name = "CropAndResizeGradImage"
    ruled = True
    inputs = ("grads: float32", "boxes: float32", "box_ind: int32", "image_size: int32 host")
    outputs = ("output: T",)

    T: DType
    method: str = "bilinear"

    def shapes(
        self, grads: TensorType, boxes: TensorType, box_ind: TensorType, image_size: Dims | None
    ) -> Shapes:
        check_boxes(TensorType(dt.float32, None), boxes, box_ind, None)
        if image_size is not None and any(n is not None and n < 0 for n in image_size):
            raise ValueError(f"image_size must be non-negative, got {show_dims(image_size)}")
        return (image_size or (None,) * 4,)

    def kernel(
        self, grads: Array, boxes: Array, box_ind: Array, image_size: tuple[int, ...]
    ) -> Any:
        number = checked_numbers(box_ind, image_size[0])
        rows, columns = grid(boxes, image_size, grads.shape[1:3])
        inside = (rows.inside[:, :, None] & columns.inside[:, None, :])[..., None]
        result = np.zeros(image_size, np.float32)
        if self.method == "nearest":
            row, column = nearest(rows, columns)
            np.add.at(result, (number, row, column), np.where(inside, grads, np.float32(0)))
        else:
            for row, column, weight in corners(rows, columns):
                part = np.where(inside, grads * weight[..., None], np.float32(0))
                np.add.at(result, (number, row, column), part)
        return result.astype(self.T.numpy_dtype)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        """The crops are linear in the image, so `g` takes its place in their cotangents."""
        grads, boxes, box_ind, _ = call.inputs
        size = host_vector(axis_sizes(grads, 4)[1:3])
        d_grads = apply(CropAndResize.of(self.method, 0.0), g, boxes, box_ind, size)
        d_boxes = apply(CropAndResizeGradBoxes.of(), grads, g, boxes, box_ind)
        return d_grads, d_boxes, None, None


class CropAndResizeGradBoxes(Op):
    """The cotangent of the boxes of a bilinear CropAndResize."""

    type_name = "CropAndResizeGradBoxes"
    ranks = {"grads": 4}
    inputs = ("grads: float32", "image: T", "boxes: float32", "box_ind: int32")
    outputs = ("output: float32",)
    dtypes = {"T": SOURCES}

    method: str = "bilinear"

    def shapes(
        self, grads: TensorType, image: TensorType, boxes: TensorType, box_ind: TensorType
    ) -> Shapes:
        check_boxes(image, boxes, box_ind, None if grads.dims is None else grads.dims[1:3])
        count = boxes.dims[0] if boxes.dims else None
        depth = image.dims[3] if image.dims else None
        if not is_compatible(grads.dims, (count, None, None, depth)):
            raise ValueError(
                f"grads of shape {show_dims(grads.dims)} must have the depth of image, "
                f"{show_dims(image.dims)}, and a crop for each box"
            )
        return (boxes.dims,)

    def kernel(self, grads: Array, image: Array, boxes: Array, box_ind: Array) -> Any:
        number = checked_numbers(box_ind, image.shape[0])
        rows, columns = grid(boxes, image.shape, grads.shape[1:3])
        top, bottom, down = neighbours(rows)
        left, right, across = neighbours(columns)

        def pixel(row: Array, column: Array) -> Any:
            return image[number, row[:, :, None], column[:, None, :]].astype(np.float32)

        down, across = down[:, :, None, None], across[:, None, :, None]
        one = np.float32(1)
        by_row = (pixel(bottom, left) - pixel(top, left)) * (one - across)
        by_row = by_row + (pixel(bottom, right) - pixel(top, right)) * across
        by_column = (pixel(top, right) - pixel(top, left)) * (one - down)
        by_column = by_column + (pixel(bottom, right) - pixel(bottom, left)) * down
        inside = (rows.inside[:, :, None] & columns.inside[:, None, :])[..., None]
        seen = np.where(inside, grads, np.float32(0))
        d_row = np.sum(by_row * seen, axis=(2, 3)) * np.float32(rows.size - 1)
        d_column = np.sum(by_column * seen, axis=(1, 3)) * np.float32(columns.size - 1)
        parts = [d_row @ rows.share, d_column @ columns.share]
        parts += [d_row @ (one - rows.share), d_column @ (one - columns.share)]
        return np.stack(parts, -1).astype(np.float32)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        """The derivatives of the speed of the crops while the boxes move by `g`.

        Crops are bilinear in the places of their rows and columns, which move with the boxes.
        """
        grads, image, boxes, box_ind = call.inputs
        count, height, width, _ = axis_sizes(grads, 4)
        _, image_height, image_width, _ = axis_sizes(image, 4)
        number = broadcast_to(reshape(box_ind, [-1, 1, 1]), host_vector([count, height, width]))
        tops, lefts, bottoms, rights = unstack(boxes, 4, axis=1)
        up, left, down, right = unstack(g, 4, axis=1)
        rows = Cells.of(tops, bottoms, up, down, image_height, height, 2)
        columns = Cells.of(lefts, rights, left, right, image_width, width, 1)
        inside = cast(logical_and(rows.inside, columns.inside), dt.float32)
        seen = grads * inside
        speed: Any = 0.0
        twist: Any = 0.0
        d_image: Any = 0.0
        for row, side, by_row in rows.sides:
            for column, flank, by_column in columns.sides:
                places = stack([number, *broadcast_pair(row[..., 0], column[..., 0])], -1)
                pixels = cast(gather_nd(image, places), dt.float32)
                weight = side * by_column * rows.speed + flank * by_row * columns.speed
                speed = speed + weight * pixels
                twist = twist + side * flank * pixels
                d_image = d_image + scatter_nd(places, seen * weight, shape(image))
        twist = twist * seen
        d_tops, d_bottoms = rows.bounds(reduce_sum(twist * columns.speed, [2, 3]))
        d_lefts, d_rights = columns.bounds(reduce_sum(twist * rows.speed, [1, 3]))
        d_boxes = stack([d_tops, d_lefts, d_bottoms, d_rights], 1)
        floating = image.dtype in dt.FLOATING
        return speed * inside, cast(d_image, image.dtype) if floating else None, d_boxes, None


class Cells(NamedTuple):
    """Where the results along an axis lie, for each box, while the bounds of boxes move.

    All are tensors that broadcast to [box, row, column, 1].
    """

    sides: Sequence[Any]  # the pixel before and the one after, its sign in slopes, its weight
    inside: Any
    speed: Any
    share: Any  # the derivatives of a position by the first and the last bound, [count]

    @staticmethod
    def of(
        first: TensorValue,
        last: TensorValue,
        d_first: TensorValue,
        d_last: TensorValue,
        size: Length,
        count: Length,
        axis: int,
    ) -> Cells:
        """The cells of `count` results among `size` pixels, from bounds [boxes] and their speeds.

        `axis` is the axis of the other cells: 2 for rows, 1 for columns.
        """

        def spread(x: TensorLike) -> Any:
            return expand_dims(expand_dims(x, axis), 3)

        span = cast(convert(size) - 1, dt.float32)
        steps = cast(range_of(convert(count)), dt.float32)
        gaps = cast(maximum(convert(count) - 1, 1), dt.float32)
        alone = equal(count, 1)
        first, last = expand_dims(first, 1), expand_dims(last, 1)
        middle = 0.5 * (first + last) * span
        positions = select(alone, middle, first * span + steps * ((last - first) * span / gaps))
        share = span * select(alone, 0.5, 1.0 - steps / gaps)
        shares = (share, span - share)
        speed = expand_dims(d_first, 1) * shares[0] + expand_dims(d_last, 1) * shares[1]
        before = clip_by_value(floor(positions), 0.0, span)
        after = clip_by_value(ceil(positions), 0.0, span)
        part = positions - before
        sides = [
            (spread(cast(before, dt.int32)), -1.0, spread(1.0 - part)),
            (spread(cast(after, dt.int32)), 1.0, spread(part)),
        ]
        inside = logical_and(greater_equal(positions, 0.0), less_equal(positions, span))
        return Cells(sides, spread(inside), spread(speed), shares)

    def bounds(self, g: TensorValue) -> tuple[Any, Any]:
        """The cotangents of the first and the last bounds, from those of positions."""
        return reduce_sum(g * self.share[0], 1), reduce_sum(g * self.share[1], 1)


def broadcast_pair(row: TensorValue, column: TensorValue) -> tuple[Any, Any]:
    """Rows and columns, each with the axis of the other."""
    return row + zeros_like(column), column + zeros_like(row)


def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_indices: TensorLike,
    crop_size: TensorLike,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Cuts boxes out of images and resamples each of them to one size.

    Args:
        image: A tensor of shape [batch, height, width, channels] and of float16, float32, float64,
            signed integers, uint8 or uint16.
        boxes: A tensor of float32 of shape [n, 4], with rows (y1, x1, y2, x2). A coordinate is a
            fraction: 0 is the first pixel, 1 the last.
        box_indices: A tensor of int32 of shape [n]: the image of each box.
        crop_size: Two positive ints: the height and width of the crops.
        method: "bilinear" or "nearest".
        extrapolation_value: The value of what a box shows outside its image.
        name: A name for the op.

    Returns:
        A tensor of float32 of shape [n, *crop_size, channels].

    Raises:
        ValueError: `method` is another string.
        InvalidArgumentError: The shapes do not fit, a crop size is not positive, or a box is not
            finite.
        OutOfRangeError: A number in `box_indices` is no index of the batch.

    >>> import graphwright as tf
    >>> x = tf.reshape([1.0, 2.0, 3.0, 4.0], [1, 2, 2, 1])
    >>> crops = tf.image.crop_and_resize(x, [[0.0, 0.0, 1.0, 1.0]], [0], [1, 3])
    >>> crops[0, 0, :, 0].numpy().tolist()
    [2.0, 2.5, 3.0]
    """
    if method not in ("bilinear", "nearest"):
        raise ValueError(f"method must be 'bilinear' or 'nearest', got {method!r}")
    op = CropAndResize.of(method, float(extrapolation_value))
    boxes, box_indices = convert(boxes, dt.float32), convert(box_indices, dt.int32)
    return apply(op, convert(image), boxes, box_indices, crop_size, name=name)
