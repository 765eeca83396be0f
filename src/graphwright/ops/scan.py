"""Cumulative sums, products and log-sums along an axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from graphwright.op.batching import Each
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.arithmetic import conj, divide_no_nan
from graphwright.ops.comparison import greater, less, select
from graphwright.ops.transcendental import exp, log
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType, normalize_axis


class Scan(Op):
    """Combines each element with all before it along `axis`.

    An `exclusive` scan leaves out the element itself; a `reverse` one runs from the end.
    """

    inputs = ("x: T", "axis: Tidx host")
    outputs = ("out: T",)
    dtypes = {"T": dt.NUMERIC, "Tidx": dt.INDEX}
    ufunc: ClassVar[Any]
    #: What an exclusive scan starts with.
    start: ClassVar[float] = 0

    exclusive: bool = False
    reverse: bool = False

    def shapes(self, x: TensorType, axis: Any) -> Shapes:
        if x.dims is not None and axis is not None:
            if isinstance(axis, tuple):
                raise ValueError(f"ScanOp: axis must be a scalar, not {list(axis)}")
            try:
                normalize_axis(axis, len(x.dims))
            except ValueError:
                raise ValueError(
                    f"ScanOp: Expected scan axis in the range "
                    f"[{-len(x.dims)}, {len(x.dims)}), but got {axis}"
                ) from None
        return (x.dims,)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        dtype = types[0].numpy_dtype
        wide = np.dtype(np.float32) if dtype.itemsize == 2 and types[0].is_floating else dtype
        accumulate, start = type(self).ufunc.accumulate, type(self).start

        def scan(x: Any, axis: Any) -> Any:
            if type(axis) is not int or not np.ndim(x):
                raise ValueError(f"scan of shape {np.shape(x)} along {axis}")
            if self.reverse:
                x = np.flip(x, axis)
            out = accumulate(x, axis=axis, dtype=wide)
            if self.exclusive:
                out = shifted(out, axis, start)
            return np.array(np.flip(out, axis) if self.reverse else out, dtype)

        return scan

    def batched(self, each: Each) -> Any:
        return apply(self, each.inputs[0], each.axes(1))


def shifted(x: Any, axis: int, start: float) -> Any:
    """The array moved on by one along `axis`; `start` comes first, the last is dropped."""
    x = np.moveaxis(x, axis, 0)
    out = np.empty_like(x)
    out[:1] = start
    out[1:] = x[:-1]
    return np.moveaxis(out, 0, axis)


class Cumsum(Scan):
    """The sums of the elements so far."""

    type_name = "Cumsum"
    ufunc = np.add

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        return cumsum(g, call.inputs[1], self.exclusive, not self.reverse), None


class Cumprod(Scan):
    """The products of the elements so far."""

    type_name = "Cumprod"
    ufunc = np.multiply
    start = 1

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        x, axis = call.inputs
        total = cumsum(conj(call.outputs[0]) * g, axis, self.exclusive, not self.reverse)
        return divide_no_nan(total, conj(x)), None


class CumulativeLogsumexp(Scan):
    """The logarithms of the sums of the exponentials so far."""

    type_name = "CumulativeLogsumexp"
    dtypes = {"T": dt.FLOATING, "Tidx": dt.INDEX}
    ufunc = np.logaddexp
    start = -np.inf

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        """The positive and the negative cotangents each as a log-sum, so that none overflows."""
        x, axis = call.inputs
        least = g.dtype.min

        def share(sign: Any, size: Any) -> Any:
            logs = select(sign, log(size), least) - call.outputs[0]
            return exp(cumulative_logsumexp(logs, axis, self.exclusive, not self.reverse) + x)

        return share(greater(g, 0), g) - share(less(g, 0), -g), None


def cumsum(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Any:
    """The sums of the elements so far along `axis`.

    >>> import graphwright as tf
    >>> tf.cumsum([1, 2, 3])
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 3, 6], dtype=int32)>
    >>> tf.cumsum([1, 2, 3], exclusive=True, reverse=True)
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([5, 3, 0], dtype=int32)>
    """
    return apply(Cumsum.of(bool(exclusive), bool(reverse)), convert(x), axis, name=name)


def cumprod(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Any:
    """The products of the elements so far along `axis`."""
    return apply(Cumprod.of(bool(exclusive), bool(reverse)), convert(x), axis, name=name)


def cumulative_logsumexp(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Any:
    """log(sum(exp(x))) of the elements so far along `axis`, without overflow."""
    op = CumulativeLogsumexp.of(bool(exclusive), bool(reverse))
    return apply(op, convert(x), axis, name=name)
