"""`tf.sparse`: sums, products, reductions, and functions of the elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphwright.op.dispatch import implement
from graphwright.op.interpreter import apply
from graphwright.op.op import Op
from graphwright.ops.core import casting, shapes
from graphwright.ops.core.effect_ops import Assert
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.sequences import range as range_of
from graphwright.ops.core.static import static_value
from graphwright.ops.linalg.linear_systems import matrix_transpose
from graphwright.ops.math import (
    arithmetic,
    bessel,
    magnitude,
    special,
    transcendental,
    trigonometric,
)
from graphwright.ops.math.arithmetic import conj
from graphwright.ops.math.comparison import equal
from graphwright.ops.math.reduction import reduce_all, reduce_prod
from graphwright.ops.math.reduction import reduce_sum as dense_sum
from graphwright.ops.sparse import sparse_dense as dense_ops
from graphwright.ops.sparse import sparse_sums as sums
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, Tensor, TensorLike
from graphwright.types.dtypes import DType, as_dtype
from graphwright.values.convert import convert
from graphwright.values.sparse.sparse_functions import known_shape, rank_of, shaped
from graphwright.values.sparse.sparse_tensor import SparseLike, SparseTensor, converted

_REAL = {dt.complex64: dt.float32, dt.complex128: dt.float64}


def add(a: TensorLike, b: TensorLike, threshold: TensorLike = 0) -> Any:
    """Adds two tensors, at least one of which is sparse, without broadcasting.

    Args:
        a: A tensor or sparse tensor of numbers.
        b: A tensor or sparse tensor of the shape and dtype of `a`.
        threshold: A real number. An element of a sparse sum is left out where its magnitude is
            below it.

    Returns:
        A sparse tensor where both are sparse, else a tensor.

    Raises:
        TypeError: Neither of them is sparse.
        InvalidArgumentError: The shapes differ.

    >>> import graphwright as tf
    >>> x = tf.sparse.from_dense([[1, 0], [0, 2]])
    >>> tf.sparse.to_dense(tf.sparse.add(x, x)).numpy().tolist()
    [[2, 0], [0, 4]]
    """
    if not (isinstance(a, SparseTensor) or isinstance(b, SparseTensor)):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if isinstance(a, SparseTensor) and isinstance(b, SparseTensor):
        limit = convert(threshold, _REAL.get(a.dtype, a.dtype))
        made = apply(sums.SPARSE_ADD, *parts(a), *parts(b), limit)
        return shaped(SparseTensor(*made), a.shape.merge_with(b.shape))
    pair: tuple[Any, Any] = (a, b) if isinstance(a, SparseTensor) else (b, a)
    x, dense = pair
    return apply(dense_ops.DENSE_ADD, *parts(x), convert(dense, x.dtype))


def parts(x: SparseTensor) -> tuple[Any, Any, Any]:
    """Indices, values and dense shape."""
    return x.indices, x.values, x.dense_shape


def maximum(sp_a: SparseLike, sp_b: SparseLike, name: str | None = None) -> SparseTensor:
    """Returns the greater of two sparse tensors' elements, at each place where either has one.

    Args:
        sp_a: A sparse tensor of real numbers.
        sp_b: A sparse tensor of the shape and dtype of `sp_a`.
        name: A name for the op.

    Returns:
        A sparse tensor of that shape and dtype. A missing element counts as 0.

    Raises:
        InvalidArgumentError: The shapes differ.

    >>> import graphwright as tf
    >>> a, b = tf.sparse.from_dense([1, 0, 3]), tf.sparse.from_dense([2, -1, 0])
    >>> tf.sparse.to_dense(tf.sparse.maximum(a, b)).numpy().tolist()
    [2, 0, 3]
    """
    return extreme(sums.MAXIMUM, sp_a, sp_b, name)


def minimum(sp_a: SparseLike, sp_b: SparseLike, name: str | None = None) -> SparseTensor:
    """Returns the lesser of two sparse tensors' elements, at each place where either has one.

    Args:
        sp_a: A sparse tensor of real numbers.
        sp_b: A sparse tensor of the shape and dtype of `sp_a`.
        name: A name for the op.

    Returns:
        A sparse tensor of that shape and dtype. A missing element counts as 0.

    Raises:
        InvalidArgumentError: The shapes differ.

    >>> import graphwright as tf
    >>> a, b = tf.sparse.from_dense([1, 0, 3]), tf.sparse.from_dense([2, -1, 0])
    >>> tf.sparse.to_dense(tf.sparse.minimum(a, b)).numpy().tolist()
    [1, -1, 0]
    """
    return extreme(sums.MINIMUM, sp_a, sp_b, name)


def extreme(op: Op, a: SparseLike, b: SparseLike, name: str | None) -> SparseTensor:
    """An op of two sparse tensors' elements."""
    x, y = converted(a, "sp_a"), converted(b, "sp_b")
    indices, values = apply(op, *parts(x), *parts(y), name=name)
    return shaped(SparseTensor(indices, values, x.dense_shape), x.shape)


def sparse_dense_matmul(
    sp_a: TensorLike,
    b: TensorLike,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiplies two matrices, one of them sparse.

    Args:
        sp_a: A sparse matrix, or a matrix where `b` is sparse.
        b: A matrix of the dtype of `sp_a`, or a sparse one.
        adjoint_a: Whether `sp_a` is conjugated and transposed first.
        adjoint_b: Whether `b` is conjugated and transposed first.
        name: A name for the op.

    Returns:
        A matrix of that dtype.

    Raises:
        InvalidArgumentError: The shapes do not fit.

    >>> import graphwright as tf
    >>> x = tf.sparse.from_dense([[0.0, 2.0], [1.0, 0.0]])
    >>> tf.sparse.sparse_dense_matmul(x, tf.constant([[1.0], [10.0]])).numpy().tolist()
    [[20.0], [1.0]]
    """
    if isinstance(b, SparseTensor):
        turned = sparse_dense_matmul(b, sp_a, not adjoint_b, not adjoint_a, name)
        return conj(matrix_transpose(turned))
    a = converted(sp_a, "sp_a")
    op = dense_ops.SparseTensorDenseMatMul.of(adjoint_a, adjoint_b)
    product = apply(op, *parts(a), convert(b, None, a.dtype), name=name)
    if a.shape.rank == 2:
        rows = a.shape[1 if adjoint_a else 0]
        product = known_shape(product, product.shape.merge_with([rows, None]))
    return product


def sampled_addmm(
    indices: TensorLike,
    values: TensorLike,
    dense_shape: TensorLike,
    mat1: TensorLike,
    mat2: TensorLike,
    beta: TensorLike = 1.0,
    alpha: TensorLike = 1.0,
    output_type: DTypeLike = dt.float32,
) -> tuple[Tensor, Tensor, Tensor]:
    """Returns `alpha * (mat1 @ mat2) + beta * values` at the places of a sparse matrix, or of a
    batch of them.

    Args:
        indices: A tensor of integers of shape [..., n, 2]: the rows and columns of the places.
        values: A tensor of shape [..., n]: the elements of the sparse matrices.
        dense_shape: A vector of two integers: the shape of each matrix.
        mat1: A tensor of shape [..., m, k].
        mat2: A tensor of shape [..., k, n].
        beta: A number or scalar.
        alpha: A number or scalar.
        output_type: The dtype of `values`, `mat1` and `mat2`.

    Returns:
        The three parts of a sparse tensor: `indices`, the new elements, and `dense_shape`.

    Raises:
        ValueError: A tensor is of another dtype, or `dense_shape` is not [m, n].
        InvalidArgumentError: A place lies outside of the matrices.

    >>> import graphwright as tf
    >>> _, values, _ = tf.sparse.sampled_addmm([[0, 1]], [3.0], [1, 2], [[2.0]], [[1.0, 10.0]])
    >>> values.numpy().tolist()
    [23.0]
    """
    places, shape = convert(indices), convert(dense_shape)
    dtype = as_dtype(output_type)
    elements, left, right = (convert(each, dtype) for each in (values, mat1, mat2))
    known, product = static_value(shape), left.shape[-2:-1].concatenate(right.shape[-1:])
    if known is not None and not product.is_compatible_with(known):
        raise ValueError(
            f"Dense shape: {known} does not match output shape: {product.as_list()}. Give the "
            "shape of one matrix, without batches"
        )
    rank = left.shape.with_rank_at_least(2).rank
    if rank is None:
        raise ValueError("The rank of `mat1` must be known: it says how many axes are batches")
    rows = gather(left, places[..., 0], batch_dims=rank - 2)
    columns = gather(matrix_transpose(right), places[..., 1], batch_dims=rank - 2)
    return places, alpha * dense_sum(rows * columns, -1) + beta * elements, shape


def softmax(sp_input: SparseLike, name: str | None = None) -> SparseTensor:
    """Applies softmax to the present elements along the last axis.

    Args:
        sp_input: A sparse tensor of floats of at least 2 axes.
        name: A name for the op.

    Returns:
        A sparse tensor of the shape and dtype of `sp_input`, with elements at the same places.

    Raises:
        InvalidArgumentError: `sp_input` has fewer than 2 axes.

    >>> import graphwright as tf
    >>> x = tf.sparse.from_dense([[0.0, 1.0, 1.0]])
    >>> tf.sparse.softmax(x).values.numpy().tolist()
    [0.5, 0.5]
    """
    x = converted(sp_input)
    return x.with_values(apply(dense_ops.SOFTMAX, *parts(x), name=name))


def reduce_sum(
    sp_input: SparseLike,
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Sums the elements of a sparse tensor along axes.

    Args:
        sp_input: A sparse tensor of numbers.
        axis: An int or a list of ints. None means all axes.
        keepdims: Whether the axes remain, with size 1; None means False.
        output_is_sparse: Whether the result is sparse.
        name: A name for the op.

    Returns:
        A tensor or sparse tensor of the dtype of `sp_input`.

    Raises:
        InvalidArgumentError: An axis does not exist.

    >>> import graphwright as tf
    >>> x = tf.sparse.from_dense([[1, 0, 2], [0, 3, 0]])
    >>> tf.sparse.reduce_sum(x, 1).numpy().tolist()
    [3, 3]
    """
    kinds = dense_ops.SparseReduceSum, dense_ops.SparseReduceSumSparse
    return reduced(kinds[bool(output_is_sparse)], sp_input, axis, keepdims, name)


def reduce_max(
    sp_input: SparseLike,
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the greatest of the present elements along axes, and 0 where none is present.

    Args:
        sp_input: A sparse tensor of real numbers.
        axis: An int or a list of ints. None means all axes.
        keepdims: Whether the axes remain, with size 1; None means False.
        output_is_sparse: Whether the result is sparse.
        name: A name for the op.

    Returns:
        A tensor or sparse tensor of the dtype of `sp_input`.

    Raises:
        InvalidArgumentError: An axis does not exist.

    >>> import graphwright as tf
    >>> x = tf.sparse.from_dense([[-1, 0, -2], [0, 0, 0]])
    >>> tf.sparse.reduce_max(x, 1).numpy().tolist()
    [-1, 0]
    """
    kinds = dense_ops.SparseReduceMax, dense_ops.SparseReduceMaxSparse
    return reduced(kinds[bool(output_is_sparse)], sp_input, axis, keepdims, name)


def reduced(
    kind: type[Op],
    sp_input: SparseLike,
    axis: TensorLike | None,
    keepdims: bool | None,
    name: str | None,
) -> Any:
    """A reduction of a sparse tensor."""
    x = converted(sp_input)
    if axis is None:
        count = rank_of(x)
        axis = list(range(count)) if isinstance(count, int) else range_of(count)
    result = apply(kind.of(keepdims), *parts(x), axis, name=name)
    return SparseTensor(*result) if isinstance(result, tuple) else result


def map_values(op: Callable[..., TensorLike], *args: TensorLike, **kwargs: Any) -> SparseTensor:
    """Applies a function to the elements of sparse tensors that have them at the same places.

    Args:
        op: A function of tensors, called with the elements in place of sparse tensors.
        *args: Its positional arguments, among them sparse tensors.
        **kwargs: Its keyword arguments, among them sparse tensors.

    Returns:
        A sparse tensor with the places of the first sparse argument.

    Raises:
        ValueError: No argument is sparse.
        InvalidArgumentError: The places differ.

    >>> import graphwright as tf
    >>> x = tf.sparse.from_dense([[1, 0], [0, 2]])
    >>> tf.sparse.map_values(tf.multiply, x, 10).values.numpy().tolist()
    [10, 20]
    """
    sparse = [v for v in (*args, *kwargs.values()) if isinstance(v, SparseTensor)]
    if not sparse:
        raise ValueError("No SparseTensor in argument list of map_values")
    first = sparse[0]
    for other in sparse[1:]:
        same = reduce_all(equal(first.indices, other.indices))
        apply(Assert.of(3), same, convert("Mismatched indices!"), first.indices, other.indices)

    def elements(value: object) -> object:
        return value.values if isinstance(value, SparseTensor) else value

    values = op(*map(elements, args), **{k: elements(v) for k, v in kwargs.items()})
    return first.with_values(values)


# -- public functions of sparse tensors ---------------------------------------------------------

_ELEMENTS = {
    arithmetic: "negative",
    bessel: "bessel_i0e bessel_i1e",
    special: "erf",
    magnitude: "abs sign",
    transcendental: "sqrt square",
    trigonometric: "asin asinh atan atanh sin tan tanh",
}


def of_elements(function: Callable[..., TensorLike]) -> None:
    """Registers a function of elements for sparse tensors."""

    @implement(function, SparseTensor)
    def meaning(x: SparseTensor, name: str | None = None) -> Any:
        return x.with_values(function(x.values, name=name))


for _module, _names in _ELEMENTS.items():
    for _name in _names.split():
        of_elements(getattr(_module, _name))


@implement(casting.cast, SparseTensor)
def cast_elements(x: SparseTensor, dtype: DTypeLike, name: str | None = None) -> SparseTensor:
    """The same places, the elements of another dtype."""
    return x.with_values(casting.cast(x.values, dtype, name))


@implement(arithmetic.divide, SparseTensor)
def divided(x: TensorLike, y: TensorLike, name: str | None = None) -> Any:
    """The elements divided by a dense tensor's."""
    return x / y if isinstance(x, SparseTensor) else NotImplemented


@implement(shapes.shape, SparseTensor)
def shape_of_whole(
    input: SparseTensor, out_type: DType | None = None, name: str | None = None
) -> Any:
    """The dense shape."""
    return casting.cast(input.dense_shape, dt.int32 if out_type is None else out_type)


@implement(shapes.size, SparseTensor)
def size_of_whole(
    input: SparseTensor, out_type: DType | None = None, name: str | None = None
) -> Any:
    """The number of elements of the whole."""
    whole = casting.cast(input.dense_shape, dt.int32 if out_type is None else out_type)
    return reduce_prod(whole)


@implement(shapes.rank, SparseTensor)
def rank_of_whole(input: SparseTensor, name: str | None = None) -> Any:
    """The rank of the whole."""
    return convert(rank_of(input), dt.int32)
