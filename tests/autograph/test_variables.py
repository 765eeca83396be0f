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


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("number", [1, 3])
def test_a_variable_may_stand_behind_and_and_or(number: int, held: bool) -> None:
    v = tf.Variable(held)

    def program(n: Any) -> Any:
        both, one = n > 1 and v, n > 1 or v
        if (n > 2 and v) or (n < 2 and not v):
            n += 10
        return n, both, one

    expected = [leaf.numpy() for leaf in tf.nest.flatten(program(tf.constant(number)))]
    result = tf.function(program)(tf.constant(number))
    assert [leaf.numpy() for leaf in result] == expected


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


def in_place(n: Any, v: Any, start: Any) -> Any:
    total = start
    for _ in tf.range(n):
        total += 1.0
    return total


def in_place_in_while(n: Any, v: Any, start: Any) -> Any:
    total, i = start, 0
    while i < n:
        total *= 2.0
        i += 1
    return total


def in_place_in_a_branch(n: Any, v: Any, start: Any) -> Any:
    total = start
    for i in tf.range(n):
        if i != 1:
            total -= v
    return total


def in_place_in_a_loop_of_a_loop(n: Any, v: Any, start: Any) -> Any:
    total = start
    for _ in tf.range(n):
        for _ in tf.range(2):
            total /= 2.0
    return total


def in_place_by_another_function(n: Any, v: Any, start: Any) -> Any:
    def step(x: Any) -> Any:
        x **= 2.0
        return x

    total = start
    for _ in tf.range(n):
        total = step(total)
    return total


def in_place_by_another_name(n: Any, v: Any, start: Any) -> Any:
    total = start
    for _ in tf.range(n):
        other = total
        other += 1.0
        total = other
    return total


def in_place_in_a_dict(n: Any, v: Any, start: Any) -> Any:
    box = {"total": start, "v": v}
    for _ in tf.range(n):
        box["total"] += box["v"]
    return box["total"]


def in_place_over_a_dataset(n: Any, v: Any, start: Any) -> Any:
    total = start
    for item in tf.data.Dataset.range(tf.cast(n, tf.int64)):
        total += tf.cast(item, tf.float32)
    return total


@pytest.mark.parametrize("turns", [0, 1, 3])
@pytest.mark.parametrize(
    "function",
    [in_place, in_place_in_while, in_place_in_a_branch, in_place_in_a_loop_of_a_loop,
     in_place_by_another_function, in_place_by_another_name, in_place_in_a_dict,
     in_place_over_a_dataset],
)  # fmt: skip
def test_a_loop_carries_the_value_of_a_variable(function: Callable[..., Any], turns: int) -> None:
    """TensorFlow makes tensors of what a loop carries before its body, so the body changes them."""
    start, v = tf.Variable(3.0), tf.Variable(5.0)
    n = tf.constant(turns)
    assert float(tf.function(function)(n, v, start)) == float(function(n, v, tf.constant(3.0)))
    assert [float(start), float(v)] == [3.0, 5.0]


def in_place_without_a_loop(n: Any, v: Any) -> Any:
    v += 1.0
    return v


def in_place_in_if(n: Any, v: Any) -> Any:
    total = v
    if n > 0:
        total += 1.0
    return total


def in_place_of_what_is_not_carried(n: Any, v: Any) -> Any:
    def step(x: Any) -> Any:
        x += 1.0

    for _ in tf.range(n):
        step(v)
    return v


@pytest.mark.parametrize(
    "function", [in_place_without_a_loop, in_place_in_if, in_place_of_what_is_not_carried]
)
def test_a_variable_is_not_changed_in_place(function: Callable[..., Any]) -> None:
    with pytest.raises(RuntimeError, match=r"`variable \+= value` is not allowed") as caught:
        tf.function(function)(tf.constant(2), tf.Variable(1.0))
    assert caught.type is RuntimeError
