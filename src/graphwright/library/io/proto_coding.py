"""`tf.io.decode_proto` and `tf.io.encode_proto`: the fields of any messages as tensors.

The types of messages come from descriptors: those of the process (`local://`) or those of a
FileDescriptorSet, in a file or after `bytes://`. TensorFlow's messages have TensorFlow's names,
such as `tensorflow.Example`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from graphwright.base.errors import DataLossError, InvalidArgumentError, NotFoundError
from graphwright.base.named_tuples import NamedTuple
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.op.results import named
from graphwright.ops.strings.text_operands import texts
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.tensor_type import TensorType, show_dims

if TYPE_CHECKING:
    from google.protobuf.descriptor import FieldDescriptor
    from google.protobuf.descriptor_pool import DescriptorPool
    from google.protobuf.message import Message

#: The dtypes of each kind of field, by protobuf's number of the kind.
KINDS: dict[int, frozenset[DType]] = {
    1: frozenset({dt.float64}),
    2: frozenset({dt.float32, dt.float64}),
    **dict.fromkeys((3, 16, 18), frozenset({dt.int64})),
    **dict.fromkeys((4, 6), frozenset({dt.int64, dt.uint64})),
    **dict.fromkeys((5, 14, 15, 17), frozenset({dt.int32})),
    **dict.fromkeys((7, 13), frozenset({dt.int64, dt.uint32, dt.int32, dt.uint64})),
    8: frozenset({dt.bool_}),
    **dict.fromkeys((9, 10, 11, 12), dt.STRING),
}
MESSAGE, GROUP, TEXT = 11, 10, 9


class DescriptorSource(NamedTuple):
    """The name of a type of messages, and the source of its descriptor."""

    message_type: str
    descriptor_source: str


@lru_cache(256)
def message_class(source: DescriptorSource) -> type[Message]:
    """The class of a type of messages; InvalidArgumentError if its source lacks it."""
    from google.protobuf import message_factory  # protobuf is large

    name, pool = source.message_type, pool_of(source.descriptor_source)
    ours = "graphwright.proto." + name.removeprefix("tensorflow.")
    for candidate in (name, ours):
        try:
            return message_factory.GetMessageClass(pool.FindMessageTypeByName(candidate))
        except KeyError:
            continue
    raise InvalidArgumentError(None, None, f"No descriptor found for message type {name}")


def pool_of(source: str) -> DescriptorPool:
    """The descriptors of a source."""
    from google.protobuf import descriptor_pb2, descriptor_pool
    from google.protobuf.message import DecodeError

    if source in ("local://", ""):
        from graphwright.proto import (  # noqa: F401 - registers their messages
            event_pb2,
            example_pb2,
            graph_pb2,
            tensor_pb2,
        )

        return descriptor_pool.Default()
    if source.startswith("bytes://"):
        data = source.removeprefix("bytes://").encode("latin-1")
    else:
        try:
            data = Path(source).read_bytes()
        except OSError as error:
            raise NotFoundError(None, None, f"{source}: {error.strerror}") from error
    pool = descriptor_pool.DescriptorPool()
    try:
        for file in descriptor_pb2.FileDescriptorSet.FromString(data).file:
            pool.Add(file)
    except (DecodeError, TypeError) as error:
        raise InvalidArgumentError(None, None, f"{source[:40]!r} has no descriptors") from error
    return pool


def fields_of(
    source: DescriptorSource, names: Sequence[str], types: Sequence[DType]
) -> list[FieldDescriptor]:
    """The descriptors of fields; InvalidArgumentError if one is missing or of another kind."""
    fields: list[FieldDescriptor] = []
    known: Any = message_class(source).DESCRIPTOR.fields_by_name
    for name, dtype in zip(names, types):
        if name not in known:
            raise InvalidArgumentError(
                None, None, f"Unknown field: {name} in message type {source.message_type}"
            )
        if dtype not in KINDS[known[name].type]:
            raise InvalidArgumentError(
                None,
                None,
                f"Unexpected output type for {source.message_type}.{name}: {dtype.name}",
            )
        fields.append(known[name])
    return fields


class DecodeProtoV2(Op):
    """Fields of messages: the numbers of their values, and the values, padded with defaults."""

    type_name = "DecodeProtoV2"
    inputs = ("bytes: string",)
    outputs: ClassVar[tuple[str, ...]] = ("sizes: int32", "values: output_types...")
    ruled = True
    returns_tuple = True
    gradient = not_differentiable

    message_type: str
    field_names: tuple[str, ...]
    output_types: tuple[DType, ...]
    descriptor_source: str = "local://"
    message_format: str = "binary"
    sanitize: bool = False

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        return (dt.int32, *self.output_types)

    def shapes(self, data: TensorType) -> Shapes:
        count, dims = len(self.field_names), data.dims
        if dims is None:
            return (None,) * (count + 1)
        if 0 in dims:
            raise ValueError(f"bytes must have elements, got shape {show_dims(dims)}")
        return (*dims, count), *[(*dims, None)] * count

    def kernel(self, data: Array) -> Any:
        source = DescriptorSource(self.message_type, self.descriptor_source)
        fields = fields_of(source, self.field_names, self.output_types)
        messages = texts(data)
        parsed = [self.parsed(message_class(source), each) for each in messages.flat]
        columns = [[items_of(message, field) for message in parsed] for field in fields]
        sizes = np.array([[len(items) for items in column] for column in columns], np.int32)
        sizes = sizes.reshape(len(fields), messages.size).T.reshape(*messages.shape, len(fields))
        values = [
            table(column, field, dtype, messages.shape)
            for column, field, dtype in zip(columns, fields, self.output_types)
        ]
        return sizes, *values

    def parsed(self, kind: type[Message], data: bytes) -> Message:
        """The message in `data`; DataLossError if there is none."""
        from google.protobuf import text_format
        from google.protobuf.message import DecodeError

        try:
            if self.message_format == "text":
                return text_format.Parse(data, kind())
            return kind.FromString(data)
        except (DecodeError, text_format.ParseError) as error:
            raise DataLossError(None, None, f"Unable to parse binary protobuf: {error}") from error


def items_of(message: Message, field: FieldDescriptor) -> list[Any]:
    """The values of a field of a message, nested messages and texts as bytes; [] if it is unset."""
    if field.is_repeated:
        items = list(getattr(message, field.name))
    elif field.has_presence and not message.HasField(field.name):
        return []
    else:
        value = getattr(message, field.name)
        is_default = not field.has_presence and value == field.default_value
        items = [] if is_default else [value]
    if field.type in (MESSAGE, GROUP):
        return [item.SerializeToString(deterministic=True) for item in items]
    return [item.encode() for item in items] if field.type == TEXT else items


def table(
    column: Sequence[Sequence[object]], field: FieldDescriptor, dtype: DType, dims: tuple[int, ...]
) -> Array:
    """The values of a field in all messages: a row for each, padded with the field's default."""
    is_one = not field.is_repeated and field.type not in (MESSAGE, GROUP)
    longest = max(map(len, column), default=0) or int(is_one)
    padding = b"" if dtype is dt.string else 0
    if is_one and field.default_value:
        default = field.default_value
        padding = default.encode() if isinstance(default, str) else default
    result = np.full((len(column), longest), padding, dtype.numpy_dtype)
    for row, items in enumerate(column):
        for place, item in enumerate(items):
            result[row, place] = item
    return result.reshape(*dims, longest)


class EncodeProto(Op):
    """Messages from the values of their fields, `sizes` of each."""

    type_name = "EncodeProto"
    inputs = ("sizes: int32", "values: Tinput_types...")
    outputs = ("bytes: string",)
    gradient = not_differentiable
    least = {"values": 1}

    field_names: tuple[str, ...]
    message_type: str
    Tinput_types: tuple[DType, ...]
    descriptor_source: str = "local://"

    def shapes(self, sizes: TensorType, *values: TensorType) -> Shapes:
        if sizes.rank in (0, 1):
            raise ValueError(f"sizes of EncodeProto must be at least a matrix: {sizes}")
        if sizes.dims is not None and sizes.dims[-1] not in (len(self.field_names), None):
            raise ValueError(
                f"Expected the last dimension of sizes to be {len(self.field_names)}, got "
                f"{show_dims(sizes.dims)}"
            )
        return (None if sizes.dims is None else sizes.dims[:-1],)

    def kernel(self, sizes: Array, *values: Array) -> Any:
        types = [TensorType(dt.int32, np.shape(a)) for a in (sizes, *values)]
        dims: Any = self.shapes(*types)[0]
        source = DescriptorSource(self.message_type, self.descriptor_source)
        fields = fields_of(source, self.field_names, self.Tinput_types)
        for i, (field, array) in enumerate(zip(fields, values)):
            most = int(np.max(sizes[..., i], initial=0))
            if array.shape[:-1] != dims or array.shape[-1] < most:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"Values of field {field.name} have the shape {show_dims(array.shape)}, but "
                    f"sizes of {show_dims(np.shape(sizes))} ask for up to {most}",
                )
        count = math.prod(dims)
        columns = [array.reshape(count, array.shape[-1]) for array in values]
        counts = sizes.reshape(count, len(fields))
        kind = message_class(source)
        result = np.empty(count, object)
        for i in range(count):
            message = kind()
            for field, column, size in zip(fields, columns, counts[i]):
                fill(message, field, column[i, :size])
            result[i] = message.SerializeToString(deterministic=True)
        return result.reshape(dims)


def fill(message: Message, field: FieldDescriptor, values: Array) -> None:
    """Sets a field of a message."""
    items: list[Any] = values.tolist()
    if field.type == TEXT:
        items = [item.decode() for item in items]
    if field.type in (MESSAGE, GROUP):
        for item in items:
            part = getattr(message, field.name)
            (part.add() if field.is_repeated else part).MergeFromString(item)
    elif field.is_repeated:
        getattr(message, field.name).extend(items)
    elif items:
        setattr(message, field.name, items[-1])  # a reader of several values takes the last


# -- the public functions -------------------------------------------------------------------


def decode_proto(
    bytes: TensorLike,
    message_type: str,
    field_names: Sequence[str],
    output_types: Sequence[DTypeLike],
    descriptor_source: str = "local://",
    message_format: str = "binary",
    sanitize: bool = False,
    name: str | None = None,
) -> Any:
    """Reads fields of serialized messages into tensors.

    Each field has an axis as long as its longest list of values in any message. Its default fills
    the elements that a message lacks.

    Args:
        bytes: A string tensor of any shape: serialized messages.
        message_type: The full name of their type, such as "tensorflow.Example".
        field_names: The names of the fields to read.
        output_types: The dtype of each field. Nested messages are strings.
        descriptor_source: The source of the type: "local://" for types of this process, the path of
            a file with a FileDescriptorSet, or such a set after "bytes://".
        message_format: "binary", or "text" for protobuf's text format.
        sanitize: Has no effect.
        name: A name for the op.

    Returns:
        A named tuple of `sizes`, int32 of shape [..., fields], and `values`. The values are a list
        with a tensor of shape [..., longest] for each field.

    Raises:
        InvalidArgumentError: The type or a field is unknown, or a field has another dtype.
        DataLossError: A string is no message of this type.
        NotFoundError: `descriptor_source` names a file that is missing.

    >>> import graphwright as tf
    >>> text = tf.train.Int64List(value=[4, 5]).SerializeToString()
    >>> fields = tf.io.decode_proto([text], "tensorflow.Int64List", ["value"], [tf.int64])
    >>> fields.sizes.numpy().tolist(), fields.values[0].numpy().tolist()
    ([[2]], [[4, 5]])
    """
    types = tuple([as_dtype(each) for each in output_types])
    attributes = (tuple(field_names), types, descriptor_source, message_format, bool(sanitize))
    op = DecodeProtoV2.of(message_type, *attributes)
    sizes, *values = apply(op, convert(bytes, dt.string), name=name)
    return named(DecodeProtoV2)(sizes, values)


def encode_proto(
    sizes: TensorLike,
    values: Sequence[TensorLike],
    field_names: Sequence[str],
    message_type: str,
    descriptor_source: str = "local://",
    name: str | None = None,
) -> Tensor:
    """Serializes messages whose fields have given values.

    Args:
        sizes: An int32 tensor of shape [..., fields]: the number of values of each field in each
            message.
        values: A list with a tensor for each field, of shape [..., most] with `most` at least as
            great as any of its sizes.
        field_names: The names of the fields.
        message_type: The full name of the type of the messages, such as "tensorflow.Example".
        descriptor_source: Where the type is described, as in `tf.io.decode_proto`.
        name: A name for the op.

    Returns:
        A string tensor of the shape of `sizes` without its last axis.

    Raises:
        InvalidArgumentError: The type or a field is unknown, a field has another dtype, or `values`
            do not match `sizes`.

    >>> import graphwright as tf
    >>> text = tf.io.encode_proto(
    ...     [[2]], [tf.constant([[4, 5]], tf.int64)], ["value"], "tensorflow.Int64List")
    >>> list(tf.train.Int64List.FromString(text[0].numpy()).value)
    [4, 5]
    """
    tensors = [convert(each) for each in values]
    types = tuple([each.dtype for each in tensors])
    op = EncodeProto.of(tuple(field_names), message_type, types, descriptor_source)
    return apply(op, convert(sizes, dt.int32), *tensors, name=name)
