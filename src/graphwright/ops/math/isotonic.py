"""Isotonic regression: the nearest monotone sequence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Op, Shapes
from graphwright.op.results import named
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.movement import expand_dims, reshape, transpose
from graphwright.ops.core.segment_reduction import unsorted_segment_mean
from graphwright.ops.core.sequences import range
from graphwright.ops.core.shapes import shape, shape_of, size
from graphwright.ops.math.arithmetic import maximum
from graphwright.ops.nn.softmax import as_rows, swap_with_last
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType

PROMOTED = {t: t for t in (dt.float32, dt.float16, dt.bfloat16)} | {
    dt.int8: dt.float32,
    dt.int16: dt.float32,
}


class IsotonicRegression(Op):
    """The nearest decreasing sequence of each row, and the number of each element's run."""

    type_name = "IsotonicRegression"
    inputs = ("input: T",)
    outputs = ("output: output_dtype", "segments: int32")
    dtypes = {"T": dt.REAL}

    output_dtype: DType = dt.float32

    def shapes(self, x: TensorType) -> Shapes:
        return x.dims, x.dims

    def kernel(self, x: Array) -> Any:
        rows = np.reshape(x, (-1, x.shape[-1] if x.ndim else 1)) if x.size else np.empty((0, 0))
        rows = rows.astype(np.float64)
        result = np.empty(rows.shape, self.output_dtype.numpy_dtype)
        runs = np.empty(rows.shape, np.int32)
        if len(rows) >= rows.shape[1]:
            result.flat[:], runs.flat[:] = fitted_together(rows)
        else:
            for place, row in enumerate(rows):
                result[place], runs[place] = fitted(row)
        return result.reshape(x.shape), runs.reshape(x.shape)

    def gradient(self, call: Call, g: Cotangent | None, _: Cotangent | None) -> Sequence[Any]:
        runs = call.outputs[1]
        if g is None:
            return (None,)
        columns = shape(runs)[-1] if runs.type.rank != 0 else 1
        rows = size(runs) // maximum(columns, 1)
        ids = reshape(runs, [rows, columns]) + expand_dims(range(rows) * columns, 1)
        ids = reshape(ids, (-1,))
        means = unsorted_segment_mean(reshape(g, (-1,)), ids, rows * columns)
        return (reshape(gather(means, ids), shape_of(runs)),)


def fitted_together(rows: Array) -> tuple[Array, Array]:
    """`fitted` of many short rows: runs join in all of them until none is above the one before.

    At worst two runs join at a time, in as many passes as there are elements.
    """
    starts = np.arange(rows.size)
    sums, counts = rows.ravel(), np.ones(rows.size, np.intp)
    while True:
        means = sums / counts
        first = starts % max(rows.shape[1], 1) == 0
        joins = (means[1:] > means[:-1]) & ~first[1:]
        if not joins.any():
            break
        heads = np.flatnonzero(np.append(True, ~joins))
        sums, counts = np.add.reduceat(sums, heads), np.add.reduceat(counts, heads)
        starts = starts[heads]
    number = np.arange(len(starts))
    number -= np.maximum.accumulate(np.where(first, number, 0))
    return np.repeat(means, counts), np.repeat(number, counts)


def fitted(row: Array) -> tuple[Array, Array]:
    """The nearest decreasing sequence, and the numbers of its runs.

    A NaN is a run of its own, and the elements before and behind it are fitted separately.
    """
    from scipy.optimize import isotonic_regression as regress  # here: long to import

    gaps = np.flatnonzero(np.isnan(row))
    pieces = np.split(row, np.union1d(gaps, gaps + 1))
    values: list[Array] = []
    runs: list[Array] = []
    count = 0
    for piece in filter(len, pieces):
        values.append(piece if np.isnan(piece[0]) else regress(piece, increasing=False).x)
        runs.append(count + run_numbers(piece, values[-1]))
        count = runs[-1][-1] + 1
    return np.concatenate(values), np.concatenate(runs)


def run_numbers(row: Array, fitted: Array) -> Array:
    """The run of each element: a run ends where it has the sum that it fits.

    Neighbouring runs that happen to be equal stay apart.
    """
    rest = np.cumsum(row - fitted)[:-1]
    return np.cumsum(np.r_[0, rest >= -1e-12 * max(np.abs(row).max(), 1.0)])


def isotonic_regression(
    inputs: TensorLike, decreasing: bool = True, axis: int = -1
) -> tuple[Tensor, Tensor]:
    """Computes the nearest monotone sequence, in least squares, of each sequence along `axis`.

    Args:
        inputs: A tensor of integers or floats, of any shape.
        decreasing: Whether the result does not increase; else it does not decrease.
        axis: The axis of a sequence.

    Returns:
        The fitted sequences, of the shape of `inputs`, and the number of each element's constant
        run as int32. Of the sequences float16, bfloat16 and float32 stay. There int8 and int16
        give float32, and other dtypes float64.

    >>> import graphwright as tf
    >>> values, runs = tf.nn.isotonic_regression([3.0, 1.0, 2.0])
    >>> values.numpy(), runs.numpy()
    (array([3. , 1.5, 1.5], dtype=float32), array([0, 1, 1], dtype=int32))
    """
    x = convert(inputs)
    if x.type.rank == 0:
        values, runs = isotonic_regression(reshape(x, (1,)), decreasing)
        return results(decreasing, reshape(values, ()), reshape(runs, ()))
    op = IsotonicRegression.of(PROMOTED.get(x.dtype, dt.float64))
    order = swap_with_last(x, axis)
    moved = transpose(x, order)
    rows = as_rows(moved)
    values, runs = apply(op, rows if decreasing else -rows)
    values = values if decreasing else -values
    values, runs = (transpose(reshape(y, shape_of(moved)), order) for y in (values, runs))
    return results(decreasing, values, runs)


def results(decreasing: bool, values: TensorValue, runs: TensorValue) -> tuple[Any, Any]:
    """Both results: by name where they are those of the op, which fits decreasing sequences."""
    pair: tuple[Any, Any] = (values, runs)
    return named(IsotonicRegression)(*pair) if decreasing else pair
