"""Variables: copies, pickles, and functions that make others: `tf.variable_creator_scope`."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import graphwright as tf


def renamed(name):
    def creator(next_creator, **kwargs):
        return next_creator(**(kwargs | {"name": name, "trainable": False}))

    return creator


def made():
    """The name that a variable is given here."""
    return tf.Variable(1.0, name="plain").name


def test_a_scope_ends_with_its_block():
    with tf.variable_creator_scope(renamed("outer")):
        with tf.variable_creator_scope(renamed("inner")):
            pass
        assert made() == "outer:0"
    assert made() == "plain:0"


def test_a_scope_ends_where_its_block_is_left_by_an_exception():
    with pytest.raises(KeyError), tf.variable_creator_scope(renamed("outer")):
        raise KeyError(made())
    assert made() == "plain:0"
    assert tf.Variable(1.0).trainable


@pytest.mark.parametrize("synchronization", list(tf.VariableSynchronization))
@pytest.mark.parametrize("aggregation", list(tf.VariableAggregation))
def test_a_deep_copy_is_shared_as_its_variable(synchronization: Any, aggregation: Any) -> None:
    v = tf.Variable(1.0, synchronization=synchronization, aggregation=aggregation)
    assert v.trainable is (synchronization is not tf.VariableSynchronization.ON_READ)
    copied = copy.deepcopy(v)
    assert copied.synchronization is synchronization
    assert copied.aggregation is aggregation
    assert copied.trainable is v.trainable


def test_each_variable_has_an_identity_for_libraries():
    v, w = tf.Variable(1.0, name="v"), tf.Variable(1.0, name="v")
    assert v._unique_id == v._unique_id != w._unique_id
    assert v._shared_name == w._shared_name == "v"


@pytest.mark.parametrize("symbol", ["+", "-", "*", "/", "**", "//", "%", "@"])
def test_statements_in_place(symbol: str) -> None:
    """TensorFlow refuses those whose name suggests that the variable changes, but not all."""
    names: dict[str, Any] = {"v": tf.Variable([[2.0, 3.0], [4.0, 5.0]])}
    start = names["w"] = names["v"]
    statement = f"v {symbol}= [[1.0, 2.0], [3.0, 4.0]]"
    if symbol in ("//", "%", "@"):
        exec(statement, names)
        assert isinstance(names["v"], tf.Tensor)
    else:
        with pytest.raises(RuntimeError, match=r"`variable = variable .* value` for a new tensor"):
            exec(statement, names)
        assert names["v"] is start


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_variable_and_its_copies_go_through_pickle(protocol: int) -> None:
    v = tf.Variable([1.0, 2.0], trainable=False, name="w", constraint=abs, shape=[None])
    generator = tf.random.Generator.from_seed(1)
    twice, restored = pickle.loads(pickle.dumps(([v, v], generator), protocol))
    assert twice[0] is twice[1]
    assert (twice[0].name, twice[0].trainable, twice[0].shape) == ("w:0", False, v.shape)
    assert twice[0].constraint is abs
    twice[0].assign([3.0])
    assert v.numpy().tolist() == [1.0, 2.0]
    assert restored.algorithm == generator.algorithm
    assert restored.normal([3]).numpy().tolist() == generator.normal([3]).numpy().tolist()


def test_a_variable_of_a_graph_has_no_value_for_a_copy() -> None:
    v = tf.Variable(1.0)
    assert copy.copy(v) is v

    @tf.function
    def f() -> None:
        for taken in (copy.deepcopy, pickle.dumps):
            with pytest.raises(NotImplementedError, match="only available when eager"):
                taken(v)

    f()
