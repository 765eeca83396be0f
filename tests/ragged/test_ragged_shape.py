"""The lengths of rows as shapes: made of lengths, and parts of them."""

from __future__ import annotations

import pytest

import graphwright as tf

SHAPES = [
    ([2, (1, 3), 2], "[2, (1, 3), 2] num_row_partitions=1"),
    ([2, 3], "[2, 3] num_row_partitions=0"),
    ([2, (1, 3), (1, 2, 3, 4)], "[2, (1, 3), (1, 2, 3, 4)] num_row_partitions=2"),
    ([2, (2, 2)], "[2, (2, 2)] num_row_partitions=1"),
    ([0, ()], "[0, ()] num_row_partitions=1"),
    ([], "[] num_row_partitions=0"),
]


@pytest.mark.parametrize(("lengths", "text"), SHAPES)
def test_a_shape_is_made_of_lengths(lengths, text):
    """The texts are TensorFlow's."""
    shape = tf.experimental.DynamicRaggedShape.from_lengths(lengths)
    assert repr(shape) == f"<DynamicRaggedShape lengths={text}>"
    assert repr(shape[:]) == repr(shape)
    assert shape.dtype is tf.int64


@pytest.mark.parametrize(
    "lengths", [[(1, 2)], [2, (1, 3), (1, 2)], [2, (1, 2, 3)], [2, None], [2, -1], [2, (1, -1)]]
)
def test_lengths_that_fit_not_are_refused(lengths):
    with pytest.raises(ValueError, match=r"Shape not consistent|lengths should be|has one length"):
        tf.experimental.DynamicRaggedShape.from_lengths(lengths)


def test_parts_of_a_shape_are_shapes():
    shape = tf.experimental.DynamicRaggedShape.from_lengths([2, (1, 3), 2])
    assert shape[:2].static_lengths() == [2, (1, 3)]
    assert shape[:1].static_lengths() == [2]
    for part in (slice(1, None), slice(2, None)):
        with pytest.raises(ValueError, match="All relevant dimensions must be uniform"):
            shape[part]
    with pytest.raises(IndexError, match="Cannot stride through a shape"):
        shape[::2]
    with pytest.raises(IndexError, match="Index is too big: 5>=3"):
        shape[5]
    even = tf.experimental.DynamicRaggedShape.from_lengths([2, 3, 4], num_row_partitions=1)
    assert even.num_row_partitions == 1
    assert even[1:].static_lengths() == [3, 4]
