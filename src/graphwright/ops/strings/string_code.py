"""A number or a part of each of many strings, as machine code: hashes, sizes, states, bytes.

The formulas of `hash_formulas` write the code: their operations on a `CodeWord` are lines of LLVM's
text. It reads the bytes of Python's objects where they lie.
"""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from graphwright.machine import array_layout
from graphwright.machine.array_layout import address, python_function
from graphwright.machine.drafts import lasting_functions
from graphwright.machine.preparation import Preparation
from graphwright.ops.strings.hash_formulas import (
    MASK,
    SHORT,
    SIZES,
    State,
    Word,
    farm_block,
    farm_blocks,
    farm_end,
    farm_start,
    murmur_block,
    murmur_end,
    murmur_left,
    murmur_start,
    sip_block,
    sip_end,
    sip_start,
)
from graphwright.types.arrays import Array

Numbers = npt.NDArray[np.uint64]

#: So many strings are worth machine code that only looks at them. Fewer in a call are once calls
#: have had so many times as many: then Python has taken longer than to make the code.
_WORTH, PATIENCE = 1 << 11, 8

#: Stands for white space as the separator of pieces.
SPACES = 256

#: So many bytes are looked at together.
CHUNK = 32

#: Fewer strings are quicker cut by Python.
MANY = 1 << 5

#: The arguments of the function of one string.
_ARGUMENTS = "ptr %text, i64 %size, i64 %key0, i64 %key1"


class StringText:
    """The body of a function of a string, as lines of LLVM's text."""

    def __init__(self) -> None:
        self.lines = ["entry:"]
        self.size = self.word("%size")

    def line(self, instruction: str) -> str:
        """The name of the result of an instruction."""
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {instruction}")
        return name

    def word(self, name: str) -> CodeWord:
        """The word of a name."""
        return CodeWord(self, name)

    def read(self, place: Word) -> CodeLoad:
        """The word that starts at a byte of the string."""
        return CodeLoad(self, self.line(f"getelementptr i8, ptr %text, i64 {shown(place)}"))

    def head(self, place: Word) -> CodeWord:
        """1 if the byte at a place begins a character of UTF-8, or 0."""
        octet = (self.read(place) & 0xFF) & 0xC0
        return self.word(self.line(f"zext i1 {self.line(f'icmp ne i64 {octet.name}, 128')} to i64"))

    def cuts(self, octet: CodeWord, separator: CodeWord, is_white: str) -> str:
        """Whether a byte separates: it is white space, or the separator."""
        is_space = self.line(f"icmp eq i64 {octet.name}, 32")
        is_control = self.line(f"icmp ult i64 {(octet - 9).name}, 5")
        is_either = self.line(f"or i1 {is_space}, {is_control}")
        is_equal = self.line(f"icmp eq i64 {octet.name}, {separator.name}")
        return self.line(f"select i1 {is_white}, i1 {is_either}, i1 {is_equal}")

    def heads(self, place: Word) -> CodeWord:
        """How many bytes of the chunk at a place begin a character of UTF-8."""
        chunk = self.line(f"getelementptr i8, ptr %text, i64 {shown(place)}")
        octets = self.line(f"load <{CHUNK} x i8>, ptr {chunk}, align 1")
        last = ", ".join(["i8 -65"] * CHUNK)  # of the bytes that begin none, as signed numbers
        begin = self.line(f"icmp sgt <{CHUNK} x i8> {octets}, <{last}>")
        bits = self.line(f"bitcast <{CHUNK} x i1> {begin} to i{CHUNK}")
        count = self.line(f"tail call i{CHUNK} @llvm.ctpop.i{CHUNK}(i{CHUNK} {bits})")
        return self.word(self.line(f"zext i{CHUNK} {count} to i64"))

    def chosen(self, condition: str, x: Word, y: Word) -> CodeWord:
        """One word if a condition holds, or another."""
        return self.word(self.line(f"select i1 {condition}, i64 {shown(x)}, i64 {shown(y)}"))

    def returned(self, value: Word) -> None:
        """Ends the function."""
        self.lines.append(f"  ret i64 {shown(value)}")

    def case(self, condition: str, name: str) -> None:
        """Goes to block `name` if a condition does not hold, or on."""
        here = f"{name}.not"
        self.lines += [f"  br i1 {condition}, label %{here}, label %{name}", f"{here}:"]

    def loop(
        self,
        name: str,
        begins: tuple[str, Word, Word, int],
        state: Sequence[Word],
        body: Callable[[Word, State], State],
        goes_on: Callable[[State], str] | None = None,
    ) -> State:
        """The state after the turns of a loop, which `body` makes of a place and the state before.

        It begins in a block, at a place, and goes on below another place in steps. `goes_on` may
        give a condition on the state that ends it before.
        """
        block, first, last, step = begins
        words = [self.word(f"%{name}.{i}") for i in range(len(state))]
        place = self.word(f"%{name}.place")
        self.lines += [f"  br label %{name}", f"{name}:"]
        head = len(self.lines)
        self.lines += [""] * (len(state) + 1)
        more = self.line(f"icmp ult i64 {place.name}, {shown(last)}")
        if goes_on is not None:
            more = self.line(f"and i1 {more}, {goes_on(tuple(words))}")
        self.lines += [f"  br i1 {more}, label %{name}.body, label %{name}.end", f"{name}.body:"]
        ends = [*body(place, tuple(words)), place + step]
        for i, (word, start, end) in enumerate(zip([*words, place], [*state, first], ends)):
            sources = f"[ {shown(start)}, %{block} ], [ {shown(end)}, %{name}.body ]"
            self.lines[head + i] = f"  {word.name} = phi i64 {sources}"
        self.lines += [f"  br label %{name}", f"{name}.end:"]
        return tuple(words)

    def rest(self, block: str, whole: Word) -> Word:
        """The bytes from a multiple of eight on, as a word; the code is in a block."""

        def added(place: Word, state: State) -> State:
            return (state[0] | (self.read(place) & 0xFF) << (place & 7) * 8,)

        return self.loop("rest", (block, whole, self.size, 1), [0], added)[0]


class CodeWord:
    """A word of 64 bits that the code computes: operations on it are lines of its text."""

    def __init__(self, text: StringText, name: str) -> None:
        self.text = text
        self._name = name

    @property
    def name(self) -> str:
        """Its name in the text."""
        return self._name

    def op(self, instruction: str, x: Word, y: Word) -> CodeWord:
        """The result of an instruction."""
        return self.text.word(self.text.line(f"{instruction} i64 {shown(x)}, {shown(y)}"))

    def __add__(self, other: Word) -> CodeWord:
        return self.op("add", self, other)

    def __sub__(self, other: Word) -> CodeWord:
        return self.op("sub", self, other)

    def __mul__(self, other: Word) -> CodeWord:
        return self.op("mul", self, other)

    def __xor__(self, other: Word) -> CodeWord:
        return self.op("xor", self, other)

    def __or__(self, other: Word) -> CodeWord:
        return self.op("or", self, other)

    def __and__(self, other: Word) -> CodeWord:
        return self if other == MASK else self.op("and", self, other)

    def __lshift__(self, other: Word) -> CodeWord:
        return self.op("shl", self, other)

    def __rshift__(self, other: Word) -> CodeWord:
        return self.op("lshr", self, other)

    def __floordiv__(self, other: Word) -> CodeWord:
        return self.op("udiv", self, other)

    __radd__, __rmul__, __rxor__ = __add__, __mul__, __xor__


class CodeLoad(CodeWord):
    """A word in memory, of which the code reads no byte that is not needed."""

    @functools.cached_property
    def name(self) -> str:
        """Its name in the text."""
        return self.text.line(f"load i64, ptr {self._name}, align 1")

    def __and__(self, other: Word) -> CodeWord:
        bits = {0xFF: 8, 0xFFFFFFFF: 32}.get(other)
        if bits is None:
            return super().__and__(other)
        part = self.text.line(f"load i{bits}, ptr {self._name}, align 1")
        return self.text.word(self.text.line(f"zext i{bits} {part} to i64"))


def shown(word: Word) -> str:
    """A word as an operand."""
    if isinstance(word, CodeWord):
        return word.name
    number = word & MASK
    return str(number - (number >> 63 << 64))


# -- the functions of one string ------------------------------------------------------------


def farm(text: StringText) -> None:
    """FarmHash's fingerprint."""
    for limit, formula in zip(SIZES, SHORT):
        text.case(text.line(f"icmp ule i64 %size, {limit}"), f"above{limit}")
        text.returned(formula(text.read, text.size))
        text.lines.append(f"above{limit}:")
    begins = f"above{SIZES[-1]}", 0, farm_blocks(text.size) * 64, 64
    state = text.loop(
        "block", begins, farm_start(text.read), lambda place, s: farm_block(s, text.read, place)
    )
    text.returned(farm_end(state, text.read, text.size))


def murmur(text: StringText) -> None:
    """MurmurHash64A."""
    whole, start = text.size & ~7, murmur_start(text.size)
    (result,) = text.loop(
        "block",
        ("entry", 0, whole, 8),
        [start],
        lambda place, s: (murmur_block(s[0], text.read(place)),),
    )
    left = murmur_left(result, text.rest("block.end", whole))
    text.case(text.line(f"icmp ult i64 {whole.name}, %size"), "even")
    text.returned(murmur_end(left))
    text.lines.append("even:")
    text.returned(murmur_end(result))


def sip(text: StringText) -> None:
    """SipHash-2-4 under a key."""
    whole, start = text.size & ~7, sip_start((text.word("%key0"), text.word("%key1")))
    state = text.loop(
        "block",
        ("entry", 0, whole, 8),
        start,
        lambda place, s: sip_block(s, text.read(place)),
    )
    last = text.rest("block.end", whole) | text.size << 56
    text.returned(sip_end(sip_block(state, last)))


def size(text: StringText) -> None:
    """The number of bytes."""
    text.returned(text.size)


def characters(text: StringText) -> None:
    """The number of bytes that begin a character of UTF-8."""
    whole = text.size & ~(CHUNK - 1)
    (begun,) = text.loop(
        "chunk", ("entry", 0, whole, CHUNK), [0], lambda place, s: (s[0] + text.heads(place),)
    )
    (count,) = text.loop(
        "byte",
        ("chunk.end", whole, text.size, 1),
        [begun],
        lambda place, s: (s[0] + text.head(place),),
    )
    text.returned(count)


def state(text: StringText) -> None:
    """The state in which an automaton ends: the keys are its table and the state it begins with."""
    table = text.line("inttoptr i64 %key0 to ptr")

    def followed(place: Word, before: State) -> State:
        row = text.word(shown(before[0])) << 8 | (text.read(place) & 0xFF)
        entry = text.line(f"getelementptr i8, ptr {table}, i64 {row.name}")
        octet = text.line(f"load i8, ptr {entry}")
        return (text.word(text.line(f"zext i8 {octet} to i64")),)

    (last,) = text.loop("byte", ("entry", 0, text.size, 1), [text.word("%key1")], followed)
    text.returned(last)


def edge(text: StringText) -> None:
    """The byte at which a character begins, by its number, the first key; the size if none does."""
    wanted, whole = text.word("%key0"), text.size & ~(CHUNK - 1)

    def passed(place: Word, before: State) -> State:
        first, number, seen = before
        seen = seen + text.heads(place)
        is_before = text.line(f"icmp ule i64 {seen.name}, {wanted.name}")
        behind = text.chosen(is_before, place + CHUNK, first)
        return behind, text.chosen(is_before, seen, number), seen

    first, number, _ = text.loop(
        "chunk",
        ("entry", 0, whole, CHUNK),
        [0, 0, 0],
        passed,
        lambda state: text.line(f"icmp ule i64 {state[2].name}, {wanted.name}"),
    )
    near = first + CHUNK
    is_inside = text.line(f"icmp ult i64 {near.name}, %size")
    last = text.chosen(is_inside, near, text.size)

    def looked(place: Word, before: State) -> State:
        answer, number = before
        head = text.head(place)
        is_number = text.line(f"icmp eq i64 {number.name}, {wanted.name}")
        is_head = text.line(f"icmp ne i64 {head.name}, 0")
        is_right = text.line(f"and i1 {is_head}, {is_number}")
        return text.chosen(is_right, place, answer), number + head

    place, _ = text.loop(
        "byte",
        ("chunk.end", first, last, 1),
        [text.size, number],
        looked,
        lambda state: text.line(f"icmp ule i64 {state[1].name}, {wanted.name}"),
    )
    text.returned(place)


def pieces(text: StringText) -> None:
    """How many pieces `split` makes; the first key is its separator, or `SPACES`."""
    wanted = text.word("%key0")
    is_white = text.line(f"icmp eq i64 {wanted.name}, {SPACES}")
    nothing, one = text.word("0"), text.word("1")

    def counted(place: Word, before: State) -> State:
        count, was_inside = before
        cuts = text.cuts(text.read(place) & 0xFF, wanted, is_white)
        is_inside = text.chosen(cuts, nothing, one)
        begun = is_inside & (was_inside ^ 1)
        more = text.chosen(is_white, begun, is_inside ^ 1)
        return count + more, is_inside

    first = text.chosen(is_white, nothing, one)
    count, _ = text.loop("byte", ("entry", 0, text.size, 1), [first, nothing], counted)
    text.returned(count)


# -- all strings -----------------------------------------------------------------------------

#: The lines that read the %text of an %object, and its %size; where it is no string of bytes, which
#: is of the %type, they go to %end.
LOAD_TEXT = f"""\
  %is.none = icmp eq ptr %object, null
  br i1 %is.none, label %end, label %check
check:
  %type.at = getelementptr i8, ptr %object, i64 {array_layout.TYPE}
  %its.type = load ptr, ptr %type.at
  %is.bytes = icmp eq ptr %its.type, %type
  br i1 %is.bytes, label %do, label %end
do:
  %size.at = getelementptr i8, ptr %object, i64 {array_layout.HEADER}
  %size = load i64, ptr %size.at
  %text = getelementptr i8, ptr %object, i64 {array_layout.BYTES}"""


def over_strings(name: str, arguments: str, body: str) -> str:
    """The text of a function that does something with each %text of %size in an array of objects.

    It gives how many objects it has done: it ends at what is no string of bytes, or where the body
    goes to %end.
    """
    return f"""
define i64 @{name}(ptr %objects, ptr %type, ptr %out, i64 %count, {arguments}) {{
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %following, %next ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %look, label %end
look:
  %object.at = getelementptr ptr, ptr %objects, i64 %i
  %object = load ptr, ptr %object.at
{LOAD_TEXT}
{body}
  br label %next
next:
  %following = add i64 %i, 1
  br label %head
end:
  ret i64 %i
}}
"""


def all_strings(write: Callable[[StringText], None]) -> str:
    """The text of a function of one string, and of that of an array of them."""
    name, text = write.__name__, StringText()
    write(text)
    body = "\n".join(text.lines)
    one = f"define internal i64 @{name}({_ARGUMENTS}) {{\n{body}\n}}\n"
    each = f"""  %number = call i64 @{name}(ptr %text, i64 %size, i64 %key0, i64 %key1)
  %out.at = getelementptr i64, ptr %out, i64 %i
  store i64 %number, ptr %out.at"""
    return one + over_strings(f"{name}_of_all", "i64 %key0, i64 %key1", each)


def store_text(name: str, place: str = "%i") -> str:
    """The lines that put a new string in a place of %out, instead of what was there."""
    return f"""  %is.lost = icmp eq ptr {name}, null
  br i1 %is.lost, label %end, label %keep
keep:
  %out.at = getelementptr ptr, ptr %out, i64 {place}
  %before = load ptr, ptr %out.at
  store ptr {name}, ptr %out.at
  call void %drop(ptr %before)"""


#: Puts a new string in place of each object of %out: from a start, and of a length at most.
#: Characters are counted only where a start is counted from the end, or may lie behind it.
_PART = f"""  %bound = mul i64 %i, %step
  %start.at = getelementptr i64, ptr %starts, i64 %bound
  %start = load i64, ptr %start.at
  %length.at = getelementptr i64, ptr %lengths, i64 %bound
  %length = load i64, ptr %length.at
  %is.back = icmp slt i64 %start, 0
  br i1 %characters, label %letters, label %bounds
letters:
  br i1 %is.back, label %count.characters, label %bounds
count.characters:
  %its.characters = call i64 @characters(ptr %text, i64 %size, i64 0, i64 0)
  br label %bounds
bounds:
  %units = phi i64 [ %size, %do ], [ 9223372036854775807, %letters ],
    [ %its.characters, %count.characters ]
  %back = select i1 %is.back, i64 %units, i64 0
  %first = add i64 %start, %back
  %is.inside = icmp ule i64 %first, %units
  br i1 %is.inside, label %cut, label %end
cut:
  %rest = sub i64 %units, %first
  %all = select i1 %characters, i64 0, i64 %rest
  %is.all = icmp slt i64 %length, 0
  %wanted = select i1 %is.all, i64 %all, i64 %length
  %is.less = icmp ult i64 %wanted, %rest
  %taken = select i1 %is.less, i64 %wanted, i64 %rest
  %last = add i64 %first, %taken
  br i1 %characters, label %edges, label %make
edges:
  %first.edge = call i64 @edge(ptr %text, i64 %size, i64 %first, i64 0)
  %is.last = icmp eq i64 %first.edge, %size
  br i1 %is.last, label %verify, label %inside
verify:
  %all.characters = call i64 @characters(ptr %text, i64 %size, i64 0, i64 0)
  %is.there = icmp ule i64 %first, %all.characters
  br i1 %is.there, label %inside, label %end
inside:
  %last.edge = call i64 @edge(ptr %text, i64 %size, i64 %last, i64 0)
  br label %make
make:
  %from = phi i64 [ %first, %cut ], [ %first.edge, %inside ]
  %to = phi i64 [ %last, %cut ], [ %last.edge, %inside ]
  %bytes = sub i64 %to, %from
  %from.at = getelementptr i8, ptr %text, i64 %from
  %part = call ptr %new(ptr %from.at, i64 %bytes)
{store_text("%part")}"""
_PARTS = over_strings(
    "parts", "ptr %starts, ptr %lengths, i64 %step, i1 %characters, ptr %new, ptr %drop", _PART
)

#: Puts the pieces of each string in the next places of %out, of which %taken says how many are in
#: use. A piece begins at %start, which is -1 between pieces that white space separates.
_SPLIT = f"""  %taken.before = load i64, ptr %taken
  %is.white = icmp eq i64 %separator, {SPACES}
  %outside = select i1 %is.white, i64 -1, i64 0
  br label %scan
scan:
  %place = phi i64 [ 0, %do ], [ %place.next, %step ]
  %start = phi i64 [ %outside, %do ], [ %start.next, %step ]
  %slot = phi i64 [ %taken.before, %do ], [ %slot.next, %step ]
  %is.inside = icmp sge i64 %start, 0
  %is.more = icmp ult i64 %place, %size
  br i1 %is.more, label %byte, label %behind
byte:
  %octet.at = getelementptr i8, ptr %text, i64 %place
  %octet.small = load i8, ptr %octet.at
  %octet = zext i8 %octet.small to i64
  %is.space = icmp eq i64 %octet, 32
  %control = sub i64 %octet, 9
  %is.control = icmp ult i64 %control, 5
  %is.blank = or i1 %is.space, %is.control
  %is.equal = icmp eq i64 %octet, %separator
  %cuts = select i1 %is.white, i1 %is.blank, i1 %is.equal
  %ends = and i1 %cuts, %is.inside
  br i1 %ends, label %emit, label %quiet
quiet:
  %begins = or i1 %cuts, %is.inside
  %start.quiet = select i1 %begins, i64 %start, i64 %place
  br label %step
behind:
  br i1 %is.inside, label %emit, label %done
emit:
  %is.room = icmp ult i64 %slot, %room
  br i1 %is.room, label %make, label %end
make:
  %from.at = getelementptr i8, ptr %text, i64 %start
  %bytes = sub i64 %place, %start
  %part = call ptr %new(ptr %from.at, i64 %bytes)
{store_text("%part", "%slot")}
  %slot.more = add i64 %slot, 1
  %place.behind = add i64 %place, 1
  %start.behind = select i1 %is.white, i64 -1, i64 %place.behind
  br i1 %is.more, label %step, label %done
step:
  %start.next = phi i64 [ %start.quiet, %quiet ], [ %start.behind, %keep ]
  %slot.next = phi i64 [ %slot, %quiet ], [ %slot.more, %keep ]
  %place.next = add i64 %place, 1
  br label %scan
done:
  %taken.after = phi i64 [ %slot, %behind ], [ %slot.more, %keep ]
  store i64 %taken.after, ptr %taken"""
_SPLITS = over_strings(
    "split", "ptr %taken, i64 %room, i64 %separator, ptr %new, ptr %drop", _SPLIT
)
_DECLARED = f"declare i{CHUNK} @llvm.ctpop.i{CHUNK}(i{CHUNK})\n"


@functools.cache
def _functions() -> dict[str, Any]:
    """The functions of arrays, by name."""
    writers = farm, murmur, sip, size, characters, state, edge, pieces
    place, number = ctypes.c_void_p, ctypes.c_int64
    # They keep the interpreter's lock, without which another thread could free the strings.
    call = ctypes.PYFUNCTYPE(number, place, place, place, number, number, number)
    cut = ctypes.PYFUNCTYPE(
        number, place, place, place, number, place, place, number, ctypes.c_bool, place, place
    )
    split = ctypes.PYFUNCTYPE(
        number, place, place, place, number, place, number, number, place, place
    )
    kinds: dict[str, Any] = {f"{writer.__name__}_of_all": call for writer in writers}
    text = "".join(map(all_strings, writers)) + _PARTS + _SPLITS + _DECLARED
    return lasting_functions(text, kinds | {"parts": cut, "split": split})


PREPARATION = Preparation(_functions, is_brief=True, patience=PATIENCE)


def numbers(
    name: str,
    strings: Array,
    work: int,
    worth: int = _WORTH,
    worth_waiting: float = math.inf,
    key: tuple[int, int] = (0, 0),
) -> Numbers | None:
    """The numbers of an array of objects; None where Python should do it, or must.

    Less work than `worth` does not have the code made; from `worth_waiting` on it is waited for.
    """
    if not array_layout.is_known():
        return None
    if work >= worth_waiting and not PREPARATION.is_done:
        PREPARATION.work()
    if not PREPARATION.is_ready_for(work, worth):
        return None
    strings = np.asarray(strings, order="C")  # scalars stay scalars
    result = np.empty(strings.shape, np.uint64)
    count, keys = strings.size, [word & MASK for word in key]
    function = _functions()[f"{name}_of_all"]
    done = function(address(strings), id(bytes), address(result), count, *keys)
    return result if done == count else None


def places(strings: Array) -> tuple[Array, Array] | None:
    """Where in memory the bytes of a flat array's objects start and stop; None as of `numbers`."""
    lengths = numbers("size", strings, strings.size)
    if lengths is None or not strings.size:
        return None
    objects = (ctypes.c_int64 * strings.size).from_address(address(strings))
    starts = np.frombuffer(memoryview(objects), np.int64) + array_layout.BYTES
    return starts, starts + lengths.view(np.int64)


def parts(strings: Array, starts: Array, lengths: Array, by_characters: bool) -> Array | None:
    """From a start on, at most so many bytes or characters of each string of a flat array.

    There is a start and a length for each, or one of both for all. None where Python should do it,
    or must: also where a string has no such start.
    """
    count = strings.size
    if count < MANY or not array_layout.is_known() or not PREPARATION.is_ready_for(count, _WORTH):
        return None
    strings = np.ascontiguousarray(strings)
    bounds = [np.ascontiguousarray(each, np.int64) for each in (starts, lengths)]
    result = np.empty(count, object)
    done = _functions()["parts"](
        address(strings), id(bytes), address(result), count, *map(address, bounds),
        int(starts.size > 1), by_characters,
        python_function("PyBytes_FromStringAndSize"), python_function("Py_DecRef"),
    )  # fmt: skip
    return result if done == count else None


def split(strings: Array, separator: int) -> tuple[Array, npt.NDArray[np.int64]] | None:
    """The pieces of the strings of a flat array in a row, and how many each string has.

    A byte or `SPACES` separates them. None where Python should do it, or must.
    """
    if strings.size < MANY:
        return None
    strings = np.ascontiguousarray(strings)
    numbers_of_each = numbers("pieces", strings, strings.size, key=(separator, 0))
    if numbers_of_each is None:
        return None
    counts = numbers_of_each.view(np.int64)
    room = int(counts.sum())
    result, taken = np.empty(room, object), np.zeros(1, np.int64)
    done = _functions()["split"](
        address(strings), id(bytes), address(result), strings.size, address(taken), room, separator,
        python_function("PyBytes_FromStringAndSize"), python_function("Py_DecRef"),
    )  # fmt: skip
    return (result, counts) if done == strings.size and taken[0] == room else None
