"""`tf.IndexedSlices`: a tensor of which only some rows differ from zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from numpy import ndarray

from graphwright.op.cotangents import Cotangent
from graphwright.op.dispatch import implement
from graphwright.ops.core.casting import cast
from graphwright.ops.core.joining import concat
from graphwright.ops.core.segment_reduction import unsorted_segment_sum
from graphwright.ops.math.arithmetic import add
from graphwright.ops.state.list_ops import add_lists
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, ShapeLike, TensorLike, TensorValue
from graphwright.types.composite import Composite
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.shape import TensorShape
from graphwright.types.specs import TensorSpec, TypeSpec
from graphwright.values.convert import convert, register_conversion
from graphwright.values.tensor import EagerTensor


class IndexedSlices(Composite):
    """Rows `values` at `indices` of a tensor of shape `dense_shape`; rows at equal indices add up.

    Gradients of `tf.gather` are of this type. It converts to a dense tensor.

    Args:
        values: A tensor of shape [n, ...]: the rows.
        indices: A tensor of int32 or int64, of shape [n]: the numbers of the rows.
        dense_shape: A vector of int32 or int64: the shape of the whole tensor. None where it is not
            known.

    >>> import graphwright as tf
    >>> rows = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([0, 2]), [3, 1])
    >>> tf.convert_to_tensor(rows).numpy().tolist()
    [[1.0], [0.0], [2.0]]
    """

    _is_native = True

    def __init__(
        self, values: TensorValue, indices: TensorLike, dense_shape: TensorLike | None = None
    ) -> None:
        self._values = values
        self._indices = indices
        self._dense_shape: Any = dense_shape

    @property
    def values(self) -> Any:
        """The rows, of shape [n, ...]."""
        return self._values

    @property
    def indices(self) -> Any:
        """The numbers of the rows, of shape [n]."""
        return self._indices

    @property
    def dense_shape(self) -> Any:
        """The shape of the whole tensor, or None."""
        return self._dense_shape

    @property
    def dtype(self) -> DType:
        """The dtype of the rows."""
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape of the whole tensor."""
        shape = TensorShape([None]).concatenate(self._values.shape[1:])
        if self._dense_shape is None:
            return shape
        whole = convert(self._dense_shape).known
        return shape if whole is None else shape.merge_with(TensorShape(whole))

    @property
    def __graphwright_spec__(self) -> IndexedSlicesSpec:
        whole = self._dense_shape
        return IndexedSlicesSpec(
            self.shape,
            self.dtype,
            convert(self._indices).dtype,
            None if whole is None else convert(whole).dtype,
            convert(self._indices).shape,
        )

    @property
    def _differentiable_part(self) -> Any:
        return self._values

    def _with_differentiable_part(self, part: TensorValue) -> IndexedSlices:
        return IndexedSlices(part, self._indices, self._dense_shape)

    def to_tensor(self) -> Any:
        """Returns the whole tensor.

        Raises:
            ValueError: There is no `dense_shape`.
        """
        if self._dense_shape is None:
            raise ValueError(
                "Tensor conversion requested for IndexedSlices for argument `value` without "
                f"dense_shape: {self}"
            )
        known = convert(self._dense_shape).known
        size = None if known is None else known[0]
        return unsorted_segment_sum(
            self._values, self._indices, self._dense_shape[0] if size is None else size
        )

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self._values, self._indices, self._dense_shape)

    def __str__(self) -> str:
        whole = "" if self._dense_shape is None else f", dense_shape={self._dense_shape!s}"
        return f"IndexedSlices(indices={self._indices!s}, values={self._values!s}{whole})"


class IndexedSlicesSpec(TypeSpec):
    """The type of a `tf.IndexedSlices`.

    Args:
        shape: The shape of the whole tensor.
        dtype: The dtype of the rows.
        indices_dtype: The dtype of the indices.
        dense_shape_dtype: The dtype of the dense shape, or None where there is none.
        indices_shape: The shape of the indices, of rank 1.

    Raises:
        ValueError: `indices_shape` is not of rank 1.

    >>> import graphwright as tf
    >>> tf.IndexedSlicesSpec([4, 2])
    IndexedSlicesSpec(TensorShape([4, 2]), tf.float32, tf.int64, None, TensorShape([None]))
    """

    __slots__ = ("_dense_shape_dtype", "_dtype", "_indices_dtype", "_indices_shape", "_shape")

    def __init__(
        self,
        shape: ShapeLike = None,
        dtype: DTypeLike = dt.float32,
        indices_dtype: DTypeLike = dt.int64,
        dense_shape_dtype: DTypeLike | None = None,
        indices_shape: ShapeLike = None,
    ) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)
        self._indices_dtype = as_dtype(indices_dtype)
        self._dense_shape_dtype = None if dense_shape_dtype is None else as_dtype(dense_shape_dtype)
        self._indices_shape = TensorShape(indices_shape).with_rank(1)

    @property
    def value_type(self) -> type:
        """`tf.IndexedSlices`."""
        return IndexedSlices

    def _serialize(self) -> tuple[Any, ...]:
        return (
            self._shape,
            self._dtype,
            self._indices_dtype,
            self._dense_shape_dtype,
            self._indices_shape,
        )

    @property
    def _component_specs(self) -> Any:
        rows = self._indices_shape.concatenate(self._shape[1:])
        specs = (
            TensorSpec(rows, self._dtype),
            TensorSpec(self._indices_shape, self._indices_dtype),
        )
        if self._dense_shape_dtype is None:
            return specs
        return (*specs, TensorSpec([self._shape.rank], self._dense_shape_dtype))

    def _to_components(self, value: IndexedSlices) -> Any:
        if value.dense_shape is None:
            return (value.values, value.indices)
        return (value.values, value.indices, value.dense_shape)

    def _from_components(self, components: Sequence[TensorValue]) -> IndexedSlices:
        return IndexedSlices(*components)


#: How a scalar changes with a value: for all of it, or for the rows that it depends on.
SparseCotangent: TypeAlias = "Cotangent | IndexedSlices"


def add_cotangents(a: SparseCotangent, b: SparseCotangent) -> Any:
    """The sum of two cotangents; two sparse ones stay sparse."""
    if type(a) is EagerTensor and type(b) is EagerTensor and type(a._array) is ndarray:
        return a + b
    if isinstance(a, IndexedSlices) and isinstance(b, IndexedSlices):
        return IndexedSlices(
            concat([a.values, b.values], 0), concat([a.indices, b.indices], 0), a.dense_shape
        )
    x, y = convert(a), convert(b)
    return add_lists(x, y) if x.dtype is dt.variant else add(x, y)


def densify(value: IndexedSlices, dtype: DType | None, name: str | None) -> Any:
    """The conversion of slices to a tensor; ValueError if it is of another dtype."""
    if dtype is not None and dtype is not value.dtype:
        raise ValueError(
            f"Incompatible tensor conversion requested to `dtype` {dtype.name} for IndexedSlices "
            f"({value}) with dtype {value.dtype.name}"
        )
    return value.to_tensor()


@implement(cast, IndexedSlices)
def cast_rows(x: IndexedSlices, dtype: DTypeLike, name: str | None = None) -> IndexedSlices:
    """The same rows with elements of another dtype."""
    return IndexedSlices(cast(x.values, dtype, name), x.indices, x.dense_shape)


register_conversion(IndexedSlices, densify)
