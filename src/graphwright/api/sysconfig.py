"""`tf.sysconfig`: the build of the package."""

from graphwright.library.config.config import get_build_info

__all__ = ["get_build_info"]
