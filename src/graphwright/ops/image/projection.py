"""Images seen through projective transforms: `tf.raw_ops.ImageProjectiveTransformV3`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from graphwright.op.batching import Each, images
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.core.creation import ones, zeros
from graphwright.ops.core.gathering import axis_sizes, host_vector
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import broadcast_to, reshape
from graphwright.ops.core.shapes import shape_of
from graphwright.ops.image.projection_code import FILL_MODES, projected
from graphwright.ops.linalg.linear_systems import inv
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorValue
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, TensorType, show_dims

PIXELS = dt.FLOATING | {dt.uint8, dt.int32, dt.int64}


class ImageProjectiveTransformV3(Op):
    """Images [batch, height, width, channels] of which each pixel comes from another place.

    A transform has eight numbers (a, b, c, d, e, f, g, h). With k = g x + h y + 1, pixel (x, y) of
    the result is that at ((a x + b y + c) / k, (d x + e y + f) / k). What lies outside is
    `fill_value`, or continues as `fill_mode` says.
    """

    type_name = "ImageProjectiveTransformV3"
    ruled = True
    inputs: ClassVar[tuple[str, ...]] = (
        "images: dtype",
        "transforms: float32",
        "output_shape: int32 host",
        "fill_value: float32",
    )
    outputs = ("transformed_images: dtype",)
    dtypes = {"dtype": PIXELS}

    interpolation: str
    fill_mode: str = "CONSTANT"

    def shapes(
        self, images: TensorType, transforms: TensorType, size: Dims | None, *fill: TensorType
    ) -> Shapes:
        if images.rank not in (None, 4):
            raise ValueError(f"images must have rank 4: {show_dims(images.dims)}")
        if transforms.dims is not None and (
            len(transforms.dims) != 2 or transforms.dims[1] not in (None, 8)
        ):
            raise ValueError(
                f"transforms must be num_images x 8 or 1 x 8: {show_dims(transforms.dims)}"
            )
        if size is not None and (not isinstance(size, tuple) or len(size) != 2):
            raise ValueError(f"output shape must have two elements {size}")
        height, width = size or (None, None)
        batch, channels = (None, None) if images.dims is None else images.dims[::3]
        return ((batch, height, width, channels),)

    def kernel(
        self,
        images: Array,
        transforms: Array,
        size: tuple[int, ...],
        fill: Array | float = 0.0,
    ) -> Array:
        self.check(images, transforms, size, fill)
        number = np.asarray(fill, np.float32).astype(images.dtype)
        sample = SAMPLES[self.interpolation]
        form = self.interpolation.lower()
        result = projected(form, self.fill_mode, images, transforms, size, float(number))
        if result is not None:
            return result.astype(images.dtype, copy=False)
        rows, columns = np.mgrid[: size[0], : size[1]].astype(np.float32)
        a = transforms[:, :, None, None]
        with np.errstate(all="ignore"):
            k = a[:, 6] * columns + a[:, 7] * rows + np.float32(1)
            x = (a[:, 0] * columns + a[:, 1] * rows + a[:, 2]) / k
            y = (a[:, 3] * columns + a[:, 4] * rows + a[:, 5]) / k
            x, y = (
                continued(places, count, self.fill_mode)
                for places, count in ((x, images.shape[2]), (y, images.shape[1]))
            )
        known = np.isfinite(x) & np.isfinite(y) & (k != 0)
        x, y = np.where(known, x, np.float32(-9)), np.where(known, y, np.float32(-9))
        return np.where(known[..., None], sample(images, x, y, number), number).astype(images.dtype)

    def check(
        self, images: Array, transforms: Array, size: tuple[int, ...], fill: Array | float
    ) -> None:
        """ValueError for what does not fit."""
        if self.interpolation not in SAMPLES:
            raise ValueError(f"Invalid interpolation {self.interpolation}. {list(SAMPLES)} are.")
        if self.fill_mode not in FILL_MODES:
            raise ValueError(f"Invalid mode {self.fill_mode}. {list(FILL_MODES)} are.")
        if len(transforms) not in (1, len(images)):
            raise ValueError(
                f"transforms must be num_images x 8 or 1 x 8: {show_dims(transforms.shape)}"
            )
        if np.ndim(fill):
            raise ValueError(f"fill_value must be a scalar: {show_dims(np.shape(fill))}")
        if min(size) <= 0:
            raise ValueError(f"new dimensions must be positive: {tuple(size)}")

    def batched(self, each: Each) -> Any:
        dims = each.types[1].dims
        if dims is not None and dims[0] == 1 and not each.stacked[1]:
            return images(self, each)
        pictures = each.merged(0)
        of_each = host_vector([*axis_sizes(each.full(0), 5)[:2], 8])
        transforms = reshape(broadcast_to(each.full(1), of_each), (-1, 8))
        others = [each.same(i) for i in range(2, len(each.inputs))]
        return each.split(apply(self, pictures, transforms, *others), 0)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        source, transforms = call.inputs[:2]
        size = host_vector(axis_sizes(source, 4)[1:3])
        nothing = [zeros([])] * (len(call.inputs) - 3)
        back = apply(self, g, inverted(transforms), size, *nothing)
        return back, *[None] * (len(call.inputs) - 1)


class ImageProjectiveTransformV2(ImageProjectiveTransformV3):
    """The same where 0 lies outside."""

    type_name = "ImageProjectiveTransformV2"
    inputs = ("images: dtype", "transforms: float32", "output_shape: int32 host")


def inverted(transforms: TensorValue) -> Any:
    """The transforms that undo others."""
    count = shape_of(transforms)[:1]
    full = concat([transforms, ones(concat([count, [1]], 0))], 1)
    back = reshape(inv(reshape(full, [-1, 3, 3])), [-1, 9])
    return (back / back[:, 8:])[:, :8]


def continued(places: Array, count: int, mode: str) -> Any:
    """The places inside of an axis of `count` pixels that stand for those outside."""
    last = np.float32(count - 1)
    if mode == "CONSTANT":
        return places
    if mode == "REFLECT":
        places = np.where(places < 0, -places - 1, places)
        places = places - 2 * count * np.floor(places / (2 * count))
        places = np.where(places >= count, 2 * count - places - 1, places)
    elif mode == "WRAP":
        before = places + count * (np.trunc(-places / max(last, 1)) + 1)
        after = places - count * np.trunc(places / max(last, 1))
        places = np.where(places < 0, before, np.where(places > last, after, places))
    return np.clip(places, 0, last)


def pixels(images: Array, x: Array, y: Array, fill: Array) -> Array:
    """The pixels of each image at whole places [images, height, width]."""
    count, height, width, channels = images.shape
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    columns, rows = (np.where(inside, p, 0).astype(np.intp) for p in (x, y))
    which = np.arange(count)[:, None, None]
    flat = images.reshape(count * height * width, channels)
    chosen = flat.take((which * height + rows) * width + columns, axis=0)
    if not inside.all():
        chosen[np.broadcast_to(~inside, chosen.shape[:3])] = fill
    return chosen


def nearest_places(places: Array) -> Any:
    """The whole numbers that are nearest to places."""
    return np.copysign(np.floor(np.abs(places) + np.float32(0.5)), places)


def nearest(images: Array, x: Array, y: Array, fill: Array) -> Array:
    """The pixel that is nearest to a place."""
    return pixels(images, nearest_places(x), nearest_places(y), fill)


def bilinear(images: Array, x: Array, y: Array, fill: Array) -> Any:
    """The mean of the four pixels around, weighted by how near they are."""
    left, top = np.floor(x), np.floor(y)
    rows = []
    for row in (top, top + 1):
        pair = [pixels(images, column, row, fill).astype(np.float32) for column in (left, left + 1)]
        rows.append((left + 1 - x)[..., None] * pair[0] + (x - left)[..., None] * pair[1])
    return (top + 1 - y)[..., None] * rows[0] + (y - top)[..., None] * rows[1]


SAMPLES = {"NEAREST": nearest, "BILINEAR": bilinear}
