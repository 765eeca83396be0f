"""Ordinary Python over tensors, staged into typed dataflow graphs.

The public names are gathered from `graphwright.api`: each of its modules is a namespace
(`tf.math`) or an area of top-level names, which its `TOP_LEVEL` lists.
"""

from graphwright import api as _api

__version__ = "0.1.0"
__all__ = _api.publish(globals())
