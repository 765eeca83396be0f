"""Composites as elements: stacked into one composite, or split into rows."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import Any

from graphwright.control.map import items_of
from graphwright.control.tensor_array import TensorArray
from graphwright.data.blocks import Row
from graphwright.data.element_type import ElementType
from graphwright.op.interpreter import activate
from graphwright.types.composite import Composite
from graphwright.types.type_spec import TypeSpec
from graphwright.values.tensor import wrap


def of_arrays(spec: TypeSpec, arrays: Sequence[object]) -> Any:
    """The composite of a type, made of its arrays."""
    return spec.from_tensors(iter([wrap(array) for array in arrays]))


def arrays_of(spec: TypeSpec, composite: object) -> Row:
    """The arrays of a composite."""
    return [tensor._array for tensor in spec.to_tensors(composite)]


def stacked_rows(spec: TypeSpec, rows: Sequence[Sequence[object]]) -> Row:
    """The arrays of the composite whose rows are the composites of these arrays."""
    with activate(None):
        items = items_of(spec)
        count = len(rows)
        parts = [TensorArray(dtype, count, infer_shape=False) for dtype in items.dtypes]
        for place, row in enumerate(rows):
            for array, part in zip(parts, items.parts(of_arrays(spec, row))):
                array.write(place, part)
        whole = items.together(parts, count)
        return arrays_of(spec._batch(count), whole)  # type: ignore[attr-defined]


def row_count(element: ElementType, row: Sequence[Sized]) -> int:
    """The number of rows of the first part of an element."""
    first = element.leaves[0]
    arrays = row[: len(first.flatten())]
    with activate(None):
        value = of_arrays(first, arrays)
        return int(value._row_count()) if isinstance(value, Composite) else len(arrays[0])


def rows_of(spec: TypeSpec, arrays: Sequence[object]) -> list[Row]:
    """The arrays of each row of a composite."""
    with activate(None):
        composite = of_arrays(spec, arrays)
        row_spec: TypeSpec = spec._unbatch()  # type: ignore[attr-defined]
        count = int(composite._row_count())
        return [arrays_of(row_spec, composite._row(place)) for place in range(count)]
