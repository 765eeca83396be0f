"""Strings that stand apart joined, many at once, as machine code.

Python makes a tuple for each result, and a call. The code goes once through all results: it adds up
the sizes of a result's parts, makes a string of that size, and copies the parts.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.machine import array_layout
from graphwright.machine.array_layout import address, python_function
from graphwright.machine.drafts import lasting_functions
from graphwright.machine.preparation import Preparation
from graphwright.ops.strings.string_code import LOAD_TEXT, MANY, PATIENCE, store_text
from graphwright.types.arrays import Array

#: So many results are worth the code, or fewer in several calls.
_WORTH = 1 << 11

#: The parts of result %i are at the %bases, so many %steps of bytes on as its row says: %i, or what
#: %rows have for it. It gives how many results are done: it ends at what is no string of bytes.
_TEXT = f"""
define i64 @join(ptr %bases, ptr %steps, i64 %width, ptr %rows, ptr %type, ptr %out, i64 %count,
    ptr %separator, i64 %separator.size, ptr %new, ptr %drop) {{
entry:
  %is.listed = icmp ne ptr %rows, null
  %gaps = sub i64 %width, 1
  %gaps.size = mul i64 %gaps, %separator.size
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %i.next, %next ]
  %i.more = icmp slt i64 %i, %count
  br i1 %i.more, label %choose, label %end
choose:
  br i1 %is.listed, label %listed, label %measure
listed:
  %row.at = getelementptr i64, ptr %rows, i64 %i
  %row.there = load i64, ptr %row.at
  br label %measure
measure:
  %row = phi i64 [ %i, %choose ], [ %row.there, %listed ]
  br label %part
part:
  %j = phi i64 [ 0, %measure ], [ %j.next, %do ]
  %total = phi i64 [ %gaps.size, %measure ], [ %total.next, %do ]
  %base.at = getelementptr ptr, ptr %bases, i64 %j
  %base = load ptr, ptr %base.at
  %step.at = getelementptr i64, ptr %steps, i64 %j
  %step = load i64, ptr %step.at
  %skip = mul i64 %step, %row
  %object.at = getelementptr i8, ptr %base, i64 %skip
  %object = load ptr, ptr %object.at
{LOAD_TEXT}
  %total.next = add i64 %total, %size
  %j.next = add i64 %j, 1
  %j.more = icmp slt i64 %j.next, %width
  br i1 %j.more, label %part, label %make
make:
  %made = call ptr %new(ptr null, i64 %total.next)
{store_text("%made")}
  %target = getelementptr i8, ptr %made, i64 {array_layout.BYTES}
  br label %copy
copy:
  %k = phi i64 [ 0, %keep ], [ %k.next, %apart ]
  %to = phi ptr [ %target, %keep ], [ %to.next, %apart ]
  %copied.base.at = getelementptr ptr, ptr %bases, i64 %k
  %copied.base = load ptr, ptr %copied.base.at
  %copied.step.at = getelementptr i64, ptr %steps, i64 %k
  %copied.step = load i64, ptr %copied.step.at
  %copied.skip = mul i64 %copied.step, %row
  %copied.at = getelementptr i8, ptr %copied.base, i64 %copied.skip
  %copied = load ptr, ptr %copied.at
  %copied.size.at = getelementptr i8, ptr %copied, i64 {array_layout.HEADER}
  %copied.size = load i64, ptr %copied.size.at
  %copied.text = getelementptr i8, ptr %copied, i64 {array_layout.BYTES}
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %copied.text, i64 %copied.size, i1 false)
  %to.behind = getelementptr i8, ptr %to, i64 %copied.size
  %k.next = add i64 %k, 1
  %k.more = icmp slt i64 %k.next, %width
  br i1 %k.more, label %apart, label %next
apart:
  call void @llvm.memcpy.p0.p0.i64(ptr %to.behind, ptr %separator, i64 %separator.size, i1 false)
  %to.next = getelementptr i8, ptr %to.behind, i64 %separator.size
  br label %copy
next:
  %i.next = add i64 %i, 1
  br label %head
end:
  ret i64 %i
}}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""


@functools.cache
def functions() -> dict[str, Any]:
    """The function of many results, by its name."""
    place, number = ctypes.c_void_p, ctypes.c_int64
    # It keeps the interpreter's lock, without which another thread could free the strings.
    kind = ctypes.PYFUNCTYPE(
        number, place, place, number, place, place, place, number, ctypes.c_char_p, number, place,
        place,
    )  # fmt: skip
    return lasting_functions(_TEXT, {"join": kind})


PREPARATION = Preparation(functions, is_brief=True, patience=PATIENCE)


def joined_columns(columns: Sequence[Array], separator: bytes) -> Array | None:
    """The strings of vectors of one length joined, element by element; None for Python to do it."""
    if not columns or not _is_ready_for(columns[0].size):
        return None
    bases = np.array([address(column) for column in columns])
    steps = np.array([column.strides[0] for column in columns])
    return _joined(bases, steps, separator, columns[0].size, None)


def joined_rows(matrix: Array, separator: bytes) -> Array | None:
    """The strings of each row of a matrix joined; None for Python to do it."""
    count, width = matrix.shape
    if not width or not _is_ready_for(count):
        return None
    bases = address(matrix) + np.arange(width) * matrix.strides[1]
    return _joined(bases, np.full(width, matrix.strides[0]), separator, count, None)


def joined_runs(strings: Array, firsts: Array, width: int, separator: bytes) -> Array | None:
    """Runs of so many strings of a vector joined, from places on; None for Python to do it."""
    if not _is_ready_for(len(firsts)):
        return None
    bases = address(strings) + np.arange(width) * strings.strides[0]
    steps, firsts = np.full(width, strings.strides[0]), np.ascontiguousarray(firsts, np.int64)
    return _joined(bases, steps, separator, len(firsts), firsts)


def _is_ready_for(count: int) -> bool:
    """Whether the code joins so many strings."""
    return count >= MANY and array_layout.is_known() and PREPARATION.is_ready_for(count, _WORTH)


def _joined(
    bases: Array, steps: Array, separator: bytes, count: int, rows: Array | None
) -> Array | None:
    """The strings whose parts are so many steps from the bases on; None where one is no string."""
    results = np.empty(count, object)
    done = functions()["join"](
        address(bases), address(steps), len(bases), 0 if rows is None else address(rows), id(bytes),
        address(results), count, separator, len(separator),
        python_function("PyBytes_FromStringAndSize"), python_function("Py_DecRef"),
    )  # fmt: skip
    return results if done == count else None
