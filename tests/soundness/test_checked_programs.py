"""Random programs in the checking mode: machine code and kernels give the same, call after call."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from corpora import random_control_flow, random_programs
from corpora.random_functions import give, helper, load, sources
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

import graphwright as tf
from graphwright.compile.run.options import OPTIONS

REFUSED = (tf.errors.InvalidArgumentError, ValueError, TypeError)
COMMON: dict[str, Any] = {
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
    "phases": [Phase.explicit, Phase.reuse, Phase.generate],  # a program is short as it is
}
numbers = st.tuples(*[st.integers(-3, 5)] * 3)
pytestmark = pytest.mark.usefixtures("shared_code")


@pytest.fixture(autouse=True)
def _checking(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(OPTIONS, "native", "check")
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


def check_straight(program: Any, seed: int) -> None:
    """With full and with partial shapes; what a program may not do is refused by both tiers."""
    values = random_programs.inputs(seed)
    for spec_of in (lambda v: v, lambda v: tf.TensorSpec([None] * v.ndim, v.dtype)):
        traced = tf.function(lambda *xs: random_programs.run(program, xs), autograph=False)
        try:
            traced.get_concrete_function(*map(spec_of, values))(*values)
        except REFUSED:
            continue


def check_control_flow(program: Any, seed: int) -> None:
    """The program and its gradient."""

    @tf.function
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            state = random_control_flow.Run().block(program, tuple(tf.unstack(x)))
            y = tf.reduce_sum(tf.stack(state))
        return y, tape.gradient(y, x, unconnected_gradients="zero")

    slope(tf.constant(np.random.default_rng(seed).normal(size=(3, 2))))


def check_curvature(program: Any, seed: int) -> None:
    """The program, its gradient and the gradient of that one's length."""

    @tf.function
    def curvature(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                state = random_control_flow.Run().block(program, tuple(tf.unstack(x)))
                y = tf.reduce_sum(tf.stack(state))
            slope = inner.gradient(y, x, unconnected_gradients="zero")
            length = tf.reduce_sum(slope * slope)
        return slope, outer.gradient(length, x, unconnected_gradients="zero")

    curvature(tf.constant(np.random.default_rng(seed).normal(size=(3, 2))))


def check_tangents(program: Any, seed: int) -> None:
    """The program and its derivative along one direction."""

    @tf.function
    def tangents(x: Any, along: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x, along) as accumulator:
            state = random_control_flow.Run().block(program, tuple(tf.unstack(x)))
            y = tf.reduce_sum(tf.stack(state))
        return y, accumulator.jvp(y, unconnected_gradients="zero")

    random = np.random.default_rng(seed)
    tangents(*[tf.constant(random.normal(size=(3, 2))) for _ in range(2)])


def check_converted(source: str, values: tuple[int, int, int]) -> None:
    """Loops and branches over integers, as AutoGraph stages them."""
    import contextlib

    scope = {"helper": helper, "give": give, "context": contextlib.nullcontext}
    program = tf.function(load(source, tensor=lambda x: tf.constant(x, tf.int32), **scope))
    program(*map(tf.constant, values), tf.constant(0))


@settings(max_examples=80, **COMMON)
@given(random_programs.steps(), st.integers(0, 3))
def test_straight_programs(program: Any, seed: int) -> None:
    check_straight(program, seed)


#: Its gradient has lists that a branch gives, so that they stay, and lists of lists in these.
LOOPS_IN_A_BRANCH = [
    (
        "branch",
        1,
        [("repeat", 2, [("until", 0, [("until", 0, [("unary", 1, 2, "sin")])])])],
        [("unary", 0, 1, "half")],
    )
]


@settings(max_examples=30, **COMMON)
@example(LOOPS_IN_A_BRANCH, 3)
@given(random_control_flow.blocks(), st.integers(0, 9))
def test_branches_and_loops(program: Any, seed: int) -> None:
    check_control_flow(program, seed)


@settings(max_examples=3, **COMMON)
@given(random_control_flow.blocks(), st.integers(0, 9))
def test_second_derivatives(program: Any, seed: int) -> None:
    check_curvature(program, seed)


#: Its tangents have lists of lists of whose items no op says what shape they have.
LISTS_IN_A_BRANCH = [
    (
        "until",
        2,
        [
            (
                "branch",
                2,
                [("array", 0, 2, [("array", 0, 2, [("unary", 1, 1, "tanh")])])],
                [("unary", 0, 1, "half")],
            )
        ],
    )
]


@settings(max_examples=4, **COMMON)
@example(LISTS_IN_A_BRANCH, 7)
@given(random_control_flow.blocks(), st.integers(0, 9))
def test_tangents(program: Any, seed: int) -> None:
    check_tangents(program, seed)


@settings(max_examples=60, **COMMON)
@given(sources(tensors=True), numbers)
def test_converted_programs(source: str, values: tuple[int, int, int]) -> None:
    check_converted(source, values)


@pytest.mark.slow
@settings(max_examples=10_000, **COMMON)
@given(random_programs.steps(20), st.integers(0, 99))
def test_many_straight_programs(program: Any, seed: int) -> None:
    check_straight(program, seed)


@pytest.mark.slow
@settings(max_examples=5_000, **COMMON)
@given(random_control_flow.blocks(), st.integers(0, 99))
def test_many_branches_and_loops(program: Any, seed: int) -> None:
    check_control_flow(program, seed)


@pytest.mark.slow
@settings(max_examples=500, **COMMON)
@given(random_control_flow.blocks(), st.integers(0, 99))
def test_many_tangents(program: Any, seed: int) -> None:
    check_tangents(program, seed)


@pytest.mark.slow
@settings(max_examples=500, **COMMON)
@given(random_control_flow.blocks(), st.integers(0, 99))
def test_many_second_derivatives(program: Any, seed: int) -> None:
    check_curvature(program, seed)


@pytest.mark.slow
@settings(max_examples=5_000, **COMMON)
@given(sources(tensors=True), numbers)
def test_many_converted_programs(source: str, values: tuple[int, int, int]) -> None:
    check_converted(source, values)
