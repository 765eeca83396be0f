"""`graphwright explain SCRIPT [ARGS]`: runs a program and reports on its functions at its end.

The report comes last, after what the program registered for its exit. It also comes after an
exception, `sys.exit`, `os._exit`, a signal to terminate, or a call that replaces the process. A
forked child writes no report.
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, NoReturn

from graphwright.base.errors import outermost
from graphwright.base.files import write_whole
from graphwright.explain.page import page
from graphwright.explain.report import Report, report
from graphwright.explain.timeline import Timeline
from graphwright.explain.trace_record import FAMILIES, Debug, FunctionFamily
from graphwright.function.polymorphic import PolymorphicFunction
from graphwright.library.presence.program_run import run_program
from graphwright.library.presence.tensorflow_finder import StandIn


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command; the script gets all arguments behind its name."""
    parser.add_argument("--html", metavar="FILE", help="write a page about the program")
    parser.add_argument("--json", metavar="FILE", help="write the reports as JSON")
    parser.add_argument("script", help="the program to run")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="the arguments of the program")


def run(options: argparse.Namespace) -> int:
    """Runs the program and returns its exit code."""
    if not Path(options.script).is_file():
        print(f"graphwright explain: there is no file {options.script!r}", file=sys.stderr)
        return 2
    for kind in ("html", "json"):  # the program may go to another folder
        if getattr(options, kind):
            setattr(options, kind, os.path.abspath(getattr(options, kind)))
    timeline, process = Timeline(perf_counter()), os.getpid()
    Debug.on = True
    observe_calls(timeline)
    atexit.register(conclude, options, timeline, process)
    before_hard_exits(lambda: conclude(options, timeline, process))
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    sys.meta_path.append(StandIn())
    return run_program(options.script, options.arguments)


def observe_calls(timeline: Timeline) -> None:
    """Times all calls of functions from now on."""
    plain: Callable[..., Any] = PolymorphicFunction.__call__

    def timed(self: PolymorphicFunction, *args: Any, **kwargs: Any) -> Any:
        began = perf_counter()
        try:
            return plain(self, *args, **kwargs)
        finally:
            timeline.call(self._history, began, perf_counter())

    setattr(PolymorphicFunction, "__call__", outermost(timed))  # noqa: B010 - a method, for all instances


def before_hard_exits(work: Callable[[], None]) -> None:
    """Makes `os._exit` and the calls that replace the process do `work` first.

    They skip the functions that are registered for the exit.
    """

    def leaving(plain: Callable[..., NoReturn]) -> Callable[..., NoReturn]:
        def leave(*arguments: Any) -> NoReturn:
            try:
                work()
            finally:
                plain(*arguments)

        return leave

    for name in ("_exit", "execv", "execve"):  # the others of their kind call these
        setattr(os, name, leaving(getattr(os, name)))


def conclude(options: argparse.Namespace, timeline: Timeline, process: int) -> None:
    """Writes the reports; does nothing in a forked child."""
    if os.getpid() != process:
        return
    families = families_seen()
    reports = [report(family.histories(), family) for family in families]
    if options.json:
        content = [each.to_dict() for each in reports]
        write_whole(options.json, json.dumps(content, indent=1).encode())
    if options.html:
        title = f"graphwright explain {options.script}"
        write_whole(options.html, page(title, families, timeline).encode())
    if not sys.stdout.closed:
        sys.stdout.flush()
    if not sys.stderr.closed:
        print(summary(options.script, reports), file=sys.stderr)


def families_seen() -> list[FunctionFamily]:
    """The functions of the program, in the order in which they were first called."""
    return [family for family in FAMILIES.values() if family.histories()]


def summary(script: str, reports: Sequence[Report]) -> str:
    """All reports as text."""
    if not reports:
        return f"\n{script} called no tf.function."
    return "\n\n".join(["", *map(str, reports)])
