"""Functions of shuffled rows, which graphs read where they are: against rows copied one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.run.options import OPTIONS

ROWS = 300
GENERATOR = np.random.default_rng(7)

TABLES: dict[str, Any] = {
    "bytes": GENERATOR.integers(0, 256, (ROWS, 5, 3)).astype(np.uint8),
    "decimals": GENERATOR.normal(size=(ROWS, 4)),
    "numbers": GENERATOR.integers(-9, 9, ROWS),
    "flags": GENERATOR.random((ROWS, 2)) < 0.5,
    "complex": (GENERATOR.normal(size=(ROWS, 2)) + 1j).astype(np.complex64),
    "halves": GENERATOR.normal(size=(ROWS, 3)).astype(np.float16),
    "empty": np.zeros((ROWS, 0, 2), np.float32),
    "words": np.array([f"w{i % 17}" for i in range(ROWS)]),
}

#: For each function: the tables it takes, the function, and the same for the arrays of a row.
MAPS: dict[str, tuple[list[str], Callable[..., Any], Callable[..., Any]]] = {
    "cast and scale": (
        ["bytes", "numbers"],
        lambda x, n: (tf.cast(x, tf.float32) / 255.0, n),
        lambda x, n: (x.astype(np.float32) / np.float32(255), n),
    ),
    "one of two": (["bytes", "decimals"], lambda x, y: y * 2.0, lambda x, y: (y * 2,)),
    "the same twice": (
        ["decimals"],
        lambda x: (x - tf.reduce_mean(x), x),
        lambda x: (x - x.mean(), x),
    ),
    "as they are": (["flags", "complex"], lambda f, z: (f, z), lambda f, z: (f, z)),
    "halves": (["halves"], lambda x: x + 1.0, lambda x: (x + np.float16(1),)),
    "without elements": (
        ["empty", "numbers"],
        lambda e, n: (e, n + 1),
        lambda e, n: (e, n + 1),
    ),
    "words": (
        ["words", "numbers"],
        lambda w, n: (tf.strings.join([w, "!"]), n),
        lambda w, n: (w.encode() + b"!", n),
    ),
    "rows of another size": (
        ["numbers", "decimals"],
        lambda n, x: tf.concat([x, [tf.cast(n, tf.float64)]], 0),
        lambda n, x: (np.append(x, float(n)),),
    ),
    "of no row": (
        ["numbers"],
        lambda n: tf.constant([1.0, 2.0]),
        lambda n: (np.array([1.0, 2.0]),),
    ),
}


def table_of(name: str) -> tuple[Any, ...]:
    """The tables of a map, and the number of each row."""
    return (*[TABLES[table] for table in MAPS[name][0]], np.arange(ROWS))


def same(results: list[Any], expected: list[Any]) -> None:
    assert len(results) == len(expected)
    for row, other in zip(results, expected):
        for value, wanted in zip(row, other):
            wanted = np.asarray(wanted)
            assert np.shape(value) == wanted.shape
            if wanted.dtype.kind in "fc":
                np.testing.assert_allclose(
                    value, wanted, rtol=1e-3 if wanted.itemsize == 2 else 1e-6
                )
            else:
                assert np.array_equal(value, wanted)


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("rounds", [1, 3])
@pytest.mark.parametrize("calls", [None, 2])
@pytest.mark.parametrize("native", ["", pytest.param("always", marks=pytest.mark.slow)])
@pytest.mark.parametrize("before", ["slices", "cache", "batches"])
def test_maps_of_shuffled_rows(
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    rounds: int,
    calls: int | None,
    native: str,
    before: str,
) -> None:
    if native:
        monkeypatch.setitem(OPTIONS, "native", native)
    _, function, by_hand = MAPS[name]
    columns = table_of(name)

    def numbered(*row: Any) -> Any:
        result = function(*row[:-1])
        return (*(result if isinstance(result, tuple) else (result,)), row[-1])

    dataset = tf.data.Dataset.from_tensor_slices(columns)
    if before == "cache":
        dataset = dataset.cache()
    elif before == "batches":
        dataset = dataset.batch(7).unbatch()
    dataset = dataset.shuffle(50, seed=3).repeat(rounds)
    results = list(dataset.map(numbered, num_parallel_calls=calls).as_numpy_iterator())
    order = [int(row[-1]) for row in results]
    assert sorted(order) == sorted(list(range(ROWS)) * rounds)
    assert order[:ROWS] != list(range(ROWS))
    same(results, [(*by_hand(*[c[i] for c in columns[:-1]]), i) for i in order])


@pytest.mark.parametrize("size", [1, 7, 100, ROWS])
def test_filters_and_maps_of_shuffled_rows(size: int) -> None:
    numbers, decimals = TABLES["numbers"], TABLES["decimals"]
    dataset = tf.data.Dataset.from_tensor_slices((numbers, decimals, np.arange(ROWS)))
    dataset = dataset.shuffle(size, seed=5).filter(lambda n, x, i: n > 0)
    dataset = dataset.map(lambda n, x, i: (n * 2, x, i)).filter(lambda n, x, i: x[0] < 0.5)
    dataset = dataset.map(lambda n, x, i: (x + tf.cast(n, tf.float64), i)).batch(4)
    results = [row for batch in dataset.as_numpy_iterator() for row in zip(*batch)]
    order = [int(i) for _, i in results]
    wanted = [i for i in range(ROWS) if numbers[i] > 0 and decimals[i, 0] < 0.5]
    assert sorted(order) == wanted
    same(results, [(decimals[i] + 2.0 * numbers[i], i) for i in order])


def test_errors_come_where_their_rows_come() -> None:
    places = np.arange(40)
    dataset = tf.data.Dataset.from_tensor_slices(places).shuffle(40, seed=1)
    order = list(dataset.as_numpy_iterator())
    dataset = tf.data.Dataset.from_tensor_slices(places).shuffle(40, seed=1)
    checked = dataset.map(
        lambda i: tf.debugging.check_numerics(1.0 / tf.cast(i % 9, tf.float32), "x")
    )
    iterator, results = iter(checked), []
    while True:
        try:
            results.append(float(next(iterator)))
        except StopIteration:
            break
        except tf.errors.InvalidArgumentError:
            results.append(None)
    assert results == [
        None if i % 9 == 0 else float(np.float32(1) / np.float32(i % 9)) for i in order
    ]


@pytest.mark.parametrize("taken", [0, 1, 29, 64, 150])
def test_a_position_among_chosen_rows_is_restored(taken: int, tmp_path: Any) -> None:
    def made() -> Any:
        dataset = tf.data.Dataset.from_tensor_slices((TABLES["bytes"], np.arange(ROWS)))
        dataset = dataset.shuffle(90, seed=2).repeat(2).filter(lambda x, i: i % 3 > 0)
        return iter(dataset.map(lambda x, i: (tf.cast(x, tf.int32) + 1, i)))

    iterator = made()
    for _ in range(taken):
        next(iterator)
    path = tf.train.Checkpoint(iterator=iterator).save(str(tmp_path / "place"))
    rest = [(x.numpy(), int(i)) for x, i in iterator]
    other = made()
    tf.train.Checkpoint(iterator=other).restore(path)
    same([(x.numpy(), int(i)) for x, i in other], rest)
    assert len(rest) == 400 - taken


def test_a_prefetch_thread_copies_rows_itself() -> None:
    """What is handed on to a stage that computes nothing holds no rows still to be copied."""
    from graphwright.data.blocks import ChosenRows, ElementBlock

    iterator = iter(tf.data.Dataset.from_tensor_slices(TABLES["bytes"]).shuffle(20).repeat(2))
    block = iterator._reader.cursor.pull(8)
    assert type(block) is ElementBlock
    rows = iterator._reader.cursor.pull_rows(8)
    assert type(rows) is ChosenRows
    assert [len(c) for c in rows.part(2, 5).columns] == [3]
    assert np.array_equal(rows.at(np.array([3, 1])).columns[0], rows.columns[0][[3, 1]])
