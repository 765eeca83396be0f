"""Programs that change variables in loops and branches give in each tier what they give eagerly."""

from __future__ import annotations

import itertools
import linecache
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from corpora.variable_programs import Program, programs, written
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import graphwright as tf
from graphwright.compile.run.checking import compare
from graphwright.machine import background

NUMBERS = itertools.count()
COUNTS = 3, 0
VECTOR = [1.0, -0.5, 2.25, 0.75]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


class Module:
    """A program that was run as a module, with all its functions staged in one way."""

    def __init__(self, program: Program, decorator: str = "@tf.function") -> None:
        self.file = f"<variable program {next(NUMBERS)}>"
        self.program = program
        text = program.source.replace("@tf.function", decorator)
        linecache.cache[self.file] = len(text), None, text.splitlines(True), self.file
        self.names: dict[str, Any] = {"tf": tf, "__name__": "variable_program"}
        exec(compile(text, self.file, "exec", dont_inherit=True), self.names)

    def close(self) -> None:
        """Forgets its text."""
        linecache.cache.pop(self.file, None)

    def variable(self, name: str) -> Any:
        return self.names["box"].late if name == "late" else self.names[name]

    def restart(self) -> None:
        """Gives each variable its first value."""
        for name in self.program.variables:
            variable = self.variable(name)
            if variable is not None:
                start = eval(self.program.start(name))
                variable.assign(tf.constant(start, variable.dtype))

    def outcome(self, count: int) -> list[Any]:
        """What a call gives, or the class of its error, and then what all variables hold.

        What was read of a variable before the call stays what it was.
        """
        self.restart()
        variables = [self.variable(name) for name in self.program.variables]
        before = [v for v in variables if v is not None]
        reads = [r for v in before for r in (v.numpy(), v.read_value(), tf.identity(v))]
        copies = [np.array(r) for r in reads]
        try:
            result = self.names["f"](tf.constant(count), tf.constant(VECTOR))
            outcome = [np.array(leaf) for leaf in tf.nest.flatten(result)]
        except (tf.errors.OpError, IndexError, ZeroDivisionError) as error:
            outcome = [type(error).__name__]
        for read, copy in zip(reads, copies):
            np.testing.assert_array_equal(np.asarray(read), copy)
        variables = [self.variable(name) for name in self.program.variables]
        return outcome + [None if v is None else v.numpy().copy() for v in variables]


@contextmanager
def loaded(program: Program, decorator: str = "@tf.function") -> Iterator[Module]:
    module = Module(program, decorator)
    try:
        yield module
    finally:
        module.close()


def eagerly(program: Program) -> list[list[Any]]:
    """The outcomes of plain Python with eager ops."""
    tf.config.run_functions_eagerly(True)
    try:
        with loaded(program, "@tf.function") as module:
            return [module.outcome(count) for count in COUNTS]
    finally:
        tf.config.run_functions_eagerly(False)


def agree(way: str, expected: list[Any], outcome: list[Any], program: Program) -> None:
    """Fails where an outcome is not that of eager execution."""
    text = f"{way}:\n{program.source}"
    assert len(expected) == len(outcome), text
    for one, other in zip(expected, outcome):
        if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
            assert compare(other, one) == "", text
        else:
            assert (type(one), one) == (type(other), other), text


def check(program: Program) -> None:
    """Compares all ways to run a program."""
    expected = eagerly(program)
    with loaded(program) as module:
        for _ in range(2):
            for count, outcome in zip(COUNTS, expected):
                agree("traced", outcome, module.outcome(count), program)
        background.wait()
        for count, outcome in zip(COUNTS, expected):
            agree("settled", outcome, module.outcome(count), program)
    with loaded(program, "@tf.function(jit_compile=True)") as module:
        for count, outcome in zip(COUNTS, expected):
            agree("compiled", outcome, module.outcome(count), program)


COMMON: dict[str, Any] = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}


@settings(max_examples=20, **COMMON)
@given(programs())
def test_all_ways_agree(program: Program) -> None:
    check(program)


@settings(max_examples=12, **COMMON)
@given(programs(may_fail=True))
def test_what_fails_leaves_what_the_statements_before_have_left(program: Program) -> None:
    check(program)


@pytest.mark.slow
@settings(max_examples=2_000, **COMMON)
@given(st.integers(0, 99_999), st.booleans())
def test_all_ways_agree_over_2000_programs(seed: int, may_fail: bool) -> None:
    check(written(seed, may_fail))
