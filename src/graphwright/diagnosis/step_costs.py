"""What a training step is made of, for the question how it would do on many ranks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from graphwright.diagnosis.step_watch import CallTimes, TrainingGraph
from graphwright.ir.graph import Node, Value
from graphwright.op.op import Effect
from graphwright.ops.core.creation import Const, Placeholder
from graphwright.types.dtypes import DType
from graphwright.values.variable import Variable

#: The ops that a weight is multiplied with data in, or that do so in the backward pass.
_PRODUCTS = ("MatMul", "BatchMatMul", "Conv", "DepthwiseConv", "Einsum")
#: The ops through which a weight goes into a product.
_WAYS = {"Identity", "Cast", "Reshape", "Transpose", "ReadVariableOp"}


class GradientCost(NamedTuple):
    """A gradient: its dtype and bytes, and the seconds from the begin of the step to its value."""

    dtype: DType
    nbytes: int
    ready: float


class WeightProduct(NamedTuple):
    """The products of one weight with data, forward and backward.

    Args:
        nbytes: The bytes of the weight.
        columns: The most ranks that its columns can be divided among.
        rows: The same of its rows.
        seconds: The time of its products.
        result: The bytes of its product.
        slope: The bytes of the gradient that goes back to its data; 0 if none does.
    """

    nbytes: int
    columns: int
    rows: int
    seconds: float
    result: int
    slope: int


class StepCosts(NamedTuple):
    """A training step in one process.

    Args:
        name: The function.
        seconds: The time of a call.
        update: The part of it behind the last gradient.
        gradients: The gradients, in the order in which they are computed.
        weights: The bytes of what is trained.
        state: The bytes of what else the step changes: above all the state of the optimizer.
        values: The bytes of all values of the step that are there at once.
        products: The weights that are multiplied with data, in the order of the forward pass.
    """

    name: str
    seconds: float
    update: float
    gradients: tuple[GradientCost, ...]
    weights: int
    state: int
    values: int
    products: tuple[WeightProduct, ...]


def costs_of(calls: CallTimes, training: TrainingGraph) -> StepCosts:
    """What a step is made of, by the times of its nodes and of its calls."""
    nodes = training.nodes
    scale = calls.fastest / sum(training.seconds.get(node, 0.0) for node in nodes)
    ends: dict[Node, float] = {}
    now = 0.0
    for node in nodes:
        now += training.seconds.get(node, 0.0) * scale
        ends[node] = now
    gradients = []
    changed = {id(v): v for node in nodes if (v := training.written(node)) is not None}
    trained = [variable for variable in changed.values() if variable.trainable]
    for variable, value in gradients_of(training, trained):
        size = training.nbytes.get(value, size_of(variable))
        gradients.append(GradientCost(value.type.dtype, size, ends[value.node]))
    gradients.sort(key=lambda gradient: gradient.ready)
    last = max((gradient.ready for gradient in gradients), default=now)
    weights = sum(map(size_of, trained))
    return StepCosts(
        calls.name,
        calls.fastest,
        now - last,
        tuple(gradients),
        weights,
        sum(map(size_of, changed.values())) - weights,
        most_bytes(training),
        tuple(products_of(training, trained, scale)),
    )


def size_of(variable: Variable) -> int:
    """The bytes of a variable."""
    return (variable.type.size or 0) * variable.dtype.size


def gradients_of(
    training: TrainingGraph, trained: Iterable[Variable]
) -> Iterable[tuple[Variable, Value]]:
    """The gradient by which each variable changes.

    All ways from the data to the variable's assignments lead through it. It is the last such value
    of the variable's shape before the state of an optimizer joins in.
    """
    nodes = training.nodes
    order = {node: place for place, node in enumerate(nodes)}
    writes: dict[int, list[Node]] = {}
    before: dict[Node, list[Node]] = {}  # the assignments that a node comes after
    slopes: set[Node] = set()  # what depends on data and on weights alone
    plain: set[Node] = set()  # what depends on no state
    for node in nodes:
        variable = training.variables.get(node.inputs[0]) if node.inputs else None
        known = writes.setdefault(id(variable), []) if variable is not None else []
        if training.written(node) is not None:
            known.append(node)
        elif variable is not None:
            before[node] = list(known)
            if variable.trainable and not known:
                plain.add(node)
        elif all(v.node in plain for v in node.inputs):
            is_handle = any(value in training.variables for value in node.outputs)
            is_data = isinstance(node.op, Placeholder) or node.op.effect is not Effect.NONE
            plain.add(node)
            if (is_data and not is_handle) or any(v.node in slopes for v in node.inputs):
                slopes.add(node)
    for variable in trained:
        cone = ancestors(writes[id(variable)], before)
        last = {v.node for node in cone if node not in slopes for v in node.inputs} & slopes
        for node in sorted(cone & slopes, key=order.__getitem__, reverse=True):
            fits = any(value.type.dims == variable.type.dims for value in node.outputs)
            if fits and last <= followers(node, nodes[order[node] :]):
                yield variable, node.outputs[0]
                break


def ancestors(ends: Iterable[Node], before: Mapping[Node, Sequence[Node]]) -> set[Node]:
    """The nodes that some nodes depend on, and these; `before` has what reads depend on too."""
    cone: set[Node] = set()
    waiting = list(ends)
    while waiting:
        node = waiting.pop()
        if node not in cone:
            cone.add(node)
            waiting += [*[v.node for v in node.inputs], *before.get(node, ())]
    return cone


def followers(first: Node, later: Iterable[Node]) -> set[Node]:
    """A node and those of some later ones that depend on it."""
    reached = {first}
    for node in later:
        if any(v.node in reached for v in node.inputs):
            reached.add(node)
    return reached


def most_bytes(training: TrainingGraph) -> int:
    """The most bytes of values that are there at once, besides variables and constants."""
    nodes = training.nodes
    last = {value: place for place, node in enumerate(nodes) for value in node.inputs}
    dying: dict[int, int] = {}
    now = most = 0
    for place, node in enumerate(nodes):
        is_own = not isinstance(node.op, Const) and node.op.type_name not in _WAYS
        for value in node.outputs if is_own else ():
            size = training.nbytes.get(value, 0)
            now += size
            end = last.get(value, len(nodes))
            dying[end] = dying.get(end, 0) + size
        most = max(most, now)
        now -= dying.get(place, 0)
    return most


def products_of(
    training: TrainingGraph, trained: Iterable[Variable], scale: float
) -> Iterable[WeightProduct]:
    """The weights that are multiplied with data, in the order of the forward pass."""
    matrices = {id(v): v for v in trained if len(v.type.dims or ()) >= 2}
    uses: dict[int, list[Node]] = {}  # the products of each weight; the first is forward
    others = []
    for node in training.nodes:
        if node.op.type_name.startswith(_PRODUCTS):
            weights = [weight_in(training, value) for value in node.inputs]
            factor = next((w for w in weights if w is not None and id(w) in matrices), None)
            if factor is None:
                others.append(node)
            else:
                uses.setdefault(id(factor), []).append(node)
    for key, nodes in uses.items():
        weight = matrices[key]
        *_, rows, columns = weight.type.dims or (1, 1)
        weight_slopes = [n for n in others if n.outputs[0].type.dims == weight.type.dims][:1]
        others = [n for n in others if n not in weight_slopes]
        seconds = sum(training.seconds.get(node, 0.0) for node in [*nodes, *weight_slopes])
        sizes = [training.nbytes.get(node.outputs[0], 0) for node in nodes]
        yield WeightProduct(
            size_of(weight), columns or 1, rows or 1, seconds * scale, sizes[0], sum(sizes[1:])
        )


def weight_in(training: TrainingGraph, value: Value) -> Variable | None:
    """The variable that an operand is, if it is one."""
    while value not in training.variables:
        if value.node.op.type_name not in _WAYS or not value.node.inputs:
            return None
        value = value.node.inputs[0]
    return training.variables[value]
