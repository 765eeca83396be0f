"""Snapshots of lists, dicts and arrays, for statements in which a tensor decides about their items.

A snapshot has the nested containers too, since an assignment may go through them, as in
`d["k"][0] = v`. `refill` keeps the identity of each container.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def contents(container: object) -> Any:
    """A copy of a container, made of plain lists, dicts and tuples; any other value itself."""
    if isinstance(container, list):
        return [contents(item) for item in container]
    if isinstance(container, dict):
        return {key: contents(item) for key, item in container.items()}
    if type(container) is tuple:
        return tuple(map(contents, container))
    if isinstance(container, np.ndarray):
        return container.copy()
    return container


def refill(container: object, snapshot: Any) -> None:
    """Set the items of a container to those of a snapshot by `contents`."""
    if isinstance(container, list):
        now = container + [None] * (len(snapshot) - len(container))
        container[:] = map(_restored, now, snapshot)
    elif isinstance(container, dict):
        before = {key: _restored(container.get(key), item) for key, item in snapshot.items()}
        container.clear()
        container.update(before)
    elif isinstance(container, np.ndarray):
        container[...] = snapshot


def _restored(now: object, snapshot: object) -> Any:
    """The values of a snapshot, in the containers that are there `now`."""
    if type(now) is tuple and type(snapshot) is tuple and len(now) == len(snapshot):
        return tuple(map(_restored, now, snapshot))
    for kind in (list, dict, np.ndarray):
        if isinstance(now, kind) and isinstance(snapshot, kind):
            refill(now, snapshot)
            return now
    return snapshot
