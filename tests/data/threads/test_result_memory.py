"""Threads write the results of calls into the memory of a batch."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.forking import in_child

import graphwright as tf
from graphwright.data import blocks
from graphwright.data.threads.result_memory import ResultMemory

Dataset = tf.data.Dataset

#: An array of so many numbers is written at once.
LARGE = 1 << 16


def filled(row: list[Any]) -> list[Any]:
    """A large array of a number, and the number."""
    return [np.full(LARGE, row[0], np.float32), np.array(row[0])]


def test_results_stand_side_by_side() -> None:
    memory = ResultMemory(3)
    rows = [memory.result(memory.promise(), filled, [number]) for number in (5, 6, 7)]
    assert [row[0][0] for row in rows] == [5, 6, 7]
    for start in (0, 1):
        block = memory.block(start, rows[start:])
        large, small = map(np.asarray, block.columns)
        assert large.base is memory.arrays[0]
        assert large[:, -1].tolist() == small.tolist() == [5, 6, 7][start:]


@pytest.mark.parametrize(
    "other",
    [
        np.zeros(2 * LARGE, np.float32),
        np.zeros((1, LARGE), np.float32),
        np.zeros(LARGE, np.float64),
        np.full(LARGE, "a", object),
        np.zeros(3, np.float32),
        np.float32(3),
    ],
    ids=["shape", "axes", "dtype", "objects", "small", "scalar"],
)
@pytest.mark.parametrize("place", [0, 1])
def test_results_of_another_shape_stay_where_they_are(other: Any, place: int) -> None:
    memory = ResultMemory(2)
    results = [np.ones(LARGE, np.float32)]
    results.insert(place, other)
    rows = [memory.result(memory.promise(), lambda row: row, [x]) for x in results]
    for row, expected in zip(rows, results):
        assert row[0].dtype == expected.dtype
        assert np.array_equal(row[0], expected)
    values = memory.block(0, rows).columns[0]
    assert [np.shape(value) for value in values] == [x.shape for x in results]


def images(numbers: Any, function: Callable[[int], Any], calls: int | None) -> Any:
    """Calls of a function for numbers, which threads make if there are any."""
    return numbers.map(
        lambda x: tf.numpy_function(function, [x], tf.float32), num_parallel_calls=calls
    )


def image(x: int) -> Any:
    return np.full(LARGE, x, np.float32)


def first_numbers(batches: Any) -> list[list[float]]:
    """The first number of each row, once all the others are as it is."""
    firsts = []
    for batch in batches:
        assert (np.asarray(batch) == np.asarray(batch)[:, :1]).all()
        firsts.append(np.asarray(batch)[:, 0].tolist())
    return firsts


@pytest.mark.parametrize("size", [1, 3, 16, 64, 70])
@pytest.mark.parametrize("drop", [False, True])
def test_batches_have_the_results(size: int, drop: bool) -> None:
    dataset = Dataset.range(150)
    made = images(dataset, image, tf.data.AUTOTUNE).batch(size, drop_remainder=drop)
    numbers = dataset.batch(size, drop_remainder=drop)
    expected = [batch.tolist() for batch in numbers.as_numpy_iterator()]
    for _ in range(2):
        assert first_numbers(made) == expected


def in_two_threads(dataset: Any) -> Any:
    """A dataset whose calls two threads make from the first to the last one."""
    options = tf.data.Options()
    options.autotune.cpu_budget = 2
    options.autotune.enabled = False
    return dataset.with_options(options)


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many arrays were stacked each time."""
    counts: list[int] = []

    def stacked(arrays: Any) -> Any:
        counts.append(len(arrays))
        return np.stack(arrays)

    monkeypatch.setattr(blocks, "one_array", stacked)
    return counts


def test_a_batch_copies_nothing(copies: list[int]) -> None:
    batches = in_two_threads(images(Dataset.range(40), image, tf.data.AUTOTUNE).batch(8))
    assert first_numbers(batches) == [[*range(i, i + 8)] for i in range(0, 40, 8)]
    assert not copies


def test_batches_behind_an_error_copy_nothing(copies: list[int]) -> None:
    def checked(x: int) -> int:
        if x == 9:
            raise ValueError("9 is wrong")
        return x

    numbers = Dataset.range(120).map(lambda x: tf.numpy_function(checked, [x], tf.int64))
    iterator = iter(in_two_threads(images(numbers, image, tf.data.AUTOTUNE).batch(8)))
    assert first_numbers([next(iterator)]) == [[*range(8)]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="9 is wrong"):
        next(iterator)
    rest = [x for numbers in first_numbers(iterator) for x in numbers]
    assert rest == [*range(120 - len(rest), 120)]
    assert len(copies) <= 4  # the calls that were in progress


@pytest.mark.parametrize("wrong", [[0], [5], [1, 2, 9], [4, 5, 6, 7], [21]])
def test_batches_lose_what_those_of_single_calls_lose(wrong: list[int]) -> None:
    def checked(x: int) -> Any:
        if x in wrong:
            raise ValueError(f"{x} is wrong")
        return image(x)

    def taken(calls: int | None) -> list[object]:
        iterator, batches = iter(images(Dataset.range(22), checked, calls).batch(4)), []
        while True:
            try:
                batches.append(first_numbers([next(iterator)]))
            except tf.errors.InvalidArgumentError:
                batches.append("error")
            except StopIteration:
                return batches

    assert taken(tf.data.AUTOTUNE) == taken(None)


def test_rows_of_other_lengths_are_padded() -> None:
    def row(x: int) -> Any:
        return np.full(LARGE + x % 3, x + 1, np.float32)

    made = [
        [batch.numpy() for batch in images(Dataset.range(30), row, calls).padded_batch(7, [None])]
        for calls in (None, tf.data.AUTOTUNE)
    ]
    for one, other in zip(*made, strict=True):
        assert np.array_equal(one, other)


def test_a_batch_that_is_written_changes_no_other() -> None:
    batches = images(Dataset.range(32), image, tf.data.AUTOTUNE).batch(8).as_numpy_iterator()
    first = next(batches)
    if first.flags.writeable:
        first[:] = -1
    assert first_numbers(batches) == [[*range(i, i + 8)] for i in range(8, 32, 8)]


def test_saved_iterators_go_on(tmp_path: Path) -> None:
    dataset = images(Dataset.range(50), image, tf.data.AUTOTUNE).batch(6)
    iterator = iter(dataset)
    before = first_numbers(next(iterator) for _ in range(3))
    path = tf.train.Checkpoint(iterator=iterator).save(str(tmp_path / "position"))
    other = iter(dataset)
    tf.train.Checkpoint(iterator=other).restore(path)
    after = first_numbers(other)
    assert [x for batch in before + after for x in batch] == [*range(50)]
    assert first_numbers(iterator) == after


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_children_of_forks_go_on() -> None:
    iterator = iter(images(Dataset.range(60), image, tf.data.AUTOTUNE).batch(8))
    assert first_numbers([next(iterator)]) == [[*range(8)]]
    expected = [[*range(i, min(i + 8, 60))] for i in range(8, 60, 8)]
    assert in_child(lambda: first_numbers(iterator) == expected)
    assert first_numbers(iterator) == expected
