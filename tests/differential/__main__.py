"""`python -m differential`: runs random programs beside TensorFlow, and shows those that differ.

python -m differential --seed 7 --tensorflow PYTHON         one program; --print shows its text
python -m differential --seeds 0 1000 --folder F --tensorflow PYTHON
                                            many; F keeps what TensorFlow gave, so it goes on
python -m differential --seeds 0 1000 --folder F            what F has, compared anew
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

os.environ.setdefault("GRAPHWRIGHT_CACHE_DIR", "off")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from differential.author import Sample, write
from differential.recorder import Recorder
from differential.stages import STAGES, differences, quiet
from everyday.programs import Program


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
    seeds = range(*options.seeds) if options.seeds else [options.seed]
    log = options.folder / "programs.jsonl" if options.folder else None
    known: dict[int, Any] = {}
    if log and log.exists():
        for line in log.read_text(encoding="utf-8").splitlines():
            seed, *rest = json.loads(line)
            known[seed] = rest
    recorder = Recorder(options.tensorflow) if options.tensorflow else None
    counted: Counter[str] = Counter()
    for seed in options.only or seeds:
        if seed in known:
            source, calls, signature, theirs = known[seed]
            sample = Sample(Program(source, tuple(calls)), signature)
        else:
            if recorder is None and not options.show:
                continue
            with quiet():
                sample = write(seed)
            if options.show:
                print(sample.program.text(), sample.signature, sep="\n")
                if recorder is None:
                    continue
            assert recorder is not None
            theirs = recorder.record(sample.program.source, sample.program.calls, sample.signature)
            if log:
                log.parent.mkdir(parents=True, exist_ok=True)
                with log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([seed, *sample.program, sample.signature, theirs]) + "\n")
        if options.record:
            continue
        words = differences(sample, theirs, options.stages) if theirs else ["no answer"]
        counted["differ" if words else "agree"] += 1
        if words:
            print(
                f"== {seed}",
                sample.program.source,
                *sample.program.calls,
                *words,
                sep="\n",
                flush=True,
            )
    print(dict(counted))
    if recorder:
        recorder.close()
    return int(counted["differ"] > 0)


if __name__ == "__main__":
    sys.exit(main())
