"""Ops that go over large arrays in blocks, or in a form of their own: as on few elements."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf
from graphwright.kernels import blocks
from graphwright.ops.quantization import rounded_away

MANY = 2 * blocks.SIZE + 5


def test_halves_are_rounded_away_from_zero():
    halves = np.arange(-9.5, 10.5, 0.5, dtype=np.float32)
    whole = np.float32([2**22, 2**23, 2**24, 2**31, 3e38, np.inf])
    x = np.concatenate([halves, whole, -whole])
    x = np.concatenate(
        [x, np.nextafter(x, np.float32(0)), np.nextafter(x, np.copysign(np.float32(np.inf), x))]
    )
    expected = np.sign(x) * np.floor(np.abs(x.astype(np.longdouble)) + 0.5)
    np.testing.assert_array_equal(rounded_away(x), expected)
    assert np.isnan(rounded_away(np.float32([np.nan]))).all()


@pytest.mark.parametrize("mode", ["MIN_COMBINED", "MIN_FIRST", "SCALED"])
@pytest.mark.parametrize("dtype", [tf.qint8, tf.quint8, tf.qint32])
def test_quantized_blocks_are_those_of_the_whole(mode, dtype):
    x = np.linspace(-5, 5, MANY, dtype=np.float32)
    got = tf.quantization.quantize(x, -4.0, 3.0, dtype, mode=mode).output
    parts = [
        tf.quantization.quantize(part, -4.0, 3.0, dtype, mode=mode).output.numpy()
        for part in np.array_split(x, 7)
    ]
    np.testing.assert_array_equal(got.numpy(), np.concatenate(parts))
