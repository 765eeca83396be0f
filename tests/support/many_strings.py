"""Arrays of many strings."""

from __future__ import annotations

import itertools

import numpy as np

from graphwright.types.arrays import Array


def strings_of(texts: list[bytes], count: int) -> Array:
    """An array of so many strings, which are some texts again and again."""
    strings = np.empty(count, object)
    strings[:] = [*itertools.islice(itertools.cycle(texts), count)]
    return strings
