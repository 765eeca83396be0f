"""Products of two sparse matrices."""

from __future__ import annotations

from typing import NamedTuple

from graphwright.op.interpreter import apply, convert
from graphwright.ops.core.effect_ops import Assert
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import expand_dims
from graphwright.ops.core.repetition import repeat
from graphwright.ops.core.segment_reduction import unsorted_segment_sum
from graphwright.ops.core.sequences import range as range_of
from graphwright.ops.core.shapes import size
from graphwright.ops.core.sorting import argsort, searchsorted
from graphwright.ops.core.unique import unique
from graphwright.ops.math.arithmetic import floordiv, floormod, maximum
from graphwright.ops.math.comparison import equal
from graphwright.ops.math.cumulation import cumprod, cumsum
from graphwright.ops.math.reduction import reduce_all, reduce_sum
from graphwright.types.arguments import Tensor


class SparseParts(NamedTuple):
    """What a sparse tensor is made of."""

    indices: Tensor
    values: Tensor
    dense_shape: Tensor


def multiply(a: SparseParts, b: SparseParts) -> SparseParts:
    """The product of two sparse matrices, or of each two in a batch: sparse, and in order.

    It has a value where values met, even if their sum is 0. All is gathered and summed, so that
    gradients flow to the values.
    """
    lines = concat([a.dense_shape[:-2], a.dense_shape[-1:]], 0)
    fits = reduce_all(equal(lines, b.dense_shape[:-1]))
    shapes = (a.dense_shape, b.dense_shape)
    apply(Assert.of(3), fits, convert("Matrices of these shapes have no product:"), *shapes)
    of_a = row_major_places(concat([a.indices[:, :-2], a.indices[:, -1:]], 1), lines)
    of_b = row_major_places(b.indices[:, :-1], lines)
    order = argsort(of_b, stable=True)
    ordered = gather(of_b, order)
    first = searchsorted(ordered, of_a, "left")
    partners = searchsorted(ordered, of_a, "right") - first
    left = repeat(range_of(size(of_a)), partners)
    before = cumsum(partners, exclusive=True)
    right = gather(order, range_of(size(left)) - gather(before - first, left))
    shape = concat([a.dense_shape[:-1], b.dense_shape[-1:]], 0)
    rows = [gather(a.indices[:, :-1], left), gather(b.indices[:, -1:], right)]
    places = row_major_places(concat(rows, 1), shape)
    ascending = argsort(places, stable=True)
    whole, segments = unique(gather(places, ascending))
    products = gather(a.values, left) * gather(b.values, right)
    sums = unsorted_segment_sum(gather(products, ascending), segments, size(whole))
    indices = floormod(floordiv(expand_dims(whole, 1), strides(shape)), maximum(shape, 1))
    return SparseParts(indices, sums, shape)


def row_major_places(indices: Tensor, shape: Tensor) -> Tensor:
    """The place of each row of indices in the order of a dense tensor."""
    return reduce_sum(indices * strides(shape), axis=1)


def strides(shape: Tensor) -> Tensor:
    """How far apart neighbours along each axis of a dense tensor are."""
    return cumprod(shape, exclusive=True, reverse=True)
