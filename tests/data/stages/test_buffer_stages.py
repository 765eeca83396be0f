"""Prefetch and cache: threads that end, forks, errors in their places, elements computed once."""

from __future__ import annotations

import gc
import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from support.forking import in_child
from support.interruptions import is_interrupted

import graphwright as tf
from graphwright.data.stages import buffer_stages
from graphwright.data.stages.buffer_stages import Supply
from graphwright.data.threads import held_work
from graphwright.data.threads.held_work import Forks, held_works

Dataset = tf.data.Dataset

forked = pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")


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


def test_errors_that_wait_keep_no_thread_of_a_reduction_that_failed() -> None:
    """The error that was raised has the frames of the reader; those that wait must not have it."""

    def numbers() -> Iterator[int]:
        raise ValueError("no")
        yield 0

    before = threads()
    spec = tf.TensorSpec([], tf.int64)
    dataset = Dataset.from_generator(numbers, output_signature=spec).repeat(40)
    dataset = dataset.map(lambda x: x + 1, num_parallel_calls=2).prefetch(8)
    with pytest.raises(tf.errors.InvalidArgumentError):
        dataset.reduce(tf.constant(0, tf.int64), lambda total, x: total + x)
    gc.collect()
    assert becomes_true(lambda: threads() <= before)


def test_a_thread_that_has_little_to_do_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    before = threads()
    for name in ("_BUSY", "_PART", "_LITTLE"):
        monkeypatch.setattr(buffer_stages, name, 0.0)
    dataset = Dataset.range(2_000).map(lambda x: tf.fill([10_000], x)).prefetch(2)
    iterator, elements = iter(dataset), []

    def comes_to(count: int) -> bool:
        """Whether there are so many threads while elements are read."""
        for _ in range(900):
            elements.append(int(next(iterator)[-1]))
            time.sleep(0.002)
            if threads() == count:
                return True
        return False

    assert comes_to(before + 1)
    monkeypatch.setattr(buffer_stages, "_LITTLE", 0.5)
    assert comes_to(before)
    assert elements + [int(x[-1]) for x in iterator] == list(range(2_000))


def test_a_thread_stays_where_taking_ahead_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buffer_stages, "_LITTLE", 1e9)
    calls: list[int] = []
    before, started = threads(), set()
    iterator = iter(counted(calls, 100).prefetch(3))
    for i in range(60):
        assert int(next(iterator)) == i
        started.update(t.ident for t in threading.enumerate() if t.name == "prefetch")
    assert threads() == before + 1
    assert becomes_true(lambda: len(calls) == 63)
    assert len(started) == before + 1


@pytest.mark.parametrize("size", [1, 3, tf.data.AUTOTUNE])
def test_readers_get_all_elements_from_threads_that_end(
    monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """Each thread ends after one block, and the next reader who waits starts another."""
    monkeypatch.setattr(buffer_stages, "_JUDGED", 1)
    monkeypatch.setattr(buffer_stages, "_LITTLE", 1e9)
    monkeypatch.setattr(Supply, "is_worth", property(lambda supply: True))
    dataset = Dataset.range(600).map(lambda x: x + 1).prefetch(size).batch(3).prefetch(size)
    iterator = iter(dataset)
    rows: list[list[int]] = []

    def read() -> None:
        rows.extend(batch.numpy().tolist() for batch in iterator)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join(60)
    assert not any(reader.is_alive() for reader in readers)
    assert sorted(x for row in rows for x in row) == list(range(1, 601))


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


@forked
def test_the_child_of_a_fork_goes_on() -> None:
    iterator = iter(Dataset.range(100).prefetch(4))
    assert [int(next(iterator)) for _ in range(10)] == list(range(10))

    def rest_is_right() -> bool:
        rest = [int(x) for x in iterator]
        return rest[-1] == 99 and rest == list(range(rest[0], 100)) and rest[0] >= 10

    assert in_child(rest_is_right)
    assert [int(x) for x in iterator] == list(range(10, 100))


class Forked:
    """Numbers of which one is computed only when a fork waits for it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_reached, self.is_held = threading.Event(), threading.Event()
        self.calls: list[int] = []
        hold = Supply.hold

        def holding(supply: Supply, until: float) -> None:
            self.is_held.set()
            hold(supply, until)

        monkeypatch.setattr(Supply, "hold", holding)
        monkeypatch.setattr(held_work, "_PATIENCE", 10.0)

    def numbers(self, count: int, at: int, seconds: float = 0.0) -> tf.data.Dataset:
        """Numbers from 0 on; that in a place waits for the fork."""

        def number(x: int) -> int:
            self.calls.append(int(x))
            if x == at:
                self.is_reached.set()
                self.is_held.wait(60)
            if x >= at:
                time.sleep(seconds)
            return x

        return Dataset.range(count).map(lambda x: tf.numpy_function(number, [x], tf.int64))


def in_turn(forks: Forked) -> tf.data.Dataset:
    """Numbers that a thread takes ahead for a thread."""
    return forks.numbers(600, 204).prefetch(1).batch(200).prefetch(1)


def by_function(forks: Forked) -> tf.data.Dataset:
    """Numbers that a thread takes ahead for a function in threads of a thread."""
    iterator = iter(forks.numbers(600, 204).prefetch(1))
    numbers = Dataset.range(600).map(
        lambda x: tf.numpy_function(lambda _: int(next(iterator)), [x], tf.int64),
        num_parallel_calls=2,
    )
    return numbers.batch(200).prefetch(1)


def made_inside(forks: Forked) -> tf.data.Dataset:
    """Numbers that a thread takes ahead, which starts in a thread."""
    numbers = Dataset.range(1).flat_map(lambda _: forks.numbers(600, 204).prefetch(1))
    return numbers.batch(200).prefetch(1)


@forked
@pytest.mark.parametrize("pipeline", [in_turn, by_function, made_inside])
def test_a_fork_lets_a_thread_finish_that_waits_for_another(
    monkeypatch: pytest.MonkeyPatch, pipeline: Callable[[Forked], tf.data.Dataset]
) -> None:
    forks = Forked(monkeypatch)
    iterator = iter(pipeline(forks))
    first = next(iterator).numpy().tolist()
    assert forks.is_reached.wait(60)

    def is_right() -> bool:
        """Whether each number comes once, and in its place, if no threads call a function."""
        batches = [first, *[batch.numpy().tolist() for batch in iterator]]
        came = list(itertools.chain(*batches))
        in_order = sorted(came) if pipeline is by_function else came
        return [len(batch) for batch in batches] == [200] * 3 and in_order == list(range(600))

    assert in_child(is_right)
    assert is_right()


def test_supplies_come_behind_those_that_wait_for_them() -> None:
    others = held_works()
    iterator = iter(Dataset.range(9).prefetch(1).batch(2).prefetch(1).batch(2).prefetch(1))
    assert [work.level for work in held_works() if work not in others] == [0, 1, 2]
    assert next(iterator).shape == [2, 2]


@forked
def test_no_element_begins_while_a_fork_waits_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    forks = Forked(monkeypatch)
    iterator = iter(forks.numbers(30, 5, seconds=0.01).prefetch(20))
    assert next(iterator) == 0
    assert forks.is_reached.wait(60)
    assert in_child(lambda: next(iterator) == 1 and forks.calls == [*range(6)])
    assert [int(x) for x in iterator] == list(range(1, 30))


def test_a_reader_waits_for_the_fork_of_another_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    forks = Forked(monkeypatch)
    monkeypatch.setattr(held_work, "_PATIENCE", 0.01)
    iterator = iter(forks.numbers(10, 3).prefetch(2))
    assert next(iterator) == 0
    assert next(iterator) == 1
    assert forks.is_reached.wait(60)
    Forks.hold()
    numbers: list[int] = []
    reader = threading.Thread(target=lambda: numbers.append(int(next(iterator))))
    reader.start()
    reader.join(0.05)
    assert reader.is_alive()
    Forks.release()
    reader.join(60)
    assert numbers == [2]
    assert [int(x) for x in iterator] == list(range(3, 10))


@forked
def test_two_threads_fork_in_turn() -> None:
    iterator = iter(Dataset.range(10).prefetch(2))
    assert next(iterator) == 0
    Forks.hold()
    answers: list[bool] = []
    other = threading.Thread(
        target=lambda: answers.append(in_child(lambda: [*iterator] == [*range(1, 10)]))
    )
    other.start()
    other.join(0.05)
    Forks.release()
    other.join(60)
    assert answers == [True]
    assert [int(x) for x in iterator] == list(range(1, 10))


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
