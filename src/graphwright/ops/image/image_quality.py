"""How images differ, and how they change from pixel to pixel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.op.interpreter import convert
from graphwright.ops.convolution.any_pooling import avg_pool2d
from graphwright.ops.convolution.convolution import depthwise_conv2d
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import zeros
from graphwright.ops.core.gathering import axis_sizes, host_vector
from graphwright.ops.core.joining import concat, stack
from graphwright.ops.core.movement import reshape
from graphwright.ops.core.padding import pad
from graphwright.ops.core.repetition import tile
from graphwright.ops.image.color import convert_image_dtype
from graphwright.ops.image.images import flattened
from graphwright.ops.math.arithmetic import maximum
from graphwright.ops.math.magnitude import abs
from graphwright.ops.math.reduction import reduce_mean, reduce_prod, reduce_sum
from graphwright.ops.math.transcendental import log, pow, square, squared_difference
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike, TensorValue
from graphwright.types.tensor_type import is_compatible


def total_variation(images: TensorLike, name: str | None = None) -> Tensor:
    """Sums the absolute differences of neighbouring pixels in each image.

    Args:
        images: A tensor of floats or signed integers of shape [height, width, channels] or
            [batch, height, width, channels].
        name: A name for the op.

    Returns:
        A tensor of the dtype of `images`: a scalar, or of shape [batch].

    Raises:
        ValueError: `images` has neither 3 nor 4 axes.

    >>> import graphwright as tf
    >>> tf.image.total_variation([[[1.0], [3.0]], [[2.0], [2.0]]]).numpy().item()
    4.0
    """
    images = convert(images)
    rank = images.type.rank
    if rank not in (3, 4):
        raise ValueError("'images' must be either 3 or 4-dimensional.")
    down = images[..., 1:, :, :] - images[..., :-1, :, :]
    across = images[..., :, 1:, :] - images[..., :, :-1, :]
    axes = None if rank == 3 else (1, 2, 3)
    return reduce_sum(abs(down), axes) + reduce_sum(abs(across), axes)


def image_gradients(image: TensorLike) -> tuple[Tensor, Tensor]:
    """Returns the differences of each pixel to the next ones downwards and to the right.

    The last row, or the last column, has the difference 0.

    Args:
        image: A tensor of numbers of shape [batch, height, width, channels].

    Returns:
        A pair (dy, dx) of tensors of the shape and dtype of `image`.

    Raises:
        ValueError: `image` does not have 4 axes.

    >>> import graphwright as tf
    >>> dy, dx = tf.image.image_gradients(tf.reshape([1.0, 2.0, 4.0, 8.0], [1, 2, 2, 1]))
    >>> dy[0, ..., 0].numpy().tolist(), dx[0, ..., 0].numpy().tolist()
    ([[3.0, 6.0], [0.0, 0.0]], [[1.0, 0.0], [4.0, 0.0]])
    """
    image = convert(image)
    if image.type.rank != 4:
        raise ValueError(
            f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {image.shape}."
        )
    batch, height, width, depth = axis_sizes(image)
    down = image[:, 1:, :, :] - image[:, :-1, :, :]
    across = image[:, :, 1:, :] - image[:, :, :-1, :]
    last_row = zeros(host_vector([batch, 1, width, depth]), image.dtype)
    last_column = zeros(host_vector([batch, height, 1, depth]), image.dtype)
    return concat([down, last_row], 1), concat([across, last_column], 2)


def sobel_edges(image: TensorLike) -> Tensor:
    """Estimates the slopes downwards and to the right by Sobel's filters.

    Args:
        image: A tensor of floats of shape [batch, height, width, channels].

    Returns:
        A tensor of the dtype of `image` and of shape [batch, height, width, channels, 2].

    Raises:
        InvalidArgumentError: `image` does not have 4 axes (ValueError in graphs).

    >>> import graphwright as tf
    >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.image.sobel_edges(x)[0, 1, 1, 0].numpy().tolist()
    [24.0, 8.0]
    """
    image = convert(image)
    padded = pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], "REFLECT")
    across = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], np.float32)
    kernels = np.stack([across.T, across], -1)[:, :, None, :]
    sizes = axis_sizes(image, 4)
    filters = tile(convert(kernels.astype(image.dtype.numpy_dtype)), [1, 1, sizes[3], 1])
    slopes = depthwise_conv2d(padded, filters, [1, 1, 1, 1], "VALID")
    return reshape(slopes, host_vector([*sizes, 2]))


# -- similarity -----------------------------------------------------------------------------


def psnr(a: TensorLike, b: TensorLike, max_val: TensorLike, name: str | None = None) -> Tensor:
    """Returns the peak signal-to-noise ratio of pairs of images, in decibels.

    Args:
        a: A tensor of floats or integers of shape [..., height, width, channels].
        b: A tensor of the shape and dtype of `a`.
        max_val: A number: the range of the values, as 255 for uint8.
        name: A name for the op.

    Returns:
        A tensor of float32 of shape [...].

    Raises:
        ValueError: An image has fewer than 3 axes, or the last three differ.
        InvalidArgumentError: The shapes do not broadcast.

    >>> import graphwright as tf
    >>> round(float(tf.image.psnr([[[0.0]]], [[[0.5]]], 1.0)), 3)
    6.021
    """
    first, second, peak = compared(a, b, max_val)
    error = reduce_mean(squared_difference(first, second), (-3, -2, -1))
    check_pair(first, second)
    return 20 * log(peak) / log(convert(10.0)) - np.float32(10 / np.log(10)) * log(error)


def compared(a: TensorLike, b: TensorLike, max_val: TensorLike) -> tuple[Any, Any, Any]:
    """Two batches of images and the range of their values, all as float32."""
    a, b = convert(a), convert(b)
    peak = convert_image_dtype(cast(convert(max_val), a.dtype), dt.float32)
    return convert_image_dtype(a, dt.float32), convert_image_dtype(b, dt.float32), peak


def check_pair(a: TensorValue, b: TensorValue) -> None:
    """ValueError unless two images have at least three axes, of which the last three are alike."""
    for images in (a, b):
        rank = images.type.rank
        if rank is not None and rank < 3:
            raise ValueError(f"Shape {images.shape} must have rank at least 3")
    last = [None if x.type.dims is None else x.type.dims[-3:] for x in (a, b)]
    if not is_compatible(last[0], last[1]):
        raise ValueError(f"Shapes {a.shape} and {b.shape} are incompatible")


def ssim(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """Returns the structural similarity of pairs of images, which is 1 for equal ones.

    Args:
        img1: A tensor of floats or integers of shape [..., height, width, channels].
        img2: A tensor of the shape and dtype of `img1`.
        max_val: A number: the range of the values, as 255 for uint8.
        filter_size: The height and width of the Gaussian window, in pixels.
        filter_sigma: The standard deviation of the Gaussian window, in pixels.
        k1: The constant that steadies the comparison of means.
        k2: The constant that steadies the comparison of variances.
        return_index_map: Whether the result has the similarity of each place.

    Returns:
        A tensor of float32 of shape [...], with values in (-1, 1]. With `return_index_map`, its
        shape is [..., height - filter_size + 1, width - filter_size + 1].

    Raises:
        ValueError: The shapes differ, or an image is smaller than the window.

    Source:
        Wang, Bovik, Sheikh and Simoncelli, "Image quality assessment: From error visibility to
        structural similarity" (2004).

    >>> import graphwright as tf
    >>> x = tf.ones([11, 11, 1])
    >>> tf.image.ssim(x, 0.5 * x, 1.0).numpy().round(3).item()
    0.8009999990463257
    """
    a, b, peak = compared(img1, img2, max_val)
    check_pair(a, b)
    similarity, _ = ssim_per_channel(a, b, peak, filter_size, filter_sigma, k1, k2)
    return reduce_mean(similarity, [-1] if return_index_map else [-3, -2, -1])


def ssim_per_channel(
    a: TensorValue,
    b: TensorValue,
    peak: TensorValue,
    filter_size: int,
    sigma: float,
    k1: float,
    k2: float,
) -> tuple[Any, Any]:
    """The similarity, and its part that is about contrast and structure, of each place."""
    dims = a.type.dims
    for size in () if dims is None else dims[-3:-1]:
        if size is not None and size < filter_size:
            raise ValueError(
                f"The images must be at least {filter_size} pixels high and wide for a filter of "
                f"that size, got shape {a.shape}"
            )
    luminance = square(k1 * peak)
    contrast = square(k2 * peak)
    mean_a, mean_b = blurred(a, filter_size, sigma), blurred(b, filter_size, sigma)
    products = mean_a * mean_b * 2.0
    squares = square(mean_a) + square(mean_b)
    of_light = (products + luminance) / (squares + luminance)
    cross = blurred(a * b, filter_size, sigma) * 2.0
    powers = blurred(square(a) + square(b), filter_size, sigma)
    of_contrast = (cross - products + contrast) / (powers - squares + contrast)
    return of_light * of_contrast, of_contrast


def blurred(images: TensorValue, size: int, sigma: float) -> Any:
    """Images under a Gaussian window, where it fits in."""
    distance = np.arange(size, dtype=np.float32) - np.float32((size - 1) / 2)
    exponent = np.square(distance) * np.float32(-0.5 / sigma**2)
    weights = np.exp(exponent[None, :] + exponent[:, None])
    window = (weights / weights.sum()).astype(np.float32)
    flat, restore = flattened(images)
    filters = tile(convert(window[:, :, None, None]), [1, 1, axis_sizes(flat)[3], 1])
    return restore(depthwise_conv2d(flat, filters, [1, 1, 1, 1], "VALID"))


MULTISCALE = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


def ssim_multiscale(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    power_factors: Sequence[float] = MULTISCALE,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """Returns the structural similarity over several scales, each half the size of the one before.

    It is the product of the contrasts at all scales but the last and of the similarity at the last,
    each to its power.

    Args:
        img1: A tensor of floats or integers of shape [..., height, width, channels].
        img2: A tensor of the shape and dtype of `img1`.
        max_val: A number: the range of the values, as 255 for uint8.
        power_factors: The powers, one for each scale, the full size first.
        filter_size: The height and width of the Gaussian window, in pixels.
        filter_sigma: The standard deviation of the Gaussian window, in pixels.
        k1: The constant that steadies the comparison of means.
        k2: The constant that steadies the comparison of variances.

    Returns:
        A tensor of float32 of shape [...], with values in [0, 1].

    Raises:
        ValueError: The shapes differ, or an image is smaller than the window at some scale.

    Source:
        Wang, Simoncelli and Bovik, "Multiscale structural similarity for image quality assessment"
        (2003).

    >>> import graphwright as tf
    >>> x = tf.ones([1, 24, 24, 1])
    >>> tf.image.ssim_multiscale(x, x, 1.0, power_factors=(0.5, 0.5)).numpy().tolist()
    [1.0]
    """
    a, b, peak = compared(img1, img2, max_val)
    check_pair(a, b)
    parts = []
    for scale in range(len(power_factors)):
        if scale:
            a, b = halved(a), halved(b)
        similarity, contrast = ssim_per_channel(a, b, peak, filter_size, filter_sigma, k1, k2)
        last = scale == len(power_factors) - 1
        mean = reduce_mean(similarity if last else contrast, [-3, -2])
        parts.append(maximum(mean, 0.0))
    powers = convert(list(power_factors), dt.float32)
    return reduce_mean(reduce_prod(pow(stack(parts, -1), powers), [-1]), [-1])


def halved(images: TensorValue) -> Any:
    """Images of half the height and width, an odd side first mirrored by one pixel."""
    flat, restore = flattened(images)
    _, height, width, _ = axis_sizes(flat)
    border = [[0, 0], [0, height % 2], [0, width % 2], [0, 0]]
    even = pad(flat, border, "SYMMETRIC")
    return restore(avg_pool2d(even, [1, 2, 2, 1], [1, 2, 2, 1], "VALID"))
