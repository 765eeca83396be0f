"""Ops about rows that differ in length: what functions of ragged columns are made of."""

from __future__ import annotations

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.data.columns.stable_order import stable_order
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType


class RowDivision(Op):
    """Where rows of some lengths begin and end, and for each value its row and its place there.

    InvalidArgumentError where a length is negative.
    """

    type_name = "_RowDivision"
    inputs = ("lengths: int64",)
    outputs = ("splits: int64", "numbers: int64", "places: int64")
    returns_tuple = True
    gradient = not_differentiable

    def shapes(self, lengths: TensorType) -> Shapes:
        return ((None,), (None,), (None,))

    def kernel(self, lengths: Array) -> tuple[Array, ...]:
        if (lengths < 0).any():
            raise InvalidArgumentError(None, None, "a row cannot have a negative length")
        splits = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=splits[1:])
        numbers = np.repeat(np.arange(len(lengths)), lengths)
        return splits, numbers, np.arange(splits[-1]) - np.repeat(splits[:-1], lengths)


class RowElement(Op):
    """Where the elements stand that an index picks of rows; negative ones count from their ends.

    InvalidArgumentError where a row is too short.
    """

    type_name = "_RowElement"
    inputs = ("starts: int64", "lengths: int64", "index: int64")
    outputs = ("place: int64",)
    gradient = not_differentiable

    def shapes(self, starts: TensorType, lengths: TensorType, index: TensorType) -> Shapes:
        return (starts.dims,)

    def kernel(self, starts: Array, lengths: Array, index: Array) -> Array:
        inside: Array = np.where(index < 0, index + lengths, index)
        if ((inside < 0) | (inside >= lengths)).any():
            raise InvalidArgumentError(None, None, "an index is outside of its row")
        result: Array = starts + inside
        return result


class RowOrder(Op):
    """The order that puts values side by side whose rows have equal numbers, and keeps the rest."""

    type_name = "_RowOrder"
    inputs = ("numbers: int64",)
    outputs = ("order: int64",)
    gradient = not_differentiable

    def shapes(self, numbers: TensorType) -> Shapes:
        return (numbers.dims,)

    def kernel(self, numbers: Array) -> Array:
        return stable_order(numbers, int(numbers.max(initial=0)) + 1)


class AlikeRows(Op):
    """The lengths of rows; InvalidArgumentError where the other rows have others."""

    type_name = "_AlikeRows"
    inputs = ("lengths: int64", "others: int64")
    outputs = ("same: int64",)
    gradient = not_differentiable

    def shapes(self, lengths: TensorType, others: TensorType) -> Shapes:
        return (lengths.dims,)

    def kernel(self, lengths: Array, others: Array) -> Array:
        if not np.array_equal(lengths, others):
            raise InvalidArgumentError(None, None, "rows differ in length")
        return lengths


#: The types that places and lengths are computed in.
INTEGERS = dt.int32, dt.int64
