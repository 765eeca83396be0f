"""Groups by key take elements in blocks, and give what one element at a time gives."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import graphwright as tf
from graphwright.data.reader import Reader

Dataset = tf.data.Dataset


def grouped(keys: list[int], is_slow: bool) -> tf.data.Dataset:
    """Places in groups of three by their keys; one by one where Python sees each."""
    table = tf.constant(keys, tf.int64)
    numbers = Dataset.range(len(keys))
    if is_slow:
        numbers = numbers.map(lambda x: tf.numpy_function(lambda n: n, [x], tf.int64))
        numbers = numbers.map(lambda x: tf.ensure_shape(x, []))
    return numbers.group_by_window(
        lambda x: tf.gather(table, x), lambda key, group: group.batch(2), window_size=3
    )


@pytest.mark.parametrize(
    ("count", "different"), [(0, 5), (1, 5), (2, 5), (7, 5), (200, 5), (3000, 5), (3000, 400)]
)
def test_blocks_give_the_same_groups_in_the_same_order(count: int, different: int) -> None:
    keys = np.random.default_rng(count).integers(0, different, count).tolist()
    many, one = [
        [batch.tolist() for batch in grouped(keys, is_slow).as_numpy_iterator()]
        for is_slow in (False, True)
    ]
    assert many == one
    assert sorted(x for batch in many for x in batch) == list(range(count))


def outcomes(dataset: tf.data.Dataset) -> list[object]:
    """Batches as lists, and the names of errors in their places."""
    results: list[object] = []
    iterator = iter(dataset)
    while True:
        try:
            results.append(next(iterator).numpy().tolist())
        except StopIteration:
            return results
        except tf.errors.InvalidArgumentError as error:
            results.append(type(error).__name__)


@pytest.mark.parametrize("reduction", ["batch", "padded_batch", "take"])
def test_keys_without_a_size_fail_in_their_places(reduction: str) -> None:
    keys = np.random.default_rng(2).integers(0, 5, 700)
    keys[np.random.default_rng(3).integers(0, 700, 9)] = 6
    table, sizes = tf.constant(keys), tf.constant([3, 4, 9, 4, 200, 1, 0], tf.int64)

    def of_window(key: tf.Tensor, window: tf.data.Dataset) -> tf.data.Dataset:
        if reduction == "take":
            return window.take(2).batch(2)
        return getattr(window, reduction)(5)

    def numbered(is_slow: bool) -> tf.data.Dataset:
        numbers = Dataset.range(700)
        if is_slow:
            numbers = numbers.map(lambda x: tf.numpy_function(lambda n: n, [x], tf.int64))
            numbers = numbers.map(lambda x: tf.ensure_shape(x, []))
        return numbers.group_by_window(
            lambda x: tf.gather(table, x), of_window, window_size_func=lambda k: sizes[k]
        )

    many, one = outcomes(numbered(False)), outcomes(numbered(True))
    assert many == one
    assert many.count("InvalidArgumentError") == (keys == 6).sum()


def test_a_position_is_saved_in_the_middle_of_a_block() -> None:
    keys = np.random.default_rng(1).integers(0, 4, 90).tolist()
    stage = grouped(keys, False)._stage
    whole = [batch.tolist() for batch in grouped(keys, False).as_numpy_iterator()]
    for place in range(0, len(whole), 3):
        first, second = Reader(stage), Reader(stage)
        for _ in range(place):
            first.row()
        second.restore(first.save())
        for reader in (first, second):
            rest = []
            while (row := reader.row()) is not None:
                rest.append(row[0].tolist())
            assert whole[:place] + rest == whole


def test_a_key_with_an_error_comes_in_its_place() -> None:
    dataset = Dataset.range(40).group_by_window(
        lambda x: 9 // (x - 20) * 0, lambda key, group: group.batch(10), window_size=10
    )
    iterator = iter(dataset)
    assert next(iterator).numpy().tolist() == list(range(10))
    assert next(iterator).numpy().tolist() == list(range(10, 20))
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(iterator)
    assert next(iterator).numpy().tolist() == list(range(21, 31))
    assert next(iterator).numpy().tolist() == list(range(31, 40))


def test_a_window_without_a_dataset_is_one_error() -> None:
    windows = Dataset.range(24).group_by_window(
        lambda x: x % 4, lambda key, group: group.batch(3 + 0 // (key - 2)), window_size=3
    )
    error = "InvalidArgumentError"
    expected = [[0, 4, 8], [1, 5, 9], error, [3, 7, 11]]
    expected += [[12, 16, 20], [13, 17, 21], error, [15, 19, 23]]
    assert outcomes(windows) == expected


def test_windows_that_are_left_out_are_made_one_by_one_where_a_program_sees_it() -> None:
    taken = []

    def rows() -> Iterator[list[int]]:
        for number in range(5):
            taken.append(number)
            yield [number] * number

    lists = Dataset.from_generator(rows, output_signature=tf.TensorSpec([None], tf.int32))
    pairs = lists.map(lambda row: (tf.size(row), row)).window(4)
    batches = pairs.flat_map(lambda a, b: Dataset.zip((a.batch(4), b.batch(4))))
    iterator = iter(batches.skip(2))
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(iterator)
    assert taken == [0, 1, 2, 3]
