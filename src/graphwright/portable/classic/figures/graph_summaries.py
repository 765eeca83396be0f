"""`tf.compat.v1.summary`: messages for TensorBoard that sessions compute, and their files."""

from __future__ import annotations

import os
import re
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from graphwright.base.files import TextPath
from graphwright.ir.graph import Graph
from graphwright.library.summary.event_file import EventFile
from graphwright.op.interpreter import apply
from graphwright.op.refusal import complete
from graphwright.portable.classic.figures.summary_ops import (
    AudioSummary,
    HistogramSummary,
    ImageSummary,
    MergeSummary,
    ScalarSummary,
    TensorSummary,
)
from graphwright.portable.classic.graph_collections import GraphKeys, get_collection, open_graph
from graphwright.portable.classic.meta_graph_export import meta_graph
from graphwright.proto.event_pb2 import Event, SessionLog, Summary, SummaryMetadata
from graphwright.trace.scopes import executing_eagerly, name_scope
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike
from graphwright.values.convert import constant, convert
from graphwright.values.tensor import Tensor

#: What names of nodes may not have.
_FOREIGN = re.compile(r"[^-/\w.]")


@contextmanager
def tagged(name: str, family: str | None) -> Iterator[tuple[str, str]]:
    """A name scope for a summary: its tag, and the scope's name."""
    base = _FOREIGN.sub("_", name).lstrip("/")
    group = None if family is None else _FOREIGN.sub("_", family).lstrip("/")
    with name_scope(base if group is None else f"{group}/{base}") as scope:
        tag = scope.rstrip("/")
        yield (tag if group is None else f"{group}/{tag}"), scope


def collected(summary: Any, collections: Sequence[str] | None) -> Any:
    """A summary, which the open graph lists."""
    for key in [GraphKeys.SUMMARIES] if collections is None else collections:
        open_graph().get_collection_ref(key).append(summary)
    return summary


def scalar(
    name: str,
    tensor: TensorLike,
    collections: Sequence[str] | None = None,
    family: str | None = None,
) -> Tensor:
    """Returns a message of a number, for a `FileWriter`.

    Args:
        name: A string: with the name scopes around it, the tag.
        tensor: A scalar of a real dtype.
        collections: The names of collections that list it; None is ["summaries"].
        family: A string that comes before the tag, or None.

    Returns:
        A scalar of string: a serialized `Summary`.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     loss = tf.compat.v1.summary.scalar("loss", 0.5)
    ...     tf.compat.v1.Summary.FromString(session.run(loss)).value[0].simple_value
    0.5
    """
    with tagged(name, family) as (tag, scope):
        tags = constant(tag, name="tags")
        made = apply(ScalarSummary.of(), tags, convert(tensor), name=scope)
    return collected(made, collections)


def histogram(
    name: str,
    values: TensorLike,
    collections: Sequence[str] | None = None,
    family: str | None = None,
) -> Tensor:
    """Returns a message of how numbers are spread, for a `FileWriter`.

    Args:
        name: A string: with the name scopes around it, the tag.
        values: A tensor of a real dtype, of any shape.
        collections: The names of collections that list it; None is ["summaries"].
        family: A string that comes before the tag, or None.

    Returns:
        A scalar of string: a serialized `Summary`.

    Raises:
        InvalidArgumentError: A session finds numbers that are not finite.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     spread = tf.compat.v1.summary.histogram("weights", [1.0, 3.0])
    ...     tf.compat.v1.Summary.FromString(session.run(spread)).value[0].histo.max
    3.0
    """
    with tagged(name, family) as (tag, scope):
        title = constant(tag, name="tag")
        made = apply(HistogramSummary.of(), title, convert(values), name=scope)
    return collected(made, collections)


def image(
    name: str,
    tensor: TensorLike,
    max_outputs: int = 3,
    collections: Sequence[str] | None = None,
    family: str | None = None,
) -> Tensor:
    """Returns a message of images, for a `FileWriter`.

    Args:
        name: A string: with the name scopes around it, the tag.
        tensor: Images of uint8 or a float dtype, of shape [n, height, width, channels] with 1, 3 or
            4 channels. Floats are scaled so that all brightness is used.
        max_outputs: So many images are in the message at most.
        collections: The names of collections that list it; None is ["summaries"].
        family: A string that comes before the tag, or None.

    Returns:
        A scalar of string: a serialized `Summary`.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     digits = tf.compat.v1.summary.image("digits", tf.ones([2, 8, 8, 1]))
    ...     [v.tag for v in tf.compat.v1.Summary.FromString(session.run(digits)).value]
    ['digits/image/0', 'digits/image/1']
    """
    op = ImageSummary.of(max_outputs)
    with tagged(name, family) as (tag, scope):
        made = apply(op, constant(tag, name="tag"), convert(tensor), name=scope)
    return collected(made, collections)


def audio(
    name: str,
    tensor: TensorLike,
    sample_rate: TensorLike,
    max_outputs: int = 3,
    collections: Sequence[str] | None = None,
    family: str | None = None,
) -> Tensor:
    """Returns a message of sounds, for a `FileWriter`.

    Args:
        name: A string: with the name scopes around it, the tag.
        tensor: Sounds of float32 from -1 to 1, of shape [n, frames] or [n, frames, channels].
        sample_rate: So many frames are in a second, a scalar.
        max_outputs: So many sounds are in the message at most.
        collections: The names of collections that list it; None is ["summaries"].
        family: A string that comes before the tag, or None.

    Returns:
        A scalar of string: a serialized `Summary`.

    Raises:
        InvalidArgumentError: A session finds a tensor of another shape.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     sound = tf.compat.v1.summary.audio("hum", tf.zeros([1, 100]), 8000.0)
    ...     tf.compat.v1.Summary.FromString(session.run(sound)).value[0].audio.length_frames
    100
    """
    op = AudioSummary.of(max_outputs)
    with tagged(name, family) as (tag, scope):
        rate = convert(sample_rate, dt.float32)
        made = apply(op, constant(tag, name="tag"), convert(tensor, dt.float32), rate, name=scope)
    return collected(made, collections)


def tensor_summary(
    name: str,
    tensor: TensorLike,
    summary_description: str | None = None,
    collections: Sequence[str] | None = None,
    summary_metadata: SummaryMetadata | None = None,
    family: str | None = None,
    display_name: str | None = None,
) -> Tensor:
    """Returns a message of any tensor, for a `FileWriter`.

    Args:
        name: A string: with the name scopes around it, the tag.
        tensor: A tensor of any dtype and shape.
        summary_description: Words about it, or None.
        collections: The names of collections that list it; None is ["summaries"].
        summary_metadata: A `SummaryMetadata` that says which plugin shows it, or None.
        family: A string that comes before the tag, or None.
        display_name: The name that is shown, or None.

    Returns:
        A scalar of string: a serialized `Summary`.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     made = tf.compat.v1.summary.tensor_summary("sizes", tf.constant([2, 3]))
    ...     tf.make_ndarray(tf.compat.v1.Summary.FromString(session.run(made)).value[0].tensor)
    array([2, 3], dtype=int32)
    """
    metadata = SummaryMetadata()
    if summary_metadata is not None:
        metadata.CopyFrom(summary_metadata)
    metadata.summary_description = summary_description or metadata.summary_description
    metadata.display_name = display_name or metadata.display_name
    value = convert(tensor)
    with tagged(name, family) as (tag, scope):
        texts = constant(tag, name="tag"), constant(metadata.SerializeToString(), name="metadata")
        made = apply(TensorSummary.of(), texts[0], value, texts[1], name=scope)
    return collected(made, collections)


def text(name: str, tensor: TensorLike, collections: Sequence[str] | None = None) -> Tensor:
    """Returns a message of texts, for a `FileWriter`.

    Args:
        name: A string: with the name scopes around it, the tag.
        tensor: A tensor of strings.
        collections: The names of collections that list it; None is ["summaries"].

    Returns:
        A scalar of string: a serialized `Summary`.

    Raises:
        ValueError: `tensor` has no strings.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     made = tf.compat.v1.summary.text("note", tf.constant("hello"))
    ...     tf.compat.v1.Summary.FromString(session.run(made)).value[0].metadata.plugin_data
    plugin_name: "text"
    """
    value = convert(tensor)
    if value.dtype is not dt.string:
        words = f"Expected tensor {value.name} to have dtype string, got {value.dtype}"
        raise complete(ValueError(words))
    plugin = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="text"))
    return tensor_summary(name, value, None, collections, plugin)


def merge(
    inputs: Sequence[TensorLike], collections: Sequence[str] | None = None, name: str | None = None
) -> Tensor:
    """Returns one message of several.

    Args:
        inputs: Scalars of string: serialized `Summary` messages, whose tags differ.
        collections: The names of collections that list it; None for none.
        name: A string, or None.

    Returns:
        A scalar of string.

    Raises:
        RuntimeError: No graph is open.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     parts = [tf.compat.v1.summary.scalar(name, 1.0) for name in "ab"]
    ...     message = session.run(tf.compat.v1.summary.merge(parts))
    ...     len(tf.compat.v1.Summary.FromString(message).value)
    2
    """
    if executing_eagerly():
        raise RuntimeError(
            "Merging tf.summary.* ops is not compatible with eager execution. Use "
            "`tf.summary.create_file_writer`, and write each summary where it is computed."
        )
    parts: list[Any] = [convert(part, dt.string) for part in inputs]
    with name_scope(name or "Merge"):
        made = apply(MergeSummary.of(), *parts, name=name or "MergeSummary")
    return collected(made, collections or [])


def merge_all(
    key: str = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None
) -> Tensor | None:
    """Returns one message of all that the open graph lists.

    Args:
        key: The name of the collection.
        scope: A regular expression: only those count whose names begin so. None takes all.
        name: A string, or None.

    Returns:
        A scalar of string, or None where there is no message.

    Raises:
        RuntimeError: No graph is open.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.compat.v1.summary.merge_all())
    None
    """
    if executing_eagerly():
        raise RuntimeError(
            "Merging tf.summary.* ops is not compatible with eager execution. Use "
            "`tf.summary.create_file_writer`, and write each summary where it is computed."
        )
    parts = get_collection(key, scope)
    return merge(parts, name=name) if parts else None


class SummaryFileWriter:
    """Writes messages of summaries, and graphs, to a file for TensorBoard.

    Args:
        logdir: The folder of the file.
        graph: A `tf.Graph` that is written first, or None.
        max_queue: The most messages that wait to be written.
        flush_secs: The longest time that a message waits, in seconds.
        graph_def: It must be None: pass `graph`.
        filename_suffix: The end of the file's name, or None.
        session: It has no effect.

    Raises:
        RuntimeError: No graph is open.
        NotImplementedError: `graph_def` is given.

    >>> import tempfile, graphwright as tf
    >>> with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
    ...     loss = tf.compat.v1.summary.scalar("loss", 0.5)
    ...     with tf.compat.v1.summary.FileWriter(tempfile.mkdtemp(), graph) as writer:
    ...         writer.add_summary(session.run(loss), global_step=1)
    """

    def __init__(
        self,
        logdir: TextPath,
        graph: Graph | None = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        graph_def: object = None,
        filename_suffix: str | None = None,
        session: object = None,
    ) -> None:
        if executing_eagerly():
            raise RuntimeError(
                "tf.summary.FileWriter is not compatible with eager execution. Use "
                "`tf.summary.create_file_writer`, or a block of `tf.Graph().as_default()`."
            )
        if graph_def is not None:
            raise NotImplementedError("`graph_def` is not there: pass a graph as `graph`")
        self._logdir = logdir
        self._options = max_queue, flush_secs * 1000, filename_suffix or ""
        self._file: EventFile | None = None
        self.reopen()
        if graph is not None:
            self.add_graph(graph)
            self.add_meta_graph(meta_graph(graph))

    def __enter__(self) -> SummaryFileWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def get_logdir(self) -> TextPath:
        """Returns the folder."""
        return self._logdir

    def add_summary(self, summary: bytes | Summary, global_step: int | None = None) -> None:
        """Writes a message that a session has computed.

        Args:
            summary: A serialized `Summary`, or such a message.
            global_step: The step that it belongs to; None is 0.
        """
        message = Summary.FromString(summary) if isinstance(summary, bytes) else summary
        self._add(global_step, summary=message)

    def add_graph(self, graph: Graph, global_step: int | None = None) -> None:
        """Writes a graph.

        Args:
            graph: A `tf.Graph`.
            global_step: The step that it belongs to; None is 0.
        """
        self._add(global_step, graph_def=meta_graph(graph, []).graph_def.SerializeToString())

    def add_meta_graph(self, meta_graph_def: Any, global_step: int | None = None) -> None:
        """Writes a graph with its collections.

        Args:
            meta_graph_def: A message of the type MetaGraphDef.
            global_step: The step that it belongs to; None is 0.
        """
        self._add(global_step, meta_graph_def=meta_graph_def.SerializeToString())

    def add_session_log(self, session_log: SessionLog, global_step: int | None = None) -> None:
        """Writes what became of a session.

        Args:
            session_log: A message of the type SessionLog.
            global_step: The step that it belongs to; None is 0.
        """
        self._add(global_step, session_log=session_log)

    def _add(self, step: int | None, **what: Any) -> None:
        event = Event(wall_time=time.time(), step=0 if step is None else int(step), **what)
        self.add_event(event)

    def add_event(self, event: Event) -> None:
        """Writes an event; warns and writes nothing once the file is closed.

        Args:
            event: A message of the type Event.
        """
        if self._file is None:
            warnings.warn(
                "Attempting to use a closed FileWriter. The operation will be a noop unless the "
                "FileWriter is explicitly reopened.",
                stacklevel=2,
            )
            return
        self._file.add_event(event)

    def flush(self) -> None:
        """Hands what was written to the system."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            self._file.flush()
            self._file.close()
            self._file = None

    def reopen(self) -> None:
        """Goes on in a new file, where the last one is closed."""
        if self._file is None:
            self._file = EventFile(os.fspath(self._logdir), *self._options)


class SummaryWriters:
    """One `FileWriter` for each folder, which all of a program share.

    >>> import tempfile, graphwright as tf
    >>> folder, cache = tempfile.mkdtemp(), tf.compat.v1.summary.FileWriterCache
    >>> with tf.Graph().as_default():
    ...     cache.get(folder) is cache.get(folder)
    True
    >>> cache.clear()
    """

    _writers: ClassVar[dict[str, SummaryFileWriter]] = {}

    @staticmethod
    def get(logdir: TextPath) -> SummaryFileWriter:
        """Returns the writer of a folder, which is made where there is none.

        Args:
            logdir: The folder, as text or a path object.

        Returns:
            A `FileWriter`.

        Raises:
            RuntimeError: There is none yet, and no graph is open.
        """
        folder = os.fspath(logdir)
        if folder not in SummaryWriters._writers:
            SummaryWriters._writers[folder] = SummaryFileWriter(folder)
        return SummaryWriters._writers[folder]

    @staticmethod
    def clear() -> None:
        """Closes all writers, and forgets them."""
        for writer in SummaryWriters._writers.values():
            writer.close()
        SummaryWriters._writers.clear()
