"""Structures of specs and Python values, as saved models keep the signatures of functions."""

from __future__ import annotations

import keyword
from collections import namedtuple
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from graphwright.ir.tensor_proto import data_type, shape_proto, tensor_proto
from graphwright.portable.model_arrays import checked_array
from graphwright.portable.model_error import malformed
from graphwright.proto.structure_pb2 import NamedTupleValue, StructuredValue, TypeSpecProto
from graphwright.proto.tensor_pb2 import TensorProto, TensorShapeProto
from graphwright.types import dtypes as dt
from graphwright.types.containers import is_namedtuple
from graphwright.types.dtypes import DType
from graphwright.types.shape import TensorShape
from graphwright.types.specs import TensorSpec
from graphwright.types.tensor_type import Dims
from graphwright.types.type_spec import SAVED_SPECS, TypeSpec
from graphwright.values.convert import constant
from graphwright.values.indexed_slices import IndexedSlicesSpec
from graphwright.values.sparse.sparse_tensor import SparseTensorSpec
from graphwright.values.tensor import EagerTensor

#: TensorFlow's numbers of the classes of specs other than `TensorSpec` that are read.
_SPECS = (
    TypeSpecProto.SPARSE_TENSOR_SPEC,
    TypeSpecProto.INDEXED_SLICES_SPEC,
    TypeSpecProto.RAGGED_TENSOR_SPEC,
)


def spec_class(number: int) -> type[TypeSpec] | None:
    """The class of specs of one of TensorFlow's numbers; None for those that are not read."""
    if number == TypeSpecProto.SPARSE_TENSOR_SPEC:
        return SparseTensorSpec
    if number == TypeSpecProto.INDEXED_SLICES_SPEC:
        return IndexedSlicesSpec
    if number == TypeSpecProto.RAGGED_TENSOR_SPEC:  # few models have it
        from graphwright.ragged.spec import RaggedTensorSpec

        return RaggedTensorSpec
    return None


def decode(value: StructuredValue) -> Any:
    """The Python value, or structure of specs, that a message stands for."""
    kind = value.WhichOneof("kind")
    if kind is None:
        raise malformed("a structured value", "it is empty")
    read = _READERS.get(kind)
    return getattr(value, kind) if read is None else read(getattr(value, kind))


def dtype_of(number: int) -> DType:
    """The dtype of a number of the protocol."""
    try:
        return dt.as_dtype(number)
    except TypeError as error:
        raise malformed("a dtype", str(error)) from None


def dims_of(proto: TensorShapeProto) -> Dims | None:
    """The dims of a shape, in which -1 is an unknown dimension."""
    if proto.unknown_rank:
        return None
    sizes = [dim.size for dim in proto.dim]
    if any(size < -1 for size in sizes):
        raise malformed("a shape", f"it has the dimensions {sizes}")
    return tuple([None if size == -1 else size for size in sizes])


def _tensor(proto: TensorProto) -> Any:
    dtype = dtype_of(proto.dtype)
    return constant(checked_array(proto, dtype), dtype)


def _spec(proto: Any) -> TensorSpec:
    shape = TensorShape.from_dims(dims_of(proto.shape))
    return TensorSpec(shape, dtype_of(proto.dtype), proto.name or None)


def _type_spec(proto: TypeSpecProto) -> Any:
    kind = spec_class(proto.type_spec_class)
    if proto.type_spec_class == TypeSpecProto.EXTENSION_TYPE_SPEC:
        kind = SAVED_SPECS.get(proto.type_spec_class_name)
        if kind is None:
            raise NotImplementedError(
                f"the model uses the extension type {proto.type_spec_class_name!r}: define the "
                "class that has this `__name__` before the model is loaded"
            )
    if kind is None:
        number, name = proto.type_spec_class, proto.type_spec_class_name
        known = number in TypeSpecProto.TypeSpecClass.values()
        words = TypeSpecProto.TypeSpecClass.Name(number) if known else str(number)
        raise NotImplementedError(
            f"a signature of the model has an argument or result of type {name or words}: only "
            "dense, ragged and sparse tensors, IndexedSlices and extension types are read"
        )
    state = decode(proto.type_state)
    try:
        return kind._deserialize(state)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise malformed(kind.__name__, str(error)) from None


def _named_tuple(proto: NamedTupleValue) -> Any:
    kind = named_tuple(proto.name, tuple([pair.key for pair in proto.values]))
    return kind(*[decode(pair.value) for pair in proto.values])


@lru_cache(256)
def named_tuple(name: str, fields: tuple[str, ...]) -> Any:
    """The class of named tuples of this name and these fields."""
    for word in (name, *fields):
        if not word.isidentifier() or keyword.iskeyword(word) or word.startswith("_"):
            raise malformed("a named tuple", f"{word!r} names no class and no field")
    if len(set(fields)) < len(fields):
        raise malformed("a named tuple", f"a field occurs twice: {fields}")
    return namedtuple(name, fields)


def encode(value: object) -> StructuredValue:
    """A Python value, or structure of specs, as a message; TypeError where there is none for it."""
    message = StructuredValue()
    if value is None:
        message.none_value.SetInParent()
    elif isinstance(value, (bool, np.bool_)):
        message.bool_value = bool(value)
    elif isinstance(value, int) and -(2**63) <= value < 2**63:
        message.int64_value = value
    elif isinstance(value, float):
        message.float64_value = value
    elif isinstance(value, str):
        message.string_value = value
    elif isinstance(value, DType):
        message.tensor_dtype_value = data_type(value)
    elif isinstance(value, TensorShape):
        message.tensor_shape_value.CopyFrom(shape_proto(value._dims))
    elif isinstance(value, EagerTensor) and value.dtype.is_numpy_compatible:
        message.tensor_value.CopyFrom(tensor_proto(value.numpy(), value.dtype))
    elif isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        message.numpy_value.CopyFrom(tensor_proto(array, dt.of_numpy(array.dtype)))
    elif isinstance(value, TypeSpec):
        _encode_spec(value, message)
    else:
        _encode_structure(value, message)
    return message


def _encode_spec(spec: TypeSpec, message: StructuredValue) -> None:
    if type(spec) is TensorSpec:
        whole = message.tensor_spec_value
        whole.name, whole.dtype = spec.name or "", data_type(spec.dtype)
        whole.shape.CopyFrom(shape_proto(spec.type.dims))
        return
    number = next((number for number in _SPECS if spec_class(number) is type(spec)), None)
    name: str | None = type(spec).__name__
    if number is None:
        name = next((name for name, kind in SAVED_SPECS.items() if kind is type(spec)), None)
        number = TypeSpecProto.EXTENSION_TYPE_SPEC
    if name is None:
        raise unnamed(spec)
    proto = message.type_spec_value
    proto.type_spec_class = number
    proto.type_spec_class_name = name
    proto.num_flat_components = len(spec.flatten())
    proto.type_state.CopyFrom(encode(spec._serialize()))


def unnamed(spec: TypeSpec) -> TypeError:
    """The error for a spec that no model may have."""
    from graphwright.library.objects.extension_type import ExtensionTypeSpec

    if isinstance(spec, ExtensionTypeSpec):
        advice = "`__name__ = ...` in its class gives it one"
    else:
        advice = "save a function of tensors, such as that of one batch"
    return TypeError(f"{spec!r} is of a class without a name for models: {advice}")


def _encode_structure(value: object, message: StructuredValue) -> None:
    if isinstance(value, list):
        message.list_value.values.extend([encode(item) for item in value])
        message.list_value.SetInParent()
    elif isinstance(value, tuple) and is_namedtuple(type(value)):
        named: Any = value
        message.named_tuple_value.name = type(value).__name__
        for name, item in zip(named._fields, named):
            message.named_tuple_value.values.add(key=name).value.CopyFrom(encode(item))
    elif isinstance(value, tuple):
        message.tuple_value.values.extend([encode(item) for item in value])
        message.tuple_value.SetInParent()
    elif isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        message.dict_value.SetInParent()
        for key, item in value.items():
            message.dict_value.fields[key].CopyFrom(encode(item))
    elif isinstance(value, Mapping):
        raise TypeError(f"a dict in a model has keys that are texts, unlike {list(value)}")
    else:
        raise TypeError(f"{value!r} of type {type(value).__name__} has no form in a model")


_READERS: dict[str, Callable[[Any], Any]] = {
    "none_value": lambda _: None,
    "tensor_shape_value": lambda proto: TensorShape.from_dims(dims_of(proto)),
    "tensor_dtype_value": dtype_of,
    "tensor_spec_value": _spec,
    "bounded_tensor_spec_value": _spec,
    "type_spec_value": _type_spec,
    "list_value": lambda proto: [decode(item) for item in proto.values],
    "tuple_value": lambda proto: tuple([decode(item) for item in proto.values]),
    "dict_value": lambda proto: {key: decode(proto.fields[key]) for key in sorted(proto.fields)},
    "named_tuple_value": _named_tuple,
    "tensor_value": _tensor,
    "numpy_value": lambda proto: _tensor(proto).numpy(),
}
