"""Tensors with other elements or slices at places that are given as data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from graphwright.op.batching import Each
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert, convert_pair
from graphwright.op.op import Call, LateRefusal, Op, Shapes
from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import (
    check_policy,
    gather_nd,
    scatter,
    scatter_nd,
    with_rows,
)
from graphwright.ops.core.movement import broadcast_to
from graphwright.ops.core.rule_words import HALVES, columns_of, scattered
from graphwright.ops.core.scatter_kernels import Combination
from graphwright.ops.core.shapes import shape_of
from graphwright.ops.math.comparison import SELECT, equal
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType, is_compatible, show_dims

INDICES = frozenset({dt.int16, dt.int32, dt.int64, dt.uint16})


class TensorScatter(Op):
    """The tensor with `updates` combined into it at the index vectors of `indices`."""

    inputs = ("tensor: T", "indices: Tindices", "updates: T")
    outputs = ("output: T",)
    dtypes = {"T": dt.NUMERIC, "Tindices": dt.INDEX}

    kind: ClassVar[Combination]

    bad_indices_policy: str = ""

    def shapes(self, tensor: TensorType, indices: TensorType, updates: TensorType) -> Shapes:
        check_tensor_updates(tensor.dims, indices.dims, updates.dims)
        return (tensor.dims,)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        check_policy(self.bad_indices_policy)
        return self.kernel

    def kernel(self, tensor: Array, indices: Array, updates: Array) -> Any:
        check_tensor_updates(np.shape(tensor), np.shape(indices), np.shape(updates))
        tensor, indices, updates = np.asarray(tensor), np.asarray(indices), np.asarray(updates)
        return scatter(self.kind, tensor, indices, updates, self.bad_indices_policy)

    def expand(self, x: GraphTensor, indices: GraphTensor, updates: GraphTensor) -> Any:
        """Updates combined with the slices in the places of rows of indices."""
        combine = {"add": "sum", "sub": "sum", "update": ""}.get(self.kind, self.kind)
        if not indices.shape[-1] or self.bad_indices_policy or (combine and x.dtype in HALVES):
            return None
        places = columns_of(indices)
        if self.kind == "sub":  # unsigned numbers have no `-`, and floats have a zero with a sign
            updates = cast(0, x.dtype) - updates if x.dtype.is_unsigned else -updates
        beyond = {"max": "peak", "min": "trough"} if x.dtype.is_floating else {}
        return scattered(beyond.get(combine, combine), updates, places, into=x)

    def batched(self, each: Each) -> Any:
        places = with_rows(each, 1)
        return apply(self, each.full(0), places, each.full(2))


def check_tensor_updates(tensor: Dims | None, indices: Dims | None, updates: Dims | None) -> None:
    """ValueError unless `updates` has a slice of the tensor for each vector of `indices`."""
    if tensor == ():
        raise ValueError("Output must be at least 1-D, got shape: []")
    if indices == ():
        raise ValueError("Indices shape must have rank at least one. Found:[]")
    if indices is None or updates is None or tensor is None or indices[-1] is None:
        return
    outer, depth = len(indices) - 1, indices[-1]
    if not is_compatible(indices[:-1], updates[:outer]):
        kind = ValueError if updates else LateRefusal
        raise kind(
            "Outer dimensions of indices and update must match. Indices shape: "
            f"{show_dims(indices)}, updates shape:{show_dims(updates)}"
        )
    if depth > len(tensor) or not is_compatible(tensor[depth:], updates[outer:]):
        raise ValueError(
            "Inner dimensions of output shape must match inner dimensions of updates shape. "
            f"Output: {show_dims(tensor)} updates: {show_dims(updates)}"
        )


class TensorScatterUpdate(TensorScatter):
    """The tensor with `updates` in place of the slices at `indices`."""

    type_name = "TensorScatterUpdate"
    dtypes = {"T": dt.ANY, "Tindices": INDICES}
    kind = "update"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        _, indices, updates = call.inputs
        zero = broadcast_to(convert(0, g.dtype), shape_of(updates))
        return tensor_scatter_nd_update(g, indices, zero), None, gather_nd(g, indices)


class TensorScatterAdd(TensorScatter):
    """The tensor with `updates` added to the slices at `indices`."""

    type_name = "TensorScatterAdd"
    kind = "add"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return g, None, gather_nd(g, call.inputs[1])


class TensorScatterSub(TensorScatter):
    """The tensor with `updates` subtracted from the slices at `indices`."""

    type_name = "TensorScatterSub"
    kind = "sub"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return g, None, -gather_nd(g, call.inputs[1])


class TensorScatterMin(TensorScatter):
    """The tensor with the lesser of its slices at `indices` and `updates`."""

    type_name = "TensorScatterMin"
    dtypes = {"T": dt.REAL, "Tindices": dt.INDEX}
    kind = "min"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return shared_by_ties(call, g)


class TensorScatterMax(TensorScatter):
    """The tensor with the greater of its slices at `indices` and `updates`."""

    type_name = "TensorScatterMax"
    dtypes = {"T": dt.REAL, "Tindices": dt.INDEX}
    kind = "max"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return shared_by_ties(call, g)


def shared_by_ties(call: Call, g: Cotangent) -> Sequence[Any]:
    """The cotangent of an extreme, divided evenly among all that attain it."""
    tensor, indices, updates = call.inputs
    output = call.outputs[0]
    one, zero = convert(1, g.dtype), convert(0, g.dtype)
    tensor_ties = apply(SELECT, equal(tensor, output), one, zero)
    update_ties = apply(SELECT, equal(updates, gather_nd(output, indices)), one, zero)
    share = g / (tensor_ties + scatter_nd(indices, update_ties, shape_of(tensor)))
    return share * tensor_ties, None, gather_nd(share, indices) * update_ties


def tensor_scatter_nd_update(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor:
    """Replaces elements or slices of a tensor at index vectors.

    Of updates for one place, the last is taken.

    Args:
        tensor: A tensor of any dtype, of rank 1 or more.
        indices: A tensor of int16, uint16, int32 or int64; its last axis holds the index vectors.
        updates: A tensor of the dtype of `tensor`: an element or a slice of it for each index
            vector.
        name: A name for the op.

    Returns:
        A tensor like `tensor`.

    Raises:
        InvalidArgumentError: An index is out of bounds, or the shape of `updates` does not fit.

    >>> import graphwright as tf
    >>> tf.tensor_scatter_nd_update([1, 2, 3], [[0], [2]], [7, 8]).numpy().tolist()
    [7, 2, 8]
    """
    return _tensor_scatter(TensorScatterUpdate.of(), tensor, indices, updates, name)


def tensor_scatter_nd_add(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Adds updates to elements or slices of a tensor at index vectors.

    Args:
        tensor: A tensor of numbers, of rank 1 or more.
        indices: A tensor of int32 or int64; its last axis holds the index vectors.
        updates: A tensor of the dtype of `tensor`: an element or a slice of it for each index
            vector.
        bad_indices_policy: What an index out of bounds does: "" or "ERROR" fails, "IGNORE" drops
            it.
        name: A name for the op.

    Returns:
        A tensor like `tensor`.

    Raises:
        InvalidArgumentError: An index is out of bounds, or the shape of `updates` does not fit.

    >>> import graphwright as tf
    >>> tf.tensor_scatter_nd_add([1, 2, 3], [[0], [0]], [10, 20]).numpy().tolist()
    [31, 2, 3]
    """
    return _tensor_scatter(TensorScatterAdd.of(bad_indices_policy), tensor, indices, updates, name)


def tensor_scatter_nd_sub(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Subtracts updates from elements or slices of a tensor at index vectors.

    Args:
        tensor: A tensor of numbers, of rank 1 or more.
        indices: A tensor of int32 or int64; its last axis holds the index vectors.
        updates: A tensor of the dtype of `tensor`: an element or a slice of it for each index
            vector.
        bad_indices_policy: What an index out of bounds does: "" or "ERROR" fails, "IGNORE" drops
            it.
        name: A name for the op.

    Returns:
        A tensor like `tensor`.

    Raises:
        InvalidArgumentError: An index is out of bounds, or the shape of `updates` does not fit.

    >>> import graphwright as tf
    >>> tf.tensor_scatter_nd_sub([1, 2, 3], [[0], [2]], [1, 1]).numpy().tolist()
    [0, 2, 2]
    """
    return _tensor_scatter(TensorScatterSub.of(bad_indices_policy), tensor, indices, updates, name)


def tensor_scatter_nd_min(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Takes the lesser of updates and of the elements or slices of a tensor at index vectors.

    Args:
        tensor: A tensor of real numbers, of rank 1 or more.
        indices: A tensor of int32 or int64; its last axis holds the index vectors.
        updates: A tensor of the dtype of `tensor`: an element or a slice of it for each index
            vector.
        bad_indices_policy: What an index out of bounds does: "" or "ERROR" fails, "IGNORE" drops
            it.
        name: A name for the op.

    Returns:
        A tensor like `tensor`.

    Raises:
        InvalidArgumentError: An index is out of bounds, or the shape of `updates` does not fit.

    >>> import graphwright as tf
    >>> tf.tensor_scatter_nd_min([1, 5, 9], [[1], [2]], [7, 7]).numpy().tolist()
    [1, 5, 7]
    """
    return _tensor_scatter(TensorScatterMin.of(bad_indices_policy), tensor, indices, updates, name)


def tensor_scatter_nd_max(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Takes the greater of updates and of the elements or slices of a tensor at index vectors.

    Args:
        tensor: A tensor of real numbers, of rank 1 or more.
        indices: A tensor of int32 or int64; its last axis holds the index vectors.
        updates: A tensor of the dtype of `tensor`: an element or a slice of it for each index
            vector.
        bad_indices_policy: What an index out of bounds does: "" or "ERROR" fails, "IGNORE" drops
            it.
        name: A name for the op.

    Returns:
        A tensor like `tensor`.

    Raises:
        InvalidArgumentError: An index is out of bounds, or the shape of `updates` does not fit.

    >>> import graphwright as tf
    >>> tf.tensor_scatter_nd_max([1, 5, 9], [[1], [2]], [7, 7]).numpy().tolist()
    [1, 7, 9]
    """
    return _tensor_scatter(TensorScatterMax.of(bad_indices_policy), tensor, indices, updates, name)


def _tensor_scatter(
    op: Op, tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None
) -> Any:
    tensor, updates = convert_pair(tensor, updates)
    return apply(op, tensor, convert(indices), updates, name=name)
