"""What ops on images share: [height, width, channels], or batches of such."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from graphwright.op.interpreter import convert
from graphwright.ops.core.gathering import axis_sizes, host_vector
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import expand_dims, reshape, squeeze
from graphwright.ops.core.shapes import shape
from graphwright.ops.core.slicing import entry
from graphwright.types.arguments import TensorLike, TensorValue

Restore: TypeAlias = Callable[[Any], Any]


def images_of(image: TensorLike) -> tuple[Any, Restore]:
    """A batch of images, and what gives a result the rank of `image`, which is 3 or 4."""
    images = convert(image)
    check_rank(images)
    return flattened(images)


def check_rank(images: TensorValue) -> None:
    """ValueError unless images have 3 or 4 axes, as far as that is known."""
    if images.type.rank not in (3, 4, None):
        raise ValueError(f"'image' (shape {images.shape}) must have either 3 or 4 dimensions.")


def check_pixels(images: TensorValue) -> None:
    """ValueError unless images have at least 3 axes and there are pixels in them."""
    dims = images.type.dims
    if dims is not None and len(dims) < 3:
        raise ValueError(f"'image' (shape {images.shape}) must be at least three-dimensional.")
    if dims is not None and 0 in dims[-3:]:
        raise ValueError(f"inner 3 dims of 'image.shape' must be > 0: {images.shape}")


def flattened(images: TensorValue) -> tuple[Any, Restore]:
    """Images [..., height, width, channels] with one batch axis, and what undoes it."""
    rank = images.type.rank
    if rank is not None and rank < 3:
        raise ValueError(f"images must have at least 3 axes; the shape is {images.shape}")
    if rank == 4:
        return images, lambda result: result
    if rank == 3:
        return expand_dims(images, 0), lambda result: squeeze(result, 0)
    if rank is None:
        dims = shape(images)
        flat = reshape(images, [-1, *[entry(dims, i) for i in (-3, -2, -1)]])
        return flat, lambda result: reshape(result, concat([dims[:-3], shape(result)[1:]], 0))
    sizes = axis_sizes(images)
    flat = reshape(images, host_vector([-1, *sizes[-3:]]))
    return flat, lambda result: reshape(result, host_vector([*sizes[:-3], *axis_sizes(result)[1:]]))
