"""A small tensor is a constant of a graph; a tape that watches it later finds its gradient."""

from __future__ import annotations

from typing import Any

import pytest

import graphwright as tf

C = tf.constant(3.0)


def product(x: Any) -> Any:
    return x * C


def branch(x: Any) -> Any:
    return tf.cond(x > 0.0, lambda: x * C, lambda: x)


def loop(x: Any) -> Any:
    for _ in tf.range(2):
        x = x * C
    return x


INNER = tf.function(product)


def call(x: Any) -> Any:
    return INNER(x) + 1.0


def gradient(call: Any, watched: bool = True) -> Any:
    with tf.GradientTape() as tape:
        if watched:
            tape.watch(C)
        y = call(tf.constant(2.0))
    found = tape.gradient(y, C)
    return None if found is None else float(found)


CASES = [(product, 2.0), (branch, 2.0), (loop, 12.0), (call, 2.0)]


@pytest.mark.parametrize(("function", "expected"), CASES)
@pytest.mark.parametrize("first", [True, False])
def test_whoever_calls_first(function: Any, expected: float, first: bool) -> None:
    staged = tf.function(function)
    assert gradient(staged, first) == (expected if first else None)
    assert gradient(staged) == expected
    assert gradient(staged, False) is None
    assert gradient(staged) == expected


@pytest.mark.parametrize(("function", "expected"), CASES)
def test_a_concrete_function_too(function: Any, expected: float) -> None:
    concrete = tf.function(function).get_concrete_function(tf.TensorSpec([], tf.float32))
    assert gradient(concrete) == expected
    assert "Const" in [
        op.type
        for op in tf.function(product)
        .get_concrete_function(tf.TensorSpec([], tf.float32))
        .graph.get_operations()
    ]


def test_a_tensor_that_is_gone_is_no_trouble() -> None:
    constant: Any = tf.constant(5.0)
    staged = tf.function(lambda x: x * constant)
    staged(tf.constant(2.0))
    constant = tf.constant(7.0)
    assert gradient(staged) is None
