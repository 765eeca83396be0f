"""What a training step is made of: its gradients, its products, and what it changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.diagnosis.step_costs import costs_of, gradients_of
from graphwright.diagnosis.step_watch import CallTimes, StepWatch, TrainingGraph

SHAPES = [[6, 4], [4, 8], [8, 3]]

OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "adam": tf.optimizers.Adam,
    "amsgrad": lambda: tf.optimizers.Adam(amsgrad=True, weight_decay=0.1),
    "momentum": lambda: tf.optimizers.SGD(0.1, momentum=0.9, nesterov=True),
    "rms": lambda: tf.optimizers.RMSprop(centered=True),
    "adagrad": tf.optimizers.Adagrad,
}


def watched(make: Callable[[], Any], nested: bool = False) -> tuple[CallTimes, Any, list[str]]:
    """A step that is watched, and the names of its gradients."""
    random = np.random.default_rng(0)
    weights = [tf.Variable(random.normal(size=shape).astype("f")) for shape in SHAPES]
    bias = tf.Variable(tf.zeros([3]))
    optimizer = make()
    names: list[str] = []

    def train(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = x
            for w in weights:
                y = tf.tanh(y @ w)
            loss = tf.reduce_sum((y + bias) ** 2)
        gradients = tape.gradient(loss, [*weights, bias])
        names[:] = [gradient.name for gradient in gradients]
        optimizer.apply_gradients(zip(gradients, [*weights, bias]))
        return loss

    inner = tf.function(train)
    step = tf.function(lambda x: inner(x) * 2.0) if nested else inner
    watch = StepWatch()
    with watch.watching():
        tf.function(lambda x: x + 1.0)(tf.constant(1.0))  # it trains nothing
        for _ in range(8):
            step(tf.ones([5, 6]))
    result = watch.step()
    assert result is not None
    return *result, names


def changed(training: TrainingGraph) -> list[Any]:
    """The trainable variables of a step."""
    return [v for v in training.variables.values() if v.trainable]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_gradients_are_those_of_the_tape(name: str) -> None:
    _, training, names = watched(OPTIMIZERS[name])
    pairs = list(gradients_of(training, changed(training)))
    assert sorted(value.name for _, value in pairs) == sorted(names)
    for variable, value in pairs:
        assert value.type.dims == variable.type.dims


@pytest.mark.parametrize("nested", [False, True])
def test_costs_are_those_of_the_step(nested: bool) -> None:
    calls, training, _ = watched(tf.optimizers.Adam, nested)
    calls.seconds[:] = [2.0]
    costs = costs_of(calls, training)
    weights = 4 * (24 + 32 + 24 + 3)
    assert (costs.seconds, costs.weights) == (2.0, weights)
    assert costs.state == 2 * weights + 8  # two slots, and the count of steps
    assert [g.nbytes for g in costs.gradients if g.nbytes > 12] == [96, 128, 96]  # the last first
    ready = [gradient.ready for gradient in costs.gradients]
    assert ready == sorted(ready)
    assert 0.0 < ready[0] < ready[-1] == pytest.approx(2.0 - costs.update)
    assert costs.update > 0.0
    shapes = [(p.rows, p.columns, p.nbytes, p.result, p.slope) for p in costs.products]
    assert shapes == [(6, 4, 96, 80, 0), (4, 8, 128, 160, 80), (8, 3, 96, 60, 160)]
    assert costs.values >= 160
    assert 0.0 < sum(product.seconds for product in costs.products) < 2.0


def test_a_program_that_trains_nothing_has_no_step() -> None:
    watch = StepWatch()
    with watch.watching():
        f = tf.function(lambda x: x + 1.0)
        for _ in range(8):
            f(tf.constant(1.0))
    assert watch.step() is None
    assert watch.calls[id(f)].count == 8
