"""`tf.io.parse_example`: features of serialized `Example` messages, as their kinds say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from graphwright.library.io.ragged_features import RaggedFeature, Rows, partitioned
from graphwright.op.interpreter import apply, convert
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import expand_dims, reshape
from graphwright.ops.io.example import ParseExampleV2
from graphwright.ops.strings.strings import string
from graphwright.ragged.ragged_tensor import RaggedTensor
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, ShapeLike, TensorLike, TensorValue
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.shape import TensorShape
from graphwright.types.tensor_type import Dims
from graphwright.values.sparse.sparse_functions import reorder
from graphwright.values.sparse.sparse_tensor import SparseTensor


class FixedLenFeature(NamedTuple):
    """A feature with as many values as its shape has; `default_value` stands for a missing one."""

    shape: ShapeLike
    dtype: DTypeLike
    default_value: TensorLike | None = None


class FixedLenSequenceFeature(NamedTuple):
    """A feature with any number of elements of a shape, filled up to the longest of the batch."""

    shape: ShapeLike
    dtype: DTypeLike
    allow_missing: bool = False
    default_value: TensorLike | None = None


class VarLenFeature(NamedTuple):
    """A feature with any number of values: a sparse tensor with a row for each message."""

    dtype: DTypeLike


class SparseFeature(NamedTuple):
    """A sparse tensor of a size, whose indices and values are features of their own.

    `index_key` and `size` may be lists, for several dimensions; `already_sorted` says that the
    indices ascend.
    """

    index_key: str | list[str] | tuple[str, ...]
    value_key: str
    dtype: DTypeLike
    size: int | list[int] | tuple[int, ...]
    already_sorted: bool = False


#: What a feature of a message is read as.
Feature = FixedLenFeature | FixedLenSequenceFeature | VarLenFeature | SparseFeature | RaggedFeature


class Request:
    """What an op is to parse for the features of a program, each name of the messages once."""

    def __init__(self) -> None:
        self.sparse: dict[str, DType] = {}
        self.dense: dict[str, tuple[DType, Dims, Any]] = {}
        self.ragged: dict[str, tuple[DType, DType]] = {}

    def add(self, key: str, feature: Feature) -> None:
        """Asks for what a feature needs; ValueError where it says too little."""
        if isinstance(feature, VarLenFeature):
            self.sparse[key] = kind_of(feature, key)
        elif isinstance(feature, SparseFeature):
            for index in index_keys(feature):
                self.sparse[index] = dt.int64
            self.sparse[feature.value_key] = kind_of(feature, key)
        elif isinstance(feature, RaggedFeature):
            splits = as_dtype(feature.row_splits_dtype)
            self.ragged[feature.value_key or key] = kind_of(feature, key), splits
            for part in feature.keys:
                self.ragged.setdefault(part, (dt.int64, splits))
        else:
            self.dense[key] = dense_feature(key, feature)

    def parse(self, serialized: TensorValue, names: TensorValue, name: str | None) -> Parsed:
        """Parses the messages."""
        kinds = [kind for kind, _, _ in self.dense.values()]
        shapes = [dims for _, dims, _ in self.dense.values()]
        sparse, ragged = tuple(self.sparse.values()), list(self.ragged.values())
        op = ParseExampleV2.of(
            len(sparse), sparse, tuple([value for value, _ in ragged]),
            tuple([splits for _, splits in ragged]), tuple(kinds), tuple(shapes),
        )  # fmt: skip
        keys = [convert(np.array(list(k), object)) for k in (self.sparse, self.dense, self.ragged)]
        defaults = [default for _, _, default in self.dense.values()]
        results = iter(apply(op, serialized, names, *keys, *defaults, name=name))
        n = len(sparse)
        parts = [[next(results) for _ in range(n)] for _ in range(3)]
        tensors = [SparseTensor(*part) for part in zip(*parts)]
        dense = {key: next(results) for key in self.dense}
        values, splits = [[next(results) for _ in ragged] for _ in range(2)]
        return Parsed(
            dict(zip(self.sparse, tensors)), dense, dict(zip(self.ragged, zip(values, splits)))
        )


class Parsed(NamedTuple):
    """What was parsed, by the names in the messages."""

    sparse: dict[str, SparseTensor]
    dense: dict[str, TensorValue]
    ragged: dict[str, tuple[TensorValue, TensorValue]]

    def feature(self, key: str, feature: Feature, is_single: bool) -> Any:
        """The tensor that a feature is to be."""
        if isinstance(feature, VarLenFeature):
            return self.sparse[key]
        if isinstance(feature, RaggedFeature):
            splits = as_dtype(feature.row_splits_dtype)
            find = partial(self.rows, is_single=is_single)
            return partitioned(feature, find(feature.value_key or key), splits, find)
        if isinstance(feature, SparseFeature):
            ids = [self.sparse[index] for index in index_keys(feature)]
            size = feature.size if isinstance(feature.size, (list, tuple)) else [feature.size]
            values = self.sparse[feature.value_key]
            return merge(ids, values, size, feature.already_sorted)
        return self.dense[key]

    def rows(self, key: str, is_single: bool) -> Rows:
        """The values of a ragged feature, by message where there are several."""
        values, splits = self.ragged[key]
        return values if is_single else RaggedTensor.from_row_splits(values, splits, None, False)


def merge(
    ids: list[SparseTensor], values: SparseTensor, size: Sequence[int], is_sorted: bool
) -> Any:
    """The sparse tensor whose last indices are values of others."""
    columns = [expand_dims(each.values, 1) for each in ids]
    indices = concat([values.indices[:, :-1], *columns], 1)
    lead = values.dense_shape[:-1]
    whole = concat([lead, convert(np.array(size, np.int64))], 0)
    merged = SparseTensor(indices, values.values, whole)
    return merged if is_sorted else reorder(merged)


def index_keys(feature: SparseFeature) -> list[str]:
    """The names of the features that hold the indices."""
    keys = feature.index_key
    return list(keys) if isinstance(keys, (list, tuple)) else [keys]


def kind_of(feature: Feature, key: str) -> DType:
    """The dtype of a feature; ValueError where it has none."""
    if not feature.dtype:
        raise ValueError(f"Missing type for feature {key}. Received feature={feature}.")
    return as_dtype(feature.dtype)


def parse_example(
    serialized: TensorLike,
    features: Mapping[str, Feature],
    example_names: TensorLike | None = None,
    name: str | None = None,
) -> dict[str, Any]:
    """Parses serialized `Example` messages into a tensor for each feature.

    A `FixedLenFeature` becomes a tensor of its shape for each message. A `FixedLenSequenceFeature`
    becomes one with a further axis, filled up to the longest message. A `VarLenFeature` or
    `SparseFeature` becomes a sparse tensor, a `RaggedFeature` a ragged one.

    Args:
        serialized: A string tensor: a vector of messages, or a scalar.
        features: A dict from the names of features to their kinds, as above.
        example_names: Names of the messages, strings of the shape of `serialized`, or None. The
            results do not depend on them.
        name: A name for the op.

    Returns:
        A dict from the names of `features` to tensors.

    Raises:
        InvalidArgumentError: A feature of a message is missing, or has another dtype or number of
            values.
        ValueError: `features` is empty, or a feature in it lacks a dtype or shape.

    >>> import graphwright as tf
    >>> values = tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))
    >>> example = tf.train.Example(features=tf.train.Features(feature={"a": values}))
    >>> text = example.SerializeToString()
    >>> tf.io.parse_example([text], {"a": tf.io.FixedLenFeature([2], tf.int64)})["a"].numpy()
    array([[1, 2]])
    """
    if not features:
        raise ValueError("Argument `features` cannot be None or empty.")
    request = Request()
    for key in sorted(features):
        request.add(key, features[key])
    messages = string(serialized)
    names = convert(np.array([], object) if example_names is None else example_names, dt.string)
    parsed = request.parse(messages, names, name)
    is_single = messages.type.rank == 0
    return {key: parsed.feature(key, features[key], is_single) for key in sorted(features)}


def parse_single_example(
    serialized: TensorLike,
    features: Mapping[str, Feature],
    example_names: TensorLike | None = None,
    name: str | None = None,
) -> dict[str, Any]:
    """Parses one serialized `Example` message into a tensor for each feature.

    Args:
        serialized: A scalar string tensor.
        features: A dict from the names of features to their kinds, as in `tf.io.parse_example`.
        example_names: A name of the message, a scalar string, or None. The results do not depend on
            it.
        name: A name for the op.

    Returns:
        A dict from the names of `features` to tensors, without an axis of messages.

    Raises:
        InvalidArgumentError: A feature of the message is missing, or has another dtype or number of
            values.
        ValueError: `serialized` is no scalar, or `features` is as `tf.io.parse_example` refuses it.

    >>> import graphwright as tf
    >>> values = tf.train.Feature(float_list=tf.train.FloatList(value=[0.5]))
    >>> example = tf.train.Example(features=tf.train.Features(feature={"a": values}))
    >>> features = {"a": tf.io.FixedLenFeature([], tf.float32)}
    >>> tf.io.parse_single_example(example.SerializeToString(), features)["a"]
    <tf.Tensor: shape=(), dtype=float32, numpy=0.5>
    """
    message = string(serialized)
    if message.type.rank not in (0, None):
        raise ValueError("Input serialized must be a scalar")
    return parse_example(message, features, example_names, name)


def dense_feature(key: str, feature: object) -> tuple[DType, Dims, TensorValue]:
    """The dtype, shape and default of a dense feature; ValueError where it says too little."""
    if not isinstance(feature, (FixedLenFeature, FixedLenSequenceFeature)):
        raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key '{key}'")
    if not feature.dtype:
        raise ValueError(f"Missing type for feature {key}. Received feature={feature}.")
    if feature.shape is None:
        raise ValueError(f"Missing shape for feature {key}. Received feature={feature}.")
    dtype, dims = as_dtype(feature.dtype), tuple(TensorShape(feature.shape).as_list())
    if isinstance(feature, FixedLenSequenceFeature):
        if not feature.allow_missing:
            raise ValueError("Unsupported: FixedLenSequenceFeature requires allow_missing to be "
                             "True.")  # fmt: skip
        filler = feature.default_value
        if filler is None:
            filler = b"" if dtype is dt.string else 0
        return dtype, (None, *dims), reshape(convert(filler, dtype), ())
    if None in dims:
        raise ValueError(
            f"First dimension of shape for feature {key} unknown. Consider using "
            f"FixedLenSequenceFeature. Received feature={feature}."
        )
    if feature.default_value is None:
        return dtype, dims, convert(np.empty(0, dtype.numpy_dtype))
    return dtype, dims, reshape(convert(feature.default_value, dtype), dims)
