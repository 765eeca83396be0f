"""Statements of one pattern get the function that would be written for each of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from compile.llvm.test_shared_functions import PROGRAMS, numbers, text_of

import graphwright as tf
from graphwright.compile.llvm import statement_code
from graphwright.compile.llvm.statement_patterns import StatementPattern

TURNS = 5


def signs_of_zero(x: Any) -> Any:
    """Nests that differ in the sign of a zero alone."""
    for i in range(TURNS):
        x = tf.reverse(tf.maximum(x, 0.0 if i % 2 else -0.0), [0]) * 0.5
    return x


def own_operands(x: Any) -> Any:
    """Nests of the same instructions, of which some read one buffer twice."""
    y = tf.reverse(x, [1])
    for i in range(TURNS):
        x, y = tf.reverse(x * (x if i % 2 else y), [0]), tf.reverse(y + x, [1])
    return x + y


def sums_and_scalars(x: Any) -> Any:
    """Nests that read totals of earlier ones."""
    for _ in range(TURNS):
        total, greatest = tf.reduce_sum(x), tf.reduce_max(x)
        x = tf.reverse(x / (1.0 + tf.abs(total)) + greatest, [0])
    return x


def slopes(x: Any) -> Any:
    """The gradient of an unrolled loop, which reads what each turn has left."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(TURNS):
            y = tf.reverse(tf.tanh(y) * y, [0]) + x
        loss = tf.reduce_sum(y)
    return tape.gradient(loss, x)


OWN = [*PROGRAMS, signs_of_zero, own_operands, sums_and_scalars, slopes]


@pytest.mark.parametrize("program", OWN, ids=lambda program: program.__name__)
def test_the_text_is_that_without_patterns(
    program: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = text_of(program)
    number = iter(range(10_000))

    def alone(*_: Any) -> StatementPattern:
        return StatementPattern(next(number), ())

    monkeypatch.setattr(statement_code, "pattern_of", alone)
    assert text_of(program) == text


@pytest.mark.parametrize("program", OWN[len(PROGRAMS) :], ids=lambda program: program.__name__)
def test_programs_compute_what_kernels_do(program: Callable[[Any], Any]) -> None:
    x = tf.constant(numbers(6, 24))
    expected = tf.function(program, jit_compile=False)(x).numpy()
    computed = tf.function(program, jit_compile=True)(x).numpy()
    np.testing.assert_allclose(computed, expected, rtol=2e-4, atol=2e-4)
