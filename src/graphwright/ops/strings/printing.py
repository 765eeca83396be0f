"""`tf.print`: tensors as text, and text on its way out."""

from __future__ import annotations

import pprint
import sys
from collections.abc import Callable, Sequence
from typing import Any, TextIO

import numpy as np

from graphwright.base.logs import LOGGER
from graphwright.op.batching import one_by_one
from graphwright.op.interpreter import apply, convert, is_tensor
from graphwright.op.op import Effect, Op, Shapes, not_differentiable
from graphwright.ops.strings.string_format import StringFormat
from graphwright.ops.strings.strings import join
from graphwright.types import tree
from graphwright.types.arguments import TensorValue
from graphwright.types.arrays import Array
from graphwright.types.composite import Composite
from graphwright.types.dtypes import string
from graphwright.types.tensor_type import TensorType

#: Streams that are not files, by their names in graphs.
STREAMS: dict[str, Callable[[str], Any]] = {
    "stdout": lambda text: write_to(sys.stdout, text),
    "stderr": lambda text: write_to(sys.stderr, text),
    "log(info)": LOGGER.info,
    "log(warning)": LOGGER.warning,
    "log(error)": LOGGER.error,
}


def write_to(stream: TextIO, text: str) -> None:
    """Writes a text to a stream, and flushes it."""
    stream.write(text)
    stream.flush()


class PrintV2(Op):
    """Writes a string and `end` to a stream."""

    type_name = "PrintV2"
    inputs = ("input: string",)
    effect = Effect.WRITE
    ranks = {"input": 0}
    gradient = not_differentiable
    batched = one_by_one

    output_stream: str = "stderr"
    end: str = "\n"

    def shapes(self, text: TensorType) -> Shapes:
        return ()

    def kernel(self, text: Array) -> None:
        line = np.asarray(text).item().decode("utf-8", "replace") + self.end
        write = STREAMS.get(self.output_stream)
        if write is not None:
            write(line)
            return
        with open(self.output_stream.removeprefix("file://"), "a", encoding="utf-8") as file:
            file.write(line)


# -- the public function ------------------------------------------------------------------------

_PLACEHOLDER = "{}"
_MARK = "{~}"


def print(*inputs: object, **kwargs: Any) -> Any:
    """Prints tensors, structures with tensors in them and Python values, each time it is run.

    Args:
        *inputs: The values to print.
        **kwargs: `output_stream`: `sys.stderr` (the default), `sys.stdout`, a logging function or
            "file://path". `summarize`: how many entries at both ends of an axis are shown, 3 by
            default and all for -1. `sep`: the text between values, " " by default. `end`: the text
            after them, a line feed by default. `name`: a name for the op.

    Returns:
        A `tf.Operation` in a block of `tf.Graph.as_default`, else None.

    Raises:
        ValueError: A keyword argument is another one, or its stream cannot be written to.

    >>> import sys, graphwright as tf
    >>> tf.print("numbers:", tf.range(10), {"half": tf.constant(0.5)}, output_stream=sys.stdout)
    numbers: [0 1 2 ... 7 8 9] {'half': 0.5}
    """
    stream = stream_name(kwargs.pop("output_stream", sys.stderr))
    kwargs.pop("name", None)
    summarize = kwargs.pop("summarize", 3)
    sep, end = kwargs.pop("sep", " "), kwargs.pop("end", "\n")
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    return apply(PrintV2.of(stream, end), formatted(inputs, sep, summarize))


def formatted(inputs: Sequence[object], sep: str, summarize: int | None) -> Any:
    """The text of all inputs, a string tensor."""
    if len(inputs) == 1 and is_tensor(inputs[0]) and not isinstance(inputs[0], Composite):
        only = convert(inputs[0])
        if only.dtype is string and only.type.rank == 0:
            return only
    ends = 3 if summarize is None else max(summarize, -1)
    placeholder, mark = _PLACEHOLDER, _MARK
    words = sep.join([template_of(v, [], [], "", "") for v in inputs])
    while placeholder in words or mark in words:
        placeholder, mark = placeholder + "}", mark + "}"
    tensors: list[TensorValue] = []
    composites: list[Any] = []
    templates = [template_of(v, tensors, composites, placeholder, mark) for v in inputs]
    template = sep.join(templates)
    for word in (placeholder, mark):
        template = template.replace(f"'{word}'", word)
    return filled(template, placeholder, mark, tensors, [c._text(ends) for c in composites], ends)


def filled(
    template: str,
    placeholder: str,
    mark: str,
    tensors: list[TensorValue],
    texts: list[TensorValue],
    ends: int,
) -> Any:
    """A template with the text of tensors for placeholders, and finished texts for marks."""
    pieces = []
    for piece, text in zip(template.split(mark), [*texts, None]):
        count = piece.count(placeholder)
        pieces.append(apply(StringFormat.of(piece, placeholder, ends), *tensors[:count]))
        tensors = tensors[count:]
        pieces += [] if text is None else [text]
    if len(pieces) == 1:
        return pieces[0]
    return join(pieces)


def template_of(
    value: object,
    tensors: list[TensorValue],
    composites: list[object],
    placeholder: str,
    mark: str,
) -> str:
    """One input as text, with placeholders for its tensors and marks for composites with `_text`.

    The tensors and these composites are added to the lists.
    """
    if isinstance(value, str):
        return value
    leaves = []
    for leaf in tree.flatten(value):
        if hasattr(leaf, "_text"):
            composites.append(leaf)
            leaves.append(mark)
        elif is_tensor(leaf) and not hasattr(leaf, "__graphwright_spec__"):
            tensors.append(convert(leaf))
            leaves.append(placeholder)
        else:
            leaves.append(leaf)
    return pprint.pformat(tree.pack_sequence_as(value, leaves))


def stream_name(stream: object) -> str:
    """A stream's name in the graph; ValueError for what cannot be written to."""
    if isinstance(stream, str):
        if stream.startswith("file://"):
            return stream
        raise ValueError(unsupported(stream))
    names: dict[object, str] = {
        sys.stdout: "stdout",
        sys.stderr: "stderr",
        sys.__stdout__: "stdout",
        sys.__stderr__: "stderr",
    }
    if stream in names:
        return names[stream]
    for level in ("info", "warning", "error"):
        if stream == getattr(LOGGER, level):
            return f"log({level})"
    raise ValueError(unsupported(stream))


def unsupported(stream: object) -> str:
    """The message about a stream that cannot be written to."""
    return (
        f"Unsupported output stream, logging level, or file.{stream}. Supported streams are "
        "sys.stdout, sys.stderr, tf.logging.info, tf.logging.warning, tf.logging.error. File "
        "needs to be in the form of 'file://<filepath>'."
    )
