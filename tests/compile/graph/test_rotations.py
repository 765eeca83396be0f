"""Rotations along the innermost axis that share a copy of their tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.graph.rotations import with_shared_copies
from graphwright.compile.run.inspection import outside
from graphwright.ir.text import print_graph


def rolled(shifts: Sequence[int], axis: int = -1) -> Any:
    """A function that adds rotations, each times another number."""
    return lambda x: sum([(i + 2) * tf.roll(x, shift, axis) for i, shift in enumerate(shifts)], x)


@pytest.mark.parametrize("shifts", [(1, -1), (2, -1, 5), (4, 3), (-9, 100), (7, 0, 1), (0, 14)])
@pytest.mark.parametrize("shape", [(7,), (3, 7), (2, 3, 7), (5, 1), (3, 8)])
def test_rotations_have_the_elements_of_numpys(shape: tuple[int, ...], shifts: Any) -> None:
    x = np.arange(np.prod(shape), dtype=np.int32).reshape(shape) ** 2
    f = tf.function(rolled(shifts), jit_compile=True)
    expected = sum([(i + 2) * np.roll(x, s, -1) for i, s in enumerate(shifts)], x)
    np.testing.assert_array_equal(f(x), expected)
    assert not outside(f.get_concrete_function(x).graph)


def test_there_is_one_copy() -> None:
    spec = tf.TensorSpec([3, 7])
    graph = tf.function(rolled((1, -1, 2))).get_concrete_function(spec).graph
    text = print_graph(with_shared_copies(graph))
    assert text.count("ConcatV2") == 1
    assert "Roll" not in text


@pytest.mark.parametrize("axis", [0, 1, -2])
@pytest.mark.parametrize("shape", [(5, 6, 70), (1, 3, 64)])
def test_long_rows_are_read_where_they_lie(shape: tuple[int, ...], axis: int) -> None:
    x = np.arange(np.prod(shape), dtype=np.int16).reshape(shape)
    for shift in (1, -2, 4):
        f = tf.function(rolled((shift,), axis), jit_compile=True)
        np.testing.assert_array_equal(f(x), x + 2 * np.roll(x, shift, axis))
        graph = f.get_concrete_function(x).graph
        assert not outside(graph)
        rewritten = print_graph(with_shared_copies(graph))
        assert ("_RollOfRows" in rewritten) == (shift % shape[axis] > 0)


@pytest.mark.parametrize(
    ("shape", "axis", "shifts"), [([3, 7], 0, (1, -1)), ([3, 7], 1, (1,)), ([3, None], 1, (1, -1))]
)
def test_other_rotations_stay(shape: Sequence[int | None], axis: int, shifts: Any) -> None:
    graph = tf.function(rolled(shifts, axis)).get_concrete_function(tf.TensorSpec(shape)).graph
    assert with_shared_copies(graph) is graph


def test_rotations_of_strings_stay() -> None:
    f = tf.function(lambda x: tf.strings.join([tf.roll(x, 1, 0), tf.roll(x, -1, 0)]))
    graph = f.get_concrete_function(tf.TensorSpec([3], tf.string)).graph
    assert with_shared_copies(graph) is graph


@pytest.mark.parametrize("shape", [(5, 70), (6, 9), (130, 64)])
def test_a_game_of_life_goes_on_in_machine_code(shape: tuple[int, int]) -> None:
    @tf.function(jit_compile=True)
    def live(cells: Any) -> Any:
        for _ in tf.range(5):
            rows = cells + tf.roll(cells, 1, 0) + tf.roll(cells, -1, 0)
            block = rows + tf.roll(rows, 1, 1) + tf.roll(rows, -1, 1)
            stays = tf.logical_and(tf.equal(block, 4), tf.equal(cells, 1))
            cells = tf.cast(tf.logical_or(tf.equal(block, 3), stays), tf.int32)
        return cells

    cells = start = np.random.default_rng(0).integers(0, 2, shape, np.int32)
    for _ in range(5):
        around = [np.roll(cells, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
        neighbours = sum(around)
        cells = ((neighbours == 3) | ((neighbours == 2) & (cells == 1))).astype(np.int32)
    np.testing.assert_array_equal(live(start), cells)


def test_a_gradient_of_rotations() -> None:
    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum((tf.roll(x, 1, 1) - tf.roll(x, -2, 1)) ** 2)
        return tape.gradient(y, x)

    x = np.random.default_rng(0).normal(size=(3, 9))
    d = np.roll(x, 1, 1) - np.roll(x, -2, 1)
    expected = 2 * (np.roll(d, -1, 1) - np.roll(d, 2, 1))
    np.testing.assert_allclose(tf.function(f, jit_compile=True)(tf.constant(x)), expected)
