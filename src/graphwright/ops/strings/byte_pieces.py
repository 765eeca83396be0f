"""Texts that lie one behind the other in an array of bytes."""

from __future__ import annotations

import ctypes
import functools
from itertools import pairwise
from typing import Any

import numpy as np

from graphwright.machine import array_layout
from graphwright.machine.array_layout import address, python_function
from graphwright.machine.drafts import lasting_functions
from graphwright.machine.preparation import Preparation
from graphwright.types.arrays import Array

#: So many texts are worth to make the code, or so many times as many of several calls.
_WORTH, _PATIENCE = 1 << 11, 4

#: Puts a new string in place of each object of %out; how many are done.
_TEXT = """
define i64 @byte_pieces(ptr %octets, ptr %ends, ptr %out, i64 %count, ptr %new, ptr %drop) {
entry:
  %first = load i64, ptr %ends
  br label %test
test:
  %i = phi i64 [ 0, %entry ], [ %i.next, %keep ]
  %begin = phi i64 [ %first, %entry ], [ %end, %keep ]
  %is.more = icmp slt i64 %i, %count
  br i1 %is.more, label %make, label %done
make:
  %i.next = add i64 %i, 1
  %end.at = getelementptr i64, ptr %ends, i64 %i.next
  %end = load i64, ptr %end.at
  %from = getelementptr i8, ptr %octets, i64 %begin
  %size = sub i64 %end, %begin
  %made = call ptr %new(ptr %from, i64 %size)
  %is.lost = icmp eq ptr %made, null
  br i1 %is.lost, label %done, label %keep
keep:
  %out.at = getelementptr ptr, ptr %out, i64 %i
  %before = load ptr, ptr %out.at
  store ptr %made, ptr %out.at
  call void %drop(ptr %before)
  br label %test
done:
  ret i64 %i
}
"""


@functools.cache
def functions() -> dict[str, Any]:
    """The function of an array of bytes, by its name."""
    place, number = ctypes.c_void_p, ctypes.c_int64
    # It keeps the interpreter's lock, since it makes objects.
    kind = ctypes.PYFUNCTYPE(number, place, place, place, number, place, place)
    return lasting_functions(_TEXT, {"byte_pieces": kind})


PREPARATION = Preparation(functions, is_brief=True, patience=_PATIENCE)


def pieces_of(octets: Array, ends: Array) -> Array:
    """The texts between places of an array of bytes."""
    count = len(ends) - 1
    results = np.empty(count, object)
    if array_layout.is_known() and PREPARATION.is_ready_for(count, _WORTH):
        octets, ends = np.ascontiguousarray(octets), np.ascontiguousarray(ends, np.int64)
        done = functions()["byte_pieces"](
            address(octets), address(ends), address(results), count,
            python_function("PyBytes_FromStringAndSize"), python_function("Py_DecRef"),
        )  # fmt: skip
        if done < count:
            raise MemoryError
        return results
    whole = octets[: ends[-1]].tobytes()
    results[:] = [whole[begin:end] for begin, end in pairwise(ends.tolist())]
    return results
