"""Random numbers as machine code: a stream says where a draw begins, and pure ops draw there.

Each node with a stream of its own becomes two. The first takes a key and a counter of the stream of
that place's kernel, so tiers go on with the same numbers. The second is the stateless op, whose
expansion is integer arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.ir.draws import Kernel
from graphwright.ir.graph import Graph, Node, Value
from graphwright.ir.known import known
from graphwright.op.op import Effect, Op, Shapes
from graphwright.ops.core.creation import Const, Literal
from graphwright.ops.random import philox_draws
from graphwright.ops.random.stateful_random import Floats, RandomStandardNormal, RandomUniform
from graphwright.ops.random.stateless_random import (
    Algorithm,
    Positioned,
    StatelessRandomNormalV2,
    StatelessRandomUniformV2,
)
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType


class DrawPosition(Op):
    """The key and the counter of the next `counters` numbers of an op's stream."""

    type_name = "_DrawPosition"
    inputs = ()
    outputs = ("key: uint64", "counter: uint64")
    effect = Effect.WRITE
    has_stream = True
    differs = True

    op: Floats
    #: The name of the op's node.
    node: str
    counters: int

    @property
    def stated_as(self) -> Op:
        return self.op

    def shapes(self) -> Shapes:
        return ((1,), (2,))

    def bind(self, types: Sequence[DType]) -> Kernel:
        return self.beside(self.op.bind(types))

    def beside(self, kernel: Any) -> Callable[[], tuple[Array, Array]]:
        """The kernel that takes of the stream of the op's own kernel."""
        counters = self.counters

        def take() -> tuple[Array, Array]:
            key, counter = kernel.stream.take(counters)
            words = np.array([counter & _MASK, counter >> 64 & _MASK], np.uint64)
            return np.array([key], np.uint64), words

        return take


_MASK = (1 << 64) - 1

#: The stateless ops that draw the same numbers, and the dtypes for which machine code does exactly.
_STATELESS: dict[type[Op], tuple[type[Positioned], frozenset[DType]]] = {
    RandomUniform: (StatelessRandomUniformV2, frozenset({dt.float32, dt.float64})),
    RandomStandardNormal: (StatelessRandomNormalV2, frozenset({dt.float32})),
}


def positioned(node: Node, inputs: tuple[Value, ...], into: Graph) -> tuple[Value, ...] | None:
    """draw(shape) -> draw_at(shape, the position of the stream), where the shape is known"""
    op = node.op
    assert isinstance(op, Floats)
    stateless, dtypes = _STATELESS[type(op)]
    dims = known(inputs[0])
    if op.dtype not in dtypes or not isinstance(dims, tuple) or None in dims:
        return None
    word = TensorType(dt.uint64, (1,)), TensorType(dt.uint64, (2,))
    position = DrawPosition(op, node.name, math.prod(dims) * philox_draws.RESERVED)
    start = into.add(position, (), word, None, node.location).outputs
    number = TensorType(dt.int32, ())
    philox = Const(Literal(np.array(Algorithm.PHILOX.value, np.int32), number))
    algorithm = into.add(philox, (), (number,)).outputs
    types = (node.outputs[0].type,)
    operands = (inputs[0], *start, *algorithm)
    return into.add(stateless.of(op.dtype), operands, types, node.name, node.location).outputs


#: The rule of each op that becomes two.
RULES: dict[type[Op], Any] = dict.fromkeys(_STATELESS, positioned)
