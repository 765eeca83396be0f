"""Measure graphwright beside its peers.

    python -m benchmarks [--only W1 ...] [--peers graphwright jax ...]
                         [--peer tensorflow=/path/to/its/python ...] [--rounds N]
                         [--json FILE] [--markdown] [--page]

A peer that is not installed in this interpreter is left out, unless --peer names the one that has
it. Times are medians over interleaved rounds; compare them within one run only.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import track

from benchmarks import tables
from benchmarks.peers import PEERS, library_of
from benchmarks.programs import WORKLOADS
from benchmarks.rounds import Row, measure


def named_python(text: str) -> tuple[str, str]:
    """An argument of --peer, `NAME=PYTHON`."""
    peer, _, python = text.partition("=")
    libraries = dict.fromkeys(map(library_of, PEERS))
    if peer not in libraries or not python:
        known = ", ".join(libraries)
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=PYTHON, NAME of {known}")
    return peer, python


def options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--only", nargs="+", choices=WORKLOADS, default=list(WORKLOADS), metavar="ROW"
    )
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=PEERS, metavar="NAME")
    parser.add_argument("--peer", action="append", type=named_python, default=[])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every sample")
    parser.add_argument("--markdown", action="store_true", help="print Markdown on a terminal too")
    parser.add_argument("--page", action="store_true", help="print a table for each question")
    return parser.parse_args(arguments)


def record(rows: list[Row]) -> str:
    """The run as JSON: every sample."""
    samples = {row.workload.name: {"unit": row.workload.unit, **row.samples} for row in rows}
    return json.dumps({"conditions": tables.conditions(rows), "samples": samples}, indent=1)


def main(arguments: list[str] | None = None) -> int:
    chosen = options(arguments)
    named = dict(chosen.peer)
    pythons = {peer: named.get(library_of(peer), sys.executable) for peer in chosen.peers}
    progress = Console(stderr=True)
    rows = [
        measure(WORKLOADS[name], pythons, chosen.rounds)
        for name in track(chosen.only, console=progress, disable=not progress.is_terminal)
    ]
    rows.sort(key=lambda row: row.ratio() or 0.0)  # the worst last
    peers = [peer for peer in PEERS if any(peer in row.samples for row in rows)]
    console = Console()
    if chosen.page:
        print(tables.page(rows, peers), end="")
    elif chosen.markdown or not console.is_terminal:
        print(tables.markdown(rows, peers), end="")
    else:
        console.print(tables.terminal(rows, peers))
    if chosen.json:
        chosen.json.write_text(record(rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
