"""Ordinary Python over tensors, staged into typed dataflow graphs.

The public names are gathered from `graphwright.api`: each of its modules is a namespace
(`tf.math`) or an area of top-level names, which its `TOP_LEVEL` lists.
"""

import os as _os
from importlib import import_module as _import_module
from typing import Any as _Any

from graphwright.machine.process_settings import uncollected as _uncollected

__version__ = "0.2.0"

with _uncollected(ages=True):
    from graphwright import api as _api
    from graphwright import hooks as _hooks

    _hooks.install()
    __all__ = _api.publish(globals())


def load_ipython_extension(shell: _Any) -> None:
    """Prepares a notebook: what `%load_ext graphwright` calls."""
    _import_module("graphwright.diagnosis.notebook_extension").load(shell)


if _os.environ.get("GRAPHWRIGHT_AS_TENSORFLOW") == "1":
    from graphwright.api.presence import install_as_tensorflow

    install_as_tensorflow()
