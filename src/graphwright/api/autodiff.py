"""`tf.autodiff`: the two directions of differentiation."""

from graphwright.autodiff.forward import ForwardAccumulator
from graphwright.autodiff.tape import GradientTape

__all__ = ["ForwardAccumulator", "GradientTape"]
