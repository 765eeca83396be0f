"""`tf.experimental.DynamicRaggedShape`: the lengths of rows along each axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsInt

from graphwright.op.interpreter import convert
from graphwright.ops.core.casting import cast
from graphwright.ops.core.joining import stack
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ragged.ragged_tensor import RaggedOrTensor, RaggedTensor, is_ragged
from graphwright.ragged.row_partition import RowPartition
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, TensorLike
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.shape import TensorShape


class DynamicRaggedShape:
    """The shape of a ragged tensor: partitions of the outer axes, sizes of the inner ones.

    Args:
        row_partitions: A sequence of `tf.experimental.RowPartition`, the outermost first.
        inner_shape: A vector of int32 or int64: the shape of the flat values.

    >>> import graphwright as tf
    >>> tf.shape(tf.ragged.constant([[1, 2], []]))
    <DynamicRaggedShape lengths=[2, (2, 0)] num_row_partitions=1>
    """

    def __init__(self, row_partitions: Sequence[RowPartition], inner_shape: TensorLike) -> None:
        self._row_partitions = tuple(row_partitions)
        self._inner_shape = convert(inner_shape, None, dt.int64)

    @classmethod
    def from_tensor(cls, t: TensorLike, dtype: DTypeLike | None = None) -> DynamicRaggedShape:
        """Makes the shape of a tensor or ragged tensor.

        Args:
            t: A tensor or a ragged tensor.
            dtype: The dtype of sizes; None takes that of the splits, or tf.int64.

        Returns:
            A `tf.experimental.DynamicRaggedShape`.
        """
        partitions = t.partitions if is_ragged(t) else []
        default = partitions[0].dtype if partitions else dt.int64
        wanted = default if dtype is None else as_dtype(dtype)
        inner = shape_of(t.flat_values if is_ragged(t) else convert(t), wanted)
        return cls([p.with_dtype(wanted) for p in partitions], inner)

    @property
    def dtype(self) -> DType:
        """The dtype of sizes and splits."""
        result: DType = self._inner_shape.dtype
        return result

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """The partitions, the outermost first."""
        return self._row_partitions

    @property
    def num_row_partitions(self) -> int:
        """How many partitions there are."""
        return len(self._row_partitions)

    @property
    def inner_shape(self) -> Any:
        """The shape of the flat values."""
        return self._inner_shape

    @property
    def inner_rank(self) -> int | None:
        """The rank of the flat values."""
        dims = self._inner_shape.type.dims
        return None if dims is None else dims[0]

    @property
    def rank(self) -> int | None:
        """The number of axes."""
        inner = self.inner_rank
        return None if inner is None else inner + self.num_row_partitions

    @property
    def static_shape(self) -> TensorShape:
        """What is known of the shape; None where rows differ."""
        inner = TensorShape(self._inner_shape.known)
        if not self._row_partitions:
            return inner
        first = self._row_partitions[0].static_nrows
        lengths = [p.static_uniform_row_length for p in self._row_partitions]
        return TensorShape([first, *lengths]).concatenate(inner[1:])

    def static_lengths(self) -> list[Any]:
        """The size of each axis: a number, or the lengths of rows where they differ."""
        if not self._row_partitions:
            return list(self.static_shape)
        sizes: list[Any] = [self._row_partitions[0].static_nrows]
        for partition in self._row_partitions:
            uniform = partition.static_uniform_row_length
            known = partition.row_lengths().known
            sizes.append(known if uniform is None else uniform)
        return [*sizes, *list(TensorShape(self._inner_shape.known)[1:])]

    def is_uniform(self, axis: int) -> bool:
        """Returns whether all rows along an axis are of one length.

        Args:
            axis: An int that is not negative.

        Returns:
            A bool.

        >>> import graphwright as tf
        >>> shape = tf.shape(tf.ragged.constant([[1, 2], []]))
        >>> shape.is_uniform(0), shape.is_uniform(1)
        (True, False)
        """
        if axis == 0 or axis > self.num_row_partitions:
            return True
        return self._row_partitions[axis - 1].is_uniform()

    def with_dtype(self, dtype: DTypeLike) -> DynamicRaggedShape:
        """Returns the same shape in another dtype.

        Args:
            dtype: tf.int32 or tf.int64.

        Returns:
            A `tf.experimental.DynamicRaggedShape`.
        """
        wanted = as_dtype(dtype)
        partitions = [p.with_dtype(wanted) for p in self._row_partitions]
        return DynamicRaggedShape(partitions, cast(self._inner_shape, wanted))

    def __getitem__(self, index: slice | SupportsInt) -> Any:
        if isinstance(index, slice):
            start, stop, step = index.indices(self.rank or 0)
            return stack([self[i] for i in range(start, stop, step)])
        index = int(index)
        if index < 0:
            if self.rank is None:
                raise ValueError("Rank must be statically known to use negative indices")
            index += self.rank
        if index == 0 and self._row_partitions:
            return self._row_partitions[0].nrows()
        if 0 < index <= self.num_row_partitions:
            uniform = self._row_partitions[index - 1].uniform_row_length()
            if uniform is None:
                raise ValueError(f"Index {index} is not uniform")
            return uniform
        return self._inner_shape[index - self.num_row_partitions]

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:
        raise TypeError(f"{self!r} is no array: use a function that takes ragged shapes")

    def like(self, flat_values: RaggedOrTensor) -> RaggedOrTensor:
        """Returns the ragged tensor of this shape that has given elements.

        Args:
            flat_values: A tensor: all elements, one after the other.

        Returns:
            A `tf.RaggedTensor`, or a tensor if there are no partitions.
        """
        result = flat_values
        for partition in reversed(self._row_partitions):
            result = RaggedTensor(result, partition)
        return result

    def __repr__(self) -> str:
        lengths = ", ".join(map(str, self.static_lengths()))
        return (
            f"<DynamicRaggedShape lengths=[{lengths}] num_row_partitions={self.num_row_partitions}>"
        )
