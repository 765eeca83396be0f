"""Algorithms over plain NumPy arrays, which know nothing of ops or tensors."""
