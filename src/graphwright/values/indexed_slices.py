"""`tf.IndexedSlices`: a tensor of which only some rows differ from zero."""

from __future__ import annotations

from typing import Any

from graphwright.op.interpreter import Hooks
from graphwright.ops.arithmetic import add
from graphwright.ops.joining import concat
from graphwright.ops.lists import add_lists
from graphwright.types.dtypes import DType, variant
from graphwright.values.convert import convert, register_conversion


class IndexedSlices:
    """Rows `values` at `indices` of a tensor of shape `dense_shape`; equal indices add up."""

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values = values
        self._indices = indices
        self._dense_shape = dense_shape

    @property
    def values(self) -> Any:
        """The rows, of shape [n, ...]."""
        return self._values

    @property
    def indices(self) -> Any:
        """Which rows they are, of shape [n]."""
        return self._indices

    @property
    def dense_shape(self) -> Any:
        """The shape of the whole tensor, or None."""
        return self._dense_shape

    @property
    def dtype(self) -> DType:
        """The dtype of the rows."""
        found: DType = self._values.dtype
        return found

    @property
    def shape(self) -> Any:
        """What is known of the shape of the whole tensor."""
        from graphwright.types.shape import TensorShape

        return TensorShape([None, *self._values.shape[1:]])

    def to_tensor(self) -> Any:
        """The whole tensor."""
        if self._dense_shape is None:
            raise ValueError(
                "Tensor conversion requested for IndexedSlices for which dense_shape is unknown."
            )
        from graphwright.ops.segment import unsorted_segment_sum

        return unsorted_segment_sum(self._values, self._indices, self._dense_shape[0])

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self._values, self._indices, self._dense_shape)

    def __repr__(self) -> str:
        return (
            f"IndexedSlices(indices={self._indices!r}, values={self._values!r}, "
            f"dense_shape={self._dense_shape!r})"
        )


def add_cotangents(a: Any, b: Any) -> Any:
    """The sum of two cotangents; two sparse ones stay sparse."""
    if isinstance(a, IndexedSlices) and isinstance(b, IndexedSlices):
        return IndexedSlices(
            concat([a.values, b.values], 0), concat([a.indices, b.indices], 0), a.dense_shape
        )
    a = convert(a)
    return add_lists(a, b) if a.dtype is variant else add(a, convert(b))


def densify(value: IndexedSlices, dtype: DType | None, name: str | None) -> Any:
    """The conversion of slices to a tensor."""
    return convert(value.to_tensor(), dtype)


register_conversion(IndexedSlices, densify)

Hooks.rows = IndexedSlices
