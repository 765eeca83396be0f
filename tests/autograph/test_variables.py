"""Variables of state as the values of names: where a tensor decides, they are what they hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import graphwright as tf


class Held:
    """A library's variable, as Keras has them: an object that makes a tensor of itself."""

    def __init__(self, value: float) -> None:
        self.variable = tf.Variable(value)

    def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
        return tf.convert_to_tensor(self.variable, dtype, name=name)

    def __float__(self) -> float:
        return float(self.variable)

    def __add__(self, other: Any) -> Any:
        return self.variable + other

    def __mul__(self, other: Any) -> Any:
        return self.variable * other

    def assign_add(self, value: float) -> None:
        self.variable.assign_add(value)


def carried(v: Any, w: Any, n: Any) -> Any:
    state = v
    for _ in tf.range(n):
        state = state * 2.0
    return state


def carried_by_two(v: Any, w: Any, n: Any) -> Any:
    """The second name gets what the first one holds an iteration later."""
    first, second = v, v
    for _ in tf.range(n):
        second = first
        first = first * 2.0
    return first + second


def after_an_iteration(v: Any, w: Any, n: Any) -> Any:
    state = tf.zeros([])
    for _ in tf.range(n):
        state = v
        v.assign_add(1.0)
    return state + v


def in_one_branch(v: Any, w: Any, n: Any) -> Any:
    state = tf.zeros([])
    if n > 0:
        v.assign_add(1.0)
        state = v
    return state


def in_the_other_branch(v: Any, w: Any, n: Any) -> Any:
    state = tf.zeros([])
    if n > 0:
        state = state - 1.0
    else:
        state = w
        w.assign_add(1.0)
    return state


def one_of_two(v: Any, w: Any, n: Any) -> Any:
    state = v if n > 0 else w
    return state * 1.0


def held(v: Any, w: Any, n: Any) -> Any:
    """One that stays in its place stays a variable, which can be assigned."""
    box = {"v": v, "count": 0}
    for _ in tf.range(n):
        box["count"] += 1
        box["v"].assign_add(1.0)
    return v * tf.cast(box["count"], tf.float32)


def returned(v: Any, w: Any, n: Any) -> Any:
    if n > 0:
        return v
    return w


@pytest.mark.parametrize("kind", [tf.Variable, Held])
@pytest.mark.parametrize("turns", [0, 1, 3])
@pytest.mark.parametrize(
    "function",
    [carried, carried_by_two, after_an_iteration, in_one_branch, in_the_other_branch, one_of_two,
     held, returned],
)  # fmt: skip
def test_variables_as_values(function: Callable[..., Any], turns: int, kind: Any) -> None:
    outcomes = []
    for staged in (function, tf.function(function)):
        v, w = kind(3.0), kind(5.0)
        result = staged(v, w, tf.constant(turns))
        outcomes.append((float(result), float(v), float(w)))
    assert outcomes[0] == outcomes[1]


def test_what_a_statement_does_not_change_stays_what_it_is() -> None:
    class Thing:
        size = 3

    @tf.function
    def branch(x: Any) -> Any:
        count, thing, names = 3, Thing(), {"a": 1}
        if x > 0:  # noqa: SIM108 - a statement is what is tested
            y = x * count
        else:
            y = x - thing.size
        assert type(count) is int
        assert type(thing) is Thing
        return [y] * count, names

    @tf.function
    def loop(x: Any) -> Any:
        count, thing, names = 3, Thing(), {"a": 1}
        for _ in tf.range(2):
            x = x * count + thing.size
        assert type(count) is int
        assert type(thing) is Thing
        return [x] * count, names

    assert [[int(y) for y in branch(tf.constant(v))[0]] for v in (3, -3)] == [[9] * 3, [-6] * 3]
    items, names = loop(tf.constant(1))
    assert [int(x) for x in items] == [21] * 3
    assert names == {"a": 1}


def test_a_class_of_a_branch_is_there_afterwards() -> None:
    @tf.function
    def program(x: Any, large: Any) -> Any:
        if large:

            class Chosen:
                size = 10
        else:

            class Chosen:
                size = 2

        for _ in range(1):

            class Last:
                size = Chosen.size + 1

        return x * Chosen.size + Last.size

    assert [int(program(tf.constant(3), large)) for large in (True, False)] == [41, 9]


def test_a_class_of_a_branch_within_a_branch_is_there_afterwards() -> None:
    @tf.function
    def program(x: Any, large: Any) -> Any:
        if x > 0:
            if large:

                class Chosen:
                    size = 10

            x = x * Chosen.size
        return x

    assert [int(program(tf.constant(x), True)) for x in (3, -3)] == [30, -3]
