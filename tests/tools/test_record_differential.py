"""The golden files of random programs: new programs come after those that there are."""

from __future__ import annotations

import bz2
import json
import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).parent.parent.parent / "tools" / "record_differential.py"


def log(path: Path, seeds: range, text: str) -> Path:
    """A log of programs that differ in their text."""
    theirs = {"eager": [{"value": 1.23456789, "state": []}]}
    lines = [json.dumps([seed, f"{text} {seed}", ["program()"], "", theirs]) for seed in seeds]
    lines.append(json.dumps([seeds.stop, "TensorFlow ended", [], "", None]))
    path.write_text("\n".join(lines) + "\n")
    return path


def record(folder: Path, *arguments: str) -> dict[str, list[str]]:
    """The sources that the files have after a run of the tool."""
    command = [sys.executable, str(TOOL), "--folder", str(folder), *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    paths = sorted(folder.glob("*.json.bz2"))
    return {path.name[:2]: json.loads(bz2.decompress(path.read_bytes()))[1] for path in paths}


def test_new_programs_come_after_those_that_there_are(tmp_path: Path) -> None:
    folder = tmp_path / "golden"
    first = log(tmp_path / "first", range(3000), "old")
    files = record(folder, str(first))
    assert {name: len(sources) for name, sources in files.items()} == {"00": 2000, "01": 1000}
    second = log(tmp_path / "second", range(2990, 4500), "new")
    grown = record(folder, str(second))
    assert {name: len(sources) for name, sources in grown.items()} == {
        "00": 2000, "01": 2000, "02": 500,
    }  # fmt: skip
    assert grown["00"] == files["00"]
    assert grown["01"][:1000] == files["01"]
    assert grown["01"][1000] == "new 3000"  # those whose seeds are there stay as they are
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert record(folder, str(second)) == grown
    assert before == {path: path.read_bytes() for path in folder.iterdir()}


def test_files_are_written_anew_only_when_that_is_asked_for(tmp_path: Path) -> None:
    folder = tmp_path / "golden"
    record(folder, str(log(tmp_path / "first", range(2500), "old")))
    files = record(folder, str(log(tmp_path / "second", range(10), "new")), "--anew")
    assert files == {"00": [f"new {i}" for i in range(10)]}
