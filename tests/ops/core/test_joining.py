"""`tf.parallel_stack`, which is for graphs only."""

from __future__ import annotations

import pytest

import graphwright as tf


def test_it_stacks_in_a_graph_and_is_refused_outside() -> None:
    traced = tf.function(lambda x, y: tf.parallel_stack([x, y]))
    assert traced(tf.constant([1, 2]), tf.constant([3, 4])).numpy().tolist() == [[1, 2], [3, 4]]
    with pytest.raises(RuntimeError, match="not compatible with eager"):
        tf.parallel_stack([[1], [2]])


def test_it_needs_known_shapes() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def stack(x: tf.Tensor) -> tf.Tensor:
        return tf.parallel_stack([x, x])

    with pytest.raises(ValueError, match="must have known shapes"):
        stack.get_concrete_function()
