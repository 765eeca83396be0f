"""Records tests/golden/everyday.json.gz from TensorFlow: `python tools/record_everyday.py FOLDER`.

Run it with TensorFlow 2.21 installed. The programs of tests/everyday run eagerly and traced. FOLDER
keeps what is done, so a run that was ended goes on; what is there at the end is the golden file.
The file has the programs' text, so it stays as it is when the generator changes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import recording

tf = recording.tensorflow()

from everyday.coding import encoded
from everyday.peer import outcomes
from everyday.programs import DECORATOR
from everyday.writer import write

#: Programs of one process, which grows, and the seconds that one may take; the first one waits for
#: TensorFlow to be imported.
_AT_ONCE, _SECONDS = 250, 60.0

#: What TensorFlow says where it fails at what it should do: the gradient of `tf.gather_nd` of one
#: element, here. Such programs are left out.
_FAULTS = ("Updates shape must have rank at least one", "must match dimensions [0,1) of updates")


def record(seed: int) -> list[Any]:
    """A program and what it gives: its calls eagerly, then traced; 0 where that is the same."""
    program = write(seed)
    both = [outcomes(program, tf, decorator) for decorator in ("", DECORATOR)]
    if any(fault in o.message for each in both for o in each for fault in _FAULTS):
        return [seed]
    eager, traced = ([encoded(o) for o in each] for each in both)
    return [seed, program.source, program.calls, eager, 0 if traced == eager else traced]


def work(seeds: list[int]) -> None:
    """Prints the records of programs, a line each."""
    for seed in seeds:
        print(json.dumps(record(seed)), flush=True)


def records_of(seeds: list[int]) -> Iterator[list[Any]]:
    """The records of programs, from a process that is ended where one takes too long.

    TensorFlow runs some loops without an end, and cannot be interrupted in them.
    """
    while seeds:
        command = [sys.executable, __file__, "--worker", *map(str, seeds[:_AT_ONCE])]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
            assert worker.stdout is not None
            for seed in seeds[:_AT_ONCE]:
                timer = threading.Timer(_SECONDS, worker.kill)
                timer.start()
                line = worker.stdout.readline()
                timer.cancel()
                seeds = seeds[1:]
                yield json.loads(line) if line.endswith("\n") else [seed]
                if not line:
                    break
            worker.kill()


def main() -> None:
    """Runs programs, and writes all that are done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, nargs=2, default=(1, 5036))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    log = options.folder / "everyday.jsonl"
    lines = log.read_text().splitlines() if log.exists() else []
    finished = {json.loads(line)[0] for line in lines}
    with log.open("a") as file:
        for one in records_of([seed for seed in range(*options.seeds) if seed not in finished]):
            lines.append(json.dumps(one))
            file.write(lines[-1] + "\n")
            file.flush()
    records = [json.loads(line)[1:] for line in lines]
    recording.write("everyday.json.gz", [r for r in records if r])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        work([int(seed) for seed in sys.argv[2:]])
    else:
        main()
