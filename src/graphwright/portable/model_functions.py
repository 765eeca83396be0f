"""The functions that a model is saved with: their traces as messages, and what these capture."""

from __future__ import annotations

import inspect
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from graphwright.autodiff.custom import CustomGradient
from graphwright.base.errors import (
    InaccessibleTensorError,
    NotDifferentiableError,
    UnimplementedError,
)
from graphwright.base.logs import LOGGER
from graphwright.function.concrete import ConcreteFunction
from graphwright.function.polymorphic import PolymorphicFunction
from graphwright.function.structure import Outputs
from graphwright.ir.graph import Graph, Node, Value
from graphwright.ir.graphdef import FunctionLibrary
from graphwright.op.interpreter import activate
from graphwright.portable.node_ops import PYTHON_OPS, is_known
from graphwright.portable.structured_values import encode
from graphwright.proto.graph_pb2 import FunctionDef
from graphwright.proto.saved_model_pb2 import FunctionSpec, SavedConcreteFunction
from graphwright.proto.structure_pb2 import StructuredValue
from graphwright.trace.argument_types import Structure, Weakref
from graphwright.trace.signature import KEYWORD_ONLY
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import Tracer, tracing
from graphwright.types.composite import Composite
from graphwright.types.containers import is_namedtuple
from graphwright.types.specs import TensorSpec
from graphwright.types.trace_type import TraceType
from graphwright.values.convert import convert
from graphwright.values.tensor import Tensor

#: The parameters of a Python function, as `inspect.getfullargspec` names them.
FullArgSpec = namedtuple(
    "FullArgSpec",
    ["args", "varargs", "varkw", "defaults", "kwonlyargs", "kwonlydefaults", "annotations"],
)


class ModelFunctions:
    """The traces that are saved, each under its own name.

    `number_of` gives the number of the object behind a captured tensor.
    """

    def __init__(self, number_of: Callable[[Any, str], int]) -> None:
        self.library = FunctionLibrary(add_shapes=True, counted=True)
        self.messages: dict[str, SavedConcreteFunction] = {}
        #: The functions of gradients that functions state themselves, by the names of these.
        self.gradients: dict[str, str] = {}
        self._number_of = number_of
        self._names: dict[int, str] = {}
        self._definitions: list[FunctionDef] = []
        self._alive: list[ConcreteFunction] = []

    def traces(self, function: PolymorphicFunction) -> list[str]:
        """The names of the traces of a function that can be saved."""
        names = []
        for concrete in concrete_functions(function):
            name = self.trace(concrete)
            if name is not None:
                names.append(name)
        return names

    def trace(self, concrete: ConcreteFunction) -> str | None:
        """The name of a trace; None for one whose arguments have no form in a model."""
        if id(concrete) in self._names:
            return self._names[id(concrete)]
        text = concrete.name.decode()
        try:
            refuse_objects([type_ for _, _, type_ in concrete.function_type.typed()])
        except TypeError as error:
            LOGGER.info("a trace of %s is not saved: %s", text, error)
            return None
        try:
            signature = encode(concrete.structured_input_signature)
            results = encode(result_specs(concrete.structured_outputs))
        except TypeError as error:
            LOGGER.warning("a trace of %s is not saved: %s", text, error)
            return None
        message = SavedConcreteFunction()
        message.canonicalized_input_signature.CopyFrom(signature)
        message.output_signature.CopyFrom(results)
        for tensor in concrete.graph.captured:
            message.bound_inputs.append(self._number_of(tensor, text))
        name = self.library.claim(text)
        self.messages[name] = message
        self._names[id(concrete)] = name
        self._alive.append(concrete)
        graph, order = concrete.graph, parameter_order(concrete)
        parameters = [graph.parameters[place] for place in order]
        if order == sorted(order):
            self.library.add(graph, name)
        else:  # calls inside other functions give the arguments in the order of the trace
            captures = [value for _, value in graph.captures]
            arguments = [*parameters, *captures]
            self.library.graphs[name] = graph
            self._definitions.append(self.library.function(name, graph, "", arguments))
        return name

    def definitions(self, inside: Callable[[str, str], int] | None) -> Iterator[FunctionDef]:
        """All functions as messages, those that others call included.

        `inside` gives the number of a tensor by the function in which it is and its name there.
        Without it, no gradients are saved that functions state themselves.
        """
        for message in chain(self._definitions, self.library.functions()):
            name = message.signature.name
            graph = self.library.graphs[name]
            nodes = {node.name: node for node in message.node_def}
            for node in graph.nodes:
                if isinstance(node.op, CustomGradient):
                    kind = f"CustomGradient-{name}-{node.name}"
                    nodes[node.name].attr["_gradient_op_type"].s = kind.encode()
                    # The rules of rules are left out, as TensorFlow leaves them out.
                    if inside is not None and name not in self.gradients.values():
                        self._save_gradient(kind, node, graph, message, inside)
            refuse_own_ops(message, graph)
            yield message

    def _save_gradient(
        self, kind: str, node: Node, graph: Graph, message: FunctionDef,
        inside: Callable[[str, str], int],
    ) -> None:  # fmt: skip
        """Saves the gradient that a function states for a part of it, if it has a form."""
        try:
            made, cotangents = gradient_graph(node, graph)
        except (NotDifferentiableError, InaccessibleTensorError, TypeError) as error:
            LOGGER.warning(
                "the gradient that %s states at %s is not saved: %s",
                message.signature.name, node.name, error,
            )  # fmt: skip
            return
        saved = SavedConcreteFunction()
        incoming = [
            TensorSpec.from_type(value.type, f"result_grads_{i}")
            for i, value in enumerate(made.parameters)
        ]
        saved.canonicalized_input_signature.CopyFrom(encode(((None, *incoming), {})))
        saved.output_signature.CopyFrom(encode(result_specs(cotangents)))
        names = argument_names(message, graph)
        for tensor in made.captured:
            if isinstance(tensor, SymbolicTensor):
                where = names.get(tensor.key) or tensor_name(tensor.key, self.library.counted)
                saved.bound_inputs.append(inside(message.signature.name, where))
            else:
                saved.bound_inputs.append(self._number_of(tensor, message.signature.name))
        name = self.library.claim(f"__inference_internal_grad_fn_{made.id}")
        self.library.add(made, name)
        self.messages[name] = saved
        self.gradients[kind] = name


class RuleTracer(Tracer):
    """Traces a rule that a program stated in a graph, and takes tensors of that graph alone.

    What the graph has taken of graphs around it, the rule takes of the graph too.
    """

    def __init__(self, graph: Graph, home: Graph, below: Tracer) -> None:
        super().__init__(graph, below)
        self._stands_for = {
            id(tensor): SymbolicTensor(value, home)
            for tensor, value in home.captures
            if isinstance(tensor, SymbolicTensor)
        }

    def _import(self, tensor: object) -> Value:
        return super()._import(self._stands_for.get(id(tensor), tensor))


def gradient_graph(node: Node, home: Graph) -> tuple[Graph, list[Any]]:
    """The rule of a node that states its own gradient, as a graph of cotangents of all operands.

    Returns:
        The graph, and a cotangent or None for each operand. An error where the rule takes tensors
        of other graphs than `home`.
    """
    op: Any = node.op
    graph = Graph("internal_grad_fn")
    with tracing(home) as outer, activate(tracer := RuleTracer(graph, home, outer)):
        for place, value in enumerate(node.inputs):
            graph.parameters.append(graph.placeholder(value.type, f"result_grads_{place}"))
        incoming = [SymbolicTensor(value, graph) for value in graph.parameters]
        returned = op.rule(incoming[: op.count])
        rest: list[Any] = [None if c is None else convert(c) for c in returned]
        cotangents = [*[None] * (len(node.inputs) - len(rest)), *rest]
        graph.results = Outputs(cotangents, op.rule).results(tracer)
        tracer.close()
    return graph, cotangents


def argument_names(message: FunctionDef, graph: Graph) -> dict[Value, str]:
    """The names of a function's arguments as tensors of it."""
    specified = [
        message.arg_attr[place].attr["_user_specified_name"].s.decode()
        for place in range(len(message.signature.input_arg))
    ]
    by_node = {name: arg.name for name, arg in zip(specified, message.signature.input_arg)}
    return {value: f"{by_node[value.node.name]}:0" for value in graph.arguments}


def tensor_name(value: Value, counted: bool) -> str:
    """The name of a tensor in its function; the outputs of counted loops come later."""
    shift = 2 if counted and value.node.op.type_name in ("While", "StatelessWhile") else 0
    return f"{value.node.name}:{value.index + shift}"


def concrete_functions(function: PolymorphicFunction) -> list[ConcreteFunction]:
    """The traces of a function that can be called from anywhere, or that of its signature."""
    traces = [c for c in function._list_all_concrete_functions() if not c.is_local]
    if not traces and function.input_signature is not None:
        traces = [function.get_concrete_function()]
    return traces


def refuse_objects(types: Sequence[TraceType]) -> None:
    """TypeError for the type of an object of the program, which may be gone by now."""
    for type_ in types:
        if isinstance(type_, Weakref):
            raise TypeError(f"{type_!r} has no form in a model")
        if isinstance(type_, Structure):
            refuse_objects(type_.children)


def parameter_order(concrete: ConcreteFunction) -> list[int]:
    """The places of a trace's tensors in the order of a model: arguments by name are sorted."""
    places: list[int] = []
    named: dict[str, list[int]] = {}
    count = 0
    for name, kind, type_ in concrete.function_type.typed():
        numbers = list(range(count, count + len(type_.flatten())))
        count += len(numbers)
        if kind is KEYWORD_ONLY:
            named[name] = numbers
        else:
            places += numbers
    return [*places, *[place for name in sorted(named) for place in named[name]]]


def result_specs(structure: Any, path: tuple[str | int, ...] = ()) -> Any:
    """The specs of results in their structure, with names that say where they are."""
    if isinstance(structure, Composite):
        return structure.__graphwright_spec__
    if isinstance(structure, Tensor):
        return TensorSpec(structure.shape, structure.dtype, path_name(path))
    if isinstance(structure, Mapping):
        return {key: result_specs(item, (*path, key)) for key, item in structure.items()}
    if is_namedtuple(type(structure)):
        parts = zip(structure._fields, structure)
        return type(structure)(*[result_specs(item, (*path, name)) for name, item in parts])
    if isinstance(structure, (list, tuple)):
        items = [result_specs(item, (*path, i)) for i, item in enumerate(structure)]
        return items if isinstance(structure, list) else tuple(items)
    return structure


def path_name(path: tuple[str | int, ...]) -> str:
    """The name of the result at a place of a structure, as TensorFlow names it."""
    words = [*(["tensor"] if path and isinstance(path[0], int) else []), *map(str, path)]
    return "_".join(words) or "unknown"


def refuse_own_ops(message: FunctionDef, graph: Graph) -> None:
    """Refuses ops that no other program knows, with the lines that they come from."""
    ops = sorted({node.op for node in message.node_def})
    unknown = [op for op in ops if op in PYTHON_OPS or not is_known(op)]
    if unknown:
        lines = [line_of(name, graph) for name in unknown]
        raise UnimplementedError(
            None, None,
            f"the function {message.signature.name} has ops that no saved model may have: "
            + "; ".join(lines),
        )  # fmt: skip


def line_of(op: str, graph: Graph) -> str:
    """An op with a line of the program that it comes from."""
    nodes: list[Node] = [n for n in graph.nodes if n.op.type_name == op and n.location]
    return f"{op}, of {nodes[0].location}" if nodes else op


# -- signatures of Python -----------------------------------------------------------------------


def function_spec(function: PolymorphicFunction) -> FunctionSpec:
    """The Python signature of a function as a message."""
    spec = FunctionSpec()
    spec.fullargspec.CopyFrom(parameters_of(function._binder.signature))
    signature = function.input_signature
    spec.input_signature.CopyFrom(encode(None if signature is None else tuple(signature)))
    jit_compile = function._options["jit_compile"]
    if jit_compile is not None:
        spec.jit_compile = FunctionSpec.ON if jit_compile else FunctionSpec.OFF
    return spec


def parameters_of(signature: inspect.Signature) -> StructuredValue:
    """Parameters as a message; TypeError for a default that has no form in a model."""
    parts = signature.parameters.values()
    positional = [p for p in parts if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    named = [p for p in parts if p.kind is p.KEYWORD_ONLY]
    rest = {p.kind: p.name for p in parts if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
    defaults = tuple([p.default for p in positional if p.default is not p.empty])
    keyword_defaults = {p.name: p.default for p in named if p.default is not p.empty}
    return encode(
        FullArgSpec(
            [p.name for p in positional],
            rest.get(inspect.Parameter.VAR_POSITIONAL),
            rest.get(inspect.Parameter.VAR_KEYWORD),
            defaults or None,
            [p.name for p in named],
            keyword_defaults or None,
            {},
        )
    )
