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
