"""What batches do with elements that fail, or that do not go together."""

from __future__ import annotations

from typing import Any

import pytest

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


@pytest.mark.parametrize("size", [1, 2, 3])
def test_an_element_larger_than_its_padded_shape_is_named(size: int) -> None:
    """With the component, both shapes, and a call that has room."""
    rows = Dataset.range(1, 4).map(lambda x: {"n": x, "row": tf.fill([2, x], x)})
    with pytest.raises(tf.errors.DataLossError) as raised:
        list(rows.padded_batch(size, {"n": [], "row": [None, 2]}))
    said = str(raised.value)
    assert "Attempted to pad to a smaller size than the input element." in said
    assert "Component 1 of an element has the shape [2, 3] and the padded shape [None, 2]." in said
    call = f"padded_batch({size}, padded_shapes={{'n': [], 'row': [None, None]}})"
    assert call in said
    batches = list(eval(f"rows.{call}", {"rows": rows}))
    assert sum(len(batch["n"]) for batch in batches) == 3


@pytest.mark.parametrize("shape", [[2], [2, None], tf.constant([2], tf.int64), tf.TensorShape(2)])
def test_a_static_shape_is_compared_before_elements_are_taken(shape: Any) -> None:
    """With TensorFlow's class of error, ValueError, where both shapes are static."""
    rows = Dataset.from_tensor_slices([[1, 2, 3]])
    with pytest.raises(ValueError, match="not compatible with the corresponding") as raised:
        rows.padded_batch(1, shape)
    assert "padded_batch(1, padded_shapes=[None]) has room" in str(raised.value)
    assert next(iter(rows.padded_batch(1, padded_shapes=[None]))).shape == [1, 3]


def test_a_padded_shape_is_not_cut_to_integers() -> None:
    with pytest.raises(TypeError, match=r"its sizes are float32\. Give integers"):
        Dataset.range(1, 4).map(lambda x: tf.fill([x], x)).padded_batch(2, [3.5])


def test_an_iterator_is_saved_between_batches_of_one_block() -> None:
    rows = Dataset.range(16).map(lambda x: tf.fill([tf.where(x == 14, 2, 1)], x)).batch(2)
    first, second = iter(rows), iter(rows)
    for _ in range(4):
        next(first)
    second._reader.restore(first._reader.save())
    rest = [next(second).numpy().ravel().tolist() for _ in range(3)]
    assert rest == [[8, 9], [10, 11], [12, 13]]


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (1, [[[1]], [[2, 3]], [[]], [[4]]]),
        (2, [[[1], [2, 3]], [[], [4]]]),
        (3, [[[1], [2, 3], []], [[4]]]),
        (5, [[[1], [2, 3], [], [4]]]),
    ],
)
def test_ragged_batches_of_another_size(size: int, expected: list[object]) -> None:
    rows = tf.ragged.constant([[1], [2, 3], [], [4]])
    batches = Dataset.from_tensor_slices((rows, tf.sparse.from_dense([[0], [5], [0], [6]])))
    rebatched = list(batches.batch(3).rebatch(size))
    assert [ragged.to_list() for ragged, _ in rebatched] == expected
    dense = tf.concat([tf.sparse.to_dense(sparse) for _, sparse in rebatched], 0)
    assert dense.numpy().tolist() == [[0], [5], [0], [6]]


@pytest.mark.parametrize(
    ("size", "drop", "rows"),
    [(2, False, 2), (3, False, None), (3, True, 3), ([2, 2], False, 2), ([2, 4], True, None)],
)
def test_rows_of_batches_of_another_size(size: object, drop: bool, rows: int | None) -> None:
    batches = Dataset.range(12).batch(4, drop_remainder=True).rebatch(size, drop)
    assert batches.element_spec.shape == [rows]


def test_batches_of_another_size_whose_parts_differ() -> None:
    with pytest.raises(ValueError, match="2 and 3 rows"):
        Dataset.from_tensors((tf.zeros([2]), tf.zeros([3]))).rebatch(2)


@pytest.mark.parametrize(
    ("sizes", "drop", "expected"),
    [
        ([2, 0], False, [2, 0, 2, 0, 1]),
        ([2, 0], True, [2, 0, 2, 0]),
        ([0, 2], False, [0, 2, 0, 2, 0, 1]),
        ([2, 1, 0], True, [2, 1, 0, 2]),
        ([0, 3], True, [0, 3, 0]),
    ],
)
def test_batches_of_several_sizes(sizes: list[int], drop: bool, expected: list[int]) -> None:
    batches = Dataset.range(5).batch(4).rebatch(sizes, drop)
    assert [len(batch) for batch in batches] == expected


def test_slices_beside_none() -> None:
    slices = Dataset.from_tensor_slices((None, [1, 2, 4]))
    assert len(slices) == 3
    assert [numbers.numpy().tolist() for _, numbers in slices.batch(2)] == [[1, 2], [4]]
