"""`tf.sparse`: sparse tensors made, moved and cut.

Sums, products and reductions stand in `sparse_arithmetic`.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, SupportsInt

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.dispatch import implement
from graphwright.op.interpreter import apply, holds_tensor, is_staged, is_tensor
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import fill, ones, ones_like, zeros, zeros_like
from graphwright.ops.core.effect_ops import Assert
from graphwright.ops.core.gathering import gather, gather_nd
from graphwright.ops.core.indexing import where
from graphwright.ops.core.joining import concat as join
from graphwright.ops.core.joining import stack
from graphwright.ops.core.movement import reshape as reshape_dense
from graphwright.ops.core.sequences import range as range_of
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ops.core.shapes import size
from graphwright.ops.core.static import TENSOR, check_whole, static_value
from graphwright.ops.core.unique import setdiff1d
from graphwright.ops.math.arithmetic import floordiv, floormod, maximum, minimum
from graphwright.ops.math.comparison import less, less_equal, not_equal
from graphwright.ops.math.reduction import reduce_all, reduce_max
from graphwright.ops.sparse import sparse_layout
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, ShapeLike, Tensor, TensorLike, TensorValue
from graphwright.types.dtypes import as_dtype
from graphwright.types.shape import TensorShape
from graphwright.values.convert import convert
from graphwright.values.indexed_slices import IndexedSlices
from graphwright.values.sparse.sparse_tensor import SparseLike, SparseTensor, converted


@implement(zeros_like, SparseTensor)
def dense_zeros(
    input: SparseTensor,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    layout: object = None,
) -> Any:
    """Dense zeros of the shape: of another dtype, or in a graph that knows the shape."""
    return dense_filled(zeros, input, dtype, name)


@implement(ones_like, SparseTensor)
def dense_ones(
    input: SparseTensor,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    layout: object = None,
) -> Any:
    """Dense ones of the shape: of another dtype, or in a graph that knows the shape."""
    return dense_filled(ones, input, dtype, name)


def dense_filled(
    make: Callable[..., Tensor], like: SparseTensor, dtype: DTypeLike | None, name: str | None
) -> Any:
    """What `make` makes of a sparse tensor's shape, where TensorFlow asks it for nothing else."""
    wanted = like.dtype if dtype is None else as_dtype(dtype)
    is_known = is_staged() and like.shape.is_fully_defined()
    if not is_known and wanted is like.dtype:
        return NotImplemented
    return make(like.shape if is_known else like.dense_shape, wanted, name)


def from_dense(tensor: TensorLike, name: str | None = None) -> SparseTensor:
    """Converts a tensor to a sparse tensor of the elements that are not zero, or not empty.

    Args:
        tensor: A tensor of numbers, bools or strings.
        name: A name for the op.

    Returns:
        A sparse tensor of the shape and dtype of `tensor`.

    >>> import graphwright as tf
    >>> tf.sparse.from_dense([[0, 3], [0, 0]]).indices.numpy().tolist()
    [[0, 1]]
    """
    dense = convert(tensor)
    none = fill(shape_of(dense), "") if dense.dtype is dt.string else zeros_like(dense)
    indices = where(not_equal(dense, none))
    made = SparseTensor(indices, gather_nd(dense, indices), shape_of(dense, out_type=dt.int64))
    made.set_shape(dense.shape)
    return made


def to_dense(
    sp_input: SparseLike,
    default_value: TensorLike | None = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """Converts a sparse tensor to a tensor.

    Args:
        sp_input: A sparse tensor.
        default_value: The value where there is no element; None means 0, False or "".
        validate_indices: Whether indices that are out of order or repeated are refused.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `sp_input`.

    Raises:
        InvalidArgumentError: An index is out of bounds, or not in order while that is validated.

    >>> import graphwright as tf
    >>> x = tf.sparse.SparseTensor([[0, 1]], [7], [2, 2])
    >>> tf.sparse.to_dense(x, default_value=-1).numpy().tolist()
    [[-1, 7], [-1, -1]]
    """
    x = converted(sp_input)
    default: Any = "" if x.dtype is dt.string else False if x.dtype is dt.bool_ else 0
    default = convert(default if default_value is None else default_value, x.dtype)
    op = sparse_layout.SparseToDense.of(validate_indices)
    dense = apply(op, x.indices, x.dense_shape, x.values, default, name=name)
    return known_shape(dense, x.shape)


def known_shape(tensor: Any, shape: TensorShape) -> Any:
    """A tensor, known from now on to be of a shape."""
    if shape.rank is not None:
        tensor.set_shape(shape)
    return tensor


def eye(
    num_rows: TensorLike,
    num_columns: TensorLike | None = None,
    dtype: DTypeLike = dt.float32,
    name: str | None = None,
) -> SparseTensor:
    """Returns the sparse matrix with ones on its diagonal.

    Args:
        num_rows: An int or scalar of integers.
        num_columns: An int or scalar of integers; None means `num_rows`.
        dtype: The dtype of the result.
        name: A name for the op.

    Returns:
        A sparse tensor of `dtype` of shape [num_rows, num_columns].

    >>> import graphwright as tf
    >>> tf.sparse.to_dense(tf.sparse.eye(2, 3, tf.int32)).numpy().tolist()
    [[1, 0, 0], [0, 1, 0]]
    """
    for number in (num_rows, num_columns):
        if isinstance(number, float) or as_dtype(getattr(number, "dtype", dt.int32)) in dt.INEXACT:
            raise TypeError(f"a number of rows or columns must be an integer, got {number!r}")
    rows = cast(num_rows, dt.int64)
    columns = rows if num_columns is None else cast(num_columns, dt.int64)
    count = minimum(rows, columns)
    places = range_of(count)
    ones_there = ones(reshape_dense(count, [1]), as_dtype(dtype))
    return SparseTensor(stack([places, places], axis=1), ones_there, stack([rows, columns]))


def reorder(sp_input: SparseLike, name: str | None = None) -> SparseTensor:
    """Sorts the elements of a sparse tensor in row-major order.

    Args:
        sp_input: A sparse tensor.
        name: A name for the op.

    Returns:
        A sparse tensor with the same elements.

    >>> import graphwright as tf
    >>> x = tf.sparse.SparseTensor([[1], [0]], [10, 20], [2])
    >>> tf.sparse.reorder(x).values.numpy().tolist()
    [20, 10]
    """
    x = converted(sp_input)
    parts = x.indices, x.values, x.dense_shape
    indices, values = apply(sparse_layout.REORDER, *parts, name=name)
    return shaped(SparseTensor(indices, values, x.dense_shape), x.shape)


def shaped(x: SparseTensor, shape: ShapeLike) -> SparseTensor:
    """A sparse tensor, known from now on to be of a shape."""
    x.set_shape(shape)
    return x


def reshape(sp_input: SparseLike, shape: TensorLike, name: str | None = None) -> SparseTensor:
    """Gives a sparse tensor another shape, with its elements in the same row-major order.

    Args:
        sp_input: A sparse tensor.
        shape: The new shape, as ints or a 1-D tensor of integers; one size may be -1.
        name: A name for the op.

    Returns:
        A sparse tensor of the dtype of `sp_input`.

    Raises:
        InvalidArgumentError: The shapes have different numbers of places.

    >>> import graphwright as tf
    >>> x = tf.sparse.from_dense([[1, 0], [0, 2]])
    >>> tf.sparse.to_dense(tf.sparse.reshape(x, [4])).numpy().tolist()
    [1, 0, 0, 2]
    """
    x = converted(sp_input)
    computed = is_tensor(shape) or holds_tensor(shape)
    wanted = cast(convert(shape), dt.int64) if computed else convert(shape, dt.int64)
    indices, whole = apply(sparse_layout.RESHAPE, x.indices, x.dense_shape, wanted, name=name)
    made = SparseTensor(indices, x.values, whole)
    sizes = wanted.known
    if sizes is not None:
        made.set_shape([None if n in (-1, None) else n for n in sizes])
    return made


def reset_shape(sp_input: SparseLike, new_shape: TensorLike | None = None) -> SparseTensor:
    """Gives a sparse tensor another shape, with its elements at the same indices.

    Args:
        sp_input: A sparse tensor.
        new_shape: A 1-D tensor of integers, none less than now. None means the least shape that has
            all elements.

    Returns:
        A sparse tensor of the dtype of `sp_input`.

    Raises:
        ValueError: The ranks differ, or a size is known to be too small.
        InvalidArgumentError: A size is too small.

    >>> import graphwright as tf
    >>> tf.sparse.reset_shape(tf.sparse.from_dense([[0, 3, 0], [0, 0, 0]])).shape
    TensorShape([1, 2])
    """
    x = converted(sp_input)
    indices, old = x.indices, x.dense_shape
    if new_shape is None:
        return SparseTensor(indices, x.values, maximum(0, reduce_max(indices, axis=0) + 1))
    new = wide(new_shape)
    known_rank, wanted = x.shape.rank, new.shape.with_rank(1)[0]
    if known_rank is not None and wanted is not None and known_rank != wanted:
        raise ValueError(f"Dimensions {wanted} and {known_rank} are not compatible")
    sizes = new.known if x.shape.is_fully_defined() else None
    if sizes is not None and any(n < o for n, o in zip(sizes, x.shape.as_list())):
        raise ValueError(
            "Requested new_shape should have dimension sizes >= sp_input.shape.  Found "
            f"new_shape ({list(sizes)}), sp_input.shape ({x.shape})."
        )
    apply(Assert.of(3), reduce_all(less_equal(old, new)), new, old)
    return SparseTensor(indices, x.values, new)


def transpose(
    sp_input: SparseLike, perm: TensorLike | None = None, name: str | None = None
) -> SparseTensor:
    """Permutes the axes of a sparse tensor.

    Args:
        sp_input: A sparse tensor.
        perm: The axes in their new order, as ints; None means reversed.
        name: A name for the op.

    Returns:
        A sparse tensor of the dtype of `sp_input`.

    >>> import graphwright as tf
    >>> x = tf.sparse.from_dense([[1, 2], [0, 3]])
    >>> tf.sparse.to_dense(tf.sparse.transpose(x)).numpy().tolist()
    [[1, 0], [2, 3]]
    """
    x = converted(sp_input)
    if perm is None:
        count = x.shape.rank
        order = range_of(rank_of(x) - 1, -1, -1)
        static = None if count is None else list(builtins.range(count))[::-1]
    else:
        order = convert(perm)
        static = static_value(order)
    if static is not None and x.shape.rank is not None and len(static) < x.shape.rank:
        raise ValueError(f"Dimensions {len(static)} and {x.shape.rank} are not compatible")
    moved = SparseTensor(gather(x.indices, order, axis=1), x.values, gather(x.dense_shape, order))
    if static is not None and x.shape.rank is not None:
        moved.set_shape([x.shape.as_list()[axis] for axis in static])
    return reorder(moved, name)


def rank_of(x: SparseTensor) -> Any:
    """The rank of the whole: a number where it is known."""
    return size(x.dense_shape) if x.shape.rank is None else x.shape.rank


def concat(
    axis: TensorLike,
    sp_inputs: Iterable[SparseLike],
    expand_nonconcat_dims: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Concatenates sparse tensors along an axis.

    Args:
        axis: An int.
        sp_inputs: A list of sparse tensors of one dtype and rank.
        expand_nonconcat_dims: Whether the other axes may differ in size; the result has the
            greatest.
        name: A name for the op.

    Returns:
        A sparse tensor of that dtype and rank.

    Raises:
        InvalidArgumentError: The other axes differ in size, unless that is allowed.

    >>> import graphwright as tf
    >>> x = tf.sparse.from_dense([[1, 0]])
    >>> tf.sparse.to_dense(tf.sparse.concat(1, [x, x])).numpy().tolist()
    [[1, 0, 1, 0]]
    """
    parts = [converted(x, f"sp_inputs[{i}]") for i, x in enumerate(sp_inputs)]
    if len(parts) == 1:
        return parts[0]
    axis = operator.index(static_value(axis))
    shapes = [x.dense_shape for x in parts]
    if expand_nonconcat_dims:
        shapes = widened(shapes, axis)
    op = sparse_layout.SparseConcat.of(axis)
    operands = [x.indices for x in parts], [x.values for x in parts], shapes
    indices, values, whole = apply(op, *[o for each in operands for o in each], name=name)
    return SparseTensor(indices, values, whole)


def widened(shapes: Sequence[TensorValue], axis: int) -> list[Any]:
    """Shapes whose sizes but along one axis are the greatest of all."""
    greatest = reduce_max(stack(shapes), axis=0)
    count: Any = greatest.shape[0]
    axis = axis % count if axis < 0 else axis
    return [
        join([greatest[:axis], shape[axis : axis + 1], greatest[axis + 1 :]], 0) for shape in shapes
    ]


def split(
    sp_input: SparseLike | None = None,
    num_split: SupportsInt | None = None,
    axis: TensorLike | None = None,
    name: str | None = None,
) -> list[SparseTensor]:
    """Splits a sparse tensor along an axis into parts of nearly equal size.

    The first ones are greater by 1 where the sizes differ.

    Args:
        sp_input: A sparse tensor.
        num_split: A positive int: the number of parts.
        axis: An int.
        name: A name for the op.

    Returns:
        A list of sparse tensors.

    Raises:
        ValueError: An argument is missing.
        InvalidArgumentError: `axis` does not exist, or its size is less than `num_split`.

    >>> import graphwright as tf
    >>> x = tf.sparse.from_dense([[1, 0, 2]])
    >>> [tf.sparse.to_dense(part).numpy().tolist() for part in tf.sparse.split(x, 2, axis=1)]
    [[[1, 0]], [[2]]]
    """
    for what, value in (("sp_input", sp_input), ("num_split", num_split), ("axis", axis)):
        if value is None:
            raise ValueError(f"{what} is required")
    number: Any = num_split
    place: Any = axis
    check_whole(number, "num_split")
    x, count = converted(sp_input), int(number)
    front = check_split(x, count, int(static_value(place)))
    length = x.dense_shape[front]
    base, longer = floordiv(length, count), floormod(length, count)
    pieces = []
    for i in builtins.range(count):
        begin = i * base + minimum(convert(i, dt.int64), longer)
        width = base + cast(less(i, longer), dt.int64)
        zero = zeros_like(x.dense_shape)
        start = join([zero[:front], reshape_dense(begin, [1]), zero[front + 1 :]], 0)
        part = x.dense_shape
        part = join([part[:front], reshape_dense(width, [1]), part[front + 1 :]], 0)
        pieces.append(slice(x, start, part, name))
    return pieces


def check_split(x: SparseTensor, count: int, axis: int) -> int:
    """The axis from the front; InvalidArgumentError where there is no such split."""
    known = x.shape.rank
    if count < 1:
        raise InvalidArgumentError(None, None, f"num_split must be at least 1, got {count}")
    if known is None:
        if axis < 0:
            raise ValueError(f"axis {axis} from the end of a tensor of unknown rank")
        return axis
    if not -known <= axis < known:
        raise InvalidArgumentError(
            None, None, f"Input axis should be in range [{-known}, {known}), got {axis}"
        )
    length = x.shape[axis % known]
    if length is not None and count > length:
        raise InvalidArgumentError(
            None,
            None,
            "Input num_split should be between 1 and the splitting dimension size "
            f"({length}), got {count}",
        )
    return axis % known


def wide(sizes: TensorLike) -> Any:
    """Sizes or places as int64, whatever integers they are."""
    if is_tensor(sizes) or holds_tensor(sizes):
        return cast(convert(sizes), dt.int64)
    return convert(sizes, dt.int64)


def slice(
    sp_input: SparseLike, start: TensorLike, size: TensorLike, name: str | None = None
) -> SparseTensor:
    """Cuts a part out of a sparse tensor.

    Args:
        sp_input: A sparse tensor.
        start: The first index along each axis, as a 1-D tensor of integers.
        size: The size along each axis, as a 1-D tensor of integers. It may reach beyond the end.
        name: A name for the op.

    Returns:
        A sparse tensor of the dtype and rank of `sp_input`.

    Raises:
        InvalidArgumentError: `start` or `size` does not have one entry for each axis.

    >>> import graphwright as tf
    >>> x = tf.sparse.from_dense([[1, 0, 2], [0, 3, 0]])
    >>> tf.sparse.to_dense(tf.sparse.slice(x, [0, 1], [2, 5])).numpy().tolist()
    [[0, 2], [3, 0]]
    """
    x = converted(sp_input)
    operands = [wide(part) for part in (start, size)]
    made = apply(sparse_layout.SLICE, x.indices, x.values, x.dense_shape, *operands, name=name)
    return SparseTensor(*made)


def expand_dims(
    sp_input: SparseLike, axis: int | TensorValue | None = None, name: str | None = None
) -> SparseTensor:
    """Inserts an axis of size 1 into a sparse tensor.

    Args:
        sp_input: A sparse tensor of known rank.
        axis: The place of the new axis, an int; None means the end.
        name: A name for the op.

    Returns:
        A sparse tensor of the dtype of `sp_input`.

    Raises:
        ValueError: The rank of `sp_input` is not known.
        InvalidArgumentError: `axis` is out of bounds.

    >>> import graphwright as tf
    >>> tf.sparse.expand_dims(tf.sparse.eye(2), 0).shape
    TensorShape([1, 2, 2])
    """
    x = converted(sp_input)
    count = x.shape.rank
    position = -1 if axis is None else operator.index(static_value(axis))
    if count is None:
        raise ValueError("expand_dims needs to know the rank of the sparse tensor")
    position = position + count + 1 if position < 0 else position
    if not 0 <= position <= count:
        raise InvalidArgumentError(
            None, None, f"Expected axis in [{-count - 1}, {count}], but got {axis}"
        )
    column = zeros_like(x.indices[:, :1]) if count else zeros([shape_of(x.indices)[0], 1], dt.int64)
    indices = join([x.indices[:, :position], column, x.indices[:, position:]], 1)
    one = ones([1], dt.int64)
    whole = join([x.dense_shape[:position], one, x.dense_shape[position:]], 0)
    sizes = x.shape.as_list()
    return shaped(SparseTensor(indices, x.values, whole), [*sizes[:position], 1, *sizes[position:]])


def mask(a: IndexedSlices, mask_indices: TensorLike, name: str | None = None) -> IndexedSlices:
    """Removes rows from a `tf.IndexedSlices`.

    Args:
        a: A `tf.IndexedSlices`.
        mask_indices: A 1-D tensor of the dtype of the indices of `a`: the rows to remove.
        name: A name for the op.

    Returns:
        A `tf.IndexedSlices`.

    >>> import graphwright as tf
    >>> a = tf.IndexedSlices(tf.constant([1.0, 2.0]), tf.constant([3, 5]))
    >>> tf.sparse.mask(a, [3]).values.numpy().tolist()
    [2.0]
    """
    indices, places = setdiff1d(a.indices, mask_indices)
    return IndexedSlices(gather(a.values, places, name=name), indices, a.dense_shape)


def retain(sp_input: SparseLike, to_retain: TensorLike) -> SparseTensor:
    """Selects elements of a sparse tensor by bools.

    Args:
        sp_input: A sparse tensor with `n` elements.
        to_retain: A tensor of bool of shape [n].

    Returns:
        A sparse tensor of the shape and dtype of `sp_input`.

    Raises:
        ValueError: The numbers of elements and bools differ.

    >>> import graphwright as tf
    >>> x = tf.sparse.from_dense([1, 0, 3])
    >>> tf.sparse.retain(x, [False, True]).values.numpy().tolist()
    [3]
    """
    x, flags = converted(sp_input), convert(to_retain)
    counts = x.values.shape[0], flags.shape.with_rank(1)[0]
    if None not in counts and counts[0] != counts[1]:
        raise ValueError(f"Dimensions {counts[0]} and {counts[1]} are not compatible")
    places = reshape_dense(where(flags), [-1])
    made = SparseTensor(gather(x.indices, places), gather(x.values, places), x.dense_shape)
    return shaped(made, x.shape)


def fill_empty_rows(
    sp_input: SparseLike, default_value: TensorLike, name: str | None = None
) -> tuple[SparseTensor, Tensor]:
    """Puts a default value at the beginning of each row of a sparse tensor without elements.

    Args:
        sp_input: A sparse tensor of at least 1 axis.
        default_value: A scalar of the dtype of `sp_input`.
        name: A name for the op.

    Returns:
        A pair: the sparse tensor, and a tensor of bool of shape [rows] that tells which were empty.

    >>> import graphwright as tf
    >>> x = tf.sparse.SparseTensor([[0, 1]], [7], [2, 2])
    >>> filled, empty = tf.sparse.fill_empty_rows(x, -1)
    >>> tf.sparse.to_dense(filled).numpy().tolist(), empty.numpy().tolist()
    ([[0, 7], [-1, 0]], [False, True])
    """
    x = converted(sp_input)
    default = convert(default_value, x.dtype)
    op = sparse_layout.FILL_EMPTY_ROWS
    made = apply(op, x.indices, x.values, x.dense_shape, default, name=name)
    indices, values, empty, _ = made
    return shaped(SparseTensor(indices, values, x.dense_shape), x.shape), empty


def to_indicator(sp_input: SparseLike, vocab_size: TensorLike, name: str | None = None) -> Tensor:
    """Tells for each row of ids which ids are in it.

    Args:
        sp_input: A sparse tensor of integers in [0, vocab_size), of shape [..., ids of a row].
        vocab_size: An int or scalar of integers.
        name: A name for the op.

    Returns:
        A tensor of bool of shape [..., vocab_size].

    Raises:
        InvalidArgumentError: An id is not in [0, vocab_size).

    >>> import graphwright as tf
    >>> ids = tf.sparse.SparseTensor([[0, 0], [1, 0]], [2, 0], [2, 1])
    >>> tf.sparse.to_indicator(ids, 3).numpy().tolist()
    [[False, False, True], [True, False, False]]
    """
    check_whole(vocab_size, "vocab_size", cut=(TENSOR,))
    x = converted(sp_input)
    ids = cast(x.values, dt.int64)
    count = reshape_dense(wide(vocab_size), [1])
    indices = join([x.indices[:, :-1], ids[:, None]], 1)
    whole = join([x.dense_shape[:-1], count], 0)
    present = fill(shape_of(x.values), True)
    return to_dense(SparseTensor(indices, present, whole), False, False, name)
