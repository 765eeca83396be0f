"""Adds to tests/golden/differential: `python tools/record_differential.py LOG...`.

A LOG is the file of a run beside TensorFlow (`python -m differential --folder`). Programs whose
seeds the files have are left out; the others fill the last file, and come into new ones after it.
With `--anew`, the files have what the LOGs have, and nothing else. Numbers have the digits that are
compared, and errors the beginning of their words. The files have a list for each kind of entry, and
not for each program: so they are compressed to two thirds.
"""

from __future__ import annotations

import argparse
import bz2
import json
import math
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


def rows_of(logs: list[Path]) -> list[list[Any]]:
    """The programs that TensorFlow came to the end of, by seed; the last line about one counts."""
    rows: dict[int, list[Any]] = {}
    for path in logs:
        rows |= {row[0]: row for row in map(json.loads, path.read_text("utf-8").splitlines())}
    good = sorted((row for row in rows.values() if row[-1]), key=lambda row: row[0])
    return [[*row[:-1], stages(row[-1])] for row in good]


def read(path: Path) -> list[list[Any]]:
    """The rows of a golden file."""
    return [list(row) for row in zip(*json.loads(bz2.decompress(path.read_bytes())), strict=True)]


def add(rows: list[list[Any]], folder: Path) -> None:
    """Writes rows into the last file of a folder as far as it has room, and into new ones."""
    paths = sorted(folder.glob("*.json.bz2"))
    files = {path: read(path) for path in paths}
    known = {row[0] for part in files.values() for row in part}
    new = [row for row in rows if row[0] not in known]
    print(f"{len(rows) - len(new)} programs have seeds that the files have: left out")
    number = int(paths[-1].name.split(".")[0]) if paths else 0
    new = (files[paths[-1]] if paths and new else []) + new
    for i, first in enumerate(range(0, len(new), _COUNT)):
        part = new[first : first + _COUNT]
        path = folder / f"{number + i:02}.json.bz2"
        text = json.dumps(list(zip(*part)), ensure_ascii=False, separators=(",", ":"))
        path.write_bytes(bz2.compress(text.encode()))
        print(f"{path.name}: {len(part)} programs, {path.stat().st_size} bytes")


def main() -> None:
    """Writes the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("logs", metavar="LOG", type=Path, nargs="+")
    parser.add_argument("--anew", action="store_true", help="remove the files that there are")
    parser.add_argument("--folder", type=Path, default=recording.GOLDEN / "differential")
    options = parser.parse_args()
    rows = rows_of(options.logs)
    options.folder.mkdir(exist_ok=True)
    for path in options.folder.glob("*.json.bz2") if options.anew else []:
        path.unlink()
    add(rows, options.folder)


if __name__ == "__main__":
    main()
