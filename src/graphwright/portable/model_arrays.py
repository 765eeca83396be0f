"""Arrays in the messages of models, checked before memory is taken for them."""

from __future__ import annotations

import math

from graphwright.ir.tensor_proto import array_of
from graphwright.portable.model_error import malformed
from graphwright.proto.tensor_pb2 import TensorProto
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType

#: So many bytes a small message may stand for: one value that is repeated, say.
SMALL = 1 << 20


def checked_array(proto: TensorProto, dtype: DType, most: int = SMALL) -> Array:
    """The array of elements of `dtype` that a message holds.

    It may take `most` bytes where the message itself is smaller. InvalidArgumentError where the
    message contradicts itself, or is of another dtype.
    """
    if proto.dtype != dtype.as_datatype_enum:
        raise malformed("a tensor", f"it has the dtype {proto.dtype}, not {dtype.name}")
    sizes = [dim.size for dim in proto.tensor_shape.dim]
    if proto.tensor_shape.unknown_rank or any(size < 0 for size in sizes):
        raise malformed("a tensor", f"its shape is not known: {sizes}")
    if not dtype.is_numpy_compatible:
        raise malformed("a tensor", f"no tensor of {dtype.name} has values")
    size = math.prod(sizes)
    width = 8 if dtype is dt.string else dtype.numpy_dtype.itemsize
    content = len(proto.tensor_content)
    if size * width > max(most, proto.ByteSize()):
        raise malformed("a tensor", f"{proto.ByteSize()} bytes stand for one of shape {sizes}")
    if content and dtype is not dt.string and content != size * width:
        raise malformed("a tensor", f"{content} bytes are no {dtype.name} of shape {sizes}")
    try:
        return array_of(proto, dtype)
    except (ValueError, OverflowError, TypeError) as error:
        raise malformed("a tensor", str(error)) from None
