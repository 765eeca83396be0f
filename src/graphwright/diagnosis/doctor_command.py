"""`graphwright doctor`: what graphwright runs on, how fast that is, and what slows it down.

    graphwright doctor

The report can be pasted into an issue: it names no files but the folder of the cache.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from graphwright.diagnosis.installation import facts
from graphwright.diagnosis.obstacles import obstacles
from graphwright.diagnosis.speeds import speeds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--quick", action="store_true", help="measure nothing")


def run(options: argparse.Namespace) -> int:
    """Prints the report; 0 if nothing slows graphwright down, 1 if something does."""
    print_table(facts())
    if not options.quick:
        print()
        print_table(speeds())
    slow = list(obstacles())
    print()
    for obstacle in slow:
        print(f"slow: {obstacle.what}\n      {obstacle.remedy}")
    if not slow:
        print("nothing slows graphwright down")
    return int(bool(slow))


def print_table(rows: Iterable[tuple[str, str]]) -> None:
    """Prints names and what belongs to them, as each is there."""
    for name, words in rows:
        print(f"{name:14} {words}", flush=True)
