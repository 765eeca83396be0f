"""Images as PNG files."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.ops.image import png_writer
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType, show_dims


class EncodePng(Op):
    """Each image [..., height, width, channels] as the bytes of a file."""

    type_name = "EncodePng"
    inputs = ("image: T",)
    outputs = ("contents: string",)
    dtypes = {"T": frozenset({dt.uint8, dt.uint16})}
    gradient = not_differentiable

    compression: int = -1

    def shapes(self, image: TensorType) -> Shapes:
        if image.dims is None:
            return (None,)
        if len(image.dims) < 3:
            raise ValueError(
                f"images must be at least rank 3, but the image's shape is {show_dims(image.dims)}"
            )
        if image.dims[-1] not in (None, 1, 2, 3, 4):
            raise ValueError(f"image must have 1, 2, 3, or 4 channels, got {image.dims[-1]}")
        return (image.dims[:-3],)

    def kernel(self, image: Array) -> Any:
        if not -1 <= self.compression <= 9:
            raise ValueError(f"compression should be in [-1,9], got {self.compression}")
        if image.ndim < 3 or not 1 <= image.shape[-1] <= 4:
            raise ValueError(f"image of shape {show_dims(image.shape)}")  # `shapes` says what fits
        height, width, channels = image.shape[-3:]
        if not height * width:
            raise InvalidArgumentError(
                None, None, f"PNG encoding failed: the image is {height} by {width} pixels"
            )
        batch = image.reshape(-1, height, width, channels)
        files = np.empty(len(batch), object)
        files[:] = [png_writer.encode(each, self.compression) for each in batch]
        return files.reshape(image.shape[:-3])


def encode_png(image: TensorLike, compression: int = -1, name: str | None = None) -> Tensor:
    r"""Encodes each image as a PNG file.

    Args:
        image: A tensor of uint8 or uint16 of shape [..., height, width, channels]. One channel is
            gray, two are gray and alpha, three RGB, four RGBA.
        compression: The level of zlib, from 0 to 9; -1 means its default.
        name: A name for the op.

    Returns:
        A tensor of strings of shape [...].

    Raises:
        InvalidArgumentError: The shape of `image` or `compression` is not valid.

    >>> import graphwright as tf
    >>> tf.io.encode_png(tf.zeros([2, 2, 3], tf.uint8)).numpy()[:4]
    b'\x89PNG'
    """
    return apply(EncodePng.of(compression), convert(image), name=name)
