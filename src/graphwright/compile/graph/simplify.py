"""The passes that every graph goes through before it runs.

One forward walk rewrites each node after its inputs. It applies local rules (the table `RULES`),
folds constants, and merges equal ops on equal inputs. Two backward walks drop unused nodes. Nodes
with effects keep their place and are never merged. Every value keeps its type or gets a more
specific one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from graphwright.autodiff.custom import CustomGradient
from graphwright.base.forks import cached_property
from graphwright.compile.graph.passes import through
from graphwright.compile.graph.prune import inline, like, moved, prune, resolved
from graphwright.compile.graph.variable_cells import VariableCells
from graphwright.compile.run.options import enabled
from graphwright.ir.evaluation import evaluated
from graphwright.ir.graph import Graph, Node, Value, subgraphs_of
from graphwright.ir.known import known
from graphwright.op.op import Effect, Op, is_whole
from graphwright.ops.core.creation import Const, Literal, Placeholder
from graphwright.ops.core.identity import Identity, IdentityN, StopGradient
from graphwright.ops.core.movement import Reshape, Transpose
from graphwright.ops.math.arithmetic import Mul, Neg, Sub
from graphwright.ops.math.reduction import Max, Mean, Min, Prod, Sum
from graphwright.ops.state.variable_ops import Assignment, ReadVariableOp
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType, is_compatible

#: Folding makes no constant of more elements than this.
_FOLDED_SIZE = 1 << 16

#: A result of unknown shape is folded if no operand has more elements than this: such operands are
#: shapes and axes.
_UNKNOWN_SIZE = 16

Rule: TypeAlias = Callable[[Op, tuple[Value, ...], Node], "Value | None"]


def simplify(graph: Graph) -> Graph:
    """A new graph with the same results and fewer nodes."""
    return through(graph, inline, prune, rewrite, prune)


def simple_graphs(op: Op) -> tuple[Graph, ...]:
    """The graphs of a loop or a branch, simplified once for all callers."""
    passes = passes_of_rewrite()
    entry = op.__dict__.get("_simple")
    if entry is None or entry[0] != passes:
        entry = op.__dict__["_simple"] = passes, tuple(map(simplify, subgraphs_of(op)))
    graphs: tuple[Graph, ...] = entry[1]
    return graphs


def passes_of_rewrite() -> tuple[bool, bool]:
    """Whether constants are folded, and whether the rules apply."""
    return enabled("constant_folding"), enabled("arithmetic_optimization")


def rewrite(graph: Graph) -> Graph:
    """The graph after the rules, with constants folded and equal expressions merged."""
    new: dict[Value, Value] = {}
    nodes_by_key: dict[Any, Node] = {}
    reads = Reads(graph)
    nodes: list[Node] = []
    fold, rules = passes_of_rewrite()
    for node in graph.nodes:
        inputs = tuple([resolved(v, new) for v in node.inputs])
        if node.op.effect is Effect.NONE and not isinstance(node.op, Placeholder):
            values = simplified(node, inputs) if rules else None
            if values is not None:
                new.update(zip(node.outputs, values))
                continue
            constants = folded(node, inputs) if fold else None
            if constants is not None:
                for output, constant in zip(node.outputs, constants):
                    equal = nodes_by_key.setdefault((constant.op, ()), constant)
                    if equal is constant:
                        nodes.append(constant)
                    new[output] = equal.outputs[0]
                continue
            key = (node.op, inputs)
            same = nodes_by_key.get(key)
            if same is not None and compatible(same, node):
                new.update(zip(node.outputs, same.outputs))
                continue
            fresh = moved(node, inputs, new)
            nodes_by_key[key] = fresh
        else:
            again = reads.earlier(node)
            if again is not None:
                new.update(zip(node.outputs, again.outputs))
                continue
            fresh = moved(node, inputs, new)
            reads.note(fresh)
        nodes.append(fresh)
    return like(graph, nodes, new)


class Reads:
    """The last read of each variable that nothing may have changed since."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.nodes: dict[Value, Node] = {}  # by handle

    @cached_property
    def cells(self) -> VariableCells:
        """The variables behind the graph's handles."""
        return VariableCells(self.graph)

    def earlier(self, node: Node) -> Node | None:
        """The earlier node that read the same value."""
        before = self.nodes.get(node.inputs[0]) if isinstance(node.op, ReadVariableOp) else None
        return before if before is not None and compatible(before, node) else None

    def note(self, node: Node) -> None:
        """Takes in the next node that has an effect."""
        if isinstance(node.op, ReadVariableOp):
            self.nodes[node.inputs[0]] = node
        elif isinstance(node.op, Assignment):
            written = node.inputs[0]
            self.nodes = {
                handle: read
                for handle, read in self.nodes.items()
                if self.cells.distinct(handle, written)
            }
        elif node.op.effect is Effect.WRITE:
            self.nodes = {}


def compatible(a: Node, b: Node) -> bool:
    """Whether one node's outputs may replace the other's: their types are the same."""
    return all(x.type is y.type for x, y in zip(a.outputs, b.outputs))


def folded(node: Node, inputs: tuple[Value, ...]) -> list[Node] | None:
    """f(constants) -> constants, whose shapes may be more specific than those of the node."""
    if not inputs or not node.op.pure or not all(isinstance(v.node.op, Const) for v in inputs):
        return None
    if not all(may_be_folded(v.type, inputs) for v in node.outputs):
        return None
    constants_of: list[Any] = [v.node.op for v in inputs]
    arrays = evaluated(
        node.op, [c.value.array for c in constants_of], [v.type.dtype for v in inputs]
    )
    if arrays is None or len(arrays) != len(node.outputs):
        return None
    constants: list[Node] = []
    for value, array in zip(node.outputs, arrays):
        type_ = TensorType(value.type.dtype, array.shape)
        if array.dtype != type_.dtype.numpy_dtype or not is_compatible(
            array.shape, value.type.dims
        ):
            return None
        constants.append(Node(Const(Literal(array, type_)), (), (type_,), node.name, node.location))
    return constants


def may_be_folded(type_: TensorType, inputs: tuple[Value, ...]) -> bool:
    """Whether a result is small, or of unknown size and made of small operands."""
    if not type_.dtype.is_numpy_compatible:
        return False
    if type_.size is not None:
        return type_.size <= _FOLDED_SIZE
    return all((v.type.size or 0) <= _UNKNOWN_SIZE for v in inputs)


# -- rules ----------------------------------------------------------------------------------


def simplified(node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
    """The values that a rule gives for a node's outputs, of the same types, or None."""
    if isinstance(node.op, (IdentityN, CustomGradient)):  # their outputs are their first operands
        same = all(x.type is y.type for x, y in zip(inputs, node.outputs))
        return inputs[: len(node.outputs)] if same else None
    for rule in RULES.get(type(node.op), ()):
        value = rule(node.op, inputs, node)
        if value is not None and value.type is node.outputs[0].type:
            return [value]
    return None


def drop_identity(op: Op, inputs: tuple[Value, ...], node: Node) -> Value | None:
    """identity(x) -> x"""
    return inputs[0]


def drop_reshape(op: Op, inputs: tuple[Value, ...], node: Node) -> Value | None:
    """reshape(x, its own shape) -> x, if all of that shape is known"""
    is_known = inputs[0].type.is_static and is_whole(known(inputs[1]))
    return inputs[0] if is_known else None


def drop_double_transpose(op: Op, inputs: tuple[Value, ...], node: Node) -> Value | None:
    """transpose(transpose(x, p), inverse of p) -> x"""
    inner = inputs[0].node
    if not isinstance(inner.op, Transpose):
        return None
    first, second = constant_of(inner.inputs[1]), constant_of(inputs[1])
    if first is None or second is None:
        return None
    there_and_back = [first[i] for i in second]
    return inner.inputs[0] if there_and_back == list(range(len(first))) else None


def drop_double_negation(op: Op, inputs: tuple[Value, ...], node: Node) -> Value | None:
    """-(-x) -> x"""
    inner = inputs[0].node
    return inner.inputs[0] if isinstance(inner.op, Neg) else None


def drop_factor_one(op: Op, inputs: tuple[Value, ...], node: Node) -> Value | None:
    """x * 1 -> x, 1 * x -> x"""
    x, y = inputs
    if is_filled_with(y, 1):
        return x
    return y if is_filled_with(x, 1) else None


def drop_zero_subtrahend(op: Op, inputs: tuple[Value, ...], node: Node) -> Value | None:
    """x - 0 -> x"""
    x, y = inputs
    return x if is_filled_with(y, 0) and not signed_zero(y) else None


def drop_empty_reduction(op: Op, inputs: tuple[Value, ...], node: Node) -> Value | None:
    """reduce(x, no axes) -> x"""
    axes = constant_of(inputs[1])
    return inputs[0] if axes is not None and axes.shape == (0,) else None


def constant_of(value: Value) -> Array | None:
    """A constant's array, or None."""
    op = value.node.op
    return op.value.array if isinstance(op, Const) else None


def is_filled_with(value: Value, number: int) -> bool:
    """Whether a value is a small constant whose elements all equal `number`."""
    array = constant_of(value)
    return array is not None and 0 < array.size <= 64 and bool(np.all(array == number))


def signed_zero(value: Value) -> bool:
    """Whether a constant of zeros has a negative zero: x minus that may change the sign of x."""
    array = constant_of(value)
    return array is not None and array.dtype.kind in "fc" and bool(np.any(np.signbit(array.real)))


RULES: dict[type[Op], tuple[Rule, ...]] = {
    Identity: (drop_identity,),
    StopGradient: (drop_identity,),
    Reshape: (drop_reshape,),
    Transpose: (drop_double_transpose,),
    Neg: (drop_double_negation,),
    Mul: (drop_factor_one,),
    Sub: (drop_zero_subtrahend,),
    **dict.fromkeys((Sum, Prod, Max, Min, Mean), (drop_empty_reduction,)),
}
