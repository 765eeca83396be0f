"""Snapshots of lists, dicts and arrays, for where a tensor decides what their items are.

A snapshot has the containers inside too, since an assignment may go through them, as in
`d["k"][0] = v`. Each container stays the object that it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def contents(container: object) -> Any:
    """A copy of a container, of plain lists, dicts and tuples. Any other value is itself."""
    if isinstance(container, list):
        return [contents(item) for item in container]
    if isinstance(container, dict):
        return {key: contents(item) for key, item in container.items()}
    if type(container) is tuple:
        return tuple(map(contents, container))
    if isinstance(container, np.ndarray):
        return container.copy()
    return container


def refill(container: object, held: Any) -> None:
    """Set a container to a copy that `contents` made."""
    if isinstance(container, list):
        now = container + [None] * (len(held) - len(container))
        container[:] = map(_restored, now, held)
    elif isinstance(container, dict):
        before = {key: _restored(container.get(key), item) for key, item in held.items()}
        container.clear()
        container.update(before)
    elif isinstance(container, np.ndarray):
        container[...] = held


def _restored(now: object, held: object) -> Any:
    """The copy `held`, in the containers that are there `now`."""
    if type(now) is tuple and type(held) is tuple and len(now) == len(held):
        return tuple(map(_restored, now, held))
    for kind in (list, dict, np.ndarray):
        if isinstance(now, kind) and isinstance(held, kind):
            refill(now, held)
            return now
    return held
