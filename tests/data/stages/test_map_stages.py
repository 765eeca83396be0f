"""Functions of elements: laziness, threads, what comes before and after an error."""

from __future__ import annotations

import gc
import math
import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import resource_tracker
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.data.tuning.thread_counts import CallsAtOnce

Dataset = tf.data.Dataset


def outcomes(dataset: tf.data.Dataset, count: int) -> list[object]:
    """What so many calls of `next` give."""
    iterator, found = iter(dataset), []
    for _ in range(count):
        try:
            found.append(int(next(iterator)))
        except tf.errors.InvalidArgumentError:
            found.append("error")
        except StopIteration:
            found.append("end")
    return found


@pytest.mark.parametrize("calls", [None, 1, 3])
@pytest.mark.parametrize("is_generated", [False, True])
def test_errors_stand_between_elements(calls: int | None, is_generated: bool) -> None:
    numbers = [3, 0, 4, 5, 0, 0, 6] * 20
    spec = tf.TensorSpec([], tf.int32)
    generated = Dataset.from_generator(lambda: numbers, output_signature=spec)
    source = generated if is_generated else Dataset.from_tensor_slices(numbers)
    dataset = source.map(lambda x: 60 // x, num_parallel_calls=calls)
    expected = [60 // x if x else "error" for x in numbers]
    assert outcomes(dataset, len(numbers) + 2) == [*expected, "end", "end"]


def test_a_function_that_calls_python_runs_when_an_element_is_asked_for() -> None:
    calls: list[int] = []

    def note(x: int) -> int:
        calls.append(int(x))
        return x

    dataset = Dataset.range(100).map(lambda x: tf.numpy_function(note, [x], tf.int64)).batch(3)
    iterator = iter(dataset)
    assert calls == []
    next(iterator)
    assert calls == [0, 1, 2]
    next(iterator)
    assert calls == [0, 1, 2, 3, 4, 5]


def test_a_function_reads_a_variable_when_an_element_is_asked_for() -> None:
    v = tf.Variable(1, dtype=tf.int64)
    iterator = iter(Dataset.range(100).map(lambda x: x + v))
    seen = []
    for value in (10, 20, 30):
        v.assign(value)
        seen.append(int(next(iterator)))
    assert seen == [10, 21, 32]


def test_threads_call_the_function_at_the_same_time() -> None:
    meeting = threading.Barrier(3, timeout=20)

    def meet(x: int) -> int:
        meeting.wait()
        return x

    dataset = Dataset.range(6).map(
        lambda x: tf.numpy_function(meet, [x], tf.int64), num_parallel_calls=3
    )
    assert [int(x) for x in dataset] == list(range(6))


@pytest.mark.parametrize("calls", [3, tf.data.AUTOTUNE])
def test_threads_work_while_the_reader_takes_nothing(calls: int) -> None:
    """Where a program says how many calls there are, no more are taken ahead."""
    options, began = tf.data.Options(), threading.Semaphore(0)
    options.autotune.cpu_budget = 3

    def note(x: int) -> int:
        began.release()
        return x

    dataset = Dataset.range(100).map(
        lambda x: tf.numpy_function(note, [x], tf.int64), num_parallel_calls=calls
    )
    iterator = iter(dataset.with_options(options))
    assert int(next(iterator)) == 0
    most = 3 if calls == 3 else 12
    assert all(began.acquire(timeout=20) for _ in range(most))
    assert not began.acquire(timeout=0.05)
    assert [int(x) for x in iterator] == list(range(1, 100))


@pytest.mark.parametrize("calls", [1, 3, tf.data.AUTOTUNE])
@pytest.mark.parametrize("wrong", [[], [0], [5], [1, 2, 9], [3, 4, 5, 6, 7], [21]])
def test_batches_of_parallel_calls_lose_what_those_of_single_calls_lose(
    calls: int, wrong: list[int]
) -> None:
    def checked(x: int) -> int:
        if x in wrong:
            raise ValueError(f"{x} is wrong")
        return x

    def batches(calls: int | None) -> list[object]:
        dataset = Dataset.range(22).map(
            lambda x: tf.numpy_function(checked, [x], tf.int64), num_parallel_calls=calls
        )
        iterator, taken = iter(dataset.batch(4)), []
        while True:
            try:
                taken.append(next(iterator).numpy().tolist())
            except tf.errors.InvalidArgumentError:
                taken.append("error")
            except StopIteration:
                return taken

    assert batches(calls) == batches(None)


@pytest.mark.parametrize("size", [1, 8])
def test_an_interrupt_loses_no_element_of_parallel_calls(size: int) -> None:
    interrupted = threading.Event()

    def interrupt(x: int) -> int:
        if x == 2 and not interrupted.is_set():
            interrupted.set()
            time.sleep(0.2)
            signal.raise_signal(signal.SIGINT)  # the main thread, which waits, handles it
            time.sleep(0.2)
        return x

    dataset = Dataset.range(16).map(
        lambda x: tf.numpy_function(interrupt, [x], tf.int64), num_parallel_calls=3
    )
    iterator, taken = iter(dataset.batch(size)), []
    taken += [int(x) for _ in range(2 // size) for x in next(iterator)]
    with pytest.raises(KeyboardInterrupt):
        next(iterator)
    for batch in iterator:
        taken += batch.numpy().tolist()
    assert taken == list(range(16))


def test_the_time_that_threads_take_to_start_is_not_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counts: list[int] = []
    monkeypatch.setattr(
        CallsAtOnce, "measure", lambda self, seconds, worked, count, budget: counts.append(count)
    )
    dataset = Dataset.range(64).map(
        lambda x: tf.numpy_function(abs, [x], tf.int64), num_parallel_calls=tf.data.AUTOTUNE
    )
    for _ in range(2):
        assert len(list(dataset.batch(16))) == 4
    assert counts == 2 * [16, 16, 16]


def test_a_long_function_is_divided_among_threads_in_order() -> None:
    matrix = tf.random.uniform([60, 60], seed=1)

    def power(x: tf.Tensor) -> tf.Tensor:
        y = matrix
        for _ in range(6):
            y = tf.linalg.matmul(y, matrix) / 30.0
        return tf.cast(x, tf.float32) + 0.0 * tf.reduce_sum(y)

    dataset = Dataset.range(300).map(power, num_parallel_calls=2)
    assert [int(x) for x in dataset.batch(50).unbatch()] == list(range(300))


def test_a_place_in_parallel_calls_is_saved() -> None:
    def slow(x: int) -> int:
        time.sleep(0.001)
        return x * x

    def dataset() -> tf.data.Dataset:
        return Dataset.range(20).map(
            lambda x: tf.numpy_function(slow, [x], tf.int64), num_parallel_calls=4
        )

    iterator, other = iter(dataset()), iter(dataset())
    for _ in range(7):
        next(iterator)
    other._reader.restore(iterator._reader.save())
    assert [int(x) for x in other] == [int(x) for x in iterator] == [i * i for i in range(7, 20)]


def test_a_state_steps_through_elements() -> None:
    dataset = Dataset.from_tensor_slices([1, 2, 0, 3] * 30)
    scanned = dataset.scan(0, lambda state, x: (state + x, state * 10 + 12 // x))
    expected: list[object] = []
    state = 0
    for x in [1, 2, 0, 3] * 30:
        expected.append(state * 10 + 12 // x if x else "error")
        state += x if x else 0
    assert outcomes(scanned, 121) == [*expected, "end"]
    total = dataset.reduce(tf.constant(0), lambda state, x: state + x)
    assert int(total) == 180


@pytest.fixture(scope="module")
def _tracker() -> None:
    """The process that Python starts once beside spawned ones, and has to the end."""
    resource_tracker.ensure_running()


@pytest.mark.usefixtures("_tracker")
def test_processes_that_a_program_asks_for_do_the_work() -> None:
    """The docs advise it for Python that holds the interpreter's lock."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:

        def here(work: Any, *values: Any) -> Any:
            return np.int64(pool.submit(work, *map(int, values)).result())

        def root(x: Any) -> Any:
            return tf.numpy_function(lambda v: here(math.isqrt, v), [x], tf.int64)

        def process(x: Any) -> Any:
            return tf.numpy_function(lambda v: here(os.getpid), [x], tf.int64)

        numbers = Dataset.from_tensor_slices([16, -1, 26, 37, -5, 81])
        mapped = numbers.map(root, num_parallel_calls=2)
        assert outcomes(mapped, 7) == [4, "error", 5, 6, "error", 9, "end"]
        with pytest.raises(tf.errors.InvalidArgumentError, match="isqrt"):
            list(mapped)
        assert outcomes(mapped.ignore_errors().batch(2).unbatch(), 5) == [4, 5, 6, 9, "end"]
        processes = {int(x) for x in Dataset.range(20).map(process, num_parallel_calls=2)}
        assert len(processes - {os.getpid()}) == len(processes) > 0
        abandoned = iter(Dataset.range(1000).map(root, num_parallel_calls=2))
        assert int(next(abandoned)) == 0
        del abandoned
        gc.collect()
    assert not processes & {child.pid for child in multiprocessing.active_children()}
