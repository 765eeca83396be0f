"""Functions that are traced as they are: conversion would change nothing in them."""

from __future__ import annotations

import ast
import linecache
import re
import subprocess
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from differential.samples import PARTS, recorded

import graphwright as tf
from graphwright.autograph import conversion, live_source
from graphwright.autograph.expression_rewriting import Options
from graphwright.autograph.traced_form import is_straight, traced_form

SCALE = 3.0
FUNCTIONS = {"cast": tf.cast}


def add(x: Any) -> Any:
    return x + 1


def first(x: Any) -> Any:
    return second(x)


def second(x: Any) -> Any:
    return first(x)


def functions_of(program: str, name: str) -> Iterator[types.FunctionType]:
    """The functions that a program defines, with its text where Python looks for it."""
    lines = [line for line in program.split("\n") if not line.startswith("@")]
    text = "\n".join(lines) + "\n"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope: dict[str, Any] = {"tf": tf, "np": __import__("numpy"), "__name__": "program"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some programs index what has no items
        exec(compile(text, name, "exec"), scope)
    yield from (v for v in scope.values() if type(v) is types.FunctionType and is_of(v, name))


def is_of(function: types.FunctionType, name: str) -> bool:
    return function.__code__.co_filename == name


def changed(function: types.FunctionType) -> str:
    """What conversion makes of a function, where that is more than another callee of a call."""
    source = live_source.fetch(function)
    options = Options(inline=False)
    after, _ = conversion.convert_tree(source, options)
    before = source.tree()
    after.name = before.name
    for node in ast.walk(after):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Call):
            assert ast.unparse(node.func.func) == "ag__.converted_call"
            (node.func,) = node.func.args
    text = ast.unparse(after)
    return "" if text == ast.unparse(before) else text


def callees(function: types.FunctionType) -> list[str]:
    """The texts of what a function calls."""
    tree = live_source.fetch(function).tree()
    return [ast.unparse(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)]


def faults(part: int) -> tuple[int, list[str]]:
    """How many straight functions the programs of a file have, and those that are not straight."""
    count, wrong = 0, []
    for seed, sample, _ in recorded(part):
        for function in functions_of(sample.program.source, f"<recorded {seed}>"):
            if not is_straight(function):
                continue
            count += 1
            if changed(function) or not all(re.match(r"tf\.", name) for name in callees(function)):
                wrong.append(sample.program.source)
    return count, wrong


@pytest.mark.parametrize(
    "part",
    [part if part == 0 else pytest.param(part, marks=pytest.mark.slow) for part in range(PARTS)],
)
def test_conversion_changes_nothing_in_straight_functions_of_recorded_programs(part: int) -> None:
    count, wrong = faults(part)
    assert not wrong
    assert count > 10


#: Python 3.10 marks the callee of methods without keywords alone.
marks_callees = pytest.mark.skipif(sys.version_info < (3, 11), reason="Python marks few callees")

STRAIGHT: list[Callable[..., Any]] = [
    lambda x: x * 2 + 1,
    lambda x: -x[0] ** SCALE,
    lambda x, y: (tf.cast(x, tf.float32) / 255.0, y),
    lambda x: x.shape[0] > 1,
]
MARKED: list[Callable[..., Any]] = [
    lambda x: add(add(x)) * 2,
    lambda x: {"image": x["image"], "label": tf.one_hot(x["label"], depth=10)},
    lambda x: tf.nn.relu(tf.linalg.matmul(x, x, transpose_b=True)),
]


def assigns(x: Any) -> Any:
    """A function with a text."""
    y, z = tf.reduce_sum(x), tf.reduce_max(x)
    y += z
    return tf.stack([y, z])


@pytest.mark.parametrize(
    "function",
    [*STRAIGHT, assigns, *[pytest.param(f, marks=marks_callees) for f in MARKED]],
)
def test_straight_functions_are_traced_as_they_are(function: Any) -> None:
    assert traced_form(function) is function
    assert not changed(function)


def test_a_name_of_a_function_around_is_followed() -> None:
    def program(tf: Any) -> Any:
        return lambda x: tf.cast(x, tf.float32)

    assert is_straight(program(tf))
    assert not is_straight(program(types.SimpleNamespace(cast=add, float32=0)))


def chooses(x: Any) -> Any:
    if x > 0:
        x = -x
    return x


def loops(x: Any) -> Any:
    for _ in tf.range(3):
        x += 1
    return x


def asserts(x: Any) -> Any:
    assert x > 0
    return x


def writes(x: Any) -> Any:
    x[0] = 1
    return x


def within(x: Any) -> Any:
    with tf.name_scope("a"):
        return x + 1


def yields(x: Any) -> Any:
    yield x


@tf.autograph.experimental.do_not_convert
def marked(x: Any) -> Any:
    return x + 1


def has_function(x: Any) -> Any:
    def inner(y: Any) -> Any:
        return y + 1

    return inner(x)


OTHERS: list[Callable[..., Any]] = [
    chooses, loops, asserts, writes, within, yields, marked, has_function,
    lambda x: x if x > 0 else -x,
    lambda x: not x,
    lambda x: x > 0 and x < 3,
    lambda x: 0 < x < 3,
    lambda x: x in [1, 2],
    lambda x: [y + 1 for y in x],
    lambda x: chooses(x),
    lambda x: first(x),
    lambda x: x.sum(),
    lambda x: len(x),
    lambda x: print(x),
    lambda f, x: f(x),
    lambda f, x: f(x, tf.cast),
    lambda f, x: f(tf.cast(x, tf.int32)),
    lambda x: tf.cast(chooses(x), tf.int32),
    lambda x: tf.map_fn(add, x),
    lambda x: tf.cond(x, lambda: x, lambda: x),
    lambda x: tf.nest.map_structure(add, x),
    lambda x: tf.custom_gradient(add)(x),
    lambda x: FUNCTIONS["cast"](x, tf.int32),
    lambda x: (tf.cast, add)[1](x),
    lambda x: [tf.cast, add][1](x),
    lambda x: (lambda y: y)(x),
    lambda x: tf.cast(*x),
    lambda x: tf.identity(tf.square, x.sum()),
    lambda f, x: tf.stack([f(tf.square)]),
    lambda x: tf.Variable(x),
    lambda x: f"{x}",
    lambda x: FUNCTIONS["absent"](x),
]  # fmt: skip


WINDOW = tf.data.Dataset
METHODS: list[Callable[..., Any]] = [
    lambda window: window.batch(3),
    lambda key, window: window.map(add),
    lambda key, window: (key, window.take(tf.cast(key, tf.int64))),
]


MARKED_METHODS: list[Callable[..., Any]] = [
    lambda key, window: window.map(add, num_parallel_calls=key),
]


@pytest.mark.parametrize(
    "function", [*METHODS, *[pytest.param(f, marks=marks_callees) for f in MARKED_METHODS]]
)
def test_methods_of_the_library_are_called_as_they_are(function: Any) -> None:
    count = function.__code__.co_argcount
    assert traced_form(function, [*[None] * (count - 1), WINDOW]) is function
    assert traced_form(function) is not function
    assert not changed(function)


class Parts:
    """A class of a program, with methods of its own."""

    def batch(self, size: int) -> Any:
        return chooses(size)

    def windows(self, window: Any) -> Any:
        return window.batch(3)

    def own(self, window: Any) -> Any:
        return self.batch(3)


def replaces(window: Any) -> Any:
    """Another value has the name of the parameter."""
    window = SCALE
    return window.batch(3)


def swaps(window: Any, other: Any) -> Any:
    """The same, of two at once."""
    window, other = other, window
    return window.batch(3)


@pytest.mark.parametrize(
    "function",
    [
        replaces,
        swaps,
        lambda window: window.absent(3),
        lambda window: window[0].batch(3),
        lambda window: window.batch(3).map(add),
        lambda window: window.element_spec(3),
        lambda window, f: f.batch(3),
    ],
)
def test_other_methods_are_not_straight(function: Any) -> None:
    assert traced_form(function, [WINDOW]) is not function


def test_methods_of_a_programs_class_are_not_straight() -> None:
    assert traced_form(METHODS[0], [Parts]) is not METHODS[0]
    parts = Parts()
    windows, own = parts.windows, parts.own
    assert traced_form(windows, [WINDOW]) is windows
    assert traced_form(own, [WINDOW]) is not own


def test_functions_that_are_called_later_are_not_converted() -> None:
    calls: list[Callable[..., Any]] = [
        lambda x: tf.numpy_function(chooses, [x], tf.float32),
        lambda x: tf.py_function(chooses, [x], tf.float32),
    ]
    for call in calls:
        assert is_straight(call)
        assert float(tf.function(call)(2.0)) == -2.0
        assert float(tf.function(lambda x, call=call: call(x) if x > 0 else x)(2.0)) == -2.0


@pytest.mark.parametrize("function", OTHERS)
def test_other_functions_are_not_straight(function: Any) -> None:
    assert not is_straight(function)


@marks_callees
def test_what_a_name_means_is_asked_for_each_trace() -> None:
    scope: dict[str, Any] = {"cast": tf.identity}
    exec("def program(x): return cast(x)", scope)
    assert is_straight(scope["program"])
    scope["cast"] = chooses
    assert not is_straight(scope["program"])
    scope["cast"] = tf.map_fn
    assert not is_straight(scope["program"])


@pytest.mark.parametrize("function", [tf.square, tf.nn.relu, tf.data.Dataset.batch, traced_form])
def test_functions_of_the_library_are_traced_as_they_are(function: Any) -> None:
    assert traced_form(function) is function
    assert conversion.staged_form(function) is function


def test_functions_of_the_library_that_stage_others_are_not() -> None:
    assert traced_form(tf.map_fn) is not tf.map_fn


def test_straight_functions_are_staged_like_others() -> None:
    @tf.function
    def program(x: Any) -> Any:
        return tf.cast(x, tf.float32) * SCALE

    assert float(program(tf.constant(2))) == 6.0

    @tf.function
    def asks(x: Any) -> Any:
        return [1, 2, 3][x]

    with pytest.raises(TypeError) as raised:
        asks(tf.constant(1))
    assert "autograph=False" not in str(raised.value)
    assert "decorate" not in str(raised.value)


def test_the_first_call_of_a_straight_function_imports_no_conversion() -> None:
    program = (
        "import sys\nimport graphwright as tf\n"
        "f = tf.function(lambda x: tf.reduce_sum(x) * 2)\n"
        "assert int(f(tf.constant([1, 2]))) == 6\n"
        "assert 'graphwright.autograph.conversion' not in sys.modules\n"
        "tf.function(lambda x: x if x else -x)(1)\n"
        "assert 'graphwright.autograph.conversion' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
