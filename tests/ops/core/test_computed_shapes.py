"""Shapes that are computed while tracing keep what is known of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import graphwright as tf

# The shapes of results for an input of shape [None, 4, 6]. TensorFlow 2.21 infers the same but for
# "slice" and "gather", where it knows only the rank.
COMPUTED: dict[str, tuple[Callable[[Any], Any], tuple[int | None, ...]]] = {
    "flatten": (lambda x: tf.reshape(x, [tf.shape(x)[0], 24]), (None, 24)),
    "pack": (lambda x: tf.zeros(tf.stack([tf.shape(x)[1], 7])), (4, 7)),
    "concat": (lambda x: tf.zeros(tf.concat([tf.shape(x)[1:], [2]], 0)), (4, 6, 2)),
    "slice": (lambda x: tf.zeros(tf.slice(tf.shape(x), [1], [2])), (4, 6)),
    "gather": (lambda x: tf.zeros(tf.gather(tf.shape(x), [2, 1])), (6, 4)),
    "product": (lambda x: tf.zeros([tf.shape(x)[1] * tf.shape(x)[2], 2]), (24, 2)),
    "unstack": (lambda x: tf.zeros([tf.unstack(tf.shape(x))[2]]), (6,)),
    "reshaped": (lambda x: tf.zeros(tf.reshape(tf.shape(x)[2], [1])), (6,)),
    "reshaped to nothing": (
        lambda x: tf.zeros(tf.reshape(tf.reshape(tf.shape(x)[:0], [-1, 0]), [0])),
        (),
    ),
    "expanded": (lambda x: tf.zeros(tf.expand_dims(tf.shape(x)[1], 0)), (4,)),
    "cast": (lambda x: tf.zeros(tf.cast(tf.shape(x)[1:], tf.int64)), (4, 6)),
    "cast from floats": (lambda x: tf.zeros(tf.cast(tf.constant([2.5, 0.5]), tf.int32)), (2, 0)),
    "rank": (lambda x: tf.zeros([tf.rank(x)]), (3,)),
    "broadcast": (lambda x: tf.broadcast_to(1.0, tf.shape(x)), (None, 4, 6)),
    "unknown vector": (lambda x: tf.zeros(tf.cast(x[0, :3, 0], tf.int32)), (None, None, None)),
}


@pytest.mark.parametrize("program", COMPUTED)
def test_computed_shapes_keep_what_is_known(program: str) -> None:
    function, wanted = COMPUTED[program]
    traced = tf.function(function, input_signature=[tf.TensorSpec([None, 4, 6])])
    assert traced.get_concrete_function().structured_outputs.shape.as_list() == list(wanted)
