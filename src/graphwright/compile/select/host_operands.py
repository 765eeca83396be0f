"""Host operands as machine code knows them: integers, and symbolic sizes.

What shapes are computed with follows from shapes, from constants and from single integers that
arrive with the call; `host_of` goes back to these.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from graphwright.compile.nests.sizes import Late, NotNative, Shape, Size, Sizes, product
from graphwright.ir.graph import Value
from graphwright.op.op import Op, host_value
from graphwright.ops.core.casting import Cast
from graphwright.ops.core.creation import Const, Placeholder
from graphwright.ops.core.identity import Identity, StopGradient
from graphwright.ops.core.joining import ConcatV2, Pack
from graphwright.ops.core.own_ops import PickIndex
from graphwright.ops.core.shapes import Shape as ShapeOp
from graphwright.ops.core.shapes import Size as SizeOp
from graphwright.ops.core.slicing import INDEX, NewAxis, Pick, StridedSlice, spread
from graphwright.ops.math.arithmetic import AddV2, Maximum, Minimum, Mul, Sub

DimsOf = Callable[[Value], Shape]

#: A size that is computed has no more factors than this: each square has twice as many.
_MOST_FACTORS = 64


class Computed:
    """An entry of a host operand that is computed: a single integer."""

    def __init__(self, value: Value) -> None:
        self.value = value


def host_of(sizes: Sizes, value: Value, dims_of: DimsOf) -> Any:
    """A host operand: ints and sizes, in tuples where it is a vector. `NotNative` if unknown.

    What it is computed from comes first, each value once: a chain of sums may be long, and use what
    is before it twice.
    """
    found: dict[Value, Any] = {}
    left = [value]
    while left:
        last = left.pop()
        if last in found:
            continue
        operands = origins(sizes, last)
        unknown = [v for v in operands if v not in found]
        if unknown:
            left += [last, *reversed(unknown)]
        else:
            found[last] = made_of(sizes, last, [found[v] for v in operands], dims_of)
    return found[value]


def origins(sizes: Sizes, value: Value) -> tuple[Value, ...]:
    """The host operands that one is computed from."""
    op, inputs = value.node.op, value.node.inputs
    if value in sizes.known or value in sizes.integers:
        return ()
    if isinstance(op, (Identity, Cast, StopGradient)):
        return inputs if inputs[0].type.dtype in INDEX else ()
    if isinstance(op, ConcatV2):
        return inputs[:-1]
    is_vector = isinstance(op, Pack) and op.axis == 0
    return inputs if type(op) in ARITHMETIC or is_vector or isinstance(op, StridedSlice) else ()


def made_of(sizes: Sizes, value: Value, operands: Sequence[Any], dims_of: DimsOf) -> Any:
    """A host operand, given those of its origins."""
    if value in sizes.known:
        return sizes.known[value]
    op = value.node.op
    if isinstance(op, Const):
        return host_value(op.value.array)
    if isinstance(op, ShapeOp):
        return dims_of(value.node.inputs[0])
    if isinstance(op, SizeOp):
        return product(dims_of(value.node.inputs[0]))
    if value in sizes.integers:
        return sizes.number(value)
    if isinstance(op, (Identity, Cast, StopGradient)) and operands:
        return operands[0]
    if type(op) in ARITHMETIC:
        return arithmetic(sizes, type(op), *operands)
    if isinstance(op, Pack) and op.axis == 0:
        return tuple(operands)
    if isinstance(op, ConcatV2):
        return tuple([entry for part in operands for entry in part])
    if isinstance(op, PickIndex):
        return Computed(value)
    if isinstance(op, StridedSlice):
        found = part_of(op, *operands)
        if found is not None:
            return found
    words = f"{op.type_name} computes a shape"
    if value.type.dims == () and value.type.dtype in INDEX and not isinstance(op, Placeholder):
        raise Late(words, [value.node])  # a segment after it can be given the number
    raise NotNative(words)


def part_of(op: StridedSlice, x: Any, *bounds: Any) -> Any:
    """What a slice takes of a host operand; None for what is neither an entry nor a vector."""
    is_vector = isinstance(x, tuple) and not isinstance(x, Size)
    entry, *others = spread(list(op.entries(*bounds)), int(is_vector))
    if others:
        return None
    if isinstance(entry, NewAxis):
        return (x,)
    places = [entry.index] if isinstance(entry, Pick) else entry.unmasked
    if not all(place is None or isinstance(place, int) for place in places):
        return None
    return x[places[0]] if isinstance(entry, Pick) else x[slice(*places)]


def literal_of(sizes: Sizes, value: Value) -> Any:
    """A host operand whose integers the program says: axes, a permutation. `NotNative` if not."""
    found = host_of(sizes, value, no_dims)
    if not all(isinstance(v, int) for v in (found if isinstance(found, tuple) else (found,))):
        raise NotNative("an axis is computed")
    return found


def no_dims(value: Value) -> Shape:
    """For host operands that must not depend on shapes."""
    raise NotNative("an index map depends on a shape")


#: Arithmetic on sizes, of integers that are known.
ARITHMETIC: dict[type[Op], Callable[[int, int], int]] = {
    AddV2: operator.add,
    Sub: operator.sub,
    Mul: operator.mul,
    Minimum: min,
    Maximum: max,
}


def arithmetic(sizes: Sizes, op: type[Op], x: Any, y: Any) -> Any:
    """What an op makes of two sizes; that none is negative is guarded. `NotNative` otherwise."""
    if isinstance(x, int) and isinstance(y, int):
        return ARITHMETIC[op](x, y)
    if isinstance(x, int) and x < 0 and op in (AddV2, Maximum):
        x, y = y, x
    if isinstance(y, int) and y < 0 and op in (AddV2, Sub, Maximum):
        return x if op is Maximum else arithmetic(sizes, Sub if op is AddV2 else AddV2, x, -y)
    a, b = [Size(v) if isinstance(v, int) and v >= 0 else v for v in (x, y)]
    if not isinstance(a, Size) or not isinstance(b, Size):
        raise NotNative("the arithmetic of a shape has no native form")
    if op is Mul:
        if len(a.symbols) + len(b.symbols) > _MOST_FACTORS:
            raise NotNative("a size is the product of too many others")
        return a * b
    if op is AddV2:
        return sizes.derive("add", a, b)
    if op is Maximum:
        return sizes.derive("add", b, sizes.derive("sub", a, b))
    if op is Sub:
        return sizes.difference(a, b)
    return sizes.least(a, b)


def is_size(value: Value) -> bool:
    """Whether a value is made of shapes, constants and single integers, for a host operand."""
    while isinstance(value.node.op, StridedSlice) and all(
        isinstance(v.node.op, Const) for v in value.node.inputs[1:]
    ):
        value = value.node.inputs[0]
    op = value.node.op
    if isinstance(op, Pack):
        return value.type.dtype in INDEX and all(v.type.dims == () for v in value.node.inputs)
    return isinstance(op, (ShapeOp, SizeOp))


def is_single_size(value: Value) -> bool:
    """Whether a value is one size, which machine code knows as a number."""
    return value.type.dims == () and is_size(value)


def as_size(sizes: Sizes, value: Any) -> Size:
    """An entry of a shape as a size; `NotNative` for what is none."""
    if isinstance(value, Size):
        return value
    if not isinstance(value, int) or value < 0:
        raise NotNative("an entry of a shape is no size")
    return sizes.of_static(value)
