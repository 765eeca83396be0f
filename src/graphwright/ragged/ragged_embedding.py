"""Rows of tables for ragged ids."""

from __future__ import annotations

from typing import Any

from graphwright.op.dispatch import implement
from graphwright.ops.nn import embedding as dense_embedding
from graphwright.ragged.ragged_tensor import RaggedTensor, is_ragged
from graphwright.types.arguments import TensorLike
from graphwright.values.sparse import sparse_embedding as sparse_embedding


@implement(dense_embedding.embedding_lookup_sparse, RaggedTensor)
def embedding_lookup_sparse(
    params: TensorLike, sp_ids: object, sp_weights: object, *args: Any, **kwargs: Any
) -> Any:
    """The rows of each row of ids, combined."""
    ids, weights = as_sparse(sp_ids, sp_weights)
    return dense_embedding.embedding_lookup_sparse(params, ids, weights, *args, **kwargs)


@implement(sparse_embedding.safe_embedding_lookup_sparse, RaggedTensor)
def safe_embedding_lookup_sparse(
    embedding_weights: TensorLike,
    sparse_ids: object,
    sparse_weights: object = None,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """The rows of each row of ids, combined, where rows may have none."""
    ids, weights = as_sparse(sparse_ids, sparse_weights)
    lookup = sparse_embedding.safe_embedding_lookup_sparse
    return lookup(embedding_weights, ids, weights, *args, **kwargs)


def as_sparse(ids: object, weights: object) -> tuple[Any, Any]:
    """Ragged ids, and weights if there are any, as sparse ones.

    TypeError where one is ragged and the other is not, ValueError for more than two axes or other
    rows.
    """
    if not is_ragged(ids) or not (weights is None or is_ragged(weights)):
        raise TypeError(
            "ids and weights must be of the same type, received "
            f"{type(ids).__name__} for ids and {type(weights).__name__} for weights."
        )
    if ids.shape.rank != 2:
        raise ValueError(f"ragged ids must be rows of ids, not of shape {ids.shape}")
    if weights is None:
        return ids.to_sparse(), None
    ids.values.shape.assert_is_compatible_with(weights.values.shape)
    return ids.to_sparse(), ids.with_values(weights.values).to_sparse()
