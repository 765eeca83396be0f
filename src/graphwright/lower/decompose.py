"""Composite ops in terms of simpler ones, where the simpler ones can share a loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphwright.ir.graph import Graph, Node, Value, transform
from graphwright.ir.known import known
from graphwright.lower.indices import Average, ClassNumber, Peak, PickIndex
from graphwright.lower.simplify import drop_dead
from graphwright.op.op import Op
from graphwright.ops.bias import BiasAdd
from graphwright.ops.comparison import equal
from graphwright.ops.conversion import cast
from graphwright.ops.creation import Const
from graphwright.ops.indexing import where
from graphwright.ops.joining import Pack, Split, Unpack
from graphwright.ops.movement import expand_dims
from graphwright.ops.reduction import Mean, Sum, reduce, reduce_sum
from graphwright.ops.slicing import StridedSlice
from graphwright.ops.softmax import (
    LogSoftmax,
    Softmax,
    SoftmaxCrossEntropyWithLogits,
    SparseSoftmaxCrossEntropyWithLogits,
)
from graphwright.ops.transcendental import exp, log
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import tracing
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType

#: Classes that a row of logits is compared with one by one.
_MOST_CLASSES = 1 << 14


def peak(x: Any) -> Any:
    """What the elements of a row are shifted by."""
    return reduce(Peak, x, -1, True, None)


def softmax(op: Op, x: Any) -> Any:
    """exp(x - max) * (1 / sum(exp(x - max))): one division a row"""
    weights = exp(x - peak(x))
    return weights * (1.0 / reduce_sum(weights, -1, True))


def log_softmax(op: Op, x: Any) -> Any:
    """x - max - log(sum(exp(x - max)))"""
    shifted = x - peak(x)
    return shifted - log(reduce_sum(exp(shifted), -1, True))


def cross_entropy(op: Op, logits: Any, labels: Any) -> Any:
    """sum(labels * (log(sum(exp(x))) - x)) and softmax - labels, x the shifted logits"""
    x = logits - peak(logits)
    weights = exp(x)
    total = reduce_sum(weights, -1, True)
    return reduce_sum(labels * (log(total) - x), -1), weights / total - labels


def sparse_cross_entropy(op: Op, logits: Any, labels: Any) -> Any:
    """cross entropy with labels of which one is 1, where the number of classes is known"""
    classes = logits.shape[-1] if logits.shape.rank == 2 else None
    if not classes or classes > _MOST_CLASSES:
        return None
    graph = logits.graph
    number = TensorType(dt.int64, labels._value.type.dims)
    checked = graph.add(ClassNumber.of(1), (labels._value, logits._value), (number,))
    column = expand_dims(cast(SymbolicTensor(checked.outputs[0], graph), dt.int32), -1)
    chosen = equal(column, np.arange(classes, dtype=np.int32))
    x = logits - peak(logits)
    weights = exp(x)
    total = reduce_sum(weights, -1, True)
    loss = reduce_sum(where(chosen, log(total) - x, 0.0), -1)
    return loss, weights * (1.0 / total) - cast(chosen, logits.dtype)


def bias_add(op: Any, value: Any, bias: Any) -> Any:
    """value + bias, where channels are last"""
    return value + bias if op.data_format == "NHWC" else None


def unpack(op: Any, value: Any) -> Any:
    """(value[0], value[1], ...) along the axis"""
    before: Any = (slice(None),) * (op.axis % value.shape.rank)
    return tuple([value[before + (i,)] for i in range(op.num)])  # noqa: RUF005 - see split


def split(op: Any, axis: Any, value: Any) -> Any:
    """Equal slices along the axis, where its size is known"""
    at = known(axis._value)
    size = None if at is None else value.shape[at]
    if size is None or size % op.num_split:
        return None
    before: Any = (slice(None),) * (at % value.shape.rank)
    each = size // op.num_split
    parts = [slice(i * each, (i + 1) * each) for i in range(op.num_split)]
    return tuple([value[before + (part,)] for part in parts])  # noqa: RUF005 - for Python 3.10


RULES: dict[type[Op], Callable[..., Any]] = {
    Unpack: unpack,
    Split: split,
    Softmax: softmax,
    LogSoftmax: log_softmax,
    SoftmaxCrossEntropyWithLogits: cross_entropy,
    SparseSoftmaxCrossEntropyWithLogits: sparse_cross_entropy,
    BiasAdd: bias_add,
}


def decompose(graph: Graph) -> tuple[Graph, dict[Node, Node]]:
    """The graph with the ops that have a rule replaced, and which node each comes from."""
    origins = {n: n for n in graph.nodes}
    if not any(type(n.op) in RULES or isinstance(n.op, (Mean, StridedSlice)) for n in graph.nodes):
        return graph, origins
    into = Graph(graph.name, graph.is_body)

    made: list[tuple[int, Node]] = []  # how many nodes there were before each

    def rewrite(node: Node, inputs: tuple[Value, ...]) -> tuple[Value, ...] | None:
        made.append((len(into.nodes), node))
        if isinstance(node.op, Mean) and node.outputs[0].type.dtype.is_floating:
            type_ = node.outputs[0].type
            total = into.add(Sum.of(node.op.keep_dims), inputs, (type_,)).outputs[0]
            return into.add(Average.of(), (total, inputs[0]), (type_,), node.name).outputs
        if isinstance(node.op, StridedSlice):
            return picked(node.op, node, inputs, into)
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
    return drop_dead(into), origins


def picked(
    op: StridedSlice, node: Node, inputs: tuple[Value, ...], into: Graph
) -> tuple[Value, ...] | None:
    """x[i] with a computed i -> the same with its place, checked"""
    begin = inputs[1].node
    if not isinstance(begin.op, Pack) or op.ellipsis_mask:
        return None
    entries = list(begin.inputs)
    axis = 0
    for i, entry in enumerate(entries):
        bit = 1 << i
        if op.shrink_axis_mask & bit and not isinstance(entry.node.op, Const):
            place = TensorType(dt.int64, ())
            index = PickIndex.of(axis)
            entries[i] = into.add(index, (entry, inputs[0]), (place,)).outputs[0]
        axis += not op.new_axis_mask & bit
    packed = into.add(begin.op, tuple(entries), (TensorType(dt.int64, (len(entries),)),))
    types = (node.outputs[0].type,)
    values = (inputs[0], packed.outputs[0], *inputs[2:])
    return into.add(op, values, types, node.name, node.location).outputs
