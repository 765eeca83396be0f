"""Plans with faults in them, made of plans of real programs: each is another program than was
lowered, or puts values where they are not safe."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from corpora.plan_programs import PROGRAMS
from plans.interpreter import interpret
from plans.memory import Refused, Violation

import graphwright as tf
from graphwright.base.errors import InternalError
from graphwright.compile.memory.coalescing import reading_first, renamed
from graphwright.compile.nests import lowering
from graphwright.compile.nests.list_statements import Locate
from graphwright.compile.nests.nest import (
    Choice,
    Load,
    Loop,
    Nest,
    Program,
    Statement,
    Store,
    all_statements,
)
from graphwright.compile.nests.sizes import ONE, Size
from graphwright.compile.run.inspection import segments
from graphwright.compile.verifier import verify


class Planned(NamedTuple):
    """A program as it was lowered, its plan, its constants, and arrays to run both on."""

    lowered: Program
    plan: Program
    constants: Sequence[Any] = ()
    arrays: Sequence[Any] = ()

    def refusal(self) -> str:
        """What the verifier says of the plan; nothing if it takes it."""
        try:
            verify(self.lowered, self.plan)
        except InternalError as error:
            return str(error)
        return ""

    def with_lowered(self, lowered: Program) -> Planned:
        """Another program with the names and the homes of this plan."""
        names = dict(self.plan.names)
        plan = renamed(lowered, names)
        if any(isinstance(s, (Loop, Choice)) for s in lowered.body):
            moved = frozenset([b for s in loops(plan) for pair in s.buffers for b in pair])
            plan = plan._replace(body=tuple([reading_first(s, moved) for s in plan.body]))
        plan = plan._replace(names=self.plan.names, homes=self.plan.homes)
        return self._replace(lowered=lowered, plan=plan)

    def with_plan(self, **changes: Any) -> Planned:
        """Another plan of the same program."""
        return self._replace(plan=self.plan._replace(**changes))

    def with_names(self, names: dict[int, int]) -> Planned:
        """The same program with other buffers made one."""
        return self.with_plan(names=tuple(names.items())).with_lowered(self.lowered)

    def difference(self) -> str:
        """How the plan differs from what was lowered when both run; nothing if it does not."""
        buffers = [
            b._replace(role="temporary") if b.role == "alias" else b for b in self.lowered.buffers
        ]
        own = [(i, i) for i, b in enumerate(buffers) if b.role == "temporary"]
        apart = self.lowered._replace(buffers=tuple(buffers), homes=tuple(own))
        try:
            expected = outcome(apart, self.constants, self.arrays)
        except Violation as violation:
            return f"lowered: {violation}"
        try:
            result = outcome(self.plan, self.constants, self.arrays)
        except Violation as violation:
            return f"planned: {violation}"
        return "" if expected == result else "other results"


def outcome(program: Program, constants: Sequence[Any], arrays: Sequence[Any]) -> Any:
    """The bytes of the results, or that the program refuses the arrays."""
    try:
        _, results = interpret(program, constants, [np.array(a) for a in arrays])
    except Refused:
        return "refused"
    return [result.tobytes() for result in results]


def loops(program: Program) -> list[Loop]:
    """The loops of a program."""
    return [s for s in all_statements(program.body) if isinstance(s, Loop)]


def planned(function: Callable[..., Any], *arrays: Any) -> Planned:
    """The plan of a function's only segment, for arrays of unknown sizes."""
    result: list[tuple[Program, Program]] = []
    given = lowering.verify

    def verify(lowered: Program, plan: Program) -> None:
        result.append((lowered, plan))
        given(lowered, plan)

    lowering.verify = verify
    try:
        tensors = list(map(tf.constant, arrays))
        specs = [tf.TensorSpec([None] * x.shape.rank, x.dtype) for x in tensors]
        concrete = tf.function(function, autograph=True).get_concrete_function(*specs)
        [op] = segments(concrete.graph)
        names = list(inspect.signature(function).parameters)
    finally:
        lowering.verify = given
    [(lowered, plan)] = [pair for pair in result if pair[1] is op.lowered[0]]
    given_as = [names.index(value.node.name) for value in op.f.arguments]
    return Planned(lowered, plan, op.lowered[1], [np.asarray(arrays[i]) for i in given_as])


# -- faults ---------------------------------------------------------------------------------

Block = tuple[Statement, ...]


def blocks(body: Block) -> Iterator[tuple[Block, Callable[[Block], Block]]]:
    """The blocks of a program, each with what makes a program's body of another one."""
    yield body, lambda new: new
    for i, s in enumerate(body):
        for field in ("condition", "body") if isinstance(s, Loop) else ("then", "otherwise"):
            if isinstance(s, (Loop, Choice)):
                for inner, whole in blocks(getattr(s, field)):
                    yield inner, lambda new, i=i, s=s, f=field, w=whole: (  # type: ignore[misc]
                        *body[:i], s._replace(**{f: w(new)}), *body[i + 1 :],
                    )  # fmt: skip


def other_statement(r: random.Random, program: Program, change: Any) -> Program | None:
    """A program with another statement somewhere."""
    places = [(b, w, i) for b, w in blocks(program.body) for i in range(len(b))]
    r.shuffle(places)
    for block, whole, i in places:
        new = change(r, program, block[i])
        if new is not None and new != block[i]:
            return program._replace(body=whole((*block[:i], new, *block[i + 1 :])))
    return None


def dropped(r: random.Random, program: Program) -> Program | None:
    """Without a statement."""
    block, whole = r.choice([b for b in blocks(program.body) if b[0]])
    i = r.randrange(len(block))
    return program._replace(body=whole((*block[:i], *block[i + 1 :])))


def swapped(r: random.Random, program: Program) -> Program | None:
    """With two statements the other way round."""
    result = [b for b in blocks(program.body) if len(b[0]) > 1]
    if not result:
        return None
    block, whole = r.choice(result)
    i = r.randrange(len(block) - 1)
    return program._replace(body=whole((*block[:i], block[i + 1], block[i], *block[i + 2 :])))


def other_buffer(r: random.Random, program: Program, s: Any) -> Any:
    """An access of another buffer."""

    def other(buffer: int) -> int:
        kind = program.buffers[buffer].kind
        return r.choice([i for i, b in enumerate(program.buffers) if b.kind == kind])

    if isinstance(s, Nest):
        return in_nest(r, s, lambda x: x._replace(buffer=other(x.buffer)))
    fields = [f for f in ("buffer", "source", "target", "a", "b", "c") if f in s._fields]
    if not fields or isinstance(s, (Loop, Choice, Locate)):  # a scalar may say an item's place
        return None
    field = r.choice(fields)
    return s._replace(**{field: other(getattr(s, field))})


def in_nest(r: random.Random, nest: Nest, change: Callable[[Any], Any]) -> Any:
    """A nest with another load or store."""
    places = [
        (i, field, k)
        for i, stage in enumerate(nest.stages)
        for field in ("instructions", "effects")
        for k, x in enumerate(getattr(stage, field))
        if isinstance(x, (Load, Store))
    ]
    if not places:
        return None
    i, field, k = r.choice(places)
    items = list(getattr(nest.stages[i], field))
    items[k] = change(items[k])
    stages = list(nest.stages)
    stages[i] = stages[i]._replace(**{field: tuple(items)})
    return nest._replace(stages=tuple(stages))


def other_place(r: random.Random, program: Program, s: Any) -> Any:
    """A load or a store further on, or in other steps."""

    def further(x: Any) -> Any:
        if r.random() < 0.5:
            return x._replace(place=x.place._replace(offsets=(*x.place.offsets, ONE)))
        strides = [Size(2 * d.factor, d.symbols) for d in x.place.strides]
        return x._replace(place=x.place._replace(strides=tuple(strides)))

    return in_nest(r, s, further) if isinstance(s, Nest) else None


def other_axes(r: random.Random, program: Program, s: Any) -> Any:
    """A nest of longer axes."""
    if not isinstance(s, Nest) or not s.axes:
        return None
    i = r.randrange(len(s.axes))
    longer = Size(s.axes[i].factor * 2, s.axes[i].symbols)
    return s._replace(axes=(*s.axes[:i], longer, *s.axes[i + 1 :]))


def other_stages(r: random.Random, program: Program, s: Any) -> Any:
    """A nest with its stages the other way round, or that reads nothing first."""
    if not isinstance(s, Nest):
        return None
    return s._replace(stages=s.stages[::-1]) if len(s.stages) > 1 else s._replace(ordered=False)


def other_exchange(r: random.Random, program: Program, s: Any) -> Any:
    """A loop that exchanges others, or fewer."""
    if not isinstance(s, Loop) or not s.buffers:
        return None
    pairs = list(s.buffers)
    i = r.randrange(len(pairs))
    if r.random() < 0.5 or len(pairs) == 1:
        del pairs[i]
    else:
        k = (i + 1) % len(pairs)
        pairs[i], pairs[k] = (pairs[i][0], pairs[k][1]), (pairs[k][0], pairs[i][1])
    return s._replace(buffers=tuple(pairs))


def other_number(r: random.Random, program: Program, s: Any) -> Any:
    """A statement of a list or a product with another scalar or size."""
    fields = [
        f
        for f, value in zip(getattr(s, "_fields", ()), s)
        if f in ("place", "length", "item", "elements", "number", "start", "m", "n", "k")
        and isinstance(value, Size)
    ]
    if not fields:
        return None
    field = r.choice(fields)
    size = getattr(s, field)
    return s._replace(**{field: Size(size.factor + 1, size.symbols)})


def one_name_more(r: random.Random, given: Planned) -> Planned | None:
    """Two more buffers made one."""
    program, names = given.lowered, dict(given.plan.names)
    used = {b for s in all_statements(program.body) for b in buffers_of(s)}
    own = [i for i in used if program.buffers[i].role == "temporary"]
    r.shuffle(own)
    for one in own:
        for other in own:
            alike = program.buffers[one] == program.buffers[other]
            if names.get(one, one) != names.get(other, other) and alike:
                source, target = names.get(one, one), names.get(other, other)
                if program.buffers[source].role == "temporary":
                    joined = {b: target if h == source else h for b, h in names.items()}
                    return given.with_names({**joined, source: target})
    return None


def another_home(r: random.Random, given: Planned) -> Planned | None:
    """A temporary in the memory of another one."""
    homes = dict(given.plan.homes)
    places = [(b, h) for b in homes for h in set(homes.values()) if homes[b] != h]
    if not places:
        return None
    buffer, home = r.choice(places)
    moved = {b: home if h == buffer or b == buffer else h for b, h in homes.items()}
    return given.with_plan(homes=tuple(moved.items()))


def not_first(r: random.Random, given: Planned) -> Planned | None:
    """A nest that does not read first what it writes over."""

    def change(r: random.Random, program: Program, s: Any) -> Any:
        return s._replace(first=frozenset()) if isinstance(s, Nest) else None

    plan = other_statement(r, given.plan, change)
    return None if plan is None else given._replace(plan=plan)


def buffers_of(s: Any) -> list[int]:
    """The buffers that a statement names."""
    if isinstance(s, (Loop, Choice)):
        return []
    items = (
        [x for t in s.stages for x in (*t.instructions, *t.effects)] if isinstance(s, Nest) else []
    )
    fields = [f for f in ("buffer", "source", "target", "a", "b", "c") if f in s._fields]
    return [x.buffer for x in items if isinstance(x, (Load, Store))] + [
        getattr(s, f) for f in fields
    ]


def as_lowered(change: Callable[[random.Random, Program], Program | None]) -> Any:
    """A fault of the program that was lowered, which the plan has too."""

    def planted(r: random.Random, given: Planned) -> Planned | None:
        lowered = change(r, given.lowered)
        return None if lowered is None else given.with_lowered(lowered)

    return planted


def of_statement(change: Any) -> Any:
    """The same of one statement."""
    return as_lowered(lambda r, program: other_statement(r, program, change))


#: Ways to plant a fault; None where a program has no place for it.
FAULTS: dict[str, Callable[[random.Random, Planned], Planned | None]] = {
    "a statement too few": as_lowered(dropped),
    "statements the other way round": as_lowered(swapped),
    "another buffer": of_statement(other_buffer),
    "another place": of_statement(other_place),
    "longer axes": of_statement(other_axes),
    "other stages": of_statement(other_stages),
    "another exchange": of_statement(other_exchange),
    "another number": of_statement(other_number),
    "one name more": one_name_more,
    "another home": another_home,
    "not read first": not_first,
}


@cache
def of(name: str) -> Planned:
    """The plan of a program."""
    function, *arrays = PROGRAMS[name]
    return planned(function, *arrays)
