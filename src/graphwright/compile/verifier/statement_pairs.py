"""Pairs of the lowered statements and those of the plan, which must be the same except for names.

The planner may leave out copies of a buffer to itself, and stores of elements to their own place.
It may make a nest read first what it overwrites. Nothing else may differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any, TypeAlias

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.nests.call_statements import OutsideCall
from graphwright.compile.nests.nest import (
    Choice,
    Copy,
    Load,
    Loop,
    Nest,
    PackRight,
    Stage,
    Statement,
    Store,
    Straight,
)
from graphwright.compile.verifier.plan_rules import PlanRule, Refused, require

#: value -> the buffer of the plan that holds it.
Name: TypeAlias = Callable[[int], int]

#: The fields of statements that are buffers; lists and views keep their names.
_BUFFERS = ("buffer", "source", "target", "a", "b", "c")

_OTHER = "the plan has another statement than this, which was lowered"


class Pair(NamedTuple):
    """A lowered statement and that of the plan, None if the plan leaves it out."""

    lowered: Any
    planned: Any
    left_out: frozenset[tuple[int, int]] = frozenset()  # (stage, effect) of a nest


def pairs(lowered: Sequence[Statement], planned: Sequence[Statement], name: Name) -> list[Pair]:
    """The pairs of statements of a block."""
    rest = iter(planned)
    result = []
    for statement in lowered:
        if is_left_out(statement, name):
            result.append(Pair(statement, None, stores_of_same(statement, name)))
            continue
        other = next(rest, None)
        if type(other) is not type(statement):
            raise Refused(PlanRule.SAME_PROGRAM, _OTHER, statement)
        result.append(pair(statement, other, name))
    require(next(rest, None) is None, PlanRule.SAME_PROGRAM, "the plan has a statement too many")
    return result


def is_left_out(statement: Statement, name: Name) -> bool:
    """Whether a plan leaves a statement out."""
    if isinstance(statement, Copy):
        return name(statement.source) == name(statement.target)
    if isinstance(statement, Nest):
        effects = sum(len(stage.effects) for stage in statement.stages)
        return bool(effects) and len(stores_of_same(statement, name)) == effects
    return False


def stores_of_same(statement: Statement, name: Name) -> frozenset[tuple[int, int]]:
    """The stores of a nest that write elements to their own place."""
    if not isinstance(statement, Nest):
        return frozenset()
    stores = []
    for i, stage in enumerate(statement.stages):
        for k, effect in enumerate(stage.effects):
            if isinstance(effect, Store) and not effect.combine:
                x = stage.instructions[effect.value]
                if isinstance(x, Load) and x.buffer != effect.buffer:
                    place = effect.place, effect.kind, effect.picks
                    same = (x.place, x.kind, x.picks) == place
                    if same and name(x.buffer) == name(effect.buffer):
                        stores.append((i, k))
    return frozenset(stores)


def pair(one: Any, other: Any, name: Name) -> Pair:
    """The pair of two statements, which must be the same by these names."""
    left_out: frozenset[tuple[int, int]] = frozenset()
    if isinstance(one, Nest):
        left_out = stores_of_same(one, name)
        alike = is_same_nest(one, other, name, left_out)
    elif isinstance(one, Straight):
        alike = one.scalars == other.scalars and all(
            [
                is_same_list(one.instructions, other.instructions, name),
                is_same_list(one.stores, other.stores, name),
            ]
        )
    elif isinstance(one, Loop):
        expected = [(name(v), name(f)) for v, f in one.buffers]
        buffers = tuple([p for p in expected if p[0] != p[1]])
        alike = (one.again, one.scalars, buffers) == (other.again, other.scalars, other.buffers)
    elif isinstance(one, Choice):
        alike = (one.condition, one.scalars) == (other.condition, other.scalars)
    elif isinstance(one, OutsideCall):
        sources, targets = [tuple(map(name, buffers)) for buffers in (one.sources, one.targets)]
        alike = one._replace(sources=sources, targets=targets) == other
    elif isinstance(one, PackRight):
        alike = is_same(one.product, other.product, name)
    else:
        alike = is_same(one, other, name)
    if not alike:
        raise Refused(PlanRule.SAME_PROGRAM, _OTHER, one)
    return Pair(one, other, left_out)


def is_same(one: Any, other: Any, name: Name) -> bool:
    """Whether a statement, an instruction or an effect is the same by these names."""
    if one is other:
        return all(name(getattr(one, f)) == getattr(one, f) for f in fields_of(type(one)))
    if type(one) is not type(other):
        return False
    buffers = fields_of(type(one))
    if not buffers:
        return bool(one == other)
    return all(
        name(x) == y if field in buffers else x is y or x == y
        for field, x, y in zip(one._fields, one, other)
    )


def fields_of(kind: type) -> tuple[str, ...]:
    """The fields of a kind of statement that are buffers."""
    known = _FIELDS.get(kind)
    if known is None:
        names = getattr(kind, "_fields", ())
        known = _FIELDS[kind] = tuple([f for f in _BUFFERS if f in names])
    return known


_FIELDS: dict[type, tuple[str, ...]] = {}


def is_same_list(one: Sequence[object], other: Sequence[object], name: Name) -> bool:
    """Whether instructions or effects are the same by these names, one after the other."""
    return len(one) == len(other) and all(is_same(x, y, name) for x, y in zip(one, other))


def is_same_nest(one: Nest, other: Nest, name: Name, left_out: frozenset[tuple[int, int]]) -> bool:
    """Whether a nest is the same by these names, except for the stores that are left out."""
    head = one.axes, one.outer, one.scalars, one.ordered
    if head != (other.axes, other.outer, other.scalars, other.ordered):
        return False
    for i, (stage, planned) in enumerate(zip_longest(one.stages, other.stages)):
        if not isinstance(stage, Stage) or not isinstance(planned, Stage):
            return False
        effects = [e for k, e in enumerate(stage.effects) if (i, k) not in left_out]
        if stage.inner != planned.inner or not is_same_list(effects, planned.effects, name):
            return False
        if not is_same_list(stage.instructions, planned.instructions, name):
            return False
    return True
