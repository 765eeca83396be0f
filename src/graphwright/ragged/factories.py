"""The factories of ragged tensors: `RaggedTensor.from_row_splits` and others."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from graphwright.base.errors import InvalidArgumentError
from graphwright.control.assertions import assert_equal
from graphwright.op.interpreter import convert
from graphwright.op.refusal import boundaries
from graphwright.ragged.methods import MethodBodies
from graphwright.ragged.positions import length_of
from graphwright.ragged.row_partition import RowPartition, index_vector, splits_dtype
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, TensorLike
from graphwright.types.dtypes import DType
from graphwright.types.shape import TensorShape


@boundaries
class Factories:
    """The base of `tf.RaggedTensor` that has its factories."""

    __slots__ = ()

    # What factories need of the class itself.

    @property
    @abstractmethod
    def dtype(self) -> DType:
        """The dtype of the values."""

    @property
    @abstractmethod
    def shape(self) -> TensorShape:
        """What is known of the shape; None where rows differ."""

    @property
    @abstractmethod
    def row_splits(self) -> Any:
        """Where rows begin, and at last where they end."""

    @abstractmethod
    def nrows(self, out_type: DTypeLike | None = None, name: str | None = None) -> Any:
        """Returns the number of rows.

        Args:
            out_type: The dtype of the result.
            name: A name, which has no effect.

        Returns:
            A scalar.
        """

    @abstractmethod
    def with_row_splits_dtype(self, dtype: DTypeLike) -> Factories:
        """Returns the same tensor with splits of another dtype.

        Args:
            dtype: tf.int32 or tf.int64.

        Returns:
            A `tf.RaggedTensor`.
        """

    @classmethod
    def _of(
        cls, values: TensorLike, make: Callable[[DType | None], RowPartition], validate: bool
    ) -> Any:
        """Values divided by the partition that `make` gives for their preferred splits."""
        values = as_values(values)
        partition = make(values.row_splits.dtype if isinstance(values, Factories) else None)
        if isinstance(values, Factories) and values.row_splits.dtype is not partition.dtype:
            partition = partition.with_dtype(dt.int64)
            values = values.with_row_splits_dtype(dt.int64)
        if validate:
            count = outer_size(values, partition.dtype)
            assert_equal(partition.nvals(), count, "the rows must hold all values")
        return cls(values, partition)  # type: ignore[call-arg]  # a ragged tensor

    @classmethod
    def from_row_splits(
        cls,
        values: TensorLike,
        row_splits: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Makes the rows `values[row_splits[i]:row_splits[i + 1]]`.

        Args:
            values: A tensor or a ragged tensor: all rows, one after the other.
            row_splits: A vector of integers that begins with 0, is sorted and ends with the number
                of values.
            name: A name, which has no effect.
            validate: A bool: whether the partition is checked.

        Returns:
            A `tf.RaggedTensor`.

        Raises:
            InvalidArgumentError: The rows do not hold all values, or are no rows.

        >>> import graphwright as tf
        >>> tf.RaggedTensor.from_row_splits([3, 1, 4], [0, 2, 2, 3])
        <tf.RaggedTensor [[3, 1], [], [4]]>
        """
        return cls._of(
            values, lambda _: RowPartition.from_row_splits(row_splits, validate), validate
        )

    @classmethod
    def from_row_lengths(
        cls,
        values: TensorLike,
        row_lengths: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Makes rows of these lengths.

        Args:
            values: A tensor or a ragged tensor: all rows, one after the other.
            row_lengths: A vector of integers.
            name: A name, which has no effect.
            validate: A bool: whether the partition is checked.

        Returns:
            A `tf.RaggedTensor`.

        Raises:
            InvalidArgumentError: The rows do not hold all values, or are no rows.

        >>> import graphwright as tf
        >>> tf.RaggedTensor.from_row_lengths([3, 1, 4], [2, 0, 1])
        <tf.RaggedTensor [[3, 1], [], [4]]>
        """
        return cls._of(
            values, lambda _: RowPartition.from_row_lengths(row_lengths, validate), validate
        )

    @classmethod
    def from_value_rowids(
        cls,
        values: TensorLike,
        value_rowids: TensorLike,
        nrows: TensorLike | None = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Makes rows of the number of each value's row.

        Args:
            values: A tensor or a ragged tensor: all rows, one after the other.
            value_rowids: A vector of integers in ascending order, as long as the values.
            nrows: A scalar integer: the number of rows. None ends with the last row that has a
                value.
            name: A name, which has no effect.
            validate: A bool: whether the partition is checked.

        Returns:
            A `tf.RaggedTensor`.

        Raises:
            InvalidArgumentError: The rows do not hold all values, or are no rows.

        >>> import graphwright as tf
        >>> tf.RaggedTensor.from_value_rowids([3, 1, 4], [0, 0, 2])
        <tf.RaggedTensor [[3, 1], [], [4]]>
        """
        tensor, rows = as_values(values), index_vector(value_rowids, "value_rowids")
        if not rows.shape.is_compatible_with(tensor.shape[:1]):
            raise ValueError(f"Shapes {rows.shape} and {tensor.shape[:1]} are incompatible")
        return cls._of(
            tensor, lambda _: RowPartition.from_value_rowids(rows, nrows, validate), validate
        )

    @classmethod
    def from_row_starts(
        cls,
        values: TensorLike,
        row_starts: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Makes rows that begin at these places.

        Args:
            values: A tensor or a ragged tensor: all rows, one after the other.
            row_starts: A vector of integers that begins with 0 and is sorted.
            name: A name, which has no effect.
            validate: A bool: whether the partition is checked.

        Returns:
            A `tf.RaggedTensor`.

        Raises:
            InvalidArgumentError: The rows do not hold all values, or are no rows.

        >>> import graphwright as tf
        >>> tf.RaggedTensor.from_row_starts([3, 1, 4], [0, 2, 2])
        <tf.RaggedTensor [[3, 1], [], [4]]>
        """
        values = as_values(values)
        count = outer_size(values, dt.int64)
        return cls._of(
            values, lambda _: RowPartition.from_row_starts(row_starts, count, validate), validate
        )

    @classmethod
    def from_row_limits(
        cls,
        values: TensorLike,
        row_limits: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Makes rows that end at these places.

        Args:
            values: A tensor or a ragged tensor: all rows, one after the other.
            row_limits: A sorted vector of integers that ends with the number of values.
            name: A name, which has no effect.
            validate: A bool: whether the partition is checked.

        Returns:
            A `tf.RaggedTensor`.

        Raises:
            InvalidArgumentError: The rows do not hold all values, or are no rows.

        >>> import graphwright as tf
        >>> tf.RaggedTensor.from_row_limits([3, 1, 4], [2, 2, 3])
        <tf.RaggedTensor [[3, 1], [], [4]]>
        """
        return cls._of(
            values, lambda _: RowPartition.from_row_limits(row_limits, validate), validate
        )

    @classmethod
    def from_uniform_row_length(
        cls,
        values: TensorLike,
        uniform_row_length: TensorLike,
        nrows: TensorLike | None = None,
        validate: bool = True,
        name: str | None = None,
    ) -> Any:
        """Makes rows of one length.

        Args:
            values: A tensor or a ragged tensor: all rows, one after the other.
            uniform_row_length: A scalar integer.
            nrows: A scalar integer: the number of rows. None means as many as there are values for.
            validate: A bool: whether the partition is checked.
            name: A name, which has no effect.

        Returns:
            A `tf.RaggedTensor`.

        Raises:
            ValueError: The length is negative, or does not divide the number of values.

        >>> import graphwright as tf
        >>> tf.RaggedTensor.from_uniform_row_length([3, 1, 4, 1], 2)
        <tf.RaggedTensor [[3, 1], [4, 1]]>
        """
        values = as_values(values)

        def make(dtype: DType | None) -> RowPartition:
            count = outer_size(values, dtype or dt.int64)
            return RowPartition.from_uniform_row_length(
                uniform_row_length, count, nrows, validate, dtype
            )

        return cls._of(values, make, validate)

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: TensorLike,
        nested_row_splits: Sequence[TensorLike],
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Makes rows of rows, by splits.

        Args:
            flat_values: A tensor: all values, one after the other.
            nested_row_splits: A list of integer vectors, the outermost first.
            name: A name, which has no effect.
            validate: A bool: whether the partition is checked.

        Returns:
            A `tf.RaggedTensor`.

        Raises:
            InvalidArgumentError: The rows do not hold all values, or are no rows.
            TypeError: `nested_row_splits` is no list.

        >>> import graphwright as tf
        >>> tf.RaggedTensor.from_nested_row_splits([3, 1, 4], [[0, 2, 2], [0, 1, 3]])
        <tf.RaggedTensor [[[3], [1, 4]], []]>
        """
        return nested(cls.from_row_splits, flat_values, nested_row_splits, validate)

    @classmethod
    def from_nested_row_lengths(
        cls,
        flat_values: TensorLike,
        nested_row_lengths: Sequence[TensorLike],
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Makes rows of rows, by lengths.

        Args:
            flat_values: A tensor: all values, one after the other.
            nested_row_lengths: A list of integer vectors, the outermost first.
            name: A name, which has no effect.
            validate: A bool: whether the partition is checked.

        Returns:
            A `tf.RaggedTensor`.

        Raises:
            InvalidArgumentError: The rows do not hold all values, or are no rows.
            TypeError: `nested_row_lengths` is no list.

        >>> import graphwright as tf
        >>> tf.RaggedTensor.from_nested_row_lengths([3, 1, 4], [[2, 0], [1, 2]])
        <tf.RaggedTensor [[[3], [1, 4]], []]>
        """
        return nested(cls.from_row_lengths, flat_values, nested_row_lengths, validate)

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: TensorLike,
        nested_value_rowids: Sequence[TensorLike],
        nested_nrows: Sequence[TensorLike] | None = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Makes rows of rows, by the numbers of rows.

        Args:
            flat_values: A tensor: all values, one after the other.
            nested_value_rowids: A list of integer vectors, the outermost first.
            nested_nrows: A list of the numbers of rows, the outermost first.
            name: A name, which has no effect.
            validate: A bool: whether the partition is checked.

        Returns:
            A `tf.RaggedTensor`.

        Raises:
            InvalidArgumentError: The rows do not hold all values, or are no rows.
            TypeError: `nested_value_rowids` is no list.
            ValueError: The lists differ in length.

        >>> import graphwright as tf
        >>> tf.RaggedTensor.from_nested_value_rowids([3, 1, 4, 5], [[0, 0, 2], [0, 1, 1, 2]])
        <tf.RaggedTensor [[[3], [1, 4]], [], [[5]]]>
        """
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
        tensor: TensorLike,
        lengths: TensorLike | None = None,
        padding: TensorLike | None = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: DTypeLike = dt.int64,
    ) -> Any:
        """Makes a ragged tensor of the rows of a tensor.

        Args:
            tensor: A tensor of rank 2 or more.
            lengths: A vector of integers: rows are cut to these lengths. A list of vectors cuts
                nested rows.
            padding: A scalar, or a tensor of the shape of the inner axes. Where a row ends with it,
                that end is cut.
            ragged_rank: An int: how many axes become ragged.
            name: A name, which has no effect.
            row_splits_dtype: tf.int32 or tf.int64.

        Returns:
            A `tf.RaggedTensor`.

        Raises:
            ValueError: Both `lengths` and `padding` are given, or `ragged_rank` does not fit.

        >>> import graphwright as tf
        >>> tf.RaggedTensor.from_tensor([[5, 7, 0], [0, 3, 0]], padding=0)
        <tf.RaggedTensor [[5, 7], [0, 3]]>
        """
        dtype = splits_dtype(row_splits_dtype)
        return MethodBodies.given().from_tensor(tensor, lengths, padding, ragged_rank, dtype)

    @classmethod
    def from_sparse(
        cls, st_input: object, name: str | None = None, row_splits_dtype: DTypeLike = dt.int64
    ) -> Any:
        """Makes a ragged tensor of a sparse matrix whose values stand at the left of each row.

        Args:
            st_input: A `tf.SparseTensor` of rank 2.
            name: A name, which has no effect.
            row_splits_dtype: tf.int32 or tf.int64.

        Returns:
            A `tf.RaggedTensor`.

        Raises:
            TypeError: `st_input` is not sparse.

        >>> import graphwright as tf
        >>> x = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [3, 1, 4], [3, 2])
        >>> tf.RaggedTensor.from_sparse(x)
        <tf.RaggedTensor [[3, 1], [], [4]]>
        """
        return MethodBodies.given().from_sparse(st_input, splits_dtype(row_splits_dtype))


def as_values(value: TensorLike) -> Any:
    """A ragged tensor, or what converts to a tensor with a first axis."""
    if isinstance(value, Factories):
        return value
    tensor = convert(value)
    if tensor.type.rank == 0:
        raise InvalidArgumentError(
            None, None, f"values must have an axis, not shape {tensor.shape}"
        )
    return tensor


def outer_size(values: TensorLike, dtype: DType) -> Any:
    """The number of rows of a tensor or ragged tensor."""
    return values.nrows(dtype) if isinstance(values, Factories) else length_of(values, dtype)


def listed(value: object, name: str) -> list[Any]:
    """A list; TypeError for a tensor or another value that is no list."""
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"Argument `{name}` must be a list of Tensors. Received {value}.")
    return list(value)


def nested(
    divide: Callable[[TensorLike, TensorLike, None, bool], TensorLike],
    values: TensorLike,
    rows: Sequence[TensorLike],
    validate: bool,
) -> Any:
    """Values divided several times, by the last of `rows` first."""
    result = as_values(values)
    for each in reversed(listed(rows, "nested rows")):
        result = divide(result, each, None, validate)
    return result
