"""Products and crosses of sparse matrices: what is known of shapes, which dtypes they take."""

from __future__ import annotations

from typing import Any

import pytest

import graphwright as tf


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
