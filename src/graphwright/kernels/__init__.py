"""Algorithms over plain NumPy arrays: what the ops compute with, knowing nothing of ops or
tensors.
"""
