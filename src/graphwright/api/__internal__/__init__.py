"""`tf.__internal__`: what libraries such as Keras call, and users do not."""

from graphwright.api.__internal__ import autograph, distribute, smart_cond

__all__ = ["autograph", "distribute", "smart_cond"]
