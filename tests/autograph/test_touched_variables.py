"""Programs with effects give the same results, prints and states in every mode.

Eagerly they are plain Python on tensors; traced they are graphs; `jit_compile` makes machine
code of them before the first call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from corpora import autograph as corpus
from corpora.random_functions import load
from support.tiers import plain

import graphwright as tf
from graphwright.compile.run.options import OPTIONS

MODES: dict[str, Callable[[Any], Any]] = {
    "traced": tf.function,
    "native": tf.function(jit_compile=True),
}
PROGRAMS: list[Any] = []


def on(*arguments: Any) -> Callable[[Any], Any]:
    def add(function: Any) -> Any:
        PROGRAMS.append(pytest.param(function, arguments, id=function.__name__))
        return function

    return add


@on(3, -3)
def print_in_branches(x: Any, v: Any) -> Any:
    if x > 0:
        tf.print("positive", x)
    else:
        tf.print("not positive", x)
    return x


@on(3)
def class_that_reads_what_a_loop_changes(x: Any, v: Any) -> Any:
    changed, total = x - x, x - x
    for i in tf.range(x):

        class Seen:
            value = changed + 1

        total = total * 10 + Seen.value
        changed = i + 5
    return total


@on(4, 0)
def print_in_while(x: Any, v: Any) -> Any:
    while x > 0:
        tf.print("turn", x)
        x -= 1
    tf.print("done", x)
    return x


@on(6)
def print_before_break(x: Any, v: Any) -> Any:
    for i in tf.range(x):
        tf.print("item", i)
        if i == 3:
            tf.print("stop")
            break
    else:
        tf.print("all")
    return x


@on(2, 9)
def print_after_return(x: Any, v: Any) -> Any:
    for i in tf.range(x):
        if i == 4:
            return i
        tf.print("before", i)
    tf.print("none")
    return tf.constant(-1)


@on(5)
def assign_in_loop(x: Any, v: Any) -> Any:
    for i in tf.range(x):
        if i % 2 == 0:
            v.assign_add(i)
        else:
            v.assign(v * 2)
    return v.read_value()


@on(3, -3)
def assign_in_test(x: Any, v: Any) -> Any:
    if v.assign_add(x) > 0 and v.assign_add(10) > 0:
        tf.print("both", v)
    return v.read_value()


@on(3)
def assign_through_calls(x: Any, v: Any) -> Any:
    def bump(by: Any) -> Any:
        if by > 1:
            v.assign_add(by)
        return v.read_value()

    total = 0
    while x > 0:
        total += bump(x)
        x -= 1
    return total


@on(5)
def lazy_parts(x: Any, v: Any) -> Any:
    def seen(value: Any) -> Any:
        tf.print("seen", value)
        return value > 2

    if seen(x) or seen(x + 1):
        tf.print("one")
    if not seen(x - 4) and (seen(x) or seen(x + 2)):
        tf.print("two")
    y = x if seen(x - 3) else x * 2
    return y if 0 < y < v.assign_add(3) else -y


@on(3)
def nested_loops(x: Any, v: Any) -> Any:
    for i in tf.range(x):
        j = i
        while j >= 0:
            if j == 1:
                j -= 1
                continue
            tf.print(i, j)
            v.assign_add(j)
            j -= 1
    return v.read_value()


@on(3, -3)
def assertion_and_with(x: Any, v: Any) -> Any:
    with tf.name_scope("inner"):
        assert x < 5
        if x > 0:
            v.assign(x)
    try:
        v.assign_add(1)
    finally:
        tf.print("finally", v)
    return v.read_value()


@on(4)
def filtered(x: Any, v: Any) -> Any:
    for i in filter(lambda i: i % 2 == 0, tf.range(x)):
        tf.print("even", i)
        v.assign_add(i)
    return v.read_value()


def run(function: Any, argument: int, capfd: Any) -> tuple[Any, str, Any]:
    variable = tf.Variable(1)
    result = function(tf.constant(argument), variable)
    return plain(result), capfd.readouterr().err, plain(variable.read_value())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "arguments"), PROGRAMS)
def test_effects(program: Any, arguments: Any, mode: str, capfd: Any) -> None:
    function = MODES[mode](program)
    for argument in arguments:
        expected = run(program, argument, capfd)
        assert run(function, argument, capfd) == expected
        assert run(function, argument, capfd) == expected  # and once more, in the same trace


@pytest.mark.parametrize("program", corpus.STAGED, ids=lambda p: p.name)
def test_corpus_in_machine_code(program: Any) -> None:
    function = MODES["native"](program.function)
    for arguments in program.arguments:
        result = function(*[tf.constant(argument) for argument in arguments])
        assert plain(result) == plain(program.function(*arguments))


@pytest.mark.parametrize("program", corpus.STAGED, ids=lambda p: p.name)
def test_corpus_in_both_tiers_at_once(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(OPTIONS, "native", "check")
    function = tf.function(program.function)
    for arguments in program.arguments:
        tensors = [tf.constant(argument) for argument in arguments]
        for _ in range(2):  # machine code that differs from the kernels is an error
            assert plain(function(*tensors)) == plain(program.function(*arguments))


@pytest.mark.slow
@pytest.mark.parametrize("name", corpus.NESTINGS)
def test_nestings_in_machine_code(name: str) -> None:
    program = load(corpus.NESTINGS[name], helper=corpus.positive)
    function = MODES["native"](program)
    for values in [(0, 1), (3, 2), (-1, -1)]:
        result = function(*map(tf.constant, values), tf.constant(0))
        assert plain(result) == program(*values, 0)
