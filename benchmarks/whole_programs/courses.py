"""The time until the n-th result of the whole programs, and their memory, beside the peers.

    python -m benchmarks.whole_programs.courses [--only NAME ...] [--peers graphwright jax ...]
                         [--peer tensorflow=/path/to/its/python ...] [--rounds N] [--json FILE]

Each peer goes through a program in a process of its own: the import, the first call, and calls
until the hundredth result, with nothing in the cache. The times are medians over interleaved
rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.__main__ import named_python
from benchmarks.peers import OURS, library_of
from benchmarks.rounds import ROOT, environment
from benchmarks.tables import joined, number
from benchmarks.whole_programs.course_worker import Course
from benchmarks.whole_programs.table import PROGRAMS
from benchmarks.whole_programs.whole_program import COUNTS

#: The courses of each round, by program and peer.
Courses: TypeAlias = dict[str, dict[str, list[Course]]]


def measured(peer: str, python: str, name: str) -> Course | None:
    """The course of a program in a new process; None where the peer is not there, or fails."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        done = subprocess.run(
            [python, "-m", "benchmarks.whole_programs.course_worker", peer, name],
            cwd=ROOT,
            env=environment(peer) | {"GRAPHWRIGHT_CACHE_DIR": os.path.join(directory, "code")},
            capture_output=True,
            text=True,
        )
    if done.returncode:
        print(f"{name}, {peer}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    times, *others = json.loads(done.stdout.splitlines()[-1])
    return Course({int(count): milliseconds for count, milliseconds in times.items()}, *others)


def courses(names: Iterable[str], pythons: Mapping[str, str], rounds: int) -> Courses:
    """The courses of programs; each peer takes its turn in each round."""
    all_courses: Courses = {}
    for name in names:
        peers = [peer for peer in pythons if peer in PROGRAMS[name].programs(1)]
        for _ in range(rounds):
            for peer in peers:
                one = measured(peer, pythons[peer], name)
                if one is not None:
                    all_courses.setdefault(name, {}).setdefault(peer, []).append(one)
    return all_courses


def median(rounds: Sequence[Course], count: int, has_import: bool) -> float | None:
    """The median time until a result, if each round came so far."""
    every = [one.times for one in rounds]
    if not all(count in times for times in every):
        return None
    return statistics.median(times[count] + (times[0] if has_import else 0.0) for times in every)


def best(peers: Mapping[str, Sequence[Course]], count: int, has_import: bool) -> float | None:
    """The least median of the peers."""
    others = [median(rounds, count, has_import) for peer, rounds in peers.items() if peer != OURS]
    return min((time for time in others if time is not None), default=None)


def ratios(
    all_courses: Courses,
    theirs: Callable[[Mapping[str, Sequence[Course]], int], float | None],
    count: int,
    has_import: bool,
) -> list[float]:
    """Our times until a result over those that `theirs` gives for a program."""
    quotients = []
    for peers in all_courses.values():
        ours, other = median(peers[OURS], count, has_import), theirs(peers, count)
        if ours is not None and other is not None:
            quotients.append(ours / other)
    return quotients


def beside_each(all_courses: Courses, has_import: bool) -> str:
    """The geometric means of our ratios to each peer and to the best one, as a Markdown table."""
    names = dict.fromkeys(p for peers in all_courses.values() for p in peers if p != OURS)

    def of(peer: str) -> Callable[[Mapping[str, Sequence[Course]], int], float | None]:
        return lambda peers, n: median(peers[peer], n, has_import) if peer in peers else None

    lines = [["to", "programs", *map(str, COUNTS)], ["---", *["---:"] * (len(COUNTS) + 1)]]
    for peer in [*names, "the best"]:
        theirs = of(peer) if peer in names else lambda peers, n: best(peers, n, has_import)
        rows = [ratios(all_courses, theirs, count, has_import) for count in COUNTS]
        means = [number(statistics.geometric_mean(row)) if row else "-" for row in rows]
        lines.append([peer, str(len(rows[0])), *means])
    return joined(lines)


def of_programs(all_courses: Courses, has_import: bool) -> str:
    """Our times until each result, with the ratio to the best peer, as a Markdown table."""
    lines = [["program", *map(str, COUNTS)], ["---", *["---:"] * len(COUNTS)]]
    for name, peers in all_courses.items():
        cells = []
        for count in COUNTS:
            ours, other = median(peers[OURS], count, has_import), best(peers, count, has_import)
            compared = "" if ours is None or other is None else f" ({number(ours / other)})"
            cells.append(number(ours) + compared)
        lines.append([f"`{name}` {PROGRAMS[name].title}", *cells])
    return joined(lines)


def of_memory(all_courses: Courses) -> str:
    """The highest memory of each program beside the best peer's, and what its code takes."""
    titles = ["program", "memory, MiB", "to the best peer", "compiling, ms", "code, KiB"]
    lines = [titles, ["---", *["---:"] * (len(titles) - 1)]]
    for name, peers in all_courses.items():
        peaks = {p: statistics.median(one.peak for one in peers[p]) for p in peers}
        least = min((peer for peer in peaks if peer != OURS), key=peaks.__getitem__, default=None)
        compared = f"{number(peaks[OURS] / peaks[least])} ({least})" if least else "-"
        costs = [(one.compiling or 0.0, one.code or 0.0) for one in peers[OURS]]
        middles = [number(statistics.median(figures)) for figures in zip(*costs)]
        lines.append([f"`{name}` {PROGRAMS[name].title}", number(peaks[OURS]), compared, *middles])
    return joined(lines)


def page(all_courses: Courses) -> str:
    """The tables: from the start of the import on, from that of the first call on, of memory."""
    return "\n\n".join([
        "From the start of the import on: geometric means of our times over a peer's.",
        beside_each(all_courses, has_import=True),
        "From the start of the first call on:",
        beside_each(all_courses, has_import=False),
        "Milliseconds from the start of the import on, and the ratio to the best peer:",
        of_programs(all_courses, has_import=True),
        "The highest memory of the process, what the compiler took, and the machine code it left:",
        of_memory(all_courses),
    ]) + "\n"  # fmt: skip


def options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.whole_programs.courses",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    ways = dict.fromkeys(way for p in PROGRAMS.values() for way in p.programs(1))
    parser.add_argument("--only", nargs="+", choices=PROGRAMS, default=[*PROGRAMS], metavar="NAME")
    parser.add_argument("--peers", nargs="+", choices=ways, default=[*ways], metavar="NAME")
    parser.add_argument("--peer", action="append", type=named_python, default=[])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every time")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    chosen = options(arguments)
    named: dict[str, Any] = dict(chosen.peer)
    pythons = {peer: named.get(library_of(peer), sys.executable) for peer in chosen.peers}
    all_courses = courses(chosen.only, pythons, chosen.rounds)
    print(page(all_courses), end="")
    if chosen.json:
        chosen.json.write_text(json.dumps(all_courses, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
