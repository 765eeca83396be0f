"""This checkout beside another one, sample by sample: what a change costs.

    python -m benchmarks.trees OTHER ROW ... [--rounds N]

The two take turns, so a ratio is of two samples that are a moment apart: on a busy machine their
median holds where medians of whole runs do not. Processes differ by where their memory lies, so
the rounds are divided among several of each.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.peers import OURS
from benchmarks.programs import WORKLOADS
from benchmarks.rounds import ROOT, Worker

#: How many processes of each checkout share the rounds of a row, where one gives many samples.
PROCESSES = 3


def start(row: str, root: Path) -> Worker:
    worker = Worker.start(OURS, sys.executable, row, root)
    assert worker is not None, f"graphwright cannot be imported in {root}"
    return worker


def turns(row: str, other: Path, rounds: int) -> list[tuple[float, float]]:
    """A sample of the other checkout and one of this, in each round."""
    pairs: list[tuple[float, float]] = []
    rounds_of_each = 1 if WORKLOADS[row].fresh else -(-rounds // PROCESSES)
    while len(pairs) < rounds:
        with start(row, other) as theirs, start(row, ROOT) as ours:
            for _ in range(min(rounds_of_each, rounds - len(pairs))):
                order = (theirs, ours) if len(pairs) % 2 else (ours, theirs)
                values = {worker: float(worker.sample()["value"]) for worker in order}
                pairs.append((values[theirs], values[ours]))
    return pairs


def summary(pairs: Sequence[tuple[float, float]]) -> str:
    """Medians of both, and the quartiles of their ratios."""
    theirs, ours = zip(*pairs)
    low, middle, high = statistics.quantiles([our / their for their, our in pairs], n=4)
    return (
        f"{statistics.median(theirs):.4g} {statistics.median(ours):.4g}, "
        f"ratio {middle:.3f} ({low:.3f} to {high:.3f}), of the least {min(ours) / min(theirs):.3f}"
    )


def options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.trees",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("other", type=Path, help="another checkout of this project")
    parser.add_argument("rows", nargs="+", choices=WORKLOADS, metavar="ROW")
    parser.add_argument("--rounds", type=int, default=60)
    chosen = parser.parse_args(arguments)
    if chosen.rounds < 2:
        parser.error("quartiles need 2 rounds")
    return chosen


def main(arguments: list[str] | None = None) -> int:
    chosen = options(arguments)
    other = chosen.other.resolve()
    for row in chosen.rows:
        samples = turns(row, other, chosen.rounds)
        print(f"{row} [{WORKLOADS[row].unit}]: {summary(samples)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
