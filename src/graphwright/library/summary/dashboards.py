"""Summaries that TensorBoard has a view of: scalars, histograms, images, text and audio."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphwright.control.assertions import assert_non_negative, assert_rank, assert_scalar
from graphwright.control.map import map_fn
from graphwright.library.summary.summary import summary_scope, write
from graphwright.op.interpreter import convert
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import fill
from graphwright.ops.core.indexing import where
from graphwright.ops.core.joining import concat, stack
from graphwright.ops.core.movement import reshape
from graphwright.ops.core.sequences import linspace
from graphwright.ops.core.shapes import shape, size
from graphwright.ops.image.color import convert_image_dtype
from graphwright.ops.image.png import encode_png
from graphwright.ops.math.arithmetic import maximum
from graphwright.ops.math.clipping import clip_by_value
from graphwright.ops.math.comparison import equal
from graphwright.ops.math.counting import bincount
from graphwright.ops.math.reduction import reduce_max, reduce_min
from graphwright.ops.math.rounding import floor
from graphwright.ops.signal.audio import encode_wav
from graphwright.ops.strings.encoding import as_string
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike

if TYPE_CHECKING:
    from graphwright.proto.event_pb2 import SummaryMetadata

_BUCKETS = 30
_WAV = b"\x10\x0b"  # the audio view's message for this encoding of sounds


def metadata(view: str, description: str | None, content: bytes = b"") -> SummaryMetadata:
    """The message that says which view of the dashboard shows a tensor."""
    from graphwright.proto.event_pb2 import SummaryMetadata  # protobuf is large

    plugin = SummaryMetadata.PluginData(plugin_name=view, content=content)
    return SummaryMetadata(plugin_data=plugin, summary_description=description or "")


def scalar(
    name: str, data: TensorLike, step: TensorLike | None = None, description: str | None = None
) -> Tensor:
    """Writes a number for a plot over the steps.

    Args:
        name: The tag of the summary; name scopes precede it.
        data: A scalar of any number dtype, which is written as float32.
        step: The step as an integer, a tensor or a variable. None means that of
            `tf.summary.experimental.set_step` or of the default writer.
        description: A text that the dashboard shows, or None.

    Returns:
        A scalar bool tensor: whether anything was written. Without a default writer it is False.

    Raises:
        ValueError: `data` is no scalar, or there is a writer but no step.

    >>> import tempfile, graphwright as tf
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default() as writer:
    ...     tf.summary.scalar("loss", 0.25, step=1).numpy()
    np.True_
    >>> writer.close()
    """
    with summary_scope(name, "scalar_summary") as (tag, _):
        assert_scalar(data)
        value = cast(data, dt.float32)
        return write(tag, value, step, metadata("scalars", description))


def histogram(
    name: str,
    data: TensorLike,
    step: TensorLike | None = None,
    buckets: TensorLike | None = None,
    description: str | None = None,
) -> Tensor:
    """Writes how many elements of a tensor fall into each of several ranges of one width.

    Args:
        name: The tag of the summary; name scopes precede it.
        data: A tensor of numbers, of any shape.
        step: The step as an integer, a tensor or a variable. None means that of
            `tf.summary.experimental.set_step` or of the default writer.
        buckets: The number of ranges, as an int32 scalar. None means 30.
        description: A text that the dashboard shows, or None.

    Returns:
        A scalar bool tensor: whether anything was written. Without a default writer it is False.

    Raises:
        ValueError: There is a writer but no step.

    >>> import tempfile, graphwright as tf
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default() as writer:
    ...     tf.summary.histogram("weights", tf.range(100), step=1, buckets=10).numpy()
    np.True_
    >>> writer.close()
    """
    with summary_scope(name, "histogram_summary") as (tag, _):
        described = metadata("histograms", description)
        return write(tag, lambda: ranges(data, buckets), step, described)


def ranges(data: TensorLike, buckets: TensorLike | None) -> Any:
    """[buckets, 3] float64: the start of each range, its end, and the number of its elements.

    If all elements are equal, they are in the last range, and no range has a width.
    """
    count = convert(_BUCKETS if buckets is None else buckets, dt.int32)
    assert_scalar(count)
    count = maximum(0, count)
    values = cast(reshape(data, [-1]), dt.float64)
    is_filled = size(values) > 0
    least = where(is_filled, reduce_min(values), 0.0)
    greatest = where(is_filled, reduce_max(values), 0.0)
    is_flat = equal(least, greatest)
    width = where(is_flat, 1.0, (greatest - least) / cast(count, dt.float64))
    numbers = cast(floor((values - least) / width), dt.int32)
    numbers = clip_by_value(where(is_flat, count, numbers), 0, maximum(0, count - 1))
    counts = cast(bincount(numbers, minlength=count, maxlength=count), dt.float64)
    edges = linspace(least, greatest, count + 1)
    return stack([edges[:-1], edges[1:], counts], axis=1)


def image(
    name: str,
    data: TensorLike,
    step: TensorLike | None = None,
    max_outputs: TensorLike = 3,
    description: str | None = None,
) -> Tensor:
    """Writes the first images of a batch, encoded as PNG.

    Args:
        name: The tag of the summary; name scopes precede it.
        data: A tensor of shape [k, height, width, channels], of uint8 or of floats from 0 to 1.
        step: The step as an integer, a tensor or a variable. None means that of
            `tf.summary.experimental.set_step` or of the default writer.
        max_outputs: The greatest number of images to write, an int of at least 0.
        description: A text that the dashboard shows, or None.

    Returns:
        A scalar bool tensor: whether anything was written. Without a default writer it is False.

    Raises:
        ValueError: `data` has another rank, or there is a writer but no step.

    >>> import tempfile, graphwright as tf
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default() as writer:
    ...     tf.summary.image("digits", tf.zeros([2, 8, 8, 1]), step=1).numpy()
    np.True_
    >>> writer.close()
    """

    def encoded() -> Any:
        assert_rank(data, 4)
        assert_non_negative(max_outputs)
        images = convert_image_dtype(data, dt.uint8, saturate=True)
        sizes = as_string(stack([shape(images)[2], shape(images)[1]]))
        return concat([sizes, encode_png(images[:max_outputs])], 0)

    with summary_scope(name, "image_summary") as (tag, _):
        return write(tag, encoded, step, metadata("images", description))


def text(
    name: str, data: TensorLike, step: TensorLike | None = None, description: str | None = None
) -> Tensor:
    """Writes strings, which the dashboard reads as Markdown.

    Args:
        name: The tag of the summary; name scopes precede it.
        data: A string tensor. One of rank 2 is shown as a table.
        step: The step as an integer, a tensor or a variable. None means that of
            `tf.summary.experimental.set_step` or of the default writer.
        description: A text that the dashboard shows, or None.

    Returns:
        A scalar bool tensor: whether anything was written. Without a default writer it is False.

    Raises:
        TypeError: `data` has another dtype.
        ValueError: There is a writer but no step.

    >>> import tempfile, graphwright as tf
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default() as writer:
    ...     tf.summary.text("note", "a *new* run", step=1).numpy()
    np.True_
    >>> writer.close()
    """
    with summary_scope(name, "text_summary") as (tag, _):
        tensor = convert(data)
        if tensor.dtype is not dt.string:
            raise TypeError(f"tensor must be of type tf.string; got tf.{tensor.dtype.name}")
        return write(tag, tensor, step, metadata("text", description))


def audio(
    name: str,
    data: TensorLike,
    sample_rate: TensorLike,
    step: TensorLike | None = None,
    max_outputs: TensorLike = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Tensor:
    """Writes the first sounds of a batch, encoded as WAV.

    Args:
        name: The tag of the summary; name scopes precede it.
        data: A float32 tensor of shape [k, samples, channels], from -1 to 1.
        sample_rate: The samples per second, as an int32 scalar.
        step: The step as an integer, a tensor or a variable. None means that of
            `tf.summary.experimental.set_step` or of the default writer.
        max_outputs: The greatest number of sounds to write, an int of at least 0.
        encoding: "wav" or None, which means the same.
        description: A text that the dashboard shows, or None.

    Returns:
        A scalar bool tensor: whether anything was written. Without a default writer it is False.

    Raises:
        ValueError: `encoding` or the rank of `data` is another, or there is a writer but no step.

    >>> import tempfile, graphwright as tf
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default() as writer:
    ...     tf.summary.audio("tone", tf.zeros([1, 80, 1]), 8000, step=1).numpy()
    np.True_
    >>> writer.close()
    """
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}")

    def encoded() -> Any:
        assert_rank(data, 3)
        assert_non_negative(max_outputs)
        sounds = convert(data)[:max_outputs]
        files = map_fn(lambda sound: encode_wav(sound, sample_rate), sounds, dt.string)
        return stack([files, fill(shape(sounds)[:1], "")], axis=1)

    with summary_scope(name, "audio_summary") as (tag, _):
        return write(tag, encoded, step, metadata("audio", description, _WAV))
