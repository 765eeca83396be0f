"""Calls from other threads while a trace is held: deterministic, by events."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf

SECONDS = 60  # none of it passes unless threads wait for each other for ever


class Held:
    """A function whose first trace waits until it may go on."""

    def __init__(self, body: Callable[[Any], Any], **options: Any) -> None:
        self.began, self.may_go_on = threading.Event(), threading.Event()
        self.bodies = 0

        def traced(x: Any) -> Any:
            self.bodies += 1
            if not self.began.is_set():
                self.began.set()
                assert self.may_go_on.wait(SECONDS)
            return body(x)

        self.function = tf.function(traced, autograph=False, **options)


class Call(threading.Thread):
    """A call in a thread of its own, which says when it is about to be made."""

    def __init__(self, call: Callable[[], Any]) -> None:
        super().__init__()
        self.call = call
        self.about, self.over = threading.Event(), threading.Event()
        self.result: Any = None
        self.start()

    def run(self) -> None:
        """Makes it."""
        self.about.set()
        try:
            self.result = self.call()
        except Exception as error:  # noqa: BLE001 - it is what came of the call
            self.result = error
        self.over.set()

    def came(self) -> Any:
        """What came of it."""
        assert self.over.wait(SECONDS)
        self.join()
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


def held_while(held: Held, calls: list[Callable[[], Any]], during: Callable[[], None]) -> list[Any]:
    """What comes of calls, the first of which is held in its trace until all others have begun."""
    first = Call(calls[0])
    others: list[Call] = []
    try:
        assert held.began.wait(SECONDS)
        others += [Call(call) for call in calls[1:]]
        assert all(other.about.wait(SECONDS) for other in others)
        during()
    finally:
        held.may_go_on.set()
    return [call.came() for call in (first, *others)]


def nothing() -> None:
    """Nothing is done meanwhile."""


def test_eight_calls_of_one_signature_make_one_trace():
    held = Held(lambda x: x + 1.0)
    calls = [lambda i=i: held.function(tf.constant([float(i), 0.0])) for i in range(8)]
    found = held_while(held, calls, nothing)
    assert [r.numpy().tolist() for r in found] == [[i + 1.0, 1.0] for i in range(8)]
    assert held.bodies == 1
    assert held.function.experimental_get_tracing_count() == 1


def test_eight_calls_of_four_signatures_make_four_traces():
    held = Held(lambda x: x + x)
    makers = [
        lambda: tf.constant([1.0]), lambda: tf.constant([1]), lambda: tf.constant([1.0, 2.0]),
        lambda: tf.constant([[1.0]]),
    ] * 2  # fmt: skip
    calls = [lambda make=make: held.function(make()) for make in makers]
    found = held_while(held, calls, nothing)
    for result, make in zip(found, makers):
        assert result.dtype is make().dtype
        np.testing.assert_array_equal(result, 2 * make().numpy())
    assert held.bodies == 4
    assert held.function.experimental_get_tracing_count() == 4


def test_a_call_that_is_known_does_not_wait_for_the_trace_of_another():
    held = Held(lambda x: x * 3.0)
    held.began.set()
    assert held.function(tf.constant(2.0)) == 6.0
    held.began.clear()

    def during() -> None:
        known = Call(lambda: [float(held.function(tf.constant(v))) for v in (1.0, 2.0)])
        assert known.came() == [3.0, 6.0]

    (found,) = held_while(held, [lambda: held.function(tf.constant([1.0]))], during)
    assert found.numpy().tolist() == [3.0]
    assert held.bodies == 2


def test_a_concrete_function_asked_for_meanwhile_is_that_of_the_call():
    held = Held(lambda x: x - 1.0)
    x = tf.constant([5.0])
    spec = tf.TensorSpec([1], tf.float32)
    calls = [
        lambda: held.function(x),
        lambda: held.function.get_concrete_function(spec),
        lambda: held.function.get_concrete_function(x),
    ]
    result, one, other = held_while(held, calls, nothing)
    assert result.numpy().tolist() == one(x).numpy().tolist() == [4.0]
    assert one is other
    assert held.bodies == 1


@pytest.mark.parametrize("traced", [False, True])
def test_what_is_told_of_a_function_need_not_wait_for_its_trace(traced):
    held = Held(lambda x: x * 2)
    if traced:
        held.began.set()
        held.function(tf.constant(1))
        held.began.clear()

    def look() -> tuple[str, int, str, str]:
        f = held.function
        text = f.pretty_printed_concrete_signatures()
        return text, f.experimental_get_tracing_count(), str(f.explain()), repr(f)

    looks: list[Any] = []
    held_while(
        held, [lambda: held.function(tf.constant([1.0]))], lambda: looks.append(Call(look).came())
    )
    assert ("dtype=tf.int32" in looks[0][0]) == traced
    assert "dtype=tf.float32" not in looks[0][0]
    assert look()[:2] != looks[0][:2]


@pytest.mark.parametrize("symbolic", [False, True], ids=["constant", "symbolic"])
def test_variables_are_created_once_while_other_threads_call(symbolic):
    """A first trace creates a variable and is held: the others wait for its value."""
    made: list[tf.Variable] = []

    def body(x: Any) -> Any:
        if not made:
            made.append(tf.Variable(x * 2.0 if symbolic else 2.0))
        return made[0] + x

    held = Held(body)
    calls = [lambda: held.function(tf.constant(1.0))] * 8
    found = held_while(held, calls, nothing)
    assert [float(r) for r in found] == [3.0] * 8
    assert len(made) == 1
    assert held.bodies == 2  # once more without the creation


def test_a_trace_that_is_held_while_its_variable_is_created_is_waited_for():
    """Held between the creation of the variable and the second trace."""
    made: list[tf.Variable] = []
    began, may_go_on = threading.Event(), threading.Event()

    def creator(next_creator: Any, **options: Any) -> Any:
        began.set()
        assert may_go_on.wait(SECONDS)
        return next_creator(**options)

    @tf.function
    def f(x):
        if not made:
            with tf.variable_creator_scope(creator):
                made.append(tf.Variable(x + 1.0))
        return made[0] * x

    first = Call(lambda: f(tf.constant(2.0)))
    try:
        assert began.wait(SECONDS)
        others = [Call(lambda: f(tf.constant(2.0))) for _ in range(3)]
        others += [Call(lambda: f.get_concrete_function(tf.constant(2.0))(tf.constant(2.0)))]
        assert all(call.about.wait(SECONDS) for call in others)
        assert f.pretty_printed_concrete_signatures() == ""
    finally:
        may_go_on.set()
    assert [float(call.came()) for call in (first, *others)] == [6.0] * 5
    assert len(made) == 1
    assert f.experimental_get_tracing_count() == 1


def test_a_trace_that_fails_while_others_wait_fails_for_itself_alone():
    attempts: list[int] = []

    def body(x: Any) -> Any:
        attempts.append(1)
        if len(attempts) == 1:
            raise ValueError("the first fails")
        return x + 1.0

    held = Held(body)
    outcomes: list[Any] = []

    def outcome() -> None:
        try:
            outcomes.append(float(held.function(tf.constant(1.0))))
        except ValueError as error:
            outcomes.append(str(error).splitlines()[-1])

    held_while(held, [outcome] * 4, nothing)
    assert sorted(map(str, outcomes))[:3] == ["2.0"] * 3
    assert any("the first fails" in str(o) for o in outcomes)
    assert len(attempts) == 2


def test_two_functions_that_call_each_other_are_traced_by_two_threads():
    """The trace of each needs the other's: one is held inside, and the other thread begins."""
    inner_held = Held(lambda x: x * 2.0)
    inner = inner_held.function
    outer = tf.function(lambda x: inner(x) + 1.0)
    other = tf.function(lambda x: inner(x) - 1.0)
    calls = [lambda: outer(tf.constant(3.0)), lambda: other(tf.constant(3.0)),
             lambda: inner(tf.constant(3.0))]  # fmt: skip
    assert [float(r) for r in held_while(inner_held, calls, nothing)] == [7.0, 5.0, 6.0]
    assert inner_held.bodies == 1
