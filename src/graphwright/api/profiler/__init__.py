"""`tf.profiler`: profiles of programs."""

from graphwright.api.profiler import experimental

__all__ = ["experimental"]
