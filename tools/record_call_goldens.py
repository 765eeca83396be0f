"""Records tests/golden/calls.json.gz: `python tools/record_call_goldens.py make NAMES`, then `run`.

`make` writes bad calls of the functions that a file names, one a line, from the examples of this
package: it runs where this package is. `run` adds TensorFlow's outcomes, where TensorFlow 2.21 is.
It goes on where it was stopped; a call that ends TensorFlow's own process is noted and left out.
"""

from __future__ import annotations

import gzip
import json
import logging
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import recording
from support.spoiled_calls import MODES, SpoiledCall, calls_of, outcome

#: So many calls are made of each function.
EACH = 10
FILE = recording.GOLDEN / "calls.json.gz"
#: Outcomes so far, a line for each call; and the number of the call that runs.
PROGRESS = Path(tempfile.gettempdir()) / "calls.jsonl"
CURRENT = PROGRESS.with_suffix(".now")


def make(names: str) -> None:
    """Writes the calls, without outcomes."""
    import graphwright as tf

    listed = Path(names).read_text(encoding="utf-8").split()
    calls = [call for name in listed for call in calls_of(tf, name, EACH)]
    recording.write(FILE.name, [[*call, None] for call in calls])


def rows() -> list[list[Any]]:
    """What the file has."""
    found: list[list[Any]] = json.loads(gzip.decompress(FILE.read_bytes()))
    return found


def step() -> None:
    """Runs the calls that have no outcome yet."""
    tf = recording.tensorflow()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    calls = rows()
    start = len(PROGRESS.read_text().splitlines()) if PROGRESS.exists() else 0
    with open(PROGRESS, "a", encoding="utf-8") as file:
        for number in range(start, len(calls)):
            CURRENT.write_text(str(number))
            call = SpoiledCall(*calls[number][:-1])
            file.write(json.dumps([outcome(call, tf, mode) for mode in MODES[:2]]) + "\n")
            file.flush()


def run() -> None:
    """Runs all calls, in processes of their own, and writes the outcomes."""
    while subprocess.run([sys.executable, __file__, "step"], check=False).returncode:
        number = len(PROGRESS.read_text().splitlines()) if PROGRESS.exists() else 0
        if CURRENT.read_text() == str(number):  # it has ended the process
            with open(PROGRESS, "a", encoding="utf-8") as file:
                file.write("null\n")
    outcomes = [json.loads(line) for line in PROGRESS.read_text().splitlines()]
    recording.write(FILE.name, [[*row[:-1], got] for row, got in zip(rows(), outcomes)])
    for path in (PROGRESS, CURRENT):
        os.unlink(path)


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    {"make": make, "run": run, "step": step}[command](*arguments)
