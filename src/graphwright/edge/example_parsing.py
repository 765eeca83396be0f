"""`tf.io.parse_example`: features of serialized `Example` messages, as their kinds say."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphwright.op.interpreter import apply, convert
from graphwright.ops.example import ParseExampleV2
from graphwright.ops.movement import reshape
from graphwright.ops.strings import string
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import as_dtype
from graphwright.types.shape import TensorShape


class FixedLenFeature(NamedTuple):
    """A feature with as many values as its shape has; `default_value` stands for a missing one."""

    shape: Any
    dtype: Any
    default_value: Any = None


class FixedLenSequenceFeature(NamedTuple):
    """A feature with any number of elements of a shape, filled up to the longest of the batch."""

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


def parse_example(
    serialized: Any, features: Any, example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """The features of a vector of serialized `Example` messages (or of one), by name.

    `features` says what each is: `FixedLenFeature` gives a tensor of its shape for each message,
    `FixedLenSequenceFeature` one with a further axis. InvalidArgumentError where a message has
    another kind or number of values.

    >>> values = tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))
    >>> example = tf.train.Example(features=tf.train.Features(feature={"a": values}))
    >>> text = example.SerializeToString()
    >>> tf.io.parse_example([text], {"a": tf.io.FixedLenFeature([2], tf.int64)})["a"].numpy()
    array([[1, 2]])
    """
    if not features:
        raise ValueError("Argument `features` cannot be None or empty.")
    dense = {key: dense_feature(key, features[key]) for key in sorted(features)}
    names = convert(np.array([], object) if example_names is None else example_names, dt.string)
    kinds = tuple([kind for kind, _, _ in dense.values()])
    shapes = tuple([dims for _, dims, _ in dense.values()])
    op = ParseExampleV2.of(0, (), (), (), kinds, shapes)
    none = convert(np.array([], object))
    keys = convert(np.array(list(dense), object))
    defaults = [default for _, _, default in dense.values()]
    results = apply(op, string(serialized), names, none, keys, none, *defaults, name=name)
    return dict(zip(dense, results))


def parse_single_example(
    serialized: Any, features: Any, example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """The features of one serialized `Example` message, by name; see `parse_example`."""
    message = string(serialized)
    if message.type.rank not in (0, None):
        raise ValueError("Input serialized must be a scalar")
    return parse_example(message, features, example_names, name)


def dense_feature(key: str, feature: Any) -> tuple[Any, Any, Any]:
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
