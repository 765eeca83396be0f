"""Features of serialized `Example` messages as machine code, which reads bytes where they lie.

It knows messages as writers make them, and refuses all others: who calls it then asks protobuf. One
pass checks each byte that has a meaning, and says where the features are. Another takes the values
of a feature. Every length is compared with what is left before anything behind it is read.

Source: "Encoding", the description of protobuf's wire format.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from graphwright.base.named_tuples import NamedTuple
from graphwright.machine import array_layout, compiler
from graphwright.machine.array_layout import address, python_function
from graphwright.machine.preparation import Preparation
from graphwright.ops.strings.string_code import LOAD_TEXT
from graphwright.types.arrays import Array

#: Messages from which on the code is worth to be made, and worth its calls.
WORTH_MAKING, WORTH_CALLING = 1 << 5, 4

#: What the table says of a feature: its kind, where its list starts and stops, how many values are
#: in it. The kinds are the numbers of the fields of `Feature`; 0 stands for none.
KIND, START, STOP, SIZE = range(4)
_CELL = 4 * 8

#: Fields of messages with content of a length: their first byte in front of it.
_FIRST, _SECOND, _THIRD = 0x0A, 0x12, 0x1A
#: The first bytes of a value alone: an integer, and a float.
_INTEGER, _FLOAT = 0x08, 0x0D

#: An integer at %at, and the place behind it: null where it does not end before %end, has more than
#: ten bytes, or more than 64 bits.
_NUMBER = """
define internal { ptr, i64 } @number(ptr %at, ptr %end) {
entry:
  br label %octet
octet:
  %place = phi ptr [ %at, %entry ], [ %following, %more ]
  %shift = phi i64 [ 0, %entry ], [ %shifted, %more ]
  %sum = phi i64 [ 0, %entry ], [ %added, %more ]
  %is.out = icmp eq ptr %place, %end
  br i1 %is.out, label %refuse, label %look
look:
  %byte = load i8, ptr %place
  %following = getelementptr i8, ptr %place, i64 1
  %low = and i8 %byte, 127
  %bits = zext i8 %low to i64
  %moved = shl i64 %bits, %shift
  %added = or i64 %sum, %moved
  %shifted = add i64 %shift, 7
  %is.last = icmp sge i8 %byte, 0
  br i1 %is.last, label %last, label %more
more:
  %is.short = icmp ult i64 %shifted, 70
  br i1 %is.short, label %octet, label %refuse
last:
  %is.tenth = icmp eq i64 %shift, 63
  %is.wide = icmp ugt i8 %byte, 1
  %is.over = and i1 %is.tenth, %is.wide
  br i1 %is.over, label %refuse, label %done
done:
  %part = insertvalue { ptr, i64 } poison, ptr %following, 0
  %whole = insertvalue { ptr, i64 } %part, i64 %added, 1
  ret { ptr, i64 } %whole
refuse:
  ret { ptr, i64 } zeroinitializer
}
"""

#: The content behind a field's first byte: where it starts and stops. Null where its length has
#: more than four bytes, or is more than there is.
_CONTENT = """
define internal { ptr, ptr } @content(ptr %at, ptr %end) {
entry:
  %length = call { ptr, i64 } @number(ptr %at, ptr %end)
  %start = extractvalue { ptr, i64 } %length, 0
  %size = extractvalue { ptr, i64 } %length, 1
  %is.none = icmp eq ptr %start, null
  br i1 %is.none, label %refuse, label %compare
compare:
  %at.number = ptrtoint ptr %at to i64
  %start.number = ptrtoint ptr %start to i64
  %end.number = ptrtoint ptr %end to i64
  %octets = sub i64 %start.number, %at.number
  %left = sub i64 %end.number, %start.number
  %is.short = icmp ule i64 %octets, 4
  %is.inside = icmp ule i64 %size, %left
  %is.good = and i1 %is.short, %is.inside
  br i1 %is.good, label %done, label %refuse
done:
  %stop = getelementptr i8, ptr %start, i64 %size
  %part = insertvalue { ptr, ptr } poison, ptr %start, 0
  %whole = insertvalue { ptr, ptr } %part, ptr %stop, 1
  ret { ptr, ptr } %whole
refuse:
  ret { ptr, ptr } zeroinitializer
}
"""

#: How many values a list of a kind has; -1 where it is refused.
_COUNT = f"""
define internal i64 @size_of_list(ptr %at, ptr %end, i64 %kind) {{
entry:
  br label %head
head:
  %place = phi ptr [ %at, %entry ], [ %next.place, %next ]
  %count = phi i64 [ 0, %entry ], [ %next.count, %next ]
  %is.over = icmp eq ptr %place, %end
  br i1 %is.over, label %done, label %look
look:
  %tag = load i8, ptr %place
  %behind = getelementptr i8, ptr %place, i64 1
  switch i8 %tag, label %refuse [ i8 {_FIRST}, label %several
    i8 {_INTEGER}, label %integer
    i8 {_FLOAT}, label %float ]
several:
  %content = call {{ ptr, ptr }} @content(ptr %behind, ptr %end)
  %start = extractvalue {{ ptr, ptr }} %content, 0
  %stop = extractvalue {{ ptr, ptr }} %content, 1
  %is.none = icmp eq ptr %start, null
  br i1 %is.none, label %refuse, label %kinds
kinds:
  switch i64 %kind, label %text [ i64 2, label %floats
    i64 3, label %integers ]
text:
  %text.count = add i64 %count, 1
  br label %next
floats:
  %floats.start = ptrtoint ptr %start to i64
  %floats.stop = ptrtoint ptr %stop to i64
  %floats.bytes = sub i64 %floats.stop, %floats.start
  %floats.rest = and i64 %floats.bytes, 3
  %floats.more = lshr i64 %floats.bytes, 2
  %floats.count = add i64 %count, %floats.more
  %are.whole = icmp eq i64 %floats.rest, 0
  br i1 %are.whole, label %next, label %refuse
integers:
  %each.place = phi ptr [ %start, %kinds ], [ %each.next, %each.good ]
  %each.count = phi i64 [ %count, %kinds ], [ %each.more, %each.good ]
  %each.over = icmp eq ptr %each.place, %stop
  br i1 %each.over, label %next, label %each
each:
  %each.number = call {{ ptr, i64 }} @number(ptr %each.place, ptr %stop)
  %each.next = extractvalue {{ ptr, i64 }} %each.number, 0
  %each.more = add i64 %each.count, 1
  %each.none = icmp eq ptr %each.next, null
  br i1 %each.none, label %refuse, label %each.good
each.good:
  br label %integers
integer:
  %one.number = call {{ ptr, i64 }} @number(ptr %behind, ptr %end)
  %one.next = extractvalue {{ ptr, i64 }} %one.number, 0
  %one.none = icmp eq ptr %one.next, null
  %one.kind = icmp ne i64 %kind, 3
  %one.bad = or i1 %one.none, %one.kind
  %one.count = add i64 %count, 1
  br i1 %one.bad, label %refuse, label %next
float:
  %float.start = ptrtoint ptr %behind to i64
  %float.end = ptrtoint ptr %end to i64
  %float.left = sub i64 %float.end, %float.start
  %float.short = icmp ult i64 %float.left, 4
  %float.kind = icmp ne i64 %kind, 2
  %float.bad = or i1 %float.short, %float.kind
  %float.count = add i64 %count, 1
  br i1 %float.bad, label %refuse, label %float.good
float.good:
  %float.next = getelementptr i8, ptr %behind, i64 4
  br label %next
next:
  %next.place = phi ptr [ %stop, %text ], [ %stop, %floats ], [ %stop, %integers ],
    [ %one.next, %integer ], [ %float.next, %float.good ]
  %next.count = phi i64 [ %text.count, %text ], [ %floats.count, %floats ],
    [ %each.count, %integers ], [ %one.count, %integer ], [ %float.count, %float.good ]
  br label %head
done:
  ret i64 %count
refuse:
  ret i64 -1
}}
"""

#: Whether a `Feature` is taken: it is empty, or one list. What it is stands in a cell.
_FEATURE = f"""
define internal i1 @feature(ptr %at, ptr %end, ptr %cell) {{
entry:
  %is.empty = icmp eq ptr %at, %end
  br i1 %is.empty, label %store, label %look
look:
  %tag = load i8, ptr %at
  %behind = getelementptr i8, ptr %at, i64 1
  switch i8 %tag, label %refuse [ i8 {_FIRST}, label %list
    i8 {_SECOND}, label %list
    i8 {_THIRD}, label %list ]
list:
  %wide = zext i8 %tag to i64
  %kind = lshr i64 %wide, 3
  %content = call {{ ptr, ptr }} @content(ptr %behind, ptr %end)
  %start = extractvalue {{ ptr, ptr }} %content, 0
  %stop = extractvalue {{ ptr, ptr }} %content, 1
  %is.none = icmp eq ptr %start, null
  %is.last = icmp eq ptr %stop, %end
  %is.odd = xor i1 %is.last, true
  %is.bad = or i1 %is.none, %is.odd
  br i1 %is.bad, label %refuse, label %values
values:
  %size = call i64 @size_of_list(ptr %start, ptr %stop, i64 %kind)
  %is.wrong = icmp slt i64 %size, 0
  br i1 %is.wrong, label %refuse, label %store
store:
  %its.kind = phi i64 [ 0, %entry ], [ %kind, %values ]
  %its.start = phi ptr [ null, %entry ], [ %start, %values ]
  %its.stop = phi ptr [ null, %entry ], [ %stop, %values ]
  %its.size = phi i64 [ 0, %entry ], [ %size, %values ]
  store i64 %its.kind, ptr %cell
  %start.at = getelementptr i64, ptr %cell, i64 {START}
  store ptr %its.start, ptr %start.at
  %stop.at = getelementptr i64, ptr %cell, i64 {STOP}
  store ptr %its.stop, ptr %stop.at
  %size.at = getelementptr i64, ptr %cell, i64 {SIZE}
  store i64 %its.size, ptr %size.at
  ret i1 true
refuse:
  ret i1 false
}}
"""

#: The number of a key among %count keys; %count where it is none of them, -1 where it has bytes
#: that are no ASCII then: whether they are text is not looked at here. What came behind the key
#: before in an earlier message is looked at first.
_SLOT = """
define internal i64 @slot(ptr %key, i64 %size, ptr %keys, ptr %ends, i64 %count, i64 %first) {
entry:
  br label %head
head:
  %tried = phi i64 [ 0, %entry ], [ %tried.next, %other ]
  %slot = phi i64 [ %first, %entry ], [ %wrapped, %other ]
  %any = icmp ult i64 %tried, %count
  br i1 %any, label %look, label %octets
look:
  %start.at = getelementptr i64, ptr %ends, i64 %slot
  %start = load i64, ptr %start.at
  %stop.at = getelementptr i64, ptr %start.at, i64 1
  %stop = load i64, ptr %stop.at
  %its.size = sub i64 %stop, %start
  %is.long = icmp eq i64 %its.size, %size
  br i1 %is.long, label %compare, label %other
compare:
  %its.key = getelementptr i8, ptr %keys, i64 %start
  %order = call i32 @memcmp(ptr %its.key, ptr %key, i64 %size)
  %is.same = icmp eq i32 %order, 0
  br i1 %is.same, label %done, label %other
other:
  %tried.next = add i64 %tried, 1
  %slot.next = add i64 %slot, 1
  %is.last = icmp eq i64 %slot.next, %count
  %wrapped = select i1 %is.last, i64 0, i64 %slot.next
  br label %head
done:
  ret i64 %slot
octets:
  %place = phi i64 [ 0, %head ], [ %place.next, %octet ]
  %in = icmp ult i64 %place, %size
  br i1 %in, label %octet, label %none
octet:
  %octet.at = getelementptr i8, ptr %key, i64 %place
  %byte = load i8, ptr %octet.at
  %place.next = add i64 %place, 1
  %is.ascii = icmp sge i8 %byte, 0
  br i1 %is.ascii, label %octets, label %refuse
none:
  ret i64 %count
refuse:
  ret i64 -1
}
"""

#: The number of the key of an entry, whose feature is in its cell then; -1 where it is refused.
_ENTRY = f"""
define internal i64 @entry(ptr %at, ptr %end, ptr %keys, ptr %ends, i64 %count, i64 %first,
                           ptr %cells) {{
entry:
  br label %head
head:
  %place = phi ptr [ %at, %entry ], [ %stop, %field ]
  %seen = phi i8 [ 0, %entry ], [ %seen.next, %field ]
  %key.start = phi ptr [ %end, %entry ], [ %key.start.next, %field ]
  %key.stop = phi ptr [ %end, %entry ], [ %key.stop.next, %field ]
  %value.start = phi ptr [ %end, %entry ], [ %value.start.next, %field ]
  %value.stop = phi ptr [ %end, %entry ], [ %value.stop.next, %field ]
  %is.over = icmp eq ptr %place, %end
  br i1 %is.over, label %find, label %look
look:
  %tag = load i8, ptr %place
  %is.key = icmp eq i8 %tag, {_FIRST}
  %is.value = icmp eq i8 %tag, {_SECOND}
  %mask = select i1 %is.key, i8 1, i8 2
  %is.either = or i1 %is.key, %is.value
  %is.again = and i8 %seen, %mask
  %is.new = icmp eq i8 %is.again, 0
  %is.known = and i1 %is.either, %is.new
  %seen.next = or i8 %seen, %mask
  %behind = getelementptr i8, ptr %place, i64 1
  br i1 %is.known, label %bounds, label %refuse
bounds:
  %content = call {{ ptr, ptr }} @content(ptr %behind, ptr %end)
  %start = extractvalue {{ ptr, ptr }} %content, 0
  %stop = extractvalue {{ ptr, ptr }} %content, 1
  %is.none = icmp eq ptr %start, null
  br i1 %is.none, label %refuse, label %field
field:
  %key.start.next = select i1 %is.key, ptr %start, ptr %key.start
  %key.stop.next = select i1 %is.key, ptr %stop, ptr %key.stop
  %value.start.next = select i1 %is.key, ptr %value.start, ptr %start
  %value.stop.next = select i1 %is.key, ptr %value.stop, ptr %stop
  br label %head
find:
  %key.first = ptrtoint ptr %key.start to i64
  %key.last = ptrtoint ptr %key.stop to i64
  %key.size = sub i64 %key.last, %key.first
  %slot = call i64 @slot(ptr %key.start, i64 %key.size, ptr %keys, ptr %ends, i64 %count,
                         i64 %first)
  %is.odd = icmp slt i64 %slot, 0
  br i1 %is.odd, label %refuse, label %value
value:
  %words = mul i64 %slot, 4
  %cell = getelementptr i64, ptr %cells, i64 %words
  %is.good = call i1 @feature(ptr %value.start, ptr %value.stop, ptr %cell)
  br i1 %is.good, label %done, label %refuse
done:
  ret i64 %slot
refuse:
  ret i64 -1
}}
"""

#: How many messages were taken. Each has %count cells, and behind them one for all other features.
#: %after has for each key the one that came behind it, and behind them the one that came first.
_LOCATE = f"""
define i64 @locate(ptr %objects, ptr %type, i64 %first, i64 %last, ptr %keys, ptr %ends, i64 %count,
                   ptr %after, ptr %table) {{
entry:
  %row.words = mul i64 %count, 4
  %step = add i64 %row.words, 4
  br label %head
head:
  %i = phi i64 [ %first, %entry ], [ %following, %next ]
  %any = icmp ult i64 %i, %last
  br i1 %any, label %look, label %end
look:
  %object.at = getelementptr ptr, ptr %objects, i64 %i
  %object = load ptr, ptr %object.at
{LOAD_TEXT}
  %stop = getelementptr i8, ptr %text, i64 %size
  %offset = mul i64 %i, %step
  %cells = getelementptr i64, ptr %table, i64 %offset
  %is.empty = icmp eq i64 %size, 0
  br i1 %is.empty, label %next, label %message
message:
  %tag = load i8, ptr %text
  %behind = getelementptr i8, ptr %text, i64 1
  %content = call {{ ptr, ptr }} @content(ptr %behind, ptr %stop)
  %features = extractvalue {{ ptr, ptr }} %content, 0
  %features.stop = extractvalue {{ ptr, ptr }} %content, 1
  %is.features = icmp eq i8 %tag, {_FIRST}
  %is.some = icmp ne ptr %features, null
  %is.all = icmp eq ptr %features.stop, %stop
  %is.right = and i1 %is.features, %is.some
  %is.whole = and i1 %is.right, %is.all
  br i1 %is.whole, label %entries, label %end
entries:
  %place = phi ptr [ %features, %message ], [ %entry.stop, %followed ]
  %before = phi i64 [ %count, %message ], [ %now, %followed ]
  %is.over = icmp eq ptr %place, %stop
  br i1 %is.over, label %next, label %bounds
bounds:
  %entry.tag = load i8, ptr %place
  %entry.behind = getelementptr i8, ptr %place, i64 1
  %fields = call {{ ptr, ptr }} @content(ptr %entry.behind, ptr %stop)
  %entry.start = extractvalue {{ ptr, ptr }} %fields, 0
  %entry.stop = extractvalue {{ ptr, ptr }} %fields, 1
  %entry.some = icmp ne ptr %entry.start, null
  %entry.right = icmp eq i8 %entry.tag, {_FIRST}
  %entry.good = and i1 %entry.some, %entry.right
  br i1 %entry.good, label %guess, label %end
guess:
  %after.at = getelementptr i64, ptr %after, i64 %before
  %guess.slot = load i64, ptr %after.at
  %slot = call i64 @entry(ptr %entry.start, ptr %entry.stop, ptr %keys, ptr %ends, i64 %count,
                          i64 %guess.slot, ptr %cells)
  %is.odd = icmp slt i64 %slot, 0
  br i1 %is.odd, label %end, label %taken
taken:
  %is.asked = icmp ult i64 %slot, %count
  br i1 %is.asked, label %remember, label %followed
remember:
  store i64 %slot, ptr %after.at
  br label %followed
followed:
  %now = phi i64 [ %before, %taken ], [ %slot, %remember ]
  br label %entries
next:
  %following = add i64 %i, 1
  br label %head
end:
  ret i64 %i
}}
"""

#: What goes through the lists of a feature, a cell of each message, and puts values in a row. They
#: were checked, so nothing is checked again. VALUE takes a content, SINGLE a value alone.
_TAKE = """
define i64 @take_KIND(ptr %cells, i64 %step, i64 %count, ptr %outARGUMENTS) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %following, %list ]
  %i.out = phi ptr [ %out, %entry ], [ %to, %list ]
  %any = icmp ult i64 %i, %count
  br i1 %any, label %open, label %end
open:
  %offset = mul i64 %i, %step
  %cell = getelementptr i8, ptr %cells, i64 %offset
  %first.at = getelementptr i64, ptr %cell, i64 START
  %first = load ptr, ptr %first.at
  %last.at = getelementptr i64, ptr %cell, i64 STOP
  %last = load ptr, ptr %last.at
  %following = add i64 %i, 1
  br label %list
list:
  %place = phi ptr [ %first, %open ], [ %next.place, %next ]
  %to = phi ptr [ %i.out, %open ], [ %next.to, %next ]
  %is.over = icmp eq ptr %place, %last
  br i1 %is.over, label %head, label %look
look:
  %tag = load i8, ptr %place
  %behind = getelementptr i8, ptr %place, i64 1
  %is.several = icmp eq i8 %tag, SEVERAL
  br i1 %is.several, label %content, label %single
content:
  %bounds = call { ptr, ptr } @content(ptr %behind, ptr %last)
  %start = extractvalue { ptr, ptr } %bounds, 0
  %stop = extractvalue { ptr, ptr } %bounds, 1
VALUE
single:
SINGLE
next:
  %next.place = phi ptr NEXT_PLACE
  %next.to = phi ptr NEXT_TO
  br label %list
end:
  ret i64 %i
}
"""

_FLOATS = {
    "KIND": "floats",
    "VALUE": """  %bytes.start = ptrtoint ptr %start to i64
  %bytes.stop = ptrtoint ptr %stop to i64
  %bytes = sub i64 %bytes.stop, %bytes.start
  call ptr @memcpy(ptr %to, ptr %start, i64 %bytes)
  %content.to = getelementptr i8, ptr %to, i64 %bytes
  br label %next""",
    "SINGLE": """  %float = load i32, ptr %behind, align 1
  store i32 %float, ptr %to
  %single.place = getelementptr i8, ptr %behind, i64 4
  %single.to = getelementptr i8, ptr %to, i64 4
  br label %next""",
    "NEXT_PLACE": "[ %stop, %content ], [ %single.place, %single ]",
    "NEXT_TO": "[ %content.to, %content ], [ %single.to, %single ]",
    "ARGUMENTS": "",
}
_INTEGERS = {
    "KIND": "integers",
    "VALUE": """  br label %each
each:
  %each.place = phi ptr [ %start, %content ], [ %each.next, %each.number ]
  %each.to = phi ptr [ %to, %content ], [ %each.to.next, %each.number ]
  %each.over = icmp eq ptr %each.place, %stop
  br i1 %each.over, label %next, label %each.number
each.number:
  %number = call { ptr, i64 } @number(ptr %each.place, ptr %stop)
  %each.next = extractvalue { ptr, i64 } %number, 0
  %integer = extractvalue { ptr, i64 } %number, 1
  store i64 %integer, ptr %each.to
  %each.to.next = getelementptr i8, ptr %each.to, i64 8
  br label %each""",
    "SINGLE": """  %one = call { ptr, i64 } @number(ptr %behind, ptr %last)
  %single.place = extractvalue { ptr, i64 } %one, 0
  %single.integer = extractvalue { ptr, i64 } %one, 1
  store i64 %single.integer, ptr %to
  %single.to = getelementptr i8, ptr %to, i64 8
  br label %next""",
    "NEXT_PLACE": "[ %stop, %each ], [ %single.place, %single ]",
    "NEXT_TO": "[ %each.to, %each ], [ %single.to, %single ]",
    "ARGUMENTS": "",
}
#: A new string takes the place of an object. It ends where none can be made.
_TEXTS = {
    "KIND": "texts",
    "VALUE": """  %bytes.start = ptrtoint ptr %start to i64
  %bytes.stop = ptrtoint ptr %stop to i64
  %bytes = sub i64 %bytes.stop, %bytes.start
  %text = call ptr %new(ptr %start, i64 %bytes)
  %is.lost = icmp eq ptr %text, null
  br i1 %is.lost, label %end, label %made
made:
  %object = load ptr, ptr %to
  store ptr %text, ptr %to
  call void %drop(ptr %object)
  %content.to = getelementptr i8, ptr %to, i64 8
  br label %next""",
    "SINGLE": "  unreachable",
    "NEXT_PLACE": "[ %stop, %made ]",
    "NEXT_TO": "[ %content.to, %made ]",
    "ARGUMENTS": ", ptr %new, ptr %drop",
}

_DECLARED = """
declare i32 @memcmp(ptr, ptr, i64)
declare ptr @memcpy(ptr, ptr, i64)
"""


def taker_text(parts: dict[str, str]) -> str:
    """The function that takes the values of one kind."""
    text = _TAKE
    for name, part in parts.items():
        text = text.replace(name, part)
    text = text.replace("SEVERAL", str(_FIRST))
    return text.replace("START", str(START)).replace("STOP", str(STOP))


def module_text() -> str:
    """The text of all functions."""
    readers = _NUMBER, _CONTENT, _COUNT, _FEATURE, _SLOT, _ENTRY, _LOCATE
    takers = map(taker_text, (_FLOATS, _INTEGERS, _TEXTS))
    return "".join([*readers, *takers, _DECLARED])


class ExampleFunctions(NamedTuple):
    """The function that finds features, and those that take their values, by kind."""

    locate: Any
    take: dict[int, Any]


@functools.cache
def functions() -> ExampleFunctions:
    """The functions, compiled."""
    addresses = compiler.compiled(module_text()).addresses
    place, number = ctypes.c_void_p, ctypes.c_int64
    locate = ctypes.CFUNCTYPE(
        number, place, place, number, number, place, place, number, place, place
    )
    take = ctypes.CFUNCTYPE(number, place, number, number, place)
    # It makes objects, so it keeps the interpreter's lock.
    make = ctypes.PYFUNCTYPE(number, place, number, number, place, place, place)
    takers = {
        1: make(addresses["take_texts"]),
        2: take(addresses["take_floats"]),
        3: take(addresses["take_integers"]),
    }
    return ExampleFunctions(locate(addresses["locate"]), takers)


PREPARATION = Preparation(functions, is_brief=True)


def are_ready_for(count: int) -> bool:
    """Whether machine code takes so many messages."""
    if count < WORTH_CALLING or not array_layout.is_known():
        return False
    return PREPARATION.is_ready_for(count, WORTH_MAKING)


class LocatedFeatures:
    """Where the features of messages are, as far as the messages are known.

    The bytes stay as they are, as long as this does: it has references to them.

    Args:
        messages: Serialized `Example` messages: a vector of objects, which nobody else changes.
        keys: The names of features, each once.
    """

    def __init__(self, messages: Array, keys: Sequence[bytes]) -> None:
        self.messages = messages
        count = len(keys)
        self._keys = np.frombuffer(b"".join(keys) + b"\0", np.uint8)
        self._ends = np.cumsum([0, *map(len, keys)], dtype=np.int64)
        self._after = np.zeros(count + 1, np.int64)
        #: For each message and each feature what is known of it.
        self.table = np.zeros((len(messages), count + 1, 4), np.int64)

    def locate(self, first: int) -> int:
        """The number of the first message from one on that is not known; all others were read."""
        messages, keys, ends, after = self.messages, self._keys, self._ends, self._after
        number: int = functions().locate(
            address(messages), id(bytes), first, len(messages), address(keys), address(ends),
            len(ends) - 1, address(after), address(self.table),
        )  # fmt: skip
        return number

    def values(self, slot: int, kind: int) -> Array:
        """All values of a feature, whose kind is this one where it is there."""
        cells = self.table[:, slot]
        size = int(cells[:, SIZE].sum())
        values: Array = np.empty(size, _DTYPES[kind])
        if size:
            names = ("PyBytes_FromStringAndSize", "Py_DecRef") if kind == 1 else ()
            done = functions().take[kind](
                address(self.table) + slot * _CELL, self.table.strides[0], len(cells),
                address(values), *map(python_function, names),
            )  # fmt: skip
            if done != len(cells):
                raise MemoryError
        return values

    def kinds(self, slot: int) -> npt.NDArray[np.int64]:
        """The kind of a feature in each message."""
        return self.table[:, slot, KIND]

    def sizes(self, slot: int) -> npt.NDArray[np.int64]:
        """How many values a feature has in each message."""
        return self.table[:, slot, SIZE]


_DTYPES = {1: np.dtype(object), 2: np.dtype(np.float32), 3: np.dtype(np.int64)}
