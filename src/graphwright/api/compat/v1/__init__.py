"""`tf.compat.v1`: the names of TensorFlow 1 that programs still use."""

from graphwright.api.compat.v1 import io

__all__ = ["io"]
