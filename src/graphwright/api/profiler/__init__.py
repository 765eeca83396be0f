"""`tf.profiler`: what ran when."""

from graphwright.api.profiler import experimental

__all__ = ["experimental"]
