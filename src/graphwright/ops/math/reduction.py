"""Reductions along axes, elementwise over what is left; integers wrap around.

A gradient spreads a cotangent over the reduced axes again (`spread`), which is the
broadcast that is the adjoint of a sum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar, TypeAlias

import numpy as np

from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert, is_tensor
from graphwright.op.one_op import one_op
from graphwright.op.op import REGISTRY, Call, is_nested, not_differentiable
from graphwright.op.op_families import Reduction
from graphwright.op.scalars import truncated_quotient
from graphwright.ops.core.casting import cast
from graphwright.ops.core.identity import stop_gradient
from graphwright.ops.core.movement import broadcast_to, expand_dims, reshape
from graphwright.ops.core.own_ops import Average
from graphwright.ops.core.rule_words import in_float32, rounded_once, widened
from graphwright.ops.core.shapes import rank_of, shape, shape_of, size
from graphwright.ops.math.arithmetic import conj, divide_no_nan, floordiv, floormod, maximum
from graphwright.ops.math.comparison import (
    boolean,
    equal,
    logical_and,
    logical_not,
    not_equal,
    select,
)
from graphwright.ops.math.complex_parts import real
from graphwright.ops.math.magnitude import sign
from graphwright.ops.math.rounding import is_finite
from graphwright.ops.math.transcendental import exp, log, sqrt, square
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, HostValue, Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array, ArrayDType
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import entries, normalize_axes

#: The axes of a reduction as a kernel goes along them.
Axes: TypeAlias = int | tuple[int, ...]
#: `reduce` of a ufunc.
Reduce: TypeAlias = Callable[..., Array]

ADD_UP: Reduce = np.add.reduce

#: The number of elements from which on the order of traversal matters.
LARGE = 1 << 12
#: The number of floats that are added up one after the other.
BLOCK = 1 << 10
#: The dtype in which 16 bit floats are added up.
WIDE = {dt.float16: np.dtype(np.float32), dt.bfloat16: np.dtype(np.float32)}

# -- the adjoint: a cotangent spread over the reduced axes ----------------------------------


def expanded(y: TensorValue, call: Call) -> Any:
    """A reduction's result, or its cotangent, with the reduced axes as 1."""
    op, (x, axes) = call.op, call.inputs
    if op.keep_dims:  # type: ignore[attr-defined]
        return y
    rank = x.type.rank
    known = axes.known if is_tensor(axes) else axes
    if rank is None or known is None or (isinstance(known, tuple) and None in known):
        return reshape(y, expanded_shape(x, axes))
    if x.type.is_static:
        dims = list(x.type.dims)
        for axis in normalize_axes(known, rank):
            dims[axis] = 1
        return reshape(y, tuple(dims))
    for axis in sorted(normalize_axes(known, rank)):
        y = expand_dims(y, axis)
    return y


def expanded_shape(x: TensorValue, axes: TensorLike) -> Any:
    """The shape of `x` with 1 at the axes, where rank or axes are known only when it runs."""
    rank = rank_of(x)
    reduced = reshape(floormod(cast(convert(axes), dt.int32), maximum(rank, 1)), (1, -1))
    places = expand_dims(range_vector(rank), 1)
    return select(reduce_any(equal(places, reduced), 1), 1, shape(x))


def range_vector(n: TensorLike) -> Any:
    """0, 1, ... n - 1 as int32."""
    # The op is looked up by name: `creation` needs this file for its own adjoints.
    return apply(REGISTRY["Range"].of(dt.int32), 0, n, 1)


def spread(g: Cotangent, call: Call) -> Any:
    """The cotangent of a reduction's result, repeated along the reduced axes."""
    return broadcast_to(expanded(g, call), shape_of(call.inputs[0]))


def checked_axes(x: Array, axes: HostValue) -> Axes:
    """The axes, flattened; ValueError for axes of a scalar, which NumPy would take.

    They must be a vector where shapes are inferred, but a kernel takes nested tuples too.
    """
    nested = type(axes) is tuple and axes and type(axes[0]) is tuple
    flat: Any = entries(axes) if nested else axes
    if not x.ndim and flat != ():
        raise ValueError(f"Invalid reduction dimension ({flat} for input with 0 dimension(s)")
    places: Axes = flat
    return places


def along(
    reduce: Reduce, keepdims: bool, dtype: Any = None, initial: Any = np._NoValue
) -> Callable[[Array, HostValue], Any]:
    """A ufunc's `reduce` along axes, in a dtype or from an initial value.

    A large array is reduced one axis after the other where the axis along which neighbours lie
    stays: NumPy would traverse no more than that axis at a time. Floats are added up in blocks.
    """
    along_one = partial(reduce, dtype=dtype, keepdims=True, initial=initial)
    if reduce == ADD_UP and np.dtype(dtype).kind in "fc":
        along_one = partial(in_blocks, along_one)

    def reduced(x: Array, axes: HostValue) -> Array:
        places = axes if type(axes) is int and x.ndim else checked_axes(x, axes)
        if x.size >= LARGE:
            each = places if isinstance(places, tuple) else (places,)
            long = sorted({axis % x.ndim for axis in each if x.shape[axis] > 1})
            many = len(long) > 1 or (len(long) == 1 and x.shape[long[0]] > BLOCK)
            if (
                many
                and all(x.strides[axis] != x.itemsize for axis in long)
                and len({*each}) == len(each)
            ):
                for axis in long:
                    x = along_one(x, axis=axis)
                return x if keepdims else x.squeeze(places)
        return reduce(x, places, dtype, None, keepdims, initial)  # names of arguments take 0.2 us

    return reduced


def in_blocks(add_up: Reduce, x: Array, axis: int) -> Array:
    """A sum along an axis, block by block: a large partial sum would absorb the next float."""
    before = (slice(None),) * axis
    while x.shape[axis] > BLOCK:
        whole = x.shape[axis] // BLOCK * BLOCK
        first, rest = [(*before, part) for part in (slice(whole), slice(whole, None))]
        blocks = x[first].reshape(*x.shape[:axis], -1, BLOCK, *x.shape[axis + 1 :])
        left = [add_up(x[rest], axis=axis)] if whole < x.shape[axis] else []
        x = np.concatenate([add_up(blocks, axis=axis + 1).squeeze(axis + 1), *left], axis)
    return add_up(x, axis=axis)


# -- sums, products, means ------------------------------------------------------------------


class Accumulation(Reduction):
    """A reduction by a ufunc, of 16 bit floats in float32."""

    ufunc: ClassVar[Any] = np.add

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        dtype, wide = types[0].numpy_dtype, WIDE.get(types[0])
        reduced = along(type(self).ufunc.reduce, self.keep_dims, dtype=wide or dtype)
        return reduced if wide is None else lambda x, axes: reduced(x, axes).astype(dtype)


class Sum(Accumulation):
    """The sum of the elements along axes."""

    type_name = "Sum"
    combination = "sum"
    expand = in_float32

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return spread(g, call), None


class Prod(Accumulation):
    """The product of the elements along axes."""

    type_name = "Prod"
    combination = "prod"
    ufunc = np.multiply
    expand = in_float32

    def known(self, x: HostValue, axes: HostValue) -> int | None:
        whole = axes == 0 or axes == (0,)
        if not whole or self.keep_dims or not isinstance(x, tuple) or None in x or is_nested(x):
            return None
        sizes: Any = x
        return int(np.prod(sizes, dtype=np.int64))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        """The product of the other elements: the whole over x, where that can be divided.

        Zeros, infinities and NaN cannot. So they are multiplied apart, and a single one leaves the
        product of all others. The whole is of a wider dtype, since it may leave the range of x
        though the others do not.
        """
        narrow, axes = call.inputs
        x = cast(narrow, _ROOM.get(narrow.dtype, narrow.dtype))
        is_usual = logical_and(not_equal(x, 0), equal(x - x, 0))
        divisor = select(is_usual, x, 1)
        others = reduce_prod(divisor, axes, True)
        apart = reduce_prod(select(is_usual, 1, x), axes, True)
        count = reduce_sum(cast(logical_not(is_usual), dt.int32), axes, True)
        alone = others * select(equal(count, 1), 1, apart * sign(x))
        product = select(is_usual, divide_no_nan(others, divisor) * apart, alone)
        return expanded(g, call) * cast(conj(product), narrow.dtype), None


#: The dtype in which a product of others is computed, where there is a wider one.
_ROOM = {
    dt.bfloat16: dt.float32,
    dt.float16: dt.float32,
    dt.float32: dt.float64,
    dt.complex64: dt.complex128,
}


class Mean(Reduction):
    """The sum of the elements along axes over their number, truncated for integers."""

    type_name = "Mean"

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        dtype, keep = types[0].numpy_dtype, self.keep_dims
        if types[0].is_integer:
            return integer_mean(dtype, keep)
        wide = WIDE.get(types[0])
        added = along(ADD_UP, keep, dtype=wide or dtype)
        least = 1 if types[0].is_complex else 0  # the mean of no complex numbers is 0, not NaN

        def mean(x: Array, axes: HostValue) -> Any:
            total = added(x, axes)
            return total / dtype.type(max(x.size / total.size if total.size else 1, least))

        def narrowed(x: Array, axes: HostValue) -> Any:
            total = added(x, axes)
            return (total / np.float32(x.size / max(total.size, 1))).astype(dtype)

        return mean if wide is None else narrowed

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, y = call.inputs[0], call.outputs[0]
        have, left = x.type.size, y.type.size
        if have is not None and left is not None:
            count: Any = have // max(left, 1)
        else:
            count = cast(floordiv(size(x), maximum(size(y), 1)), g.dtype)
        return spread(g, call) / count, None

    def expand(self, x: GraphTensor, axes: GraphTensor) -> Any:
        """Halves are added up in float32, integers in 64 bits; these are truncated."""
        wide = widened(x)
        if x.dtype.is_integer:
            wide = cast(x, dt.uint64 if x.dtype in dt.UNSIGNED else dt.int64)
        return cast(average(wide, axes, self.keep_dims), x.dtype)


def integer_mean(dtype: ArrayDType, keep: bool) -> Callable[[Array, HostValue], Any]:
    """The mean of integers, rounded towards zero, from a sum of 64 bits."""
    wide = np.int64 if dtype.kind == "i" else np.uint64
    added = along(ADD_UP, keep, dtype=wide)

    def mean(x: Array, axes: HostValue) -> Any:
        total = added(x, axes)
        count = x.size // total.size if total.size else 1
        return truncated_quotient(total, wide(max(count, 1))).astype(dtype)

    return mean


def average(x: GraphTensor, axes: object, keepdims: bool = False) -> Any:
    """The sum over the number of elements, in an expansion."""
    return apply(Average.of(), apply(Sum.of(keepdims), x, axes), x)


class EuclideanNorm(Reduction):
    """The root of the sum of squares of the elements along axes."""

    type_name = "EuclideanNorm"

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        dtype, keep = types[0].numpy_dtype, self.keep_dims
        wide = WIDE.get(types[0], types[0].real_dtype.numpy_dtype)
        added = along(ADD_UP, keep, dtype=wide)

        def norm(x: Array, axes: HostValue) -> Any:
            squares = np.square(np.abs(x).astype(wide, copy=False))
            return np.sqrt(added(squares, axes)).astype(dtype)

        return norm

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, y = call.inputs[0], call.outputs[0]
        return x * (expanded(g, call) / expanded(y, call)), None

    @rounded_once
    def expand(self, x: GraphTensor, axes: GraphTensor) -> Any:
        return sqrt(apply(Sum.of(self.keep_dims), x * x, axes)) if x.dtype.is_floating else None


# -- extremes, logic ------------------------------------------------------------------------


class Extreme(Reduction):
    """The greatest or least element along axes; without elements, the lowest or highest value."""

    dtypes = {"T": dt.REAL, "Tidx": dt.INDEX}
    ufunc: ClassVar[Any] = np.maximum

    def start(self, dtype: DType) -> Any:
        """The extreme of no elements."""
        raise NotImplementedError

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        start = types[0].numpy_dtype.type(self.start(types[0]))
        return along(type(self).ufunc.reduce, self.keep_dims, initial=start)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        """Shared evenly among the elements that attain the extreme."""
        x, axes = call.inputs
        chosen = cast(equal(x, expanded(call.outputs[0], call)), g.dtype)
        return chosen / reduce_sum(chosen, axes, True) * expanded(g, call), None


class Max(Extreme):
    """The greatest element along axes."""

    type_name = "Max"
    combination = "max"
    expand = in_float32

    def start(self, dtype: DType) -> Any:
        return -np.inf if dtype.is_floating else dtype.min


class Peak(Extreme):
    """The greatest number of a row that its elements are shifted by: NaN need not come through,
    since what is made of its own elements has it anyway."""

    type_name = "_Peak"
    combination = "peak"


class Min(Extreme):
    """The least element along axes."""

    type_name = "Min"
    combination = "min"
    ufunc = np.minimum
    expand = in_float32

    def start(self, dtype: DType) -> Any:
        return np.inf if dtype.is_floating else dtype.max


class LogicalReduction(Reduction):
    """A reduction of bools."""

    inputs = ("input: bool", "reduction_indices: Tidx host")
    outputs = ("output: bool",)
    dtypes = {"Tidx": dt.INDEX}
    ufunc: ClassVar[Any] = np.logical_and
    gradient = not_differentiable

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        return along(type(self).ufunc.reduce, self.keep_dims)


class All(LogicalReduction):
    """Whether all elements along axes are true."""

    type_name = "All"
    combination = "all"


class Any_(LogicalReduction):
    """Whether any element along axes is true."""

    type_name = "Any"
    combination = "any"
    ufunc = np.logical_or


# -- the public functions -------------------------------------------------------------------


def reduce(
    op: type[Reduction],
    x: TensorLike,
    axis: TensorLike | None,
    keepdims: bool,
    name: str | None,
) -> Any:
    """Applies a reduction along `axis`, by default along all axes."""
    x = convert(x)
    if axis is not None:
        return apply(op.of(bool(keepdims)), x, axis, name=name)
    rank = x.ndim
    if rank is not None:
        return apply(op.of(bool(keepdims)), x, tuple(range(rank)), name=name)
    result = apply(op.of(bool(keepdims)), x, range_vector(rank_of(x)), name=name)
    if not keepdims:
        result.set_shape(())
    return result


def reduce_sum(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Adds up the elements along axes.

    Args:
        input_tensor: A tensor of numbers, of any shape.
        axis: The axes to reduce: an int, a list of ints or an integer tensor. Negative ones count
            from the last. None means all axes.
        keepdims: Whether the reduced axes stay, with size 1.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input_tensor`, of its shape without the reduced axes. Integers
        wrap around.

    >>> import graphwright as tf
    >>> tf.reduce_sum([[1, 2], [3, 4]], axis=1)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([3, 7], dtype=int32)>
    """
    return reduce(Sum, input_tensor, axis, keepdims, name)


def reduce_prod(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiplies the elements along axes.

    Args:
        input_tensor: A tensor of numbers, of any shape.
        axis: The axes to reduce: an int, a list of ints or an integer tensor. Negative ones count
            from the last. None means all axes.
        keepdims: Whether the reduced axes stay, with size 1.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input_tensor`, of its shape without the reduced axes. Integers
        wrap around; the product of no elements is 1.

    >>> import graphwright as tf
    >>> tf.reduce_prod([[1, 2], [3, 4]], axis=1)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([ 2, 12], dtype=int32)>
    """
    return reduce(Prod, input_tensor, axis, keepdims, name)


def reduce_mean(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Computes the mean of the elements along axes.

    Args:
        input_tensor: A tensor of numbers, of any shape.
        axis: The axes to reduce: an int, a list of ints or an integer tensor. Negative ones count
            from the last. None means all axes.
        keepdims: Whether the reduced axes stay, with size 1.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input_tensor`, of its shape without the reduced axes. A mean of
        integers is rounded towards zero.

    >>> import graphwright as tf
    >>> tf.reduce_mean([[1.0, 2.0], [3.0, 4.0]], axis=0)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([2., 3.], dtype=float32)>
    """
    return reduce(Mean, input_tensor, axis, keepdims, name)


def reduce_max(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Computes the greatest element along axes.

    Args:
        input_tensor: A tensor of integers or floats, of any shape.
        axis: The axes to reduce: an int, a list of ints or an integer tensor. Negative ones count
            from the last. None means all axes.
        keepdims: Whether the reduced axes stay, with size 1.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input_tensor`, of its shape without the reduced axes. Of no
        elements it is -infinity, or the least integer of the dtype.

    >>> import graphwright as tf
    >>> tf.reduce_max([[1, 2], [4, 3]], axis=1)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 4], dtype=int32)>
    """
    return reduce(Max, input_tensor, axis, keepdims, name)


def reduce_min(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Computes the least element along axes.

    Args:
        input_tensor: A tensor of integers or floats, of any shape.
        axis: The axes to reduce: an int, a list of ints or an integer tensor. Negative ones count
            from the last. None means all axes.
        keepdims: Whether the reduced axes stay, with size 1.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input_tensor`, of its shape without the reduced axes. Of no
        elements it is infinity, or the greatest integer of the dtype.

    >>> import graphwright as tf
    >>> tf.reduce_min([[1, 2], [4, 3]], axis=1)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 3], dtype=int32)>
    """
    return reduce(Min, input_tensor, axis, keepdims, name)


def reduce_all(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Tests whether all bools along axes are true; of no elements they are.

    Args:
        input_tensor: A tensor of bools, of any shape.
        axis: The axes to reduce: an int, a list of ints or an integer tensor. Negative ones count
            from the last. None means all axes.
        keepdims: Whether the reduced axes stay, with size 1.
        name: A name for the op.

    Returns:
        A tensor of bools, of the shape of `input_tensor` without the reduced axes.

    >>> import graphwright as tf
    >>> tf.reduce_all([[True, True], [False, True]], axis=1)
    <tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>
    """
    return reduce(All, boolean(input_tensor), axis, keepdims, name)


def reduce_any(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Tests whether any bool along axes is true; of no elements none is.

    Args:
        input_tensor: A tensor of bools, of any shape.
        axis: The axes to reduce: an int, a list of ints or an integer tensor. Negative ones count
            from the last. None means all axes.
        keepdims: Whether the reduced axes stay, with size 1.
        name: A name for the op.

    Returns:
        A tensor of bools, of the shape of `input_tensor` without the reduced axes.

    >>> import graphwright as tf
    >>> tf.reduce_any([[False, False], [False, True]], axis=1)
    <tf.Tensor: shape=(2,), dtype=bool, numpy=array([False,  True])>
    """
    return reduce(Any_, boolean(input_tensor), axis, keepdims, name)


def reduce_euclidean_norm(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Computes the square root of the sum of squared moduli along axes.

    Args:
        input_tensor: A tensor of numbers, of any shape.
        axis: The axes to reduce: an int, a list of ints or an integer tensor. Negative ones count
            from the last. None means all axes.
        keepdims: Whether the reduced axes stay, with size 1.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input_tensor`, of its shape without the reduced axes. A norm of
        integers is rounded down.

    >>> import graphwright as tf
    >>> tf.math.reduce_euclidean_norm([[3.0, 4.0], [0.0, 2.0]], axis=1)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([5., 2.], dtype=float32)>
    """
    return reduce(EuclideanNorm, input_tensor, axis, keepdims, name)


def reduce_logsumexp(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Computes `log(sum(exp(x)))` along axes, without overflow for large elements.

    Args:
        input_tensor: A tensor of floats, of any shape.
        axis: The axes to reduce: an int, a list of ints or an integer tensor. Negative ones count
            from the last. None means all axes.
        keepdims: Whether the reduced axes stay, with size 1.
        name: A name, which has no effect.

    Returns:
        A tensor of the dtype of `input_tensor`, of its shape without the reduced axes.

    >>> import graphwright as tf
    >>> tf.reduce_logsumexp([1000.0, 1000.0])
    <tf.Tensor: shape=(), dtype=float32, numpy=1000.6931762695312>
    """
    x = convert(input_tensor)
    greatest = reduce_max(x, axis, True)
    offset = stop_gradient(select(is_finite(greatest), greatest, 0))
    result = log(reduce_sum(exp(x - offset), axis, keepdims))
    return result + (offset if keepdims else reshape(offset, shape_of(result)))


def reduce_variance(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Computes the mean squared distance from the mean along axes.

    Args:
        input_tensor: A tensor of floats or complex numbers, of any shape.
        axis: The axes to reduce: an int, a list of ints or an integer tensor. Negative ones count
            from the last. None means all axes.
        keepdims: Whether the reduced axes stay, with size 1.
        name: A name for the op.

    Returns:
        A tensor of the shape of `input_tensor` without the reduced axes. Complex numbers give the
        float dtype of their parts, floats their own dtype.

    Raises:
        TypeError: `input_tensor` is a tensor of integers.

    >>> import graphwright as tf
    >>> tf.math.reduce_variance([[1.0, 3.0], [5.0, 5.0]], axis=1)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 0.], dtype=float32)>
    """
    x = convert(input_tensor)
    if x.dtype.is_integer:
        raise TypeError(f"Input must be either real or complex. Received integer type {x.dtype}.")
    distance = x - reduce_mean(x, axis, True)
    squared = real(distance * conj(distance)) if x.dtype.is_complex else square(distance)
    return reduce_mean(squared, axis, keepdims, name)


def reduce_std(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Computes the standard deviation of the elements along axes.

    Args:
        input_tensor: A tensor of floats or complex numbers, of any shape.
        axis: The axes to reduce: an int, a list of ints or an integer tensor. Negative ones count
            from the last. None means all axes.
        keepdims: Whether the reduced axes stay, with size 1.
        name: A name for the op.

    Returns:
        A tensor of the shape of `input_tensor` without the reduced axes. Complex numbers give the
        float dtype of their parts, floats their own dtype.

    Raises:
        TypeError: `input_tensor` is a tensor of integers.

    >>> import graphwright as tf
    >>> tf.math.reduce_std([[1.0, 3.0], [5.0, 5.0]], axis=1)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 0.], dtype=float32)>
    """
    return sqrt(reduce_variance(input_tensor, axis, keepdims), name)


def count_nonzero(
    input: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    dtype: DTypeLike = dt.int64,
    name: str | None = None,
) -> Tensor:
    """Counts the elements along axes that are not zero, False or the empty string.

    Args:
        input: A tensor of numbers, bools or strings, of any shape.
        axis: The axes to reduce: an int, a list of ints or an integer tensor. Negative ones count
            from the last. None means all axes.
        keepdims: Whether the reduced axes stay, with size 1. None means False.
        dtype: The numeric dtype of the result.
        name: A name for the op.

    Returns:
        A tensor of `dtype`, of the shape of `input` without the reduced axes.

    >>> import graphwright as tf
    >>> tf.math.count_nonzero([[0, 1], [1, 1]], axis=0)
    <tf.Tensor: shape=(2,), dtype=int64, numpy=array([1, 2])>
    """
    x = convert(input)
    zero = convert(b"" if x.dtype is dt.string else x.dtype.as_numpy_dtype(0))
    counted = cast(not_equal(x, zero), dt.int64)
    return cast(reduce_sum(counted, axis, keepdims or False), dtype, name)


one_op(
    reduce_sum,
    reduce_prod,
    reduce_mean,
    reduce_max,
    reduce_min,
    reduce_all,
    reduce_any,
    hosts=1,
    attributes=1,
)
