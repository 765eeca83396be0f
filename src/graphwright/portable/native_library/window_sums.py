"""Convolutions and pooling in simpler ops, for code that has no kernels beside it.

A tap is what all windows have at one place of theirs: a strided slice of the padded images. A
convolution is a sum of matrix products of taps with the filters there. Those of one row of filters
stand side by side in one matrix, so that products are long. A depthwise convolution is a sum of
taps times filters, and pooling a maximum or a mean of taps. Each becomes one loop nest.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.graph.accumulate import MatMulAdd
from graphwright.control.branch import StatelessIf
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Graph, Node, Value, subgraphs_of, transform
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply
from graphwright.op.op import Op
from graphwright.ops.convolution.convolution import Convolution, InputGradient
from graphwright.ops.convolution.pooling import AveragePool, MaximumPool, Pool
from graphwright.ops.core.casting import cast
from graphwright.ops.core.indexing import where
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import reshape, transpose
from graphwright.ops.core.rule_words import HALVES, dims_of, padded, widened
from graphwright.ops.linalg.contraction import MatMul
from graphwright.ops.math.comparison import greater, logical_or, not_equal
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import tracing

#: More taps side by side, or more groups, than this take long to compile.
_MOST_PARTS = 32

#: Why windows are refused.
UNKNOWN_WINDOWS = (
    "it must know its channels and filters, and the sizes of images over which windows go in "
    "steps; its elements must be floats"
)


def with_window_sums(graph: Graph) -> Graph:
    """The graph, and those in its loops and branches, without ops that slide windows."""
    if not has_windows(graph):
        return graph
    into = Graph(graph.name, graph.is_body)

    def rewrite(node: Node, inputs: tuple[Value, ...]) -> tuple[Value, ...] | None:
        rule = rule_of(node.op)
        if rule is not None:
            first = len(into.nodes)
            result = rule(node.op, *[SymbolicTensor(v, into) for v in inputs])
            for part in into.nodes[first:]:
                part.location = node.location
            return None if result is None else (result._value,)
        if not isinstance(node.op, (StatelessWhile, StatelessIf)):
            return None
        graphs = [with_window_sums(inner) for inner in subgraphs_of(node.op)]
        if isinstance(node.op, StatelessWhile):
            other: Op = node.op.repeating(*graphs)
        else:
            other = node.op.choosing(tuple(graphs))
        types = tuple([v.type for v in node.outputs])
        return into.add(other, inputs, types, node.name, node.location).outputs

    with tracing(into):
        transform(graph, rewrite, into)
    into.names = graph.names
    return into


def has_windows(graph: Graph) -> bool:
    """Whether a graph, or one in its loops and branches, has an op that slides windows."""
    return any(rule_of(node.op) is not None for node in graph.nodes) or any(
        has_windows(inner)
        for node in graph.nodes
        if isinstance(node.op, (StatelessWhile, StatelessIf))
        for inner in subgraphs_of(node.op)
    )


def rule_of(op: Op) -> Callable[..., Any] | None:
    """The function that gives an op's result in simpler ops; None where there is none."""
    for family, rule in RULES.items():
        if isinstance(op, family):
            return rule
    return None


# -- windows ----------------------------------------------------------------------------------


class Axis(NamedTuple):
    """Windows along one axis: its size if it is known, their taps and steps, and the padding."""

    size: int | None
    taps: int
    stride: int
    dilation: int
    pair: tuple[int, int]

    @property
    def extent(self) -> int:
        """The elements from the first tap to the last one."""
        return (self.taps - 1) * self.dilation + 1

    def slice(self, tap: int) -> slice:
        """What the windows have at a tap, of the padded axis."""
        start = tap * self.dilation
        if self.size is None:
            return slice(start, start + 1 - self.extent or None, self.stride)
        count = (self.size + sum(self.pair) - self.extent) // self.stride + 1
        return slice(start, start + (count - 1) * self.stride + 1, self.stride)


def axis_of(size: int | None, taps: int, stride: int, dilation: int, padding: Any) -> Axis | None:
    """The windows of an axis; None where their number follows from a size that is unknown."""
    axis = Axis(size, taps, stride, dilation, (0, 0))
    if size is None and stride > 1:
        return None
    if padding == "SAME":
        total = axis.extent - 1
        if size is not None:
            total = max((-(-size // stride) - 1) * stride + axis.extent - size, 0)
        return axis._replace(pair=(total // 2, total - total // 2))
    return axis if padding == "VALID" else axis._replace(pair=tuple(padding))


def axes_of(
    x: GraphTensor,
    kernel: Sequence[int | None],
    strides: Sequence[int],
    dilations: Sequence[int],
    padding: Any,
) -> list[Axis] | None:
    """The windows of all spatial axes of channels-last images; None where they are unknown."""
    pairs = [padding] * len(strides) if isinstance(padding, str) else padding
    axes = []
    for size, taps, *steps in zip(x.shape[1:-1], kernel, strides, dilations, pairs):
        axis = None if taps is None else axis_of(size, taps, *steps)
        if axis is None:
            return None
        axes.append(axis)
    return axes


def surrounded(x: GraphTensor, axes: Sequence[Axis], value: float) -> Any:
    """Images padded by a value."""
    pairs = [(0, 0), *[axis.pair for axis in axes], (0, 0)]
    return padded(x, pairs, cast(value, x.dtype)) if any(map(any, pairs)) else x


def tap_of(x: GraphTensor, axes: Sequence[Axis], place: Sequence[int]) -> Any:
    """What all windows of padded images have at a place of theirs."""
    entries = [axis.slice(tap) for axis, tap in zip(axes, place)]
    index = (slice(None), *entries, slice(None))
    return x[index]


def taps_of(x: GraphTensor, axes: Sequence[Axis]) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Each place of a window, with what all windows have there."""
    for place in itertools.product(*[range(axis.taps) for axis in axes]):
        yield place, tap_of(x, axes, place)


def channels_last(x: GraphTensor, is_first: bool) -> Any:
    """Images with their channels behind all other axes."""
    rank = x.shape.rank
    return transpose(x, [0, *range(2, rank), 1]) if is_first else x


def arranged(y: GraphTensor, is_first: bool, wide: Any) -> Any:
    """A result in the format and dtype of the op."""
    rank = y.shape.rank
    y = transpose(y, [0, rank - 1, *range(1, rank - 1)]) if is_first else y
    return cast(y, wide) if wide in HALVES else y


# -- the rules --------------------------------------------------------------------------------


def convolution(op: Convolution, x: GraphTensor, filters: GraphTensor) -> Any:
    """A convolution as sums of products; None where what it does follows from unknown sizes."""
    strides, padding, dilations, is_first = op.window()
    dtype = x.dtype
    if not dtype.is_floating:
        return None
    x, filters = channels_last(widened(x), is_first), widened(filters)
    *kernel, depth, outputs = filters.shape
    axes = axes_of(x, kernel, strides, dilations, padding)
    channels = x.shape[-1]
    if axes is None or None in (channels, depth, outputs):
        return None
    x = surrounded(x, axes, 0)
    if op.depthwise:
        return arranged(depthwise(x, filters, axes), is_first, dtype)
    groups = channels // depth
    if groups == 1:
        return arranged(sum_of_products(x, filters, axes), is_first, dtype)
    if groups > _MOST_PARTS:
        return None
    each = outputs // groups
    parts = [
        sum_of_products(
            x[..., i * depth : (i + 1) * depth], filters[..., i * each : (i + 1) * each], axes
        )
        for i in range(groups)
    ]
    return arranged(concat(parts, -1), is_first, dtype)


def sum_of_products(x: GraphTensor, filters: GraphTensor, axes: Sequence[Axis]) -> Any:
    """The convolution of padded images with filters."""
    *_, depth, outputs = filters.shape
    *outer, last = axes
    total: Any = None
    dims: list[Any] = []
    for place in itertools.product(*[range(axis.taps) for axis in outer]):
        for first in range(0, last.taps, _MOST_PARTS):
            columns = range(first, min(first + _MOST_PARTS, last.taps))
            taps = [tap_of(x, axes, (*place, column)) for column in columns]
            row = concat(taps, -1) if len(taps) > 1 else taps[0]
            width = len(taps) * depth
            dims = dims or dims_of(row)[:-1]
            index = (*place, slice(first, first + len(taps)))
            weights = filters[index]
            matrices = reshape(row, [-1, width]), reshape(weights, [width, outputs])
            if total is None:
                total = apply(MatMul.of(False, False), *matrices)
            else:
                total = apply(MatMulAdd.of(False, False), *matrices, total)
    return reshape(total, [*dims, outputs])


def depthwise(x: GraphTensor, filters: GraphTensor, axes: Sequence[Axis]) -> Any:
    """The convolution of each channel of padded images with filters of its own."""
    *_, channels, multiplier = filters.shape
    total: Any = None
    for place, tap in taps_of(x, axes):
        weights = filters[place]
        if multiplier > 1:
            tap = tap[..., None]
        else:
            weights = reshape(weights, [channels])
        product = tap * weights
        total = product if total is None else total + product
    if multiplier == 1:
        return total
    return reshape(total, [*dims_of(total)[:-2], channels * multiplier])


def pool_axes(op: Pool, x: GraphTensor) -> list[Axis] | None:
    """The windows of pooling; None where these are unknown."""
    kernel, strides, padding = op.window()
    return axes_of(x, kernel, strides, (1,) * len(kernel), padding)


def largest(op: MaximumPool, x: GraphTensor) -> Any:
    """The largest element of each window; nan only where there is nothing else."""
    x = channels_last(x, op.is_first())
    axes = pool_axes(op, x)
    if axes is None:
        return None
    dtype = x.dtype
    lowest = -math.inf if dtype.is_floating else np.iinfo(dtype.numpy_dtype).min
    best: Any = None
    for _, tap in taps_of(surrounded(x, axes, lowest), axes):
        if best is None:
            best = tap
        elif dtype.is_floating:
            best = where(logical_or(greater(tap, best), not_equal(best, best)), tap, best)
        else:
            best = where(greater(tap, best), tap, best)
    return arranged(best, op.is_first(), None)


def mean(op: AveragePool, x: GraphTensor) -> Any:
    """The mean of each window; padding does not count."""
    dtype = x.dtype
    x = channels_last(widened(x), op.is_first())
    axes = pool_axes(op, x)
    if axes is None:
        return None
    total: Any = None
    for _, tap in taps_of(surrounded(x, axes, 0), axes):
        total = tap if total is None else total + tap
    counts: Any = np.ones((), np.int64)
    for axis in axes:
        if any(axis.pair):
            if axis.size is None:
                return None
            ones = np.pad(np.ones(axis.size, np.int64), axis.pair)
            here = np.sum([ones[axis.slice(tap)] for tap in range(axis.taps)], axis=0)
        else:
            here = np.full(1, axis.taps)
        counts = np.multiply.outer(counts, here)
    return arranged(total / counts[..., None].astype(x.dtype.numpy_dtype), op.is_first(), dtype)


def transposed(op: InputGradient, sizes: GraphTensor, filters: GraphTensor, g: GraphTensor) -> Any:
    """A transposed convolution: that of spread elements with mirrored filters, in steps of one."""
    strides, padding, dilations, is_first = op.window()
    dtype, dims = g.dtype, sizes.known
    if op.depthwise or not dtype.is_floating or not isinstance(dims, (list, tuple)):
        return None
    g, filters = channels_last(widened(g), is_first), widened(filters)
    *kernel, depth, outputs = filters.shape
    rank = g.shape.rank
    images = [dims[i] for i in (range(2, rank) if is_first else range(1, rank - 1))]
    channels = dims[1] if is_first else dims[-1]
    counts = g.shape[1:-1]
    if None in (*images, *counts, depth, outputs) or channels != depth:
        return None
    pairs = [padding] * len(images) if isinstance(padding, str) else padding
    whole, begins = [], []
    for i, (size, taps, *steps) in enumerate(zip(images, kernel, strides, dilations, pairs)):
        axis = None if taps is None else axis_of(size, taps, *steps)
        if axis is None:
            return None
        g = spread(g, i + 1, axis.stride)
        length = size + sum(axis.pair)
        rest = length - axis.extent - (counts[i] - 1) * axis.stride
        pair = axis.extent - 1, axis.extent - 1 + rest
        begins.append(axis.pair[0])
        whole.append(Axis(length - rest - axis.extent + 1, taps, 1, axis.dilation, pair))
    mirrored = filters[tuple([slice(None, None, -1)] * len(images))]
    order = [*range(len(images)), len(images) + 1, len(images)]
    result = sum_of_products(surrounded(g, whole, 0), transpose(mirrored, order), whole)
    inner = [slice(first, first + size) for first, size in zip(begins, images)]
    index = (slice(None), *inner, slice(None))
    return arranged(result[index], is_first, dtype)


def spread(x: GraphTensor, axis: int, stride: int) -> Any:
    """A tensor with zeros between the elements along an axis of known size."""
    if stride == 1:
        return x
    dims = dims_of(x)
    apart = reshape(x, [*dims[: axis + 1], 1, *dims[axis + 1 :]])
    pairs = [(0, 0)] * (axis + 1) + [(0, stride - 1)] + [(0, 0)] * (len(dims) - axis - 1)
    filled = padded(apart, pairs, cast(0, x.dtype))
    size = dims[axis] * stride
    joined = reshape(filled, [*dims[:axis], size, *dims[axis + 1 :]])
    index = (*[slice(None)] * axis, slice(0, size - stride + 1))
    return joined[index]


RULES: dict[type[Op], Callable[..., Any]] = {
    Convolution: convolution,
    MaximumPool: largest,
    AveragePool: mean,
    InputGradient: transposed,
}
