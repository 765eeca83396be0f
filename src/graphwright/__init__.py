"""Ordinary Python over tensors, staged into typed dataflow graphs.

The public names are gathered from `graphwright.api`: each of its modules is a namespace
(`tf.math`) or an area of top-level names, which its `TOP_LEVEL` lists.
"""

import gc as _gc

__version__ = "0.1.0"

_collects = _gc.isenabled()
_gc.disable()  # what is made here stays: to look for garbage in it took a fifth of the import
try:
    from graphwright import api as _api
    from graphwright import hooks as _hooks

    _hooks.install()
    __all__ = _api.publish(globals())
    # What is there is old from now on, without a look at it: that takes 35 ms, in a first call.
    _gc.freeze()
    _gc.unfreeze()
finally:
    if _collects:
        _gc.enable()
