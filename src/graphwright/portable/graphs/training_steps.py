"""Nodes that train variables by an optimizer's rule, in ops of today.

Graphs that are in training have them. Each rule is a fact about TensorFlow's kernel of that name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from graphwright.control.loop import while_loop
from graphwright.ir.control_edges import waiting
from graphwright.library.dispatch.raw_ops import raw_op
from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.indexing import boolean_mask
from graphwright.ops.core.sequences import range
from graphwright.ops.core.shapes import size
from graphwright.ops.core.sorting import argsort, searchsorted
from graphwright.ops.math.comparison import equal
from graphwright.ops.math.reduction import reduce_max
from graphwright.ops.math.transcendental import rsqrt, sqrt
from graphwright.portable.graphs.older_ops import Outputs, counted, given
from graphwright.portable.model_error import malformed
from graphwright.portable.node_ops import attribute, place
from graphwright.proto.graph_pb2 import NodeDef
from graphwright.trace.tracer import current_tracer
from graphwright.values.convert import constant
from graphwright.values.tensor import Tensor

#: Values of the variable and its slots, further operands by name, flags of the node; new values.
Rule: TypeAlias = Callable[[list[Any], dict[str, Any], dict[str, bool]], list[Any]]


class TrainingStep(NamedTuple):
    """A rule, with the number of handles that come first and the names of what follows."""

    handles: int
    names: tuple[str, ...]
    rule: Rule


def descent(values: list[Any], operands: dict[str, Any], flags: dict[str, bool]) -> list[Any]:
    """The new values of gradient descent."""
    return [values[0] - operands["grad"] * operands["lr"]]


def momentum(values: list[Any], operands: dict[str, Any], flags: dict[str, bool]) -> list[Any]:
    """The new values of gradient descent with momentum."""
    moved = values[1] * operands["momentum"] + operands["grad"]
    if flags.get("use_nesterov"):
        return [
            values[0]
            - (operands["grad"] * operands["lr"] + moved * operands["momentum"] * operands["lr"]),
            moved,
        ]
    return [values[0] - moved * operands["lr"], moved]


def adam(values: list[Any], operands: dict[str, Any], flags: dict[str, bool]) -> list[Any]:
    """The new values of Adam."""
    value, mean, square = values
    grad, beta1 = operands["grad"], operands["beta1"]
    rate = operands["lr"] * sqrt(1 - operands["beta2_power"]) / (1 - operands["beta1_power"])
    mean = mean + (grad - mean) * (1 - beta1)
    square = square + (grad * grad - square) * (1 - operands["beta2"])
    ahead = grad * (1 - beta1) + beta1 * mean if flags.get("use_nesterov") else mean
    return [value - rate * ahead / (sqrt(square) + operands["epsilon"]), mean, square]


def adagrad(values: list[Any], operands: dict[str, Any], flags: dict[str, bool]) -> list[Any]:
    """The new values of Adagrad."""
    grad = operands["grad"]
    total = values[1] + grad * grad if flags.get("update_slots", True) else values[1]
    if "epsilon" in operands:
        return [values[0] - operands["lr"] * grad / (sqrt(total) + operands["epsilon"]), total]
    return [values[0] - operands["lr"] * grad * rsqrt(total), total]


def rms_prop(values: list[Any], operands: dict[str, Any], flags: dict[str, bool]) -> list[Any]:
    """The new values of RMSProp."""
    value, square, moved = values
    grad = operands["grad"]
    square = square + (grad * grad - square) * (1 - operands["rho"])
    moved = moved * operands["momentum"] + operands["lr"] * grad * rsqrt(
        square + operands["epsilon"]
    )
    return [value - moved, square, moved]


#: The steps by the names of ops, without `Resource` in front.
STEPS: dict[str, TrainingStep] = {
    "ApplyAdagrad": TrainingStep(2, ("lr", "grad"), adagrad),
    "ApplyAdagradV2": TrainingStep(2, ("lr", "epsilon", "grad"), adagrad),
    "ApplyAdam": TrainingStep(
        3, ("beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad"), adam
    ),
    "ApplyGradientDescent": TrainingStep(1, ("lr", "grad"), descent),
    "ApplyMomentum": TrainingStep(2, ("lr", "grad", "momentum"), momentum),
    "ApplyRMSProp": TrainingStep(3, ("lr", "rho", "momentum", "epsilon", "grad"), rms_prop),
    "SparseApplyAdagrad": TrainingStep(2, ("lr", "grad", "indices"), adagrad),
    "SparseApplyAdagradV2": TrainingStep(2, ("lr", "epsilon", "grad", "indices"), adagrad),
    "SparseApplyMomentum": TrainingStep(2, ("lr", "grad", "indices", "momentum"), momentum),
    "SparseApplyRMSProp": TrainingStep(
        3, ("lr", "rho", "momentum", "epsilon", "grad", "indices"), rms_prop
    ),
}  # fmt: skip


def trained(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """Nothing: a variable and its slots get new values, all of them or the rows of a gradient."""
    step = STEPS[node.op.removeprefix("Resource")]
    counted(node, operands, step.handles + len(step.names))
    handles = operands[: step.handles]
    rest = dict(zip(step.names, operands[step.handles :]))
    dtype = attribute(node, "T", "DType")
    if dtype is None:
        raise malformed(place(node), "it does not say what it trains")
    rows = rest.pop("indices", None)
    flags = given(node, use_nesterov="bool", update_slots="bool")
    rest = {name: cast(value, dtype) for name, value in rest.items()}
    if rows is not None:

        def rule(values: list[Any], grad: Tensor) -> list[Any]:
            return step.rule(values, rest | {"grad": grad}, flags)

        train_rows(handles, rows, rest["grad"], rule, node.name)
        return {}
    values = [raw_op("ReadVariableOp")(resource=handle, dtype=dtype) for handle in handles]
    new = step.rule(values, rest, flags)
    tracer = current_tracer()
    assert tracer is not None  # nodes are read into a graph
    count = len(tracer.graph.nodes)
    for handle, value in zip(handles[1:], new[1:]):
        raw_op("AssignVariableOp")(resource=handle, value=value)
    with waiting(tracer.graph, tracer.graph.nodes[count:]):  # who runs the last runs all
        raw_op("AssignVariableOp")(resource=handles[0], value=new[0], name=node.name)
    return {}


def train_rows(
    handles: Sequence[Tensor],
    rows: Tensor,
    grad: Tensor,
    rule: Callable[[list[Any], Tensor], list[Any]],
    name: str,
) -> None:
    """Adds a loop that sets rows of variables, in the order of a gradient's rows.

    Turn n takes the n-th occurrence of each row. Few gradients have a row twice.
    """
    order = argsort(rows, stable=True)
    ordered = gather(rows, order)
    occurrence = range(size(rows)) - searchsorted(ordered, ordered)

    def train(turn: Tensor) -> list[Tensor]:
        places = boolean_mask(order, equal(occurrence, turn))
        chosen = gather(rows, places)
        values = [
            raw_op("ResourceGather")(resource=handle, indices=chosen, dtype=grad.dtype)
            for handle in handles
        ]
        for handle, value in zip(handles, rule(values, gather(grad, places))):
            raw_op("ResourceScatterUpdate")(resource=handle, indices=chosen, updates=value)
        return [turn + 1]

    turns = reduce_max(occurrence) + 1
    while_loop(lambda turn: turn < turns, train, [constant(0)], name=name)
