"""Sums and extremes of two sparse tensors, element by element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.core.creation import zeros_like
from graphwright.ops.math.comparison import greater_equal, less_equal, select
from graphwright.ops.sparse import index_rows
from graphwright.ops.sparse.sparse_parts import check_counts, check_width, count_of
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, TensorType

_PAIR = (
    "a_indices: int64", "a_values: T", "a_shape: int64",
    "b_indices: int64", "b_values: T", "b_shape: int64",
)  # fmt: skip
_PAIR_RANKS = {
    "a_indices": 2, "a_values": 1, "a_shape": 1, "b_indices": 2, "b_values": 1, "b_shape": 1,
}  # fmt: skip


def check_pair(*parts: TensorType) -> None:
    """ValueError unless the parts of two sparse tensors fit each other."""
    for indices, values, shape in (parts[:3], parts[3:6]):
        check_counts(indices, values)
        check_width(indices, count_of(shape))


def widest(*indices: TensorType) -> Dims:
    """The shape of indices of unknown number for the same rank as these."""
    known = [i.dims[1] for i in indices if i.dims is not None and len(i.dims) == 2]
    return (None, next((width for width in known if width is not None), None))


def same_shape(a_shape: Array, b_shape: Array) -> None:
    """ValueError unless two dense shapes are the same."""
    if not np.array_equal(a_shape, b_shape):
        raise ValueError(
            f"Operands' shapes do not match: got {index_rows.shown(a_shape)} and "
            f"{index_rows.shown(b_shape)}"
        )


def aligned(a: Array, a_values: Array, b: Array, b_values: Array) -> tuple[Array, Array, Array]:
    """The indices of either tensor, the values of both there, and where both have one.

    A missing value is 0. Repeated indices of one tensor stay apart.
    """
    rows, (in_a, in_b) = index_rows.matched(a, b)
    both = np.zeros((2, len(rows)), a_values.dtype)
    both[0, in_a] = a_values
    both[1, in_b] = b_values
    counts = np.bincount(np.concatenate([in_a, in_b]), minlength=len(rows))
    return rows, both, counts == 2


class SparseAdd(Op):
    """The sum of two sparse tensors, without shared elements of a sum below the threshold."""

    type_name = "SparseAdd"
    inputs = (*_PAIR, "thresh: Treal")
    outputs = ("sum_indices: int64", "sum_values: T", "sum_shape: int64")
    dtypes = {"T": dt.NUMERIC, "Treal": dt.REAL}
    ranks = {**_PAIR_RANKS, "thresh": 0}

    def shapes(self, *parts: TensorType) -> Shapes:
        check_pair(*parts)
        return widest(parts[0], parts[3]), (None,), parts[2].dims or (None,)

    def known(self, *parts: Any) -> Any:
        return None, None, parts[2] if parts[2] is not None else parts[5]

    def kernel(self, *parts: Array) -> tuple[Array, ...]:
        a, a_values, shape, b, b_values, b_shape, threshold = parts
        same_shape(shape, b_shape)
        rows, (left, right), shared = aligned(a, a_values, b, b_values)
        total = np.add(left, right)
        stays = ~shared | (np.abs(total) >= threshold)
        return rows.compress(stays, axis=0), total[stays], shape

    def gradient(self, call: Call, _: Cotangent, g: Cotangent, __: Cotangent) -> Sequence[Any]:
        a, b = call.inputs[0], call.inputs[3]
        left, right = apply(SPARSE_ADD_GRAD, g, a, b, call.outputs[0])
        return None, left, None, None, right, None, None


class SparseAddGrad(Op):
    """The cotangents of the values of two tensors, from that of the values of their sum."""

    type_name = "SparseAddGrad"
    inputs = (
        "backprop_val_grad: T", "a_indices: int64", "b_indices: int64", "sum_indices: int64",
    )  # fmt: skip
    outputs = ("a_val_grad: T", "b_val_grad: T")
    dtypes = {"T": dt.NUMERIC}
    ranks = {"backprop_val_grad": 1, "a_indices": 2, "b_indices": 2, "sum_indices": 2}

    def shapes(self, g: TensorType, a: TensorType, b: TensorType, total: TensorType) -> Shapes:
        check_counts(total, g)
        return (a.dims or (None,))[:1], (b.dims or (None,))[:1]

    def kernel(self, g: Array, a: Array, b: Array, total: Array) -> Any:
        rows, (in_a, in_b, in_total) = index_rows.matched(a, b, total)
        full = np.zeros(len(rows), g.dtype)
        full[in_total] = g
        return full[in_a], full[in_b]

    def gradient(self, call: Call, left: Cotangent, right: Cotangent) -> Sequence[Any]:
        _, a, b, total = call.inputs
        sides = [
            apply(SPARSE_ADD_GRAD, g, total, total, rows)[0]
            for g, rows in ((left, a), (right, b))
            if g is not None
        ]
        return sum(sides[1:], sides[0]), None, None, None


class SparseExtreme(Op):
    """The greater or lesser of the elements of two sparse tensors; missing ones are 0."""

    inputs = _PAIR
    outputs = ("output_indices: int64", "output_values: T")
    dtypes = {"T": dt.REAL}
    ranks = _PAIR_RANKS
    choose: ClassVar[Any]
    prefers: ClassVar[Callable[..., Any]]

    def shapes(self, *parts: TensorType) -> Shapes:
        check_pair(*parts)
        return widest(parts[0], parts[3]), (None,)

    def kernel(self, *parts: Array) -> tuple[Array, Array]:
        a, a_values, shape, b, b_values, b_shape = parts
        same_shape(shape, b_shape)
        for rows in (a, b):
            index_rows.check(rows, shape, ordered=False)
        rows, (left, right), _ = aligned(a, a_values, b, b_values)
        return rows, type(self).choose(left, right)

    def gradient(self, call: Call, _: Cotangent, g: Cotangent) -> Sequence[Any]:
        a, a_values, shape, b, b_values, b_shape = call.inputs
        none = convert(0, a_values.dtype)
        full = (
            apply(SPARSE_ADD, a, a_values, shape, b, zeros_like(b_values), b_shape, none)[1],
            apply(SPARSE_ADD, a, zeros_like(a_values), shape, b, b_values, b_shape, none)[1],
        )
        first, rows = type(self).prefers(*full), call.outputs[0]
        left = apply(SPARSE_ADD_GRAD, select(first, g, zeros_like(g)), a, b, rows)[0]
        right = apply(SPARSE_ADD_GRAD, select(first, zeros_like(g), g), a, b, rows)[1]
        return None, left, None, None, right, None


class SparseSparseMaximum(SparseExtreme):
    """The greater of two sparse tensors' elements."""

    type_name = "SparseSparseMaximum"
    choose = np.maximum
    prefers = staticmethod(greater_equal)


class SparseSparseMinimum(SparseExtreme):
    """The lesser of two sparse tensors' elements."""

    type_name = "SparseSparseMinimum"
    choose = np.minimum
    prefers = staticmethod(less_equal)


SPARSE_ADD, SPARSE_ADD_GRAD = SparseAdd(), SparseAddGrad()
MAXIMUM, MINIMUM = SparseSparseMaximum(), SparseSparseMinimum()
