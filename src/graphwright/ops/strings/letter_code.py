"""Strings without white space at their ends, or in another case, as machine code.

Python makes a call for each string. The code goes once through an array of them.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np

from graphwright.machine import array_layout
from graphwright.machine.array_layout import address, python_function
from graphwright.machine.drafts import lasting_functions
from graphwright.machine.preparation import Preparation
from graphwright.ops.strings.string_code import CHUNK, MANY, PATIENCE, over_strings, store_text
from graphwright.types.arrays import Array

#: So many strings are worth the code, or fewer in several calls.
_WORTH = 1 << 11


def _test_of_space(name: str, place: str) -> str:
    """The lines that say whether the byte at a place is white space."""
    return f"""  %{name}.at = getelementptr i8, ptr %text, i64 {place}
  %{name} = load i8, ptr %{name}.at
  %{name}.is.blank = icmp eq i8 %{name}, 32
  %{name}.control = sub i8 %{name}, 9
  %{name}.is.control = icmp ult i8 %{name}.control, 5
  %{name}.is.space = or i1 %{name}.is.blank, %{name}.is.control
"""


#: A string without white space is its own result.
_STRIP = f"""  br label %front
front:
  %start = phi i64 [ 0, %do ], [ %start.next, %front.on ]
  %front.more = icmp slt i64 %start, %size
  br i1 %front.more, label %front.look, label %back
front.look:
{_test_of_space("first", "%start")}  br i1 %first.is.space, label %front.on, label %back
front.on:
  %start.next = add i64 %start, 1
  br label %front
back:
  %stop = phi i64 [ %size, %front ], [ %size, %front.look ], [ %stop.next, %back.on ]
  %back.more = icmp sgt i64 %stop, %start
  br i1 %back.more, label %back.look, label %cut
back.look:
  %stop.next = sub i64 %stop, 1
{_test_of_space("last", "%stop.next")}  br i1 %last.is.space, label %back.on, label %cut
back.on:
  br label %back
cut:
  %length = sub i64 %stop, %start
  %is.whole = icmp eq i64 %length, %size
  br i1 %is.whole, label %same, label %other
same:
  call void %take(ptr %object)
  br label %made.it
other:
  %from = getelementptr i8, ptr %text, i64 %start
  %part = call ptr %new(ptr %from, i64 %length)
  br label %made.it
made.it:
  %made = phi ptr [ %object, %same ], [ %part, %other ]
{store_text("%made")}"""


def _recased(place: str, kind: str, test: str) -> str:
    """The lines that change the letters among the byte at a place, or among a chunk of them.

    What is 0 to 25 behind %first is a letter. Its other case has another bit.
    """
    letters, case, nothing = [
        f"splat (i8 {number})" if kind != "i8" else str(number) for number in (26, 32, 0)
    ]
    first = "%first" if kind == "i8" else "%firsts"
    return f"""  %{place}.from = getelementptr i8, ptr %text, i64 %{place}
  %{place}.octets = load {kind}, ptr %{place}.from, align 1
  %{place}.rank = sub {kind} %{place}.octets, {first}
  %{place}.is.letter = icmp ult {kind} %{place}.rank, {letters}
  %{place}.bits = select {test} %{place}.is.letter, {kind} {case}, {kind} {nothing}
  %{place}.changed = xor {kind} %{place}.octets, %{place}.bits
  %{place}.to = getelementptr i8, ptr %target, i64 %{place}
  store {kind} %{place}.changed, ptr %{place}.to, align 1"""


_CHUNK = f"<{CHUNK} x i8>"
_RECASE = f"""  %made = call ptr %new(ptr null, i64 %size)
{store_text("%made")}
  %target = getelementptr i8, ptr %made, i64 {array_layout.BYTES}
  %whole = and i64 %size, {-CHUNK}
  %first.one = insertelement {_CHUNK} poison, i8 %first, i64 0
  %firsts = shufflevector {_CHUNK} %first.one, {_CHUNK} poison, <{CHUNK} x i32> zeroinitializer
  br label %wide
wide:
  %w = phi i64 [ 0, %keep ], [ %w.next, %wide.on ]
  %is.wide = icmp slt i64 %w, %whole
  br i1 %is.wide, label %wide.on, label %narrow
wide.on:
{_recased("w", _CHUNK, f"<{CHUNK} x i1>")}
  %w.next = add i64 %w, {CHUNK}
  br label %wide
narrow:
  %n = phi i64 [ %w, %wide ], [ %n.next, %narrow.on ]
  %is.narrow = icmp slt i64 %n, %size
  br i1 %is.narrow, label %narrow.on, label %ready
narrow.on:
{_recased("n", "i8", "i1")}
  %n.next = add i64 %n, 1
  br label %narrow
ready:"""
_TEXT = over_strings("strip", "ptr %new, ptr %drop, ptr %take", _STRIP)
_TEXT += over_strings("recase", "ptr %new, ptr %drop, i8 %first", _RECASE)


@functools.cache
def _functions() -> dict[str, Any]:
    """The functions of arrays, by name."""
    place, number = ctypes.c_void_p, ctypes.c_int64
    # They keep the interpreter's lock, since they make objects.
    arguments = [place, place, place, number, place, place]
    last = {"strip": place, "recase": ctypes.c_uint8}
    kinds = {name: ctypes.PYFUNCTYPE(number, *arguments, kind) for name, kind in last.items()}
    return lasting_functions(_TEXT, kinds)


PREPARATION = Preparation(_functions, is_brief=True, patience=PATIENCE)


def stripped(strings: Array) -> Array | None:
    """The strings without ASCII white space at both ends; None for Python to do it."""
    return _results("strip", strings, python_function("Py_IncRef"))


def lowered(strings: Array) -> Array | None:
    """The strings with their ASCII letters in lower case; None for Python to do it."""
    return _results("recase", strings, ord("A"))


def raised(strings: Array) -> Array | None:
    """The strings with their ASCII letters in upper case; None for Python to do it."""
    return _results("recase", strings, ord("a"))


def _results(name: str, strings: Array, last: int) -> Array | None:
    """What a function makes of an array of strings; it has a last argument of its own."""
    count = strings.size
    if count < MANY or not array_layout.is_known() or not PREPARATION.is_ready_for(count, _WORTH):
        return None
    strings = np.ascontiguousarray(strings)
    results = np.empty(strings.shape, object)
    done = _functions()[name](
        address(strings), id(bytes), address(results), count,
        python_function("PyBytes_FromStringAndSize"), python_function("Py_DecRef"), last,
    )  # fmt: skip
    return results if done == count else None
