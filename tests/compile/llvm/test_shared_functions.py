"""Parts of a program that are alike have one function, and compute what each would by itself."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.llvm import statement_code
from graphwright.compile.llvm.render import render
from graphwright.compile.llvm.shared_functions import SharedCallee, SharedFunctions
from graphwright.compile.llvm.statement_patterns import StatementPattern
from graphwright.compile.run.tiers import native

REPEATED = 6


def numbers(*shape: int) -> Any:
    return np.random.RandomState(0).normal(size=shape).astype(np.float32)


WEIGHTS = [tf.constant(numbers(24, 24) * 0.2) for _ in range(REPEATED)]


def layers(x: Any) -> Any:
    """Products and nests; each layer has another matrix."""
    for weights in WEIGHTS:
        x = tf.nn.relu(x @ weights + 0.1) * 0.9
    return x


def differences(x: Any) -> Any:
    """Nests of two arrays, which differ in the order in which they use them."""
    y = x * 2.0
    for _ in range(REPEATED // 2):
        x, y = tf.reverse(y, [0]) - x, x
        y, x = tf.reverse(x, [0]) - y, x
    return x - y * 0.5


def factors(x: Any) -> Any:
    """Nests that differ in their last number alone."""
    for i in range(REPEATED):
        x = tf.sin(tf.reverse(x, [1])) * (0.9, 0.7, -0.8)[i % 3]
    return x


def totals(x: Any) -> Any:
    """Sums, and greatest elements, which parts have of their own."""
    for _ in range(REPEATED):
        x = x * 0.5 + tf.reduce_mean(x)
        x = tf.reverse(x, [1]) * 0.5 + tf.reduce_max(x) * 0.1
    return x


def scans(x: Any) -> Any:
    for _ in range(REPEATED):
        x = tf.cumsum(x, axis=0) * 0.1
    return x


def columns(x: Any) -> Any:
    """Sums into memory."""
    for _ in range(REPEATED):
        x = tf.reverse(x, [0]) - tf.reduce_sum(x, axis=0) * 0.01
    return x


PROGRAMS: list[Callable[[Any], Any]] = [layers, differences, factors, totals, scans, columns]


@pytest.mark.parametrize("rows", [3, 30_000])  # those that threads share, too
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_repeated_parts_compute_what_kernels_do(program: Any, rows: int) -> None:
    x = tf.constant(numbers(rows, 24))
    expected = tf.function(program, jit_compile=False)(x).numpy()
    computed = tf.function(program, jit_compile=True)(x).numpy()
    np.testing.assert_allclose(computed, expected, rtol=2e-4, atol=2e-4 * np.abs(expected).max())


def text_of(program: Callable[[Any], Any]) -> str:
    """The module of a program."""
    spec = tf.TensorSpec([64, 24])
    graph = tf.function(program).get_concrete_function(spec).graph
    return "".join(render(op.lowered[0])[0] for op in native(graph).source.segments)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_function_with_its_slots_is_what_it_stands_for(
    program: Any, usual_tiers: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[list[str], str, SharedCallee]] = []
    add = SharedFunctions.add

    def noted(self: SharedFunctions, text: str) -> SharedCallee:
        callee = add(self, text)
        made.append((self.functions, text, callee))
        return callee

    numbers = count()

    def alone(*_: Any) -> StatementPattern:  # so each statement is written anew
        return StatementPattern(next(numbers), ())

    monkeypatch.setattr(statement_code, "pattern_of", alone)
    monkeypatch.setattr(SharedFunctions, "add", noted)
    text_of(program)
    assert len({callee.name for _, _, callee in made}) < len(made)
    for functions, text, callee in made:
        head = f"define internal {callee.result} @{callee.name}("
        (shared,) = [f for f in functions if f.startswith(head)]
        for i, slot in reversed([*enumerate(callee.slots)]):
            shared = shared.replace(f", i64 %slot{i}", "", 1).replace(f"%slot{i}", str(slot))
        name = text.partition("@")[2].partition("(")[0]
        assert shared.replace(f"@{callee.name}(", f"@{name}(", 1) == text


def test_a_part_with_another_text_has_another_name() -> None:
    functions: list[str] = []
    shared = SharedFunctions(functions)
    texts = {end: "{} " + end for end in "abc"}
    names = [shared.part("part", texts[end].format) for end in "aabca"]
    assert names == ["part", "part", "part_", "part__", "part"]
    assert functions == ["part a", "part_ b", "part__ c"]


def test_code_of_equal_layers_grows_little(usual_tiers: None) -> None:
    """A layer more is a call of each of its functions."""

    def chain(count: int) -> Callable[[Any], Any]:
        def program(x: Any) -> Any:
            for weights in WEIGHTS[:count]:
                x = tf.nn.relu(x @ weights + 0.1) * 0.9
            return x

        return program

    functions = [text_of(chain(count)).count("\ndefine ") for count in (3, 4, 6)]
    assert functions[0] == functions[1] == functions[2]
