"""Patterns as finite automata, which take one step for each byte of a text.

RE2 says which patterns are valid and which characters of ASCII an atom matches. Here is how atoms
are put together, and nothing else: a pattern with assertions inside or with flags has no automaton.

Source: Glushkov, "The abstract theory of automata" (1961): a state is a set of the pattern's atoms,
those that may have matched the last character.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from graphwright.base.named_tuples import NamedTuple
from graphwright.machine.array_layout import address
from graphwright.ops.strings import string_code
from graphwright.ops.strings.regex import ascii_members, compile_pattern
from graphwright.types.arrays import Array

#: What is no state of a pattern: nothing will match; a byte was not ASCII; and where a text begins.
DEAD, FOREIGN, START = range(3)

#: The most atoms, states and groups in groups: tables are small, and soon made.
_ATOMS, STATES, _DEPTH = 200, 250, 40

#: What matches one character: a set, a character that stands for itself, or one behind a backslash.
_SET = re.compile(
    rb"\.|\[\^?\]?(?:\[:\^?\w+:\]|\\[^pPQEx0-9]|[^\\\[\]])*\]|\\[dswDSWntrfva]", re.DOTALL
)
_CHARACTER = re.compile(rb"\\([!-/:-@\[-`{-~])|([^\\.\[{()*+?^$|])", re.DOTALL)
_GROUP = re.compile(rb"\((?:\?:|\?P<\w+>)?(?!\?)")
#: How often: `*`, `+`, `?`, `{2}`, `{2,}`, `{2,5}`. A `?` behind it says in which order to try.
COUNT = re.compile(rb"(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??")


class Automaton(NamedTuple):
    """The state behind each state and byte, and whether a text that ends in a state matches."""

    steps: npt.NDArray[np.uint8]
    matches: npt.NDArray[np.bool_]


class PatternPart(NamedTuple):
    """A part of a pattern: whether it matches nothing too, and the atoms that may begin and end."""

    is_optional: bool = True
    first: frozenset[int] = frozenset()
    last: frozenset[int] = frozenset()


class NoAutomaton(Exception):
    """A pattern has what no automaton of this module does."""


class PatternReader:
    """Reads a pattern that RE2 takes.

    Args:
        pattern: The pattern.
    """

    def __init__(self, pattern: bytes) -> None:
        self.pattern = pattern
        self.place = 0
        self.depth = 0
        self.atoms: list[bytes] = []  # the characters that each atom matches
        self.followers: list[set[int]] = []  # the atoms that may come behind each atom

    def either(self) -> PatternPart:
        """Parts between bars."""
        parts = [self.row()]
        while self.at(b"|"):
            self.place += 1
            parts.append(self.row())
        return PatternPart(
            any(part.is_optional for part in parts),
            frozenset().union(*[part.first for part in parts]),
            frozenset().union(*[part.last for part in parts]),
        )

    def row(self) -> PatternPart:
        """Parts one behind the other."""
        whole = PatternPart()
        if self.depth == 0 and self.at(b"^"):  # the text begins here anyway
            self.place += 1
        while self.place < len(self.pattern) and not self.at(b"|", b")"):
            if self.depth == 0 and self.at(b"$") and self.pattern[self.place + 1 :][:1] in b"|":
                self.place += 1  # so does it end here
                break
            whole = self.behind(whole, self.repeated())
        return whole

    def repeated(self) -> PatternPart:
        """An atom or a group, as often as the pattern says."""
        begin = self.place
        part = self.single()
        count = COUNT.match(self.pattern, self.place)
        if count is None:
            return part
        sign, least, comma, most = count.groups()
        if sign:
            part = part if sign == b"?" else self.again(part)
            whole = part if sign == b"+" else part._replace(is_optional=True)
        else:
            fewest, is_open = int(least), bool(comma) and not most
            parts = [part]
            while len(parts) < int(most or least):
                self.place = begin
                parts.append(self.single())
            if is_open:
                parts[-1] = self.again(parts[-1])
            elif int(most or least) == 0:
                parts = []
            whole = PatternPart()
            for number, each in enumerate(parts):
                is_rare = number >= fewest
                whole = self.behind(whole, each._replace(is_optional=True) if is_rare else each)
        self.place = count.end()
        return whole

    def single(self) -> PatternPart:
        """An atom or a group."""
        if self.begins_group():
            part = self.either()
            self.end_group()
            return part
        place = frozenset([self.atom()])
        return PatternPart(False, place, place)

    def begins_group(self) -> bool:
        """Whether a group begins here; then its parts come next."""
        group = _GROUP.match(self.pattern, self.place)
        if group is None:
            return False
        self.place = group.end()
        self.depth += 1
        if self.depth > _DEPTH:
            raise NoAutomaton
        return True

    def end_group(self) -> None:
        """Passes over the end of a group."""
        self.depth -= 1
        self.place += 1

    def atom(self) -> int:
        """The number of the atom that comes next."""
        characters = _SET.match(self.pattern, self.place)
        character = _CHARACTER.match(self.pattern, self.place)
        match = characters or character
        if match is None or len(self.atoms) == _ATOMS:
            raise NoAutomaton
        self.place = match.end()
        self.atoms.append(ascii_members(match[0]) if characters else match[1] or match[2])
        self.followers.append(set())
        return len(self.atoms) - 1

    def at(self, *options: bytes) -> bool:
        """Whether the pattern goes on with one of some characters."""
        return self.pattern[self.place : self.place + 1] in options

    def again(self, part: PatternPart) -> PatternPart:
        """A part that may come any number of times, but at least once."""
        for atom in part.last:
            self.followers[atom] |= part.first
        return part

    def behind(self, before: PatternPart, part: PatternPart) -> PatternPart:
        """Two parts, one behind the other."""
        for atom in before.last:
            self.followers[atom] |= part.first
        return PatternPart(
            before.is_optional and part.is_optional,
            before.first | part.first if before.is_optional else before.first,
            before.last | part.last if part.is_optional else part.last,
        )


@lru_cache(maxsize=256)
def automaton_of(pattern: bytes) -> Automaton | None:
    """The automaton of a pattern that RE2 takes; None where there is none, or a large one."""
    reader = PatternReader(pattern)
    try:
        whole = reader.either() if pattern.isascii() else None
    except NoAutomaton:
        return None
    if whole is None or reader.place < len(pattern):
        return None
    members = np.zeros([len(reader.atoms), 128], np.bool_)
    for row, characters in zip(members, reader.atoms):
        row[list(characters)] = True
    columns, kinds = np.unique(members, axis=1, return_inverse=True)
    states: dict[frozenset[int], int] = {}
    rows = [np.full(256, state, np.uint8) for state in (DEAD, FOREIGN)]
    matches = [False, False]
    waiting = [frozenset([-1])]  # the state that no atom has led to
    states[waiting[0]] = START
    for state in waiting:
        atoms = (
            whole.first
            if state == {-1}
            else frozenset().union(*[reader.followers[atom] for atom in state])
        )
        ends = [frozenset(atom for atom in atoms if column[atom]) for column in columns.T]
        for end in ends:
            if end and end not in states:
                states[end] = START + len(states)
                waiting.append(end)
        if len(states) > STATES:
            return None
        numbers = np.array([states.get(end, DEAD) for end in ends], np.uint8)
        rows.append(np.append(numbers[kinds.reshape(-1)], np.full(128, FOREIGN, np.uint8)))
        matches.append(whole.is_optional if state == {-1} else bool(state & whole.last))
    return Automaton(np.ascontiguousarray(rows), np.array(matches))


def full_matches(pattern: bytes, texts: Array) -> npt.NDArray[np.bool_]:
    """Whether a pattern matches each whole text of an array. ValueError for a bad pattern."""
    compiled = compile_pattern(pattern)
    automaton = automaton_of(pattern)
    ends = None
    if automaton is not None:
        key = address(automaton.steps), START
        ends = string_code.numbers("state", texts, texts.size, key=key)
    if automaton is None or ends is None:
        matches = compiled.matches(texts.reshape(-1).tolist())
        return np.array(matches, np.bool_).reshape(texts.shape)
    results: npt.NDArray[np.bool_] = automaton.matches[ends]
    if (ends == FOREIGN).any():
        foreign = ends == FOREIGN
        results[foreign] = compiled.matches(texts[foreign].tolist())
    return results
