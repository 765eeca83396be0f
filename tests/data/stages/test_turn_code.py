"""Machine code that moves elements to their turns does what a loop of Python does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.data.stages import choice_stages, turn_code
from graphwright.data.stages.turn_code import LANES, counts_of, fits, is_movable, moved

Dataset = tf.data.Dataset

#: How the rows of an element of each kind look, by their numbers.
ROWS = {
    "numbers": lambda x: tf.cast(x, tf.int64),
    "halves": lambda x: tf.cast(x % 1000, tf.float16),
    "floats": lambda x: tf.cast(x, tf.float32),
    "bytes": lambda x: tf.cast(x % 256, tf.uint8),
    "bools": lambda x: x % 3 == 0,
    "pairs": lambda x: tf.cast(tf.stack([x, x + 1]), tf.int32),
    "vectors": lambda x: tf.stack([x, x + 1, x + 2]),
    "strings": tf.strings.as_string,
    "several": lambda x: (x, tf.cast(x, tf.float32), x % 2 == 0),
    "lengths": lambda x: tf.range(x % 4),
}
#: The kinds whose rows stay with NumPy, which one try shows.
UNMOVED = "vectors", "strings", "lengths"


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machine code is there, and moves the elements of small blocks."""
    turn_code.PREPARATION.work()
    monkeypatch.setattr(turn_code, "_FEWEST", 16)


def plain(values: Any) -> Any:
    """An element as Python's own values."""
    if isinstance(values, tuple):
        return tuple(map(plain, values))
    return np.asarray(values.numpy()).tolist()


def outcomes(dataset: Any) -> list[Any]:
    """The elements, and the classes of errors in their places."""
    iterator, seen = iter(dataset), []
    while True:
        try:
            seen.append(plain(next(iterator)))
        except StopIteration:
            return seen
        except tf.errors.OpError as error:
            seen.append(type(error).__name__)


def in_turn(
    numbers: list[int], datasets: list[list[Any]], failing: dict[int, int], stops: bool
) -> list[Any]:
    """The same by lists, one by one; some datasets have an error in the place of an element."""
    places, ended, seen = [0] * len(datasets), [False] * len(datasets), []
    for number in numbers:
        if all(ended):
            break
        if not 0 <= number < len(datasets):
            seen.append("InvalidArgumentError")
        elif places[number] == len(datasets[number]):
            ended[number] = True
            if stops:
                break
        else:
            is_bad = failing.get(number) == places[number]
            element = datasets[number][places[number]]
            seen.append("InvalidArgumentError" if is_bad else element)
            places[number] += 1
    return seen


@pytest.mark.parametrize("stops", [True, False])
@pytest.mark.parametrize("kind", ROWS)
@pytest.mark.parametrize("seed", range(6))
def test_elements_come_in_their_turns(
    monkeypatch: pytest.MonkeyPatch, seed: int, kind: str, stops: bool
) -> None:
    moves: list[int] = []

    def noted(numbers: Any, *rest: Any) -> Any:
        moves.append(len(numbers))
        return moved(numbers, *rest)

    monkeypatch.setattr(choice_stages, "moved", noted)
    random = np.random.default_rng(seed)
    many, count = int(random.integers(1, 7)), 900
    lengths = random.integers(100, 2 * count // many, many).tolist()
    numbers = random.integers(0, many, count)
    failing = {}
    if seed % 2:
        failing = {int(random.integers(0, many)): int(random.integers(60, 100))}
    if seed % 3 == 1:
        wrong = random.integers(300, count, 3)
        numbers[wrong] = random.choice([-1, many, 2**62, -(2**63)], 3)
    make = ROWS[kind]

    def dataset(k: int, length: int) -> Any:
        whole = Dataset.range(1000 * k, 1000 * k + length)
        bad = 1000 * k + failing.get(k, -1)
        return whole.map(lambda x: make(x + 0 * (7 // (x - bad))) if k in failing else make(x))

    datasets = [dataset(k, length) for k, length in enumerate(lengths)]
    lists = [
        [plain(make(tf.constant(1000 * k + i, tf.int64))) for i in range(length)]
        for k, length in enumerate(lengths)
    ]
    choices = Dataset.from_tensor_slices(numbers)
    chosen = Dataset.choose_from_datasets(datasets, choices, stop_on_empty_dataset=stops)
    assert outcomes(chosen) == in_turn(numbers.tolist(), lists, failing, stops)
    assert len(moves) == 1 if kind in UNMOVED else sum(moves) > 50


@pytest.mark.parametrize("many", [1, 3, 300])
@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "int64", "complex64"])
def test_rows_are_counted_and_moved(many: int, dtype: str) -> None:
    random = np.random.default_rng(many)
    for lane in (1, 2, 5, 400):
        numbers = random.integers(0, many, LANES * lane)
        counts = counts_of(numbers, many)
        for mine, part in zip(counts, numbers.reshape(LANES, lane).tolist()):
            assert mine.tolist() == [part.count(k) for k in range(many)]
        wanted = counts.sum(0)
        columns = {
            k: random.integers(0, 100, wanted[k] + 2).astype(dtype) for k in set(numbers.tolist())
        }
        rest = {k: iter(values.tolist()) for k, values in columns.items()}
        results = moved(numbers, counts, columns)
        assert results is not None
        assert results.dtype == dtype
        assert results.tolist() == [next(rest[k]) for k in numbers.tolist()]


def test_rows_of_other_kinds_stay_where_they_are() -> None:
    assert is_movable(np.zeros((5, 2), np.int32))
    assert not is_movable(np.zeros((5, 3), np.int32))
    assert not is_movable(np.zeros((5, 0), np.int32))
    assert not is_movable(np.zeros(10, np.int32)[::2])
    assert not is_movable(np.array([b"a"], object))
    assert not is_movable([np.zeros(1)])
    numbers = np.array([0, 1, 0, 1])
    counts = counts_of(numbers, 2)
    assert moved(numbers, counts, {0: np.zeros(2, np.int32), 1: np.zeros(2, np.float32)}) is None
    assert moved(numbers, counts, {0: np.zeros(2), 1: np.zeros((2, 1))}) is None
    assert moved(numbers, counts, {0: np.zeros(2), 1: [1.0, 2.0]}) is None


def test_numpy_is_quicker_for_few_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert not fits(np.zeros(1000, np.int64), 3)
    assert fits(np.zeros(10_000, np.int64), 3)
    assert fits(np.zeros(1000, np.int64), 20)
    assert not fits(np.zeros(1000, np.int64), 2000)
    assert not fits(np.zeros(20_000, np.int64)[::2], 3)
    assert not fits(np.zeros(10_000, np.int32), 3)
