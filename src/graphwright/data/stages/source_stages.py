"""Stages without inputs: tensors, ranges, Python iterators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from graphwright.base.errors import FailedPreconditionError, InvalidArgumentError
from graphwright.data.blocks import ElementBlock, of_row, rows_at
from graphwright.data.element_type import ElementType
from graphwright.data.stage import (
    INFINITE,
    LAST,
    UNKNOWN,
    Cursor,
    DatasetStage,
    State,
    stop_if_abandoned,
)
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array


class CountedCursor(Cursor):
    """A cursor in a stage whose elements are numbered."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.place = 0

    def next_places(self, limit: int) -> tuple[int, int]:
        """The position of the next element, and the end of those that are taken now."""
        stop_if_abandoned()
        start = self.place
        self.place = min(start + limit, self.count)
        return start, self.place

    def save(self) -> State:
        return self.place

    def restore(self, state: State) -> None:
        self.place = state


class TensorsStage(DatasetStage):
    """One element."""

    type_name = "TensorDataset"

    def __init__(self, element: ElementType, *row: Any) -> None:
        super().__init__(element)
        self.row = row

    def cardinality(self) -> int:
        return 1

    def start(self) -> Cursor:
        return TensorsCursor(self)


class TensorsCursor(CountedCursor):
    """A position before or after the one element."""

    def __init__(self, stage: TensorsStage) -> None:
        super().__init__(1)
        self.stage = stage

    def pull(self, limit: int) -> ElementBlock | None:
        start, stop = self.next_places(1)
        return of_row(self.stage.row) if start < stop else None


class SlicesStage(DatasetStage):
    """The rows of arrays, as views."""

    type_name = "TensorSliceDataset"

    def __init__(self, element: ElementType, *columns: Any) -> None:
        super().__init__(element)
        self.columns = columns
        self.count = len(columns[0])
        for column in columns[1:]:
            if len(column) != self.count:
                raise InvalidArgumentError(
                    None, None,
                    f"Dimensions {self.count} and {len(column)} are not compatible: all components "
                    "of from_tensor_slices must have as many rows",
                )  # fmt: skip

    def cardinality(self) -> int:
        return self.count

    def start(self) -> Cursor:
        return SlicesCursor(self)

    def at(self, places: Array) -> ElementBlock:
        """The elements at places."""
        return rows_at(self.columns, places)


class SlicesCursor(CountedCursor):
    """A position among the rows."""

    def __init__(self, stage: SlicesStage) -> None:
        super().__init__(stage.count)
        self.stage = stage

    def pull(self, limit: int) -> ElementBlock | None:
        start, stop = self.next_places(limit)
        if start == stop:
            return None
        return ElementBlock(
            stop - start, tuple([column[start:stop] for column in self.stage.columns])
        )


class RangeStage(DatasetStage):
    """The numbers start, start + step, ... before stop."""

    type_name = "RangeDataset"
    scalars = ("start", "stop", "step")

    def __init__(self, element: ElementType, start: Array, stop: Array, step: Array) -> None:
        super().__init__(element)
        if int(step) == 0:
            raise InvalidArgumentError(None, None, "step must be a non-zero integer.")
        self.range = range(int(start), int(stop), int(step))
        #: How many there are; `len` refuses what is larger than its type.
        self.count = max(0, -(-(int(stop) - int(start)) // int(step)))
        self.dtype_of_numbers = element.types[0].dtype.as_numpy_dtype

    def cardinality(self) -> int:
        return INFINITE if self.range.stop == LAST else self.count

    def start(self) -> Cursor:
        return RangeCursor(self)

    def at(self, places: Array) -> ElementBlock:
        """The numbers at places."""
        numbers = self.range
        column = places * numbers.step + numbers.start
        return ElementBlock(len(places), (column.astype(self.dtype_of_numbers),))


class RangeCursor(CountedCursor):
    """A position in a range."""

    def __init__(self, stage: RangeStage) -> None:
        super().__init__(stage.count)
        self.stage = stage

    def pull(self, limit: int) -> ElementBlock | None:
        start, stop = self.next_places(limit)
        if start == stop:
            return None
        if self.stage.element.types[0].dtype is dt.string:
            self.place = start + 1
            raise InvalidArgumentError(None, None, "Unsupported data type: string")
        part = self.stage.range[start:stop]
        column = np.arange(part.start, part.stop, part.step)
        return ElementBlock(len(column), (column.astype(self.stage.dtype_of_numbers, copy=False),))


class Elements(Protocol):
    """The values of a Python iterator, as elements."""

    def block(self, limit: int) -> ElementBlock | None:
        """The next elements, at most `limit`; None at the end."""


class GeneratedStage(DatasetStage):
    """The values of the iterator that a Python function returns."""

    type_name = "FlatMapDataset"
    has_effects = True

    def __init__(
        self, element: ElementType, *operands: Any, generator: Callable[..., Elements]
    ) -> None:
        super().__init__(element)
        self.operands = operands
        self.generator = generator

    def cardinality(self) -> int:
        return UNKNOWN

    def start(self) -> Cursor:
        return GeneratedCursor(self)


class GeneratedCursor(Cursor):
    """A Python iterator, which is made when the first element is taken."""

    def __init__(self, stage: GeneratedStage) -> None:
        self.stage = stage
        self.elements: Elements | None = None

    def pull(self, limit: int) -> ElementBlock | None:
        stop_if_abandoned()
        if self.elements is None:
            self.elements = self.stage.generator(*self.stage.operands)
        return self.elements.block(limit)

    def save(self) -> State:
        raise FailedPreconditionError(
            None, None,
            "an iterator over `from_generator` cannot be saved: where a Python generator is, only "
            "Python knows",
        )  # fmt: skip

    def restore(self, state: State) -> None:
        self.save()
