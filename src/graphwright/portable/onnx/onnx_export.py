"""Writing a trace as a model of ONNX."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from graphwright.base.errors import UnimplementedError
from graphwright.base.files import TextPath, make_folders, new_file, write_whole
from graphwright.compile.graph.simplify import simplify
from graphwright.function.concrete import ConcreteFunction
from graphwright.ir.graph import Value
from graphwright.op.interpreter import activate
from graphwright.portable.onnx.exported_function import result_names
from graphwright.portable.onnx.graph_writer import GraphWriter
from graphwright.portable.onnx.node_writer import ModelParts
from graphwright.portable.onnx.onnx_types import (
    NEWEST_OPSET,
    NUMBER_OF,
    OLDEST_OPSET,
    onnx_package,
)
from graphwright.portable.onnx.value_types import value_info
from graphwright.portable.onnx.wire import Wire
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType

if TYPE_CHECKING:
    import onnx

#: A message may have fewer bytes than this.
_MOST_BYTES = (1 << 31) - (1 << 24)
#: Arrays of at least so many bytes go to the file of weights, at multiples of a page.
_LARGE, _PAGE = 1024, 4096


def write_model(
    concrete: ConcreteFunction, path: TextPath, opset: int, external_data: bool | None
) -> None:
    """Writes a trace to a file, and large weights to one beside it."""
    if not OLDEST_OPSET <= opset <= NEWEST_OPSET:
        words = f"models are written in opset {OLDEST_OPSET} to {NEWEST_OPSET}, not {opset}"
        raise ValueError(words)
    with activate(None):
        model, arrays = model_of(concrete, opset)
    total = sum(array.nbytes for array in arrays.values() if array.dtype != object)
    beside = total > _MOST_BYTES if external_data is None else external_data
    file = Path(os.fspath(path))
    make_folders(file.parent)
    if beside:
        data = file.with_name(file.name + ".data")
        with new_file(data) as new:
            with open(new, "r+b") as stream:
                for name, array in arrays.items():
                    model.graph.initializer.append(tensor(name, array, stream, data.name))
            os.replace(new, data)
    else:
        for name, array in arrays.items():
            model.graph.initializer.append(tensor(name, array, None, ""))
    write_whole(file, model.SerializeToString())


def model_of(concrete: ConcreteFunction, opset: int) -> tuple[onnx.ModelProto, dict[str, Array]]:
    """The message of a model without its initializers, and these."""
    parts = parts_of(concrete, opset)
    if parts.refused:
        lines = list(dict.fromkeys(map(str, parts.refused)))
        words = "these ops of the function have no counterpart in ONNX:\n" + "\n".join(lines)
        raise UnimplementedError(None, None, words)
    nodes = pruned(parts.nodes, [wire.name for wire in parts.outputs])
    used = set(names_used(nodes))
    arrays = {name: array for name, array in parts.initializers.items() if name in used}
    helper = onnx_package().helper
    messages = [value_info(wire, sizes(wire)) for wire in parts.inputs]
    results = [value_info(wire, sizes(wire)) for wire in parts.outputs]
    message = helper.make_graph(nodes, concrete._python_name or "graph", messages, results)
    imports = [helper.make_opsetid("", opset)]
    model: onnx.ModelProto = helper.make_model(
        message,
        opset_imports=imports,
        producer_name="graphwright",
        ir_version=helper.find_min_ir_version_for(imports),
    )
    return model, arrays


def parts_of(concrete: ConcreteFunction, opset: int) -> ModelParts:
    """The nodes, inputs and outputs of a model, and what is refused."""
    parts = ModelParts(opset)
    writer = GraphWriter(parts)
    graph = simplify(concrete.graph)
    parts.inputs = [argument(parts, value) for value in graph.parameters]
    captured = [capture(parts, outside, value) for outside, value in graph.captures]
    wires = writer.run(graph, [*parts.inputs, *captured])
    for name, wire in zip(result_names(concrete), wires):
        if wire.is_list:
            parts.refuse_result(name)
        elif wire.name:
            parts.outputs.append(named(writer, parts, name, wire))
    parts.nodes = writer.nodes
    return parts


def argument(parts: ModelParts, value: Value) -> Wire:
    """An input of the model."""
    if value.type.dtype not in NUMBER_OF:
        raise ValueError(
            f"the argument {value.node.name!r} is of {value.type.dtype.name}, which no model of "
            "ONNX takes"
        )
    return Wire(parts.unique(value.node.name), value.type)


def capture(parts: ModelParts, outside: Any, value: Value) -> Wire:
    """A tensor of outside, as an initializer, or the handle of a variable."""
    if isinstance(outside, SymbolicTensor):
        words = f"the function uses {outside!r} of a function around it: export that one"
        raise ValueError(words)
    if value.type.dtype is dt.resource:
        return Wire("", value.type, variable=getattr(outside, "variable", None))
    if value.type.dtype not in NUMBER_OF:
        return Wire("", value.type)
    array = np.asarray(outside.numpy(), value.type.dtype.numpy_dtype)
    type_ = TensorType(value.type.dtype, array.shape)
    return parts.initializer(array, type_, value.node.name, None)


def named(writer: GraphWriter, parts: ModelParts, name: str, wire: Wire) -> Wire:
    """A result under the name that the model gives it."""
    made = writer.emit("Identity", wire)
    final = parts.unique(name)
    writer.nodes[-1].output[0] = final
    assert made.name != final
    return Wire(final, wire.type)


def sizes(wire: Wire) -> list[int | str] | None:
    """The shape of an input or output; each size that is not known has a name."""
    dims = wire.type.dims
    if dims is None:
        return None
    return [f"{wire.name}_{axis}" if d is None else d for axis, d in enumerate(dims)]


def pruned(nodes: Sequence[onnx.NodeProto], wanted: Sequence[str]) -> list[onnx.NodeProto]:
    """The nodes that serve the wanted values, in graphs inside too."""
    needed, live = set(wanted), []
    for node in reversed(nodes):
        if not needed.isdisjoint(node.output):
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    inner = attribute.g
                    rest = pruned(inner.node, [output.name for output in inner.output])
                    del inner.node[:]
                    inner.node.extend(rest)
            needed.update(names_used([node]))
            live.append(node)
    return live[::-1]


def names_used(nodes: Sequence[onnx.NodeProto]) -> Iterator[str]:
    """The names that nodes and graphs in them take."""
    for node in nodes:
        yield from node.input
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from names_used(attribute.g.node)


def tensor(name: str, array: Array, stream: BinaryIO | None, place: str) -> onnx.TensorProto:
    """The message of an array; a large one is written to the stream, if there is one."""
    package = onnx_package()
    if array.dtype == object:
        words = [item if isinstance(item, bytes) else str(item).encode() for item in array.flat]
        strings: onnx.TensorProto = package.helper.make_tensor(
            name, NUMBER_OF[dt.string], array.shape, words
        )
        return strings
    if stream is None or array.nbytes < _LARGE:
        message: onnx.TensorProto = package.numpy_helper.from_array(array, name)
        return message
    if array.dtype.itemsize == 1 and dt.of_numpy(array.dtype) in dt.NARROW_INTEGER:
        return package.numpy_helper.from_array(array, name)  # packed, two or four in a byte
    message = package.TensorProto(name=name, data_type=NUMBER_OF[dt.of_numpy(array.dtype)])
    message.dims.extend(array.shape)
    offset = -(-stream.tell() // _PAGE) * _PAGE
    stream.seek(offset)
    stream.write(np.ascontiguousarray(array).view(np.uint8).reshape(-1).data)
    message.data_location = package.TensorProto.EXTERNAL
    entries = {"location": place, "offset": str(offset), "length": str(array.nbytes)}
    for key, value in entries.items():
        entry = message.external_data.add()
        entry.key, entry.value = key, value
    return message
