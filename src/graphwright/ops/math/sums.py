"""Sums of several tensors, and polynomials."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from graphwright.op.batching import Each
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert, convert_many
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.core.identity import identity
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, Tensor, TensorLike
from graphwright.types.dtypes import as_dtype
from graphwright.types.tensor_type import TensorType, merge_dims, show_dims


class AddN(Op):
    """The sum of any number of tensors of one shape."""

    type_name = "AddN"
    inputs = ("inputs: T*",)
    outputs = ("sum: T",)
    dtypes = {"T": dt.NUMERIC}
    passes_rows = True
    least = {"inputs": 1}

    def shapes(self, *operands: TensorType) -> Shapes:
        dims = operands[0].dims
        for operand in operands[1:]:
            try:
                dims = merge_dims(dims, operand.dims)
            except ValueError:
                raise ValueError(
                    "Inputs to operation AddN must have the same size and shape. "
                    f"Input 0: {show_dims(operands[0].dims)} != input: {show_dims(operand.dims)}"
                ) from None
        return (dims,)

    def kernel(self, *arrays: Any) -> Any:
        total = arrays[0]
        for array in arrays[1:]:
            if array.shape != total.shape:
                raise ValueError("Inputs to operation AddN must have the same size and shape.")
            total = np.add(total, array)
        return total

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g,) * len(call.inputs)

    def expand(self, *terms: GraphTensor) -> Any:
        total = terms[0]
        for term in terms[1:]:
            total = total + term
        return identity(total)

    def batched(self, each: Each) -> Any:
        return apply(self, *[each.full(i) for i in range(len(each.inputs))])


ADD_N = AddN()


def add_n(inputs: Sequence[TensorLike], name: str | None = None) -> Tensor:
    """Adds up several tensors of one shape and dtype.

    Args:
        inputs: A list of at least one tensor of numbers.
        name: A name for the op.

    Returns:
        A tensor of their shape and dtype.

    Raises:
        ValueError: There are no tensors.
        InvalidArgumentError: Their shapes or dtypes differ (ValueError or TypeError when traced).

    >>> import graphwright as tf
    >>> tf.add_n([[1, 2], [3, 4], [5, 6]])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([ 9, 12], dtype=int32)>
    """
    tensors = convert_many(inputs)
    if not tensors:
        raise ValueError(
            "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype "
            f"and shape. Received: {inputs!r}"
        )
    if len(tensors) == 1:
        return tensors[0]
    return apply(AddN.for_operands(tensors).of(), *tensors, name=name)


def accumulate_n(
    inputs: Sequence[TensorLike],
    shape: Iterable[int | None] | None = None,
    tensor_dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Adds up several tensors of one shape and dtype, which are checked first.

    Args:
        inputs: A list or tuple of at least one tensor of numbers.
        shape: The shape of the tensors, as a list of ints. None means any.
        tensor_dtype: The dtype of the tensors. None means any.
        name: A name for the op.

    Returns:
        A tensor of their shape and dtype.

    Raises:
        ValueError: There are no tensors, or their shapes or dtypes differ.
        TypeError: The dtype of the tensors is not `tensor_dtype`.

    >>> import graphwright as tf
    >>> tf.math.accumulate_n([[1, 2], [3, 4], [5, 6]])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([ 9, 12], dtype=int32)>
    """
    refusal = "inputs must be a list of at least one Tensor with the same dtype and shape"
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError(f"{refusal}. Received: {inputs!r}")
    tensors = [convert(x) for x in inputs]
    dtype = tensors[0].dtype
    if any(x.dtype is not dtype for x in tensors):
        raise ValueError(f"{refusal}. Received dtypes: {[x.dtype.name for x in tensors]}")
    if tensor_dtype is not None and dtype is not as_dtype(tensor_dtype):
        raise TypeError(
            f"The `tensor_dtype` argument is {as_dtype(tensor_dtype)}, but `input` is of type "
            f"{dtype}. These must be equal. Try casting the input to the desired type."
        )
    dims = None if shape is None else tuple(shape)
    for x in tensors:
        dims = merge_dims(dims, x.type.dims)
    return tensors[0] if len(tensors) == 1 else apply(ADD_N, *tensors, name=name)


def polyval(coeffs: Sequence[TensorLike], x: TensorLike, name: str | None = None) -> Tensor:
    """Evaluates a polynomial at each element by Horner's rule.

    Args:
        coeffs: A list of numbers or tensors that broadcast with `x`, the leading coefficient
            first.
        x: A tensor of numbers, of any shape.
        name: A name, which has no effect.

    Returns:
        A tensor of the dtype of `x`, of the broadcast shape; zeros for no coefficients.

    Raises:
        ValueError: `coeffs` is not a list.

    >>> import graphwright as tf
    >>> tf.math.polyval([2.0, 0.0, 1.0], 3.0)
    <tf.Tensor: shape=(), dtype=float32, numpy=19.0>
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    x = convert(x)
    total = x * 0 if not coeffs else convert(coeffs[0], None, x.dtype)
    for coefficient in coeffs[1:]:
        total = total * x + coefficient
    return total
