"""Record files of graphs (`.meta`) that TensorFlow writes, with runs of them and their results.

Usage, in an environment with tensorflow 2.21:
    python tools/record_meta_graphs.py
    python tools/record_meta_graphs.py --load FOLDER
    PYTHONPATH=src python tools/record_meta_graphs.py --write FOLDER    (where graphwright is)

Each program of tests/corpora/meta_graph_programs.py becomes a folder of
tests/golden/meta_graphs.zip, with its checkpoint and `runs.json`. With `--load`, TensorFlow reads
what graphwright wrote with `--write`, and the exit status is 1 where a run gives something else.
"""

from __future__ import annotations

import json
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import recording

if sys.argv[1:2] == ["--write"]:
    import graphwright

    tf = graphwright.compat.v1
else:
    tf = recording.tensorflow().compat.v1

from corpora.classic_programs import plain
from corpora.meta_graph_programs import OLDER, PORTABLE
from support.meta_graphs import meta_file, outcome, unlike

TARGET = recording.GOLDEN / "meta_graphs.zip"


def record(folder: Path) -> None:
    """Runs all programs, and writes what they leave, with the results of the runs."""
    with zipfile.ZipFile(TARGET, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, program in {**PORTABLE, **OLDER}.items():
            (place := folder / name).mkdir()
            runs = program(tf, str(place))
            result: dict[str, Any] = {"runs": runs, "outcome": plain(outcome(tf, place, runs))}
            (place / "runs.json").write_text(json.dumps(result), encoding="utf-8")
            for file in sorted(path for path in place.iterdir() if path.is_file()):
                when = zipfile.ZipInfo(f"{name}/{file.name}")
                archive.writestr(when, file.read_bytes(), zipfile.ZIP_DEFLATED)


def write(folder: Path) -> None:
    """Runs the programs that graphwright can run."""
    for name, program in PORTABLE.items():
        (folder / name).mkdir(parents=True)
        program(tf, str(folder / name))


def load(folder: Path) -> int:
    """Reads what graphwright wrote; the exit status."""
    wrong = 0
    with zipfile.ZipFile(TARGET) as archive:
        for name in PORTABLE:
            recorded = json.loads(archive.read(f"{name}/runs.json"))
            made = plain(outcome(tf, folder / name, recorded["runs"]))
            lines = list(unlike(made, recorded["outcome"]))
            print(name, meta_file(folder / name).name, lines or "as recorded")
            wrong += bool(lines)
    return int(wrong > 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--load"]:
        sys.exit(load(Path(sys.argv[2])))
    if sys.argv[1:2] == ["--write"]:
        write(Path(sys.argv[2]))
        sys.exit()
    with tempfile.TemporaryDirectory() as made:
        record(Path(made))
