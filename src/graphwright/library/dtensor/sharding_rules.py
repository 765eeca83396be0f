"""How results of ops are divided, by how their operands are: one table of rules by kind of op.

A rule gives a label to each axis of the operands and of the result. Axes with one label are
divided alike: as in the first operand that divides them. A dimension of the mesh divides one label,
those of the result first. What has no rule is whole on each device.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from graphwright.base.logs import get_logger
from graphwright.control.call import PartitionedCall
from graphwright.ir.graph import Graph, Node, Value, subgraphs_of
from graphwright.library.dtensor.tensor_layout import UNSHARDED
from graphwright.op.op import Op, host_value
from graphwright.op.op_families import Elementwise, Reduction
from graphwright.ops.core.creation import Const
from graphwright.ops.core.gathering import GatherV2
from graphwright.ops.core.identity import Identity
from graphwright.ops.core.movement import ExpandDims, Squeeze, Transpose
from graphwright.ops.linalg.contraction import BatchProduct, MatMul
from graphwright.ops.linalg.einsum import Einsum, parse
from graphwright.ops.nn.softmax import LogSoftmax, Softmax
from graphwright.ops.state.variable_ops import ReadVariableOp
from graphwright.types.tensor_type import Dims

#: For each axis a dimension of the mesh, or `UNSHARDED`.
Specs = tuple[str, ...]

#: For each axis a label, or None: no device has a part of it.
Labels = Sequence[str | None]

#: The ops that combine the results of parts, by those that combine elements of an axis.
_COMBINATIONS = {"Sum": "sum", "Mean": "mean", "Prod": "prod", "Max": "max", "Min": "min"}
_COMBINATIONS |= {"All": "all", "Any": "any"}


class ShardedOperand(NamedTuple):
    """An operand of an op: how it is divided, its shape, and its value where that is known."""

    specs: Specs | None
    dims: Dims | None
    value: Any = None

    @property
    def known_specs(self) -> Specs:
        """How it is divided; what is in no mesh is whole."""
        return self.specs or (UNSHARDED,) * len(self.dims or ())


class AxisLabels(NamedTuple):
    """The labels of the axes of an op's operands and of its result.

    Args:
        operands: The labels of each tensor that is an operand; host operands behind them have none.
        result: The labels of the result.
        combination: How results of parts become one where an axis is divided that the result lacks.
            None: such axes are not divided.
    """

    operands: Sequence[Labels]
    result: Labels
    combination: str | None = None


#: The labels of an op's axes; None: the rule does not know.
Rule = Callable[[Any, Sequence[ShardedOperand]], AxisLabels | None]


def numbered(rank: int) -> list[str | None]:
    """Labels of so many axes, counted from the last one."""
    return [str(axis) for axis in range(-rank, 0)]


def by_element(op: Op, operands: Sequence[ShardedOperand]) -> AxisLabels:
    """Axes go together from the last one on. Those of size 1 are broadcast, so they are whole."""
    terms: list[Labels] = []
    for operand in operands:
        dims = operand.dims or ()
        terms.append([None if n == 1 else a for a, n in zip(numbered(len(dims)), dims)])
    return AxisLabels(terms, numbered(max(map(len, terms), default=0)))


def by_axis(op: Op, operands: Sequence[ShardedOperand]) -> AxisLabels:
    """The result is divided as the operand is."""
    labels = numbered(len(operands[0].known_specs))
    return AxisLabels([labels], labels)


def by_row(op: Op, operands: Sequence[ShardedOperand]) -> AxisLabels:
    """The result is divided as the operand is, whose last axis is whole."""
    labels = [*numbered(len(operands[0].known_specs))[:-1], None]
    return AxisLabels([labels], labels)


def by_reduction(op: Reduction, operands: Sequence[ShardedOperand]) -> AxisLabels:
    """The axes that are left are divided as they were."""
    x, axes = operands[0], operands[1].value
    labels = numbered(len(x.known_specs))
    rank = len(labels)
    gone = {axis % rank for axis in ([axes] if isinstance(axes, int) else axes or ())}
    gone = set(range(rank)) if axes is None else gone
    left = [None if i in gone else label for i, label in enumerate(labels)]
    result = [label for i, label in enumerate(left) if op.keep_dims or i not in gone]
    return AxisLabels([labels], result, _COMBINATIONS.get(op.type_name))


def by_product(op: MatMul, operands: Sequence[ShardedOperand]) -> AxisLabels:
    """Rows are divided as those of the first matrix, columns as those of the second."""
    a, b = "ki" if op.transpose_a else "ik", "jk" if op.transpose_b else "kj"
    return AxisLabels([[*a], [*b]], [*"ij"], "sum")


def by_batch_product(op: BatchProduct, operands: Sequence[ShardedOperand]) -> AxisLabels:
    """The axes of the batch are divided by their places from the right, the rest by products."""
    batches = [numbered(len(o.known_specs) - 2) for o in operands]
    a, b = "ki" if op.adj_x else "ik", "jk" if op.adj_y else "kj"
    terms = [[*batches[0], *a], [*batches[1], *b]]
    return AxisLabels(terms, [*max(batches, key=len), *"ij"], "sum")


def by_equation(op: Einsum, operands: Sequence[ShardedOperand]) -> AxisLabels:
    """Axes with one label are divided alike; a diagonal is whole."""
    terms = parse(op.equation, tuple([len(operand.known_specs) for operand in operands]))
    twice = {label for term in terms.operands for label in term if term.count(label) > 1}

    def single(term: Sequence[str]) -> Labels:
        return [None if label in twice else label for label in term]

    return AxisLabels([single(term) for term in terms.operands], single(terms.result), "sum")


def by_gather(op: GatherV2, operands: Sequence[ShardedOperand]) -> AxisLabels | None:
    """The axis along which slices are taken is divided as the indices are."""
    params, indices, axis = operands
    if op.batch_dims or not isinstance(axis.value, int):
        return None
    labels, places = numbered(len(params.known_specs)), numbered(len(indices.known_specs))
    place = axis.value % len(labels)
    chosen = [f"index {label}" for label in places]
    before, behind = labels[:place], labels[place + 1 :]
    return AxisLabels([[*before, None, *behind], chosen], [*before, *chosen, *behind])


def by_permutation(op: Transpose, operands: Sequence[ShardedOperand]) -> AxisLabels | None:
    """Axes are divided as they were, in another order."""
    x, perm = operands
    labels = numbered(len(x.known_specs))
    return None if perm.value is None else AxisLabels([labels], [labels[i] for i in perm.value])


def by_new_axis(op: ExpandDims, operands: Sequence[ShardedOperand]) -> AxisLabels | None:
    """A new axis is whole."""
    x, dim = operands
    axis = dim.value[0] if isinstance(dim.value, tuple) else dim.value
    if axis is None:
        return None
    labels = numbered(len(x.known_specs))
    place = axis % (len(labels) + 1)
    return AxisLabels([labels], [*labels[:place], None, *labels[place:]])


def by_lost_axes(op: Squeeze, operands: Sequence[ShardedOperand]) -> AxisLabels:
    """The axes that are left are divided as they were."""
    (x,) = operands
    dims, labels = x.dims or (), numbered(len(x.known_specs))
    lost = {axis % len(labels) for axis in op.squeeze_dims}
    lost = lost or {axis for axis, size in enumerate(dims) if size == 1}
    return AxisLabels([labels], [label for axis, label in enumerate(labels) if axis not in lost])


#: The rules, of which the first that fits counts.
RULES: tuple[tuple[type[Op] | tuple[type[Op], ...], Rule], ...] = (
    ((ReadVariableOp, Identity), by_axis),
    ((Softmax, LogSoftmax), by_row),
    (Elementwise, by_element),
    (Reduction, by_reduction),
    (MatMul, by_product),
    (BatchProduct, by_batch_product),
    (Einsum, by_equation),
    (GatherV2, by_gather),
    (Transpose, by_permutation),
    (ExpandDims, by_new_axis),
    (Squeeze, by_lost_axes),
)

#: What a program has said of results in graphs: `relayout`.
Stated = Mapping[Node, Specs]


def labels_of(op: Op, operands: Sequence[ShardedOperand]) -> AxisLabels | None:
    """The labels of an op's axes, by the first rule that fits; None: it has no rule."""
    for kind, rule in RULES:
        if isinstance(op, kind):
            return rule(op, operands)
    if op.outputs:
        inside = ", and computes with whole tensors what is in it" if subgraphs_of(op) else ""
        words = "%s has no rule of sharding: each device has its results%s"
        get_logger().info(words, op.type_name, inside)
    return None


def divided_labels(labels: AxisLabels, operands: Sequence[ShardedOperand]) -> dict[str | None, str]:
    """The labels that are divided, each by its dimension of the mesh."""
    stated: dict[str | None, str] = {}
    for term, operand in zip(labels.operands, operands):
        for label, spec in zip(term, operand.known_specs):
            if label is not None and spec != UNSHARDED:
                stated.setdefault(label, spec)
    order = [*labels.result, *(stated if labels.combination else ())]
    chosen: dict[str | None, str] = {}
    for label in order:
        if label in stated and label not in chosen and stated[label] not in chosen.values():
            chosen[label] = stated[label]
    return chosen


def specs_by(labels: Labels, divided: Mapping[str | None, str]) -> Specs:
    """How what has these labels is divided."""
    return tuple([divided.get(label, UNSHARDED) for label in labels])


def specs_of_results(
    op: Op, operands: Sequence[ShardedOperand], stated: Stated
) -> list[Specs | None]:
    """How the results of an op are divided; None: each device has all."""
    if isinstance(op, PartitionedCall):
        return specs_of_graph(op.f, operands, stated)
    labels = labels_of(op, operands)
    if labels is None:
        return [None] * len(op.outputs)
    return [specs_by(labels.result, divided_labels(labels, operands))]


def specs_of_graph(
    graph: Graph, operands: Sequence[ShardedOperand], stated: Stated
) -> list[Specs | None]:
    """How the results of a graph are divided, by how its arguments are."""
    known: dict[Value, Specs | None] = {}
    for value, operand in zip(graph.arguments, operands):
        known[value] = operand.specs
    for node in graph.nodes:
        if not node.inputs:
            continue
        inputs = [
            ShardedOperand(known.get(value), value.type.dims, constant_of(value))
            for value in node.inputs
        ]
        if node in stated:
            known[node.outputs[0]] = stated[node]
        elif any(operand.specs is not None for operand in inputs):
            known.update(zip(node.outputs, specs_of_results(node.op, inputs, stated)))
    return [known.get(value) for value in graph.results]


def constant_of(value: Value) -> Any:
    """The value of a constant in a graph as a host operand takes it; None for others."""
    op = value.node.op
    return host_value(op.value.array) if isinstance(op, Const) else None
