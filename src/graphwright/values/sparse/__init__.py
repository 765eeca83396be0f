"""Sparse tensors: what they are, and what functions make of them."""

from graphwright.values.sparse import (
    sparse_arithmetic,
    sparse_counts,
    sparse_functions,
    sparse_tensor,
)

__all__ = ["sparse_arithmetic", "sparse_counts", "sparse_functions", "sparse_tensor"]
