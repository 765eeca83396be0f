"""The graph of a saved model outside its functions: what programs without Python run.

It has a node for each variable, constant, file and table, a call for each signature, and calls
that restore and save the variables.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from graphwright.ir.graph import Names
from graphwright.ir.graphdef import versioned
from graphwright.ir.tensor_proto import content_proto, data_type, shape_proto, tensor_proto
from graphwright.library.checkpoint.tensor_bundle import OBJECTS
from graphwright.portable.model_tables import const_node
from graphwright.portable.saved_model_names import (
    INIT_OP_SIGNATURE_KEY,
    MAIN_OP_KEY,
    PREDICT_METHOD_NAME,
)
from graphwright.portable.structured_values import encode
from graphwright.proto.graph_pb2 import FunctionDef, GraphDef, NodeDef
from graphwright.proto.saved_model_pb2 import MetaGraphDef
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.specs import TensorSpec
from graphwright.types.tensor_type import TensorType
from graphwright.types.type_spec import TypeSpec
from graphwright.values.variable import Variable

#: What names of nodes may not have.
_FOREIGN = re.compile(r"[^A-Za-z0-9_.\\/-]|^[^A-Za-z0-9.]")


class ModelGraph:
    """The nodes for the objects of a model, each an output by the object's number."""

    def __init__(self) -> None:
        self.message: GraphDef = versioned()
        self._names = Names()
        self._outputs: dict[int, str] = {}
        self._dtypes: dict[int, DType] = {}
        self._main: list[str] = []

    def _add(self, node: NodeDef, number: int | None = None, dtype: DType = dt.resource) -> NodeDef:
        """Adds a node under a name of its own, as the output of an object if one is given."""
        node.name = self._names.unique(_FOREIGN.sub("_", node.name))
        if node.op == "VarHandleOp":
            node.attr["shared_name"].s = node.name.encode()
        self.message.node.append(node)
        if number is not None:
            self._outputs[number], self._dtypes[number] = node.name, dtype
        return node

    def variable(self, number: int, variable: Variable) -> None:
        """Adds the handle of a variable."""
        name = variable.name.partition(":")[0]
        node = NodeDef(name=name, op="VarHandleOp")
        node.attr["dtype"].type = data_type(variable.dtype)
        node.attr["shape"].shape.CopyFrom(shape_proto(variable.type.dims))
        self._add(node, number)

    def constant(self, number: int, array: Array, dtype: DType) -> str:
        """Adds a constant, and returns the name of its node."""
        return self._add(const_node("Const", content_proto(array, dtype)), number, dtype).name

    def asset(self, number: int, path: str) -> str:
        """Adds the path of a file, and returns the name of its node."""
        proto = tensor_proto(as_array(path.encode()), dt.string)
        return self._add(const_node("asset_path_initializer", proto), number, dt.string).name

    def table(self, number: int, create: str, fill: str, bound: Sequence[int]) -> None:
        """Adds a table, and what fills it when the model is loaded."""
        self._add(call_node(create, [], [], [dt.resource]), number)
        node = call_node(fill, *self._operands(bound), [dt.int32])
        self._main.append(self._add(node).name)

    def _operands(self, bound: Iterable[int]) -> tuple[list[str], list[DType]]:
        """The outputs of objects, and their dtypes."""
        numbers = list(bound)
        return [self._outputs[n] for n in numbers], [self._dtypes[n] for n in numbers]

    def signature(
        self, graph: MetaGraphDef, key: str, function: str, bound: Sequence[int],
        arguments: Mapping[str, TensorType], results: Mapping[str, TypeSpec],
    ) -> None:  # fmt: skip
        """Adds a call of a signature's function; results stand in the order of their names."""
        definition = graph.signature_def[key]
        definition.method_name = PREDICT_METHOD_NAME
        inputs = []
        for name, type_ in arguments.items():
            node = NodeDef(name=f"{key}_{name}", op="Placeholder")
            node.attr["dtype"].type = data_type(type_.dtype)
            node.attr["shape"].shape.CopyFrom(shape_proto(type_.dims))
            inputs.append(self._add(node).name)
            describe(definition.inputs[name], f"{inputs[-1]}:0", type_)
        operands, dtypes = self._operands(bound)
        dtypes = [*[type_.dtype for type_ in arguments.values()], *dtypes]
        given = [part.dtype for spec in results.values() for part in spec.flatten()]
        call = self._add(call_node(function, [*inputs, *operands], dtypes, given))
        place = 0
        for name, spec in results.items():
            info, parts = definition.outputs[name], spec.flatten()
            if not isinstance(spec, TensorSpec):
                info.composite_tensor.type_spec.CopyFrom(encode(spec).type_spec_value)
            for part in parts:
                whole = isinstance(spec, TensorSpec)
                target = info if whole else info.composite_tensor.components.add()
                describe(target, f"{call.name}:{place}", part.type)
                place += 1

    def finish(
        self, graph: MetaGraphDef, variables: Mapping[int, tuple[str, Variable]], objects: bytes
    ) -> list[FunctionDef]:
        """Adds what is run on load, and what saves and restores variables.

        Returns:
            The functions that are called for it.
        """
        waits = [f"^{name}" for name in self._main]
        main = self._add(NodeDef(name="NoOp", op="NoOp", input=waits)).name
        graph.collection_def[MAIN_OP_KEY].node_list.value.append(main)
        described = graph.signature_def[INIT_OP_SIGNATURE_KEY].outputs[INIT_OP_SIGNATURE_KEY]
        described.name = main
        described.tensor_shape.unknown_rank = True
        content = self._add(const_node("Const", tensor_proto(as_array(objects), dt.string))).name
        node = NodeDef(name="saver_filename", op="Placeholder")
        node.attr["dtype"].type = data_type(dt.string)
        node.attr["shape"].shape.SetInParent()
        prefix = self._add(node).name
        handles, dtypes = self._operands(variables)
        keys = [key for key, _ in variables.values()]
        held = [variable for _, variable in variables.values()]
        functions = [saving(keys, held), restoring(keys, held)]
        names = [function.signature.name for function in functions]
        strings = [dt.string, *dtypes]
        save = call_node(names[0], [prefix, *handles, content], [*strings, dt.string], [dt.string])
        restore = call_node(names[1], [prefix, *handles], strings, [dt.string])
        graph.saver_def.filename_tensor_name = f"{prefix}:0"
        graph.saver_def.save_tensor_name = f"{self._add(save).name}:0"
        graph.saver_def.restore_op_name = self._add(restore).name
        graph.saver_def.version = graph.saver_def.V2
        graph.graph_def.CopyFrom(self.message)
        return functions


def as_array(value: object) -> Any:
    """A scalar of a string as an array."""
    array = np.empty((), object)
    array[()] = value
    return array


def describe(info: Any, name: str, type_: TensorType) -> None:
    """Fills the description of a tensor of a signature."""
    info.name = name
    info.dtype = data_type(type_.dtype)
    info.tensor_shape.CopyFrom(shape_proto(type_.dims))


def call_node(
    function: str, operands: Sequence[str], given: Sequence[DType], returned: Sequence[DType]
) -> NodeDef:
    """The node of a call."""
    node = NodeDef(name="StatefulPartitionedCall", op="StatefulPartitionedCall", input=operands)
    node.attr["f"].func.name = function
    node.attr["Tin"].list.type.extend([data_type(dtype) for dtype in given])
    node.attr["Tout"].list.type.extend([data_type(dtype) for dtype in returned])
    return node


def strings(name: str, values: Sequence[str]) -> NodeDef:
    """The node of a vector of strings."""
    array = np.empty(len(values), object)
    array[:] = [value.encode() for value in values]
    return const_node(name, tensor_proto(array, dt.string))


def saver_function(name: str, held: Sequence[Variable]) -> FunctionDef:
    """A function of a prefix of files and of variables, which returns the prefix."""
    message = FunctionDef()
    message.signature.name = name
    message.signature.is_stateful = True
    message.signature.input_arg.add(name="prefix", type=data_type(dt.string))
    for place, variable in enumerate(held):
        argument = message.signature.input_arg.add(name=f"v{place}", type=data_type(dt.resource))
        shape = shape_proto(variable.type.dims)
        argument.handle_data.add(dtype=data_type(variable.dtype), shape=shape)
    message.signature.output_arg.add(name="identity", type=data_type(dt.string))
    message.ret["identity"] = "result:output:0"
    return message


def finished(message: FunctionDef, effects: Sequence[str]) -> FunctionDef:
    """The function with its result, which waits for nodes with effects."""
    result = message.node_def.add(name="result", op="Identity", input=["prefix"])
    result.attr["T"].type = data_type(dt.string)
    for effect in effects:
        result.input.append(f"^{effect}")
        message.signature.control_output.append(effect)
        message.control_ret[effect] = effect
    return message


def restoring(keys: Sequence[str], held: Sequence[Variable]) -> FunctionDef:
    """The function that restores variables from a bundle."""
    message = saver_function("__inference__traced_restore", held)
    if not held:
        return finished(message, [])
    message.node_def.extend([strings("names", keys), strings("slices", [""] * len(keys))])
    inputs = ["prefix", "names:output:0", "slices:output:0"]
    read = message.node_def.add(name="read", op="RestoreV2", input=inputs)
    read.attr["dtypes"].list.type.extend([data_type(v.dtype) for v in held])
    effects = []
    for place, variable in enumerate(held):
        operands = [f"v{place}", f"read:tensors:{place}"]
        node = message.node_def.add(name=f"assign{place}", op="AssignVariableOp", input=operands)
        node.attr["dtype"].type = data_type(variable.dtype)
        effects.append(node.name)
    return finished(message, effects)


def saving(keys: Sequence[str], held: Sequence[Variable]) -> FunctionDef:
    """The function that saves variables in a bundle, with the graph of objects."""
    message = saver_function("__inference__traced_save", held)
    message.signature.input_arg.add(name="objects", type=data_type(dt.string))
    message.node_def.extend(
        [strings("names", [*keys, OBJECTS]), strings("slices", [""] * (len(keys) + 1))]
    )
    values = []
    for place, variable in enumerate(held):
        node = message.node_def.add(name=f"read{place}", op="ReadVariableOp", input=[f"v{place}"])
        node.attr["dtype"].type = data_type(variable.dtype)
        values.append(f"read{place}:value:0")
    inputs = ["prefix", "names:output:0", "slices:output:0", *values, "objects"]
    write = message.node_def.add(name="write", op="SaveV2", input=inputs)
    dtypes = [*[v.dtype for v in held], dt.string]
    write.attr["dtypes"].list.type.extend([data_type(dtype) for dtype in dtypes])
    return finished(message, ["write"])
