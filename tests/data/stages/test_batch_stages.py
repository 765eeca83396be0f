"""What batches do with elements that fail, or that do not go together."""

from __future__ import annotations

from typing import Any

import graphwright as tf

Dataset = tf.data.Dataset


def outcomes(dataset: Any) -> list[Any]:
    """The elements as lists, and the classes of errors among them."""
    iterator, found = iter(dataset), []
    while True:
        try:
            found.append(next(iterator).numpy().tolist())
        except StopIteration:
            return found
        except tf.errors.OpError as error:
            found.append(type(error).__name__)


def reciprocal(x: Any) -> Any:
    """1, or an error for each element whose remainder modulo 7 is 2."""
    return tf.debugging.check_numerics(1.0 / tf.cast(x % 7 != 2, tf.float32), "")


def test_a_batch_right_behind_a_map_is_lost_with_an_element() -> None:
    """TensorFlow makes one stage of the two."""
    batches = Dataset.range(12).map(reciprocal).batch(4)
    assert outcomes(batches) == ["InvalidArgumentError", [1.0] * 4, "InvalidArgumentError"]
    apart = Dataset.range(12).map(reciprocal).padded_batch(4)
    assert outcomes(apart) == ["InvalidArgumentError", [1.0] * 4, "InvalidArgumentError", [1.0] * 2]


def test_batches_before_and_behind_one_that_fails_are_handed_out() -> None:
    """All of them come of one block."""
    rows = Dataset.range(16).map(lambda x: tf.fill([tf.where(x // 2 == 4, x % 2, 1)], x))
    expected: list[Any] = [[[x], [x + 1]] for x in range(0, 16, 2)]
    expected[4] = "InvalidArgumentError"
    assert outcomes(rows.batch(2)) == expected
    expected[4] = "DataLossError"
    wide = Dataset.range(16).map(lambda x: tf.fill([tf.where(x // 2 == 4, 2, 1)], x))
    assert outcomes(wide.padded_batch(2, [1])) == expected


def test_an_iterator_is_saved_between_batches_of_one_block() -> None:
    rows = Dataset.range(16).map(lambda x: tf.fill([tf.where(x == 14, 2, 1)], x)).batch(2)
    first, second = iter(rows), iter(rows)
    for _ in range(4):
        next(first)
    second._reader.restore(first._reader.save())
    rest = [next(second).numpy().ravel().tolist() for _ in range(3)]
    assert rest == [[8, 9], [10, 11], [12, 13]]
