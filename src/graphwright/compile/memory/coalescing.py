"""Buffers that become one: a value is computed in the memory of another one that dies there.

So a copy of a value that has no other readers vanishes. A loop variable has one buffer wherever an
iteration no longer needs the old value when it writes the new one. Other loop variables have two
buffers, which exchange their addresses.

The program comes with a copy wherever a loop or a branch hands a value on. Two classes of buffers
are joined where that saves a copy and no buffers of them interfere (`interference.py`). Compilers
remove copies in this way when they leave SSA form (Boissinot et al., "Revisiting Out-of-SSA
Translation", CGO 2009).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.compile.memory.accesses import accessed, written_by
from graphwright.compile.memory.arena import bytes_of, companies
from graphwright.compile.memory.interference import Affinity, Interference, members
from graphwright.compile.nests.call_statements import OutsideCall
from graphwright.compile.nests.list_statements import Deliver, Locate, Transfer
from graphwright.compile.nests.nest import (
    Choice,
    Clear,
    Copy,
    Instruction,
    Load,
    Loop,
    Multiply,
    Nest,
    PackRight,
    Program,
    Scan,
    Stage,
    StageEffect,
    Statement,
    Store,
    Straight,
    inner_blocks,
)


def coalesced(program: Program) -> Program:
    """A program with joined buffers and without the copies that this saves.

    Without loops and branches only aliases go: the layout does the rest (`arena.homes`).
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
    """The classes of a program's buffers; each class becomes one buffer."""

    def __init__(self, program: Program) -> None:
        self.buffers = program.buffers
        self.graph = graph = Interference(program)
        self.members = [1 << i for i in range(len(program.buffers))]
        self.neighbours = list(graph.neighbours)
        self.home = list(range(len(program.buffers)))
        self.pairs = [(a.new, a.old) for a in graph.exchanges]
        # Results may not move, so these groups come again after the exchanges. Guests come before
        # exchanges: two buffers that are full in turns hold more than one and a further one.
        for group in (graph.copies, graph.handovers):
            self.join_all(group)
        self.lodge()
        for group in (graph.exchanges, graph.copies, graph.handovers):
            self.join_all(group)

    def join_all(self, affinities: Sequence[Affinity]) -> None:
        """Joins the buffers of affinities, the innermost first."""
        for affinity in sorted(affinities, key=lambda a: -a.loops):
            self.join(affinity.new, affinity.old)

    def join(self, one: int, other: int) -> None:
        """Joins two classes, if they are alike and no two buffers of them interfere."""
        one, other = self.home[one], self.home[other]
        if one == other or not self.may_join(one, other):
            return
        for buffer in members(self.members[other]):
            self.home[buffer] = one
        self.members[one] |= self.members[other]
        self.neighbours[one] |= self.neighbours[other]

    def may_join(self, one: int, other: int) -> bool:
        """Whether two classes may be joined."""
        if self.neighbours[one] & self.members[other] or not self.are_alike(one, other):
            return False
        union = self.members[one] | self.members[other]
        results = [b for b in members(union) if self.buffers[b].role == "result"]
        return not results or (len(results) == 1 and not self.moves(union))

    def are_alike(self, one: int, other: int) -> bool:
        """Whether two classes have buffers of one size, and roles that may share memory."""
        x, y = self.buffers[one], self.buffers[other]
        same = x.kind == y.kind and bytes_of(x) == bytes_of(y)
        return same and {x.role, y.role} <= {"temporary", "result"}

    def moves(self, buffers: int) -> bool:
        """Whether a loop exchanges the address of a class with that of another one."""
        return any((buffers >> a & 1) != (buffers >> b & 1) for a, b in self.pairs)

    def lodge(self) -> None:
        """Puts buffers that live within an iteration into buffers that loops exchange.

        These are free for a while, and `arena.homes` puts nothing into them.
        """
        moving = {self.home[b] for pair in self.pairs for b in pair if self.moves(self.of(b))}
        guests = {self.home[b] for b in members(self.graph.local)} - moving
        for host in sorted(moving):
            for guest in sorted(guests):
                self.join(host, guest)

    def of(self, buffer: int) -> int:
        """The members of a buffer's class."""
        return self.members[self.home[buffer]]

    def names(self) -> dict[int, int]:
        """buffer -> the one whose name it gets, where that is another; a result keeps its own."""
        result = {}
        for home in set(self.home):
            whole = list(members(self.members[home]))
            name = next((b for b in whole if self.buffers[b].role == "result"), home)
            result.update({b: name for b in whole if b != name})
        return result


# -- statements under other names ------------------------------------------------------------


def renamed(program: Program, names: dict[int, int]) -> Program:
    """A program whose statements use other names of buffers."""
    return program._replace(body=with_names(program.body, names)) if names else program


def with_names(body: Sequence[Statement], names: dict[int, int]) -> tuple[Statement, ...]:
    """Statements with other names of buffers, without those that copy a buffer to itself."""
    statements = [with_names_in(s, names) for s in body]
    return tuple([s for s in statements if s is not None])


def with_names_in(s: Statement, names: dict[int, int]) -> Statement | None:
    """One statement with other names of buffers; None for a copy of a buffer to itself."""

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
    if isinstance(s, OutsideCall):
        sources, targets = [tuple(map(of, buffers)) for buffers in (s.sources, s.targets)]
        return s._replace(sources=sources, targets=targets)
    if isinstance(s, Choice):
        then, otherwise = [with_names(block, names) for block in (s.then, s.otherwise)]
        return s._replace(then=then, otherwise=otherwise)
    if isinstance(s, Loop):
        condition, body = [with_names(block, names) for block in (s.condition, s.body)]
        pairs = [(of(a), of(b)) for a, b in s.buffers]
        buffers = tuple([(a, b) for a, b in pairs if a != b])
        return s._replace(condition=condition, body=body, buffers=buffers)
    return s  # statements of lists: lists keep their names


def nest_with_names(nest: Nest, names: dict[int, int]) -> Nest | None:
    """A nest with other names that reads first what it overwrites; None if it changes nothing."""
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


def of_accesses(
    items: Sequence[Instruction | StageEffect], names: dict[int, int]
) -> tuple[Any, ...]:
    """Instructions or effects with other names of buffers."""
    return tuple(
        [
            x._replace(buffer=names[x.buffer])
            if isinstance(x, (Load, Store)) and x.buffer in names
            else x
            for x in items
        ]
    )


def changes(stage: Stage) -> tuple[Any, ...]:
    """The effects of a stage, except stores of an element to its own place."""

    def is_there(effect: StageEffect) -> bool:
        if not isinstance(effect, Store) or effect.combine:
            return False
        x = stage.instructions[effect.value]
        place = effect.buffer, effect.place, effect.kind, effect.picks
        return isinstance(x, Load) and (x.buffer, x.place, x.kind, x.picks) == place

    return tuple([effect for effect in stage.effects if not is_there(effect)])


def reading_first(statement: Statement, swapped: frozenset[int]) -> Statement:
    """A statement that may write a result into memory that loops swap (`arena.homes`)."""
    if not isinstance(statement, Nest):
        return statement
    accessed_ones = swapped.intersection(accessed(statement))
    return statement._replace(first=statement.first | accessed_ones)
