"""Many calls of many traces from many threads: nothing wrong, nothing left behind."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from benchmarks.workload import resident_mib
from graphwright.machine import background

THREADS = 8


def shrink(x: Any) -> Any:
    while tf.reduce_sum(tf.abs(x)) > 0.5:
        x = x * 0.5
    return x


def choose(x: Any) -> Any:
    return x * 2.0 if tf.reduce_sum(x) > 0.0 else x - 1.0


def keep(x: Any) -> Any:
    kept = tf.TensorArray(tf.float32, 3)
    for i in tf.range(3):
        kept = kept.write(i, x + tf.cast(i, tf.float32))
    return kept.stack()


def slope(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.sin(x) * x)
    return tape.gradient(y, x)


def count(x: Any) -> Any:
    n, steps = tf.size(x), 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


#: What is traced, each for many lengths.
FUNCTIONS: tuple[Callable[[Any], Any], ...] = (
    lambda x: x + 1.0,
    lambda x: tf.tanh(x * 1.5) * x,
    lambda x: tf.nn.softmax(x),
    lambda x: tf.reduce_sum(x * x),
    lambda x: tf.reduce_max(x) - tf.reduce_mean(x),
    lambda x: tf.linalg.matvec(x[:, None] * x[None, :], x),
    lambda x: tf.concat([x, -x], 0)[::2],
    lambda x: tf.cumsum(x),
    lambda x: tf.sort(x),
    lambda x: tf.where(x > 0.0, x, 0.0),
    lambda x: tf.cast(x * 10.0, tf.int32) // 3,
    lambda x: tf.gather(x, tf.argmax(x)),
    lambda x: tf.reshape(x, [-1, 1]) - x,
    lambda x: tf.exp(-tf.square(x)) / (1.0 + tf.abs(x)),
    lambda x: tf.stack([x, x * 2.0], axis=1),
    shrink,
    choose,
    keep,
    slope,
    count,
)


class Trace:
    """A function traced for one length, its argument, and what it gives."""

    def __init__(self, function: Callable[[Any], Any], length: int) -> None:
        values = np.random.default_rng(length).normal(size=length).astype(np.float32)
        self.argument = tf.constant(values)
        self.traced = tf.function(function, input_signature=[tf.TensorSpec([length])])
        self.expected = np.asarray(self.traced(self.argument))
        self.tolerance = 1e-5 * (1 + np.max(np.abs(self.expected), initial=0.0))

    def is_right(self) -> bool:
        result = np.asarray(self.traced(self.argument))
        if result.shape != self.expected.shape:
            return False
        return bool(np.max(np.abs(result - self.expected), initial=0.0) <= self.tolerance)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


def test_what_traces_give_first_is_right() -> None:
    for function in FUNCTIONS:
        trace = Trace(function, 7)
        tf.config.run_functions_eagerly(True)
        try:
            assert trace.is_right()
        finally:
            tf.config.run_functions_eagerly(False)


def soak(lengths: int, calls: int, growth: float) -> None:
    """Calls from all threads, in another order each; `growth`: MiB that may stay."""
    traces = [Trace(f, length) for length in range(2, lengths + 2) for f in FUNCTIONS]
    wrong: list[Trace] = []
    errors: list[BaseException] = []

    def work(seed: int, times: int) -> None:
        order = np.random.default_rng(seed)
        try:
            for _ in range(times // len(traces)):
                chosen = (traces[i] for i in order.permutation(len(traces)))
                wrong.extend(trace for trace in chosen if not trace.is_right())
        except BaseException as error:  # noqa: BLE001 - it is raised where the threads are joined
            errors.append(error)

    def share(times: int) -> None:
        callers = [threading.Thread(target=work, args=(i, times)) for i in range(THREADS)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
        if errors:
            raise errors[0]

    share(2 * len(traces))  # each trace is called often enough to be compiled
    background.wait()
    share(2 * len(traces))  # and each thread has its memory
    before = resident_mib()
    share(calls // THREADS)
    assert not wrong
    assert resident_mib() - before < growth


def test_threads_share_traces() -> None:
    soak(lengths=2, calls=16_000, growth=16)


@pytest.mark.slow
def test_a_million_calls_of_a_thousand_traces() -> None:
    soak(lengths=50, calls=1_000_000, growth=4)
