"""`tf.experimental.extension_type`: the fields of extension types."""

from graphwright.edge.extension_type import as_dict

__all__ = ["as_dict"]
