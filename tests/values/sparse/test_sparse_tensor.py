"""`tf.SparseTensor` as a value: its parts, its spec, what it may stand for in functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphwright as tf


@pytest.fixture
def x() -> Any:
    return tf.sparse.from_dense([[1, 0], [0, 2]])


def test_its_parts(x: Any) -> None:
    assert x.indices.numpy().tolist() == [[0, 0], [1, 1]]
    assert (x.indices.dtype, x.dense_shape.dtype) == (tf.int64, tf.int64)
    assert (x.dtype, x.shape, x.get_shape()) == (tf.int32, (2, 2), (2, 2))
    assert repr(x) == str(x)
    assert (
        repr(x)
        .replace("\n", "")
        .startswith(
            "SparseTensor(indices=tf.Tensor([[0 0] [1 1]], shape=(2, 2), dtype=int64), values="
        )
    )
    assert x.with_values([3, 4]).values.numpy().tolist() == [3, 4]
    assert tf.SparseTensor.from_value(x).shape == (2, 2)
    assert tf.is_tensor(x)
    assert not isinstance(x, tf.Tensor)
    assert not hasattr(x, "numpy")


def test_parts_must_go_together() -> None:
    for indices, values, shape in (
        ([[0, 0]], [1, 2], [2, 2]),
        ([0, 0], [1, 2], [2, 2]),
        ([[0, 0]], [1], [2, 2, 2]),
        ([[0, 0]], [[1]], [2, 2]),
    ):
        with pytest.raises(ValueError, match=r"compatible|rank"):
            tf.SparseTensor(indices, values, shape)
    with pytest.raises(TypeError, match="SparseTensorValue"):
        tf.SparseTensor.from_value(3)


def test_its_spec(x: Any) -> None:
    spec = tf.type_spec_from_value(x)
    assert spec == tf.SparseTensorSpec([2, 2], tf.int32) == tf.SparseTensorSpec.from_value(x)
    assert repr(tf.SparseTensorSpec()) == "SparseTensorSpec(TensorShape(None), tf.float32)"
    assert spec.is_subtype_of(tf.SparseTensorSpec([None, 2], tf.int32))
    joined = spec.most_specific_common_supertype([tf.SparseTensorSpec([3, 2], tf.int32)])
    assert joined == tf.SparseTensorSpec([None, 2], tf.int32)
    assert not spec.is_compatible_with(tf.sparse.from_dense([[1.0]]))
    assert spec.value_type is tf.SparseTensor


def test_operators_it_has_not(x: Any) -> None:
    for operate in (lambda: x + x, lambda: -x, lambda: x - x, lambda: x @ x, lambda: 2 * x,
                    lambda: x[0], lambda: len(x)):  # fmt: skip
        with pytest.raises(TypeError):
            operate()
    for convert in (tf.convert_to_tensor, tf.reduce_sum, tf.exp):
        with pytest.raises(ValueError, match="unsupported type"):
            convert(x)


def test_one_trace_serves_tensors_of_one_type(x: Any) -> None:
    seen = []

    @tf.function(reduce_retracing=True)
    def total(s: Any) -> Any:
        seen.append((s.shape, s.indices.shape, s.values.shape, s.dense_shape.shape))
        return tf.sparse.reduce_sum(s), s

    assert total(x)[0].numpy() == 3
    assert total(tf.sparse.from_dense([[0, 0], [0, 5]]))[0].numpy() == 5
    assert len(seen) == 1
    assert total(tf.sparse.from_dense([[0, 7, 1]]))[0].numpy() == 8
    assert total(tf.sparse.from_dense([[1], [2], [3]]))[0].numpy() == 6
    assert [tuple(shape) for shape, *_ in seen][:2] == [(2, 2), (None, None)]
    assert len(seen) == 2
    assert seen[0][1:] == ((None, 2), (None,), (2,))
    spec = tf.SparseTensorSpec([None, 3], tf.int32)
    same = tf.function(lambda s: s).get_concrete_function(spec)
    assert tf.type_spec_from_value(same.structured_outputs) == spec


def test_gradients_of_sparse_tensors_are_sparse() -> None:
    x = tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]])
    with tf.GradientTape() as tape:
        tape.watch(x.values)
        y = tf.reduce_sum(tf.sparse.sparse_dense_matmul(x, tf.constant([[1.0], [10.0]])))
    gradient = tape.gradient(y, x)
    assert isinstance(gradient, tf.SparseTensor)
    assert gradient.indices.numpy().tolist() == [[0, 0], [1, 1]]
    assert gradient.values.numpy().tolist() == [1, 10]


def test_second_derivatives_pass_through_slices_and_sums() -> None:
    indices, weights = [[0, 0], [0, 1], [1, 1]], tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        outer.watch(weights)
        with tf.GradientTape() as inner:
            inner.watch(weights)
            x = tf.SparseTensor(indices, weights**3.0, [2, 2])
            halves = [tf.sparse.slice(x, [0, column], [2, 1]) for column in (0, 1)]
            y = tf.sparse.reduce_sum(tf.sparse.add(*halves))
        first = inner.gradient(y, weights)
    assert first.numpy().tolist() == [3, 12, 27]
    assert outer.gradient(first, weights).numpy().tolist() == [6, 12, 18]


def test_large_shapes_cost_nothing() -> None:
    huge = 1 << 31
    x = tf.SparseTensor([[huge - 1, 5], [0, 1]], [1.0, 2.0], [huge, huge])
    ordered = tf.sparse.reorder(x)
    assert ordered.values.numpy().tolist() == [2, 1]
    total = tf.sparse.add(ordered, ordered)
    assert total.values.numpy().tolist() == [4, 2]
    assert tf.sparse.transpose(x).indices.numpy().tolist() == [[1, 0], [5, huge - 1]]
    assert np.array_equal(tf.shape(x, out_type=tf.int64), [huge, huge])
