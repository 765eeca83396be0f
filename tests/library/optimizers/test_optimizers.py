"""Optimizers and schedules against what Keras 3 does (recorded)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpora.optimizers import OPTIMIZERS, ROUNDS, SCHEDULES, STEPS, train

import graphwright as tf

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "optimizers.json").read_text())


def made(name: str) -> Any:
    kind, options = OPTIMIZERS[name]
    return getattr(tf.optimizers, kind)(**options)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps_are_those_of_keras(name: str) -> None:
    for got, wanted in zip(train(tf, made(name)), GOLDEN["trained"][name]):
        np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize(
    "name", ["adam amsgrad", "rmsprop centered", "sgd nesterov", "adam gathered ema"]
)
def test_slots_are_made_inside_a_function(name: str) -> None:
    optimizer = made(name)
    v, w = tf.Variable([1.0, -2.0, 0.5]), tf.Variable([[0.25, 3.0]])

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v) + tf.reduce_sum(tf.sin(w) * v[0])
        optimizer.apply_gradients(zip(tape.gradient(loss, [v, w]), [v, w]))
        return loss

    for _ in range(ROUNDS):
        step()
    wanted = GOLDEN["trained"][name]
    np.testing.assert_allclose(v, wanted[0], rtol=2e-5, atol=1e-6)
    np.testing.assert_allclose(w, wanted[1], rtol=2e-5, atol=1e-6)
    assert int(optimizer.iterations) == ROUNDS // (optimizer.gradient_accumulation_steps or 1)
    assert step.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("name", SCHEDULES)
def test_rates_are_those_of_keras(name: str) -> None:
    kind, args, options = SCHEDULES[name]
    schedule = getattr(tf.optimizers.schedules, kind)(*args, **options)
    rates = [float(schedule(tf.constant(step, tf.int64))) for step in STEPS]
    np.testing.assert_allclose(rates, GOLDEN["rates"][name], rtol=1e-5, atol=1e-8)


def test_a_schedule_follows_the_iterations() -> None:
    optimizer = tf.optimizers.SGD(tf.optimizers.schedules.PiecewiseConstantDecay([0, 1], [4, 2, 1]))
    v = tf.Variable(0.0)
    seen = []
    for _ in range(3):
        optimizer.apply_gradients([(tf.constant(1.0), v)])
        seen.append(float(v))
    assert seen == [-4.0, -6.0, -7.0]
    with pytest.raises(TypeError, match="not settable"):
        optimizer.learning_rate = 0.1


def test_the_rate_can_be_set() -> None:
    optimizer = tf.optimizers.SGD(0.5)
    v = tf.Variable(0.0)
    step = tf.function(lambda: optimizer.apply_gradients([(tf.constant(1.0), v)]))
    step()
    optimizer.learning_rate = 0.25
    step()
    assert float(v) == -0.75


@pytest.mark.parametrize("options", [{}, {"momentum": 0.5}])
def test_sparse_gradients_do_what_dense_ones_do(options: dict[str, Any]) -> None:
    ends = []
    for sparse in (True, False):
        table = tf.Variable(np.ones([4, 2], np.float32))
        optimizer = tf.optimizers.SGD(0.1, **options)
        for _ in range(2):
            rows = tf.IndexedSlices(
                tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
                tf.constant([1, 3, 1]),
                tf.constant([4, 2]),
            )
            gradient = rows if sparse else tf.convert_to_tensor(rows)
            optimizer.apply_gradients([(gradient, table)])
        ends.append(table.numpy())
    np.testing.assert_allclose(*ends, rtol=1e-6)


#: Rows 1 and 2 after two steps along rows at the indices 1, 2, 1, 2, 1: Keras's numbers.
REPEATED: dict[str, tuple[Any, list[float]]] = {
    "Adam": (lambda: tf.optimizers.Adam(0.5),
             [0.375, 0.159624, -0.018251, 0.75, 0.435576, 0.2292]),
    "RMSprop": (lambda: tf.optimizers.RMSprop(0.5),
                [0.375, -0.542594, -1.345318, 0.75, -0.470983, -1.361011]),
    "centered": (lambda: tf.optimizers.RMSprop(0.5, momentum=0.5, centered=True),
                 [0.375, -0.826606, -1.933665, 0.75, -0.84656, -2.105541]),
    "Adagrad": (lambda: tf.optimizers.Adagrad(0.5),
                [0.375, 0.174024, 0.008533, 0.75, 0.461415, 0.270623]),
    "clipnorm": (lambda: tf.optimizers.Adam(0.5, clipnorm=1.0),
                 [0.375, 0.153595, -0.029645, 0.75, 0.427795, 0.215549]),
    "clipvalue": (lambda: tf.optimizers.Adam(0.5, clipvalue=0.5),
                  [0.375, 0.097831, 0.047656, 0.75, 0.875, 0.683505]),
    "global_clipnorm": (lambda: tf.optimizers.Adam(0.5, global_clipnorm=1.0),
                        [0.375, -0.499976, -0.374984, 0.75, -0.124968, 2e-05]),
    "SGD with clipnorm": (lambda: tf.optimizers.SGD(0.5, clipnorm=1.0),
                          [0.375, 0.325333, 0.275667, 0.75, 0.758555, 0.767111]),
}  # fmt: skip


@pytest.mark.parametrize("name", REPEATED)
def test_repeated_indices_count_as_in_keras(name: str) -> None:
    make, wanted = REPEATED[name]
    optimizer = make()
    table = tf.Variable(np.arange(12, dtype=np.float32).reshape(4, 3) / 8)
    rows = (np.arange(15, dtype=np.float32).reshape(5, 3) - 6) / 4
    for step in (1, 2):
        gradient = tf.IndexedSlices(
            tf.constant(rows * step), tf.constant([1, 2, 1, 2, 1]), tf.constant([4, 3])
        )
        optimizer.apply_gradients([(gradient, table)])
    np.testing.assert_allclose(tf.reshape(table[1:3], [-1]), wanted, atol=3e-6)


def test_missing_gradients_and_unknown_variables() -> None:
    v, w = tf.Variable(1.0), tf.Variable(1.0)
    optimizer = tf.optimizers.Adam()
    with pytest.raises(ValueError, match="No gradients provided for any variable"):
        optimizer.apply_gradients([(None, v)])
    optimizer.build([v])
    with pytest.raises(ValueError, match="Unknown variable"):
        optimizer.apply_gradients([(tf.constant(1.0), w)])
    with pytest.raises(ValueError, match="Only one of"):
        tf.optimizers.SGD(clipnorm=1.0, clipvalue=1.0)
    with pytest.raises(ValueError, match="must already be built"):
        tf.optimizers.SGD().apply([tf.constant(1.0)])


def test_constraints_hold_after_a_step() -> None:
    v = tf.Variable(0.1, constraint=lambda x: tf.maximum(x, 0.0))
    tf.optimizers.SGD(1.0).apply_gradients([(tf.constant(1.0), v)])
    assert float(v) == 0.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"use_ema": True, "ema_momentum": 1.5}, r"`ema_momentum` must be in the range \[0, 1\]"),
        ({"use_ema": True, "ema_overwrite_frequency": -1}, "`ema_overwrite_frequency` must be"),
        ({"gradient_accumulation_steps": 1}, "`gradient_accumulation_steps` must be an integer"),
    ],
)
def test_settings_that_make_no_sense_are_refused(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tf.optimizers.SGD(**options)


def test_a_scaled_loss_trains_as_the_loss_does() -> None:
    seen = []
    for scale in (None, 1024.0):
        v = tf.Variable([1.0, 2.0])
        optimizer = tf.optimizers.SGD(0.1, loss_scale_factor=scale)
        with tf.GradientTape() as tape:
            loss = optimizer.scale_loss(tf.reduce_sum(tf.gather(v, [0, 0, 1]) ** 2))
        optimizer.apply_gradients([(tape.gradient(loss, v), v)])
        seen.append(v.numpy().tolist())
    assert seen[0] == seen[1]


def test_a_variable_that_is_an_argument_is_trained() -> None:
    optimizer = tf.optimizers.SGD(0.5)

    @tf.function
    def step(v: Any) -> None:
        with tf.GradientTape() as tape:
            loss = v * v
        optimizer.apply_gradients([(tape.gradient(loss, v), v)])

    v = tf.Variable(2.0)
    step(v)
    assert float(v) == 0.0
