"""Values of a loop that either side of a branch changes: they stay in one memory."""

from __future__ import annotations

from typing import Any

import numpy as np

import graphwright as tf


def fill(x: Any, n: Any) -> Any:
    for i in tf.range(n):
        if x[i] > 0.0:
            x = tf.tensor_scatter_nd_update(x, [[i]], [-1.0])
        else:
            x = tf.tensor_scatter_nd_add(x, [[i]], [2.0])
    return x


def test_no_side_of_a_branch_copies_what_it_changes() -> None:
    x, n = tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)
    text = str(tf.function(fill).experimental_get_compiler_ir(x, n)(stage="nests"))
    before, loop = text.split("loop ", 1)
    assert "Copy(" in before
    assert "Copy(" not in loop
    array = np.array([1.0, -1.0, 0.0, 3.0], np.float32)
    staged = tf.function(fill, jit_compile=True)
    assert staged(array, 4).numpy().tolist() == [-1.0, 1.0, 2.0, -1.0]
    assert array.tolist() == [1.0, -1.0, 0.0, 3.0]
