"""Clusters become nests; one of which only a size is needed becomes none."""

from __future__ import annotations

from typing import Any

import pytest

import graphwright as tf


@pytest.mark.parametrize("shape", [[2, 3], [None, None]])
def test_a_value_of_which_only_the_size_is_needed_has_no_nest(shape: list[int | None]) -> None:
    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec(shape)])
    def half_past_the_size(x: Any) -> Any:
        return tf.cast(tf.size(tf.exp(x) * x), tf.float64) + 0.5

    assert half_past_the_size(tf.ones([2, 3])).numpy() == 6.5
    text = half_past_the_size.experimental_get_compiler_ir()(stage="nests")
    assert "nest [" not in text


def text_of(function: Any, *shapes: list[int | None]) -> str:
    """The nests of a function."""
    compiled = tf.function(function, jit_compile=True)
    ir = compiled.experimental_get_compiler_ir(*[tf.TensorSpec(dims) for dims in shapes])
    text: str = ir(stage="nests")
    return text


def test_a_join_reads_its_parts_where_they_lie() -> None:
    text = text_of(lambda x: tf.roll(x, 2, 0) * 2.0, [7, 5])
    assert text.count("temporary") == 1  # what is joined
    assert text.count("load b0") == 2


def test_components_of_rows_are_joined_by_one_nest() -> None:
    text = text_of(lambda x, y: tf.stack([x, y, x[::-1]], -1), [9], [9])
    assert text.count("nest [") == 1
