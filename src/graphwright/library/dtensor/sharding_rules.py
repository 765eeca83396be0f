"""How results of ops are divided, by how their operands are: one table of rules by kind of op.

A rule gives each axis of a result a dimension of the mesh, or none. Where ways of dividing do not
go together, the first operand's counts, and a dimension divides one axis. What has no rule is whole
on each device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from graphwright.base.logs import get_logger
from graphwright.control.call import PartitionedCall
from graphwright.ir.graph import Graph, Node, Value
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


class ShardedOperand(NamedTuple):
    """An operand of an op: how it is divided, its shape, and its value where that is known."""

    specs: Specs | None
    dims: Dims | None
    value: Any = None

    @property
    def known_specs(self) -> Specs:
        """How it is divided; what is in no mesh is whole."""
        return self.specs or (UNSHARDED,) * len(self.dims or ())


#: How the result of an op is divided; None: the rule does not know.
Rule = Callable[[Any, Sequence[ShardedOperand]], Specs | None]


def distinct(specs: Iterable[str]) -> Specs:
    """The specs, in which each dimension of the mesh stands once: where it stood first."""
    result: list[str] = []
    for spec in specs:
        result.append(UNSHARDED if spec in result else spec)
    return tuple(result)


def first_of(specs: Iterable[str]) -> str:
    """The first dimension of the mesh, if there is one."""
    return next((spec for spec in specs if spec != UNSHARDED), UNSHARDED)


def by_element(op: Op, operands: Sequence[ShardedOperand]) -> Specs | None:
    """Each axis is divided as in the first operand that divides it; operands are broadcast."""
    tensors = [operand for operand in operands if operand.dims is not None]
    rank = max((len(operand.dims or ()) for operand in tensors), default=0)
    axes = []
    for axis in range(-rank, 0):
        reaching = [o for o in tensors if len(o.dims or ()) >= -axis and (o.dims or ())[axis] != 1]
        axes.append(first_of(operand.known_specs[axis] for operand in reaching))
    return distinct(axes)


def by_first(op: Op, operands: Sequence[ShardedOperand]) -> Specs | None:
    """The result is divided as the first operand is."""
    return operands[0].specs


def by_reduction(op: Reduction, operands: Sequence[ShardedOperand]) -> Specs | None:
    """The axes that are left are divided as they were."""
    x, axes = operands[0], operands[1].value
    rank = len(x.known_specs)
    gone = {axis % rank for axis in ([axes] if isinstance(axes, int) else axes or ())}
    gone = set(range(rank)) if axes is None else gone
    specs = [UNSHARDED if i in gone else spec for i, spec in enumerate(x.known_specs)]
    return tuple([spec for i, spec in enumerate(specs) if op.keep_dims or i not in gone])


def by_labels(
    terms: Sequence[Sequence[str]], result: Sequence[str], operands: Sequence[ShardedOperand]
) -> Specs:
    """Axes with one label are divided alike, as in the first operand that divides them."""
    specs: dict[str, str] = {}
    for labels, operand in zip(terms, operands):
        for label, spec in zip(labels, operand.known_specs):
            if specs.get(label, UNSHARDED) == UNSHARDED:
                specs[label] = spec
    return distinct(specs.get(label, UNSHARDED) for label in result)


def by_product(op: MatMul, operands: Sequence[ShardedOperand]) -> Specs | None:
    """Rows are divided as those of the first matrix, columns as those of the second."""
    a, b = "ki" if op.transpose_a else "ik", "jk" if op.transpose_b else "kj"
    return by_labels([a, b], "ij", operands)


def by_batch_product(op: BatchProduct, operands: Sequence[ShardedOperand]) -> Specs | None:
    """The axes of the batch are divided by their places from the right, the rest by products."""
    batches = [[str(i) for i in range(len(o.known_specs) - 2)][::-1] for o in operands]
    a, b = "ki" if op.adj_x else "ik", "jk" if op.adj_y else "kj"
    terms = [[*batches[0], *a], [*batches[1], *b]]
    return by_labels(terms, [*max(batches, key=len), *"ij"], operands)


def by_equation(op: Einsum, operands: Sequence[ShardedOperand]) -> Specs | None:
    """Axes with one label are divided alike."""
    terms = parse(op.equation, tuple([len(operand.known_specs) for operand in operands]))
    return by_labels(terms.operands, terms.result, operands)


def by_gather(op: GatherV2, operands: Sequence[ShardedOperand]) -> Specs | None:
    """The axis along which slices are taken is divided as the indices are."""
    params, indices, axis = operands
    if op.batch_dims or not isinstance(axis.value, int):
        return None
    specs, place = params.known_specs, axis.value % len(params.known_specs)
    return distinct([*specs[:place], *indices.known_specs, *specs[place + 1 :]])


def by_permutation(op: Transpose, operands: Sequence[ShardedOperand]) -> Specs | None:
    """Axes are divided as they were, in another order."""
    x, perm = operands
    return None if perm.value is None else tuple([x.known_specs[axis] for axis in perm.value])


def by_new_axis(op: ExpandDims, operands: Sequence[ShardedOperand]) -> Specs | None:
    """A new axis is whole."""
    x, dim = operands
    axis = dim.value[0] if isinstance(dim.value, tuple) else dim.value
    if axis is None:
        return None
    specs = list(x.known_specs)
    specs.insert(axis % (len(specs) + 1), UNSHARDED)
    return tuple(specs)


def by_lost_axes(op: Squeeze, operands: Sequence[ShardedOperand]) -> Specs | None:
    """The axes that are left are divided as they were."""
    (x,) = operands
    dims = x.dims or ()
    lost = {axis % len(dims) for axis in op.squeeze_dims}
    lost = lost or {axis for axis, size in enumerate(dims) if size == 1}
    return tuple([spec for axis, spec in enumerate(x.known_specs) if axis not in lost])


#: The rules, of which the first that fits counts.
RULES: tuple[tuple[type[Op] | tuple[type[Op], ...], Rule], ...] = (
    ((ReadVariableOp, Identity, Softmax, LogSoftmax), by_first),
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


def specs_of_results(
    op: Op, operands: Sequence[ShardedOperand], stated: Stated
) -> list[Specs | None]:
    """How the results of an op are divided; None: each device has all."""
    if isinstance(op, PartitionedCall):
        return specs_of_graph(op.f, operands, stated)
    for kind, rule in RULES:
        if isinstance(op, kind):
            return [rule(op, operands)]
    count = len(op.outputs)
    if count:
        get_logger().info("%s has no rule of sharding: each device has its results", op.type_name)
    return [None] * count


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
