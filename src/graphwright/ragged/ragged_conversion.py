"""Ragged tensors from and to dense and sparse ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsInt

from graphwright.control.assertions import assert_equal
from graphwright.op.interpreter import convert
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import zeros
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.indexing import boolean_mask
from graphwright.ops.core.joining import concat, stack
from graphwright.ops.core.movement import broadcast_to, reshape
from graphwright.ops.core.sequences import range as numbers
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ops.core.static import TENSOR, check_whole
from graphwright.ops.math.comparison import not_equal, select
from graphwright.ops.math.reduction import reduce_any, reduce_max
from graphwright.ragged.methods import Sizes
from graphwright.ragged.positions import greatest
from graphwright.ragged.ragged_tensor import RaggedOrTensor, RaggedTensor, is_ragged
from graphwright.ragged.row_partition import RowPartition
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.types.dtypes import DType
from graphwright.values.sparse.sparse_tensor import SparseTensor


def from_tensor(
    tensor: TensorLike,
    lengths: TensorLike | None,
    padding: TensorLike | None,
    ragged_rank: int,
    dtype: DType,
) -> RaggedTensor:
    """The rows of a tensor, cut to `lengths`, or before trailing `padding`."""
    if lengths is not None and padding is not None:
        raise ValueError("Specify argument `lengths` or `padding`, but not both.")
    if not isinstance(ragged_rank, int):
        raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
    if ragged_rank <= 0:
        raise ValueError(f"Argument `ragged_rank` must be greater than 0. Received {ragged_rank}.")
    check_whole(lengths, "lengths", error=ValueError)
    tensor = convert(tensor)
    rank = tensor.type.rank
    if rank is not None and rank <= ragged_rank:
        raise ValueError(
            f"Shape {tensor.shape} of argument `tensor` must have rank at least {ragged_rank + 1}"
        )
    if isinstance(lengths, (list, tuple)) and lengths and isinstance(lengths[0], (list, tuple)):
        return cut_to_nested(tensor, lengths, dtype)
    if ragged_rank > 1:
        return from_outer_axes(tensor, lengths, padding, ragged_rank, dtype)
    if padding is not None:
        lengths = lengths_before(tensor, padding, dtype)
    if lengths is not None:
        return cut(tensor, cast(convert(lengths, None, dtype), dtype))
    return RaggedTensor(merged(tensor, 2), uniform_rows(tensor, dtype))


def merged(tensor: TensorValue, count: int) -> Any:
    """A tensor whose first axes are made one."""
    dims = tensor.type.dims
    if dims is not None and None not in dims[count:] and 0 not in dims[count:]:
        return reshape(tensor, [-1, *dims[count:]])
    sizes = shape_of(tensor, dt.int64)
    size = sizes[0]
    for i in range(1, count):
        size = size * sizes[i]
    return reshape(tensor, concat([size[None], sizes[count:]], 0))


def from_outer_axes(
    tensor: TensorValue,
    lengths: TensorLike | None,
    padding: TensorLike | None,
    ragged_rank: int,
    dtype: DType,
) -> RaggedTensor:
    """Several axes made ragged; the outer ones are uniform."""
    inner = from_tensor(merged(tensor, 2), lengths, padding, ragged_rank - 1, dtype)
    return RaggedTensor(inner, uniform_rows(tensor, dtype))


def uniform_rows(tensor: TensorValue, dtype: DType) -> RowPartition:
    """The partition of the first axis of a tensor, by the size of the second."""
    sizes = shape_of(tensor, dtype)
    length = None if tensor.type.dims is None else tensor.type.dims[1]
    return RowPartition.from_uniform_row_length(
        sizes[1] if length is None else length, nrows=sizes[0], dtype=dtype
    )


def cut_to_nested(tensor: TensorLike, lengths: Sequence[TensorLike], dtype: DType) -> RaggedTensor:
    """Several axes cut to lengths, the outermost first."""
    outer, *rest = lengths
    cut_outer = cut(tensor, convert(outer, dtype))
    if not rest:
        return cut_outer
    return cut_outer.with_values(cut_to_nested(cut_outer.values, rest, dtype))


def cut(tensor: TensorLike, lengths: TensorValue) -> RaggedTensor:
    """The rows of a tensor, cut to lengths."""
    if lengths.type.rank is None:
        lengths = reshape(lengths, [-1])
    columns = numbers(shape_of(tensor, lengths.dtype)[1], dtype=lengths.dtype)
    values = boolean_mask(tensor, columns[None] < lengths[:, None])
    return RaggedTensor(values, RowPartition.from_row_lengths(lengths, validate=False))


def lengths_before(tensor: TensorValue, padding: TensorLike, dtype: DType) -> Any:
    """The length of each row before trailing elements that equal `padding`."""
    padding = convert(padding, tensor.dtype)
    tensor.shape[2:].assert_is_compatible_with(padding.shape)
    differs = not_equal(tensor, padding)
    rank = tensor.type.rank
    if rank is not None and rank > 2:
        differs = reduce_any(differs, axis=list(range(2, rank)))
    ends = numbers(shape_of(tensor, dtype)[1], dtype=dtype) + 1
    return (
        reduce_max(cast(differs, dtype) * ends, axis=1)
        if 0 not in tensor.shape[:2]
        else (zeros(shape_of(tensor)[:1], dtype))
    )


def from_sparse(sparse: object, dtype: DType) -> RaggedTensor:
    """The rows of a sparse matrix whose values stand at the left of each row."""
    if not isinstance(sparse, SparseTensor):
        raise TypeError(
            f"Argument `st_input` must be of type SparseTensor, but is of type "
            f"{type(sparse).__name__}."
        )
    if sparse.indices.shape[1] not in (None, 2):
        raise ValueError("a sparse tensor must be of rank 2 to become ragged")
    rows, columns = sparse.indices[:, 0], sparse.indices[:, 1]
    partition = RowPartition.from_value_rowids(
        cast(rows, dtype), cast(sparse.dense_shape[0], dtype), validate=False
    )
    starts = gather(partition.row_starts(), partition.value_rowids())
    expected = numbers(shape_of(columns, dtype)[0], dtype=dtype) - starts
    assert_equal(
        cast(columns, dtype), expected, "SparseTensor is not right-ragged: a row has a gap"
    )
    return RaggedTensor(sparse.values, partition)


def to_sparse(ragged: RaggedTensor) -> Any:
    """The sparse tensor of the same elements."""
    values = reshape(ragged.flat_values, [-1])
    indices = indices_of(ragged)
    return SparseTensor(indices, values, cast(bounding_shape(ragged), dt.int64))


def indices_of(ragged: RaggedTensor) -> Any:
    """The position of every element, of shape [elements, rank]."""
    flat = ragged.flat_values
    inner = flat.type.rank
    if inner != 1:
        ragged = ragged.with_flat_values(from_tensor(flat, None, None, inner - 1, dt.int64))
    columns: list[Any] = []
    for partition in ragged.with_row_splits_dtype(dt.int64).partitions:
        rowids = partition.value_rowids()
        offsets = numbers(partition.nvals(), dtype=dt.int64)
        offsets = offsets - gather(partition.row_starts(), rowids)
        columns = [gather(column, rowids) for column in columns] if columns else [rowids]
        columns.append(offsets)
    return stack(columns, axis=1)


def bounding_shape(ragged: RaggedTensor) -> Any:
    """The shape of the smallest tensor that all rows fit in."""
    sizes = [ragged.nrows()]
    for partition in ragged.partitions:
        uniform = partition.uniform_row_length()
        sizes.append(greatest(partition.row_lengths()) if uniform is None else uniform)
    inner = shape_of(ragged.flat_values, ragged.row_splits.dtype)[1:]
    return concat([stack(sizes), inner], 0)


def merge_dims(ragged: RaggedOrTensor, outer: int, inner: int) -> Any:
    """Axes of a tensor or ragged tensor made one."""
    if outer == inner:
        return ragged
    if not is_ragged(ragged):
        return merge_dense(ragged, outer, inner)
    if outer == 0:
        values = ragged.values
        return values if inner == 1 else merge_dims(values, 0, inner - 1)
    if outer > 1:
        return ragged.with_values(merge_dims(ragged.values, outer - 1, inner - 1))
    if not is_ragged(ragged.values):
        return merge_into_rows(ragged, inner)
    values = ragged.values
    uniform = None
    lengths = (ragged.uniform_row_length, values.uniform_row_length)
    if lengths[0] is not None and lengths[1] is not None:
        uniform = lengths[0] * lengths[1]
    splits = gather(values.row_splits, ragged.row_splits)
    once = RaggedTensor(values.values, RowPartition(splits, uniform))
    return merge_dims(once, 1, inner - 1)


def merge_dense(tensor: TensorLike, outer: int, inner: int) -> Any:
    """Axes of a dense tensor made one."""
    sizes = shape_of(tensor, dt.int64)
    before, after = sizes[:outer], sizes[inner + 1 :]
    return reshape(tensor, concat([before, convert([-1], dt.int64), after], 0))


def merge_into_rows(ragged: RaggedTensor, inner: int) -> RaggedTensor:
    """Dense inner axes merged into the rows that hold them."""
    values = ragged.values
    sizes = shape_of(values, ragged.row_splits.dtype)
    factor = sizes[1]
    for i in range(2, inner):
        factor = factor * sizes[i]
    uniform = ragged.uniform_row_length
    partition = RowPartition(
        ragged.row_splits * factor, None if uniform is None else uniform * factor
    )
    return RaggedTensor(merge_dense(values, 0, inner - 1), partition)


def to_tensor(ragged: RaggedTensor, default_value: TensorLike | None, shape: Sizes | None) -> Any:
    """The tensor that all rows fit in; `shape` (None where it is not given) may cut it."""
    sizes = list(shape) if shape is not None else []
    check_whole(sizes, "shape", cut=(TENSOR,))
    default = filling(ragged, default_value)
    return padded(ragged, default, sizes)


def filling(ragged: RaggedTensor, default_value: TensorLike | None) -> Any:
    """What fills up: of the dtype of the values; TypeError for another."""
    if default_value is None:
        return zeros([], ragged.dtype)
    return convert(default_value, ragged.dtype)


def padded(
    ragged: RaggedOrTensor, default: TensorValue, sizes: Sequence[SupportsInt | None]
) -> Any:
    """The dense form of a tensor or ragged tensor."""
    if not is_ragged(ragged):
        return ragged
    values = padded(ragged.values, default, [None, *sizes[2:]] if sizes else [])
    partition = ragged._row_partition
    lengths, starts = partition.row_lengths(), partition.row_starts()
    rows = sizes[0] if sizes else None
    if rows is not None:
        filler = zeros([int(rows)], lengths.dtype)
        lengths, starts = (concat([each, filler], 0)[: int(rows)] for each in (lengths, starts))
    columns: Any = sizes[1] if len(sizes) > 1 else None
    if columns is None:
        uniform = partition.static_uniform_row_length
        columns = greatest(lengths) if uniform is None else uniform
    return laid_out(values, starts, lengths, columns, default)


def laid_out(
    values: TensorValue,
    starts: TensorValue,
    lengths: TensorValue,
    columns: TensorLike,
    default: TensorValue,
) -> Any:
    """Rows of `columns` values each; behind those that there are stands `default`."""
    inner = shape_of(values)[1:]
    filler = broadcast_to(default, inner)[None]
    numbers_in_row = numbers(cast(convert(columns), starts.dtype), dtype=starts.dtype)[None]
    places = starts[:, None] + numbers_in_row
    nothing = shape_of(values, starts.dtype)[0]
    places = select(numbers_in_row < lengths[:, None], places, nothing + places * 0)
    return gather(concat([values, filler], 0), places)


def same_rows(a: RowPartition, b: RowPartition) -> bool:
    """Whether two partitions are known to be the same."""
    if a is b or a.row_splits() is b.row_splits():
        return True
    first, second = a.row_splits().known, b.row_splits().known
    return first is not None and first == second and None not in first
