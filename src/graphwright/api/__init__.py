"""Public names and nothing else: one file a namespace.

A module here is a namespace of the package (`api/math.py` is `tf.math`) unless it is one of
`AREAS`, which only contribute top-level names. `TOP_LEVEL` in either names what the package
itself exports from it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable
from typing import Any

#: Modules that are no namespaces of their own.
AREAS = frozenset({"array", "control", "core"})


def publish(package: dict[str, Any]) -> list[str]:
    """Puts the namespaces and top-level names into the package; returns their names."""
    names = []
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        module = importlib.import_module(f"{__name__}.{info.name}")
        if info.name not in AREAS:
            package[info.name] = module
            names.append(info.name)
        for name in getattr(module, "TOP_LEVEL", ()):
            package[name] = getattr(module, name)
            names.append(name)
    return sorted(set(names))


def late(namespace: str, names: Iterable[str], home: str) -> Callable[[str], Any]:
    """The `__getattr__` of a namespace some of whose names are in a module that is imported
    only when one of them is used."""
    offered = frozenset(names)

    def find(name: str) -> Any:
        if name not in offered:
            raise AttributeError(f"module {namespace!r} has no attribute {name!r}")
        return getattr(importlib.import_module(home), name)

    return find
