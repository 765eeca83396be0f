"""Imports that wait until a program uses what they bring."""

from __future__ import annotations

import threading
from importlib import import_module
from types import ModuleType

from graphwright.base.forks import held_over_forks
from graphwright.types import tensor_type  # noqa: F401 - its lock is made before ours

#: Held during such an import: the child of a fork can never import what another thread was
#: importing.
_IMPORTING = held_over_forks(threading.RLock())


def late_module(name: str) -> ModuleType:
    """The module of a name, imported now if it is not there."""
    with _IMPORTING:
        return import_module(name)
