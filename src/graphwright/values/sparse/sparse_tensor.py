"""`tf.SparseTensor`: a tensor that stores only the elements that are not zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from graphwright.op.interpreter import apply
from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import gather, gather_nd
from graphwright.ops.core.indexing import where
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import broadcast_to, reshape
from graphwright.ops.core.repetition import repeat
from graphwright.ops.core.sequences import range as numbers_to
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ops.math.arithmetic import truediv
from graphwright.ops.math.comparison import equal
from graphwright.ops.math.reduction import reduce_max
from graphwright.ops.strings.string_format import StringFormat
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, ShapeLike, Tensor, TensorLike, TensorValue
from graphwright.types.composite import Composite
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.shape import TensorShape
from graphwright.types.specs import TensorSpec, TypeSpec
from graphwright.values.convert import convert


class SparseLike(Protocol):
    """What has the parts of a sparse tensor, as `tf.compat.v1.SparseTensorValue` does."""

    @property
    def indices(self) -> Any: ...
    @property
    def values(self) -> Any: ...
    @property
    def dense_shape(self) -> Any: ...


class SparseTensor(Composite):
    """A tensor that stores some elements; the others are zero.

    Many functions want the indices in the order of a dense tensor's elements: see
    `tf.sparse.reorder`.

    Args:
        indices: A tensor of int64, of shape [n, rank]: where the elements are.
        values: A tensor of shape [n]: the elements.
        dense_shape: A tensor of int64, of shape [rank]: the shape of the whole.

    Raises:
        ValueError: The shapes of the parts do not go together.

    >>> import graphwright as tf
    >>> x = tf.SparseTensor(indices=[[0, 0], [1, 2]], values=[1, 2], dense_shape=[2, 3])
    >>> tf.sparse.to_dense(x).numpy()
    array([[1, 0, 0],
           [0, 0, 2]], dtype=int32)
    """

    __slots__ = ("__weakref__", "_dense_shape", "_indices", "_static", "_values")
    _is_native = True

    def __init__(self, indices: TensorLike, values: TensorLike, dense_shape: TensorLike) -> None:
        self._indices = convert(indices, dt.int64)
        self._values = convert(values)
        self._dense_shape = convert(dense_shape, dt.int64)
        rows = self._indices.shape.with_rank(2)
        count = self._values.shape.with_rank(1)
        sizes = self._dense_shape.shape.with_rank(1)
        for mine, other in ((rows[0], count[0]), (rows[1], sizes[0])):
            if mine is not None and other is not None and mine != other:
                raise ValueError(f"Dimensions {mine} and {other} are not compatible")
        known = self._dense_shape.known
        rank = sizes[0] if known is None and sizes[0] is not None else rows[1]
        whole = TensorShape(None if rank is None else [None] * rank)
        #: A size of -1 is an unknown one: placeholders of TensorFlow 1 have such.
        sizes = known and [None if size == -1 else size for size in known]
        self._static = whole if sizes is None else TensorShape(sizes)

    @classmethod
    def from_value(cls, sparse_tensor_value: object) -> SparseTensor:
        """Makes a sparse tensor of a value that has its three parts.

        Args:
            sparse_tensor_value: An object with `indices`, `values` and `dense_shape`.

        Returns:
            A `tf.SparseTensor`.

        Raises:
            TypeError: A part is missing.

        >>> import graphwright as tf
        >>> import types, graphwright as tf
        >>> parts = types.SimpleNamespace(indices=[[0]], values=[7], dense_shape=[2])
        >>> tf.sparse.to_dense(tf.SparseTensor.from_value(parts)).numpy()
        array([7, 0], dtype=int32)
        """
        parts = ("indices", "values", "dense_shape")
        if not all(hasattr(sparse_tensor_value, part) for part in parts):
            raise TypeError(
                "Argument sparse_tensor_value must be a `SparseTensor` or a "
                f"`SparseTensorValue`. Received type: {type(sparse_tensor_value)}"
            )
        return cls(*[getattr(sparse_tensor_value, part) for part in parts])

    @property
    def indices(self) -> Tensor:
        """Where the elements are: [n, rank], int64."""
        return self._indices

    @property
    def values(self) -> Tensor:
        """The elements: [n]."""
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        """The shape of the whole, as a tensor: [rank], int64."""
        return self._dense_shape

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        dtype: DType = self._values.dtype
        return dtype

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape of the whole."""
        return self._static

    def get_shape(self) -> TensorShape:
        """What is known of the shape, as `shape`."""
        return self._static

    def set_shape(self, shape: ShapeLike) -> None:
        """Adds to what is known of the shape of the whole.

        Args:
            shape: A `tf.TensorShape`, or what makes one.

        Raises:
            ValueError: It contradicts what is known already.
        """
        self._static = self._static.merge_with(TensorShape(shape))

    def with_values(self, new_values: TensorLike) -> SparseTensor:
        """Returns a sparse tensor with other elements in the same places.

        Args:
            new_values: A tensor of shape [n].

        Returns:
            A `tf.SparseTensor`.

        >>> import graphwright as tf
        >>> x = tf.SparseTensor([[0], [2]], [1, 2], [3])
        >>> tf.sparse.to_dense(x.with_values([7, 8])).numpy()
        array([7, 0, 8], dtype=int32)
        """
        made = SparseTensor(self._indices, new_values, self._dense_shape)
        made.set_shape(self._static)
        return made

    @property
    def __graphwright_spec__(self) -> SparseTensorSpec:
        return SparseTensorSpec(self._static, self.dtype)

    @property
    def _differentiable_part(self) -> Any:
        return self._values

    def _with_differentiable_part(self, part: TensorLike) -> SparseTensor:
        return self.with_values(part)

    def _row(self, index: TensorLike) -> SparseTensor:
        place = cast(convert(index), dt.int64)
        places = reshape(where(equal(self._indices[:, 0], place)), [-1])
        rest = gather(self._indices, places)[:, 1:]
        row = SparseTensor(rest, gather(self._values, places), self._dense_shape[1:])
        row.set_shape(self._static[1:])
        return row

    def _row_count(self) -> Any:
        return self._dense_shape[0]

    @property
    def _static_row_count(self) -> int | None:
        return self._static[0]

    # -- operators ----------------------------------------------------------------------

    def __mul__(self, other: TensorLike) -> SparseTensor:
        return self.with_values(self._values * self._opposite(other))

    def __truediv__(self, other: TensorLike) -> SparseTensor:
        return self.with_values(truediv(self._values, self._opposite(other)))

    def _opposite(self, dense: TensorLike) -> Any:
        """The elements of a dense tensor, broadcast to this shape, where this one has any."""
        dense = convert(dense, self.dtype)
        return gather_nd(broadcast_to(dense, self._dense_shape), self._indices)

    def __repr__(self) -> str:
        return (
            f"SparseTensor(indices={self._indices!s}, values={self._values!s}, "
            f"dense_shape={self._dense_shape!s})"
        )

    def _text(self, summarize: int) -> Any:
        """What `tf.print` prints: a string tensor."""
        parts = [self._indices, self._values, self._dense_shape]
        template = "'SparseTensor(indices={}, values={}, shape={})'"
        return apply(StringFormat.of(template, "{}", summarize), *parts)


class SparseTensorSpec(TypeSpec):
    """The type of sparse tensors of a dtype and a shape.

    Args:
        shape: A `tf.TensorShape`, or what makes one, of which dimensions may be unknown.
        dtype: The dtype of the elements.

    >>> import graphwright as tf
    >>> tf.SparseTensorSpec([None, 3], tf.int32)
    SparseTensorSpec(TensorShape([None, 3]), tf.int32)
    """

    __slots__ = ("_dtype", "_shape")

    def __init__(self, shape: ShapeLike = None, dtype: DTypeLike = dt.float32) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)

    @classmethod
    def from_value(cls, value: object) -> SparseTensorSpec:
        """Returns the spec of a sparse tensor.

        Args:
            value: A `tf.SparseTensor`.

        Returns:
            A `tf.SparseTensorSpec`.

        Raises:
            TypeError: `value` is no sparse tensor.
        """
        if not isinstance(value, SparseTensor):
            raise TypeError(f"Expected SparseTensor or SparseTensorValue, got {value!r}")
        return value.__graphwright_spec__

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._dtype

    @property
    def value_type(self) -> type:
        """`tf.SparseTensor`."""
        return SparseTensor

    def _serialize(self) -> tuple[Any, ...]:
        return (self._shape, self._dtype)

    @property
    def _component_specs(self) -> Any:
        rank = self._shape.rank
        return [
            TensorSpec([None, rank], dt.int64),
            TensorSpec([None], self._dtype),
            TensorSpec([rank], dt.int64),
        ]

    def _to_components(self, value: SparseTensor) -> Any:
        return [value.indices, value.values, value.dense_shape]

    def _from_components(self, components: Sequence[TensorValue]) -> SparseTensor:
        made = SparseTensor(*components)
        made.set_shape(self._shape)
        return made

    def _batch(self, batch_size: int | None) -> SparseTensorSpec:
        return SparseTensorSpec(TensorShape([batch_size]).concatenate(self._shape), self._dtype)

    def _unbatch(self) -> SparseTensorSpec:
        shape = self._shape
        return SparseTensorSpec(shape if shape.rank is None else shape[1:], self._dtype)

    _of_rows = _unbatch

    def _items(self) -> SparseItems:
        return SparseItems(self)


class SparseItems:
    """Sparse tensors collected as the rows of one: see `control.map.MappedItems`."""

    def __init__(self, spec: SparseTensorSpec) -> None:
        self._spec = spec
        self.dtypes: Sequence[DType] = [dt.int64, spec.dtype, dt.int64, dt.int64]

    def parts(self, result: SparseTensor) -> Sequence[Any]:
        """The indices, the values, the shape, and how many values there are."""
        count = shape_of(result.indices, dt.int64)[0]
        return [result.indices, result.values, result.dense_shape, count]

    def together(self, arrays: Sequence[Any], length: int | None) -> Any:
        """All results as the rows of a sparse tensor, which is as large as the largest of them."""
        indices, values, shapes, counts = arrays
        lengths = counts.stack()
        numbers = numbers_to(cast(shape_of(lengths)[0], dt.int64))
        rows = repeat(numbers, lengths)
        sizes = concat([shape_of(lengths, dt.int64), reduce_max(shapes.stack(), 0)], 0)
        places = concat([rows[:, None], indices.concat()], 1)
        whole = SparseTensor(places, values.concat(), sizes)
        whole.set_shape(TensorShape([length]).concatenate(self._spec.shape))
        return whole


def converted(value: object, what: str = "sp_input") -> SparseTensor:
    """A sparse tensor as it is; TypeError that names the argument for anything else."""
    if isinstance(value, SparseTensor):
        return value
    if all(hasattr(value, part) for part in ("indices", "values", "dense_shape")):
        return SparseTensor.from_value(value)
    raise TypeError(f"Input must be a SparseTensor: {what} is {value!r}")
