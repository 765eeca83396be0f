"""Windows that taper a frame of a signal."""

from __future__ import annotations

import math
from typing import Any

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.interpreter import convert, is_staged
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import ones
from graphwright.ops.core.joining import concat
from graphwright.ops.core.reversal import reverse
from graphwright.ops.core.sequences import range
from graphwright.ops.math.bessel import bessel_i0e
from graphwright.ops.math.cumulation import cumsum
from graphwright.ops.math.transcendental import exp, sqrt, square
from graphwright.ops.math.trigonometric import cos, sin
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, Tensor, TensorLike
from graphwright.types.dtypes import DType, as_dtype


def places(window_length: TensorLike, dtype: DTypeLike) -> Any:
    """0, 1, ... below the window's length; ValueError unless the dtype is floating."""
    dtype = as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(
            f"`dtype` must be a floating-point dtype to represent a window, got {dtype!r}"
        )
    return cast(range(window_length), dtype)


def as_length(window_length: TensorLike) -> Any:
    """A window's length, as an int or as a scalar of int32; TypeError for a float."""
    return scalar(window_length, "window_length", dt.int32)


def scalar(value: TensorLike, name: str, dtype: DType | None = None) -> Any:
    """A number as an int where it is known, else as a scalar tensor; ValueError for a list."""
    if type(value) is int:
        return value
    tensor: Any = convert(value, dtype)
    if tensor.type.rank:
        raise ValueError(f"`{name}` must be a scalar, got shape {tensor.shape}")
    if not tensor.dtype.is_integer:
        words = f"`{name}` must be an integer, got {tensor.dtype.name}"
        raise TypeError(words) if is_staged() else InvalidArgumentError(None, None, words)
    return tensor if tensor.known is None else int(tensor.known)


def cosine_window(
    window_length: TensorLike, periodic: TensorLike, dtype: DTypeLike, a: float, b: float
) -> Any:
    """a - b cos(2 pi k / n): n is the length, or one less for an odd or symmetric window."""
    length = as_length(window_length)
    x = places(length, dtype)
    if isinstance(length, int) and length == 1:
        return ones([1], dtype)
    even = 1 - length % 2
    period = cast(length + cast(convert(periodic, dt.bool_), dt.int32) * even - 1, x.dtype)
    return a - b * cos(x * (2 * math.pi) / period)


def hann_window(
    window_length: TensorLike,
    periodic: TensorLike = True,
    dtype: DTypeLike = dt.float32,
    name: str | None = None,
) -> Tensor:
    """Returns the Hann window `0.5 - 0.5 * cos(2 * pi * k / n)`.

    Args:
        window_length: An int or scalar of integers.
        periodic: Whether `n` is `window_length`, which suits transforms, where that is even.
            Otherwise `n` is one less, and the window is symmetric.
        dtype: The dtype of the result, a float dtype.
        name: A name for the op.

    Returns:
        A tensor of `dtype` of shape [window_length].

    Raises:
        ValueError: `dtype` is no float dtype.

    >>> import graphwright as tf
    >>> tf.signal.hann_window(4)
    <tf.Tensor: shape=(4,), dtype=float32, numpy=array([0. , 0.5, 1. , 0.5], dtype=float32)>
    """
    return cosine_window(window_length, periodic, dtype, 0.5, 0.5)


def hamming_window(
    window_length: TensorLike,
    periodic: TensorLike = True,
    dtype: DTypeLike = dt.float32,
    name: str | None = None,
) -> Tensor:
    """Returns the Hamming window `0.54 - 0.46 * cos(2 * pi * k / n)`.

    Args:
        window_length: An int or scalar of integers.
        periodic: Whether `n` is `window_length`, which suits transforms, where that is even.
            Otherwise `n` is one less, and the window is symmetric.
        dtype: The dtype of the result, a float dtype.
        name: A name for the op.

    Returns:
        A tensor of `dtype` of shape [window_length].

    Raises:
        ValueError: `dtype` is no float dtype.

    >>> import graphwright as tf
    >>> tf.signal.hamming_window(4).numpy().round(2).tolist()
    [0.07999999821186066, 0.5400000214576721, 1.0, 0.5400000214576721]
    """
    return cosine_window(window_length, periodic, dtype, 0.54, 0.46)


def kaiser_window(
    window_length: TensorLike,
    beta: TensorLike = 12.0,
    dtype: DTypeLike = dt.float32,
    name: str | None = None,
) -> Tensor:
    """Returns the Kaiser window, which is symmetric.

    Args:
        window_length: An int or scalar of integers.
        beta: A number or scalar: the shape parameter. A greater one makes the window narrower.
        dtype: The dtype of the result, a float dtype.
        name: A name for the op.

    Returns:
        A tensor of `dtype` of shape [window_length].

    Raises:
        ValueError: `dtype` is no float dtype.

    >>> import graphwright as tf
    >>> tf.signal.kaiser_window(3, beta=4.0).numpy().round(3).tolist()
    [0.08799999952316284, 1.0, 0.08799999952316284]
    """
    length = as_length(window_length)
    x = places(length, dtype)
    if isinstance(length, int) and length == 1:
        return ones([1], dtype)
    half = (cast(convert(length), x.dtype) - 1) / 2
    beta = cast(convert(beta, None, x.dtype), x.dtype)
    inside = beta * sqrt(1 - square((x - half) / half))
    return exp(inside - beta) * bessel_i0e(inside) / bessel_i0e(beta)


def kaiser_bessel_derived_window(
    window_length: TensorLike,
    beta: TensorLike = 12.0,
    dtype: DTypeLike = dt.float32,
    name: str | None = None,
) -> Tensor:
    """Returns the Kaiser-Bessel derived window, for the modified discrete cosine transform.

    Args:
        window_length: An even int or scalar of integers.
        beta: A number or scalar: the shape parameter of the Kaiser window.
        dtype: The dtype of the result, a float dtype.
        name: A name for the op.

    Returns:
        A tensor of `dtype` of shape [window_length].

    Raises:
        ValueError: `dtype` is no float dtype.

    >>> import graphwright as tf
    >>> tf.signal.kaiser_bessel_derived_window(4, beta=4.0).numpy().round(3).tolist()
    [0.27399998903274536, 0.9620000123977661, 0.9620000123977661, 0.27399998903274536]
    """
    sums = cumsum(kaiser_window(as_length(window_length) // 2 + 1, beta, dtype))
    half = sqrt(sums[:-1] / sums[-1])
    return concat([half, reverse(half, [0])], 0)


def vorbis_window(
    window_length: TensorLike, dtype: DTypeLike = dt.float32, name: str | None = None
) -> Tensor:
    """Returns the power complementary window of the Vorbis format.

    Args:
        window_length: An int or scalar of integers.
        dtype: The dtype of the result, a float dtype.
        name: A name for the op.

    Returns:
        A tensor of `dtype` of shape [window_length].

    Raises:
        ValueError: `dtype` is no float dtype.

    >>> import graphwright as tf
    >>> tf.signal.vorbis_window(4).numpy().round(3).tolist()
    [0.2280000001192093, 0.9739999771118164, 0.9739999771118164, 0.2280000001192093]
    """
    length = as_length(window_length)
    x = places(length, dtype)
    length = cast(convert(length), x.dtype)
    return sin(math.pi / 2 * square(sin(math.pi / length * (x + 0.5))))
