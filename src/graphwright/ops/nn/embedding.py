"""Rows of a table, looked up by their numbers and combined."""

from __future__ import annotations

import builtins
from typing import Any, Protocol

from graphwright.op.interpreter import convert
from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import expand_dims, reshape
from graphwright.ops.core.segment_reduction import (
    segment_sum,
    sparse_segment_mean,
    sparse_segment_sqrt_n,
    sparse_segment_sum,
)
from graphwright.ops.core.sequences import range
from graphwright.ops.core.shapes import rank, shape
from graphwright.ops.core.unique import unique
from graphwright.ops.math.arithmetic import divide_no_nan
from graphwright.ops.math.clipping import clip_by_norm
from graphwright.ops.math.transcendental import sqrt, square
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike, TensorValue

COMBINERS = {
    "sum": sparse_segment_sum,
    "mean": sparse_segment_mean,
    "sqrtn": sparse_segment_sqrt_n,
}


class SparseValue(Protocol):
    """A sparse tensor."""

    @property
    def indices(self) -> TensorValue: ...
    @property
    def values(self) -> TensorValue: ...
    @property
    def dense_shape(self) -> TensorValue: ...


def whole_table(params: TensorLike | None) -> Any:
    """One table of the tables that share its rows in order; ValueError if there is none."""
    if params is None:
        raise ValueError("params must be specified")
    if isinstance(params, (list, tuple)) and not params:
        raise ValueError("Length of params is currently 0. Need at least one param.")
    if not isinstance(params, list):
        return params
    return params[0] if len(params) == 1 else concat(params, 0)


def embedding_lookup(
    params: TensorLike, ids: TensorLike, max_norm: float | None = None, name: str | None = None
) -> Tensor:
    """Gathers the rows of a table by their ids.

    Args:
        params: A tensor or variable of rank 1 or more, or a list of tables that are joined row
            after row.
        ids: A tensor of int16, int32 or int64, of any shape.
        max_norm: The greatest 2-norm of a row; a longer one is scaled down. None sets no limit.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `params`, of shape [ids..., row...].

    Raises:
        ValueError: `params` is None or an empty list.
        InvalidArgumentError: An id is no row.

    >>> import graphwright as tf
    >>> tf.nn.embedding_lookup(tf.constant([[1.0], [2.0], [3.0]]), [2, 0])[:, 0]
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([3., 1.], dtype=float32)>
    """
    table, ids = whole_table(params), convert(ids)
    rows = gather(table, ids, name=name)
    return rows if max_norm is None else clipped_rows(rows, ids, max_norm)


def clipped_rows(rows: TensorValue, ids: TensorValue, max_norm: float) -> Any:
    """Rows scaled down to a norm; their axes come after those of `ids`."""
    count, outer = rows.type.rank, ids.type.rank
    if count is not None and outer is not None:
        return clip_by_norm(rows, max_norm, axes=list(builtins.range(outer, count)))
    return clip_by_norm(rows, max_norm, axes=range(rank(ids), rank(rows)))


def embedding_lookup_sparse(
    params: TensorLike,
    sp_ids: SparseValue,
    sp_weights: SparseValue | None,
    combiner: str | None = None,
    max_norm: float | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Combines the rows of a table that each row of a sparse matrix of ids names.

    Args:
        params: A tensor or variable of floats, or a list of tables that are joined row after row.
        sp_ids: A `tf.SparseTensor` of ids, int32 or int64, of rank 2.
        sp_weights: A `tf.SparseTensor` of the same places with the weight of each id. None means 1.
        combiner: "sum", "mean" (divides by the sum of the weights) or "sqrtn" (divides by their
            2-norm). None means "mean".
        max_norm: The greatest 2-norm of a row of the table; a longer one is scaled down. None sets
            no limit.
        name: A name for the op.
        allow_fast_lookup: Accepted for TensorFlow's signature and not used.

    Returns:
        A tensor of the dtype of `params`, with a row for each row of `sp_ids`, up to the last one
        that has an id.

    Raises:
        ValueError: `combiner` is none of the three.
        TypeError: `sp_ids` or `sp_weights` is no `tf.SparseTensor`.

    >>> import graphwright as tf
    >>> table = tf.constant([[1.0], [2.0], [4.0]])
    >>> ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 1, 2], [2, 2])
    >>> tf.nn.embedding_lookup_sparse(table, ids, None).numpy().tolist()
    [[1.5], [4.0]]
    """
    combiner = "mean" if combiner is None else combiner
    if combiner not in COMBINERS:
        raise ValueError(
            "combiner must be one of 'mean', 'sqrtn' or 'sum', but got " + repr(combiner)
        )
    for value, what in ((sp_ids, "sp_ids"), (sp_weights, "sp_weights")):
        if not hasattr(value, "indices") and (value is not None or what == "sp_ids"):
            raise TypeError(f"{what} must be SparseTensor, got {type(value).__name__}")
    table = whole_table(params)
    segments = cast(sp_ids.indices[:, 0], dt.int32)
    if sp_weights is None:
        ids, places = unique(sp_ids.values)
        rows = embedding_lookup(table, ids, max_norm)
        return COMBINERS[combiner](rows, places, segments, name=name)
    rows = embedding_lookup(table, sp_ids.values, max_norm)
    weights = cast(sp_weights.values, rows.dtype)
    wide = weights
    for _ in builtins.range(1, rows.type.rank or 2):
        wide = expand_dims(wide, -1)
    total = segment_sum(rows * wide, segments)
    if combiner == "sum":
        return total
    if combiner == "mean":
        norms = segment_sum(weights, segments)
    else:
        norms = sqrt(segment_sum(square(weights), segments))
    tail = [1] * ((rows.type.rank or 2) - 1)
    return divide_no_nan(total, reshape(norms, concat([shape(norms), tail], 0)))
