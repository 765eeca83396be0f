"""Where NumPy's arrays lie in memory, and what of them where: the one place that assumes it.

Whoever asks NumPy where an array's data is gets an object with all there is to know: that takes
1.5 us, longer than a small op, and machine code cannot ask at all. CPython's and NumPy's headers
publish the layout of their objects, since compiled extensions rely on it. So that is what is read,
after it was compared, once, with what NumPy says of arrays of several kinds (`is_known`). Where
that differs, addresses are asked for, and nothing is compiled that takes arrays.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

#: Bytes before the fields of any object, and where an array's fields are (PyArrayObject).
HEADER = object.__basicsize__
TYPE, DATA, RANK, DIMS = HEADER - 8, HEADER, HEADER + 8, HEADER + 16
DESCR, FLAGS = HEADER + 40, HEADER + 48
#: Where the bytes of a `bytes` object are.
BYTES = bytes.__basicsize__ - 1
#: Flags: contiguous in C's order, its own memory's owner, aligned, writable.
CONTIGUOUS, OWNED, ALIGNED, WRITABLE = 0x1, 0x4, 0x100, 0x400

_WORD, _SHORT = ctypes.c_ssize_t.from_address, ctypes.c_int32.from_address


@cache
def is_known() -> bool:
    """Whether objects of this interpreter and this NumPy lie in memory as is assumed here."""
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    whole = np.zeros((3, 5), np.float32)
    fixed = np.arange(4)
    fixed.flags.writeable = False
    samples = (whole, whole[1:, ::2], whole.T, fixed, np.zeros(()), np.zeros((0, 2), np.int8))
    text = b"graphwright"
    return all(map(_is_as_assumed, samples)) and ctypes.string_at(id(text) + BYTES, 11) == text


def _is_as_assumed(array: Array) -> bool:
    at, flags = id(array), array.flags
    said = {
        CONTIGUOUS: flags.c_contiguous,
        OWNED: flags.owndata,
        ALIGNED: flags.aligned,
        WRITABLE: flags.writeable,
    }
    found = _SHORT(at + FLAGS).value
    dims = _WORD(at + DIMS).value
    return (
        _WORD(at + TYPE).value == id(type(array))
        and _WORD(at + DATA).value == _asked(array)
        and _SHORT(at + RANK).value == array.ndim
        and tuple([_WORD(dims + 8 * i).value for i in range(array.ndim)]) == array.shape
        and _WORD(at + DESCR).value == id(array.dtype)
        and all(bool(found & flag) is is_set for flag, is_set in said.items())
    )


def _asked(array: Array) -> int:
    pointer: int = array.__array_interface__["data"][0]
    return pointer


def _read(array: Array) -> int:
    pointer: int = _WORD(id(array) + DATA).value
    return pointer


#: The address of an array's first element.
address = _read if is_known() else _asked
