"""Indexing as Python writes it, `tensor[key]`, and by masks: where, boolean_mask."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np

from graphwright.op.interpreter import apply, convert, convert_pair, is_tensor
from graphwright.op.one_op import one_op
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import axis_sizes, gather, host_vector
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import reshape, squeeze
from graphwright.ops.core.shapes import shape, size
from graphwright.ops.core.slicing import INDEX, Masks, StridedSlice
from graphwright.ops.core.static import get_static_value
from graphwright.ops.math.comparison import SELECT
from graphwright.ops.math.reduction import reduce_prod
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, TensorType, is_compatible, num_elements

PICK_FIRST = StridedSlice.of(0, 0, 0, 0, 1)
_INTS, _SLICES = frozenset({int}), frozenset({tuple, slice})


def get_item(tensor: Any, key: object) -> Any:
    """`tensor[key]`: ints, slices, `...`, newaxis, scalar tensors, or a bool mask."""
    if type(key) is int:
        return apply(PICK_FIRST, tensor, (key,), (key + 1,), (1,), name="strided_slice")
    if type(key) not in _SLICES and is_mask(key):
        return boolean_mask(tensor, key)
    op, *bounds = strided(StridedSlice, key)
    return apply(op, tensor, *bounds, name="strided_slice")


def strided(kind: type[Masks], key: object) -> tuple[Any, ...]:
    """The op of a kind that means a key, and the bounds `begin`, `end` and `strides` for it."""
    begin, end, strides, masks = slice_spec(key if isinstance(key, (list, tuple)) else (key,))
    bounds = (begin, end, strides)
    plain = _INTS.issuperset(map(type, (*begin, *end, *strides)))
    if not plain and any(is_tensor(v) and v.dtype is dt.int64 for each in bounds for v in each):
        bounds = tuple([wide(each) for each in bounds])  # all of them are of one dtype
    return kind.of(*masks), *bounds


def wide(indices: Sequence[TensorLike]) -> Any:
    """Indices as a vector of int64."""
    return convert([cast(v, dt.int64) if is_tensor(v) else v for v in indices], dt.int64)


def is_mask(key: object) -> TypeGuard[TensorLike]:
    """Whether a key is a bool, a bool array or a bool tensor."""
    if isinstance(key, bool):
        return True
    if isinstance(key, np.ndarray):
        return bool(key.dtype == np.bool_)
    return is_tensor(key) and key.dtype is dt.bool_


def slice_spec(
    key: Sequence[object],
) -> tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...], Any]:
    """The bounds and masks of a strided slice that means `key`."""
    begin: list[Any] = []
    end: list[Any] = []
    strides: list[Any] = []
    begins = ends = ellipses = new_axes = picks = 0
    for i, item in enumerate(key):
        bit = 1 << i
        first: Any = 0
        last: Any = 0
        step: Any = 1
        if isinstance(item, slice):
            if item.start is None:
                begins |= bit
            else:
                first = checked_index(item.start)
            if item.stop is None:
                ends |= bit
            else:
                last = checked_index(item.stop)
            if item.step is not None:
                step = checked_index(item.step)
        elif item is Ellipsis:
            ellipses |= bit
        elif item is None:
            new_axes |= bit
            last = 1
        else:
            first = checked_index(item)
            last = first + 1
            picks |= bit
        begin.append(first)
        end.append(last)
        strides.append(step)
    masks = (begins, ends, ellipses, new_axes, picks)
    return tuple(begin), tuple(end), tuple(strides), masks


def checked_index(value: object) -> Any:
    """An index as an int or a scalar tensor of int32 or int64; TypeError for all else.

    One of int16 becomes int32: it stands beside others, and their ends are computed.
    """
    if type(value) is int:
        return value
    if is_tensor(value):
        if value.dtype in INDEX and value.type.rank in (0, None):
            return cast(value, dt.int32) if value.dtype is dt.int16 else value
    elif isinstance(value, np.ndarray):
        if value.ndim == 0 and value.dtype.kind in "iu":
            return int(value)
    elif hasattr(value, "__index__") and not isinstance(value, (bool, np.bool_)):
        return value.__index__()
    raise TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
        f"tf.int16/tf.int32/tf.int64 tensors are valid indices, got {value!r}"
    )


# -- masks ----------------------------------------------------------------------------------


class Where(Op):
    """The places of the elements that are not zero, one index vector a row, in order."""

    type_name = "Where"
    inputs = ("input: T",)
    outputs = ("index: int64",)
    dtypes = {"T": dt.NUMERIC | dt.BOOL}
    gradient = not_differentiable

    def shapes(self, x: TensorType) -> Shapes:
        if x.rank == 0:
            raise ValueError("WhereOp : Unhandled input dimensions: 0")
        return ((None, x.rank),)

    def kernel(self, x: Array) -> Any:
        if np.ndim(x) == 0:
            raise ValueError("WhereOp : Unhandled input dimensions: 0")
        return np.array(np.asarray(x).nonzero(), np.int64).T


WHERE = Where()


def where(
    condition: TensorLike,
    x: TensorLike | None = None,
    y: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Selects elements by a condition, or returns the places where the condition holds.

    Both of `x` and `y` are given, or neither. The three operands broadcast.

    Args:
        condition: A tensor of bools; of bools or numbers where `x` and `y` are not given.
        x: A tensor of any dtype: the elements where the condition holds.
        y: A tensor of the dtype of `x`: the elements where it does not hold.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `x` and of the shape that the three broadcast to. Without `x` and
        `y`, a matrix of int64: the index vectors of the elements that are not zero, in order.

    Raises:
        ValueError: Only one of `x` and `y` is given.
        InvalidArgumentError: The shapes do not broadcast.

    >>> import graphwright as tf
    >>> tf.where([True, False, True], [1, 2, 3], 0)
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 0, 3], dtype=int32)>
    >>> tf.where([True, False, True]).numpy().tolist()
    [[0], [2]]
    """
    if x is not None and y is not None and not is_tensor(condition):
        condition = convert(condition, dt.bool_)
    condition = convert(condition, hint=dt.bool_)
    if x is None and y is None:
        return apply(WHERE, condition, name=name)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return apply(SELECT, condition, *convert_pair(x, y), name=name)


def boolean_mask(
    tensor: TensorLike,
    mask: TensorLike,
    axis: TensorLike | None = None,
    name: str | None = "boolean_mask",
) -> Tensor:
    """Returns the slices of a tensor for which a mask is true.

    The mask covers the axes of the tensor from `axis` on, as many as it has; they become one axis.

    Args:
        tensor: A tensor of any dtype, of rank 1 or more.
        mask: A tensor of bools of known rank, 1 or more.
        axis: The first axis that the mask covers, an int or a scalar integer tensor, not negative.
            None means 0.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `tensor`.

    Raises:
        ValueError: The mask is a scalar or of unknown rank, or its shape does not fit.

    >>> import graphwright as tf
    >>> tf.boolean_mask([[1, 2], [3, 4], [5, 6]], [True, False, True]).numpy().tolist()
    [[1, 2], [5, 6]]
    """
    tensor, mask = convert(tensor), convert(mask)
    masked, dims, rank = mask.type.dims, tensor.type.dims, tensor.type.rank
    if masked == ():
        raise ValueError("mask cannot be scalar.")
    if masked is None:
        raise ValueError(
            "Number of mask dimensions must be specified, even if some dimensions are None.  "
            "E.g. shape=[None] is ok, but shape=None is not."
        )
    count = len(masked)
    start: Any = get_static_value(axis) if is_tensor(axis) else axis
    if start is None and axis is not None:
        return masked_from(tensor, mask, axis, name)
    first = 0 if start is None else operator.index(start)
    if dims is not None and not is_compatible(dims[first : first + count], masked):
        raise ValueError(
            f"Shapes {plain(dims[first : first + count])} and {plain(masked)} are incompatible"
        )
    if count > 1:
        tensor, mask = merged_axes(tensor, first, count, mask), reshape(mask, (-1,))
        rank = None if rank is None else rank - count + 1
    places = squeeze(apply(WHERE, mask), 1)
    # Counted from the end, since the gradient is dense in TensorFlow, and is rows along axis 0.
    return gather(tensor, places, axis=first if rank is None else first - rank, name=name)


def masked_from(tensor: TensorValue, mask: TensorValue, axis: TensorLike, name: str | None) -> Any:
    """`boolean_mask` from an axis on that is known only when the graph runs."""
    first = cast(axis, dt.int32)
    whole, end = shape(tensor), first + len(mask.type.dims or ())
    length = reduce_prod(whole[first:end])
    merged = reshape(tensor, concat([whole[:first], [length], whole[end:]], 0))
    return gather(merged, squeeze(apply(WHERE, reshape(mask, (-1,))), 1), axis=first, name=name)


def plain(dims: Dims) -> str:
    """A shape as Python prints a tuple."""
    return str(tuple(dims))


def merged_axes(tensor: TensorValue, first: int, count: int, mask: TensorValue) -> Any:
    """`tensor` with `count` axes from `at` on made one, of the size of the mask."""
    dims = tensor.type.dims
    length: Any = num_elements(mask.type.dims)
    if length is None and dims is not None:
        length = num_elements(dims[first : first + count])
    if length is None:
        length = size(mask)
    if dims is not None:
        sizes = axis_sizes(tensor)
        return reshape(tensor, host_vector([*sizes[:first], length, *sizes[first + count :]]))
    whole = shape(tensor)
    return reshape(tensor, concat([whole[:first], [length], whole[first + count :]], 0))


one_op(where, tensors=3)
