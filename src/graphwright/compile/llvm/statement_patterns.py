"""What statements are but for the slots of the frame that they use.

Statements of one pattern have one code. So it is written once, and the others call it with their
own slots: an unrolled loop costs a call for each turn.
"""

from __future__ import annotations

from collections.abc import Hashable

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.llvm.frame import Frame
from graphwright.compile.llvm.shared_functions import SharedCallee
from graphwright.compile.nests.nest import (
    Element,
    Index,
    Instruction,
    Linear,
    Load,
    Multiply,
    Nest,
    Program,
    Scalar,
    ScalarConstant,
    Scan,
    StageEffect,
    Store,
)


class StatementPattern(NamedTuple):
    """A key that statements of the same code share, and the slots of one, in their order."""

    key: Hashable
    slots: tuple[int, ...]

    def of_alike(self, callee: SharedCallee, slots: tuple[int, ...]) -> SharedCallee:
        """The function to call for a statement of the same key, which has other slots."""
        other = dict(zip(self.slots, slots))
        return callee._replace(slots=tuple([other.get(slot, slot) for slot in callee.slots]))


def pattern_of(
    statement: Nest | Multiply | Scan, program: Program, frame: Frame
) -> StatementPattern:
    """The pattern of a statement; each buffer and scalar is known by when it first appears."""
    walk = PatternWalk(program, frame)
    if isinstance(statement, Nest):
        key: Hashable = walk.nest(statement)
    elif isinstance(statement, Multiply):
        buffers = statement.a, statement.b, statement.c, statement.packed
        numbers = tuple([walk.buffer(b) if b >= 0 else b for b in buffers])
        key = numbers, statement._replace(a=0, b=0, c=0, packed=0)
    else:
        numbers = walk.buffer(statement.source), walk.buffer(statement.target)
        key = numbers, statement._replace(source=0, target=0)
    return StatementPattern((type(statement), key), tuple(walk.slots))


class PatternWalk:
    """A walk through one statement."""

    def __init__(self, program: Program, frame: Frame) -> None:
        self.program = program
        self.frame = frame
        self.slots: dict[int, int] = {}  # the order of each
        self.buffers: dict[int, int] = {}  # the order of each: two may lie in one slot

    def slot(self, slot: int) -> int:
        """The place of a slot in the order in which slots are first used."""
        return self.slots.setdefault(slot, len(self.slots))

    def scalar(self, scalar: int) -> int:
        """The place of a scalar's slot in that order."""
        return self.slot(self.frame.scalar(scalar))

    def buffer(self, buffer: int) -> Hashable:
        """The numbers of a buffer, with what code depends on."""
        number = self.buffers.setdefault(buffer, len(self.buffers))
        role, shape, kind = self.program.buffers[buffer]
        return number, self.slot(self.frame.buffer(buffer)), kind, shape if role == "row" else role

    def nest(self, nest: Nest) -> Hashable:
        """The key of a nest."""
        stages = [
            (
                tuple(map(self.instruction, stage.instructions)),
                tuple(map(self.effect, stage.effects)),
                stage.inner,
            )
            for stage in nest.stages
        ]
        totals = tuple([(row, kind) for row, _, kind in nest.scalars])
        first = frozenset([self.buffers[b] for b in nest.first if b in self.buffers])
        return nest.axes, nest.outer, nest.ordered, tuple(stages), totals, first

    def instruction(self, x: Instruction) -> Hashable:
        """The key of an instruction."""
        if isinstance(x, Load):
            return Load, self.buffer(x.buffer), self.place(x.place), x.kind, x.picks
        if isinstance(x, Index):
            return Index, self.place(x.place), x.kind
        if isinstance(x, Scalar):
            return Scalar, self.scalar(x.scalar), x.kind
        if isinstance(x, ScalarConstant):
            return ScalarConstant, repr(x.value), x.kind  # 0.0 equals -0.0, and 1 equals 1.0
        if isinstance(x, Element):
            return Element, id(x.op), x.operands, x.kind  # the program holds its ops
        return type(x), x

    def effect(self, effect: StageEffect) -> Hashable:
        """The key of an effect."""
        if not isinstance(effect, Store):
            return type(effect), effect
        buffer, place = self.buffer(effect.buffer), self.place(effect.place)
        return buffer, place, effect._replace(buffer=0, place=Linear((), ()))

    def place(self, place: Linear) -> Hashable:
        """The key of a place."""
        scalars = tuple([(self.scalar(s), stride) for s, stride in place.scalars])
        return place.offsets, place.strides, scalars
