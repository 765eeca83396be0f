"""Random programs that branch and loop: reverse is forward is numeric, eager is traced."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

import graphwright as tf

State = tuple[Any, Any, Any]  # three vectors of length 2

UNARY = {
    "sin": tf.sin,
    "tanh": tf.tanh,
    "half": lambda x: x / 2.0,
    "bell": lambda x: tf.exp(-x * x),
    "root": lambda x: tf.sqrt(1.0 + x * x),
    "turned": lambda x: tf.reverse(x, [0]),
    "sums": lambda x: tf.cumsum(x) / 2.0,
}
BINARY = {
    "plus": lambda x, y: (x + y) / 2.0,
    "minus": lambda x, y: x - y,
    "times": lambda x, y: tf.tanh(x * y),
    "over": lambda x, y: x / (1.0 + y * y),
    "row": lambda x, y: tf.linalg.matvec(x[:, None] * y[None, :], y) / 3.0,
    "first": lambda x, y: tf.where([True, False], x, y),
}
PLACE = st.integers(0, 2)


def blocks() -> st.SearchStrategy[Any]:
    """Statements: each names what it does, and the places in the state that it works on."""
    simple = st.one_of(
        st.tuples(st.just("unary"), PLACE, PLACE, st.sampled_from(sorted(UNARY))),
        st.tuples(st.just("binary"), PLACE, PLACE, PLACE, st.sampled_from(sorted(BINARY))),
    )

    def larger(inner: Any) -> Any:
        block = st.lists(inner, min_size=1, max_size=3)
        return st.one_of(
            st.tuples(st.just("branch"), PLACE, block, block),
            st.tuples(st.just("repeat"), st.integers(0, 3), block),
            st.tuples(st.just("until"), PLACE, block),
            st.tuples(st.just("array"), PLACE, st.integers(1, 3), block),
        )

    return st.lists(st.recursive(simple, larger, max_leaves=8), min_size=1, max_size=5)


class Run:
    """One run of a program; eagerly it notes how near a decision was to being another one."""

    def __init__(self) -> None:
        self.margin = 1.0

    def near(self, distance: Any) -> None:
        if isinstance(distance, tf.Tensor) and hasattr(distance, "numpy"):
            self.margin = min(self.margin, abs(float(distance)))

    def block(self, block: Any, state: State) -> State:
        for kind, *rest in block:
            state = getattr(self, kind)(state, *rest)
        return state

    def unary(self, state: State, target: int, source: int, name: str) -> State:
        return put(state, target, UNARY[name](state[source]))

    def binary(self, state: State, target: int, a: int, b: int, name: str) -> State:
        return put(state, target, BINARY[name](state[a], state[b]))

    def branch(self, state: State, place: int, then: Any, otherwise: Any) -> State:
        level = tf.reduce_sum(state[place]) - 0.1
        if tf.executing_eagerly():
            self.near(level)
        sides = [lambda b=b: self.block(b, state) for b in (then, otherwise)]
        return tf.cond(level > 0.0, *sides)

    def repeat(self, state: State, times: int, block: Any) -> State:
        def body(i: Any, *state: Any) -> Any:
            return (i + 1, *self.block(block, state))

        return tf.while_loop(lambda i, *_: i < times, body, (0, *state))[1:]

    def until(self, state: State, place: int, block: Any) -> State:
        """As many iterations as a tensor says."""
        level = 1.5 * tf.abs(tf.reduce_sum(state[place]))
        if tf.executing_eagerly():
            self.near(level - tf.round(level))
        return self.repeat(state, tf.cast(tf.minimum(level, 3.0), tf.int32), block)

    def array(self, state: State, place: int, times: int, block: Any) -> State:
        """What each iteration makes is kept, and added up in the end."""

        def body(i: Any, kept: Any, *state: Any) -> Any:
            state = self.block(block, state)
            return (i + 1, kept.write(i, state[place]), *state)

        kept = tf.TensorArray(tf.float64, times, element_shape=[2])
        _, kept, *after = tf.while_loop(lambda i, *_: i < times, body, (0, kept, *state))
        return put(tuple(after), place, tf.tanh(tf.reduce_sum(kept.stack(), axis=0)))


def put(state: State, place: int, value: Any) -> State:
    """The state with another value in a place."""
    return tuple([value if i == place else old for i, old in enumerate(state)])  # type: ignore


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


@settings(max_examples=30, **COMMON)
@given(blocks(), st.integers(0, 9))
def test_all_derivatives_agree(program: Any, seed: int) -> None:
    check(program, seed)


@pytest.mark.slow
@settings(max_examples=3_000, **COMMON)
@given(blocks(), st.integers(0, 99))
def test_all_derivatives_agree_at_length(program: Any, seed: int) -> None:
    check(program, seed)
