"""Long programs are cut at the same place in every turn of an unrolled loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from compile.llvm.test_shared_functions import numbers, text_of

import graphwright as tf
from graphwright.compile.nests.chapters import LONGEST, chapters
from graphwright.op.op_families import Elementwise
from graphwright.ops.core.creation import Const, Placeholder


def pairs(x: Any) -> Any:
    return x * 0.5 + 0.25


def dozen(x: Any) -> Any:
    """A body of a dozen ops, whose values are read far apart."""
    a = tf.tanh(x) * x
    b = tf.exp(-a) + x
    c = tf.maximum(b, x) - a
    return tf.sqrt(tf.abs(c)) * 0.5 + tf.sin(b)


def rows(x: Any) -> Any:
    """A body with reductions of rows."""
    return tf.nn.relu(x - tf.reduce_mean(x, -1, keepdims=True)) + x * 0.1


BODIES = [pairs, dozen, rows]


def unrolled(body: Callable[[Any], Any], turns: int) -> Callable[[Any], Any]:
    def program(x: Any) -> Any:
        for _ in range(turns):
            x = body(x)
        return x

    return program


def nodes_of(program: Callable[[Any], Any]) -> list[Any]:
    graph = tf.function(program).get_concrete_function(tf.TensorSpec([8, 24])).graph
    return [n for n in graph.nodes if not isinstance(n.op, (Placeholder, Const))]


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.__name__)
def test_chapters_begin_alike(body: Callable[[Any], Any]) -> None:
    nodes = nodes_of(unrolled(body, 100))
    numbers_ = chapters(nodes, lambda node: isinstance(node.op, Elementwise))
    starts = [i for i in range(1, len(nodes)) if numbers_[i] != numbers_[i - 1]]
    lengths = np.diff([0, *starts, len(nodes)])
    assert len(starts) > 1
    assert lengths.max() <= LONGEST
    assert len({tuple(n.op.type_name for n in nodes[i : i + 8]) for i in starts}) == 1
    assert len(set(lengths[:-1])) == 1


def test_short_programs_have_one_chapter() -> None:
    nodes = nodes_of(unrolled(pairs, 4))
    assert set(chapters(nodes, lambda node: True)) == {0}
    assert chapters([], lambda node: True) == []


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.__name__)
def test_code_of_a_long_loop_does_not_grow(body: Callable[[Any], Any], usual_tiers: None) -> None:
    turns = LONGEST // (len(nodes_of(body)) - 1)  # of a chapter; a function has one more node
    functions = [text_of(unrolled(body, turns * k)).count("\ndefine ") for k in (3, 6)]
    assert functions[0] == functions[1]


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.__name__)
def test_a_long_loop_computes_what_kernels_do(body: Callable[[Any], Any]) -> None:
    x = tf.constant(numbers(8, 24))
    expected = tf.function(unrolled(body, 30), jit_compile=False)(x).numpy()
    computed = tf.function(unrolled(body, 30), jit_compile=True)(x).numpy()
    np.testing.assert_allclose(computed, expected, rtol=1e-3, atol=1e-4)
