"""What cursors save, as bytes: numbers, texts, arrays, windows, and lists and mappings of these.

The bytes are the length of a text, the text, and the arrays' elements. The text is JSON, in which
arrays are known by their dtypes, shapes and places. Nothing in it is ever executed.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from graphwright.base.errors import DataLossError, UnimplementedError
from graphwright.data.stages.fixed_stage import FixedStage
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array

_LENGTH = 8


def encode(state: Any) -> bytes:
    """A state as bytes; UnimplementedError where a part of it has no such form."""
    pieces: list[bytes] = []
    text = json.dumps(plain(state, pieces)).encode()
    return b"".join([len(text).to_bytes(_LENGTH, "little"), text, *pieces])


def decode(data: bytes) -> Any:
    """The state that `encode` made bytes of; DataLossError for other bytes."""
    try:
        start = _LENGTH + int.from_bytes(data[:_LENGTH], "little")
        return revived(json.loads(data[_LENGTH:start]), data[start:])
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise DataLossError(None, None, f"this is no saved iterator: {error}") from error


def plain(value: object, pieces: list[bytes]) -> Any:
    """A value for JSON; the elements of arrays are added to `pieces`."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        return array_entry(np.asarray(value), pieces)
    if isinstance(value, (list, tuple)):
        return [plain(item, pieces) for item in value]
    if isinstance(value, dict):
        return {"items": {key: plain(item, pieces) for key, item in value.items()}}
    if isinstance(value, bytes):
        return array_entry(np.array(value, object), pieces)
    if isinstance(value, FixedStage):
        return {"window": plain(value.saved(), pieces)}
    raise UnimplementedError(
        None, None,
        f"an iterator that holds {value!r} cannot be saved",
    )  # fmt: skip


def array_entry(array: Array, pieces: list[bytes]) -> dict[str, Any]:
    """What the text says of an array."""
    entry: dict[str, Any] = {"shape": list(array.shape), "start": sum(map(len, pieces))}
    if array.dtype.kind == "O":
        words: list[Any] = array.ravel().tolist()
        if not all(isinstance(word, bytes) for word in words):
            return {"items": plain(words[0], pieces)}  # refuses it
        pieces += words
        return {**entry, "lengths": [len(word) for word in words]}
    pieces.append(np.ascontiguousarray(array).tobytes())
    return {**entry, "dtype": dt.of_numpy(array.dtype).name}


def revived(value: object, data: bytes) -> Any:
    """The value that an entry of the text stands for."""
    if isinstance(value, list):
        return [revived(item, data) for item in value]
    if not isinstance(value, dict):
        return value
    if "items" in value:
        return {key: revived(item, data) for key, item in value["items"].items()}
    if "window" in value:
        return FixedStage.restored(revived(value["window"], data))
    start, shape = value["start"], tuple(value["shape"])
    if "lengths" in value:
        words = np.empty(len(value["lengths"]), object)
        for place, length in enumerate(value["lengths"]):
            words[place] = data[start : start + length]
            start += length
        return words.reshape(shape)
    dtype = dt.as_dtype(value["dtype"]).numpy_dtype
    return np.frombuffer(data, dtype, math.prod(shape), start).reshape(shape)
