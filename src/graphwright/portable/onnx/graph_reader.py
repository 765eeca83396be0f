"""A graph of ONNX as nodes of ours: each is applied as a traced program applies its op.

Types are inferred anew, and nothing that the model says of them is believed. Ops that ONNX itself
states in simpler ones, and functions of the model, are read by their bodies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from graphwright.base.errors import NotFoundError, OpError
from graphwright.op.interpreter import activate
from graphwright.op.refusal import own_words
from graphwright.ops.core.static import static_value
from graphwright.portable.allowance import Allowance
from graphwright.portable.model_error import malformed
from graphwright.portable.onnx.meaning import OnnxNode, meanings
from graphwright.portable.onnx.onnx_reading import Tensors, attribute_value, opset_of
from graphwright.portable.onnx.onnx_types import NUMBER_OF, onnx_package, schema_of
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.values.convert import convert
from graphwright.values.tensor import EagerTensor, Tensor

if TYPE_CHECKING:
    import onnx

#: Functions may be inside each other so deep.
_DEEPEST = 40
#: Values of at most so many elements are computed as the model is read.
_SMALL = 1024
#: Nodes that are never computed as the model is read: those with graphs, lists or random numbers.
_NEVER = frozenset(
    {
        "Bernoulli", "ConstantOfShape", "Expand", "If", "Loop", "Multinomial", "RandomNormal",
        "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Scan", "SequenceConstruct",
        "SequenceEmpty", "SplitToSequence", "Tile",
    }
)  # fmt: skip
#: The domains of ONNX's own ops.
_DOMAINS = ("", "ai.onnx")
#: The names of functions of a model: domain, name and overload.
FunctionKey: TypeAlias = tuple[str, str, str]


def check_text(*names: str | bytes) -> None:
    """Refuses names that are no text: messages have them as bytes."""
    for name in names:
        if not isinstance(name, str):
            raise malformed("the model", f"the name {name!r} is no text")


class ModelReader:
    """What the graphs of a model share."""

    def __init__(self, model: onnx.ModelProto, tensors: Tensors, allowance: Allowance) -> None:
        self.opset = opset_of(model)
        self.tensors = tensors
        self.allowance = allowance
        self.functions: dict[FunctionKey, onnx.FunctionProto] = {}
        for function in model.functions:
            self.functions[function.domain, function.name, function.overload] = function
        self.active: list[str] = []

    def refuse_unknown(self, graph: onnx.GraphProto) -> None:
        """NotFoundError for ops that nothing here reads, all at once."""
        unknown: dict[str, str] = {}
        bodies = [graph.node, *[function.node for function in self.functions.values()]]
        for nodes in bodies:
            for node in all_nodes(nodes):
                if not self.is_known(node):
                    kind = f"{node.domain}.{node.op_type}" if node.domain else node.op_type
                    unknown.setdefault(kind, node.name or (node.output[0] if node.output else "?"))
        if unknown:
            lines = [f"  {kind}, in the node {unknown[kind]!r}" for kind in sorted(unknown)]
            words = "the model has ops that graphwright does not read:\n" + "\n".join(lines)
            raise NotFoundError(None, None, words)

    def is_known(self, node: onnx.NodeProto) -> bool:
        """Whether a node has a meaning, or a body."""
        if (node.domain, node.op_type, node.overload) in self.functions:
            return True
        if node.domain not in _DOMAINS or not isinstance(node.op_type, str):
            return False
        if node.op_type in meanings():
            return True
        schema = schema_of(node.op_type, self.opset)
        return schema is not None and (schema.has_function or schema.has_context_dependent_function)


def all_nodes(nodes: Sequence[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    """Nodes, and those of the graphs inside them."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from all_nodes(attribute.g.node)


class GraphReader:
    """Reads the nodes of one graph; values around it are seen by name."""

    def __init__(
        self,
        model: ModelReader,
        values: Mapping[str, Any],
        given: Mapping[str, onnx.AttributeProto] | None = None,
    ) -> None:
        self.model = model
        self.values: dict[str, Any] = dict(values)
        #: The attributes of a function's call, which its nodes may name.
        self.given = given or {}

    def inner(self, values: Mapping[str, Any]) -> GraphReader:
        """The reader of a graph inside this one."""
        return GraphReader(self.model, {**self.values, **values}, self.given)

    def read(self, graph: onnx.GraphProto, arguments: Mapping[str, Any]) -> list[Any]:
        """The results of a graph for these arguments."""
        self.values.update(self.initializers(graph))
        self.values.update(arguments)
        self.nodes(graph.node)
        return [self.named(output.name, "the results") for output in graph.output]

    def initializers(self, graph: onnx.GraphProto) -> dict[str, Any]:
        """The constants of a graph."""
        made = {}
        for tensor in graph.initializer:
            made[tensor.name] = constant(self.model.tensors.array(tensor, repr(tensor.name)))
        for sparse in graph.sparse_initializer:
            where = repr(sparse.values.name)
            made[sparse.values.name] = constant(self.model.tensors.sparse(sparse, where))
        return made

    def nodes(self, nodes: Sequence[onnx.NodeProto]) -> None:
        """Applies nodes in their order."""
        self.model.allowance.use(len(nodes))
        made: set[str] = set()
        for node in nodes:
            check_text(node.op_type, *node.input, *node.output)
            where = node.name or (node.output[0] if node.output else node.op_type)
            operands = [self.named(name, where) if name else None for name in node.input]
            while operands and operands[-1] is None:
                operands.pop()
            try:
                results = self.applied(node, operands, where)
            except OpError as error:
                if isinstance(error, NotFoundError) or "the model is malformed" in str(error):
                    raise
                raise malformed(f"{node.op_type} {where!r}", own_words(error)) from error
            except (TypeError, ValueError, IndexError, KeyError, ZeroDivisionError) as error:
                raise malformed(f"{node.op_type} {where!r}", own_words(error)) from error
            if not isinstance(results, (list, tuple)):
                results = [results]
            for name, result in zip(node.output, results):
                if name in made:
                    raise malformed(where, f"two nodes make {name!r}")
                if name:
                    made.add(name)
                    self.values[name] = plain(result)

    def named(self, name: str, where: str) -> Any:
        """A value that a node before has made."""
        if name not in self.values:
            raise malformed(where, f"it takes {name!r}, which nothing before it makes")
        return self.values[name]

    def applied(self, node: onnx.NodeProto, operands: list[Any], where: str) -> Any:
        """The results of a node."""
        model = self.model
        is_onnx = node.domain in _DOMAINS and (node.domain, node.op_type, node.overload) not in (
            model.functions
        )
        rule = meanings().get(node.op_type) if is_onnx else None
        if rule is None:
            return self.by_body(node, operands, where)
        attributes = {}
        for message in self.resolved(node):
            attributes[message.name] = attribute_value(message, model.tensors, where)
        wanted = [bool(name) for name in node.output]
        view = OnnxNode(node.op_type, where, model.opset, wanted, attributes, self)
        if is_foldable(node, operands):
            with activate(None):
                return rule.read(view, *operands)
        return rule.read(view, *operands)

    def resolved(self, node: onnx.NodeProto) -> Iterator[onnx.AttributeProto]:
        """The attributes of a node, those of the call around it among them."""
        for message in node.attribute:
            if not message.ref_attr_name:
                yield message
            elif message.ref_attr_name in self.given:
                copy = onnx_package().AttributeProto()
                copy.CopyFrom(self.given[message.ref_attr_name])
                copy.name = message.name
                yield copy

    def by_body(self, node: onnx.NodeProto, operands: list[Any], where: str) -> list[Any]:
        """The results of a function of the model, or of an op by the body that ONNX states."""
        key = (node.domain, node.op_type, node.overload)
        function = self.model.functions.get(key) or self.stated(node, operands, where)
        name = f"{node.domain}.{node.op_type}"
        active = self.model.active
        if name in active or len(active) >= _DEEPEST:
            raise malformed(where, "functions call themselves: " + " -> ".join([*active, name]))
        if len(operands) > len(function.input):
            raise malformed(where, f"{node.op_type} takes {len(function.input)} operands")
        given = {message.name: message for message in function.attribute_proto}
        given.update({message.name: message for message in self.resolved(node)})
        reader = GraphReader(self.model, {"": None}, given)
        padded = [*operands, *[None] * (len(function.input) - len(operands))]
        reader.values.update(zip(function.input, padded))
        active.append(name)
        try:
            reader.nodes(function.node)
        finally:
            active.pop()
        return [reader.values.get(output) for output in function.output]

    def stated(self, node: onnx.NodeProto, operands: list[Any], where: str) -> onnx.FunctionProto:
        """The body that ONNX states for an op, for operands of these types."""
        package = onnx_package()
        schema = schema_of(node.op_type, self.model.opset) if node.domain in _DOMAINS else None
        if schema is None:
            raise NotFoundError(None, None, f"the model has the op {node.op_type}, in {where!r}")
        function = package.FunctionProto()
        plain = package.NodeProto()
        plain.CopyFrom(node)
        del plain.attribute[:]
        plain.attribute.extend(self.resolved(node))
        if schema.has_context_dependent_function:
            types = [type_message(operand) for operand in operands]
            content = schema.get_context_dependent_function_with_opset_version(
                self.opset_of_body(schema), plain.SerializeToString(), types
            )
            function.ParseFromString(content)
        elif schema.has_function:
            function.CopyFrom(schema.function_body)
        else:
            words = f"{node.op_type} of the node {where!r} is not read"
            raise NotFoundError(None, None, words)
        defaults = {name: a.default_value for name, a in schema.attributes.items()}
        named = {message.name for message in plain.attribute}
        for name, default in defaults.items():
            if name not in named and default.name:
                function.attribute_proto.add().CopyFrom(default)
        return function

    def opset_of_body(self, schema: onnx.defs.OpSchema) -> int:
        """The newest opset that the schema has a body for and that the model may have."""
        versions = schema.context_dependent_function_opset_versions
        fitting = [version for version in versions if version <= self.model.opset]
        return int(max(fitting, default=min(versions)))


def type_message(operand: Any) -> bytes:
    """The type of a value as a message."""
    helper = onnx_package().helper
    if not isinstance(operand, Tensor):
        return bytes(onnx_package().TypeProto().SerializeToString())
    number = NUMBER_OF.get(operand.dtype, 0)
    message = helper.make_tensor_type_proto(number, operand.type.dims)
    return bytes(message.SerializeToString())


def constant(array: Any) -> Any:
    """An eager tensor."""
    with activate(None):
        return convert(array)


def is_foldable(node: onnx.NodeProto, operands: Sequence[Any]) -> bool:
    """Whether a node is computed at once: of small values that are known, most often shapes."""
    if node.op_type in _NEVER or not all(o is None or isinstance(o, EagerTensor) for o in operands):
        return False
    return sum(o.type.size or 0 for o in operands if o is not None) <= _SMALL


def plain(value: Any) -> Any:
    """A value that is known, as an eager tensor."""
    if not isinstance(value, SymbolicTensor) or not value.dtype.is_integer:
        return value
    known = static_value(value) if value.type.size is not None else None
    return value if known is None or np.size(known) > _SMALL else constant(known)
