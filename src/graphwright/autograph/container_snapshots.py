"""What lists, dicts and arrays hold, kept while a tensor decides what is assigned to their items.

The containers inside are kept too, since an assignment may go through them, as in
`d["k"][0] = v`. Each stays the object that it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def contents(container: object) -> Any:
    """What a container holds now: a copy, of plain lists, dicts and tuples.

    What is no container stays what it is.
    """
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
    """Put back what `contents` took."""
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
    """What was `held`, in the containers that are there `now`."""
    if type(now) is tuple and type(held) is tuple and len(now) == len(held):
        return tuple(map(_restored, now, held))
    for kind in (list, dict, np.ndarray):
        if isinstance(now, kind) and isinstance(held, kind):
            refill(now, held)
            return now
    return held
