"""One self-contained page about a program: timeline, causes, functions, graphs, memory."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path

from graphwright.explain import memory_profile
from graphwright.explain.findings import CauseReport, TraceReport
from graphwright.explain.notebook import failure_html, fix_html
from graphwright.explain.report import Report, report
from graphwright.explain.timeline import Timeline
from graphwright.explain.trace_record import FunctionFamily, History, TraceRecord
from graphwright.explain.wording import listed, plural
from graphwright.ir.picture import html as picture
from graphwright.ir.text import print_graph

_GRAPHS = 20  # traces of a function whose graphs are drawn
_HEADS = (
    ("function", ""), ("rule", ""), ("argument", ""), ("retraces", "number"),
    ("best fix", ""), ("traces then", "number"),
)  # fmt: skip
_HERE = Path(__file__)


def page(title: str, families: Sequence[FunctionFamily], timeline: Timeline) -> str:
    """The page, as HTML that loads nothing."""
    pairs = [(report(family.histories(), family), family.histories()) for family in families]
    histories = [history for _, members in pairs for history in members]
    events = json.dumps(timeline.to_dict(histories)).replace("<", "\\u003c")
    sections = "".join(function_html(each, members) for each, members in pairs)
    style, script = (_HERE.with_name(f"page.{kind}").read_text("utf-8") for kind in ("css", "js"))
    reports = [each for each, _ in pairs]
    left_out = f" {timeline.left_out} later calls are left out." if timeline.left_out else ""
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>
<link rel="icon" href="data:,">
<style>{style}</style></head><body>
<h1>{escape(title)}</h1>
<p>{escape(summary(reports))}</p>
<h2>Timeline</h2>
<p class="legend"><span><i style="background:#69c"></i>call</span><span><i
style="background:#e83"></i>trace</span><span><i style="background:#7a4"></i>compilation</span>
Wheel zooms, dragging moves, a double click shows all.{left_out}</p>
<canvas id="timeline"></canvas><div id="tip"></div>
<h2>Causes of retraces</h2>
{causes_html(reports)}
<h2>Functions</h2>
{sections}
<script type="application/json" id="events">{events}</script>
<script>{script}</script></body></html>
"""


def summary(reports: Sequence[Report]) -> str:
    """The program in a sentence."""
    traces = sum(each.made for each in reports)
    calls = sum(each.calls for each in reports)
    seconds = sum(trace.seconds for each in reports for trace in each.traces)
    return (
        f"{plural(len(reports), 'function')}, {plural(calls, 'call')}, {plural(traces, 'trace')}; "
        f"{seconds * 1e3:.1f} ms of tracing."
    )


def causes_html(reports: Sequence[Report]) -> str:
    """The table of causes."""
    heads = "".join(f"<th class='sorts {kind}'>{name}</th>" for name, kind in _HEADS)
    bodies = "".join(cause_html(each, cause) for each in reports for cause in each.causes)
    return f"<table id='causes'><thead><tr>{heads}</tr></thead>{bodies}</table>"


def cause_html(each: Report, cause: CauseReport) -> str:
    """The row of a cause, and the details that a click unfolds."""
    best = cause.best
    cells = [each.name, cause.rule, listed(cause.paths)]
    row = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    row += f"<td class='number'>{cause.count}</td>"
    row += f"<td>{escape(best.title) if best else ''}</td>"
    row += f"<td class='number'>{best.traces if best else each.made}</td>"
    shown = "".join(f"<li>{escape(line)}</li>" for line in cause.evidence)
    fixes = "".join(map(fix_html, cause.fixes))
    more = f"<p>{escape(cause.sentence)}</p><ul>{shown}</ul>{fixes}"
    return (
        f"<tbody><tr class='cause'>{row}</tr>"
        f"<tr class='more'><td colspan='{len(_HEADS)}'>{more}</td></tr></tbody>"
    )


def function_html(each: Report, histories: Sequence[History]) -> str:
    """The section of one function."""
    parts = [f"<p class='place'>{escape(each.place)}</p>"]
    if each.together is not None:
        parts.append(f"<p>All together:</p>{fix_html(each.together)}")
    called = [f"machine code calls the kernel of {kernel}" for kernel in each.kernels]
    notes = (*each.changes, *each.effects, *each.loops, *each.sums, *called)
    parts += [f"<p>{escape(line)}</p>" for line in notes]
    parts += [f"<div class='failure'>{failure_html(failure)}</div>" for failure in each.failures]
    records = [record for history in histories for record in history.records]
    shown = list(zip(each.traces, records))[:_GRAPHS]
    parts += [trace_html(trace, record) for trace, record in shown]
    if len(records) > len(shown):
        parts.append(f"<p>... and {plural(len(records) - len(shown), 'trace')} more.</p>")
    return (
        f"<details class='function' open><summary>{escape(each.summary)}</summary>"
        f"<div>{''.join(parts)}</div></details>"
    )


def trace_html(trace: TraceReport, record: TraceRecord) -> str:
    """The section of one trace: its cost, its graph, its memory."""
    compiled = ", ".join(f"{tier} code {s * 1e3:.1f} ms" for tier, s in trace.compiled.items())
    facts = (
        f"{plural(trace.calls, 'call')}, traced in {trace.seconds * 1e3:.1f} ms, "
        f"{plural(trace.nodes, 'node')}{', ' if compiled else ''}{compiled}"
    )
    if trace.refusal:
        facts += f"; no machine code: {trace.refusal}"
    reads = "".join(f"<li>{escape(f'{k} = {v}')}</li>" for k, v in trace.reads.items())
    graph = record.concrete.graph
    plans = "".join(
        f"<details class='memory'><summary>{title}</summary><div><p>{escape(plan.words)}</p>"
        f"{memory_profile.svg(plan)}</div></details>"
        for title, plan in memory_profile.plans(graph, record.tier)
    )
    text = escape(print_graph(graph, locations=True))
    return (
        f"<details class='trace'><summary>trace {trace.number}: {escape(trace.because)} "
        f"<span class='place'>{escape(trace.caller)}</span></summary><div>"
        f"<p><code>{escape(trace.type)}</code></p><p>{escape(facts)}</p>"
        f"{f'<p>Read while tracing:</p><ul>{reads}</ul>' if reads else ''}"
        f"<details class='graph' open><summary>graph</summary><div>{picture(graph)}</div></details>"
        f"<details><summary>graph as text</summary><pre>{text}</pre></details>"
        f"{plans}</div></details>"
    )
