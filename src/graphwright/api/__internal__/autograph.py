"""`tf.__internal__.autograph`: conversion of functions that a library was given."""

from graphwright.autograph.convert import tf_convert

__all__ = ["tf_convert"]
