"""Crosses of features: for each row all combinations of one item of each of several inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from graphwright.control.assertions import assert_equal
from graphwright.op.interpreter import convert
from graphwright.ops.core.casting import bitcast, cast
from graphwright.ops.core.creation import fill
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.shapes import shape
from graphwright.ops.math.arithmetic import floormod, multiply
from graphwright.ops.math.bitwise import bitwise_xor, right_shift
from graphwright.ops.strings.encoding import as_string, fingerprint
from graphwright.ops.strings.strings import join
from graphwright.ragged.positions import positions
from graphwright.ragged.ragged_conversion import from_tensor
from graphwright.ragged.ragged_tensor import RaggedTensor, is_ragged
from graphwright.ragged.row_partition import RowPartition
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.types.dtypes import DType
from graphwright.values.sparse.sparse_tensor import SparseTensor

#: TensorFlow's key where none is given.
_KEY = 0xDECAFCAFFE


def cross(inputs: Iterable[TensorLike], name: str | None = None) -> RaggedTensor:
    """Joins each combination of the values in a row of several matrices as text, with `_X_` between
    them.

    Args:
        inputs: A list of tensors, ragged tensors and sparse tensors of integers or strings, of
            shape [rows, values].
        name: A name for the op.

    Returns:
        A ragged tensor of strings of shape [rows, None].

    Raises:
        ValueError: An input does not have 2 axes, or is of floats.
        InvalidArgumentError: The numbers of rows differ.

    >>> import graphwright as tf
    >>> tf.ragged.cross([tf.ragged.constant([["a"], ["b", "c"]]), [["d"], ["e"]]])
    <tf.RaggedTensor [[b'a_X_d'], [b'b_X_e', b'c_X_e']]>
    """
    rows = [as_rows(each) for each in inputs]
    if not rows:
        return nothing(dt.string)
    texts = [x if x.dtype is dt.string else x.with_values(as_string(x.values)) for x in rows]
    return combined(texts, lambda a, b: join([a, b], "_X_"))


def cross_hashed(
    inputs: Iterable[TensorLike],
    num_buckets: int = 0,
    hash_key: int | None = None,
    name: str | None = None,
) -> RaggedTensor:
    """Hashes each combination of the values in a row of several matrices to a number.

    Args:
        inputs: A list of tensors, ragged tensors and sparse tensors of integers or strings, of
            shape [rows, values].
        num_buckets: The results are in [0, num_buckets); 0 means any numbers of int64.
        hash_key: An int that selects the hash function; None means a fixed one.
        name: A name for the op.

    Returns:
        A ragged tensor of int64 of shape [rows, None].

    Raises:
        ValueError: An input does not have 2 axes, or is of floats.
        InvalidArgumentError: The numbers of rows differ.

    >>> import graphwright as tf
    >>> tf.ragged.cross_hashed([[["a"]], [["b"]]], num_buckets=100).to_list()
    [[86]]
    """
    rows = [as_rows(each) for each in inputs]
    if not rows:
        return nothing(dt.int64)
    first, *others = [x.with_values(hashed(x.values)) for x in rows]
    key = fill(shape(first.values), np.uint64(_KEY if hash_key is None else hash_key))
    result = combined([first.with_values(mixed(key, first.values)), *others], mixed)
    buckets = num_buckets or np.iinfo(np.int64).max
    numbers = floormod(result.values, convert(np.uint64(buckets)))
    return result.with_values(cast(numbers, dt.int64))


def nothing(dtype: DType) -> RaggedTensor:
    """A ragged tensor without rows."""
    return RaggedTensor(convert([], dtype), RowPartition(convert([0], dt.int64)))


def as_rows(value: TensorLike) -> RaggedTensor:
    """A matrix as ragged rows; ValueError for another rank."""
    if isinstance(value, SparseTensor):
        check_dtype(value.dtype)
        return from_sparse_rows(value)
    rows = value if is_ragged(value) else convert(value)
    check_dtype(rows.dtype)
    if rows.shape.rank not in (2, None):
        raise ValueError("tf.ragged.cross only supports inputs with rank=2")
    rows = rows if is_ragged(rows) else from_tensor(rows, None, None, 1, dt.int64)
    return rows.with_row_splits_dtype(dt.int64)


def check_dtype(dtype: DType) -> None:
    """ValueError unless a matrix is of integers or strings."""
    if dtype is not dt.string and not dtype.is_integer:
        raise ValueError(
            f"tf.ragged.cross takes integers and strings, not {dtype!r}: round them with "
            "tf.cast(..., tf.int64), or make text of them with tf.as_string."
        )


def from_sparse_rows(value: SparseTensor) -> RaggedTensor:
    """The elements that a sparse matrix has in each row, wherever they stand."""
    rows = RowPartition.from_value_rowids(value.indices[:, 0], value.dense_shape[0], validate=False)
    return RaggedTensor(value.values, rows)


def combined(
    rows: list[RaggedTensor], combine: Callable[[TensorValue, TensorValue], TensorValue]
) -> RaggedTensor:
    """All combinations of one item of each, those of the last input following each other."""
    result, *others = rows
    for other in others:
        assert_equal(
            result.nrows(), other.nrows(), "inputs must all have the same batch dimension size"
        )
        inner = other.row_lengths()
        lengths = result.row_lengths() * inner
        offsets, splits = positions(lengths * 0, lengths)
        partition = RowPartition(splits)
        ids = partition.value_rowids()
        width = gather(inner, ids)
        left = gather(result.values, gather(result.row_starts(), ids) + offsets // width)
        right = gather(other.values, gather(other.row_starts(), ids) + offsets % width)
        result = RaggedTensor(combine(left, right), partition)
    return result


def hashed(values: TensorValue) -> Any:
    """A uint64 for each item: of text its fingerprint, of a number itself."""
    if values.dtype is dt.string:
        return bitcast(fingerprint(values), dt.uint64)
    return cast(cast(values, dt.int64), dt.uint64)


def mixed(a: TensorLike, b: TensorLike) -> Any:
    """One uint64 of two: a round of MurmurHash2."""
    factor = convert(np.uint64(0xC6A4A7935BD1E995))
    start = bitwise_xor(a, factor)
    result = bitwise_xor(start, multiply(folded(multiply(b, factor)), factor))
    return folded(multiply(folded(multiply(result, factor)), factor))


def folded(value: TensorLike) -> Any:
    """The bits, those at the top also at the bottom."""
    return bitwise_xor(value, right_shift(value, convert(np.uint64(47))))
