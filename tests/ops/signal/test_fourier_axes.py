"""Transforms along chosen axes are NumPy's: TensorFlow has no kernel of them on a CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphwright as tf

CUBE = np.random.default_rng(4).normal(size=(4, 3, 6)) + 1j
AXES: list[tuple[Any, Any]] = [
    ([0], None), ([2, 0], None), ([0, 1, 2], None), ([1, 2], [2, 4]), ([-1, 0], [8, 3]),
]  # fmt: skip


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
@pytest.mark.parametrize(("axes", "sizes"), AXES)
def test_a_transform_is_numpys(name: str, axes: Any, sizes: Any) -> None:
    x = tf.constant(CUBE.real if name == "rfftn" else CUBE)
    function = getattr(tf.signal, f"{name}d")
    for call in (function, tf.function(function)):
        for norm in (None, "ortho"):
            found = call(x, sizes, axes, norm)
            wanted = getattr(np.fft, name)(x.numpy(), sizes, axes, norm)
            assert found.dtype.as_numpy_dtype == wanted.dtype
            np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["fftnd", "ifftnd", "rfftnd", "irfftnd"])
def test_axes_that_are_not_there_are_refused(name: str) -> None:
    x = CUBE.real if name == "rfftnd" else CUBE
    for axes in ([3], [-4]):
        with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
            getattr(tf.signal, name)(x, None, axes)


def test_single_precision_stays_single() -> None:
    x = CUBE.astype(np.complex64)
    assert tf.signal.fftnd(x, axes=[0]).dtype is tf.complex64
    assert tf.signal.irfftnd(x, axes=[0]).dtype is tf.float32
    assert tf.signal.rfftnd(x.real, axes=[1]).dtype is tf.complex64
