"""Writes tests/golden/differential: `python tools/record_differential.py LOG...`.

A LOG is the file of a run beside TensorFlow (`python -m differential --folder`). Numbers have the
digits that are compared, and errors the beginning of their words. The files have a list for each
kind of entry, and not for each program: so they are compressed to two thirds.
"""

from __future__ import annotations

import bz2
import json
import math
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import recording

#: Programs of a file.
_COUNT = 2000
#: Digits of numbers, by dtype: ten times finer than what may differ.
_DIGITS = {
    "float16": 4, "bfloat16": 3, "float32": 6, "complex64": 6, "float64": 11, "complex128": 11,
}  # fmt: skip


def rounded(number: Any, digits: int) -> Any:
    """A number, or lists of them, of so many digits."""
    if isinstance(number, list):
        return [rounded(n, digits) for n in number]
    return float(f"{number:.{digits}g}") if math.isfinite(number) else number


def compact(tree: Any) -> Any:
    """An outcome with fewer digits and words."""
    if isinstance(tree, list):
        return [compact(t) for t in tree]
    if not isinstance(tree, dict):
        return tree
    if "error" in tree:
        return {"error": tree["error"], "words": tree["words"][:240]}
    if tree.get("of") in _DIGITS:
        return {**tree, "flat": rounded(tree["flat"], _DIGITS[tree["of"]])}
    return {key: compact(t) for key, t in tree.items()}


def stages(theirs: dict[str, Any]) -> dict[str, Any]:
    """Outcomes, 0 where a stage has those of the eager one."""
    small = {stage: compact(outcomes) for stage, outcomes in theirs.items()}
    same = {stage: 0 for stage, outcomes in small.items() if outcomes == small["eager"]}
    return {**small, **same, "eager": small["eager"]}


def main() -> None:
    """Writes the files."""
    rows: dict[int, list[Any]] = {}  # the last line about a number counts
    for path in map(Path, sys.argv[1:]):
        rows |= {row[0]: row for row in map(json.loads, path.read_text("utf-8").splitlines())}
    good = iter(sorted((row for row in rows.values() if row[-1]), key=lambda row: row[0]))
    folder = recording.GOLDEN / "differential"
    folder.mkdir(exist_ok=True)
    for number in range(len(rows) // _COUNT + 1):
        part = list(islice(good, _COUNT))
        columns = [*map(list, zip(*(row[:-1] for row in part))), [stages(r[-1]) for r in part]]
        text = json.dumps(columns, ensure_ascii=False, separators=(",", ":"))
        path = folder / f"{number:02}.json.bz2"
        path.write_bytes(bz2.compress(text.encode()))
        print(f"{path.name}: {len(part)} programs, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
