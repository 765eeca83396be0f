"""Ordinary Python over tensors, staged into typed dataflow graphs.

The public names are gathered from `graphwright.api`: each of its modules is a namespace
(`tf.math`) or an area of top-level names, which its `TOP_LEVEL` lists.
"""

import os as _os

from graphwright.machine.process_settings import uncollected as _uncollected

__version__ = "0.1.0"

with _uncollected(ages=True):
    from graphwright import api as _api
    from graphwright import hooks as _hooks

    _hooks.install()
    __all__ = _api.publish(globals())

if _os.environ.get("GRAPHWRIGHT_AS_TENSORFLOW") == "1":
    from graphwright.api.presence import install_as_tensorflow

    install_as_tensorflow()
