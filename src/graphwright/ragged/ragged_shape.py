"""`tf.experimental.DynamicRaggedShape`: the lengths of rows along each axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsInt

from graphwright.op.interpreter import convert
from graphwright.ops.core.casting import cast
from graphwright.ops.core.joining import stack
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ragged.ragged_tensor import RaggedOrTensor, RaggedTensor, is_ragged
from graphwright.ragged.row_partition import RowPartition, RowPartitionSpec
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, TensorLike
from graphwright.types.composite import Composite
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.shape import TensorShape
from graphwright.types.specs import TensorSpec
from graphwright.types.type_spec import TypeSpec


class DynamicRaggedShape(Composite):
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

    @property
    def __graphwright_spec__(self) -> DynamicRaggedShapeSpec:
        """The type of this shape."""
        specs = [partition.__graphwright_spec__ for partition in self._row_partitions]
        return DynamicRaggedShapeSpec(specs, TensorSpec.from_tensor(self._inner_shape))

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

    @classmethod
    def from_lengths(
        cls,
        lengths: Sequence[int | Sequence[int]],
        num_row_partitions: int | None = None,
        dtype: DTypeLike = dt.int64,
    ) -> DynamicRaggedShape:
        """Makes a shape of the size of each axis.

        Args:
            lengths: A list with an int for each axis, or a tuple of the lengths of its rows.
            num_row_partitions: How many axes behind the first have partitions. None means up to
                the last one whose rows differ.
            dtype: The dtype of sizes, tf.int32 or tf.int64.

        Returns:
            A `tf.experimental.DynamicRaggedShape`.

        Raises:
            ValueError: There are not as many lengths as rows, or more partitions than axes behind
                the first.

        >>> import graphwright as tf
        >>> tf.experimental.DynamicRaggedShape.from_lengths([2, (1, 3), 2])
        <DynamicRaggedShape lengths=[2, (1, 3), 2] num_row_partitions=1>
        """
        for each in lengths:
            sizes = [each] if isinstance(each, int) else each
            if not isinstance(sizes, (tuple, list)) or any(size < 0 for size in sizes):
                raise ValueError(
                    f"element of lengths should be int or tuple of ints: instead {each}"
                )
        ragged = [axis for axis, each in enumerate(lengths) if not isinstance(each, int)]
        count = max(ragged, default=0) if num_row_partitions is None else num_row_partitions
        if count and count >= len(lengths):
            raise ValueError(
                "num_row_partitions should be less than `len(lengths)` if shape is not scalar."
            )
        if ragged and (ragged[0] == 0 or ragged[-1] > count):
            raise ValueError(f"axis {ragged[0] or ragged[-1]} has one length: {list(lengths)}")
        plain: Any = list(lengths)
        partitions, rows = [], plain[0] if plain else 0
        for each in plain[1 : count + 1]:
            row_lengths = [each] * rows if isinstance(each, int) else list(each)
            if len(row_lengths) != rows:
                raise ValueError("Shape not consistent.")
            total = sum(row_lengths)
            if isinstance(each, int):
                partitions.append(RowPartition.from_uniform_row_length(each, total, rows))
            else:
                partitions.append(RowPartition.from_row_lengths(row_lengths))
            rows = total
        kind = as_dtype(dtype)
        inner = convert([rows, *plain[count + 1 :]] if plain else [], kind)
        return cls([p.with_dtype(kind) for p in partitions], inner)

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
            if index.step not in (None, 1):
                raise IndexError("Cannot stride through a shape")
            start, stop, _ = index.indices(self.rank or 0)
            return self._part(start, max(start, stop))
        index = int(index)
        if index < 0:
            if self.rank is None:
                raise ValueError("Rank must be statically known to use negative indices")
            index += self.rank
        if self.rank is not None and index >= self.rank:
            raise IndexError(f"Index is too big: {index}>={self.rank}")
        if index == 0 and self._row_partitions:
            return self._row_partitions[0].nrows()
        if 0 < index <= self.num_row_partitions:
            uniform = self._row_partitions[index - 1].uniform_row_length()
            if uniform is None:
                raise ValueError(f"Index {index} is not uniform")
            return uniform
        return self._inner_shape[index - self.num_row_partitions]

    def _part(self, start: int, stop: int) -> DynamicRaggedShape:
        """The shape of the axes from `start` on up to `stop`."""
        count = self.num_row_partitions
        if start:
            if not all(partition.is_uniform() for partition in self._row_partitions):
                raise ValueError("All relevant dimensions must be uniform")
            sizes = [self[axis] for axis in range(start, stop)]
            return DynamicRaggedShape([], stack(sizes) if sizes else convert([], self.dtype))
        if stop > count or not count:
            return DynamicRaggedShape(self._row_partitions, self._inner_shape[: stop - count])
        if not stop:
            return DynamicRaggedShape([], convert([], self.dtype))
        partitions = self._row_partitions[: stop - 1]
        rows = partitions[-1].nvals() if partitions else self._row_partitions[0].nrows()
        return DynamicRaggedShape(partitions, stack([rows]))

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


class DynamicRaggedShapeSpec(TypeSpec):
    """The type of a `DynamicRaggedShape`: those of its partitions, and of its inner shape."""

    __slots__ = ("_inner_shape", "_row_partitions")

    def __init__(self, row_partitions: Sequence[RowPartitionSpec], inner_shape: TensorSpec) -> None:
        self._row_partitions = tuple(row_partitions)
        self._inner_shape = inner_shape

    @property
    def value_type(self) -> type:
        """`tf.experimental.DynamicRaggedShape`."""
        return DynamicRaggedShape

    def _serialize(self) -> tuple[Any, ...]:
        return self._row_partitions, self._inner_shape

    @property
    def _component_specs(self) -> Any:
        return [*self._row_partitions, self._inner_shape]

    def _to_components(self, value: DynamicRaggedShape) -> Any:
        return [*value.row_partitions, value.inner_shape]

    def _from_components(self, components: Sequence[Any]) -> DynamicRaggedShape:
        return DynamicRaggedShape(components[:-1], components[-1])
