"""Graphs as files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from graphwright.base.files import TextPath
from graphwright.ir.graph import Graph
from graphwright.ops.io.file_system import attempted

if TYPE_CHECKING:
    from google.protobuf.message import Message


def write_graph(
    graph_or_graph_def: Graph | Message, logdir: TextPath, name: str, as_text: bool = True
) -> str:
    """Writes a graph, or its GraphDef, to a file, and makes the directory where it is missing.

    Args:
        graph_or_graph_def: A `tf.Graph` or a GraphDef message.
        logdir: The directory, as text or a path object.
        name: The name of the file in it.
        as_text: Whether to write protobuf's text format rather than bytes.

    Returns:
        The path of the file, as a str.

    Raises:
        TypeError: `graph_or_graph_def` is no graph.
        OpError: The system refuses to write there.

    >>> import tempfile, graphwright as tf
    >>> double = tf.function(lambda x: x + x).get_concrete_function(tf.TensorSpec([]))
    >>> path = tf.io.write_graph(double.graph, tempfile.mkdtemp(), "double.pbtxt")
    >>> with open(path) as file:
    ...     print(file.readline().strip())
    node {
    """
    from google.protobuf import text_format  # only programs that export load protobuf

    message = message_of(graph_or_graph_def)
    path = os.path.join(os.fspath(logdir), name)
    if as_text:
        content = text_format.MessageToString(message).encode()
    else:
        content = message.SerializeToString(deterministic=True)
    attempted(lambda target: target.write(content), path)
    return path


def message_of(graph: Graph | Message) -> Message:
    """The message of a graph; TypeError for any other value."""
    from google.protobuf.message import Message

    message = graph.as_graph_def() if isinstance(graph, Graph) else graph
    if not isinstance(message, Message):
        raise TypeError(f"Expected a tf.Graph or a GraphDef, got {graph!r}.")
    return message
