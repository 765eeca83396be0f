"""Random numbers as machine code: a stream says where a draw begins, and pure ops draw there.

Each node with a stream of its own becomes two. The first takes a key and a counter of the stream of
that place's kernel, so tiers go on with the same numbers. The second is the stateless op, whose
expansion is integer arithmetic.
"""

from __future__ import annotations

import math

import numpy as np

from graphwright.ir.draws import DrawPosition
from graphwright.ir.graph import Graph, Node, Value
from graphwright.ir.known import known
from graphwright.op.op import Op
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
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType

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
