"""What a call keeps of what it found, and when that counts no more."""

from __future__ import annotations

import builtins
import functools
import gc
import types
import weakref
from typing import Any

import pytest
from corpora.random_functions import load
from support.toy import Toy, converted, installed, number

from graphwright.autograph import conversion, expression_rewriting, live_source
from graphwright.autograph.syntax import CALLS

SOURCE = """
def sign(x, scale=1, *, offset=0):
    if x > 0:
        return scale + offset
    return -scale + offset

def other(x, scale=1, *, offset=0):
    return 7

def program(x):
    return sign(x, 2, offset=0)

def short(x):
    return sign(x)
"""


def module() -> dict[str, Any]:
    scope: dict[str, Any] = load(SOURCE).__globals__
    return scope


def kept_by(function: Any) -> list[conversion.Callee]:
    found = live_source.cells_of(function).get(CALLS)
    return [] if found is None else found.cell_contents


def test_the_next_call_finds_what_the_last_one_found() -> None:
    scope = module()
    new = converted(scope["program"])
    assert kept_by(new) == [conversion.NO_CALLEE]
    assert new(3) == 2
    (callee,) = kept_by(new)
    assert callee.key is scope["sign"]
    with installed():
        assert number(new(Toy(-3))) == -2
    assert kept_by(new) == [callee]


def test_other_code_is_another_function() -> None:
    scope = module()
    new, short = converted(scope["program"]), converted(scope["short"])
    assert (new(3), short(3)) == (2, 1)
    scope["sign"].__code__ = scope["other"].__code__
    assert (new(3), short(3)) == (7, 7)
    assert (new(3), short(3)) == (7, 7)


def test_a_module_may_have_another_function_of_the_name() -> None:
    scope = module()
    new = converted(scope["program"])
    assert new(3) == 2
    scope["sign"] = scope["other"]
    assert new(3) == 7
    scope["sign"] = len
    with pytest.raises(TypeError):
        new(3)


def test_defaults_are_those_of_the_moment() -> None:
    scope = module()
    new, short = converted(scope["program"]), converted(scope["short"])
    assert (new(3), short(3)) == (2, 1)
    scope["sign"].__defaults__ = (5,)
    assert (new(3), short(3)) == (2, 5)
    scope["sign"].__kwdefaults__ = {"offset": 10}
    assert (new(3), short(3)) == (2, 15)
    scope["sign"].__defaults__ = None
    with pytest.raises(TypeError, match="scale"):
        short(3)


def test_a_function_that_is_not_converted_is_another_one() -> None:
    scope = module()
    new = converted(scope["program"])
    with installed():
        assert number(new(Toy(3))) == 2
        plain = conversion.do_not_convert(scope["sign"])
        assert number(new(Toy(3))) == 2
        scope["sign"] = plain
        for _ in range(2):
            with pytest.raises(Exception, match="not a Python bool"):
                new(Toy(3))


def test_wraps_copies_what_a_function_became() -> None:
    scope = module()
    assert converted(scope["program"])(3) == 2  # so that `sign` has a record
    twin = types.FunctionType(scope["sign"].__code__, {"__name__": "twin"})
    functools.wraps(scope["sign"])(twin)
    assert conversion.converted_call(twin) is not conversion.converted_call(scope["sign"])


def test_only_what_its_module_keeps_is_kept() -> None:
    text = """
def program(make, x):
    global made
    made = make()
    return made(x)
"""

    def make() -> Any:
        return lambda x: 3 * x

    new = converted(load(text))
    assert new(make, 2) == 6
    gone = weakref.ref(new.__globals__.pop("made"))
    gc.collect()
    assert gone() is None
    assert kept_by(new) == [conversion.NO_CALLEE]


@pytest.mark.parametrize(
    "call", ["sign(*[x])", "sign(x, **{})", "sign(x)", "sign(x, scale=1)", "stars(x)"]
)
def test_calls_that_leave_something_open_are_looked_up(call: str) -> None:
    text = f"{SOURCE}\ndef stars(*args):\n    return 1\ndef call(x):\n    return {call}\n"
    new = converted(load(text).__globals__["call"])
    assert new(3) == 1
    assert set(kept_by(new)) <= {conversion.NO_CALLEE}


def test_builtins_are_those_that_are_looked_up() -> None:
    known = {*expression_rewriting.TAKES, *expression_rewriting.LOOKS_INSIDE}
    overloaded = {
        b.__name__ for b in conversion._OVERLOADS if b is getattr(builtins, b.__name__, 0)
    }
    assert known == overloaded
    for name in overloaded:
        assert getattr(conversion.NAMESPACE, name) is getattr(builtins, name)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("len(x)", 3),
        ("len([x, x])", 2),
        ("len('ab')", 2),
        ("list(range(len(x)))", [0, 1, 2]),
        ("list(range(1, n))", [1]),
        ("list(range(1, abs(-n)))", [1]),
        ("int(n / 2)", 1),
        ("[int(v) for v in x]", [1, 2, 3]),
        ("[v for v in range(abs(n))]", [0, 1]),
        ("(lambda a: abs(a - 4))(n)", 2),
        ("list(enumerate(x, start=n))", [(2, 1), (3, 2), (4, 3)]),
        ("isinstance(n, int)", True),
        ("float('1')", 1.0),
    ],
)
def test_builtins_on_python_values(expression: str, value: Any) -> None:
    new = converted(load(f"def program(x, n):\n    return {expression}\n"))
    assert new([1, 2, 3], 2) == value


def test_names_of_builtins_may_be_functions_of_the_user() -> None:
    text = """
def abs(x):
    if x > 0:
        return 'up'
    return 'down'

def isinstance(x, y):
    if x > y:
        return 1
    return 0

def program(x):
    return abs(x), isinstance(x, 1)
"""
    new = converted(load(text))
    assert new(3) == ("up", 1)
    with installed():
        assert number(new(Toy(3))[1]) == 1
