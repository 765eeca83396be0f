"""`tf.experimental.dlpack`: tensors of other libraries without a copy."""

from graphwright.library.io.interchange import from_dlpack, to_dlpack

__all__ = ("from_dlpack", "to_dlpack")
