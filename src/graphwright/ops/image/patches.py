"""Patches of images and volumes, as channels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from graphwright.op.attributes import text_of
from graphwright.op.batching import images
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.core.gathering import axis_sizes, host_vector, scatter_nd
from graphwright.ops.core.movement import reshape, transpose
from graphwright.ops.core.sequences import range as range_of
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, TensorType, show_dims


def patch_count(size: int | None, extent: int, stride: int, padding: str) -> int | None:
    """How many patches an axis has; ValueError where fewer than none would fit."""
    if size is None:
        return None
    if padding == "SAME":
        return -(-size // stride)
    room = size - extent + stride
    if room <= -stride:
        raise ValueError(
            f"Computed output size would be negative: {-(-room // stride)} "
            f"[input_size: {size}, effective_filter_size: {extent}, stride: {stride}]"
        )
    return max(room // stride, 0)


class Patches(Op):
    """Patches of the axes between the batch and the channels, put into the channels."""

    #: The rank of the input.
    rank: ClassVar[int]

    ksizes: tuple[int, ...]
    strides: tuple[int, ...]

    def dilation(self) -> tuple[int, ...]:
        """The distance of neighbours in a patch, along each axis."""
        return (1,) * len(self.ksizes)

    def mode(self) -> str:
        """SAME or VALID."""
        raise NotImplementedError

    def extents(self) -> list[int]:
        """How far a patch reaches along each axis."""
        return [(k - 1) * r + 1 for k, r in zip(self.ksizes, self.dilation())]

    def shapes(self, images: TensorType) -> Shapes:
        rank = self.rank
        if any(len(v) != rank for v in self.values() if isinstance(v, tuple)):
            raise ValueError(f"{self.type_name} must have {rank} numbers in each list: {self}")
        if min(*self.ksizes, *self.strides) < 1:
            raise ValueError(f"ksizes {self.ksizes} and strides {self.strides} must be positive")
        if images.dims is not None and len(images.dims) != rank:
            raise ValueError(f"input must be {rank}-dimensional: {show_dims(images.dims)}")
        dims: Dims = images.dims or (None,) * rank
        space = [
            patch_count(d, e, s, self.mode())
            for d, e, s in zip(dims[1:-1], self.extents()[1:-1], self.strides[1:-1])
        ]
        channels = dims[-1]
        if channels is not None:
            channels *= int(np.prod(self.ksizes[1:-1]))
        return ((dims[0], *space, channels),)

    def kernel(self, images: Array) -> Any:
        entries = [v[: self.rank] if isinstance(v, tuple) else v for v in self.values()]
        return self.of(*entries).of_images(np.asarray(images))

    def of_images(self, images: Array) -> Any:
        """The patches of images, by lists that have no more numbers than the images have axes."""
        (result,) = self.shapes(TensorType(dt.float32, images.shape))
        axes = range(1, images.ndim - 1)
        extents = self.extents()
        border = [(0, 0)] * images.ndim
        for axis in axes:
            if self.mode() == "SAME":
                count = (result or ())[axis] or 0
                lacking = (count - 1) * self.strides[axis] + extents[axis] - images.shape[axis]
                border[axis] = (max(lacking, 0) // 2, -(-max(lacking, 0) // 2))
        images = np.pad(images, border)
        if 0 in (result or ()):
            return np.zeros(result, images.dtype)
        views = np.lib.stride_tricks.sliding_window_view(images, extents[1:-1], tuple(axes))
        rates = self.dilation()
        steps: list[Any] = [slice(None, None, self.strides[a]) for a in axes]
        inner: list[Any] = [slice(None, None, rates[a]) for a in axes]
        index = (slice(None), *steps, slice(None), *inner)
        moved = np.moveaxis(views[index], images.ndim - 1, -1)
        return moved.reshape(result)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        # Which place each value of a patch came from: the patches of an image of numbers,
        # in which the border has the number 0.
        images = call.inputs[0]
        batch, *space, channels = axis_sizes(images, self.rank)
        total: Any = 1
        for n in space:
            total = total * n
        numbers = reshape(range_of(1, total + 1), host_vector([1, *space, 1]))
        places = reshape(apply(self, numbers), (-1, 1))
        flat = reshape(g, host_vector([batch, axis_sizes(places, 2)[0], channels]))
        sums = scatter_nd(
            places, transpose(flat, [1, 0, 2]), host_vector([total + 1, batch, channels])
        )
        return (reshape(transpose(sums[1:], [1, 0, 2]), host_vector([batch, *space, channels])),)


class ExtractImagePatches(Patches):
    """Patches of images [batch, height, width, channels]."""

    type_name = "ExtractImagePatches"
    rank = 4
    inputs = ("images: T",)
    outputs = ("patches: T",)
    dtypes = {"T": dt.NUMERIC | dt.BOOL}
    batched = images

    rates: tuple[int, ...]
    padding: str

    def dilation(self) -> tuple[int, ...]:
        return self.rates

    def mode(self) -> str:
        return self.padding


class ExtractVolumePatches(Patches):
    """Patches of volumes [batch, depth, height, width, channels]."""

    type_name = "ExtractVolumePatches"
    rank = 5
    inputs = ("input: T",)
    outputs = ("patches: T",)
    dtypes = {"T": dt.REAL}
    batched = images

    padding: str

    def mode(self) -> str:
        return self.padding


def extract_patches(
    images: TensorLike,
    sizes: Sequence[int],
    strides: Sequence[int],
    rates: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Tensor:
    """Extracts patches of images, each flattened into the channels of its place.

    Args:
        images: A tensor of numbers or bools of shape [batch, height, width, channels].
        sizes: The size of a patch as [1, rows, columns, 1].
        strides: The steps between patches as [1, rows, columns, 1].
        rates: The steps between the pixels of a patch as [1, rows, columns, 1].
        padding: "VALID" for patches within the image, "SAME" for patches that zeros may complete.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `images`, of shape [batch, new rows, new columns, rows * columns *
        channels].

    Raises:
        TypeError: `padding` is no text, or `sizes`, `strides` or `rates` is no list.
        ValueError: `padding` is another string, or a list is not [1, rows, columns, 1].

    >>> import graphwright as tf
    >>> x = tf.reshape(tf.range(9), [1, 3, 3, 1])
    >>> p = tf.image.extract_patches(x, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID")
    >>> p[0, 0].numpy().tolist()
    [[0, 1, 3, 4], [1, 2, 4, 5]]
    """
    images = convert(images)
    check_padding(padding)
    for label, value in (("ksizes", sizes), ("strides", strides), ("rates", rates)):
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"Expected list for '{label}' argument, not {value!r}.")
        if len(value) != 4:
            raise ValueError(f"Sliding window {label} field must specify 4 dimensions: {value}")
        if value[0] != 1 or value[3] != 1:
            raise ValueError(
                f"Only support {label} across space: it must be 1 for batch and depth, got {value}"
            )
    op = ExtractImagePatches.of(sizes, strides, rates, padding)
    return apply(op, images, name=name)


def extract_volume_patches(
    input: TensorLike,
    ksizes: Sequence[int],
    strides: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Tensor:
    """Extracts patches of volumes, each flattened into the channels of its place.

    Args:
        input: A tensor of real numbers of shape [batch, depth, height, width, channels].
        ksizes: The size of a patch as [1, planes, rows, columns, 1].
        strides: The steps between patches as [1, planes, rows, columns, 1].
        padding: "VALID" for patches within the volume, "SAME" for patches that zeros may complete.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input`, of shape [batch, new planes, new rows, new columns, planes
        * rows * columns * channels].

    Raises:
        ValueError: `padding` is another string.
        InvalidArgumentError: A list does not have 5 positive numbers.

    >>> import graphwright as tf
    >>> x = tf.reshape(tf.range(8), [1, 2, 2, 2, 1])
    >>> p = tf.extract_volume_patches(x, [1, 2, 1, 1, 1], [1, 1, 1, 1, 1], "VALID")
    >>> p[0, 0].numpy().tolist()
    [[[0, 4], [1, 5]], [[2, 6], [3, 7]]]
    """
    check_padding(padding)
    op = ExtractVolumePatches.of(ksizes, strides, padding)
    return apply(op, convert(input), name=name)


def check_padding(padding: str) -> None:
    """ValueError unless the padding is SAME or VALID; TypeError unless it is text."""
    if text_of("padding", padding) not in ("SAME", "VALID"):
        raise ValueError(f"padding must be 'SAME' or 'VALID', got {padding!r}")
