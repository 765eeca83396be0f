"""Indices and lengths as rows of on and off: one_hot, sequence_mask."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.op.batching import Each
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert, is_tensor
from graphwright.op.op import LateRefusal, Op, Shapes, not_differentiable
from graphwright.ops.core.casting import cast
from graphwright.ops.core.movement import expand_dims, reshape
from graphwright.ops.core.sequences import range
from graphwright.ops.math.arithmetic import maximum
from graphwright.ops.math.comparison import equal, less, select
from graphwright.ops.math.reduction import reduce_max
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.dtypes import as_dtype
from graphwright.types.tensor_type import TensorType, show_dims


class OneHot(Op):
    """`on_value` at the place each index names along a new axis, `off_value` elsewhere."""

    type_name = "OneHot"
    node_name = "one_hot"
    inputs = ("indices: TI", "depth: int32 host", "on_value: T", "off_value: T")
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY, "TI": frozenset({dt.uint8, dt.int8, dt.int32, dt.int64})}
    gradient = not_differentiable

    axis: int = -1

    def shapes(self, indices: TensorType, depth: Any, on: TensorType, off: TensorType) -> Shapes:
        if isinstance(depth, tuple):
            raise ValueError(f"depth must be a scalar, but got: {show_dims(np.shape(depth))}")
        if depth is not None and depth < 0:
            raise ValueError(f"depth must be non-negative, got: {depth}")
        for name, value in (("on_value", on), ("off_value", off)):
            if value.rank not in (0, None):
                raise ValueError(f"{name} must be a scalar, but got: {show_dims(value.dims)}")
        if indices.dims is None:
            return (None,)
        place = self.place(len(indices.dims))
        return ((*indices.dims[:place], depth, *indices.dims[place:]),)

    def place(self, rank: int) -> int:
        """Where the new axis stands among those of indices of `rank`."""
        if not -1 <= self.axis <= rank:
            kind = ValueError if self.axis < 0 else LateRefusal
            raise kind(
                f"Expected axis to be -1 or between [0, {rank + 1}).  But received: {self.axis}"
                "\n    axis=-1 fits"
            )
        return rank if self.axis == -1 else self.axis

    def kernel(self, indices: Array, depth: int | tuple[int, ...], on: Array, off: Array) -> Any:
        if isinstance(depth, tuple) or depth < 0 or np.ndim(on) or np.ndim(off):
            raise ValueError("depth and the values of OneHot must be scalars")
        dims = np.shape(indices)
        place = self.place(len(dims))
        steps = np.arange(depth).reshape((depth, *[1] * (len(dims) - place)))
        hot = np.reshape(indices, (*dims[:place], 1, *dims[place:])) == steps
        return np.where(hot, on, off)

    def expand(
        self, indices: GraphTensor, depth: GraphTensor, on: GraphTensor, off: GraphTensor
    ) -> Any:
        """on where the index is the place, else off."""
        place = self.place(indices.shape.rank)
        numbers = indices if indices.dtype.size >= 4 else cast(indices, dt.int32)
        places = range(cast(0, numbers.dtype), cast(depth, numbers.dtype))
        places = reshape(places, [-1, *[1] * (indices.shape.rank - place)])
        return select(equal(expand_dims(numbers, place), places), on, off)

    def batched(self, each: Each) -> Any:
        axis = self.axis if self.axis < 0 else self.axis + 1
        return apply(OneHot.of(axis), each.full(0), *[each.same(i) for i in (1, 2, 3)])


def one_hot(
    indices: TensorLike,
    depth: TensorLike,
    on_value: TensorLike | None = None,
    off_value: TensorLike | None = None,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Places `on_value` where each index points to along a new axis, and `off_value` elsewhere.

    An index outside [0, depth) gives `off_value` everywhere.

    Args:
        indices: A tensor of uint8, int8, int32 or int64, of any shape.
        depth: The size of the new axis: an int or a scalar of int32.
        on_value: A scalar of any dtype. None means 1.
        off_value: A scalar of the same dtype. None means 0.
        axis: The place of the new axis, from 0 to the rank of `indices`. None or -1 means the last.
        dtype: The dtype of the result. None means that of the values, or float32 without them.
        name: A name for the op.

    Returns:
        A tensor of the shape of `indices` with the new axis.

    Raises:
        TypeError: A value is not of `dtype`, or the values are of two dtypes.
        InvalidArgumentError: `depth` is negative, or `axis` is out of range.

    >>> import graphwright as tf
    >>> tf.one_hot([0, 2, -1], depth=3).numpy().tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    """
    wanted = None if dtype is None else as_dtype(dtype)
    values: list[Any] = []
    for label, value in (("on_value", on_value), ("off_value", off_value)):
        if value is None:
            values.append(None)
            continue
        kind = wanted if not hasattr(value, "dtype") else None
        tensor = convert(value, kind)
        if wanted is not None and tensor.dtype is not wanted:
            raise TypeError(
                f"dtype {tensor.dtype} of {label} does not match dtype parameter {wanted}"
            )
        values.append(tensor)
    on, off = values
    dtypes = [v.dtype for v in values if v is not None]
    kind = wanted or (dtypes[0] if dtypes else dt.float32)
    if len(dtypes) == 2 and dtypes[0] is not dtypes[1]:
        raise TypeError(
            f"dtype {dtypes[0]} of on_value does not match dtype {dtypes[1]} of off_value"
        )
    on = convert(1, kind) if on is None else on
    off = convert(0, kind) if off is None else off
    op = OneHot.of(-1 if axis is None else axis)
    return apply(op, convert(indices), depth, on, off, name=name)


def sequence_mask(
    lengths: TensorLike,
    maxlen: Any = None,
    dtype: DTypeLike | None = dt.bool_,
    name: str | None = None,
) -> Tensor:
    """Returns a mask for each length, of as many true elements, the rest up to `maxlen` false.

    Args:
        lengths: A tensor of integers, of any shape.
        maxlen: The size of the new last axis: a scalar of integers. None means the greatest length.
        dtype: The dtype of the result, of numbers or bools.
        name: A name for the op.

    Returns:
        A tensor of `dtype`, of the shape of `lengths` with a last axis of size `maxlen`.

    Raises:
        ValueError: `maxlen` is no scalar.

    >>> import graphwright as tf
    >>> tf.sequence_mask([1, 3, 2], 4, dtype=tf.int32).numpy().tolist()
    [[1, 0, 0, 0], [1, 1, 1, 0], [1, 1, 0, 0]]
    """
    lengths = convert(lengths)
    if maxlen is None:
        maxlen = maximum(reduce_max(lengths), convert(0, lengths.dtype))
    elif not is_tensor(maxlen) and np.ndim(maxlen):
        raise ValueError(
            "Argument `maxlen` must be scalar for sequence_mask, received `maxlen` = "
            f"{maxlen} with shape '{np.shape(maxlen)}' instead"
        )
    columns = range(0, maxlen)
    mask = less(columns, cast(expand_dims(lengths, -1), columns.dtype))
    kind = dt.bool_ if dtype is None else as_dtype(dtype)
    return mask if kind is dt.bool_ else cast(mask, kind, name=name)
