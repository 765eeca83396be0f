"""Functions on ragged tensors that belong to no larger family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, SupportsInt

from graphwright.control.assertions import assert_equal
from graphwright.op.dispatch import implement, opened
from graphwright.op.interpreter import convert
from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.indexing import boolean_mask
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import reshape
from graphwright.ops.core.segment_reduction import unsorted_segment_max, unsorted_segment_sum
from graphwright.ops.core.shapes import size
from graphwright.ops.linalg import contraction
from graphwright.ops.math import arithmetic, counting, cumulation, sums
from graphwright.ops.math.comparison import less
from graphwright.ops.math.reduction import reduce_max
from graphwright.ops.math.transcendental import exp
from graphwright.ops.nn import dropout, embedding, softmax
from graphwright.ragged.ragged_conversion import cut
from graphwright.ragged.ragged_tensor import RaggedTensor, is_ragged
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, ShapeLike, TensorLike, TensorValue
from graphwright.values.sparse import sparse_counts

_UNEVEN = "The matrices in `a` and `b` may not be ragged in their innermost dimension."


@implement(softmax.softmax, RaggedTensor)
def softmax_of_rows(
    logits: RaggedTensor, axis: SupportsInt | None = None, name: str | None = None
) -> Any:
    """The softmax of each innermost row; ValueError for another axis."""
    rank = logits.shape.rank
    if axis is not None and (rank is None or logits.positive_axis(int(axis), "axis") != rank - 1):
        raise ValueError("tf.nn.softmax of a ragged tensor is along its last axis")
    if logits.flat_values.shape.rank > 1:
        return logits.with_flat_values(softmax.softmax(logits.flat_values))
    if is_ragged(logits.values):
        return logits.with_values(softmax_of_rows(logits.values))
    ids, count = logits.value_rowids(), logits.nrows()
    top = gather(unsorted_segment_max(logits.values, ids, count), ids)
    powers = exp(logits.values - top)
    return logits.with_values(powers / gather(unsorted_segment_sum(powers, ids, count), ids))


@implement(contraction.matmul, RaggedTensor)
def matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    *rest: object,
) -> Any:
    """The products of the matrices of ragged batches, filled up with zeros to be multiplied.

    ValueError unless both are of one rank, 2 at least. InvalidArgumentError where rows of one
    matrix differ in length.
    """
    ranks = [x.shape.rank if is_ragged(x) else convert(x).type.rank for x in (a, b)]
    if ranks[0] != ranks[1] or ranks[0] is None or ranks[0] < 2:
        raise ValueError(f"both operands must have one rank, at least 2, not {ranks}")
    dense = [x.to_tensor() if is_ragged(x) else convert(x) for x in (a, b)]
    if ranks[0] == 2:
        for x, whole in zip((a, b), dense):
            if is_ragged(x):
                assert_equal(size(x.flat_values), size(whole), _UNEVEN)
    product = contraction.matmul(dense[0], dense[1], transpose_a, transpose_b, adjoint_a, adjoint_b)
    if ranks[0] != 3 or not is_ragged(a) or a._row_partition.is_uniform():
        return product
    return product if transpose_a or adjoint_a else cut(product, a.row_lengths())


@implement(sums.add_n, RaggedTensor)
def add_n(inputs: Sequence[RaggedTensor], name: str | None = None) -> Any:
    """The sum of several ragged tensors."""
    first, *others = inputs
    for other in others:
        first = opened(arithmetic.add)(first, other)
    return first


@implement(embedding.embedding_lookup, RaggedTensor)
def embedding_lookup(
    params: TensorLike,
    ids: RaggedTensor,
    max_norm: float | None = None,
    name: str | None = None,
) -> Any:
    """The rows of a table for each of ragged ids."""
    if ids.dtype not in dt.INDEX:
        raise ValueError(
            f"The values contained by the inputs have type {ids.dtype!r} and cannot be processed. "
            "All values should be indices, either of type `int32` or `int64`."
        )
    return ids.with_flat_values(embedding.embedding_lookup(params, ids.flat_values, max_norm))


@implement(dropout.dropout, RaggedTensor)
def dropped_out(
    x: RaggedTensor,
    rate: TensorLike,
    noise_shape: ShapeLike = None,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """A ragged tensor of which some elements are zero; ValueError with a shape of the noise."""
    if noise_shape is not None:
        raise ValueError("noise_shape is not supported yet for RaggedTensor x")
    return x.with_flat_values(dropout.dropout(x.flat_values, rate, seed=seed))


@implement(cumulation.cumsum, RaggedTensor)
def cumsum(
    x: RaggedTensor,
    axis: SupportsInt = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Sums of what stands before, along an axis of a ragged tensor."""
    return padded(lambda t, a: cumulation.cumsum(t, a, exclusive, reverse), x, int(axis))


def padded(function: Callable[[TensorValue, int], TensorLike], x: RaggedTensor, axis: int) -> Any:
    """Applies a function along an axis of rows filled up with zeros, and cuts the rows again."""
    place = x.positive_axis(axis, "axis")
    if place > 1:
        inner = function(x.values, place - 1) if not is_ragged(x.values) else None
        return x.with_values(padded(function, x.values, place - 1) if inner is None else inner)
    if is_ragged(x.values):
        raise ValueError(f"axis {axis} of a ragged tensor of ragged rank {x.ragged_rank}")
    return cut(function(x.to_tensor(), place), x.row_lengths())


@implement(counting.bincount, RaggedTensor, first=True)
def bincount(
    arr: RaggedTensor,
    weights: TensorLike | None = None,
    minlength: TensorLike | None = None,
    maxlength: TensorLike | None = None,
    dtype: DTypeLike = dt.int32,
    name: str | None = None,
    axis: SupportsInt | None = None,
    binary_output: bool = False,
) -> Any:
    """How often each number is among the elements, or with axis -1 in each row."""
    flat = weights.flat_values if is_ragged(weights) else weights
    if axis is None:
        return counting.bincount(
            arr.flat_values, flat, minlength, maxlength, dtype, binary_output=binary_output
        )
    if arr.positive_axis(int(axis), "axis") != 1 or arr.ragged_rank != 1:
        raise ValueError("tf.math.bincount of a ragged tensor counts along its last axis")
    values, rows = cast(arr.values, dt.int64), cast(arr.value_rowids(), dt.int64)
    size = reduce_max(concat([values, convert([-1], dt.int64)], 0)) + 1
    if minlength is not None:
        size = arithmetic.maximum(size, cast(convert(minlength), dt.int64))
    if maxlength is not None:
        size = arithmetic.minimum(size, cast(convert(maxlength), dt.int64))
        counts = less(values, size)
        values, rows = boolean_mask(values, counts), boolean_mask(rows, counts)
        flat = None if flat is None else boolean_mask(flat, counts)
    total = size * cast(arr.nrows(), dt.int64)
    places = rows * size + values
    counted = counting.bincount(places, flat, total, total, dtype, binary_output=binary_output)
    return reshape(counted, concat([cast(arr.nrows(), dt.int64)[None], size[None]], 0))


@implement(sparse_counts.bincount, RaggedTensor, first=True)
def sparse_bincount(
    values: RaggedTensor,
    weights: TensorLike | None = None,
    axis: int | None = 0,
    minlength: int | None = None,
    maxlength: int | None = None,
    binary_output: bool = False,
    name: str | None = None,
) -> Any:
    """The same as a sparse tensor; ValueError for weights that are no ragged tensor."""
    if weights is not None and not is_ragged(weights):
        raise ValueError(
            "`weights` must be a RaggedTensor if `values` is a RaggedTensor. Received argument "
            f"weights={weights} of type: {type(weights).__name__}."
        )
    heavy = None if weights is None else weights.to_sparse()
    return sparse_counts.bincount(
        values.to_sparse(), heavy, axis, minlength, maxlength, binary_output, name
    )
