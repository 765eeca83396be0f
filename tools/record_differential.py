"""Writes tests/golden/differential.json.gz: `python tools/record_differential.py LOG SEED...`.

LOG is the file of a run beside TensorFlow (`python -m differential --folder`). Its programs are
kept, without those whose seeds are named: they differ.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import recording

#: Programs in the file, at most.
_COUNT = 800


def compact(theirs: dict[str, Any]) -> dict[str, Any]:
    """Outcomes, 0 where a stage has those of the eager one, with short words of errors."""
    for outcomes in theirs.values():
        for outcome in outcomes:
            outcome.pop("above", None)
            if "words" in outcome:
                outcome["words"] = outcome["words"][:120]
    same = {stage: 0 for stage, outcomes in theirs.items() if outcomes == theirs["eager"]}
    return {**theirs, **same, "eager": theirs["eager"]}


def main() -> None:
    """Writes the file."""
    left_out = set(map(int, sys.argv[2:]))
    lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    rows = {row[0]: row for row in map(json.loads, lines)}  # the last line about a number counts
    good = [row for seed, row in rows.items() if seed not in left_out and row[-1]]
    programs = [[*row[:-1], compact(row[-1])] for row in good[:_COUNT]]
    recording.write("differential.json.gz", programs)


if __name__ == "__main__":
    main()
