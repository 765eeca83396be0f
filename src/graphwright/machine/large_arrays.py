"""Memory of large arrays and temporaries, kept for the next ones: allocators in machine code.

glibc gives blocks beyond 32 MiB back to the system when they are freed. The system fills new memory
with zeros when it is first touched, which takes longer than most ops. So the last large blocks are
kept. NumPy's own allocator and glibc's do everything else.
"""

from __future__ import annotations

import ctypes
import functools
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from graphwright.machine import compiler
from graphwright.machine.array_layout import Array
from graphwright.machine.linking import c_function
from graphwright.machine.process_settings import ALLOCATOR, is_glibc

#: The bytes of the smallest array that is large, and of the largest whose memory is kept.
LEAST, MOST = 32 << 20, 128 << 20
_BLOCKS = 2  # blocks
_HUGE_PAGES = 14  # MADV_HUGEPAGE of <sys/mman.h>: NumPy asks for them, too

_SET, _DEFAULT = 304, 306  # in NumPy's table of functions
_NAME = b"mem_handler"


class Allocator(ctypes.Structure):
    """NumPy's PyDataMem_Handler, with its PyDataMemAllocator."""

    _fields_ = (
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("context", ctypes.c_void_p),
        ("malloc", ctypes.c_void_p),
        ("calloc", ctypes.c_void_p),
        ("realloc", ctypes.c_void_p),
        ("free", ctypes.c_void_p),
    )


def table() -> int:
    """The address of NumPy's table of functions."""
    # Compiled extensions have the table from here, too, and NumPy has no other name for it. Without
    # it each result would cost a call of `np.empty`: 0.1 us with the interpreter's lock.
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    return _pointer(_multiarray_umath._ARRAY_API, None)


def _pointer(capsule: object, name: bytes | None) -> int:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address: int = get(capsule, name)
    return address


def _entry(i: int) -> int:
    return ctypes.c_void_p.from_address(table() + 8 * i).value or 0


def change() -> int:
    """The address of NumPy's function that sets a context's allocator, and returns the last."""
    return _entry(_SET)


def usual() -> Any:
    """NumPy's own allocator."""
    return ctypes.py_object.from_address(_entry(_DEFAULT)).value


#: `take` and `give` are NumPy's, whose own functions the context holds for other blocks. `allocate`
#: and `release` are for temporaries: they stand for `malloc` and `free`.
TEXT = f"""
@kept = internal global [{_BLOCKS} x ptr] zeroinitializer, align 64
@next = internal global i64 0

declare i64 @malloc_usable_size(ptr)
declare i32 @madvise(ptr, i64, i32)
declare ptr @malloc(i64)
declare void @free(ptr)

define internal ptr @search(i64 %size) {{
entry:
  %large = icmp uge i64 %size, {LEAST}
  br i1 %large, label %search, label %nothing
search:
  %i = phi i64 [ 0, %entry ], [ %i1, %other ]
  %slot = getelementptr ptr, ptr @kept, i64 %i
  %block = atomicrmw xchg ptr %slot, ptr null acq_rel
  %none = icmp eq ptr %block, null
  br i1 %none, label %other, label %measure
measure:
  %room = call i64 @malloc_usable_size(ptr %block)
  %quarter = lshr i64 %size, 2
  %limit = add i64 %size, %quarter
  %fits = icmp uge i64 %room, %size
  %close = icmp ule i64 %room, %limit
  %good = and i1 %fits, %close
  br i1 %good, label %found, label %back
found:
  ret ptr %block
back:
  %pushed = atomicrmw xchg ptr %slot, ptr %block acq_rel
  call void @free(ptr %pushed)
  br label %other
other:
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, {_BLOCKS}
  br i1 %more, label %search, label %nothing
nothing:
  ret ptr null
}}

define internal i1 @keep(ptr %block, i64 %size) {{
entry:
  %above = icmp uge i64 %size, {LEAST}
  %below = icmp ule i64 %size, {MOST}
  %kept = and i1 %above, %below
  br i1 %kept, label %keep, label %other
keep:
  %number = atomicrmw add ptr @next, i64 1 monotonic
  %i = urem i64 %number, {_BLOCKS}
  %slot = getelementptr ptr, ptr @kept, i64 %i
  %pushed = atomicrmw xchg ptr %slot, ptr %block acq_rel
  call void @free(ptr %pushed)
  ret i1 true
other:
  ret i1 false
}}

define ptr @take(ptr %context, i64 %size) {{
entry:
  %block = call ptr @search(i64 %size)
  %none = icmp eq ptr %block, null
  br i1 %none, label %usual, label %found
found:
  ret ptr %block
usual:
  %malloc = load ptr, ptr %context
  %new = call ptr %malloc(ptr null, i64 %size)
  ret ptr %new
}}

define void @give(ptr %context, ptr %block, i64 %size) {{
entry:
  %kept = call i1 @keep(ptr %block, i64 %size)
  br i1 %kept, label %done, label %usual
usual:
  %second = getelementptr ptr, ptr %context, i64 1
  %free = load ptr, ptr %second
  call void %free(ptr null, ptr %block, i64 %size)
  ret void
done:
  ret void
}}

define ptr @allocate(i64 %size) {{
entry:
  %block = call ptr @search(i64 %size)
  %none = icmp eq ptr %block, null
  br i1 %none, label %usual, label %found
found:
  ret ptr %block
usual:
  %new = call ptr @malloc(i64 %size)
  %large = icmp uge i64 %size, {LEAST}
  %some = icmp ne ptr %new, null
  %advised = and i1 %large, %some
  br i1 %advised, label %advise, label %done
advise:
  %first = ptrtoint ptr %new to i64
  %last = add i64 %first, %size
  %above = add i64 %first, 4095
  %start = and i64 %above, -4096
  %end = and i64 %last, -4096
  %length = sub i64 %end, %start
  %page = inttoptr i64 %start to ptr
  %ignored = call i32 @madvise(ptr %page, i64 %length, i32 {_HUGE_PAGES})
  br label %done
done:
  ret ptr %new
}}

define void @release(ptr %block) {{
entry:
  %size = call i64 @malloc_usable_size(ptr %block)
  %kept = call i1 @keep(ptr %block, i64 %size)
  br i1 %kept, label %done, label %usual
usual:
  call void @free(ptr %block)
  ret void
done:
  ret void
}}
"""


def is_applied() -> bool:
    """Whether large blocks are kept: with glibc, unless it is switched off."""
    return is_glibc() and ALLOCATOR.applies()


@functools.cache
def functions() -> dict[str, int]:
    """The addresses of the functions of the text."""
    return compiler.compiled(TEXT, is_quick=True).addresses


def of_temporaries(name: str) -> int | None:
    """The address of the function of temporaries that stands for `malloc` or `free`."""
    if not is_applied():
        return c_function(name)
    return functions()[{"malloc": "allocate", "free": "release"}[name]]


@functools.cache
def allocator() -> Any:
    """The allocator that keeps large blocks; None without glibc, or where it is switched off."""
    if not is_applied():
        return None
    usual_allocator = Allocator.from_address(_pointer(usual(), _NAME))
    take, give = functions()["take"], functions()["give"]
    # NumPy's own functions ignore their context.
    usual_functions = (ctypes.c_void_p * 2)(usual_allocator.malloc, usual_allocator.free)
    context = ctypes.addressof(usual_functions)
    calloc, realloc = usual_allocator.calloc, usual_allocator.realloc
    handler = Allocator(b"graphwright", 1, context, take, calloc, realloc, give)
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    for each in (usual_functions, handler):  # arrays may outlive this module
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(each))
    return new(ctypes.addressof(handler), _NAME, None)


def empty(shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
    """A new array without values, in the memory of an earlier one where it is large."""
    keeping = allocator()
    if keeping is None or math.prod(shape) * np.dtype(dtype).itemsize < LEAST:
        return np.empty(shape, dtype)
    change_to = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(change())
    before = change_to(keeping)
    try:
        return np.empty(shape, dtype)
    finally:
        change_to(before)
