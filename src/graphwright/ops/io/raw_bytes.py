"""Bytes as text, as numbers, and compressed."""

from __future__ import annotations

import binascii
import re
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.base.errors import DataLossError
from graphwright.op.batching import elementwise
from graphwright.op.interpreter import apply
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.ops.strings.text_operands import Text, refused, string, texts
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.tensor_type import TensorType

RAW = dt.FLOATING | dt.COMPLEX | dt.BOOL | dt.SIGNED | {dt.uint8, dt.uint16}
_URL_SAFE = re.compile(rb"[A-Za-z0-9_-]*={0,2}")
#: From the usual alphabet of base64 to that of URLs.
_TO_URL = bytes.maketrans(b"+/", b"-_")
#: And back: line feeds stay, and what is not in the alphabet becomes "!".
_FROM_URL = re.sub(rb"[^A-Za-z0-9_\n-]", b"!", bytes(range(256))).translate(
    bytes.maketrans(b"-_", b"+/")
)


class EncodeBase64(Text):
    """Each string in the URL-safe base64 alphabet."""

    type_name = "EncodeBase64"
    batched = elementwise

    pad: bool = False

    def kernel(self, text: Array) -> Any:
        array = texts(text)
        lines = b"".join(map(binascii.b2a_base64, array.reshape(-1).tolist()))
        lines = lines.translate(_TO_URL, b"" if self.pad else b"=")
        return shaped(lines.split(b"\n")[:-1], array)


class DecodeBase64(Text):
    """The bytes that strings in the URL-safe base64 alphabet stand for."""

    type_name = "DecodeBase64"
    batched = elementwise

    def kernel(self, text: Array) -> Any:
        array = texts(text)
        items = array.reshape(-1).tolist()
        return shaped(decoded_lines(items) or list(map(decoded, items)), array)


def each(function: Callable[[bytes], bytes], text: Array) -> Any:
    """The results of a function for each string, as an array."""
    array = texts(text)
    return shaped([function(item) for item in array.reshape(-1)], array)


def shaped(items: Sequence[bytes], array: Array) -> Any:
    """Strings in the shape of an array."""
    result = np.empty(array.shape, object)
    result.reshape(-1)[:] = items
    return result


def decoded_lines(items: Sequence[bytes]) -> list[bytes] | None:
    """Strings of URL-safe base64 without padding; None where one of them is something else."""
    lines = b"\n".join(items).translate(_FROM_URL)
    if b"!" in lines or lines.count(b"\n") != len(items) - 1:
        return None
    try:  # what is padded too much is as good
        padded = (lines + b"\n").replace(b"\n", b"==\n").splitlines()
        return list(map(binascii.a2b_base64, padded))
    except binascii.Error:
        return None


def decoded(text: bytes) -> bytes:
    """One string of URL-safe base64, padded or not."""
    bare = text.rstrip(b"=")
    padded = len(bare) < len(text)
    if not _URL_SAFE.fullmatch(text) or len(bare) % 4 == 1 or (padded and len(text) % 4):
        raise ValueError(f"Invalid character found in base64, or a bad length: {text!r}")
    return binascii.a2b_base64(bare.translate(_FROM_URL) + b"==")


class DecodeRaw(Op):
    """The bytes of strings of one length as numbers, along a new last axis."""

    type_name = "DecodeRaw"
    inputs = ("bytes: string",)
    outputs = ("output: out_type",)
    dtypes = {"out_type": RAW}
    gradient = not_differentiable

    out_type: DType
    little_endian: bool = True

    def shapes(self, text: TensorType) -> Shapes:
        return (None if text.dims is None else (*text.dims, None),)

    def kernel(self, text: Array) -> Any:
        array, size = texts(text), self.out_type.size
        lengths = {len(item) for item in array.flat}
        if len(lengths) > 1:
            raise ValueError(
                "DecodeRaw requires input strings to all be the same size, but they have sizes "
                f"{sorted(lengths)}"
            )
        length = lengths.pop() if lengths else 0
        if length % size:
            raise ValueError(
                f"Input to DecodeRaw has length {length} that is not a multiple of {size}, the "
                f"size of {self.out_type.name}"
            )
        data = np.frombuffer(b"".join(array.reshape(-1).tolist()), self.out_type.numpy_dtype)
        data = data.reshape(*array.shape, length // size)
        return data if self.little_endian else data.byteswap()


class DecodePaddedRaw(Op):
    """The bytes of strings as numbers, each string cut or filled with zeros to one length."""

    type_name = "DecodePaddedRaw"
    inputs = ("input_bytes: string", "fixed_length: int32 host")
    outputs = ("output: out_type",)
    dtypes = {"out_type": RAW - dt.COMPLEX - dt.BOOL}
    gradient = not_differentiable

    out_type: DType
    little_endian: bool = True

    def shapes(self, text: TensorType, length: int | None) -> Shapes:
        if text.dims is None:
            return (None,)
        size = self.out_type.size
        return ((*text.dims, None if length is None else self.checked(length) // size),)

    def checked(self, length: int) -> int:
        """The length, which holds a whole number of elements."""
        if length <= 0 or length % self.out_type.size:
            raise ValueError(
                f"fixed_length ({length}) must be greater than 0 and a multiple of the size of "
                f"out_type ({self.out_type.size})"
            )
        return length

    def kernel(self, text: Array, length: int) -> Any:
        self.checked(length)
        cut = each(lambda item: item[:length].ljust(length, b"\0"), text)
        data = DecodeRaw(self.out_type, self.little_endian).kernel(cut)
        return data.reshape(*cut.shape, length // self.out_type.size)


class DecodeCompressed(Op):
    """Each string as it was before it was compressed."""

    type_name = "DecodeCompressed"
    inputs = ("bytes: string",)
    outputs = ("output: string",)
    gradient = not_differentiable

    compression_type: str = ""

    def shapes(self, data: TensorType) -> Shapes:
        return (data.dims,)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        if self.compression_type not in ("", "ZLIB", "GZIP"):
            raise refused(
                f"Only ZLIB, GZIP or NONE are supported compressions, got {self.compression_type!r}"
            )
        return self.kernel

    def kernel(self, data: Array) -> Any:
        array = texts(data)
        if not self.compression_type:
            return array
        window = zlib.MAX_WBITS + (16 if self.compression_type == "GZIP" else 0)
        result = np.empty(array.size, object)
        try:
            result[:] = [zlib.decompress(each, window) for each in array.flat]
        except zlib.error as error:
            raise DataLossError(None, None, f"the data cannot be decompressed: {error}") from error
        return result.reshape(array.shape)


DECODE_BASE64 = DecodeBase64()


# -- the public functions -------------------------------------------------------------------


def encode_base64(input: TensorLike, pad: bool = False, name: str | None = None) -> Tensor:
    """Encodes each string in the URL-safe alphabet of base64.

    Args:
        input: A tensor of strings, of any shape.
        pad: Whether `=` fills up a result to a multiple of four characters.
        name: A name for the op.

    Returns:
        A tensor of strings of the shape of `input`.

    >>> import graphwright as tf
    >>> tf.io.encode_base64("Hello").numpy()
    b'SGVsbG8'
    """
    return apply(EncodeBase64.of(pad), string(input), name=name)


def decode_base64(input: TensorLike, name: str | None = None) -> Tensor:
    """Decodes strings in the URL-safe alphabet of base64, padded or not.

    Args:
        input: A tensor of strings, of any shape.
        name: A name for the op.

    Returns:
        A tensor of strings of the shape of `input`.

    Raises:
        InvalidArgumentError: A string is no base64.

    >>> import graphwright as tf
    >>> tf.io.decode_base64("SGVsbG8").numpy()
    b'Hello'
    """
    return apply(DECODE_BASE64, string(input), name=name)


def decode_raw(
    input_bytes: TensorLike,
    out_type: DTypeLike,
    little_endian: bool = True,
    fixed_length: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Interprets the bytes of strings as numbers, along a new last axis.

    Args:
        input_bytes: A tensor of strings, of one length unless there is a `fixed_length`.
        out_type: The dtype of the numbers: a float, complex or signed integer dtype, bool, uint8 or
            uint16. With `fixed_length`, neither complex nor bool.
        little_endian: Whether the bytes are in little-endian order.
        fixed_length: The length in bytes to which strings are cut or filled with zeros.
        name: A name for the op.

    Returns:
        A tensor of `out_type` of shape [*shape of `input_bytes`, numbers].

    Raises:
        InvalidArgumentError: The strings differ in length, or a length is no multiple of the size
            of `out_type`.

    >>> import graphwright as tf
    >>> tf.io.decode_raw("abcd", tf.uint8).numpy().tolist()
    [97, 98, 99, 100]
    """
    kind: Any = DecodeRaw if fixed_length is None else DecodePaddedRaw
    op = kind.of(kind.dtype_for("out_type", as_dtype(out_type)), little_endian)
    if fixed_length is None:
        return apply(op, string(input_bytes), name=name)
    return apply(op, string(input_bytes), fixed_length, name=name)


def decode_compressed(
    bytes: TensorLike, compression_type: str = "", name: str | None = None
) -> Tensor:
    """Decompresses each string.

    Args:
        bytes: A tensor of strings, of any shape.
        compression_type: "ZLIB", "GZIP", or "" for strings that are not compressed.
        name: A name for the op.

    Returns:
        A tensor of strings of the shape of `bytes`.

    Raises:
        InvalidArgumentError: `compression_type` is another string.
        DataLossError: A string cannot be decompressed.

    >>> import graphwright as tf
    >>> import zlib
    >>> tf.io.decode_compressed(zlib.compress(b"Hello"), "ZLIB").numpy()
    b'Hello'
    """
    return apply(DecodeCompressed.of(compression_type), string(bytes), name=name)
