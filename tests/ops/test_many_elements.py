"""Ops that go over large arrays in blocks, or in a form of their own: as on few elements."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf
from graphwright.ops.math import formula_blocks
from graphwright.ops.quantization.range_quantization import rounded_away

MANY = 2 * formula_blocks.SIZE + 5


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


def complex64(real, imag):
    z = np.empty(np.shape(real), np.complex64)
    z.real, z.imag = real, imag
    return z


def ulps_apart(a, b):
    """The greatest number of floats between parts that are finite in `b`; nan only where it has."""
    a, b = a.view(np.float32), b.view(np.float32)
    np.testing.assert_array_equal(np.isnan(a), np.isnan(b))
    bits = [np.abs(x).view(np.int32).astype(np.int64) * np.where(x < 0, -1, 1) for x in (a, b)]
    return np.abs(bits[0] - bits[1])[np.isfinite(b)].max()


@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "rsqrt"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
class TestComplexFunctions:
    """Of many complex64 numbers, against the same function of them as complex128, and of few."""

    def test_any_bits(self, name):
        z = np.random.default_rng(0).integers(0, 256, 8 * MANY, np.uint8).view(np.complex64)
        few = np.concatenate(
            [getattr(tf.math, name)(part).numpy() for part in np.array_split(z, MANY // 500)]
        )
        np.testing.assert_array_less(ulps_apart(getattr(tf.math, name)(z).numpy(), few), 9)

    def test_near_the_unit_circle(self, name):
        rng = np.random.default_rng(1)
        turn, length = (
            rng.uniform(-np.pi, np.pi, MANY),
            rng.choice([1, 1.001, 0.999, 1e-4, 9], MANY),
        )
        z = (np.exp(1j * turn) * length).astype(np.complex64)
        wide = getattr(tf.math, name)(z.astype(np.complex128)).numpy().astype(np.complex64)
        assert ulps_apart(getattr(tf.math, name)(z).numpy(), wide) <= 4

    def test_zeros_infinities_and_branch_cuts(self, name):
        huge = [np.inf, 3e38, 1e20, 100, 88, 1, 0.5, 1e-20, 1e-38, 1e-45, 0]
        parts = np.float32([*huge, *np.negative(huge), np.nan])
        few = complex64(*np.meshgrid(parts, parts)).ravel()
        expected = getattr(tf.math, name)(few).numpy()
        got = getattr(tf.math, name)(np.tile(few, 4)).numpy()[: few.size]
        assert ulps_apart(got, expected) <= 8
        for a, b in ((got.real, expected.real), (got.imag, expected.imag)):
            np.testing.assert_array_equal(np.signbit(a) | np.isnan(a), np.signbit(b) | np.isnan(b))


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64, tf.int32, tf.bfloat16])
@pytest.mark.parametrize("kind", ["sum", "mean", "prod", "min", "max"])
def test_long_runs_of_segments(kind, dtype):
    """Against the same segments where ids need not ascend; some have no number."""
    rng = np.random.default_rng(0)
    ids = np.sort(rng.choice([0, 3, 4, 9, 200], 1 << 13))
    data = tf.cast(rng.integers(1, 3, ids.size), dtype)
    got = getattr(tf.math, f"segment_{kind}")(data, ids)
    expected = getattr(tf.math, f"unsorted_segment_{kind}")(data, ids, 201)
    there = np.unique(ids)
    present = tf.gather(expected, there).numpy().astype(got.dtype.as_numpy_dtype)
    np.testing.assert_array_equal(tf.gather(got, there).numpy(), present)
    missing = np.delete(got.numpy(), there)
    np.testing.assert_array_equal(missing, np.full(missing.shape, kind == "prod", missing.dtype))


@pytest.mark.parametrize("last", [0, 5, 1023, 1024, 70_000])
def test_an_index_is_shuffled_alike_alone_and_among_others(last):
    every = tf.random.experimental.index_shuffle(tf.range(last + 1), [1, 2], last).numpy()
    np.testing.assert_array_equal(np.sort(every), np.arange(last + 1))
    for i in {0, last // 2, last}:
        assert tf.random.experimental.index_shuffle(i, [1, 2], last).numpy() == every[i]


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("rate", [1, 2])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_a_dilation_of_channels_is_that_of_each(stride, rate, padding):
    rng = np.random.default_rng(0)
    x = tf.constant(rng.normal(size=(2, 9, 8, 3)), tf.float32)
    filters = tf.constant(rng.normal(size=(3, 2, 3)), tf.float32)
    steps = [1, stride, stride, 1], padding, "NHWC", [1, rate, rate, 1]
    channels = [
        tf.nn.dilation2d(x[..., i : i + 1], filters[..., i : i + 1], *steps) for i in range(3)
    ]
    got = tf.nn.dilation2d(x, filters, *steps)
    np.testing.assert_array_equal(got.numpy(), tf.concat(channels, 3).numpy())


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axes", [(1, 2), (0, 1, 2), (-2, 0), (0, 2), (1,), (0, 3), (1, 3)])
@pytest.mark.parametrize("dtype", ["float16", "float32", "int32"])
def test_reductions_that_keep_the_last_axis(dtype, axes, keepdims):
    x = np.random.default_rng(3).integers(-9, 10, (5, 1, 40, 50)).astype(dtype)
    for function, reference in (
        (tf.reduce_sum, np.sum), (tf.reduce_max, np.max), (tf.reduce_mean, np.mean),
        (tf.math.reduce_euclidean_norm, lambda x, **how: np.sqrt(np.sum(np.square(x), **how))),
    ):  # fmt: skip
        expected = reference(x.astype(np.float64), axis=axes, keepdims=keepdims)
        result = function(x, axes, keepdims)
        assert result.shape == expected.shape
        assert result.dtype == dtype
        if dtype == "int32":
            expected = np.trunc(expected)
        np.testing.assert_allclose(result.numpy(), expected, 1e-3 if dtype == "float16" else 1e-6)


def test_an_axis_is_reduced_once():
    x = tf.zeros([5, 1, 40, 50])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.reduce_sum(x, (0, 0))
    with pytest.raises(ValueError, match="an axis stands twice"):
        tf.function(lambda x: tf.reduce_sum(x, (0, -4))).get_concrete_function(x)


@pytest.mark.parametrize("mode", ["MIN_COMBINED", "MIN_FIRST", "SCALED"])
def test_one_number_is_quantized(mode):
    quantized = tf.quantization.quantize(1.0, -2.0, 3.0, tf.quint8, mode=mode).output
    (expected,) = tf.quantization.quantize([1.0], -2.0, 3.0, tf.quint8, mode=mode).output.numpy()
    assert quantized.shape == ()
    assert quantized.numpy() == expected
