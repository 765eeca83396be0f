"""Random numbers of many elements at once: each element has those that it would draw alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from graphwright.control.vectorize import Lane, as_tuple, operand
from graphwright.data.columns.row_rewrite import RowRewrite
from graphwright.ir.draws import StreamPosition
from graphwright.ir.execution import has_stream
from graphwright.ir.graph import Graph, Node
from graphwright.ir.known import known
from graphwright.op.batching import NotVectorized
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Effect, Op, Shapes
from graphwright.ops.core.casting import cast
from graphwright.ops.random import philox, philox_draws
from graphwright.ops.random import stateful_random as stateful
from graphwright.ops.random import stateless_random as stateless
from graphwright.ops.random.row_draws import RowDraws, RowIntegers, RowKeys
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType

#: The lanes of an op's results for those of its operands; None where it has no such rule for them.
Rule: TypeAlias = Callable[[RowRewrite, Node, Sequence[Lane]], list[Lane] | None]

#: The ops with streams of which each element takes as many numbers, and their samplers.
_SAMPLERS: dict[type[Op], str] = {
    stateful.RandomUniform: "uniform",
    stateful.RandomStandardNormal: "normal",
    stateful.TruncatedNormal: "truncated_normal",
    stateful.RandomUniformInt: "integers",
}


class RowPositions(StreamPosition):
    """For each row the key and the counter of its numbers, which follow those of the row before."""

    type_name = "_RowPositions"
    inputs = ("rows: int32",)

    def shapes(self, rows: TensorType) -> Shapes:
        return ((None, 1), (None, 2))

    def beside(self, kernel: Callable[..., Any]) -> Callable[..., tuple[Array, Array]]:
        counters = self.counters

        def take(rows: Array) -> tuple[Array, Array]:
            count, stream = int(rows), kernel.stream  # type: ignore[attr-defined]  # as its base
            key, start = stream.take(counters * count)
            offsets = np.arange(count, dtype=np.uint64) * np.uint64(counters)
            halves = philox.counters(start, offsets)
            return np.full((count, 1), key, np.uint64), np.stack(halves, axis=1)

        return take


def can_draw(graph: Graph) -> bool:
    """Whether the streams of a function can be drawn from for many elements at once.

    Branches and loops draw for some elements only.
    """
    drawing = [node for node in graph.nodes if node.op.effect is not Effect.NONE]
    is_plain = all(type(node.op) in _SAMPLERS and numbers_of(node) is not None for node in drawing)
    return is_plain and not any(map(has_stream, graph.subgraphs()))


def numbers_of(node: Node) -> tuple[int, ...] | None:
    """The shape of what a node draws, where it is known."""
    dims = known(node.inputs[0])
    return dims if isinstance(dims, tuple) and None not in dims else None


def draw_rows(rewrite: RowRewrite, node: Node, lanes: Sequence[Lane]) -> list[Lane] | None:
    """The lanes of an op that draws; None where the same rule as for other ops holds.

    Raises:
        NotVectorized: It draws from a stream, and would draw other numbers.
    """
    if node.op.has_stream:
        return of_stream(rewrite, node, lanes)
    rule = _RULES.get(type(node.op))
    if rule is None or not any(lane.stacked for lane in lanes):
        return None
    return rule(rewrite, node, lanes)


def of_stream(rewrite: RowRewrite, node: Node, lanes: Sequence[Lane]) -> list[Lane]:
    """The next numbers of a stream for all rows, one row after the other."""
    op, dims = node.op, numbers_of(node)
    if type(op) not in _SAMPLERS or dims is None or any(lane.stacked for lane in lanes):
        raise NotVectorized("it draws numbers of another shape for each element", op.type_name)
    limits = [convert(lane.tensor) for lane in lanes[1:]]
    position = RowPositions(
        op, node.name, math.prod(dims) * philox_draws.RESERVED, tuple([x.dtype for x in limits])
    )
    key, counter = apply(position, cast(convert(rewrite.count), dt.int32))
    kind = RowIntegers if limits else RowDraws
    drawing = kind.of(node.outputs[0].type.dtype, _SAMPLERS[type(op)])
    algorithm = stateless.Algorithm.PHILOX.value
    return [Lane(apply(drawing, dims, key, counter, algorithm, *limits), True)]


def of_seeds(rewrite: RowRewrite, node: Node, lanes: Sequence[Lane]) -> list[Lane]:
    """Keys and counters of the seeds of rows."""
    made = RowKeys.of()
    return [Lane(tensor, True) for tensor in as_tuple(apply(made, lanes[0].tensor))]


def of_positions(rewrite: RowRewrite, node: Node, lanes: Sequence[Lane]) -> list[Lane] | None:
    """Numbers from the keys and counters of rows on, of one shape and within the same limits."""
    shape, key, counter, algorithm, *limits = lanes
    if any(lane.stacked for lane in (shape, algorithm, *limits)):
        return None
    op: Any = node.op
    kind = RowIntegers if limits else RowDraws
    name = "integers" if limits else op.sampler
    drawing = kind.of(node.outputs[0].type.dtype, name)
    hosts = [operand(node.inputs[i], lanes[i], True) for i in (0, 3)]
    rows = [rewrite.spread(lane) for lane in (key, counter)]
    others = [lane.tensor for lane in limits]
    return [Lane(apply(drawing, hosts[0], *rows, hosts[1], *others), True)]


_RULES: dict[type[Op], Rule] = {
    stateless.StatelessRandomGetKeyCounter: of_seeds,
    stateless.StatelessRandomUniformV2: of_positions,
    stateless.StatelessRandomNormalV2: of_positions,
    stateless.StatelessTruncatedNormalV2: of_positions,
    stateless.StatelessRandomUniformFullIntV2: of_positions,
    stateless.StatelessRandomUniformIntV2: of_positions,
}
