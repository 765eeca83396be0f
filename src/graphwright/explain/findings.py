"""The parts of a report: the traces of a function and their causes, in words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from graphwright.explain.fix import Fix
from graphwright.explain.wording import plural, unique

if TYPE_CHECKING:
    from graphwright.explain.failure import FailureReport


@dataclass(frozen=True)
class CauseReport:
    """One cause of retraces: their number, the evidence, and the fixes.

    >>> import graphwright as tf
    >>> f = tf.function(lambda x: x * 2)
    >>> for n in (1, 2, 3):
    ...     y = f(tf.ones([n]))
    >>> [cause] = f.explain().causes
    >>> cause.count, cause.paths
    (2, ('x',))
    """

    rule: str
    paths: tuple[str, ...]
    sentence: str
    count: int
    evidence: tuple[str, ...]
    fixes: tuple[Fix, ...]

    @property
    def best(self) -> Fix | None:
        """The fix that saves most traces."""
        return self.fixes[0] if self.fixes else None


@dataclass(frozen=True)
class TraceReport:
    """One trace: its type, who called, why it was made, what it cost.

    >>> import graphwright as tf
    >>> f = tf.function(lambda x: x * 2)
    >>> y = f(tf.ones([2]))
    >>> [trace] = f.explain().traces
    >>> trace.calls, trace.type
    (1, '(x: float32[2])')
    """

    number: int
    type: str
    caller: str
    because: str
    seconds: float
    nodes: int
    calls: int
    compiled: dict[str, float]
    refusal: str
    reads: dict[str, str]
    changes: tuple[str, ...]
    effects: tuple[str, ...]
    loops: tuple[str, ...]
    sums: tuple[str, ...]
    kernels: tuple[str, ...]


@dataclass(frozen=True)
class Findings:
    """The report on one function, or on all that were made of one piece of code."""

    name: str
    place: str
    functions: int
    calls: int
    traces: tuple[TraceReport, ...]
    causes: tuple[CauseReport, ...]
    together: Fix | None
    failures: tuple[FailureReport, ...]

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values, fit for JSON."""
        return asdict(self)

    @property
    def changes(self) -> tuple[str, ...]:
        """The state that traces read and that has changed since."""
        return tuple(unique(change for trace in self.traces for change in trace.changes))

    @property
    def effects(self) -> tuple[str, ...]:
        """The effects that happened once, while tracing."""
        return tuple(unique(effect for trace in self.traces for effect in trace.effects))

    @property
    def sums(self) -> tuple[str, ...]:
        """The sums over ranks: their buckets in order, and what is computed meanwhile."""
        return tuple(unique(bucket for trace in self.traces for bucket in trace.sums))

    @property
    def loops(self) -> tuple[str, ...]:
        """The loops that run as Python over kernels, and what keeps them out of machine code."""
        return tuple(unique(loop for trace in self.traces for loop in trace.loops))

    @property
    def kernels(self) -> tuple[str, ...]:
        """The ops in loops and branches whose kernels machine code calls, with their lines."""
        return tuple(unique(kernel for trace in self.traces for kernel in trace.kernels))

    @property
    def made(self) -> int:
        """The number of traces, those of functions that are gone included."""
        return max(len(self.traces), self.functions)

    @property
    def summary(self) -> str:
        """The report in one line."""
        made = f" of {self.functions} functions" if self.functions > 1 else ""
        traces = plural(len(self.traces), "trace")
        return f"{self.name}: {traces} in {plural(self.calls, 'call')}{made}"
