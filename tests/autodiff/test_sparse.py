"""The gradient of rows taken from a variable is sparse, and means what the dense one means."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphwright as tf


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("shape", [(5, 2), (None, 2)])
def test_gradients_of_gathered_rows(staged: bool, shape: Any) -> None:
    table = tf.Variable(np.arange(10.0).reshape(5, 2), shape=shape)
    ids = tf.constant([[1, 3], [1, 4]])

    def loss(dense: bool) -> Any:
        source = tf.convert_to_tensor(table) if dense else table
        return tf.reduce_sum(tf.gather(source, ids) ** 3)

    def slope(dense: bool) -> Any:
        with tf.GradientTape() as tape:
            value = loss(dense)
        found = tape.gradient(value, table)
        assert isinstance(found, tf.IndexedSlices) is not dense
        return tf.convert_to_tensor(found), found if dense else found.indices

    find = tf.function(slope) if staged else slope
    wanted, _ = find(True)
    whole, indices = find(False)
    assert indices.numpy().tolist() == [1, 3, 1, 4]
    np.testing.assert_allclose(whole, wanted)
    through_a_call = tf.function(loss)
    with tf.GradientTape() as tape:
        value = through_a_call(False)
    np.testing.assert_allclose(tf.convert_to_tensor(tape.gradient(value, table)), wanted)


def test_sparse_and_dense_gradients_add_up() -> None:
    table = tf.Variable([[1.0], [2.0]])
    with tf.GradientTape() as tape:
        value = tf.reduce_sum(tf.gather(table, [1])) + tf.reduce_sum(table * table)
    np.testing.assert_allclose(tape.gradient(value, table), [[2.0], [5.0]])


def test_an_embedding_learns() -> None:
    table = tf.Variable(np.zeros([4, 2], np.float32))
    optimizer = tf.optimizers.SGD(0.5)

    @tf.function
    def step(ids: Any, wanted: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((tf.nn.embedding_lookup(table, ids) - wanted) ** 2)
        optimizer.apply_gradients([(tape.gradient(loss, table), table)])
        return loss

    for _ in range(3):
        step(tf.constant([2, 0]), tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    np.testing.assert_allclose(table, [[3, 4], [0, 0], [1, 2], [0, 0]], atol=1e-5)
