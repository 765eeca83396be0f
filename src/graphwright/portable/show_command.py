"""`graphwright show MODEL`: the signatures, functions, variables and files of a saved model.

Nothing of the model is loaded: it is all in its messages and in the index of its variables.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from graphwright.base.errors import OpError
from graphwright.library.checkpoint.bundle_checkpoint import name_of
from graphwright.library.checkpoint.checkpoint_files import INDEX
from graphwright.library.checkpoint.tensor_bundle import OBJECTS, TensorBundle
from graphwright.portable.model_error import malformed
from graphwright.portable.restored_functions import is_call
from graphwright.portable.saved_model import graph_of, read
from graphwright.portable.saved_model_names import VARIABLES_DIRECTORY, VARIABLES_FILENAME
from graphwright.portable.structured_values import decode, dims_of, dtype_of
from graphwright.proto.saved_model_pb2 import MetaGraphDef, SavedConcreteFunction, TensorInfo
from graphwright.proto.structure_pb2 import StructuredValue
from graphwright.types.specs import TensorSpec
from graphwright.types.tensor_type import TensorType


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("model", help="the folder of a model")
    parser.add_argument("--tags", nargs="*", help="the tags of the graph, if there are several")


def run(options: argparse.Namespace) -> int:
    """Prints what is in a model; 2 if it cannot be read."""
    try:
        for line in lines_of(options.model, options.tags):
            print(line)
    except (OSError, OpError, ValueError, NotImplementedError) as error:
        print(f"{options.model}: {error}", file=sys.stderr)
        return 2
    return 0


def lines_of(folder: str, tags: list[str] | None = None) -> Iterator[str]:
    """The lines about a model."""
    graph = graph_of(read(folder), tags)
    info = graph.meta_info_def
    yield f"TensorFlow {info.tensorflow_version or 'unknown'}, tags {', '.join(sorted(info.tags))}"
    yield from section("signatures", signatures(graph))
    yield from section("functions", functions(graph))
    yield from section("variables", variables(folder))
    yield from section("assets", [file.filename for file in graph.asset_file_def])
    yield from section("files", files(folder))


def section(title: str, lines: Any) -> Iterator[str]:
    """Lines under a title, if there are any."""
    shown = [f"  {line}" for line in lines]
    if shown:
        yield from ["", title, *shown]


def signatures(graph: MetaGraphDef) -> Iterator[str]:
    """The signatures, each as a call."""
    for name in sorted(graph.signature_def):
        signature = graph.signature_def[name]
        if not name.startswith("__"):
            yield f"{name}({described(signature.inputs)}) -> {described(signature.outputs)}"


def described(tensors: Mapping[str, TensorInfo]) -> str:
    """Tensors by name, with their types."""
    return ", ".join([f"{name}: {type_text(tensors[name])}" for name in sorted(tensors)])


def type_text(info: TensorInfo) -> str:
    """The type of a tensor of a signature."""
    if info.HasField("composite_tensor"):
        return repr(decode(StructuredValue(type_spec_value=info.composite_tensor.type_spec)))
    text = repr(TensorType(dtype_of(info.dtype), dims_of(info.tensor_shape)))
    return f"sparse {text}" if info.HasField("coo_sparse") else text


def functions(graph: MetaGraphDef) -> Iterator[str]:
    """The traces of all functions, by the way to these."""
    for text, _ in traces(graph):
        yield text


def traces(graph: MetaGraphDef) -> Iterator[tuple[str, str]]:
    """The traces of all functions, as calls by the way to these, each with its name."""
    objects = graph.object_graph_def
    paths, order = {0: ""}, [0] if objects.nodes else []  # models of TensorFlow 1 have none
    for number in order:
        node = objects.nodes[number]
        kind = node.WhichOneof("kind")
        if kind == "function":
            for name in node.function.concrete_functions:
                yield f"{paths[number]}{trace_text(objects.concrete_functions, name)}", name
        elif kind in ("user_object", "resource"):
            for child in node.children:
                if not 0 <= child.node_id < len(objects.nodes):
                    raise malformed(f"the object {number}", f"there is no object {child.node_id}")
                if child.node_id not in paths and kind == "user_object":
                    above = f"{paths[number]}." if paths[number] else ""
                    paths[child.node_id] = above + child.local_name
                    order.append(child.node_id)


def trace_text(traces: Mapping[str, SavedConcreteFunction], name: str) -> str:
    """A trace as a call: its arguments and results."""
    if name not in traces:
        raise malformed("the model", f"there is no trace {name!r}")
    signature = decode(traces[name].canonicalized_input_signature)
    if not is_call(signature):
        raise malformed(name, "its signature is no pair of positional and named arguments")
    words = [text_of(argument, named=True) for argument in signature[0]]
    words += [f"{key}={text_of(signature[1][key])}" for key in sorted(signature[1])]
    return f"({', '.join(words)}) -> {text_of(decode(traces[name].output_signature))}"


def text_of(value: Any, named: bool = False) -> str:
    """A structure of specs and Python values, with short forms of types."""
    if isinstance(value, TensorSpec):
        return f"{value.name}: {value.type!r}" if named and value.name else repr(value.type)
    if isinstance(value, dict):
        return "{" + ", ".join([f"{key!r}: {text_of(value[key])}" for key in sorted(value)]) + "}"
    if isinstance(value, (list, tuple)):
        words = ", ".join(map(text_of, value))
        return f"[{words}]" if isinstance(value, list) else f"({words})"
    return repr(value)


def variables(folder: str) -> Iterator[str]:
    """The variables with their types and sizes, and how much they are together."""
    prefix = os.path.join(folder, VARIABLES_DIRECTORY, VARIABLES_FILENAME)
    if not os.path.exists(prefix + INDEX):
        return
    bundle = TensorBundle(prefix)
    keys = [key for key in bundle.keys if key != OBJECTS]
    names = [name_of(key) for key in keys]
    types = [repr(TensorType(bundle.dtype(key), bundle.shape(key))) for key in keys]
    sizes = [bundle.size(key) for key in keys]
    first, second = [max(map(len, column), default=0) for column in (names, types)]
    for name, type_, size in zip(names, types, sizes):
        yield f"{name:{first}}  {type_:{second}}  {size_text(size)}"
    if keys:
        yield f"{len(keys)} of {size_text(sum(sizes))}"


def files(folder: str) -> Iterator[str]:
    """The files of the folder with their sizes."""
    for place, inner, names in os.walk(folder):
        inner.sort()
        for name in sorted(names):
            path = os.path.join(place, name)
            yield f"{os.path.relpath(path, folder)}  {size_text(os.path.getsize(path))}"


def size_text(size: int) -> str:
    """A number of bytes for people."""
    units = ["bytes", "kB", "MB", "GB", "TB"]
    number, place = float(size), 0
    while number >= 1000 and place < len(units) - 1:
        number, place = number / 1000, place + 1
    return f"{size} bytes" if not place else f"{number:.1f} {units[place]}"
