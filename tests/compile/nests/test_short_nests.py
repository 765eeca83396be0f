"""Nests of a few elements in loops: straight code, for the lengths that a trace has."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from plans.faults import every
from plans.interpreter import interpret
from support.plan_cases import Planned, planned

import graphwright as tf
from graphwright.compile.llvm.llvm_module import LlvmModule
from graphwright.compile.nests.nest import (
    Buffer,
    Element,
    Linear,
    Load,
    Nest,
    Stage,
    Store,
    Straight,
)
from graphwright.compile.nests.short_nests import ShortNest, short_nest
from graphwright.compile.nests.sizes import ONE, Size
from graphwright.compile.run.options import OPTIONS
from graphwright.ops.math.transcendental import Exp


def orbits(x: Any, n: Any) -> Any:
    for _ in tf.range(n):
        slope = tf.stack([x[1], -x[0] / (tf.reduce_sum(tf.square(x[0])) + 1.0)])
        x += 0.25 * slope
    return x


def extremes(x: Any, n: Any) -> Any:
    most, least, some = x[0, 0], x[0, 0], x[0, 0] > 100.0
    for i in tf.range(n):
        y = tf.math.sin(x) * tf.cast(i, tf.float32) - x
        most, least = tf.maximum(most, tf.reduce_max(y)), tf.reduce_min(y) + tf.reduce_prod(y)
        some = some | tf.reduce_any(y > most) | ~tf.reduce_all(y > least)
        x = tf.where(y > 0.0, x * 0.5, tf.reverse(x, [0]))
    return x, most, least, some


def softmaxes(x: Any, n: Any) -> Any:
    for _ in tf.range(n):
        row = tf.nn.softmax(x[0])
        x = tf.concat([x[1:], [row - tf.reduce_mean(row)]], 0)
    return x


def single_elements(x: Any, n: Any) -> Any:
    for i in tf.range(n):
        x = tf.tensor_scatter_nd_update(x, [[i, 0]], [x[i, 1] * 2.0])
        x = tf.tensor_scatter_nd_add(x, [[i, 1]], [x[0, 0] - 1.0])
        x = tf.tensor_scatter_nd_add(x, [[i, 1], [0, 1]], [x[0, 0], 1.0])
    return x


def integers(x: Any, n: Any) -> Any:
    numbers = tf.cast(x * 8.0, tf.int32)
    for i in tf.range(n):
        rest = numbers % (i + 3)
        numbers = tf.where(rest > 1, numbers // 2, numbers + i)
    return numbers


def slopes(x: Any, n: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        total, row = x[0, 0], x[1] * 2.0
        for i in tf.range(n):
            total = tf.sin(total * row[i // 2])
    return tape.gradient(total, x)


PROGRAMS = [slopes, orbits, extremes, softmaxes, single_elements, integers]
X = np.array([[0.5, -1.0], [2.0, 0.25]], np.float32)


@pytest.mark.parametrize("mode", ["check", "sanitize"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_results_are_those_of_kernels(
    program: Callable[..., Any], mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, n = tf.constant(X), tf.constant(2)
    expected = tf.nest.flatten(tf.function(program, jit_compile=False)(x, n))
    monkeypatch.setitem(OPTIONS, "native", mode)
    results = tf.nest.flatten(tf.function(program, jit_compile=True)(x, n))
    for result, other in zip(results, expected):
        np.testing.assert_allclose(result, other, rtol=1e-6)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 7, 40])
def test_other_lengths_take_other_code(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a trace expects is asked for at run time, since traces of other sizes run its code."""
    monkeypatch.setattr(LlvmModule, "expected", lambda module, size: 3)

    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None])])
    def decayed(x: Any) -> Any:
        for _ in tf.range(3):
            x = x * 0.5 + tf.reduce_sum(x)
        return x

    x = np.linspace(-1.0, 2.0, length, dtype=np.float32)
    wanted = x.astype(np.float64)
    for _ in range(3):
        wanted = wanted * 0.5 + wanted.sum()
    np.testing.assert_allclose(decayed(tf.constant(x)), wanted, rtol=1e-5)


@pytest.mark.parametrize("mode", [None, "sanitize"])
@pytest.mark.parametrize("length", [1, 2, 3, 4, 7, 8, 9, 31, 40, 300])
def test_code_for_other_lengths_is_shared_by_nests_alike(
    length: int, mode: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LlvmModule, "expected", lambda module, size: 3)
    if mode:
        monkeypatch.setitem(OPTIONS, "native", mode)

    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([2, None])])
    def twice(x: Any) -> Any:
        for _ in tf.range(3):
            for _ in range(2):  # the second step has the code of the first for other arrays
                slope = tf.stack([x[1], -x[0] / (tf.reduce_sum(tf.square(x[0])) + 1.0)])
                x += 0.25 * slope
        return x

    x = np.linspace(-1.0, 2.0, 2 * length, dtype=np.float32).reshape(2, length)
    wanted = x.astype(np.float64)
    for _ in range(6):
        slope = np.stack([wanted[1], -wanted[0] / (np.sum(np.square(wanted[0])) + 1.0)])
        wanted = wanted + 0.25 * slope
    np.testing.assert_allclose(twice(tf.constant(x)), wanted, rtol=1e-4, atol=1e-5)


def sizes_of(case: Planned) -> Callable[[Size], int]:
    """The sizes that the arrays of a case have; negative where they are derived."""
    shapes = [np.shape(array) for array in case.arrays]
    known = {s: shapes[i][axis] for s, i, axis in case.plan.symbols}

    def value(size: Size) -> int:
        numbers = [known.get(s, -1) for s in size.symbols]
        return size.factor * math.prod(numbers) if min(numbers, default=0) >= 0 else -1

    return value


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_plans_with_short_nests_give_the_same_as_interpreted(program: Callable[..., Any]) -> None:
    case = planned(program, X, np.int32(2))
    sizes, count = sizes_of(case), 0

    def shorter(nest: Nest) -> Nest | Straight:
        nonlocal count
        short = short_nest(nest, case.plan.buffers, sizes)
        if short is None or any(s.combine or s.picks for s in short.straight.stores):
            return nest
        assert all(sizes(size) == length for size, length in short.lengths)
        count += 1
        return short.straight

    changed = every(Nest, shorter)(case.plan)
    results = [interpret(p, case.constants, case.arrays)[1] for p in (case.plan, changed)]
    for one, other in zip(*results):
        np.testing.assert_allclose(one, other, rtol=1e-6)
    assert count > 0


def test_long_dear_and_added_ones_stay_nests() -> None:
    def of(axis: int, *effects: Any, op: Any = None) -> ShortNest | None:
        load = Load(0, Linear((), (ONE,)), "f32")
        more = () if op is None else (Element(op, (0,), "f32"),)
        nest = Nest((Size(axis),), 0, (Stage((load, *more), effects),), (), False)
        buffers = [Buffer("temporary", (Size(axis),), "f32")] * 2
        return short_nest(nest, buffers, lambda size: size.factor)

    store = Store(0, 1, Linear((), (ONE,)), "f32")
    assert of(16, store) is not None
    assert of(17, store) is None
    assert of(4, store._replace(value=1), op=Exp.of()) is not None
    assert of(5, store._replace(value=1), op=Exp.of()) is None
    assert of(4, store._replace(combine="sum")) is None
