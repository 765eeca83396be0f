"""What is kept of every trace: who asked for it, when, what it cost, how often it served.

Keeping is all that happens while a program runs; `cause`, `fix` and `replay` make sense of
it when somebody looks. What a function was asked for stands in its `History`; functions
made of the same code, as by a decorator in a loop, share a `FunctionFamily`.
"""

from __future__ import annotations

import sys
import types
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from copy import copy
from itertools import repeat
from operator import length_hint
from time import perf_counter
from typing import Any, Protocol

from graphwright.base.errors import Location, last_user_line, user_location
from graphwright.base.identities import IdentityTable
from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.run.tiers import Compilation, Tiered
from graphwright.explain.paths import contents
from graphwright.explain.state import Change, StateWatch
from graphwright.ir.graph import Graph
from graphwright.trace.argument_types import LiteralType, Structure, Weakref
from graphwright.trace.signature import Binder, FunctionType

RECENT = 10  # calls of a family looked back upon
_EACH = 16  # traces of a family that are asked for their calls whenever one is made
_ASKED = 4096  # types that were served without a trace of their own
_FAILURES = 64  # failed calls that are kept
_FIRSTS = 32  # types with which functions of a family began


class Debug:
    """Whether everything is kept and watched: `tf.explain.debug_mode`."""

    on = False


class Tally:
    """How often a trace was called. When it is gone its family has the number.

    A call takes one of `ticks`: the least that counting can cost, and threads lose none.
    """

    __slots__ = ("family", "ticks")

    def __init__(self) -> None:
        self.ticks = repeat(None, sys.maxsize)
        self.family: FunctionFamily | None = None

    @property
    def calls(self) -> int:
        """How many ticks were taken."""
        return sys.maxsize - length_hint(self.ticks)

    def __del__(self) -> None:
        if self.family is not None:
            self.family.retired += self.calls


class Traced(Protocol):
    """What a record keeps of a concrete function."""

    graph: Graph
    function_type: FunctionType
    tally: Tally
    compilations: list[Compilation]
    tiers: Tiered | None
    watch: StateWatch | None
    effects: tuple[Any, ...]

    @property
    def tier(self) -> str:
        """Which tier runs it now: "python" or "native"."""

    @property
    def is_local(self) -> bool:
        """Whether it uses tensors of a function that was being traced around it."""


class ObjectNote:
    """An object that was an argument: its class and state then, and when it was gone.

    A function's state is what it captures and its defaults, its `place` where it was written.
    """

    __slots__ = (
        "_reference",
        "born",
        "died",
        "has_eq",
        "hash",
        "identity",
        "kind",
        "module",
        "names",
        "place",
        "state",
    )

    def __init__(self, value: Any) -> None:
        self.identity = id(value)
        self.kind: str = type(value).__name__
        self.module: str = type(value).__module__
        self.has_eq = any("__eq__" in vars(c) for c in type(value).__mro__[:-1])
        comparable = self.has_eq and type(value).__hash__ is not None
        self.hash = hash(value) if comparable else None
        self.place = ""
        attributes = getattr(value, "__dict__", {})
        if isinstance(value, types.FunctionType):
            self.place = f"{value.__code__.co_filename}:{value.__code__.co_firstlineno}"
            held = [*map(contents, value.__closure__ or ()), *(value.__defaults__ or ())]
            attributes = {str(i): each for i, each in enumerate(held)}
        self.names = tuple(attributes)
        self.state = tuple([_plain(v) for v in attributes.values()])
        self.born = perf_counter()
        self.died = float("inf")
        self._reference: Callable[[], Any] = weakref.ref(value, self._gone)

    def _gone(self, _: object) -> None:
        self.died = perf_counter()

    def equals(self, other: ObjectNote) -> bool:
        """Whether the two are one object or equal; of the dead, by hashes or what they held."""
        mine, others = self._reference(), other._reference()
        if mine is not None and others is not None:
            return mine is others or bool(mine == others)
        alike = self.state == other.state if self.hash is None else self.hash == other.hash
        compared = self.has_eq and self.kind == other.kind and alike
        return self.identity == other.identity or compared

    def comparing(self) -> ObjectNote:
        """The same object, had its class said that equal states are equal objects."""
        other = copy(self)
        other.has_eq, other.hash = True, None
        other._reference = _nobody
        return other


def _nobody() -> None:
    """A reference to an object that cannot be asked."""


def _plain(value: Any) -> Any:
    """A value as part of an object's state: itself where it cannot change, else who it is."""
    return value if isinstance(value, (int, float, str, bytes, type(None))) else id(value)


class TraceRecord:
    """One trace of a function."""

    __slots__ = ("began", "caller", "concrete", "objects", "reason", "seconds", "wanted")

    def __init__(
        self, wanted: FunctionType, concrete: Traced, began: float, caller: Location | None
    ) -> None:
        self.wanted = wanted
        self.concrete = concrete
        self.began = began
        self.caller = caller
        self.seconds = perf_counter() - began
        self.objects = note_objects(wanted)
        self.reason: tuple[Change, ...] = ()  # what had changed, where that was why

    @property
    def calls(self) -> int:
        """How many calls of the function it served."""
        return self.concrete.tally.calls

    @property
    def compilations(self) -> list[Compilation]:
        """What each tier took to generate its code."""
        return self.concrete.compilations

    @property
    def tier(self) -> str:
        """What kind of code runs it now."""
        return self.concrete.tier

    @property
    def size(self) -> int:
        """How many nodes its graph has, those of branches, loops and calls included."""
        return size_of(self.concrete.graph)


class Failure(NamedTuple):
    """A call that could not be bound or traced: the error, who called, which line failed."""

    kind: type[BaseException]
    message: str
    caller: Location | None
    line: Location | None
    stored: tuple[str, ...]  # by what a leaked tensor left its function


class FunctionFamily:
    """The functions made of one piece of code."""

    def __init__(self) -> None:
        self.retired = 0  # calls of traces that are gone
        self.made = 0  # calls that had to trace
        self.due = 0  # which of them is the next to be counted
        self.counted: deque[tuple[int, int]] = deque(maxlen=RECENT)  # which, among all calls
        self.functions = 0  # that were called
        self.firsts: dict[FunctionType, float] = {}  # types that their first calls had, and when
        self.created: dict[Location | None, int] = {}  # how many were made at a line
        self.owners: set[str] = set()  # the classes whose instances they are bound to
        self.members: list[weakref.ref[History]] = []
        self.kept: list[History] = []  # those that debug mode keeps alive
        self.warned: set[Any] = set()
        self.warnings = 0
        self.looks = 0  # how often traces were too frequent

    def join(self, history: History, wanted: FunctionType) -> None:
        """A function of this family was traced for the first time."""
        self.functions += 1
        self.created[history.created] = self.created.get(history.created, 0) + 1
        self.owners.add(history.owner)
        if len(self.firsts) < _FIRSTS:
            self.firsts.setdefault(wanted, perf_counter())
        self.meet(history)

    def meet(self, history: History) -> None:
        """A function of this family was called."""
        self.members.append(weakref.ref(history, self.members.remove))
        if Debug.on:
            self.kept.append(history)

    def histories(self) -> list[History]:
        """Those that are still known."""
        alive = [found for reference in self.members if (found := reference()) is not None]
        return list(dict.fromkeys([*self.kept, *alive]))

    def frequency(self) -> tuple[int, int]:
        """Notes that the present call traced: how many of the last calls did, and of how many.

        To count calls is to ask all traces. So where there are many not every call is counted,
        and more are looked back upon.
        """
        self.made += 1
        if self.made < self.due:
            return 0, 0
        records = [record for history in self.histories() for record in history.records]
        call = 1 + self.retired + sum([record.calls for record in records])
        made, then = self.counted[-1] if self.counted else (0, 0)
        self.counted.append((self.made, call))
        self.due = self.made + len(records) // _EACH
        if then <= call - RECENT:
            return self.made - made, call - then
        first = next(made for made, then in self.counted if then > call - RECENT)
        return self.made - first + 1, min(call, RECENT)


#: Families by the code, or by what else is called.
FAMILIES: IdentityTable[Any, FunctionFamily] = IdentityTable()


def family_of(function: Callable[..., Any]) -> FunctionFamily:
    """The family of a Python function: by its code object, else by itself."""
    inner = getattr(function, "__func__", function)
    code = getattr(inner, "__code__", inner)
    found = FAMILIES.find(code)
    if found is not None:
        return found
    family = FunctionFamily()
    try:
        return FAMILIES.add(code, family)
    except TypeError:  # it cannot be told when it is gone, so nobody else may find it
        return family


class History:
    """What one `tf.function` was asked for."""

    def __init__(
        self,
        function: Callable[..., Any],
        name: str,
        options: dict[str, Any],
        signature: Any,
        skip_self: bool,
    ) -> None:
        self.function = function
        self.name = name
        self.options = options
        self.signature = signature
        self.skip_self = skip_self
        self.created = user_location(3)
        self.records: list[TraceRecord] = []
        self.failures: list[Failure] = []
        #: All types that calls had, in order, and when first: a replay asks for them again.
        self.asked: dict[FunctionType, float] = {}
        self._family: FunctionFamily | None = None

    def asks(self, wanted: FunctionType, began: float) -> None:
        """A call needs a trace of its own."""
        self.asked[wanted] = began

    def traced(self, wanted: FunctionType, concrete: Traced, began: float) -> TraceRecord:
        """A trace was made for a call of type `wanted`, begun at `began`."""
        family = self.family
        if not self.records:
            family.join(self, wanted)
        record = TraceRecord(wanted, concrete, began, user_location(3))
        if self.options["on_stale"] == "retrace":
            record.reason = self.outdated(wanted)
        self.records.append(record)
        concrete.tally.family = family
        return record

    def outdated(self, wanted: FunctionType) -> tuple[Change, ...]:
        """What has changed since the latest trace for calls of a type."""
        for record in reversed(self.records):
            if record.wanted == wanted:
                watch = record.concrete.watch
                return () if watch is None else tuple(watch.changes())
        return ()

    def served(self, wanted: FunctionType) -> None:
        """A call of a new type was served by a trace of a more general one."""
        if len(self.asked) < _ASKED:
            self.asked.setdefault(wanted, perf_counter())

    def failed(self, error: BaseException, stored: tuple[str, ...]) -> None:
        """A call could not be bound or traced."""
        if not self.records and not self.failures:
            self.family.meet(self)
        last = self.failures[-1] if self.failures else None
        repeated = last is not None and (last.kind, last.message) == (type(error), str(error))
        if not repeated and len(self.failures) < _FAILURES:
            line = last_user_line(error)
            place = user_location(3)
            self.failures.append(Failure(type(error), str(error), place, line, stored))

    @property
    def family(self) -> FunctionFamily:
        """The functions made of the same code."""
        if self._family is None:
            self._family = family_of(self.function)
        return self._family

    @property
    def owner(self) -> str:
        """The class whose instance the function is bound to, or nothing."""
        instance = getattr(self.function, "__self__", None)
        return "" if instance is None else type(instance).__name__

    @property
    def calls(self) -> int:
        """How often the function was called."""
        return sum(record.calls for record in self.records)

    def binder(self) -> Binder:
        """The parameters of the Python function."""
        return Binder(self.function, self.skip_self)


def note_objects(wanted: FunctionType) -> dict[int, ObjectNote]:
    """Notes on the objects among a call's arguments, by the id of their types."""
    found: dict[int, ObjectNote] = {}
    for _, _, type_ in wanted.typed():
        if type(type_) is Weakref or type(type_) is Structure:
            for leaf in leaves_of(type_):
                if type(leaf) is Weakref:
                    value = leaf.placeholder_value()
                    if value is not None:
                        found[id(leaf)] = ObjectNote(value)
    return found


def leaves_of(type_: Any) -> Iterator[Any]:
    """The types in nested structures."""
    if type(type_) is Structure:
        for child in type_.children:
            yield from leaves_of(child)
    else:
        yield type_


def size_of(graph: Graph) -> int:
    """The number of nodes of a graph and of those in it."""
    return len(graph.nodes) + sum(map(size_of, graph.subgraphs()))


def is_number(type_: Any) -> bool:
    """Whether a type is that of one Python number."""
    return isinstance(type_, LiteralType) and type(type_.value) in (int, float, complex)
