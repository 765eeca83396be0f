"""Positions in grids: coordinates of flat indices, grids of coordinates."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from graphwright.op.interpreter import apply, convert, convert_first
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.op.scalars import quotient_of_c
from graphwright.ops.core.gathering import host_vector
from graphwright.ops.core.movement import broadcast_to, reshape
from graphwright.ops.core.shapes import index_pair, size
from graphwright.ops.math.arithmetic import MUL
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType, show_dims


class UnravelIndex(Op):
    """The coordinates in an array of shape `dims` of flat indices, one row an axis."""

    type_name = "UnravelIndex"
    inputs = ("indices: Tidx", "dims: Tidx")
    outputs = ("output: Tidx",)
    dtypes = {"Tidx": dt.INDEX}
    gradient = not_differentiable

    def shapes(self, indices: TensorType, dims: TensorType) -> Shapes:
        if dims.rank not in (1, None):
            raise ValueError(f"The dims must be a vector, got rank {dims.rank}")
        if indices.dims is None:
            return (None,)
        count = None if dims.dims is None else dims.dims[0]
        return ((count, *([indices.size] if indices.dims else [])),)

    def kernel(self, indices: Array, dims: Array) -> Any:
        indices, dims = np.asarray(indices), np.asarray(dims)
        if indices.ndim > 1:
            raise ValueError(
                f'The indices can only be scalar or vector, got "{show_dims(indices.shape)}"'
            )
        if indices.size == 0:
            raise ValueError("received empty tensor indices")
        if dims.ndim != 1:
            raise ValueError(f"The dims must be a vector, got rank {dims.ndim}")
        if (dims < 0).any():
            index = int(np.argmax(dims < 0))
            raise ValueError(
                f"Input dims cannot be negative. Got dim = {dims[index]} at index {index}"
            )
        if (dims == 0).any():
            raise ValueError(
                "Input dims cannot contain a dim of zero, but dims contains zero at index "
                f"{int(np.argmax(dims == 0))}"
            )
        count = math.prod(dims.tolist())
        if count > np.iinfo(dims.dtype).max:
            sizes = " ".join(map(str, dims))
            raise ValueError(f"Input dims product is causing integer overflow: ({sizes})")
        if (indices >= count).any():
            raise ValueError("index is out of bound as with dims")
        # Towards zero, as C divides: only that leaves negative indices as TensorFlow does.
        whole = np.cumprod(dims[::-1], dtype=dims.dtype)[::-1]
        strides = np.append(whole[1:], dims.dtype.type(1))
        inside = np.fmod(np.reshape(indices, (1, -1)), whole[:, None])
        rows = quotient_of_c(inside, strides[:, None])
        return rows if indices.ndim else rows[:, 0]


def unravel_index(indices: TensorLike, dims: TensorLike, name: str | None = None) -> Tensor:
    """Converts flat indices to coordinates in an array of a shape.

    Args:
        indices: A scalar or vector of int32 or int64.
        dims: The shape of the array: a vector of the dtype of `indices`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `indices`, with a row for each axis: [len(dims), len(indices)], or
        [len(dims)] for a scalar.

    Raises:
        InvalidArgumentError: An index is out of bounds, or a size in `dims` is not positive.

    >>> import graphwright as tf
    >>> tf.unravel_index([2, 5, 7], [3, 3]).numpy().tolist()
    [[0, 1, 2], [2, 2, 1]]
    """
    return apply(UnravelIndex.of(), *index_pair(indices, dims), name=name)


def meshgrid(*args: TensorLike, **kwargs: Any) -> list[Tensor]:
    """Spreads vectors of coordinates over a grid, a tensor for each axis.

    Args:
        *args: Tensors of any dtypes: the coordinates along each axis, flattened.
        **kwargs: `indexing`: "xy" (default) has the first two axes of the grids swapped, "ij" has
            not. `name`: accepted and not used.

    Returns:
        A list of a tensor for each argument, all of the shape of the grid.

    Raises:
        ValueError: `indexing` is neither "xy" nor "ij".
        TypeError: Another keyword is given.

    >>> import graphwright as tf
    >>> x, y = tf.meshgrid([1, 2, 3], [4, 5])
    >>> x.numpy().tolist(), y.numpy().tolist()
    ([[1, 2, 3], [1, 2, 3]], [[4, 4, 4], [5, 5, 5]])
    """
    indexing = kwargs.pop("indexing", "xy")
    kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"{next(iter(kwargs))!r} is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(
            f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'"
        )
    vectors = [convert_first(x) for x in args]
    for vector in vectors:
        if vector.dtype is not vectors[0].dtype or vector.dtype is dt.string:
            apply(MUL, vector, convert(1, vectors[0].dtype))  # refuses what TensorFlow multiplies
    order = list(range(len(vectors)))
    if indexing == "xy" and len(order) > 1:
        order[:2] = [1, 0]
    lengths = [size(v) if v.type.size is None else v.type.size for v in vectors]
    whole = host_vector([lengths[i] for i in order])
    grids = []
    for i, vector in enumerate(vectors):
        column = [1] * len(order)
        column[order.index(i)] = -1
        grids.append(broadcast_to(reshape(vector, column), whole))
    return grids
