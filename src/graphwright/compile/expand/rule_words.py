"""What the rules of composite ops share: what is known of operands, and shorter words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphwright.compile.expand.own_ops import Average, Confined, Gathered, PickIndex
from graphwright.ir.known import is_whole, known
from graphwright.op.interpreter import apply
from graphwright.op.op import Op
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import fill
from graphwright.ops.core.identity import identity
from graphwright.ops.core.joining import concat
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ops.math.reduction import Sum
from graphwright.types import dtypes as dt

Rule = Callable[..., Any]

HALVES = (dt.float16, dt.bfloat16)


def host(x: Any) -> Any:
    """What an operand on the host holds; None if not all of it is known."""
    found = known(x._value)
    return found if is_whole(found) else None


def extent(x: Any, axis: int) -> Any:
    """The size of a dimension: a number, or a value."""
    size = x.shape[axis]
    return shape_of(x)[axis] if size is None else size


def dims_of(x: Any) -> list[Any]:
    """The sizes of all dimensions."""
    return [extent(x, i) for i in range(x.shape.rank)]


def along(rank: int, axis: int, entry: Any) -> Any:
    """An index that takes all of every axis but one."""
    return (*[slice(None)] * axis, entry, *[slice(None)] * (rank - axis - 1))


def widened(x: Any) -> Any:
    """Halves as float32."""
    return cast(x, dt.float32) if x.dtype in HALVES else x


def padded(x: Any, pairs: Any, value: Any) -> Any:
    """A tensor in blocks of a value, so many (before, after) along each axis."""
    for axis, pair in enumerate(pairs):
        dims = dims_of(x)
        blocks = [fill([*dims[:axis], n, *dims[axis + 1 :]], value) if n else None for n in pair]
        parts = [part for part in (blocks[0], x, blocks[1]) if part is not None]
        x = concat(parts, axis) if len(parts) > 1 else x
    return identity(x)


def pieces(value: Any, axis: int, sizes: list[int]) -> Any:
    """Slices one after the other."""
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    rank = value.shape.rank
    return tuple([value[along(rank, axis, slice(e - n, e))] for e, n in zip(ends, sizes)])


def gathered(x: Any, axis: int, indices: list[Any], batch: int = 0) -> Any:
    """The elements at indices from data along axes from `axis` on, for each of `batch` batches."""
    places = [apply(PickIndex.of(axis + i, False), v, x) for i, v in enumerate(indices)]
    return apply(Gathered.of(axis, batch), x, *places)


def moved(x: Any, axis: int, places: list[Any], batch: int = 0) -> Any:
    """The same of places that a rule works out, which need no check."""
    places = [apply(Confined.of(axis + i), cast(v, dt.int64), x) for i, v in enumerate(places)]
    return apply(Gathered.of(axis, batch), x, *places)


def average(x: Any, axes: Any, keepdims: bool = False) -> Any:
    """The sum over the number of elements."""
    return apply(Average.of(), apply(Sum.of(keepdims), x, axes), x)


def rounded_once(rule: Rule) -> Rule:
    """The rule, of halves in float32"""

    def wide(op: Op, *operands: Any) -> Any:
        dtype = next((x.dtype for x in operands if x.dtype in HALVES), None)
        if dtype is None:
            return rule(op, *operands)
        results = rule(op, *[widened(x) for x in operands])
        return (
            tuple([cast(y, dtype) for y in results])
            if isinstance(results, tuple)
            else (results if results is None else cast(results, dtype))
        )

    return wide
