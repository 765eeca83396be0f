"""What elements are made of: structures, sequences, and columns of other libraries."""

from __future__ import annotations

import collections
import mmap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphwright as tf

Dataset = tf.data.Dataset


def values(dataset: tf.data.Dataset) -> list[Any]:
    """The elements in Python's form."""
    return [
        {k: v.tolist() for k, v in e.items()} if isinstance(e, dict) else e.tolist()
        for e in dataset.as_numpy_iterator()
    ]


@pytest.mark.parametrize(
    "numbers",
    [range(3), {"a": 0, "b": 1, "c": 2}.values(), collections.deque([0, 1, 2]), [0, 1, 2]],
    ids=lambda numbers: type(numbers).__name__,
)
def test_sequences_are_tensors(numbers: Any) -> None:
    """TensorFlow 2.21 takes them so."""
    assert values(Dataset.from_tensor_slices(numbers)) == [0, 1, 2]
    assert values(Dataset.from_tensors(numbers)) == [[0, 1, 2]]
    assert Dataset.from_tensor_slices(numbers).element_spec.dtype == tf.int32


def test_tuples_are_structures() -> None:
    pairs = Dataset.from_tensor_slices((range(2), [3, 4]))
    assert [(int(a), int(b)) for a, b in pairs] == [(0, 3), (1, 4)]


# -- memory ---------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [Dataset.from_tensor_slices, Dataset.from_tensors])
def test_an_array_that_changes_changes_no_element(make: Any) -> None:
    array = np.arange(6.0)
    fixed = array[:]
    fixed.flags.writeable = False
    datasets = [make(array), make(fixed)]
    array[:] = -1
    for dataset in datasets:
        assert np.ravel([np.asarray(x) for x in dataset]).tolist() == [0, 1, 2, 3, 4, 5]


def mapped(folder: Path, mode: Any) -> Any:
    """An array in a file."""
    np.save(folder / "rows.npy", np.arange(12.0).reshape(4, 3))
    return np.load(folder / "rows.npy", mmap_mode=mode)


def test_a_file_that_is_mapped_to_be_read_is_not_copied(tmp_path: Path) -> None:
    rows = mapped(tmp_path, "r")
    dataset = Dataset.from_tensor_slices({"row": rows})
    for number, element in enumerate(dataset.as_numpy_iterator()):
        assert np.shares_memory(element["row"], rows)
        assert element["row"].tolist() == rows[number].tolist()
    assert np.shares_memory(dataset.batch(2)._stage.inputs[0].columns[0], rows)


@pytest.mark.parametrize("mode", ["r+", "c"])
def test_a_file_that_is_mapped_to_be_written_is_copied(tmp_path: Path, mode: str) -> None:
    rows = mapped(tmp_path, mode)
    fixed = rows[:]
    fixed.flags.writeable = False
    datasets = [Dataset.from_tensor_slices(rows), Dataset.from_tensor_slices(fixed)]
    rows[:] = -1
    for dataset in datasets:
        assert values(dataset)[1] == [3, 4, 5]


def test_bytes_are_not_copied_and_their_neighbours_are() -> None:
    fixed = np.frombuffer(bytes(range(8)), np.uint8)
    changing = np.frombuffer(bytearray(range(8)), np.uint8)
    (shared,) = Dataset.from_tensors(fixed).as_numpy_iterator()
    (copied,) = Dataset.from_tensors(changing).as_numpy_iterator()
    assert np.shares_memory(shared, fixed)
    assert not np.shares_memory(copied, changing)


def test_an_anonymous_map_is_copied() -> None:
    with mmap.mmap(-1, 8) as memory:
        array = np.frombuffer(memory, np.uint8)
        dataset = Dataset.from_tensors(array)
        del array
        memory[:] = b"\1" * 8
    assert values(dataset) == [[0] * 8]


@pytest.mark.parametrize(
    "array",
    [
        np.frombuffer(bytes(range(8)), ">i2"),
        np.frombuffer(bytes(range(8)), np.uint8)[::2],
        np.frombuffer(bytes(range(9)), np.uint8)[1:].view(np.int32),
    ],
    ids=["bytes in another order", "every second", "not aligned"],
)
def test_what_is_laid_out_otherwise_is_copied(array: Any) -> None:
    dataset = Dataset.from_tensor_slices(array)
    assert values(dataset) == array.tolist()
    (whole,) = Dataset.from_tensors(array).as_numpy_iterator()
    assert not np.shares_memory(whole, array)


def test_arrays_of_numpys_iterator_are_views_that_cannot_be_written() -> None:
    numbers = tf.constant([[1, 2], [3, 4]])
    rows = list(Dataset.from_tensor_slices(numbers).as_numpy_iterator())
    assert np.shares_memory(rows[0], np.asarray(numbers))
    with pytest.raises(ValueError, match="read-only"):
        rows[0][0] = 5
    assert numbers.numpy().tolist() == [[1, 2], [3, 4]]


# -- columns of other libraries -------------------------------------------------------------


class Column:
    """A column as other libraries have them: it gives an array and is none."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.array


def test_columns_are_rows() -> None:
    columns = {"n": Column(np.arange(3)), "s": Column(np.array(["a", "b", "c"], object))}
    assert values(Dataset.from_tensor_slices(columns).map(lambda e: e["n"] * 2)) == [0, 2, 4]
    assert [e["s"] for e in Dataset.from_tensor_slices(columns).as_numpy_iterator()] == [
        b"a", b"b", b"c",
    ]  # fmt: skip


def test_columns_of_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"n": [1, 2], "x": [0.5, 1.5], "s": ["a", "é"]})
    assert values(Dataset.from_tensor_slices(frame[["n", "x"]])) == [[1, 0.5], [2, 1.5]]
    rows = list(Dataset.from_tensor_slices(dict(frame)).as_numpy_iterator())
    assert rows == [{"n": 1, "x": 0.5, "s": b"a"}, {"n": 2, "x": 1.5, "s": "é".encode()}]
    assert values(Dataset.from_tensor_slices(frame["n"])) == [1, 2]
    with pytest.raises(ValueError, match=r"for name in table\.columns"):
        Dataset.from_tensor_slices(frame)


def test_columns_of_arrow() -> None:
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table({"n": [1, 2], "s": ["a", "b"]})
    columns = {name: table[name] for name in table.column_names}
    rows = list(Dataset.from_tensor_slices(columns).as_numpy_iterator())
    assert rows == [{"n": 1, "s": b"a"}, {"n": 2, "s": b"b"}]
    with pytest.raises(ValueError, match=r"for name in table\.column_names"):
        Dataset.from_tensor_slices(table)
    numbers = np.arange(4)
    dataset = Dataset.from_tensor_slices(arrow.array(numbers))  # Arrow shares NumPy's memory
    numbers[:] = 7
    assert values(dataset) == [0, 1, 2, 3]
