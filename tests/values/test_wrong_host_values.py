"""Which error a Python value gets where an op wants integers."""

from __future__ import annotations

from typing import Any

import pytest

import graphwright as tf

X = tf.constant([[1.0, 2.0]])


@pytest.mark.parametrize("value", [1.5, [1.5]])
def test_a_value_whose_dtype_is_known_before_is_not_converted(value: Any) -> None:
    """That of `axis` is int32 in the record, that of `size` is that of `begin`."""
    with pytest.raises(TypeError, match=r"Cannot convert 1\.5 to EagerTensor of dtype int32"):
        tf.raw_ops.Split(axis=value, value=X, num_split=1)
    with pytest.raises(TypeError, match="to EagerTensor of dtype int32: 'size' of Slice"):
        tf.raw_ops.Slice(input=X, begin=[0, 0], size=value)


def test_a_list_whose_dtype_is_free_is_converted_first() -> None:
    for call in (
        lambda value: tf.raw_ops.Reshape(tensor=X, shape=value),
        lambda value: tf.raw_ops.Fill(dims=value, value=1),
        lambda value: tf.raw_ops.Roll(input=X, shift=1, axis=value),
    ):
        with pytest.raises(TypeError, match=r"Cannot convert 1\.5 to EagerTensor of dtype int32"):
            call(1.5)
        with pytest.raises(tf.errors.InvalidArgumentError, match="float32 is not in the list of"):
            call([1.5])
