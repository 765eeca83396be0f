"""Shapes and arrays as messages."""

from __future__ import annotations

import math
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from graphwright.proto.tensor_pb2 import TensorProto, TensorShapeProto
from graphwright.types.arrays import Array
from graphwright.types.dtypes import FLOAT8, NARROW_INTEGER, DType, string
from graphwright.types.tensor_type import Dims

if TYPE_CHECKING:
    from graphwright.proto.types_pb2 import DataType

#: The field that holds a single value of a dtype, and the type that its bits are written as. Other
#: dtypes, and arrays of several values, are written as bytes.
_FIELDS: dict[str, tuple[str, Any]] = {
    "float32": ("float_val", np.float32),
    "float64": ("double_val", np.float64),
    "int2": ("int_val", np.int8),
    "int4": ("int_val", np.int8),
    "uint2": ("int_val", np.uint8),
    "uint4": ("int_val", np.uint8),
    "int8": ("int_val", np.int8),
    "int16": ("int_val", np.int16),
    "int32": ("int_val", np.int32),
    "uint8": ("int_val", np.uint8),
    "uint16": ("int_val", np.uint16),
    "int64": ("int64_val", np.int64),
    "uint32": ("uint32_val", np.uint32),
    "uint64": ("uint64_val", np.uint64),
    "bool": ("bool_val", np.bool_),
    "complex64": ("scomplex_val", np.float32),
    "complex128": ("dcomplex_val", np.float64),
    "float16": ("half_val", np.uint16),
    "bfloat16": ("half_val", np.uint16),
}

#: Dtypes whose values are always written one by one.
_ONE_BY_ONE = frozenset(
    {"bool", "complex64", "complex128", "uint16", "int2", "int4", "uint2", "uint4"}
)


def shape_proto(dims: Dims | None) -> TensorShapeProto:
    """Dims as a message, in which -1 is an unknown dimension."""
    if dims is None:
        return TensorShapeProto(unknown_rank=True)
    sizes = [-1 if d is None else d for d in dims]
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in sizes])


def data_type(dtype: DType) -> DataType:
    """The number of a dtype as the messages' enum, which is an int at run time."""
    return cast("DataType", dtype.as_datatype_enum)


def tensor_proto(array: Array, dtype: DType) -> TensorProto:
    """An array of elements of `dtype` as a message; TypeError for resources and variants."""
    if not dtype.is_numpy_compatible:
        raise TypeError(f"a tensor of dtype {dtype.name} has no values that can be written")
    proto = TensorProto(tensor_shape=shape_proto(array.shape))
    proto.dtype = data_type(dtype)
    if dtype is string:
        proto.string_val.extend(array.ravel().tolist())
    elif dtype.name in _ONE_BY_ONE or (array.size == 1 and dtype.name in _FIELDS):
        field, bits = _FIELDS[dtype.name]
        plain = array.ravel()
        plain = plain.astype(bits) if dtype in NARROW_INTEGER else plain.view(bits)
        getattr(proto, field).extend(plain.tolist())
    elif dtype in FLOAT8 and array.size == 1:
        proto.float8_val = array.tobytes()
    else:
        proto.tensor_content = np.ascontiguousarray(array).tobytes()
    return proto


def content_proto(array: Array, dtype: DType) -> TensorProto:
    """An array as a message with the bytes of its elements; strings one by one."""
    return tensor_proto(array, dtype) if dtype is string else packed_proto(array, dtype)


def packed_proto(array: Array, dtype: DType) -> TensorProto:
    """An array as a message with the bytes of its elements, strings included."""
    proto = TensorProto(tensor_shape=shape_proto(array.shape))
    proto.dtype = data_type(dtype)
    if dtype is string:
        proto.tensor_content = joined_strings(array.ravel().tolist())
    else:
        proto.tensor_content = np.ascontiguousarray(array).tobytes()
    return proto


def joined_strings(values: list[bytes]) -> bytes:
    """The lengths of all strings, in seven bits a byte, and then the strings."""
    lengths = bytearray()
    for value in values:
        rest = len(value)
        while rest > 0x7F:
            lengths.append(rest & 0x7F | 0x80)
            rest >>= 7
        lengths.append(rest)
    return bytes(lengths) + b"".join(values)


def split_strings(content: bytes, count: int) -> list[bytes]:
    """The strings that `joined_strings` put together; ValueError where there are fewer."""
    lengths, place = [], 0
    for _ in range(count):
        length = shift = 0
        while True:
            if place == len(content):
                raise ValueError(f"{len(content)} bytes do not hold the lengths of {count} strings")
            byte = content[place]
            place += 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        lengths.append(length)
    ends = list(accumulate(lengths, initial=place))
    if ends[-1] != len(content):
        raise ValueError(f"{len(content)} bytes hold strings of {ends[-1]}")
    return [content[first:last] for first, last in pairwise(ends)]


def array_of(proto: TensorProto, dtype: DType) -> Array:
    """The array of elements of `dtype` that a message holds; ValueError where they do not fit.

    Where values are missing, the last one is repeated; without any, elements are zeros.
    """
    dims = tuple([dim.size for dim in proto.tensor_shape.dim])
    size = math.prod(dims)
    if any(each < 0 for each in dims):
        raise ValueError(f"a message of shape {dims}, which no array has")
    if proto.tensor_content and dtype is string:
        strings = np.empty(size, object)
        strings[:] = split_strings(proto.tensor_content, size)
        return strings.reshape(dims)
    if proto.tensor_content:
        content = np.frombuffer(proto.tensor_content, dtype.numpy_dtype)
        return np.array(content.reshape(dims))
    if dtype is string:
        values = np.empty(len(proto.string_val), object)
        values[:] = list(proto.string_val)
    elif dtype.name in _FIELDS:
        field, bits = _FIELDS[dtype.name]
        values = np.array(getattr(proto, field), bits).view(dtype.numpy_dtype)
    elif dtype in FLOAT8:
        values = np.frombuffer(proto.float8_val, dtype.numpy_dtype).copy()
    else:
        values = np.zeros(0, dtype.numpy_dtype)
    if values.size > size:
        raise ValueError(f"a message of shape {dims} has {values.size} values")
    if values.size == size:
        return values.reshape(dims)
    default = np.array(b"", object) if dtype is string else np.zeros((), dtype.numpy_dtype)
    last = values[-1] if values.size else default
    whole = np.full(size, last, values.dtype)
    whole[: values.size] = values
    return whole.reshape(dims)
