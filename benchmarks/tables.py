"""The rows of a run as text: Markdown for the documents, rich for a terminal."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from benchmarks.peers import OURS
from benchmarks.questions import QUESTIONS, question_of
from benchmarks.rounds import Row
from benchmarks.workload import Bar


def header(peers: Sequence[str]) -> list[str]:
    return ["", "unit", *peers, "to the best peer", "goal"]


def cells(row: Row, peers: Sequence[str]) -> list[str]:
    """A row: medians, our ratio to the best peer, the goal and whether it is met."""
    workload = row.workload
    medians = [number(row.median(peer)) for peer in peers]
    ratio = row.ratio()
    compared = "-" if ratio is None else f"{ratio:.3g} ({row.best_peer()})"
    return [f"{workload.name} {workload.title}", workload.unit, *medians, compared, goal(row)]


def goal(row: Row) -> str:
    limit, ours = row.workload.goal, row.median(OURS)
    if row.workload.bar is not None:
        return beside(row, row.workload.bar)
    if limit is None or ours is None:
        return "-"
    return f"{limit:g}, {'met' if ours <= limit else 'missed'}"


def beside(row: Row, bar: Bar) -> str:
    """How a bar is met: by our speed, or by how far we are above a peer."""
    peer, ours = bar.peer or row.best_peer(), row.median(OURS)
    theirs = row.median(peer) if peer else None
    if ours is None or theirs is None:
        return "-"
    if bar.above is not None:
        above = ours - theirs
        verdict = "met" if above <= bar.above else "missed"
        return f"{above:.3g} above {peer}, at most {bar.above:g}, {verdict}"
    speed = theirs / ours
    return f"{speed:.2g} of {bar.times:g} {peer}, {'met' if speed >= bar.times else 'missed'}"


def number(value: float | None) -> str:
    """Three digits that count, never an exponent.

    >>> [number(x) for x in (0.1234, 12.345, 1234.5, None)]
    ['0.123', '12.3', '1234', '-']
    """
    if value is None:
        return "-"
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def markdown(rows: Sequence[Row], peers: Sequence[str]) -> str:
    """The run as a Markdown table, the machine and the versions under it."""
    return "\n\n".join([table_of(rows, peers), *notes(rows), conditions(rows)]) + "\n"


def page(rows: Sequence[Row], peers: Sequence[str]) -> str:
    """The run as a page for users: a table for each question, the machine and versions below."""
    parts = []
    for heading in QUESTIONS:
        of_it = [row for row in rows if question_of(row.workload.name) == heading]
        if of_it:
            asked = [peer for peer in peers if any(peer in row.samples for row in of_it)]
            parts.append(f"## {heading}\n\n{table_of(of_it, asked)}")
    return "\n\n".join([*parts, *notes(rows), conditions(rows)]) + "\n"


def table_of(rows: Sequence[Row], peers: Sequence[str]) -> str:
    """Rows as a Markdown table."""
    lines = [header(peers), ["---", "---"] + ["---:"] * (len(peers) + 2)]
    return joined([*lines, *[cells(row, peers) for row in rows]])


def joined(lines: Sequence[Sequence[str]]) -> str:
    """The text of a Markdown table, whose first two lines are its header."""
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def terminal(rows: Sequence[Row], peers: Sequence[str]) -> Table:
    table = Table(caption="\n".join([*notes(rows), conditions(rows)]))
    for i, title in enumerate(header(peers)):
        table.add_column(title, justify="left" if i < 2 else "right")
    for row in rows:
        table.add_row(*cells(row, peers))
    return table


def notes(rows: Sequence[Row]) -> list[str]:
    """Which row is the worst, and what peers could not do."""
    compared = [(ratio, row) for row in rows if (ratio := row.ratio()) is not None]
    result = []
    if compared:
        ratio, row = max(compared, key=lambda pair: pair[0])
        result.append(f"The worst: {row.workload.name}, {ratio:.3g} times {row.best_peer()}.")
    for row in rows:
        for peer, words in row.refusals.items():
            result.append(f"{row.workload.name} of {peer}: `{words}`")
    return result


def conditions(rows: Sequence[Row]) -> str:
    """The machine, the interpreter, the versions, how busy the machine was at the end."""
    versions = {peer: version for row in rows for peer, version in row.versions.items()}
    libraries = ", ".join(f"{peer} {version}" for peer, version in versions.items())
    load = f"; load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    machine = f"{processor()}, {os.cpu_count()} cores{load}"
    return f"{machine}; Python {platform.python_version()}; {libraries}."


def processor() -> str:
    """The processor's name, as far as the system tells it."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
