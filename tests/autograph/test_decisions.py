"""What Python asks for its truth, and what happens where it is a tensor."""

from __future__ import annotations

import itertools
import textwrap
import traceback
from typing import Any

import pytest
from corpora.random_functions import load

import graphwright as tf
from graphwright.autograph import expression_rewriting

EXPRESSIONS = (
    "{0}", "not {0}", "{0} and {1}", "{0} or {1}", "not ({0} and {1})", "{0} and {1} and {2}",
    "{0} or {1} or {2}", "({0} or {1}) and {2}", "{0} and not {1} or {2}", "not {0} or {1} and {2}",
    "{1} if {0} else {2}", "not ({1} if {0} else not {2})", "{0} and ({1} or not {2})",
    "({0} and {1}) == {2}", "[{0} or {1}, not {2}][1]",
)  # fmt: skip

STATEMENTS = {
    "value": "result = {0}",
    "return": "return {0}",
    "if": "result = 1\nif {0}:\n    result = 2",
    "elif": "result = 1\nif w:\n    result = 5\nelif {0}:\n    result = 2\nelse:\n    result += 3",
    "while": (
        "result = 0\nwhile {0}:\n    result += 1\n    if result > 2:\n        break\n    a = b"
    ),
    "assert": "result = 7\nif True if w else ({0}):\n    assert {0}",
}


def log_of(names: str, log: list[str]) -> Any:
    """Functions that return what they are given and note that they were called."""

    def make(name: str) -> Any:
        def call(value: Any) -> Any:
            log.append(name)
            return value

        return tf.autograph.experimental.do_not_convert(call)

    return {f"see_{name}": make(name) for name in names}


def program(kind: str, expression: str, operands: tuple[str, str, str], **scope: Any) -> Any:
    body = STATEMENTS[kind].format(expression.format(*operands))
    source = "def program(a, b, c, w):\n" + textwrap.indent(body, "    ") + "\n    return result\n"
    return load(source, **scope)


@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.parametrize("kind", STATEMENTS)
def test_any_operand_may_be_the_first_tensor(kind: str, expression: str) -> None:
    plain = program(kind, expression, ("a", "b", "c"))
    for staged in itertools.product([False, True], repeat=3):
        traced = tf.function(program(kind, expression, ("a", "b", "c")))
        for values in itertools.product([False, True], repeat=3):
            expected = plain(*values, False)
            arguments = [tf.constant(v) if is_ else v for v, is_ in zip(values, staged)]
            result = traced(*arguments, False)
            assert (result.numpy() if isinstance(result, tf.Tensor) else result) == expected


@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.parametrize("kind", ["value", "return", "if", "elif"])
def test_operands_are_evaluated_as_often_as_in_python(kind: str, expression: str) -> None:
    operands = ("see_a(a)", "see_b(b)", "see_c(c)")
    for values in itertools.product([False, True], repeat=3):
        logs: list[list[str]] = []
        for convert in (lambda f: f, tf.autograph.to_graph):
            log: list[str] = []
            convert(program(kind, expression, operands, **log_of("abc", log)))(*values, False)
            logs.append(log)
        assert logs[0] == logs[1]
    for first in range(3):  # a tensor there: what comes after it is traced once
        log = []
        traced = tf.function(program(kind, expression, operands, **log_of("abc", log)))
        traced(*[tf.constant(True) if i >= first else True for i in range(3)], False)
        assert len(log) == len(set(log))


def test_what_others_ask_is_not_the_statements_own() -> None:
    class Holder:
        def __init__(self, value: Any) -> None:
            self.value = value

        def __bool__(self) -> bool:
            return bool(self.value)

    @tf.autograph.experimental.do_not_convert
    def ask(x: Any) -> bool:
        return bool(x)

    def in_c(x: Any) -> Any:
        if x is not None:
            return 1 if [x] == [x + 0] else 2
        return 0

    def by_an_object(x: Any) -> Any:
        if Holder(x):
            return 1
        return 2

    def by_a_function(x: Any) -> Any:
        if ask(x):
            return 1
        return 2

    def by_a_walrus(x: Any) -> Any:
        y = 0
        if len([x and (y := 2)]) > 3:
            y = 1
        return y

    def by_a_pattern(x: Any) -> Any:
        if x is not None:
            match x:
                case 1:
                    return 1
        return 2

    for function in (in_c, by_an_object, by_a_function, by_a_walrus, by_a_pattern):
        with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="as a Python `bool`"):
            tf.function(function)(tf.constant(1))


@pytest.mark.parametrize("in_frame", [False, True])
def test_a_comprehension_asks(in_frame: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expression_rewriting, "ASKS_IN_FRAME", in_frame)  # as from Python 3.12 on

    @tf.function
    def program(x: Any, items: Any) -> Any:
        if items:
            return [v for v in items if v > x]
        return x

    assert [int(v) for v in program(2, [1, 2, 3])] == [3]
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="as a Python `bool`"):
        program(tf.constant(2), [1, 2, 3])


def test_a_walrus_that_surely_runs() -> None:
    @tf.function
    def program(n: Any, x: Any) -> Any:
        if n > 0 and (y := x * 2) > 4:
            return y
        return x

    assert int(program(1, tf.constant(3))) == 6
    assert int(program(0, tf.constant(3))) == 3


def test_errors_do_not_tell_of_what_was_handled() -> None:
    @tf.function
    def program(x: Any) -> Any:
        if x > 0:
            raise KeyError("mine")
        return x

    with pytest.raises(KeyError) as caught:
        program(tf.constant(1))
    assert caught.value.__context__ is None
    assert "During handling" not in "".join(traceback.format_exception(caught.value))


def test_a_bare_raise_raises_what_was_caught() -> None:
    @tf.function
    def program(x: Any) -> Any:
        try:
            raise KeyError("mine")
        except KeyError:
            if x > 0:
                raise
        return x

    with pytest.raises(KeyError, match="mine"):
        program(tf.constant(1))


def test_long_chains_and_deep_nestings() -> None:
    lines = ["def program(x):", "    if x == 0:", "        y = 0"]
    for number in range(1, 60):
        lines += [f"    elif x == {number}:", f"        y = {number * number}"]
    lines += ["    else:", "        y = -1", "    return y"]
    plain = load("\n".join(lines) + "\n")
    traced = tf.function(plain)
    for x in (0, 1, 33, 60):
        assert int(traced(tf.constant(x))) == plain(x)

    for head in ("if x > {0}:", "for i{0} in range(1):", "while x > {0}:"):
        lines = ["def program(x):", "    y = 0"]
        depth = 18
        for number in range(depth):
            lines.append("    " * (number + 1) + head.format(number))
        inside = "    " * (depth + 1)
        lines += [inside + "y += x", inside + "if y > 5:", inside + "    return y"]
        if "while" in head:
            lines += [inside + "x -= 1"]
        plain = load("\n".join([*lines, "    return y + 1"]) + "\n")
        assert tf.autograph.to_graph(plain)(20) == plain(20)
        if "if" in head:  # one return for each level would trace each branch twice
            plain = load("\n".join([*lines[:-1], inside + "    y = 0", "    return y + 1"]) + "\n")
            assert int(tf.function(plain)(tf.constant(20))) == plain(20)


def test_loops_that_a_tensor_leaves_in_the_middle() -> None:
    def program(x: Any, items: Any) -> Any:
        y = 0
        for i in items:
            if i > 2:
                if y > x:
                    break
                if y == 2:
                    continue
            y += i
            if y > 3 * x:
                return -y
        else:
            y += 100
        return y

    traced = tf.function(program)
    for x in range(6):
        items = [1, 2, 3, 4]
        assert int(traced(tf.constant(x), items)) == program(x, items)
        assert int(traced(x, tf.constant(items))) == program(x, items)
        assert traced(x, items) == program(x, items)
