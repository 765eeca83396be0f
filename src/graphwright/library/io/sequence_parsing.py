"""`tf.io.parse_sequence_example`: features of messages and of their steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.library.io.example_parsing import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    Request,
    VarLenFeature,
    kind_of,
)
from graphwright.library.io.ragged_features import RaggedFeature, partitioned
from graphwright.op.interpreter import apply, convert
from graphwright.ops.io.sequence_example import ParseSequenceExampleV2
from graphwright.ops.strings.strings import string
from graphwright.ragged.ragged_tensor import RaggedTensor
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike
from graphwright.types.dtypes import as_dtype
from graphwright.types.shape import TensorShape
from graphwright.values.sparse.sparse_tensor import SparseTensor


class StepRequest(Request):
    """What an op is to parse for the features of steps."""

    def add(self, key: str, feature: Any) -> None:
        """Asks for what a feature needs; ValueError where it says too little."""
        if not isinstance(feature, FixedLenSequenceFeature):
            super().add(key, feature)
            return
        dtype = kind_of(feature, key)
        if feature.shape is None:
            raise ValueError(f"Missing shape for feature {key}. Received feature={feature}.")
        if feature.default_value is not None:
            raise ValueError(f"Value feature_list.dense_defaults[{key}] must be None")
        dims = tuple(TensorShape(feature.shape).as_list())
        self.dense[key] = dtype, dims, bool(feature.allow_missing)


def requested(request: Request, features: Any, kinds: tuple[type, ...]) -> Request:
    """The request with all features, of which only some kinds may be."""
    for key in sorted(features or {}):
        if not isinstance(features[key], kinds):
            kind = type(features[key]).__name__
            raise ValueError(f"Unsupported {kind} {features[key]} for key '{key}'")
        request.add(key, features[key])
    return request


def parse_sequence_example(
    serialized: TensorLike,
    context_features: Any = None,
    sequence_features: Any = None,
    example_names: TensorLike | None = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
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
        The last has an int64 tensor for each `FixedLenSequenceFeature`. Zeros fill these up to the
        longest message.

    Raises:
        InvalidArgumentError: A feature of a message is missing, or has another dtype or number of
            values.
        ValueError: There are no features, or one is of another kind or lacks a dtype or shape.

    >>> import graphwright as tf
    >>> step = tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))
    >>> steps = tf.train.FeatureLists(feature_list={"a": tf.train.FeatureList(feature=[step] * 3)})
    >>> text = tf.train.SequenceExample(feature_lists=steps).SerializeToString()
    >>> _, found, lengths = tf.io.parse_sequence_example(
    ...     [text], sequence_features={"a": tf.io.FixedLenSequenceFeature([2], tf.int64)})
    >>> found["a"].shape, lengths["a"].numpy().tolist()
    (TensorShape([1, 3, 2]), [3])
    """
    if not (context_features or sequence_features):
        raise ValueError(
            "Both `context_features` and `sequence_features` argument are None, but at least one "
            "should have values."
        )
    own = requested(Request(), context_features, (VarLenFeature, FixedLenFeature, RaggedFeature))
    steps = requested(
        StepRequest(), sequence_features, (VarLenFeature, FixedLenSequenceFeature, RaggedFeature)
    )
    messages = string(serialized)
    if (own.ragged or steps.ragged) and messages.type.rank is None:
        raise ValueError("serialized must have statically-known rank to parse ragged features.")
    names = convert(np.array([], object) if example_names is None else example_names, dt.string)
    is_single = messages.type.rank == 0
    parts = results_of(own, steps, messages, names, name)
    context = assembled(own, context_features, parts[:4], is_single, steps=False)
    found = assembled(steps, sequence_features, parts[4:8], is_single, steps=True)
    return context, found, dict(zip(steps.dense, parts[8]))


def results_of(
    own: Request, steps: Request, messages: Any, names: Any, name: str | None
) -> list[Any]:
    """The op's results: sparse tensors, dense ones, ragged values and splits, of both requests;
    and the numbers of steps."""
    op = ParseSequenceExampleV2.of(
        len(own.sparse), tuple([kind for kind, _, _ in own.dense.values()]),
        tuple(own.sparse.values()), *[tuple(column) for column in pairs(own)],
        tuple([dims for _, dims, _ in own.dense.values()]),
        len(steps.sparse), len(steps.dense), tuple([kind for kind, _, _ in steps.dense.values()]),
        tuple(steps.sparse.values()), *[tuple(column) for column in pairs(steps)],
        tuple([dims for _, dims, _ in steps.dense.values()]),
    )  # fmt: skip
    keys = [
        convert(np.array(list(each), object))
        for request in (own, steps)
        for each in (request.sparse, request.dense, request.ragged)
    ]
    may_lack = convert(np.array([allowed for _, _, allowed in steps.dense.values()], bool))
    defaults = [default for _, _, default in own.dense.values()]
    results = iter(apply(op, messages, names, *keys, may_lack, *defaults, name=name))

    def take(count: int) -> list[Any]:
        return [next(results) for _ in range(count)]

    parts: list[Any] = []
    for request in (own, steps):
        n = len(request.sparse)
        parts.append([SparseTensor(*each) for each in zip(*[take(n) for _ in range(3)])])
        parts.append(take(len(request.dense)))
        if request is steps:
            lengths = take(len(request.dense))
        parts += [take(len(request.ragged)), take(len(request.ragged))]
    inner = take(len(steps.ragged))
    parts[6] = [
        RaggedTensor.from_row_splits(values, splits, None, False)
        for values, splits in zip(parts[6], inner)
    ]
    return [*parts, lengths]


def pairs(request: Request) -> list[list[Any]]:
    """The dtypes of ragged values, and those of their splits."""
    return [[pair[i] for pair in request.ragged.values()] for i in range(2)]


def assembled(
    request: Request, features: Any, parts: Any, is_single: bool, steps: bool
) -> dict[str, Any]:
    """What was parsed, by the names of the features."""
    sparse, dense, values, splits = parts
    rows = dict(zip(request.ragged, values))
    if not is_single:
        rows = {
            key: RaggedTensor.from_row_splits(each, ends, None, False)
            for (key, each), ends in zip(rows.items(), splits)
        }
    found = {**dict(zip(request.sparse, sparse)), **dict(zip(request.dense, dense))}
    for key, feature in (features or {}).items():
        if isinstance(feature, RaggedFeature):
            own = rows[feature.value_key or key]
            found[key] = partitioned(
                feature, own, as_dtype(feature.row_splits_dtype), rows.__getitem__
            )
    return found


def parse_single_sequence_example(
    serialized: TensorLike,
    context_features: Any = None,
    sequence_features: Any = None,
    example_name: TensorLike | None = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
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
