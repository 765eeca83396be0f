"""The gradient of gathered rows is sparse, and means what the dense one means."""

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
        source = table * 1.0 if dense else table
        return tf.reduce_sum(tf.gather(source, ids) ** 3)

    def slope(dense: bool) -> Any:
        with tf.GradientTape() as tape:
            value = loss(dense)
        result = tape.gradient(value, table)
        assert isinstance(result, tf.IndexedSlices) is not dense
        return tf.convert_to_tensor(result), result if dense else result.indices

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


X = tf.reshape(tf.range(12, dtype=tf.float32), [4, 3])

#: Ways from a tensor to rows of it, with whether TensorFlow's gradient is `tf.IndexedSlices`.
ROADS: dict[str, tuple[Any, bool]] = {
    "gather": (lambda x: tf.gather(x, [0, 2, 0]), True),
    "gather scalar": (lambda x: tf.gather(x, 1), True),
    "gather matrix": (lambda x: tf.gather(x, [[0, 2], [1, 0]]), True),
    "tensor axis": (lambda x: tf.gather(x, [1], axis=tf.constant(0)), True),
    "embedding": (lambda x: tf.nn.embedding_lookup(x, [0, 1]), True),
    "gather_nd": (lambda x: tf.gather_nd(x, [[0], [2]]), True),
    "identity": (lambda x: tf.gather(tf.identity(x), [0]), True),
    "negation": (lambda x: tf.gather(-x, [0]), True),
    "cast": (lambda x: tf.gather(tf.cast(x, tf.float64), [0]), True),
    "shape": (lambda x: tf.gather(tf.ensure_shape(x, [4, 3]), [0]), True),
    "sum": (lambda x: tf.gather(tf.add_n([x, x]), [0]), True),
    "call": (lambda x: tf.function(lambda z: tf.gather(z, [0]))(x), True),
    "negative axis": (lambda x: tf.gather(x, [1], axis=-2), False),
    "other axis": (lambda x: tf.gather(x, [1], axis=1), False),
    "batches": (lambda x: tf.gather(x, [[0, 1]] * 4, batch_dims=1), False),
    "elements": (lambda x: tf.gather_nd(x, [[0, 1], [2, 1]]), False),
    "product": (lambda x: tf.gather(x * 2.0, [0]), False),
    "mask": (lambda x: tf.boolean_mask(x, [True, False, True, False]), False),
    "with dense": (lambda x: tf.reduce_sum(tf.gather(x, [0])) + tf.reduce_sum(x), False),
}


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("road", ROADS)
def test_rows_of_tensors(road: str, staged: bool) -> None:
    rows, is_sparse = ROADS[road]

    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = tf.reduce_sum(rows(x) ** 2)
        return tape.gradient(value, x)

    result = (tf.function(slope) if staged else slope)(X)
    assert isinstance(result, tf.IndexedSlices) is is_sparse
    step = 0.5 * np.eye(12, dtype=np.float32).reshape(12, 4, 3)
    sides = [
        [np.sum(np.square(np.asarray(rows(tf.constant(X.numpy() + d * s))))) for s in step]
        for d in (1, -1)
    ]
    wanted = np.subtract(*sides).reshape(4, 3)
    np.testing.assert_allclose(tf.convert_to_tensor(result), wanted, atol=1e-3)


def test_derivatives_of_gradients_that_are_rows() -> None:
    x = tf.constant([1.0, 2.0, 3.0])

    def loss(x: Any) -> Any:
        return tf.reduce_sum(tf.gather(x, [0, 1, 0]) ** 3)

    wanted = [[12.0, 0.0, 0.0], [0.0, 12.0, 0.0], [0.0, 0.0, 0.0]]
    (result,) = tf.function(lambda x: tf.hessians(loss(x), [x]))(x)
    np.testing.assert_array_equal(result, wanted)
    with tf.GradientTape() as second:
        second.watch(x)
        with tf.GradientTape() as first:
            first.watch(x)
            value = loss(x)
        slope = first.gradient(value, x)
    np.testing.assert_array_equal(second.jacobian(slope, x), wanted)


def test_rows_in_a_map_are_dense() -> None:
    def slope(weight: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(X)
            value = tf.gather(X, [0, 1]) * weight
        return tape.gradient(value, X)

    result = tf.vectorized_map(slope, tf.constant([1.0, 2.0]))
    np.testing.assert_array_equal(result[1, :, 0], [2.0, 2.0, 0.0, 0.0])
