"""`RowPartition`: how values are divided into rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.control.assertions import (
    assert_equal,
    assert_less,
    assert_less_equal,
    assert_non_negative,
)
from graphwright.op.interpreter import convert
from graphwright.ops.core.casting import cast
from graphwright.ops.core.joining import concat
from graphwright.ops.core.segment_reduction import counts
from graphwright.ops.core.sequences import range as numbers
from graphwright.ops.core.static import NUMPY, TENSOR, check_whole
from graphwright.ops.math.arithmetic import maximum
from graphwright.ragged.positions import (
    SPLITS,
    greatest,
    length_of,
    numbers_of_values,
    splits_of_lengths,
)
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, TensorLike, TensorValue
from graphwright.types.composite import Composite
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.shape import TensorShape
from graphwright.types.specs import TensorSpec, TypeSpec
from graphwright.values.tensor import EagerTensor, Tensor


def splits_dtype(dtype: DTypeLike) -> DType:
    """The dtype of splits; ValueError unless it is int32 or int64."""
    result = as_dtype(dtype)
    if result not in SPLITS:
        raise ValueError(f"Argument `row_splits` dtype must be int32 or int64. Received {result}.")
    return result


def index_vector(value: TensorLike, name: str, dtype: DTypeLike | None = None) -> Any:
    """Makes a vector of int32 or int64 of a value; ValueError if it is none of integers."""
    preferred = dt.int64 if dtype is None else as_dtype(dtype)
    has_dtype = isinstance(value, (Tensor, np.ndarray))
    tensor = convert(value) if has_dtype else convert(value, None, preferred)
    if tensor.dtype not in SPLITS:
        if not tensor.dtype.is_integer and tensor.type.dims != (0,):
            raise ValueError(f"{name} must have dtype int32 or int64, not {tensor.dtype.name}")
        tensor = cast(tensor, preferred)
    if tensor.type.rank not in (1, None):
        raise ValueError(f"Shape {tensor.shape} of {name} must have rank 1")
    return tensor if dtype is None else cast(tensor, dtype)


class RowPartition(Composite):
    """The division of a sequence of values into rows, one after the other.

    The `from_` methods make one. The splits say where rows begin and end.

    >>> import graphwright as tf
    >>> rows = tf.experimental.RowPartition.from_row_lengths([2, 0, 3])
    >>> rows.row_splits().numpy()
    array([0, 2, 2, 5])
    >>> rows.value_rowids().numpy()
    array([0, 0, 2, 2, 2])
    """

    __slots__ = ("_lengths", "_rowids", "_splits", "_uniform")

    def __init__(
        self,
        splits: TensorValue,
        uniform: TensorValue | None = None,
        rowids: TensorValue | None = None,
    ) -> None:
        self._splits = splits
        self._uniform = uniform
        self._rowids = rowids
        self._lengths: EagerTensor | None = None

    # -- making one -----------------------------------------------------------------------

    @classmethod
    def from_row_splits(
        cls, row_splits: TensorLike, validate: bool = True, dtype: DTypeLike | None = None
    ) -> RowPartition:
        """Makes rows that begin at `row_splits[i]` and end at `row_splits[i + 1]`.

        Args:
            row_splits: A vector of integers that begins with 0 and is sorted.
            validate: A bool: whether the argument is checked.
            dtype: tf.int32, tf.int64, or None for that of the argument.

        Returns:
            A `tf.experimental.RowPartition`.

        Raises:
            ValueError: `row_splits` is empty or no vector of integers.
            InvalidArgumentError: It does not begin with 0, or is not sorted.
        """
        if isinstance(row_splits, (list, tuple)) and not row_splits:
            raise ValueError("row_splits tensor may not be empty.")
        splits = index_vector(row_splits, "row_splits", dtype)
        if splits.type.dims == (0,):
            raise ValueError("row_splits tensor may not be empty.")
        if validate:
            assert_equal(splits[0], convert(0, splits.dtype), "row_splits must begin with 0")
            assert_non_negative(splits[1:] - splits[:-1], "row_splits must be sorted")
        return cls(splits)

    @classmethod
    def from_row_lengths(
        cls, row_lengths: TensorLike, validate: bool = True, dtype: DTypeLike | None = None
    ) -> RowPartition:
        """Makes rows of these lengths.

        Args:
            row_lengths: A vector of integers.
            validate: A bool: whether the argument is checked.
            dtype: tf.int32, tf.int64, or None for that of the argument.

        Returns:
            A `tf.experimental.RowPartition`.

        Raises:
            InvalidArgumentError: A length is negative.
        """
        lengths = index_vector(row_lengths, "row_lengths", dtype)
        if validate:
            assert_non_negative(lengths, "row_lengths must not be negative")
        return cls(splits_of_lengths(lengths))

    @classmethod
    def from_value_rowids(
        cls,
        value_rowids: TensorLike,
        nrows: TensorLike | None = None,
        validate: bool = True,
        dtype: DTypeLike | None = None,
    ) -> RowPartition:
        """Makes rows of the number of each value's row.

        Args:
            value_rowids: A vector of integers in ascending order.
            nrows: A scalar integer: the number of rows. None ends with the last row that has a
                value.
            validate: A bool: whether the argument is checked.
            dtype: tf.int32, tf.int64, or None for that of the argument.

        Returns:
            A `tf.experimental.RowPartition`.

        Raises:
            ValueError: `nrows` is negative, or less than a number of a row.
            InvalidArgumentError: The numbers are not sorted, or one is negative or too large.

        >>> import graphwright as tf
        >>> tf.experimental.RowPartition.from_value_rowids([0, 0, 2], nrows=4)
        tf.RowPartition(row_splits=[0, 2, 2, 3, 3])
        """
        check_whole(nrows, "nrows", cut=(NUMPY, TENSOR))
        check_whole(nrows, "nrows", cut=(NUMPY,), error=ValueError)
        rowids = index_vector(value_rowids, "value_rowids", dtype)
        if nrows is None:
            last = rowids[-1:] + 1
            nrows = greatest(last)
        elif isinstance(nrows, int):
            if nrows < 0:
                raise ValueError(f"Argument `nrows` must be >= 0. Received {nrows}")
            known = rowids.known
            if known and None not in known and known[-1] >= nrows:
                raise ValueError(
                    f"Argument `nrows` must be >= {known[-1] + 1}, as value_rowids[-1] = "
                    f"{known[-1]}. Received {nrows}"
                )
        nrows = cast(convert(nrows), rowids.dtype)
        if validate:
            assert_non_negative(rowids[1:] - rowids[:-1], "value_rowids must be sorted")
            assert_non_negative(rowids[:1], "value_rowids must not be negative")
            assert_less(rowids[-1:], nrows, "nrows must be greater than the last of value_rowids")
        return cls(splits_of_lengths(counts(rowids, nrows)), rowids=rowids)

    @classmethod
    def from_row_starts(
        cls,
        row_starts: TensorLike,
        nvals: TensorLike,
        validate: bool = True,
        dtype: DTypeLike | None = None,
    ) -> RowPartition:
        """Makes rows that begin at these places.

        Args:
            row_starts: A vector of integers that begins with 0 and is sorted.
            nvals: A scalar integer: where the last row ends.
            validate: A bool: whether the argument is checked.
            dtype: tf.int32, tf.int64, or None for that of the argument.

        Returns:
            A `tf.experimental.RowPartition`.

        Raises:
            InvalidArgumentError: `row_starts` does not begin with 0, is not sorted, or ends
                beyond the values.
        """
        starts = index_vector(row_starts, "row_starts", dtype)
        if validate:
            zero = convert(0, starts.dtype)
            assert_equal(starts[:1], zero, "row_starts must begin with 0")
            assert_non_negative(starts[1:] - starts[:-1], "row_starts must be sorted")
        end = cast(convert(nvals), starts.dtype)
        if validate:
            assert_less_equal(starts[-1:], end, "row_starts must not be beyond the values")
        return cls(concat([starts, end[None]], 0))

    @classmethod
    def from_row_limits(
        cls, row_limits: TensorLike, validate: bool = True, dtype: DTypeLike | None = None
    ) -> RowPartition:
        """Makes rows that end at these places.

        Args:
            row_limits: A sorted vector of integers.
            validate: A bool: whether the argument is checked.
            dtype: tf.int32, tf.int64, or None for that of the argument.

        Returns:
            A `tf.experimental.RowPartition`.

        Raises:
            InvalidArgumentError: `row_limits` is negative somewhere, or not sorted.
        """
        limits = index_vector(row_limits, "row_limits", dtype)
        if validate:
            assert_non_negative(limits[:1], "row_limits must not be negative")
            assert_non_negative(limits[1:] - limits[:-1], "row_limits must be sorted")
        return cls(concat([convert([0], limits.dtype), limits], 0))

    @classmethod
    def from_uniform_row_length(
        cls,
        uniform_row_length: int | TensorLike,
        nvals: TensorLike | None = None,
        nrows: TensorLike | None = None,
        validate: bool = True,
        dtype: DTypeLike | None = None,
    ) -> RowPartition:
        """Makes rows of one length.

        Args:
            uniform_row_length: A scalar integer.
            nvals: A scalar integer: the number of values. It is needed where `nrows` is None.
            nrows: A scalar integer: the number of rows. None means as many as there are values for.
            validate: A bool: whether the argument is checked.
            dtype: tf.int32 or tf.int64; None means tf.int64.

        Returns:
            A `tf.experimental.RowPartition`.

        Raises:
            ValueError: The length is negative, or does not divide the number of values.

        >>> import graphwright as tf
        >>> tf.experimental.RowPartition.from_uniform_row_length(2, nvals=6)
        tf.RowPartition(nrows=3, uniform_row_length=2)
        """
        check_whole(uniform_row_length, "uniform_row_length", cut=(NUMPY,), error=ValueError)
        wanted = dt.int64 if dtype is None else as_dtype(dtype)
        if isinstance(uniform_row_length, int) and uniform_row_length < 0:
            raise ValueError(
                f"Argument `uniform_row_length` must be >= 0. Received {uniform_row_length}."
            )
        length = cast(convert(uniform_row_length), wanted)
        count: Any = nrows
        if nrows is None:
            values: Any = nvals
            values = cast(convert(values), wanted)
            count = values // maximum(length, 1)
            if validate:
                _check_division(values - count * length)
        count = cast(convert(count), wanted)
        return cls(numbers(count + 1, dtype=wanted) * length, length)

    # -- properties -----------------------------------------------------------------------

    @property
    def dtype(self) -> DType:
        """The dtype of splits: int32 or int64."""
        result: DType = self._splits.dtype
        return result

    def row_splits(self) -> Any:
        """Where rows begin, and at last where they end: of shape [nrows + 1]."""
        return self._splits

    def row_starts(self) -> Any:
        """Where each row begins."""
        return self._splits[:-1]

    def row_limits(self) -> Any:
        """Where each row ends."""
        return self._splits[1:]

    def row_lengths(self) -> Any:
        """The number of values in each row."""
        if self._lengths is not None:
            return self._lengths
        lengths = self._splits[1:] - self._splits[:-1]
        if isinstance(lengths, EagerTensor):  # one of a graph may not be used outside of it
            self._lengths = lengths
        return lengths

    def value_rowids(self) -> Any:
        """The number of each value's row."""
        if self._rowids is not None:
            return self._rowids
        rowids = numbers_of_values(self._splits)
        if isinstance(rowids, EagerTensor):  # as above
            self._rowids = rowids
        return rowids

    def nrows(self) -> Any:
        """The number of rows."""
        return length_of(self._splits, self.dtype) - 1

    def nvals(self) -> Any:
        """The number of values in all rows."""
        return self._splits[-1]

    def uniform_row_length(self) -> Any:
        """The length of all rows where they are known to have one, else None."""
        return self._uniform

    def is_uniform(self) -> bool:
        """Whether rows are known to have one length."""
        return self._uniform is not None

    @property
    def static_nrows(self) -> int | None:
        """The number of rows, where it is known."""
        dims = self._splits.type.dims
        return None if dims is None or dims[0] is None else dims[0] - 1

    @property
    def static_uniform_row_length(self) -> int | None:
        """The length of all rows, where it is known."""
        if self._uniform is None:
            return None
        known = self._uniform.known
        return None if known is None else int(known)

    @property
    def static_nvals(self) -> int | None:
        """The number of values, where it is known."""
        known = self._splits.known
        return known[-1] if known else None

    def with_dtype(self, dtype: DTypeLike) -> RowPartition:
        """Returns the same rows with splits of another dtype.

        Args:
            dtype: tf.int32 or tf.int64.

        Returns:
            A `tf.experimental.RowPartition`.

        Raises:
            ValueError: The dtype is another.
        """
        wanted = splits_dtype(dtype)
        if wanted is self.dtype:
            return self
        uniform, rowids = (
            None if part is None else cast(part, wanted) for part in (self._uniform, self._rowids)
        )
        return RowPartition(cast(self._splits, wanted), uniform, rowids)

    def with_uniform_row_length(self, length: int) -> RowPartition:
        """Returns the same rows, known from now on to have one length.

        Args:
            length: An int.

        Returns:
            A `tf.experimental.RowPartition`.
        """
        if self.static_uniform_row_length == length:
            return self
        return RowPartition(self._splits, convert(length, self.dtype), self._rowids)

    @property
    def __graphwright_spec__(self) -> RowPartitionSpec:
        return RowPartitionSpec(
            self.static_nrows, self.static_nvals, self.static_uniform_row_length, self.dtype
        )

    def __repr__(self) -> str:
        what, value = "row_splits", self._splits
        if self._uniform is not None:
            what, value = "uniform_row_length", self._uniform
        shown = value.numpy().tolist() if hasattr(value, "numpy") else value
        rows = self.nrows() if self._uniform is not None else ""
        rows = f"nrows={rows.numpy()}, " if hasattr(rows, "numpy") else ""
        return f"tf.RowPartition({rows}{what}={shown})"


def _check_division(left: TensorValue) -> None:
    known = left.known
    if known:
        raise ValueError("uniform_row_length does not divide the number of values evenly")
    assert_equal(left, convert(0, left.dtype), "uniform_row_length must divide the values evenly")


class RowPartitionSpec(TypeSpec):
    """The type of a `RowPartition`: what is known of its numbers of rows and values."""

    __slots__ = ("_dtype", "_nrows", "_nvals", "_uniform")

    def __init__(
        self,
        nrows: int | None = None,
        nvals: int | None = None,
        uniform_row_length: int | None = None,
        dtype: DTypeLike = dt.int64,
    ) -> None:
        self._nrows = nrows
        self._nvals = nvals
        self._uniform = uniform_row_length
        self._dtype = splits_dtype(dtype)

    @property
    def value_type(self) -> type:
        """`tf.experimental.RowPartition`."""
        return RowPartition

    def _serialize(self) -> tuple[Any, ...]:
        sizes = (self._nrows, self._nvals, self._uniform)
        return (*[TensorShape([size]) for size in sizes], self._dtype)

    @classmethod
    def _deserialize(cls, serialization: Sequence[Any]) -> RowPartitionSpec:
        nrows, nvals, uniform, dtype = serialization
        return cls(nrows[0], nvals[0], uniform[0], dtype)

    @property
    def _component_specs(self) -> Any:
        count = None if self._nrows is None else self._nrows + 1
        return TensorSpec([count], self._dtype)

    def _to_components(self, value: RowPartition) -> Any:
        return value.row_splits()

    def _from_components(self, components: TensorValue) -> RowPartition:
        uniform = None if self._uniform is None else convert(self._uniform, self._dtype)
        return RowPartition(components, uniform)
