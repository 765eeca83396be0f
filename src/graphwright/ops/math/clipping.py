"""Values clipped to bounds: by value, by norm, by a common norm, by the range of a dtype."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from graphwright.op.batching import Each
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import convert, values_of, with_values
from graphwright.op.op import Call, Shapes
from graphwright.op.op_families import Elementwise
from graphwright.op.scalars import S, Scalars
from graphwright.ops.core.casting import cast, warn_of_discarding
from graphwright.ops.core.identity import identity
from graphwright.ops.core.joining import stack
from graphwright.ops.math.arithmetic import maximum, minimum
from graphwright.ops.math.comparison import choose, greater, less, logical_or, select
from graphwright.ops.math.complex_parts import complex, imag, real
from graphwright.ops.math.reduction import reduce_sum
from graphwright.ops.math.transcendental import sqrt
from graphwright.ops.nn.losses import l2_loss
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, Tensor, TensorLike, TensorValue
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.tensor_type import TensorType, is_compatible, show_dims

#: Several tensors, or rows of tensors; None stands for one that is missing.
Tensors: TypeAlias = Sequence["TensorLike | None"]


class ClipByValue(Elementwise):
    """max(min(t, greatest), least); a bound is a scalar, or has the shape of t.

    A bound of NaN has no effect.
    """

    type_name = "ClipByValue"
    inputs = ("t: T", "clip_value_min: T", "clip_value_max: T")
    outputs = ("output: T",)
    dtypes = {"T": dt.REAL}

    def shapes(self, *operands: TensorType) -> Shapes:
        t, *bounds = operands
        for bound in bounds:
            if bound.rank != 0 and not is_compatible(bound.dims, t.dims):
                raise ValueError(
                    f"clip_value_min and clip_value_max of {self.type_name} must be scalars or of "
                    f"the shape {show_dims(t.dims)} of the tensor, not {show_dims(bound.dims)}"
                )
        return (t.dims,)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        return self.kernel

    def kernel(self, *arrays: Any) -> Any:
        t, *bounds = arrays
        if any(np.ndim(bound) and np.shape(bound) != np.shape(t) for bound in bounds):
            raise ValueError("the bounds must be scalars or of the tensor's shape")
        least, most = bounds
        lowered = np.where(np.greater(t, most), most, t)
        return np.where(np.less(lowered, least), least, lowered)

    def batched(self, each: Each) -> Any:
        rank = each.greatest_rank()
        t, least, most = (each.aligned(i, rank) for i in range(3))
        lowered = select(greater(t, most), most, t)  # which broadcasts
        return select(less(lowered, least), least, lowered)

    def element(self, scalars: Scalars[S], t: S, least: S, most: S) -> S:
        lowered = scalars.select(scalars.greater(t, most), most, t)
        return scalars.select(scalars.less(lowered, least), least, lowered)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        t, least, most = call.inputs
        below, above = less(t, least), greater(t, most)
        return choose(logical_or(below, above), g)[1], choose(below, g)[0], choose(above, g)[0]


def clip_by_value(
    t: TensorLike, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None
) -> Tensor:
    """Moves each element within two bounds: `max(min(t, clip_value_max), clip_value_min)`.

    Args:
        t: A tensor of integers or floats, of any shape, or `tf.IndexedSlices`, whose rows are
            clipped.
        clip_value_min: A tensor of the dtype of `t` that broadcasts to its shape: the lower bound.
        clip_value_max: A tensor of the dtype of `t` that broadcasts to its shape: the upper bound.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `t`, or `tf.IndexedSlices` where `t` is one.

    Raises:
        ValueError: A bound broadcasts `t` to another shape.

    >>> import graphwright as tf
    >>> tf.clip_by_value([-3, 1, 9], 0, 5)
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([0, 1, 5], dtype=int32)>
    """
    x = values_of(t)
    lowered = minimum(x, clip_value_max)
    check_shape_kept(x, lowered)
    clipped = maximum(lowered, clip_value_min, name)
    check_shape_kept(x, clipped)
    return with_values(t, clipped)


def check_shape_kept(x: TensorValue, y: TensorValue) -> None:
    """ValueError for bounds that would broadcast the tensor to another shape."""
    if x.dims != y.dims and not is_compatible(x.dims, y.dims):
        raise ValueError(
            f"Shapes {show_dims(x.type.dims)} and {show_dims(y.type.dims)} are incompatible: the "
            "bounds of a clip must broadcast to the tensor's shape"
        )


def clip_by_norm(
    t: TensorLike, clip_norm: TensorLike, axes: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Scales a tensor down where its 2-norm along `axes` is above `clip_norm`.

    Args:
        t: A tensor of floats, of any shape, or `tf.IndexedSlices`.
        clip_norm: A number or tensor that broadcasts to the shape of `t`: the greatest norm. A
            negative one counts as 0.
        axes: The axes of one norm, as an int or a list of ints. None means all axes.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `t`, or `tf.IndexedSlices` where `t` is one.

    Raises:
        ValueError: `clip_norm` broadcasts `t` to another shape.

    >>> import graphwright as tf
    >>> tf.clip_by_norm([3.0, 4.0], 1.0)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.6, 0.8], dtype=float32)>
    """
    x = values_of(t)
    total = reduce_sum(x * x, axes, True)
    positive = greater(total, 0)
    # The inner choice keeps the root of zero out of the gradient.
    norm = select(positive, sqrt(select(positive, total, 1)), total)
    limit = maximum(cast(convert(clip_norm, None, x.dtype), x.dtype), 0)
    scaled = x * limit
    check_shape_kept(x, scaled)
    return with_values(t, identity(scaled / maximum(norm, limit), name))


def global_norm(t_list: Tensors, name: str | None = None) -> Tensor:
    """Computes the 2-norm of all elements of several tensors together.

    Args:
        t_list: A list or tuple of tensors of floats of one dtype, of `tf.IndexedSlices` and of
            None, which is skipped.
        name: A name for the op.

    Returns:
        A scalar tensor of the dtype of the tensors; 0.0 of float32 for no tensors.

    Raises:
        InvalidArgumentError: The tensors are not of floats, or not of one dtype.
        TypeError: `t_list` is no sequence.

    >>> import graphwright as tf
    >>> tf.linalg.global_norm([[3.0], None, [[4.0]]])
    <tf.Tensor: shape=(), dtype=float32, numpy=5.0>
    """
    halves = [l2_loss(values_of(x)) for x in listed(t_list) if x is not None]
    total = reduce_sum(stack(halves)) if halves else convert(0.0)
    return identity(sqrt(total * 2.0), name)


def clip_by_global_norm(
    t_list: Tensors,
    clip_norm: TensorLike,
    use_norm: TensorLike | None = None,
    name: str | None = None,
) -> tuple[list[Tensor], Tensor]:
    """Scales several tensors down by one factor where their common 2-norm is above `clip_norm`.

    Args:
        t_list: A list or tuple of tensors of floats, of `tf.IndexedSlices` and of None, which
            stays.
        clip_norm: A number or scalar tensor: the greatest norm.
        use_norm: The common norm as a scalar tensor. None means to compute it by
            `tf.linalg.global_norm`.
        name: A name for the op.

    Returns:
        The list of the scaled tensors, and the norm as a scalar tensor. All elements are NaN where
        the norm is not finite.

    Raises:
        InvalidArgumentError: A tensor is not of floats where `use_norm` is None.
        TypeError: `t_list` is no sequence.

    >>> import graphwright as tf
    >>> clipped, norm = tf.clip_by_global_norm([[3.0], None, [4.0]], 1.0)
    >>> [None if t is None else t.numpy() for t in clipped], float(norm)
    ([array([0.6], dtype=float32), None, array([0.8], dtype=float32)], 5.0)
    """
    tensors = listed(t_list)
    norm = global_norm(tensors, name) if use_norm is None else convert(use_norm)
    scale = clip_norm * minimum(1.0 / norm, convert(1.0, norm.dtype) / clip_norm)
    scale = scale + (norm - norm)  # NaN where the norm is not finite
    clipped: list[Any] = [None if x is None else scaled_by(scale, x) for x in tensors]
    return clipped, norm


def scaled_by(scale: TensorValue, x: TensorLike) -> Any:
    """A tensor, or the rows of one, times a scalar."""
    values = values_of(x)
    return with_values(x, values * cast(scale, values.dtype))


def listed(t_list: Tensors) -> list[TensorLike | None]:
    """The tensors as a list; TypeError where they are no sequence."""
    if not isinstance(t_list, Sequence) or isinstance(t_list, str):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    return list(t_list)


def saturate_cast(value: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """Converts a tensor to another dtype; an element out of its range becomes the nearest bound.

    The imaginary part of a complex number is dropped, with a warning, where `dtype` is not
    complex.

    Args:
        value: A tensor of numbers, of any shape.
        dtype: The dtype of the result.
        name: A name for the op.

    Returns:
        A tensor of the shape of `value`, of `dtype`.

    Raises:
        TypeError: A dtype is bool, which has no range.

    >>> import graphwright as tf
    >>> tf.saturate_cast([-5, 300], tf.uint8)
    <tf.Tensor: shape=(2,), dtype=uint8, numpy=array([  0, 255], dtype=uint8)>
    """
    x, to = convert(value), as_dtype(dtype)
    for dtype_of in (x.dtype, to):
        if dtype_of is dt.bool_:
            raise TypeError(f"Cannot find minimum value of {dtype_of!r} with type {dtype_of!r}.")
    if x.dtype.is_complex:
        if to.is_complex:
            bounded = complex(within(real(x), to.real_dtype), within(imag(x), to.real_dtype))
            return cast(bounded, to, name)
        warn_of_discarding(x.dtype, to)
        x = real(x)
    return cast(within(x, to.real_dtype), to, name)


def within(x: TensorValue, to: DType) -> Any:
    """The elements of `x`, of its dtype, moved within the range of another one."""
    source = x.dtype
    least, most = bound(source, to, False), bound(source, to, True)
    if least is not None:
        x = select(less(x, least), convert(least, source), x)
    return x if most is None else select(greater(x, most), convert(most, source), x)


def exact(number: float, dtype: DType) -> int | float:
    """An element of a dtype as Python's number, which compares without rounding."""
    return int(number) if dtype.is_integer else float(number)


def bound(source: DType, to: DType, upper: bool) -> Any:
    """The bound of `to` as a value of `source` inside its range; None where none is needed."""
    limit, other = [exact(d.max if upper else d.min, d) for d in (source, to)]
    if (other >= limit) if upper else (other <= limit):
        return limit if source.is_floating else None  # only infinity is outside
    nearest = source.numpy_dtype.type(float(other) if source.is_floating else other)
    inside = exact(nearest, source)
    if (inside > other) if upper else (inside < other):
        return np.nextafter(nearest, source.numpy_dtype.type(0))
    return nearest
