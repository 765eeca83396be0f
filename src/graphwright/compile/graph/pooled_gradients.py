"""Gradients of pooled maxima, computed on the maxima alone: elsewhere they are zero."""

from __future__ import annotations

from graphwright.ir.graph import Graph, Node, Value
from graphwright.ir.known import known
from graphwright.ops.convolution.pooling import MaxPool, MaxPoolGrad
from graphwright.ops.math.reduction import Sum
from graphwright.ops.nn.activation import ReluGrad


def masked_before(node: Node, inputs: tuple[Value, ...], into: Graph) -> tuple[Value, ...] | None:
    """relu'(cotangents of maxima spread over x, x) -> relu'(cotangents, maxima) spread over x

    There are fewer maxima than elements of x, and only maxima have cotangents.
    """
    spread, x = inputs
    cotangents = cotangents_of_maxima(spread)
    if cotangents is None or spread.node.inputs[0] is not x:
        return None
    op, (_, maxima, _) = spread.node.op, spread.node.inputs
    masked = into.add(node.op, (cotangents, maxima), (cotangents.type,), node.name, node.location)
    types = (node.outputs[0].type,)
    inputs = (x, maxima, masked.outputs[0])
    return into.add(op, inputs, types, spread.node.name, spread.node.location).outputs


def sum_of_cotangents(
    node: Node, inputs: tuple[Value, ...], into: Graph
) -> tuple[Value, ...] | None:
    """sum(cotangents of maxima spread over x, axes) -> sum(cotangents, axes)

    The axes include those of the windows. Only positive maxima may have cotangents, since a window
    of padding alone has no element to spread them to.
    """
    spread, axes = inputs
    cotangents = cotangents_of_maxima(spread)
    if cotangents is None or not isinstance(cotangents.node.op, ReluGrad):
        return None
    if cotangents.node.inputs[1] is not spread.node.inputs[1]:
        return None
    assert isinstance(spread.node.op, MaxPoolGrad)
    numbers, first = known(axes), 2 if spread.node.op.is_first() else 1
    if not isinstance(numbers, tuple) or not {first, first + 1} <= {a % 4 for a in numbers if a}:
        return None
    types = (node.outputs[0].type,)
    return into.add(node.op, (cotangents, axes), types, node.name, node.location).outputs


def cotangents_of_maxima(value: Value) -> Value | None:
    """The cotangents of each window's maximum, if a value is those in the places of the maxima."""
    op = value.node.op
    if not isinstance(op, MaxPoolGrad):
        return None
    x, maxima, cotangents = value.node.inputs
    pooled = maxima.node
    return cotangents if pooled.op == op.sibling(MaxPool) and pooled.inputs[0] is x else None


#: The rules, by the op that takes the spread cotangents.
RULES = {ReluGrad: masked_before, Sum: sum_of_cotangents}
