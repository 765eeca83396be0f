"""`tf.sysconfig`: what the package was built for."""

from graphwright.edge.config import get_build_info

__all__ = ["get_build_info"]
