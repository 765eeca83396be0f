"""Empty rows filled with a default value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Op, Shapes
from graphwright.op.results import named
from graphwright.ops.core.gathering import gather, scatter_nd
from graphwright.ops.core.movement import expand_dims
from graphwright.ops.core.shapes import shape
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType


class RaggedFillEmptyRows(Op):
    """Values by row, with a default for each empty row.

    The results: row ids, values, which rows were empty, and where each value went.
    """

    type_name = "RaggedFillEmptyRows"
    inputs = ("value_rowids: int64", "values: T", "nrows: int64 host", "default_value: T")
    outputs = (
        "output_value_rowids: int64",
        "output_values: T",
        "empty_row_indicator: bool",
        "reverse_index_map: int64",
    )
    dtypes = {"T": dt.ANY}
    ranks = {"value_rowids": 1, "values": 1, "nrows": 0, "default_value": 0}

    def shapes(
        self, rows: TensorType, values: TensorType, count: int | None, default: TensorType
    ) -> Shapes:
        return (None,), (None,), (count,), rows.dims or (None,)

    def kernel(self, rows: Array, values: Array, count: int, default: Array) -> tuple[Array, ...]:
        if len(rows) != len(values):
            raise ValueError(
                f"value_rowids and values must have as many entries: {len(rows)}, {len(values)}"
            )
        bad = np.flatnonzero((rows < 0) | (rows >= count))
        if bad.size:
            place, row = bad[0], rows[bad[0]]
            limit = f"{row} >= {count}" if row >= count else f"{row} < 0"
            raise InvalidArgumentError(None, None, f"indices({place}, 0) is invalid: {limit}")
        is_empty = np.bincount(rows, minlength=count) == 0
        every = np.concatenate([rows, np.flatnonzero(is_empty)])
        order = np.argsort(every, kind="stable")
        filled = np.concatenate([values, np.full(is_empty.sum(), default, values.dtype)])
        places = np.empty(len(every), np.int64)
        places[order] = np.arange(len(every))
        return every[order], filled[order], is_empty, places[: len(rows)]

    def gradient(
        self, call: Call, rows: Cotangent | None, g: Cotangent | None, *_: Cotangent | None
    ) -> Sequence[Any]:
        if g is None:
            return (None,) * 4
        to_values, to_default = apply(RaggedFillEmptyRowsGrad.of(), call.outputs[3], g)
        return None, to_values, None, to_default


class RaggedFillEmptyRowsGrad(Op):
    """The cotangents of the values, and of the default."""

    type_name = "RaggedFillEmptyRowsGrad"
    inputs = ("reverse_index_map: int64", "grad_values: T")
    outputs = ("d_values: T", "d_default_value: T")
    dtypes = {"T": dt.NUMERIC}
    ranks = {"reverse_index_map": 1, "grad_values": 1}

    def shapes(self, places: TensorType, g: TensorType) -> Shapes:
        return places.dims or (None,), ()

    def kernel(self, places: Array, g: Array) -> Any:
        if np.size(places) and not 0 <= places.min() <= places.max() < len(g):
            raise ValueError(f"Elements in reverse index must be in [0, {len(g)})")
        rest = np.ones(len(g), bool)
        rest[places] = False
        return g[places], np.asarray(g[rest].sum(dtype=g.dtype), g.dtype)

    def gradient(self, call: Call, to_values: Cotangent, to_default: Cotangent) -> Sequence[Any]:
        places, g = call.inputs
        rows = expand_dims(places, 1)
        used = scatter_nd(rows, gather(g * 0 + 1, places), shape(g, dt.int64))
        result = (1 - used) * to_default if to_default is not None else g * 0
        if to_values is not None:
            result = result + scatter_nd(rows, to_values, shape(g, dt.int64))
        return None, result


def ragged_fill_empty_rows(
    value_rowids: TensorLike,
    values: TensorLike,
    nrows: TensorLike,
    default_value: TensorLike,
    name: str | None = None,
) -> Any:
    """Gives a default value to each empty row of the values of a ragged tensor.

    Args:
        value_rowids: A tensor of int64 of shape [n]: the row of each value.
        values: A tensor of any dtype of shape [n].
        nrows: An int or int64 scalar: the number of rows.
        default_value: A scalar of the dtype of `values`.
        name: A name for the op.

    Returns:
        A named tuple: `output_value_rowids`, `output_values`, `empty_row_indicator` (a bool for
        each row), and `reverse_index_map` (where each of `values` went).

    Raises:
        InvalidArgumentError: A row is not in [0, nrows), or the lengths differ.

    >>> import graphwright as tf
    >>> filled = tf.ragged_fill_empty_rows([0, 0, 2], [1, 2, 3], 3, -1)
    >>> filled.output_values.numpy().tolist()
    [1, 2, -1, 3]
    """
    values = convert(values)
    rows, default = convert(value_rowids, dt.int64), convert(default_value, values.dtype)
    return named(RaggedFillEmptyRows)(
        *apply(RaggedFillEmptyRows.of(), rows, values, nrows, default, name=name)
    )


def ragged_fill_empty_rows_grad(
    reverse_index_map: TensorLike, grad_values: TensorLike, name: str | None = None
) -> Any:
    """Returns the gradients of `tf.ragged_fill_empty_rows` with respect to the values and the
    default.

    Args:
        reverse_index_map: A tensor of int64 of shape [n]: where each value went.
        grad_values: A tensor of numbers of shape [m]: the gradient of `output_values`.
        name: A name for the op.

    Returns:
        A named tuple: `d_values` of shape [n] and `d_default_value`, a scalar, in the dtype of
        `grad_values`.

    Raises:
        InvalidArgumentError: An entry of `reverse_index_map` is no index of `grad_values`.

    >>> import graphwright as tf
    >>> grads = tf.ragged_fill_empty_rows_grad([0, 1, 3], [1.0, 2.0, 4.0, 8.0])
    >>> grads.d_values.numpy().tolist(), grads.d_default_value.numpy().item()
    ([1.0, 2.0, 8.0], 4.0)
    """
    places, g = convert(reverse_index_map, dt.int64), convert(grad_values)
    return named(RaggedFillEmptyRowsGrad)(
        *apply(RaggedFillEmptyRowsGrad.of(), places, g, name=name)
    )
