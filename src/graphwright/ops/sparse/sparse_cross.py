"""Crosses of features: each row's combinations of one value of each tensor, as text or hashed."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.ops.strings.fingerprint import fingerprints64
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType

_MASK = (1 << 64) - 1
_MULTIPLIER = 0xC6A4A7935BD1E995


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
        entries = parts[count : 2 * count]
        combine: Callable[[tuple[Any, ...]], Any] = self.joined
        if self.hash_key is not None:
            entries, combine = tuple(map(numbers, entries)), self.hashed
        columns = [grouped(i, v, rows) for i, v in zip(parts[:count], entries)]
        crosses = [[combine(c) for c in itertools.product(*row)] for row in zip(*columns)]
        lengths = [len(row) for row in crosses]
        indices = np.array([(r, c) for r, n in enumerate(lengths) for c in range(n)], np.int64)
        values = np.empty(sum(lengths), object)
        values[:] = [value for row in crosses for value in row]
        dtype = self.out_type.numpy_dtype
        shape = np.array([rows, max(lengths, default=0)], np.int64)
        return indices.reshape(-1, 2), values.astype(dtype), shape

    def joined(self, values: tuple[object, ...]) -> bytes:
        """Values as one text."""
        plain = [v if isinstance(v, bytes) else str(v).encode() for v in values]
        return self.separator.join(plain)

    def hashed(self, values: tuple[int, ...]) -> int:
        """Numbers as one."""
        number = self.hash_key or 0
        for value in values:
            number = mixed(number, value)
        return number % (self.num_buckets or (1 << 63) - 1)


def numbers(values: Array) -> Array:
    """Values as uint64: the fingerprints of texts, and integers as they are."""
    return fingerprints64(values) if values.dtype == object else values.astype(np.uint64)


def grouped(indices: Array, values: Array, rows: int) -> list[list[Any]]:
    """The values of each row of a sparse matrix."""
    by_row: list[list[Any]] = [[] for _ in range(rows)]
    for row, value in zip(indices[:, 0].tolist(), values.tolist()):
        by_row[row].append(value)
    return by_row


def shifted(number: int) -> int:
    """A number whose low bits depend on its high ones."""
    return number ^ (number >> 47)


def mixed(first: int, second: int) -> int:
    """Two fingerprints as one."""
    result = first ^ _MULTIPLIER
    result ^= shifted(second * _MULTIPLIER & _MASK) * _MULTIPLIER & _MASK
    result = result * _MULTIPLIER & _MASK
    result = shifted(result) * _MULTIPLIER & _MASK
    return shifted(result)
