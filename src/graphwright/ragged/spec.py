"""`tf.RaggedTensorSpec`: the type of a ragged tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.base.errors import InvalidArgumentError
from graphwright.control.tensor_array import TensorArray
from graphwright.op.interpreter import convert
from graphwright.op.refusal import boundaries
from graphwright.ragged.factories import outer_size
from graphwright.ragged.ragged_tensor import RaggedOrTensor, RaggedTensor, is_ragged
from graphwright.ragged.row_partition import RowPartition, splits_dtype
from graphwright.trace.tracer import current_tracer
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, ShapeLike, TensorLike, TensorValue
from graphwright.types.dtypes import DType
from graphwright.types.shape import TensorShape
from graphwright.types.specs import TensorSpec
from graphwright.types.type_spec import TypeSpec
from graphwright.values.tensor import Tensor


@boundaries
class RaggedTensorSpec(TypeSpec):
    """The type of a `tf.RaggedTensor`.

    Args:
        shape: A `tf.TensorShape`, or what makes one: None where rows differ in length.
        dtype: The dtype of the values.
        ragged_rank: An int: how often the values are divided. None means along all axes but the
            first.
        row_splits_dtype: tf.int32 or tf.int64.
        flat_values_spec: The type of the flat values, if they are no plain tensor.

    Raises:
        ValueError: `ragged_rank` does not fit the shape, or neither is known.
        TypeError: `ragged_rank` is no int.

    >>> import graphwright as tf
    >>> tf.RaggedTensorSpec([None, None], tf.int32)
    RaggedTensorSpec(TensorShape([None, None]), tf.int32, 1, tf.int64)
    """

    __slots__ = ("_dtype", "_flat_values_spec", "_ragged_rank", "_row_splits_dtype", "_shape")

    def __init__(
        self,
        shape: ShapeLike = None,
        dtype: DTypeLike = dt.float32,
        ragged_rank: int | None = None,
        row_splits_dtype: DTypeLike = dt.int64,
        flat_values_spec: TensorSpec | None = None,
    ) -> None:
        self._shape = TensorShape(shape)
        self._row_splits_dtype = splits_dtype(row_splits_dtype)
        self._flat_values_spec = flat_values_spec
        self._dtype = dt.as_dtype(flat_values_spec.dtype if flat_values_spec else dtype)
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        if not isinstance(ragged_rank, int):
            raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
        if rank is not None and ragged_rank >= rank:
            raise ValueError(
                f"Argument `ragged_rank` ({ragged_rank}) must be less than rank ({rank})."
            )
        self._ragged_rank = ragged_rank

    @property
    def value_type(self) -> type:
        """`tf.RaggedTensor`, or `tf.Tensor` if nothing is ragged."""
        return RaggedTensor if self._ragged_rank > 0 else Tensor

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        return self._dtype

    @property
    def ragged_rank(self) -> int:
        """How often the values are divided."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> DType:
        """The dtype of splits."""
        return self._row_splits_dtype

    @property
    def flat_values_spec(self) -> Any:
        """The type of the values, if it is no plain tensor's."""
        return self._flat_values_spec

    @classmethod
    def from_value(cls, value: RaggedTensor) -> RaggedTensorSpec:
        """Returns the type of a ragged tensor.

        Args:
            value: A `tf.RaggedTensor`.

        Returns:
            A `tf.RaggedTensorSpec`.
        """
        return cls(value.shape, value.dtype, value.ragged_rank, value.row_splits.dtype)

    def _serialize(self) -> tuple[Any, ...]:
        plain = (self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype)
        return plain if self._flat_values_spec is None else (*plain, self._flat_values_spec)

    @property
    def _component_specs(self) -> Any:
        rank = self._ragged_rank
        if rank <= 0:
            return [self._flat_values_spec or TensorSpec(self._shape, self._dtype)]
        dims: Any = self._shape.rank and list(self._shape)
        inner = None if not dims else [product(dims[: rank + 1]), *dims[rank + 1 :]]
        specs = [self._flat_values_spec or TensorSpec(inner, self._dtype)]
        for i in range(rank):
            count = product(dims[: i + 1]) if dims else None
            size = None if count is None else count + 1
            specs.append(TensorSpec([size], self._row_splits_dtype))
        return specs

    def _to_components(self, value: object) -> Any:
        if not is_ragged(value):
            return [value]
        return [value.flat_values, *value.nested_row_splits]

    def _from_components(self, components: Sequence[TensorValue]) -> Any:
        values: RaggedOrTensor
        values, *splits = components
        dims = self._shape.rank and list(self._shape)
        for i, each in reversed(list(enumerate(splits))):
            partition = RowPartition(each)
            length = dims[i + 1] if dims else None
            if length is not None:
                partition = partition.with_uniform_row_length(length)
            values = RaggedTensor(values, partition)
        return values

    def _with_shape(self, shape: ShapeLike) -> RaggedTensorSpec:
        return RaggedTensorSpec(shape, self._dtype, self._ragged_rank, self._row_splits_dtype)

    def _of_rows(self) -> RaggedTensorSpec:
        shape = self._shape[1:] if self._shape.rank is not None else self._shape
        return RaggedTensorSpec(shape, self._dtype, self._ragged_rank - 1, self._row_splits_dtype)

    def _items(self) -> RaggedItems:
        return RaggedItems(self)

    def _batch(self, batch_size: int | None) -> RaggedTensorSpec:
        shape = TensorShape([batch_size]).concatenate(self._shape)
        return RaggedTensorSpec(shape, self._dtype, self._ragged_rank + 1, self._row_splits_dtype)

    def _unbatch(self) -> RaggedTensorSpec:
        # It may be negative: rows of rows, of which a dataset can make batches again.
        if self._shape.rank == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        return self._of_rows()


def product(dims: Sequence[int | None]) -> int | None:
    """The product of sizes; None if one is not known."""
    total = 1
    for size in dims:
        if size is None:
            return None
        total *= size
    return total


class RaggedItems:
    """Tensors or ragged tensors collected as the rows of one: see `control.map.MappedItems`."""

    def __init__(self, spec: RaggedTensorSpec) -> None:
        self._spec = spec
        lengths = [spec.row_splits_dtype] * (spec.ragged_rank + 1)
        self.dtypes: Sequence[DType] = [spec.dtype, *lengths]

    def parts(self, result: TensorLike) -> Sequence[Any]:
        """The flat values, the number of rows, and the lengths of rows at each depth."""
        spec = self._spec
        result = result if is_ragged(result) else convert(result)
        rank = result.ragged_rank if is_ragged(result) else 0
        if rank != spec.ragged_rank or result.shape.rank == 0:
            raise InvalidArgumentError(
                None, None, f"The result {result!r} is not compatible with {spec!r}"
            )
        count = outer_size(result, spec.row_splits_dtype)
        if not is_ragged(result):
            return [result, count]
        inner = result.with_row_splits_dtype(spec.row_splits_dtype)
        return [result.flat_values, count, *inner.nested_row_lengths()]

    def together(self, arrays: Sequence[TensorArray], length: int | None) -> Any:
        """All results as the rows of a ragged tensor."""
        values, counts, *lengths = arrays
        counted = counts.stack()
        if length is not None and current_tracer() is not None:
            counted.set_shape([length])
        return RaggedTensor.from_nested_row_lengths(
            values.concat(), [counted, *[each.concat() for each in lengths]], validate=False
        )
