"""Products and crosses of sparse matrices: what is known of shapes, which dtypes they take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.ops.sparse.sparse_products import SparseParts, multiply


@pytest.mark.parametrize(("adjoint", "rows"), [(False, 2), (True, 3)])
def test_a_traced_product_has_the_rows_of_the_sparse_matrix(adjoint: bool, rows: int) -> None:
    @tf.function(
        input_signature=[
            tf.SparseTensorSpec([2, 3], tf.float32),
            tf.TensorSpec([None, None], tf.float32),
        ]
    )
    def product(a: Any, b: Any) -> Any:
        return tf.sparse.sparse_dense_matmul(a, b, adjoint_a=adjoint)

    concrete = product.get_concrete_function()
    assert concrete.structured_outputs.shape.as_list() == [rows, None]


def test_a_product_of_unknown_rank_is_traced() -> None:
    spec = tf.SparseTensorSpec(None, tf.float32)
    product = tf.function(lambda a, b: tf.sparse.sparse_dense_matmul(a, b))
    concrete = product.get_concrete_function(spec, tf.TensorSpec([None, 4], tf.float32))
    x = tf.sparse.from_dense([[0.0, 2.0], [1.0, 0.0]])
    assert concrete(x, tf.ones([2, 4])).numpy().tolist() == [[2.0] * 4, [1.0] * 4]


def test_crosses_take_numbers_and_strings() -> None:
    x = tf.sparse.from_dense([[1, 0], [0, 2]])
    for dtype in (tf.int8, tf.int32, tf.int64):
        result = tf.sparse.cross([tf.cast(x, dtype), tf.constant([["a"], ["b"]])])
        assert result.values.numpy().tolist() == [b"1_X_a", b"2_X_b"]
    result = tf.sparse.cross([tf.cast(x, tf.float32), x])  # whole parts, as in TensorFlow
    assert result.values.numpy().tolist() == [b"1_X_1", b"2_X_2"]


@pytest.mark.parametrize("axis", [0, 1, -1, -2])
def test_joined_matrices_have_the_greatest_sizes_along_other_axes(axis: int) -> None:
    sizes = [(2, 5), (3, 4)]
    parts = [tf.sparse.from_dense([[1.0] * columns] * rows) for rows, columns in sizes]
    result = tf.sparse.concat(axis, parts, expand_nonconcat_dims=True)
    assert tuple(result.dense_shape.numpy()) == ((5, 5) if axis in (0, -2) else (3, 9))
    assert len(result.values) == 2 * 5 + 3 * 4


def test_the_rank_is_known_from_the_indices_or_from_the_size_of_the_shape() -> None:
    seen = []

    @tf.function
    def made(indices: Any, shape: Any) -> None:
        seen.append(tf.SparseTensor(indices, [1.0], shape).shape.as_list())

    for indices, shape in (([1, None], [2]), ([1, 2], [None]), ([None, 2], [2])):
        made.get_concrete_function(tf.TensorSpec(indices, tf.int64), tf.TensorSpec(shape, tf.int64))
    assert seen == [[None, None]] * 3


def test_a_reshaped_matrix_has_the_sizes_that_are_asked_for() -> None:
    seen = []

    @tf.function
    def reshaped(x: Any) -> None:
        seen.extend(tf.sparse.reshape(x, sizes).shape.as_list() for sizes in ([2, 4], [2, -1]))

    reshaped.get_concrete_function(tf.SparseTensorSpec([None, 4], tf.float32))
    assert seen == [[2, 4], [2, None]]


def matrices(*shape: int) -> tuple[np.ndarray, np.ndarray]:
    """Two random arrays with many zeros that have a product."""
    random = np.random.default_rng(len(shape))
    a, b = random.normal(size=shape), random.normal(size=(*shape[:-2], shape[-1], 4))
    return a * (random.random(a.shape) < 0.4), b * (random.random(b.shape) < 0.4)


def parts(x: Any) -> SparseParts:
    """The parts of a sparse tensor."""
    return SparseParts(x.indices, x.values, x.dense_shape)


@pytest.mark.parametrize("shape", [(5, 6), (3, 5, 6), (0, 6)])
@pytest.mark.parametrize("traced", [False, True])
def test_a_product_of_sparse_matrices_is_that_of_the_dense_ones(
    shape: tuple[int, ...], traced: bool
) -> None:
    a, b = matrices(*shape)
    product = tf.function(multiply) if traced else multiply
    result = product(parts(tf.sparse.from_dense(a)), parts(tf.sparse.from_dense(b)))
    assert (a @ b).any() or 0 in shape
    whole = tf.sparse.to_dense(tf.SparseTensor(*result))  # which refuses rows out of order
    np.testing.assert_allclose(whole, a @ b, atol=1e-12)
    met = (a != 0).astype(int) @ (b != 0).astype(int)
    assert len(result.values) == np.count_nonzero(met)


def test_rows_in_any_order_and_sums_of_zero_have_places_in_a_product() -> None:
    a = SparseParts(*map(tf.constant, ([[0, 2], [0, 0]], [1.0, -2.0], [2, 3])))
    b = SparseParts(*map(tf.constant, ([[2, 1], [0, 1], [2, 0]], [4.0, 2.0, 3.0], [3, 2])))
    a, b = (SparseParts(tf.cast(x[0], tf.int64), x[1], tf.cast(x[2], tf.int64)) for x in (a, b))
    result = multiply(a, b)
    assert result.indices.numpy().tolist() == [[0, 0], [0, 1]]
    assert result.values.numpy().tolist() == [3.0, 0.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="have no product"):
        multiply(a, a)


def test_gradients_flow_to_the_values_of_both_sparse_matrices() -> None:
    a, b = (tf.sparse.from_dense(x) for x in matrices(5, 6))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([a.values, b.values])
        sparse = tf.reduce_sum(multiply(parts(a), parts(b)).values ** 2)
        dense = tf.reduce_sum((tf.sparse.to_dense(a) @ tf.sparse.to_dense(b)) ** 2)
    for values in (a.values, b.values):
        want = tape.gradient(dense, values)
        rows = tf.convert_to_tensor(tape.gradient(sparse, values))
        np.testing.assert_allclose(rows, want, rtol=1e-10)
