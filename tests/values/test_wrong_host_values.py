"""Which error a Python value gets where an op wants integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphwright as tf

X = tf.constant([[1.0, 2.0]])


@pytest.mark.parametrize("value", [1.5, [1.5]])
def test_a_value_whose_dtype_is_known_before_is_not_converted(value: Any) -> None:
    """That of `axis` is int32 in the record, that of `size` is that of `begin`."""
    with pytest.raises(TypeError, match=r"Cannot convert \[?1\.5"):
        tf.raw_ops.Split(axis=value, value=X, num_split=1)
    with pytest.raises(TypeError, match="to EagerTensor of dtype int32: 'size' of Slice"):
        tf.raw_ops.Slice(input=X, begin=[0, 0], size=value)


def test_a_list_whose_dtype_is_free_is_converted_first() -> None:
    """A number is converted to int32 where that is the default, which a list is not."""
    raw = tf.raw_ops
    calls: list[tuple[Any, type[Exception]]] = [
        (lambda value: raw.Reshape(tensor=X, shape=value), TypeError),
        (lambda value: raw.Fill(dims=value, value=1), TypeError),
        (lambda value: raw.Roll(input=X, shift=1, axis=value), tf.errors.InvalidArgumentError),
        (
            lambda value: raw.GatherV2(params=X, indices=0, axis=value),
            tf.errors.InvalidArgumentError,
        ),
    ]
    for call, of_number in calls:
        with pytest.raises(of_number):
            call(1.5)
        for value in ([1.5], "a", 1j):
            with pytest.raises(tf.errors.InvalidArgumentError, match="is not in the list of"):
                call(value)


def test_a_list_or_text_has_all_operands_converted_first() -> None:
    """TensorFlow 2.21 was asked: of tensors alone the op refuses one, else a conversion does."""
    numbers, truths = tf.constant([7, -9]), tf.constant([True, False])
    invalid = tf.errors.InvalidArgumentError
    for call, error in (
        (lambda: tf.logical_and(truths, numbers), invalid),
        (lambda: tf.logical_and([True, False], numbers), ValueError),
        (lambda: tf.logical_and([1], [True]), TypeError),
        (lambda: tf.where(tf.zeros([2]), 1, 2), invalid),
        (lambda: tf.where(tf.zeros([2]), [1, 2], 0), ValueError),
        (lambda: tf.scatter_nd([[1]], [10], tf.constant("s")), TypeError),
        (lambda: tf.add(numbers, [1.0, 2.0]), invalid),
        (lambda: tf.expand_dims([1, 2], [[1, 2], [3]]), ValueError),
        (lambda: tf.tile([[1, 2]], [None]), ValueError),
    ):
        with pytest.raises(error):
            call()


def test_arrays_of_floats_are_cast_to_places() -> None:
    """As TensorFlow does where the record has a dtype by default; Python's floats are refused."""
    x = tf.constant([[1, 2, 3], [4, 5, 6]])

    def moved(x: Any) -> Any:
        return (
            tf.transpose(x, np.array([1.0, 0.0])),
            tf.reshape(x, np.array([3.0, 2.0])),
            tf.tile(x, np.array([1.0, 2.0])),
            tf.reduce_sum(x, np.float64(1.0)),
            tf.ones(np.array([2.0])),
        )

    for function in (moved, tf.function(moved)):
        transposed, reshaped, tiled, total, ones = function(x)
        assert transposed.numpy().tolist() == [[1, 4], [2, 5], [3, 6]]
        assert reshaped.numpy().tolist() == [[1, 2], [3, 4], [5, 6]]
        assert tiled.shape == (2, 6)
        assert total.numpy().tolist() == [6, 15]
        assert ones.shape == (2,)
