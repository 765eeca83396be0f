"""`tf.distribute.experimental`: what functions that make values for replicas are told."""

from graphwright.library.distribute.distribute import ValueContext

__all__ = ["ValueContext"]
