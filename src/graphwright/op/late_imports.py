"""Imports that wait until a program uses what they bring."""

from __future__ import annotations

import importlib.util
import os
import sys
import threading
from functools import cache
from importlib import import_module
from importlib.machinery import ExtensionFileLoader, PathFinder
from types import ModuleType

from graphwright.base.forks import held_over_forks
from graphwright.machine.process_settings import uncollected
from graphwright.types import tensor_type  # noqa: F401 - its lock is made before ours

#: Held during such an import: the child of a fork can never import what another thread was
#: importing.
_IMPORTING = held_over_forks(threading.RLock())


def late_module(name: str) -> ModuleType:
    """The module of a name, imported now if it is not there."""
    with _IMPORTING:
        if name in sys.modules:
            return import_module(name)
        with uncollected(ages=True):
            return import_module(name)


@cache
def late_extension(name: str) -> ModuleType | None:
    """A module of machine code in a package, such as SciPy's, without the rest of the package.

    `scipy.linalg` takes 0.1 s to import, its wrappers of LAPACK 1 ms. The package is not imported,
    and may be later. None where there is no such module, or where it needs its package.
    """
    top, *inner = name.split(".")
    with _IMPORTING:
        if os.name == "nt":
            import_module(top)  # it says where its libraries are
        package = PathFinder.find_spec(top)
        folders = [] if package is None else list(package.submodule_search_locations or [])
        place = [os.path.join(folder, *inner[:-1]) for folder in folders]
        spec = PathFinder.find_spec(name, place)
        if spec is None or not isinstance(spec.loader, ExtensionFileLoader):
            return None
        module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except ImportError:
            return None
        return module
