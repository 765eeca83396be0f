"""Diagonals of tensors whose shape is one shape twice, as that of a square matrix is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.op.batching import Each
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import axis_sizes, host_vector
from graphwright.ops.core.movement import reshape
from graphwright.ops.core.rule_words import dims_of, extent
from graphwright.ops.linalg.matrices import diag, diag_part
from graphwright.ops.linalg.stored_bands import StoredBand
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType, merge_dims, num_elements, show_dims


class Diag(Op):
    """The tensor of twice the rank with the operand on its diagonal."""

    type_name = "Diag"
    inputs = ("diagonal: T",)
    outputs = ("output: T",)
    dtypes = {"T": dt.FLOATING | dt.COMPLEX | dt.INDEX}

    def shapes(self, diagonal: TensorType) -> Shapes:
        if diagonal.rank == 0:
            raise ValueError("Input must be at least rank 1, got 0")
        return (None if diagonal.dims is None else diagonal.dims * 2,)

    def kernel(self, diagonal: Array) -> Any:
        if np.ndim(diagonal) == 0:
            raise ValueError("Input must be at least rank 1, got 0")
        return np.diag(np.ravel(diagonal)).reshape(np.shape(diagonal) * 2)

    def batched(self, each: Each) -> Any:
        x = each.full(0)
        sizes = axis_sizes(x, each.rank(0) + 1)
        whole = host_vector([*sizes, *sizes[1:]])
        return reshape(diag(reshape(x, host_vector([sizes[0], -1]))), whole)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (tensor_diag_part(g),)

    def expand(self, diagonal: GraphTensor) -> Any:
        """The matrix of all elements in a row, as a tensor of twice the rank."""
        dims = dims_of(diagonal)
        row = reshape(diagonal, [-1])
        size = extent(row, 0)
        zero = cast(0, diagonal.dtype)
        return reshape(StoredBand(size, size, (0, 0), "LEFT_LEFT").stored(row, zero), dims * 2)


class DiagPart(Op):
    """The diagonal of a tensor whose shape is one shape twice."""

    type_name = "DiagPart"
    inputs = ("input: T",)
    outputs = ("diagonal: T",)
    dtypes = {"T": dt.FLOATING | dt.COMPLEX | dt.INDEX}

    def shapes(self, x: TensorType) -> Shapes:
        if x.dims is None:
            return (None,)
        rank = len(x.dims)
        if rank % 2:
            raise ValueError(f"Input must have even rank, input rank is {rank}")
        half = rank // 2
        try:
            return (merge_dims(x.dims[:half], x.dims[half:]),)
        except ValueError:
            raise ValueError(
                f"Invalid shape {show_dims(x.dims)}: dimensions 0..{half - 1} must be the same as "
                f"{half}..{rank - 1}."
            ) from None

    def kernel(self, x: Array) -> Any:
        (dims,) = self.shapes(TensorType(dt.float32, np.shape(x)))
        size: Any = num_elements(dims)
        return np.diag(np.reshape(x, (size, size))).reshape(dims)

    def batched(self, each: Each) -> Any:
        x, half = each.full(0), each.rank(0) // 2
        if not half:
            return x
        sizes = axis_sizes(x, 2 * half + 1)[: half + 1]
        count = each.product(host_vector(sizes[1:]))
        square = reshape(x, host_vector([sizes[0], count, count]))
        return reshape(diag_part(square), host_vector(sizes))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (tensor_diag(g),)

    def expand(self, x: GraphTensor) -> Any:
        """The diagonal of the tensor as a matrix, in half of its shape."""
        half = dims_of(x)[: x.shape.rank // 2]
        if not half or None in x.shape:
            return None
        size = math.prod(half)
        row = StoredBand(size, size, (0, 0), "LEFT_LEFT").taken(reshape(x, [size, size]), 0)
        return reshape(row, half)


# -- the public functions -------------------------------------------------------------------


def tensor_diag(diagonal: TensorLike, name: str | None = None) -> Tensor:
    """Makes a tensor of twice the rank with the operand on its diagonal and zeros elsewhere.

    Args:
        diagonal: A tensor of floats, complex numbers, int32 or int64, of rank 1 or more.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `diagonal`, whose shape is that of `diagonal` twice.

    Raises:
        InvalidArgumentError: `diagonal` is a scalar (ValueError when traced).

    >>> import graphwright as tf
    >>> tf.linalg.tensor_diag([1, 2])
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[1, 0],
           [0, 2]], dtype=int32)>
    """
    return apply(Diag.of(), convert(diagonal), name=name)


def tensor_diag_part(input: TensorLike, name: str | None = None) -> Tensor:
    """Reads the diagonal of a tensor whose shape is one shape twice.

    Args:
        input: A tensor of floats, complex numbers, int32 or int64, of an even rank.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input`, whose shape is the first half of that of `input`.

    Raises:
        InvalidArgumentError: The shape is not one shape twice (ValueError when traced).

    >>> import graphwright as tf
    >>> tf.linalg.tensor_diag_part([[1, 2], [3, 4]])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 4], dtype=int32)>
    """
    return apply(DiagPart.of(), convert(input), name=name)
