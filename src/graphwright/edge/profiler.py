"""`tf.profiler.experimental`: what ran when, as a trace that Perfetto and Chrome open.

While a profile is taken, an interpreter on top of the others times each op and each call
of a traced function in the thread that started it; nothing is measured otherwise.
"""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

from graphwright.errors import AlreadyExistsError, UnavailableError
from graphwright.files import write_whole
from graphwright.ir.graph import subgraphs_of
from graphwright.op.interpreter import Layer
from graphwright.op.op import Op


class ProfilerOptions(NamedTuple):
    """Levels of detail, as TensorFlow has them; everything is recorded whatever they are."""

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


class Timer(Layer):
    """The interpreter that notes when each op began and how long it took."""

    def __init__(self, logdir: str) -> None:
        self.logdir = logdir
        self.events: list[dict[str, Any]] = []

    def apply(self, op: Op, operands: tuple[Any, ...], name: str | None) -> Any:
        """The op's result, timed."""
        begin = time.perf_counter_ns()
        try:
            return self.hand_on(op, operands, name)
        finally:
            called = next((g.name for g in subgraphs_of(op)), None)
            self.note(op.type_name, begin, {} if called is None else {"function": called})

    def note(self, name: str, begin: int, args: dict[str, Any]) -> None:
        """Adds an event that began at `begin` (ns) and ends now."""
        self.events.append(
            {
                "name": name,
                "ph": "X",
                "ts": begin / 1000,
                "dur": (time.perf_counter_ns() - begin) / 1000,
                "pid": os.getpid(),
                "tid": threading.get_ident(),
                "args": args,
            }
        )


class Session:
    """The profile being taken, if one is: there is one at a time."""

    timer: Timer | None = None


def start(logdir: str, options: ProfilerOptions | None = None) -> None:
    """Begins a profile, to be written under `logdir`; AlreadyExistsError if one is being taken."""
    if Session.timer is not None:
        raise AlreadyExistsError(None, None, "Another profiler is running.")
    timer = Session.timer = Timer(os.fspath(logdir))
    timer.enter()


def stop(save: bool = True) -> None:
    """Ends the profile and writes it; UnavailableError if none is being taken."""
    timer = Session.timer
    if timer is None:
        raise UnavailableError(
            None, None, "Cannot export profiling results. No profiler is running."
        )
    Session.timer = None
    timer.leave()
    if save:
        folder = Path(timer.logdir, "plugins", "profile", time.strftime("%Y_%m_%d_%H_%M_%S"))
        text = json.dumps({"traceEvents": timer.events, "displayTimeUnit": "ms"})
        write_whole(folder / f"{os.getpid()}.trace.json", text.encode())


class Profile:
    """A profile of the block.

    >>> import graphwright as tf, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with tf.profiler.experimental.Profile(folder):
    ...         y = tf.constant(1.0) + 1.0
    ...     print([files[0].endswith(".trace.json") for _, _, files in os.walk(folder) if files])
    [True]
    """

    def __init__(self, logdir: str, options: ProfilerOptions | None = None) -> None:
        self._logdir = logdir
        self._options = options

    def __enter__(self) -> None:
        start(self._logdir, self._options)

    def __exit__(self, *exception: Any) -> None:
        stop()


class Trace:
    """Names the block in the profile, with details such as `step_num`; nothing without one."""

    def __init__(self, name: str, **kwargs: Any) -> None:
        self._name = name
        self._details = kwargs
        self._begin = 0

    def __enter__(self) -> Trace:
        self._begin = time.perf_counter_ns()
        return self

    def set_metadata(self, **kwargs: Any) -> None:
        """Adds details."""
        self._details.update(kwargs)

    def __exit__(self, *exception: Any) -> None:
        if Session.timer is not None:
            details = {key: str(value) for key, value in self._details.items()}
            Session.timer.note(self._name, self._begin, details)
