"""`tf.sparse.bincount`, and what `tf.math.bincount` means for sparse tensors."""

from __future__ import annotations

from typing import Any

from graphwright.op.dispatch import implement
from graphwright.op.interpreter import apply
from graphwright.ops.core.creation import ones_like
from graphwright.ops.core.effect_ops import Assert
from graphwright.ops.core.movement import reshape
from graphwright.ops.math import counting
from graphwright.ops.math.comparison import equal
from graphwright.ops.math.reduction import reduce_all
from graphwright.ops.sparse import sparse_counting as ops
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.types.dtypes import DType, as_dtype
from graphwright.values.convert import convert
from graphwright.values.sparse.sparse_arithmetic import parts
from graphwright.values.sparse.sparse_functions import to_dense
from graphwright.values.sparse.sparse_tensor import SparseTensor


def bincount(
    values: TensorLike,
    weights: TensorLike | None = None,
    axis: int | None = 0,
    minlength: int | None = None,
    maxlength: int | None = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Counts how often each number occurs, or sums its weights, in a sparse tensor.

    Args:
        values: A tensor or sparse tensor of integers of at least 0.
        weights: A tensor of weights like `values`, sparse with elements at the same places where
            that is sparse. None means counts.
        axis: 0 or None to count all of `values` together, -1 to count each row.
        minlength: The least size of the last axis.
        maxlength: The numbers from here on do not count.
        binary_output: Whether the result says only that a number occurs, by 1.
        name: A name for the op.

    Returns:
        A sparse tensor of the dtype of `weights`, or of `values` without weights.

    Raises:
        ValueError: `binary_output` comes with `weights`, or `axis` is another number.
        InvalidArgumentError: A number is negative.

    >>> import graphwright as tf
    >>> tf.sparse.to_dense(tf.sparse.bincount([1, 2, 2])).numpy().tolist()
    [0, 1, 2]
    """
    if binary_output and weights is not None:
        raise ValueError(
            "Arguments `binary_output` and `weights` are mutually exclusive. Please specify only "
            "one."
        )
    if axis not in (None, 0, -1):
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported."
        )
    numbers = values if isinstance(values, SparseTensor) else convert(values)
    heavy = own_weights(numbers, weights)
    flat = axis != -1
    bounds = [-1 if n is None else int(n) for n in (minlength, maxlength)]
    if isinstance(numbers, SparseTensor) and not flat:
        kind: Any = ops.SparseCountSparseOutput
        operands: tuple[Any, ...] = (*parts(numbers), heavy)
    else:
        kind = ops.DenseCountSparseOutput
        plain = numbers.values if isinstance(numbers, SparseTensor) else numbers
        heavy = heavy if weights is None or not flat else reshape(heavy, [-1])
        operands = (reshape(plain, [-1]) if flat else plain, heavy)
    op = kind.of(heavy.dtype, bool(binary_output), *bounds)
    return SparseTensor(*apply(op, *operands, name=name))


def own_weights(numbers: SparseTensor | TensorValue, weights: TensorLike | None) -> Any:
    """The weights as a tensor: none of the numbers' dtype if none are given."""
    if weights is None:
        dtype = numbers.dtype
        return convert([], dtype if dtype in dt.INDEX else dt.int32)
    if not isinstance(numbers, SparseTensor):
        return convert(weights)
    if not isinstance(weights, SparseTensor):
        received: object = weights
        raise ValueError(
            "Argument `weights` must be a SparseTensor if `values` is a SparseTensor. Received "
            f"weights={received} of type: {type(weights).__name__}"
        )
    for part in ("indices", "dense_shape"):
        mine, other = getattr(numbers, part), getattr(weights, part)
        message = convert(f"'weights' and 'values' must have the same {part}.")
        apply(Assert.of(3), reduce_all(equal(mine, other)), message)
    return weights.values


@implement(counting.bincount, SparseTensor)
def dense_counts(
    arr: TensorLike,
    weights: TensorLike | None = None,
    minlength: int | None = None,
    maxlength: int | None = None,
    dtype: DType = dt.int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Any:
    """The counts as a dense tensor."""
    if not isinstance(arr, SparseTensor):
        return NotImplemented
    heavy = None if weights is None else own_weights(arr, weights)
    if axis != -1:
        return counting.bincount(
            arr.values, heavy, minlength, maxlength, dtype, name, axis, binary_output
        )
    if weights is None and not binary_output:
        weights = SparseTensor(arr.indices, ones_like(arr.values, as_dtype(dtype)), arr.dense_shape)
    return to_dense(bincount(arr, weights, -1, minlength, maxlength, binary_output, name))
