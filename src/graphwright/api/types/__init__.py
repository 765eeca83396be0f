"""`tf.types`: the protocols of types."""

from graphwright.api.types import experimental

__all__ = ["experimental"]
