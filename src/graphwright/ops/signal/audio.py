"""Sound as WAV files of 16 bits: `tf.audio`."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.ops.strings.text_operands import scalar, string
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType

_HEAD = struct.Struct("<4sI4s4sIHHIIHH4sI")
_SCALE = 32768


class EncodeWav(Op):
    """Samples [samples, channels] from -1 to 1 as the bytes of a file."""

    type_name = "EncodeWav"
    inputs = ("audio: float32", "sample_rate: int32")
    outputs = ("contents: string",)
    ranks = {"audio": 2, "sample_rate": 0}
    gradient = not_differentiable

    def shapes(self, audio: TensorType, sample_rate: TensorType) -> Shapes:
        return ((),)

    def kernel(self, audio: Array, sample_rate: Array) -> Any:
        channels, rate = audio.shape[1], int(sample_rate)
        if not 0 < channels < 1 << 16:
            raise ValueError(f"num_channels must be in (0, 2^16), got: {channels}")
        if rate <= 0:
            raise ValueError(f"sample_rate must be in (0, 2^32), got: {rate}")
        scaled = np.nan_to_num(audio.astype(np.float64) * _SCALE)
        rounded = np.trunc(scaled + np.copysign(0.5, scaled))  # halves away from 0
        data = np.clip(rounded, -_SCALE, _SCALE - 1).astype("<i2").tobytes()
        frame = 2 * channels
        head = _HEAD.pack(
            b"RIFF", len(data) + _HEAD.size - 8, b"WAVE", b"fmt ", 16, 1, channels, rate,
            rate * frame, frame, 16, b"data", len(data),
        )  # fmt: skip
        return np.array(head + data, object)


class DecodeWav(Op):
    """The samples in a file of 16 bits, from -1 to 1, and their rate.

    To have `desired_channels` and `desired_samples`, unless they are -1, the last channel is
    repeated, silence is added, and the rest is cut off.
    """

    type_name = "DecodeWav"
    inputs = ("contents: string",)
    outputs = ("audio: float32", "sample_rate: int32")
    ranks = {"contents": 0}
    gradient = not_differentiable

    desired_channels: int = -1
    desired_samples: int = -1

    def shapes(self, contents: TensorType) -> Shapes:
        wanted = self.desired_samples, self.desired_channels
        for name, size in zip(("desired_samples", "desired_channels"), wanted):
            if size < -1:
                raise ValueError(f"{name} must be non-negative or -1, got {size}")
        return tuple([None if size < 0 else size for size in wanted]), ()

    def kernel(self, contents: Array) -> Any:
        samples, rate = decoded(scalar(contents, "contents"))
        channels, count = self.desired_channels, self.desired_samples
        if channels >= 0:
            samples = samples[:, np.minimum(np.arange(channels), samples.shape[1] - 1)]
        if count >= 0:
            missing = max(0, count - len(samples))
            samples = np.pad(samples[:count], ((0, missing), (0, 0)))
        return np.divide(samples, _SCALE, dtype=np.float32), np.int32(rate)


def decoded(data: bytes) -> tuple[Any, int]:
    """The samples of a file, [samples, channels] int16, and their rate; ValueError for no file."""
    if len(data) < 12:
        raise ValueError("Data too short when trying to read string")
    if data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        raise ValueError(f"Header mismatch: Expected RIFF and WAVE but found {data[:12]!r}")
    place, form, samples = 12, None, None
    while place < len(data):
        if len(data) < place + 8:
            raise ValueError("Data too short when trying to read string")
        kind, size = struct.unpack_from("<4sI", data, place)
        body = data[place + 8 : place + 8 + size]
        if len(body) < size:
            raise ValueError("Data too short when trying to read string")
        if kind == b"fmt ":
            form = format_of(body)
        elif kind == b"data" and form is not None:
            frames = len(body) // (2 * form[0])
            samples = np.frombuffer(body, "<i2", frames * form[0]).reshape(frames, form[0])
        place += 8 + size
    if form is None or samples is None:
        raise ValueError("Unable to find a 'fmt ' and then a 'data' chunk in the WAV file")
    return samples, form[1]


def format_of(body: bytes) -> tuple[int, int]:
    """The channels and the rate of a file; ValueError unless it has samples of 16 bits."""
    if len(body) < 16:
        raise ValueError(f"Bad format chunk size for WAV: Expected 16 or more, got {len(body)}")
    kind, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", body)
    if kind != 1 or not channels:
        raise ValueError(f"Bad audio format for WAV: Expected 1 (PCM), but got {kind}")
    if bits != 16:
        raise ValueError(f"Can only read 16-bit WAV files, but received {bits}")
    return channels, rate


class Decoded(NamedTuple):
    """The result of `decode_wav`."""

    audio: Tensor
    sample_rate: Tensor


Decoded.__name__ = Decoded.__qualname__ = "DecodeWav"


ENCODE_WAV = EncodeWav()


def encode_wav(audio: TensorLike, sample_rate: TensorLike, name: str | None = None) -> Tensor:
    """Encodes samples as a WAV file of 16 bits.

    Args:
        audio: A tensor of float32 of shape [samples, channels]. Values outside [-1, 1] are clipped.
        sample_rate: A positive int or int32 scalar, in hertz.
        name: A name for the op.

    Returns:
        A scalar of string: the bytes of the file.

    Raises:
        InvalidArgumentError: `audio` is no matrix, or `sample_rate` is not positive.

    >>> import graphwright as tf
    >>> tf.audio.encode_wav([[0.5], [-0.5]], sample_rate=44100).numpy()[:4]
    b'RIFF'
    """
    rate = convert(sample_rate, dt.int32)
    return apply(ENCODE_WAV, convert(audio, dt.float32), rate, name=name)


def decode_wav(
    contents: TensorLike,
    desired_channels: int = -1,
    desired_samples: int = -1,
    name: str | None = None,
) -> Decoded:
    """Decodes a WAV file of 16 bits.

    Args:
        contents: A scalar of string: the bytes of the file.
        desired_channels: The channels of the result, or -1 for those of the file. The last channel
            is repeated where the file has fewer.
        desired_samples: The samples of the result, or -1 for those of the file. Zeros follow where
            the file has fewer.
        name: A name for the op.

    Returns:
        A named tuple: `audio`, a tensor of float32 of shape [samples, channels] in [-1, 1], and
        `sample_rate`, a scalar of int32.

    Raises:
        InvalidArgumentError: The file is damaged or not of 16 bits, or a desired size is below -1.

    >>> import graphwright as tf
    >>> file = tf.audio.encode_wav([[0.5], [-0.5]], sample_rate=44100)
    >>> tf.audio.decode_wav(file).audio.numpy().tolist()
    [[0.5], [-0.5]]
    """
    op = DecodeWav.of(desired_channels, desired_samples)
    return Decoded(*apply(op, string(contents), name=name))
