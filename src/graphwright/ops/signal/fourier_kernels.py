"""Discrete Fourier transforms of arrays: native, axis by axis, or NumPy's.

`numpy.fft` takes long to import, so nothing here does so before it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from graphwright.ops.signal import line_transforms
from graphwright.types.arrays import Array


def complex_transform(x: Array, axes: Sequence[int], is_inverse: bool) -> Array:
    """The transform of complex numbers along axes."""
    for axis in reversed(axes):
        y = line_transforms.complex_transform(x, axis, is_inverse)
        if y is None:
            y = (np.fft.ifft if is_inverse else np.fft.fft)(x, axis=axis)
        x = y
    return x


def half_spectrum(x: Array, lengths: Sequence[int], axes: Sequence[int]) -> Array:
    """The spectrum of reals along axes, half along the last; an axis is cropped or filled up."""
    if axes[-1] in (-1, x.ndim - 1) and x.shape[-1] >= lengths[-1]:
        y = line_transforms.half_spectrum(x, lengths[-1])
    else:
        y = None
    if y is None:
        y = np.fft.rfft(x, lengths[-1], axes[-1])
    return fitted_transform(y, lengths[:-1], axes[:-1], False)


def signal(x: Array, lengths: Sequence[int], axes: Sequence[int]) -> Array:
    """The reals of a spectrum that is half along the last axis."""
    x = fitted_transform(x, lengths[:-1], axes[:-1], True)
    y = None
    if axes[-1] in (-1, x.ndim - 1) and x.shape[-1] > lengths[-1] // 2:
        y = line_transforms.signal(x, lengths[-1])
    return np.fft.irfft(x, lengths[-1], axes[-1]) if y is None else y


def fitted_transform(
    x: Array, lengths: Sequence[int], axes: Sequence[int], is_inverse: bool
) -> Array:
    """The transform of complex numbers along axes, each cropped or filled up with zeros."""
    for length, axis in zip(reversed(lengths), reversed(axes)):
        if x.shape[axis] == length:
            x = complex_transform(x, (axis,), is_inverse)
        else:
            x = (np.fft.ifft if is_inverse else np.fft.fft)(x, length, axis)
    return x


#: A transform with the lengths along its axes.
Kernel: TypeAlias = Callable[[Array, Sequence[int], Sequence[int]], Array]

#: The functions of `numpy.fft` of these names.
KERNELS: dict[str, Kernel] = {
    "fftn": lambda x, lengths, axes: fitted_transform(x, lengths, axes, False),
    "ifftn": lambda x, lengths, axes: fitted_transform(x, lengths, axes, True),
    "rfftn": half_spectrum,
    "irfftn": signal,
}
