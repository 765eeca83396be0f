"""The ways to make a ragged tensor of values: `RaggedTensor.from_row_splits` and the like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from graphwright.base.errors import InvalidArgumentError
from graphwright.control.assertions import assert_equal
from graphwright.op.interpreter import convert
from graphwright.ragged.methods import RaggedMethods
from graphwright.ragged.positions import length_of
from graphwright.ragged.row_partition import RowPartition, splits_dtype
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, TensorLike
from graphwright.types.dtypes import DType


class Factories:
    """What `tf.RaggedTensor` is made by."""

    __slots__ = ()

    #: Installed by `graphwright.hooks`.
    _bodies: ClassVar[RaggedMethods]

    @classmethod
    def _of(cls, values: Any, make: Callable[[Any], RowPartition], validate: bool) -> Any:
        """Values divided by the partition that `make` gives for their preferred splits."""
        values = as_values(values)
        partition = make(values.row_splits.dtype if is_ragged(values) else None)
        if is_ragged(values) and values.row_splits.dtype is not partition.dtype:
            partition = partition.with_dtype(dt.int64)
            values = values.with_row_splits_dtype(dt.int64)
        if validate:
            count = outer_size(values, partition.dtype)
            assert_equal(partition.nvals(), count, "the rows must hold all values")
        return cls(values, partition)  # type: ignore[call-arg]  # a ragged tensor

    @classmethod
    def from_row_splits(
        cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True
    ) -> Any:
        """Rows `values[row_splits[i]:row_splits[i + 1]]`."""
        return cls._of(
            values, lambda _: RowPartition.from_row_splits(row_splits, validate), validate
        )

    @classmethod
    def from_row_lengths(
        cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> Any:
        """Rows of these lengths."""
        return cls._of(
            values, lambda _: RowPartition.from_row_lengths(row_lengths, validate), validate
        )

    @classmethod
    def from_value_rowids(
        cls,
        values: Any,
        value_rowids: Any,
        nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Rows given by the number of each value's row, in ascending order."""
        return cls._of(
            values,
            lambda _: RowPartition.from_value_rowids(value_rowids, nrows, validate),
            validate,
        )

    @classmethod
    def from_row_starts(
        cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True
    ) -> Any:
        """Rows that begin at these places."""
        values = as_values(values)
        count = outer_size(values, dt.int64)
        return cls._of(
            values, lambda _: RowPartition.from_row_starts(row_starts, count, validate), validate
        )

    @classmethod
    def from_row_limits(
        cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True
    ) -> Any:
        """Rows that end at these places."""
        return cls._of(
            values, lambda _: RowPartition.from_row_limits(row_limits, validate), validate
        )

    @classmethod
    def from_uniform_row_length(
        cls,
        values: Any,
        uniform_row_length: Any,
        nrows: Any = None,
        validate: bool = True,
        name: str | None = None,
    ) -> Any:
        """Rows of one length."""
        values = as_values(values)

        def make(dtype: DType) -> RowPartition:
            count = outer_size(values, dtype or dt.int64)
            return RowPartition.from_uniform_row_length(
                uniform_row_length, count, nrows, validate, dtype
            )

        return cls._of(values, make, validate)

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: Any,
        nested_row_splits: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Values divided several times; the outermost splits come first."""
        return nested(cls.from_row_splits, flat_values, nested_row_splits, validate)

    @classmethod
    def from_nested_row_lengths(
        cls,
        flat_values: Any,
        nested_row_lengths: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Values divided several times; the outermost lengths come first."""
        return nested(cls.from_row_lengths, flat_values, nested_row_lengths, validate)

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: Any,
        nested_value_rowids: Any,
        nested_nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Values divided several times; the outermost rows' numbers come first."""
        result = as_values(flat_values)
        rowids = listed(nested_value_rowids, "nested_value_rowids")
        nrows = [None] * len(rowids) if nested_nrows is None else list(nested_nrows)
        if len(nrows) != len(rowids):
            raise ValueError("nested_nrows must have as many entries as nested_value_rowids")
        for ids, count in zip(reversed(rowids), reversed(nrows)):
            result = cls.from_value_rowids(result, ids, count, validate=validate)
        return result

    @classmethod
    def from_tensor(
        cls,
        tensor: Any,
        lengths: Any = None,
        padding: Any = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: Any = dt.int64,
    ) -> Any:
        """The rows of a tensor, cut to `lengths`, or before trailing `padding`.

        >>> import graphwright as tf
        >>> tf.RaggedTensor.from_tensor([[5, 7, 0], [0, 3, 0]], padding=0)
        <tf.RaggedTensor [[5, 7], [0, 3]]>
        """
        dtype = splits_dtype(row_splits_dtype)
        return cls._bodies.from_tensor(tensor, lengths, padding, ragged_rank, dtype)

    @classmethod
    def from_sparse(
        cls, st_input: Any, name: str | None = None, row_splits_dtype: DTypeLike = dt.int64
    ) -> Any:
        """The rows of a sparse matrix whose values stand at the left of each row."""
        return cls._bodies.from_sparse(st_input, splits_dtype(row_splits_dtype))


def is_ragged(value: Any) -> bool:
    """Whether a value is a ragged tensor."""
    return isinstance(value, Factories)


def as_values(value: TensorLike) -> Any:
    """A ragged tensor, or what converts to a tensor with a first axis."""
    if is_ragged(value):
        return value
    tensor = convert(value)
    if tensor.type.rank == 0:
        raise InvalidArgumentError(
            None, None, f"values must have an axis, not shape {tensor.shape}"
        )
    return tensor


def outer_size(values: Any, dtype: DType) -> Any:
    """The number of rows of a tensor or ragged tensor."""
    return values.nrows(dtype) if is_ragged(values) else length_of(values, dtype)


def listed(value: Any, name: str) -> list[Any]:
    """A list; TypeError for a tensor or anything that is none."""
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"Argument `{name}` must be a list of Tensors. Received {value}.")
    return list(value)


def nested(divide: Callable[..., Any], values: TensorLike, rows: TensorLike, validate: bool) -> Any:
    """Values divided several times, by the last of `rows` first."""
    result = as_values(values)
    for each in reversed(listed(rows, "nested rows")):
        result = divide(result, each, validate=validate)
    return result
