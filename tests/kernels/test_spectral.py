"""Laws of frames and their sums, transforms and their inverses, windows and their squares."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphwright.kernels import spectral

SMALL = st.integers(1, 6)


@given(st.integers(0, 20), SMALL, SMALL, st.booleans())
def test_overlap_and_add_is_the_adjoint_of_frame(
    size: int, length: int, step: int, pad_end: bool
) -> None:
    signal = np.random.default_rng(0).integers(-9, 9, (2, size)).astype(np.float64)
    frames = spectral.frame(signal, length, step, pad_end)
    weights = np.random.default_rng(1).integers(-9, 9, frames.shape).astype(np.float64)
    total = spectral.overlap_and_add(weights, step)
    covered = min(size, total.shape[-1])
    assert np.vdot(frames, weights) == np.vdot(signal[:, :covered], total[:, :covered])


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_transforms_invert_each_other(kind: int) -> None:
    signal = np.random.default_rng(0).normal(size=(3, 9))
    factor = 2.0 * (9 - 1 if kind == 1 else 9)
    back = spectral.idct(spectral.dct(signal, kind), kind) / factor
    np.testing.assert_allclose(back, signal, atol=1e-12)


@given(st.integers(1, 20))
def test_power_complementary_windows(half: int) -> None:
    for window in (
        spectral.vorbis_window(2 * half),
        spectral.kaiser_bessel_derived_window(2 * half, 4.0),
    ):
        np.testing.assert_allclose(window[:half] ** 2 + window[half:] ** 2, 1.0)
