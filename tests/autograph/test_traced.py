"""The corpus and random programs, traced into graphs of graphwright's own tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from corpora import autograph as corpus
from corpora.random_functions import give, helper, load, many
from support.tiers import plain

import graphwright as tf


def traced(function: Any) -> Any:
    return tf.function(function)


@pytest.mark.parametrize("program", corpus.STAGED, ids=lambda p: p.name)
def test_corpus(program: corpus.Program) -> None:
    for arguments in program.arguments:
        expected = program.function(*arguments)
        tensors = [tf.constant(arg) for arg in arguments]
        assert plain(traced(program.function)(*tensors)) == plain(expected)


@pytest.mark.parametrize("program", corpus.STAGED, ids=lambda p: p.name)
def test_one_trace_serves_all_values(program: corpus.Program) -> None:
    function = traced(program.function)
    for arguments in program.arguments:
        expected = program.function(*arguments)
        assert plain(function(*[tf.constant(arg) for arg in arguments])) == plain(expected)
    shapes = {str([np.shape(arg) for arg in arguments]) for arguments in program.arguments}
    assert function.experimental_get_tracing_count() == len(shapes)


@pytest.mark.parametrize("program", corpus.PROGRAMS, ids=lambda p: p.name)
def test_eager_tensors(program: corpus.Program) -> None:
    if not program.staged:
        pytest.skip("its arguments stay numbers")
    for arguments in program.arguments:
        tensors = [tf.constant(arg) for arg in arguments]
        expected = program.function(*arguments)
        new = tf.autograph.to_graph(program.function)
        assert plain(new(*tensors)) == plain(expected)


@pytest.mark.parametrize("name", corpus.NESTINGS)
def test_nestings(name: str) -> None:
    program = load(corpus.NESTINGS[name], helper=corpus.positive)
    function = traced(program)
    for values in [(0, 1), (3, 2), (-1, -1)]:
        result = function(*map(tf.constant, values), tf.constant(0))
        assert plain(result) == program(*values, 0)


@pytest.mark.parametrize("deeper", ["else", "main"])
def test_branches_that_may_return_are_traced_once(deeper: str) -> None:
    lines, traced_parts = [], []
    for depth in range(6):
        margin = "    " * (depth + 1)
        test = f"x > {9 - depth}" if deeper == "else" else f"x <= {9 - depth}"
        ends = [f"{margin}    note({depth})"]
        lines += [f"{margin}if {test}:", *(ends if deeper == "else" else [])]
        lines += [f"{margin}else:"] if deeper == "else" else []
    margin = "    " * 7
    lines += [f"{margin}if x < 0:", f"{margin}    note(6)", f"{margin}    return x * 2"]
    source = "\n".join(["def program(x, note):", *lines, "    return x + 1", ""])
    program = load(source)
    function = tf.function(lambda x: program(x, traced_parts.append))
    concrete = function.get_concrete_function(tf.TensorSpec([], tf.int32))
    assert sorted(traced_parts) == (list(range(7)) if deeper == "else" else [6])
    for x in (-3, 0, 4, 5, 9, 10):
        assert int(concrete(tf.constant(x))) == program(x, lambda _: None)


def check(source: str, values: tuple[int, int, int]) -> None:
    import contextlib

    scope = {"helper": helper, "give": give, "context": contextlib.nullcontext}
    expected = load(source, tensor=list, **scope)(*values, 0)
    tensor = lambda items: tf.constant(items, tf.int32)  # noqa: E731
    program = traced(load(source, tensor=tensor, **scope))
    assert plain(program(*map(tf.constant, values), tf.constant(0))) == expected


@pytest.mark.parametrize("part", range(5))
def test_random_programs(part: int) -> None:
    for source, values in many(100 * part, 50, tensors=True):
        check(source, values)


@pytest.mark.slow
def test_many_random_programs() -> None:
    for source, values in many(0, 20_000, tensors=True):
        check(source, values)
