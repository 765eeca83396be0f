"""Rounding to grids: machine code against the kernels, bit for bit but for sums."""

from __future__ import annotations

import numpy as np
import pytest
from support.tiers import differences, normal

import graphwright as tf

#: Ranges, with those that 0 is moved into and one that is empty.
RANGES = [(-6.0, 6.0), (0.0, 1.0), (0.3, 2.7), (-3.0, -0.4), (-1.003, 0.998), (0.0, 0.0)]
BITS = [(8, False), (8, True), (2, False), (16, True)]


def numbers():
    x = normal(9, 6) * 3.0
    x[0] = [np.nan, np.inf, -np.inf, 0.0, -0.0, 0.5]
    return x


def taped(function):
    """The results of a function of floats, and the gradient of a sum of them."""

    def both(*operands):
        with tf.GradientTape() as tape:
            tape.watch(operands)
            y = function(*operands)
        return [y, *tape.gradient(y, operands, operands[0] * 0.7)]

    return both


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("bits", BITS, ids=str)
def test_between_constants(bits, dynamic):
    for low, high in RANGES[:-1]:
        function = lambda x: tf.quantization.fake_quant_with_min_max_args(x, low, high, *bits)  # noqa: B023, E731
        assert not differences(taped(function), [numbers()], dynamic, exact=True)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("bits", BITS, ids=str)
def test_between_tensors(bits, dynamic):
    one = lambda x, a, b: tf.quantization.fake_quant_with_min_max_vars(x, a, b, *bits)  # noqa: E731
    for pair in RANGES:
        bounds = [np.float32(bound) for bound in pair]
        assert not differences(one, [numbers(), *bounds], dynamic, exact=True)
        assert not differences(taped(one), [numbers()[1:], *bounds], dynamic)
    many = lambda x, a, b: tf.quantization.fake_quant_with_min_max_vars_per_channel(x, a, b, *bits)  # noqa: E731
    bounds = list(np.asarray(RANGES, np.float32).T)
    assert not differences(many, [numbers(), *bounds], dynamic, exact=True)
    assert not differences(taped(many), [numbers()[1:], *bounds], dynamic)


@pytest.mark.parametrize("axis", [-1, 1])
def test_a_negative_axis_has_a_range_for_each_place(axis: int) -> None:
    """Values from TensorFlow 2.21."""
    x = [[1.0, 2.0, 3.0], [10.0, -20.0, 7.0]]
    result = tf.quantization.quantize_and_dequantize_v2(
        x, -1.0, 4.0, range_given=False, narrow_range=True, axis=axis
    )
    wanted = [[1.0236220359802246, 2.047244071960449, 2.9763779640197754], [10.0, -20.0, 7.0]]
    assert result.numpy().tolist() == wanted
