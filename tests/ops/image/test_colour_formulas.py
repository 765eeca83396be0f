"""Colours of images: machine code against the kernels, bit for bit but for means."""

from __future__ import annotations

import numpy as np
import pytest
from support.tiers import differences

import graphwright as tf


def images(dtype=np.float32):
    """Random colours, greys, black, ties, values beyond the range and what is no number."""
    random = np.random.default_rng(1).uniform(0.0, 1.0, (2, 5, 7, 3)).astype(dtype)
    random[0, 0] = random[0, 0, :, :1]
    random[0, 1] = np.round(random[0, 1] * 2.0) / 2.0
    random[0, 2] = 0.0
    random[1, 0] = random[1, 0] * 4.0 - 2.0
    random[1, 1, 0, 0], random[1, 1, 1, 1], random[1, 1, 2, 2] = np.nan, np.inf, -np.inf
    return random


def of_images(function):
    """The function of images of any size, whose channels are known to be three."""
    return lambda x: function(tf.ensure_shape(x, [None, None, None, 3]))


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize("function", [tf.image.rgb_to_hsv, tf.image.hsv_to_rgb])
def test_spaces(function, dtype, dynamic):
    assert not differences(of_images(function), [images(dtype)], dynamic, exact=True)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_adjustments(dtype, dynamic):
    x = images(dtype)
    for function in (tf.image.adjust_hue, tf.image.adjust_saturation):
        for amount in (0.3, 0.9):
            changed = of_images(lambda x: function(x, amount))  # noqa: B023
            assert not differences(changed, [x], dynamic, exact=True)
    contrast = of_images(lambda x: tf.image.adjust_contrast(x, 1.7))
    assert not differences(contrast, [x[:1]], dynamic)
