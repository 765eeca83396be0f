"""Host operands as machine code knows them: integers, and symbolic sizes.

Shapes, constants and single integers that arrive with the call determine them; `host_of` goes back
to these.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, Union

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
from graphwright.types.arguments import HostValue

DimsOf: TypeAlias = Callable[[Value], Shape]

#: The most factors of a computed size: each square has twice as many.
_MOST_FACTORS = 64


class Computed:
    """An entry of a host operand that a program computes: a single integer."""

    def __init__(self, value: Value) -> None:
        self.value = value


# `Union`, since Python 3.10 has no `|` for names that are not defined yet.

#: A host operand as a lowering knows it: integers and sizes, in tuples where it is a vector.
HostOperand: TypeAlias = Union[HostValue, Size, Computed, tuple["HostOperand", ...]]  # noqa: UP007


def host_of(sizes: Sizes, value: Value, dims_of: DimsOf) -> Any:
    """A host operand: ints and sizes, in tuples where it is a vector. `NotNative` if unknown.

    A stack and a table take the place of recursion: a chain of sums may be long, and use an earlier
    value twice.
    """
    known: dict[Value, Any] = {}
    stack, waiting = [value], set[Value]()
    while stack:
        last = stack.pop()
        if last in known:
            continue
        operands = origins(sizes, last)
        unknown = [v for v in operands if v not in known]
        if unknown:
            stack += [last, *reversed(unknown)]
            waiting.add(last)
            continue
        try:
            known[last] = made_of(sizes, last, [known[v] for v in operands], dims_of)
        except NotNative as reason:
            # An element of what is no host operand is a number like any other.
            entry = next((v for v in reversed(stack) if v in waiting and is_entry(v)), None)
            if entry is None or isinstance(reason, Late):
                raise
            raise Late(str(reason), [entry.node]) from None
    return known[value]


def is_number(value: Value) -> bool:
    """Whether a value is a single integer."""
    return value.type.dims == () and value.type.dtype in INDEX


def is_entry(value: Value) -> bool:
    """Whether a value is an integer out of a vector that is no shape."""
    return isinstance(value.node.op, StridedSlice) and is_number(value) and not is_size(value)


def origins(sizes: Sizes, value: Value) -> tuple[Value, ...]:
    """The host operands that determine one."""
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
    """A host operand, computed from those of its origins."""
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
        sliced = part_of(op, *operands)
        if sliced is not None:
            return sliced
    words = f"{op.type_name} computes a shape"
    if is_number(value) and not isinstance(op, Placeholder):
        raise Late(words, [value.node])  # a segment after it can be given the number
    raise NotNative(words)


def part_of(op: StridedSlice, x: Any, *bounds: HostOperand) -> Any:
    """The slice of a host operand; None for a result that is neither an entry nor a vector."""
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
    """A host operand whose integers are constants: axes, a permutation. Else `NotNative`."""
    literal = host_of(sizes, value, no_dims)
    if not all(isinstance(v, int) for v in (literal if isinstance(literal, tuple) else (literal,))):
        raise NotNative("an axis is computed")
    return literal


def no_dims(value: Value) -> Shape:
    """No shape: refuses, for host operands that must not depend on shapes."""
    raise NotNative("an index map depends on a shape")


#: Ops on sizes, as functions of known integers.
ARITHMETIC: dict[type[Op], Callable[[int, int], int]] = {
    AddV2: operator.add,
    Sub: operator.sub,
    Mul: operator.mul,
    Minimum: min,
    Maximum: max,
}


def arithmetic(sizes: Sizes, op: type[Op], x: HostOperand, y: HostOperand) -> Any:
    """The result of an op on two sizes, guarded not to be negative. Else `NotNative`."""
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


#: The ops that may give sizes.
_GIVING_SIZES: frozenset[type[Op]] = frozenset({StridedSlice, Pack, ShapeOp, SizeOp})


def is_size(value: Value) -> bool:
    """Whether a value consists of sizes: a shape, its parts, or a vector packed of scalars."""
    if type(value.node.op) not in _GIVING_SIZES:
        return False
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


def as_size(sizes: Sizes, value: HostOperand) -> Size:
    """An entry of a shape as a size. Else `NotNative`."""
    if isinstance(value, Size):
        return value
    if not isinstance(value, int) or value < 0:
        raise NotNative("an entry of a shape is no size")
    return sizes.of_static(value)
