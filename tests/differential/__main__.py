"""`python -m differential`: runs random programs beside TensorFlow, and shows those that differ.

python -m differential --recorded --folder F                all whose outcomes are recorded
python -m differential --seed 7 --tensorflow PYTHON         one program; --print shows its text
python -m differential --seeds 0 1000 --folder F --tensorflow PYTHON
                                            many; F keeps what TensorFlow gave, so it goes on
python -m differential --seeds 0 1000 --folder F            what F has, compared anew

A run of the recorded programs that was ended goes on, too: F has those that are done. It says how
many programs each rule of `choices` admits, and shows those that none does. A program that takes
too long is ended in its midst, and the process begins anew after it.

TensorFlow runs each program eagerly. Its graphs take six times as long, so they are asked where
this package gives what does not follow from eager TensorFlow, and in each fiftieth program.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("GRAPHWRIGHT_CACHE_DIR", "off")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from differential.author import Sample, write
from differential.choices import choice
from differential.recorder import ALL_STAGES, Recorder
from differential.results import Tree
from differential.samples import PARTS, recorded
from differential.stages import ENDED, STAGES, differences, quiet
from everyday.limits import limit_memory
from everyday.programs import Program

#: Of so many programs, one is run in TensorFlow's graphs in any case.
_IN_GRAPHS = 50
#: Memory of this process.
_GIGABYTES = 4
#: The variable with the number of programs that were counted before a process began anew.
_SHOWN = "DIFFERENTIAL_SHOWN"


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


class Counts:
    """How many programs agree, and how many differ for each reason."""

    def __init__(self) -> None:
        self.reasons: Counter[str] = Counter()
        self.programs = 0

    def add(self, seed: int, reasons: dict[str, str], program: Program, show: bool = True) -> None:
        """Counts a program, and shows what no rule admits of it."""
        self.programs += 1
        self.reasons.update(set(reasons.values()) or {"agrees"})
        faults = [words for words, reason in reasons.items() if not reason]
        if faults and show:
            print(f"== {seed}", program.source, *program.calls, *faults, sep="\n", flush=True)

    def show(self) -> int:
        """Prints the counts; 1 if there is a program that no rule admits."""
        for reason, count in self.reasons.most_common():
            print(f"{count:6} {reason or 'differ, and no rule admits it'}")
        return int("" in self.reasons)


def rerun(stages: list[str], folder: Path) -> Counts:
    """Compares the recorded programs; what the folder has is not run again.

    After a program that was ended in its midst, this process begins anew.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{'-'.join(stages)}.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    finished = dict(map(json.loads, lines))
    shown = int(os.environ.pop(_SHOWN, "0"))  # so many were shown before this process began anew
    counts = Counts()
    with path.open("a", encoding="utf-8") as file:
        for part in range(PARTS):
            for seed, sample, theirs in recorded(part):
                if seed not in finished:
                    cases = differences(sample, theirs, stages)
                    finished[seed] = {str(case): choice(case, sample) for case in cases}
                    print(json.dumps([seed, finished[seed]]), file=file, flush=True)
                counts.add(seed, finished[seed], sample.program, show=counts.programs >= shown)
                if ENDED:
                    os.environ[_SHOWN] = str(counts.programs)
                    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
    return counts


def main() -> int:
    """Runs what the command line asks for; 1 if a program differs."""
    parser = argparse.ArgumentParser("differential", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--recorded", action="store_true")
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
    if options.recorded:
        return rerun(options.stages, options.folder).show()
    seeds = options.only or (range(*options.seeds) if options.seeds else [options.seed])
    log = Log(options.folder)
    recorder = Recorder(options.tensorflow) if options.tensorflow else None
    counts = Counts()
    for seed, sample, theirs in programs(seeds, log, recorder, options.show):
        if options.record:
            continue
        if theirs is None:
            counts.add(seed, {"": "TensorFlow's process ended"}, sample.program)
            continue

        def ask(stage: str, sample: Sample = sample) -> Tree:
            return (recorder.record(sample, [stage]) or {}).get(stage) if recorder else None

        known = len(theirs)
        cases = differences(sample, theirs, options.stages, ask)
        if len(theirs) > known:
            log.add(seed, sample, theirs)
        counts.add(seed, {str(case): choice(case, sample) for case in cases}, sample.program)
    if recorder:
        recorder.close()
    return counts.show()


def programs(
    seeds: list[int] | range, log: Log, recorder: Recorder | None, show: bool
) -> Iterator[tuple[int, Sample, dict[str, Tree] | None]]:
    """Programs that TensorFlow ran, now or before, with what it gave."""
    for seed in seeds:
        if seed in log.known:
            yield seed, *log.known[seed]
        elif recorder is not None or show:
            with quiet():
                sample = write(seed)
            if show:
                print(sample.program.text(), sample.signature, sep="\n")
            if recorder is not None:
                stages = ALL_STAGES if seed % _IN_GRAPHS == 0 else ["eager"]
                theirs = recorder.record(sample, stages)
                log.add(seed, sample, theirs)
                yield seed, sample, theirs


if __name__ == "__main__":
    sys.exit(main())
