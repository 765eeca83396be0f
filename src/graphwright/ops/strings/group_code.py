"""Matches replaced by texts and groups, as plain Python for machine code.

An automaton says where a match ends. Its way back from there says which bounds of groups it has
passed: each atom of a state follows one of the state before. The last time that a bound was passed
counts, so the first one on the way back.

Source: Laurikari, "NFAs with Tagged Transitions" (2000).
"""

from __future__ import annotations

from graphwright.base.scalar_code import Integers, Octets


def _note(spans: Integers, bounds: int, seen: int, place: int) -> int:
    """Stores a place for bounds that have none yet; those that have one now."""
    fresh = bounds & (seen ^ 1048575)
    bound = 0
    while fresh != 0:
        if fresh & 1 != 0:
            spans[bound] = place
        fresh = fresh >> 1
        bound += 1
    return seen | bounds


def _trace(
    octets: Octets,
    kinds: Octets,
    places: Octets,
    bounds: Integers,
    first: Integers,
    sizes: Integers,
    states: Integers,
    spans: Integers,
    begin: int,
    end: int,
    count: int,
    most: int,
) -> None:
    """Stores the places of groups in a match from `begin` to `end`; -1 for those that have none."""
    for i in range(20):
        spans[i] = -1
    spans[0] = begin
    spans[1] = end
    seen = 3
    atom = sizes[states[end - begin]] - 1
    for i in range(end - 1, begin - 1, -1):
        entry = (states[i - begin] * count + kinds[octets[i]]) * most + atom
        if bounds[entry] != 0:
            seen = _note(spans, bounds[entry], seen, i + 1)
        atom = places[entry]
    seen = _note(spans, first[atom], seen, begin)


def _copy(source: Octets, begin: int, end: int, target: Octets, place: int, room: int) -> int:
    """Copies bytes to a place; where the next ones come, or -1 if there is no room."""
    if place < 0 or place + end - begin > room:
        return -1
    for i in range(end - begin):
        target[place + i] = source[begin + i]
    return place + end - begin


def replace_groups(
    data: Octets,
    ends: Integers,
    steps: Octets,
    matches: Octets,
    kinds: Octets,
    places: Octets,
    bounds: Integers,
    first: Integers,
    sizes: Integers,
    plan: Integers,
    literals: Octets,
    states: Integers,
    spans: Integers,
    out: Octets,
    out_ends: Integers,
    marks: Octets,
    start: int,
    texts: int,
    count: int,
    most: int,
    parts: int,
    everywhere: bool,
    room: int,
) -> int:
    """Replaces matches in texts from number `start` on, until there is no room; how many are done.

    Args:
        data: The texts, one behind the other.
        ends: Where each begins, and the last one ends.
        steps: The state behind each state and byte: 0 where nothing matches, 1 for RE2.
        matches: Whether the pattern has matched in a state.
        kinds: The kinds of bytes.
        places: For each state, kind and atom behind them, the atom's place before.
        bounds: The bounds of groups between the two.
        first: The bounds before the first atoms.
        sizes: How many atoms states have.
        plan: For each part of the rewrite -1 and a group, or where its text is in `literals`.
        literals: The texts of the rewrite.
        states: Room for the states of the longest text.
        spans: Room for the places of groups.
        out: The results, one behind the other.
        out_ends: Where they end.
        marks: For each text 0 if it is done, 1 if RE2 must look at it, 2 if it stays as it is.
        start: The text with which to begin.
        texts: How many there are.
        count: How many kinds there are.
        most: How many atoms a state has at most.
        parts: How many parts the rewrite has.
        everywhere: Whether to replace all matches.
        room: The size of `out`.
    """
    to = 0
    for text in range(start, texts):
        begin = ends[text]
        end = ends[text + 1]
        out_ends[text] = to
        turns = 8 * (end - begin) + 64
        copied = begin
        place = begin
        mark = 2
        while place < end:
            state = 2
            last = -1
            i = place
            states[0] = state
            while i < end:
                state = steps[state * 256 + data[i]]
                if state <= 1:
                    break
                i += 1
                states[i - place] = state
                if matches[state] != 0:
                    last = i
            turns -= i - place + 1
            if state == 1 or turns < 0:
                mark = 1
                break
            if last < 0:
                place += 1
                continue
            mark = 0
            _trace(
                data, kinds, places, bounds, first, sizes, states, spans, place, last, count, most
            )
            to = _copy(data, copied, place, out, to, room)
            for part in range(parts):
                group = plan[2 * part + 1]
                if plan[2 * part] >= 0:
                    to = _copy(literals, plan[2 * part], group, out, to, room)
                elif spans[2 * group] >= 0 and spans[2 * group + 1] >= 0:
                    to = _copy(data, spans[2 * group], spans[2 * group + 1], out, to, room)
            copied = last
            place = last
            if not everywhere:
                place = end
        if mark == 0:
            to = _copy(data, copied, end, out, to, room)
            if to < 0:
                return text
        else:
            to = out_ends[text]
        marks[text] = mark
        out_ends[text + 1] = to
    return texts


#: All functions; each calls those before it.
FUNCTIONS = (_note, _trace, _copy, replace_groups)
