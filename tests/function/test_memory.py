"""Calls and traces leave nothing behind."""

from __future__ import annotations

import pytest
from support.growth import check_growth

import graphwright as tf


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
    check_growth(make(), times, warm_up=times, limit=20_000)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "times"), [(call, 1_000_000), (train, 10_000), (trace_and_drop, 10_000)]
)
def test_no_growth_over_a_long_time(make, times):
    check_growth(make(), times, warm_up=times, limit=50_000)
