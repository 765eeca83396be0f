"""`tf.RaggedTensor`: values, and how they are divided into rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.dispatch import opened
from graphwright.op.refusal import boundaries
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import fill
from graphwright.ops.core.joining import stack
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ops.math import arithmetic, bitwise, comparison, magnitude
from graphwright.ragged.factories import Factories, as_values
from graphwright.ragged.methods import MethodBodies, Sizes
from graphwright.ragged.ragged_display import shown
from graphwright.ragged.ragged_iteration import RaggedRows
from graphwright.ragged.row_partition import RowPartition, splits_dtype
from graphwright.trace.tracer import current_tracer
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, Tensor, TensorLike, TensorValue
from graphwright.types.composite import Composite
from graphwright.types.dtypes import DType
from graphwright.types.shape import TensorShape
from graphwright.values.tensor import EagerTensor
from graphwright.values.tensor_operators import Operators

if TYPE_CHECKING:
    from typing_extensions import TypeIs


@boundaries
class RaggedTensor(Factories, Composite, Operators):
    """A tensor whose rows differ in length.

    `values` (a tensor or a ragged tensor) holds the rows one after the other, and `row_splits` says
    where they begin and end. `tf.ragged.constant` and the `from_` methods make one.

    >>> import graphwright as tf
    >>> x = tf.RaggedTensor.from_row_lengths([3, 1, 4, 1, 5], [2, 0, 3])
    >>> x
    <tf.RaggedTensor [[3, 1], [], [4, 1, 5]]>
    >>> tf.reduce_sum(x, axis=1).numpy()
    array([ 4,  0, 10], dtype=int32)
    """

    __slots__ = ("__weakref__", "_row_partition", "_values")
    _is_native = True

    _instead = "a ragged tensor does not change. Make another one, as of rows by `tf.concat`."

    def __init__(self, values: RaggedOrTensor, row_partition: RowPartition) -> None:
        if not isinstance(row_partition, RowPartition):
            raise ValueError(
                "RaggedTensor constructor is private; please use one of the factory methods "
                "instead (e.g., RaggedTensor.from_row_lengths())"
            )
        self._values = values
        self._row_partition = row_partition

    # -- properties -----------------------------------------------------------------------

    @property
    def values(self) -> Any:
        """All rows, one after the other."""
        return self._values

    @property
    def flat_values(self) -> Any:
        """The values inside all partitions: a tensor."""
        values = self._values
        while is_ragged(values):
            values = values._values
        return values

    @property
    def row_splits(self) -> Tensor:
        """Where rows begin, and at last where they end."""
        return self._row_partition.row_splits()

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        result: DType = self._values.dtype
        return result

    @property
    def ragged_rank(self) -> int:
        """How often the values are divided."""
        return len(self.partitions)

    @property
    def partitions(self) -> list[RowPartition]:
        """The partitions, the outermost first."""
        result = []
        values: Any = self
        while is_ragged(values):
            result.append(values._row_partition)
            values = values._values
        return result

    @property
    def _nested_row_partitions(self) -> tuple[RowPartition, ...]:
        return tuple(self.partitions)

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape; None where rows differ."""
        inner = self._values.shape
        partition = self._row_partition
        outer = TensorShape([partition.static_nrows, partition.static_uniform_row_length])
        return outer.concatenate(inner[1:]) if inner.rank is not None else TensorShape(None)

    def get_shape(self) -> TensorShape:
        """What is known of the shape, as `shape`."""
        return self.shape

    @property
    def uniform_row_length(self) -> Any:
        """The length of all rows where they are known to have one, else None."""
        return self._row_partition.uniform_row_length()

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The splits of all partitions, the outermost first."""
        return tuple([partition.row_splits() for partition in self.partitions])

    def nested_row_lengths(self, name: str | None = None) -> tuple[Any, ...]:
        """Returns the lengths of rows of all partitions.

        Args:
            name: A name, which has no effect.

        Returns:
            A tuple of integer vectors, the outermost first.

        >>> import graphwright as tf
        >>> x = tf.ragged.constant([[[1], [2, 3]], []])
        >>> [lengths.numpy().tolist() for lengths in x.nested_row_lengths()]
        [[2, 0], [1, 2]]
        """
        return tuple([partition.row_lengths() for partition in self.partitions])

    def nested_value_rowids(self, name: str | None = None) -> tuple[Any, ...]:
        """Returns the numbers of rows of all partitions.

        Args:
            name: A name, which has no effect.

        Returns:
            A tuple of integer vectors, the outermost first.
        """
        return tuple([partition.value_rowids() for partition in self.partitions])

    def value_rowids(self, name: str | None = None) -> Any:
        """Returns the number of each value's row.

        Args:
            name: A name, which has no effect.

        Returns:
            An integer vector, as long as `values`.

        >>> import graphwright as tf
        >>> tf.ragged.constant([[3, 1], [], [4]]).value_rowids().numpy()
        array([0, 0, 2])
        """
        return self._row_partition.value_rowids()

    def nrows(self, out_type: DTypeLike | None = None, name: str | None = None) -> Any:
        """Returns the number of rows.

        Args:
            out_type: The dtype of the result; None takes that of the splits.
            name: A name, which has no effect.

        Returns:
            A scalar.
        """
        count = self._row_partition.nrows()
        return count if out_type is None else cast(count, out_type)

    def row_starts(self, name: str | None = None) -> Any:
        """Returns where each row begins.

        Args:
            name: A name, which has no effect.

        Returns:
            An integer vector of shape [nrows].
        """
        return self._row_partition.row_starts()

    def row_limits(self, name: str | None = None) -> Any:
        """Returns where each row ends.

        Args:
            name: A name, which has no effect.

        Returns:
            An integer vector of shape [nrows].
        """
        return self._row_partition.row_limits()

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """Returns the lengths of the rows along an axis.

        Args:
            axis: An int.
            name: A name, which has no effect.

        Returns:
            An integer vector; a ragged tensor for rows inside others.

        Raises:
            ValueError: There is no such axis.

        >>> import graphwright as tf
        >>> x = tf.ragged.constant([[[1], [2, 3]], []])
        >>> x.row_lengths().numpy(), x.row_lengths(axis=2)
        (array([2, 0]), <tf.RaggedTensor [[1, 2], []]>)
        """
        axis = self.positive_axis(axis, "axis")
        if axis == 0:
            return self.nrows()
        if axis == 1:
            return self._row_partition.row_lengths()
        if is_ragged(self._values):
            return self.with_values(self._values.row_lengths(axis - 1))
        return self.with_values(dense_lengths(self._values, axis - 1, self.row_splits.dtype))

    def bounding_shape(
        self,
        axis: int | Sequence[int] | None = None,
        name: str | None = None,
        out_type: DTypeLike | None = None,
    ) -> Any:
        """Returns the shape of the smallest tensor that all rows fit in.

        Args:
            axis: An int or a sequence of ints: the axes to return. None means all.
            name: A name, which has no effect.
            out_type: The dtype of the result; None takes that of the splits.

        Returns:
            An integer vector; a scalar for one axis.

        >>> import graphwright as tf
        >>> tf.ragged.constant([[1, 2, 3], [4]]).bounding_shape().numpy()
        array([2, 3])
        """
        sizes = MethodBodies.given().bounding_shape(self)
        if out_type is not None:
            sizes = cast(sizes, out_type)
        if axis is None:
            return sizes
        if isinstance(axis, int):
            return sizes[axis]
        return stack([sizes[each] for each in axis])

    def positive_axis(self, axis: int, what: str, extra: int = 0) -> int:
        """Returns an axis counted from the first.

        Args:
            axis: An int.
            what: The name of the argument, for the error.
            extra: How many axes more a result has.

        Returns:
            An int.

        Raises:
            ValueError: There is no such axis.
        """
        rank = self.shape.rank
        if rank is None:
            if axis < 0:
                raise ValueError(f"{what}={axis} of a ragged tensor of unknown rank is not known")
            return axis
        rank += extra
        if not -rank <= axis < rank:
            raise ValueError(f"{what}={axis} out of bounds: expected {-rank}<={what}<{rank}")
        return axis % rank

    # -- other tensors like it --------------------------------------------------------------

    def with_values(self, new_values: TensorLike) -> RaggedTensor:
        """Returns the same rows of other values.

        Args:
            new_values: A tensor or a ragged tensor, as long as `values`.

        Returns:
            A `tf.RaggedTensor`.

        Raises:
            ValueError: Their number is another.

        >>> import graphwright as tf
        >>> tf.ragged.constant([[1, 2], [3]]).with_values(["a", "b", "c"])
        <tf.RaggedTensor [[b'a', b'b'], [b'c']]>
        """
        values = as_values(new_values)
        mine, theirs = self._values.shape, values.shape
        if mine.rank and theirs.rank and not mine[:1].is_compatible_with(theirs[:1]):
            raise ValueError(f"Shapes {mine[:1]} and {theirs[:1]} are incompatible")
        if is_ragged(values) and values.row_splits.dtype is not self.row_splits.dtype:
            return RaggedTensor(
                values.with_row_splits_dtype(dt.int64), self._row_partition.with_dtype(dt.int64)
            )
        return RaggedTensor(values, self._row_partition)

    def with_flat_values(self, new_values: TensorLike) -> RaggedTensor:
        """Returns the same partitions of other flat values.

        Args:
            new_values: A tensor, as long as `flat_values`.

        Returns:
            A `tf.RaggedTensor`.

        Raises:
            ValueError: Their number is another.

        >>> import graphwright as tf
        >>> x = tf.ragged.constant([[[1], [2, 3]], []])
        >>> x.with_flat_values([7, 8, 9])
        <tf.RaggedTensor [[[7], [8, 9]], []]>
        """
        if is_ragged(self._values):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype: DTypeLike) -> RaggedTensor:
        """Returns the same tensor with splits of another dtype.

        Args:
            dtype: tf.int32 or tf.int64.

        Returns:
            A `tf.RaggedTensor`.

        Raises:
            ValueError: The dtype is another.
        """
        wanted = splits_dtype(dtype)
        if wanted is self.row_splits.dtype:
            return self
        values = self._values
        inner = values.with_row_splits_dtype(wanted) if is_ragged(values) else values
        return RaggedTensor(inner, self._row_partition.with_dtype(wanted))

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """Returns the tensor with several neighbouring axes made one.

        Args:
            outer_axis: An int: the first of them.
            inner_axis: An int: the last of them.

        Returns:
            A `tf.RaggedTensor`, or a tensor if nothing is ragged any more.

        Raises:
            ValueError: There is no such axis, or `outer_axis` comes after `inner_axis`.

        >>> import graphwright as tf
        >>> tf.ragged.constant([[[1], [2, 3]], [[4]]]).merge_dims(1, 2)
        <tf.RaggedTensor [[1, 2, 3], [4]]>
        """
        outer = self.positive_axis(outer_axis, "outer_axis")
        inner = self.positive_axis(inner_axis, "inner_axis")
        if outer > inner:
            raise ValueError(
                f"Expected outer_axis ({outer_axis}) to be less than or equal to inner_axis "
                f"({inner_axis})."
            )
        return MethodBodies.given().merge_dims(self, outer, inner)

    def to_tensor(
        self,
        default_value: TensorLike | None = None,
        name: str | None = None,
        shape: Sizes | None = None,
    ) -> Tensor:
        """Returns the tensor that all rows fit in.

        Args:
            default_value: A scalar, or a tensor of the shape of the inner axes, that fills rows up;
                None means zeros.
            name: A name, which has no effect.
            shape: The shape of the result, None where it follows from the rows. Rows that are too
                long are cut.

        Returns:
            A tensor of the dtype of the values.

        >>> import graphwright as tf
        >>> tf.ragged.constant([[1, 2], [3]]).to_tensor(-1).numpy().tolist()
        [[1, 2], [3, -1]]
        """
        return MethodBodies.given().to_tensor(self, default_value, shape)

    def to_sparse(self, name: str | None = None) -> Any:
        """Returns the sparse tensor of the same elements.

        Args:
            name: A name, which has no effect.

        Returns:
            A `tf.SparseTensor`.

        >>> import graphwright as tf
        >>> tf.ragged.constant([[1, 2], [3]]).to_sparse().indices.numpy().tolist()
        [[0, 0], [0, 1], [1, 0]]
        """
        return MethodBodies.given().to_sparse(self)

    def to_list(self) -> list[Any]:
        """Returns the rows as nested Python lists.

        Raises:
            ValueError: The tensor is symbolic.

        >>> import graphwright as tf
        >>> tf.ragged.constant([[1, 2], []]).to_list()
        [[1, 2], []]
        """
        values = self._values
        rows = values.to_list() if is_ragged(values) else eager_values(values).tolist()
        splits = eager_values(self.row_splits).tolist()
        return [rows[a:b] for a, b in pairwise(splits)]

    def numpy(self) -> np.ndarray[Any, Any]:
        """Returns the rows as an array; one of arrays where they differ in length.

        Raises:
            ValueError: The tensor is symbolic.

        >>> import graphwright as tf
        >>> tf.ragged.constant([[1, 2], [3, 4]]).numpy().tolist()
        [[1, 2], [3, 4]]
        """
        values = self._values
        inner = values.numpy() if is_ragged(values) else np.asarray(eager_values(values))
        splits = eager_values(self.row_splits).tolist()
        rows = [inner[a:b] for a, b in pairwise(splits)]
        if rows and len({len(row) for row in rows}) == 1:
            return np.stack(rows)
        made = np.empty(len(rows), dtype=object if rows else inner.dtype)
        for i, row in enumerate(rows):
            made[i] = row
        return made if rows else np.empty((0, *inner.shape), inner.dtype)

    def consumers(self) -> list[Any]:
        """The operations that take its tensors; none eagerly."""
        tensors = [self.flat_values, *self.nested_row_splits]
        return [op for t in tensors if hasattr(t, "graph_consumers") for op in t.consumers()]

    # -- Python's protocols -----------------------------------------------------------------

    def __neg__(self) -> Any:
        return opened(arithmetic.negative)(self)

    def __abs__(self) -> Any:
        return opened(magnitude.abs)(self)

    def __invert__(self) -> Any:
        return opened(bitwise.invert_operator)(self)

    def __eq__(self, other: object) -> Any:
        return self._compared(comparison.tensor_equals, other, otherwise=False)

    def __ne__(self, other: object) -> Any:
        return self._compared(comparison.tensor_not_equals, other, otherwise=True)

    def _compared(
        self, function: Callable[[TensorLike, TensorLike], Any], other: Any, otherwise: bool
    ) -> Any:
        """Compares elements; `otherwise` is the result for None and, eagerly, for another form.

        So a list of ragged tensors can be searched.
        """
        if other is None:
            return otherwise
        try:
            return opened(function)(self, other)
        except (InvalidArgumentError, TypeError):
            if current_tracer() is not None:
                raise
            return otherwise

    def __hash__(self) -> int:
        raise TypeError("RaggedTensor is unhashable.")

    def __bool__(self) -> bool:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __getitem__(self, key: object) -> Any:
        return MethodBodies.given().get_item(self, key)

    def __iter__(self) -> Iterator[Any]:
        count = self._row_partition.static_nrows
        if count is None:
            raise TypeError("a ragged tensor whose number of rows is not known cannot be iterated")
        return (self[i] for i in range(count))

    def __graph_iteration__(self) -> Any:
        return RaggedRows(self)

    def __copy__(self) -> RaggedTensor:
        return self

    def __reduce__(self) -> Any:
        return RaggedTensor, (self._values, self._row_partition)

    def __repr__(self) -> str:
        return shown(self)

    __str__ = __repr__

    def _text(self, summarize: int) -> Any:
        """What `tf.print` prints: a string tensor."""
        return MethodBodies.given().text_of(self, summarize)

    # -- as a composite ---------------------------------------------------------------------

    @property
    def __graphwright_spec__(self) -> Any:
        return MethodBodies.given().spec_of(self)

    def _sign(self) -> tuple[Any, list[Any]] | None:
        uniform, splits = [], []
        values: Any = self
        while is_ragged(values):
            partition = values._row_partition
            uniform.append(partition.static_uniform_row_length)
            splits.append(partition.row_splits())
            values = values._values
        tensors = [values, *splits]
        if any(type(tensor) is not EagerTensor for tensor in tensors):
            return None
        flat, rows = values._array, splits[0]._array
        inner = flat.shape[1:]  # how many values there are is no part of the type
        return (flat.dtype, inner, rows.dtype, rows.shape, tuple(uniform)), tensors

    @property
    def _differentiable_part(self) -> Any:
        return self._values

    def _row(self, index: TensorLike) -> Any:
        return self[index]

    def _row_count(self) -> Any:
        return self.nrows()

    @property
    def _static_row_count(self) -> int | None:
        return self._row_partition.static_nrows

    def _with_differentiable_part(self, part: TensorLike) -> RaggedTensor:
        return self.with_values(part)


#: A ragged tensor, or a tensor where nothing is ragged.
RaggedOrTensor: TypeAlias = RaggedTensor | TensorValue


def is_ragged(value: object) -> TypeIs[RaggedTensor]:
    """Whether a value is a ragged tensor."""
    return isinstance(value, RaggedTensor)


def dense_lengths(values: TensorLike, axis: int, dtype: DType) -> Any:
    """The size of a dense axis, for each index of the axes before it."""
    sizes = shape_of(values, dtype)
    return fill(sizes[:axis], sizes[axis])


def eager_values(tensor: TensorLike) -> Any:
    """A tensor's array; ValueError while tracing."""
    if not hasattr(tensor, "numpy"):
        raise ValueError("RaggedTensor.numpy() and to_list() are only supported in eager mode.")
    return tensor.numpy()
