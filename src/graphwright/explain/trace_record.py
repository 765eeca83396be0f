"""Records of traces: who asked for one, when, what it cost, how often it served.

While a program runs it only records; `cause`, `fix` and `replay` interpret the records when
somebody looks. A function's records stand in its `History`. Functions made of the same code, as by
a decorator in a loop, share a `FunctionFamily`.
"""

from __future__ import annotations

import os
import sys
import threading
import types
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from copy import copy
from itertools import repeat
from operator import length_hint
from time import perf_counter
from typing import Any, Protocol, TypeGuard

from graphwright.base.errors import Location, last_user_line
from graphwright.base.forks import held_over_forks
from graphwright.base.identities import IdentityTable
from graphwright.base.named_tuples import NamedTuple
from graphwright.base.program_calls import ProgramCall, program_call
from graphwright.compile.run.tiers import Compilation, Tiered
from graphwright.explain.glimpse import Glimpse
from graphwright.explain.paths import contents
from graphwright.explain.state import Change, StateWatch
from graphwright.ir.graph import Graph
from graphwright.op.refusal import help_of
from graphwright.trace.argument_types import LiteralType, Structure, Weakref
from graphwright.trace.signature import Binder, FunctionType
from graphwright.types.trace_type import TraceType

RECENT = 10  # calls of a family that decide whether traces are too frequent
_EACH = 16  # traces of a family whose calls are counted whenever one is made

#: Guards the counts of families: threads that trace functions of one family count at once.
_COUNTING = held_over_forks(threading.RLock())
_REQUESTS = 4096  # types of calls at most that other traces served
_FAILURES = 64  # failed calls at most
_FIRSTS = 32  # types of first calls at most, of all functions of a family


class Debug:
    """What is recorded and watched beside types and times: `tf.explain.debug_mode`."""

    on = os.environ.get("GRAPHWRIGHT_EXPLAIN") == "1"
    #: Whether first traces note state and changes for reports. No call pays for it, but they do.
    notes = os.environ.get("GRAPHWRIGHT_EXPLAIN") == "notes"


class Tally:
    """The number of calls of a trace. When the trace is gone its family has the number.

    A call takes one of `ticks`: nothing counts faster, and threads lose no call.
    """

    __slots__ = ("family", "ticks")

    def __init__(self) -> None:
        self.ticks = repeat(None, sys.maxsize)
        self.family: FunctionFamily | None = None

    @property
    def calls(self) -> int:
        """The number of ticks taken."""
        return sys.maxsize - length_hint(self.ticks)

    def __del__(self) -> None:
        if self.family is not None:
            self.family.retired += self.calls


class Traced(Protocol):
    """A concrete function, as far as its record needs it."""

    graph: Graph
    function_type: FunctionType
    tally: Tally
    compilations: list[Compilation]
    tiers: Tiered | None
    watch: StateWatch | None
    notes: StateWatch | None
    glimpse: Glimpse | None
    effects: tuple[Any, ...]

    @property
    def tier(self) -> str:
        """The tier that runs it now: "python" or "native"."""

    @property
    def is_local(self) -> bool:
        """Whether it uses tensors of a function that was being traced around it."""


class ObjectNote:
    """An object that was an argument: its class and state then, and when it was gone.

    A function's state is its captures and its defaults, its `place` the line of its definition.
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

    def __init__(self, value: object) -> None:
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
        self._reference: Callable[[], Any] = weakref.ref(value, self._die)

    def _die(self, _: object) -> None:
        self.died = perf_counter()

    def equals(self, other: ObjectNote) -> bool:
        """Whether the two are one object or equal; dead ones are compared by hash or by state."""
        mine, others = self._reference(), other._reference()
        if mine is not None and others is not None:
            return mine is others or bool(mine == others)
        alike = self.state == other.state if self.hash is None else self.hash == other.hash
        compared = self.has_eq and self.kind == other.kind and alike
        return self.identity == other.identity or compared

    def comparing(self) -> ObjectNote:
        """The same object, as if its class compared states."""
        other = copy(self)
        other.has_eq, other.hash = True, None
        other._reference = _nobody
        return other


def _nobody() -> None:
    """None: a reference to an object that is dead."""


def _plain(value: object) -> object:
    """A value as part of an object's state: itself where it cannot change, else its identity."""
    return value if isinstance(value, (int, float, str, bytes, type(None))) else id(value)


class TraceRecord:
    """One trace of a function."""

    __slots__ = (
        "began", "call_type", "caller", "concrete", "method", "objects", "reason", "seconds",
    )  # fmt: skip

    def __init__(
        self, call_type: FunctionType, concrete: Traced, began: float, call: ProgramCall
    ) -> None:
        self.call_type = call_type
        self.concrete = concrete
        self.began = began
        self.caller = call.line
        self.method = call.method  # of a library, where the program called that
        self.seconds = perf_counter() - began
        self.objects = note_objects(call_type)
        self.reason: tuple[Change, ...] = ()  # the changes of state that asked for the trace

    @property
    def calls(self) -> int:
        """The number of calls that it served."""
        return self.concrete.tally.calls

    @property
    def compilations(self) -> list[Compilation]:
        """The time that each tier took to generate its code."""
        return self.concrete.compilations

    @property
    def tier(self) -> str:
        """The tier that runs it now."""
        return self.concrete.tier

    @property
    def size(self) -> int:
        """The number of nodes of its graph, those of branches, loops and calls included."""
        return size_of(self.concrete.graph)


class Failure(NamedTuple):
    """A call that could not be bound or traced: the error, the caller, the line that failed."""

    kind: type[BaseException]
    message: str
    caller: Location | None
    line: Location | None
    stored: tuple[str, ...]  # the statements by which a leaked tensor left its function


class FunctionFamily:
    """The functions made of one piece of code."""

    def __init__(self) -> None:
        self.retired = 0  # calls of traces that are gone
        self.traces = 0  # calls that made a trace
        self.due = 0  # the number of such a call at which calls are counted next
        self.counted: deque[tuple[int, int]] = deque(maxlen=RECENT)  # (traces, calls) at each count
        self.functions = 0  # functions that were called
        self.firsts: dict[FunctionType, float] = {}  # the types of first calls, and when
        self.created: dict[Location | None, int] = {}  # the number of functions made at a line
        self.makings: dict[ProgramCall, int] = {}  # the same, by the functions of a library too
        self.owners: set[str] = set()  # the classes of the instances that they are bound to
        self.members: list[weakref.ref[History]] = []
        self.retained: list[History] = []  # those that debug mode keeps alive
        self.warned: set[Any] = set()
        self.warnings = 0
        self.looks = 0  # the number of times that traces were too frequent

    def join(self, history: History, call_type: FunctionType) -> None:
        """Notes a function of this family that was traced for the first time."""
        self.functions += 1
        self.created[history.created] = self.created.get(history.created, 0) + 1
        self.makings[history.making] = self.makings.get(history.making, 0) + 1
        self.owners.add(history.owner)
        if len(self.firsts) < _FIRSTS:
            self.firsts.setdefault(call_type, perf_counter())
        self.meet(history)

    def meet(self, history: History) -> None:
        """Notes a function of this family that was called."""
        self.members.append(weakref.ref(history, self.members.remove))
        if Debug.on:
            self.retained.append(history)

    def histories(self) -> list[History]:
        """The histories of functions that still exist or that debug mode keeps."""
        alive = [history for reference in self.members if (history := reference()) is not None]
        return list(dict.fromkeys([*self.retained, *alive]))

    def frequency(self) -> tuple[int, int]:
        """(traces, calls): how many of the last calls made a trace, and their number.

        Notes that the present call made one. Counting calls asks every trace, so with many traces
        only some calls are counted, and the count covers more of them.
        """
        with _COUNTING:
            self.traces += 1
            if self.traces < self.due:
                return 0, 0
            records = [record for history in self.histories() for record in history.records]
            calls = 1 + self.retired + sum([record.calls for record in records])
            last_traces, last_calls = self.counted[-1] if self.counted else (0, 0)
            self.counted.append((self.traces, calls))
            self.due = self.traces + len(records) // _EACH
            if last_calls <= calls - RECENT:
                return self.traces - last_traces, calls - last_calls
            first = next(traces for traces, number in self.counted if number > calls - RECENT)
            return self.traces - first + 1, min(calls, RECENT)


#: Families by the code object of their functions, or by the callable that has none.
FAMILIES: IdentityTable[object, FunctionFamily] = IdentityTable()


def family_of(function: Callable[..., object]) -> FunctionFamily:
    """The family of a Python function: by its code object, else by itself."""
    inner = getattr(function, "__func__", function)
    code = getattr(inner, "__code__", inner)
    known = FAMILIES.find(code)
    if known is not None:
        return known
    family = FunctionFamily()
    try:
        return FAMILIES.add(code, family)
    except TypeError:  # it takes no weak reference, so the table could not drop it in time
        return family


class History:
    """The traces, requests and failures of one `tf.function`."""

    def __init__(
        self,
        function: Callable[..., object],
        name: str,
        options: dict[str, Any],
        signature: tuple[object, ...] | None,
    ) -> None:
        self.function = function
        self.name = name
        self.options = options
        self.signature = signature
        self.making = program_call(2)
        self.created = self.making.line
        self.records: list[TraceRecord] = []
        self.failures: list[Failure] = []
        #: The types of calls in order, and the time of the first call: a replay dispatches them.
        self.requests: dict[FunctionType, float] = {}
        self._family: FunctionFamily | None = None

    def request(self, call_type: FunctionType, began: float) -> None:
        """Notes a call that needs a trace of its own."""
        self.requests[call_type] = began

    def traced(self, call_type: FunctionType, concrete: Traced, began: float) -> TraceRecord:
        """Records a trace that was made for a call of type `call_type`, begun at `began`."""
        family = self.family
        if not self.records:
            family.join(self, call_type)
        record = TraceRecord(call_type, concrete, began, program_call(2))
        if self.options["on_stale"] == "retrace":
            record.reason = self.outdated(call_type)
        self.records.append(record)
        concrete.tally.family = family
        return record

    def outdated(self, call_type: FunctionType) -> tuple[Change, ...]:
        """The changes of state since the latest trace for calls of a type."""
        for record in reversed(self.records):
            if record.call_type == call_type:
                watch = record.concrete.watch
                return () if watch is None else tuple(watch.changes())
        return ()

    def served(self, call_type: FunctionType) -> None:
        """Notes a call of a new type that the trace of a more general one served."""
        if len(self.requests) < _REQUESTS:
            self.requests.setdefault(call_type, perf_counter())

    def failed(self, error: BaseException, stored: tuple[str, ...]) -> None:
        """Records a call that could not be bound or traced."""
        if not self.records and not self.failures:
            self.family.meet(self)
        last = self.failures[-1] if self.failures else None
        message = str(error) + help_of(error)
        repeated = last is not None and (last.kind, last.message) == (type(error), message)
        if not repeated and len(self.failures) < _FAILURES:
            line = last_user_line(error)
            place = program_call(2).line
            self.failures.append(Failure(type(error), message, place, line, stored))

    def failing(self) -> Callable[[BaseException, tuple[str, ...]], None]:
        """What records a failed call of a trace, while this history is there."""
        history = weakref.ref(self)

        def failed(error: BaseException, stored: tuple[str, ...]) -> None:
            known = history()
            if known is not None:
                known.failed(error, stored)

        return failed

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
        """The number of calls of the function."""
        return sum(record.calls for record in self.records)

    def binder(self) -> Binder:
        """The parameters of the Python function."""
        return Binder(self.function)


def note_objects(call_type: FunctionType) -> dict[int, ObjectNote]:
    """Notes on the objects among a call's arguments, by the id of their types."""
    notes: dict[int, ObjectNote] = {}
    for _, _, type_ in call_type.typed():
        if type(type_) is Weakref or type(type_) is Structure:
            for leaf in leaves_of(type_):
                if type(leaf) is Weakref:
                    value = leaf.placeholder_value()
                    if value is not None:
                        notes[id(leaf)] = ObjectNote(value)
    return notes


def leaves_of(type_: TraceType) -> Iterator[TraceType]:
    """The types in nested structures."""
    if type(type_) is Structure:
        for child in type_.children:
            yield from leaves_of(child)
    else:
        yield type_


def size_of(graph: Graph) -> int:
    """The number of nodes of a graph and of those in it."""
    return len(graph.nodes) + sum(map(size_of, graph.subgraphs()))


def is_number(type_: TraceType | None) -> TypeGuard[LiteralType]:
    """Whether a type is that of one Python number."""
    return isinstance(type_, LiteralType) and type(type_.value) in (int, float, complex)
