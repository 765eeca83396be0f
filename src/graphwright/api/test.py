"""`tf.test`: checks of derivatives."""

from graphwright.edge.gradient_check import compute_gradient

__all__ = ["compute_gradient"]
