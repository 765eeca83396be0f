"""Strategies of one device, and what they refuse."""

from __future__ import annotations

import subprocess
import sys

import pytest

import graphwright as tf


def test_other_strategies_refuse() -> None:
    for name in ("TPUStrategy", "ParameterServerStrategy"):
        kind = getattr(tf.distribute, name)
        with pytest.raises(ValueError, match=rf"tf.distribute.{name} needs more than there is"):
            kind(None)
        assert issubclass(kind, tf.distribute.Strategy)
    with pytest.raises(AssertionError, match="Duplicates in devices argument"):
        tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:0"])


def test_a_scope_that_is_entered_by_hand_lasts() -> None:
    program = """
import graphwright as tf
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
assert strategy.scope().__enter__() is strategy
assert tf.distribute.get_strategy() is strategy
assert len(tf.Variable(1.0).values) == 2
with strategy.scope():
    pass
assert tf.distribute.get_strategy() is strategy
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_scopes_of_strategies_do_not_nest() -> None:
    default = tf.distribute.get_strategy()
    one, other = tf.distribute.OneDeviceStrategy("/cpu:0"), tf.distribute.MirroredStrategy()
    with one.scope(), one.scope():
        for inner in (other, default):
            with pytest.raises(RuntimeError, match="Must not nest"), inner.scope():
                pass
        with pytest.raises(RuntimeError, match="Mixing different"):
            other.run(lambda: 1)
        v = tf.Variable(1.0)
    assert not tf.distribute.has_strategy()
    assert one.extended.variable_created_in_scope(v)
    with one.extended.colocate_vars_with(v):
        pass
    with pytest.raises(ValueError, match="created in this"), other.extended.colocate_vars_with(v):
        pass


def test_a_replica_is_converted_where_the_code_around_it_is() -> None:
    def step(x: tf.Tensor) -> tf.Tensor:
        if x > 0:
            return x
        return -x

    def run(x: tf.Tensor) -> tf.Tensor:
        return tf.distribute.get_strategy().run(step, args=(x,))

    assert float(tf.function(run)(tf.constant(-3.0))) == 3.0
    plain = tf.autograph.experimental.do_not_convert(run)  # as Keras does around `train_step`
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(plain)(tf.constant(-3.0))


def test_what_is_no_dataset_is_told_how_to_become_one() -> None:
    strategy = tf.distribute.MirroredStrategy()
    words = r"this is \[1, 2\]\. Make one: tf\.data\.Dataset\.from_tensor_slices"
    with pytest.raises(AttributeError, match=words):
        strategy.experimental_distribute_dataset([1, 2])
    with pytest.raises(AttributeError, match=words):
        strategy.distribute_datasets_from_function(lambda context: [1, 2])
