"""NumPy's products."""

from __future__ import annotations

from typing import Any

from graphwright.library.numpy.array_shapes import moveaxis, ravel
from graphwright.library.numpy.promotion import asarray, promoted, rank_of, sizes_of
from graphwright.ops.core.joining import stack
from graphwright.ops.core.movement import reshape
from graphwright.ops.linalg import contraction
from graphwright.ops.linalg.einsum import einsum as einsum_of
from graphwright.ops.math.arithmetic import conj
from graphwright.types.arguments import Tensor, TensorLike


def ranked(a: TensorLike, b: TensorLike, function: str) -> list[Any]:
    """Two values as tensors of one dtype; ValueError where a rank is unknown."""
    tensors = promoted(a, b)
    for tensor in tensors:
        rank_of(tensor, function)
    return tensors


def matmul(x1: TensorLike, x2: TensorLike) -> Tensor:
    """Multiplies matrices, or batches of them that broadcast.

    Args:
        x1: A matrix, a batch of matrices, or a vector, which is a row.
        x2: A matrix, a batch of matrices, or a vector, which is a column.

    Returns:
        A tensor of the promoted dtype.

    Raises:
        ValueError: An operand is a scalar, or its rank is unknown while tracing.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.matmul([[1, 2], [3, 4]], [1, 1]).numpy()
    array([3, 7])
    """
    x, y = ranked(x1, x2, "matmul")
    if 0 in (x.type.rank, y.type.rank):
        raise ValueError("matmul: operands must have at least one axis")
    if x.type.rank == 1 and y.type.rank == 1:
        return tensordot(x, y, 1)
    if y.type.rank == 1:
        return contraction.matmul(x, y[:, None])[..., 0]
    if x.type.rank == 1:
        return contraction.matmul(x[None, :], y)[..., 0, :]
    return contraction.matmul(x, y)


def tensordot(a: TensorLike, b: TensorLike, axes: TensorLike = 2) -> Tensor:
    """Sums the products of two arrays over axes of both.

    Args:
        a: The first array.
        b: The second array.
        axes: The number of last axes of `a` and first axes of `b`, or two lists: axes of `a`, axes
            of `b`.

    Returns:
        A tensor with the other axes of `a`, then those of `b`, of the promoted dtype.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.tensordot([1, 2], [3, 4], 1).numpy()
    np.int64(11)
    """
    x, y = promoted(a, b)
    return contraction.tensordot(x, y, axes)


def dot(a: TensorLike, b: TensorLike) -> Tensor:
    """Sums products over the last axis of `a` and the last but one of `b`.

    Args:
        a: The first array. A scalar multiplies `b`.
        b: The second array. Of a vector, its only axis counts.

    Returns:
        A tensor of the promoted dtype.

    Raises:
        ValueError: The rank is unknown while tracing.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.dot([1, 2], [3, 4]).numpy()
    np.int64(11)
    """
    x, y = ranked(a, b, "dot")
    if 0 in (x.type.rank, y.type.rank):
        return x * y
    return contraction.tensordot(x, y, [[-1], [-2 if (y.type.rank or 2) > 1 else -1]])


def inner(a: TensorLike, b: TensorLike) -> Tensor:
    """Sums products over the last axes of both operands.

    Args:
        a: The first array. A scalar multiplies `b`.
        b: The second array.

    Returns:
        A tensor of the promoted dtype.

    Raises:
        ValueError: The rank is unknown while tracing.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.inner([[1, 2], [3, 4]], [1, 1]).numpy()
    array([3, 7])
    """
    x, y = ranked(a, b, "inner")
    if 0 in (x.type.rank, y.type.rank):
        return x * y
    return contraction.tensordot(x, y, [[-1], [-1]])


def outer(a: TensorLike, b: TensorLike) -> Tensor:
    """Multiplies each element of one array by each of another.

    Args:
        a: The first array, of any shape.
        b: The second array, of any shape.

    Returns:
        A matrix with a row for each element of `a`, of the promoted dtype.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.outer([1, 2], [3, 4]).numpy().tolist()
    [[3, 4], [6, 8]]
    """
    x, y = promoted(a, b)
    return reshape(x, [-1, 1]) * reshape(y, [1, -1])


def vdot(a: TensorLike, b: TensorLike) -> Tensor:
    """Sums the products of all elements, those of `a` conjugated.

    Args:
        a: The first array, of any shape.
        b: The second array, with as many elements.

    Returns:
        A scalar tensor of the promoted dtype.

    Raises:
        InvalidArgumentError: The operands differ in their number of elements.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.vdot([1j, 1], [1j, 2]).numpy()
    np.complex128(3+0j)
    """
    x, y = promoted(a, b)
    return contraction.tensordot(conj(ravel(x)), ravel(y), 1)


def kron(a: TensorLike, b: TensorLike) -> Tensor:
    """Computes the Kronecker product: a block `a[i] * b` in place of each element of `a`.

    Args:
        a: The first array.
        b: The second array.

    Returns:
        A tensor whose sizes are the products of those of the operands.

    Raises:
        ValueError: A shape is unknown while tracing.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.kron([1, 10], [1, 2]).numpy()
    array([ 1,  2, 10, 20])
    """
    x, y = promoted(a, b)
    left, right = sizes_of(x, "kron"), sizes_of(y, "kron")
    rank = max(len(left), len(right))
    left, right = ([1] * (rank - len(sizes)) + sizes for sizes in (left, right))
    spread = reshape(x, [n for size in left for n in (size, 1)])
    filled = reshape(y, [n for size in right for n in (1, size)])
    return reshape(spread * filled, [m * n for m, n in zip(left, right)])


def cross(
    a: TensorLike,
    b: TensorLike,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> Tensor:
    """Computes cross products of vectors of 2 or 3 elements.

    Args:
        a: The first array.
        b: The second array.
        axisa: The axis of the vectors in `a`.
        axisb: The axis of the vectors in `b`.
        axisc: The axis of the vectors in the result.
        axis: The axis in all three, or None.

    Returns:
        A tensor of the promoted dtype. Two vectors of 2 elements give only the third component.

    Raises:
        ValueError: The vectors have another number of elements.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.cross([1, 0, 0], [0, 1, 0]).numpy()
    array([0, 0, 1])
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = promoted(a, b)
    x, y = moveaxis(x, axisa, -1), moveaxis(y, axisb, -1)
    sizes = sizes_of(x, "cross")[-1], sizes_of(y, "cross")[-1]
    if not {2, 3}.issuperset(sizes):
        raise ValueError(f"Arguments of cross have {sizes} elements; they must have 2 or 3.")
    a0, a1 = x[..., 0], x[..., 1]
    b0, b1 = y[..., 0], y[..., 1]
    last = a0 * b1 - a1 * b0
    if sizes == (2, 2):
        return last
    a2 = x[..., 2] if sizes[0] == 3 else a0 * 0
    b2 = y[..., 2] if sizes[1] == 3 else b0 * 0
    return moveaxis(stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, last], -1), -1, axisc)


def einsum(subscripts: str, *operands: TensorLike, **kwargs: object) -> Tensor:
    """Sums products of operands as subscripts describe, by Einstein's convention.

    Args:
        subscripts: The axes of the operands and of the result, such as "ij,jk->ik".
        *operands: Arrays.
        **kwargs: `casting="safe"`, `order="C"` and any `optimize`, which change nothing.

    Returns:
        A tensor of the promoted dtype.

    Raises:
        ValueError: A keyword argument has another value, or is unknown.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.einsum("ij,j->i", [[1, 2], [3, 4]], [1, 1]).numpy()
    array([3, 7])
    """
    if kwargs.pop("casting", "safe") != "safe" or kwargs.pop("order", "C") != "C":
        raise ValueError("einsum takes casting='safe' and order='C' only.")
    kwargs.pop("optimize", None)
    if kwargs:
        raise ValueError(f"einsum does not take {', '.join(kwargs)}")
    tensors = promoted(*operands)
    return einsum_of(subscripts, *(asarray(x) for x in tensors))
