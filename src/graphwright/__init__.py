"""Ordinary Python over tensors, staged into typed dataflow graphs."""

__version__ = "0.1.0"
