"""Buffers that become one: a value is computed in the memory of another one that dies there.

So a copy of what nobody else needs is none, and what a loop carries is in one buffer wherever an
iteration no longer needs the old value when it writes the new one. The others are two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from graphwright.lower.arena import (
    Moment,
    accessed,
    apart,
    bytes_of,
    companies,
    moments,
    spans_of,
    viewed,
)
from graphwright.lower.in_place import is_in_step
from graphwright.lower.nest import (
    Buffer,
    Choice,
    Clear,
    Copy,
    Deliver,
    Load,
    Locate,
    Loop,
    Multiply,
    Nest,
    PackRight,
    Program,
    Scan,
    Stage,
    Statement,
    Store,
    Straight,
    Transfer,
    all_statements,
)


def coalesced(program: Program) -> Program:
    """A program with loops, with as few buffers as its values need one after the other.

    Without loops, that is for who lays out memory (`arena.homes`).
    """
    if not loops_of(program):
        return program
    for find in (successors, guests, next_values, successors):
        program = renamed(program, find(program))
    swapped = swapped_by(program)
    return program._replace(body=tuple([reading_first(s, swapped) for s in program.body]))


def loops_of(program: Program) -> list[Loop]:
    """The loops at any depth."""
    return [s for s in all_statements(program.body) if isinstance(s, Loop)]


def tested_by(loop: Loop) -> set[int]:
    """The buffers that a loop's condition looks at."""
    return {b for s in all_statements(loop.condition) for b in accessed(s)}


def swapped_by(program: Program) -> frozenset[int]:
    """The buffers that loops swap."""
    return frozenset[int]().union(*companies(program.body))


def successors(program: Program) -> dict[int, int]:
    """Buffers that die in a statement which begins another one in their place: (old, new)."""
    story = moments(program.body)
    lives = spans_of(story)
    if lives is None:
        return {}
    swapped = set(swapped_by(program))
    names: dict[int, int] = {}
    uses: dict[int, list[int]] = {}
    views = viewed(story)
    for at, (statement, *_) in enumerate(story):
        for buffer in accessed(statement):
            uses.setdefault(views.get(buffer, buffer), []).append(at)
    for at, (statement, _, ways) in enumerate(story):
        for new, old in handed_on(statement, views):
            new, old = names.get(new, new), names.get(old, old)
            if not may_be_one(program.buffers, old, new) or lives[old][1] != at:
                continue
            if program.buffers[new].role == "result" and old in swapped:
                continue  # a result stays where it is
            start = lives[old][0]
            # Whoever writes `old` writes `new` in the end: no other way of a branch keeps this.
            always = story[start].ways[: len(ways)] == ways
            overwritten = (
                isinstance(statement, Copy)
                and always
                and not any(start <= use < at for use in uses[new])
            )
            if start == at or not (overwritten or lives[new][0] == at):
                continue
            lives[new] = min(start, lives[new][0]), lives[new][1]
            if old in swapped:
                swapped.add(new)
            uses[new] += uses[old]
            names.update((b, new) for b, known in list(names.items()) if known == old)
            names[old] = new
    return names


def handed_on(statement: Statement, views: dict[int, int]) -> list[tuple[int, int]]:
    """(new, old) of the buffers that a statement writes and that may have the memory of others."""
    if isinstance(statement, Copy):
        return [(statement.target, statement.source)]
    if not isinstance(statement, Nest):
        return []
    effects = [e for stage in statement.stages for e in stage.effects if isinstance(e, Store)]
    written = list(dict.fromkeys([e.buffer for e in effects]))
    kept = {*written, *[views.get(b) for b in accessed(statement)]}
    read = [b for b in dict.fromkeys(accessed(statement)) if b not in kept]
    return [(new, old) for new in written for old in read if is_in_step(statement, new, old)]


def may_be_one(buffers: Sequence[Buffer], old: int, new: int) -> bool:
    """Whether two buffers are alike, and of roles that may be one."""
    one, other = buffers[old], buffers[new]
    same = one.kind == other.kind and bytes_of(one) == bytes_of(other)
    return old != new and same and one.role == "temporary" and other.role in ("temporary", "result")


def guests(program: Program) -> dict[int, int]:
    """What an iteration needs only before it writes a variable's next value, or after it has read
    the old one for the last time: it lies in the memory that is free then."""
    names: dict[int, int] = {}
    total = Counter(places_of(moments(program.body)))
    swapped = swapped_by(program)
    for loop in loops_of(program):
        both = {b for pair in loop.buffers for b in pair}
        story = moments((*loop.condition, *loop.body))
        lives = spans_of(story, both)
        if lives is None:
            continue
        own = Counter(places_of(story))
        tested = tested_by(loop)
        free = [b for b in own if own[b] == total[b] and b not in names and b not in swapped]
        for pair in loop.buffers:
            if sum(not set(pair).isdisjoint(other) for other in loop.buffers) > 1:
                continue
            for host in pair:
                start, end = lives.get(host, (len(story), -1))
                taken = [(start, len(story)) if host == pair[1] else (-1, end)]
                for guest in free:
                    if host == pair[0] and guest in tested:
                        continue  # when the condition fails, the old value is the last
                    if (
                        may_be_one(program.buffers, guest, host)
                        and guest not in names
                        and all(apart(lives[guest], span) for span in taken)
                    ):
                        names[guest] = host
                        taken.append(lives[guest])
    return names


def places_of(story: Sequence[Moment]) -> list[int]:
    """The buffers that are accessed, each as often as it is; a view is in another one."""
    views = viewed(story)
    return [views.get(b, b) for statement, *_ in story for b in accessed(statement)]


def next_values(program: Program) -> dict[int, int]:
    """The next values of loops' variables that are written when nobody needs the old ones."""
    names: dict[int, int] = {}
    for loop in loops_of(program):
        both = {b for pair in loop.buffers for b in pair}
        tested = tested_by(loop)
        story = moments(loop.body)
        lives, views = spans_of(story, both), viewed(story)
        if lives is None:
            continue
        for variable, following in loop.buffers:
            pairs = [pair for pair in loop.buffers if variable in pair or following in pair]
            span, own = lives.get(variable), lives.get(following)
            taken = {*names, *names.values()}
            if len(pairs) > 1 or own is None or following in tested | taken or variable in names:
                continue
            if not may_be_one(program.buffers, following, variable):
                continue
            begun = story[own[0]].statement
            in_step = own[0] == (span or own)[1] and (following, variable) in handed_on(
                begun, views
            )
            if span is None or span[1] < own[0] or in_step:
                names[following] = variable
    return names


# -- what becomes of statements --------------------------------------------------------------


def renamed(program: Program, names: dict[int, int]) -> Program:
    """A program whose statements know buffers by other names."""
    return program._replace(body=with_names(program.body, names)) if names else program


def with_names(body: Sequence[Statement], names: dict[int, int]) -> tuple[Statement, ...]:
    """Statements that know buffers by other names, without those that copy a buffer to itself."""
    found = [with_names_in(s, names) for s in body]
    return tuple([s for s in found if s is not None])


def with_names_in(s: Statement, names: dict[int, int]) -> Statement | None:
    """The same of one statement."""

    def of(buffer: int) -> int:
        return names.get(buffer, buffer)

    if isinstance(s, Nest):
        return nest_with_names(s, names)
    if isinstance(s, Straight):
        instructions, stores = [of_accesses(x, names) for x in (s.instructions, s.stores)]
        return s._replace(instructions=instructions, stores=stores)
    if isinstance(s, (Clear, Locate, Deliver)):
        return s._replace(buffer=of(s.buffer))
    if isinstance(s, Multiply):
        return s._replace(a=of(s.a), b=of(s.b), c=of(s.c))
    if isinstance(s, PackRight):
        product = s.product
        return PackRight(product._replace(a=of(product.a), b=of(product.b), c=of(product.c)))
    if isinstance(s, (Copy, Scan, Transfer)):
        s = s._replace(source=of(s.source), target=of(s.target))
        return None if isinstance(s, Copy) and s.source == s.target else s
    if isinstance(s, Choice):
        then, otherwise = [with_names(block, names) for block in (s.then, s.otherwise)]
        return s._replace(then=then, otherwise=otherwise)
    if isinstance(s, Loop):
        condition, body = [with_names(block, names) for block in (s.condition, s.body)]
        pairs = [(of(a), of(b)) for a, b in s.buffers]
        buffers = tuple([(a, b) for a, b in pairs if a != b])
        return s._replace(condition=condition, body=body, buffers=buffers)
    return s  # of lists, which keep their names


def nest_with_names(nest: Nest, names: dict[int, int]) -> Nest | None:
    """A nest that reads first what it writes over; None if it only writes what is there."""
    stages = [
        stage._replace(
            instructions=of_accesses(stage.instructions, names),
            effects=of_accesses(stage.effects, names),
        )
        for stage in nest.stages
    ]
    written = {e.buffer for stage in nest.stages for e in stage.effects if isinstance(e, Store)}
    read = {b for b in accessed(nest) if b not in written}
    targets = {names.get(b, b) for b in written}
    over = {names[b] for b in read if b in names and names[b] in targets}
    over |= {b for b in read if b in targets}
    stages = [stage._replace(effects=changes(stage)) for stage in stages] if over else stages
    if not any(stage.effects for stage in stages):
        return None
    first = frozenset([*[names.get(b, b) for b in nest.first], *over])
    return nest._replace(stages=tuple(stages), first=first)


def of_accesses(items: Sequence[Any], names: dict[int, int]) -> tuple[Any, ...]:
    """Instructions or effects that know buffers by other names."""
    return tuple(
        [
            x._replace(buffer=names[x.buffer])
            if isinstance(x, (Load, Store)) and x.buffer in names
            else x
            for x in items
        ]
    )


def changes(stage: Stage) -> tuple[Any, ...]:
    """The effects of a stage but for stores of what lies there."""

    def is_there(effect: Any) -> bool:
        if not isinstance(effect, Store) or effect.combine:
            return False
        x = stage.instructions[effect.value]
        place = effect.buffer, effect.at, effect.kind, effect.picks
        return isinstance(x, Load) and (x.buffer, x.at, x.kind, x.picks) == place

    return tuple([effect for effect in stage.effects if not is_there(effect)])


def reading_first(statement: Statement, swapped: frozenset[int]) -> Statement:
    """A statement that may write a result over what a loop has left (`arena.homes`)."""
    if not isinstance(statement, Nest):
        return statement
    found = swapped.intersection(accessed(statement))
    return statement._replace(first=statement.first | found)
