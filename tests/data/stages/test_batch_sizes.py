"""How many rows the batches of a dataset have: what TensorFlow 2.21 says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import graphwright as tf
from graphwright.data.stages.batch_sizes import compute_batch_size

ROWS = tf.data.Dataset.range(24)
FOUR = ROWS.batch(4)

RECORDED: dict[str, tuple[Callable[[], Any], int]] = {
    "batch": (lambda: FOUR, 4),
    "whole batches": (lambda: ROWS.batch(4, drop_remainder=True), 4),
    "map": (lambda: FOUR.map(lambda x: x + 1), -1),
    "map to a shape": (lambda: ROWS.batch(4, True).map(lambda x: tf.reshape(x, [2, 2])), 2),
    "batches of batches": (lambda: FOUR.batch(2), 2),
    "padded": (lambda: ROWS.padded_batch(5), 5),
    "ragged": (lambda: ROWS.ragged_batch(3), 3),
    "passing": (lambda: FOUR.cache().filter(lambda x: True).shuffle(3).prefetch(1), 4),
    "parts": (lambda: FOUR.repeat(2).skip(1).take(4).shard(2, 0), 4),
    "zip": (lambda: tf.data.Dataset.zip((FOUR, FOUR)), 4),
    "zip of several sizes": (lambda: tf.data.Dataset.zip((FOUR, ROWS.batch(3))), -1),
    "concatenate": (lambda: FOUR.concatenate(FOUR), 4),
    "concatenate several sizes": (lambda: FOUR.concatenate(ROWS.batch(3)), -1),
    "tensors": (lambda: tf.data.Dataset.from_tensors(tf.zeros([7, 2])), 7),
    "interleave": (lambda: ROWS.flat_map(lambda x: tf.data.Dataset.range(6).batch(3)), -1),
    "unique": (lambda: FOUR.unbatch().unique().batch(2), 2),
    "options": (lambda: FOUR.with_options(tf.data.Options()), 4),
    "rebatch": (lambda: FOUR.rebatch(3), -1),
    "window": (lambda: FOUR.window(2), -1),
    "several parts of an element": (lambda: FOUR.map(lambda x: (x, tf.one_hot(x, 3))), -1),
}


@pytest.mark.parametrize("name", RECORDED)
def test_the_rows_of_a_batch_are_those_that_tensorflow_says(name: str) -> None:
    make, rows = RECORDED[name]
    assert compute_batch_size(make()).numpy() == rows
