"""Cotangents as rules of gradients see them: tensors, eager or of a graph."""

from __future__ import annotations

from graphwright.types.arguments import TensorValue

#: How a scalar changes with a result of an op.
Cotangent = TensorValue
