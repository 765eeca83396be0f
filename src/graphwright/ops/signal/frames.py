"""Frames of signals and the transforms of frames: short-time Fourier, cosine, mel."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.interpreter import convert, is_tensor
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import zeros
from graphwright.ops.core.gathering import axis_size, axis_sizes, gather, host_vector
from graphwright.ops.core.joining import concat, split, stack
from graphwright.ops.core.movement import expand_dims, reshape, transpose
from graphwright.ops.core.padding import pad
from graphwright.ops.core.repetition import tile
from graphwright.ops.core.reversal import reverse, roll
from graphwright.ops.core.sequences import range
from graphwright.ops.core.shapes import rank, shape
from graphwright.ops.core.static import NUMPY, check_whole, known_int
from graphwright.ops.math.arithmetic import maximum, minimum
from graphwright.ops.math.comparison import select
from graphwright.ops.math.complex_parts import complex, real
from graphwright.ops.math.reduction import reduce_min, reduce_sum
from graphwright.ops.math.transcendental import log1p, rsqrt, sqrt, square
from graphwright.ops.math.trigonometric import cos, sin
from graphwright.ops.signal.fourier import irfft, rfft
from graphwright.ops.signal.tapers import hann_window, scalar, vorbis_window
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, Tensor, TensorLike, TensorValue
from graphwright.types.dtypes import DType, as_dtype

Window: TypeAlias = Callable[..., Any]
#: A size, known or not.
Size: TypeAlias = int | TensorValue


def pad_axis(x: TensorValue, axis: int, before: Size, after: Size, value: TensorLike = 0) -> Any:
    """Pads one axis of a tensor with a value: the last, unless the rank is known."""
    if x.type.rank is None:
        others = zeros(stack([rank(x) - 1, 2]), dt.int32)
        return pad(x, concat([others, [[before, after]]], 0), constant_values=value)
    paddings: list[list[Any]] = [[0, 0] for _ in axis_sizes(x)]
    paddings[axis] = [before, after]
    return pad(x, paddings, constant_values=value)


def frame(
    signal: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    pad_end: bool = False,
    pad_value: TensorLike = 0,
    axis: int = -1,
    name: str | None = None,
) -> Tensor:
    """Splits an axis of a signal into overlapping frames.

    Args:
        signal: A tensor of any dtype and of at least one axis.
        frame_length: An int or scalar of integers: the size of a frame.
        frame_step: An int or scalar of integers: the distance of the beginnings of two frames.
        pad_end: Whether `pad_value` completes the frames that begin before the end.
        pad_value: A number or scalar.
        axis: The axis to split.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `signal`, whose `axis` becomes the two axes [frames, frame_length].

    Raises:
        ValueError: `signal` is a scalar.

    >>> import graphwright as tf
    >>> tf.signal.frame([1, 2, 3, 4, 5], 3, 2)
    <tf.Tensor: shape=(2, 3), dtype=int32, numpy=
    array([[1, 2, 3],
           [3, 4, 5]], dtype=int32)>
    """
    signal = convert(signal)
    if signal.type.rank == 0:
        raise ValueError("signal of frame must have rank at least 1, got a scalar")
    size = axis_size(signal, axis)
    length, step = scalar(frame_length, "frame_length"), scalar(frame_step, "frame_step")
    if isinstance(step, int) and step == 0:
        raise InvalidArgumentError(None, None, "frame_step of frame must not be 0")
    count = -(-size // step) if pad_end else largest((size - length + step) // step)
    starts = expand_dims(range(count) * step, 1)
    places = starts + expand_dims(range(length), 0)
    if not pad_end:
        return gather(signal, places, axis=axis)
    if signal.type.rank is None:
        inside = places < size
        framed = gather(signal, select(inside, places, 0), axis=axis)
        return select(inside, framed, pad_value)
    missing = largest(length + step * (count - 1) - size)
    return gather(pad_axis(signal, axis, 0, missing, pad_value), places, axis=axis)


def largest(count: Size) -> Any:
    """A count, at least 0."""
    return max(count, 0) if isinstance(count, int) else maximum(count, 0)


def overlap_and_add(signal: TensorLike, frame_step: TensorLike, name: str | None = None) -> Tensor:
    """Adds frames up to a signal, each a step behind the one before.

    Args:
        signal: A tensor of numbers of shape [..., frames, frame_length].
        frame_step: A positive int or scalar of integers.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `signal` of shape [..., (frames - 1) * frame_step + frame_length].

    Raises:
        ValueError: `signal` has fewer than 2 axes, or `frame_step` is known and not positive.

    >>> import graphwright as tf
    >>> tf.signal.overlap_and_add([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]], 2).numpy().tolist()
    [1.0, 1.0, 3.0, 2.0, 2.0]
    """
    signal = convert(signal)
    if signal.type.rank is not None and signal.type.rank < 2:
        raise ValueError(f"`signal` must have rank at least 2. Received: {signal.shape}")
    if not convert(frame_step).dtype.is_integer:
        raise ValueError(f"`frame_step` must be an integer. Received: {frame_step!r}")
    step = scalar(frame_step, "frame_step")
    if isinstance(step, int) and step < 1:
        raise ValueError(f"`frame_step` must be positive. Received: {step}")
    if signal.type.rank is None:
        sizes = shape(signal)
        flat = reshape(signal, stack([-1, sizes[-2], sizes[-1]]))
        y = added(flat, step)
        return reshape(y, concat([sizes[:-2], [-1]], 0))
    return added(signal, step)


def added(x: TensorValue, step: Size) -> Any:
    """The sum of frames `step` apart, of a tensor of known rank."""
    *outer, count, length = axis_sizes(x)
    last = len(outer) + 1
    total = length + step * (count - 1)
    # Frames are cut into segments of one step, and each row of segments moves one place on. For
    # that, rows are padded, joined, and read again as rows that are one segment shorter.
    segments = -(-length // step)
    x = pad_axis(x, last, 0, segments * step - length)
    x = reshape(x, host_vector([*outer, count, segments, step]))
    batch = builtins.range(last - 1)
    x = transpose(x, (*batch, last, last - 1, last + 1))
    x = pad_axis(x, last, 0, segments)
    x = reshape(x, host_vector([*outer, (count + segments) * segments, step]))
    rows = (count + segments - 1) * segments
    x = x[(..., builtins.slice(0, rows), builtins.slice(None))]
    x = reshape(x, host_vector([*outer, segments, count + segments - 1, step]))
    x = reduce_sum(x, last - 1)
    x = reshape(x, host_vector([*outer, (count + segments - 1) * step]))
    return x[..., :total]


# -- short-time Fourier transform -----------------------------------------------------------


def enclosing_power(length: Size) -> Any:
    """The least power of two that is not below a length."""
    if isinstance(length, int):
        return 1 << max(length - 1, 0).bit_length()
    powers = convert([1 << i for i in builtins.range(31)], length.dtype)
    return reduce_min(select(powers >= length, powers, powers[-1]))


def stft(
    signals: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    fft_length: TensorLike | None = None,
    window_fn: Window | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the short-time Fourier transforms of signals.

    Args:
        signals: A tensor of float32 or float64 of shape [..., samples].
        frame_length: An int or scalar of integers: the samples of a frame.
        frame_step: An int or scalar of integers: the distance of the beginnings of two frames.
        fft_length: The size of a transform. None means the least power of two that is not below
            `frame_length`.
        window_fn: A function of a length and a `dtype` that returns a window. None means no window.
        pad_end: Whether zeros complete the frames that begin before the end.
        name: A name for the op.

    Returns:
        A tensor of complex64 or complex128 of shape [..., frames, fft_length // 2 + 1].

    >>> import graphwright as tf
    >>> tf.signal.stft(tf.ones([16]), frame_length=8, frame_step=4).shape
    TensorShape([3, 5])
    """
    signals = convert(signals)
    length = scalar(frame_length, "frame_length")
    fft_length = enclosing_power(length) if fft_length is None else scalar(fft_length, "fft_length")
    framed = frame(signals, length, frame_step, pad_end=pad_end)
    if window_fn is not None:
        framed = framed * window_fn(length, dtype=framed.dtype)
    return rfft(framed, [fft_length])


def inverse_stft(
    stfts: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    fft_length: TensorLike | None = None,
    window_fn: Window | None = hann_window,
    name: str | None = None,
) -> Tensor:
    """Returns the signals of short-time Fourier transforms.

    It undoes `tf.signal.stft` where its window is that of `tf.signal.inverse_stft_window_fn`.

    Args:
        stfts: A tensor of complex64 or complex128 of shape [..., frames, fft_length // 2 + 1].
        frame_length: An int or scalar of integers: the samples of a frame.
        frame_step: An int or scalar of integers: the distance of the beginnings of two frames.
        fft_length: The size of a transform. None means the least power of two that is not below
            `frame_length`.
        window_fn: A function of a length and a `dtype` that returns a window. None means no window.
        name: A name for the op.

    Returns:
        A tensor of float32 or float64 of shape [..., samples].

    Raises:
        ValueError: `stfts` has fewer than 2 axes.

    >>> import graphwright as tf
    >>> stfts = tf.signal.stft(tf.ones([16]), frame_length=8, frame_step=4)
    >>> window = tf.signal.inverse_stft_window_fn(4)
    >>> tf.signal.inverse_stft(stfts, 8, 4, window_fn=window)[6:10].numpy().round(3).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    stfts = convert(stfts)
    if stfts.type.rank is not None and stfts.type.rank < 2:
        raise ValueError(f"`stfts` must have rank at least 2. Received: {stfts.shape}")
    length = scalar(frame_length, "frame_length")
    fft_length = enclosing_power(length) if fft_length is None else scalar(fft_length, "fft_length")
    frames = irfft(stfts, [fft_length])[..., :length]
    missing = largest(length - fft_length)
    if not isinstance(missing, int) or missing:
        frames = pad_axis(frames, -1, 0, missing)
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    return overlap_and_add(frames, frame_step)


def inverse_stft_window_fn(
    frame_step: TensorLike, forward_window_fn: Window = hann_window, name: str | None = None
) -> Window:
    """Returns the function of the window with which `tf.signal.inverse_stft` undoes
    `tf.signal.stft`.

    Args:
        frame_step: An int or scalar of integers: the distance of the beginnings of two frames.
        forward_window_fn: The `window_fn` of `tf.signal.stft`.
        name: A name for the op.

    Returns:
        A function of a length and a `dtype` that returns a 1-D tensor of that dtype.

    >>> import graphwright as tf
    >>> window = tf.signal.inverse_stft_window_fn(2)
    >>> window(4).numpy().round(3).tolist()
    [0.0, 1.0, 1.0, 1.0]
    """

    def inverse_window(frame_length: TensorLike, dtype: DTypeLike = dt.float32) -> Any:
        length, step = scalar(frame_length, "frame_length"), scalar(frame_step, "frame_step")
        forward = forward_window_fn(length, dtype=dtype)
        overlaps = -(-length // step)
        power = pad(square(forward), [[0, overlaps * step - length]])
        power = reduce_sum(reshape(power, [overlaps, step]), 0, keepdims=True)
        power = reshape(tile(power, [overlaps, 1]), [overlaps * step])
        return forward / power[:length]

    return inverse_window


# -- cosine transforms ----------------------------------------------------------------------


def dct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the discrete cosine transform of a type from 1 to 4, along the last axis.

    Args:
        input: A tensor of float32 or float64 of shape [..., samples].
        type: The type of the transform: 1, 2, 3 or 4.
        n: The size to which the last axis is cropped or padded with zeros. None means its size.
        axis: -1.
        norm: None, or "ortho" for an orthonormal transform of type 2, 3 or 4.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input` of shape [..., n].

    Raises:
        NotImplementedError: `axis` is not -1.
        ValueError: `type`, `n` or `norm` is not valid.
        TypeError: `input` is not of floats.

    >>> import graphwright as tf
    >>> tf.signal.dct([1.0, 1.0]).numpy().tolist()
    [4.0, 0.0]
    """
    check_cosine(type, n, axis, norm)
    x = convert(input)
    if not x.dtype.is_floating:
        raise TypeError(f"A cosine transform is of floats, not of {x.dtype.name}: {x!r}")
    if type == 1 and (x.type.dims or (None,))[-1] in (0, 1):
        raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    if n is not None:
        x = x[..., :n]
    size = axis_size(x, -1) if n is None else n
    if type == 1:
        x = x if n is None else pad_axis(x, -1, 0, n - axis_size(x, -1))
        return real(rfft(concat([x, reverse(x[..., 1:-1], [-1])], -1)))
    if type == 2:
        return cosine_2(x, size, norm)
    if type == 3:
        return cosine_3(x, size, norm)
    doubled = cosine_2(x, 2 * size, None)
    result = doubled[..., 1::2]
    return result if norm is None else result * (math.sqrt(0.5) * rsqrt(as_float(size, x.dtype)))


def check_cosine(type: int, n: int | None, axis: int, norm: str | None) -> None:
    """ValueError or NotImplementedError for arguments that `dct` does not take."""
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and n < 1:
        raise ValueError("n should be a positive integer or None")
    if type not in (1, 2, 3, 4):
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if type == 1 and norm == "ortho":
        raise ValueError("Normalization is not supported for the Type-I DCT.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


def as_float(size: TensorLike, dtype: DType) -> Any:
    """A size as a scalar of a floating dtype."""
    return cast(convert(size), dtype)


def twiddles(size: Size, dtype: DType, sign: float) -> Any:
    """2 exp(sign i pi k / (2 size)), for k below the size."""
    angle = cast(range(size), dtype) * (sign * math.pi / 2) / as_float(size, dtype)
    return complex(2 * cos(angle), 2 * sin(angle))


def first_and_rest(first: TensorValue, rest: TensorValue, size: Size) -> Any:
    """A vector with one value at its beginning and another in every other place."""
    return concat([reshape(first, [1]), tile(reshape(rest, [1]), [size - 1])], 0)


def cosine_2(x: TensorValue, size: Size, norm: str | None) -> Any:
    """Type 2, by the spectrum of the signal padded to twice its size."""
    y = real(rfft(x, [2 * size])[..., :size] * twiddles(size, x.dtype, -1.0))
    if norm is None:
        return y
    first = 0.5 * rsqrt(as_float(size, x.dtype))
    return y * first_and_rest(first, first * math.sqrt(2.0), size)


def cosine_3(x: TensorValue, size: Size, norm: str | None) -> Any:
    """Type 3: the transpose of type 2; the signal may be shorter than `size`."""
    count, have = as_float(size, x.dtype), axis_size(x, -1)
    if norm is None:
        x = x * count
    else:
        first = sqrt(count)
        x = x * first_and_rest(first, first * math.sqrt(0.5), have)
    spectrum = twiddles(size, x.dtype, 1.0)[:have] * complex(x, x * 0)
    return irfft(spectrum, [2 * size])[..., :size]


def idct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the inverse discrete cosine transform of a type from 1 to 4, along the last axis.

    Without `norm`, it is the inverse of `tf.signal.dct` up to a factor.

    Args:
        input: A tensor of float32 or float64 of shape [..., samples].
        type: The type of the transform that is undone: 1, 2, 3 or 4.
        n: The size to which the last axis is cropped or padded with zeros. None means its size.
        axis: -1.
        norm: None, or "ortho" for an orthonormal transform of type 2, 3 or 4.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input` of shape [..., n].

    Raises:
        NotImplementedError: `axis` is not -1.
        ValueError: `type`, `n` or `norm` is not valid.
        TypeError: `input` is not of floats.

    >>> import graphwright as tf
    >>> x = tf.signal.dct([1.0, 2.0], norm="ortho")
    >>> tf.signal.idct(x, norm="ortho").numpy().round(3).tolist()
    [1.0, 2.0]
    """
    check_cosine(type, n, axis, norm)
    return dct(input, {1: 1, 2: 3, 3: 2, 4: 4}[type], n, axis, norm)


def mdct(
    signals: TensorLike,
    frame_length: TensorLike,
    window_fn: Window | None = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the modified discrete cosine transforms of frames of signals that overlap by half.

    Args:
        signals: A tensor of float32 or float64 of shape [..., samples].
        frame_length: An int or scalar of integers, a multiple of 4: the samples of a frame.
        window_fn: A function of a length and a `dtype` that returns a window. None means no window.
        pad_end: Whether zeros complete the frames that begin before the end.
        norm: None, or "ortho" for an orthonormal transform.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `signals` of shape [..., frames, frame_length / 2].

    Raises:
        ValueError: `frame_length` is known and no multiple of 4.

    Source:
        Princen, Johnson and Bradley, "Subband/transform coding using filter bank designs based on
        time domain aliasing cancellation" (1987).

    >>> import graphwright as tf
    >>> tf.signal.mdct(tf.ones([16]), frame_length=8).shape
    TensorShape([3, 4])
    """
    length = scalar(frame_length, "frame_length")
    if isinstance(length, int) and length % 4:
        raise ValueError("The frame length must be a multiple of 4.")
    framed = frame(signals, length, length // 2, pad_end)
    framed = framed * mdct_window(window_fn, length, framed.dtype)
    a, b, c, d = split(framed, 4, axis=-1)
    folded = concat([-reverse(c, [-1]) - d, a - reverse(b, [-1])], -1)
    return dct(folded, type=4, norm=norm)


def inverse_mdct(
    mdcts: TensorLike,
    window_fn: Window | None = vorbis_window,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the signals of modified discrete cosine transforms with the same window.

    Args:
        mdcts: A tensor of float32 or float64 of shape [..., frames, frame_length / 2].
        window_fn: The `window_fn` of `tf.signal.mdct`.
        norm: The `norm` of `tf.signal.mdct`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `mdcts` of shape [..., samples]. Half a frame at each end is not
        restored.

    >>> import graphwright as tf
    >>> mdcts = tf.signal.mdct(tf.ones([16]), frame_length=8)
    >>> tf.signal.inverse_mdct(mdcts)[6:10].numpy().round(3).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    mdcts = convert(mdcts)
    half = axis_size(mdcts, -1)
    unfolded = dct(mdcts, type=4, norm=norm)
    if norm is None:
        unfolded = unfolded * (0.5 / as_float(half, mdcts.dtype))
    first, second = split(unfolded, 2, axis=-1)
    frames = concat([second, -reverse(second, [-1]), -reverse(first, [-1]), -first], -1)
    frames = frames * mdct_window(window_fn, 2 * half, mdcts.dtype)
    return overlap_and_add(frames, half)


def mdct_window(window_fn: Window | None, length: Size, dtype: DType) -> Any:
    """The window, or a rectangular one of which two overlapping squares add up to 1."""
    return math.sqrt(0.5) if window_fn is None else window_fn(length, dtype=dtype)


# -- mel scale ------------------------------------------------------------------------------


def mel(frequency: float) -> float:
    """A frequency in hertz on the mel scale."""
    return 1127.0 * math.log1p(frequency / 700.0)


def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: TensorLike = 129,
    sample_rate: TensorLike = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: DTypeLike = dt.float32,
    name: str | None = None,
) -> Tensor:
    """Returns the matrix that sums a linear spectrum into bands of the mel scale.

    The bands are triangles of equal width on the mel scale, between the two edges.

    Args:
        num_mel_bins: A positive int: the number of bands.
        num_spectrogram_bins: An int or scalar of integers: the size of the spectrum.
        sample_rate: A positive number or scalar: the samples of a second.
        lower_edge_hertz: A float of at least 0: the lower edge of the first band.
        upper_edge_hertz: A float, at most half of `sample_rate`: the upper edge of the last band.
        dtype: The dtype of the result, a float dtype.
        name: A name for the op.

    Returns:
        A tensor of `dtype` of shape [num_spectrogram_bins, num_mel_bins].

    Raises:
        ValueError: An argument is out of its range.

    >>> import graphwright as tf
    >>> m = tf.signal.linear_to_mel_weight_matrix(2, 5, 8000, 0.0, 4000.0)
    >>> m[1:3].numpy().round(2).tolist()
    [[0.6000000238418579, 0.4000000059604645], [0.0, 0.8700000047683716]]
    """
    check_whole(num_spectrogram_bins, "num_spectrogram_bins", cut=(NUMPY,))
    num_mel_bins = known_int(num_mel_bins)
    check_mel(num_mel_bins, sample_rate, lower_edge_hertz, upper_edge_hertz, as_dtype(dtype))
    dtype = as_dtype(dtype)
    bins = cast(range(1, num_spectrogram_bins), dtype)
    last = as_float(num_spectrogram_bins, dtype) - 1
    frequencies = bins * (cast(convert(sample_rate), dtype) / 2) / last
    scale = expand_dims(1127.0 * log1p(frequencies / 700.0), 1)
    low, high = mel(lower_edge_hertz), mel(upper_edge_hertz)
    step = (high - low) / (num_mel_bins + 1)
    edges = [low + step * i for i in builtins.range(num_mel_bins + 2)]
    lower, center, upper = (
        convert([edges[k : k + num_mel_bins]], dtype) for k in builtins.range(3)
    )
    rising, falling = (scale - lower) / (center - lower), (upper - scale) / (upper - center)
    return pad(maximum(0.0, minimum(rising, falling)), [[1, 0], [0, 0]])


def check_mel(bins: int, rate: object, lower: float, upper: float, dtype: DType) -> None:
    """ValueError for arguments that `linear_to_mel_weight_matrix` does not take."""
    if bins <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {bins}")
    if lower < 0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {lower}")
    if lower >= upper:
        raise ValueError(f"lower_edge_hertz {lower:.1f} >= upper_edge_hertz {upper:.1f}")
    if isinstance(rate, (int, float)):
        if rate <= 0:
            raise ValueError(f"sample_rate must be positive. Got: {rate}")
        if upper > rate / 2:
            raise ValueError(
                "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / "
                f"2). Got {upper} for sample_rate: {rate}"
            )
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {dtype!r}")


def mfccs_from_log_mel_spectrograms(
    log_mel_spectrograms: TensorLike, name: str | None = None
) -> Tensor:
    """Returns the mel-frequency cepstral coefficients of logarithmic mel spectra.

    Args:
        log_mel_spectrograms: A tensor of float32 or float64 of shape [..., bins].
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `log_mel_spectrograms`.

    Raises:
        ValueError: The last axis is of size 0.

    >>> import graphwright as tf
    >>> tf.signal.mfccs_from_log_mel_spectrograms([[1.0, 1.0]]).numpy().round(3).tolist()
    [[2.0, 0.0]]
    """
    x = convert(log_mel_spectrograms)
    size = axis_size(x, -1)
    if isinstance(size, int) and size == 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {x}")
    return dct(x, type=2) * rsqrt(as_float(size, x.dtype) * 2.0)


# -- order of frequencies -------------------------------------------------------------------


def fftshift(x: TensorLike, axes: TensorLike | None = None, name: str | None = None) -> Tensor:
    """Moves the zero frequency of a spectrum to the middle of axes.

    Args:
        x: A tensor of any dtype and shape.
        axes: An int or a list of ints. None means all axes.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> tf.signal.fftshift([0, 1, 2, -2, -1]).numpy().tolist()
    [-2, -1, 0, 1, 2]
    """
    return shifted_spectrum(convert(x), axes, 1)


def ifftshift(x: TensorLike, axes: TensorLike | None = None, name: str | None = None) -> Tensor:
    """Moves the zero frequency of a spectrum from the middle of axes to their beginning.

    Args:
        x: A tensor of any dtype and shape.
        axes: An int or a list of ints. None means all axes.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> tf.signal.ifftshift([-2, -1, 0, 1, 2]).numpy().tolist()
    [0, 1, 2, -2, -1]
    """
    return shifted_spectrum(convert(x), axes, -1)


def shifted_spectrum(x: TensorValue, axes: TensorLike | None, sign: int) -> Any:
    """Rolls axes by half of their size."""
    listed: Any = axes
    if listed is None:
        count = x.type.rank
        if count is None:
            return roll(x, shape(x) // 2 * sign, range(rank(x)))
        listed = builtins.range(count)
    if is_tensor(listed):
        return roll(x, gather(shape(x), listed % cast(rank(x), listed.dtype)) // 2 * sign, listed)
    axes_given = np.ravel(listed)
    if axes_given.dtype.kind not in "iu" and axes_given.size:
        raise TypeError(f"`axes` must be integers, got {axes}")
    chosen = tuple([int(a) for a in axes_given])
    shifts = [sign * (axis_size(x, a) // 2) for a in chosen]
    return roll(x, host_vector(shifts), chosen)
