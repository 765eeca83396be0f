"""Event files, which TensorBoard reads, and the ops that write to them.

A file holds `Event` messages as records; the first says its version. An `EventFile` is behind a
writer's handle, as a `Storage` is behind a variable's.
"""

from __future__ import annotations

import itertools
import os
import platform
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from graphwright.base.errors import DataLossError, NotFoundError
from graphwright.base.files import PathLike, make_folders
from graphwright.library.io.record_file import read_records
from graphwright.library.io.records import framed
from graphwright.op.op import Effect, Op, Shapes, not_differentiable
from graphwright.ops.io.file_system import system_errors
from graphwright.ops.state.variable_ops import HANDLE
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType

if TYPE_CHECKING:
    from graphwright.proto.event_pb2 import Event, Summary

_VERSION = "brain.Event:2"
_SOURCE = "tensorflow.core.util.events_writer"  # the name that readers expect
_COUNT = itertools.count()


class EventFile:
    """An event file that is being written.

    Events reach the file when more than `max_queue` wait, when `flush_millis` have passed, or by
    `flush`. All have reached it when the file is closed or deleted.
    """

    dtype: DType = dt.resource
    shape: Dims = ()
    tensor_type: TensorType = HANDLE

    def __init__(self, logdir: str, max_queue: int, flush_millis: int, suffix: str) -> None:
        self.max_queue = max_queue
        self.flush_seconds = flush_millis / 1000
        self._waiting = 0
        begin = int(time.time())
        name = f"events.out.tfevents.{begin:010d}.{platform.node()}.{os.getpid()}"
        path = Path(logdir) / f"{name}.{next(_COUNT)}{suffix}"
        with system_errors(path.parent):
            make_folders(path.parent)
            self._file = open(path, "wb")  # noqa: SIM115 - closed by `close`, or with this object
        self._finalizer = weakref.finalize(self, self._file.close)
        first = self._event(float(begin), 0)
        first.file_version = _VERSION
        first.source_metadata.writer = _SOURCE
        self._write(first)
        self.flush()

    def _event(self, wall_time: float, step: int) -> Event:
        from graphwright.proto.event_pb2 import Event  # protobuf is large

        return Event(wall_time=wall_time, step=step)

    def add(self, step: int, **what: Any) -> None:
        """Writes an event at this time: `summary` or `graph_def`."""
        event = self._event(time.time(), step)
        for field, value in what.items():
            if isinstance(value, bytes):
                setattr(event, field, value)
            else:
                getattr(event, field).CopyFrom(value)
        self.add_event(event)

    def add_event(self, event: Event) -> None:
        """Writes a whole event."""
        self._write(event)
        self._waiting += 1
        late = time.monotonic() - self._flushed > self.flush_seconds
        if self._waiting > self.max_queue or late:
            self.flush()

    def _write(self, event: Event) -> None:
        if self._file.closed:
            raise NotFoundError(None, None, "The summary writer does not exist: it was closed.")
        self._file.write(framed(event.SerializeToString(deterministic=True)))

    def flush(self) -> None:
        """Hands all events to the system; does nothing once the file is closed."""
        if not self._file.closed:
            self._file.flush()
        self._waiting = 0
        self._flushed = time.monotonic()

    def close(self) -> None:
        """Closes the file; closing it again does nothing."""
        self._finalizer()

    def __repr__(self) -> str:
        return f"<EventFile {self._file.name!r}>"


class WriterOp(Op):
    """The base of ops on event files, which have no results."""

    behind = EventFile
    effect = Effect.WRITE
    gradient = not_differentiable

    def shapes(self, writer: TensorType, *operands: TensorType) -> Shapes:
        return ()


class WriteSummary(WriterOp):
    """Writes a tensor under a tag, with the metadata for its view."""

    type_name = "WriteSummary"
    inputs = (
        "writer: resource", "step: int64", "tensor: T", "tag: string", "summary_metadata: string",
    )  # fmt: skip
    dtypes = {"T": dt.ANY - {dt.resource, dt.variant}}

    def bind(self, types: Sequence[DType]) -> Callable[..., None]:
        return partial(write_tensor, types[2])


class WriteRawProtoSummary(WriterOp):
    """Writes serialized `Summary` messages."""

    type_name = "WriteRawProtoSummary"
    ranks = {"step": 0}
    inputs = ("writer: resource", "step: int64", "tensor: string")

    def kernel(self, writer: EventFile, step: Array, tensor: Array) -> None:
        from google.protobuf.message import DecodeError

        from graphwright.proto.event_pb2 import Summary

        merged = Summary()
        for place, data in enumerate(np.asarray(tensor, object).reshape(-1).tolist()):
            try:
                merged.MergeFromString(data)
            except DecodeError:
                raise DataLossError(
                    None, None, f"Bad Summary binary proto tensor string at index {place}"
                ) from None
        writer.add(step.item(), summary=merged)


class WriteGraphSummary(WriterOp):
    """Writes a serialized graph."""

    type_name = "WriteGraphSummary"
    inputs = ("writer: resource", "step: int64", "tensor: string")

    def kernel(self, writer: EventFile, step: Array, tensor: Array) -> None:
        writer.add(step.item(), graph_def=text_of(tensor))


class FlushSummaryWriter(WriterOp):
    """Hands what was written to the system."""

    type_name = "FlushSummaryWriter"
    inputs = ("writer: resource",)

    def kernel(self, writer: EventFile) -> None:
        writer.flush()


class CloseSummaryWriter(WriterOp):
    """Closes a file."""

    type_name = "CloseSummaryWriter"
    inputs = ("writer: resource",)

    def kernel(self, writer: EventFile) -> None:
        writer.close()


def text_of(value: object) -> bytes:
    """The text of an operand that has one element."""
    text: bytes = np.asarray(value, object).item()
    return text


def write_tensor(
    dtype: DType, writer: EventFile, step: Array, tensor: Array, tag: Array, metadata: Array
) -> None:
    """Writes an array of elements of `dtype`."""
    writer.add(step.item(), summary=tensor_summary(dtype, tensor, tag, metadata))


def tensor_summary(dtype: DType, tensor: Array, tag: Array, metadata: Array) -> Summary:
    """The message of one tensor."""
    from google.protobuf.message import DecodeError

    from graphwright.ir.tensor_proto import content_proto
    from graphwright.proto.event_pb2 import Summary, SummaryMetadata

    value = Summary.Value(tag=text_of(tag).decode())
    value.tensor.CopyFrom(content_proto(np.asarray(tensor, dtype.numpy_dtype), dtype))
    described = text_of(metadata)
    with suppress(DecodeError):  # TensorFlow writes no metadata then
        if described:
            value.metadata.CopyFrom(SummaryMetadata.FromString(described))
    return Summary(value=[value])


WRITE_SUMMARY, WRITE_RAW, WRITE_GRAPH = WriteSummary(), WriteRawProtoSummary(), WriteGraphSummary()
FLUSH, CLOSE = FlushSummaryWriter(), CloseSummaryWriter()


def summary_iterator(path: PathLike) -> Iterator[Event]:
    """Reads the events of an event file one after the other.

    Args:
        path: The path of the file, as text or a path object.

    Returns:
        An iterator over `Event` messages.

    Raises:
        NotFoundError: There is no such file.
        DataLossError: The file is damaged.

    >>> import glob, tempfile, graphwright as tf
    >>> folder = tempfile.mkdtemp()
    >>> writer = tf.summary.create_file_writer(folder)
    >>> with writer.as_default():
    ...     wrote = tf.summary.scalar("loss", 0.25, step=7)
    >>> writer.close()
    >>> (path,) = glob.glob(folder + "/*")
    >>> [event.step for event in tf.compat.v1.train.summary_iterator(path)]
    [0, 7]
    """
    from graphwright.proto.event_pb2 import Event

    for record in read_records(path):
        yield Event.FromString(record)
