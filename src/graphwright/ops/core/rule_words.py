"""What expansions share: what is known of operands, shorter words, and what machine code alone has.

Modules of low layers use them too, so ops of higher ones are looked up by their names here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeAlias

from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply
from graphwright.op.op import REGISTRY, Op, is_whole
from graphwright.ops.core.casting import cast
from graphwright.ops.core.identity import identity
from graphwright.ops.core.own_ops import (
    Confined,
    Gathered,
    Inhabited,
    PickIndex,
    Reinterpreted,
    Required,
    Routine,
    Scattered,
    Windowed,
)
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType

Rule: TypeAlias = Callable[..., Any]

HALVES = (dt.float16, dt.bfloat16)

# -- known values ---------------------------------------------------------------------------------


def host(x: GraphTensor) -> Any:
    """What an operand on the host holds; None if not all of it is known."""
    value = x.known
    return value if is_whole(value) else None


def extent(x: GraphTensor, axis: int) -> Any:
    """The size of a dimension: a number, or a value."""
    size = x.shape[axis]
    return shape_of(x)[axis] if size is None else size


def dims_of(x: GraphTensor) -> list[Any]:
    """The sizes of all dimensions."""
    return [extent(x, i) for i in range(x.shape.rank)]


# -- halves -----------------------------------------------------------------------------------


def widened(x: GraphTensor) -> Any:
    """Halves as float32."""
    return cast(x, dt.float32) if x.dtype in HALVES else x


def rounded_once(rule: Rule) -> Rule:
    """The rule, of halves in float32"""

    @wraps(rule)
    def wide(op: Op, *operands: GraphTensor) -> Any:
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


def in_float32(op: Op, x: GraphTensor, *operands: GraphTensor) -> Any:
    """The op itself of halves in float32; it is simple for other dtypes."""
    if x.dtype not in HALVES:
        return None
    return cast(apply(op, widened(x), *[widened(y) for y in operands]), x.dtype)


# -- parts ------------------------------------------------------------------------------------


def along(rank: int, axis: int, entry: object) -> Any:
    """An index that takes all of every axis but one."""
    return (*[slice(None)] * axis, entry, *[slice(None)] * (rank - axis - 1))


def pieces(value: GraphTensor, axis: int, sizes: Sequence[int]) -> Any:
    """Slices one after the other."""
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    rank = value.shape.rank
    return tuple([value[along(rank, axis, slice(e - n, e))] for e, n in zip(ends, sizes)])


def blocks_of(dims: Sequence[Any], value: GraphTensor) -> Any:
    """One value in each place of a shape."""
    return apply(REGISTRY["Fill"].of(), dims, value)


def padded(x: Any, pairs: Sequence[Sequence[int]], value: GraphTensor) -> Any:
    """A tensor in blocks of a value, so many (before, after) along each axis."""
    for axis, pair in enumerate(pairs):
        dims = dims_of(x)
        blocks = [
            blocks_of([*dims[:axis], n, *dims[axis + 1 :]], value) if n else None for n in pair
        ]
        parts = [part for part in (blocks[0], x, blocks[1]) if part is not None]
        x = apply(REGISTRY["ConcatV2"].of(), *parts, axis) if len(parts) > 1 else x
    return identity(x)


def reinterpreted(x: GraphTensor, dtype: DType) -> Any:
    """The bits of elements as those of another dtype of the same size."""
    return apply(Reinterpreted.of(dtype), x)


# -- places -----------------------------------------------------------------------------------


def picked(index: GraphTensor, axis: int, x: GraphTensor) -> Any:
    """An index from data as a place along an axis, checked; none counts from the end."""
    return apply(PickIndex.of(axis, False), index, x)


def places_of(columns: Sequence[GraphTensor], x: GraphTensor) -> list[Any]:
    """Indices from data as places along the first axes, one column for each."""
    return [picked(ids, i, x) for i, ids in enumerate(columns)]


def gathered(x: GraphTensor, axis: int, indices: Sequence[GraphTensor], batch: int = 0) -> Any:
    """The elements at indices from data along axes from `axis` on, for each of `batch` batches."""
    places = [picked(v, axis + i, x) for i, v in enumerate(indices)]
    return apply(Gathered.of(axis, batch), x, *places)


def moved(x: GraphTensor, axis: int, places: Sequence[GraphTensor], batch: int = 0) -> Any:
    """The same of places that a rule works out, which need no check."""
    inside = [apply(Confined.of(axis + i), cast(v, dt.int64), x) for i, v in enumerate(places)]
    return apply(Gathered.of(axis, batch), x, *inside)


def windowed(x: GraphTensor, windows: Mapping[int, tuple[GraphTensor, int]]) -> Any:
    """The elements from an index from data on, so many, along each axis that windows name."""
    rank, places = x.shape.rank, []
    for axis, (begin, count) in windows.items():
        fitting = x[along(rank, axis, slice(None, 1 - count))] if count > 1 else x
        places.append(picked(begin, axis, fitting))
    counts = tuple([count for _, count in windows.values()])
    return apply(Windowed.of(tuple(windows), counts), x, *places)


def columns_of(indices: GraphTensor) -> list[Any]:
    """The numbers that rows of indices are made of."""
    return [indices[(Ellipsis, i)] for i in range(indices.shape[-1])]


def scattered(
    combine: str,
    x: GraphTensor,
    columns: Sequence[GraphTensor],
    dims: Sequence[Any] = (),
    into: GraphTensor | None = None,
    places: Sequence[GraphTensor] | None = None,
) -> Any:
    """Slices of x combined in places of a tensor of dimensions, or of one that is there.

    `places` are those of the columns, if they have been picked before. Numbers alone are added up
    in float64, as the kernels do.
    """
    dtype = x.dtype
    x = widened(x) if into is None else x
    single = all(x.shape[i] == 1 for i in range(columns[0].shape.rank, x.shape.rank))
    if combine == "sum" and into is None and single and x.dtype.is_floating:
        x = cast(x, dt.float64)
    like = blocks_of(dims, cast(0, x.dtype)) if into is None else into
    if places is None:
        places = places_of(columns, like)
    return cast(apply(Scattered.of(combine, into is not None), x, like, *places), dtype)


def placed(x: GraphTensor, columns: Sequence[GraphTensor], dims: Sequence[Any]) -> Any:
    """Slices of x in zeros of these dimensions, in the places of indices, which may count from the
    end."""
    like = blocks_of(dims, cast(0, x.dtype))
    places = [apply(PickIndex.of(i), ids, like) for i, ids in enumerate(columns)]
    return apply(Scattered.of("", False), x, like, *places)


# -- routines ---------------------------------------------------------------------------------

#: The most rows of matrices for routines: those of larger ones would use threads of their own.
MOST_ROUTINE_ROWS = 64


def routine(name: str, *matrices: GraphTensor, flags: Sequence[bool] = ()) -> Any:
    """What a routine of LAPACK makes of square matrices, the first one among these, and others of
    as many rows; None where these are not known to be few."""
    first = matrices[0]
    rows, lead = first.shape[-1], list(first.shape[:-2])
    fits = rows is not None and rows == first.shape[-2] and 0 < rows <= MOST_ROUTINE_ROWS
    if not fits or first.dtype not in (dt.float32, dt.float64):
        return None
    for other in matrices[1:]:
        same = None not in lead and list(other.shape[:-2]) == lead and other.shape[-2] == rows
        if not same or 0 in other.shape:
            return None
    return apply(Routine.of(name, tuple(flags)), *matrices)


# -- conditions -------------------------------------------------------------------------------


def inhabited(x: GraphTensor, axis: int) -> Any:
    """`x`, of which an axis has elements; it is left to the kernels where the axis has none."""
    return apply(Inhabited.of(axis), x)


def required(x: GraphTensor, condition: GraphTensor) -> Any:
    """`x`, where a condition holds; it is left to the kernels where it does not."""
    return apply(Required.of(), x, condition)
