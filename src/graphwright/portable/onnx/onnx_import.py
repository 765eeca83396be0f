"""Models of ONNX as modules."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from graphwright.base.files import TextPath
from graphwright.function.concrete import ConcreteFunction
from graphwright.function.polymorphic import function
from graphwright.library.checkpoint.object_graph import Tracked
from graphwright.op.interpreter import activate
from graphwright.portable.allowance import Allowance
from graphwright.portable.model_error import malformed
from graphwright.portable.onnx.graph_reader import GraphReader, ModelReader, all_nodes, check_text
from graphwright.portable.onnx.onnx_reading import Tensors, parsed, type_of
from graphwright.portable.onnx.sequence import ItemSequence
from graphwright.types.arguments import TensorLike
from graphwright.types.specs import TensorSpec
from graphwright.values.convert import convert
from graphwright.values.tensor import Tensor
from graphwright.values.variable import Variable

if TYPE_CHECKING:
    import onnx


class OnnxModel(Tracked):
    """A model of ONNX as a function of tensors, which `tf.onnx.load` makes.

    Attributes:
        inputs: The names of its inputs, in their order.
        outputs: The names of its outputs.
        concrete: Its trace.
    """

    def __init__(
        self, inputs: Sequence[str], outputs: Sequence[str], call: Any, weights: list[Variable]
    ) -> None:
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        self.weights = weights
        self.call = call
        self.concrete: ConcreteFunction = call.get_concrete_function()

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The weights, if they were loaded as variables."""
        return tuple(self.weights)

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Runs the model.

        Args:
            *args: Its first inputs.
            **kwargs: Others by their names.

        Returns:
            The output, or a dict of several by their names.

        Raises:
            TypeError: Inputs are missing, or there are too many.
        """
        given = dict(zip(self.inputs, args))
        unknown = [name for name in kwargs if name not in self.inputs or name in given]
        missing = [name for name in self.inputs if name not in given and name not in kwargs]
        if len(args) > len(self.inputs) or unknown or missing:
            raise TypeError(
                f"the model takes {', '.join(self.inputs) or 'nothing'}; got {len(args)} by "
                f"position and {', '.join(kwargs) or 'none'} by name"
            )
        given.update(kwargs)
        return self.call(*[given[name] for name in self.inputs])

    def __repr__(self) -> str:
        return f"<OnnxModel ({', '.join(self.inputs)}) -> {', '.join(self.outputs)}>"


def load_model(
    path: TextPath, trainable: bool, constants: Mapping[str, TensorLike] | None
) -> OnnxModel:
    """The module of a model in a file."""
    file = os.fspath(path)
    message = parsed(file)
    with activate(None):
        return model_of(message, os.path.dirname(os.path.abspath(file)), trainable, constants)


def model_of(
    message: onnx.ModelProto,
    folder: str,
    trainable: bool = False,
    constants: Mapping[str, TensorLike] | None = None,
) -> OnnxModel:
    """The module of a message, whose weights may be in files of a folder."""
    graph = message.graph
    allowance = Allowance(sum(1 for _ in all_nodes(graph.node)))
    model = ModelReader(message, Tensors(folder, allowance), allowance)
    model.refuse_unknown(graph)
    weighted = {tensor.name for tensor in graph.initializer}
    weighted |= {tensor.values.name for tensor in graph.sparse_initializer}
    arguments = [value for value in graph.input if value.name not in weighted]
    fixed = fixed_inputs(arguments, constants or {})
    arguments = [value for value in arguments if value.name not in fixed]
    names = [value.name for value in arguments]
    check_text(*names, *[value.name for value in graph.output])
    if len(set(names)) < len(names):
        raise malformed("the model", "two inputs have one name")
    specs = [
        TensorSpec.from_type(type_of(value.type, f"the input {value.name!r}"), value.name)
        for value in arguments
    ]
    outputs = [value.name for value in graph.output]
    if len(set(outputs)) < len(outputs) or not outputs:
        raise malformed("the model", "two outputs have one name, or there is none")
    weights = variables_of(graph, model) if trainable else {}
    call = traced(graph, model, names, specs, weights, fixed)
    return OnnxModel(names, outputs, call, [*weights.values()])


def fixed_inputs(
    arguments: Sequence[onnx.ValueInfoProto], constants: Mapping[str, TensorLike]
) -> dict[str, Tensor]:
    """The values that a program gives to inputs once and for all."""
    types = {value.name: value.type for value in arguments}
    unknown = [name for name in constants if name not in types]
    if unknown:
        raise ValueError(f"the model has no input {unknown[0]!r}, but {', '.join(types) or 'none'}")
    return {
        name: convert(value, type_of(types[name], f"the input {name!r}").dtype)
        for name, value in constants.items()
    }


def variables_of(graph: onnx.GraphProto, model: ModelReader) -> dict[str, Variable]:
    """The weights of floats as variables."""
    made = {}
    for tensor in graph.initializer:
        array = model.tensors.array(tensor, repr(tensor.name))
        value = convert(array)
        if value.dtype.is_floating and value.type.rank:
            made[tensor.name] = Variable(value, name=tensor.name)
    return made


def traced(
    graph: onnx.GraphProto,
    model: ModelReader,
    names: Sequence[str],
    specs: Sequence[TensorSpec],
    weights: Mapping[str, Variable],
    fixed: Mapping[str, Tensor],
) -> Callable[..., Any]:
    """The function of a graph."""

    def call(*tensors: Any) -> Any:
        reader = GraphReader(model, {"": None})
        read = {name: variable.read_value() for name, variable in weights.items()}
        results = reader.read(graph, {**dict(zip(names, tensors)), **fixed, **read})
        for output, result in zip(graph.output, results):
            if isinstance(result, ItemSequence):
                raise malformed(f"the output {output.name!r}", "only tensors go in and out")
        if len(results) == 1:
            return results[0]
        return {output.name: result for output, result in zip(graph.output, results)}

    made: Callable[..., Any] = function(call, input_signature=list(specs), autograph=False)
    return made
