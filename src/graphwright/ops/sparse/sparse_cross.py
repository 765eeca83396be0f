"""Crosses of features: each row's combinations of one value of each tensor, as text or hashed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.ops.strings.fingerprint import fingerprints64
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType

_MULTIPLIER = np.uint64(0xC6A4A7935BD1E995)


class CrossRows(Op):
    """The combinations of the rows of sparse matrices, as a sparse matrix.

    Not an op of TensorFlow's: its own take dense matrices besides, in lists of other lengths.
    Values are joined with `separator` between them, or hashed with `hash_key` (None: joined) to
    `num_buckets` numbers, to any where that is 0.
    """

    type_name = "GraphwrightCrossRows"
    inputs = ("indices: int64*", "values: T...", "shapes: int64*")
    outputs = ("output_indices: int64", "output_values: out_type", "output_shape: int64")
    gradient = not_differentiable

    out_type: DType
    separator: bytes = b"_X_"
    hash_key: int | None = None
    num_buckets: int = 0

    def shapes(self, *parts: TensorType) -> Shapes:
        return (None, 2), (None,), (2,)

    def kernel(self, *parts: Array) -> tuple[Array, ...]:
        count = len(parts) // 3
        sizes = {int(shape[0]) for shape in parts[2 * count :]}
        if len(sizes) > 1:
            raise ValueError(f"Expected one batch size of all inputs, got {sorted(sizes)}")
        rows = sizes.pop() if sizes else 0
        indices, entries = parts[:count], parts[count : 2 * count]
        lengths = [np.bincount(places[:, 0], minlength=rows) for places in indices]
        crossed = np.prod(lengths, axis=0, dtype=np.int64) if count else np.zeros(rows, np.int64)
        row = np.repeat(np.arange(rows), crossed)
        column = np.arange(len(row)) - np.repeat(np.cumsum(crossed) - crossed, crossed)
        rest, chosen = column, []
        for places, values, size in zip(indices[::-1], entries[::-1], lengths[::-1]):
            rest, place = np.divmod(rest, size.take(row))
            by_row = np.argsort(places[:, 0], kind="stable")
            first = np.cumsum(size) - size
            chosen.append(values.take(by_row.take(first.take(row) + place)))
        combine = self.joined if self.hash_key is None else self.hashed
        crosses = combine(chosen[::-1], len(row)).astype(self.out_type.numpy_dtype)
        shape = np.array([rows, crossed.max(initial=0)], np.int64)
        return np.column_stack([row, column]), crosses, shape

    def joined(self, columns: Sequence[Array], count: int) -> Array:
        """The values of columns as texts, one for each row."""
        plain = [
            [v if isinstance(v, bytes) else str(v).encode() for v in column.tolist()]
            for column in columns
        ]
        result = np.empty(count, object)
        result[:] = [*map(self.separator.join, zip(*plain))]
        return result

    def hashed(self, columns: Sequence[Array], count: int) -> Array:
        """The values of columns as numbers, one for each row."""
        result = np.full(count, (self.hash_key or 0) & (1 << 64) - 1, np.uint64)
        for column in columns:
            result = mixed(result, numbers(column))
        return result % np.uint64(self.num_buckets or (1 << 63) - 1)


def numbers(values: Array) -> Array:
    """Values as uint64: the fingerprints of texts, and integers as they are."""
    return fingerprints64(values) if values.dtype == object else values.astype(np.uint64)


def shifted(number: Array) -> Array:
    """Numbers whose low bits depend on their high ones."""
    return number ^ (number >> np.uint64(47))


def mixed(first: Array, second: Array) -> Array:
    """Two fingerprints as one."""
    result = first ^ _MULTIPLIER
    result ^= shifted(second * _MULTIPLIER) * _MULTIPLIER
    result *= _MULTIPLIER
    return shifted(shifted(result) * _MULTIPLIER)
