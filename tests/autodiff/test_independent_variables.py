"""Variables that loops and branches carry beside others leave these others' gradients alone.

Two variables are calm. Two more read them, and have infinite values and slopes. Eagerly nothing of
the latter reaches a gradient of the calm ones, so neither may zeros that meet an infinite slope.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import graphwright as tf

CALM = {
    "plus": lambda x, y: (x + y) / 2.0,
    "times": lambda x, y: tf.tanh(x * y),
    "sin": lambda x, y: tf.sin(x) - y / 3.0,
    "same": lambda x, y: x,
}
WILD = {
    "root": lambda x: tf.sqrt(x * 0.0),
    "pole": lambda x: 1.0 / (x * 0.0),
    "log": lambda x: tf.math.log(x * 0.0),
    "power": lambda x: tf.exp(1e3 + x),
    "same": lambda x: x,
}
COUNT = 4  # of variables: first the calm ones, then the wild ones


def blocks() -> st.SearchStrategy[Any]:
    """Statements: each names what it does, and the variables that it works on."""
    calm, wild = st.integers(0, 1), st.integers(2, 3)
    simple = st.one_of(
        st.tuples(st.just("calm"), calm, calm, calm, st.sampled_from(sorted(CALM))),
        st.tuples(st.just("wild"), wild, st.integers(0, 3), st.sampled_from(sorted(WILD))),
    )

    def larger(inner: Any) -> Any:
        block = st.lists(inner, min_size=1, max_size=4)
        return st.one_of(
            st.tuples(st.just("branch"), st.booleans(), block, block),
            st.tuples(st.just("repeat"), st.integers(0, 3), block),
            st.tuples(st.just("call"), block),
        )

    return st.lists(st.recursive(simple, larger, max_leaves=10), min_size=2, max_size=6)


def run(block: Any, state: Any) -> Any:
    """The variables after the statements of a block."""
    for kind, *rest in block:
        state = globals()[kind](tuple(state), *rest)
    return tuple(state)


def put(state: Any, place: int, value: Any) -> Any:
    return (*state[:place], value, *state[place + 1 :])


def calm(state: Any, target: int, a: int, b: int, name: str) -> Any:
    return put(state, target, CALM[name](state[a], state[b]))


def wild(state: Any, target: int, source: int, name: str) -> Any:
    return put(state, target, WILD[name](state[source]))


def branch(state: Any, is_first: bool, then: Any, otherwise: Any) -> Any:
    level = state[0] * 0.0 + (1.0 if is_first else -1.0)  # known only when it runs
    return tf.cond(level > 0.0, lambda: run(then, state), lambda: run(otherwise, state))


def repeat(state: Any, times: int, block: Any) -> Any:
    return tf.while_loop(
        lambda i, *_: i < times, lambda i, *state: (i + 1, *run(block, state)), (0, *state)
    )[1:]


def call(state: Any, block: Any) -> Any:
    def inner(*state: Any) -> Any:
        return run(block, state)

    return (inner if tf.executing_eagerly() else tf.function(inner))(*state)


def slopes(program: Any, start: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(start)
        first, second, *_ = program(*start)
        y = first + 2.0 * second
    return tape.gradient(y, start, unconnected_gradients="zero")


def check(block: Any) -> None:
    start = tuple([tf.constant(0.25 + 0.5 * i, tf.float64) for i in range(COUNT)])

    def program(*state: Any) -> Any:
        return run(block, state)

    expected = slopes(program, start)
    assert np.isfinite(expected).all()
    assert not np.any(expected[2:])
    np.testing.assert_allclose(slopes(tf.function(program), start), expected, rtol=1e-9)
    traced = tf.function(lambda *start: slopes(program, start))
    np.testing.assert_allclose(traced(*start), expected, rtol=1e-9)


COMMON: dict[str, Any] = {
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
    "phases": [Phase.explicit, Phase.reuse, Phase.generate],  # a program is short as it is
}


@settings(max_examples=8, **COMMON)
@given(blocks())
def test_zeros_meet_no_infinite_slope(block: Any) -> None:
    check(block)


@pytest.mark.slow
@settings(max_examples=3_000, **COMMON)
@given(blocks())
def test_zeros_meet_no_infinite_slope_at_length(block: Any) -> None:
    check(block)


LOOP = ("repeat", 2, [("wild", 2, 2, "power"), ("calm", 0, 0, 1, "times")])
SHAPES = {
    "a loop in a loop": [("repeat", 2, [LOOP])],
    "what is wild ahead of the inner loop": [("repeat", 2, [("wild", 2, 1, "root"), LOOP])],
    "what is wild ahead of both": [("wild", 2, 1, "root"), ("repeat", 2, [LOOP])],
    "a branch in a loop": [("repeat", 2, [("wild", 3, 0, "log"), ("branch", True, [LOOP], [])])],
    "a call in a loop": [("repeat", 2, [("wild", 2, 0, "root"), ("call", [LOOP])])],
    "a loop in a call": [("wild", 2, 0, "pole"), ("call", [("repeat", 1, [LOOP])])],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_loops_that_carry_what_is_infinite(shape: str) -> None:
    check(SHAPES[shape])


def test_machine_code_has_the_same_slopes() -> None:
    """The program of seed 42939 of `tests/everyday`."""

    @tf.function(jit_compile=True)
    def slope(y: Any, steps: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(y)
            second = result = y
            for _ in tf.range(2):
                for _ in tf.range(steps):
                    second = tf.abs(second * second)
                    result = result
        return tape.gradient(result, y)

    assert float(slope(tf.constant(3.0), tf.constant(4))) == 1.0
