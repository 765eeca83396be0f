"""`tf.linalg.experimental`: linear systems solved with products alone."""

from graphwright.library.linear_operators.conjugate_gradient import conjugate_gradient

__all__ = ("conjugate_gradient",)
