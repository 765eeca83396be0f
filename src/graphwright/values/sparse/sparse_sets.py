"""`tf.sets`: the last axis of tensors as sets."""

from __future__ import annotations

from typing import Any

from graphwright.op.interpreter import apply
from graphwright.ops.sparse import set_ops as ops
from graphwright.ops.sparse.set_ops import MEMBERS
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike, TensorValue
from graphwright.values.convert import convert
from graphwright.values.sparse.sparse_arithmetic import parts
from graphwright.values.sparse.sparse_tensor import SparseTensor


def size(a: SparseTensor, validate_indices: bool = True) -> Tensor:
    """Counts the distinct elements in each row of a sparse tensor, taken as sets.

    Args:
        a: A sparse tensor of integers or strings, of shape [..., elements].
        validate_indices: Whether indices that are out of order or bounds are refused.

    Returns:
        A tensor of int32 of shape [...].

    Raises:
        TypeError: `a` is not sparse, or of another dtype.

    >>> import graphwright as tf
    >>> tf.sets.size(tf.sparse.from_dense([[1, 2, 2], [3, 0, 0]])).numpy().tolist()
    [2, 1]
    """
    if not isinstance(a, SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {a}.")
    return apply(ops.SetSize.of(validate_indices), *parts(member_checked(a, "a")))


def intersection(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> SparseTensor:
    """Returns the sorted elements that are in the rows of both tensors, taken as sets.

    Args:
        a: A tensor or sparse tensor of integers or strings, of shape [..., elements].
        b: A tensor or sparse tensor of the dtype of `a`, with the same sizes before the last.
        validate_indices: Whether indices that are out of order or bounds are refused.

    Returns:
        A sparse tensor of the dtype of `a`, of shape [..., size of the greatest set].

    Raises:
        TypeError: The dtypes differ, or are not valid.

    >>> import graphwright as tf
    >>> result = tf.sets.intersection([[1, 2]], [[2, 5]])
    >>> tf.sparse.to_dense(result).numpy().tolist()
    [[2]]
    """
    return combined(a, b, "intersection", validate_indices)


def difference(
    a: TensorLike, b: TensorLike, aminusb: bool = True, validate_indices: bool = True
) -> SparseTensor:
    """Returns the sorted elements that are in the rows of one tensor only, taken as sets.

    Args:
        a: A tensor or sparse tensor of integers or strings, of shape [..., elements].
        b: A tensor or sparse tensor of the dtype of `a`, with the same sizes before the last.
        aminusb: Whether the result has the elements of `a` that are not in `b`. Otherwise it is the
            other way round.
        validate_indices: Whether indices that are out of order or bounds are refused.

    Returns:
        A sparse tensor of the dtype of `a`, of shape [..., size of the greatest set].

    Raises:
        TypeError: The dtypes differ, or are not valid.

    >>> import graphwright as tf
    >>> result = tf.sets.difference([[1, 2]], [[2, 5]])
    >>> tf.sparse.to_dense(result).numpy().tolist()
    [[1]]
    """
    return combined(a, b, "a-b" if aminusb else "b-a", validate_indices)


def union(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> SparseTensor:
    """Returns the sorted elements that are in the rows of either tensor, taken as sets.

    Args:
        a: A tensor or sparse tensor of integers or strings, of shape [..., elements].
        b: A tensor or sparse tensor of the dtype of `a`, with the same sizes before the last.
        validate_indices: Whether indices that are out of order or bounds are refused.

    Returns:
        A sparse tensor of the dtype of `a`, of shape [..., size of the greatest set].

    Raises:
        TypeError: The dtypes differ, or are not valid.

    >>> import graphwright as tf
    >>> result = tf.sets.union([[1, 2]], [[2, 5]])
    >>> tf.sparse.to_dense(result).numpy().tolist()
    [[1, 2, 5]]
    """
    return combined(a, b, "union", validate_indices)


_TURNED = {"a-b": "b-a", "b-a": "a-b"}


def combined(a: TensorLike, b: TensorLike, rule: str, validate_indices: bool) -> SparseTensor:
    """The sets that a rule makes of two tensors', dense or sparse."""
    x, y = members(a, "a"), members(b, "b")
    if x.dtype is not y.dtype:
        raise TypeError(f"The dtypes of 'a' and 'b' differ: {x.dtype!r} and {y.dtype!r}")
    if isinstance(x, SparseTensor) and not isinstance(y, SparseTensor):
        x, y, rule = y, x, _TURNED.get(rule, rule)
    kind: Any = ops.DenseToDenseSetOperation
    operands: tuple[Any, ...] = (x, y)
    if isinstance(x, SparseTensor):
        kind, operands = ops.SparseToSparseSetOperation, (*parts(x), *parts(y))
    elif isinstance(y, SparseTensor):
        kind, operands = ops.DenseToSparseSetOperation, (x, *parts(y))
    return SparseTensor(*apply(kind.of(rule, validate_indices), *operands))


def members(value: TensorLike, what: str) -> Any:
    """A tensor, dense or sparse, of what can be in sets; TypeError that names another's dtype."""
    return member_checked(value if isinstance(value, SparseTensor) else convert(value), what)


def member_checked(tensor: SparseTensor | TensorValue, what: str) -> Any:
    """A tensor whose dtype is one that can be in sets."""
    if tensor.dtype not in MEMBERS:
        names = ", ".join(sorted(dtype.name for dtype in MEMBERS | dt.STRING))
        raise TypeError(
            f"{what!r} has invalid dtype `{tensor.dtype!r}` not in supported dtypes: {names}"
        )
    return tensor
