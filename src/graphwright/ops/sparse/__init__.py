"""Sparse tensors as their parts, and sets."""
