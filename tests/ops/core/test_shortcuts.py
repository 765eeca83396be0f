"""Kernels that take a shorter way for some operands: what they find is the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphwright as tf
from graphwright.ops.core.sorting import greatest
from graphwright.ops.core.unique import distinct, tabled

ROWS = {
    "floats": lambda random: random.normal(size=(3, 200)).astype(np.float32),
    "equals": lambda random: random.integers(0, 5, (3, 200)),
    "all equal": lambda random: np.zeros((2, 100)),
    "infinities": lambda random: np.where(random.random((3, 200)) > 0.5, np.inf, -np.inf),
    "a vector": lambda random: random.integers(0, 50, 400).astype(np.uint8),
}


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("k", [1, 5, 150])
def test_the_greatest_are_those_of_a_sort(rows: str, k: int) -> None:
    x = ROWS[rows](np.random.default_rng(3))
    k = min(k, x.shape[-1])
    backwards = np.argsort(x[..., ::-1], axis=-1, kind="stable")[..., ::-1]
    np.testing.assert_array_equal(greatest(x, k), x.shape[-1] - 1 - backwards[..., :k])


@given(
    st.lists(st.integers(-128, 127), min_size=1, max_size=300),
    st.sampled_from([("int8", 0), ("int64", 2**62), ("uint64", 2**63), ("uint64", 2**64 - 200)]),
)
def test_a_table_finds_what_a_sort_finds(values: list[int], kind: tuple[str, int]) -> None:
    dtype, offset = kind
    offset += 0 if dtype == "int8" else 128 if offset == 2**63 else 0
    values = [min(v + offset, np.iinfo(dtype).max) for v in values]
    x = np.array(values, dtype)
    low, high = min(values), max(values)
    sorted_ones = distinct(np.stack([x, x], 1))
    for found, wanted in zip(tabled(x, low, high - low + 1), sorted_ones):
        np.testing.assert_array_equal(found, wanted[:, 0] if wanted.ndim == 2 else wanted)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize(
    ("lower", "adjoint"), [(a, b) for a in (True, False) for b in (True, False)]
)
def test_many_systems_are_solved_as_one(dtype: str, lower: bool, adjoint: bool) -> None:
    random = np.random.default_rng(4)
    matrix: Any = random.normal(size=(50, 4, 4)) + 4 * np.eye(4)
    matrix, sides = matrix.astype(dtype), random.normal(size=(50, 4, 2)).astype(dtype)
    together = tf.linalg.triangular_solve(matrix, sides, lower, adjoint).numpy()
    alone = [tf.linalg.triangular_solve(*pair, lower, adjoint).numpy()
             for pair in zip(matrix, sides)]  # fmt: skip
    np.testing.assert_allclose(together, np.stack(alone), rtol=2e-2 if dtype == "float16" else 1e-4)
    singular = np.zeros((50, 4, 4), dtype)
    with np.errstate(all="ignore"):
        assert not np.isfinite(tf.linalg.triangular_solve(singular, sides)).any()


@pytest.mark.parametrize("search", [tf.argmax, tf.argmin])
@pytest.mark.parametrize("compiled", [None, True])
def test_a_search_of_nothing_fails_where_it_runs(search: Any, compiled: bool | None) -> None:
    @tf.function(jit_compile=compiled)
    def places(x: Any, wanted: Any) -> Any:
        return tf.cond(wanted, lambda: search(x, 0), lambda: tf.constant([7], tf.int64))

    x = tf.zeros([0, 1])
    assert places(x, tf.constant(False)).numpy().tolist() == [7]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"axis 0 is empty in shape \[0,1\]"):
        places(x, tf.constant(True))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"axis 0 is empty in shape \[0,1\]"):
        search(x, 0)
    assert search(x, 1).numpy().tolist() == []


@pytest.mark.parametrize("flat", [2**31, 2**40, [1, 2**40]])
def test_an_index_that_int32_does_not_hold_does_not_wrap(flat: Any) -> None:
    def call() -> Any:
        return tf.unravel_index(flat, [2, 3])

    for run in (call, tf.function(call), tf.function(call, jit_compile=True)):
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match="out of bound"):
            run()


@pytest.mark.parametrize("compiled", [None, True])
@pytest.mark.parametrize("reduce", ["sum", "mean", "sqrt_n"])
def test_rows_of_a_matrix_of_indices_are_refused(reduce: str, compiled: bool | None) -> None:
    function = getattr(tf.sparse, f"segment_{reduce}")
    matrix = tf.constant([[0], [1]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="should be a vector"):
        function(tf.ones([4, 2]), matrix, [0, 1])
    traced = tf.function(function, jit_compile=compiled).get_concrete_function(
        *[tf.TensorSpec(None, d) for d in (tf.float32, tf.int32, tf.int32)]
    )
    with pytest.raises(tf.errors.InvalidArgumentError):
        traced(tf.ones([4, 2]), matrix, tf.constant([0, 1]))
