"""The layout of NumPy's arrays in memory, which no other module assumes.

To ask NumPy for the address of an array's data takes 1.5 us, longer than a small op, and machine
code cannot ask at all. CPython's and NumPy's headers publish the layout of their objects, since
compiled extensions rely on it. So fields are read by this layout, once `is_known` has compared it
with several arrays. Where it differs, NumPy is asked, and no code is compiled that takes arrays.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
#: The dtype of the elements that native kernels multiply.
FloatDType = np.dtype[np.float32 | np.float64]

#: Bytes before the fields of any object, and the places of an array's fields (PyArrayObject).
HEADER = object.__basicsize__
TYPE, DATA, RANK, DIMS = HEADER - 8, HEADER, HEADER + 8, HEADER + 16
DESCR, FLAGS = HEADER + 40, HEADER + 48
#: The place of the bytes in a `bytes` object.
BYTES = bytes.__basicsize__ - 1
#: Flags: contiguous in C's order, its own memory's owner, aligned, writable.
CONTIGUOUS, OWNED, ALIGNED, WRITABLE = 0x1, 0x4, 0x100, 0x400

_WORD, _SHORT = ctypes.c_ssize_t.from_address, ctypes.c_int32.from_address


@cache
def is_known() -> bool:
    """Whether objects of this interpreter and this NumPy have the layout that is assumed here."""
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    whole = np.zeros((3, 5), np.float32)
    fixed = np.arange(4)
    fixed.flags.writeable = False
    samples = (whole, whole[1:, ::2], whole.T, fixed, np.zeros(()), np.zeros((0, 2), np.int8))
    text = b"graphwright"
    return all(map(_is_as_assumed, samples)) and ctypes.string_at(id(text) + BYTES, 11) == text


def _is_as_assumed(array: Array) -> bool:
    place, flags = id(array), array.flags
    stated = {
        CONTIGUOUS: flags.c_contiguous,
        OWNED: flags.owndata,
        ALIGNED: flags.aligned,
        WRITABLE: flags.writeable,
    }
    flag_bits = _SHORT(place + FLAGS).value
    dims = _WORD(place + DIMS).value
    return (
        _WORD(place + TYPE).value == id(type(array))
        and _WORD(place + DATA).value == _stated_address(array)
        and _SHORT(place + RANK).value == array.ndim
        and tuple([_WORD(dims + 8 * i).value for i in range(array.ndim)]) == array.shape
        and _WORD(place + DESCR).value == id(array.dtype)
        and all(bool(flag_bits & flag) is is_set for flag, is_set in stated.items())
    )


def _stated_address(array: Array) -> int:
    pointer: int = array.__array_interface__["data"][0]
    return pointer


def _read_address(array: Array) -> int:
    pointer: int = _WORD(id(array) + DATA).value
    return pointer


#: The address of an array's first element.
address = _read_address if is_known() else _stated_address


@cache
def python_function(name: str) -> int:
    """The address of a function of the interpreter."""
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0
