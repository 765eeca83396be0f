"""What concrete functions tell of themselves."""

from __future__ import annotations

import pytest

import graphwright as tf


def test_variables_of_branches_and_inner_functions_in_the_order_of_their_use():
    v = tf.Variable(1.0, name="v")
    w = tf.Variable(2.0, trainable=False, name="w")
    u = tf.Variable(3.0, name="u")
    inner = tf.function(lambda: u * 2)

    @tf.function
    def f(x):
        y = v * x
        if x > 0:
            y += w
        return y + inner()

    concrete = f.get_concrete_function(tf.TensorSpec([]))
    for of in (concrete, concrete.graph):
        assert [id(each) for each in of.variables] == [id(v), id(w), id(u)]
        assert [id(each) for each in of.trainable_variables] == [id(v), id(u)]


def test_variables_given_as_arguments_are_not_among_them():
    v, u = tf.Variable(1.0), tf.Variable(2.0)
    f = tf.function(lambda z, x: z * x + v)
    assert [id(each) for each in f.get_concrete_function(u, 1.0).variables] == [id(v)]


def test_signatures_and_messages():
    concrete = tf.function(lambda x, y=2: x + y).get_concrete_function(tf.TensorSpec([None]))
    spec = "TensorSpec(shape=(None,), dtype=tf.float32, name=None)"
    line = concrete.pretty_printed_signature(verbose=False)
    assert line == f"(x: {spec}, y: Literal[2]) -> {spec}"
    assert str(concrete) == f"ConcreteFunction {concrete.pretty_printed_signature()}"
    message = concrete.function_def
    assert message.signature.name == concrete.name
    assert [node.op for node in message.node_def] == ["Const", "AddV2", "Identity"]


@pytest.mark.parametrize(
    ("spec", "value", "wrong"),
    [
        (
            tf.SparseTensorSpec(None, tf.float32),
            lambda: tf.sparse.from_dense([[0.0, 2.0], [1.0, 0.0]]),
            lambda: tf.sparse.from_dense([[0, 2]]),
        ),
        (
            tf.RaggedTensorSpec([None, None], tf.float32),
            lambda: tf.ragged.constant([[2.0], [], [1.0]]),
            lambda: tf.ragged.constant([[2], []]),
        ),
        (
            tf.IndexedSlicesSpec([None], tf.float32, tf.int32),
            lambda: tf.IndexedSlices(tf.constant([2.0, 1.0]), tf.constant([0, 1])),
            lambda: tf.constant([2.0]),
        ),
    ],
)
def test_a_trace_of_a_wider_composite_takes_narrower_ones(spec, value, wrong):
    concrete = tf.function(lambda x: x.values * 2.0).get_concrete_function(spec)
    assert concrete(value()).numpy().tolist() == [4.0, 2.0]
    with pytest.raises(TypeError, match="Can not cast"):
        concrete(wrong())
