"""Blocks: several elements at once, with a column for each of their tensors.

Stages hand on blocks, not elements, so many elements share the cost of a stage. A column is one
array whose first axis is that of elements. Where elements differ in shape it is a ragged column, if
they differ in their first size alone, or a list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.data.columns.ragged_column import RaggedColumn
from graphwright.types.arrays import Array

#: The arrays of one element, or of one tensor of all elements.
Row: TypeAlias = list[Any]
Column: TypeAlias = Array | RaggedColumn | Row


class Layout(NamedTuple):
    """In which form the columns of a block are there, so that a graph of columns can take them.

    Args:
        ragged: Which of the columns are ragged.
        is_chosen: Whether they are rows of tables at places.
    """

    ragged: tuple[bool, ...]
    is_chosen: bool


class ElementBlock:
    """Some elements, by columns. A block does not change."""

    __slots__ = ("columns", "count")

    def __init__(self, count: int, columns: tuple[Column, ...]) -> None:
        self.count = count
        self.columns = columns

    @property
    def layout(self) -> Layout | None:
        """What a graph must know of the columns; None where there are none, or one is a list."""
        if not self.columns or not self.is_together:
            return None
        return Layout(tuple([isinstance(c, RaggedColumn) for c in self.columns]), False)

    def operands(self) -> list[Any]:
        """The columns as arrays for a graph of that layout: a ragged one is two."""
        arrays: list[Any] = []
        for values in self.columns:
            arrays += (
                [values.flat, values.lengths] if isinstance(values, RaggedColumn) else [values]
            )
        return arrays

    def copied(self) -> ElementBlock:
        """The same elements, of which none is still to be copied."""
        return self

    @property
    def is_dense(self) -> bool:
        """Whether each column is one array."""
        return all(isinstance(column, np.ndarray) for column in self.columns)

    @property
    def is_together(self) -> bool:
        """Whether the values of each column stand side by side: none is a list."""
        return not any(isinstance(column, list) for column in self.columns)

    @classmethod
    def restored(cls, state: Sequence[Any]) -> ElementBlock:
        """The block that `saved` gave."""
        count, columns = state
        return cls(count, tuple(columns))

    def saved(self) -> list[Any]:
        """The block as plain lists and arrays."""
        return [self.count, [list(c) if isinstance(c, RaggedColumn) else c for c in self.columns]]

    def row(self, place: int) -> Row:
        """The arrays of one element."""
        return [c[place, ...] if isinstance(c, np.ndarray) else c[place] for c in self.columns]

    def rows(self) -> Iterator[Sequence[Any]]:
        """The arrays of each element."""
        if not self.columns:
            return iter([()] * self.count)
        return zip(*map(values_of, self.columns))

    def part(self, start: int, stop: int) -> ElementBlock:
        """The elements from one place up to another."""
        stop = min(stop, self.count)
        if start == 0 and stop == self.count:
            return self
        return ElementBlock(stop - start, tuple([c[start:stop] for c in self.columns]))

    def pieces(self, count: int) -> list[ElementBlock]:
        """The elements in so many parts of nearly one size."""
        bounds = [self.count * i // count for i in range(count + 1)]
        return [self.part(start, stop) for start, stop in pairwise(bounds)]

    def at(self, places: Array) -> ElementBlock:
        """The elements at places, in their order."""
        columns = [
            [c[i] for i in places.tolist()] if isinstance(c, list) else c.take(places, 0)
            for c in self.columns
        ]
        return ElementBlock(len(places), tuple(columns))


class ChosenRows(ElementBlock):
    """Rows of tables at places, which are copied only for those who want columns.

    A graph that takes the tables and the places reads each row where it is, and copies none.

    Args:
        table: Arrays, none of which holds objects.
        places: Numbers of their rows.
    """

    __slots__ = ("copies", "places", "table")

    def __init__(self, table: tuple[Array, ...], places: Array) -> None:
        self.count = len(places)
        self.table = table
        self.places = places
        self.copies: tuple[Column, ...] | None = None

    @property
    def columns(self) -> tuple[Column, ...]:  # type: ignore[override]
        """The rows, copied."""
        if self.copies is None:
            self.copies = tuple([values.take(self.places, 0) for values in self.table])
        return self.copies

    @property
    def layout(self) -> Layout | None:
        return Layout((False,) * len(self.table), True)

    def operands(self) -> list[Any]:
        return [*self.table, self.places]

    def copied(self) -> ElementBlock:
        return ElementBlock(self.count, self.columns)

    def part(self, start: int, stop: int) -> ElementBlock:
        return ChosenRows(self.table, self.places[start:stop])

    def at(self, places: Array) -> ElementBlock:
        return ChosenRows(self.table, self.places.take(places)).copied()


def rows_at(table: Sequence[Array], places: Array) -> ElementBlock:
    """The rows of tables at places; objects, which no graph reads there, are copied."""
    rows = ChosenRows(tuple(table), places)
    return rows.copied() if any(values.dtype.hasobject for values in table) else rows


def of_row(row: Sequence[object]) -> ElementBlock:
    """A block of one element."""
    return ElementBlock(1, tuple([a[None] if isinstance(a, np.ndarray) else [a] for a in row]))


def of_rows(rows: Sequence[Sequence[object]]) -> ElementBlock:
    """A block of one or more elements."""
    if len(rows) == 1:
        return of_row(rows[0])
    return ElementBlock(len(rows), tuple([column(values) for values in zip(*rows)]))


def column(values: Sequence[object]) -> Column:
    """Values of one tensor, in one array if they have one shape."""
    first = values[0]
    if not isinstance(first, np.ndarray):
        return list(values)
    arrays: Any = values
    if len({array.shape for array in arrays}) > 1:
        return list(values)
    return one_array(arrays)


def one_array(arrays: Sequence[Array]) -> Array:
    """Arrays of one shape and dtype, stacked; `np.stack` takes three to ten times as long."""
    first = arrays[0]
    if first.ndim:
        return np.concatenate(arrays).reshape(len(arrays), *first.shape)
    return np.stack(arrays) if first.dtype.hasobject else np.array(arrays, first.dtype)


def joined(blocks: Sequence[ElementBlock]) -> ElementBlock:
    """The elements of one or more blocks, in one block."""
    if len(blocks) == 1:
        return blocks[0]
    count = sum([block.count for block in blocks])
    return ElementBlock(
        count, tuple([together(parts) for parts in zip(*[b.columns for b in blocks])])
    )


def together(columns: Sequence[Column]) -> Column:
    """Columns of one tensor, in one column."""
    arrays = [c for c in columns if isinstance(c, np.ndarray)]
    if len(arrays) == len(columns) and len({a.shape[1:] for a in arrays}) == 1:
        return np.concatenate(arrays)
    if any(isinstance(c, RaggedColumn) for c in columns):
        parts = [RaggedColumn.of_column(c) for c in columns]
        ragged = [c for c in parts if c is not None]
        if (
            len(ragged) == len(columns)
            and len({(c.values.dtype, c.open_shape) for c in ragged}) == 1
        ):
            return RaggedColumn.together(ragged)
    return [value for c in columns for value in values_of(c)]


def values_of(values: Column) -> Row:
    """The values of a column, one by one."""
    if isinstance(values, list):
        return values
    if isinstance(values, RaggedColumn):
        return list(values)
    return list(values) if values.ndim > 1 else [values[i, ...] for i in range(len(values))]
