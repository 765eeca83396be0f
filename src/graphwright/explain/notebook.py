"""Reports as HTML, for notebooks."""

from __future__ import annotations

from html import escape

from graphwright.explain.failure import FailureReport
from graphwright.explain.findings import CauseReport, Findings
from graphwright.explain.fix import Fix
from graphwright.explain.wording import plural


def html(report: Findings) -> str:
    """The report for a notebook: plain elements, without colours of their own."""
    rows = "".join(
        f"<tr><td>{t.number}</td><td>{escape(t.type)}</td><td>{escape(t.because)}</td>"
        f"<td>{escape(t.caller)}</td><td>{t.seconds * 1e3:.1f} ms</td><td>{t.nodes}</td>"
        f"<td>{t.calls}</td></tr>"
        for t in report.traces
    )
    head = "".join(
        f"<th>{h}</th>" for h in ("", "type", "because", "caller", "traced in", "nodes", "calls")
    )
    parts = [f"<h4>{escape(report.summary)}</h4>"]
    parts += [f"<table><tr>{head}</tr>{rows}</table>"] if rows else []
    parts += [cause_html(cause) for cause in report.causes]
    parts += [
        f"<p>{escape(line)}</p>"
        for line in (*report.changes, *report.effects, *report.loops, *report.sums)
    ]
    parts += [failure_html(failure) for failure in report.failures]
    if report.together is not None:
        parts.append(f"<p>All together:</p>{fix_html(report.together)}")
    return "".join(parts)


def cause_html(cause: CauseReport) -> str:
    """A cause and its fixes."""
    shown = "".join(f"<li>{escape(line)}</li>" for line in cause.evidence)
    inside = "".join(map(fix_html, cause.fixes))
    return f"<h5>{escape(cause.sentence)}</h5><ul>{shown}</ul>{inside}"


def failure_html(failure: FailureReport) -> str:
    """A call that failed."""
    fix = fix_html(failure.fix) if failure.fix is not None else ""
    return (
        f"<h5>{escape(failure.error)} at {escape(failure.line)}</h5>"
        f"<p>{escape(failure.sentence)}</p>{fix}"
    )


def fix_html(fix: Fix) -> str:
    """A fix and its code."""
    note = f" <em>{escape(fix.note)}</em>" if fix.note else ""
    return (
        f"<p>{escape(fix.title)}: {plural(fix.traces, 'trace')}.{note}</p>"
        f'<pre style="font-family:monospace">{escape(fix.code)}</pre>'
    )
