"""`tf.experimental.extension_type`: the fields of extension types."""

from graphwright.library.objects.extension_type import as_dict

__all__ = ["as_dict"]
