"""Image resizing as a resampling along each axis: few weighted taps for each place of a result.

Source of the cubic convolution: Keys, "Cubic convolution interpolation for digital image
processing" (1981), by a table of 1024 steps as in TensorFlow. The antialiasing kernels (triangle,
Keys, Mitchell-Netravali, Lanczos, Gaussian) are stretched by the shrinking factor, and normalised
at the borders. Sample places are computed in float32, as TensorFlow does, so that ties fall on the
same side.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from graphwright.base.named_tuples import NamedTuple
from graphwright.ops.image import interpolation_code, resampling_code
from graphwright.ops.image.resampling_code import ResamplingPass
from graphwright.types.arrays import Array

Floats = npt.NDArray[np.float32]
Method: TypeAlias = Literal["nearest", "bilinear", "bicubic", "area"]
Centres: TypeAlias = Literal["half_pixel", "legacy", "align_corners"]

#: Programs resize to a few sizes, from a few.
_CASES = 64
_TABLE = 1024  # steps of the cubic's table between two pixels
_NEGLIGIBLE = np.float32(1000 * np.finfo(np.float32).tiny)


class Resampling(NamedTuple):
    """Along one axis: result[i] = sum over t of weights[i, t] * source[places[i, t]]."""

    places: npt.NDArray[np.intp]  # [results, taps]
    weights: Floats  # [results, taps]
    size: int  # of the source

    def stored(self) -> Resampling:
        """The same for a cache, whose arrays nobody changes and machine code reads."""
        places, weights = map(np.ascontiguousarray, self[:2])
        places.flags.writeable = weights.flags.writeable = False
        return Resampling(places, weights, self.size)

    def apply(self, array: Array, axis: int) -> Array:
        """The array resampled along an axis."""
        shape = [1] * array.ndim
        shape[axis] = -1
        result = np.take(array, self.places[:, 0], axis=axis)
        result *= self.weights[:, 0].reshape(shape)
        for tap in range(1, self.places.shape[1]):
            part = np.take(array, self.places[:, tap], axis=axis)
            part *= self.weights[:, tap].reshape(shape)
            result += part
        return result

    def transpose(self) -> Resampling:
        """The adjoint: from the gradient of the result to that of the source."""
        used = self.weights != 0
        results = np.broadcast_to(np.arange(len(self.places))[:, None], self.places.shape)[used]
        places, weights = self.places[used], self.weights[used]
        order = np.argsort(places, kind="stable")
        counts = np.bincount(places, minlength=self.size)
        starts = np.cumsum(counts) - counts
        slot = np.arange(places.size) - np.repeat(starts, counts)
        shape = (self.size, max(int(counts.max(initial=0)), 1))
        taps, shares = np.zeros(shape, np.intp), np.zeros(shape, np.float32)
        taps[places[order], slot] = results[order]
        shares[places[order], slot] = weights[order]
        return Resampling(taps, shares, len(self.places))


def resize(
    images: Array,
    sizes: tuple[int, int],
    method: Method,
    centres: Centres = "half_pixel",
) -> Array:
    """Images [batch, height, width, channels] in a new height and width.

    float32, except for "nearest", which keeps the dtype.
    """
    if method == "bilinear" and images.shape[1:3] == tuple(sizes):
        return images.astype(np.float32)
    if method == "bilinear":
        return interpolated(images, sizes, centres)
    steps = resamplings(method, images.shape[1:3], sizes, centres)
    if method == "nearest":
        return pixels(images, *[step.places for step in steps])
    return resampled(images, steps)


def pixels(images: Array, rows: npt.NDArray[np.intp], columns: npt.NDArray[np.intp]) -> Array:
    """The pixels of images at rows [n, 1] and columns [m, 1]."""
    count = len(images) * len(rows) * len(columns)
    if images.size and count and resampling_code.is_ready_for(count):
        return resampling_code.pixels(images, rows, columns)
    return images[:, rows, columns[:, 0]]


def resamplings(
    method: Method, dims: Sequence[int], sizes: Sequence[int], centres: Centres
) -> list[Resampling]:
    """How rows and columns come from those of images."""
    return [resampling(method, dims[axis], sizes[axis], centres) for axis in (0, 1)]


def resize_gradient(
    shape: tuple[int, int, int, int],
    gradient: Array,
    method: Method,
    centres: Centres = "half_pixel",
) -> Array:
    """The gradient of `resize` with respect to images of this shape, in the dtype of `gradient`."""
    steps = [resampling(method, shape[axis], gradient.shape[axis], centres) for axis in (1, 2)]
    return resampled_gradient(gradient, steps)


def interpolated(images: Array, sizes: tuple[int, int], centres: Centres) -> Array:
    """Images resampled by two taps, as float32: along rows first, each value on its way from one
    pixel to the next, as TensorFlow computes it."""
    count = images.shape[0] * sizes[0] * sizes[1] * images.shape[3]
    if images.size and interpolation_code.is_ready_for(count):
        images = interpolation_code.readable(images)
        row, column = [stride // images.itemsize for stride in images.strides[1:3]]
        grid = grid_of(images.shape[1:], tuple(sizes), centres, (row, column))
        return interpolation_code.interpolated(images, grid)
    places, shares = taps(images.shape[1:3], sizes, centres)
    result: Array = images.astype(np.float32, copy=False)
    for axis, shape in ((2, (-1, 1)), (1, (-1, 1, 1))):
        first, second = [np.take(result, part, axis=axis) for part in places[axis - 1].T]
        second -= first
        second *= shares[axis - 1].reshape(shape)
        second += first
        result = second
    return result


def taps(
    dims: Sequence[int], sizes: Sequence[int], centres: Centres
) -> tuple[list[Array], list[Array]]:
    """The two places between which each row and column lies, and how near each is to the second."""
    steps = resamplings("bilinear", dims, sizes, centres)
    return [step.places for step in steps], [step.weights[:, 1] for step in steps]


@lru_cache(maxsize=_CASES)
def grid_of(
    dims: tuple[int, ...], sizes: tuple[int, int], centres: Centres, steps: tuple[int, int]
) -> interpolation_code.PixelGrid:
    """What `taps` gives, for machine code. Each small step of NumPy lets go of the interpreter's
    lock, and waits for the other threads of a pipeline."""
    return interpolation_code.PixelGrid.of(*taps(dims[:2], sizes, centres), steps, dims)


def resampled(images: Array, steps: Sequence[Resampling]) -> Array:
    """Images [batch, height, width, channels] resampled along both axes, as float32."""
    result = images.astype(np.float32, copy=False)
    order = sorted((0, 1), key=lambda axis: len(steps[axis].places) / max(steps[axis].size, 1))
    return in_passes(result, [(axis + 1, steps[axis]) for axis in order])


def resampled_gradient(gradient: Array, steps: Sequence[Resampling]) -> Array:
    """The gradient of `resampled` with respect to the images, in the dtype of `gradient`."""
    result = gradient if gradient.dtype == np.float64 else gradient.astype(np.float32, copy=False)
    result = in_passes(result, [(axis + 1, steps[axis].transpose()) for axis in (0, 1)])
    return result.astype(gradient.dtype, copy=False)


def in_passes(images: Array, passes: Sequence[tuple[int, Resampling]]) -> Array:
    """Floats [batch, height, width, channels] resampled along axes, one after the other."""
    if images.dtype == np.float32 and images.size:
        work, shape = 0, [*images.shape]
        for axis, step in passes:
            shape[axis] = len(step.places)
            work += math.prod(shape) * step.places.shape[1]
        if work and resampling_code.is_ready_for(work):
            steps = [ResamplingPass(axis, step.places, step.weights) for axis, step in passes]
            return resampling_code.resampled(images, steps)
    for axis, step in passes:
        images = step.apply(images, axis)
    return images


@lru_cache(maxsize=_CASES)
def resampling(method: Method, size: int, count: int, centres: Centres) -> Resampling:
    """How `count` results along an axis come from `size` pixels."""
    if method == "nearest":
        return _nearest(size, count, centres).stored()
    if method == "area":
        return _area(size, count, centres).stored()
    return _TAPS[method](size, count, centres).stored()


def _scale(size: int, count: int, centres: Centres) -> np.float32:
    if centres == "align_corners" and count > 1:
        size, count = size - 1, count - 1
    scale: np.float32 = np.float32(size) / np.float32(max(count, 1))
    return scale


def _samples(size: int, count: int, centres: Centres) -> Floats:
    """Where each result lies among the pixels, of which the first has place 0."""
    numbers = np.arange(count, dtype=np.float32)
    scale, half = _scale(size, count, centres), np.float32(0.5)
    return (numbers + half) * scale - half if centres == "half_pixel" else numbers * scale


def _nearest(size: int, count: int, centres: Centres) -> Resampling:
    numbers, scale = np.arange(count, dtype=np.float32), _scale(size, count, centres)
    match centres:
        case "half_pixel":
            places = np.floor((numbers + np.float32(0.5)) * scale)
        case "align_corners":
            places = np.floor(numbers * scale + np.float32(0.5))
        case "legacy":
            places = np.floor(numbers * scale)
    bounded = np.clip(places, 0, size - 1).astype(np.intp)[:, None]
    return Resampling(bounded, np.ones(bounded.shape, np.float32), size)


def _bilinear(size: int, count: int, centres: Centres) -> Resampling:
    samples = _samples(size, count, centres)
    lower = np.floor(samples)
    share = samples - lower
    places = np.clip(np.stack([lower, np.ceil(samples)], axis=1), 0, size - 1)
    weights = np.stack([np.float32(1) - share, share], axis=1)
    return Resampling(places.astype(np.intp), weights, size)


def _bicubic(size: int, count: int, centres: Centres) -> Resampling:
    samples = _samples(size, count, centres)
    lower = np.floor(samples)
    step = np.rint((samples - lower) * np.float32(_TABLE)).astype(np.intp)
    keys = centres == "half_pixel"
    near, far = _cubic_table(-0.5 if keys else -0.75)
    weights = np.stack([far[step], near[step], near[_TABLE - step], far[_TABLE - step]], axis=1)
    around = lower.astype(np.intp)[:, None] + np.arange(-1, 3)
    places = np.clip(around, 0, size - 1)
    if keys:
        weights = _normalised(np.where(places == around, weights, np.float32(0)))
    return Resampling(places, weights, size)


def _cubic_table(a: float) -> tuple[Floats, Floats]:
    """The cubic of Keys with parameter a at 0, ..., 1 and at 1, ..., 2."""
    a, x = np.float32(a), np.arange(_TABLE + 1).astype(np.float32) / np.float32(_TABLE)
    two, three = np.float32(2), np.float32(3)
    near = ((a + two) * x - (a + three)) * x * x + np.float32(1)
    x = x + np.float32(1)
    return near, ((a * x - np.float32(5) * a) * x + np.float32(8) * a) * x - np.float32(4) * a


def _area(size: int, count: int, centres: Centres) -> Resampling:
    """Each result is the mean over the stretch of the axis that it covers."""
    scale = _scale(size, count, centres)
    numbers = np.arange(count, dtype=np.float32)
    start, stop = numbers * scale, (numbers + np.float32(1)) * scale
    first = np.floor(start).astype(np.intp)
    taps = int((np.ceil(stop).astype(np.intp) - first).max(initial=1))
    places = first[:, None] + np.arange(taps)
    covered = np.minimum(places + 1, stop[:, None]) - np.maximum(places, start[:, None])
    with np.errstate(invalid="ignore"):  # no stretch where one pixel is aligned with many
        weights = np.maximum(covered, 0).astype(np.float32) / scale
    return Resampling(np.clip(places, 0, size - 1), weights, size)


class _Kernel(NamedTuple):
    radius: float
    weigh: Callable[[Floats], Floats]


@lru_cache(maxsize=_CASES)
def scaled(
    kernel_type: str,
    size: int,
    count: int,
    scale: np.float32,
    translation: np.float32,
    antialias: bool,
) -> Resampling:
    """How `count` results come from `size` pixels of an axis that is scaled and then moved.

    The kernel lies around each sample, as wide as the shrinking needs, and ends at the borders. A
    sample outside is 0.
    """
    kernel = KERNELS[kernel_type]
    inverse = np.float32(1) / np.float32(scale)
    stretch = max(inverse, np.float32(1)) if antialias else np.float32(1)
    half, reach = np.float32(0.5), np.float32(kernel.radius) * stretch
    shift = inverse * np.float32(translation)
    samples = (np.arange(count, dtype=np.float32) + half) * inverse - shift
    first = np.maximum(np.ceil(samples - reach - half), 0).astype(np.intp)
    last = np.minimum(np.floor(samples + reach - half), size - 1).astype(np.intp)
    taps = max(int((last - first).max(initial=0)) + 1, 1)
    places = first[:, None] + np.arange(taps)
    distance = np.abs((places.astype(np.float32) + half - samples[:, None]) / stretch)
    samples = samples[:, None]
    inside = (places <= last[:, None]) & (samples >= 0) & (samples <= size)
    weights = np.where(inside, kernel.weigh(distance), np.float32(0))
    return Resampling(np.clip(places, 0, size - 1), _normalised(weights), size).stored()


def _normalised(weights: Floats) -> Floats:
    total = weights.sum(axis=1, keepdims=True, dtype=np.float32)
    usable = np.abs(total) >= _NEGLIGIBLE
    return np.where(usable, weights / np.where(usable, total, np.float32(1)), weights)


def _lanczos(radius: int) -> Callable[[Floats], Floats]:
    def weigh(x: Floats) -> Floats:
        safe = np.maximum(x, np.float32(1e-3)).astype(np.float64)
        value = radius * np.sin(np.pi * safe) * np.sin(np.pi * safe / radius) / (np.pi * safe) ** 2
        value = np.where(x <= 1e-3, 1.0, np.where(x > radius, 0.0, value))
        return value.astype(np.float32)

    return weigh


def _gaussian(x: Floats) -> Floats:
    return np.where(x >= 1.5, 0, np.exp(-2.0 * x.astype(np.float64) ** 2)).astype(np.float32)


def _triangle(x: Floats) -> Floats:
    weights: Floats = np.maximum(np.float32(1) - x, np.float32(0))
    return weights


def _keys(x: Floats) -> Floats:
    near = ((1.5 * x - 2.5) * x) * x + 1.0
    far = ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    return np.where(x >= 2, 0, np.where(x >= 1, far, near)).astype(np.float32)


def _mitchell(x: Floats) -> Floats:
    near = ((7.0 / 6.0 * x - 2.0) * x) * x + 8.0 / 9.0
    far = ((-7.0 / 18.0 * x + 2.0) * x - 10.0 / 3.0) * x + 16.0 / 9.0
    return np.where(x >= 2, 0, np.where(x >= 1, far, near)).astype(np.float32)


_TAPS: dict[str, Callable[[int, int, Centres], Resampling]] = {
    "bilinear": _bilinear,
    "bicubic": _bicubic,
}
#: What is laid around each sample, by TensorFlow's names.
KERNELS = {
    "triangle": _Kernel(1.0, _triangle),
    "keyscubic": _Kernel(2.0, _keys),
    "lanczos3": _Kernel(3.0, _lanczos(3)),
    "lanczos5": _Kernel(5.0, _lanczos(5)),
    "gaussian": _Kernel(1.5, _gaussian),
    "mitchellcubic": _Kernel(2.0, _mitchell),
}
