"""Runs a program in this process, for commands that watch it or lend it a name."""

from __future__ import annotations

import runpy
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from graphwright.autodiff.tape import NoGradient
from graphwright.base.errors import show_users_lines
from graphwright.op.refusal import help_of

_NO_WAY = (
    "since the tape saw no way from the target to that source. A tensor is seen after "
    "tape.watch(tensor) in the `with`, and tape.gradient(..., unconnected_gradients='zero') gives "
    "zeros for None."
)


def run_program(program: str, arguments: Sequence[str]) -> int:
    """Runs a program as `python PROGRAM` would; its exit code.

    What it raises is shown as Python shows it, but from the program's own lines on.
    """
    sys.argv[:] = [program, *arguments]
    sys.path[0] = str(Path(program).resolve().parent)
    try:
        runpy.run_path(program, run_name="__main__")
    except BrokenPipeError:  # `main` knows whether anybody reads still
        raise
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - shown as Python shows it
        if isinstance(error, KeyboardInterrupt):  # which boundaries let through as it is
            show_users_lines(error)
        entry = program_traceback(error.__traceback__, program)
        sys.excepthook(type(error), error.with_traceback(entry), entry)
        if lines := help_of(error):
            print(lines.removeprefix("\n"), file=sys.stderr)
        is_of_none = isinstance(error, TypeError) and "NoneType" in str(error)
        if is_of_none and NoGradient.line is not None:
            print(f"{NoGradient.line}: a gradient is None there, {_NO_WAY}", file=sys.stderr)
        return 128 + signal.SIGINT if isinstance(error, KeyboardInterrupt) else 1
    return 0


def program_traceback(entry: TracebackType | None, program: str) -> TracebackType | None:
    """The part of a traceback from the program on; None if the program did not start."""
    while entry is not None and entry.tb_frame.f_code.co_filename != program:
        entry = entry.tb_next
    return entry
