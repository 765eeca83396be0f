"""Sparse tensors: what they are, and what functions make of them."""

from graphwright.values.sparse import arithmetic, functions, tensor

__all__ = ["arithmetic", "functions", "tensor"]
