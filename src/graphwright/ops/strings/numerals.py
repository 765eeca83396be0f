"""Many numbers as texts, by machine code."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np

from graphwright.base.scalar_code import module_text
from graphwright.machine.array_layout import address
from graphwright.machine.drafts import lasting_functions
from graphwright.machine.preparation import Preparation
from graphwright.ops.strings import numeral_code
from graphwright.ops.strings.byte_pieces import pieces_of
from graphwright.types.arrays import Array

#: So many numbers are worth to make the code, or so many times as many of several calls.
_WORTH, _PATIENCE = 1 << 13, 4
#: Fewer numbers are quicker printed by Python.
MANY = 1 << 5

STYLES = {"f": 0, "e": 1, "g": 2}
#: The digits of a float that are printed without being asked for, and the most that are here.
_USUAL, _MOST = 6, 15

POWERS = 10.0 ** np.arange(23)
WHOLES = 10 ** np.arange(19, dtype=np.int64)


@functools.cache
def functions() -> dict[str, Any]:
    """The functions, by their names."""
    place, number = ctypes.c_void_p, ctypes.c_int64
    kinds = {
        "print_integers": ctypes.CFUNCTYPE(None, place, number, place, place),
        "print_reals": ctypes.CFUNCTYPE(None, place, number, number, number, *[place] * 4),
    }
    return lasting_functions(module_text(numeral_code.FUNCTIONS), kinds)


PREPARATION = Preparation(functions, patience=_PATIENCE)


def of_integers(array: Array) -> Array | None:
    """Whole numbers as texts, in a flat array; None for Python to do it."""
    if array.size < MANY or not PREPARATION.is_ready_for(array.size, _WORTH):
        return None
    if array.dtype == np.uint64 and array.max() >= 1 << 63:
        return None
    numbers = np.ascontiguousarray(array, np.int64)
    if numbers.min() == -1 << 63:
        return None
    out, ends = np.empty(20 * array.size, np.uint8), np.empty(array.size + 1, np.int64)
    functions()["print_integers"](address(numbers), array.size, address(out), address(ends))
    return pieces_of(out, ends)


def of_reals(array: Array, style: str, precision: int) -> Array | None:
    """Floats as texts in a style of `printf`, in a flat array; an empty one is for Python.

    A precision of -1 is the usual one. None is for Python to do all.
    """
    precision = _USUAL if precision < 0 else precision
    if (
        array.size < MANY
        or precision > _MOST
        or not PREPARATION.is_ready_for(array.size, _WORTH)
    ):
        return None
    numbers = np.ascontiguousarray(array, np.float64)
    out = np.empty((24 + precision) * array.size, np.uint8)
    ends = np.empty(array.size + 1, np.int64)
    functions()["print_reals"](
        address(numbers), array.size, STYLES[style], precision, address(POWERS), address(WHOLES),
        address(out), address(ends),
    )  # fmt: skip
    return pieces_of(out, ends)
