"""Strided slices that take a known number of elements from a computed index on."""

from __future__ import annotations

from collections import Counter

from graphwright.ir.graph import Graph, Node, Value
from graphwright.ir.known import known
from graphwright.op.interpreter import apply
from graphwright.ops.core.creation import Const
from graphwright.ops.core.identity import Identity
from graphwright.ops.core.joining import Pack
from graphwright.ops.core.rule_words import windowed
from graphwright.ops.core.slicing import StridedSlice
from graphwright.ops.math.arithmetic import AddV2, Mul, Neg, Sub
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.types import dtypes as dt

#: A bound that is the sum of more terms is not looked into.
_MOST_TERMS = 32


def with_windows(node: Node, inputs: tuple[Value, ...], into: Graph) -> Node | None:
    """x[i : i + 3] as a window, of which a strided slice takes the rest; None if there is none.

    Loops and branches need it: elsewhere a number of elements is computed before it is needed. An
    index that counts from the end, or a window that ends outside, is left to the kernels.
    """
    op, (x, begin, end, strides) = node.op, inputs
    assert isinstance(op, StridedSlice)
    dims, starts, ends, steps = x.type.dims, parts_of(begin), parts_of(end), known(strides)
    if not into.is_body or op.ellipsis_mask or dims is None or not isinstance(steps, tuple):
        return None
    windows: dict[int, tuple[SymbolicTensor, int]] = {}
    masks, axis = 0, 0
    for i, (first, last, step) in enumerate(zip(starts, ends, steps)):
        bit = 1 << i
        masked = (op.begin_mask | op.end_mask | op.shrink_axis_mask | op.new_axis_mask) & bit
        if not masked and step == 1 and not isinstance(first.node.op, Const):
            count = distance(first, last)
            if count is not None and 0 < count <= (dims[axis] or count):
                windows[axis] = SymbolicTensor(first, into), count
                masks |= bit
        axis += not op.new_axis_mask & bit
    if not windows:
        return None
    rest = op.of(op.begin_mask | masks, op.end_mask | masks, *op.masks[2:])
    bounds = [SymbolicTensor(v, into) for v in inputs[1:]]
    return apply(rest, windowed(SymbolicTensor(x, into), windows), *bounds)._value.node


def parts_of(vector: Value) -> tuple[Value, ...]:
    """The int32 or int64 scalars that a vector was packed of; none if it was made otherwise."""
    op = vector.node.op
    return vector.node.inputs if isinstance(op, Pack) and vector.type.dtype is not dt.int16 else ()


def distance(begin: Value, end: Value) -> int | None:
    """How far an end is behind a begin, where they are sums of the same numbers and constants."""
    terms: Counter[Value] = Counter()
    constant = 0
    rest = [(end, 1), (begin, -1)]
    for _ in range(_MOST_TERMS):
        if not rest:
            break
        value, factor = rest.pop()
        op, inputs = value.node.op, value.node.inputs
        if isinstance(op, Const):
            constant += factor * int(op.value.array)
        elif isinstance(op, (Identity, Neg)):
            rest.append((inputs[0], -factor if isinstance(op, Neg) else factor))
        elif isinstance(op, (AddV2, Sub)):
            rest += [(inputs[0], factor), (inputs[1], -factor if isinstance(op, Sub) else factor)]
        elif isinstance(op, Mul) and isinstance(inputs[1].node.op, Const):
            rest.append((inputs[0], factor * int(inputs[1].node.op.value.array)))
        elif isinstance(op, Mul) and isinstance(inputs[0].node.op, Const):
            rest.append((inputs[1], factor * int(inputs[0].node.op.value.array)))
        else:
            terms[value] += factor
    for value, factor in rest:
        terms[value] += factor
    return None if any(terms.values()) else constant
