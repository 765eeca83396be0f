"""`tf.io.parse_sequence_example`: features of messages and of their steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.library.io.example_parsing import (
    Feature,
    FixedLenFeature,
    FixedLenSequenceFeature,
    Request,
    VarLenFeature,
    dtype_of,
)
from graphwright.library.io.ragged_features import Rows, partitioned
from graphwright.library.io.ragged_partitions import RaggedFeature
from graphwright.op.interpreter import apply, convert
from graphwright.ops.io.sequence_example import ParseSequenceExampleV2
from graphwright.ops.strings.text_operands import string
from graphwright.ragged.ragged_tensor import RaggedTensor
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike, TensorValue
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.shape import TensorShape
from graphwright.values.sparse.sparse_tensor import SparseTensor


class StepRequest(Request):
    """The features of steps that the op parses."""

    def add(self, key: str, feature: Feature) -> None:
        """Adds what a feature reads; ValueError if it lacks a dtype or a shape."""
        if not isinstance(feature, FixedLenSequenceFeature):
            super().add(key, feature)
            return
        dtype = dtype_of(feature, key)
        if feature.shape is None:
            raise ValueError(f"Missing shape for feature {key}. Received feature={feature}.")
        if feature.default_value is not None:
            raise ValueError(f"Value feature_list.dense_defaults[{key}] must be None")
        dims = tuple(TensorShape(feature.shape).as_list())
        self.dense[key] = dtype, dims, bool(feature.allow_missing)


def requested(
    request: Request, features: Mapping[str, Feature] | None, kinds: tuple[type, ...]
) -> Request:
    """The request with all features; ValueError for one of another kind."""
    for key, feature in sorted((features or {}).items()):
        if not isinstance(feature, kinds):
            kind = type(feature).__name__
            raise ValueError(f"Unsupported {kind} {feature} for key '{key}'")
        request.add(key, feature)
    return request


def parse_sequence_example(
    serialized: TensorLike,
    context_features: Mapping[str, Feature] | None = None,
    sequence_features: Mapping[str, Feature] | None = None,
    example_names: TensorLike | None = None,
    name: str | None = None,
) -> tuple[dict[str, Tensor], dict[str, Tensor], dict[str, Tensor]]:
    """Parses serialized `SequenceExample` messages: features of each message and of its steps.

    Args:
        serialized: A string tensor: a vector of messages, or a scalar.
        context_features: A dict from names to `FixedLenFeature`, `VarLenFeature` or
            `RaggedFeature`, for features of whole messages. None means none.
        sequence_features: A dict from names to `FixedLenSequenceFeature`, `VarLenFeature` or
            `RaggedFeature`, for features of steps. None means none.
        example_names: Names of the messages, strings of the shape of `serialized`, or None. The
            results do not depend on them.
        name: A name for the op.

    Returns:
        Three dicts by name: the context features, the sequence features, and the numbers of steps.
        The last has an int64 tensor for each `FixedLenSequenceFeature`, whose tensor zeros pad to
        the longest message.

    Raises:
        InvalidArgumentError: A feature of a message is missing, or has another dtype or number of
            values.
        ValueError: There are no features, or one is of another kind or lacks a dtype or shape.

    >>> import graphwright as tf
    >>> step = tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))
    >>> steps = tf.train.FeatureLists(feature_list={"a": tf.train.FeatureList(feature=[step] * 3)})
    >>> text = tf.train.SequenceExample(feature_lists=steps).SerializeToString()
    >>> _, sequence, lengths = tf.io.parse_sequence_example(
    ...     [text], sequence_features={"a": tf.io.FixedLenSequenceFeature([2], tf.int64)})
    >>> sequence["a"].shape, lengths["a"].numpy().tolist()
    (TensorShape([1, 3, 2]), [3])
    """
    if not (context_features or sequence_features):
        raise ValueError(
            "Both `context_features` and `sequence_features` argument are None, but at least one "
            "should have values."
        )
    kinds = VarLenFeature, FixedLenFeature, RaggedFeature
    whole = requested(Request(), context_features, kinds)
    step_kinds = VarLenFeature, FixedLenSequenceFeature, RaggedFeature
    steps = requested(StepRequest(), sequence_features, step_kinds)
    messages = string(serialized)
    if (whole.ragged or steps.ragged) and messages.type.rank is None:
        raise ValueError("serialized must have statically-known rank to parse ragged features.")
    names = convert(np.array([], object) if example_names is None else example_names, dt.string)
    is_single = messages.type.rank == 0
    whole_parts, step_parts, lengths = results_of(whole, steps, messages, names, name)
    context = assembled(whole, context_features, whole_parts, is_single)
    sequence = assembled(steps, sequence_features, step_parts, is_single)
    return context, sequence, dict(zip(steps.dense, lengths))


class ParsedParts(NamedTuple):
    """The tensors of one request by kind, each kind in the order of the request."""

    sparse: list[SparseTensor]
    dense: list[Tensor]
    values: list[Rows]
    splits: list[Tensor]


def results_of(
    whole: Request, steps: Request, messages: TensorValue, names: TensorValue, name: str | None
) -> tuple[ParsedParts, ParsedParts, list[Tensor]]:
    """The op's results for both requests, and the numbers of steps."""
    op = ParseSequenceExampleV2.of(
        len(whole.sparse), tuple([kind for kind, _, _ in whole.dense.values()]),
        tuple(whole.sparse.values()), *ragged_dtypes(whole),
        tuple([dims for _, dims, _ in whole.dense.values()]),
        len(steps.sparse), len(steps.dense), tuple([kind for kind, _, _ in steps.dense.values()]),
        tuple(steps.sparse.values()), *ragged_dtypes(steps),
        tuple([dims for _, dims, _ in steps.dense.values()]),
    )  # fmt: skip
    keys = [
        convert(np.array(list(each), object))
        for request in (whole, steps)
        for each in (request.sparse, request.dense, request.ragged)
    ]
    may_lack = convert(np.array([allowed for _, _, allowed in steps.dense.values()], bool))
    defaults = [default for _, _, default in whole.dense.values()]
    results = iter(apply(op, messages, names, *keys, may_lack, *defaults, name=name))

    def take(count: int) -> list[Any]:
        return [next(results) for _ in range(count)]

    def sparse(request: Request) -> list[SparseTensor]:
        return [SparseTensor(*each) for each in zip(*[take(len(request.sparse)) for _ in range(3)])]

    count = len(whole.ragged)
    parts = ParsedParts(sparse(whole), take(len(whole.dense)), take(count), take(count))
    count = len(steps.ragged)
    columns, dense, lengths = sparse(steps), take(len(steps.dense)), take(len(steps.dense))
    values, splits, inner = take(count), take(count), take(count)
    rows = [RaggedTensor.from_row_splits(*each, None, False) for each in zip(values, inner)]
    return parts, ParsedParts(columns, dense, rows, splits), lengths


def ragged_dtypes(request: Request) -> list[tuple[DType, ...]]:
    """The dtypes of ragged values, and those of their splits."""
    return [tuple([pair[i] for pair in request.ragged.values()]) for i in range(2)]


def assembled(
    request: Request, features: Mapping[str, Feature] | None, parts: ParsedParts, is_single: bool
) -> dict[str, Any]:
    """The tensors of the features, by name."""
    values = parts.values
    if not is_single:
        both = zip(values, parts.splits)
        values = [RaggedTensor.from_row_splits(*each, None, False) for each in both]
    rows = dict(zip(request.ragged, values))
    tensors: dict[str, Any] = dict(zip(request.sparse, parts.sparse))
    tensors |= zip(request.dense, parts.dense)
    for key, feature in (features or {}).items():
        if isinstance(feature, RaggedFeature):
            splits = as_dtype(feature.row_splits_dtype)
            of_feature = rows[feature.value_key or key]
            tensors[key] = partitioned(feature, of_feature, splits, rows.__getitem__)
    return tensors


def parse_single_sequence_example(
    serialized: TensorLike,
    context_features: Mapping[str, Feature] | None = None,
    sequence_features: Mapping[str, Feature] | None = None,
    example_name: TensorLike | None = None,
    name: str | None = None,
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Parses one serialized `SequenceExample` message: its own features, and those of its steps.

    Args:
        serialized: A scalar string tensor.
        context_features: A dict from names to features of the whole message, as in
            `tf.io.parse_sequence_example`, or None.
        sequence_features: A dict from names to features of its steps, or None.
        example_name: A name of the message, a scalar string, or None. The results do not depend on
            it.
        name: A name for the op.

    Returns:
        Two dicts of tensors by name: the context features and the sequence features.

    Raises:
        InvalidArgumentError: A feature of the message is missing, or has another dtype or number of
            values.
        ValueError: `serialized` is no scalar, or there are no features.

    >>> import graphwright as tf
    >>> step = tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))
    >>> steps = tf.train.FeatureLists(feature_list={"a": tf.train.FeatureList(feature=[step] * 3)})
    >>> text = tf.train.SequenceExample(feature_lists=steps).SerializeToString()
    >>> context, sequence = tf.io.parse_single_sequence_example(
    ...     text, sequence_features={"a": tf.io.FixedLenSequenceFeature([2], tf.int64)})
    >>> context, sequence["a"].numpy().tolist()
    ({}, [[1, 2], [1, 2], [1, 2]])
    """
    if not (context_features or sequence_features):
        raise ValueError(
            "Both context_features and sequence_features are None, but at least one should have "
            "values."
        )
    message = string(serialized)
    if message.type.rank not in (0, None):
        raise ValueError("Input serialized must be a scalar")
    return parse_sequence_example(message, context_features, sequence_features, example_name, name)[
        :2
    ]
