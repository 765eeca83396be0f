"""Parts of joins that are computed in their places: no memory of their own, no copy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.run.options import OPTIONS

X = np.linspace(-2.0, 2.0, 12, dtype=np.float32).reshape(3, 4)


def bordered(x: Any) -> Any:
    return tf.pad(x[1:, :-1] * 2.0 - x[:-1, 1:], [[1, 0], [0, 1]], constant_values=0.5)


def stacked(x: Any) -> Any:
    return tf.stack([x + 1.0, tf.exp(x), bordered(x)])


def joined(x: Any) -> Any:
    return tf.concat([x * 2.0, tf.tanh(x), x[::-1] - 1.0], 0)


def beside_each_other(x: Any) -> Any:
    return tf.concat([x * 2.0, x - 1.0], 1)


def borders_again(x: Any) -> Any:
    for _ in tf.range(3):
        x = bordered(x) - x
    return x


def dear_beside(x: Any) -> Any:
    return tf.concat([tf.tanh(x), x - 1.0], 1)


def read_twice(x: Any) -> Any:
    y = x * 2.0
    return tf.concat([y, x, y], 0)


def returned_too(x: Any) -> Any:
    y = x * 2.0
    return tf.concat([y, x], 0), y


def of_sums(x: Any) -> Any:
    return tf.concat([tf.reduce_sum(x, 0), tf.reduce_max(x, 1), x[0] * 2.0], 0)


def of_numbers(x: Any) -> Any:
    total = tf.reduce_sum(x)
    return tf.stack([total, total * 2.0, x[0, 0] + 1.0])


def of_columns(x: Any) -> Any:
    return tf.stack([x * 2.0, x + 1.0, tf.exp(x)], 2)


def no_elements(x: Any) -> Any:
    return tf.concat([x[:0] * 2.0, tf.concat([x[:1] + 1.0, x[1:] * 3.0], 0)], 0)


#: Programs, and the arrays between their arguments and results.
PROGRAMS: list[tuple[Callable[[Any], Any], int]] = [
    (bordered, 0), (stacked, 0), (joined, 0), (beside_each_other, 0), (dear_beside, 2),
    (read_twice, 1), (returned_too, 0), (of_columns, 3), (no_elements, 0),
]  # fmt: skip


@pytest.mark.parametrize(("program", "count"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_parts_have_no_memory_of_their_own(program: Callable[[Any], Any], count: int) -> None:
    spec = tf.TensorSpec([3, 4])
    text = tf.function(program).experimental_get_compiler_ir(spec)(stage="nests")
    assert str(text).count(": temporary") == count


@pytest.mark.parametrize("mode", ["check", "sanitize"])
@pytest.mark.parametrize("shape", [(3, 4), (None, None)])
@pytest.mark.parametrize(
    "program", [*[p for p, _ in PROGRAMS], borders_again, of_sums, of_numbers],
    ids=lambda program: program.__name__,
)  # fmt: skip
def test_results_are_those_of_eager_ops(
    program: Callable[[Any], Any],
    shape: tuple[int | None, ...],
    mode: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(OPTIONS, "native", mode)
    x = tf.constant(X)
    native = tf.function(program, input_signature=[tf.TensorSpec(shape)], jit_compile=True)
    for result, expected in zip(tf.nest.flatten(native(x)), tf.nest.flatten(program(x))):
        np.testing.assert_allclose(result, expected, rtol=1e-6)
