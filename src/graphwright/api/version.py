"""`tf.version`: graphwright's own version."""

import graphwright

VERSION = graphwright.__version__

__all__ = ["VERSION"]
