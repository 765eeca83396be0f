"""Checkpoints in TensorFlow's format: a bundle, in which the graph of objects is a tensor.

A table is two tensors there, its keys and its values, and here two variables that it holds.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from google.protobuf.message import DecodeError

from graphwright.base.errors import DataLossError
from graphwright.base.files import make_folders, new_file, remove_abandoned, write_to_disk
from graphwright.library.checkpoint.checkpoint_files import (
    ENDING,
    INDEX,
    SHARD,
    VALUE,
    Saved,
    SavedObject,
    SavedValue,
)
from graphwright.library.checkpoint.object_graph import Followed, children, is_serializable
from graphwright.library.checkpoint.tensor_bundle import OBJECTS, TensorBundle, write_bundle
from graphwright.ops.io.file_system import system_errors
from graphwright.proto.checkpoint_pb2 import TrackableObjectGraph
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType, of_numpy, string
from graphwright.values.convert import convert
from graphwright.values.variable import Variable

#: The attribute of a table, and what is added to its key for its keys and values.
_TABLE, _COLUMNS = "table", ("-keys", "-values")


class SavedBundle(Saved):
    """The content of a bundle; tensors are read when they are asked for."""

    def __init__(self, bundle: TensorBundle, nodes: list[SavedObject], path: str) -> None:
        super().__init__({}, nodes, path)
        self.bundle = bundle
        self._keys = {name_of(key): key for key in bundle.keys}

    def array(self, node: SavedObject | SavedValue) -> Array:
        """A value."""
        return self.bundle.read(self._keys[node["value"]])

    def by_key(self) -> dict[str, SavedValue]:
        """All tensors by their keys."""
        return {key: saved_value(self.bundle, key) for key in self.bundle.keys}


def name_of(key: str) -> str:
    """What messages call a value: the path of its variable."""
    return key.removesuffix(ENDING).rstrip("/") if key.endswith(ENDING) else key


def saved_value(bundle: TensorBundle, key: str) -> SavedValue:
    """The description of a tensor."""
    return {
        "value": name_of(key), "dtype": bundle.dtype(key).name, "shape": list(bundle.shape(key))
    }  # fmt: skip


def load_bundle(path: str) -> SavedBundle:
    """Reads what a bundle says about its content.

    NotFoundError where there is none, DataLossError where it is damaged. It has no nodes where
    TensorFlow 1 wrote it, which names variables and knows no objects.
    """
    bundle = TensorBundle(path)
    if OBJECTS not in bundle.keys:
        return SavedBundle(bundle, [], path)
    content = bundle.read(OBJECTS)
    try:
        messages = TrackableObjectGraph.FromString(content.item()).nodes
    except (DecodeError, ValueError, TypeError) as error:
        words = f"{bundle.index}: the graph of objects is damaged: {error}"
        raise DataLossError(None, None, words) from None
    nodes: list[SavedObject] = [{"children": {}} for _ in messages]
    for node, message in zip(nodes[: len(messages)], messages):
        for child in message.children:
            if not 0 <= child.node_id < len(messages):
                words = f"{bundle.index}: there is no object {child.node_id}"
                raise DataLossError(None, None, words)
            node["children"][child.local_name] = child.node_id
        for attribute in message.attributes:
            add_attribute(bundle, nodes, node, attribute.name, attribute.checkpoint_key)
    return SavedBundle(bundle, nodes, path)


def add_attribute(
    bundle: TensorBundle, nodes: list[SavedObject], node: SavedObject, name: str, key: str
) -> None:
    """Adds a value of an object; a table becomes two variables."""
    if name == VALUE:
        node.update(saved_value(bundle, key))  # type: ignore[typeddict-item]
    elif key in bundle.keys:
        node.setdefault("tensors", {})[name] = saved_value(bundle, key)
    else:
        for column in _COLUMNS:
            if key + column in bundle.keys:
                node["children"][f"{_TABLE}{column}"] = len(nodes)
                part: SavedObject = {"children": {}}
                part.update(saved_value(bundle, key + column))  # type: ignore[typeddict-item]
                nodes.append(part)


# -- writing ------------------------------------------------------------------------------------

#: Tensors by their keys, each with its dtype and what gives its array.
Tensors: TypeAlias = dict[str, tuple[DType, Callable[[], Array]]]


def bundle_snapshot(root: Followed) -> tuple[Tensors, TrackableObjectGraph]:
    """The tensors of all that a root reaches, and the graph of objects."""
    tensors: Tensors = {}
    graph = TrackableObjectGraph()
    graph.nodes.add()
    paths, numbers, objects = [""], {id(root): 0}, [root]
    for number, holder in enumerate(objects):
        node, path = graph.nodes[number], paths[number]
        prefix = f"{path}/" if path else ""
        held = children(holder)
        if isinstance(holder, Variable):
            key = prefix + ENDING
            node.attributes.add(name=VALUE, full_name=holder.name, checkpoint_key=key)
            tensors[key] = (holder.dtype, holder._storage.read)
        elif is_serializable(holder):
            for name, tensor in holder._serialize_to_tensors().items():
                array = convert(tensor).numpy()
                key = f"{prefix}.ATTRIBUTES/{name}"
                node.attributes.add(name=name, checkpoint_key=key)
                tensors[key] = (of_numpy(array.dtype), constant_of(array))
        elif {f"{_TABLE}{column}" for column in _COLUMNS} <= held.keys():
            key = f"{prefix}.ATTRIBUTES/{_TABLE}"
            node.attributes.add(name=_TABLE, checkpoint_key=key)
            for column in _COLUMNS:
                part: Any = held.pop(f"{_TABLE}{column}")
                tensors[key + column] = (part.dtype, part._storage.read)
        for name, child in held.items():
            if id(child) not in numbers:
                numbers[id(child)] = len(objects)
                objects.append(child)
                paths.append(prefix + escaped(name))
                graph.nodes.add()
            node.children.add(node_id=numbers[id(child)], local_name=name)
    mark_values(graph)
    return tensors, graph


def graph_of_objects(saved: Saved) -> TrackableObjectGraph:
    """The graph of objects of a file in another format, as a bundle would hold it."""
    graph = TrackableObjectGraph()
    for node in saved.nodes:
        made = graph.nodes.add()
        for name, number in node["children"].items():
            made.children.add(node_id=number, local_name=name)
        if "value" in node:
            made.attributes.add(name=VALUE, checkpoint_key=f"{node['value']}/{ENDING}")
        for name, value in node.get("tensors", {}).items():
            path = value["value"].removesuffix(name)
            made.attributes.add(name=name, checkpoint_key=f"{path}.ATTRIBUTES/{name}")
    mark_values(graph)
    return graph


def constant_of(array: Array) -> Callable[[], Array]:
    """A function that returns an array."""
    return lambda: array


def mark_values(graph: TrackableObjectGraph) -> None:
    """Marks the objects with values, and those that hold them, directly or not."""
    holders: list[list[int]] = [[] for _ in graph.nodes]
    for number, node in enumerate(graph.nodes):
        for child in node.children:
            holders[child.node_id].append(number)
    valued = [number for number, node in enumerate(graph.nodes) if node.attributes]
    seen = set(valued)
    for number in valued:
        graph.nodes[number].has_checkpoint_values.value = True
        for holder in holders[number]:
            if holder not in seen:
                seen.add(holder)
                valued.append(holder)


def escaped(name: str) -> str:
    """A name as a part of a path."""
    return name.replace(".", "..").replace("/", ".S")


def write_bundle_checkpoint(root: Followed, path: str) -> None:
    """Writes what a root reaches as a bundle."""
    tensors, graph = bundle_snapshot(root)
    content = np.empty((), object)
    content[()] = graph.SerializeToString()
    tensors[OBJECTS] = (string, lambda: content)
    write_tensors(path, tensors)


def write_tensors(path: str, tensors: Tensors) -> None:
    """Writes tensors as a bundle; both files get their names when they are complete.

    Raises:
        OpError: The system refuses it, as a full disk does.
    """
    parent, index, shard = Path(path).parent, Path(path + INDEX), Path(path + SHARD)
    with system_errors(path):
        make_folders(parent)
        for ending in (INDEX, SHARD):
            remove_abandoned(parent, f"*{ending}")
        with new_file(index) as new_index, new_file(shard) as new_shard:
            write_bundle(str(new_shard), str(new_index), tensors)
            for new in (new_shard, new_index):
                write_to_disk(new)
            index.unlink(missing_ok=True)  # an index never stands beside another one's data
            os.replace(new_shard, shard)
            os.replace(new_index, index)
