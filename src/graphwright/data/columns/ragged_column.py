"""Ragged columns: arrays of different lengths, which stand side by side in one array."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, overload

import numpy as np

from graphwright.types.arrays import Array


class RaggedColumn:
    """The values of one tensor of some elements: arrays that differ in their first size alone.

    Args:
        values: The rows of all arrays, one array behind the other.
        splits: Where the arrays begin and end in it, as int64. It may be a part of a longer vector.
    """

    __slots__ = ("splits", "values")

    def __init__(self, values: Array, splits: Array) -> None:
        self.values = values
        self.splits = splits

    @classmethod
    def together(cls, columns: Sequence[RaggedColumn]) -> RaggedColumn:
        """The arrays of some columns, in one."""
        return cls.of_lengths(
            np.concatenate([column.flat for column in columns]),
            np.concatenate([column.lengths for column in columns]),
        )

    @classmethod
    def of_lengths(cls, values: Array, lengths: Array) -> RaggedColumn:
        """Arrays of these lengths, one behind the other."""
        splits = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=splits[1:])
        return cls(values, splits)

    @classmethod
    def of_arrays(cls, arrays: Sequence[Array]) -> RaggedColumn | None:
        """Arrays as a column; None where they differ in more than their first size."""
        if any(array.ndim == 0 for array in arrays):
            return None
        if len({(array.dtype, array.shape[1:]) for array in arrays}) > 1:
            return None
        return cls.of_lengths(np.concatenate(arrays), np.array(list(map(len, arrays))))

    @classmethod
    def of_column(cls, values: Array | Sequence[Array] | RaggedColumn) -> RaggedColumn | None:
        """A column as a ragged one; None where its arrays differ in more than their first size."""
        if isinstance(values, RaggedColumn):
            return values
        if not isinstance(values, np.ndarray):
            return cls.of_arrays(values)
        if values.ndim < 2:
            return None
        count, length = values.shape[:2]
        return cls(values.reshape(count * length, *values.shape[2:]), np.arange(count + 1) * length)

    def __len__(self) -> int:
        return len(self.splits) - 1

    @overload
    def __getitem__(self, place: int) -> Array: ...
    @overload
    def __getitem__(self, place: slice) -> RaggedColumn: ...
    def __getitem__(self, place: int | slice) -> Array | RaggedColumn:
        if isinstance(place, slice):
            start, stop, _ = place.indices(len(self))
            return RaggedColumn(self.values, self.splits[start : max(start, stop) + 1])
        return self.values[self.splits[place] : self.splits[place + 1]]

    def __iter__(self) -> Iterator[Array]:
        values = self.values
        return iter([values[start:stop] for start, stop in pairwise(self.splits.tolist())])

    @property
    def flat(self) -> Array:
        """The rows of all arrays."""
        return self.values[self.splits[0] : self.splits[-1]]

    @property
    def lengths(self) -> Array:
        """The first size of each array."""
        lengths: Array = self.splits[1:] - self.splits[:-1]
        return lengths

    @property
    def open_shape(self) -> tuple[int, ...]:
        """The shape that all arrays have, with -1 for their first size."""
        return (-1, *self.values.shape[1:])

    def dense(self) -> Array | None:
        """The arrays in one where they have one length; None where they do not."""
        lengths = self.lengths
        if (lengths != lengths[0]).any():
            return None
        flat = self.flat
        return flat.reshape(len(self), int(lengths[0]), *flat.shape[1:])

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays."""
        return self.flat.nbytes

    def take(self, places: Array, axis: int = 0) -> RaggedColumn:
        """The arrays at places, in their order; `axis` is that of the arrays."""
        starts, lengths = self.splits[:-1][places], self.lengths[places]
        taken = RaggedColumn.of_lengths(self.values, lengths)
        shifts = starts - taken.splits[:-1]
        rows = np.repeat(shifts, lengths) + np.arange(taken.splits[-1])
        return RaggedColumn(self.values.take(rows, 0), taken.splits)

    def padded(self, sizes: Sequence[int], value: Array) -> Array:
        """One array of all, with `value` wherever an array of these sizes has no element."""
        whole = np.full((len(self), *sizes), value, self.values.dtype)
        corner: Any = (slice(None), slice(None), *map(slice, self.values.shape[1:]))
        mask = np.arange(sizes[0]) < self.lengths[:, None]
        whole[corner][mask] = self.flat
        return whole

    def padded_batches(self, size: int, value: Array) -> list[Array]:
        """So many arrays at a time in one, with `value` behind those shorter than the longest.

        The size must divide their number.
        """
        lengths, flat = self.lengths, self.flat
        longest = lengths.reshape(-1, size).max(1)
        widths = longest.repeat(size)
        ends = widths.cumsum()
        whole = np.full((int(ends[-1]), *flat.shape[1:]), value, flat.dtype)
        shifts = ends - widths - (self.splits[:-1] - self.splits[0])
        whole[shifts.repeat(lengths) + np.arange(len(flat))] = flat
        stops = ends[size - 1 :: size].tolist()
        return [
            whole[stop - size * width : stop].reshape(size, width, *flat.shape[1:])
            for stop, width in zip(stops, longest.tolist())
        ]
