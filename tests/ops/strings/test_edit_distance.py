"""Edit distances are those of the definition, and refusals those of TensorFlow."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphwright as tf
from graphwright.ops.strings import key_code


@pytest.fixture(autouse=True, scope="module")
def _strings_are_told_apart_by_machine_code():
    key_code.PREPARATION.work()


def levenshtein(a, b):
    """The distance by its definition."""

    @functools.cache
    def distance(i, j):
        if not i or not j:
            return i + j
        if a[i - 1] == b[j - 1]:
            return distance(i - 1, j - 1)
        return 1 + min(distance(i - 1, j - 1), distance(i - 1, j), distance(i, j - 1))

    return distance(len(a), len(b))


def sparse(rows, shape, dtype):
    """The tensor with these rows, each by its place, with a gap in front."""
    ordered = sorted(rows.items())
    indices = [[*place, 2 + i] for place, row in ordered for i in range(len(row))]
    values = [value for _, row in ordered for value in row]
    dims = [*shape, 2 + max(map(len, rows.values()), default=0)]
    return tf.SparseTensor(
        np.array(indices, np.int64).reshape(-1, len(dims)), tf.constant(values, dtype), dims
    )


ELEMENTS = {
    tf.int64: st.sampled_from([0, 1, 2, -(2**63), 2**40]),
    tf.uint8: st.integers(0, 3),
    tf.bool: st.booleans(),
    tf.float32: st.sampled_from([0.0, -0.0, 1.5, math.nan]),
    tf.complex64: st.sampled_from([0j, 1j, 1 + 0j]),
    tf.string: st.sampled_from([b"", b"a", b"ab", b"abc"]),
}


@pytest.mark.parametrize("dtype", ELEMENTS, ids=str)
@settings(max_examples=60, deadline=None)
@given(data=st.data(), normalize=st.booleans())
def test_distances_are_those_of_the_definition(dtype, data, normalize):
    shapes = [
        data.draw(st.lists(st.integers(1, 3), min_size=rank, max_size=rank))
        for rank in [data.draw(st.integers(1, 2))] * 2
    ]
    row = st.lists(ELEMENTS[dtype], max_size=7)
    sides = [{p: data.draw(row) for p in np.ndindex(*shape)} for shape in shapes]
    drawn = tf.edit_distance(
        *[sparse(rows, shape, dtype) for rows, shape in zip(sides, shapes)], normalize=normalize
    ).numpy()
    expected = np.zeros(np.maximum(*shapes), np.float32)
    for place in np.ndindex(*expected.shape):
        a, b = [side.get(place, []) for side in sides]
        distance = levenshtein(tuple(a), tuple(b))
        length = len(b) if normalize and distance else 1
        expected[place] = np.float32(distance) / np.float32(length) if length else math.inf
    np.testing.assert_array_equal(drawn, expected)


def pair(indices, values, shape):
    return tf.SparseTensor(indices, values, shape)


def test_elements_of_a_row_that_do_not_follow_each_other_are_rows_of_their_own():
    hypothesis = pair([[1, 0], [0, 0]], [1, 2], [2, 2])
    truth = pair([[0, 0], [1, 0]], [2, 1], [2, 2])
    assert tf.edit_distance(hypothesis, truth, normalize=False).numpy().tolist() == [1.0, 0.0]


@pytest.mark.parametrize("row", [5, -1, 2])
def test_rows_outside_are_refused(row):
    truth = pair([[0, 0], [1, 0]], [2, 1], [2, 2])
    with pytest.raises(tf.errors.InternalError, match=f"inner product {row} which"):
        tf.edit_distance(pair([[row, 0]], [1], [2, 2]), truth)


def test_parts_that_do_not_fit_are_refused():
    parts = {
        "hypothesis_indices": [[0, 0]], "hypothesis_values": [1], "hypothesis_shape": [1, 2],
        "truth_indices": [[0, 0]], "truth_values": [1], "truth_shape": [1, 2],
    }  # fmt: skip
    parts = {name: np.array(part) for name, part in parts.items()}
    assert tf.raw_ops.EditDistance(**parts).numpy().tolist() == [0.0]
    for side in ("hypothesis", "truth"):
        with pytest.raises(tf.errors.InvalidArgumentError, match=rf"{side}_values.*\[2\] and \[1"):
            tf.raw_ops.EditDistance(**parts | {f"{side}_values": np.array([1, 2])})
        with pytest.raises(tf.errors.InvalidArgumentError, match=rf"{side}_shape.*and \[1,3\]"):
            tf.raw_ops.EditDistance(**parts | {f"{side}_indices": np.array([[0, 0, 0]])})
