"""`tf.nn.safe_embedding_lookup_sparse`: rows of a table for ids of which some are missing."""

from __future__ import annotations

from typing import Any

from graphwright.ops.core.creation import zeros_like
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import reshape as reshape_dense
from graphwright.ops.core.repetition import tile
from graphwright.ops.core.shapes import shape
from graphwright.ops.math.comparison import greater, greater_equal, logical_and, select
from graphwright.ops.math.reduction import reduce_prod
from graphwright.ops.nn.embedding import embedding_lookup_sparse, whole_table
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.values.convert import convert
from graphwright.values.sparse.sparse_functions import fill_empty_rows, reshape, retain
from graphwright.values.sparse.sparse_tensor import SparseLike, SparseTensor, converted


def safe_embedding_lookup_sparse(
    embedding_weights: TensorLike,
    sparse_ids: SparseLike,
    sparse_weights: SparseLike | None = None,
    combiner: str | None = "mean",
    default_id: int | None = None,
    max_norm: float | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Looks ids up in a table of embeddings and combines those of a row, which may have none.

    It is `tf.nn.embedding_lookup_sparse` for ids of any rank. Negative ids are left out, as are,
    unless `combiner` is "sum", those whose weight is not positive.

    Args:
        embedding_weights: A tensor of floats of shape [ids, *dims], or a list of tensors, the parts
            of one.
        sparse_ids: A sparse tensor of integers of shape [..., ids of a row].
        sparse_weights: A sparse tensor of floats with elements at the same places; None means 1.
        combiner: "mean", "sqrtn" or "sum".
        default_id: The id of a row without ids; None means zeros instead.
        max_norm: The greatest 2-norm of an embedding, to which longer ones are scaled; None means
            no limit.
        name: A name for the op.
        allow_fast_lookup: Has no effect on the result.

    Returns:
        A tensor of the dtype of `embedding_weights` of shape [..., *dims].

    Raises:
        ValueError: `embedding_weights` is None or an empty list.

    >>> import graphwright as tf
    >>> table = tf.constant([[1.0], [10.0], [100.0]])
    >>> ids = tf.sparse.SparseTensor([[0, 0], [0, 1]], [0, 2], [2, 2])
    >>> tf.nn.safe_embedding_lookup_sparse(table, ids, combiner="sum").numpy().tolist()
    [[101.0], [0.0]]
    """
    if embedding_weights is None:
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    if isinstance(embedding_weights, (list, tuple)) and not embedding_weights:
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    ids = converted(sparse_ids, "sparse_ids")
    whole = ids.dense_shape
    flat = concat([reshape_dense(reduce_prod(whole[:-1]), [1]), whole[-1:]], 0)
    outer = ids.shape
    weights = None if sparse_weights is None else converted(sparse_weights, "sparse_weights")
    if weights is not None:
        weights = SparseTensor(ids.indices, weights.values, whole)
    ids, weights = pruned(ids, weights, combiner)
    ids = reshape(ids, flat)
    ids, is_empty = fill_empty_rows(ids, convert(default_id or 0, ids.dtype))
    if weights is not None:
        weights, _ = fill_empty_rows(reshape(weights, flat), 1.0)
    rows = embedding_lookup_sparse(whole_table(embedding_weights), ids, weights, combiner, max_norm)
    if default_id is None:
        empty = tile(reshape_dense(is_empty, [-1, 1]), concat([[1], shape(rows)[1:2]], 0))
        rows = select(empty, zeros_like(rows), rows)
    result = reshape_dense(rows, concat([whole[:-1], shape(rows, dt.int64)[1:]], 0), name)
    if outer.rank is not None:
        result.set_shape(outer[:-1].concatenate(rows.shape[1:]))
    return result


def pruned(
    ids: SparseTensor, weights: SparseTensor | None, combiner: str | None
) -> tuple[Any, Any]:
    """The ids that are not left out, and their weights."""
    valid = greater_equal(ids.values, 0)
    if weights is None:
        return retain(ids, valid), None
    if combiner != "sum":
        valid = logical_and(valid, greater(weights.values, 0))
    return retain(ids, valid), retain(weights, valid)
