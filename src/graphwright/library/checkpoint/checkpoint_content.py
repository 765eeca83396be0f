"""The safetensors file of a checkpoint: values with their checksums, and the graph of objects.

Its metadata has two texts in JSON and a checksum of both. `nodes` are the objects, and `checksums`
has the CRC-32C of each value. A file is read as a whole, and nothing of it is used before all of it
has been held against these.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as pack

from graphwright.base.errors import DataLossError
from graphwright.base.files import write_whole
from graphwright.library.checkpoint.checkpoint_files import SUFFIX, Saved, SavedObject
from graphwright.library.io.records import crc32c, mask, masked
from graphwright.ops.io.file_system import system_errors
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array

_FORMAT = "graphwright 2"
#: The dtypes that the file format has a name for; others are stored as bytes.
_PLAIN = frozenset("?bBhHiIlLqQefd")
#: Checksums are computed in pieces of so many bytes.
_PIECE = 1 << 22


def storable(array: Array) -> Array:
    """An array in a dtype that files have: its bytes, where they have no such dtype.

    Strings become their lengths, in eight bytes each, little-endian, and then all of their bytes.
    """
    if array.dtype.kind == "O":
        words = array.ravel().tolist()
        lengths = np.array([len(word) for word in words], "<u8").tobytes()
        return np.frombuffer(lengths + b"".join(words), np.uint8)
    array = np.asarray(array, order="C")
    return array if array.dtype.char in _PLAIN else np.frombuffer(array.tobytes(), np.uint8)


def write_content(path: str, values: dict[str, Array], nodes: list[SavedObject]) -> None:
    """Writes values by their names and the objects that have them: a whole file or none."""
    texts = json.dumps(nodes), json.dumps({name: checksum(values[name]) for name in values})
    metadata = {
        "format": _FORMAT, "nodes": texts[0], "checksums": texts[1], "checksum": checksum_of(texts)
    }  # fmt: skip
    content = pack(values, metadata)
    with system_errors(path):
        write_whole(path + SUFFIX, content, durable=True)


def checksum(array: Array) -> int:
    """The checksum of the bytes of an array; few of them are copied at a time."""
    extend = crc32c().extend
    data, plain = np.ascontiguousarray(array).reshape(-1).view(np.uint8), 0
    for start in range(0, data.size, _PIECE):
        plain = extend(plain, data[start : start + _PIECE].tobytes())
    return mask(plain)


def checksum_of(texts: tuple[str, str]) -> str:
    """The checksum of the texts of the metadata."""
    return str(masked("\0".join(texts).encode()))


class Damage(Exception):
    """What is wrong in a file."""


def read_content(path: str) -> Saved:
    """What a checkpoint has; DataLossError, with the file and the place, where it is damaged."""
    name = path + SUFFIX
    try:
        with safe_open(name, framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
    except (SafetensorError, ValueError, TypeError, AttributeError) as damage:
        # The format has dtypes that NumPy has not.
        raise DataLossError(None, None, f"{name} is no whole checkpoint: {damage}") from damage
    if not is_own(metadata):
        return Saved(arrays, nodes_of_keys(arrays), path)
    if metadata.get("format") != _FORMAT:
        raise DataLossError(
            None, None, f"{name} has the format {metadata.get('format')!r}, not {_FORMAT!r}"
        )
    try:
        return checked(metadata, arrays, path)
    except Damage as damage:
        raise DataLossError(None, None, f"{name} is damaged: {damage}") from None


def is_own(metadata: Mapping[str, str]) -> bool:
    """Whether a file is a checkpoint, whole or damaged, and not weights alone."""
    keys = {"nodes", "checksums", "checksum"}
    return not keys.isdisjoint(metadata) or metadata.get("format", "").startswith("graphwright")


def nodes_of_keys(arrays: Mapping[str, Array]) -> list[SavedObject]:
    """The graph of objects that the keys of any safetensors file mean: paths with / or dots."""
    separator = "/" if any("/" in key for key in arrays) else "."
    nodes: list[SavedObject] = [{"children": {}}]
    for key, array in arrays.items():
        number = 0
        for name in key.split(separator):
            below = nodes[number]["children"]
            if name not in below:
                below[name] = len(nodes)
                nodes.append({"children": {}})
            number = below[name]
        node = nodes[number]
        node["value"], node["shape"] = key, list(array.shape)
        node["dtype"] = dt.of_numpy(array.dtype).name
    return nodes


def checked(metadata: Mapping[str, str], arrays: dict[str, Array], path: str) -> Saved:
    """The content of a file, of which nothing contradicts another part."""
    texts = metadata.get("nodes", ""), metadata.get("checksums", "")
    if metadata.get("checksum") != checksum_of(texts):
        raise Damage("the checksum of its metadata is wrong")
    nodes, sums = parsed("nodes", texts[0], list), parsed("checksums", texts[1], dict)
    if sums.keys() != arrays.keys():
        raise Damage(f"it has the values {sorted(arrays)}, and checksums of {sorted(sums)}")
    for name, array in arrays.items():
        if checksum(array) != sums[name]:
            raise Damage(f"the checksum of the value {name!r} is wrong")
    saved = Saved(arrays, nodes, path)
    if not nodes:
        raise Damage("it has no objects")
    for number, node in enumerate(nodes):
        check_object(number, node, saved)
    return saved


def parsed(name: str, text: str, kind: type) -> Any:
    """What a text of the metadata says: a list or a dict."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Damage(f"its {name} cannot be read: {error}") from None
    if not isinstance(value, kind):
        raise Damage(f"its {name} are no {kind.__name__}")
    return value


def check_object(number: int, node: Any, saved: Saved) -> None:
    """Damage unless a description of an object is one, of objects and values that there are."""
    if not isinstance(node, dict) or not isinstance(node.get("children"), dict):
        raise Damage(f"object {number} has no children")
    for name, child in node["children"].items():
        if type(child) is not int or not 0 <= child < len(saved.nodes):
            raise Damage(f"{name!r} of object {number} is object {child!r} of {len(saved.nodes)}")
    tensors = node.get("tensors", {})
    if not isinstance(tensors, dict):
        raise Damage(f"the tensors of object {number} are no dict")
    for value in [node] * ("value" in node) + list(tensors.values()):
        check_value(number, value, saved)


def check_value(number: int, value: Any, saved: Saved) -> None:
    """Damage unless the description of a value is that of the array of its name."""
    known = isinstance(value, dict) and isinstance(value.get("value"), str)
    if not known or value["value"] not in saved.arrays:
        raise Damage(f"object {number} has a value that is not there")
    name, shape = value["value"], value.get("shape")
    if not isinstance(shape, list) or not all(type(n) is int and n >= 0 for n in shape):
        raise Damage(f"the shape of {name!r} is {shape!r}")
    try:
        dtype = dt.as_dtype(value.get("dtype"))
        if dtype.name != value["dtype"]:
            raise TypeError("it is not the name of a dtype")
        form = storable(np.empty(0, dtype.numpy_dtype)).dtype
        array = saved.arrays[name]
        if array.dtype != form:
            raise Damage(f"the bytes of {name!r} are {array.dtype}, which is not {dtype.name}")
        count = math.prod(shape)
        if dtype is dt.string:
            count = 8 * count + int(array[: 8 * count].view("<u8").sum(dtype=object))
        elif form != dtype.numpy_dtype:
            count *= dtype.numpy_dtype.itemsize
        if array.size != count:
            raise Damage(f"{name!r} has {array.size} entries, not the {count} of shape {shape}")
        saved.array(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise Damage(f"{name!r} is no {value.get('dtype')} of shape {shape}: {error}") from None
