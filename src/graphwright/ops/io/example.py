"""Features of serialized `Example` messages as tensors: the ops under `tf.io.parse_example`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.batching import Each, Refusal, elementwise
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.ops.io.example_features import KINDS, FeatureColumn, features_of
from graphwright.ops.strings.text_operands import texts
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType, is_compatible, num_elements, show_dims


class ParseExampleV2(Op):
    """Features of messages: sparse ones, dense ones, ragged ones.

    With a vector of messages each result has an axis of them in front.
    """

    type_name = "ParseExampleV2"
    inputs = (
        "serialized: string",
        "names: string",
        "sparse_keys: string",
        "dense_keys: string",
        "ragged_keys: string",
        "dense_defaults: Tdense...",
    )
    outputs: ClassVar[tuple[str, ...]] = (
        "sparse_indices: int64*num_sparse",
        "sparse_values: sparse_types...",
        "sparse_shapes: int64*num_sparse",
        "dense_values: Tdense...",
        "ragged_values: ragged_value_types...",
        "ragged_row_splits: ragged_split_types...",
    )
    dtypes = dict.fromkeys(
        ("sparse_types", "ragged_value_types", "Tdense"), frozenset(KINDS.values())
    )
    returns_tuple = True
    ruled = True
    gradient = not_differentiable
    least = {"num_sparse": 0}

    num_sparse: int
    sparse_types: tuple[DType, ...]
    ragged_value_types: tuple[DType, ...]
    ragged_split_types: tuple[DType, ...]
    Tdense: tuple[DType, ...]
    dense_shapes: tuple[Dims, ...]

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        self._bind_dtypes(types)
        wide = (dt.int64,) * self.num_sparse
        ragged = (*self.ragged_value_types, *self.ragged_split_types)
        return (*wide, *self.sparse_types, *wide, *self.Tdense, *ragged)

    def shapes(self, serialized: TensorType, *operands: TensorType) -> Shapes:
        batch = serialized.dims
        rank = rank_of_parts(batch)
        names, sparse_keys, dense_keys, ragged_keys, *defaults = operands
        if names.size != 0 and not is_compatible(names.dims, batch):
            raise ValueError(
                f"names must be as many as serialized, {show_dims(batch)}, or none, got shape "
                f"{show_dims(names.dims)}"
            )
        check_counts("sparse_keys", sparse_keys, self.num_sparse, self.sparse_types)
        check_counts("dense_keys", dense_keys, self.dense_shapes, self.Tdense)
        splits_and_values = self.ragged_split_types, self.ragged_value_types
        check_counts("ragged_keys", ragged_keys, *splits_and_values)
        check_defaults(defaults, self.dense_shapes)
        ragged = len(self.ragged_value_types)
        splits: Dims | None = (None,)
        if batch is not None:
            splits = (0,) if not batch else (None if batch[0] is None else batch[0] + 1,)
        return (
            *[(None, rank)] * self.num_sparse,
            *[(None,)] * self.num_sparse,
            *[(rank,)] * self.num_sparse,
            *[None if batch is None else (*batch, *dims) for dims in self.dense_shapes],
            *[(None,)] * ragged,
            *[splits] * ragged,
        )

    def kernel(self, serialized: Array, names: Array, *operands: Any) -> Any:
        messages = texts(serialized)
        keys = [[key.decode() for key in texts(each).flat] for each in operands[:3]]
        features = features_of(messages.reshape(-1), [key for part in keys for key in part])
        batch = messages.shape
        sparse = [
            sparse_parts(features.column(key, dtype), batch)
            for key, dtype in zip(keys[0], self.sparse_types)
        ]
        dense = [
            dense_part(features.column(*about[:2]), *about, batch)
            for about in zip(keys[1], self.Tdense, self.dense_shapes, operands[3:])
        ]
        ragged = [
            ragged_parts(features.column(key, dtype), split, batch)
            for key, dtype, split in zip(keys[2], self.ragged_value_types, self.ragged_split_types)
        ]
        return (
            *[part for parts in zip(*sparse) for part in parts],
            *dense,
            *[part for parts in zip(*ragged) for part in parts],
        )

    def batched(self, each: Each) -> Any:
        """Messages of all rows in one vector."""
        if self.num_sparse or self.ragged_value_types:
            raise Refusal("its sparse and ragged results are of another length in each row")
        several = each.rank(0) == 1
        messages = each.merged(0) if several else each.full(0)
        names = convert([], dt.string)  # they are there for messages that one runs alone
        results = apply(self, messages, names, *[each.same(i) for i in range(2, len(each.inputs))])
        return tuple([each.split(x, 0) for x in results]) if several else results


def rank_of_parts(batch: Dims | None) -> int | None:
    """How many numbers an index into a sparse result has; ValueError for messages in a matrix."""
    if batch is not None and len(batch) > 1:
        raise ValueError(f"serialized must be a scalar or a vector, not {show_dims(batch)}")
    return None if batch is None else len(batch) + 1


def check_counts(name: str, keys: TensorType, *attributes: Any) -> None:
    """ValueError unless there are as many keys as each attribute, a number or a list, says."""
    counts = [n if isinstance(n, int) else len(n) for n in attributes]
    length = num_elements(keys.dims)
    if len(set(counts)) > 1 or length not in (counts[0], None):
        raise ValueError(
            f"{name} has the shape {show_dims(keys.dims)}, but attributes tell of "
            f"{' and of '.join(map(str, counts))}"
        )


def check_defaults(defaults: Sequence[TensorType], shapes: Sequence[Dims]) -> None:
    """ValueError for the default of a dense feature that is not of the feature's shape; one
    without elements counts as none."""
    for place, (default, dims) in enumerate(zip(defaults, shapes)):
        count = num_elements(default.dims)
        varies = bool(dims) and dims[0] is None
        fits = count in (1, None) if varies else is_compatible(default.dims, dims)
        if count != 0 and not fits:
            raise ValueError(
                f"the default of dense feature {place} must have the shape {show_dims(dims)}, got "
                f"{show_dims(default.dims)}"
            )


class DecodeJSONExample(Op):
    """`Example` messages that are written as JSON, as bytes."""

    type_name = "DecodeJSONExample"
    inputs = ("json_examples: string",)
    outputs = ("binary_examples: string",)
    gradient = not_differentiable
    batched = elementwise

    def shapes(self, text: TensorType) -> Shapes:
        return (text.dims,)

    def kernel(self, text: Array) -> Any:
        messages = texts(text)
        result = np.empty(messages.shape, object)
        result.reshape(-1)[:] = [bytes_of_json(each) for each in messages.flat]
        return result


def bytes_of_json(text: bytes) -> bytes:
    """The message that a text in JSON describes."""
    from google.protobuf.json_format import Parse, ParseError

    from graphwright.proto.example_pb2 import Example

    try:
        return Parse(text, Example()).SerializeToString(deterministic=True)
    except ParseError as error:
        raise InvalidArgumentError(None, None, f"Error while parsing JSON: {error}") from error


def decode_json_example(json_examples: TensorLike, name: str | None = None) -> Tensor:
    """Converts `Example` messages from JSON to the bytes that `tf.io.parse_example` reads.

    Args:
        json_examples: A tensor of strings, of any shape.
        name: A name for the op.

    Returns:
        A tensor of strings of the shape of `json_examples`.

    Raises:
        InvalidArgumentError: A string is no such JSON.

    >>> import graphwright as tf
    >>> text = '{"features": {"feature": {"a": {"int64List": {"value": [7]}}}}}'
    >>> example = tf.train.Example.FromString(tf.io.decode_json_example(text).numpy())
    >>> list(example.features.feature["a"].int64_list.value)
    [7]
    """
    return apply(DecodeJSONExample.of(), convert(json_examples, dt.string), name=name)


def sparse_parts(column: FeatureColumn, batch: tuple[int, ...]) -> tuple[Any, Any, Any]:
    """Indices, values and shape of a sparse tensor with the values of each message in a row."""
    flat, lengths, _ = column
    rows = np.repeat(np.arange(len(lengths)), lengths)
    columns = np.arange(len(flat)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    widest = int(lengths.max(initial=0))
    if not batch:
        return columns[:, None], flat, np.array([widest])
    return np.stack([rows, columns], 1), flat, np.array([len(lengths), widest])


def ragged_parts(column: FeatureColumn, split: DType, batch: tuple[int, ...]) -> tuple[Any, Any]:
    """Values and row splits of a ragged tensor; of one message there are no splits."""
    ends = np.cumsum(column.lengths)
    splits = np.concatenate([[0], ends]) if batch else np.empty(0)
    return column.values, splits.astype(split.numpy_dtype)


def dense_part(
    column: FeatureColumn, key: str, dtype: DType, dims: Dims, default: Array,
    batch: tuple[int, ...],
) -> Any:  # fmt: skip
    """The values of all messages in the feature's shape, the default for those that are missing.

    Where the first dimension is unknown, shorter ones are filled up with the default.
    """
    if dims and dims[0] is None:
        return padded(column, key, dtype, dims[1:], default, batch)
    size = math.prod(d for d in dims if d is not None)
    is_wrong = np.where(column.is_present, column.lengths, np.size(default)) != size
    if is_wrong.any():
        place = int(is_wrong.argmax())
        if not column.is_present[place]:
            raise InvalidArgumentError(
                None,
                None,
                f"Feature: {key} (data type: {dtype.name}) is required but could not be found.",
            )
        raise InvalidArgumentError(
            None,
            None,
            f"Key: {key}, Index: {place}.  Number of {dtype.name} values != expected.  Values "
            f"size: {column.lengths[place]} but output shape: {list(dims)}",
        )
    result = column.values
    if not column.is_present.all():
        result = np.empty((len(column.lengths), size), dtype.numpy_dtype)
        result[column.is_present] = column.values.reshape(-1, size)
        result[~column.is_present] = np.ravel(default)
    return result.reshape((*batch, *dims))


def padded(
    column: FeatureColumn, key: str, dtype: DType, inner: Dims, default: Array,
    batch: tuple[int, ...],
) -> Any:  # fmt: skip
    """Sequences of elements of a shape, filled up to the longest with the default."""
    size = math.prod(d for d in inner if d is not None)
    flat, lengths, _ = column
    if size == 0 or (lengths % size).any():
        raise InvalidArgumentError(
            None,
            None,
            f"Key: {key}.  Number of {dtype.name} values is not a multiple of stride length "
            f"{size}: {lengths.tolist()}",
        )
    longest = int(lengths.max(initial=0))
    filler: Any = np.ravel(default)[0] if np.size(default) else b"" if dtype is dt.string else 0
    result = np.empty((len(lengths), longest), dtype.numpy_dtype)
    result[...] = filler
    result[np.arange(longest) < lengths[:, None]] = flat
    return result.reshape((*batch, longest // size, *inner))
