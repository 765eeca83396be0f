"""NumPy's functions that make arrays, and those on diagonals and triangles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from graphwright.library.numpy.array_functions import equal
from graphwright.library.numpy.array_reductions import sum as total
from graphwright.library.numpy.array_shapes import atleast_1d, moveaxis, ravel
from graphwright.library.numpy.promotion import (
    asarray,
    dtype_of,
    rank_of,
    result_type,
    sizes,
    sizes_of,
)
from graphwright.op.interpreter import is_tensor
from graphwright.ops.core import creation, indexing, movement, sequences
from graphwright.ops.core.casting import cast
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ops.linalg import matrices as matrix_ops
from graphwright.ops.math import arithmetic
from graphwright.ops.math.reduction import reduce_sum
from graphwright.ops.math.transcendental import exp, log
from graphwright.ops.math.transcendental import pow as power
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, ShapeLike, Tensor, TensorLike, TensorValue
from graphwright.values.convert import convert

#: Whether an element counts, by its distance to the right of a diagonal.
Condition: TypeAlias = Callable[[TensorValue], TensorValue]


def array(
    val: TensorLike, dtype: DTypeLike | None = None, copy: bool = True, ndmin: int = 0
) -> Tensor:
    """Converts a value to a tensor, by NumPy's default dtypes.

    Args:
        val: A tensor, an array, a number, or a nested list of these.
        dtype: The dtype of the result. None means that of the value.
        copy: Has no effect: tensors do not change.
        ndmin: The least rank of the result: axes of size 1 come in front.

    Returns:
        A tensor.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.array([1.5], ndmin=2)
    <tf.Tensor: shape=(1, 1), dtype=float64, numpy=array([[1.5]])>
    """
    x = asarray(val, dtype)
    missing = ndmin - (rank_of(x, "array") if ndmin else 0)
    for _ in range(missing):
        x = movement.expand_dims(x, 0)
    return x


def copy(a: TensorLike) -> Tensor:
    """Returns an array as a tensor, which needs no copy since it does not change.

    Args:
        a: An array: a tensor, or a value that makes one.

    Returns:
        A tensor.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.copy([1, 2]).numpy()
    array([1, 2])
    """
    return asarray(a)


asanyarray = asarray


def ascontiguousarray(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """Converts a value to a tensor of rank 1 or more.

    Args:
        a: An array: a tensor, or a value that makes one.
        dtype: The dtype of the result. None means that of the array.

    Returns:
        A tensor.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.ascontiguousarray(3).shape
    TensorShape([1])
    """
    return atleast_1d(asarray(a, dtype))


def zeros(shape: ShapeLike, dtype: DTypeLike = float) -> Tensor:
    """Makes a tensor of zeros.

    Args:
        shape: The shape, as an int or a list of ints.
        dtype: The dtype of the result: float64 by default.

    Returns:
        A tensor of shape `shape`.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.zeros([2]).numpy()
    array([0., 0.])
    """
    return creation.zeros(sizes(shape), dtype_of(dtype))


def ones(shape: ShapeLike, dtype: DTypeLike = float) -> Tensor:
    """Makes a tensor of ones.

    Args:
        shape: The shape, as an int or a list of ints.
        dtype: The dtype of the result: float64 by default.

    Returns:
        A tensor of shape `shape`.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.ones([2], tf.int32).numpy()
    array([1, 1], dtype=int32)
    """
    return creation.ones(sizes(shape), dtype_of(dtype))


empty = zeros


def zeros_like(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """Makes a tensor of zeros with the shape of an array.

    Args:
        a: An array: a tensor, or a value that makes one.
        dtype: The dtype of the result. None means that of the array.

    Returns:
        A tensor of the shape of `a`.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.zeros_like([1.5, 2.5]).numpy()
    array([0., 0.])
    """
    return creation.zeros_like(asarray(a), None if dtype is None else dtype_of(dtype))


def ones_like(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """Makes a tensor of ones with the shape of an array.

    Args:
        a: An array: a tensor, or a value that makes one.
        dtype: The dtype of the result. None means that of the array.

    Returns:
        A tensor of the shape of `a`.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.ones_like([1.5, 2.5]).numpy()
    array([1., 1.])
    """
    return creation.ones_like(asarray(a), None if dtype is None else dtype_of(dtype))


empty_like = zeros_like


def full(shape: ShapeLike, fill_value: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """Makes a tensor of one value, or broadcasts values to a shape.

    Args:
        shape: The shape, as an int or a list of ints.
        fill_value: The value, as a number or an array.
        dtype: The dtype of the result. None means that of `fill_value`.

    Returns:
        A tensor of shape `shape`.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.full([3], 7).numpy()
    array([7, 7, 7])
    """
    return movement.broadcast_to(asarray(fill_value, dtype), sizes(shape))


def full_like(
    a: TensorLike,
    fill_value: TensorLike,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: bool = True,
    shape: ShapeLike = None,
) -> Tensor:
    """Makes a tensor of one value with the shape and dtype of an array.

    Args:
        a: An array: a tensor, or a value that makes one.
        fill_value: The value, as a number or an array.
        dtype: The dtype of the result. None means that of `a`.
        order: Has no effect.
        subok: Has no effect.
        shape: The shape of the result. None means that of `a`.

    Returns:
        A tensor.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.full_like([1.5, 2.5], 7).numpy()
    array([7., 7.])
    """
    x = asarray(a)
    dtype = x.dtype if dtype is None else dtype_of(dtype)
    shape = shape_of(x) if shape is None else sizes(shape)
    return movement.broadcast_to(asarray(fill_value, dtype), shape)


def eye(N: TensorLike, M: TensorLike | None = None, k: int = 0, dtype: DTypeLike = float) -> Tensor:
    """Makes a matrix with ones on a diagonal and zeros elsewhere.

    Args:
        N: The number of rows.
        M: The number of columns. None means `N`.
        k: The diagonal: 0 is the main one, positive ones lie above it.
        dtype: The dtype of the result: float64 by default.

    Returns:
        A tensor of shape [N, M].

    >>> import graphwright as tf
    >>> tf.experimental.numpy.eye(2).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return tri_mask(N, M, k, dtype_of(dtype), lambda distance: equal(distance, 0))


def identity(n: TensorLike, dtype: DTypeLike = float) -> Tensor:
    """Makes a square matrix with ones on the diagonal and zeros elsewhere.

    Args:
        n: The number of rows and columns.
        dtype: The dtype of the result: float64 by default.

    Returns:
        A tensor of shape [n, n].

    >>> import graphwright as tf
    >>> tf.experimental.numpy.identity(2).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return eye(n, dtype=dtype)


def tri(
    N: TensorLike, M: TensorLike | None = None, k: int = 0, dtype: DTypeLike | None = None
) -> Tensor:
    """Makes a matrix with ones on a diagonal and below it.

    Args:
        N: The number of rows.
        M: The number of columns. None means `N`.
        k: The diagonal: 0 is the main one, positive ones lie above it.
        dtype: The dtype of the result. None means float64.

    Returns:
        A tensor of shape [N, M].

    >>> import graphwright as tf
    >>> tf.experimental.numpy.tri(2).numpy().tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    dtype = dtype_of(float if dtype is None else dtype)
    return tri_mask(N, M, k, dtype, lambda distance: distance <= 0)


def tri_mask(
    rows: TensorLike, columns: TensorLike | None, k: int, dtype: DTypeLike, holds: Condition
) -> Any:
    """A matrix with ones where `holds` is true of the distance, to the right, from a diagonal."""
    down, right = [
        cast(size, dt.int64) if is_tensor(size) and size.dtype not in dt.INDEX else size
        for size in (rows, rows if columns is None else columns)
    ]
    distance = sequences.range(right)[None, :] - sequences.range(down)[:, None] - k
    return cast(holds(distance), dtype)


def tril(m: TensorLike, k: int = 0) -> Tensor:
    """Replaces the elements of matrices above a diagonal by zeros.

    Args:
        m: A matrix, or a batch of matrices.
        k: The diagonal: 0 is the main one, positive ones lie above it.

    Returns:
        A tensor of the shape and dtype of `m`.

    Raises:
        ValueError: The rank is below 2.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.tril([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 0], [3, 4]]
    """
    return masked("tril", m, k, lambda distance: distance <= 0)


def triu(m: TensorLike, k: int = 0) -> Tensor:
    """Replaces the elements of matrices below a diagonal by zeros.

    Args:
        m: A matrix, or a batch of matrices.
        k: The diagonal: 0 is the main one, positive ones lie above it.

    Returns:
        A tensor of the shape and dtype of `m`.

    Raises:
        ValueError: The rank is below 2.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.triu([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 2], [0, 4]]
    """
    return masked("triu", m, k, lambda distance: distance >= 0)


def masked(name: str, m: TensorLike, k: int, holds: Condition) -> Any:
    """The matrices, with zeros where `holds` is false of the distance from a diagonal."""
    x = asarray(m)
    if x.type.rank is not None and x.type.rank < 2:
        raise ValueError(f"Argument to {name} must have rank at least 2")
    rows, columns = shape_of(x)[-2], shape_of(x)[-1]
    mask = tri_mask(rows, columns, k, dt.bool_, holds)
    return indexing.where(mask, x, creation.zeros_like(x))


def arange(
    start: TensorLike,
    stop: TensorLike | None = None,
    step: TensorLike = 1,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """Makes a vector of numbers at equal steps, without the end.

    Args:
        start: The first number; or, where `stop` is None, the end, and 0 is the first.
        stop: The end, which is excluded, or None.
        step: The difference of two numbers.
        dtype: The dtype of the result. None means the promoted one.

    Returns:
        A vector; an empty one where the end is not in the direction of `step`.

    Raises:
        ValueError: `step` is 0.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.arange(1, 7, 2).numpy()
    array([1, 3, 5])
    """
    if not is_tensor(step) and step == 0:
        raise ValueError("Step must be non-zero.")
    common = result_type(start, 0 if stop is None else stop, step)
    kind = common if dtype is None else dtype_of(dtype)
    bounds = (0, start) if stop is None else (start, stop)
    numbers: list[Any] = [asarray(x, kind) if is_tensor(x) else x for x in (*bounds, step)]
    first, end, pace = numbers
    if not is_tensor(pace):  # an end in the other direction makes it empty
        if is_tensor(first) or is_tensor(end):
            end = (arithmetic.maximum if pace > 0 else arithmetic.minimum)(first, end)
        else:
            end = (max if pace > 0 else min)(first, end)
    return sequences.range(first, end, pace, kind)


def linspace(
    start: TensorLike,
    stop: TensorLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = float,
    axis: int = 0,
) -> Any:
    """Makes evenly spaced numbers.

    Args:
        start: The first number, or an array of them.
        stop: The end, or an array of ends.
        num: The number of elements, as an int.
        endpoint: Whether `stop` is the last element.
        retstep: Whether to return the step as well.
        dtype: The dtype of the result. None and float mean that of the ends as floats.
        axis: The place of the new axis.

    Returns:
        A tensor with a new axis of size `num`; with `retstep` a tuple of it and the step.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.linspace(0, 1, 3).numpy()
    array([0. , 0.5, 1. ])
    """
    other = None if dtype is None or dtype is float else dtype_of(dtype)
    kind = other if other and other.is_floating else result_type(start, stop, 1.0)
    first, last = asarray(start, kind), asarray(stop, kind)
    count = num - 1 if endpoint else num
    step = (last - first) / count if count else first * float("nan")
    if not endpoint:
        last = last - step
    row = sequences.linspace(first, last, num, axis=axis)
    row = row if other is None else cast(row, other)
    return (row, step) if retstep else row


def logspace(
    start: TensorLike,
    stop: TensorLike,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Tensor:
    """Makes numbers whose logarithms are evenly spaced.

    Args:
        start: The logarithm of the first number, or an array.
        stop: The logarithm of the end, or an array.
        num: The number of elements, as an int.
        endpoint: Whether the end is the last number.
        base: The base of the logarithms.
        dtype: The dtype of the result. None means float64.
        axis: The place of the new axis.

    Returns:
        A tensor with a new axis of size `num`.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.logspace(0, 2, 3).numpy()
    array([  1.,  10., 100.])
    """
    powers = linspace(start, stop, num, endpoint, axis=axis)
    numbers = power(convert(base, powers.dtype), powers)
    return numbers if dtype is None else cast(numbers, dtype_of(dtype))


def geomspace(
    start: TensorLike,
    stop: TensorLike,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Tensor:
    """Makes numbers each of which is the same multiple of the one before.

    Args:
        start: The first number, or an array; not 0.
        stop: The end, or an array, of the same sign.
        num: The number of elements, as an int.
        endpoint: Whether `stop` is the last element.
        dtype: The dtype of the result. None means float64.
        axis: The place of the new axis.

    Returns:
        A tensor with a new axis of size `num`.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.geomspace(1, 100, 3).numpy()
    array([  1.,  10., 100.])
    """
    first, last = (asarray(x, result_type(1.0)) for x in (start, stop))
    ends = log(first / first), log(last / first)
    powers = linspace(*ends, num, endpoint, axis=axis)
    numbers = first * exp(powers)
    return numbers if dtype is None else cast(numbers, dtype_of(dtype))


def diag(v: TensorLike, k: int = 0) -> Tensor:
    """Makes a matrix with a vector on a diagonal, or returns a diagonal of a matrix.

    Args:
        v: A vector or a matrix.
        k: The diagonal: 0 is the main one, positive ones lie above it.

    Returns:
        A matrix for a vector, a vector for a matrix, of the dtype of `v`.

    Raises:
        ValueError: The rank is neither 1 nor 2.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]
    """
    x = asarray(v)
    rank = rank_of(x, "diag")
    if rank == 1:
        return matrix_ops.diag(x, k=k)
    if rank != 2:
        raise ValueError("Input must be 1- or 2-d.")
    return diagonal(x, k)


def diagflat(v: TensorLike, k: int = 0) -> Tensor:
    """Makes a matrix with all elements of an array on a diagonal.

    Args:
        v: An array: a tensor, or a value that makes one.
        k: The diagonal: 0 is the main one, positive ones lie above it.

    Returns:
        A matrix of the dtype of `v`.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.diagflat([[1, 2]]).numpy().tolist()
    [[1, 0], [0, 2]]
    """
    return diag(ravel(v), k)


def diagonal(a: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """Returns the diagonals of matrices in two axes.

    Args:
        a: An array of rank 2 or more.
        offset: The diagonal: 0 is the main one, positive ones lie above it.
        axis1: The axis of rows.
        axis2: The axis of columns.

    Returns:
        A tensor of the other axes, and then one of the diagonals.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.diagonal([[1, 2], [3, 4]]).numpy()
    array([1, 4])
    """
    x = moveaxis(a, (axis1, axis2), (-2, -1))
    rows, columns = x.shape[-2:]
    if rows is not None and columns is not None and (offset >= columns or offset <= -rows):
        return reduce_sum(x[..., :0], -2)
    return matrix_ops.diag_part(x, k=offset)


def diag_indices(n: int, ndim: int = 2) -> tuple[Tensor, ...]:
    """Returns the indices of the main diagonal of a square array.

    Args:
        n: The size of the array along each axis.
        ndim: The rank of the array.

    Returns:
        A tuple of `ndim` equal int32 vectors.

    Raises:
        ValueError: `n` is negative.

    >>> import graphwright as tf
    >>> [x.numpy().tolist() for x in tf.experimental.numpy.diag_indices(2)]
    [[0, 1], [0, 1]]
    """
    if n < 0:
        raise ValueError(f"n argument to diag_indices must be nonnegative; got {n}")
    return (sequences.range(n),) * ndim


def trace(
    a: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DTypeLike | None = None
) -> Tensor:
    """Sums the diagonals of matrices in two axes.

    Args:
        a: An array of rank 2 or more.
        offset: The diagonal: 0 is the main one, positive ones lie above it.
        axis1: The axis of rows.
        axis2: The axis of columns.
        dtype: The dtype of the result. None means that of `a`.

    Returns:
        A tensor of the other axes.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.trace([[1, 2], [3, 4]]).numpy()
    np.int64(5)
    """
    elements: Any = diagonal(a, offset, axis1, axis2)
    return total(elements, -1, elements.dtype if dtype is None else dtype)


def vander(x: TensorLike, N: int | None = None, increasing: bool = False) -> Tensor:
    """Makes a Vandermonde matrix: a row of powers for each element of a vector.

    Args:
        x: A vector.
        N: The number of powers. None means the number of elements.
        increasing: Whether the powers ascend from 0.

    Returns:
        A matrix with a row for each element, of the dtype of `x`.

    Raises:
        ValueError: The rank is not 1.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.vander([2, 3], 3).numpy().tolist()
    [[4, 2, 1], [9, 3, 1]]
    """
    row = asarray(x)
    if rank_of(row, "vander") != 1:
        raise ValueError("x must be 1-d")
    count = sizes_of(row, "vander")[0] if N is None else N
    powers = sequences.range(count)
    powers = powers if increasing else count - 1 - powers
    return power(row[:, None], cast(powers, row.dtype)[None, :])
