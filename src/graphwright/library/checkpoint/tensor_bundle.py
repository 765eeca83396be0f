"""TensorBundle: TensorFlow's files of variables, an index and shards of data, read and written.

The index is a table from keys to where a tensor's bytes are, with their checksum. Nothing is read
that the index and the sizes of the files do not allow.
"""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

import numpy as np
from google.protobuf.message import DecodeError

from graphwright.base.errors import DataLossError, NotFoundError, UnimplementedError
from graphwright.ir.tensor_proto import data_type, shape_proto
from graphwright.library.checkpoint.snappy import varint, written_varint
from graphwright.library.checkpoint.sorted_table import entries_of, table_of
from graphwright.library.io.records import crc32c, mask, masked
from graphwright.proto.checkpoint_pb2 import BundleEntryProto, BundleHeaderProto
from graphwright.proto.tensor_pb2 import TensorSliceProto
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType

#: The key of the graph of objects.
OBJECTS = "_CHECKPOINTABLE_OBJECT_GRAPH"


class TensorBundle:
    """The tensors of a bundle by their keys."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.index = f"{prefix}.index"
        if not os.path.isfile(self.index):
            raise NotFoundError(None, None, f"there is no file {self.index}")
        with open(self.index, "rb") as file:
            data = file.read()
        self._entries: dict[str, BundleEntryProto] = {}
        try:
            header, *rest = entries_of(data) if data else []
            if header[0] != b"":
                raise ValueError("it does not begin with a header")
            self._header = BundleHeaderProto.FromString(header[1])
            for key, value in rest:
                name = key.decode(errors="surrogateescape" if key[:1] == b"\0" else "strict")
                self._entries[name] = BundleEntryProto.FromString(value)
        except (ValueError, DecodeError) as error:
            raise DataLossError(None, None, f"{self.index} is damaged: {error}") from None
        if self._header.endianness != BundleHeaderProto.LITTLE:
            words = f"{self.index}: the tensors were written by a processor of big endianness"
            raise UnimplementedError(None, None, words)

    @property
    def keys(self) -> list[str]:
        """The keys, in order, without those of slices."""
        return [key for key in self._entries if not key.startswith("\0")]

    def dtype(self, key: str) -> DType:
        """The dtype of a tensor."""
        try:
            return dt.as_dtype(self._entry(key).dtype)
        except TypeError as error:
            raise self._damaged(key, str(error)) from None

    def shape(self, key: str) -> tuple[int, ...]:
        """The shape of a tensor."""
        proto = self._entry(key).shape
        dims = tuple([dim.size for dim in proto.dim])
        if proto.unknown_rank or any(size < 0 for size in dims):
            raise self._damaged(key, "its shape is not known")
        return dims

    def size(self, key: str) -> int:
        """How many bytes a tensor has in its shard."""
        return self._entry(key).size

    def read(self, key: str) -> Array:
        """A tensor as an array; DataLossError where its bytes are not what the index says."""
        entry, dtype, dims = self._entry(key), self.dtype(key), self.shape(key)
        count = math.prod(dims)
        if entry.slices:
            return self._whole(key, dims)
        if dtype in (dt.resource, dt.variant):
            words = f"{self.index}: the tensor {key!r} is of dtype {dtype.name}, which is not read"
            raise UnimplementedError(None, None, words)
        if dtype is dt.string:
            if count > entry.size:  # each has at least a byte for its length
                raise self._damaged(key, f"{entry.size} bytes do not hold {count} strings")
            return self._shaped(key, self._strings(key, self._bytes(key), count), dims)
        kind = dtype.numpy_dtype
        if entry.size != count * kind.itemsize:
            raise self._damaged(
                key, f"{entry.size} bytes are no {dtype.name} of shape {list(dims)}"
            )
        data = self._bytes(key)
        if masked(data) != entry.crc32c:
            raise self._damaged(key, "its checksum is wrong")
        return self._shaped(key, np.frombuffer(bytearray(data), kind), dims)

    def _whole(self, key: str, dims: tuple[int, ...]) -> Array:
        """A tensor that is in slices."""
        if self.dtype(key) is dt.string:
            words = f"{self.index}: the tensor {key!r} of strings is in slices, which are not read"
            raise UnimplementedError(None, None, words)
        parts = [slice_name(key, extents(proto)) for proto in self._entry(key).slices]
        if any(part not in self._entries for part in parts):
            raise self._damaged(key, "a slice of it is missing")
        sizes = [math.prod(self.shape(part)) for part in parts if not self._entry(part).slices]
        if len(sizes) < len(parts) or sum(sizes) != math.prod(dims):
            raise self._damaged(key, "its slices are not the whole tensor")
        width = self.dtype(key).numpy_dtype.itemsize
        for part, size in zip(parts, sizes):
            self._file(part)
            if self.size(part) != size * width:
                raise self._damaged(key, "a slice has not the size of its shape")
        whole = np.zeros(dims, self.dtype(key).numpy_dtype)
        for part, proto in zip(parts, self._entry(key).slices):
            places = tuple(
                slice(None) if length < 0 else slice(start, start + length)
                for start, length in extents(proto)
            )
            array = self.read(part)
            is_there = len(places) == len(dims) and whole[places].shape == array.shape
            if not is_there or array.dtype != whole.dtype:
                raise self._damaged(key, f"it has no place for a slice of {list(array.shape)}")
            whole[places] = array
        return whole

    def _shaped(self, key: str, array: Array, dims: tuple[int, ...]) -> Array:
        """An array of a shape that NumPy can have."""
        try:
            return array.reshape(dims)
        except ValueError as error:
            raise self._damaged(key, str(error)) from None

    def _entry(self, key: str) -> BundleEntryProto:
        entry = self._entries.get(key)
        if entry is None:
            raise NotFoundError(None, None, f"{self.index} has no tensor {key!r}")
        return entry

    def _bytes(self, key: str) -> bytes:
        """The bytes of a tensor in its shard."""
        entry = self._entry(key)
        with open(self._file(key), "rb") as file:
            file.seek(entry.offset)
            return file.read(entry.size)

    def _file(self, key: str) -> str:
        """The path of the shard of a tensor, which has all of its bytes."""
        entry, count = self._entry(key), self._header.num_shards
        if not 0 <= entry.shard_id < count:
            raise self._damaged(key, f"it is in shard {entry.shard_id} of {count}")
        path = f"{self.prefix}.data-{entry.shard_id:05d}-of-{count:05d}"
        try:
            length = os.path.getsize(path)
        except OSError:
            raise DataLossError(
                None, None, f"{path} is missing, which has the tensor {key!r}"
            ) from None
        if entry.offset < 0 or entry.size < 0 or entry.offset + entry.size > length:
            words = f"the tensor {key!r} ends at byte {entry.offset + entry.size} of {length}"
            raise DataLossError(None, None, f"{path} is too short: {words}")
        return path

    def _strings(self, key: str, data: bytes, count: int) -> Any:
        """Strings: their lengths, a checksum of these, and then all of their bytes."""
        lengths, place = [], 0
        try:
            for _ in range(count):
                length, place = varint(data, place)
                lengths.append(length)
        except ValueError:
            raise self._damaged(key, "the lengths of its strings do not end") from None
        start = place + 4
        if start + sum(lengths) != len(data):
            raise self._damaged(key, f"its strings take {sum(lengths)} bytes of {len(data)}")
        plain = b"".join([struct.pack("<I" if n < 1 << 32 else "<Q", n) for n in lengths])
        if struct.pack("<I", masked(plain)) != data[place:start]:
            raise self._damaged(key, "the checksum of the lengths of its strings is wrong")
        if masked(plain + data[place:]) != self._entry(key).crc32c:
            raise self._damaged(key, "its checksum is wrong")
        strings: Any = np.empty(count, object)
        for i, length in enumerate(lengths):
            strings[i] = data[start : start + length]
            start += length
        return strings

    def _damaged(self, key: str, why: str) -> DataLossError:
        """The error about a tensor."""
        return DataLossError(None, None, f"{self.index}: the tensor {key!r} is damaged: {why}")


# -- slices -------------------------------------------------------------------------------------


def extents(proto: TensorSliceProto) -> list[tuple[int, int]]:
    """The start and the length of a slice in each dimension; -1 is the whole one."""
    return [(e.start, e.length if e.HasField("length") else -1) for e in proto.extent]


def slice_name(key: str, ranges: list[tuple[int, int]]) -> str:
    """The key of a slice: that of the tensor and the ranges, in a form whose order is theirs."""
    content = written_count(0) + written_text(key.encode()) + written_count(len(ranges))
    for pair in ranges:
        content += b"".join(map(written_number, pair))
    return content.decode(errors="surrogateescape")


def written_count(number: int) -> bytes:
    """A number from 0: how many bytes it has, and these."""
    content = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return bytes([len(content)]) + content


def written_text(text: bytes) -> bytes:
    """A text, with an end that no text has inside."""
    escaped = {0: b"\0\xff", 255: b"\xff\0"}
    return b"".join([escaped.get(byte, bytes([byte])) for byte in text]) + b"\0\1"


def written_number(number: int) -> bytes:
    """A number with a sign: ones for its length, and then its bits."""
    size = number.bit_length() if number >= 0 else (~number).bit_length()
    length = size // 7 + 1
    bits = (number & ((1 << (8 * length)) - 1)) ^ (((1 << length) - 1) << (7 * length))
    return bits.to_bytes(length, "big")


# -- writing ------------------------------------------------------------------------------------

#: The data are written, and their checksums computed, in pieces that the processor's caches hold.
_PIECE = 1 << 19
#: The version of the format, as TensorFlow writes it.
_PRODUCER = 1


def write_bundle(
    shard: str, index: str, tensors: Mapping[str, tuple[DType, Callable[[], Array]]]
) -> None:
    """Writes tensors by their keys, each with its dtype and what gives its array, in two files.

    An array is asked for when it is its turn, and its bytes are not copied as a whole. The system
    may write the files later.
    """
    header = BundleHeaderProto(num_shards=1)
    header.version.producer = _PRODUCER
    entries = [(b"", header.SerializeToString())]
    offset = 0
    with open(shard, "wb") as file:
        for key in sorted(tensors, key=str.encode):
            dtype, array_of = tensors[key]
            array = np.asarray(array_of())
            entry = BundleEntryProto(shape=shape_proto(array.shape), offset=offset)
            entry.dtype = data_type(dtype)
            write = _write_strings if dtype is dt.string else _write_plain
            entry.size, entry.crc32c = write(file, array)
            offset += entry.size
            entries.append((key.encode(), entry.SerializeToString()))
    with open(index, "wb") as file:
        file.write(table_of(entries))


def _write_plain(file: BinaryIO, array: Array) -> tuple[int, int]:
    """Writes the bytes of an array, and returns their number and their checksum."""
    extend = crc32c().extend
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    plain = 0
    for start in range(0, data.size, _PIECE):
        piece = data[start : start + _PIECE].tobytes()
        plain = extend(plain, piece)
        file.write(piece)
    return data.size, mask(plain)


def _write_strings(file: BinaryIO, array: Array) -> tuple[int, int]:
    """Writes strings, and returns the number of their bytes and their checksum."""
    texts: list[bytes] = array.reshape(-1).tolist()
    lengths = b"".join([written_varint(len(text)) for text in texts])
    plain = b"".join([struct.pack("<I" if len(x) < 1 << 32 else "<Q", len(x)) for x in texts])
    content = struct.pack("<I", masked(plain)) + b"".join(texts)
    file.write(lengths + content)
    return len(lengths) + len(content), masked(plain + content)
