"""Composites as elements: stacked into one composite, or split into rows."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import Any

import numpy as np

from graphwright.control.map import items_of
from graphwright.control.tensor_array import TensorArray
from graphwright.data.blocks import Column, Row, column, values_of
from graphwright.data.columns.ragged_column import RaggedColumn
from graphwright.data.dataset_value import DatasetSpec, StackedDatasets
from graphwright.data.element_type import ElementType
from graphwright.op.interpreter import activate
from graphwright.ragged.ragged_tensor import RaggedTensor
from graphwright.ragged.spec import RaggedTensorSpec
from graphwright.types import tree
from graphwright.types.arrays import Array, ArrayDType
from graphwright.types.composite import Composite
from graphwright.types.dtypes import DType
from graphwright.types.specs import TensorSpec
from graphwright.types.type_spec import TypeSpec
from graphwright.values.tensor import EagerTensor, Tensor, wrap


def is_ragged_spec(spec: object) -> bool:
    """Whether a type is that of ragged tensors."""
    return isinstance(spec, RaggedTensorSpec)


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


def batched_composites(
    spec: TypeSpec, parts: Sequence[Column], count: int, size: int
) -> list[Column]:
    """The columns of composites, stacked in batches."""
    if isinstance(spec, RaggedTensorSpec) and not spec.ragged_rank:
        ragged = RaggedColumn.of_column(parts[0])
        if ragged is not None:
            return ragged_batches(ragged, size, spec.row_splits_dtype)
    rows = list(zip(*[values_of(values) for values in parts]))
    batches = [stacked_rows(spec, rows[i : i + size]) for i in range(0, count, size)]
    return [column(values) for values in zip(*batches)]


def ragged_batches(rows: RaggedColumn, size: int, dtype: DType) -> list[Column]:
    """The values and the splits of rows in batches of a size."""
    splits = rows.splits
    starts = splits[:-1:size]
    places = np.arange(0, len(rows), size)[:, None] + np.arange(size + 1)
    return [
        RaggedColumn(rows.values, splits[::size]),
        (splits[places] - starts[:, None]).astype(dtype.numpy_dtype),
    ]


def as_ragged_spec(spec: TypeSpec, splits: DType) -> TypeSpec:
    """The type of a tensor as a row of a ragged batch: it is divided up to its last open axis."""
    if not isinstance(spec, TensorSpec) or spec.shape.rank is None or spec.type.is_static:
        return spec
    last = max([axis for axis, size in enumerate(spec.shape) if size is None])
    return RaggedTensorSpec(spec.shape, spec.dtype, last, splits)


def has_divided_rows(spec: TypeSpec) -> bool:
    """Whether a type is that of ragged tensors, and not of tensors that stand for some."""
    return isinstance(spec, RaggedTensorSpec) and spec.ragged_rank > 0


def divided(element: ElementType, ragged: Sequence[Any], parts: tuple[Any, ...]) -> Any:
    """An element whose tensors are ragged where specs say so, from the parts that a map gets."""
    values = tree.flatten(parts if type(element.specs) is tuple else parts[0])
    made = [
        RaggedTensor.from_tensor(
            value, ragged_rank=spec.ragged_rank, row_splits_dtype=spec.row_splits_dtype
        )
        if has_divided_rows(spec) and isinstance(value, Tensor)
        else value
        for spec, value in zip(ragged, values)
    ]
    return tree.pack_sequence_as(element.specs, made)
