"""The ops of summaries in graphs: each makes a serialized message, which a file gets later."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.ir.tensor_proto import tensor_proto
from graphwright.op.interpreter import apply
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.ops.image import png_writer
from graphwright.ops.signal.audio import EncodeWav
from graphwright.portable.node_ops import attribute
from graphwright.proto.event_pb2 import HistogramProto, Summary, SummaryMetadata
from graphwright.proto.graph_pb2 import NodeDef
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType
from graphwright.values.tensor import Tensor

#: The dtypes of numbers.
_REAL = frozenset(dtype for dtype in dt.ANY if dtype.is_floating or dtype.is_integer) | {dt.bool_}
#: Numbers up to this are 0 when images are made brighter.
_DARK = 1e-6
#: Makes files of sounds.
_WAV = EncodeWav()


class SummaryOp(Op):
    """The base of ops that make a message."""

    outputs = ("summary: string",)
    gradient = not_differentiable

    def shapes(self, *operands: TensorType) -> Shapes:
        return ((),)


class ScalarSummary(SummaryOp):
    """A message of numbers, each with a tag of its own."""

    type_name = "_ScalarSummary"
    message_name = "ScalarSummary"
    inputs = ("tags: string", "values: T")
    dtypes = {"T": _REAL}

    def kernel(self, tags: Array, values: Array) -> Any:
        if np.shape(tags) != np.shape(values):
            words = f"tags and values are not the same shape: {np.shape(tags)} {np.shape(values)}"
            raise InvalidArgumentError(None, None, words)
        pairs = zip(np.asarray(tags, object).reshape(-1), np.asarray(values).reshape(-1))
        made = [Summary.Value(tag=tag.decode(), simple_value=float(x)) for tag, x in pairs]
        return serialized(Summary(value=made))


class HistogramSummary(SummaryOp):
    """A message of how numbers are spread."""

    type_name = "_HistogramSummary"
    message_name = "HistogramSummary"
    inputs = ("tag: string", "values: T")
    dtypes = {"T": _REAL}
    ranks = {"tag": 0}

    def kernel(self, tag: Array, values: Array) -> Any:
        title = np.asarray(tag, object).item().decode()
        numbers = np.asarray(values).reshape(-1).astype(np.float64)
        for kind, is_it in (("Nan", np.isnan), ("Infinity", np.isinf)):
            if is_it(numbers).any():
                words = f"{kind} in summary histogram for: {title}"
                raise InvalidArgumentError(None, None, words)
        return serialized(Summary(value=[Summary.Value(tag=title, histo=histogram(numbers))]))


class ImageSummary(SummaryOp):
    """A message of images, in which floats are scaled to the brightness that there is."""

    type_name = "_ImageSummary"
    message_name = "ImageSummary"
    inputs = ("tag: string", "tensor: T")
    dtypes = {"T": frozenset({dt.uint8, dt.float16, dt.float32, dt.float64})}
    ranks = {"tag": 0, "tensor": 4}

    max_images: int = 3

    def kernel(self, tag: Array, tensor: Array) -> Any:
        title, images = np.asarray(tag, object).item().decode(), np.asarray(tensor)
        made = Summary()
        for number, image in enumerate(images[: self.max_images]):
            ending = f"/{number}" if self.max_images > 1 else ""
            value = made.value.add(tag=f"{title}/image{ending}")
            value.image.height, value.image.width, value.image.colorspace = image.shape
            value.image.encoded_image_string = png_writer.encode(bright(image), -1)
        return serialized(made)


class AudioSummary(SummaryOp):
    """A message of sounds as WAV files: of shape [n, frames], or with channels behind."""

    type_name = "_AudioSummary"
    message_name = "AudioSummaryV2"
    inputs = ("tag: string", "tensor: float32", "sample_rate: float32")
    ranks = {"tag": 0, "sample_rate": 0}

    max_outputs: int = 3

    def kernel(self, tag: Array, tensor: Array, sample_rate: Array) -> Any:
        title, sounds, rate = np.asarray(tag, object).item().decode(), tensor, float(sample_rate)
        if sounds.ndim not in (2, 3):
            words = f"the sounds of the summary {title!r} have the shape {sounds.shape}"
            raise InvalidArgumentError(None, None, f"{words}, not [n, frames] or one with channels")
        made = Summary()
        for number, sound in enumerate(sounds[: self.max_outputs]):
            channels = sound.reshape(len(sound), -1)
            ending = f"/{number}" if self.max_outputs > 1 else ""
            audio = made.value.add(tag=f"{title}/audio{ending}").audio
            audio.sample_rate, audio.content_type = rate, "audio/wav"
            audio.length_frames, audio.num_channels = channels.shape
            audio.encoded_audio_string = _WAV.kernel(channels, np.int32(rate)).item()
        return serialized(made)


class TensorSummary(SummaryOp):
    """A message of a tensor, and of how it is shown."""

    type_name = "_TensorSummary"
    message_name = "TensorSummaryV2"
    inputs = ("tag: string", "tensor: T", "serialized_summary_metadata: string")
    dtypes = {"T": dt.ANY - {dt.resource, dt.variant}}
    ranks = {"tag": 0, "serialized_summary_metadata": 0}

    def kernel(self, tag: Array, tensor: Array, metadata: Array) -> Any:
        title, content = [np.asarray(text, object).item() for text in (tag, metadata)]
        array = np.asarray(tensor)
        value = Summary.Value(
            tag=title.decode(),
            metadata=SummaryMetadata.FromString(content),
            tensor=tensor_proto(array, dt.of_numpy(array.dtype)),
        )
        return serialized(Summary(value=[value]))


class MergeSummary(SummaryOp):
    """One message of several, whose tags differ."""

    type_name = "_MergeSummary"
    message_name = "MergeSummary"
    inputs = ("inputs: string*",)

    def kernel(self, *inputs: Array) -> Any:
        made = Summary()
        texts = [text for one in inputs for text in np.asarray(one, object).reshape(-1).tolist()]
        for text in texts:
            made.MergeFromString(text)
        tags = [value.tag for value in made.value]
        twice = next((tag for tag in tags if tags.count(tag) > 1), None)
        if twice is not None:
            words = f"Duplicate tag {twice} found in summary inputs"
            raise InvalidArgumentError(None, None, words)
        return serialized(made)


SUMMARY_OPS = (
    AudioSummary, HistogramSummary, ImageSummary, MergeSummary, ScalarSummary, TensorSummary
)  # fmt: skip
#: The attributes of ops that say how many parts of a tensor they take.
_MOST = {AudioSummary: "max_outputs", ImageSummary: "max_images"}


def summary_node(node: NodeDef, operands: Sequence[Tensor]) -> dict[str, list[Any]]:
    """What is made of a node of a summary in a message."""
    op = next(op for op in SUMMARY_OPS if op.message_name == node.op)
    most = [attribute(node, _MOST[op], "int") or 3] if op in _MOST else []
    return {"summary": [apply(op.of(*most), *operands, name=node.name)]}


def serialized(message: Summary) -> Any:
    """A message as a scalar of string."""
    array = np.empty((), object)
    array[()] = message.SerializeToString()
    return array


@functools.cache
def limits() -> Array:
    """The upper bounds of all buckets: each is a tenth further from 0 than the one before it."""
    bounds, bound = [], 1e-12
    while bound < 1e20:
        bounds.append(bound)
        bound *= 1.1
    ends = np.array([*bounds, np.finfo(np.float64).max])
    return np.concatenate([-ends[::-1], [0.0], ends])


def histogram(numbers: Array) -> HistogramProto:
    """The numbers in buckets; of empty ones that follow each other, only the last is there."""
    most = np.finfo(np.float64).max
    made = HistogramProto(min=most, max=-most)
    if numbers.size:
        made.min, made.max, made.num = numbers.min(), numbers.max(), numbers.size
        made.sum, made.sum_squares = np.cumsum(numbers)[-1], np.cumsum(numbers * numbers)[-1]
    bounds = limits()
    places = np.searchsorted(bounds, numbers, "right").clip(max=bounds.size - 1)
    counts = np.bincount(places, minlength=bounds.size)
    ends = (counts > 0) | np.append(counts[1:] > 0, True)
    made.bucket_limit.extend(bounds[ends])
    made.bucket.extend(counts[ends].astype(np.float64))
    return made


def bright(image: Array) -> Array:
    """An image as uint8: what is brightest is 255, and 0 is in the middle where there is less.

    Pixels that are no numbers are red.
    """
    if image.dtype == np.uint8:
        return image
    numbers = image.astype(np.float32)
    is_good = np.isfinite(numbers).all(-1)
    good = numbers[is_good]
    low, high = (good.min(), good.max()) if good.size else (0.0, 0.0)
    span, middle = (127.0, 128.0) if low < 0 else (255.0, 0.0)
    largest = max(abs(low), abs(high))
    scale = np.float32(0.0 if largest < _DARK else span / largest)
    made = np.empty(numbers.shape, np.uint8)
    made[...] = np.array([255, 0, 0, 255][: image.shape[-1]], np.uint8)
    made[is_good] = (good * scale + np.float32(middle)).astype(np.uint8)
    return made
