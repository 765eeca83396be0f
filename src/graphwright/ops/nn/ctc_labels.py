"""Rows of labels prepared for connectionist temporal classification."""

from __future__ import annotations

from graphwright.op.interpreter import convert
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import fill
from graphwright.ops.core.gathering import gather, scatter_nd
from graphwright.ops.core.identity import ensure_shape
from graphwright.ops.core.indexing import boolean_mask, where
from graphwright.ops.core.indicators import sequence_mask
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import expand_dims, reshape
from graphwright.ops.core.sequences import range as range_of
from graphwright.ops.core.shapes import shape
from graphwright.ops.core.sorting import argmax
from graphwright.ops.math.arithmetic import subtract
from graphwright.ops.math.comparison import equal, logical_and, not_equal
from graphwright.ops.math.cumulation import cumsum
from graphwright.ops.math.reduction import reduce_max, reduce_sum
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike


def collapse_repeated(
    labels: TensorLike, seq_length: TensorLike, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Merges equal neighbours among the first labels of each row.

    Args:
        labels: A matrix of any dtype, [batch, longest].
        seq_length: A vector of integers, [batch]: how many labels of each row count.
        name: A name for the op.

    Returns:
        A pair: the rows, filled up with zeros to the longest, and a vector of their lengths, of the
        dtype of `seq_length`.

    >>> import graphwright as tf
    >>> rows, lengths = tf.nn.collapse_repeated([[1, 1, 2, 2, 1], [1, 2, 3, 4, 5]], [5, 5])
    >>> rows.numpy().tolist(), lengths.numpy().tolist()
    ([[1, 2, 1, 0, 0], [1, 2, 3, 4, 5]], [3, 5])
    """
    matrix, sizes = ensure_shape(labels, [None, None]), convert(seq_length)
    first = fill(shape(matrix[:, :1]), True)
    differs = concat([first, not_equal(matrix[:, 1:], matrix[:, :-1])], 1)
    inside = sequence_mask(sizes, maxlen=shape(matrix)[1])
    stays = ensure_shape(logical_and(differs, inside), [None, None])
    lengths = reduce_sum(cast(stays, dt.int32), axis=1)
    longest = reduce_max(lengths, axis=0)
    places = where(sequence_mask(lengths, maxlen=longest))
    target = cast(concat([shape(matrix)[:1], expand_dims(longest, 0)], 0), dt.int64)
    rows = scatter_nd(places, boolean_mask(reshape(matrix, [-1]), reshape(stays, [-1])), target)
    return rows, cast(lengths, sizes.dtype)


def ctc_unique_labels(labels: TensorLike, name: str | None = None) -> list[Tensor]:
    """Finds the distinct labels of each row, in order of first appearance.

    Args:
        labels: A matrix of integers, [batch, longest].
        name: A name for the op.

    Returns:
        A list of two matrices of the shape of `labels`. One has the distinct labels of each row, as
        int64, filled up with zeros. The other has the index of each label among them, as int32.

    >>> import graphwright as tf
    >>> unique, which = tf.nn.ctc_unique_labels([[3, 4, 4, 3]])
    >>> unique.numpy().tolist(), which.numpy().tolist()
    ([[3, 4, 0, 0]], [[0, 1, 1, 0]])
    """
    labels = ensure_shape(labels, [None, None])
    same = equal(expand_dims(labels, 2), expand_dims(labels, 1))
    first = argmax(cast(same, dt.int32), axis=2, output_type=dt.int32)
    is_first = equal(first, range_of(shape(labels)[1]))
    number = subtract(cumsum(cast(is_first, dt.int32), axis=1), 1)
    which = gather(number, first, batch_dims=1)
    firsts = where(is_first)
    columns = boolean_mask(number, is_first)
    places = concat([firsts[:, :1], expand_dims(cast(columns, dt.int64), 1)], 1)
    values = cast(boolean_mask(labels, is_first), dt.int64)
    return [scatter_nd(places, values, cast(shape(labels), dt.int64)), which]
