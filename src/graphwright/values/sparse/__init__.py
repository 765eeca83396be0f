"""Sparse tensors: what they are, and what functions make of them."""
