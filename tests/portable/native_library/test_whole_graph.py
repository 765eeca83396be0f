"""A trace becomes a graph for machine code alone: constants in place of all that is outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.run.straight_line import build
from graphwright.portable.native_library.whole_graph import (
    foreign_arrays,
    foreign_nodes,
    whole,
)

KERNEL = tf.Variable(np.arange(6, dtype=np.float32).reshape(3, 2))
SHIFT = tf.Variable(1.0)
TABLE = tf.constant([10.0, 20.0, 30.0])


def in_a_loop(x: Any) -> Any:
    steps = 0
    while tf.reduce_sum(x) < 100.0:
        x = x * 2.0 + SHIFT
        steps += 1
    return x + SHIFT, steps


def in_branches(x: Any) -> Any:
    if tf.reduce_sum(x) > 3.0:
        return x @ KERNEL
    return x[:, :2] - SHIFT


def in_a_choice(x: Any) -> Any:
    place = tf.cast(tf.reduce_sum(x), tf.int32) % 3
    return tf.switch_case(place, [lambda: x + SHIFT, lambda: x * SHIFT, lambda: x - 3.0])


@tf.custom_gradient
def doubled(x: Any) -> Any:
    return x * 2.0, lambda g: g


@tf.function
def inner(x: Any) -> Any:
    return tf.nn.embedding_lookup(KERNEL, tf.cast(x, tf.int32) % 3) + TABLE[0]


CASES: dict[str, Callable[[Any], Any]] = {
    "variables and constants": lambda x: x @ KERNEL + TABLE[:2],
    "a loop": in_a_loop,
    "branches": in_branches,
    "a choice": in_a_choice,
    "rows of a variable": lambda x: tf.gather(KERNEL, tf.cast(x, tf.int32) % 3),
    "places of a variable": lambda x: tf.gather_nd(KERNEL, tf.cast(x[:, :2], tf.int32) % 2),
    "a call": inner,
    "a gradient of its own": lambda x: doubled(x) + 1.0,
    "a gradient": lambda x: tf.gradients(tf.reduce_sum(tf.tanh(x @ KERNEL)), x)[0],
    "a shape as a result": lambda x: (tf.shape(x), tf.shape(x)[0], tf.cast(tf.size(x), tf.int64)),
}


@pytest.mark.parametrize("name", CASES)
def test_all_of_it_is_native(name: str) -> None:
    concrete = tf.function(CASES[name]).get_concrete_function(tf.TensorSpec([None, 3]))
    graph = whole(concrete.graph)
    assert not graph.captures
    assert list(foreign_arrays(graph)) == []
    assert foreign_nodes(graph) == {}
    x = np.abs(np.random.default_rng(0).normal(size=(4, 3))).astype(np.float32)
    for result, value in zip(
        build(graph)(x), tf.nest.flatten(concrete(tf.constant(x))), strict=True
    ):
        np.testing.assert_allclose(result, value.numpy(), rtol=1e-6, atol=1e-6)


def test_constants_are_the_values_of_now() -> None:
    variable = tf.Variable(2.0)
    concrete = tf.function(lambda x: x * variable).get_concrete_function(tf.TensorSpec([]))
    before = build(whole(concrete.graph))
    variable.assign(5.0)
    after = build(whole(concrete.graph))
    one = np.float32(1.0)
    assert (before(one)[0], after(one)[0]) == (2.0, 5.0)


def test_results_have_native_types_too() -> None:
    concrete = tf.function(lambda x: (x, tf.constant("a"), tf.complex(x, x))).get_concrete_function(
        tf.TensorSpec([])
    )
    graph = whole(concrete.graph)
    assert [obstacle.reason for obstacle in foreign_arrays(graph)] == [
        "string[] has no native form",
        "complex64[] has no native form",
    ]
