"""A graph as plain data, which is equal for equal graphs in any process.

Names and places in the program are left out, so it is for those who look at neither.
"""

from __future__ import annotations

import marshal
from _blake2 import blake2b
from enum import Enum
from typing import Any

import numpy as np

from graphwright.ir.graph import Graph, Node, Value
from graphwright.op.op import Op
from graphwright.ops.core.creation import Literal
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType

#: What `marshal` keeps apart: 1, 1.0 and True, 0.0 and -0.0.
_PLAIN = (type(None), bool, int, float, str, bytes)
#: The package, whose source files a digest can cover; an op of a user's has none.
_PACKAGE = __name__.partition(".")[0] + "."
#: Version 2 of `marshal` is the last that does not write how often an object is used.
_VERSION = 2


class Indescribable(Exception):
    """Raised for a graph that plain data cannot stand for."""


def graph_digest(graph: Graph, *circumstances: object) -> bytes | None:
    """A digest of a graph and of some plain values; None where it has parts that are no data."""
    parts: Any
    try:
        parts = described(graph), described_value(circumstances)
    except Indescribable:
        return None
    return blake2b(marshal.dumps(parts, _VERSION), digest_size=32).digest()


def described(graph: Graph) -> tuple[object, ...]:
    """The nodes, arguments and results of a graph."""
    numbers: dict[Value, int] = {}
    nodes = []
    for node in graph.nodes:
        nodes.append(described_node(node, numbers))
        for value in node.outputs:
            numbers[value] = len(numbers)
    try:
        ends = [tuple([numbers[v] for v in values]) for values in (graph.arguments, graph.results)]
    except KeyError:
        raise Indescribable from None
    return tuple(nodes), *ends


def described_node(node: Node, numbers: dict[Value, int]) -> tuple[object, ...]:
    """A node: its op, the numbers of its operands, the types of its results."""
    try:
        inputs = tuple([numbers[v] for v in node.inputs])
    except KeyError:  # a value of a graph around
        raise Indescribable from None
    types = tuple([(value.type.dtype.name, value.type.dims) for value in node.outputs])
    return described_op(node.op), inputs, types


def described_op(op: Op) -> tuple[object, ...]:
    """An op: its class and its attributes."""
    kind = type(op)
    if not kind.__module__.startswith(_PACKAGE) or op.has_stream:
        raise Indescribable
    name = f"{kind.__module__}.{kind.__qualname__}"
    return name, tuple([described_value(value) for value in op.values()])


def described_value(value: object) -> object:
    """An attribute of an op."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if isinstance(value, (tuple, list)) and kind in (tuple, list):
        return "several", tuple([described_value(part) for part in value])
    if isinstance(value, DType):
        return "dtype", value.name
    if isinstance(value, TensorType):
        return "type", value.dtype.name, value.dims
    if isinstance(value, Graph):
        return "graph", described(value)
    if isinstance(value, Literal):
        return "constant", described_value(value.type), described_value(value.array)
    if isinstance(value, np.ndarray) and value.dtype != object:
        return "array", value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, Enum):
        return "member", kind.__qualname__, value.name
    raise Indescribable
