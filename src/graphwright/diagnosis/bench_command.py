"""`graphwright bench`: how long a call of your program takes, beside TensorFlow.

    graphwright bench program.py --call "step(x)"
    graphwright bench program.py --call "step(x)" --tensorflow PYTHON

The program is run once for each library, in processes of their own. What stands under
`if __name__ == "__main__"` is left out. It may import graphwright or tensorflow: the same text runs
on both. CALL is an expression over the program's names. PYTHON is an interpreter
that has TensorFlow; without it, this one is asked.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

_WORKER = Path(__file__).with_name("bench_worker.py")
_COLUMNS = ("import", "1st result", "2nd", "10th", "a call")


class Measurement(NamedTuple):
    """What a library took, in seconds, or the words with which it ended."""

    library: str
    record: dict[str, Any]
    failure: str = ""

    @property
    def cells(self) -> list[str]:
        """The cells of its row."""
        if self.failure:
            return [self.library, self.failure]
        results = self.record["results"]
        times = [self.record["import"], *(results[n] for n in ("1", "2", "10"))]
        return [self.library, *map(duration, times), duration(self.record["call"])]


def duration(seconds: float) -> str:
    """Seconds in a unit that fits."""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1 or unit == "µs":
            return f"{seconds * factor:.3g} {unit}"
    raise AssertionError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("program", help="a file of Python")
    parser.add_argument("--call", required=True, help='an expression, such as "step(x)"')
    parser.add_argument("--tensorflow", metavar="PYTHON", help="an interpreter with TensorFlow")
    parser.add_argument("--seconds", type=float, default=2.0, help="how long calls are repeated")


def run(options: argparse.Namespace) -> int:
    """Prints the table; 0, 1 where results differ, 2 where graphwright cannot make the call."""
    if not Path(options.program).is_file():
        print(f"graphwright bench: there is no file {options.program!r}", file=sys.stderr)
        return 2
    rows = list(measurements(options))
    console = Console()
    table = Table(*["", *_COLUMNS], box=None)
    for row in rows:
        table.add_row(*row.cells)
    console.print(table)
    differing = [row.library for row in rows[1:] if not agree(rows[0], row)]
    for library in differing:
        print(f"{library} gives other numbers than graphwright")
    return 2 if rows[0].failure else int(bool(differing))


def measurements(options: argparse.Namespace) -> Iterator[Measurement]:
    """The rows: graphwright with graphs and without, and TensorFlow where it can be had."""
    python = options.tensorflow or sys.executable
    libraries = [("graphwright", sys.executable), ("graphwright-eager", sys.executable)]
    if options.tensorflow or importlib.util.find_spec("tensorflow") is not None:
        libraries.append(("tensorflow", python))
    for library, interpreter in libraries:
        call = [library, options.program, options.call, str(options.seconds)]
        yield measured(library, [interpreter, str(_WORKER), *call])


def measured(library: str, command: Sequence[str]) -> Measurement:
    """Runs a worker to its end."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        return Measurement(library, {}, lines[-1] if lines else f"ended with {done.returncode}")
    return Measurement(library, json.loads(done.stdout.splitlines()[-1]))


def agree(first: Measurement, other: Measurement) -> bool:
    """Whether two libraries gave the same numbers, as far as rounding goes."""
    if first.failure or other.failure:
        return True
    pairs = list(zip(first.record["numbers"], other.record["numbers"]))
    same_count = len(first.record["numbers"]) == len(other.record["numbers"])
    return same_count and all(
        math.isclose(a, b, rel_tol=1e-3, abs_tol=1e-5) or a == b or (a != a and b != b)
        for a, b in pairs
    )
