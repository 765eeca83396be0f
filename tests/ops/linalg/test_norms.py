"""Norms of tensors of unknown rank."""

from __future__ import annotations

from typing import Any

import pytest

import graphwright as tf


@pytest.mark.parametrize("ord", ["euclidean", 1, 3, float("inf")])
def test_the_norm_of_all_elements_is_a_scalar_whatever_the_rank(ord: Any) -> None:
    """A loop may carry it: everyday program 35967 did."""

    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec([], tf.int32)])
    def f(x: Any, n: Any) -> Any:
        y = tf.constant(0.25)
        for _ in tf.range(n):
            y = tf.norm(x, ord)
        return y

    for x in ([[3.0, 0.0]], [3.0], 3.0):
        assert f(tf.constant(x), 1).numpy() == pytest.approx(3.0)
        assert f(tf.constant(x), 0).numpy() == 0.25
