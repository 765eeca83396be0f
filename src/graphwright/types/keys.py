"""Python values as parts of keys: equal ones that a program can tell apart are two."""

from __future__ import annotations

from math import copysign
from typing import Any

import numpy as np


def signed(value: object) -> Any:
    """What stands for a value where its type is known: 0.0 and -0.0 are two, and NaN is one.

    >>> signed(0.0) == signed(-0.0), signed(float("nan")) == signed(float("nan"))
    (False, True)
    """
    if isinstance(value, (float, np.floating)):
        is_plain = value == value and (value or copysign(1.0, value) > 0)
        return value if is_plain else repr(value)
    return repr(value) if isinstance(value, (complex, np.complexfloating)) else value


def distinct(value: object) -> Any:
    """What stands for a value among those of other types: 1, 1.0 and True are three, also where a
    tuple holds them, and a text is none of a class of its own.

    >>> len({distinct(value) for value in (1, 1.0, True, 0.0, -0.0)})
    5
    >>> len({distinct((value,)) for value in (1, 1.0, True, 0.0, -0.0)})
    5
    """
    kind = type(value)
    if kind is str:
        return value
    if isinstance(value, tuple):
        return kind, tuple(map(distinct, value))
    if isinstance(value, frozenset):
        return kind, frozenset(map(distinct, value))
    return kind, signed(value)
