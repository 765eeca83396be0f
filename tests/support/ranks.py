"""Programs in several processes that MPI starts."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from graphwright.library.distribute.launching import launcher

TESTS = Path(__file__).resolve().parents[1]

#: Seconds after which a program is taken to hang, on a machine that does much else.
HANG = 100

#: Whether there is what starts processes.
ARE_POSSIBLE = launcher() is not None


def begin(program: str, ranks: int, folder: Path, **variables: str) -> subprocess.Popen[str]:
    """A program in so many processes, which run."""
    path = folder / "program.py"
    path.write_text(program, encoding="utf-8")
    paths = os.pathsep.join([str(TESTS), *[p for p in sys.path if p]])
    return subprocess.Popen(
        [sys.executable, "-m", "graphwright", "launch", "-n", str(ranks), str(path)],
        env=os.environ | {"PYTHONPATH": paths} | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def end(running: subprocess.Popen[str], hang: float = HANG) -> subprocess.CompletedProcess[str]:
    """A program that has ended; so many seconds are a hang, and none of its processes stays."""
    with running:
        try:
            printed, errors = running.communicate(timeout=hang)
        finally:
            with contextlib.suppress(ProcessLookupError):  # all have ended
                os.killpg(running.pid, signal.SIGKILL)
    return subprocess.CompletedProcess(running.args, running.returncode, printed, errors)


def run(program: str, ranks: int, folder: Path) -> dict[int, Any]:
    """The values that the ranks of a program left; an assertion fails if it does."""
    done = end(begin(program, ranks, folder))
    assert done.returncode == 0, done.stderr
    return values(folder)


def leave(program: str, number: int, value: Any) -> None:
    """Leaves a value beside the program; its file, of this number, appears when it is whole."""
    part = Path(program).with_name(f"{number}.part")
    part.write_text(json.dumps(value), encoding="utf-8")
    part.replace(part.with_suffix(".json"))


def values(folder: Path) -> dict[int, Any]:
    """The value of each rank that left one, by its number."""
    return {int(file.stem): json.loads(file.read_text()) for file in folder.glob("*.json")}
