"""`tf.distribute.experimental`: the context of a function that makes values for replicas."""

from graphwright.library.distribute.distribute import ValueContext

__all__ = ["ValueContext"]
