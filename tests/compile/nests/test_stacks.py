"""Stacks whose readers take one part each: the parts are read where they lie."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.run.options import OPTIONS

X = np.arange(12, dtype=np.float32).reshape(3, 4) - 5.0
Y = np.cos(X) * 4.0


def rows_and_columns(x: Any, y: Any) -> Any:
    rows = tf.cast(tf.abs(y), tf.int32) % 3
    columns = tf.cast(tf.abs(x), tf.int32) % 4
    return tf.gather_nd(x, tf.stack([rows, columns], -1)) * y


def both_parts(x: Any, y: Any) -> Any:
    s = tf.stack([x * 2.0, y + 1.0], 1)
    return s[:, 0] - s[:, -1] + s[:, 1, ::-1]


def a_slice_of_one(x: Any, y: Any) -> Any:
    return tf.stack([x, y, x * y], 2)[..., 1:2] + tf.stack([y], 2)[..., 0:1]


def swapped(x: Any, y: Any) -> Any:
    for _ in tf.range(3):
        s = tf.stack([y + 0.5, x])
        x, y = s[0], s[1]
    return x * 10.0 + y


def overwritten_later(x: Any, y: Any) -> Any:
    for i in tf.range(3):
        s = tf.stack([x, y])
        x = tf.tensor_scatter_nd_update(x, [[i]], y[:1] * 3.0)
        y = s[0] + s[1]
    return x + y


def read_whole_too(x: Any, y: Any) -> Any:
    s = tf.stack([x, y])
    return s[0] * tf.reduce_sum(s)


def returned_too(x: Any, y: Any) -> Any:
    s = tf.stack([x, y], 1)
    for _ in tf.range(2):
        s = tf.stack([s[:, 1] + 1.0, s[:, 0]], 1)
    t = tf.stack([s[0], s[1]])
    return t[1] * 2.0, t


def read_in_a_loop(x: Any, y: Any) -> Any:
    s = tf.stack([x + 1.0, y])
    total = tf.zeros_like(x)
    for i in tf.range(2):
        total += s[i] + s[1]
    return total


def stacks_of_stacks(x: Any, y: Any) -> Any:
    s = tf.stack([tf.stack([x, y])[1], tf.stack([y, x], 1)[:, 1]])
    return s[0] - 2.0 * s[1]


def of_numbers(x: Any, y: Any) -> Any:
    total, least = tf.reduce_sum(x), tf.reduce_min(y)
    for _ in tf.range(2):
        s = tf.stack([total, least])
        total, least = s[1] + 1.0, s[0] * 0.5
    return total - least


PROGRAMS = [
    rows_and_columns, both_parts, a_slice_of_one, swapped, overwritten_later, read_whole_too,
    returned_too,    read_in_a_loop, stacks_of_stacks, of_numbers,
]  # fmt: skip


@pytest.mark.parametrize("mode", ["check", "sanitize"])
@pytest.mark.parametrize("shape", [(3, 4), (None, None)])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_results_are_those_of_eager_ops(
    program: Callable[[Any, Any], Any],
    shape: tuple[int | None, ...],
    mode: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(OPTIONS, "native", mode)
    x, y = tf.constant(X), tf.constant(Y)
    native = tf.function(program, input_signature=[tf.TensorSpec(shape)] * 2, jit_compile=True)
    for result, expected in zip(tf.nest.flatten(native(x, y)), tf.nest.flatten(program(x, y))):
        np.testing.assert_allclose(result, expected, rtol=1e-6)


def nests(program: Callable[[Any, Any], Any]) -> str:
    x = tf.TensorSpec([3, 4])
    return str(tf.function(program).experimental_get_compiler_ir(x, x)(stage="nests"))


def test_no_memory_is_used_for_parts() -> None:
    for program in (rows_and_columns, a_slice_of_one, stacks_of_stacks):
        assert "temporary" not in nests(program)
    assert "temporary f32[2, s0, s1]" in nests(read_whole_too)


def test_parts_that_nobody_reads_are_checked() -> None:
    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None])] * 2)
    def other(x: Any, y: Any) -> Any:
        return tf.stack([x, y])[1] * 2.0

    assert other(tf.ones([2]), tf.ones([2])).numpy().tolist() == [2.0, 2.0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        other(tf.ones([3]), tf.ones([2]))

    @tf.function(jit_compile=True)
    def beside(x: Any, i: Any) -> Any:
        return tf.stack([tf.gather(x, i), x[:1]])[1] * 2.0

    assert beside(tf.ones([2]), tf.constant([1])).numpy().tolist() == [2.0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        beside(tf.ones([2]), tf.constant([5]))
