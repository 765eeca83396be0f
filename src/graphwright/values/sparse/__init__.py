"""Sparse tensors: what they are, and what functions make of them."""

from graphwright.values.sparse import arithmetic, counting, functions, tensor

__all__ = ["arithmetic", "counting", "functions", "tensor"]
