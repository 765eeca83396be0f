"""Slices dealt out to several tensors, and merged from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert, convert_many, is_tensor
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.core.gathering import blank, gather
from graphwright.ops.core.joining import zeros_for_none
from graphwright.ops.core.movement import reshape
from graphwright.ops.core.sequences import range as range_of
from graphwright.ops.core.shapes import shape_of, size
from graphwright.ops.core.static import static_value
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType, is_compatible, show_dims


class DynamicPartition(Op):
    """The slices of `data` whose number in `partitions` is 0, 1, ..."""

    type_name = "DynamicPartition"
    inputs = ("data: T", "partitions: int32")
    outputs = ("outputs: T*",)
    dtypes = {"T": dt.ANY}
    returns_tuple = True
    least = {"num_partitions": 1}

    num_partitions: int

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        return super().result_dtypes(types) * self.num_partitions

    def shapes(self, data: TensorType, partitions: TensorType) -> Shapes:
        if data.dims is None or partitions.dims is None:
            return (None,) * self.num_partitions
        rank = len(partitions.dims)
        if not is_compatible(data.dims[:rank], partitions.dims):
            raise ValueError(
                "data.shape must start with partitions.shape, got data.shape = "
                f"{show_dims(data.dims)}, partitions.shape = {show_dims(partitions.dims)}"
            )
        return ((None, *data.dims[rank:]),) * self.num_partitions

    def kernel(self, data: Array, partitions: Array) -> Any:
        data, partitions = np.asarray(data), np.asarray(partitions)
        if data.shape[: partitions.ndim] != partitions.shape:
            raise ValueError("data.shape must start with partitions.shape")
        bad = np.argwhere((partitions < 0) | (partitions >= self.num_partitions))
        if len(bad):
            where = tuple(bad[0])
            raise InvalidArgumentError(
                None,
                None,
                f"partitions[{','.join(map(str, where))}] = {partitions[where]} is not in "
                f"[0, {self.num_partitions})",
            )
        return tuple([data[partitions == i] for i in range(self.num_partitions)])

    def gradient(self, call: Call, *cotangents: Cotangent) -> Sequence[Any]:
        data, partitions = call.inputs
        places = reshape(range_of(size(partitions)), shape_of(partitions))
        parts = apply(self, places, partitions)
        return reshape(
            dynamic_stitch(parts, zeros_for_none(call, cotangents)), shape_of(data)
        ), None


class DynamicStitch(Op):
    """Slices put at the places of the result that `indices` name; the last one wins."""

    type_name = "DynamicStitch"
    ruled = True
    inputs = ("indices: int32*", "data: T*")
    outputs = ("merged: T",)
    dtypes = {"T": dt.ANY}
    least = {"indices": 1, "data": 1}

    def shapes(self, *operands: TensorType) -> Shapes:
        half = len(operands) // 2
        indices, data = operands[:half], operands[half:]
        rest: Dims | None = None
        for i, (place, part) in enumerate(zip(indices, data)):
            if place.dims is None or part.dims is None:
                continue
            if not is_compatible(part.dims[: len(place.dims)], place.dims):
                raise ValueError(
                    f"data[{i}].shape = {show_dims(part.dims)} does not start with "
                    f"indices[{i}].shape = {show_dims(place.dims)}"
                )
            tail = part.dims[len(place.dims) :]
            if not is_compatible(rest, tail):
                raise ValueError(
                    f"Need data[0].shape[{indices[0].rank}:] = data[{i}].shape[{place.rank}:], "
                    f"got data[0].shape = {show_dims(data[0].dims)}, data[{i}].shape = "
                    f"{show_dims(part.dims)}, indices[0].shape = {show_dims(indices[0].dims)}, "
                    f"indices[{i}].shape = {show_dims(place.dims)}"
                )
            rest = (
                tail if rest is None else tuple([b if a is None else a for a, b in zip(rest, tail)])
            )
        return (None if rest is None else (None, *rest),)

    def kernel(self, *arrays: Any) -> Any:
        half = len(arrays) // 2
        indices, data = [np.asarray(a) for a in arrays[:half]], arrays[half:]
        for place in indices:
            if (place < 0).any():
                first = int(np.argmax(np.ravel(place) < 0))
                raise ValueError(f"indices[{first}] is out of range")
        count = max([int(place.max()) + 1 for place in indices if place.size], default=0)
        like = np.asarray(data[0])
        rest = like.shape[indices[0].ndim :]
        merged = np.full((count, *rest), blank(like.dtype), like.dtype)
        for place, part in zip(indices, data):
            merged[place.ravel()] = np.reshape(part, (place.size, *rest))
        return merged

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        indices = call.inputs[: len(call.inputs) // 2]
        return *[None] * len(indices), *[gather(g, place) for place in indices]


def dynamic_partition(
    data: TensorLike, partitions: TensorLike, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """Deals out the slices of a tensor to several tensors, by a number for each slice.

    Args:
        data: A tensor of any dtype, whose shape starts with that of `partitions`.
        partitions: A tensor of int32: the number of the result that each slice goes to.
        num_partitions: The number of results, an int.
        name: A name for the op.

    Returns:
        A list of `num_partitions` tensors, each of the slices in their order.

    Raises:
        InvalidArgumentError: A number is outside [0, num_partitions), or the shape of `data` does
            not start with that of `partitions`.

    >>> import graphwright as tf
    >>> parts = tf.dynamic_partition([10, 20, 30], [1, 0, 1], 2)
    >>> [p.numpy().tolist() for p in parts]
    [[20], [10, 30]]
    """
    op = DynamicPartition.of(int(num_partitions))
    return list(apply(op, convert(data), as_places(partitions), name=name))


def as_places(value: TensorLike) -> Any:
    """A tensor of int32; it is for the op to refuse a tensor of another dtype."""
    return convert(value) if is_tensor(value) else convert(value, dt.int32)


def dynamic_stitch(
    indices: Sequence[TensorLike], data: Sequence[TensorLike], name: str | None = None
) -> Tensor:
    """Puts slices of several tensors into one, each at the place that its index names.

    Of slices for one place, the last is taken. A place that no index names is 0, or empty text.

    Args:
        indices: A list of tensors of int32, of any shapes.
        data: A list of as many tensors of one dtype; the shape of each starts with that of its
            indices.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `data`, with a row for each place up to the greatest index.

    Raises:
        InvalidArgumentError: An index is negative, or shapes do not fit.

    >>> import graphwright as tf
    >>> tf.dynamic_stitch([[2, 0], [1]], [["c", "a"], ["b"]]).numpy().tolist()
    [b'a', b'b', b'c']
    """
    for name_of, given in (("indices", indices), ("data", data)):
        if not isinstance(given, (list, tuple)):
            raise TypeError(
                f"Expected list for '{name_of}' argument to 'dynamic_stitch' Op, not {given!r}."
            )
    places = [as_places(i) for i in indices]
    result = apply(DynamicStitch.of(), *places, *convert_many(data), name=name)
    dims = result.type.dims
    if dims is not None and dims[0] is None:
        known = [static_value(place) for place in places]
        if all(value is not None for value in known):
            count = max([int(value.max()) + 1 for value in known if value.size], default=0)
            result.set_shape([count, *dims[1:]])
    return result
