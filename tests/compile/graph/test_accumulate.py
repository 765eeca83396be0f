"""Running sums of slices: what is added goes where the sum lies, and no bit is another."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.graph.accumulate import are_zeros
from graphwright.ir.graph import Graph
from graphwright.ops.core.creation import Const, Literal
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType

X = np.linspace(-1.0, 1.0, 40, dtype=np.float32).reshape(4, 5, 2)


def first_axis(x: Any) -> Any:
    total = tf.zeros([5, 2])
    for t in tf.range(4):
        total = tf.sin(total + x[t])
    return total


def middle_axis(x: Any) -> Any:
    total = tf.zeros([4, 2])
    for t in tf.range(5):
        total = total * 0.5 + x[:, t] * x[:, -1 - t]
    return total


def columns(x: Any) -> Any:
    total = tf.zeros([4, 2])
    for t in tf.range(5):
        total = tf.sin(total + x[:, t])
    return total


def last_axes(x: Any) -> Any:
    total = tf.zeros([4])
    for t in tf.range(5):
        total += tf.square(x[:, t, t % 2])
    return total


def carried(x: Any) -> Any:
    """A state, of which each turn reads one element twice and replaces it."""
    series, state, total = x[:, 0, 0], tf.zeros([3]), 0.0
    for t in tf.range(4):
        place, seen = t % 3, series[t]
        total += tf.square(seen - state[place])
        now = 0.5 * state[place] + tf.sin(seen)
        state = tf.tensor_scatter_nd_update(state, [[place]], [now])
    return total


def slope(function: Any) -> Any:
    def of(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    return of


@pytest.mark.parametrize("function", [first_axis, columns, last_axes])
def test_a_slice_is_added_where_the_sum_lies(function: Any) -> None:
    text = str(tf.function(slope(function)).experimental_get_compiler_ir(X)(stage="nests"))
    backwards = text[text.rindex("loop ") :]
    additions = re.findall(r"b(\d+)\[.*sum= ", backwards)
    assert len(additions) == 1
    assert not re.search(rf"load b{additions[0]}\[", backwards.split("\nnest")[0])


def test_several_slices_are_added_one_after_the_other() -> None:
    text = str(tf.function(slope(carried)).experimental_get_compiler_ir(X)(stage="nests"))
    backwards = text[text.rindex("loop ") :]
    additions = re.findall(r"b(\d+)\[.*sum= ", backwards)
    assert (len(additions), len(set(additions))) == (3, 2)  # two of the state's, one of the series'
    assert "nest [3]" not in backwards


@pytest.mark.parametrize("mode", [True, None])
@pytest.mark.parametrize("function", [first_axis, middle_axis, columns, last_axes, carried])
def test_all_bits_are_those_of_whole_additions(function: Any, mode: bool | None) -> None:
    x = np.where(X > 0.9, -0.0, X)
    native = tf.function(slope(function), jit_compile=mode)(x).numpy()
    kernels = tf.function(slope(function), jit_compile=False)(x).numpy()
    np.testing.assert_allclose(native, kernels, rtol=2e-6, atol=1e-7)
    assert (np.signbit(native) == np.signbit(kernels)).all()


def two_at(i: Any) -> Any:
    """2.0 at a place, among two zeros."""
    return tf.raw_ops.StridedSliceGrad(
        shape=[3], begin=[i], end=[i + 1], strides=[1], dy=2.0, shrink_axis_mask=1
    )


@pytest.mark.parametrize("jit", [True, False])
def test_a_sum_that_begins_with_negative_zeros_loses_them(jit: bool) -> None:
    @tf.function(jit_compile=jit)
    def summed(n: Any) -> Any:
        total = tf.constant([-0.0, -0.0, -0.0])
        for i in tf.range(n):
            total += two_at(i)
        return total

    result = summed(tf.constant(2)).numpy()
    assert result.tolist() == [2.0, 2.0, 0.0]
    assert not np.signbit(result).any()


@pytest.mark.parametrize("jit", [True, False])
def test_a_sum_that_a_turn_negates_loses_its_negative_zeros(jit: bool) -> None:
    @tf.function(jit_compile=jit)
    def summed(n: Any) -> Any:
        total = before = tf.zeros([3])
        for i in tf.range(n):
            before = total + two_at(i)
            total = -before
        return before

    result = summed(tf.constant(2)).numpy()
    assert result.tolist() == [-2.0, 2.0, 0.0]
    assert not np.signbit(result[1:]).any()


def test_negative_zeros_are_not_zeros() -> None:
    def constant(*numbers: float) -> Any:
        type_ = TensorType(dt.float32, (len(numbers),))
        literal = Literal(np.array(numbers, np.float32), type_)
        return Graph("zeros").add(Const(literal), (), (type_,)).outputs[0]

    assert are_zeros(constant(0.0, 0.0))
    assert not are_zeros(constant(0.0, -0.0))
    assert not are_zeros(constant(0.0, 1.0))
    assert not are_zeros(constant(0.0, np.nan))
