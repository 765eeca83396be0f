"""Models of ONNX as modules."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

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
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.types.specs import TensorSpec
from graphwright.types.tensor_type import TensorType
from graphwright.values.convert import convert
from graphwright.values.tensor import Tensor
from graphwright.values.variable import Variable

if TYPE_CHECKING:
    import onnx


#: The type of the handle of a list.
HANDLE = TensorType(dt.variant, ())


class OnnxModel(Tracked):
    """A model of ONNX as a function of tensors, which `tf.onnx.load` makes.

    A sequence of tensors is a list, as an input and as an output.

    Attributes:
        inputs: The names of its inputs, in their order.
        outputs: The names of its outputs.
        concrete: Its trace.
    """

    def __init__(
        self,
        inputs: Mapping[str, InputType],
        outputs: Sequence[str],
        call: Any,
        weights: list[Variable],
        lists: Mapping[str, ItemSequence],
    ) -> None:
        self.inputs = tuple(inputs)
        self.types, self.lists = inputs, lists
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
            ValueError: An item of a sequence has a shape that does not fit.
            NotImplementedError: An output is a sequence, and a function is being traced.
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
        made = self.call(*[kind.outside(name, given[name]) for name, kind in self.types.items()])
        if len(self.outputs) == 1:
            return self._output(self.outputs[0], made)
        return {name: self._output(name, made[name]) for name in self.outputs}

    def _output(self, name: str, made: Tensor) -> Any:
        """What the program gets of a result of the trace: a list for a sequence."""
        items = self.lists.get(name)
        if items is None:
            return made
        return ItemSequence(made, items.item, items.type).items(f"the output {name!r}")

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
    types = {v.name: InputType.of(v.type, f"the input {v.name!r}") for v in arguments}
    outputs = [value.name for value in graph.output]
    if len(set(outputs)) < len(outputs) or not outputs:
        raise malformed("the model", "two outputs have one name, or there is none")
    weights = variables_of(graph, model) if trainable else {}
    lists: dict[str, ItemSequence] = {}
    call = traced(graph, model, types, weights, fixed, lists)
    return OnnxModel(types, outputs, call, [*weights.values()], lists)


class InputType(NamedTuple):
    """The type of an input: of a tensor, or of the items of a sequence."""

    is_sequence: bool
    type: TensorType

    @classmethod
    def of(cls, message: onnx.TypeProto, where: str) -> InputType:
        """The type that a message says."""
        if message.HasField("sequence_type"):
            return cls(True, type_of(message.sequence_type.elem_type, f"an item of {where}"))
        return cls(False, type_of(message, where))

    def spec(self, name: str) -> TensorSpec:
        """What the trace takes: a sequence is the handle of a list."""
        return TensorSpec.from_type(HANDLE if self.is_sequence else self.type, name)

    def outside(self, name: str, value: Any) -> Any:
        """What the trace takes for the value of a program."""
        if not self.is_sequence:
            return value
        return ItemSequence.of_items(value, self.type, f"the input {name!r}").handle

    def inside(self, tensor: TensorValue) -> Any:
        """What nodes take, in the trace."""
        return ItemSequence(tensor, self.type.dtype, self.type) if self.is_sequence else tensor


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
    types: Mapping[str, InputType],
    weights: Mapping[str, Variable],
    fixed: Mapping[str, Tensor],
    lists: dict[str, ItemSequence],
) -> Callable[..., Any]:
    """The function of a graph, whose trace notes in `lists` what outputs are sequences."""

    def call(*tensors: Any) -> Any:
        reader = GraphReader(model, {"": None})
        given = {name: kind.inside(x) for (name, kind), x in zip(types.items(), tensors)}
        read = {name: variable.read_value() for name, variable in weights.items()}
        results = reader.read(graph, {**given, **fixed, **read})
        handles = {}
        for output, result in zip(graph.output, results):
            if isinstance(result, ItemSequence):
                lists[output.name], result = result, result.handle
            handles[output.name] = result
        return handles if len(handles) > 1 else next(iter(handles.values()))

    specs = [kind.spec(name) for name, kind in types.items()]
    made: Callable[..., Any] = function(call, input_signature=specs, autograph=False)
    return made
