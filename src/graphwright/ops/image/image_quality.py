"""How images differ, and how they change from pixel to pixel."""

from __future__ import annotations

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
from graphwright.ops.math.reduction import reduce_mean, reduce_prod, reduce_sum
from graphwright.ops.math.transcendental import abs, log, pow, square, squared_difference
from graphwright.types import dtypes as dt


def total_variation(images: Any, name: str | None = None) -> Any:
    """The sum of the differences of neighbouring pixels, of each image.

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


def image_gradients(image: Any) -> Any:
    """The differences to the next pixel downwards and to the right, 0 at the ends.

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


def sobel_edges(image: Any) -> Any:
    """Sobel's estimates of the slopes downwards and to the right, along a new last axis."""
    image = convert(image)
    across = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], np.float32)
    kernels = np.stack([across.T, across], -1)[:, :, None, :]
    whole = flattened(image)[0]
    filters = tile(
        convert(kernels.astype(image.dtype.numpy_dtype)), [1, 1, axis_sizes(whole)[3], 1]
    )
    padded = pad(whole, [[0, 0], [1, 1], [1, 1], [0, 0]], "REFLECT")
    slopes = depthwise_conv2d(padded, filters, [1, 1, 1, 1], "VALID")
    return reshape(slopes, host_vector([*axis_sizes(whole), 2]))


# -- similarity -----------------------------------------------------------------------------


def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Any:
    """The peak signal-to-noise ratio of pairs of images, in decibels.

    `max_val` is the range of their values.

    >>> import graphwright as tf
    >>> round(float(tf.image.psnr([[[0.0]]], [[[0.5]]], 1.0)), 3)
    6.021
    """
    a, b, peak = compared(a, b, max_val)
    error = reduce_mean(squared_difference(a, b), (-3, -2, -1))
    return 20 * log(peak) / log(convert(10.0)) - np.float32(10 / np.log(10)) * log(error)


def compared(a: Any, b: Any, max_val: Any) -> tuple[Any, Any, Any]:
    """Two batches of images and the range of their values, all as float32."""
    a, b = convert(a), convert(b)
    peak = convert_image_dtype(cast(convert(max_val), a.dtype), dt.float32)
    return convert_image_dtype(a, dt.float32), convert_image_dtype(b, dt.float32), peak


def check_pair(a: Any, b: Any) -> None:
    """Two images must have at least three axes, the last three alike."""
    for images in (a, b):
        rank = images.type.rank
        if rank is not None and rank < 3:
            raise ValueError(f"Shape {images.shape} must have rank at least 3")
    last = [None if x.type.dims is None else x.type.dims[-3:] for x in (a, b)]
    if None not in last and any(None not in pair and pair[0] != pair[1] for pair in zip(*last)):
        raise ValueError(f"Shapes {a.shape} and {b.shape} are incompatible")


def ssim(
    img1: Any,
    img2: Any,
    max_val: Any,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Any:
    """The structural similarity of pairs of images, in (-1, 1]: 1 for equal ones.

    Wang, Bovik, Sheikh and Simoncelli, "Image quality assessment" (2004), with a Gaussian
    window. The mean over pixels and channels, or with `return_index_map` over channels only.
    """
    a, b, peak = compared(img1, img2, max_val)
    check_pair(a, b)
    similarity, _ = ssim_per_channel(a, b, peak, filter_size, filter_sigma, k1, k2)
    return reduce_mean(similarity, [-1] if return_index_map else [-3, -2, -1])


def ssim_per_channel(
    a: Any, b: Any, peak: Any, filter_size: int, sigma: float, k1: float, k2: float
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


def blurred(images: Any, size: int, sigma: float) -> Any:
    """Images under a Gaussian window, where it fits in."""
    at = np.arange(size, dtype=np.float32) - np.float32((size - 1) / 2)
    exponent = np.square(at) * np.float32(-0.5 / sigma**2)
    weights = np.exp(exponent[None, :] + exponent[:, None])
    window = (weights / weights.sum()).astype(np.float32)
    flat, restore = flattened(images)
    filters = tile(convert(window[:, :, None, None]), [1, 1, axis_sizes(flat)[3], 1])
    return restore(depthwise_conv2d(flat, filters, [1, 1, 1, 1], "VALID"))


MULTISCALE = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


def ssim_multiscale(
    img1: Any,
    img2: Any,
    max_val: Any,
    power_factors: Any = MULTISCALE,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Any:
    """The structural similarity over several scales, each half the size of the one before.

    Wang, Simoncelli and Bovik, "Multiscale structural similarity" (2003): the product of the
    scales' contrasts and of the last one's similarity, each to its power of `power_factors`.
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


def halved(images: Any) -> Any:
    """Images of half the height and width, an odd side first mirrored by one pixel."""
    flat, restore = flattened(images)
    _, height, width, _ = axis_sizes(flat)
    border = [[0, 0], [0, height % 2], [0, width % 2], [0, 0]]
    even = pad(flat, border, "SYMMETRIC")
    return restore(avg_pool2d(even, [1, 2, 2, 1], [1, 2, 2, 1], "VALID"))
