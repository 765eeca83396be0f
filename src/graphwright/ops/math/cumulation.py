"""Cumulative sums, products and log-sums along an axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from graphwright.op.batching import Each
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert, convert_first
from graphwright.op.one_op import one_op
from graphwright.op.op import Call, LateRefusal, Op, Shapes
from graphwright.op.refusal import fitting_axis
from graphwright.ops.core.casting import cast
from graphwright.ops.core.own_ops import Scanned
from graphwright.ops.core.rule_words import host, widened
from graphwright.ops.math.arithmetic import conj, divide_no_nan
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType, normalize_axis


class Cumulation(Op):
    """Combines each element with all before it along `axis`.

    An `exclusive` scan leaves out the element itself; a `reverse` one runs from the end.
    """

    inputs: ClassVar[tuple[str, ...]] = ("x: T", "axis: Tidx host")
    outputs = ("out: T",)
    dtypes = {"T": dt.NUMERIC, "Tidx": dt.INDEX}
    ufunc: ClassVar[Any]
    #: The first element of an exclusive scan.
    start: ClassVar[float] = 0

    exclusive: bool = False
    reverse: bool = False

    def shapes(self, x: TensorType, *others: Any) -> Shapes:
        axis = others[-1]
        if x.dims is not None and axis is not None:
            if isinstance(axis, tuple):
                raise ValueError(f"ScanOp: axis must be a scalar, not {list(axis)}")
            try:
                normalize_axis(axis, len(x.dims))
            except ValueError:
                raise LateRefusal(
                    f"ScanOp: Expected scan axis in the range "
                    f"[{-len(x.dims)}, {len(x.dims)}), but got {axis}"
                    f"{fitting_axis(axis, len(x.dims))}"
                ) from None
        return (x.dims,)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        dtype = types[0].numpy_dtype
        wide = np.dtype(np.float32) if dtype.itemsize == 2 and types[0].is_floating else dtype
        accumulate, start = type(self).ufunc.accumulate, type(self).start

        def scan(x: Array, axis: int) -> Array:
            if type(axis) is not int or not np.ndim(x):
                raise ValueError(f"scan of shape {np.shape(x)} along {axis}")
            if self.reverse:
                x = np.flip(x, axis)
            out = accumulate(x, axis=axis, dtype=wide)
            if self.exclusive:
                out = shifted(out, axis, start)
            return np.array(np.flip(out, axis) if self.reverse else out, dtype)

        return scan

    def scanned(self, combine: str, x: GraphTensor, axis: GraphTensor) -> Any:
        """Each element combined with those before it; halves in float32, rounded in the end."""
        place = host(axis)
        if place is None or not x.shape.rank:
            return None
        scan = Scanned.of(combine, place % x.shape.rank, self.exclusive, self.reverse)
        return cast(apply(scan, widened(x)), x.dtype)

    def batched(self, each: Each) -> Any:
        return apply(self, each.inputs[0], each.axes(1))


def shifted(x: Array, axis: int, start: float) -> Array:
    """The array moved on by one along `axis`; `start` comes first, the last is dropped."""
    x = np.moveaxis(x, axis, 0)
    out = np.empty_like(x)
    out[:1] = start
    out[1:] = x[:-1]
    return np.moveaxis(out, 0, axis)


class Cumsum(Cumulation):
    """The sums of the elements so far."""

    type_name = "Cumsum"
    many_passes = True  # NumPy reads each result again, and walks along the axis
    ufunc = np.add

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return cumsum(g, call.inputs[1], self.exclusive, not self.reverse), None

    def expand(self, x: GraphTensor, axis: GraphTensor) -> Any:
        return self.scanned("sum", x, axis)


class Cumprod(Cumulation):
    """The products of the elements so far."""

    type_name = "Cumprod"
    many_passes = True
    ufunc = np.multiply
    start = 1

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, axis = call.inputs
        total = cumsum(conj(call.outputs[0]) * g, axis, self.exclusive, not self.reverse)
        return divide_no_nan(total, conj(x)), None

    def expand(self, x: GraphTensor, axis: GraphTensor) -> Any:
        return self.scanned("prod", x, axis)


class CumulativeLogsumexp(Cumulation):
    """The logarithms of the sums of the exponentials so far."""

    type_name = "CumulativeLogsumexp"
    dtypes = {"T": dt.FLOATING, "Tidx": dt.INDEX}
    ufunc = np.logaddexp
    start = -np.inf

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, axis = call.inputs
        back = WeightedSums.of(self.exclusive, not self.reverse)
        return apply(back, g, -call.outputs[0], x, axis), None

    def expand(self, x: GraphTensor, axis: GraphTensor) -> Any:
        return self.scanned("logsumexp", x, axis)


class WeightedSums(Cumulation):
    """exp(outer[i]) times the sum of terms[j] * exp(inner[j]) so far: linear in the terms.

    Positive and negative terms are each added up as logarithms, so that no intermediate result
    overflows where the final one does not.
    """

    type_name = "GraphwrightWeightedSums"
    inputs = ("terms: T", "inner: T", "outer: T", "axis: Tidx host")
    dtypes = {"T": dt.FLOATING, "Tidx": dt.INDEX}
    ufunc = np.logaddexp
    start = -np.inf

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        scan = super().bind(types)

        def sums(terms: Array, inner: Array, outer: Array, axis: int) -> Array:
            def share(size: Array) -> Array:
                none = np.full_like(size, -np.inf)
                logs = scan(np.where(size > 0, np.log(size) + inner, none), axis)
                return np.where(logs == -np.inf, 0, np.exp(logs + outer))

            return np.asarray(share(terms) - share(-terms), terms.dtype)

        return sums

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        """With regard to the terms it is the same sum from the other end."""
        terms, inner, outer, axis = call.inputs
        back = apply(WeightedSums.of(self.exclusive, not self.reverse), g, outer, inner, axis)
        return back, terms * back, g * call.outputs[0], None

    def batched(self, each: Each) -> Any:
        return apply(self, *[each.full(i) for i in range(3)], each.axes(3))


def cumsum(
    x: TensorLike,
    axis: TensorLike = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Computes the cumulative sums along `axis`.

    Args:
        x: A tensor of numbers, of rank 1 or more.
        axis: The axis, as an integer scalar; a negative one counts from the last.
        exclusive: Whether a sum leaves out the element at its own place.
        reverse: Whether to sum from the end of the axis to its start.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: `x` has no such axis (ValueError when traced).

    >>> import graphwright as tf
    >>> tf.cumsum([1, 2, 3])
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 3, 6], dtype=int32)>
    >>> tf.cumsum([1, 2, 3], exclusive=True, reverse=True)
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([5, 3, 0], dtype=int32)>
    """
    return apply(Cumsum.of(exclusive, reverse), convert_first(x), axis, name=name)


def cumprod(
    x: TensorLike,
    axis: TensorLike = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Computes the cumulative products along `axis`.

    Args:
        x: A tensor of numbers, of rank 1 or more.
        axis: The axis, as an integer scalar; a negative one counts from the last.
        exclusive: Whether a product leaves out the element at its own place.
        reverse: Whether to multiply from the end of the axis to its start.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: `x` has no such axis (ValueError when traced).

    >>> import graphwright as tf
    >>> tf.math.cumprod([1, 2, 3])
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 2, 6], dtype=int32)>
    >>> tf.math.cumprod([1, 2, 3], exclusive=True)
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 1, 2], dtype=int32)>
    """
    return apply(Cumprod.of(exclusive, reverse), convert_first(x), axis, name=name)


def cumulative_logsumexp(
    x: TensorLike,
    axis: TensorLike = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Computes `log(sum(exp(x)))` of the elements so far along `axis`, without overflow.

    Args:
        x: A tensor of floats, of rank 1 or more.
        axis: The axis, as an integer scalar; a negative one counts from the last.
        exclusive: Whether a sum leaves out the element at its own place.
        reverse: Whether to sum from the end of the axis to its start.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: `x` has no such axis (ValueError when traced).

    >>> import graphwright as tf
    >>> tf.math.cumulative_logsumexp([1000.0, float("-inf")])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1000., 1000.], dtype=float32)>
    """
    op = CumulativeLogsumexp.of(exclusive, reverse)
    return apply(op, convert(x), axis, name=name)

one_op(cumsum, cumprod, hosts=1, attributes=2)
