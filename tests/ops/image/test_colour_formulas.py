"""Colours of images: machine code against the kernels, bit for bit but for means, and the kernels
against Python's `colorsys`."""

from __future__ import annotations

import colorsys
import functools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tiers import differences

import graphwright as tf
from graphwright.compile.run.large_operands import OperandCode
from graphwright.ops.image.color import AdjustHue, AdjustSaturation, HSVToRGB, RGBToHSV
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType

SCALAR = TensorType(dt.float32, ())


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


@pytest.mark.parametrize("function", [tf.image.rgb_to_hsv, tf.image.hsv_to_rgb])
def test_a_single_pixel_stays_a_vector(function):
    pixel = images()[0, 3, 3]
    alone, in_row = function(pixel), function(pixel[None])
    assert alone.shape == [3]
    np.testing.assert_array_equal(alone, in_row[0])


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


PIXELS = st.lists(
    st.tuples(*[st.sampled_from([0.0, 0.25, 0.5, 1.0]) | st.floats(0, 1, width=16)] * 3),
    min_size=1,
)


@given(pixels=PIXELS)
def test_spaces_are_those_of_colorsys(pixels):
    for function, reference in (
        (tf.image.rgb_to_hsv, colorsys.rgb_to_hsv), (tf.image.hsv_to_rgb, colorsys.hsv_to_rgb)
    ):  # fmt: skip
        wanted = [reference(*pixel) for pixel in pixels]
        converted = function(tf.constant(pixels, tf.float64))
        np.testing.assert_allclose(converted, wanted, rtol=1e-9, atol=1e-9)


@given(pixels=PIXELS, amount=st.floats(-1, 1, width=16), scale=st.floats(0, 3, width=16))
def test_adjustments_are_those_in_the_space_of_colorsys(pixels, amount, scale):
    moved, scaled = [], []
    for pixel in pixels:
        hue, saturation, value = colorsys.rgb_to_hsv(*pixel)
        moved.append(colorsys.hsv_to_rgb((hue + amount) % 1.0, saturation, value))
        scaled.append(colorsys.hsv_to_rgb(hue, min(saturation * scale, 1.0), value))
    row = np.array([pixels], np.float32)
    np.testing.assert_allclose(tf.image.adjust_hue(row, amount)[0], moved, atol=1e-5)
    np.testing.assert_allclose(tf.image.adjust_saturation(row, scale)[0], scaled, atol=1e-5)


EXACT = [(RGBToHSV(), []), (HSVToRGB(), []), (AdjustHue(), [0.3]), (AdjustSaturation(), [1.7])]


@functools.cache
def code_of(place, rank):
    """The machine code of an op for arrays of a rank."""
    op, others = EXACT[place]
    assert op.exact_passes
    operands = [TensorType(dt.float32, (*[None] * (rank - 1), 3)), *[SCALAR] * len(others)]
    code = OperandCode(op, operands)
    code.make()
    return code.native


@given(
    place=st.integers(0, len(EXACT) - 1),
    shape=st.lists(st.integers(1, 7), min_size=2, max_size=3),
    seed=st.integers(0, 2**32 - 1),
)
def test_machine_code_has_every_bit_of_the_kernels(place, shape, seed):
    random = np.random.default_rng(seed)
    x = random.uniform(-0.5, 1.5, (*shape, 3)).astype(np.float32)
    x[random.random(x.shape) < 0.3] = 0.5
    x[random.random(x.shape) < 0.1] = random.choice([0.0, -0.0, 1.0, np.nan, np.inf, -np.inf])
    op, others = EXACT[place]
    operands = [x, *[np.asarray(other, np.float32) for other in others]]
    with np.errstate(all="ignore"):
        expected = op.kernel(*operands)
    (result,) = code_of(place, x.ndim)(*operands)
    np.testing.assert_array_equal(result, expected)
    known = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(result)[known], np.signbit(expected)[known])
