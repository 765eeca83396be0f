"""Shape invariants of loops: what they say of variables, and what they do not change."""

from __future__ import annotations

from typing import Any

import pytest
from everyday.tiers import native

import graphwright as tf


def repeated(x: Any, shape: Any) -> Any:
    return tf.while_loop(
        lambda i, a: i < 1,
        lambda i, a: (i + 1, tf.concat([a, a], 0)),
        (0, x),
        shape_invariants=(tf.TensorShape([]), tf.TensorShape(shape)),
    )[1]


@pytest.mark.parametrize(
    ("shape", "known"),
    [
        ([None, 2], [None, 2]), ([None], None), ([None, 3], [None, None]), (None, None),
        ([], None), ([None, None, None], None),
    ],
)  # fmt: skip
def test_an_invariant_that_is_not_so_admits_what_enters(shape: Any, known: Any) -> None:
    shapes = []

    @tf.function(jit_compile=True)
    def program(x: Any, again: Any) -> Any:
        x = tf.reverse(x, [0])
        if again:
            x = repeated(x, shape)
            shapes.append(x.shape)
        return tf.reduce_sum(x, 0)

    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with native("check"):
        assert program(x, tf.constant(True)).numpy().tolist() == [8.0, 12.0]
        assert program(x, tf.constant(False)).numpy().tolist() == [4.0, 6.0]
    assert all(repr(s) == repr(tf.TensorShape(known)) for s in shapes)


def test_an_invariant_that_says_more_is_looked_at_where_the_loop_begins() -> None:
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def program(x: Any) -> Any:
        return repeated(x, [None, 2])

    assert program.get_concrete_function().structured_outputs.shape.as_list() == [None, 2]
    assert program(tf.ones([3, 2])).shape == [6, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[3,3\] is not compatible"):
        program(tf.ones([3, 3]))
