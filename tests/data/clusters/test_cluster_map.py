"""A function of each element, computed by the workers of executors."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.portable import travelling_functions

WEIGHTS = np.arange(40000, dtype=np.float32)


class Lost(Exception):
    """What an executor says of a worker that died."""


class Task(Future[Any]):
    """A task that runs when its result is taken, so the last may run first."""

    def __init__(self, pool: Pool, arguments: tuple[Any, ...]) -> None:
        super().__init__()
        self.pool, self.arguments = pool, arguments

    def result(self, timeout: float | None = None) -> Any:
        self.pool.waiting.remove(self)
        if self.pool.losses > 0:
            self.pool.losses -= 1
            raise Lost("its machine burns")
        compute, *arguments = self.arguments
        return compute(*arguments)

    def cancel(self) -> bool:
        self.pool.cancelled.append(self)
        return True


class Pool:
    """An executor of this thread, which notes what it is given."""

    def __init__(self, losses: int = 0) -> None:
        self.waiting: list[Task] = []
        self.cancelled: list[Task] = []
        self.given: list[tuple[Any, ...]] = []
        self.most = 0
        self.losses = losses

    def submit(self, *arguments: Any) -> Task:
        task = Task(self, arguments)
        self.given.append(arguments)
        self.waiting.append(task)
        self.most = max(self.most, len(self.waiting))
        return task


def numbers(count: int) -> Any:
    return tf.data.Dataset.range(count)


def values(dataset: Any) -> list[int]:
    return [int(x) for x in dataset]


ELEMENTS = {
    "mappings": ({"b": [1.0, 2.0], "a": [[1], [2]]}, lambda d: {"z": d["b"] * 2.0, "y": d["a"]}),
    "pairs": (([1, 2], ["x", "y"]), lambda n, s: (s + "!", (n + 1, tf.cast(n, tf.bfloat16)))),
    "ragged": (tf.ragged.constant([[1, 2], [], [3]]), lambda r: (r * 2, tf.size(r))),
    "sparse": (tf.sparse.from_dense([[0, 1], [2, 0]]), lambda s: tf.sparse.to_dense(s) + 1),
    "other sizes": ([2, 0, 3], lambda n: tf.range(n)),
}


@pytest.mark.parametrize("name", ELEMENTS)
def test_it_is_as_dataset_map(name: str) -> None:
    elements, f = ELEMENTS[name]
    dataset = tf.data.Dataset.from_tensor_slices(elements)
    expected = dataset.map(f)
    mapped = tf.distribute.map(dataset, f, Pool())
    assert mapped.element_spec == expected.element_spec
    assert len(mapped) == len(dataset)
    for _ in range(2):
        results = list(mapped)
        for result, other in zip(results, expected, strict=True):
            tf.nest.assert_same_structure(result, other, expand_composites=True)
            for a, b in zip(
                tf.nest.flatten(result, expand_composites=True),
                tf.nest.flatten(other, expand_composites=True),
            ):
                assert a.dtype == b.dtype
                np.testing.assert_array_equal(a, b)


def test_threads_compute_in_order() -> None:
    @tf.function
    def f(x: Any) -> Any:
        while x % 7 != 0:
            x += 1
        return x

    with ThreadPoolExecutor(3) as executor:
        mapped = tf.distribute.map(numbers(50), f, executor)
        assert values(mapped) == [-(-x // 7) * 7 for x in range(50)]
        batches = mapped.batch(20).prefetch(2)
        assert [len(batch) for batch in batches] == [20, 20, 10]
        concrete = f.get_concrete_function(tf.TensorSpec([], tf.int64))
        assert values(tf.distribute.map(numbers(3), concrete, executor)) == [0, 7, 7]


def test_no_more_elements_are_under_way_than_the_window() -> None:
    pool = Pool()
    source: list[int] = []

    def generator() -> Any:
        for x in range(20):
            source.append(x)
            yield x

    dataset = tf.data.Dataset.from_generator(
        generator, output_signature=tf.TensorSpec([], tf.int32)
    )
    for place, x in enumerate(tf.distribute.map(dataset, lambda x: x + 1, pool, window=4)):
        assert x == place + 1
        assert len(source) <= place + 4
    assert pool.most == 4
    assert not pool.waiting


def test_a_variable_has_the_value_of_when_the_iteration_begins() -> None:
    v = tf.Variable(2, dtype=tf.int64)
    mapped = tf.distribute.map(numbers(3), lambda x: x * v, Pool())
    assert values(mapped) == [0, 2, 4]
    v.assign(3)
    iterator = iter(mapped)
    v.assign(9)
    assert values(iterator) == [0, 3, 6]


def test_a_large_function_goes_along_once_for_each_place_of_the_window(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reads = []
    unpacked = travelling_functions.unpacked
    monkeypatch.setattr(
        travelling_functions, "unpacked", lambda data: reads.append(len(data)) or unpacked(data)
    )
    pool = Pool()
    weights = tf.constant(WEIGHTS)
    mapped = tf.distribute.map(numbers(12), lambda x: tf.gather(weights, x), pool, window=3)
    iterator = iter(mapped)
    results = [next(iterator) for _ in range(6)]
    assert [data is not None for _, _, data, _ in pool.given] == [True] * 3 + [False] * 5
    travelling_functions._ARRIVED.functions.clear()  # as in a worker that is new
    results += iterator
    assert [int(x) for x in results] == list(range(12))
    assert len(reads) == 2
    assert [data is not None for _, _, data, _ in pool.given].count(True) == 4


def test_a_lost_task_begins_again() -> None:
    assert values(tf.distribute.map(numbers(4), lambda x: x + 1, Pool(losses=2))) == [1, 2, 3, 4]
    pool = Pool(losses=3)
    iterator = iter(tf.distribute.map(numbers(4), lambda x: x + 1, pool, retries=1))
    with pytest.raises(tf.errors.UnavailableError, match=r"element 0 .*\n?.*began 2 times.*burns"):
        next(iterator)
    assert values(iterator) == [2, 3, 4]


def test_an_executor_that_takes_no_tasks_is_an_error() -> None:
    class Broken:
        def submit(self, *arguments: Any) -> Any:
            raise BrokenExecutor("gone")

    mapped = tf.distribute.map(numbers(2), lambda x: x, Broken())
    with pytest.raises(tf.errors.UnavailableError, match=r"element 0 .*gone\n.*partial\("):
        list(mapped)
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(tf.errors.UnavailableError, match="after shutdown"):
        list(tf.distribute.map(numbers(2), lambda x: x, executor))


def test_a_cancelled_task_is_an_error() -> None:
    class Cancelled(Task):
        def result(self, timeout: float | None = None) -> Any:
            return Future.result(self)

    class Closing(Pool):
        def submit(self, *arguments: Any) -> Task:
            task = Cancelled(self, arguments)
            Future.cancel(task)
            return task

    with pytest.raises(tf.errors.CancelledError, match="element 0 "):
        list(tf.distribute.map(numbers(2), lambda x: x, Closing()))


def test_an_error_names_the_element_and_the_worker() -> None:
    def f(x: Any) -> Any:
        with tf.control_dependencies([tf.debugging.assert_none_equal(x, tf.constant(2, tf.int64))]):
            return x * 10

    iterator = iter(tf.distribute.map(numbers(5), f, Pool(), window=3))
    assert [int(next(iterator)), int(next(iterator))] == [0, 10]
    with pytest.raises(tf.errors.InvalidArgumentError, match="element 2 ") as caught:
        next(iterator)
    assert "assertion failed" in caught.value.message
    assert f"Process {os.getpid()} on " in caught.value.message
    assert "Traceback (most recent call last)" in caught.value.message
    assert values(iterator) == [30, 40]
    assert values(tf.distribute.map(numbers(5), f, Pool()).ignore_errors()) == [0, 10, 30, 40]


def test_an_error_of_the_dataset_comes_in_its_turn() -> None:
    dataset = numbers(4).map(lambda x: 6 // (x - 2))
    iterator = iter(tf.distribute.map(dataset, lambda x: x * 2, Pool()))
    assert [int(next(iterator)), int(next(iterator))] == [-6, -12]
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(iterator)
    assert values(iterator) == [12]


def test_an_abandoned_iteration_cancels_what_is_under_way() -> None:
    pool = Pool()
    iterator = iter(tf.distribute.map(numbers(20), lambda x: x, pool, window=5))
    assert [int(next(iterator)), int(next(iterator))] == [0, 1]
    assert len(pool.waiting) == 4
    del iterator
    gc.collect()
    assert pool.cancelled == pool.waiting


def test_a_checkpoint_has_the_elements_under_way(tmp_path: Path) -> None:
    mapped = tf.distribute.map(numbers(9), lambda x: x * x, Pool(), window=4)
    iterator = iter(mapped)
    assert [int(next(iterator)) for _ in range(3)] == [0, 1, 4]
    path = tf.train.Checkpoint(iterator=iterator).save(str(tmp_path / "place"))
    assert values(iterator) == [9, 16, 25, 36, 49, 64]
    for other in (iterator, iter(mapped)):
        tf.train.Checkpoint(iterator=other).restore(path)
        assert values(other) == [9, 16, 25, 36, 49, 64]


def changing(v: Any) -> Callable[[Any], Any]:
    def f(x: Any) -> Any:
        if x > 2:
            v.assign_add(x)
        return x

    return f


def test_what_cannot_travel_is_refused() -> None:
    variable, dataset, pool = tf.Variable(0, dtype=tf.int64), numbers(3), Pool()
    with pytest.raises(ValueError, match="changes variables"):
        tf.distribute.map(dataset, changing(variable), pool)
    with pytest.raises(TypeError, match="dtype variant"):
        tf.distribute.map(dataset.window(2), lambda x: 1, pool)
    with pytest.raises(TypeError, match="dtype variant"):
        tf.distribute.map(dataset, lambda x: numbers(x), pool)
    with pytest.raises(TypeError, match="uses a tensor of the graph"):
        dataset.flat_map(lambda i: tf.distribute.map(dataset, lambda x: x + i, pool))
    with pytest.raises(tf.errors.UnimplementedError, match="EagerPyFunc"):
        tf.distribute.map(dataset, lambda x: tf.py_function(abs, [x], tf.int64), pool)
    initializer = tf.lookup.KeyValueTensorInitializer([1, 2], [10, 20], tf.int64, tf.int64)
    table = tf.lookup.StaticHashTable(initializer, -1)
    with pytest.raises(AssertionError, match="table"):
        tf.distribute.map(dataset, table.lookup, pool)
    with pytest.raises(TypeError, match="from_tensor_slices"):
        tf.distribute.map([1, 2], lambda x: x, pool)
    with pytest.raises(TypeError, match="`submit`"):
        tf.distribute.map(dataset, lambda x: x, 4)
    with pytest.raises(TypeError, match="`f` must be callable"):
        tf.distribute.map(dataset, 4, pool)
    with pytest.raises(ValueError, match="`window`"):
        tf.distribute.map(dataset, lambda x: x, pool, window=0)
    with pytest.raises(ValueError, match="`retries`"):
        tf.distribute.map(dataset, lambda x: x, pool, retries=-1)
    assert not pool.given


#: A process that dies, in a process of its own.
PROGRAM = """
import functools, multiprocessing, os, signal
from concurrent.futures import ProcessPoolExecutor
import graphwright as tf

def f(x):
    while x % 3 != 0:
        x += 1
    return 100 // (x - 15)

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    make = functools.partial(ProcessPoolExecutor, 1, mp_context=context)
    iterator = iter(tf.distribute.map(tf.data.Dataset.range(15, 40), f, make, window=3))
    try:
        next(iterator)
    except tf.errors.InvalidArgumentError as error:
        print("element 0 " in error.message, f"Process {os.getpid()} " in error.message)
    results = [int(next(iterator))]
    (child,) = multiprocessing.active_children()
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    print(results + [int(x) for x in iterator])
"""


def test_a_process_that_dies_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(
        [sys.executable, str(path)], env=environment, capture_output=True, text=True
    )
    expected = [100 // (-(-x // 3) * 3 - 15) for x in range(16, 40)]
    assert (done.stdout, done.stderr) == (f"True False\n{expected}\n", "")
