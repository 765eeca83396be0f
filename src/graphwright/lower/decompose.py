"""Composite ops in terms of simpler ones, where the simpler ones can share a loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphwright.ir.graph import Graph, Node, Value, transform
from graphwright.op.op import Op, Shapes
from graphwright.ops.bias import BiasAdd
from graphwright.ops.reduction import Mean, Sum, reduce_max, reduce_sum
from graphwright.ops.softmax import LogSoftmax, Softmax, SoftmaxCrossEntropyWithLogits
from graphwright.ops.transcendental import exp, log
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import tracing
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType


class Average(Op):
    """A sum over the number of elements that were added: size(x) / size(sum)."""

    type_name = "_Average"
    inputs = ("sum: T", "x: T")
    outputs = ("mean: T",)
    dtypes = {"T": dt.FLOATING}

    def shapes(self, sum: TensorType, x: TensorType) -> Shapes:
        return (sum.dims,)


def softmax(op: Op, x: Any) -> Any:
    """exp(x - max) / sum(exp(x - max))"""
    weights = exp(x - reduce_max(x, -1, True))
    return weights / reduce_sum(weights, -1, True)


def log_softmax(op: Op, x: Any) -> Any:
    """x - max - log(sum(exp(x - max)))"""
    shifted = x - reduce_max(x, -1, True)
    return shifted - log(reduce_sum(exp(shifted), -1, True))


def cross_entropy(op: Op, logits: Any, labels: Any) -> Any:
    """sum(labels * (log(sum(exp(x))) - x)) and softmax - labels, x the shifted logits"""
    x = logits - reduce_max(logits, -1, True)
    weights = exp(x)
    total = reduce_sum(weights, -1, True)
    return reduce_sum(labels * (log(total) - x), -1), weights / total - labels


def bias_add(op: Any, value: Any, bias: Any) -> Any:
    """value + bias, where channels are last"""
    return value + bias if op.data_format == "NHWC" else None


RULES: dict[type[Op], Callable[..., Any]] = {
    Softmax: softmax,
    LogSoftmax: log_softmax,
    SoftmaxCrossEntropyWithLogits: cross_entropy,
    BiasAdd: bias_add,
}


def decompose(graph: Graph) -> tuple[Graph, dict[Node, Node]]:
    """The graph with the ops that have a rule replaced, and which node each comes from."""
    origins = {n: n for n in graph.nodes}
    if not any(type(n.op) in RULES or isinstance(n.op, Mean) for n in graph.nodes):
        return graph, origins
    into = Graph(graph.name, graph.is_body)

    made: list[tuple[int, Node]] = []  # how many nodes there were before each

    def rewrite(node: Node, inputs: tuple[Value, ...]) -> tuple[Value, ...] | None:
        made.append((len(into.nodes), node))
        if isinstance(node.op, Mean) and node.outputs[0].type.dtype.is_floating:
            type_ = node.outputs[0].type
            total = into.add(Sum.of(node.op.keep_dims), inputs, (type_,)).outputs[0]
            return into.add(Average.of(), (total, inputs[0]), (type_,), node.name).outputs
        rule = RULES.get(type(node.op))
        if rule is None:
            return None
        results = rule(node.op, *[SymbolicTensor(v, into) for v in inputs])
        if results is None:
            return None
        if not isinstance(results, tuple):
            results = (results,)
        return tuple([r._value for r in results])

    with tracing(into):
        transform(graph, rewrite, into)
    ends = [start for start, _ in made[1:]] + [len(into.nodes)]
    for (start, node), end in zip(made, ends):
        origins.update(dict.fromkeys(into.nodes[start:end], node))
    return into, origins
