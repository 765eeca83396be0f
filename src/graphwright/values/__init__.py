"""Tensors with values: the eager interpreter, conversion, variables."""
