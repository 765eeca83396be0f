"""Operands that are strings: what ops of files and of texts share, without a kernel."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.interpreter import convert, is_tensor
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType, show_dims


class Text(Op):
    """An op whose result has an element for each string."""

    inputs: ClassVar[tuple[str, ...]] = ("input: string",)
    outputs = ("output: string",)
    gradient = not_differentiable

    def shapes(self, *operands: TensorType) -> Shapes:
        return (operands[0].dims,)


def texts(value: object) -> Array:
    """An operand as an array of bytes objects, a scalar too."""
    return np.asarray(value, object)


def scalar(value: object, what: str) -> bytes:
    """The only string of an operand."""
    array = texts(value)
    if array.ndim:
        raise ValueError(f"{what} must be scalar, but received {show_dims(array.shape)}")
    text: bytes = array.item()
    return text


def string(value: TensorLike) -> Any:
    """A tensor of strings; it is for the op to refuse a tensor of another dtype."""
    return convert(value) if is_tensor(value) else convert(value, dt.string)


def only(operand: TensorType, what: str) -> tuple[()]:
    """The shape of a scalar; ValueError where the operand is none."""
    if operand.rank not in (0, None):
        raise ValueError(f"{what} must be scalar, but has shape {show_dims(operand.dims)}")
    return ()


def refused(message: str) -> InvalidArgumentError:
    """The error for attributes that are not valid."""
    return InvalidArgumentError(None, None, message)
