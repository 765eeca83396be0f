"""Images in another height and width."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np

from graphwright.op.batching import batches, images
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert, is_tensor
from graphwright.op.op import Call, Op, Shapes, undefined
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import zeros
from graphwright.ops.core.gathering import axis_sizes, host_vector
from graphwright.ops.core.static import check_whole, known_int
from graphwright.ops.image import resize_kernels as kernels
from graphwright.ops.image.cropping import at_least, check, pad_to_bounding_box
from graphwright.ops.image.images import check_pixels, images_of
from graphwright.ops.math.arithmetic import maximum, minimum
from graphwright.ops.math.rounding import round as rounded
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Length, Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, TensorType, show_dims

SOURCES = dt.REAL - {dt.uint32, dt.uint64}
#: A height and a width: ints where both are known, else a tensor of shape [2].
Sides: TypeAlias = tuple[int, ...] | TensorValue


class ResizeMethod:
    """The methods of `tf.image.resize`, by name.

    >>> import graphwright as tf
    >>> tf.image.resize(tf.ones([2, 2, 3]), [4, 4], tf.image.ResizeMethod.AREA).shape
    TensorShape([4, 4, 3])
    """

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


def resized_dims(images: Dims | None, size: Dims | None) -> Dims:
    """(batch, height, width, channels) of resized images; ValueError for what is no such size."""
    if images is not None and len(images) != 4:
        raise ValueError(f"input must be 4-dimensional: {show_dims(images)}")
    if size is not None and (not isinstance(size, tuple) or len(size) != 2):
        raise ValueError(f"shape_t must be 1-dimensional with 2 elements, got {size}")
    height, width = (None, None) if size is None else size
    if any(s is not None and s <= 0 for s in (height, width)):
        raise ValueError("output dimensions must be positive")
    batch, channels = (None, None) if images is None else (images[0], images[3])
    if images is not None and 0 in images[1:3]:
        raise ValueError("input image must be of non-zero size")
    return (batch, height, width, channels)


def with_channels(dims: Dims) -> Dims:
    """The dims of images that must have channels."""
    if dims[3] == 0:
        raise ValueError(f"image must have at least one channel: {show_dims(dims)}")
    return dims


class Resize(Op):
    """Images [batch, height, width, channels] in the height and width `size`."""

    inputs = ("images: T", "size: int32 host")
    outputs = ("resized_images: float32",)
    dtypes = {"T": SOURCES}
    ruled = True
    batched = images

    method: ClassVar[kernels.Method]

    align_corners: bool = False
    half_pixel_centers: bool = False

    @property
    def centres(self) -> kernels.Centres:
        """Where the samples lie."""
        if self.align_corners:
            return "align_corners"
        return "half_pixel" if self.half_pixel_centers else "legacy"

    def shapes(self, images: TensorType, size: Dims | None) -> Shapes:
        return (with_channels(resized_dims(images.dims, size)),)

    def kernel(self, images: Array, size: tuple[int, int]) -> Array:
        return kernels.resize(images, size, self.method, self.centres)


class ResizeGrad(Op):
    """The cotangent of the images of a Resize, from that of its result."""

    inputs = ("grads: float32", "original_image: T")
    outputs = ("output: T",)
    dtypes = {"T": dt.FLOATING}
    ranks = {"grads": 4, "original_image": 4}
    batched = batches

    method: ClassVar[kernels.Method]
    forward: ClassVar[type[Resize]]

    align_corners: bool = False
    half_pixel_centers: bool = False

    def shapes(self, grads: TensorType, image: TensorType) -> Shapes:
        return (image.dims,)

    def kernel(self, grads: Array, image: Array) -> Any:
        shape: Any = np.shape(image)
        centres = Resize(self.align_corners, self.half_pixel_centers).centres
        result = kernels.resize_gradient(shape, np.asarray(grads), self.method, centres)
        return result.astype(np.asarray(image).dtype, copy=False)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        again = self.forward.of(self.align_corners, self.half_pixel_centers)
        return apply(again, g, size_of(call.inputs[0])), None


def size_of(images: TensorValue) -> Any:
    """(height, width) of images as a host operand takes them."""
    return host_vector(axis_sizes(images, 4)[1:3])


class ResizeBilinear(Resize):
    """Each result is a weighted mean of the 4 nearest pixels."""

    type_name = "ResizeBilinear"
    method = "bilinear"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        back = ResizeBilinearGrad.of(self.align_corners, self.half_pixel_centers)
        return apply(back, g, call.inputs[0]), None


class ResizeBilinearGrad(ResizeGrad):
    """The adjoint of ResizeBilinear."""

    type_name = "ResizeBilinearGrad"
    method = "bilinear"
    forward = ResizeBilinear


class ResizeBicubic(Resize):
    """Cubic convolution of the 16 nearest pixels."""

    type_name = "ResizeBicubic"
    method = "bicubic"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        back = ResizeBicubicGrad.of(self.align_corners, self.half_pixel_centers)
        return apply(back, g, call.inputs[0]), None


class ResizeBicubicGrad(ResizeGrad):
    """The adjoint of ResizeBicubic."""

    type_name = "ResizeBicubicGrad"
    method = "bicubic"
    forward = ResizeBicubic


class ResizeArea(Op):
    """Each result is the mean over the area that it covers."""

    type_name = "ResizeArea"
    gradient = undefined("resize with antialias=True, which has one")
    inputs = ("images: T", "size: int32 host")
    outputs = ("resized_images: float32",)
    dtypes = {"T": SOURCES}
    ruled = True
    batched = images

    align_corners: bool = False

    def shapes(self, images: TensorType, size: Dims | None) -> Shapes:
        return (with_channels(resized_dims(images.dims, size)),)

    def kernel(self, images: Array, size: tuple[int, int]) -> Array:
        centres: kernels.Centres = "align_corners" if self.align_corners else "legacy"
        return kernels.resize(images, size, "area", centres)


class ResizeNearestNeighbor(Resize):
    """Each result is the nearest pixel, of the dtype of the images."""

    type_name = "ResizeNearestNeighbor"
    outputs = ("resized_images: T",)
    method = "nearest"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        back = ResizeNearestNeighborGrad.of(self.align_corners, self.half_pixel_centers)
        return apply(back, g, size_of(call.inputs[0])), None


class ResizeNearestNeighborGrad(Op):
    """The adjoint of ResizeNearestNeighbor, for images of the height and width `size`."""

    type_name = "ResizeNearestNeighborGrad"
    inputs = ("grads: T", "size: int32 host")
    outputs = ("output: T",)
    dtypes = {"T": dt.FLOATING | {dt.uint8, dt.int8, dt.int32}}
    ruled = True
    batched = images

    align_corners: bool = False
    half_pixel_centers: bool = False

    def shapes(self, grads: TensorType, size: Dims | None) -> Shapes:
        return (resized_dims(grads.dims, size),)

    def kernel(self, grads: Array, size: tuple[int, int]) -> Array:
        grads = np.asarray(grads)
        batch, _, _, channels = grads.shape
        centres = Resize(self.align_corners, self.half_pixel_centers).centres
        return kernels.resize_gradient((batch, *size, channels), grads, "nearest", centres)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        again = ResizeNearestNeighbor.of(self.align_corners, self.half_pixel_centers)
        return apply(again, g, size_of(call.inputs[0])), None


#: The kernels of ScaleAndTranslate by the methods of `resize`.
KERNEL_TYPES = {
    "bilinear": "triangle",
    "bicubic": "keyscubic",
    "lanczos3": "lanczos3",
    "lanczos5": "lanczos5",
    "gaussian": "gaussian",
    "mitchellcubic": "mitchellcubic",
}


class ScaleAndTranslate(Op):
    """Images resampled with a kernel around each sample, which `antialias` widens to shrink."""

    type_name = "ScaleAndTranslate"
    inputs = ("images: T", "size: int32 host", "scale: float32", "translation: float32")
    outputs = ("resized_images: float32",)
    dtypes = {"T": SOURCES}
    ruled = True
    batched = images

    kernel_type: str = "lanczos3"
    antialias: bool = True

    def shapes(
        self, images: TensorType, size: Dims | None, scale: TensorType, translation: TensorType
    ) -> Shapes:
        return (with_channels(resized_dims(images.dims, size)),)

    def kernel(
        self, images: Array, size: tuple[int, ...], scale: Array, translation: Array
    ) -> Array:
        steps = scaled_axes(self, images.shape, size, scale, translation)
        return kernels.resampled(images, steps)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        images, _, scale, translation = call.inputs
        back = ScaleAndTranslateGrad.of(self.kernel_type, self.antialias)
        return apply(back, g, images, scale, translation), None, None, None


class ScaleAndTranslateGrad(Op):
    """The adjoint of ScaleAndTranslate."""

    type_name = "ScaleAndTranslateGrad"
    inputs = ("grads: T", "original_image: T", "scale: float32", "translation: float32")
    outputs = ("output: T",)
    dtypes = {"T": frozenset({dt.float32})}
    ranks = {"grads": 4, "original_image": 4}

    kernel_type: str = "lanczos3"
    antialias: bool = True

    def shapes(
        self, grads: TensorType, image: TensorType, scale: TensorType, translation: TensorType
    ) -> Shapes:
        return (image.dims,)

    def kernel(self, grads: Array, image: Array, scale: Array, translation: Array) -> Any:
        grads = np.asarray(grads)
        steps = scaled_axes(self, np.shape(image), grads.shape[1:3], scale, translation)
        return kernels.resampled_gradient(grads, steps)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        grads, _, scale, translation = call.inputs
        again = ScaleAndTranslate.of(self.kernel_type, self.antialias)
        return apply(again, g, size_of(grads), scale, translation), None, None, None


def scaled_axes(
    op: ScaleAndTranslate | ScaleAndTranslateGrad,
    images: tuple[int, ...],
    size: tuple[int, ...],
    scale: Array,
    translation: Array,
) -> list[kernels.Resampling]:
    """How the height and the width of images of this shape are resampled."""
    if op.kernel_type not in kernels.KERNELS:
        raise ValueError(f"Unrecognized kernel type: {op.kernel_type}")
    for name, pair in (("scale", scale), ("translation", translation)):
        if np.shape(pair) != (2,):
            raise ValueError(f"{name} must be a vector of 2 elements, got {show_dims(pair.shape)}")
    if not np.all(scale > 0):
        raise ValueError(f"scale must be greater than zero, got {np.ravel(scale).tolist()}")
    return [
        kernels.scaled(op.kernel_type, *axis, op.antialias)
        for axis in zip(images[1:3], size, scale, translation)
    ]


# -- the public functions -------------------------------------------------------------------


def resize(
    images: TensorLike,
    size: TensorLike,
    method: str = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resizes images to a height and width.

    Args:
        images: A tensor of floats, signed integers, uint8 or uint16, of shape [height, width,
            channels] or [batch, height, width, channels].
        size: Two positive ints, or an int32 tensor of shape [2]: the new height and width.
        method: One of the strings of `tf.image.ResizeMethod`.
        preserve_aspect_ratio: Whether the result keeps the proportions of the images and fits into
            `size`.
        antialias: Whether each result averages over more pixels where the images shrink.
        name: A name for the op.

    Returns:
        A tensor of float32 of shape [..., new height, new width, channels]; "nearest" keeps the
        dtype of `images`.

    Raises:
        ValueError: The rank of `images`, `size` or `method` is not valid.

    >>> import graphwright as tf
    >>> x = tf.constant([[[1.0], [2.0]], [[3.0], [4.0]]])
    >>> tf.image.resize(x, [1, 1]).numpy().tolist()
    [[[2.5]]]
    """
    images = convert(images)
    rank = images.type.rank
    if rank is None:
        raise ValueError("'images' contains no shape.")
    if rank not in (3, 4):
        raise ValueError("'images' must have either 3 or 4 dimensions.")
    batch, restore = images_of(images)
    sides = checked_size(size)
    return restore(resized(batch, sides, method, preserve_aspect_ratio, antialias, name))


def checked_size(size: TensorLike) -> Sides:
    """(height, width) as a tuple of ints where they are known, else as a tensor."""
    if not any(is_tensor(s) for s in (size if isinstance(size, (list, tuple)) else (size,))):
        values = np.asarray(size)
        if values.ndim != 1 or values.size != 2:
            raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
        if values.dtype.kind not in "iu":
            raise ValueError("'size' must be a 1-D int32 Tensor")
        return tuple(values.tolist())
    size = convert(size, dt.int32 if isinstance(size, (list, tuple)) else None)
    if size.type.dims not in (None, (2,), (None,)):
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    if size.dtype is not dt.int32:
        raise ValueError("'size' must be a 1-D int32 Tensor")
    return size


def resized(
    images: TensorValue,
    size: Sides,
    method: str,
    preserve: bool,
    antialias: bool,
    name: str | None,
) -> Any:
    """A batch of images resized."""
    if preserve:
        size = fitting_size(images, size)
    if method in KERNEL_TYPES and (antialias or method not in ("bilinear", "bicubic")):
        height, width = axis_sizes(images)[1:3]
        have = convert(host_vector([height, width]))
        want = convert(size) if not isinstance(size, tuple) else convert(list(size))
        scale = cast(want, dt.float32) / cast(have, dt.float32)
        op = ScaleAndTranslate.of(KERNEL_TYPES[method], antialias)
        return apply(op, images, size, scale, zeros([2]), name=name)
    plain: dict[str, Op] = {
        "bilinear": ResizeBilinear.of(False, True),
        "nearest": ResizeNearestNeighbor.of(False, True),
        "bicubic": ResizeBicubic.of(False, True),
        "area": ResizeArea.of(),
    }
    if method not in plain:
        raise ValueError("Resize method is not implemented: " + str(method))
    return apply(plain[method], images, size, name=name)


def fitting_size(images: TensorValue, size: Sides) -> Sides:
    """The greatest height and width within `size` that have the proportions of the images."""
    have = axis_sizes(images)[1:3]
    if isinstance(size, tuple) and all(isinstance(n, int) for n in have):
        sides = np.array(have, np.float32)
        scale = np.min(np.array(size, np.float32) / sides)
        return tuple(np.rint(scale * sides).astype(np.int32).tolist())
    lengths = cast(convert(host_vector(have)), dt.float32)
    ratio = cast(convert(size), dt.float32) / lengths
    fitting: TensorValue = cast(rounded(minimum(ratio[0], ratio[1]) * lengths), dt.int32)
    return fitting


def resize_with_pad(
    image: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
    method: str = ResizeMethod.BILINEAR,
    antialias: bool = False,
) -> Tensor:
    """Resizes images without distortion, centred in a border of zeros.

    Args:
        image: A tensor of floats, signed integers, uint8 or uint16, of shape [height, width,
            channels] or [batch, height, width, channels].
        target_height: A positive int or int32 scalar.
        target_width: A positive int or int32 scalar.
        method: One of the strings of `tf.image.ResizeMethod`.
        antialias: Whether each result averages over more pixels where the images shrink.

    Returns:
        A tensor of float32 of shape [..., target_height, target_width, channels]; "nearest" keeps
        the dtype of `image`.

    Raises:
        ValueError: A target is not positive, or the rank of `image` or `method` is not valid.

    >>> import graphwright as tf
    >>> tf.image.resize_with_pad(tf.ones([2, 4, 1]), 4, 4).shape
    TensorShape([4, 4, 1])
    """
    check_whole(target_height, "target_height")
    check_whole(target_width, "target_width")
    target = known_int(target_height), known_int(target_width)
    check(at_least(target[0], 1), "target_height must be > 0.")
    check(at_least(target[1], 1), "target_width must be > 0.")
    batch, restore = images_of(image)
    check_pixels(batch)
    _, height, width, _ = axis_sizes(batch)
    tall, top, wide, left = centred(height, width, *target)
    inner = resize(batch, host_vector([tall, wide]), method, False, antialias)
    return restore(pad_to_bounding_box(inner, top, left, *target))


def centred(
    height: Length, width: Length, target_height: Length, target_width: Length
) -> list[Any]:
    """The greatest height that keeps the proportions, its distance from the top, and the same of
    the width.

    A distance is half of what the side leaves of the target, before it is rounded.
    """
    sizes = (height, width, target_height, target_width)
    if all(isinstance(n, int) for n in sizes):
        ratio = max(height / target_height, width / target_width)
        tall, wide = height / ratio, width / ratio
        rests = (tall, (target_height - tall) / 2, wide, (target_width - wide) / 2)
        return [int(n) for n in rests]
    tall, wide, target_tall, target_wide = (cast(convert(n), dt.float64) for n in sizes)
    scale = maximum(tall / target_tall, wide / target_wide)
    tall, wide = tall / scale, wide / scale
    rests = (tall, (target_tall - tall) / 2, wide, (target_wide - wide) / 2)
    return [cast(n, dt.int32) for n in rests]
