"""What programs see once they have turned to the behaviour of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import graphwright as tf

v1 = tf.compat.v1


@pytest.fixture
def former() -> Iterator[None]:
    v1.disable_v2_behavior()
    try:
        yield
    finally:
        v1.reset_default_graph()
        v1.enable_eager_execution()
        v1.enable_v2_tensorshape()
        v1.enable_tensor_equality()


@pytest.mark.usefixtures("former")
def test_entries_of_shapes_are_dimensions() -> None:
    x = v1.placeholder(tf.float32, [None, 4, 3])
    assert x.shape[1].value == 4
    assert x.get_shape()[0].value is None
    assert [size.value for size in x.shape] == [None, 4, 3]
    flat = tf.reshape(x, [-1, x.shape[1] * x.shape[2]])
    weights = v1.get_variable("w", [flat.shape[1], 2])
    assert (flat @ weights).shape.as_list() == [None, 2]


@pytest.mark.usefixtures("former")
def test_tensors_and_variables_are_equal_to_themselves() -> None:
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    assert [v for v in v1.global_variables() if v not in [b]] == [a]
    x = tf.constant([1, 2])
    assert (x == x, x != x, x == tf.constant([1, 2]), x == 1) == (True, False, False, False)
    assert {x: 1}[x.op.outputs[0]] == 1


@pytest.mark.usefixtures("former")
def test_the_package_itself_sees_plain_sizes() -> None:
    v1.reset_default_graph()
    v1.enable_eager_execution()
    logits, labels = tf.TensorSpec([None, 4]), tf.TensorSpec([None], tf.int32)

    @tf.function(input_signature=[logits, labels], jit_compile=True)
    def loss(logits: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        assert logits.shape[1].value == 4
        return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)

    assert loss(tf.zeros([2, 4]), [0, 3]).numpy() == pytest.approx([1.3862944, 1.3862944])
