"""`graphwright launch -n 4 train.py`: runs a program in several processes, on MPI."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of the command."""
    parser.add_argument("-n", type=int, default=2, help="the number of processes")
    parser.add_argument("program", help="a file of Python")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what the program gets")


def run(options: argparse.Namespace) -> int:
    """Runs the command; its exit code."""
    mpiexec = launcher()
    if mpiexec is None:
        print(
            "graphwright launch needs mpiexec, which comes with: pip install 'graphwright[mpi]'",
            file=sys.stderr,
        )
        return 2
    # mpi4py's runner ends all ranks after the traceback of one, wherever that fails.
    program = [sys.executable, "-m", "mpi4py", options.program, *options.arguments]
    code = subprocess.call([*mpiexec, "-n", str(options.n), *program])
    if code:
        print(
            f"graphwright launch: a rank has failed, so all {options.n} have ended (exit code "
            f"{code}). The first traceback is that of the fault; a rank that was killed has none.",
            file=sys.stderr,
        )
    return code


def launcher() -> list[str] | None:
    """The command that starts processes, beside this Python or on the path; None without one."""
    beside = Path(sys.executable).parent / "mpiexec"
    path = str(beside) if beside.exists() else shutil.which("mpiexec")
    if path is None:
        return None
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    is_open = "Open MPI" in version.stdout or "Open Run-Time" in version.stdout
    return [path, "--oversubscribe"] if is_open else [path]
