"""NumPy's functions that make arrays, and those on diagonals and triangles."""

from __future__ import annotations

from typing import Any

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
from graphwright.values.convert import convert


def array(val: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Any:
    """A tensor of a value, with at least `ndmin` axes."""
    x = asarray(val, dtype)
    missing = ndmin - (rank_of(x, "array") if ndmin else 0)
    for _ in range(missing):
        x = movement.expand_dims(x, 0)
    return x


def copy(a: Any) -> Any:
    """The tensor: tensors do not change."""
    return asarray(a)


asanyarray = asarray


def ascontiguousarray(a: Any, dtype: Any = None) -> Any:
    """A tensor with at least one axis."""
    return atleast_1d(asarray(a, dtype))


def zeros(shape: Any, dtype: Any = float) -> Any:
    """A tensor of zeros."""
    return creation.zeros(sizes(shape), dtype_of(dtype))


def ones(shape: Any, dtype: Any = float) -> Any:
    """A tensor of ones."""
    return creation.ones(sizes(shape), dtype_of(dtype))


empty = zeros


def zeros_like(a: Any, dtype: Any = None) -> Any:
    """Zeros of the shape and, unless `dtype` says another, the dtype of a tensor."""
    return creation.zeros_like(asarray(a), None if dtype is None else dtype_of(dtype))


def ones_like(a: Any, dtype: Any = None) -> Any:
    """Ones of the shape and, unless `dtype` says another, the dtype of a tensor."""
    return creation.ones_like(asarray(a), None if dtype is None else dtype_of(dtype))


empty_like = zeros_like


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """A tensor of one value, or of values broadcast to a shape."""
    return movement.broadcast_to(asarray(fill_value, dtype), sizes(shape))


def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
) -> Any:
    """A tensor of one value, of the shape and dtype of another unless these are given."""
    x = asarray(a)
    dtype = x.dtype if dtype is None else dtype_of(dtype)
    shape = shape_of(x) if shape is None else sizes(shape)
    return movement.broadcast_to(asarray(fill_value, dtype), shape)


def eye(N: Any, M: Any = None, k: int = 0, dtype: Any = float) -> Any:
    """The matrix with ones on the diagonal `k`."""
    return tri_mask(N, M, k, dtype_of(dtype), lambda distance: equal(distance, 0))


def identity(n: Any, dtype: Any = float) -> Any:
    """The square matrix with ones on the diagonal."""
    return eye(n, dtype=dtype)


def tri(N: Any, M: Any = None, k: int = 0, dtype: Any = None) -> Any:
    """The matrix with ones on the diagonal `k` and below."""
    dtype = dtype_of(float if dtype is None else dtype)
    return tri_mask(N, M, k, dtype, lambda distance: distance <= 0)


def tri_mask(rows: Any, columns: Any, k: int, dtype: Any, holds: Any) -> Any:
    """Ones where something holds of the distance to the right of a diagonal."""
    columns = rows if columns is None else columns
    place = sequences.range(columns)[None, :] - sequences.range(rows)[:, None] - k
    return cast(holds(place), dtype)


def tril(m: Any, k: int = 0) -> Any:
    """Matrices with zeros above the diagonal `k`."""
    return masked(m, k, lambda distance: distance <= 0)


def triu(m: Any, k: int = 0) -> Any:
    """Matrices with zeros below the diagonal `k`."""
    return masked(m, k, lambda distance: distance >= 0)


def masked(m: Any, k: int, holds: Any) -> Any:
    """Matrices with zeros where something does not hold of the distance from a diagonal."""
    x = asarray(m)
    if x.type.rank is not None and x.type.rank < 2:
        raise ValueError("Argument to tril should have rank >= 2")
    rows, columns = shape_of(x)[-2], shape_of(x)[-1]
    kept = tri_mask(rows, columns, k, dt.bool_, holds)
    return indexing.where(kept, x, creation.zeros_like(x))


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """Numbers from `start` (0 if only one is given) up to `stop`, at steps."""
    if not is_tensor(step) and step == 0:
        raise ValueError("Step must be non-zero.")
    common = result_type(start, 0 if stop is None else stop, step)
    kind = common if dtype is None else dtype_of(dtype)
    if stop is None:
        start, stop = 0, start
    start, stop, step = (asarray(x, kind) if is_tensor(x) else x for x in (start, stop, step))
    if not is_tensor(step):  # what lies the other way is empty
        if is_tensor(start) or is_tensor(stop):
            stop = (arithmetic.maximum if step > 0 else arithmetic.minimum)(start, stop)
        else:
            stop = (max if step > 0 else min)(start, stop)
    return sequences.range(start, stop, step, kind)


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = float,
    axis: int = 0,
) -> Any:
    """`num` evenly spaced numbers from `start` to `stop`, which is left out unless `endpoint`."""
    kind = None if dtype is None else dtype_of(dtype)
    kind = kind if kind is not None and kind.is_floating else result_type(start, stop, 1.0)
    first, last = asarray(start, kind), asarray(stop, kind)
    count = num - 1 if endpoint else num
    step = (last - first) / count if count else first * float("nan")
    if not endpoint:
        last = last - step
    row = sequences.linspace(first, last, num, axis=axis)
    row = row if dtype is None else cast(row, dtype_of(dtype))
    return (row, step) if retstep else row


def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Numbers whose logarithms are evenly spaced from `start` to `stop`."""
    powers = linspace(start, stop, num, endpoint, axis=axis)
    found = power(convert(base, powers.dtype), powers)
    return found if dtype is None else cast(found, dtype_of(dtype))


def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    """Numbers from `start` to `stop`, each the same multiple of the one before."""
    first, last = (asarray(x, dt.float64) for x in (start, stop))
    powers = linspace(log(first / first), log(last / first), num, endpoint, axis=axis)
    found = first * exp(powers)
    return found if dtype is None else cast(found, dtype_of(dtype))


def diag(v: Any, k: int = 0) -> Any:
    """The matrix with a vector on the diagonal `k`, or that diagonal of a matrix."""
    x = asarray(v)
    rank = rank_of(x, "diag")
    if rank == 1:
        return matrix_ops.diag(x, k=k)
    if rank != 2:
        raise ValueError("Input must be 1- or 2-d.")
    return diagonal(x, k)


def diagflat(v: Any, k: int = 0) -> Any:
    """The matrix with all elements on the diagonal `k`."""
    return diag(ravel(v), k)


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The diagonals of matrices in two axes, along a new last axis."""
    x = moveaxis(a, (axis1, axis2), (-2, -1))
    rows, columns = x.shape[-2:]
    if rows is not None and columns is not None and (offset >= columns or offset <= -rows):
        return reduce_sum(x[..., :0], -2)
    return matrix_ops.diag_part(x, k=offset)


def diag_indices(n: int, ndim: int = 2) -> tuple[Any, ...]:
    """The places of a diagonal along each of so many axes."""
    if n < 0:
        raise ValueError(f"n argument to diag_indices must be nonnegative; got {n}")
    return (sequences.range(n),) * ndim


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    """The sums of the diagonals of matrices in two axes."""
    return total(diagonal(a, offset, axis1, axis2), -1, dtype)


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """The powers of each element, the highest first unless `increasing`."""
    row = asarray(x)
    if rank_of(row, "vander") != 1:
        raise ValueError("x must be 1-d")
    count = sizes_of(row, "vander")[0] if N is None else N
    powers = sequences.range(count)
    powers = powers if increasing else count - 1 - powers
    return power(row[:, None], cast(powers, row.dtype)[None, :])
