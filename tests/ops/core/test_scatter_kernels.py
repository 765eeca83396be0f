"""What is refused, with the index at fault, and the laws that bind gather, scatter and segments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphwright as tf
from graphwright.ops.core import scatter_kernels, segment_kernels

ROWS = np.arange(12.0).reshape(6, 2)


@pytest.mark.parametrize(
    ("indices", "message"),
    [
        ([[0], [5]], r"indices\[1\] = \[5\] does not index into shape \[4\]"),
        ([[0], [-1]], r"indices\[1\] = \[-1\] does not index into shape \[4\]"),
        ([[[0], [9]]], r"indices\[0,1\] = \[9\] does not index into shape \[4\]"),
    ],
)
def test_scatter_names_the_index_out_of_range(indices: Any, message: str) -> None:
    at = np.array(indices)
    with pytest.raises(ValueError, match=message):
        scatter_kernels.tensor_scatter("add", np.zeros(4), at, np.ones(at.shape[:-1]))


def test_gather_names_the_index_out_of_range() -> None:
    with pytest.raises(ValueError, match=r"indices\[1\] = \[2, 2\] .* param shape \[4,2\]"):
        scatter_kernels.gather_nd(np.zeros((4, 2)), np.array([[0, 1], [2, 2]]))


def test_a_single_vector_gathers_a_single_slice() -> None:
    assert scatter_kernels.gather_nd(ROWS, np.array([2, 1])) == 5.0
    assert scatter_kernels.gather_nd(ROWS, np.array([2])).tolist() == [4.0, 5.0]


def test_updates_must_fit() -> None:
    with pytest.raises(ValueError, match=r"updates of shape \[3\] do not fit .*\[2, 2\]"):
        scatter_kernels.tensor_scatter("add", np.zeros((4, 2)), np.array([[0], [1]]), np.ones(3))


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([-1, 0, 0, 1, 1, 2], "segment id -1"),
        ([0, 0, 2, 1, 1, 2], r"not increasing: segment_ids\[3\] = 1 follows 2"),
        ([0, 1], r"shape \[2\] should have one entry for each of 6 rows"),
    ],
)
def test_segments_must_ascend(ids: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        segment_kernels.segment_reduce("sum", ROWS, np.array(ids))


def test_unsorted_segments_must_exist() -> None:
    with pytest.raises(ValueError, match=r"segment_ids\[5\] = 7 is out of range \[0, 5\)"):
        segment_kernels.unsorted_segment_reduce("sum", ROWS, np.array([0, 0, -1, 3, 3, 7]), 5)


def test_sparse_segments_take_rows_that_exist() -> None:
    with pytest.raises(ValueError, match=r"indices\[2\] == 6 out of range \[0, 6\)"):
        segment_kernels.sparse_segment_reduce("sum", ROWS, np.array([0, 3, 6]), np.array([0, 0, 2]))


def test_bincount_refuses_negative_values() -> None:
    with pytest.raises(ValueError, match="got -2"):
        segment_kernels.bincount(np.array([1, -2]), 3)


@pytest.mark.parametrize("kind", ["min", "max"])
def test_extremes_ignore_nan(kind: Any) -> None:
    result = segment_kernels.unsorted_segment_reduce(
        kind, np.array([2.0, np.nan, 2.0]), np.zeros(3, int), 1
    )
    assert result.tolist() == [2.0]


@given(st.lists(st.integers(-1, 4), max_size=30), st.integers(0, 3))
def test_sums_agree_with_a_scatter(ids: list[int], width: int) -> None:
    slots = np.array(ids, np.int64)
    rows = np.random.default_rng(0).integers(0, 9, (len(ids), width)).astype(np.float32)
    sums = segment_kernels.unsorted_segment_reduce("sum", rows, slots, 5)
    kept = slots >= 0
    scattered = scatter_kernels.tensor_scatter(
        "add", np.zeros((5, width), rows.dtype), slots[kept, None], rows[kept]
    )
    np.testing.assert_array_equal(sums, scattered)
    dense = np.zeros((5, width))
    np.add.at(dense, slots[kept], rows[kept])
    np.testing.assert_array_equal(sums, dense)


@pytest.mark.parametrize("kind", ["sum", "prod", "min", "max"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "uint8"])
def test_many_rows_are_combined_as_few_are(monkeypatch: Any, kind: Any, dtype: str) -> None:
    random = np.random.default_rng(1)
    data = random.uniform(0.9, 1.1, (200, 3, 2)).astype(dtype)
    if data.dtype.kind == "f":
        data[:9], data[20:29], data[50] = np.inf, -np.inf, np.nan
    ids = random.integers(-1, 30, 200)
    found = []
    for many in (1, 1 << 40):
        monkeypatch.setattr(segment_kernels, "MANY", many)
        with np.errstate(all="ignore"):
            found.append(segment_kernels.unsorted_segment_reduce(kind, data, ids, 31))
    np.testing.assert_allclose(*found, rtol=1e-2 if dtype == "float16" else 1e-5)


@pytest.mark.parametrize("kind", ["add", "sub", "min", "max"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "int64"])
def test_many_updates_are_combined_as_few_are(monkeypatch: Any, kind: Any, dtype: str) -> None:
    random = np.random.default_rng(2)
    array = random.uniform(-9, 9, (8, 4, 3)).astype(dtype)
    indices = random.integers(0, 4, (100, 2))
    updates = random.uniform(-9, 9, (100, 3)).astype(dtype)
    found = []
    for many in (1, 1 << 40):
        monkeypatch.setattr(scatter_kernels, "MANY", many)
        found.append(scatter_kernels.tensor_scatter(kind, array, indices, updates))
    np.testing.assert_allclose(*found, rtol=1e-2 if dtype == "float16" else 1e-4)


@pytest.mark.parametrize("kind", ["min", "max", "prod"])
def test_long_runs_are_reduced_as_short_ones(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    rows = random.normal(size=(50, 7, 3)).astype(np.float32)
    rows[random.uniform(size=rows.shape) < 0.2] = np.nan
    ids = np.sort(random.integers(0, 9, 50))
    found = []
    for least in (0, 1 << 20):
        monkeypatch.setattr(segment_kernels, "_LONG", least)
        found.append(segment_kernels.segment_reduce(kind, rows, ids))
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("mode", ["eager", "staged", "compiled"])
@pytest.mark.parametrize(
    "function",
    [
        lambda word: tf.gather_nd(VARIABLE, [[0]], bad_indices_policy=word),
        lambda word: tf.gather_nd([1, 2, 3], [[0]], bad_indices_policy=word),
        lambda word: tf.scatter_nd([[0]], [9], [3], bad_indices_policy=word),
        lambda word: tf.tensor_scatter_nd_add([1, 2, 3], [[0]], [9], bad_indices_policy=word),
        lambda word: tf.raw_ops.TensorScatterUpdate(
            tensor=[1, 2, 3], indices=[[0]], updates=[9], bad_indices_policy=word
        ),
        lambda word: tf.raw_ops.ResourceScatterNdUpdate(
            ref=VARIABLE.handle, indices=[[0]], updates=[9], bad_indices_policy=word
        ),
    ],
)
def test_what_becomes_of_bad_indices_is_one_of_four_words(function: Any, mode: str) -> None:
    staged = tf.function(function, jit_compile=mode == "compiled")
    call = function if mode == "eager" else staged
    for word in ("", "DEFAULT", "ERROR", "IGNORE"):
        call(word)
    for word in ("ignore", "no word"):
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"attribute: {word}"):
            call(word)


@pytest.mark.parametrize("compiled", [False, True])
def test_ignored_indices_give_zeros(compiled: bool) -> None:
    @tf.function(jit_compile=compiled)
    def gathered(x: tf.Tensor, i: tf.Tensor) -> tf.Tensor:
        return tf.gather_nd(x, i, bad_indices_policy="IGNORE")

    x = tf.constant([1.0, 2.0])
    assert gathered(x, tf.constant([[1], [7], [-1]])).numpy().tolist() == [2.0, 0.0, 0.0]


VARIABLE = tf.Variable([1, 2, 3])


@given(
    st.integers(1, 200),
    st.integers(1, 3),
    st.lists(st.integers(0, 199), max_size=12),
    st.booleans(),
    st.sampled_from(["add", "subtract", "multiply", "maximum"]),
)
def test_rows_are_combined_one_after_the_other(
    size: int, width: int, slots: list[int], is_distinct: bool, name: str
) -> None:
    """In places of their own and in places that come again, near each other and far apart."""
    slots = [slot % size for slot in slots]
    places = np.array([*dict.fromkeys(slots)] if is_distinct else slots, np.intp)
    random = np.random.default_rng(size)
    array = random.normal(size=(size, width)).astype("f4")
    rows = random.normal(size=(len(places), width)).astype("f4")
    ufunc, expected = getattr(np, name), array.copy()
    for place, row in zip(places, rows):
        expected[place] = ufunc(expected[place], row)
    segment_kernels.combine_at(ufunc, array, places, rows)
    np.testing.assert_array_equal(array, expected)
    assert segment_kernels.are_distinct(places, size) == (len(set(places)) == len(places))


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64])
@pytest.mark.parametrize("shape", [(7, 5), (3, 4, 6), (3, 4, 2, 5)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_many_index_vectors(shape: tuple[int, ...], dtype: type, order: Any) -> None:
    rng = np.random.default_rng(0)
    x = np.array(rng.normal(size=shape), order=order)
    for depth in range(1, len(shape) + 1):
        columns = [rng.integers(0, size, (40, 60)) for size in shape[:depth]]
        indices = np.stack(columns, -1).astype(dtype)
        np.testing.assert_array_equal(tf.gather_nd(x, indices), x[tuple(columns)])
        for axis in range(depth):
            for wrong in (-1, shape[axis], np.iinfo(dtype).min, np.iinfo(dtype).max):
                bad = indices.copy()
                bad[39, 59, axis] = wrong
                with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[39,59\]"):
                    tf.gather_nd(x, bad)
