"""Evenly spaced numbers: ranges by step, linspace by count."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert, makes_tensor
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import host_vector
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import broadcast_to, expand_dims, reshape
from graphwright.ops.core.rule_words import host
from graphwright.ops.core.shapes import broadcast_shape_of, rank
from graphwright.ops.core.slicing import slice as slice_of
from graphwright.ops.core.static import known_int
from graphwright.ops.math.arithmetic import maximum, minimum
from graphwright.ops.math.comparison import SELECT, equal
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.tensor_type import TensorType, show_dims

_TOO_MANY = f"Requires ((limit - start) / delta) <= {dt.int64.max}"


class Range(Op):
    """start, start + delta, ... below limit."""

    type_name = "Range"
    inputs = ("start: Tidx host", "limit: Tidx host", "delta: Tidx host")
    outputs = ("output: Tidx",)
    dtypes = {"Tidx": dt.REAL}
    gradient = not_differentiable

    Tidx: DType

    def shapes(self, start: Any, limit: Any, delta: Any) -> Shapes:
        for name, value in (("start", start), ("limit", limit), ("delta", delta)):
            if isinstance(value, tuple):
                raise ValueError(f"{name} must be a scalar, not shape {show_dims(np.shape(value))}")
        if None in (start, limit, delta):
            return ((None,),)
        return ((self.count(start, limit, delta),),)

    def count(self, start: Any, limit: Any, delta: Any) -> int:
        """How many steps of `delta` lead from `start` up to but not including `limit`."""
        if delta == 0:
            raise ValueError("Requires delta != 0: 0")
        if (limit - start) * delta < 0:
            relation, sign = ("<=", ">") if delta > 0 else (">=", "<")
            raise ValueError(
                f"Requires start {relation} limit when delta {sign} 0: {start}/{limit}"
            )
        if not self.Tidx.is_floating:
            number = -(-(limit - start) // delta)
            if number > dt.int64.max:
                raise ValueError(_TOO_MANY)
            return int(number)
        kind = self.Tidx.as_numpy_dtype
        steps = np.abs((kind(limit) - kind(start)) / kind(delta))
        if not steps <= dt.int64.max:
            raise ValueError(_TOO_MANY)
        return int(np.ceil(steps))

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        if self.Tidx not in (dt.int32, dt.int64):
            return self.kernel
        dtype, kernel = self.Tidx.numpy_dtype, self.kernel

        def kernel_of_ints(start: float, limit: float, delta: float) -> Any:
            plain = type(start) is type(limit) is int
            if plain and delta == 1 and start <= limit <= start + dt.int64.max:
                return np.arange(start, limit, dtype=dtype)
            return kernel(start, limit, delta)

        return kernel_of_ints

    def kernel(self, start: float, limit: float, delta: float) -> Any:
        kind = self.Tidx.as_numpy_dtype
        size: Any = (self.shapes(start, limit, delta)[0] or ())[0]
        if self.Tidx.is_floating:
            return np.asarray(kind(start) + np.arange(size).astype(kind) * kind(delta))
        return np.arange(start, limit, delta, dtype=kind)

    def known(self, start: Any, limit: Any, delta: Any) -> Any:
        if None in (start, limit, delta) or not self.Tidx.is_integer:
            return None
        return tuple(builtins.range(start, limit, delta))


class LinSpace(Op):
    """`num` evenly spaced numbers from `start` to `stop`."""

    type_name = "LinSpace"
    inputs = ("start: T", "stop: T", "num: Tidx host")
    outputs = ("output: T",)
    dtypes = {"T": dt.FLOATING, "Tidx": dt.INDEX}
    ranks = {"start": 0, "stop": 0, "num": 0}
    gradient = not_differentiable

    def shapes(self, start: TensorType, stop: TensorType, num: int | None) -> Shapes:
        if num is not None and num <= 0:
            raise ValueError(f"Requires num > 0: {num}")
        return ((num,),)

    def kernel(self, start: Array, stop: Array, num: int) -> Any:
        start, stop = np.asarray(start), np.asarray(stop)
        if num == 1:
            return np.reshape(start, (1,))
        step = np.asarray((stop - start) / start.dtype.type(num - 1))
        result = np.asarray(start + step * np.arange(num).astype(start.dtype))
        result[-1] = stop
        return result

    def expand(self, start: GraphTensor, stop: GraphTensor, num: GraphTensor) -> Any:
        """start + i * step; the last one is where it stops."""
        count = host(num)
        if count is None or count < 1:
            return None
        if count == 1:
            return reshape(start, [1])
        numbers = range(count)
        step = (stop - start) / cast(float(count - 1), start.dtype)
        between = start + step * cast(numbers, start.dtype)
        return apply(SELECT, equal(numbers, count - 1), stop, between)


INT_RANGE, SMALL = Range.of(dt.int32), dt.int32.max
_INT = frozenset({int})

#: The dtypes that a range may have, the later the wider.
HIERARCHY = (dt.int32, dt.int64, dt.float16, dt.bfloat16, dt.float32, dt.float64)


def range(
    start: TensorLike,
    limit: TensorLike | None = None,
    delta: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str | None = "range",
) -> Tensor:
    """Returns the numbers start, start + delta, ... up to `limit`, which is left out.

    With one argument, that is the limit, and the start is 0.

    Args:
        start: A scalar of real numbers: the first number.
        limit: A scalar of real numbers: where the numbers end, itself left out.
        delta: A scalar of real numbers: the step.
        dtype: The dtype of the result. None means the last that an argument has of int32, int64,
            float16, bfloat16, float32 and float64.
        name: A name for the op.

    Returns:
        A vector of `dtype`.

    Raises:
        InvalidArgumentError: `delta` is 0, or leads away from `limit`.
        TypeError: The arguments are of several dtypes, one of them not among those six.

    >>> import graphwright as tf
    >>> tf.range(3, 18, 3)
    <tf.Tensor: shape=(5,), dtype=int32, numpy=array([ 3,  6,  9, 12, 15], dtype=int32)>
    """
    if limit is None:
        start, limit = 0, start
    bounds: tuple[Any, ...] = (start, limit, delta)
    plain = dtype is None and _INT.issuperset(map(type, bounds))
    if plain and max(bounds) < SMALL and min(bounds) > -SMALL:
        return apply(INT_RANGE, *bounds, name=name)
    if dtype is None:
        kind = widest([kind_of(b) for b in bounds])
        bounds = tuple([float(np.float32(b)) if type(b) is float else b for b in bounds])
    else:
        kind = as_dtype(dtype)
    return apply(Range.of(kind), *[of_kind(b, kind) for b in bounds], name=name)


def kind_of(bound: TensorLike) -> DType:
    """The dtype that a bound of a range has or would be converted to."""
    if type(bound) is int:
        return dt.int32 if dt.int32.min <= bound <= dt.int32.max else dt.int64
    if type(bound) is float:
        return dt.float32
    dtype: DType = convert(bound).dtype
    return dtype


def widest(kinds: Sequence[DType]) -> DType:
    """The dtype of a range between bounds of these dtypes."""
    if all(k is kinds[0] for k in kinds) and kinds[0] in dt.REAL:
        return kinds[0]
    for kind in kinds:
        if kind not in HIERARCHY:
            raise TypeError(
                f"The bounds of tf.range must be of {', '.join(k.name for k in HIERARCHY)}, or "
                f"given a dtype; got {kind.name}"
            )
    return max(kinds, key=HIERARCHY.index)


def of_kind(bound: Any, kind: DType) -> Any:
    """A bound of a range as a host operand of the range's dtype."""
    if makes_tensor(bound):
        return cast(bound, kind)
    return float(bound) if kind.is_floating and np.ndim(bound) == 0 else bound


def linspace(
    start: Any, stop: Any, num: TensorLike, name: str | None = None, axis: int = 0
) -> Tensor:
    """Returns evenly spaced values from `start` to `stop`, both included, along a new axis.

    Args:
        start: A tensor of numbers. Integers of 8 or 16 bits become float32, others float64.
        stop: A tensor like `start`; the two broadcast.
        num: The number of values: an int or a scalar of integers.
        name: A name for the op.
        axis: The place of the new axis, an int.

    Returns:
        A tensor of the dtype that `start` has or becomes, with a new axis of size `num`.

    Raises:
        TypeError: `num` is no integer.

    >>> import graphwright as tf
    >>> tf.linspace(0.0, 1.0, 5).numpy().tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    start = convert(start)
    stop = convert(stop, start.dtype)
    if start.dtype.is_integer:
        wide = dt.float32 if start.dtype.size < 4 else dt.float64
        start, stop = cast(start, wide), cast(stop, wide)
    num, axis = integer(num), known_int(axis)
    whole = broadcast_shape_of(start, stop)
    start = expand_dims(broadcast_to(start, whole), axis)
    stop = expand_dims(broadcast_to(stop, whole), axis)
    steps = larger(num, 2) - 1  # of the least number, 1 cannot be taken
    delta = (stop - start) / cast(convert(steps), start.dtype)
    if isinstance(num, int):
        end = steps if num >= 0 else -1
    else:  # the same, in arithmetic that machine code knows of sizes
        end = steps + 2 * maximum(minimum(num, 0), -1)
    column = only_at(axis, steps - 1, 1, start)
    between = reshape(cast(range(1, end, dtype=dt.int32), start.dtype), column)
    values = concat([start, start + delta * between, stop], axis)
    first = only_at(axis, 0, 0, start)
    return slice_of(values, first, only_at(axis, num, -1, start), name=name)


def only_at(axis: int, value: TensorLike, otherwise: int, like: TensorValue) -> Any:
    """A host vector with an entry for each axis of `like`: `value` for one, else `otherwise`."""
    known = like.type.rank
    if known is not None and isinstance(axis, int):
        entries: list[Any] = [otherwise] * known
        entries[axis] = value
        return host_vector(entries)
    count = rank(like)
    here = equal(range(count), axis % count)
    return apply(SELECT, here, convert(value, dt.int32), convert(otherwise, dt.int32))


def integer(num: TensorLike) -> Any:
    """A count as an int or an integer tensor; TypeError for anything else."""
    count: Any = known_int(num)
    if isinstance(count, int) and not isinstance(count, bool):
        return count
    tensor = convert(count)
    check_integers(tensor, "num")
    return cast(tensor, dt.int32)


def check_integers(tensor: Any, name: str) -> None:
    """Raises TypeError for an argument that is a tensor of anything else."""
    if not tensor.dtype.is_integer:
        shown = tensor.numpy() if hasattr(tensor, "numpy") else tensor
        raise TypeError(
            f"Argument `tensor` (name: {name}) must be of type integer. Received `tensor` = "
            f"{shown} of dtype: {tensor.dtype}"
        )


def larger(x: TensorLike, bound: int) -> Any:
    """max(x, bound) of an int or of a tensor."""
    return max(x, bound) if isinstance(x, int) else maximum(x, bound)
