"""Tensors as bytes and back: `tf.io.serialize_tensor`, `tf.io.parse_tensor`."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError, ResourceExhaustedError
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.ops.strings.text_operands import scalar
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.tensor_type import TensorType


class SerializeTensor(Op):
    """A tensor as the bytes of a TensorProto."""

    type_name = "SerializeTensor"
    inputs = ("tensor: T",)
    outputs = ("serialized: string",)
    dtypes = {"T": dt.ANY - {dt.resource, dt.variant}}
    gradient = not_differentiable

    def shapes(self, tensor: TensorType) -> Shapes:
        return ((),)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        from graphwright.ir.tensor_proto import content_proto  # protobuf is large

        def kernel(array: Array) -> Array:
            message = content_proto(np.asarray(array, types[0].numpy_dtype), types[0])
            return np.array(message.SerializeToString(deterministic=True), object)

        return kernel


class ParseTensor(Op):
    """The tensor that the bytes of a TensorProto stand for."""

    type_name = "ParseTensor"
    inputs = ("serialized: string",)
    outputs = ("output: out_type",)
    dtypes = {"out_type": dt.ANY}
    gradient = not_differentiable

    out_type: DType

    def shapes(self, serialized: TensorType) -> Shapes:
        if serialized.rank not in (0, None):
            raise ValueError(f"Shape must be rank 0 but is rank {serialized.rank}")
        return (None,)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        return partial(parse, self.out_type)


def parse(dtype: DType, serialized: Array | bytes) -> Array:
    """The array in a serialized TensorProto; InvalidArgumentError for another dtype."""
    from google.protobuf.message import DecodeError

    from graphwright.ir.tensor_proto import array_of
    from graphwright.proto.tensor_pb2 import TensorProto

    data = scalar(serialized, "Expected `serialized`")
    try:
        message = TensorProto.FromString(data)
        stored = as_dtype(int(message.dtype))
    except (DecodeError, TypeError):
        raise InvalidArgumentError(
            None, None, f"Could not parse `serialized` as TensorProto: {data[:40]!r}"
        ) from None
    if stored is not dtype:
        raise InvalidArgumentError(
            None,
            None,
            f"Type mismatch between parsed tensor ({stored.name}) and dtype ({dtype.name})",
        )
    need = math.prod([max(dim.size, 0) for dim in message.tensor_shape.dim])
    need *= 8 if dtype is dt.string else dtype.size
    most = int(os.environ.get("GRAPHWRIGHT_PARSE_BYTES", _MOST)) + len(data)
    if need > most:
        raise ResourceExhaustedError(
            None,
            None,
            f"{len(data)} bytes stand for a tensor of {need}, more than {most}: "
            "GRAPHWRIGHT_PARSE_BYTES sets how many more they may be",
        )
    return array_of(message, dtype)


#: So many bytes may a parsed tensor have beyond those of its text: a value is repeated there.
_MOST = 1 << 28
SERIALIZE_TENSOR = SerializeTensor()


def serialize_tensor(tensor: TensorLike, name: str | None = None) -> Tensor:
    """Serializes a tensor as a TensorProto, which `tf.io.parse_tensor` reads.

    Args:
        tensor: A tensor of any dtype but resource and variant, of any shape.
        name: A name for the op.

    Returns:
        A scalar tensor of dtype string.

    >>> import graphwright as tf
    >>> text = tf.io.serialize_tensor(tf.constant([1, 2]))
    >>> tf.io.parse_tensor(text, tf.int32)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
    """
    return apply(SERIALIZE_TENSOR, convert(tensor), name=name)


def parse_tensor(serialized: TensorLike, out_type: DTypeLike, name: str | None = None) -> Tensor:
    """Parses a tensor that `tf.io.serialize_tensor` has serialized.

    Args:
        serialized: A scalar string tensor: a serialized TensorProto.
        out_type: The dtype in the message.
        name: A name for the op.

    Returns:
        A tensor of dtype `out_type`, of the shape in the message.

    Raises:
        InvalidArgumentError: `serialized` is no TensorProto, or has another dtype.
        ResourceExhaustedError: A value that is repeated takes more than 256 MiB beyond the text, or
            what the environment variable GRAPHWRIGHT_PARSE_BYTES says.

    >>> import graphwright as tf
    >>> text = tf.io.serialize_tensor([1.5, 2.5])
    >>> tf.io.parse_tensor(text, tf.float32)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1.5, 2.5], dtype=float32)>
    """
    return apply(ParseTensor.of(as_dtype(out_type)), convert(serialized), name=name)
