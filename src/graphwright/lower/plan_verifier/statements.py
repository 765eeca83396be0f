"""A plan's statements as steps: what must be so of each of them alone is verified here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from graphwright.lower.nest import (
    Agree,
    Choice,
    Clear,
    Copy,
    Deliver,
    Element,
    Extend,
    Index,
    Load,
    Locate,
    Loop,
    Mark,
    Multiply,
    Nest,
    PackRight,
    Require,
    Reserve,
    Scalar,
    Scan,
    Shorten,
    Statement,
    Straight,
    Transfer,
    exchanges,
)
from graphwright.lower.plan_verifier.bounds import Bounds
from graphwright.lower.plan_verifier.layout import Layout
from graphwright.lower.plan_verifier.nests import NestStep
from graphwright.lower.plan_verifier.pairs import Pair, pairs
from graphwright.lower.plan_verifier.places import Box, box_of
from graphwright.lower.plan_verifier.refusal import Rule, require
from graphwright.lower.plan_verifier.scalars import Scalars
from graphwright.lower.plan_verifier.steps import (
    Branch,
    Effect,
    Extended,
    Gone,
    Item,
    Located,
    Packed,
    Packing,
    Read,
    Renamed,
    Repetition,
    Step,
    Written,
)
from graphwright.lower.sizes import Shape, Size, product


class Statements:
    """Makes steps of statements."""

    def __init__(self, layout: Layout) -> None:
        self.layout, self.sizes = layout, layout.sizes
        self.bounds = Bounds(layout)
        self.statement: Any = None  # the one that is looked at

    def block(
        self, lowered: Sequence[Statement], planned: Sequence[Statement], scalars: Scalars
    ) -> tuple[Item, ...]:
        """The steps of a block."""
        return tuple([self.item(p, scalars) for p in pairs(lowered, planned, self.layout.memory)])

    def item(self, pair: Pair, scalars: Scalars) -> Item:
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
            require(self.layout.has_memory(value), Rule.SHARED, f"b{value} has no memory")
        return step

    # -- blocks -----------------------------------------------------------------------------

    def loop(self, s: Loop, planned: Loop, scalars: Scalars) -> Repetition:
        """A loop: its variables take their next values at once."""
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
        return Repetition(s, condition, body, s.buffers, self.moves(planned))

    def moves(self, loop: Loop) -> dict[int, int]:
        """Whose memory buffers get when variables take their next values: no memory comes twice,
        none is lost, and none goes to another company."""
        found = exchanges(loop)
        gets, given = dict(found), dict(loop.buffers)
        for names in zip(*loop.buffers):
            require(len(set(names)) == len(names), Rule.EXCHANGES, "two variables get one memory")
        right = len(gets) == len(found) and gets.items() >= given.items()
        right = right and sorted(gets) == sorted(gets.values())
        require(right, Rule.EXCHANGES, f"memory is lost or comes twice: {found}")
        for one, other in found:
            words = f"b{one} gets the memory of b{other}"
            company = self.layout.company.get(one, frozenset())
            require(other in company, Rule.EXCHANGES, f"{words}, of another chain")
            a, b = self.layout.buffers[one], self.layout.buffers[other]
            require(a.kind == b.kind, Rule.EXCHANGES, f"{words}, of another kind")
            same = self.layout.bytes(one) == self.layout.bytes(other)
            require(same, Rule.EXCHANGES, f"{words}, which is not as large")
            require(a.role == "temporary", Rule.EXCHANGES, f"{words}, though it is a {a.role}")
        return gets

    def choice(self, s: Choice, planned: Choice, scalars: Scalars) -> Branch:
        """A branch: what comes out of it does so on both sides."""
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
        return Branch(s, sides)

    # -- statements -------------------------------------------------------------------------

    def straight(self, pair: Pair, scalars: Scalars) -> Step:
        """Scalars, and then what is stored of them."""
        s: Straight = pair.lowered
        reads, effects = [], []
        for i, x in enumerate(s.instructions):
            if isinstance(x, Load):
                reads.append(Read(x.buffer, self.place(x, s, scalars)))
            elif isinstance(x, Element):
                late = any(operand >= i for operand in x.operands)
                require(not late, Rule.SCALARS, f".{i} is computed of what comes after it")
            elif isinstance(x, Scalar):
                scalars.read(x.scalar, x.kind)
            elif isinstance(x, Index):
                scalars.read_place(x.at)
        limits = [self.bounds.limit(s.instructions, i, scalars) for i in range(len(s.instructions))]
        for i, scalar, kind in s.scalars:
            words = f"%{scalar} is {kind}, and what it gets is {s.instructions[i].kind}"
            require(s.instructions[i].kind == kind, Rule.SCALARS, words)
            scalars.define(scalar, kind, limits[i])
        for store in s.stores:
            words = "straight code stores to places that it knows, and adds nothing"
            require(not store.combine and not store.picks, Rule.ORDER, words)
            self.bounds.store(store.buffer, limits[store.value])
            effects.append(self.written(store.buffer, self.place(store, s, scalars)))
        return Step(s, tuple(reads), tuple(effects))

    def place(self, x: Any, s: Straight, scalars: Scalars) -> Box | None:
        """Where one element is, if that is known; it must be inside of its buffer."""
        axes = any(stride.factor for stride in x.at.strides)
        require(not axes, Rule.BOUNDED, "there is no axis here")
        box, _ = box_of(x.at, (), self.sizes)
        assert box is not None
        picks = x.picks
        self.kind(x.buffer, x.kind)
        self.bounds.verify(x.buffer, box, x.at, picks, s.instructions, scalars)
        return None if picks or x.at.scalars else box

    def clear(self, pair: Pair, scalars: Scalars) -> Step:
        """What a reduction starts from, everywhere."""
        s: Clear = pair.lowered
        self.kind(s.buffer, s.kind)
        return Step(s, (), (self.written(s.buffer),))

    def copy(self, pair: Pair, scalars: Scalars) -> Step:
        """Elements of one buffer into another."""
        s: Copy = pair.lowered
        source, target = [self.run(b, s.kind, (s.elements,)) for b in (s.source, s.target)]
        reads = (Read(s.source, source),)
        if pair.planned is None:
            return Step(s, reads, (Renamed(s.source, s.target, target),))
        self.apart_or_aligned(s.source, s.target)
        return Step(s, reads, (self.written(s.target, target),))

    def scan(self, pair: Pair, scalars: Scalars) -> Step:
        """Each element combined with those before it."""
        s: Scan = pair.lowered
        source, target = [self.run(b, s.kind, s.axes) for b in (s.source, s.target)]
        self.apart_or_aligned(s.source, s.target)
        return Step(s, (Read(s.source, source),), (self.written(s.target, target),))

    def multiply(self, pair: Pair, scalars: Scalars) -> Step:
        """Products of matrices."""
        s: Multiply = pair.lowered
        a, b, c = [
            self.run(buffer, s.kind, (s.products, *dims))
            for buffer, dims in ((s.a, (s.m, s.k)), (s.b, (s.k, s.n)), (s.c, (s.m, s.n)))
        ]
        for operand in (s.a, s.b):
            words = f"a product is written to b{s.c} over b{operand}, which it is made of"
            require(not self.layout.meet(s.c, operand), Rule.IN_PLACE, words)
        reads = [Read(s.a, a), Read(s.b, b)]
        if s.packed >= 0:
            reads.append(Read(s.packed, packing_of(s)))
        if s.add:
            reads.append(Read(s.c, c))
        return Step(s, tuple(reads), (self.written(s.c, c),))

    def pack(self, pair: Pair, scalars: Scalars) -> Step:
        """The right operand of products."""
        p: Multiply = pair.lowered.product
        b = self.run(p.b, p.kind, (p.products, p.k, p.n))
        words = f"b{p.packed} is no memory for what is packed"
        own = self.layout.buffers[p.packed].role == "owned"
        require(own and p.packed not in self.layout.room, Rule.SHARED, words)
        return Step(pair.lowered, (Read(p.b, b),), (Packed(p.packed, packing_of(p)),))

    # -- lists ------------------------------------------------------------------------------

    def reserve(self, pair: Pair, scalars: Scalars) -> Step:
        """A list of zeros."""
        s: Reserve = pair.lowered
        scalars.read_lengths([s.length])
        own, like = s.written
        if like >= 0:
            scalars.noted(like)
        if own >= 0:
            scalars.note(own)
        self.item_of(s.buffer, s.item, s.kind)
        return Step(s, (), (Gone(s.buffer), Written(s.buffer)))

    def extend(self, pair: Pair, scalars: Scalars) -> Step:
        """A longer list; no zeros where just one item follows."""
        s: Extend = pair.lowered
        given = [s.length, *([s.place] if s.place >= 0 else [])]
        given += [s.exactly] if s.exactly != -1 else []
        scalars.read_lengths(given)
        self.item_of(s.buffer, s.item, s.kind)
        scalars.define(s.result, "i32")
        zeros = s.place >= 0 or s.exactly != -1
        return Step(s, (Read(s.buffer, None),), (Extended(s, zeros),))

    def shorten(self, pair: Pair, scalars: Scalars) -> Step:
        """The length without some items."""
        s: Shorten = pair.lowered
        scalars.read_lengths([s.length, s.by])
        scalars.define(s.result, "i32")
        return Step(s, (), ())

    def locate(self, pair: Pair, scalars: Scalars) -> Step:
        """Where an item is."""
        s: Locate = pair.lowered
        scalars.read_lengths([s.place, s.length])
        self.items(s.buffer, s.length, s.item, s.kind)
        self.kind(s.view, s.kind)
        words = f"b{s.view} is no item of b{s.buffer}"
        same = self.layout.counts[s.view] == self.sizes.of(s.item)
        require(same, Rule.LISTS, words)
        return Step(s, (), (Located(s, s.buffer),))

    def transfer(self, pair: Pair, scalars: Scalars) -> Step:
        """Items copied from one list to another."""
        s: Transfer = pair.lowered
        scalars.read_lengths([s.start, s.place, s.number])
        self.items(s.source, s.number, s.item, s.kind)
        self.item_of(s.target, s.item, s.kind)
        meet = self.layout.meet(s.source, s.target)
        require(not meet, Rule.IN_PLACE, "a list is copied to itself")
        reads = Read(s.source, None), Read(s.target, None)
        return Step(s, reads, (Written(s.target, None, True),))

    def agree(self, pair: Pair, scalars: Scalars) -> Step:
        """Two lengths that must be the same."""
        s: Agree = pair.lowered
        scalars.read_lengths([s.one, s.other])
        return Step(s, (), ())

    def mark(self, pair: Pair, scalars: Scalars) -> Step:
        """Something was written."""
        scalars.noted(pair.lowered.written)
        return Step(pair.lowered, (), ())

    def demand(self, pair: Pair, scalars: Scalars) -> Step:
        """Something must have been written to a list that has items."""
        s: Require = pair.lowered
        scalars.noted(s.written)
        scalars.read_lengths([s.length])
        return Step(s, (), ())

    def deliver(self, pair: Pair, scalars: Scalars) -> Step:
        """A list as a result."""
        s: Deliver = pair.lowered
        scalars.read_lengths([s.length])
        self.items(s.buffer, s.length, s.item, s.kind)
        self.kind(s.late, s.kind)
        role, shape, _ = self.layout.buffers[s.late]
        words = f"b{s.late} is no list of items of {s.item} elements"
        same = self.sizes.product(shape[1:]) == self.sizes.of(s.item)
        require(role == "late" and same, Rule.LISTS, words)
        effects: list[Effect] = [Written(s.late)]
        if not s.copy:
            role = self.layout.buffers[s.buffer].role
            words = f"b{s.buffer} is given away, and is no list's own memory"
            require(role == "owned", Rule.LISTS, words)
            effects.append(Gone(s.buffer))
        return Step(s, (Read(s.buffer, None),), tuple(effects))

    # -- what is the same of many -----------------------------------------------------------

    def kind(self, value: int, kind: str) -> None:
        """A value must be of a kind."""
        own = self.layout.buffers[value].kind
        require(own == kind, Rule.SCALARS, f"b{value}, of {own}, is taken for {kind}")

    def item_of(self, value: int, item: Size, kind: str) -> None:
        """A buffer must be a list of items so large."""
        buffer = self.layout.buffers[value]
        words = f"b{value} is no list of items of {item} elements"
        same = self.layout.counts[value] == self.sizes.of(item)
        require(buffer.role == "owned" and same, Rule.LISTS, words)
        self.kind(value, kind)

    def items(self, value: int, number: Size | int, item: Size, kind: str) -> None:
        """A buffer must be a list of so many items, as far as a size says how many."""
        if self.layout.buffers[value].role == "owned":
            self.item_of(value, item, kind)
            room = self.layout.room.get(value)
            if room is not None and isinstance(number, Size):
                words = f"{number} items are asked for of b{value}, which has {room}"
                require(self.sizes.of(number) <= room, Rule.BOUNDED, words)
        elif isinstance(number, Size):
            self.run(value, kind, (number, item))
        self.kind(value, kind)

    def run(self, value: int, kind: str, dims: Shape) -> Box | None:
        """The first elements of a value, which must have them; None for all."""
        self.kind(value, kind)
        asked, count = self.sizes.of(product(dims)), self.layout.counts[value]
        if self.layout.buffers[value].role in ("owned", "late") or asked == count:
            return None
        words = f"{asked} elements are asked for of b{value}, which has {count}"
        require(asked <= count, Rule.BOUNDED, words)
        return Box(0, asked, ())

    def apart_or_aligned(self, source: int, target: int) -> None:
        """Two values lie apart, or begin at the same place."""
        words = f"b{target} is written over b{source}, which begins elsewhere"
        meet = self.layout.meet(source, target)
        require(not meet or self.layout.aligned(source, target), Rule.IN_PLACE, words)

    def written(self, value: int, box: Box | None = None) -> Written:
        """A value has new elements; no argument is written."""
        words = f"b{value}, an argument, is written"
        require(not self.layout.is_given(value), Rule.ARGUMENTS, words)
        return Written(value, box)

    RULES: dict[type, Callable[..., Step]] = {
        Straight: straight,
        Clear: clear,
        Copy: copy,
        Scan: scan,
        Multiply: multiply,
        PackRight: pack,
        Reserve: reserve,
        Extend: extend,
        Shorten: shorten,
        Locate: locate,
        Transfer: transfer,
        Agree: agree,
        Mark: mark,
        Require: demand,
        Deliver: deliver,
    }


def packing_of(product: Multiply) -> Packing:
    """What a product reads if its right operand is packed."""
    return Packing(product.b, product.k, product.n, product.transpose_b)


def values_of(step: Step) -> list[int]:
    """The values that a step reads or writes."""
    written = [e.value for e in step.effects if isinstance(e, Written)]
    return [*[read.value for read in step.reads], *written]
