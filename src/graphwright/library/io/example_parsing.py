"""`tf.io.parse_example`: features of serialized `Example` messages as tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.library.io.ragged_partitions import RaggedFeature
from graphwright.op.interpreter import apply, convert
from graphwright.op.late_imports import late_module
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import expand_dims, reshape
from graphwright.ops.io.example import ParseExampleV2
from graphwright.ops.strings.text_operands import string
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, ShapeLike, TensorLike, TensorValue
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.shape import TensorShape
from graphwright.types.tensor_type import Dims
from graphwright.values.sparse.sparse_tensor import SparseTensor

if TYPE_CHECKING:
    from graphwright.library.io.ragged_features import Rows


class FixedLenFeature(NamedTuple):
    """A feature with as many values as its shape has.

    Args:
        shape: The shape of the values of one message.
        dtype: Their dtype: tf.int64, tf.float32 or tf.string.
        default_value: A value of this shape for messages that lack the feature. None means that
            none may.

    >>> import graphwright as tf
    >>> message = tf.train.Example()
    >>> message.features.feature["size"].int64_list.value.extend([3, 4])
    >>> features = {"size": tf.io.FixedLenFeature([2], tf.int64)}
    >>> tf.io.parse_single_example(message.SerializeToString(), features)["size"].numpy()
    array([3, 4])
    """

    shape: ShapeLike
    dtype: DTypeLike
    default_value: TensorLike | None = None


class FixedLenSequenceFeature(NamedTuple):
    """A feature with any number of elements of a shape, padded to the longest of the batch.

    Args:
        shape: The shape of an element.
        dtype: Its dtype: tf.int64, tf.float32 or tf.string.
        allow_missing: A bool: whether messages may have fewer elements than others; it must be True
            outside of sequence examples.
        default_value: A scalar that pads; None means 0 or "".

    >>> import graphwright as tf
    >>> message = tf.train.Example()
    >>> message.features.feature["size"].int64_list.value.extend([3, 4])
    >>> features = {"size": tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True)}
    >>> tf.io.parse_single_example(message.SerializeToString(), features)["size"].numpy()
    array([3, 4])
    """

    shape: ShapeLike
    dtype: DTypeLike
    allow_missing: bool = False
    default_value: TensorLike | None = None


class VarLenFeature(NamedTuple):
    """A feature with any number of values: a sparse tensor with a row for each message.

    Args:
        dtype: The dtype of the values: tf.int64, tf.float32 or tf.string.

    >>> import graphwright as tf
    >>> message = tf.train.Example()
    >>> message.features.feature["size"].int64_list.value.extend([3, 4])
    >>> features = {"size": tf.io.VarLenFeature(tf.int64)}
    >>> tf.io.parse_single_example(message.SerializeToString(), features)["size"].values.numpy()
    array([3, 4])
    """

    dtype: DTypeLike


class SparseFeature(NamedTuple):
    """A sparse tensor whose indices and values are features of the messages.

    Args:
        index_key: The name of the feature of the indices; a list of names for several dimensions.
        value_key: The name of the feature of the values.
        dtype: The dtype of the values: tf.int64, tf.float32 or tf.string.
        size: The size of the dimension; a list of sizes for several.
        already_sorted: A bool: whether the indices ascend.

    >>> import graphwright as tf
    >>> message = tf.train.Example()
    >>> message.features.feature["at"].int64_list.value.extend([0, 3])
    >>> message.features.feature["of"].float_list.value.extend([0.5, 1.0])
    >>> features = {"x": tf.io.SparseFeature("at", "of", tf.float32, size=4)}
    >>> x = tf.io.parse_single_example(message.SerializeToString(), features)["x"]
    >>> tf.sparse.to_dense(x).numpy()
    array([0.5, 0. , 0. , 1. ], dtype=float32)
    """

    index_key: str | list[str] | tuple[str, ...]
    value_key: str
    dtype: DTypeLike
    size: int | list[int] | tuple[int, ...]
    already_sorted: bool = False


#: How a feature of a message is read.
Feature: TypeAlias = (
    FixedLenFeature | FixedLenSequenceFeature | VarLenFeature | SparseFeature | RaggedFeature
)


class Request:
    """The features that the op parses, by their names in the messages, each name once."""

    def __init__(self) -> None:
        self.sparse: dict[str, DType] = {}
        self.dense: dict[str, tuple[DType, Dims, Any]] = {}
        self.ragged: dict[str, tuple[DType, DType]] = {}

    def add(self, key: str, feature: Feature) -> None:
        """Adds what a feature reads; ValueError if it lacks a dtype or a shape."""
        if isinstance(feature, VarLenFeature):
            self.sparse[key] = dtype_of(feature, key)
        elif isinstance(feature, SparseFeature):
            for index in index_keys(feature):
                self.sparse[index] = dt.int64
            self.sparse[feature.value_key] = dtype_of(feature, key)
        elif isinstance(feature, RaggedFeature):
            splits = as_dtype(feature.row_splits_dtype)
            self.ragged[feature.value_key or key] = dtype_of(feature, key), splits
            for part in feature.keys:
                self.ragged.setdefault(part, (dt.int64, splits))
        else:
            self.dense[key] = dense_feature(key, feature)

    def parse(self, serialized: TensorValue, names: TensorValue, name: str | None) -> Parsed:
        """The features of the messages; ValueError if one of them is asked for in two forms."""
        forms = [("dense", [*self.dense]), ("ragged", [*self.ragged]), ("sparse", [*self.sparse])]
        for (first, mine), (second, others) in combinations(forms, 2):
            common = set(mine) & set(others)
            if common:
                raise ValueError(
                    f"{first.capitalize()} and {second} keys must not intersect; {first}_keys: "
                    f"{mine}, {second}_keys: {others}, intersection: {common}"
                )
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
    """The parsed tensors, by their names in the messages."""

    sparse: dict[str, SparseTensor]
    dense: dict[str, TensorValue]
    ragged: dict[str, tuple[TensorValue, TensorValue]]

    def feature(self, key: str, feature: Feature, is_single: bool) -> Any:
        """The tensor of a feature."""
        if isinstance(feature, VarLenFeature):
            return self.sparse[key]
        if isinstance(feature, RaggedFeature):
            splits = as_dtype(feature.row_splits_dtype)
            rows = partial(self.rows, is_single=is_single)
            return _ragged().partitioned(feature, rows(feature.value_key or key), splits, rows)
        if isinstance(feature, SparseFeature):
            columns = [self.sparse[index] for index in index_keys(feature)]
            size = feature.size if isinstance(feature.size, (list, tuple)) else [feature.size]
            values = self.sparse[feature.value_key]
            return merge(columns, values, size, feature.already_sorted)
        return self.dense[key]

    def rows(self, key: str, is_single: bool) -> Rows:
        """The values of a ragged feature, by message where there are several."""
        values, splits = self.ragged[key]
        return values if is_single else _ragged().by_message(values, splits)


def _ragged() -> Any:
    """The module of ragged features, which few messages have."""
    return late_module("graphwright.library.io.ragged_features")


def place_of(feature: Feature) -> int:
    """The place of a kind of feature among the results."""
    kinds: list[tuple[type, ...]] = [
        (VarLenFeature,),
        (FixedLenFeature, FixedLenSequenceFeature),
        (RaggedFeature,),
    ]
    return next((i for i, kind in enumerate(kinds) if isinstance(feature, kind)), len(kinds))


def merge(
    columns: list[SparseTensor], values: SparseTensor, size: Sequence[int], is_sorted: bool
) -> Any:
    """The sparse tensor of `values`, whose last indices are the values of the columns."""
    last = [expand_dims(column.values, 1) for column in columns]
    indices = concat([values.indices[:, :-1], *last], 1)
    leading = values.dense_shape[:-1]
    dense_shape = concat([leading, convert(np.array(size, np.int64))], 0)
    merged = SparseTensor(indices, values.values, dense_shape)
    if is_sorted:
        return merged
    return late_module("graphwright.values.sparse.sparse_functions").reorder(merged)


def index_keys(feature: SparseFeature) -> list[str]:
    """The names of the features that hold the indices."""
    keys = feature.index_key
    return list(keys) if isinstance(keys, (list, tuple)) else [keys]


def dtype_of(feature: Feature, key: str) -> DType:
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
    becomes one with a further axis, padded to the longest message. A `VarLenFeature` or
    `SparseFeature` becomes a sparse tensor, a `RaggedFeature` a ragged one.

    Args:
        serialized: A string tensor: a vector of messages, or a scalar.
        features: A dict from the names of features to their kinds, as above.
        example_names: Names of the messages, strings of the shape of `serialized`, or None. The
            results do not depend on them.
        name: A name for the op.

    Returns:
        A dict from the names of `features` to tensors: `VarLenFeature`s first, then those of fixed
        length, ragged and sparse ones, each kind by name.

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
    keys = sorted(features, key=lambda key: (place_of(features[key]), key))
    return {key: parsed.feature(key, features[key], is_single) for key in keys}


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


def dense_feature(key: str, feature: Feature) -> tuple[DType, Dims, TensorValue]:
    """The dtype, shape and default of a dense feature; ValueError if it lacks one."""
    if not isinstance(feature, (FixedLenFeature, FixedLenSequenceFeature)):
        raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key '{key}'")
    if not feature.dtype:
        raise ValueError(f"Missing type for feature {key}. Received feature={feature}.")
    if feature.shape is None:
        raise ValueError(f"Missing shape for feature {key}. Received feature={feature}.")
    dtype, dims = as_dtype(feature.dtype), tuple(TensorShape(feature.shape).as_list())
    if isinstance(feature, FixedLenSequenceFeature):
        if not feature.allow_missing:
            raise ValueError(
                "Unsupported: FixedLenSequenceFeature requires allow_missing to be True."
            )
        padding = feature.default_value
        if padding is None:
            padding = b"" if dtype is dt.string else 0
        return dtype, (None, *dims), reshape(convert(padding, dtype), ())
    if None in dims:
        raise ValueError(
            f"First dimension of shape for feature {key} unknown. Consider using "
            f"FixedLenSequenceFeature. Received feature={feature}."
        )
    if feature.default_value is None:
        return dtype, dims, convert(np.empty(0, dtype.numpy_dtype))
    return dtype, dims, reshape(convert(feature.default_value, dtype), dims)
