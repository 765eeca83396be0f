"""The gradient of a graph: the graph backwards, and the values that it must remember.

A tape runs, in place of an op that holds graphs, its *forward* form, whose further results are the
values that the gradient needs. The gradient itself is another graph, of the cotangents and of these
values. The rules of the ops are traced, and tensors of the forward graph are remembered values
there.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from graphwright.autodiff.sweep import (
    IDLE,
    carries_gradient,
    is_differentiable,
    reachable,
    sweep,
)
from graphwright.base.errors import GradientShapeError, NotDifferentiableError
from graphwright.ir.graph import Graph, Node, Value, counterpart, source, transform
from graphwright.ir.known import known
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import activate, apply
from graphwright.op.op import Call, Effect, Op
from graphwright.ops.core.creation import Const, zeros
from graphwright.ops.core.joining import Pack
from graphwright.ops.core.shapes import Shape, Size
from graphwright.ops.state.list_ops import TensorListLength, zero_of
from graphwright.ops.state.variable_ops import ReadVariableOp
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import Tracer
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorValue
from graphwright.types.tensor_type import is_compatible, show_dims
from graphwright.values.indexed_slices import IndexedSlices, SparseCotangent, add_cotangents

#: A flag for each result that can have a cotangent; () where they are all set.
Flags: TypeAlias = tuple[bool, ...]


class BackwardTracer(Tracer):
    """Traces a gradient: tensors of the forward graph become captures, constants are copied.

    Of a tensor whose shape alone is asked for, the shape is remembered, of a list its length. With
    `reuse`, what the forward graph computes already is not computed again but remembered.
    """

    def __init__(self, graph: Graph, forward: ForwardGraph, reuse: bool) -> None:
        super().__init__(graph, None)
        self.forward = forward
        self.reuse = reuse

    def apply(self, op: Op, operands: tuple[object, ...], name: str | None) -> Any:
        """Adds a node, here or, for the shape of a forward tensor, in the forward graph."""
        if isinstance(op, (Shape, Size, TensorListLength)):
            remembered = self.remembered(operands[0])
            if remembered is not None:
                return self.forward.described(op, remembered)
        result = super().apply(op, operands, name)
        again = self.computed_ahead() if self.reuse else None
        if again is None:
            return result
        self.graph.nodes.pop()
        tensors = tuple([self.forward.tensor(v) for v in again.outputs])
        return tensors[0] if len(tensors) == 1 and not op.returns_tuple else tensors

    def computed_ahead(self) -> Node | None:
        """The forward graph's node that computes what the last one here does."""
        node = self.graph.nodes[-1]
        outside = {value: tensor.key for tensor, value in self.graph.captures}
        if not any(v in outside for v in node.inputs):
            return None
        return self.forward.expressions().get(expression(node, lambda v: outside.get(v, v)))

    def remembered(self, tensor: object) -> SymbolicTensor | None:
        """The forward graph's tensor for one of it, or of a graph that it was made from.

        Gradient functions of programs hold tensors of the latter.
        """
        if not isinstance(tensor, SymbolicTensor) or tensor.graph is self.graph:
            return None
        forward = self.forward
        value = counterpart(forward.graph, tensor.key, tensor.graph)
        return None if value is None else forward.tensor(source(value))

    def value_of(self, tensor: object) -> Value:
        """The value here that stands for a tensor from anywhere."""
        remembered = self.remembered(tensor)
        return super().value_of(tensor if remembered is None else remembered)

    def _import(self, tensor: object) -> Value:
        if not isinstance(tensor, SymbolicTensor) or tensor.graph is not self.forward.graph:
            return super()._import(tensor)
        op = tensor.key.node.op
        if isinstance(op, Const):
            return self._const(op.value.array, None)
        if tensor.dtype in dt.INDEX and is_number(number := known(tensor.key)):
            return self._const(np.asarray(number, tensor.dtype.numpy_dtype), None)
        if isinstance(op, Pack) and tensor.type.rank == 1 and tensor.type.dtype in dt.INDEX:
            # Packed again: what is known of its entries is known here, and numbers are remembered.
            entries = tuple([self.value_of(self.forward.tensor(v)) for v in tensor.key.node.inputs])
            return self.graph.add(op, entries, (tensor.type,)).outputs[0]
        return self.capture(tensor, tensor.type)


def is_number(value: object) -> bool:
    """Whether a known value is wholly known: an int, or a tuple of wholly known ones."""
    if isinstance(value, tuple):
        return all(map(is_number, value))
    return isinstance(value, int)


def expression(node: Node, renamed: Callable[[Value], Value]) -> Any:
    """What a node computes: equal for nodes with the same op and the same inputs. None if it has
    effects."""
    if node.op.effect is not Effect.NONE:
        return None
    return (node.op, *[operand(renamed(v)) for v in node.inputs])


def operand(value: Value) -> Any:
    """What a value is in an expression: a constant is its content."""
    value = source(value)
    op = value.node.op
    if not isinstance(op, Const) or op.value.array.size > 16 or op.value.array.dtype.kind == "O":
        return value
    array = op.value.array
    return str(array.dtype), array.shape, array.tobytes()


class ForwardGraph:
    """A copy of a graph whose ops run in the forms that their gradients need."""

    def __init__(self, base: Graph) -> None:
        self.graph = Graph(base.name, base.is_body)
        self._tensors: dict[Value, SymbolicTensor] = {}
        self._descriptions: dict[tuple[Op, Value], Any] = {}
        self._expressions: dict[Any, Node] = {}
        transform(base, self._taped, self.graph)
        self.results = list(self.graph.results)
        renamed = dict(zip(base.arguments, self.graph.arguments))
        self.graph.handles = {renamed[v]: variable for v, variable in base.handles.items()}
        self.calls = [self._call(n) for n in self.graph.nodes if is_differentiable(n.op)]

    def _taped(self, node: Node, inputs: tuple[Value, ...]) -> tuple[Value, ...] | None:
        """The outputs of a node's forward form."""
        op = node.op.taped(tuple([self.tensor(v) for v in inputs]))
        if op is node.op:
            return None
        types = op.infer([v.type for v in inputs])
        outputs = self.graph.add(op, inputs, types, node.name, node.location).outputs
        return outputs[: len(node.outputs)]

    def _call(self, node: Node) -> Call:
        return Call(
            node.op,
            tuple([self.tensor(v) for v in node.inputs]),
            tuple([self.tensor(v) for v in node.outputs]),
        )

    def tensor(self, value: Value) -> SymbolicTensor:
        """The one tensor that stands for a value."""
        tensor = self._tensors.get(value)
        if tensor is None:
            tensor = self._tensors[value] = SymbolicTensor(value, self.graph)
        return tensor

    def expressions(self) -> dict[Any, Node]:
        """The nodes without effects by what they compute."""
        if not self._expressions:
            pairs = [(expression(node, source), node) for node in self.graph.nodes if node.inputs]
            self._expressions = {key: node for key, node in pairs if key is not None}
        return self._expressions

    def described(self, op: Op, tensor: SymbolicTensor) -> Any:
        """The shape of a forward tensor, or the length of a list, computed in the forward graph."""
        key = (op, tensor.key)
        description = self._descriptions.get(key)
        if description is None:
            node = self.graph.add(op, (tensor.key,), op.infer([tensor.type]))
            description = self._descriptions[key] = self.tensor(node.outputs[0])
        return description


class Backward:
    """A traced gradient: a graph of cotangents and remembered values.

    `outside` are the forward tensors (or eager ones) that its captures stand for; `counts`
    says for each argument of the forward graph how many results are its cotangent: none, one,
    or the two or three of an IndexedSlices. `given` says for each result that can have a cotangent
    whether it has one here; () stands for all. The arguments numbered `idle` have idle ones.
    """

    def __init__(
        self,
        graph: Graph,
        outside: list[TensorValue],
        counts: list[int],
        idle: frozenset[int],
        given: Flags = (),
    ) -> None:
        self.graph = graph
        self.outside = outside
        self.counts = counts
        self.idle = idle
        self.given = given

    @property
    def connected(self) -> list[bool]:
        """Whether each argument has a cotangent, if only an idle one."""
        return [count > 0 or i in self.idle for i, count in enumerate(self.counts)]

    def unpack(self, results: Sequence[TensorValue]) -> list[Any]:
        """The results of a call of the graph as cotangents of the arguments."""
        remaining = iter(results)
        unpacked: list[Any] = []
        for i, count in enumerate(self.counts):
            parts = [next(remaining) for _ in range(count)]
            without = IDLE if i in self.idle else None
            unpacked.append(
                without if not parts else parts[0] if count == 1 else IndexedSlices(*parts)
            )
        return unpacked

    def part(self, needed: Sequence[bool]) -> Backward:
        """The gradient with respect to some of the arguments, cut out of this one."""
        graph = Graph(self.graph.name, is_body=True)
        graph.nodes, graph.names = self.graph.nodes, self.graph.names
        graph.parameters, graph.captures = self.graph.parameters, self.graph.captures
        results = iter(self.graph.results)
        idle = frozenset([i for i in self.idle if needed[i]])
        counts = []
        for need, count in zip(needed, self.counts):
            parts = [next(results) for _ in range(count)]
            graph.results += parts if need else []
            counts.append(count if need else 0)
        drop_unused(graph)
        return Backward(graph, graph.captured, counts, idle)


def trace_backward(
    forward: ForwardGraph,
    needed: Sequence[bool],
    dense: bool,
    required: Sequence[bool] = (),
    given: Flags = (),
) -> Backward:
    """Traces the gradient with respect to the needed arguments.

    Its parameters are the cotangents of the results that can have one, or of those that are
    `given`. What only the others depend on is left out: zeros that flow through it could become
    NaN. With `dense`, no cotangent is an IndexedSlices; `required` ones are zeros if nothing flows.
    """
    graph = Graph(f"{forward.graph.name}_gradient", is_body=True)
    # In the body of a loop or a branch it costs more to remember a value than to compute it.
    tracer = BackwardTracer(graph, forward, reuse=not dense)
    arguments = [forward.tensor(v) for v in forward.graph.arguments]
    with activate(tracer):
        cotangents = seeds(graph, forward, given)
        sources = [a for a, need in zip(arguments, needed) if need and carries_gradient(a)]
        sweep(forward.calls, cotangents, reachable(forward.calls, sources))
        wanted = {source.key for source in sources}
        flat: list[Any] = []
        counts: list[int] = []
        idle = set()
        for i, argument in enumerate(arguments):
            g = cotangents.get(argument.key) if argument.key in wanted else None
            if (g is None or g is IDLE) and required and required[i]:
                g = zero_cotangent(argument)
            if g is IDLE:
                idle.add(i)
                g = None
            check_shape(argument, g)
            parts = flatten_cotangent(g, dense)
            counts.append(len(parts))
            flat += parts
        graph.results = [tracer.value_of(tensor) for tensor in flat]
    drop_unused(graph)
    return Backward(graph, graph.captured, counts, frozenset(idle), given)


def check_shape(argument: SymbolicTensor, g: SparseCotangent | None) -> None:
    """GradientShapeError for a cotangent that cannot be one of this argument.

    Only the functions that programs give for gradients make such cotangents. The sums in the
    gradient of a loop, and both sides of a branch, are of the argument's type.
    """
    if g is None or isinstance(g, IndexedSlices) or argument.dtype is dt.resource:
        return
    expected, dims = argument.type.dims, g.type.dims
    if not is_compatible(expected, dims):
        raise GradientShapeError(
            "Incompatible shapes between op input and calculated input gradient: a function given "
            f"to tf.custom_gradient returns a gradient of shape {show_dims(dims)} for an operand "
            f"of shape {show_dims(expected)}. Sum it over the axes along which the operand was "
            "broadcast, for instance with tf.reduce_sum(gradient)."
        )


def drop_unused(graph: Graph, captures: bool = True) -> None:
    """Removes the nodes and captures that no result needs, as rules compute some in vain."""
    needed = set(graph.results)
    nodes: list[Node] = []
    for node in reversed(graph.nodes):
        if node.op.effect is Effect.WRITE or any(v in needed for v in node.outputs):
            needed.update(node.inputs)
            nodes.append(node)
    if captures:
        graph.captures = [(outside, v) for outside, v in graph.captures if v in needed]
    wanted = {v.node for v in graph.arguments}.union(nodes)
    graph.nodes = [node for node in graph.nodes if node in wanted]


def seeds(graph: Graph, forward: ForwardGraph, given: Flags) -> dict[Any, Any]:
    """Parameters for the cotangents of the results that have one, by key."""
    cotangents: dict[Any, Any] = {}
    flags = iter(given)
    for value in forward.results:
        if carries_gradient(forward.tensor(value)) and next(flags, True):
            parameter = graph.placeholder(value.type, "cotangent")
            graph.parameters.append(parameter)
            g = SymbolicTensor(parameter, graph)
            before = cotangents.get(value)
            cotangents[value] = g if before is None else add_cotangents(before, g)
    return cotangents


def flatten_cotangent(g: SparseCotangent | None, dense: bool) -> list[Any]:
    """A cotangent as tensors."""
    if isinstance(g, IndexedSlices):
        if dense:
            return [g.to_tensor()]
        shape = [] if g.dense_shape is None else [g.dense_shape]
        return [g.values, g.indices, *shape]
    return [] if g is None else [g]


def zero_cotangent(tensor: TensorValue) -> Any:
    """Zeros like a tensor, or like the value of the variable behind a handle."""
    if tensor.dtype is not dt.resource:
        return zero_of(tensor)
    variable = variable_of(tensor)
    if variable is None:
        raise NotDifferentiableError(f"The value of the resource {tensor} has no known type.")
    value_type = variable.type
    if value_type.is_static:
        return zeros(value_type.dims, value_type.dtype)
    return zero_of(apply(ReadVariableOp.of(value_type.dtype, value_type.dims), tensor))


def variable_of(handle: TensorValue) -> Any:
    """The variable behind a handle, which may have come through captures."""
    if handle.variable is not None or not isinstance(handle, SymbolicTensor):
        return handle.variable
    outside = next((o for o, value in handle.graph.captures if value is handle.key), None)
    return None if outside is None else variable_of(outside)


class Derivative:
    """The gradient of a graph, and what its forward form remembers for it."""

    def __init__(self, base: Graph, dense: bool = False, required: Sequence[bool] = ()) -> None:
        self.dense = dense
        self.forward = ForwardGraph(base)
        self.saved: dict[Value, int] = {}
        self.failure: NotDifferentiableError | None = None
        self._traced: dict[Any, Backward] = {}
        self.full = tuple([carries_gradient(SymbolicTensor(v, base)) for v in base.arguments])
        #: The results, and what they repeat, by their places.
        self.returned = {source(v): i for i, v in enumerate(self.forward.results)}
        self.position = {v: i for i, v in enumerate(self.forward.graph.arguments)}
        self.available = set(self.position)  # what need not be remembered: the arguments
        #: The arguments that a gradient can be taken by.
        self.working = self.full
        try:
            self._remember(self.backward(self.full, required))
        except NotDifferentiableError as failure:  # an error only if a gradient is asked for
            self.failure = failure
            self.working = tuple([not required and self._works(i) for i in range(len(self.full))])
            if any(self.working):
                self._remember(self.backward(self.working))

    @property
    def returns_more(self) -> bool:
        """Whether the gradient needs what is no result."""
        return any(source(value) not in self.returned for value in self.saved)

    def _works(self, number: int) -> bool:
        """Whether a gradient can be taken by one of the arguments."""
        alone = [i == number and can for i, can in enumerate(self.full)]
        try:
            return any(alone) and bool(trace_backward(self.forward, alone, self.dense))
        except NotDifferentiableError:
            return False

    def _remember(self, backward: Backward) -> None:
        for tensor in backward.outside:
            self.save(tensor)
        self.forward.graph.results = [*self.forward.results, *self.saved]

    def save(self, tensor: object) -> None:
        """Adds a tensor to what the forward form returns, unless it is an argument."""
        if isinstance(tensor, SymbolicTensor) and tensor.key not in self.position:
            self.saved.setdefault(tensor.key, len(self.saved))

    def backward(
        self, needed: Sequence[bool], required: Sequence[bool] = (), given: Flags = ()
    ) -> Backward:
        """The gradient with respect to the needed arguments, as a function of remembered values.

        With `given`, it is that of these results alone, if what is remembered allows it.
        """
        wanted = [need and can for need, can in zip(needed, self.full)]
        if self.failure is not None and any(a and not w for a, w in zip(wanted, self.working)):
            raise self.failure
        key = (tuple(needed), tuple(required), given)
        backward = self._traced.get(key)
        if backward is None and self._traced and not required and not given:
            # Cut out of that for all, if that is there.
            everything = self._traced.get((self.working, (), ()))
            backward = None if everything is None else everything.part(needed)
        if backward is None:
            backward = trace_backward(self.forward, needed, self.dense, required, given)
            if self._traced and not all(map(self.is_known, backward.outside)):
                if given:
                    backward = self.backward(needed, required)
                else:
                    whole = trace_backward(self.forward, self.working, self.dense, required)
                    either = itertools.zip_longest(needed, required, fillvalue=False)
                    backward = whole.part([need or must for need, must in either])
        self._traced[key] = backward
        return backward

    def is_known(self, tensor: object) -> bool:
        """Whether the gradient can have a tensor: it is there anyway, or remembered."""
        if not isinstance(tensor, SymbolicTensor):
            return True
        return tensor.key in self.saved or tensor.key in self.available


def derivative_of(graph: Graph) -> Derivative:
    """The derivative of a graph, computed once."""
    if not isinstance(graph.derivative, Derivative):
        graph.derivative = Derivative(graph)
    return graph.derivative


def flags_of(results: Sequence[TensorValue], cotangents: Sequence[Cotangent | None]) -> Flags:
    """For each result that can have a cotangent, whether one came; () if all came."""
    flags = [g is not None for y, g in zip(results, cotangents) if carries_gradient(y)]
    return () if all(flags) else tuple(flags)


def given_cotangents(
    results: Sequence[TensorValue], cotangents: Sequence[Cotangent | None], given: Flags = ()
) -> list[Any]:
    """The cotangents of the results that can have one, zeros where none came.

    With `given`, those of the others are left out.
    """
    pairs = [(y, g) for y, g in zip(results, cotangents) if carries_gradient(y)]
    taken = itertools.compress(pairs, given) if given else pairs
    return [zero_of(y) if g is None else g for y, g in taken]
