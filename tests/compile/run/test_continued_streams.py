"""The tiers of a trace draw from the same streams of random numbers, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.run.tiers import native_runner
from graphwright.ir.execution import function_of


def noise() -> Any:
    return tf.random.uniform([2])


@tf.function
def inner(x: Any) -> Any:
    return x + tf.random.normal([2]) * noise()


def in_a_loop(x: Any) -> Any:
    for _ in tf.range(3):
        x += noise() * 2.0
        if x[0] > 1.0:
            x -= noise()
        else:
            x += tf.random.normal([2])
    return x * 1.5


def in_loops(x: Any) -> Any:
    for _ in tf.range(2):
        x += noise() + 0.5
    for _ in tf.range(2):
        x -= noise() * 0.5
        for _ in tf.range(2):
            x += inner(x)
    return x


def sampled(x: Any) -> Any:
    ids, _, _ = tf.random.learned_unigram_candidate_sampler([[1]], 1, 2, False, 9)
    return x + tf.cast(ids, tf.float32) * 2.0 + 1.0


FORMS: dict[str, Callable[[Any], Any]] = {
    "straight": lambda x: noise() * x + x * 2.0 + noise(),
    "seeded": lambda x: tf.random.uniform([2], seed=1) * x + tf.random.uniform([2], seed=1) * 3.0,
    "branch": lambda x: tf.cond(x[0] > 0.5, noise, lambda: noise() * 2.0) + x * 2.0,
    "loop": in_a_loop,
    "loops": in_loops,
    "calls": lambda x: inner(x) * 2.0 + inner(x) + 1.0,
    "map": lambda x: tf.map_fn(lambda e: e + tf.random.uniform([]), x) * 2.0,
    "dropout": lambda x: tf.nn.dropout(x, 0.5) * 2.0 + 1.0,
    "shuffle": lambda x: tf.random.shuffle(x * 2.0) + 1.0,
    "sampler": sampled,
}


def graph_of(form: str) -> Any:
    """The graph of a form, traced anew under one seed."""
    tf.random.set_seed(7)
    function = tf.function(FORMS[form]).get_concrete_function(tf.TensorSpec([2], tf.float32))
    return function.graph


@pytest.mark.parametrize("form", FORMS)
def test_the_next_tier_goes_on_where_the_last_one_was(form: str) -> None:
    x = np.array([0.25, 0.75], np.float32)
    kernels = function_of(graph_of(form))
    expected = [kernels(x)[0] for _ in range(9)]
    graph = graph_of(form)
    tiers = [function_of(graph), native_runner(graph), function_of(graph)]
    computed = [tier(x)[0] for tier in tiers for _ in range(3)]
    np.testing.assert_allclose(computed, expected, rtol=1e-6)
    assert len({value.tobytes() for value in computed}) > 1


def test_a_trace_has_other_numbers_in_each_call_while_it_becomes_native() -> None:
    @tf.function
    def program(x: Any) -> Any:
        return tf.random.uniform([], seed=1) * x + x * 0.0

    values = [float(program(tf.constant(1.0))) for _ in range(64)]
    assert len(set(values)) == 64
