"""Functions of a model as graphs of ours: each node is applied as a traced program applies its op.

So types are inferred anew, and nothing that the model says of them is believed. A called function
becomes a graph of its own for each type of arguments. Branches and loops are traced where they
stand, and capture what they take.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias

from graphwright.autodiff.custom import CustomGradient
from graphwright.base.errors import NotDifferentiableError, OpError
from graphwright.control.body import hoist_reads, result_value, share_captures, trace_body
from graphwright.control.branch import switch_case, traced_cond
from graphwright.control.call import call_of
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Graph
from graphwright.ir.graphdef import grouped
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply
from graphwright.op.op import Op
from graphwright.op.refusal import own_words
from graphwright.ops.core.casting import cast
from graphwright.ops.state.tables import Table
from graphwright.ops.state.variable_ops import Storage
from graphwright.portable.allowance import Allowance
from graphwright.portable.function_body import ANY, NodeBody, Source, called_by, function_body
from graphwright.portable.graphs.older_ops import OLDER, Outputs, is_flow
from graphwright.portable.model_arrays import SMALL, checked_array
from graphwright.portable.model_error import malformed
from graphwright.portable.node_ops import CLASSIC, STRUCTURAL, attribute, check_dtypes, op_of, place
from graphwright.portable.structured_values import dims_of, dtype_of
from graphwright.proto.graph_pb2 import FunctionDefLibrary, NodeDef
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import constant_of, current_tracer, tracing
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType, is_subshape
from graphwright.values.tensor import EagerTensor, Tensor

#: Functions may be inside each other so deep.
_DEEPEST = 40
#: A constant of at most so many bytes shares its op with equal ones.
_SHARED = 64
#: The numbers of the dtypes of tensors.
Kinds: TypeAlias = tuple[int, ...]
#: The op of a node, its attributes as bytes, the dtypes of its operands.
NodeKey: TypeAlias = tuple[str, frozenset[tuple[str, bytes]], Kinds]
#: What the outputs of nodes are, by the names of the nodes.
Values: TypeAlias = dict[str, Any]
#: The rule of a function that states its own gradient: from cotangents and what looks up tensors of
#: the function in which it stands.
GradientRule: TypeAlias = Callable[[Sequence[Any], Callable[[str], Any]], Sequence[Any]]


class AssetFile(NamedTuple):
    """A file of the model, which a tensor names."""

    path: str


#: What a tensor refers to: the variable or the table of a handle, the file of a path.
Referent: TypeAlias = Storage | Table | AssetFile


#: Ops on ragged tensors. Few models have one, and their readers stand on many modules.
RAGGED = (
    "RaggedBincount",
    "RaggedCountSparseOutput",
    "RaggedGather",
    "RaggedRange",
    "RaggedTensorToSparse",
    "RaggedTensorToTensor",
    "SparseCross",
)


#: Ops that train variables. Few models have one.
TRAINED = (
    "ResourceApplyAdagrad",
    "ResourceApplyAdagradV2",
    "ResourceApplyAdam",
    "ResourceApplyGradientDescent",
    "ResourceApplyMomentum",
    "ResourceApplyRMSProp",
    "ResourceSparseApplyAdagrad",
    "ResourceSparseApplyAdagradV2",
    "ResourceSparseApplyMomentum",
    "ResourceSparseApplyRMSProp",
)


def ragged(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """The outputs of a node on ragged tensors."""
    from graphwright.portable.graphs.ragged_nodes import READERS

    return READERS[node.op](node, operands)


def trained(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """The outputs of a node that trains variables."""
    from graphwright.portable.graphs import training_steps

    return training_steps.trained(node, operands)


def key_of(node: NodeDef, operands: Sequence[Tensor]) -> NodeKey:
    """All that decides the op of a node, and what its results may be."""
    attributes = [(name, value.SerializeToString()) for name, value in node.attr.items()]
    return node.op, frozenset(attributes), kinds_of(operands)


def kinds_of(tensors: Sequence[Tensor]) -> Kinds:
    """What tells the dtypes of tensors from others."""
    return tuple([tensor.dtype.as_datatype_enum for tensor in tensors])


class FunctionImport:
    """The functions of a library, imported where they are called."""

    def __init__(
        self,
        library: FunctionDefLibrary,
        allowance: Allowance,
        special: Mapping[str, Callable[[NodeDef, Sequence[Tensor]], Any]] | None = None,
    ) -> None:
        self.messages = {message.signature.name: message for message in library.function}
        if len(self.messages) < len(library.function):
            raise malformed("its library", "two functions have one name")
        self.allowance = allowance
        late = {**dict.fromkeys(RAGGED, ragged), **dict.fromkeys(TRAINED, trained)}
        self.special = {**OLDER, **late, **(special or {})}
        #: The rules of functions with a gradient of their own, by the names that nodes give them.
        self.gradients: dict[str, GradientRule] = {}
        self._bodies: dict[str, NodeBody] = {}
        self._written: dict[str, NodeBody] = {}  # functions that are no messages
        self._graphs: dict[Any, Graph] = {}
        self._sizes: dict[Graph, int] = {}
        #: By what small messages hold: ops of constants, and bytes that these have beyond them.
        self._constants: dict[Any, tuple[Any, int]] = {}
        #: Ops of nodes by all that decides them, each with the results that were checked.
        self._ops: dict[NodeKey, tuple[Op, set[Kinds]]] = {}
        self._active: list[str] = []
        self._behind: dict[Any, Referent] = {}

    # -- functions as they are written ----------------------------------------------------------

    def body(self, name: str) -> NodeBody:
        """A function as it is written."""
        body = self._bodies.get(name)
        if body is None:
            written = self._written.get(name)
            if written is None:
                if name not in self.messages:
                    raise malformed("its library", f"there is no function {name!r}")
                written = function_body(self.messages[name])
            body = self._bodies[name] = self.structured(written)
        return body

    def structured(self, body: NodeBody) -> NodeBody:
        """A body whose branches and loops are nodes of ops that call functions."""
        if any(node.op in CLASSIC for node in body.by_name.values()):  # few models are so old
            from graphwright.portable.graphs.structure_branches import structure_branches
            from graphwright.portable.graphs.structure_loops import structure_loops

            body = structure_branches(structure_loops(body, self.add), self.add)
        assert body.nodes is not None  # nothing waits for itself
        return body

    def add(self, body: NodeBody) -> str:
        """Takes a function that is no message, and returns its name."""
        names = itertools.chain([body.name], map(f"{body.name}_{{}}".format, itertools.count(1)))
        free = (n for n in names if n not in self._written and n not in self.messages)
        body.name = next(free)
        self._written[body.name] = body
        return body.name

    def uses(
        self, names: Iterable[str], nodes: Iterable[tuple[str, NodeDef]] = ()
    ) -> Iterator[tuple[str, NodeDef]]:
        """The nodes of functions and of those that they call, each with its function; also those
        that are given, and of those that these call."""
        left: list[str] = []
        seen: set[str] = set()

        def note(called: Iterable[str]) -> None:
            new = [name for name in dict.fromkeys(called) if name not in seen]
            seen.update(new)
            left.extend(new)

        note(names)
        for where, node in nodes:
            yield where, node
            note(called_by(node))
        for name in left:
            if name not in self.messages:
                raise malformed("its library", f"there is no function {name!r}")
            for node in self.messages[name].node_def:
                yield name, node
                if node.op in STRUCTURAL:
                    note(called_by(node))

    # -- functions as graphs --------------------------------------------------------------------

    @contextmanager
    def _inside(self, name: str) -> Iterator[None]:
        """Notes that a function is being imported; refuses one that calls itself."""
        if name in self._active:
            raise malformed(name, "it calls itself: " + " -> ".join([*self._active, name]))
        if len(self._active) >= _DEEPEST:
            raise malformed(name, f"functions stand inside each other {_DEEPEST} times")
        self._active.append(name)
        try:
            yield
        finally:
            self._active.pop()

    def inline(self, name: str, arguments: Sequence[Tensor]) -> list[Any]:
        """The results of a function, whose nodes are applied where the call stands."""
        body = self.body(name)
        if len(arguments) != len(body.arguments):
            raise malformed(name, f"it takes {len(body.arguments)} arguments, not {len(arguments)}")
        with self._inside(name):
            self.allowance.use(len(body.nodes) + 1)
            for argument, number, tensor in zip(body.arguments, body.dtypes or (), arguments):
                if tensor.dtype.as_datatype_enum != number:
                    words = f"{argument!r} is of {dtype_of(number).name}, not {tensor.dtype.name}"
                    raise malformed(name, words)
            values = self.values(body, dict(zip(body.arguments, arguments)))
            results = [self.value(body, values, source) for source in body.returned]
        for number, result in zip(body.result_dtypes or (), results):
            if result.dtype.as_datatype_enum != number:
                raise malformed(name, f"a result is of {result.dtype.name}, not as it says")
        return results

    def values(self, body: NodeBody, values: Values) -> Values:
        """The values of all nodes, which are applied where the call stands, beside those given."""
        for node in body.nodes:
            operands = [self.value(body, values, s) for s in body.inputs[node.name]]
            values[node.name] = self._outputs(body, values, node, operands)
        return values

    def value(self, body: NodeBody, values: Values, source: Source) -> Any:
        """The tensor of a reference."""
        value = values[source.node]
        if not source.output:
            return value
        if isinstance(value, Tensor):
            raise malformed(body.name, f"the argument {source.node!r} has no outputs")
        if source.output == ANY:
            group = [tensor for group in value.values() for tensor in group]
        else:
            group = value.get(source.output)
        if group is None or source.place >= len(group):
            words = f"there is no output {source.output}:{source.place} of {source.node!r}"
            raise malformed(body.name, words)
        return group[source.place]

    def call(self, name: str, arguments: Sequence[Tensor], node_name: str) -> list[Any]:
        """The results of a function, which is called as a graph of its own."""
        graph = self.graph(name, arguments)
        self.allowance.use(self._sizes[graph])
        results = apply(call_of(graph), *arguments, *graph.captured, name=node_name)
        return list(results or ())

    def graph(self, name: str, arguments: Sequence[Tensor]) -> Graph:
        """The graph of a function for arguments of these types."""
        cells = [self.behind(tensor) for tensor in arguments]
        key = (name, *[tensor.type for tensor in arguments], *map(kind_of, cells))
        graph = self._graphs.get(key)
        if graph is not None:
            return graph
        graph = Graph(name)
        left = self.allowance.nodes
        with tracing(graph) as tracer:
            body = self.body(name)
            if len(arguments) != len(body.arguments):
                words = f"it takes {len(body.arguments)} arguments, not {len(arguments)}"
                raise malformed(name, words)
            for argument, tensor, cell in zip(body.arguments, arguments, cells):
                value = graph.placeholder(tensor.type, argument)
                graph.parameters.append(value)
                if cell is not None:
                    self._behind[value] = cell
            parameters = [SymbolicTensor(value, graph) for value in graph.parameters]
            graph.results = [result_value(tracer, r) for r in self.inline(name, parameters)]
        self._sizes[graph] = left - self.allowance.nodes
        self._graphs[key] = graph
        return graph

    def behind(self, tensor: Tensor) -> Referent | None:
        """What a tensor refers to, as far as that is known."""
        if isinstance(tensor, EagerTensor) and isinstance(tensor._array, (Storage, Table)):
            return tensor._array
        return self._behind.get(tensor.key)

    def note(self, tensor: Tensor, referent: Referent | None) -> None:
        """Remembers what a tensor refers to."""
        if referent is not None:
            self._behind[tensor.key] = referent

    # -- nodes ----------------------------------------------------------------------------------

    def _outputs(
        self, body: NodeBody, values: Values, node: NodeDef, operands: list[Any]
    ) -> dict[str, list[Any]]:
        """The outputs of a node by their names."""
        try:
            structural = _STRUCTURAL.get(node.op)
            if structural is not None:
                return {"output": structural(self, node, operands)}
            if node.op in self.special:
                return self._by_special(node, operands)
            if "_gradient_op_type" in node.attr and node.op == "IdentityN":
                return {"output": self._with_gradient(body, values, node, operands)}
            return self._plain(node, operands)
        except (TypeError, ValueError, LookupError, ArithmeticError, NotImplementedError) as error:
            if isinstance(error, OpError):
                raise
            raise malformed(f"{body.name}: {place(node)}", own_words(error)) from error

    def _by_special(self, node: NodeDef, operands: list[Any]) -> dict[str, list[Any]]:
        """The outputs of a node that whoever loads the model reads."""
        return dict(self.special[node.op](node, operands))

    def _plain(self, node: NodeDef, operands: list[Any]) -> dict[str, list[Any]]:
        """The outputs of a node whose op has a record."""
        key = key_of(node, operands)
        known = self._ops.get(key)
        if known is None:
            known = self._ops[key] = op_of(node, operands), set()
        op, agreeing = self._hinted(known[0], node, operands), known[1]
        made = apply(op, *operands, name=node.name)
        outputs = made if isinstance(made, tuple) else (made,) if isinstance(made, Tensor) else ()
        kinds = kinds_of(outputs)
        if kinds not in agreeing:
            if not is_flow(node, operands):
                check_dtypes(node, op, operands, outputs)
            agreeing.add(kinds)
        if key[0] in ("Identity", "IdentityN"):
            for operand, output in zip(operands, outputs):
                self.note(output, self.behind(operand))
        return {result.name: list(group) for result, group in grouped(op.results, outputs, op)}

    def _hinted(self, op: Op, node: NodeDef, operands: list[Any]) -> Op:
        """The op with what is known of the variable or the table that it reads."""
        if "shape" not in op.private or not operands:
            return op
        cell = self.behind(operands[0])
        if isinstance(cell, Storage):
            dims = cell.dims
        elif isinstance(cell, Table):
            dims = cell.value_shape
        else:
            dims = None
        values = {**op.describe(), "shape": dims}
        return type(op).of(*[values[name] for name in op.fields])

    def _constant(self, node: NodeDef, operands: list[Any]) -> list[Any]:
        """A constant."""
        attributes = node.attr
        key = None
        if not operands and "dtype" in attributes and attributes["value"].ByteSize() <= _SHARED:
            key = attributes["dtype"].type, attributes["value"].SerializeToString()
        op, more = self._constants.get(key) or self._constant_op(node, operands, key)
        self.allowance.hold(more)
        tracer = current_tracer()
        assert tracer is not None
        (value,) = tracer.graph.add(op, (), (op.value.type,), node.name).outputs
        return [SymbolicTensor(value, tracer.graph)]

    def _constant_op(self, node: NodeDef, operands: list[Any], key: Any) -> tuple[Any, int]:
        """The op of a constant, and how many bytes more than its message it has.

        Nodes that hold one number share the op, since models repeat them: `key` is theirs.
        """
        dtype = attribute(node, "dtype", "DType")
        if dtype is None or not node.attr["value"].HasField("tensor") or operands:
            raise malformed(place(node), "it has no value")
        proto = node.attr["value"].tensor
        array = checked_array(proto, dtype, max(SMALL, self.allowance.bytes))
        made = constant_of(array), max(0, array.nbytes - proto.ByteSize())
        if key is not None and array.nbytes <= _SHARED:
            self._constants[key] = made
        return made

    def _nothing(self, node: NodeDef, operands: list[Any]) -> list[Any]:
        """A NoOp, which only orders others."""
        if operands:
            raise malformed(place(node), "it has operands")
        return []

    def _call(self, node: NodeDef, operands: list[Any]) -> list[Any]:
        """A call."""
        return self.call(function_of(node, "f"), operands, node.name)

    def _branch(self, node: NodeDef, operands: list[Any]) -> list[Any]:
        """A branch by a condition."""
        then, otherwise = function_of(node, "then_branch"), function_of(node, "else_branch")
        condition, *rest = needed(node, operands)
        check_scalar(node, condition)
        if condition.dtype is not dt.bool_:
            condition = cast(condition, dt.bool_)
        return list(
            traced_cond(
                condition,
                lambda: self.inline(then, rest),
                lambda: self.inline(otherwise, rest),
                node.name,
            )
        )

    def _case(self, node: NodeDef, operands: list[Any]) -> list[Any]:
        """A branch by a number."""
        names = [function.name for function in node.attr["branches"].list.func]
        if not names:
            raise malformed(place(node), "it has no branches")
        index, *rest = needed(node, operands)
        check_scalar(node, index)

        def side(name: str) -> Callable[[], object]:
            return lambda: self.inline(name, rest)

        return list(switch_case(index, [side(name) for name in names], name=node.name))

    def _loop(self, node: NodeDef, operands: list[Any]) -> list[Any]:
        """A loop. What its body returns as it took it is captured, and no variable of ours."""
        cond, body = function_of(node, "cond"), function_of(node, "body")
        written = self.body(body)
        if not len(operands) == len(written.arguments) == len(written.returned):
            raise malformed(place(node), f"its body {body!r} does not return what it takes")
        fixed = [
            written.argument_of(source) == argument
            for source, argument in zip(written.returned, written.arguments)
        ]
        moving = [operand for operand, stays in zip(operands, fixed) if not stays]
        if any(operand.dtype is dt.resource for operand in moving):
            raise malformed(place(node), "a resource changes in it")
        types = self._invariants(node, operands)
        types = [type_ for type_, stays in zip(types, fixed) if not stays]

        def arguments(variables: Sequence[Tensor]) -> list[Any]:
            rest = iter(variables)
            return [o if stays else next(rest) for o, stays in zip(operands, fixed)]

        def step(*variables: Tensor) -> list[Any]:
            results = self.inline(body, arguments(variables))
            return [result for result, stays in zip(results, fixed) if not stays]

        traced = trace_body(step, f"{node.name}_body", types, moving)
        while (joined := joined_types(node, types, traced.tensors)) != types:
            types = joined
            traced = trace_body(step, f"{node.name}_body", types, moving)
        condition = trace_body(
            lambda *variables: self._condition(node, cond, arguments(variables)),
            f"{node.name}_cond",
            types,
            moving,
        )
        graphs = (condition.graph, traced.graph)
        hoist_reads(graphs)
        captured = share_captures(graphs)
        op = StatelessWhile.repeating(*graphs)
        rest = iter(apply(op, *moving, *captured, name=node.name) or ())
        return [o if stays else next(rest) for o, stays in zip(operands, fixed)]

    def _condition(self, node: NodeDef, cond: str, arguments: Sequence[Tensor]) -> Any:
        results = self.inline(cond, arguments)
        if len(results) != 1:
            raise malformed(place(node), f"{cond!r} returns {len(results)} values, not one")
        check_scalar(node, results[0])
        return results[0] if results[0].dtype is dt.bool_ else cast(results[0], dt.bool_)

    def _invariants(self, node: NodeDef, operands: Sequence[Tensor]) -> list[TensorType]:
        """The types that a loop's variables have in all iterations, as far as the model says."""
        shapes = node.attr["output_shapes"].list.shape if "output_shapes" in node.attr else []
        types = [operand.type for operand in operands]
        if len(shapes) != len(types):
            return types
        said = [dims_of(shape) for shape in shapes]
        return [
            type_.with_dims(dims) if is_subshape(type_.dims, dims) else type_
            for type_, dims in zip(types, said)
        ]

    def _with_gradient(
        self, body: NodeBody, values: Values, node: NodeDef, operands: list[Any]
    ) -> list[Any]:
        """The results of a function that states its own gradient, and its arguments."""
        kind = node.attr["_gradient_op_type"].s.decode(errors="replace")
        rule = self.gradients.get(kind)

        def of_name(name: str) -> Any:
            return self._named(body, values, name)

        def cotangents(incoming: Sequence[Cotangent]) -> Sequence[Any]:
            if rule is None:
                raise NotDifferentiableError(
                    f"{body.name} states its own gradient, which was not saved: "
                    "tf.saved_model.SaveOptions(experimental_custom_gradients=True) saves it"
                )
            return rule(incoming, of_name)

        op = CustomGradient(cotangents, len(operands))
        return list(apply(op, *operands, *operands, name=node.name))

    def _named(self, body: NodeBody, values: Values, name: str) -> Any:
        """A tensor by its name in the graph of a function: `node:place`."""
        node, _, index = name.partition(":")
        value = values.get(node)
        if isinstance(value, Tensor):
            return value
        outputs = [] if value is None else [t for group in value.values() for t in group]
        if not index.isdecimal() or int(index) >= len(outputs):
            raise malformed(body.name, f"a gradient takes {name!r}, which there is not")
        return outputs[int(index)]


_STRUCTURAL: dict[str, Callable[[FunctionImport, NodeDef, list[Any]], list[Any]]] = {
    "Case": FunctionImport._case,
    "Const": FunctionImport._constant,
    "If": FunctionImport._branch,
    "NoOp": FunctionImport._nothing,
    "PartitionedCall": FunctionImport._call,
    "StatefulPartitionedCall": FunctionImport._call,
    "StatelessCase": FunctionImport._case,
    "StatelessIf": FunctionImport._branch,
    "StatelessWhile": FunctionImport._loop,
    "While": FunctionImport._loop,
}


def kind_of(cell: Referent | None) -> Any:
    """What the type of a graph that takes a handle depends on."""
    if isinstance(cell, Storage):
        return cell.value_type
    if isinstance(cell, Table):
        return cell.key_dtype, cell.value_dtype, cell.value_shape
    return cell


def function_of(node: NodeDef, name: str) -> str:
    """The function that an attribute names."""
    if name not in node.attr or not node.attr[name].HasField("func"):
        raise malformed(place(node), f"it names no function {name!r}")
    function = node.attr[name].func
    if any(not key.startswith("_") for key in function.attr):
        raise malformed(place(node), f"{function.name!r} is called with attributes")
    return function.name


def needed(node: NodeDef, operands: list[Any]) -> list[Any]:
    """The operands of a branch, of which the first one chooses."""
    if not operands:
        raise malformed(place(node), "nothing chooses a branch")
    return operands


def check_scalar(node: NodeDef, tensor: Tensor) -> None:
    """Refuses a condition that is no scalar of bools or numbers."""
    if tensor.type.rank not in (0, None) or not (tensor.dtype.is_bool or tensor.dtype.is_numeric):
        raise malformed(place(node), f"{tensor.type!r} is no condition")


def joined_types(
    node: NodeDef, types: Sequence[TensorType], after: Sequence[Tensor]
) -> list[TensorType]:
    """The types of a loop's variables before an iteration and after it."""
    joined = []
    for type_, tensor in zip(types, after):
        join = type_.join(tensor.type)
        if join is None:
            words = f"a variable is of {type_.dtype.name}, and of {tensor.dtype.name} after a turn"
            raise malformed(place(node), words)
        joined.append(join)
    return joined
