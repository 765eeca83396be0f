"""Statements become steps; the rules for each statement alone are verified here."""

from __future__ import annotations

from collections.abc import Sequence

from graphwright.compile.nests.call_statements import OutsideCall
from graphwright.compile.nests.nest import (
    Choice,
    Clear,
    Copy,
    Element,
    Index,
    Load,
    Loop,
    Multiply,
    Nest,
    PackRight,
    Scalar,
    Scan,
    Statement,
    Store,
    Straight,
    exchanges,
)
from graphwright.compile.verifier.element_boxes import Box, box_of
from graphwright.compile.verifier.known_scalars import KnownScalars
from graphwright.compile.verifier.layout import Layout
from graphwright.compile.verifier.list_steps import ListSteps
from graphwright.compile.verifier.nest_steps import NestStep
from graphwright.compile.verifier.plan_rules import PlanRule, require
from graphwright.compile.verifier.plan_steps import (
    Branch,
    Item,
    Packed,
    Packing,
    Read,
    Renamed,
    Repetition,
    Step,
    Written,
)
from graphwright.compile.verifier.statement_pairs import Pair, pairs


class Statements(ListSteps):
    """Makes steps of statements."""

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        self.statement: Statement | None = None  # the present one

    def block(
        self, lowered: Sequence[Statement], planned: Sequence[Statement], scalars: KnownScalars
    ) -> tuple[Item, ...]:
        """The steps of a block."""
        return tuple([self.item(p, scalars) for p in pairs(lowered, planned, self.layout.memory)])

    def item(self, pair: Pair, scalars: KnownScalars) -> Item:
        """The step of a statement."""
        statement = self.statement = pair.lowered
        if isinstance(statement, Loop):
            return self.loop(statement, pair.planned, scalars)
        if isinstance(statement, Choice):
            return self.choice(statement, pair.planned, scalars)
        if isinstance(statement, Nest):
            step = NestStep(pair, self.layout, self.bounds, scalars).step()
        else:
            step = self.RULES[type(statement)](self, pair, scalars)
        for value in values_of(step):
            require(self.layout.has_memory(value), PlanRule.SHARED, f"b{value} has no memory")
        return step

    # -- blocks -----------------------------------------------------------------------------

    def loop(self, s: Loop, planned: Loop, scalars: KnownScalars) -> Repetition:
        """The repetition of a loop, whose variables take their next values at once."""
        for _, first, _, kind in s.scalars:
            scalars.read(first, kind)
        inside = scalars.inner()
        for variable, _, _, kind in s.scalars:
            inside.define(variable, kind)
        condition = self.block(s.condition, planned.condition, inside)
        inside.read(s.again, "b1")
        body = self.block(s.body, planned.body, inside)
        self.statement = s
        for variable, _, following, kind in s.scalars:
            inside.read(following, kind)
            scalars.define(variable, kind)
        return Repetition(condition, body, s.buffers, self.moves(planned))

    def moves(self, loop: Loop) -> dict[int, int]:
        """buffer -> the one whose memory it gets, when variables take their next values.

        No memory may come twice, get lost, or go to another company.
        """
        pairs = exchanges(loop)
        gets, nexts = dict(pairs), dict(loop.buffers)
        for names in zip(*loop.buffers):
            require(
                len(set(names)) == len(names), PlanRule.EXCHANGES, "two variables get one memory"
            )
        right = len(gets) == len(pairs) and gets.items() >= nexts.items()
        right = right and sorted(gets) == sorted(gets.values())
        require(right, PlanRule.EXCHANGES, f"memory is lost or comes twice: {pairs}")
        for one, other in pairs:
            words = f"b{one} gets the memory of b{other}"
            company = self.layout.company.get(one, frozenset())
            require(other in company, PlanRule.EXCHANGES, f"{words}, of another chain")
            a, b = self.layout.buffers[one], self.layout.buffers[other]
            require(a.kind == b.kind, PlanRule.EXCHANGES, f"{words}, of another kind")
            same = self.layout.bytes(one) == self.layout.bytes(other)
            require(same, PlanRule.EXCHANGES, f"{words}, which is not as large")
            require(a.role == "temporary", PlanRule.EXCHANGES, f"{words}, though it is a {a.role}")
        return gets

    def choice(self, s: Choice, planned: Choice, scalars: KnownScalars) -> Branch:
        """The branch of a choice, whose results both sides must define."""
        scalars.read(s.condition, "b1")
        scopes = scalars.inner(), scalars.inner()
        sides = (
            self.block(s.then, planned.then, scopes[0]),
            self.block(s.otherwise, planned.otherwise, scopes[1]),
        )
        self.statement = s
        for result, *ends, kind in s.scalars:
            limits = [scope.read(end, kind).limit for scope, end in zip(scopes, ends)]
            known = None not in limits
            scalars.define(result, kind, max(limits) if known else None)  # type: ignore[type-var]
        return Branch(sides)

    # -- statements -------------------------------------------------------------------------

    def straight(self, pair: Pair, scalars: KnownScalars) -> Step:
        """The step of scalars that are computed once, and of their stores."""
        s: Straight = pair.lowered
        reads, effects = [], []
        for i, x in enumerate(s.instructions):
            if isinstance(x, Load):
                reads.append(Read(x.buffer, self.place(x, s, scalars)))
            elif isinstance(x, Element):
                late = any(operand >= i for operand in x.operands)
                require(not late, PlanRule.SCALARS, f".{i} is computed of what comes after it")
            elif isinstance(x, Scalar):
                scalars.read(x.scalar, x.kind)
            elif isinstance(x, Index):
                scalars.read_place(x.place)
        limits = [self.bounds.limit(s.instructions, i, scalars) for i in range(len(s.instructions))]
        for i, scalar, kind in s.scalars:
            words = f"%{scalar} is {kind}, and what it gets is {s.instructions[i].kind}"
            require(s.instructions[i].kind == kind, PlanRule.SCALARS, words)
            scalars.define(scalar, kind, limits[i])
        for store in s.stores:
            words = "straight code stores to places that it knows, and adds nothing"
            require(not store.combine and not store.picks, PlanRule.ORDER, words)
            self.bounds.store(store.buffer, limits[store.value])
            effects.append(self.written(store.buffer, self.place(store, s, scalars)))
        return Step(s, tuple(reads), tuple(effects))

    def place(self, x: Load | Store, s: Straight, scalars: KnownScalars) -> Box | None:
        """The box of one element, which must be inside its buffer; None if data says which."""
        axes = any(stride.factor for stride in x.place.strides)
        require(not axes, PlanRule.BOUNDED, "there is no axis here")
        box, _ = box_of(x.place, (), self.sizes)
        assert box is not None
        picks = x.picks
        self.kind(x.buffer, x.kind)
        self.bounds.verify(x.buffer, box, x.place, picks, s.instructions, scalars)
        return None if picks or x.place.scalars else box

    def clear(self, pair: Pair, scalars: KnownScalars) -> Step:
        """The step that fills a buffer with the initial value of a reduction."""
        s: Clear = pair.lowered
        self.kind(s.buffer, s.kind)
        return Step(s, (), (self.written(s.buffer),))

    def copy(self, pair: Pair, scalars: KnownScalars) -> Step:
        """The step that copies elements of one buffer to another.

        One that is left out reads nothing: the target is in memory as far as the source is.
        """
        s: Copy = pair.lowered
        source, target = [self.run(b, s.kind, (s.elements,)) for b in (s.source, s.target)]
        if pair.planned is None:
            return Step(s, (), (Renamed(s.source, s.target, target),))
        self.apart_or_aligned(s.source, s.target)
        return Step(s, (Read(s.source, source),), (self.written(s.target, target),))

    def scan(self, pair: Pair, scalars: KnownScalars) -> Step:
        """The step that combines each element with those before it."""
        s: Scan = pair.lowered
        source, target = [self.run(b, s.kind, s.axes) for b in (s.source, s.target)]
        self.apart_or_aligned(s.source, s.target)
        return Step(s, (Read(s.source, source),), (self.written(s.target, target),))

    def multiply(self, pair: Pair, scalars: KnownScalars) -> Step:
        """The step of matrix products."""
        s: Multiply = pair.lowered
        a, b, c = [
            self.run(buffer, s.kind, (s.products, *dims))
            for buffer, dims in ((s.a, (s.m, s.k)), (s.b, (s.k, s.n)), (s.c, (s.m, s.n)))
        ]
        for operand in (s.a, s.b):
            words = f"a product is written to b{s.c} over b{operand}, which it is made of"
            require(not self.layout.meet(s.c, operand), PlanRule.IN_PLACE, words)
        reads = [Read(s.a, a), Read(s.b, b)]
        if s.packed >= 0:
            reads.append(Read(s.packed, packing_of(s)))
        if s.add:
            reads.append(Read(s.c, c))
        return Step(s, tuple(reads), (self.written(s.c, c),))

    def pack(self, pair: Pair, scalars: KnownScalars) -> Step:
        """The step that packs the right operand of products."""
        p: Multiply = pair.lowered.product
        b = self.run(p.b, p.kind, (p.products, p.k, p.n))
        words = f"b{p.packed} is no memory for what is packed"
        is_owned = self.layout.buffers[p.packed].role == "owned"
        require(is_owned and p.packed not in self.layout.room, PlanRule.SHARED, words)
        return Step(pair.lowered, (Read(p.b, b),), (Packed(p.packed, packing_of(p)),))

    def call(self, pair: Pair, scalars: KnownScalars) -> Step:
        """The step of a routine outside, which writes no target over a source or another one."""
        s: OutsideCall = pair.lowered
        buffers = (*s.sources, *s.targets)
        same = len(buffers) == len(s.shapes) == len(s.kinds)
        require(same, PlanRule.BOUNDED, "a routine is not given a shape and a kind for each buffer")
        parts = [self.run(*part) for part in zip(buffers, s.kinds, s.shapes)]
        for i, target in enumerate(s.targets):
            for other in (*s.sources, *s.targets[:i]):
                words = f"a routine writes b{target} over b{other}"
                require(not self.layout.meet(target, other), PlanRule.IN_PLACE, words)
        reads = [Read(source, part) for source, part in zip(s.sources, parts)]
        rest = zip(s.targets, parts[len(s.sources) :])
        return Step(s, tuple(reads), tuple([self.written(target, part) for target, part in rest]))

    RULES = {
        OutsideCall: call,
        Straight: straight,
        Clear: clear,
        Copy: copy,
        Scan: scan,
        Multiply: multiply,
        PackRight: pack,
        **ListSteps.RULES,
    }


def packing_of(product: Multiply) -> Packing:
    """The packing that a product reads if its right operand is packed."""
    return Packing(product.b, product.k, product.n, product.transpose_b)


def values_of(step: Step) -> list[int]:
    """The values that a step reads or writes."""
    written = [e.value for e in step.effects if isinstance(e, Written)]
    return [*[read.value for read in step.reads], *written]
