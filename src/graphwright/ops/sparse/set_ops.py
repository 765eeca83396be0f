"""Sets along the last axis of tensors: their intersections, unions and differences."""

from __future__ import annotations

import math
from typing import Any, ClassVar, TypeAlias

import numpy as np

from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.ops.sparse import index_rows
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType

MEMBERS = dt.STRING | {dt.int8, dt.int16, dt.int32, dt.int64, dt.uint8, dt.uint16}
#: Which members stay, by whether they are in a and in b.
_RULES = {
    "a-b": lambda a, b: a & ~b,
    "b-a": lambda a, b: b & ~a,
    "intersection": lambda a, b: a & b,
    "union": lambda a, b: a | b,
}
_SPARSE = "set{0}_indices: int64", "set{0}_values: T", "set{0}_shape: int64"


#: Which group each element is in, the elements, and the shape of the groups.
Groups: TypeAlias = tuple[Array, Array, tuple[int, ...]]


def dense_groups(array: Array) -> Groups:
    """The groups that a dense tensor's elements are in, the elements, and the groups' shape."""
    if array.ndim < 2:
        raise ValueError(f"Shape {list(array.shape)} has rank {array.ndim} < 2")
    outer = array.shape[:-1]
    groups = np.indices(outer).reshape(len(outer), -1).T
    return np.repeat(groups, array.shape[-1], axis=0), array.reshape(-1), outer


def sparse_groups(parts: tuple[Array, ...], ordered: bool) -> Groups:
    """The same of a sparse tensor, from its parts."""
    indices, values, shape = parts
    if len(shape) < 2:
        raise ValueError(f"Shape {index_rows.shown(shape)} has rank {len(shape)} < 2")
    index_rows.check(indices, shape, ordered=ordered)
    return indices[:, :-1], values, tuple(shape[:-1].tolist())


def combined(kind: str, a: Groups, b: Groups) -> tuple[Array, Array, Array]:
    """The sets that a rule makes of those of each group, as a sparse tensor."""
    if kind not in _RULES:
        raise ValueError(f"Invalid set_operation {kind}: it is one of {', '.join(_RULES)}")
    (a_groups, a_values, outer), (b_groups, b_values, other) = a, b
    if outer != other:
        raise ValueError(f"Mismatched shapes {list(outer)} vs {list(other)}")
    words = a_values.dtype == object
    every = np.concatenate([a_values, b_values]) if not words else joined(a_values, b_values)
    members, codes = coded(every)
    a_rows = np.column_stack([a_groups, codes[: len(a_values)]])
    b_rows = np.column_stack([b_groups, codes[len(a_values) :]])
    rows, places = index_rows.numbered(a_rows, b_rows)
    present = np.zeros((2, len(rows)), bool)
    for side, members_of_side in zip(present, places):
        side[members_of_side] = True
    rows = rows.compress(_RULES[kind](*present), axis=0)
    _, (numbers,) = index_rows.numbered(rows[:, :-1])
    place = index_rows.counted(numbers)
    indices = np.column_stack([rows[:, :-1], place]).astype(np.int64)
    size = int(place.max()) + 1 if len(place) else 0
    return indices, members[rows[:, -1]], np.array([*outer, size], np.int64)


def coded(members: Array) -> tuple[Array, Array]:
    """The distinct members in order, and the number of each member."""
    if members.dtype == object:
        return np.unique(members, return_inverse=True)
    distinct, (codes,) = index_rows.numbered(members.astype(np.int64)[:, None])
    return distinct[:, 0].astype(members.dtype), codes


def joined(a: Array, b: Array) -> Array:
    """Two string arrays one after the other."""
    every = np.empty(len(a) + len(b), object)
    every[: len(a)], every[len(a) :] = a, b
    return every


def rank_of(shape: TensorType) -> int | None:
    """The rank of the tensor of a dense shape, if it is known."""
    return shape.dims[0] if shape.dims else None


def parts_of_rank(rank: int | None) -> Shapes:
    """The shapes of the parts of a sparse tensor."""
    return (None, rank), (None,), (rank,)


class SetOperation(Op):
    """Sets made of two tensors' sets by the rule `set_operation`."""

    outputs = ("result_indices: int64", "result_values: T", "result_shape: int64")
    dtypes = {"T": MEMBERS}
    gradient = not_differentiable

    set_operation: str
    validate_indices: bool = True


class DenseToDenseSetOperation(SetOperation):
    """Sets made of two dense tensors'."""

    type_name = "DenseToDenseSetOperation"
    inputs = ("set1: T", "set2: T")

    def shapes(self, first: TensorType, second: TensorType) -> Shapes:
        rank = first.rank if first.rank is not None else second.rank
        return parts_of_rank(rank)

    def kernel(self, first: Array, second: Array) -> Any:
        return combined(self.set_operation, dense_groups(first), dense_groups(second))


class DenseToSparseSetOperation(SetOperation):
    """Sets made of a dense and a sparse tensor's."""

    type_name = "DenseToSparseSetOperation"
    inputs = ("set1: T", *[part.format(2) for part in _SPARSE])

    def shapes(self, first: TensorType, *parts: TensorType) -> Shapes:
        rank = first.rank if first.rank is not None else rank_of(parts[2])
        return parts_of_rank(rank)

    def kernel(self, first: Array, *parts: Array) -> tuple[Array, ...]:
        second = sparse_groups(parts, self.validate_indices)
        return combined(self.set_operation, dense_groups(first), second)


class SparseToSparseSetOperation(SetOperation):
    """Sets made of two sparse tensors'."""

    type_name = "SparseToSparseSetOperation"
    inputs = tuple(part.format(i) for i in (1, 2) for part in _SPARSE)

    def shapes(self, *parts: TensorType) -> Shapes:
        ranks = [rank_of(parts[place]) for place in (2, 5)]
        rank = ranks[0] if ranks[0] is not None else ranks[1]
        return parts_of_rank(rank)

    def kernel(self, *parts: Array) -> tuple[Array, ...]:
        first = sparse_groups(parts[:3], self.validate_indices)
        second = sparse_groups(parts[3:], self.validate_indices)
        return combined(self.set_operation, first, second)


class SetSize(Op):
    """How many distinct elements each set has."""

    type_name = "SetSize"
    inputs: ClassVar[tuple[str, ...]] = tuple(part.format("") for part in _SPARSE)
    outputs = ("size: int32",)
    dtypes = {"T": MEMBERS}
    gradient = not_differentiable

    validate_indices: bool = True

    def shapes(self, indices: TensorType, values: TensorType, shape: TensorType) -> Shapes:
        rank = rank_of(shape)
        return (None if rank is None else (None,) * (rank - 1),)

    def kernel(self, indices: Array, values: Array, shape: Array) -> Array:
        groups, members, outer = sparse_groups((indices, values, shape), self.validate_indices)
        _, codes = coded(members)
        rows, _ = index_rows.numbered(np.column_stack([groups, codes]))
        places = index_rows.flattened(rows[:, :-1], outer)
        return np.bincount(places, minlength=math.prod(outer)).astype(np.int32).reshape(outer)
