"""`tf.__internal__.types`: what stands for a dense tensor."""

from graphwright.values.tensor import Dense as Tensor

__all__ = ["Tensor"]
