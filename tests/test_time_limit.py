"""conftest.py: a test that hangs is ended, and it shows where."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PROGRAM = """
import threading
import pytest

def test_hangs():
    threading.Event().wait()

@pytest.mark.parametrize("number", range(6))
def test_is_one_of_many(number):
    threading.Event().wait(0.05)

@pytest.mark.slow
def test_takes_long():
    threading.Event().wait(0.5)
"""


def run(name: str, path: Path) -> subprocess.CompletedProcess[str]:
    """Runs a test of the program as one of ours that may take 0.1 s."""
    program = path / "test_program.py"
    program.write_text(PROGRAM)
    command = ["-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider", "-m", "", "-n", "0"]
    command += ["-c", str(ROOT / "pyproject.toml"), f"{program}::{name}"]
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env={**os.environ, "GRAPHWRIGHT_TEST_SECONDS": "0.1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_test_that_hangs_is_ended(tmp_path: Path) -> None:
    done = run("test_hangs", tmp_path)
    assert done.returncode == 1
    assert 'test_program.py", line 6 in test_hangs' in done.stderr


def test_a_slow_test_has_no_limit(tmp_path: Path) -> None:
    done = run("test_takes_long", tmp_path)
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


def test_each_of_many_tests_has_the_time(tmp_path: Path) -> None:
    done = run("test_is_one_of_many", tmp_path)
    assert done.returncode == 0, done.stdout
    assert "6 passed" in done.stdout
