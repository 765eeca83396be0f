"""Iterators end when programs do with them: Ctrl-C, forks, threads, memory over many epochs."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from support.forking import in_child
from support.growth import check_growth
from support.interruptions import is_interrupted

import graphwright as tf
from graphwright.data.stages import buffer_stages

Dataset = tf.data.Dataset
Make = Callable[[], Any]

_INT64 = tf.TensorSpec([], tf.int64)


def plain(x: np.int64) -> np.int64:
    """A Python function that a pipeline calls."""
    return x


def brief(x: np.int64) -> np.int64:
    """One that waits a little."""
    time.sleep(0.0005)
    return x


def calling(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function of an element that calls Python."""
    return lambda x: tf.numpy_function(function, [x], tf.int64)


def generated(count: int) -> tf.data.Dataset:
    """Numbers of a Python generator."""
    return Dataset.from_generator(lambda: iter(range(count)), output_signature=_INT64)


def becomes_true(condition: Callable[[], bool]) -> bool:
    """Whether a condition holds within some seconds."""
    for _ in range(400):
        if condition():
            return True
        time.sleep(0.02)
    return False


def workers() -> set[threading.Thread]:
    """The threads of pipelines."""
    return {t for t in threading.enumerate() if t.name.startswith(("prefetch", "dataset"))}


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    before = workers()
    yield
    gc.collect()
    assert becomes_true(lambda: workers() <= before)


# -- Ctrl-C ---------------------------------------------------------------------------------

#: More elements than anybody has time for.
_MANY = 10**12


def nothing_of(dataset: tf.data.Dataset) -> tf.data.Dataset:
    """None of the elements: who asks for the first one waits for ever."""
    return dataset.filter(lambda x: x < 0)


#: Pipelines whose first element never comes.
ENDLESS: dict[str, Make] = {
    "filter": lambda: nothing_of(Dataset.range(_MANY)),
    "repeat": lambda: nothing_of(Dataset.range(3).repeat()),
    "python": lambda: nothing_of(Dataset.range(_MANY).map(calling(plain))),
    "prefetch": lambda: nothing_of(Dataset.range(_MANY)).prefetch(2),
    "map": lambda: nothing_of(Dataset.range(_MANY).map(lambda x: x * 2, 4)),
    "calls": lambda: nothing_of(Dataset.range(_MANY).map(calling(plain), 4)),
    "interleave": lambda: Dataset.range(_MANY).interleave(
        lambda x: nothing_of(Dataset.range(9)), cycle_length=3, num_parallel_calls=3
    ),
    "flat_map": lambda: Dataset.range(_MANY).flat_map(lambda x: Dataset.range(0)),
    "generator": lambda: nothing_of(generated(_MANY)),
    "waiting for a generator": lambda: nothing_of(generated(_MANY)).prefetch(1),
    "shuffle": lambda: Dataset.random(1).shuffle(_MANY),
    "scan": lambda: nothing_of(
        Dataset.range(_MANY).scan(np.int64(0), lambda state, x: (state + x, state))
    ),
    "errors": lambda: Dataset.range(_MANY).map(lambda x: 1 // (x - x)).ignore_errors(),
    "groups": lambda: Dataset.range(_MANY).group_by_window(
        lambda x: x % 2, lambda key, window: window, window_size=_MANY
    ),
    "unique": lambda: Dataset.range(5).repeat().unique().skip(5),
    "random": lambda: nothing_of(Dataset.random(1)),
    "choice": lambda: Dataset.choose_from_datasets(
        [nothing_of(Dataset.range(_MANY))], Dataset.range(1).repeat()
    ),
}


def counted(dataset: Any) -> Any:
    """The number of elements, by a loop of a graph."""
    count = 0
    for _ in dataset:
        count += 1
    return count


#: Ways to wait for an element.
WAYS: dict[str, Callable[[Any], object]] = {
    "next": lambda dataset: next(iter(dataset)),
    "numpy": lambda dataset: next(dataset.as_numpy_iterator()),
    "reduce": lambda dataset: dataset.reduce(0, lambda count, _: count + 1),
    "function": lambda dataset: tf.function(counted)(dataset),
}

_ALL = [(name, way) for name in ENDLESS for way in WAYS]
_QUICK = [*[(name, "next") for name in ENDLESS], ("prefetch", "function"), ("calls", "reduce")]


#: Pipelines of which each lets its thread wait at another place.
_IN_VAIN = ["filter", "prefetch", "repeat", "interleave", "generator", "shuffle"]


def ends(name: str, way: str) -> None:
    """Asserts that Ctrl-C ends a pipeline, soon."""
    dataset = ENDLESS[name]()
    began = time.monotonic()
    assert is_interrupted(lambda: WAYS[way](dataset))
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(("name", "way"), _QUICK)
def test_ctrl_c_ends_waiting(name: str, way: str) -> None:
    ends(name, way)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "way"), [pair for pair in _ALL if pair not in _QUICK])
def test_ctrl_c_ends_waiting_in_any_way(name: str, way: str) -> None:
    ends(name, way)


# -- threads and forks ----------------------------------------------------------------------

#: Pipelines that give the numbers from 0 on, each with threads or state of its own.
NUMBERS: dict[str, Callable[[int], Any]] = {
    "plain": lambda count: Dataset.range(count),
    "prefetch": lambda count: Dataset.range(count).map(lambda x: x * 1).prefetch(4),
    "python": lambda count: Dataset.range(count).map(calling(brief)).prefetch(4),
    "map": lambda count: Dataset.range(count).map(lambda x: x * 1, 3),
    "calls": lambda count: Dataset.range(count).map(calling(brief), 3),
    "calls ahead": lambda count: Dataset.range(count).map(calling(brief), 3).prefetch(2),
    "generator": lambda count: generated(count).prefetch(3),
    "interleave": lambda count: Dataset.range(2).interleave(
        lambda half: Dataset.range(half * count // 2, (half + 1) * count // 2),
        cycle_length=1,
        num_parallel_calls=1,
    ),
    "unbatch": lambda count: Dataset.range(count).batch(7).unbatch().prefetch(2),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_an_iterator_that_nobody_has_leaves_no_thread(name: str) -> None:
    for _ in range(3):
        assert int(next(iter(NUMBERS[name](1000)))) == 0


def ends_when_abandoned(name: str) -> None:
    """Asserts that the threads of a pipeline end that nobody has."""
    before = workers()
    iterator = iter(ENDLESS[name]().prefetch(1))
    assert is_interrupted(partial(next, iterator))
    assert workers() > before
    del iterator
    gc.collect()
    assert becomes_true(lambda: workers() <= before)


@pytest.fixture
def _threads_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prefetching begins with the first element, however busy its reader is."""
    monkeypatch.setattr(buffer_stages, "_BUSY", -1000.0)


@pytest.mark.usefixtures("_threads_at_once")
@pytest.mark.parametrize("name", _IN_VAIN)
def test_a_thread_that_looks_for_an_element_in_vain_ends(name: str) -> None:
    ends_when_abandoned(name)


@pytest.mark.slow
@pytest.mark.usefixtures("_threads_at_once")
@pytest.mark.parametrize("name", [name for name in ENDLESS if name not in _IN_VAIN])
def test_any_thread_that_looks_for_an_element_in_vain_ends(name: str) -> None:
    ends_when_abandoned(name)


@pytest.mark.parametrize("name", NUMBERS)
def test_threads_share_an_iterator_without_loss(name: str) -> None:
    count = 400
    iterator = iter(NUMBERS[name](count))
    shares: list[list[int]] = [[] for _ in range(8)]

    def take(share: list[int]) -> None:
        share += [int(x) for x in iterator]

    takers = [threading.Thread(target=take, args=(share,)) for share in shares]
    for taker in takers:
        taker.start()
    for taker in takers:
        taker.join()
    assert sorted(x for share in shares for x in share) == list(range(count))
    assert all(share == sorted(share) for share in shares)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.parametrize("name", NUMBERS)
def test_parent_and_child_go_on_at_the_same_element(name: str) -> None:
    iterator = iter(NUMBERS[name](1000))
    for start in range(0, 15, 3):
        assert [int(next(iterator)) for _ in range(3)] == list(range(start, start + 3))
        assert in_child(partial(are_next, iterator, start + 3))
    assert are_next(iterator, 15)


def are_next(iterator: Any, start: int) -> bool:
    """Whether the next numbers are those from one on."""
    return [int(next(iterator)) for _ in range(20)] == list(range(start, start + 20))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_a_fork_does_not_wait_for_ever_and_the_child_hears_why() -> None:
    has_begun, go_on = threading.Event(), threading.Event()

    def stuck(x: np.int64) -> np.int64:
        if x == 2:
            has_begun.set()
            go_on.wait(60)
        return x

    iterator = iter(Dataset.range(5).map(calling(stuck)).prefetch(1))
    assert int(next(iterator)) == 0
    assert int(next(iterator)) == 1
    assert has_begun.wait(20)

    def is_refused() -> bool:
        with pytest.raises(tf.errors.AbortedError, match="forked"):
            next(iterator)
        return [int(x) for x in Dataset.range(3).prefetch(1)] == [0, 1, 2]

    assert in_child(is_refused)
    go_on.set()
    assert [int(x) for x in iterator] == [2, 3, 4]


STUCK = """
import sys, time
import graphwright as tf

def stuck(x):
    if x:
        time.sleep(600)
    return x

def call(x):
    return tf.numpy_function(stuck, [x], tf.int64)

dataset = tf.data.Dataset.range(100).map(call, num_parallel_calls=2)
if sys.argv[1] == "prefetch":
    dataset = dataset.prefetch(2)
print(int(next(iter(dataset))))
"""


@pytest.mark.parametrize("last", ["map", "prefetch"])
def test_a_process_ends_while_threads_are_stuck(last: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", STUCK, last],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr


# -- memory ---------------------------------------------------------------------------------

#: Pipelines of a few hundred elements.
EPOCHS: dict[str, Make] = {
    "shuffle": lambda: Dataset.range(60).shuffle(20).map(lambda x: x * 2).batch(8).prefetch(2),
    "python": lambda: Dataset.range(20).map(calling(plain), 2).batch(4),
    "generator": lambda: generated(60).batch(8).prefetch(1),
    "flat_map": lambda: Dataset.range(4).flat_map(lambda n: Dataset.range(n).map(lambda x: x + n)),
    "interleave": lambda: Dataset.range(3).interleave(
        lambda n: Dataset.range(n), cycle_length=2, num_parallel_calls=2
    ),
    "windows": lambda: Dataset.range(20).window(5, 2).flat_map(lambda window: window.batch(5)),
    "padded": lambda: Dataset.range(60).map(lambda n: tf.fill([n % 5], n)).padded_batch(6),
    "cache": lambda: Dataset.range(60).cache().repeat(2).batch(4),
    "text": lambda: Dataset.from_tensor_slices([f"word {i}" for i in range(60)]).batch(4),
}

#: Bytes that 100 epochs may leave: what caches of the process have by then.
_LEFT = 64 << 10


@pytest.mark.parametrize("name", EPOCHS)
def test_epochs_leave_no_memory(name: str) -> None:
    dataset = EPOCHS[name]()

    def epoch() -> None:
        for _ in dataset:
            pass

    check_growth(epoch, times=100, warm_up=15, limit=_LEFT)


PROGRAM = """
import gc, sys
import numpy as np
import graphwright as tf

images = np.zeros([20000, 28, 28], np.uint8)
dataset = (
    tf.data.Dataset.from_tensor_slices(images)
    .shuffle(20000)
    .map(lambda image: tf.cast(image, tf.float32) / 255.0)
    .batch(64)
    .prefetch(2)
)

def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

def epochs(count):
    for _ in range(count):
        for _ in dataset:
            pass
    return resident()

first = epochs(40)  # by then all code is made, on a busy machine too
print(epochs(100) - first)
"""


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="Linux says it there")
def test_a_hundred_epochs_of_images_leave_a_few_megabytes_at_most() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 4 << 20
