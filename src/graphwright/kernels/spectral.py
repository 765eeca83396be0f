"""Frames of signals and back, windows, cosine transforms, mel weights: beyond `numpy.fft`.

Sources: Harris, "On the use of windows for harmonic analysis" (1978) for the cosine and Kaiser
windows; the Vorbis I specification for its power-complementary window; Makhoul, "A fast cosine
transform" (1980), as in `scipy.fft`; O'Shaughnessy's mel scale, 1127 ln(1 + f / 700).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Doubles = npt.NDArray[np.float64]
Norm = Literal["ortho"] | None


def frame(
    signal: Array, length: int, step: int, pad_end: bool = False, pad_value: Any = 0, axis: int = -1
) -> Array:
    """The axis cut into frames [..., frames, length, ...], one every `step`, as a copy.

    Without padding the last incomplete frames are left out.
    """
    axis %= signal.ndim
    size = signal.shape[axis]
    moved = np.moveaxis(signal, axis, -1)
    count = -(-size // step) if pad_end else max(0, 1 + (size - length) // step)
    missing = max((count - 1) * step + length - size, 0) if count else 0
    if missing:
        pads = [(0, 0)] * (signal.ndim - 1) + [(0, missing)]
        moved = np.pad(moved, pads, constant_values=pad_value)
    if not count:
        frames = np.empty((*moved.shape[:-1], 0, length), signal.dtype)
    else:
        frames = np.lib.stride_tricks.sliding_window_view(moved, length, axis=-1)
        frames = frames[..., : (count - 1) * step + 1 : step, :]
    return np.ascontiguousarray(np.moveaxis(frames, (-2, -1), (axis, axis + 1)))


def overlap_and_add(frames: Array, step: int) -> Array:
    """The sum of frames [..., frames, length] laid one every `step`: the adjoint of `frame`.

    Frames are cut into pieces of one step, and all first pieces are added at once, then all second.
    """
    *outer, count, length = frames.shape
    pieces = -(-length // step)
    padded = np.zeros((*outer, count, pieces * step), frames.dtype)
    padded[..., :length] = frames
    padded = padded.reshape(*outer, count, pieces, step)
    total = np.zeros((*outer, count + pieces - 1, step), frames.dtype)
    for piece in range(pieces):
        total[..., piece : piece + count, :] += padded[..., piece, :]
    size = (count - 1) * step + length if count else 0
    return np.ascontiguousarray(total.reshape(*outer, -1)[..., :size])


def dct(signal: Array, kind: int = 2, norm: Norm = None, size: int | None = None) -> Array:
    """The cosine transform of kind 1 to 4 of the last axis, cut or padded to `size`."""
    from scipy import fft

    result: Array = fft.dct(signal, type=kind, n=size, norm=norm)
    return result


def idct(signal: Array, kind: int = 2, norm: Norm = None) -> Array:
    """The inverse of `dct` but for its factor: 2 and 3 undo each other; unnormalised, times 2 n."""
    from scipy import fft

    inverse = {1: 1, 2: 3, 3: 2, 4: 4}[kind]
    result: Array = fft.dct(signal, type=inverse, norm=norm)
    return result


def hann_window(length: int, periodic: bool = True) -> Doubles:
    """Raised cosine; `periodic` drops the last of one more point where the length is even."""
    return _raised_cosine(length, periodic, 0.5)


def hamming_window(length: int, periodic: bool = True) -> Doubles:
    """Raised cosine on a pedestal of 0.08."""
    return _raised_cosine(length, periodic, 0.54)


def kaiser_window(length: int, beta: float = 12.0) -> Doubles:
    """The Bessel window of Kaiser."""
    window: Doubles = np.kaiser(length, beta) if length > 1 else np.ones(length)
    return window


def kaiser_bessel_derived_window(length: int, beta: float = 12.0) -> Doubles:
    """Power-complementary, from sums of a Kaiser window."""
    sums = np.cumsum(kaiser_window(length // 2 + 1, beta))
    half = np.sqrt(sums[:-1] / sums[-1])
    return np.concatenate([half, half[::-1]])


def vorbis_window(length: int) -> Doubles:
    """The power-complementary window of Vorbis."""
    window: Doubles = np.sin(
        np.pi / 2 * np.sin(np.pi * (np.arange(length) + 0.5) / max(length, 1)) ** 2
    )
    return window


def inverse_stft_window(window: Array, step: int) -> Array:
    """What to multiply frames with, so that overlapping and adding undoes a windowed transform."""
    length = window.shape[0]
    overlaps = -(-length // step)
    energy = np.zeros(overlaps * step, window.dtype)
    energy[:length] = window**2
    total = np.tile(energy.reshape(overlaps, step).sum(axis=0), overlaps)
    total = total[:length]
    result: Array = np.divide(window, total, where=total != 0, out=np.zeros_like(window))
    return result


def mel_weights(
    mels: int = 20,
    bins: int = 129,
    sample_rate: float = 8000,
    low: float = 125.0,
    high: float = 3800.0,
) -> Doubles:
    """Triangles [bins, mels] that sum a linear spectrum to `mels` bands between two frequencies."""
    places = _mel(np.linspace(0.0, sample_rate / 2.0, bins)[1:])[:, None]
    edges = np.linspace(_mel(np.float64(low)), _mel(np.float64(high)), mels + 2)
    lower, centre, upper = edges[:-2], edges[1:-1], edges[2:]
    rising = (places - lower) / (centre - lower)
    falling = (upper - places) / (upper - centre)
    weights = np.maximum(0.0, np.minimum(rising, falling))
    return np.concatenate([np.zeros((1, mels)), weights])


def _mel(frequency: Any) -> Any:
    return 1127.0 * np.log1p(frequency / 700.0)


def _raised_cosine(length: int, periodic: bool, pedestal: float) -> Doubles:
    if length == 1:
        return np.ones(1)
    even = 1 - length % 2
    points = length + int(periodic) * even - 1
    turn = 2.0 * np.pi * np.arange(length) / points
    window: Doubles = pedestal - (1.0 - pedestal) * np.cos(turn)
    return window
