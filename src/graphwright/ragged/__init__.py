"""Ragged tensors: rows of different lengths, and what functions mean for them."""
