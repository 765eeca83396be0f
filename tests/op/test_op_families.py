"""The rules of shapes and of known values that families of ops share."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphwright as tf
from graphwright.op.op_families import known_elementwise, reduced_dims, same_dims
from graphwright.ops.math import arithmetic
from graphwright.types.tensor_type import TensorType

SIZES = st.lists(st.integers(0, 3), max_size=4)


@given(SIZES, st.data(), st.booleans())
def test_reduced_dims_are_those_that_numpy_leaves(sizes: Any, data: Any, keep: bool) -> None:
    places = st.lists(st.sampled_from(range(len(sizes))), unique=True) if sizes else st.just([])
    axes = [a - len(sizes) if data.draw(st.booleans()) else a for a in data.draw(places)]
    wanted = np.zeros(sizes).sum(axis=tuple(axes), keepdims=keep).shape
    assert reduced_dims(tuple(sizes), tuple(axes), keep) == wanted
    hidden = [None if data.draw(st.booleans()) else n for n in sizes]
    result = reduced_dims(tuple(hidden), tuple(axes), keep)
    assert result is not None
    assert len(result) == len(wanted)
    assert all(mine in (None, own) for mine, own in zip(result, wanted))
    assert reduced_dims(None, tuple(axes), keep) is None
    for unknown in (None, (None,)):
        assert reduced_dims(tuple(sizes), unknown, keep) == ((None,) * len(sizes) if keep else None)


def test_one_axis_alone_is_reduced() -> None:
    assert reduced_dims((2, 3), 1, False) == (2,)
    assert reduced_dims((2, 3), -2, True) == (1, 3)


def test_wrong_axes_are_refused() -> None:
    for axes, what in ((2, "2"), ((0, -3), r"\[0, -3\]")):
        with pytest.raises(ValueError, match=rf"Invalid reduction dimension \({what} for input"):
            reduced_dims((2, 3), axes, False)
    with pytest.raises(ValueError, match="an axis stands twice"):
        reduced_dims((2, 3), (0, -2), False, repeats=False)
    assert reduced_dims((2, 3), (0, -2), False) == (3,)
    assert reduced_dims((2, 3), (0, 1), False, repeats=False) == ()
    with pytest.raises(ValueError, match="at most rank 1"):
        reduced_dims((2, 3), ((0,), (1,)), False)


def test_known_values_are_computed_entry_by_entry() -> None:
    minus = operator.sub
    assert known_elementwise(minus, 5, 3) == 2
    assert known_elementwise(minus, (5, None, 1), 3) == (2, None, -2)
    assert known_elementwise(minus, 3, (5, None)) == (-2, None)
    assert known_elementwise(minus, (5, 4, None), (1, None, 2)) == (4, None, None)
    assert known_elementwise(minus, (5, 4), (1, 2, 3)) is None
    assert known_elementwise(minus, None, 3) is None
    assert known_elementwise(minus, 3, None) is None


def test_operands_of_one_shape() -> None:
    types = [TensorType(tf.float32, dims) for dims in ((2, None), (None, 3), None, (2, 3))]
    assert same_dims(arithmetic.ADD, types[:2]) == (2, 3)
    assert same_dims(arithmetic.ADD, types[:1]) == (2, None)
    other = TensorType(tf.float32, (4, 3))
    with pytest.raises(ValueError, match=r"x and y must have the same shape, got .*2.* vs\. .*4"):
        same_dims(arithmetic.ADD, [types[0], other])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[2\] vs\. \[3"
    ):
        tf.add(tf.ones([2]), tf.ones([3]))


def test_elementwise_ops_have_the_broadcast_shape() -> None:
    def shape(op: Any, *dims: Any) -> Any:
        (result,) = op.shapes(*[TensorType(tf.float32, d) for d in dims])
        return result

    assert shape(arithmetic.ADD, (2, 1), (3,)) == (2, 3)
    assert shape(arithmetic.ADD, (None, 1), (3,)) == (None, 3)
    assert shape(arithmetic.ADD, (2,), None) is None
    assert shape(arithmetic.NEG, (2, None)) == (2, None)
    assert tf.function(tf.add).get_concrete_function(
        tf.TensorSpec([2, 1]), tf.TensorSpec([3])
    ).structured_outputs.shape == (2, 3)


@pytest.mark.parametrize("axis", [None, 0, 1, -1, [0, -1]])
def test_a_reduction_of_all_rows_at_once(axis: Any) -> None:
    rows = tf.reshape(tf.range(24.0), [2, 3, 4])
    result = tf.vectorized_map(lambda x: tf.reduce_sum(x, axis), rows)
    assert result.numpy().tolist() == [tf.reduce_sum(x, axis).numpy().tolist() for x in rows]
