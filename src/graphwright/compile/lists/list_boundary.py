"""Lists at the boundary of machine code, where they are tensors of their items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.base.named_tuples import NamedTuple
from graphwright.ops.state.list_tensors import stacked
from graphwright.ops.state.tensor_list import TensorList, element_dims, filled, merged
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims


class Arriving(NamedTuple):
    """A list among the inputs, with the dtype and shape that its items must have."""

    number: int
    dtype: DType
    dims: Dims


class Leaving(NamedTuple):
    """A list among the results; its items' declared shape is that of an input, or `dims`."""

    number: int
    dtype: DType
    like: int
    dims: Dims | None


class Crossing(NamedTuple):
    """The lists that enter a program and leave it."""

    arriving: tuple[Arriving, ...]
    leaving: tuple[Leaving, ...]

    def around(self, native: Callable[..., Any]) -> Callable[..., Any]:
        """Machine code that takes and gives lists; None from it stays None."""

        def call(*arguments: Any) -> Any:
            arrays = list(arguments)
            for number, dtype, dims in self.arriving:
                arrays[number] = rows_of(arguments[number], dtype, dims)
                if arrays[number] is None:
                    return None
            outputs = native(*arrays)
            if outputs is None or not self.leaving:
                return outputs
            results = list(outputs)
            for leaving in self.leaving:
                declared = arguments[leaving.like].dims if leaving.like >= 0 else leaving.dims
                rows = results[leaving.number]
                results[leaving.number] = list_of(rows, leaving.dtype, declared)
            return tuple(results)

        return call


def rows_of(items: TensorList, dtype: DType, declared: Dims) -> Any:
    """A list as one array; None unless its items have this dtype and one such shape."""
    if items.element_dtype is not dtype or items.limit is not None:
        return None
    if items.rows is not None:
        return np.ascontiguousarray(items.rows)
    try:
        known = merged(declared, element_dims(items, None))
        if known is None or None in known:
            return None
        return stacked(filled(items, known, ""), known, dtype)
    except InvalidArgumentError:
        return None


def list_of(rows: Array, dtype: DType, dims: Dims | None) -> TensorList:
    """A list of the rows of an array."""
    items = TensorList(list(rows), dtype, dims)
    items.rows = rows
    return items
