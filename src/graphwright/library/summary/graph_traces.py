"""`tf.summary.trace_on`, `trace_export`, `trace_off`: the graphs of called functions."""

from __future__ import annotations

from typing import Any

from graphwright.base.files import TextPath
from graphwright.base.logs import LOGGER
from graphwright.ir.graph import Graph, subgraphs_of
from graphwright.library.summary.dashboards import metadata
from graphwright.library.summary.profiler import start, stop
from graphwright.library.summary.profiler_session import ProfilerSession as Profile
from graphwright.library.summary.summary import write
from graphwright.op.interpreter import Layer, convert
from graphwright.op.op import Op
from graphwright.trace.scopes import executing_eagerly
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike


class Collector(Layer):
    """The interpreter that collects the graphs of all called functions."""

    def __init__(self, profiles: bool) -> None:
        self.graphs: dict[int, Graph] = {}
        self.profiles = profiles

    def apply(self, op: Op, operands: tuple[object, ...], name: str | None) -> Any:
        """The op's result."""
        for graph in subgraphs_of(op):
            self.graphs.setdefault(id(graph), graph)
        return self.hand_on(op, operands, name)


class TraceSession:
    """The active collection, if there is one."""

    collector: Collector | None = None


def trace_on(
    graph: bool = True, profiler: bool = False, profiler_outdir: TextPath | None = None
) -> None:
    """Starts to collect the graphs of called functions, and a profile if `profiler` is set.

    Does nothing inside a traced function, or while a collection is active.

    Args:
        graph: Whether to collect graphs.
        profiler: Whether to take a profile.
        profiler_outdir: The directory for the profile. Without one no profile is taken, and a
            warning says so.

    >>> import graphwright as tf
    >>> tf.summary.trace_on()
    >>> tf.function(lambda x: x + 1.0)(1.0).numpy()
    np.float32(2.0)
    >>> tf.summary.trace_off()
    """
    if not executing_eagerly() or TraceSession.collector is not None:
        return
    if profiler and profiler_outdir is None:
        LOGGER.warning("No `profiler_outdir` passed to trace_on(): no profile is taken.")
    outdir = profiler_outdir if profiler else None
    collector = TraceSession.collector = Collector(outdir is not None)
    if graph:
        collector.enter()
    if outdir is not None:
        start(outdir)


def trace_export(
    name: str, step: TensorLike | None = None, profiler_outdir: TextPath | None = None
) -> None:
    """Writes the collected graphs as a summary, and ends the collection.

    Args:
        name: The tag of the summary.
        step: The step as an integer, a tensor or a variable. None means that of
            `tf.summary.experimental.set_step` or of the default writer.
        profiler_outdir: Has no effect: `tf.summary.trace_on` sets the directory.

    Raises:
        ValueError: There is no collection, or there is a writer but no step.

    >>> import tempfile, graphwright as tf
    >>> tf.summary.trace_on()
    >>> tf.function(lambda x: x + 1.0)(1.0).numpy()
    np.float32(2.0)
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default() as writer:
    ...     tf.summary.trace_export("plus_one", step=0)
    >>> writer.close()
    """
    collector = TraceSession.collector
    if collector is None:
        raise ValueError("Must enable trace before export through tf.summary.trace_on.")
    data = run_metadata(list(collector.graphs.values()))
    trace_off()
    write(name, convert(data, dt.string), step, metadata("graph_run_metadata_graph", None, b"1"))


def trace_off() -> None:
    """Ends the collection of graphs, and the profile; the graphs are lost.

    >>> import graphwright as tf
    >>> tf.summary.trace_on()
    >>> tf.summary.trace_off()
    """
    collector, TraceSession.collector = TraceSession.collector, None
    if collector is None:
        return
    collector.leave()
    if collector.profiles and Profile.timer is not None:
        stop()


def run_metadata(graphs: list[Graph]) -> bytes:
    """Graphs as a serialized message."""
    from graphwright.proto.event_pb2 import RunMetadata  # protobuf is large

    message = RunMetadata()
    for graph in graphs:
        definition = graph.as_graph_def()
        message.partition_graphs.append(definition)
        message.function_graphs.add(
            partition_graphs=[definition],
            pre_optimization_graph=definition,
            post_optimization_graph=definition,
        )
    return message.SerializeToString(deterministic=True)
