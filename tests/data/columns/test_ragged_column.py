"""Ragged columns do what lists of arrays do."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from graphwright.data.blocks import ElementBlock, joined
from graphwright.data.columns.ragged_column import RaggedColumn
from graphwright.data.stages.padded_stages import padded

ARRAYS = [np.arange(n * 2, dtype=np.float32).reshape(n, 2) for n in (3, 0, 2, 0, 0, 5, 1, 1)]


def column() -> RaggedColumn:
    made = RaggedColumn.of_arrays(ARRAYS)
    assert made is not None
    return made


def lists(arrays: object) -> list[object]:
    return [np.asarray(array).tolist() for array in arrays]  # type: ignore[attr-defined]


def test_its_arrays_are_views() -> None:
    values = column()
    assert lists(values) == lists(ARRAYS)
    assert lists(values[2:6]) == lists(ARRAYS[2:6])
    assert lists(values[2:6][1:]) == lists(ARRAYS[3:6])
    assert len(values[5:2]) == 0
    assert values[5].base is not None
    assert values[2:6].flat.shape == (7, 2)
    assert values[2:6].nbytes == 56


@pytest.mark.parametrize("start", [0, 3])
def test_arrays_at_places(start: int) -> None:
    places = np.array([2, 0, 2, 1])
    taken = column()[start:].take(places)
    assert lists(taken) == [ARRAYS[start + place].tolist() for place in places.tolist()]


def test_columns_of_any_kind_are_joined() -> None:
    dense = np.ones((2, 3, 2), np.float32)
    blocks = [
        ElementBlock(3, (column()[:3],)),
        ElementBlock(2, (dense,)),
        ElementBlock(2, (ARRAYS[4:6],)),
    ]
    whole = joined(blocks)
    assert isinstance(whole.columns[0], RaggedColumn)
    assert lists(whole.columns[0]) == lists([*ARRAYS[:3], *dense, *ARRAYS[4:6]])


def test_what_differs_otherwise_is_no_column() -> None:
    assert RaggedColumn.of_arrays([np.zeros((2, 3)), np.zeros((2, 4))]) is None
    assert RaggedColumn.of_arrays([np.zeros(2), np.zeros(2, np.int32)]) is None
    assert RaggedColumn.of_column(np.zeros(3)) is None
    blocks = [ElementBlock(1, (column()[:1],)), ElementBlock(1, ([np.zeros((2, 3), np.float32)],))]
    assert isinstance(joined(blocks).columns[0], list)


def test_padding_is_that_of_lists() -> None:
    value = np.array(-1, np.float32)
    values = column()[1:7]

    def stage(shape: tuple[int, int]) -> Any:
        return SimpleNamespace(shapes=[shape], values=[value])

    for shape in [(-1, -1), (6, 2), (-1, 4), (7, 3)]:
        whole = padded(values, stage(shape), 0)
        for array, row in zip(values, whole):
            expected = np.full(row.shape, -1, np.float32)
            expected[: len(array), :2] = array
            assert row.tolist() == expected.tolist()
    batches = values.padded_batches(2, value)
    pairs = [values[i : i + 2] for i in (0, 2, 4)]
    assert lists(batches) == lists(padded(pair, stage((-1, 2)), 0) for pair in pairs)


def test_equal_lengths_are_one_array() -> None:
    assert column().dense() is None
    dense = column()[6:].dense()
    assert dense is not None
    assert dense.tolist() == lists(ARRAYS[6:])
