"""`tf.profiler.experimental`: what ran when, as a trace that Perfetto and Chrome open.

During a profile, an interpreter on top of the others times each op and each call of a traced
function. It does so in the thread that started the profile. The event of a call names the tier,
and each segment of machine code has its own event. So has each compilation, with its tier. With
`host_tracer_level=3` the ops of a function run one by one, with times and source lines.

Other parts of the package add events of their threads, and remarks: sentences about the whole.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from graphwright.base.errors import AlreadyExistsError, UnavailableError
from graphwright.base.files import TextPath, write_whole
from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.run.tiers import Run, native_runner
from graphwright.control.call import call_of
from graphwright.function.concrete import ConcreteFunction
from graphwright.ir.graph import Graph, Node, subgraphs_of
from graphwright.library.summary.profiler_session import ProfilerSession
from graphwright.op.interpreter import Layer
from graphwright.op.op import Op
from graphwright.ops.io.file_system import system_errors
from graphwright.values.tensor import EagerTensor

_TRACKS = 1 << 30  # numbers that no thread has
_DETAILED = 3  # from this level on, the ops inside functions are timed


class ProfilerOptions(NamedTuple):
    """The levels of detail of a profile.

    Args:
        host_tracer_level: An int: from 3 on, the ops inside functions are timed.
        python_tracer_level: It has no effect.
        device_tracer_level: It has no effect.
        delay_ms: It has no effect.

    >>> import graphwright as tf
    >>> tf.profiler.experimental.ProfilerOptions(host_tracer_level=3).host_tracer_level
    3
    """

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


class Timer(Layer):
    """The interpreter that notes when each op began and how long it took."""

    def __init__(self, logdir: str, level: int) -> None:
        self.logdir = logdir
        self.level = level
        self.events: list[dict[str, Any]] = []
        self.began = time.perf_counter()
        self.tracks: dict[str, int] = {}  # those that are no threads
        self.remarks: list[Callable[[], str]] = []  # sentences about what the profile shows
        self.traces: dict[ConcreteFunction, None] = {}
        self.runs: dict[ConcreteFunction, Run] = {}  # machine code of traces, segments timed

    def apply(self, op: Op, operands: tuple[object, ...], name: str | None) -> Any:
        """The op's result, timed."""
        begin = time.perf_counter_ns()
        try:
            return self.hand_on(op, operands, name)
        finally:
            function = next((g.name for g in subgraphs_of(op)), None)
            self.note(op.type_name, begin, {} if function is None else {"function": function})

    def watch_call(self, concrete: ConcreteFunction, tensors: Sequence[EagerTensor]) -> Any:
        """The results of a call of a trace, run by its tier or op by op."""
        self.traces[concrete] = None
        detailed = self.level >= _DETAILED
        tier = "op by op" if detailed else concrete.tier
        if tier == "native" and concrete not in self.runs:
            self.runs[concrete] = native_runner(concrete.graph, self.segment)
        begin = time.perf_counter_ns()
        try:
            if detailed:
                return concrete._outputs.pack(self.each(concrete.graph, tensors))
            if tier == "native":
                return concrete.run_by(self.runs[concrete], tensors)
            return concrete.run([t._array for t in tensors])
        finally:
            name = call_of(concrete.graph).type_name
            self.note(name, begin, {"function": concrete.graph.name, "tier": tier})

    def segment(self, node: Node, native: Callable[..., object]) -> Callable[..., object]:
        """A segment of machine code that notes each of its runs."""
        (graph,) = subgraphs_of(node.op)
        details = {"ops": [n.op.type_name for n in graph.nodes]} | lines_of(graph)

        def timed(*arrays: object) -> object:
            begin = time.perf_counter_ns()
            try:
                return native(*arrays)
            finally:
                self.note("segment", begin, details)

        return timed

    def each(self, graph: Graph, tensors: Sequence[EagerTensor]) -> list[Any]:
        """The results of a graph, its ops timed one by one."""
        values = dict(zip(graph.arguments, [*tensors, *graph.captured]))
        for node in graph.nodes:
            if all(v in values for v in node.outputs) and node.outputs:
                continue
            begin = time.perf_counter_ns()
            result = self.hand_on(node.op, tuple([values[v] for v in node.inputs]), node.name)
            where = {} if node.location is None else {"line": str(node.location)}
            self.note(node.op.type_name, begin, {"name": node.name} | where)
            single = len(node.outputs) == 1 and not node.op.returns_tuple
            values.update(zip(node.outputs, [result] if single else result or ()))
        return [values[v] for v in graph.results]

    def compilations(self) -> None:
        """Adds the compilations of called functions during the profile, on further tracks.

        Threads compile at the same time, and events of one track may not overlap in part.
        """
        pairs = [(each, concrete) for concrete in self.traces for each in concrete.compilations]
        ends: list[float] = []  # of the tracks
        for (tier, began, seconds), concrete in sorted(pairs, key=lambda pair: pair[0].began):
            if began >= self.began:
                free = (i for i, end in enumerate(ends) if end <= began)
                number = next(free, len(ends))
                ends[number : number + 1] = [began + seconds]
                track = self.tracks.setdefault(f"compiler {number}", _TRACKS + number)
                event = self.event(f"compile {concrete.graph.name}", {"tier": tier}, track)
                self.events.append(event | {"ts": began * 1e6, "dur": seconds * 1e6})

    def kernel_loops(self) -> list[str]:
        """The loops of called functions that run as Python, each with the reasons."""
        from graphwright.compile.run.kernel_loops import kernel_loops  # it loads the planner

        return [
            f"{concrete.graph.name}: {loop}"
            for concrete in self.traces
            for loop in kernel_loops(concrete.graph)
        ]

    def names(self) -> list[dict[str, Any]]:
        """The names of the process and of the tracks."""
        tracks = self.tracks | {t.name: t.native_id for t in threading.enumerate() if t.native_id}
        entries = [("process_name", 0, "graphwright")]
        entries += [("thread_name", track, name) for name, track in tracks.items()]
        return [
            {"name": kind, "ph": "M", "pid": os.getpid(), "tid": track, "args": {"name": name}}
            for kind, track, name in entries
        ]

    def note(self, name: str, begin: int, args: Mapping[str, object]) -> None:
        """Adds an event that began at `begin` (ns) and ends now."""
        self.span(name, begin, time.perf_counter_ns() - begin, args)

    def span(self, name: str, begin: int, taken: int, args: Mapping[str, object]) -> None:
        """Adds an event of this thread that began at `begin` and took so long (ns)."""
        times = {"ts": begin / 1000, "dur": taken / 1000}
        self.events.append(self.event(name, args) | times)

    def event(
        self, name: str, args: Mapping[str, object], track: int | None = None
    ) -> dict[str, Any]:
        """An event of this process and thread, or of another track, without its times."""
        # Viewers take thread ids of 32 bits: the system's, not Python's.
        place = {"pid": os.getpid(), "tid": track or threading.get_native_id()}
        return {"name": name, "ph": "X", "cat": "graphwright", "args": args, **place}


def lines_of(graph: Graph) -> dict[str, Any]:
    """The source lines of a graph, in the order of its nodes."""
    lines = dict.fromkeys(str(n.location) for n in graph.nodes if n.location is not None)
    return {"lines": list(lines)}


def start(logdir: TextPath, options: ProfilerOptions | None = None) -> None:
    """Starts a profile, which `tf.profiler.experimental.stop` ends.

    Args:
        logdir: The directory under which the profile is written.
        options: A `tf.profiler.experimental.ProfilerOptions`. Its `host_tracer_level` of 3 or more
            times the ops inside functions too. None means the defaults.

    Raises:
        AlreadyExistsError: A profile is already being taken.

    >>> import os, tempfile, graphwright as tf
    >>> folder = tempfile.mkdtemp()
    >>> tf.profiler.experimental.start(folder)
    >>> y = tf.constant(1.0) + 1.0
    >>> tf.profiler.experimental.stop()
    >>> [files[0].endswith(".trace.json") for _, _, files in os.walk(folder) if files]
    [True]
    """
    if ProfilerSession.timer is not None:
        raise AlreadyExistsError(None, None, "Another profiler is running.")
    level = ProfilerOptions().host_tracer_level if options is None else options.host_tracer_level
    timer = ProfilerSession.timer = Timer(os.fspath(logdir), level)
    timer.enter()


def stop(save: bool = True) -> None:
    """Ends the profile and writes it under the directory that `tf.profiler.experimental.start` got.

    Args:
        save: Whether to write it; if not, it is lost.

    Raises:
        UnavailableError: No profile is being taken.

    >>> import tempfile, graphwright as tf
    >>> tf.profiler.experimental.start(tempfile.mkdtemp())
    >>> tf.profiler.experimental.stop(save=False)
    """
    timer = ProfilerSession.timer
    if timer is None:
        raise UnavailableError(
            None, None, "Cannot export profiling results. No profiler is running."
        )
    assert isinstance(timer, Timer)
    ProfilerSession.timer = None
    timer.leave()
    timer.compilations()
    if save:
        folder = Path(timer.logdir, "plugins", "profile", time.strftime("%Y_%m_%d_%H_%M_%S"))
        events = [*timer.names(), *timer.events]
        profile: dict[str, Any] = {"traceEvents": events, "displayTimeUnit": "ms"}
        remarks = [*[remark() for remark in timer.remarks], *timer.kernel_loops()]
        if remarks:
            profile["otherData"] = {"remarks": remarks}
        text = json.dumps(profile)
        path = folder / f"{os.getpid()}.trace.json"
        with system_errors(path):
            write_whole(path, text.encode())


class Profile:
    """Takes a profile of the block inside it.

    Args:
        logdir: The directory under which the profile is written.
        options: A `tf.profiler.experimental.ProfilerOptions`. None means the defaults.

    Raises:
        AlreadyExistsError: A profile is already being taken.

    >>> import graphwright as tf, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with tf.profiler.experimental.Profile(folder):
    ...         y = tf.constant(1.0) + 1.0
    ...     print([files[0].endswith(".trace.json") for _, _, files in os.walk(folder) if files])
    [True]
    """

    def __init__(self, logdir: TextPath, options: ProfilerOptions | None = None) -> None:
        self._logdir = logdir
        self._options = options

    def __enter__(self) -> None:
        start(self._logdir, self._options)

    def __exit__(self, *exception: object) -> None:
        stop()


class Trace:
    """Adds the block to the profile, if there is one.

    Args:
        name: A string.
        **kwargs: Details by name, such as `step_num`.

    >>> import graphwright as tf
    >>> for step in range(2):
    ...     with tf.profiler.experimental.Trace("train", step_num=step):
    ...         y = tf.constant(1.0) + 1.0
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        self._name = name
        self._details = kwargs
        self._begin = 0

    def __enter__(self) -> Trace:
        self._begin = time.perf_counter_ns()
        return self

    def set_metadata(self, **kwargs: Any) -> None:
        """Adds details.

        Args:
            **kwargs: Details by name.
        """
        self._details.update(kwargs)

    def __exit__(self, *exception: object) -> None:
        if ProfilerSession.timer is not None:
            details = {key: str(value) for key, value in self._details.items()}
            ProfilerSession.timer.note(self._name, self._begin, details)
