"""Axes, sizes and shapes of ragged tensors."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any, SupportsIndex

from graphwright.control.assertions import assert_equal
from graphwright.control.dependencies import control_dependencies
from graphwright.ir.operation import Operation
from graphwright.op.dispatch import implement
from graphwright.op.interpreter import convert
from graphwright.ops.core import creation, indicators, movement
from graphwright.ops.core import shapes as shape
from graphwright.ops.core.identity import identity
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ragged.broadcasting import aligned
from graphwright.ragged.ragged_indexing import wrapped
from graphwright.ragged.ragged_reduction import Axes, positive_axes
from graphwright.ragged.ragged_shape import DynamicRaggedShape
from graphwright.ragged.ragged_tensor import RaggedOrTensor, RaggedTensor, is_ragged
from graphwright.ragged.row_partition import RowPartition
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, TensorLike, TensorValue


@implement(movement.expand_dims, RaggedTensor)
def expand_dims(input: RaggedTensor, axis: SupportsIndex, name: str | None = None) -> Any:
    """A ragged tensor with an axis of size 1 more."""
    place = input.positive_axis(operator.index(axis), "axis", extra=1)
    return expanded(input, place)


def expanded(x: RaggedOrTensor, axis: int) -> Any:
    """A tensor or ragged tensor with an axis of size 1 more."""
    if not is_ragged(x):
        return movement.expand_dims(x, axis)
    if axis == 0:
        return wrapped(x, x.row_splits.dtype)
    if axis == 1:
        count = x._row_partition.static_nrows
        partition = RowPartition.from_uniform_row_length(
            1, nrows=x.nrows() if count is None else count, dtype=x.row_splits.dtype
        )
        return RaggedTensor(x, partition)
    return x.with_values(expanded(x.values, axis - 1))


@implement(movement.squeeze, RaggedTensor)
def squeeze(input: RaggedTensor, axis: Axes | None = None, name: str | None = None) -> Any:
    """A ragged tensor without the given axes, which must be of size 1."""
    if axis is None:
        raise ValueError("Ragged.squeeze must have an axis argument.")
    result: Any = input
    for each in sorted(positive_axes(input, axis), reverse=True):
        result = squeezed(result, each, f"axis {each} must be of size 1")
    return result


def squeezed(x: RaggedOrTensor, axis: int, words: str) -> Any:
    """A tensor or ragged tensor without one axis; else an error with these words."""
    if not is_ragged(x):
        return movement.squeeze(x, [axis])
    one = convert(1, x.row_splits.dtype)
    if axis == 0:
        return checked(x.values, assert_equal(x.nrows(), one, words))
    if axis > 1:
        return x.with_values(squeezed(x.values, axis - 1, words))
    if x._row_partition.static_uniform_row_length == 1:
        return x.values
    return checked(x.values, assert_equal(x.row_lengths(), one, words))


def checked(x: RaggedOrTensor, check: Operation | None) -> Any:
    """A tensor or ragged tensor that comes after a check, if that is an operation."""
    if check is None:
        return x
    with control_dependencies([check]):
        return x.with_flat_values(identity(x.flat_values)) if is_ragged(x) else identity(x)


@implement(movement.reshape, RaggedTensor, DynamicRaggedShape)
def reshape(
    tensor: TensorLike, shape: DynamicRaggedShape | Iterable[object], name: str | None = None
) -> Any:
    """All elements in a row, or in a ragged shape; ValueError for another shape."""
    if isinstance(shape, DynamicRaggedShape):
        flat = tensor.flat_values if is_ragged(tensor) else convert(tensor)
        return shape.like(movement.reshape(flat, shape.inner_shape))
    if not is_ragged(tensor) or list(shape) != [-1]:
        raise ValueError("A ragged tensor can only be reshaped to [-1]; see merge_dims")
    return movement.reshape(tensor.flat_values, [-1])


@implement(shape.size, RaggedTensor)
def size(input: RaggedTensor, out_type: DTypeLike | None = None, name: str | None = None) -> Any:
    """The number of elements."""
    return shape.size(input.flat_values, out_type)


@implement(shape.rank, RaggedTensor)
def rank(input: RaggedTensor, name: str | None = None) -> Any:
    """The number of axes, ragged ones included."""
    return shape.rank(input.flat_values) + input.ragged_rank


@implement(shape.shape, RaggedTensor)
def ragged_shape(
    input: TensorLike, out_type: DTypeLike | None = None, name: str | None = None
) -> DynamicRaggedShape:
    """The shape: the lengths of rows along each axis."""
    return DynamicRaggedShape.from_tensor(input, dt.int32 if out_type is None else out_type)


@implement(indicators.one_hot, RaggedTensor)
def one_hot(
    indices: RaggedTensor,
    depth: TensorLike,
    on_value: TensorLike | None = None,
    off_value: TensorLike | None = None,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Any:
    """Indicators of each index along a new last axis; ValueError for another axis."""
    if axis not in (None, -1, indices.shape.rank):
        raise ValueError("the axis of tf.one_hot must be the last one of a ragged tensor")
    flat = indicators.one_hot(indices.flat_values, depth, on_value, off_value, -1, dtype)
    return indices.with_flat_values(flat)


def register_filling(fill: Callable[..., TensorValue]) -> None:
    """Registers a function that makes a tensor of a shape for ragged shapes."""

    @implement(fill, DynamicRaggedShape)
    def meaning(shape: DynamicRaggedShape, *rest: object) -> Any:
        return shape.like(fill(shape.inner_shape, *rest))


for _function in (creation.zeros, creation.ones, creation.fill):
    register_filling(_function)


@implement(movement.broadcast_to, DynamicRaggedShape)
def broadcast_to(input: TensorLike, shape: DynamicRaggedShape, name: str | None = None) -> Any:
    """A tensor or ragged tensor broadcast to a ragged shape; InvalidArgumentError if it is none."""
    whole = shape.like(creation.zeros(shape.inner_shape, dt.bool_))
    value = input if is_ragged(input) else convert(input)
    values, like = aligned([whole, value])
    return like(movement.broadcast_to(values[1], shape_of(values[0])))
