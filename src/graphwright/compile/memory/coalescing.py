"""Buffers that become one: a value is computed in the memory of another one that dies there.

So a copy of what nobody else needs is none, and what a loop carries is in one buffer wherever an
iteration no longer needs the old value when it writes the new one. The others are two, which
exchange their addresses.

The program comes with a copy wherever a loop or a branch hands a value on. Buffers that had better
be one are joined if no two of theirs interfere (`interference.py`); this is how copies go away when
a compiler leaves SSA form (Boissinot et al., "Revisiting Out-of-SSA Translation", CGO 2009).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.compile.memory.accesses import accessed, written_by
from graphwright.compile.memory.arena import bytes_of, companies
from graphwright.compile.memory.interference import Affinity, Interference, members
from graphwright.compile.nests.nest import (
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
    inner_blocks,
)


def coalesced(program: Program) -> Program:
    """A program with as few buffers as its values need one after the other.

    Without loops and branches, that is for who lays out memory (`arena.homes`).
    """
    aliases = dict(program.names)
    program = renamed(program, aliases)
    if not any(map(inner_blocks, program.body)):
        return program
    names = Classes(program).names()
    program = renamed(program, names)
    names.update([(alias, names.get(buffer, buffer)) for alias, buffer in aliases.items()])
    swapped = frozenset[int]().union(*companies(program.body))
    body = [reading_first(s, swapped) for s in program.body]
    return program._replace(body=tuple(body), names=tuple(names.items()))


class Classes:
    """The buffers of a program in classes, each of which becomes one."""

    def __init__(self, program: Program) -> None:
        self.buffers = program.buffers
        self.graph = graph = Interference(program)
        self.members = [1 << i for i in range(len(program.buffers))]
        self.neighbours = list(graph.neighbours)
        self.home = list(range(len(program.buffers)))
        self.pairs = [(a.new, a.old) for a in graph.exchanges]
        # What is returned may not move, and so comes again after the exchanges. Guests come before
        # these: two buffers that are full in turns hold more than one and a further one.
        for group in (graph.copies, graph.handovers):
            self.join_all(group)
        self.lodge()
        for group in (graph.exchanges, graph.copies, graph.handovers):
            self.join_all(group)

    def join_all(self, affinities: Sequence[Affinity]) -> None:
        """Joins what had better be one, the innermost first."""
        for affinity in sorted(affinities, key=lambda a: -a.loops):
            self.join(affinity.new, affinity.old)

    def join(self, one: int, other: int) -> None:
        """Makes one class of two, if they are alike and no two buffers of them interfere."""
        one, other = self.home[one], self.home[other]
        if one == other or not self.may_join(one, other):
            return
        for buffer in members(self.members[other]):
            self.home[buffer] = one
        self.members[one] |= self.members[other]
        self.neighbours[one] |= self.neighbours[other]

    def may_join(self, one: int, other: int) -> bool:
        """Whether two classes may be one."""
        if self.neighbours[one] & self.members[other] or not self.are_alike(one, other):
            return False
        both = self.members[one] | self.members[other]
        results = [b for b in members(both) if self.buffers[b].role == "result"]
        return not results or (len(results) == 1 and not self.moves(both))

    def are_alike(self, one: int, other: int) -> bool:
        """Whether the buffers of two classes have the same size, and roles that may be one."""
        x, y = self.buffers[one], self.buffers[other]
        same = x.kind == y.kind and bytes_of(x) == bytes_of(y)
        return same and {x.role, y.role} <= {"temporary", "result"}

    def moves(self, buffers: int) -> bool:
        """Whether a loop exchanges the address of a class with that of another one."""
        return any((buffers >> a & 1) != (buffers >> b & 1) for a, b in self.pairs)

    def lodge(self) -> None:
        """What an iteration needs for a while lies in memory that loops exchange, while that is
        free: nothing else can lie there (`arena.homes`)."""
        moving = {self.home[b] for pair in self.pairs for b in pair if self.moves(self.of(b))}
        guests = {self.home[b] for b in members(self.graph.local)} - moving
        for host in sorted(moving):
            for guest in sorted(guests):
                self.join(host, guest)

    def of(self, buffer: int) -> int:
        """The class that a buffer is in."""
        return self.members[self.home[buffer]]

    def names(self) -> dict[int, int]:
        """What the buffers are called that have another one's name: a result keeps its own."""
        result = {}
        for home in set(self.home):
            whole = list(members(self.members[home]))
            name = next((b for b in whole if self.buffers[b].role == "result"), home)
            result.update({b: name for b in whole if b != name})
        return result


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
    written = set(written_by(nest))
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
        place = effect.buffer, effect.place, effect.kind, effect.picks
        return isinstance(x, Load) and (x.buffer, x.place, x.kind, x.picks) == place

    return tuple([effect for effect in stage.effects if not is_there(effect)])


def reading_first(statement: Statement, swapped: frozenset[int]) -> Statement:
    """A statement that may write a result over what a loop has left (`arena.homes`)."""
    if not isinstance(statement, Nest):
        return statement
    found = swapped.intersection(accessed(statement))
    return statement._replace(first=statement.first | found)
