"""Composites as elements: stacked into one composite, or split into rows."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import Any

import numpy as np

from graphwright.control.map import items_of
from graphwright.control.tensor_array import TensorArray
from graphwright.data.blocks import Row, values_of
from graphwright.data.dataset_value import DatasetSpec, StackedDatasets
from graphwright.data.element_type import ElementType
from graphwright.op.interpreter import activate
from graphwright.ragged.spec import RaggedTensorSpec
from graphwright.types.arrays import Array, ArrayDType
from graphwright.types.composite import Composite
from graphwright.types.type_spec import TypeSpec
from graphwright.values.tensor import EagerTensor, wrap


def of_arrays(spec: TypeSpec, arrays: Sequence[object]) -> Any:
    """The composite of a type, made of its arrays."""
    return spec.from_tensors(iter([wrap(array) for array in arrays]))


def arrays_of(spec: TypeSpec, composite: object) -> Row:
    """The arrays of a composite."""
    return [tensor._array for tensor in spec.to_tensors(composite)]


def stacked_rows(spec: TypeSpec, rows: Sequence[Sequence[Any]]) -> Row:
    """The arrays of the composite whose rows are the composites of these arrays."""
    if isinstance(spec, DatasetSpec):
        return [StackedDatasets([row[0] for row in rows])]
    if isinstance(spec, RaggedTensorSpec) and len({row[0].shape[1:] for row in rows}) == 1:
        return ragged_rows(spec, rows)
    with activate(None):
        items = items_of(spec)
        count = len(rows)
        parts = [TensorArray(dtype, count, infer_shape=False) for dtype in items.dtypes]
        for place, row in enumerate(rows):
            for array, part in zip(parts, items.parts(of_arrays(spec, row))):
                array.write(place, part)
        whole = items.together(parts, count)
        return arrays_of(spec._batch(count), whole)  # type: ignore[attr-defined]


def ragged_rows(spec: RaggedTensorSpec, rows: Sequence[Sequence[Any]]) -> Row:
    """The values and the splits of the ragged tensor that has these rows."""
    dtype = spec.row_splits_dtype.numpy_dtype
    values, *inner = zip(*rows)
    outermost = [len(part) for part in values] if not inner else [len(s) - 1 for s in inner[0]]
    lengths: list[Any] = [outermost]
    lengths += [np.concatenate([np.diff(s) for s in splits]) for splits in inner]
    return [np.concatenate(values), *[splits_of(each, dtype) for each in lengths]]


def splits_of(lengths: Sequence[int] | Array, dtype: ArrayDType) -> Array:
    """Where rows of these lengths begin and end."""
    splits = np.zeros(len(lengths) + 1, dtype)
    np.cumsum(lengths, out=splits[1:])
    return splits


def row_count(element: ElementType, row: Sequence[Sized]) -> int:
    """The number of rows of the first part of an element that is not None."""
    first = next(leaf for leaf in element.leaves if leaf.flatten())
    arrays = row[: len(first.flatten())]
    with activate(None):
        value = of_arrays(first, arrays)
        return int(value._row_count()) if isinstance(value, Composite) else len(arrays[0])


def rows_of(spec: TypeSpec, arrays: Sequence[Any]) -> list[Row]:
    """The arrays of each row of a composite."""
    if isinstance(spec, DatasetSpec):
        return [[part] for part in arrays[0].parts]
    with activate(None):
        composite = of_arrays(spec, arrays)
        if isinstance(composite, EagerTensor):  # its spec is a ragged one, but nothing is ragged
            return [[row] for row in values_of(composite.numpy())]
        row_spec: TypeSpec = spec._unbatch()  # type: ignore[attr-defined]
        count = int(composite._row_count())
        return [arrays_of(row_spec, composite._row(place)) for place in range(count)]
