"""`graphwright doctor` names what slows a process down, and reports on its installation."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from graphwright.diagnosis import obstacles
from graphwright.machine import threads

SOURCES = Path(__file__).resolve().parents[2] / "src"


def doctor(folder: Path, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, with these variables and an empty cache."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GRAPHWRIGHT_")}
    for name in ("PYTHONDONTWRITEBYTECODE", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        environment.pop(name, None)
    environment |= {"PYTHONPATH": str(SOURCES), "GRAPHWRIGHT_CACHE_DIR": str(folder)} | variables
    command = [sys.executable, "-m", "graphwright", "doctor", *options]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def test_a_report_has_facts_and_speeds(tmp_path: Path) -> None:
    done = doctor(tmp_path / "code")
    assert not done.stderr
    rows = dict(re.findall(r"^(\S+(?: \S+)*)  +(.*)$", done.stdout, re.MULTILINE))
    assert f"numpy {np.__version__}" in rows["stands on"]
    assert re.match(r"\d+ of \d+", rows["cores"])
    assert str(tmp_path / "code") in rows["cache"]
    for name in ("import", "products", "memory", "a loop", "a call"):
        assert float(re.findall(r"[\d.]+", rows[name])[0]) > 0
    assert done.returncode == int("slow: " in done.stdout)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("GRAPHWRIGHT_NATIVE", "off", "no machine code is made"),
        ("GRAPHWRIGHT_NATIVE", "check", "looks for faults"),
        ("GRAPHWRIGHT_CACHE_DIR", "off", "each process compiles all"),
        ("PYTHONDONTWRITEBYTECODE", "1", "imports may compile"),
    ],
)
def test_what_is_set_wrongly_is_named(tmp_path: Path, name: str, value: str, words: str) -> None:
    done = doctor(tmp_path / "code", "--quick", **{name: value})
    assert done.returncode == 1
    slow = [line for line in done.stdout.splitlines() if line.startswith("slow: ")]
    assert any(words in line for line in slow)
    assert f"{name}={value}" in done.stdout


def test_a_folder_that_others_write_keeps_no_code(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code").chmod(0o777)
    done = doctor(tmp_path / "code", "--quick")
    assert f"slow: no machine code can be kept in {tmp_path / 'code'}" in done.stdout


def test_a_container_with_fewer_cores_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(obstacles, "quota", lambda: 1.0)
    monkeypatch.setattr(threads, "cores", lambda: 4)
    words = [obstacle.what for obstacle in obstacles.of_cores()]
    assert "the container may use 1 cores, and 4 threads share them" in words
