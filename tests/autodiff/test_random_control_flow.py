"""Random programs that branch and loop: reverse is forward is numeric, eager is traced."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest
from corpora.random_control_flow import Run, blocks
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

import graphwright as tf


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    """Each program is traced several times, on purpose."""
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


def check(program: Any, seed: int) -> None:
    random = np.random.RandomState(seed)
    at, along = random.normal(size=(3, 2)), random.normal(size=(3, 2))

    def value(x: Any, run: Run | None = None) -> Any:
        state = (run or Run()).block(program, tuple(tf.unstack(x)))
        return tf.reduce_sum(tf.stack(state) * [[1.0, 0.5], [0.25, -1.0], [0.75, 2.0]])

    def reverse(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = value(x)
        return y, tape.gradient(y, x, unconnected_gradients="zero")

    def forward(x: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x, tf.constant(along)) as accumulator:
            y = value(x)
        return accumulator.jvp(y, unconnected_gradients="zero")

    def from_outside(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.function(value)(x)
        return tape.gradient(y, x, unconnected_gradients="zero")

    run = Run()
    value(tf.constant(at), run)
    assume(run.margin > 1e-4)
    x = tf.constant(at)
    y, slope = reverse(x)
    ends = [float(value(tf.constant(at + shift * along))) for shift in (1e-6, -1e-6)]
    directional = np.sum(slope.numpy() * along)
    np.testing.assert_allclose(directional, (ends[0] - ends[1]) / 2e-6, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(forward(x), directional, rtol=1e-9, atol=1e-11)
    traced_y, traced_slope = tf.function(reverse)(x)
    np.testing.assert_allclose(traced_y, y, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(traced_slope, slope, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(from_outside(x), slope, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(tf.function(forward)(x), directional, rtol=1e-9, atol=1e-11)


COMMON: dict[str, Any] = {
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
    "phases": [Phase.explicit, Phase.reuse, Phase.generate],  # a program is short as it is
}


@settings(max_examples=15, **COMMON)
@given(blocks(), st.integers(0, 9))
def test_all_derivatives_agree(program: Any, seed: int) -> None:
    check(program, seed)


@pytest.mark.slow
@settings(max_examples=3_000, **COMMON)
@given(blocks(), st.integers(0, 99))
def test_all_derivatives_agree_at_length(program: Any, seed: int) -> None:
    check(program, seed)
