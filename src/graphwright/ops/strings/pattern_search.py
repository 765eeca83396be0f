"""Matches of a pattern anywhere in texts, replaced by machine code.

An automaton tries each place of a text until nothing can match any more. Its states are lists of
atoms, in the order in which RE2 would prefer them; what comes behind a match is dropped. So the
last match of a try is the one that RE2 gives. A text goes to RE2 if it is not ASCII, or if its
tries take many more steps than it has bytes: so replacing stays linear in the text.

Source: Cox, "Regular Expression Matching in the Wild" (2010).
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence as Series
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from graphwright.base.named_tuples import NamedTuple
from graphwright.base.scalar_code import module_text
from graphwright.machine import array_layout
from graphwright.machine.array_layout import address, python_function
from graphwright.machine.drafts import lasting_functions
from graphwright.machine.preparation import Preparation
from graphwright.ops.strings import group_code, string_code
from graphwright.ops.strings.byte_pieces import pieces_of
from graphwright.ops.strings.pattern_automata import (
    COUNT,
    DEAD,
    FOREIGN,
    START,
    STATES,
    NoAutomaton,
    PatternReader,
)
from graphwright.ops.strings.string_code import MANY, over_strings
from graphwright.types.arrays import Array

#: What follows in a list of atoms where the pattern has matched.
MATCH = -1

State: TypeAlias = tuple[int, ...]  # atoms in the order of preference, and `MATCH` at most at last


#: How many groups a rewrite may name, and how many numbers say where those come from.
GROUPS, _ORIGINS = 9, 1 << 18


class Origins(NamedTuple):
    """Where the places of groups come from: each atom of a state follows one of the state before.

    Between the two, groups begin and end: bit 2 * g says that group g begins, the next one that it
    ends.
    """

    kinds: npt.NDArray[np.uint8]  # of bytes: those of a kind lead to the same states
    kind_count: int
    places: npt.NDArray[np.uint8]  # [states, kinds, atoms], for each atom its place before
    bounds: npt.NDArray[np.int64]  # [states, kinds, atoms]
    first: npt.NDArray[np.int64]  # the bounds before each atom of the first state
    sizes: npt.NDArray[np.int64]  # how many atoms each state has


class SearchAutomaton(NamedTuple):
    """The state behind each state and byte, and whether the pattern has matched in a state."""

    steps: npt.NDArray[np.uint8]
    matches: npt.NDArray[np.uint8]
    origins: Origins | None  # None where the pattern has no groups, or too many atoms


class BranchingPlace:
    """A place in a pattern from which it goes on in several ways, the preferred one first."""

    def __init__(self, *ways: Way) -> None:
        self.ways = ways


class AtomPlace(NamedTuple):
    """A place in a pattern where an atom must match, and what comes behind it."""

    atom: int
    behind: Way


class BoundPlace(NamedTuple):
    """A place in a pattern where a group begins or ends, and how it goes on."""

    bound: int
    behind: Way


#: How a pattern goes on from a place; None where it has matched.
Way: TypeAlias = "AtomPlace | BranchingPlace | BoundPlace | None"
#: The atoms with which a way goes on, and which bounds are before each.
Bounds: TypeAlias = dict[int, int]


class Fragment:
    """A part of a pattern, which may match nothing if it `is_optional`."""

    is_optional = False

    def before(self, behind: Way) -> Way:
        """The way through the part, and on from what comes behind it."""
        raise NotImplementedError


class Atom(Fragment):
    """One character of a set."""

    def __init__(self, number: int) -> None:
        self.number = number

    def before(self, behind: Way) -> Way:
        return AtomPlace(self.number, behind)


class Sequence(Fragment):
    """Parts one behind the other."""

    def __init__(self, *parts: Fragment) -> None:
        self.parts = parts
        self.is_optional = all(part.is_optional for part in parts)

    def before(self, behind: Way) -> Way:
        for part in reversed(self.parts):
            behind = part.before(behind)
        return behind


class GroupFragment(Fragment):
    """A part whose place a rewrite may ask for."""

    def __init__(self, part: Fragment, number: int) -> None:
        self.part = part
        self.is_optional = part.is_optional
        self.number = number

    def before(self, behind: Way) -> Way:
        end = BoundPlace(2 * self.number + 1, behind)
        return BoundPlace(2 * self.number, self.part.before(end))


class EitherFragment(Fragment):
    """One of some parts, the first ones preferred."""

    def __init__(self, *parts: Fragment) -> None:
        self.parts = parts
        self.is_optional = any(part.is_optional for part in parts)

    def before(self, behind: Way) -> Way:
        return BranchingPlace(*[part.before(behind) for part in self.parts])


class Repeated(Fragment):
    """A part any number of times, or at least once."""

    def __init__(self, part: Fragment, is_optional: bool, is_lazy: bool) -> None:
        self.part = part
        self.is_optional = is_optional
        self.is_lazy = is_lazy

    def before(self, behind: Way) -> Way:
        again = BranchingPlace()
        body = self.part.before(again)
        again.ways = (behind, body) if self.is_lazy else (body, behind)
        return again if self.is_optional else body


class SearchReader(PatternReader):
    """Reads a pattern that RE2 takes, with the order in which it prefers matches."""

    def __init__(self, pattern: bytes) -> None:
        super().__init__(pattern)
        self.groups: dict[int, int] = {}  # the numbers of groups, by where they begin

    def fragment(self) -> Fragment:
        """Parts between bars."""
        parts = [self.fragments()]
        while self.at(b"|"):
            self.place += 1
            parts.append(self.fragments())
        return EitherFragment(*parts) if len(parts) > 1 else parts[0]

    def fragments(self) -> Fragment:
        """Parts one behind the other."""
        parts = []
        while self.place < len(self.pattern) and not self.at(b"|", b")"):
            parts.append(self.counted())
        return Sequence(*parts)

    def counted(self) -> Fragment:
        """An atom or a group, as often as the pattern says."""
        begin = self.place
        part = self.one()
        count = COUNT.match(self.pattern, self.place)
        if count is None:
            return part
        if part.is_optional:  # how often nothing matches is for RE2 to say
            raise NoAutomaton
        sign, least, comma, most = count.groups()
        is_lazy = len(count[0]) > 1 and count[0].endswith(b"?")
        if sign in (b"*", b"+"):
            whole: Fragment = Repeated(part, sign == b"*", is_lazy)
        else:
            fewest, highest = (0, 1) if sign else (int(least), int(most or least))
            parts = [part]
            while len(parts) < highest:
                self.place = begin
                parts.append(self.one())
            rest: list[Fragment] = []
            if comma and not most:
                rest = [Repeated(parts[-1], fewest == 0, is_lazy)]
                parts = parts[:-1] if fewest else []
            else:
                for each in reversed(parts[fewest:highest]):
                    nothing, more = Sequence(), Sequence(each, *rest)
                    ways = (nothing, more) if is_lazy else (more, nothing)
                    rest = [EitherFragment(*ways)]
                parts = parts[:fewest]
            whole = Sequence(*parts, *rest)
        self.place = count.end()
        return whole

    def one(self) -> Fragment:
        """An atom or a group."""
        place = self.place
        if self.begins_group():
            number = None
            if self.pattern[place : place + 3] != b"(?:":
                number = self.groups.setdefault(place, len(self.groups) + 1)
            part = self.fragment()
            self.end_group()
            return part if number is None or number > GROUPS else GroupFragment(part, number)
        return Atom(self.atom())


def ways_of(way: Way) -> Bounds:
    """The atoms with which a way goes on, in the order of preference, up to a match."""
    atoms: Bounds = {}
    waiting, seen = [(way, 0)], set[int]()
    while waiting:
        way, bounds = waiting.pop()
        if way is None:
            atoms[MATCH] = bounds
            break
        if isinstance(way, AtomPlace):
            atoms.setdefault(way.atom, bounds)
        elif isinstance(way, BoundPlace):
            waiting.append((way.behind, bounds | 1 << way.bound))
        elif id(way) not in seen:
            seen.add(id(way))
            waiting += [(each, bounds) for each in reversed(way.ways)]
    return atoms


def places_of(way: Way) -> dict[int, AtomPlace]:
    """The places of all atoms in a pattern, by their numbers."""
    places: dict[int, AtomPlace] = {}
    waiting, seen = [way], set[int]()
    while waiting:
        way = waiting.pop()
        if way is None or id(way) in seen:
            continue
        seen.add(id(way))
        if isinstance(way, AtomPlace):
            places[way.atom] = way
            waiting.append(way.behind)
        elif isinstance(way, BoundPlace):
            waiting.append(way.behind)
        else:
            waiting += way.ways
    return places


@functools.lru_cache(maxsize=256)
def search_automaton(pattern: bytes) -> SearchAutomaton | None:
    """The automaton of a pattern that RE2 takes; None where there is none, or a large one.

    A pattern that matches nothing has none.
    """
    reader = SearchReader(pattern)
    try:
        whole = reader.fragment() if pattern.isascii() else None
    except NoAutomaton:
        return None
    if whole is None or whole.is_optional or reader.place < len(pattern):
        return None
    begin = whole.before(None)
    members = np.zeros([len(reader.atoms), 128], np.bool_)
    for row, characters in zip(members, reader.atoms):
        row[list(characters)] = True
    columns, kinds = np.unique(members, axis=1, return_inverse=True)
    kinds = kinds.reshape(-1)
    behind = {number: ways_of(place.behind) for number, place in places_of(begin).items()}
    first = ways_of(begin)
    states: dict[State, int] = {(*first,): START}
    waiting = [*states]
    rows = [np.full(256, state, np.uint8) for state in (DEAD, FOREIGN)]
    origins: list[list[Followers]] = []
    for state in waiting:
        numbers = []
        origins.append([followed(state, column, behind) for column in columns.T])
        for followers in origins[-1]:
            after = (*followers,)
            if after and after not in states:
                states[after] = START + len(states)
                waiting.append(after)
            numbers.append(states.get(after, DEAD))
        if len(states) > STATES:
            return None
        steps = np.array(numbers, np.uint8)[kinds]
        rows.append(np.append(steps, np.full(128, FOREIGN, np.uint8)))
    matches = [False, False, *[state[-1] == MATCH for state in waiting]]
    return SearchAutomaton(
        np.ascontiguousarray(rows),
        np.array(matches, np.uint8),
        origins_of(first, waiting, origins, kinds) if reader.groups else None,
    )


#: For each atom of a state its place in the state before, and the bounds between the two.
Followers: TypeAlias = dict[int, tuple[int, int]]


def followed(
    state: State, column: npt.NDArray[np.bool_], behind: dict[int, Bounds]
) -> Followers:
    """The state behind another and a character, of which `column` says which atoms match it."""
    after: Followers = {}
    for place, atom in enumerate(state):
        if atom == MATCH or not column[atom]:
            continue
        for next_atom, bounds in behind[atom].items():
            after.setdefault(next_atom, (place, bounds))
        if MATCH in after:
            break
    return after


def origins_of(
    first: Bounds,
    states: list[State],
    followers: list[list[Followers]],
    kinds: npt.NDArray[np.intp],
) -> Origins | None:
    """Where the places of groups come from; None where that takes many numbers."""
    count, most = len(followers[0]), max(map(len, states))
    if len(states) * count * most > _ORIGINS:
        return None
    shape = (START + len(states), count, most)
    places, bounds = np.zeros(shape, np.uint8), np.zeros(shape, np.int64)
    for state, row in enumerate(followers, START):
        for kind, atoms in enumerate(row):
            for number, (place, passed) in enumerate(atoms.values()):
                places[state, kind, number] = place
                bounds[state, kind, number] = passed
    sizes = np.array([0, 0, *map(len, states)], np.int64)
    return Origins(
        kinds.astype(np.uint8), count, places, bounds, np.array([*first.values()], np.int64), sizes
    )


# -- machine code ---------------------------------------------------------------------------

#: Puts a string with its matches replaced in place of each object of %out; an object stays where
#: RE2 must look at the string. %spans has room for the places of all matches of one.
_REPLACED = f"""  %most = mul i64 %size, 8
  %is.long = icmp ugt i64 %size, 64
  br label %seek
seek:
  %begin = phi i64 [ 0, %do ], [ %begin.next, %settled ]
  %matches = phi i64 [ 0, %do ], [ %matches.next, %settled ]
  %gone = phi i64 [ 0, %do ], [ %gone.next, %settled ]
  %turns = phi i64 [ 0, %do ], [ %turns.next, %settled ]
  %is.more = icmp ult i64 %begin, %size
  br i1 %is.more, label %try, label %build
try:
  %place = phi i64 [ %begin, %seek ], [ %place.next, %go.on ]
  %state = phi i64 [ {START}, %seek ], [ %state.next, %go.on ]
  %last = phi i64 [ -1, %seek ], [ %last.next, %go.on ]
  %is.inside = icmp ult i64 %place, %size
  br i1 %is.inside, label %look.at, label %settle
look.at:
  %octet.at = getelementptr i8, ptr %text, i64 %place
  %octet.small = load i8, ptr %octet.at
  %octet = zext i8 %octet.small to i64
  %row = shl i64 %state, 8
  %entry.place = or i64 %row, %octet
  %entry.at = getelementptr i8, ptr %steps, i64 %entry.place
  %entry.small = load i8, ptr %entry.at
  %state.next = zext i8 %entry.small to i64
  %place.next = add i64 %place, 1
  %is.special = icmp ule i64 %state.next, {FOREIGN}
  br i1 %is.special, label %special, label %go.on
go.on:
  %match.at = getelementptr i8, ptr %accepts, i64 %state.next
  %match.small = load i8, ptr %match.at
  %has.matched = icmp ne i8 %match.small, 0
  %last.next = select i1 %has.matched, i64 %place.next, i64 %last
  br label %try
special:
  %is.foreign = icmp eq i64 %state.next, {FOREIGN}
  br i1 %is.foreign, label %next, label %settle
settle:
  %is.match = icmp sge i64 %last, 0
  %taken = sub i64 %place, %begin
  %turns.more = add i64 %turns, %taken
  %turns.next = add i64 %turns.more, 1
  %is.much = icmp ugt i64 %turns.next, %most
  %is.odd = and i1 %is.much, %is.long
  br i1 %is.odd, label %next, label %judge
judge:
  br i1 %is.match, label %match, label %no.match
match:
  %pair = shl i64 %matches, 1
  %first.at = getelementptr i64, ptr %spans, i64 %pair
  %second.at = getelementptr i64, ptr %first.at, i64 1
  store i64 %begin, ptr %first.at
  store i64 %last, ptr %second.at
  %matches.more = add i64 %matches, 1
  %length = sub i64 %last, %begin
  %gone.more = add i64 %gone, %length
  %begin.behind = select i1 %everywhere, i64 %last, i64 %size
  br label %settled
no.match:
  %begin.more = add i64 %begin, 1
  br label %settled
settled:
  %begin.next = phi i64 [ %begin.behind, %match ], [ %begin.more, %no.match ]
  %matches.next = phi i64 [ %matches.more, %match ], [ %matches, %no.match ]
  %gone.next = phi i64 [ %gone.more, %match ], [ %gone, %no.match ]
  br label %seek
build:
  %is.same = icmp eq i64 %matches, 0
  br i1 %is.same, label %same, label %make
same:
  call void %raise(ptr %object)
  br label %keep
make:
  %added = mul i64 %matches, %rewrite.size
  %left = sub i64 %size, %gone
  %whole = add i64 %left, %added
  %made = call ptr %new(ptr null, i64 %whole)
  %is.lost = icmp eq ptr %made, null
  br i1 %is.lost, label %end, label %fill
fill:
  %to.start = getelementptr i8, ptr %made, i64 {array_layout.BYTES}
  br label %copy
copy:
  %k = phi i64 [ 0, %fill ], [ %k.next, %copy ]
  %to = phi ptr [ %to.start, %fill ], [ %to.behind, %copy ]
  %from = phi i64 [ 0, %fill ], [ %span.end, %copy ]
  %span.place = shl i64 %k, 1
  %span.at = getelementptr i64, ptr %spans, i64 %span.place
  %span.end.at = getelementptr i64, ptr %span.at, i64 1
  %span.begin = load i64, ptr %span.at
  %span.end = load i64, ptr %span.end.at
  %piece = sub i64 %span.begin, %from
  %from.at = getelementptr i8, ptr %text, i64 %from
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from.at, i64 %piece, i1 false)
  %to.rewrite = getelementptr i8, ptr %to, i64 %piece
  call void @llvm.memcpy.p0.p0.i64(ptr %to.rewrite, ptr %rewrite, i64 %rewrite.size, i1 false)
  %to.behind = getelementptr i8, ptr %to.rewrite, i64 %rewrite.size
  %k.next = add i64 %k, 1
  %k.more = icmp ult i64 %k.next, %matches
  br i1 %k.more, label %copy, label %tail
tail:
  %tail.size = sub i64 %size, %span.end
  %tail.at = getelementptr i8, ptr %text, i64 %span.end
  call void @llvm.memcpy.p0.p0.i64(ptr %to.behind, ptr %tail.at, i64 %tail.size, i1 false)
  br label %keep
keep:
  %result = phi ptr [ %object, %same ], [ %made, %tail ]
  %out.at = getelementptr ptr, ptr %out, i64 %i
  %before = load ptr, ptr %out.at
  store ptr %result, ptr %out.at
  call void %drop(ptr %before)"""
_ARGUMENTS = (
    "ptr %steps, ptr %accepts, ptr %spans, ptr %rewrite, i64 %rewrite.size, i1 %everywhere, "
    "ptr %new, ptr %drop, ptr %raise"
)
_DECLARED = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"


@functools.cache
def _functions() -> dict[str, Any]:
    """The function of an array of strings, by its name."""
    place, number = ctypes.c_void_p, ctypes.c_int64
    # It keeps the interpreter's lock, without which another thread could free the strings.
    kind = ctypes.PYFUNCTYPE(
        number, place, place, place, number,
        place, place, place, ctypes.c_char_p, number, ctypes.c_bool, place, place, place,
    )  # fmt: skip
    text = over_strings("replaced", _ARGUMENTS, _REPLACED) + _DECLARED
    return lasting_functions(text, {"replaced": kind})


#: So many strings are worth machine code, or so many times as many of several calls.
_WORTH, PATIENCE = 1 << 10, 4

PREPARATION = Preparation(_functions, is_brief=True, patience=PATIENCE)


def replaced(pattern: bytes, rewrite: bytes, texts: Array, everywhere: bool) -> Array | None:
    """Each string of a flat array with its first match, or all, replaced by a text.

    A result is None where RE2 must look at the string, and the whole is where it must look at all.
    """
    if texts.size < MANY or not array_layout.is_known():
        return None
    automaton = search_automaton(pattern)
    if automaton is None or not PREPARATION.is_ready_for(texts.size, _WORTH):
        return None
    sizes = string_code.numbers("size", texts, texts.size)
    if sizes is None:
        return None
    texts = np.ascontiguousarray(texts)
    result, spans = np.empty(texts.size, object), np.empty(2 * int(sizes.max()) + 2, np.int64)
    done = _functions()["replaced"](
        address(texts), id(bytes), address(result), texts.size,
        address(automaton.steps), address(automaton.matches), address(spans),
        rewrite, len(rewrite), everywhere, python_function("PyBytes_FromStringAndSize"),
        python_function("Py_DecRef"), python_function("Py_IncRef"),
    )  # fmt: skip
    return result if done == texts.size else None


def regrouped(
    pattern: bytes, parts: Series[bytes | int], texts: Array, everywhere: bool
) -> Array | None:
    """Each string of a flat array with its first match, or all, replaced by texts and groups.

    A result is None where RE2 must look at the string, and the whole is where it must look at all.
    """
    if texts.size < MANY:
        return None
    automaton = search_automaton(pattern)
    if (
        automaton is None
        or automaton.origins is None
        or not GROUP_PREPARATION.is_ready_for(texts.size, _WORTH)
    ):
        return None
    return GroupReplacement(automaton, automaton.origins, parts, everywhere).of(texts)


class GroupReplacement:
    """Replaces matches by texts and groups.

    Args:
        automaton: The automaton of a pattern.
        origins: Where its groups come from.
        parts: The texts, and the numbers of groups.
        everywhere: Whether to replace all matches of a text.
    """

    def __init__(
        self,
        automaton: SearchAutomaton,
        origins: Origins,
        parts: Series[bytes | int],
        everywhere: bool,
    ) -> None:
        self.automaton = automaton
        self.origins = origins
        self.everywhere = everywhere
        self.literals = np.frombuffer(
            b"".join([part for part in parts if isinstance(part, bytes)]) + b"\0", np.uint8
        )
        plan, place = [], 0
        for part in parts:
            if isinstance(part, bytes):
                plan += [place, place + len(part)]
                place += len(part)
            else:
                plan += [-1, part]
        self.parts = len(parts)
        self.plan = np.array([*plan, 0], np.int64)

    def of(self, texts: Array) -> Array:
        """The texts with their matches replaced, or None for RE2 to do it."""
        ends = np.cumsum([0, *map(len, texts)])
        data = np.frombuffer(b"".join([*texts, b"\0"]), np.uint8)
        longest = int(np.diff(ends).max())
        states, spans = np.empty(longest + 1, np.int64), np.empty(2 * GROUPS + 2, np.int64)
        room = max(2 * data.size, 4 * longest) + 1024
        marks = np.zeros(len(texts), np.uint8)
        results = np.empty(len(texts), object)
        done = 0
        while done < len(texts):
            out, out_ends = np.empty(room, np.uint8), np.zeros(len(texts) + 1, np.int64)
            before, origins = done, self.origins
            arrays = (
                data, ends, self.automaton.steps, self.automaton.matches, origins.kinds,
                origins.places, origins.bounds, origins.first, origins.sizes, self.plan,
                self.literals, states, spans, out, out_ends, marks,
            )  # fmt: skip
            done = _group_functions()["replace_groups"](
                *map(address, arrays), before, len(texts), origins.kind_count,
                origins.places.shape[2], self.parts, self.everywhere, room,
            )  # fmt: skip
            if done > before:
                new, new_marks = pieces_of(out, out_ends[before : done + 1]), marks[before:done]
                new[new_marks == 1] = None
                new[new_marks == 2] = texts[before:done][new_marks == 2]
                results[before:done] = new
            room *= 2 if done == before else 1
        return results


@functools.cache
def _group_functions() -> dict[str, Any]:
    """The function of many texts, by its name."""
    place, number = ctypes.c_void_p, ctypes.c_int64
    kind = ctypes.CFUNCTYPE(number, *[place] * 16, *[number] * 5, ctypes.c_bool, number)
    return lasting_functions(module_text(group_code.FUNCTIONS), {"replace_groups": kind})


GROUP_PREPARATION = Preparation(_group_functions, patience=PATIENCE)
