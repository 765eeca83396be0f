"""Messages of ONNX from bytes that nobody trusts: sizes are held against what is there."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graphwright.base.errors import PermissionDeniedError
from graphwright.portable.allowance import Allowance
from graphwright.portable.model_error import malformed
from graphwright.portable.onnx.onnx_types import OF_NUMBER, onnx_package
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType

if TYPE_CHECKING:
    import onnx

#: The bits of an element, of dtypes of which several share a byte.
_NARROW = {"uint4": 4, "int4": 4, "float4_e2m1fn": 4, "uint2": 2, "int2": 2}
#: The field of a message that has numbers of a dtype, and how many there are for each.
_FIELDS = {
    "float32": ("float_data", 1), "complex64": ("float_data", 2), "float64": ("double_data", 1),
    "complex128": ("double_data", 2), "int64": ("int64_data", 1), "uint32": ("uint64_data", 1),
    "uint64": ("uint64_data", 1),
}  # fmt: skip


def parsed(path: str) -> onnx.ModelProto:
    """The message in a file."""
    from google.protobuf.message import DecodeError

    with open(path, "rb") as file:
        content = file.read()
    try:
        model: onnx.ModelProto = onnx_package().ModelProto.FromString(content)
    except (DecodeError, RecursionError) as error:
        raise malformed(path, f"it is no message of ONNX: {error}") from None
    if not model.HasField("graph"):
        raise malformed(path, "it has no graph")
    return model


def opset_of(model: onnx.ModelProto, domain: str = "") -> int:
    """The version of the ops of a domain that a model imports."""
    versions = [o.version for o in model.opset_import if (o.domain or "") in (domain, "ai.onnx")]
    if not versions:
        return 1
    newest = onnx_package().defs.onnx_opset_version()
    if not 1 <= versions[0] <= newest:
        words = f"it has ops of opset {versions[0]}; the package `onnx` knows 1 to {newest}"
        raise malformed("the model", words)
    return int(versions[0])


def dtype_of_number(number: int, where: str) -> DType:
    """The dtype of a number in a message."""
    dtype = OF_NUMBER.get(number)
    if dtype is None:
        raise malformed(where, f"there is no dtype {number}")
    return dtype


def type_of(message: onnx.TypeProto, where: str) -> TensorType:
    """The type of a tensor in a message."""
    if not message.HasField("tensor_type"):
        kind = message.WhichOneof("value") or "no type"
        raise malformed(where, f"it is of {kind}: tensors go in and out, and sequences")
    tensor = message.tensor_type
    dtype = dtype_of_number(tensor.elem_type, where)
    if not tensor.HasField("shape"):
        return TensorType(dtype, None)
    dims: list[int | None] = []
    for dim in tensor.shape.dim:
        known = dim.HasField("dim_value")
        if known and dim.dim_value < 0:
            raise malformed(where, f"a size is {dim.dim_value}")
        dims.append(int(dim.dim_value) if known else None)
    return TensorType(dtype, tuple(dims))


class Tensors:
    """Reads the tensors of a model, whose weights may be in files of its folder."""

    def __init__(self, folder: str, allowance: Allowance) -> None:
        self.folder = folder
        self.allowance = allowance

    def array(self, message: onnx.TensorProto, where: str) -> Array:
        """The value of a tensor."""
        dtype = dtype_of_number(message.data_type, where)
        count = self.count(message.dims, where)
        dims = tuple(message.dims)
        if message.data_location == message.EXTERNAL:
            return self.external(message, dtype, count, where).reshape(dims)
        if dtype is dt.string:
            if len(message.string_data) != count:
                raise malformed(where, f"it has {len(message.string_data)} strings, not {count}")
            strings = np.empty(count, object)
            strings[:] = list(message.string_data)
            return strings.reshape(dims)
        size = size_of(dtype, count)
        if message.HasField("raw_data"):
            if len(message.raw_data) != size:
                raise malformed(where, f"it has {len(message.raw_data)} bytes, not {size}")
        else:
            name, times = _FIELDS.get(dtype.name, ("int32_data", 1))
            given = len(getattr(message, name))
            wanted = size if dtype.name in _NARROW else count * times
            if given != wanted:
                raise malformed(where, f"it has {given} numbers, not {wanted}")
        try:
            array: Array = onnx_package().numpy_helper.to_array(message)
        except (TypeError, ValueError, OverflowError) as error:
            raise malformed(where, str(error)) from None
        return array.astype(dtype.numpy_dtype, copy=False).reshape(dims)

    def count(self, dims: Sequence[int], where: str) -> int:
        """The number of elements of a shape."""
        if any(size < 0 for size in dims):
            raise malformed(where, f"a size of {list(dims)} is negative")
        return math.prod(dims)

    def external(self, message: onnx.TensorProto, dtype: DType, count: int, where: str) -> Array:
        """The value of a tensor in a file of the folder."""
        entries = {entry.key: entry.value for entry in message.external_data}
        if dtype is dt.string:
            raise malformed(where, "strings are in another file")
        path = self.inside(entries.get("location", ""), where)
        size = size_of(dtype, count)
        try:
            offset, length = int(entries.get("offset", 0)), int(entries.get("length", size))
        except ValueError:
            raise malformed(where, "its place in a file is no number") from None
        if length != size or offset < 0 or offset + size > os.path.getsize(path):
            words = f"{size} bytes from {offset} on are not in the file, or not what it says"
            raise malformed(where, words)
        with open(path, "rb") as file:
            file.seek(offset)
            if dtype.name not in _NARROW:
                little = dtype.numpy_dtype.newbyteorder("<") if dtype.size > 1 else None
                array = np.fromfile(file, little or dtype.numpy_dtype, count)
                return array.astype(dtype.numpy_dtype, copy=False)
            content = file.read(size)
        tensor = onnx_package().TensorProto(data_type=message.data_type, raw_data=content)
        tensor.dims.append(count)
        packed: Array = onnx_package().numpy_helper.to_array(tensor)
        return packed.astype(dtype.numpy_dtype, copy=False)

    def inside(self, location: str, where: str) -> str:
        """The path of a file of the folder; PermissionDeniedError for one outside."""
        folder = os.path.realpath(self.folder)
        path = os.path.realpath(os.path.join(folder, location))
        is_plain = location and not os.path.isabs(location) and "\0" not in location
        if not is_plain or os.path.commonpath([folder, path]) != folder:
            words = f"{where}: its value is in {location!r}, which is not in the model's folder"
            raise PermissionDeniedError(None, None, words)
        if not os.path.isfile(path):
            raise malformed(where, f"there is no file {location!r}")
        return path

    def sparse(self, message: onnx.SparseTensorProto, where: str) -> Array:
        """A sparse tensor as an array."""
        count = self.count(message.dims, where)
        values = self.array(message.values, where)
        places = self.array(message.indices, where)
        self.allowance.hold(count * max(1, values.dtype.itemsize))
        if values.ndim != 1 or places.dtype != np.int64:
            raise malformed(where, "its values are no vector")
        if places.shape == (len(values), len(message.dims)):
            shape = tuple(message.dims)
            bad = places.size and ((places < 0) | (places >= np.array(shape))).any()
            if bad:
                raise malformed(where, "a place is outside")
            places = np.ravel_multi_index(tuple(places.T), shape) if len(places) else places[:, 0]
        elif places.shape != (len(values),):
            raise malformed(where, "it has not one place for each value")
        if places.size and (places.min() < 0 or places.max() >= count):
            raise malformed(where, "a place is outside")
        whole = np.zeros(count, values.dtype)
        whole[places] = values
        return whole.reshape(tuple(message.dims))


def size_of(dtype: DType, count: int) -> int:
    """The bytes of so many elements."""
    bits = _NARROW.get(dtype.name, dtype.numpy_dtype.itemsize * 8)
    return -(-count * bits // 8)


def attribute_value(message: onnx.AttributeProto, tensors: Tensors, where: str) -> Any:
    """An attribute as a Python value; graphs and types as messages."""
    kind = onnx_package().AttributeProto.AttributeType.Name(message.type)
    if kind in ("FLOAT", "INT", "STRING"):
        return {"FLOAT": message.f, "INT": message.i, "STRING": message.s}[kind]
    if kind in ("FLOATS", "INTS", "STRINGS"):
        return {"FLOATS": list(message.floats), "INTS": list(message.ints),
                "STRINGS": list(message.strings)}[kind]  # fmt: skip
    if kind == "TENSOR":
        return tensors.array(message.t, where)
    if kind == "SPARSE_TENSOR":
        return tensors.sparse(message.sparse_tensor, where)
    if kind == "GRAPH":
        return message.g
    if kind == "TYPE_PROTO":
        return message.tp
    raise malformed(where, f"the attribute {message.name!r} is of the kind {kind}")
