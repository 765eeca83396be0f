"""`tf.io.RaggedFeature`, and the ways to divide its values into rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from graphwright.base.named_tuples import NamedTuple
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DTypeLike


class RowSplits(NamedTuple):
    """Rows of the values by row splits, which feature `key` holds."""

    key: str


class RowLengths(NamedTuple):
    """Rows of the values by lengths, which feature `key` holds."""

    key: str


class RowStarts(NamedTuple):
    """Rows of the values by their starts, which feature `key` holds."""

    key: str


class RowLimits(NamedTuple):
    """Rows of the values by their ends, which feature `key` holds."""

    key: str


class ValueRowIds(NamedTuple):
    """Rows of the values by the row of each value, which feature `key` holds."""

    key: str


class UniformRowLength(NamedTuple):
    """Rows of the values, all of one length."""

    length: int


#: How the values of a feature are divided into rows.
Partition: TypeAlias = (
    RowSplits | RowLengths | RowStarts | RowLimits | ValueRowIds | UniformRowLength
)


class RaggedFeature(NamedTuple):
    """A feature with any number of values: a ragged tensor with a row for each message.

    Args:
        dtype: The dtype of the values: tf.int64, tf.float32 or tf.string.
        value_key: The name in the messages; None means that among the features.
        partitions: How the values are divided into rows, the outermost first:
            `RaggedFeature.RowLengths` and the like.
        row_splits_dtype: tf.int32 or tf.int64.
        validate: A bool: whether the partitions are checked.

    >>> import graphwright as tf
    >>> message = tf.train.Example()
    >>> message.features.feature["values"].int64_list.value.extend([3, 1, 4])
    >>> message.features.feature["lengths"].int64_list.value.extend([2, 1])
    >>> lengths = tf.io.RaggedFeature.RowLengths("lengths")
    >>> features = {"x": tf.io.RaggedFeature(tf.int64, "values", [lengths])}
    >>> tf.io.parse_single_example(message.SerializeToString(), features)["x"]
    <tf.RaggedTensor [[3, 1], [4]]>
    """

    dtype: DTypeLike
    value_key: str | None = None
    partitions: Sequence[Partition] = ()
    row_splits_dtype: DTypeLike = dt.int32
    validate: bool = False

    @property
    def keys(self) -> list[str]:
        """The names of the features that divide the values."""
        return [p.key for p in self.partitions if not isinstance(p, UniformRowLength)]


for _kind in (RowSplits, RowLengths, RowStarts, RowLimits, ValueRowIds, UniformRowLength):
    setattr(RaggedFeature, _kind.__name__, _kind)
