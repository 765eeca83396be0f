"""`f.explain()`: the report on a function's traces, as text, HTML and plain values."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from graphwright.control.python_call import descriptions
from graphwright.explain.cause import Cause, CauseRule, Difference, Retrace, causes, retraces
from graphwright.explain.findings import CauseReport, Findings, TraceReport
from graphwright.explain.fix import fixes, together
from graphwright.explain.glimpse import GlimpseWatch
from graphwright.explain.keras_functions import KerasFunction, is_of_keras, of_models
from graphwright.explain.paths import reached
from graphwright.explain.proposal import ProposalCase
from graphwright.explain.replay import Requests
from graphwright.explain.sentence import evidence, sentence
from graphwright.explain.state import Change, StateWatch, variable_form
from graphwright.explain.trace_effects import calls_in
from graphwright.explain.trace_record import Debug, FunctionFamily, History, Traced, TraceRecord
from graphwright.explain.wording import call_text, plural, show_place
from graphwright.ir.graph import Graph

if TYPE_CHECKING:
    from graphwright.explain.failure import FailureReport

_EVIDENCE = 5  # retraces shown of each cause


class Report(Findings):
    """The report on one function, or on all that were made of one piece of code.

    It prints, and a notebook shows it as a page.

    >>> import graphwright as tf
    >>> f = tf.function(lambda x: x * 2)
    >>> y = f(tf.ones([2]))
    >>> f.explain().summary
    '<lambda>: 1 trace in 1 call'
    """

    def __str__(self) -> str:
        from rich.console import Console

        console = Console(file=io.StringIO(), width=100, color_system=None)
        console.print(self, crop=False)
        text: str = console.file.getvalue()  # type: ignore[attr-defined]
        return "\n".join(line.rstrip() for line in text.splitlines())

    def __rich__(self) -> Any:
        from graphwright.explain.terminal import render  # rich is loaded where it prints

        return render(self)

    def _repr_html_(self) -> str:
        from graphwright.explain import notebook  # `html` is loaded where somebody sees it

        return notebook.html(self)


def report(histories: Sequence[History], family: FunctionFamily, with_loops: bool = True) -> Report:
    """The report on functions made of one piece of code.

    `with_loops` lowers every trace once more, to say what keeps its loops out of machine code.
    """
    first = histories[0]
    whys = {history: retraces(history) for history in histories}
    if is_of_keras(first):
        return report_on_keras(first, family, whys[first], with_loops)
    reports = [cause_report(h, cause) for h in histories for cause in causes(whys[h])]
    if family.functions > 1:
        reports.append(family_cause(family, first))
    reports.sort(key=lambda cause: -cause.count)
    case = ProposalCase.of(first)
    return Report(
        first.name,
        place_of(first),
        max(family.functions, 1),
        sum(history.calls for history in histories),
        tuple([trace for h in histories for trace in trace_reports(h, whys[h], with_loops)]),
        tuple(merged(reports)),
        together(case, causes(whys[first])) if len(histories) == 1 else None,
        tuple([failure for history in histories for failure in failures_of(history)]),
    )


def report_on_keras(
    history: History, family: FunctionFamily, whys: Sequence[Retrace], with_loops: bool
) -> Report:
    """The report on a function that Keras made: about the program's call, not about Keras."""
    function = KerasFunction(history)
    causes = list(function.causes(whys))
    models = of_models(family, function)
    causes += [] if models is None else [models]
    causes.sort(key=lambda cause: -cause.count)
    return Report(
        function.title,
        show_place(function.place),
        family.makings.get(history.making, 1),
        history.calls,
        tuple(trace_reports(history, whys, with_loops)),
        tuple(causes),
        None,
        tuple(failures_of(history)),
    )


def failures_of(history: History) -> list[FailureReport]:
    """The reports on the calls of a function that failed."""
    if not history.failures:
        return []
    from graphwright.explain.failure import failure_report  # few functions need it

    return [failure_report(failure, ProposalCase.of(history)) for failure in history.failures]


def merged(reports: Sequence[CauseReport]) -> list[CauseReport]:
    """The causes, each sentence once."""
    return list({cause.sentence: cause for cause in reports}.values())


def place_of(history: History) -> str:
    """The place where the Python function is defined."""
    inner = getattr(history.function, "__func__", history.function)
    code = getattr(inner, "__code__", None)
    return "" if code is None else f"{code.co_filename}:{code.co_firstlineno}"


def cause_report(history: History, cause: Cause) -> CauseReport:
    """A cause in words, with its fixes."""
    case = ProposalCase.of(history)
    notes = case.requests.notes
    shown = [
        f"trace {r.number} ({show_place(r.record.caller if r.record else None)}), "
        f"nearest is trace {r.nearest}: {evidence(d, notes)}"
        for r, d in cause.evidence[:_EVIDENCE]
    ]
    if len(cause.evidence) > _EVIDENCE:
        shown.append(f"... and {len(cause.evidence) - _EVIDENCE} more")
    return CauseReport(
        cause.rule.value,
        cause.paths,
        sentence(cause, notes),
        len(cause.numbers),
        tuple(shown),
        tuple(fixes(case, cause)),
    )


def family_cause(family: FunctionFamily, first: History) -> CauseReport:
    """The cause for which several functions of one code are traced one by one."""
    histories = family.histories()
    owners = sorted(family.owners - {""})
    requests = Requests.of(*histories)
    known = set(requests.types)
    lost = [(t, when) for t, when in family.firsts.items() if t not in known]
    everything = [(t, when) for h in histories for t, when in h.requests.items()] + lost
    case = ProposalCase.of(first, Requests(everything, requests.notes))
    place = max(family.created, key=lambda p: family.created[p])
    number = family.functions
    if owners:
        difference = Difference(CauseRule.INSTANCE, first.name, owners, number)
    else:
        difference = Difference(CauseRule.DECORATOR, first.name, place, number)
    cause = Cause(difference.rule, (first.name,))
    record = first.records[0] if first.records else None
    cause.evidence.append((Retrace(0, record, 0, [difference]), difference))
    return CauseReport(
        cause.rule.value,
        cause.paths,
        sentence(cause, {}),
        number - 1,
        tuple(
            [f"{plural(n, 'function')} made at {show_place(p)}" for p, n in family.created.items()]
        ),
        tuple(fixes(case, cause)),
    )


def trace_reports(
    history: History, evidence: Sequence[Retrace], with_loops: bool
) -> list[TraceReport]:
    """A history's traces in words."""
    whys = {retrace.number: retrace for retrace in evidence}
    return [
        trace_report(history, number, record, whys.get(number), with_loops)
        for number, record in enumerate(history.records)
    ]


def trace_report(
    history: History, number: int, record: TraceRecord, why: Retrace | None, with_loops: bool
) -> TraceReport:
    """One trace in words."""
    notes = {**record.objects}
    if why is not None:
        notes |= history.records[why.nearest].objects
    watch = watch_of(history, record.concrete)
    calls = [] if number or Debug.on else calls_in(reached(history.function, []))
    because = "; ".join(evidence(d, notes) for d in why.differences) if why else "the first"
    return TraceReport(
        number,
        call_text(record.call_type),
        show_place(record.caller),
        because,
        record.seconds,
        record.size,
        record.calls,
        {c.tier: c.seconds for c in record.compilations},
        "" if record.concrete.tiers is None else record.concrete.tiers.refusal,
        {} if watch is None else {str(read.path): watch.shown(read) for read in watch.reads},
        () if watch is None else tuple(map(worded, watch.changes())),
        tuple(map(str, [*record.concrete.effects, *calls])),
        loops_of(record.concrete.graph) if with_loops else (),
        tuple(descriptions(record.concrete.graph)),
        kernels_of(record.concrete.graph) if with_loops else (),
    )


def watch_of(history: History, concrete: Traced) -> StateWatch | None:
    """The state that a trace read, as exactly as it was noted."""
    known = concrete.watch or concrete.notes
    if known is not None or concrete.glimpse is None:
        return known
    return GlimpseWatch(history.name, history.function, concrete.glimpse)


def loops_of(graph: Graph) -> tuple[str, ...]:
    """The loops of a graph that run as Python over kernels, in words."""
    from graphwright.compile.run.kernel_loops import kernel_loops  # it loads the planner

    return tuple(map(str, kernel_loops(graph)))


def kernels_of(graph: Graph) -> tuple[str, ...]:
    """The kernels that machine code of a graph calls, with their lines."""
    from graphwright.compile.run.kernel_loops import called_kernels  # it loads the planner

    return tuple(called_kernels(graph))


def worded(change: Change) -> str:
    """A change, and the form that needs no other trace."""
    return f"{change}; {variable_form(change)}"
