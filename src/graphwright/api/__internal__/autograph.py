"""`tf.__internal__.autograph`: conversion of functions that are passed to a library."""

from graphwright.autograph.conversion import tf_convert
from graphwright.autograph.status import control_status_ctx

__all__ = ["control_status_ctx", "tf_convert"]
