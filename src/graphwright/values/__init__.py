"""Tensors with values: the eager interpreter, conversion, variables.

Importing this package installs what the layers below ask of it (`op.op.Hooks`,
the runtime of `types.specs`).
"""

from graphwright.values import convert, eager, tensor_specs, variable

__all__ = ["convert", "eager", "tensor_specs", "variable"]
