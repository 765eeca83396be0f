"""`tf.summary`: writers, steps, conditions, and the general forms of summaries.

Each thread has its own default writer, step and condition.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from graphwright.control.branch import cond
from graphwright.ir.graph import Graph
from graphwright.library.summary import event_file
from graphwright.library.summary.event_file import EventFile
from graphwright.op.interpreter import apply, convert, host_array
from graphwright.op.op import Op
from graphwright.ops.core.static import static_value
from graphwright.ops.math.comparison import logical_and
from graphwright.ops.state.variable_ops import HANDLE
from graphwright.ops.strings.text_operands import string
from graphwright.trace.scopes import executing_eagerly, init_scope, name_scope, scoped_names
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike, TensorValue
from graphwright.values.tensor import box

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from graphwright.proto.graph_pb2 import GraphDef

_QUEUE, _MILLIS, _SUFFIX = 10, 120_000, ".v2"
_OUTSIDE_SCOPES = re.compile(r"[^-_/.A-Za-z0-9]")

#: Whether to record: a bool, a bool tensor, or a function that returns one.
Condition: TypeAlias = TensorLike | Callable[[], TensorLike]


class SummaryState(threading.local):
    """The default writer, step and condition of a thread."""

    writer: SummaryWriter | None = None
    step: TensorLike | None = None
    condition: Condition | None = None  # None: record


STATE = SummaryState()


class SummaryWriter:
    """A target of summaries: the base of writers.

    `tf.summary.create_file_writer` makes one.

    >>> import graphwright as tf
    >>> import tempfile, graphwright as tf
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default(step=1):
    ...     tf.summary.scalar("loss", 0.5).numpy()
    np.True_
    """

    def set_as_default(self, step: TensorLike | None = None) -> None:
        """Makes this the thread's writer from now on.

        Args:
            step: An int or a scalar: the step of summaries that name none. None leaves the step.
        """
        STATE.writer = self
        if step is not None:
            STATE.step = step

    @contextmanager
    def as_default(self, step: TensorLike | None = None) -> Iterator[SummaryWriter]:
        """Makes this the writer inside the block; flushes at the end.

        Args:
            step: An int or a scalar: the step of summaries that name none. None leaves the step.

        Yields:
            The writer.

        >>> import graphwright as tf
        >>> import tempfile, graphwright as tf
        >>> writer = tf.summary.create_file_writer(tempfile.mkdtemp())
        >>> with writer.as_default(step=7):
        ...     _ = tf.summary.scalar("loss", 0.5)
        ...     print(tf.summary.experimental.get_step())
        7
        """
        before = STATE.writer, STATE.step
        self.set_as_default(step)
        try:
            yield self
            self.flush()
        finally:
            STATE.writer = before[0]
            if step is not None:
                STATE.step = before[1]

    def init(self) -> None:
        """Does nothing: a new writer is ready."""

    def flush(self) -> None:
        """Hands what was written to the system."""

    def close(self) -> None:
        """Closes the file."""

    def _write(
        self, op: Op, step: TensorLike, *operands: TensorValue, name: str | None = None
    ) -> TensorValue:
        """Applies a writing op, and returns whether anything was written."""
        return convert(False)


class FileWriter(SummaryWriter):
    """Writes to one event file, which it makes at once."""

    def __init__(self, file: EventFile) -> None:
        self._resource = box(file, HANDLE)
        self._closed = False

    def set_as_default(self, step: TensorLike | None = None) -> None:
        """Makes this the thread's writer; RuntimeError once it is closed."""
        if self._closed:
            raise RuntimeError(f"SummaryWriter {self!r} is already closed")
        super().set_as_default(step)

    def flush(self) -> None:
        """Hands what was written to the system."""
        if not self._closed:
            apply(event_file.FLUSH, self._resource)

    def close(self) -> None:
        """Closes the file; closing it again does nothing."""
        if not self._closed:
            self.flush()
            self._closed = True
            apply(event_file.CLOSE, self._resource)

    def _write(
        self, op: Op, step: TensorLike, *operands: TensorValue, name: str | None = None
    ) -> TensorValue:
        apply(op, self._resource, convert(step, dt.int64), *operands, name=name)
        return convert(True)


def create_file_writer(
    logdir: TensorLike | None,
    max_queue: TensorLike | None = None,
    flush_millis: TensorLike | None = None,
    filename_suffix: TensorLike | None = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: object = None,
) -> SummaryWriter:
    """Makes a writer of a new event file, and the file's directory where it is missing.

    Args:
        logdir: The directory, as text or a string tensor. None makes a writer that writes nothing.
        max_queue: The most events that wait to be written, as an int32 scalar. None means 10.
        flush_millis: The longest time that an event waits, in milliseconds. None means two minutes.
        filename_suffix: The end of the file's name, as text. None means ".v2".
        name: Has no effect.
        experimental_trackable: Has no effect.
        experimental_mesh: Has no effect.

    Returns:
        A `tf.summary.SummaryWriter`.

    >>> import tempfile, graphwright as tf
    >>> writer = tf.summary.create_file_writer(tempfile.mkdtemp())
    >>> with writer.as_default():
    ...     tf.summary.scalar("loss", 0.25, step=1).numpy()
    np.True_
    >>> writer.close()
    """
    if logdir is None:
        return create_noop_writer()
    with init_scope():
        folder = host_array(logdir, dt.string).decode()
        queue = int(host_array(_QUEUE if max_queue is None else max_queue, dt.int32))
        millis = int(host_array(_MILLIS if flush_millis is None else flush_millis, dt.int32))
        suffix = host_array(_SUFFIX if filename_suffix is None else filename_suffix, dt.string)
        return FileWriter(EventFile(folder, queue, millis, suffix.decode()))


def create_noop_writer() -> SummaryWriter:
    """Makes a writer that writes nothing.

    Returns:
        A `tf.summary.SummaryWriter`.

    >>> import graphwright as tf
    >>> with tf.summary.create_noop_writer().as_default():
    ...     tf.summary.scalar("loss", 0.25, step=1).numpy()
    np.False_
    """
    return SummaryWriter()


def flush(writer: SummaryWriter | None = None, name: str | None = None) -> None:
    """Writes the events that wait in a writer to its file.

    Args:
        writer: A `tf.summary.SummaryWriter`. None means the default writer, if there is one.
        name: Has no effect.

    Raises:
        ValueError: `writer` is no writer.

    >>> import graphwright as tf
    >>> tf.summary.flush(tf.summary.create_noop_writer())
    """
    writer = STATE.writer if writer is None else writer
    if writer is None:
        return
    if not isinstance(writer, SummaryWriter):
        raise ValueError(f"Invalid argument to flush(): {writer!r}")
    writer.flush()


# -- steps and records ----------------------------------------------------------------------


def get_step() -> TensorLike | None:
    """Returns the step of summaries that get none, as this thread has set it.

    Returns:
        An integer, a tensor, a variable, or None where no step is set.

    >>> import graphwright as tf
    >>> print(tf.summary.experimental.get_step())
    None
    """
    return STATE.step


def set_step(step: TensorLike | None) -> None:
    """Sets the step of summaries that get none, in this thread.

    Args:
        step: An integer, a tensor, a variable, or None for no step. The value of a variable is read
            for each summary.

    >>> import graphwright as tf
    >>> tf.summary.experimental.set_step(3)
    >>> tf.summary.experimental.get_step()
    3
    >>> tf.summary.experimental.set_step(None)
    """
    STATE.step = step


@contextmanager
def record_if(condition: Condition) -> Iterator[None]:
    """Records summaries inside a `with` block only where a condition is true.

    Args:
        condition: A bool, a bool tensor, or a function of no arguments that returns one. The
            function is called for each summary.

    Yields:
        Nothing.

    >>> import tempfile, graphwright as tf
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default() as writer:
    ...     with tf.summary.record_if(False):
    ...         tf.summary.scalar("loss", 0.25, step=1).numpy()
    np.False_
    >>> writer.close()
    """
    before, STATE.condition = STATE.condition, condition
    try:
        yield
    finally:
        STATE.condition = before


def should_record_summaries() -> Tensor:
    """Says whether a summary would be recorded now.

    Returns:
        A scalar bool tensor; False without a default writer.

    >>> import graphwright as tf
    >>> tf.summary.should_record_summaries().numpy()
    np.False_
    """
    if STATE.writer is None:
        return convert(False)
    condition = STATE.condition() if callable(STATE.condition) else STATE.condition
    return logical_and(convert(True), True if condition is None else convert(condition, dt.bool_))


@contextmanager
def summary_scope(
    name: str, default_name: str = "summary", values: object = None
) -> Iterator[tuple[str, str]]:
    """Opens a name scope for the ops of a summary.

    Args:
        name: The name of the summary.
        default_name: The name where `name` is empty.
        values: Has no effect.

    Yields:
        The tag of the summary, which is `name` after the name scopes around it, and the name of the
        new scope. The scope omits characters that names of ops may not have.

    >>> import graphwright as tf
    >>> with tf.summary.experimental.summary_scope("my loss") as (tag, scope):
    ...     print(tag, scope)
    my loss myloss/
    """
    name = name or default_name
    outside = scoped_names().scope
    with name_scope(_OUTSIDE_SCOPES.sub("", name) or default_name) as scope:
        yield outside + name, scope


def record(write: Callable[[], TensorValue]) -> Any:
    """Calls `write` if summaries are recorded, and returns whether anything was written."""
    if STATE.writer is None:
        return convert(False)
    condition = should_record_summaries()
    value = static_value(condition)
    if value is None:
        return cond(condition, write, lambda: convert(False))
    return write() if value else convert(False)


def step_of(step: TensorLike | None) -> TensorLike:
    """`step`, or the step of the thread where it is None; ValueError if both are."""
    step = STATE.step if step is None else step
    if step is None:
        raise ValueError(
            "No step set. Please specify one either through the `step` argument or through "
            "tf.summary.experimental.set_step()"
        )
    return step


def write(
    tag: TensorLike,
    tensor: TensorLike | Callable[[], TensorLike],
    step: TensorLike | None = None,
    metadata: Message | TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Writes a tensor under a tag: the general form of all summaries.

    Args:
        tag: The tag of the summary, as text or a string scalar.
        tensor: A tensor of any shape, or a function of no arguments that returns one. The function
            is called only where the summary is recorded.
        step: The step as an integer, a tensor or a variable. None means that of
            `tf.summary.experimental.set_step` or of the default writer.
        metadata: A `SummaryMetadata` message, its bytes, or None.
        name: A name for the op.

    Returns:
        A scalar bool tensor: whether anything was written. Without a default writer it is False.

    Raises:
        ValueError: There is a writer but no step.

    >>> import tempfile, graphwright as tf
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default() as writer:
    ...     tf.summary.write("weights", [1.0, 2.0], step=1).numpy()
    np.True_
    >>> writer.close()
    """

    writer = STATE.writer
    if writer is None:
        return convert(False)
    number = step_of(step)

    def written() -> TensorValue:
        value = convert(tensor() if callable(tensor) else tensor)
        described: Any = b"" if metadata is None else metadata
        if hasattr(described, "SerializeToString"):
            described = described.SerializeToString()
        operands = value, convert(tag, dt.string), convert(described, dt.string)
        return writer._write(event_file.WRITE_SUMMARY, number, *operands, name=name)

    with name_scope(name or "write_summary"):
        return record(written)


def write_raw_pb(
    tensor: TensorLike, step: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Writes serialized `Summary` messages.

    Args:
        tensor: A string tensor of any shape: serialized messages.
        step: The step as an integer, a tensor or a variable. None means that of
            `tf.summary.experimental.set_step` or of the default writer.
        name: A name for the op.

    Returns:
        A scalar bool tensor: whether anything was written. Without a default writer it is False.

    Raises:
        ValueError: There is a writer but no step.

    >>> import tempfile, graphwright as tf
    >>> message = tf.compat.v1.Summary(value=[tf.compat.v1.Summary.Value(tag="loss")])
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default() as writer:
    ...     tf.summary.experimental.write_raw_pb(message.SerializeToString(), step=1).numpy()
    np.True_
    >>> writer.close()
    """
    writer = STATE.writer
    if writer is None:
        return convert(False)
    number = step_of(step)
    return record(lambda: writer._write(event_file.WRITE_RAW, number, string(tensor), name=name))


def graph(graph_data: Graph | GraphDef) -> Tensor:
    """Writes a graph, for the graph view of the dashboard.

    Args:
        graph_data: A `tf.Graph` or a GraphDef message.

    Returns:
        A scalar bool tensor: whether anything was written. Without a default writer it is False.

    Raises:
        ValueError: `graph_data` is no graph, or the call is inside a traced function.

    >>> import tempfile, graphwright as tf
    >>> double = tf.function(lambda x: x + x).get_concrete_function(tf.TensorSpec([]))
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default() as writer:
    ...     tf.summary.graph(double.graph).numpy()
    np.True_
    >>> writer.close()
    """
    if not executing_eagerly():
        raise ValueError("`tf.summary.graph` writes a graph as it is: call it outside functions.")
    message = graph_data.as_graph_def() if isinstance(graph_data, Graph) else graph_data
    if getattr(getattr(message, "DESCRIPTOR", None), "name", "") != "GraphDef":
        raise ValueError(
            "Argument 'graph_data' is not tf.Graph or tf.compat.v1.GraphDef. Received "
            f"graph_data={graph_data} of type {type(graph_data).__name__}."
        )
    writer = STATE.writer
    if writer is None:
        return convert(False)
    data = message.SerializeToString()
    return record(lambda: writer._write(event_file.WRITE_GRAPH, 0, string(data)))
