"""The script of each Unicode character, by the numbers that ICU gives to scripts.

The table beside this file has where runs of characters of one script start, in Unicode 13, which
is TensorFlow's.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from graphwright.types.arrays import Array

LAST = 0x10FFFF
INVALID = -1


@cache
def _runs() -> tuple[Array, Array]:
    with np.load(Path(__file__).with_name("unicode_scripts.npz")) as table:
        return table["starts"], table["values"]


def scripts(points: Array) -> Array:
    """The numbers of the scripts of code points; -1 for what is none."""
    starts, values = _runs()
    numbers = values[np.searchsorted(starts, points, side="right") - 1]
    return np.where((points >= 0) & (points <= LAST), numbers, INVALID).astype(np.int32)
