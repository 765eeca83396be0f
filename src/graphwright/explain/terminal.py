"""Reports on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from graphwright.explain.wording import plural

if TYPE_CHECKING:
    from graphwright.explain.findings import CauseReport, Findings, TraceReport
    from graphwright.explain.fix import Fix

_ROWS = 12  # traces shown


def render(report: Findings) -> Any:
    """The report as rich prints it."""
    parts: list[Any] = [Text(report.summary, style="bold"), Text(report.place, style="dim")]
    if report.traces:
        parts.append(traces(report))
    for number, cause in enumerate(report.causes, start=1):
        parts += cause_lines(number, cause, report.made)
    if report.together is not None:
        head = Text("\nAll together", style="bold")
        parts += [head, *fix_lines(report.together, report.made)]
    parts += notes("State that changed after a trace had read it", report.changes)
    parts += notes("While tracing", report.effects)
    parts += notes("Loops that run as Python", report.loops)
    parts += notes("Sums over ranks", report.sums)
    parts += notes("Kernels that machine code calls", report.kernels)
    for failure in report.failures:
        text = f"\n{failure.error} at {failure.line}: {failure.sentence}"
        parts.append(Text(text, style="red"))
        if failure.fix is not None:
            parts += fix_lines(failure.fix, 0)
    return Group(*parts)


def notes(title: str, lines: Sequence[str]) -> list[Any]:
    """Lines under a title; nothing where there are none."""
    if not lines:
        return []
    return [Text(f"\n{title}:", style="bold"), *[Padding(Text(x), (0, 0, 0, 3)) for x in lines]]


def traces(report: Findings) -> Table:
    """The table of the traces, its middle left out where it is long."""
    table = Table(box=None, pad_edge=False, show_edge=False)
    for name in ("trace", "because", "caller"):
        table.add_column(name, overflow="fold")
    for name in ("traced", "compiled", "nodes", "calls"):
        table.add_column(name, justify="right")
    shown = list(report.traces)
    left_out = len(shown) - _ROWS
    if left_out > 0:
        shown = shown[: _ROWS - 1] + shown[-1:]
    for position, trace in enumerate(shown):
        if left_out > 0 and position == _ROWS - 1:
            table.add_row("...", f"{left_out} more")
        table.add_row(*row(trace))
    return table


def row(trace: TraceReport) -> tuple[str, ...]:
    """The row of one trace."""
    because = trace.because if trace.number else f"the first: {trace.type}"
    compiled = sum(trace.compiled.values())
    return (
        str(trace.number),
        because,
        trace.caller,
        f"{trace.seconds * 1e3:.1f} ms",
        f"{compiled * 1e3:.1f} ms" if trace.compiled else "",
        str(trace.nodes),
        str(trace.calls),
    )


def cause_lines(number: int, cause: CauseReport, now: int) -> list[Any]:
    """A cause, its evidence, its fixes."""
    parts: list[Any] = [Text(f"\n{number}. {cause.sentence}", style="bold")]
    parts += [Padding(Text(line, style="dim"), (0, 0, 0, 3)) for line in cause.evidence]
    for fix in cause.fixes:
        parts += fix_lines(fix, now)
    if not cause.fixes:
        parts.append(Padding(Text("These traces are needed as they are."), (0, 0, 0, 3)))
    return parts


def fix_lines(fix: Fix, now: int) -> list[Any]:
    """A fix and its code."""
    text = plural(fix.traces, "trace") if fix.traces != now else "no fewer traces by itself"
    head = Text(f"{fix.title}: {text}. {fix.note}".rstrip(), style="green")
    code = "\n".join(f"      {line}".rstrip() for line in fix.code.splitlines())
    return [Padding(head, (0, 0, 0, 3)), Text(code, no_wrap=True, overflow="ignore")]
