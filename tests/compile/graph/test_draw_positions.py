"""Draws from streams become positions of these and machine code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.graph.simplify import simplify
from graphwright.compile.run.tiers import native_runner
from graphwright.compile.select.segments import partition
from graphwright.ir.execution import function_of
from graphwright.ir.graph import Graph

Draw = Callable[[Any], Any]

MADE: dict[str, Draw] = {
    "uniform": lambda x: tf.random.uniform([3]) * x,
    "doubles": lambda x: tf.cast(tf.random.uniform([3], dtype=tf.float64) * 2.0, tf.float32) * x,
    "normal": lambda x: tf.random.normal([2, 3], stddev=2.0) * x,
    "dropout": lambda x: tf.nn.dropout(x, 0.25) * 2.0,
}
LEFT: dict[str, Draw] = {
    "of an unknown size": lambda x: tf.random.uniform(tf.shape(x)) * x,
    "halves": lambda x: tf.cast(tf.random.uniform([3], dtype=tf.float16), tf.float32) * x,
    "normal doubles": lambda x: tf.cast(tf.random.normal([3], dtype=tf.float64), tf.float32) * x,
}


def graph_of(draw: Draw, *dims: int | None) -> Graph:
    """The graph of a function of one tensor, under one seed."""
    tf.random.set_seed(3)
    graph: Graph = tf.function(draw).get_concrete_function(tf.TensorSpec(dims)).graph
    return graph


def draws_in(graph: Graph) -> set[str]:
    """The kinds of nodes outside machine code that draw."""
    names = {node.op.type_name for node in partition(simplify(graph)).nodes}
    return {name for name in names if "Random" in name or "Draw" in name}


@pytest.mark.parametrize("draw", MADE.values(), ids=MADE)
def test_a_draw_is_a_position_and_machine_code(draw: Draw) -> None:
    assert draws_in(graph_of(draw, 3)) == {"_DrawPosition"}


@pytest.mark.parametrize("draw", LEFT.values(), ids=LEFT)
def test_other_draws_stay_kernels(draw: Draw) -> None:
    assert "_DrawPosition" not in draws_in(graph_of(draw, None))


@pytest.mark.parametrize("kind", ["uniform", "normal"])
def test_the_numbers_are_those_of_kernels_bit_by_bit(kind: str) -> None:
    def draw(x: Any) -> Any:
        return getattr(tf.random, kind)([100_003]) * x

    one = np.ones((), np.float32)
    kernels, native = function_of(graph_of(draw)), native_runner(graph_of(draw))
    for _ in range(3):
        np.testing.assert_array_equal(native(one)[0], kernels(one)[0])
