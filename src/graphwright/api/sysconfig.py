"""`tf.sysconfig`: what the package was built for."""

from graphwright.library.config.config import get_build_info

__all__ = ["get_build_info"]
