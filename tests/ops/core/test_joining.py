"""`tf.stack`, and `tf.parallel_stack`, which is for graphs only."""

from __future__ import annotations

import numpy as np
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


@pytest.mark.parametrize("dims", [(), (3,), (2, 3), (2, 0), (40, 60)])
@pytest.mark.parametrize("dtype", ["int8", "bfloat16", "float64", "bool"])
def test_it_stacks_along_each_axis(dims: tuple[int, ...], dtype: str) -> None:
    numbers = np.random.default_rng(1).integers(0, 2, (3, *dims))
    tensors = [tf.cast(each, dtype) for each in numbers]
    turned = [tf.transpose(tf.transpose(x)[..., None][..., 0]) for x in tensors]
    for axis in range(-len(dims) - 1, len(dims) + 1):
        for rows in (tensors, turned, tensors[:1]):
            result = tf.stack(rows, axis)
            assert result.dtype == dtype
            expected = np.stack([x.numpy() for x in rows], axis)
            assert np.array_equal(result.numpy(), expected)


def test_the_elements_of_a_stack_of_texts_are_texts() -> None:
    stacked = tf.stack([tf.constant("a"), tf.constant("bc")])
    assert [type(text) for text in stacked.numpy()] == [bytes, bytes]
    assert tf.strings.length(stacked).numpy().tolist() == [1, 2]


def test_one_tensor_needs_an_axis_too() -> None:
    """As in TensorFlow: `tf.concat(0, [x, y])`, the order of its first versions, is no number."""
    x = tf.ones([2, 2])
    for call in (lambda: tf.concat(1, [x, x]), lambda: tf.concat([x], tf.constant([0, 1]))):
        with pytest.raises(ValueError, match="must have rank 0"):
            call()
        with pytest.raises(ValueError, match="must have rank 0"):
            tf.function(call)()
    for axis in (1.5, "a"):
        with pytest.raises(TypeError, match="to EagerTensor of dtype int32"):
            tf.concat([x], axis)
    with pytest.raises(ValueError, match="None is no axis"):
        tf.concat([x], None)
    assert tf.concat([x], tf.constant(0, tf.int64)).shape == [2, 2]
