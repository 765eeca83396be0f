"""Loops that come back now and then, and go on in other code, come to what Python comes to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.departures import departing

import graphwright as tf
from graphwright.compile.run.bounded_loops import BoundedLoop
from graphwright.machine import background, codegen, compiler

pytestmark = pytest.mark.usefixtures("usual_tiers")


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The iterations that calls were given, in their order."""
    seen: list[int] = []
    call = BoundedLoop.__call__

    def watched(loop: BoundedLoop, arguments: list[Any]) -> tuple[Any, ...]:
        function = loop.function

        def counted(operands: list[Any]) -> tuple[Any, ...]:
            seen.append(int(operands[loop.variables]))
            results: tuple[Any, ...] = function(operands)
            return results

        other = BoundedLoop(counted, loop.variables, loop.first)
        return call(other, arguments)

    monkeypatch.setattr(BoundedLoop, "__call__", watched)
    return seen


def longest(n: Any) -> Any:
    """Nested loops with a branch."""
    best, at, i = 0, 0, 1
    while i < n:
        steps, k = 0, i
        while k != 1:
            k = k // 2 if k % 2 == 0 else 3 * k + 1
            steps += 1
        if steps > best:
            best, at = steps, i
        i += 1
    return at, best


def exchanged(n: Any) -> Any:
    """Arrays that change places, and a captured one."""
    a, b, c = tf.constant([1, 2]), tf.constant([3, 4]), tf.constant([5, 6])
    step, i = tf.constant([7, -1]), tf.constant(0)
    while i < n:
        a, b, c = b + step, c, a - b
        i += 1
    return a, b, c


def sieved(n: Any) -> Any:
    """An array that is written in its place."""
    marks, i = tf.zeros([40], tf.int32), tf.constant(0)
    while i * i < n:
        marks = tf.tensor_scatter_nd_add(marks, [[i]], [i + 1])
        i += 1
    return marks


def listed(n: Any) -> Any:
    """A list that gets longer."""
    items = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    for i in tf.range(n):
        items = items.write(i, i * i)
    return items.stack()


def exchanged_by_numpy(n: int) -> Any:
    a, b, c = np.array([1, 2]), np.array([3, 4]), np.array([5, 6])
    for _ in range(n):
        a, b, c = np.add(b, [7, -1]), c, a - b
    return a, b, c


def sieved_by_python(n: int) -> Any:
    return [i + 1 if i * i < n else 0 for i in range(40)]


PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[..., Any], int]] = {
    "nested": (longest, longest, 40),
    "exchanged": (exchanged, exchanged_by_numpy, 21),
    "in place": (sieved, sieved_by_python, 1200),
    "list": (listed, lambda n: [i * i for i in range(n)], 17),
}


def flat(result: Any) -> list[Any]:
    parts = result if isinstance(result, tuple) else (result,)
    return [np.asarray(part).tolist() for part in parts]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_loop_comes_to_the_same_by_many_calls(name: str, calls: list[int]) -> None:
    program, reference, number = PROGRAMS[name]
    for seed in range(3):
        calls.clear()
        with departing(seed, most=2 * seed):
            computed = flat(tf.function(program)(tf.constant(number)))
        assert computed == flat(reference(number))
        assert calls[:3] == [1, 2, 4]


@pytest.mark.parametrize("number", range(9))
def test_a_loop_may_end_where_a_call_does(number: int, calls: list[int]) -> None:
    with departing(most=0):
        computed = flat(tf.function(exchanged)(tf.constant(number)))
    assert computed == flat(exchanged_by_numpy(number))
    assert sum(calls) > number  # the last call says that the condition does not hold


def stale(loop: BoundedLoop, arguments: list[Any]) -> tuple[Any, ...]:
    """Goes on with the variables that the loop began with."""
    begun, turns = [*arguments], loop.first
    while True:
        operands = [*begun]
        operands.insert(loop.variables, np.array(turns, np.int64))
        *state, left = loop.function(operands)
        if left:
            return tuple(state)
        turns *= 2
        begun = [*state[:-1], begun[loop.variables - 1], *begun[loop.variables :]]


def hasty(loop: BoundedLoop, arguments: list[Any]) -> tuple[Any, ...]:
    """Takes the end of a call for that of the loop."""
    arguments.insert(loop.variables, np.array(loop.first, np.int64))
    *state, _ = loop.function(arguments)
    return tuple(state)


@pytest.mark.parametrize("fault", [stale, hasty])
def test_a_hand_over_that_is_wrong_is_noticed(
    fault: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BoundedLoop, "__call__", fault)
    with departing(most=0):
        computed = flat(tf.function(exchanged)(tf.constant(5)))
    assert computed != flat(exchanged_by_numpy(5))


#: What an iteration adds in a draft, and in the code that follows it here.
DRAFT, BETTER = 1234567, 7654321


def test_the_better_code_goes_on_in_the_midst_of_a_call(
    monkeypatch: pytest.MonkeyPatch, calls: list[int]
) -> None:
    generate = codegen.generate

    def planted(text: str, is_quick: bool = False) -> bytes:
        return generate(text if is_quick else text.replace(str(DRAFT), str(BETTER)), is_quick)

    monkeypatch.setattr(codegen, "generate", planted)
    monkeypatch.setattr(compiler, "disk_cache", lambda: None)

    @tf.function
    def summed(n: Any) -> Any:
        total, i = tf.constant(0, tf.int64), tf.constant(0)
        while i < n:
            total += DRAFT
            i += 1
        return total

    wait = background.wait
    call = BoundedLoop.__call__

    def waiting(loop: BoundedLoop, arguments: list[Any]) -> tuple[Any, ...]:
        function = loop.function

        def run(operands: list[Any]) -> tuple[Any, ...]:
            if int(operands[loop.variables]) == 4:  # 3 iterations are over
                wait()
            results: tuple[Any, ...] = function(operands)
            return results

        return call(BoundedLoop(run, loop.variables, loop.first), arguments)

    monkeypatch.setattr(BoundedLoop, "__call__", waiting)
    with departing(most=0):
        total = int(summed(tf.constant(20)))
    assert calls[:3] == [1, 2, 4]
    assert total == 3 * DRAFT + 17 * BETTER
