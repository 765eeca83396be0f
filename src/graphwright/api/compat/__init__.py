"""`tf.compat`: names of earlier versions that programs still use."""

from graphwright.api.compat import v1

__all__ = ["v1"]
