"""The interpreter runs plans as they are, and names each fault that is planted in one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from plans.faults import FAULTS, Fault
from plans.interpreter import interpret
from plans.memory import Refused, Violation
from plans.tier import as_it_is, interpreted

import graphwright as tf
from graphwright.compile.nests.nest import Loop, Program, exchanges
from graphwright.compile.run.checking import compare
from graphwright.compile.run.inspection import segments


def results(function: Callable[..., Any], arguments: Any, jit_compile: bool) -> list[Any] | None:
    """What a function gives; None if it refuses the arguments."""
    specs = [tf.TensorSpec([None] * np.ndim(x), tf.constant(x).dtype) for x in arguments]
    traced = tf.function(function, input_signature=specs, jit_compile=jit_compile)
    try:
        result = tf.nest.flatten(traced(*map(tf.constant, arguments)))
    except tf.errors.InvalidArgumentError:
        return None
    return [np.asarray(x.numpy()) for x in result]


def outcome(fault: Fault, change: Any) -> str:
    """Nothing, or what is wrong with the plan in words."""
    expected = results(fault.function, fault.arguments, False)
    try:
        with interpreted(change) as log:
            result = results(fault.function, fault.arguments, True)
    except Violation as violation:
        return str(violation)
    assert log.runs + log.refused, "nothing of it was compiled"
    if expected is None or result is None:
        return "" if expected is result else "differs: one refuses"
    differences = [compare(a, b) for a, b in zip(result, expected, strict=True)]
    return f"differs: {differences}" if any(differences) else ""


@pytest.mark.parametrize("name", FAULTS)
def test_a_plan_is_right_as_it_is(name: str) -> None:
    fault = FAULTS[name]
    assert outcome(fault, as_it_is) == ""


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_named(name: str) -> None:
    fault = FAULTS[name]
    words = outcome(fault, fault.change)
    assert words
    assert any(each in words for each in fault.words.split("|")), words


def plan_of(function: Callable[..., Any], *arrays: Any) -> tuple[Program, list[Any]]:
    """The plan of a function's only segment, and its constants."""
    result = []
    concrete = tf.function(function).get_concrete_function(*map(tf.constant, arrays))
    for op in segments(concrete.graph):
        result.append(op.lowered)
    [plan] = result
    return plan


def test_a_result_may_have_the_memory_of_an_argument() -> None:
    x = np.arange(6, dtype=np.float32)
    program, constants = plan_of(lambda x: (tf.cumsum(x), x * 2.0), x)
    given = x.copy()
    lent = program._replace(reuses=((1, 0),))
    _, (sums, twice) = interpret(lent, constants, [given], frozenset({1}))
    assert twice is given
    np.testing.assert_array_equal(given, x * 2)
    np.testing.assert_array_equal(sums, np.cumsum(x))


def test_an_argument_that_is_read_after_a_result_is_written_over_it() -> None:
    x = np.arange(6, dtype=np.float32)
    program, constants = plan_of(lambda x: (tf.cumsum(x), x * 2.0), x)
    lent = program._replace(reuses=((0, 0),))
    with pytest.raises(Violation, match="wrote as another's"):
        interpret(lent, constants, [x.copy()], frozenset({0}))


def test_nothing_is_refused_once_an_argument_is_written_over() -> None:
    x = np.arange(6, dtype=np.int32)
    program, constants = plan_of(lambda x, y: (tf.cumsum(x), y // y), x, x)
    arrays = [x.copy(), x.copy()]
    with pytest.raises(Refused):
        interpret(program, constants, arrays)
    lent = program._replace(reuses=((0, 0),))
    with pytest.raises(Violation, match="refuses when b0, an argument, is written over"):
        interpret(lent, constants, arrays, frozenset({0}))


def test_an_argument_is_not_written() -> None:
    x = np.arange(6, dtype=np.float32)
    program, constants = plan_of(lambda x: tf.cumsum(x), x)
    over = [s._replace(target=0) for s in program.body]
    with pytest.raises(Violation, match="over an argument"):
        interpret(program._replace(body=tuple(over)), constants, [x])


def test_a_nest_of_many_elements_takes_few_steps() -> None:
    """Elements are computed by arrays: the steps do not grow with them."""
    steps = []
    for count in (10, 10_000):
        x = np.linspace(0, 1, count, dtype=np.float32)
        program, constants = plan_of(lambda x: tf.reduce_sum(tf.sin(x) * 2.0 + x), x)
        calls, before = [], sys.getprofile()
        sys.setprofile(lambda frame, event, _: calls.append(event))  # noqa: B023
        try:
            interpret(program, constants, [x])
        finally:
            sys.setprofile(before)
        steps.append(len(calls))
    assert steps[1] < 2 * steps[0]


def test_chains_of_a_loop_exchange_no_memory_with_each_other() -> None:
    pairs = ((55, 57), (56, 58), (57, 59))
    given = exchanges(Loop((), 0, (), (), pairs))
    assert given == [*pairs, (58, 56), (59, 55)]
