"""Why a call was served by no trace: type against type, argument by argument."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from typing import Any

from graphwright.base.named_tuples import NamedTuple
from graphwright.explain.trace_record import History, TraceRecord
from graphwright.trace.argument_types import LiteralType, Structure, VariableType, Weakref
from graphwright.trace.signature import FunctionType
from graphwright.types.containers import is_namedtuple
from graphwright.types.specs import TensorSpec
from graphwright.types.trace_type import TraceType

_COMPARED = 32  # earlier traces that a new one is compared with


class CauseRule(enum.Enum):
    """The rule of dispatch by which a trace could not serve a call."""

    SHAPE = "shape"
    DTYPE = "dtype"
    LITERAL = "literal value"
    IDENTITY = "object identity"
    DEAD = "dead weak reference"
    STRUCTURE = "structure"
    VARIABLE = "variable identity"
    DECORATOR = "new decorator each call"
    INSTANCE = "another instance"
    KIND = "input_signature absent"
    CUSTOM = "trace type of its own"
    LOCAL = "tensor of the function around it"
    STATE = "state that changed"
    RECURSION = "recursion"


class Difference(NamedTuple):
    """One argument that did not fit: where it is, what was traced, what came."""

    rule: CauseRule
    path: str
    old: Any
    new: Any


class Retrace(NamedTuple):
    """A trace that an earlier one nearly made unnecessary."""

    number: int
    record: TraceRecord | None  # None if the functions that were traced are gone
    nearest: int  # the number of the trace that came closest
    differences: list[Difference]


class Cause:
    """Why traces were necessary: one rule, at one argument or at several that go together."""

    def __init__(self, rule: CauseRule, paths: tuple[str, ...]) -> None:
        self.rule = rule
        self.paths = paths
        self.evidence: list[tuple[Retrace, Difference]] = []

    @property
    def numbers(self) -> list[int]:
        """The numbers of the traces that it made necessary."""
        return list(dict.fromkeys(retrace.number for retrace, _ in self.evidence))

    def types(self, path: str) -> list[Any]:
        """The types that an argument had: of the first trace, then of each retrace."""
        differences = [d for _, d in self.evidence if d.path == path]
        return list(dict.fromkeys([differences[0].old, *[d.new for d in differences]]))


def retraces(history: History, latest: int | None = None) -> list[Retrace]:
    """Every trace but the first, or the `latest` of them, each against the nearest earlier one."""
    records = history.records
    first = 1 if latest is None else max(1, len(records) - latest)
    each = [nearest(number, records[number], records) for number in range(first, len(records))]
    inner, outer = recursion(records)
    recursive = inner | outer
    return [as_recursion(r) if r.number in recursive else r for r in each]


def recursion(records: Sequence[TraceRecord]) -> tuple[set[int], set[int]]:
    """The traces that were made while the same function was traced, and those around them.

    A trace is recorded when it is done, so the last of a recursion is the one around the others.
    """
    inner, outer = set(), set()
    around, began = len(records), float("inf")
    for number in range(len(records) - 1, -1, -1):
        if records[number].began > began:
            inner.add(number)
            outer.add(around)
        else:
            around, began = number, records[number].began
    return inner, outer


def as_recursion(retrace: Retrace) -> Retrace:
    """A retrace by the rule that the function calls itself, unless its state has changed."""
    if any(d.rule in (CauseRule.STATE, CauseRule.LOCAL) for d in retrace.differences):
        return retrace
    differences = [d._replace(rule=CauseRule.RECURSION) for d in retrace.differences]
    return retrace._replace(differences=differences)


def nearest(number: int, record: TraceRecord, records: Sequence[TraceRecord]) -> Retrace:
    """The earlier trace with the fewest differences, the latest of several."""
    best: Retrace | None = None
    earlier = {0, *range(max(0, number - _COMPARED), number)}
    for candidate in sorted(earlier, reverse=True):
        differences = compare(records[candidate], record)
        if best is None or weight(differences) < weight(best.differences):
            best = Retrace(number, record, candidate, differences)
    assert best is not None
    return best


def weight(differences: Sequence[Difference]) -> tuple[int, int]:
    """How far apart two types are: another sort of argument counts before another value."""
    apart = (CauseRule.STRUCTURE, CauseRule.KIND, CauseRule.LOCAL, CauseRule.STATE)
    return sum(d.rule in apart for d in differences), len(differences)


def compare(old: TraceRecord, new: TraceRecord) -> list[Difference]:
    """Why the trace `old` could not serve the call that made `new`."""
    if new.reason:
        return [Difference(CauseRule.STATE, c.path, c.old, c.new) for c in new.reason]
    differences = list(compare_calls(old.concrete.function_type, new.call_type, Lives(old, new)))
    if not differences:
        name = new.concrete.graph.name
        differences = [Difference(CauseRule.LOCAL, name, old.call_type, new.call_type)]
    return differences


class Lives:
    """The objects among the arguments of two traces, as they were when the second was made."""

    def __init__(self, old: TraceRecord, new: TraceRecord) -> None:
        self._old = old.objects
        self._new = new.objects
        self._now = new.began

    def is_gone(self, type_: TraceType) -> bool:
        """Whether a type of the first trace is of an object that was gone."""
        note = self._old.get(id(type_))
        return note is not None and note.died <= self._now

    def fits(self, new: TraceType, old: TraceType) -> bool:
        """Whether the first trace's type serves the second's; notes speak for dead objects."""
        before, after = self._old.get(id(old)), self._new.get(id(new))
        if before is None or after is None:
            return new.is_subtype_of(old)
        return not self.is_gone(old) and before.equals(after)


def compare_calls(old: FunctionType, new: FunctionType, lives: Lives) -> Iterator[Difference]:
    """The differences between two calls: in their parameters, then in the arguments."""
    before = {name: type_ for name, _, type_ in old.typed()}
    after = {name: type_ for name, _, type_ in new.typed()}
    if tuple(before) != tuple(after):
        yield Difference(CauseRule.STRUCTURE, "*args" if len(before) != len(after) else "**kwargs",
                         tuple(before), tuple(after))  # fmt: skip
    for name in before:
        if name in after:
            yield from compare_types(before[name], after[name], name, lives)


def compare_types(old: TraceType, new: TraceType, path: str, lives: Lives) -> Iterator[Difference]:
    """The differences between two types of one argument."""
    if isinstance(old, Structure) and isinstance(new, Structure):
        yield from compare_structures(old, new, path, lives)
        return
    if lives.fits(new, old):
        return
    yield from (Difference(rule, path, old, new) for rule in rules(old, new, lives))


def rules(old: TraceType, new: TraceType, lives: Lives) -> list[CauseRule]:
    """The rules by which a value of type `new` is not of type `old`."""
    if isinstance(old, TensorSpec) and isinstance(new, TensorSpec):
        return [CauseRule.DTYPE] if old.dtype is not new.dtype else [CauseRule.SHAPE]
    if isinstance(old, LiteralType) and isinstance(new, LiteralType):
        return [CauseRule.LITERAL if (old.value is None) is (new.value is None) else CauseRule.KIND]
    if isinstance(old, Weakref) and isinstance(new, Weakref):
        return [CauseRule.DEAD if lives.is_gone(old) else CauseRule.IDENTITY]
    if isinstance(old, VariableType) and isinstance(new, VariableType):
        same = old.alias == new.alias and old.trainable is new.trainable
        return rules(old.spec, new.spec, lives) if same else [CauseRule.VARIABLE]
    if isinstance(old, Structure) or isinstance(new, Structure):
        return [CauseRule.STRUCTURE]
    return [CauseRule.CUSTOM] if type(old) is type(new) else [CauseRule.KIND]


def compare_structures(
    old: Structure, new: Structure, path: str, lives: Lives
) -> Iterator[Difference]:
    """The difference between two containers, else those between their items."""
    keys = old.distinct_keys, new.distinct_keys
    if old.kind is not new.kind or keys[0] != keys[1] or len(old.children) != len(new.children):
        yield Difference(CauseRule.STRUCTURE, path, old, new)
        return
    for i, (before, after) in enumerate(zip(old.children, new.children)):
        yield from compare_types(before, after, path + step(new, i), lives)


def step(structure: Structure, index: int) -> str:
    """The way to one component: `[0]`, `['image']`, `.field`."""
    if structure.keys is None:
        return f"[{index}]"
    key = structure.keys[index]
    is_mapping = isinstance(structure.kind, type) and hasattr(structure.kind, "keys")
    return f"[{key!r}]" if is_mapping and not is_namedtuple(structure.kind) else f".{key}"


def causes(evidence: Sequence[Retrace]) -> list[Cause]:
    """The retraces of a function grouped by rule and argument, the most frequent first."""
    single: dict[tuple[CauseRule, str], Cause] = {}
    for retrace in evidence:
        for difference in retrace.differences:
            key = difference.rule, difference.path
            cause = single.setdefault(key, Cause(difference.rule, (difference.path,)))
            cause.evidence.append((retrace, difference))
    return sorted(together(list(single.values())), key=lambda c: -len(c.numbers))


def together(single: Sequence[Cause]) -> list[Cause]:
    """Causes of one rule that made the same traces necessary, as one."""
    merged: dict[tuple[CauseRule, tuple[int, ...]], Cause] = {}
    for cause in single:
        key = cause.rule, tuple(cause.numbers)
        same = merged.get(key)
        if same is None:
            merged[key] = cause
        else:
            same.paths += cause.paths
            same.evidence += cause.evidence
    return list(merged.values())
