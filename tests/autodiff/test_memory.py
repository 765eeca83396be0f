"""Training holds on to nothing."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from support.growth import check_growth

import graphwright as tf


@pytest.mark.parametrize("staged", [False, True])
def test_a_thousand_steps_grow_nothing(staged: bool) -> None:
    v = tf.Variable(np.ones((8, 8), np.float32))
    x = tf.constant(np.ones((4, 8), np.float32))
    optimizer = tf.optimizers.Adam()

    def train() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(x @ v))
        optimizer.apply_gradients([(tape.gradient(loss, v), v)])

    step = tf.function(train) if staged else train
    # A tensor that stayed at each step would be 100,000.
    check_growth(step, 1000, warm_up=20, limit=20_000)


def test_ten_thousand_steps_grow_nothing() -> None:
    """With a loop and a branch in the traced step: lists, counters, their gradients."""
    v = tf.Variable([0.5, -0.25])
    optimizer = tf.optimizers.SGD(0.01, momentum=0.5)

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            y = tf.cond(v[0] > 0.25, lambda: v * 2.0, lambda: v + 1.0)
            body = lambda i, y: (i + 1, tf.sin(y) + v)  # noqa: E731
            loss = tf.reduce_sum(tf.while_loop(lambda i, _: i < 3, body, (0, y))[1])
        optimizer.apply_gradients([(tape.gradient(loss, v), v)])
        return loss

    def many() -> None:
        for _ in range(5_000):
            step()

    # Measured once or more, after as many steps: 10,000 in all.
    check_growth(many, 1, warm_up=1, limit=20_000)


@pytest.fixture
def _no_collector() -> Iterator[None]:
    """What goes, goes because nobody holds it: the collector of cycles does not run."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def watched(tape: tf.GradientTape, staged: bool) -> tuple[Any, Any, weakref.ref[Any]]:
    """A source, what depends on it, and a reference to the array between them."""
    x = tf.ones([3, 3])
    with tape:
        tape.watch(x)
        hidden = tf.tanh(x)
        call = tf.function(lambda h: tf.reduce_sum(tf.sin(h) * h))
        y = call(hidden) if staged else tf.reduce_sum(tf.sin(hidden) * hidden)
    return x, y, weakref.ref(hidden._array)


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.usefixtures("_no_collector")
def test_a_tape_lets_go_as_soon_as_it_is_used(staged: bool) -> None:
    tape = tf.GradientTape()
    x, y, hidden = watched(tape, staged)
    assert hidden() is not None
    assert tape.gradient(y, x).shape == [3, 3]
    assert hidden() is None


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.usefixtures("_no_collector")
def test_a_tape_that_can_be_asked_again_holds_on_until_it_is_gone_or_reset(staged: bool) -> None:
    tape = tf.GradientTape(persistent=True)
    x, y, hidden = watched(tape, staged)
    for _ in range(2):
        tape.gradient(y, x)
    assert hidden() is not None
    tape.reset()
    assert hidden() is None
    _, _, hidden = watched(tape, staged)
    assert hidden() is not None
    del tape
    assert hidden() is None


@pytest.mark.usefixtures("_no_collector")
def test_a_tape_holds_nothing_of_what_no_source_is_in() -> None:
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        data = tf.ones([2]) * 3.0
        scaled = data + 1.0
        y = tf.reduce_sum(v * scaled)
    unused = weakref.ref(data._array)
    del data
    assert unused() is None
    assert tape.gradient(y, v).numpy().tolist() == [4.0, 4.0]
