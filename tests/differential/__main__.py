"""`python -m differential`: runs random programs beside TensorFlow, and shows those that differ.

python -m differential --seed 7 --tensorflow PYTHON         one program; --print shows its text
python -m differential --seeds 0 1000 --folder F --tensorflow PYTHON
                                            many; F keeps what TensorFlow gave, so it goes on
python -m differential --seeds 0 1000 --folder F            what F has, compared anew

TensorFlow runs each program eagerly. Its graphs take six times as long, so they are asked where
this package gives something else than eager TensorFlow, and in each fiftieth program.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from pathlib import Path

os.environ.setdefault("GRAPHWRIGHT_CACHE_DIR", "off")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from differential.author import Sample, write
from differential.recorder import ALL_STAGES, Recorder
from differential.results import Tree
from differential.stages import STAGES, differences, quiet
from everyday.limits import limit_memory
from everyday.programs import Program

#: Of so many programs, one is run in TensorFlow's graphs in any case.
_IN_GRAPHS = 50
#: Memory of this process.
_GIGABYTES = 4


class Log:
    """The programs that TensorFlow ran, and what they gave; the last line about a number counts."""

    def __init__(self, folder: Path | None) -> None:
        self.path = folder / "programs.jsonl" if folder else None
        self.known: dict[int, tuple[Sample, dict[str, Tree] | None]] = {}
        if self.path and self.path.exists():
            for line in self.path.read_text(encoding="utf-8").splitlines():
                seed, source, calls, signature, theirs = json.loads(line)
                self.known[seed] = Sample(Program(source, tuple(calls)), signature), theirs

    def add(self, seed: int, sample: Sample, theirs: dict[str, Tree] | None) -> None:
        """Adds a line."""
        if self.path:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([seed, *sample.program, sample.signature, theirs]) + "\n")


def main() -> int:
    """Runs what the command line asks for; 1 if a program differs."""
    parser = argparse.ArgumentParser("differential", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--seed", type=int)
    parser.add_argument("--seeds", type=int, nargs=2, metavar=("FIRST", "END"))
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--tensorflow", metavar="PYTHON")
    parser.add_argument("--print", action="store_true", dest="show")
    parser.add_argument("--stages", nargs="+", default=list(STAGES), choices=list(STAGES))
    parser.add_argument("--record", action="store_true", help="compare nothing")
    parser.add_argument("--only", type=int, nargs="+", default=[])
    options = parser.parse_args()
    limit_memory(_GIGABYTES)
    log = Log(options.folder)
    recorder = Recorder(options.tensorflow) if options.tensorflow else None
    counted: Counter[str] = Counter()
    for seed in options.only or (range(*options.seeds) if options.seeds else [options.seed]):
        if seed in log.known:
            if options.record:
                continue
            sample, theirs = log.known[seed]
        else:
            if recorder is None and not options.show:
                continue
            with quiet():
                sample = write(seed)
            if options.show:
                print(sample.program.text(), sample.signature, sep="\n")
            if recorder is None:
                continue
            theirs = recorder.record(sample, ALL_STAGES if seed % _IN_GRAPHS == 0 else ["eager"])
            log.add(seed, sample, theirs)
        if options.record:
            continue
        words, known = compared(sample, theirs, options.stages, recorder)
        if theirs and len(theirs) > known:
            log.add(seed, sample, theirs)
        counted["differ" if words else "agree"] += 1
        for kind in {w.split(": ")[1] if ": " in w else w for w in words}:
            counted[kind] += 1
        if words:
            print(f"== {seed}", sample.program.source, *sample.program.calls, *words, sep="\n")
            sys.stdout.flush()
    print(dict(counted))
    if recorder:
        recorder.close()
    return int(counted["differ"] > 0)


def compared(
    sample: Sample, theirs: dict[str, Tree] | None, stages: list[str], recorder: Recorder | None
) -> tuple[list[str], int]:
    """How a program differs, and in how many stages TensorFlow had run it before."""
    if theirs is None:
        return ["TensorFlow: its process ended"], 0

    def ask(stage: str) -> Tree:
        return (recorder.record(sample, [stage]) or {}).get(stage) if recorder else None

    known = len(theirs)
    return differences(sample, theirs, stages, ask), known


if __name__ == "__main__":
    sys.exit(main())
