"""Prefetch and cache: threads that end, forks, errors in their places, elements computed once."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable

import pytest
from support.forking import in_child
from support.interruptions import is_interrupted

import graphwright as tf

Dataset = tf.data.Dataset


def threads() -> int:
    """How many threads take elements ahead."""
    return sum(thread.name == "prefetch" for thread in threading.enumerate())


def becomes_true(condition: Callable[[], bool]) -> bool:
    """Whether a condition holds within some seconds."""
    for _ in range(200):
        if condition():
            return True
        time.sleep(0.02)
    return False


def counted(calls: list[int], count: int) -> tf.data.Dataset:
    """Numbers that are noted when they are computed."""

    def note(x: int) -> int:
        calls.append(int(x))
        return x

    return Dataset.range(count).map(lambda x: tf.numpy_function(note, [x], tf.int64))


def test_an_iterator_that_nobody_has_any_more_leaves_no_thread() -> None:
    before = threads()
    for _ in range(5):
        iterator = iter(Dataset.range(1_000_000).prefetch(3))
        assert int(next(iterator)) == 0
        del iterator
    gc.collect()
    assert becomes_true(lambda: threads() <= before)


def test_no_more_is_taken_ahead_than_the_buffer_holds() -> None:
    calls: list[int] = []
    iterator = iter(counted(calls, 100).prefetch(3))
    next(iterator)
    assert becomes_true(lambda: len(calls) == 4)
    time.sleep(0.05)
    assert calls == [0, 1, 2, 3]


def test_without_a_buffer_nothing_is_taken_ahead() -> None:
    calls: list[int] = []
    iterator = iter(counted(calls, 100).prefetch(0))
    next(iterator)
    next(iterator)
    assert calls == [0, 1]


def test_an_error_comes_where_its_element_would() -> None:
    dataset = Dataset.from_tensor_slices([1, 0, 2, 0, 3]).map(lambda x: 12 // x).prefetch(2)
    iterator, outcomes = iter(dataset), []
    for _ in range(6):
        try:
            outcomes.append(int(next(iterator)))
        except tf.errors.InvalidArgumentError:
            outcomes.append("error")
        except StopIteration:
            outcomes.append("end")
    assert outcomes == [12, "error", 6, "error", 4, "end"]


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="there are no forks")
def test_the_child_of_a_fork_goes_on() -> None:
    iterator = iter(Dataset.range(100).prefetch(4))
    assert [int(next(iterator)) for _ in range(10)] == list(range(10))

    def rest_is_right() -> bool:
        rest = [int(x) for x in iterator]
        return rest[-1] == 99 and rest == list(range(rest[0], 100)) and rest[0] >= 10

    assert in_child(rest_is_right)
    assert [int(x) for x in iterator] == list(range(10, 100))


def test_ctrl_c_ends_waiting() -> None:
    def never(x: int) -> int:
        time.sleep(5.0 if x else 0.0)
        return x

    dataset = Dataset.range(3).map(lambda x: tf.numpy_function(never, [x], tf.int64)).prefetch(1)
    iterator = iter(dataset)
    next(iterator)
    began = time.monotonic()
    assert is_interrupted(lambda: next(iterator))
    assert time.monotonic() - began < 4.0


def test_what_is_in_the_cache_is_computed_once() -> None:
    calls: list[int] = []
    dataset = counted(calls, 3).cache()
    for _ in range(3):
        assert [int(x) for x in dataset] == [0, 1, 2]
    assert calls == [0, 1, 2]


def test_a_round_that_did_not_end_leaves_the_cache_empty() -> None:
    calls: list[int] = []
    dataset = counted(calls, 3).cache()
    next(iter(dataset))
    assert [int(x) for x in dataset] == [0, 1, 2]
    assert [int(x) for x in dataset] == [0, 1, 2]
    assert calls == [0, 0, 1, 2]


def test_a_function_makes_a_cache() -> None:
    @tf.function
    def total() -> tf.Tensor:
        result = tf.constant(0, tf.int64)
        for x in Dataset.range(4).cache():
            result += x
        return result

    assert int(total()) == 6
