"""`graphwright launch -n 4 train.py`: runs a program in several processes, on MPI."""

from __future__ import annotations

import argparse
import shutil
import signal
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
    with subprocess.Popen([*mpiexec, "-n", str(options.n), *program]) as running:
        signals = handed_on(running)
        code = running.wait()
    if signals:
        names = " and ".join(signals)
        print(f"graphwright launch: {names} has ended all {options.n} ranks", file=sys.stderr)
    elif code:
        print(
            f"graphwright launch: a rank has failed, so all {options.n} have ended (exit code "
            f"{code}). The first traceback is that of the fault; a rank that was killed has none.",
            file=sys.stderr,
        )
    return code or len(signals)


def handed_on(running: subprocess.Popen[bytes]) -> list[str]:
    """The names of the signals that would end this process, as they come.

    They go on to the one that has started the ranks, which ends them; it has a terminal's already.
    """
    names: list[str] = []

    def hand_on(number: int, frame: object) -> None:
        names.append(signal.Signals(number).name)
        if number != signal.SIGINT or not sys.stdin.isatty():
            running.send_signal(number)

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), hand_on)
    return names


def launcher() -> list[str] | None:
    """The command that starts processes, beside this Python or on the path; None without one."""
    beside = Path(sys.executable).parent / "mpiexec"
    path = str(beside) if beside.exists() else shutil.which("mpiexec")
    if path is None:
        return None
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    is_open = "Open MPI" in version.stdout or "Open Run-Time" in version.stdout
    return [path, "--oversubscribe"] if is_open else [path]
