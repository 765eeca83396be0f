"""Calls and traces leave nothing behind."""

from __future__ import annotations

import gc
import tracemalloc

import pytest

import graphwright as tf


def growth(work, times):
    """Bytes that `times` repetitions leave, after as many to warm up.

    The least of three measurements: a table that happens to be enlarged meanwhile is no leak,
    and a leak shows in each.
    """
    for _ in range(times):
        work()
    return min(_growth_once(work, times) for _ in range(3))


def _growth_once(work, times):
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(times):
        work()
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return after - before


def call():
    v = tf.Variable(1.0)

    @tf.function
    def f(x, scale):
        v.assign_add(0.0)
        return {"y": x * v * scale}

    x = tf.ones([3])
    return lambda: f(x, 2.0)


def train():
    v = tf.Variable([1.0, 2.0])

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.sin(v) * v)
        v.assign_sub(0.01 * tape.gradient(loss, v))

    return step


def trace_and_drop():
    def work():
        f = tf.function(lambda x: x * 2 + 1)
        f(tf.constant(1.0))

    return work


CASES = [(call, 2_000), (train, 300), (trace_and_drop, 60)]


@pytest.mark.parametrize(("make", "times"), CASES)
def test_no_growth(make, times):
    assert growth(make(), times) < 20_000


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "times"), [(call, 1_000_000), (train, 10_000), (trace_and_drop, 10_000)]
)
def test_no_growth_over_a_long_time(make, times):
    assert growth(make(), times) < 50_000
