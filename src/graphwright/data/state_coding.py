"""What cursors save, as bytes: numbers, texts, arrays, stages, and lists and mappings of these.

The bytes are the length of a text, the text, and the arrays' elements. The text is JSON, in which
arrays are known by their dtypes, shapes and places. Nothing in it is ever executed. Arrays begin at
multiples of 64 bytes, so they can be used where they are. Whole numbers have the smallest dtype
that has them all.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from graphwright.base.errors import DataLossError, UnimplementedError
from graphwright.op.late_imports import late_module
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array

_LENGTH = 8
_ALIGNED = 64

#: The modules and classes of stages that states may hold, which have `saved` and `restored`. Their
#: modules import this one only when a position is saved, so they have no decorators.
_STAGES = {
    "window": ("graphwright.data.stages.fixed_stage", "FixedStage"),
    "shard": ("graphwright.data.storage.shard_stage", "StoredShardStage"),
}


class ArrayBytes:
    """The elements of arrays, one array behind the other."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def add(self, data: bytes) -> int:
        """Adds bytes, and others up to the next aligned place; says where they begin."""
        start = self.size
        rest = -len(data) % _ALIGNED
        self.parts += [data, bytes(rest)]
        self.size += len(data) + rest
        return start


def encode(state: object) -> bytes:
    """A state as bytes; UnimplementedError where a part of it has no such form."""
    arrays = ArrayBytes()
    text = json.dumps(plain(state, arrays), separators=(",", ":")).encode()
    text += b" " * (-(_LENGTH + len(text)) % _ALIGNED)
    return b"".join([len(text).to_bytes(_LENGTH, "little"), text, *arrays.parts])


def decode(data: bytes | Array) -> Any:
    """The state that `encode` made bytes of; DataLossError for other bytes.

    Arrays are views of the bytes, unless those have another dtype.
    """
    try:
        start = _LENGTH + int.from_bytes(bytes(data[:_LENGTH]), "little")
        return revived(json.loads(bytes(data[_LENGTH:start])), data[start:])
    except (ValueError, KeyError, TypeError, IndexError, OverflowError, RecursionError) as error:
        raise DataLossError(None, None, f"this is no saved iterator: {error}") from error


def plain(value: object, arrays: ArrayBytes) -> Any:
    """A value for JSON; the elements of arrays are added to `arrays`."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        return array_entry(np.asarray(value), arrays)
    if isinstance(value, (list, tuple)):
        return several(value, arrays) or [plain(item, arrays) for item in value]
    if isinstance(value, dict):
        return {"items": {key: plain(item, arrays) for key, item in value.items()}}
    if isinstance(value, bytes):
        return array_entry(np.array(value, object), arrays)
    kinds = {(kind.__module__, kind.__name__) for kind in type(value).__mro__}
    for name, place in _STAGES.items():
        if place in kinds:
            stage: Any = value
            return {name: plain(stage.saved(), arrays)}
    raise UnimplementedError(
        None, None,
        f"an iterator that holds {value!r} cannot be saved",
    )  # fmt: skip


def array_entry(array: Array, arrays: ArrayBytes) -> dict[str, Any]:
    """What the text says of an array."""
    shape = list(array.shape)
    if array.dtype.kind != "O":
        stored = narrow(array)
        start = arrays.add(np.ascontiguousarray(stored).tobytes())
        entry = {"shape": shape, "start": start, "dtype": dt.of_numpy(array.dtype).name}
        return entry if stored is array else {**entry, "stored": stored.dtype.name}
    words: list[Any] = array.ravel().tolist()
    if not all(isinstance(word, bytes) for word in words):
        return {"items": plain(words[0], arrays)}  # refuses it
    lengths = np.array(list(map(len, words)), np.int64)
    ends = arrays.add(lengths.tobytes())
    return {"shape": shape, "start": arrays.add(b"".join(words)), "lengths": ends}


def narrow(array: Array) -> Array:
    """Several whole numbers in the smallest dtype that has them; other arrays as they are."""
    if array.dtype.kind not in "iu" or array.itemsize == 1 or array.nbytes <= _ALIGNED:
        return array
    low, high = int(array.min()), int(array.max())
    for dtype in (np.int8, np.int16, np.int32) if low < 0 else (np.uint8, np.uint16, np.uint32):
        limits = np.iinfo(dtype)
        if limits.bits < 8 * array.itemsize and limits.min <= low and high <= limits.max:
            return array.astype(dtype)
    return array


def several(values: list[Any] | tuple[Any, ...], arrays: ArrayBytes) -> dict[str, Any] | None:
    """What the text says of arrays of one dtype and rank; None for other values."""
    first = values[0] if len(values) > 1 else None
    if type(first) is not np.ndarray:
        return None
    kinds = {(type(v), getattr(v, "dtype", None), getattr(v, "ndim", None)) for v in values}
    if len(kinds) > 1:
        return None
    shapes = np.array([value.shape for value in values], np.int64)
    whole = np.concatenate([value.ravel() for value in values])
    return {"shapes": array_entry(shapes, arrays), "parts": array_entry(whole, arrays)}


def revived(value: object, data: bytes | Array) -> Any:
    """The value that an entry of the text stands for."""
    if isinstance(value, list):
        return [revived(item, data) for item in value]
    if not isinstance(value, dict):
        return value
    if "items" in value:
        return {key: revived(item, data) for key, item in value["items"].items()}
    for name, (module, kind) in _STAGES.items():
        if name in value:
            return getattr(late_module(module), kind).restored(revived(value[name], data))
    if "shapes" in value:
        return parted(revived(value["parts"], data), revived(value["shapes"], data))
    start, shape = value["start"], tuple(value["shape"])
    if "lengths" in value:
        return words_of(value, data).reshape(shape)
    dtype = dt.as_dtype(value["dtype"]).numpy_dtype
    if "stored" in value:
        stored = dt.as_dtype(value["stored"]).numpy_dtype
        return np.frombuffer(data, stored, math.prod(shape), start).reshape(shape).astype(dtype)
    return np.frombuffer(data, dtype, math.prod(shape), start).reshape(shape)


def words_of(entry: dict[str, Any], data: bytes | Array) -> Array:
    """The strings of an array, in a row."""
    count, start = math.prod(entry["shape"]), entry["start"]
    lengths = np.frombuffer(data, np.int64, count, entry["lengths"])
    stop = start + int(lengths.sum())
    if count < 0 or start < 0 or (lengths < 0).any() or stop > len(data):
        raise ValueError("strings reach beyond the data")
    text = bytes(data[start:stop])
    words = np.empty(count, object)
    place = 0
    for number, length in enumerate(lengths.tolist()):
        words[number] = text[place : place + length]
        place += length
    return words


def parted(whole: Array, shapes: Array) -> list[Array]:
    """The arrays of these shapes of which an array has the elements, one behind the other."""
    if shapes.ndim != 2 or (shapes < 0).any():
        raise ValueError("arrays have no shapes")
    parts, start = [], 0
    for shape in shapes.tolist():
        stop = start + math.prod(shape)
        parts.append(whole[start:stop].reshape(shape))
        start = stop
    return parts
