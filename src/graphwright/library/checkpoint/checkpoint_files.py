"""What checkpoints consist of: their files, and what is known of their content.

A checkpoint is one safetensors file, or in TensorFlow's format an index and a shard.
"""

from __future__ import annotations

import glob
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array

#: What is added to a path for the names of files.
SUFFIX, INDEX, SHARD = ".safetensors", ".index", ".data-00000-of-00001"
#: What TensorFlow calls the tensor of a variable, and of another object that makes one of itself.
VALUE = "VARIABLE_VALUE"
#: What TensorFlow's keys of values end in: programs name the values by these.
ENDING = f".ATTRIBUTES/{VALUE}"


def is_there(path: str) -> bool:
    """Whether there is a checkpoint of this path, in either format."""
    return os.path.exists(path + SUFFIX) or os.path.exists(path + INDEX)


def delete(path: str, but: str = "") -> None:
    """Deletes the files of a checkpoint; those of the format with the suffix `but` stay."""
    if but != SUFFIX:
        Path(path + SUFFIX).unlink(missing_ok=True)
    if but != INDEX:
        Path(path + INDEX).unlink(missing_ok=True)
        folder, name = os.path.split(os.path.abspath(path))
        for shard in Path(folder).glob(f"{glob.escape(name)}.data-[0-9]*-of-[0-9]*"):
            shard.unlink(missing_ok=True)


class SavedLinks(TypedDict):
    """The objects that a saved one holds: their numbers by name."""

    children: dict[str, int]


class SavedValue(TypedDict):
    """A saved array: its path, dtype and shape."""

    value: str
    dtype: str
    shape: list[int]


class SavedObject(SavedLinks, total=False):
    """A saved object; one that is a variable has a value, by its path, of a dtype and a shape.

    An object that makes tensors of itself has several by their names.
    """

    value: str
    dtype: str
    shape: list[int]
    tensors: dict[str, SavedValue]


def tensors_of(node: SavedObject) -> Mapping[str, SavedValue]:
    """The tensors of a saved object by their names; a variable has one."""
    if "value" in node:
        value, dtype, shape = node["value"], node["dtype"], node["shape"]
        return {VALUE: {"value": value, "dtype": dtype, "shape": shape}}
    return node.get("tensors", {})


def stored_words(raw: bytes, count: int) -> Array:
    """Strings from the bytes that stand for them: see `storable`."""
    lengths = np.frombuffer(raw[: 8 * count], "<u8").astype(np.int64)
    ends = 8 * count + np.cumsum(lengths)
    words = np.empty(count, object)
    words[:] = [raw[end - length : end] for end, length in zip(ends, lengths)]
    return words


class Saved:
    """The content of a file: arrays by their paths, and the graph of objects."""

    def __init__(self, arrays: Mapping[str, Array], nodes: list[SavedObject], path: str) -> None:
        self.arrays = arrays
        self.nodes = nodes
        self.path = path

    def values(self) -> list[str]:
        """The paths of all values."""
        paths = [node["value"] for node in self.nodes if "value" in node]
        several = [node["tensors"].values() for node in self.nodes if "tensors" in node]
        return [*paths, *[saved["value"] for tensors in several for saved in tensors]]

    def array(self, node: SavedObject | SavedValue) -> Array:
        """A value."""
        array = self.arrays[node["value"]]
        dtype = dt.as_dtype(node["dtype"]).numpy_dtype
        if dtype.kind == "O":
            array = stored_words(array.tobytes(), math.prod(node["shape"]))
        elif array.dtype != dtype:
            array = np.frombuffer(array.tobytes(), dtype)
        return array.reshape(node["shape"])

    def by_key(self) -> dict[str, SavedValue]:
        """All values by the keys that TensorFlow gives them, in order."""
        keys: dict[str, Any] = {f"{n['value']}/{ENDING}": n for n in self.nodes if "value" in n}
        for node in self.nodes:
            for name, saved in node.get("tensors", {}).items():
                path = saved["value"].removesuffix(name)
                keys[f"{path}.ATTRIBUTES/{name}"] = saved
        return dict(sorted(keys.items()))
