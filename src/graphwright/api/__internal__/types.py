"""`tf.__internal__.types`: the class of dense tensors."""

from graphwright.values.tensor import Dense as Tensor

__all__ = ["Tensor"]
