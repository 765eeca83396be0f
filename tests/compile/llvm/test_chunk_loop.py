"""Last chunks that overlap those before: every element is what a kernel computes, in place too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphwright as tf
from graphwright.compile.llvm.chunk_loop import ChunkLoop
from graphwright.compile.llvm.render import render
from graphwright.compile.run.tiers import native


def in_place(x: Any, y: Any) -> Any:
    for _ in tf.range(4):
        x = x * 3 + y
    return x


def stencil(x: Any, y: Any) -> Any:
    for _ in tf.range(3):
        x = tf.concat([x[..., :1], x[..., :-2] - x[..., 2:] + y[..., 1:-1], x[..., -1:]], -1)
    return x


def in_turn(x: Any, y: Any) -> Any:
    for _ in tf.range(3):
        x, y = y - x, x * 2
    return x, y


def chosen(x: Any, y: Any) -> Any:
    for i in tf.range(3):
        x = tf.where(x > y, x - y, x + tf.cast(i, x.dtype))
    return x


def rows(x: Any, y: Any) -> Any:
    x = x * 2
    total = tf.reduce_sum(x, -1, keepdims=True)
    return x - total, tf.reduce_max(x * y, 0)


def after_extremes(x: Any, y: Any) -> Any:
    for _ in range(3):
        x = x * 2 + y
        x = x - tf.reduce_min(x, -1, keepdims=True)
        x = x * 3 + tf.reduce_max(x, -1, keepdims=True)
    return x


def looked_up(x: Any, y: Any) -> Any:
    size = tf.shape(x)[-1]
    places = tf.range(size - 1, -1, -1)
    for _ in tf.range(2):
        x = tf.gather(x, places, axis=-1) + y
    return x


PROGRAMS: list[Callable[[Any, Any], Any]] = [
    in_place,
    stencil,
    in_turn,
    chosen,
    rows,
    after_extremes,
    looked_up,
]
DTYPES = ["float32", "float64", "int32", "int8"]


def computed(program: Callable[[Any, Any], Any], *arrays: Any, native: bool) -> list[Any]:
    function = tf.function(program, jit_compile=native)
    return [t.numpy() for t in tf.nest.flatten(function(*map(tf.constant, arrays)))]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@settings(max_examples=12)
@given(outer=st.integers(1, 3), size=st.integers(3, 150), seed=st.integers(0, 99))
def test_each_element_is_a_kernels(
    program: Any, dtype: str, outer: int, size: int, seed: int
) -> None:
    random = np.random.RandomState(seed)
    x, y = random.randint(-4, 5, (2, outer, size)).astype(dtype)
    expected = computed(program, x, y, native=False)
    for a, b in zip(expected, computed(program, x, y, native=True)):
        np.testing.assert_array_equal(a, b)


def waves(factor: float) -> Callable[[Any, Any], Any]:
    """A program with results in the memory of operands; no two have the same code."""

    def program(x: Any, y: Any) -> Any:
        x = tf.cumsum(x, -1)
        for _ in tf.range(3):
            x = tf.sin(x) * factor + y
        return x

    return program


@pytest.mark.parametrize("is_told", [True, False])
def test_results_in_the_memory_of_operands_are_told_apart(
    is_told: bool, monkeypatch: pytest.MonkeyPatch, usual_tiers: None
) -> None:
    """Else elements would be computed twice, which the mode `check` would refuse."""
    if not is_told:
        monkeypatch.setattr(ChunkLoop, "shared", lambda loop: [])
    program = waves(2.0 + is_told)
    x = np.random.RandomState(0).randint(-4, 5, (3, 45)).astype(np.float32)
    (expected,) = computed(program, x, x, native=False)
    (result,) = computed(program, x, x, native=True)
    assert np.allclose(result, expected, rtol=1e-4) == is_told


def test_a_stage_of_many_arrays_compares_few_addresses(usual_tiers: None) -> None:
    def program(x: Any) -> Any:
        return [x[i] * 2.0 + x[i + 1] for i in range(39)]

    graph = tf.function(program).get_concrete_function(tf.TensorSpec([40, 77])).graph
    texts = [render(op.lowered[0])[0] for op in native(graph).source.segments]
    assert sum(text.count("icmp eq ptr") for text in texts) < 39 * 16
