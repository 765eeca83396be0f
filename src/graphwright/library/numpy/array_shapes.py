"""NumPy's functions that reshape, transpose, broadcast, join, split and pad arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from graphwright.library.numpy.promotion import (
    Preference,
    asarray,
    promoted,
    rank_of,
    sizes,
    sizes_of,
)
from graphwright.op.interpreter import is_tensor
from graphwright.ops.core import joining, movement, padding, repetition, reversal, sequences
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.grids import meshgrid as grid
from graphwright.ops.core.shapes import broadcast_dynamic_shape, broadcast_static_shape
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ops.core.shapes import size as count_of
from graphwright.ops.core.static import static_value
from graphwright.types.arguments import ShapeLike, Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.shape import TensorShape
from graphwright.values.convert import convert

#: One axis or several.
Axes: TypeAlias = int | Sequence[int]
#: The number of equal parts, or the indices at which parts begin.
Sections: TypeAlias = int | Sequence[int] | Array

# -- shapes -------------------------------------------------------------------------------------


def reshape(a: TensorLike, newshape: ShapeLike, order: str = "C") -> Tensor:
    """Gives the elements of an array another shape.

    Args:
        a: An array: a tensor, or a value that makes one.
        newshape: The shape, as an int or a list of ints, one of which may be -1.
        order: "C" for row-major order, "F" for column-major order.

    Returns:
        A tensor of the dtype of the array.

    Raises:
        ValueError: `order` is another.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.reshape([[1, 2], [3, 4]], [4]).numpy()
    array([1, 2, 3, 4])
    """
    if order not in ("C", "F"):
        raise ValueError(f"Unsupported `order` argument {order!r}: it is 'C' or 'F'.")
    x, target = asarray(a), sizes(newshape)
    if order == "C":
        return movement.reshape(x, target)
    reversed_axes = movement.reshape(transpose(x), reversal.reverse(convert(target), [0]))
    return transpose(reversed_axes)


def ravel(a: TensorLike) -> Tensor:
    """Flattens an array in row-major order.

    Args:
        a: An array: a tensor, or a value that makes one.

    Returns:
        A vector of the dtype of the array.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.ravel([[1, 2], [3, 4]]).numpy()
    array([1, 2, 3, 4])
    """
    return movement.reshape(asarray(a), [-1])


def flatten(a: TensorLike, order: str = "C") -> Tensor:
    """Flattens an array.

    Args:
        a: An array: a tensor, or a value that makes one.
        order: "C" for row-major order, "F" for column-major order.

    Returns:
        A vector of the dtype of the array.

    Raises:
        ValueError: `order` is another.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.flatten([[1, 2], [3, 4]], "F").numpy()
    array([1, 3, 2, 4])
    """
    return reshape(a, [-1], order)


def shape(a: TensorLike) -> TensorShape:
    """Returns the shape of an array, as far as it is known.

    Args:
        a: An array: a tensor, or a value that makes one.

    Returns:
        A `tf.TensorShape`.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.shape([[1, 2]])
    TensorShape([1, 2])
    """
    result: TensorShape = asarray(a).shape
    return result


def ndim(a: TensorLike) -> int | None:
    """Returns the rank of an array.

    Args:
        a: An array: a tensor, or a value that makes one.

    Returns:
        An int, or None where it is unknown.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.ndim([[1, 2]])
    2
    """
    rank: int | None = asarray(a).type.rank
    return rank


def expand_dims(a: TensorLike, axis: TensorLike) -> Tensor:
    """Adds an axis of size 1 to an array.

    Args:
        a: An array: a tensor, or a value that makes one.
        axis: The place of the new axis.

    Returns:
        A tensor of the dtype of the array.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.expand_dims([1, 2], 0).shape
    TensorShape([1, 2])
    """
    return movement.expand_dims(asarray(a), axis)


def squeeze(a: TensorLike, axis: TensorLike | None = None) -> Tensor:
    """Removes axes of size 1.

    Args:
        a: An array: a tensor, or a value that makes one.
        axis: The axes to remove, as an int or a list of ints. None means all of size 1.

    Returns:
        A tensor of the dtype of the array.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.squeeze([[1, 2]]).shape
    TensorShape([2])
    """
    return movement.squeeze(asarray(a), axis)


def transpose(a: TensorLike, axes: TensorLike | None = None) -> Tensor:
    """Permutes the axes of an array.

    Args:
        a: An array: a tensor, or a value that makes one.
        axes: The axes in their new order. None reverses them.

    Returns:
        A tensor of the dtype of the array.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.transpose([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 3], [2, 4]]
    """
    return movement.transpose(asarray(a), axes)


def swapaxes(a: TensorLike, axis1: int, axis2: int) -> Tensor:
    """Exchanges two axes of an array.

    Args:
        a: An array: a tensor, or a value that makes one.
        axis1: One axis.
        axis2: The other axis.

    Returns:
        A tensor of the dtype of the array.

    Raises:
        ValueError: The rank is unknown while tracing.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.swapaxes([[1, 2], [3, 4]], 0, 1).numpy().tolist()
    [[1, 3], [2, 4]]
    """
    x = asarray(a)
    order = list(range(rank_of(x, "swapaxes")))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return movement.transpose(x, order)


def moveaxis(a: TensorLike, source: Axes, destination: Axes) -> Tensor:
    """Moves axes of an array to other places; the rest keep their order.

    Args:
        a: An array: a tensor, or a value that makes one.
        source: The axes, as an int or a list of ints.
        destination: Their new places.

    Returns:
        A tensor of the dtype of the array.

    Raises:
        ValueError: The lists differ in length, or the rank is unknown while tracing.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.moveaxis(tf.zeros([2, 3, 4]), 0, -1).shape
    TensorShape([3, 4, 2])
    """
    x = asarray(a)
    rank = rank_of(x, "moveaxis")
    pairs = [[p % rank for p in ([s] if isinstance(s, int) else s)] for s in (source, destination)]
    if len(pairs[0]) != len(pairs[1]):
        raise ValueError("The lengths of source and destination must equal.")
    order = [axis for axis in range(rank) if axis not in pairs[0]]
    for to, axis in sorted(zip(pairs[1], pairs[0])):
        order.insert(to, axis)
    return movement.transpose(x, order)


def broadcast_to(array: TensorLike, shape: ShapeLike) -> Tensor:
    """Broadcasts an array to a shape.

    Args:
        array: An array: a tensor, or a value that makes one.
        shape: The shape, as an int or a list of ints.

    Returns:
        A tensor of the dtype of the array.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.broadcast_to([1, 2], [2, 2]).numpy().tolist()
    [[1, 2], [1, 2]]
    """
    return movement.broadcast_to(asarray(array), sizes(shape))


def broadcast_arrays(
    *args: TensorLike, **kwargs: object
) -> list[Tensor] | tuple[Tensor, ...]:
    """Broadcasts arrays to their common shape.

    Args:
        *args: Arrays.
        **kwargs: Have no effect.

    Returns:
        A list of tensors of one shape; a tuple for a single array.

    >>> import graphwright as tf
    >>> [x.shape for x in tf.experimental.numpy.broadcast_arrays([1, 2], 3)]
    [TensorShape([2]), TensorShape([2])]
    """
    tensors = [asarray(arg) for arg in args]
    if len(tensors) == 1:
        return tuple(tensors)
    static = functools.reduce(broadcast_static_shape, [tensor.shape for tensor in tensors])
    if static.is_fully_defined():
        return [movement.broadcast_to(tensor, static) for tensor in tensors]
    whole = functools.reduce(broadcast_dynamic_shape, [shape_of(tensor) for tensor in tensors])
    return [movement.broadcast_to(tensor, whole) for tensor in tensors]


def atleast(count: int, values: tuple[TensorLike, ...], place: Callable[[int], int]) -> Any:
    """The values with at least `count` axes: a tensor, or a list for several values.

    `place` gives, from the rank before, the place of a new axis.
    """
    tensors = []
    for value in values:
        x = asarray(value)
        for rank in range(rank_of(x, f"atleast_{count}d"), count):
            x = movement.expand_dims(x, place(rank))
        tensors.append(x)
    return tensors[0] if len(tensors) == 1 else tensors


def atleast_1d(*arys: TensorLike) -> Any:
    """Adds axes of size 1 to arrays whose rank is below 1.

    Args:
        *arys: Arrays. New axes come first.

    Returns:
        A tensor, or a list of tensors for several arrays.

    Raises:
        ValueError: The rank is unknown while tracing.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.atleast_1d(3).shape
    TensorShape([1])
    """
    return atleast(1, arys, lambda rank: 0)


def atleast_2d(*arys: TensorLike) -> Any:
    """Adds axes of size 1 to arrays whose rank is below 2.

    Args:
        *arys: Arrays. New axes come first.

    Returns:
        A tensor, or a list of tensors for several arrays.

    Raises:
        ValueError: The rank is unknown while tracing.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.atleast_2d([1, 2]).shape
    TensorShape([1, 2])
    """
    return atleast(2, arys, lambda rank: 0)


def atleast_3d(*arys: TensorLike) -> Any:
    """Adds axes of size 1 to arrays whose rank is below 3.

    Args:
        *arys: Arrays. A vector becomes [1, n, 1], a matrix [m, n, 1].

    Returns:
        A tensor, or a list of tensors for several arrays.

    Raises:
        ValueError: The rank is unknown while tracing.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.atleast_3d([1, 2]).shape
    TensorShape([1, 2, 1])
    """
    return atleast(3, arys, lambda rank: -1 if rank == 2 else 0)


# -- joining and splitting ----------------------------------------------------------------------


def concatenate(arys: Iterable[TensorLike], axis: int | None = 0) -> Tensor:
    """Joins arrays along an axis.

    Args:
        arys: A list of arrays that differ only in the size of `axis`. A tensor is one array.
        axis: The axis, as an int. None joins the flattened arrays.

    Returns:
        A tensor of the promoted dtype.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.concatenate([[1, 2], [3]]).numpy()
    array([1, 2, 3])
    """
    tensors = promoted(*([arys] if is_tensor(arys) else arys))
    if axis is None:
        return joining.concat([ravel(x) for x in tensors], 0)
    return joining.concat(tensors, axis)


def stack(arrays: Iterable[TensorLike], axis: int = 0) -> Tensor:
    """Joins arrays of one shape along a new axis.

    Args:
        arrays: A list of arrays, or an array, which is taken along its first axis.
        axis: The place of the new axis.

    Returns:
        A tensor of the promoted dtype.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.stack([[1, 2], [3, 4]], 1).numpy().tolist()
    [[1, 3], [2, 4]]
    """
    if is_tensor(arrays):
        return moveaxis(arrays, 0, axis) if axis else asarray(arrays)
    return joining.stack(promoted(*arrays), axis)


def hstack(tup: Iterable[TensorLike]) -> Tensor:
    """Joins arrays along the second axis, vectors along their only one.

    Args:
        tup: A list of arrays.

    Returns:
        A tensor of the promoted dtype.

    Raises:
        ValueError: The rank is unknown while tracing.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.hstack([[1, 2], [3]]).numpy()
    array([1, 2, 3])
    """
    rows = promoted(*map(atleast_1d, tup))
    return joining.concat(rows, 0 if rank_of(rows[0], "hstack") == 1 else 1)


def vstack(tup: Iterable[TensorLike]) -> Tensor:
    """Joins arrays along the first axis; vectors are rows.

    Args:
        tup: A list of arrays.

    Returns:
        A tensor of the promoted dtype.

    Raises:
        ValueError: The rank is unknown while tracing.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.vstack([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 2], [3, 4]]
    """
    return joining.concat(promoted(*map(atleast_2d, tup)), 0)


def dstack(tup: Iterable[TensorLike]) -> Tensor:
    """Joins arrays along the third axis, which is added where it is missing.

    Args:
        tup: A list of arrays.

    Returns:
        A tensor of the promoted dtype.

    Raises:
        ValueError: The rank is unknown while tracing.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.dstack([[1, 2], [3, 4]]).numpy().tolist()
    [[[1, 3], [2, 4]]]
    """
    return joining.concat(promoted(*map(atleast_3d, tup)), 2)


def append(arr: TensorLike, values: TensorLike, axis: int | None = None) -> Tensor:
    """Appends values to an array.

    Args:
        arr: An array: a tensor, or a value that makes one.
        values: An array of the same rank.
        axis: The axis, as an int. None joins the flattened arrays.

    Returns:
        A tensor of the promoted dtype.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.append([1, 2], [3]).numpy()
    array([1, 2, 3])
    """
    return concatenate([asarray(arr), asarray(values)], axis)


def split(ary: TensorLike, indices_or_sections: Sections, axis: int = 0) -> list[Tensor]:
    """Splits an array along an axis.

    Args:
        ary: An array: a tensor, or a value that makes one.
        indices_or_sections: The number of equal parts as an int, or a list of the indices at which
            parts begin.
        axis: The axis, as an int.

    Returns:
        A list of tensors of the dtype of `ary`.

    >>> import graphwright as tf
    >>> [x.numpy().tolist() for x in tf.experimental.numpy.split([1, 2, 3, 4], [1, 3])]
    [[1], [2, 3], [4]]
    """
    x = asarray(ary)
    if isinstance(indices_or_sections, int):
        return list(joining.split(x, indices_or_sections, axis))
    places = np.clip(indices_or_sections, 0, x.shape[axis])
    lengths = np.diff(np.r_[0, places, x.shape[axis]])
    return list(joining.split(x, lengths.tolist(), axis))


def hsplit(ary: TensorLike, indices_or_sections: Sections) -> list[Tensor]:
    """Splits an array along the second axis, a vector along its only one.

    Args:
        ary: An array: a tensor, or a value that makes one.
        indices_or_sections: The number of equal parts as an int, or a list of the indices at which
            parts begin.

    Returns:
        A list of tensors of the dtype of `ary`.

    >>> import graphwright as tf
    >>> [x.numpy().tolist() for x in tf.experimental.numpy.hsplit([1, 2], 2)]
    [[1], [2]]
    """
    return split(ary, indices_or_sections, 0 if asarray(ary).type.rank == 1 else 1)


def vsplit(ary: TensorLike, indices_or_sections: Sections) -> list[Tensor]:
    """Splits an array along the first axis.

    Args:
        ary: An array: a tensor, or a value that makes one.
        indices_or_sections: The number of equal parts as an int, or a list of the indices at which
            parts begin.

    Returns:
        A list of tensors of the dtype of `ary`.

    >>> import graphwright as tf
    >>> [x.numpy().tolist() for x in tf.experimental.numpy.vsplit([[1], [2]], 2)]
    [[[1]], [[2]]]
    """
    return split(ary, indices_or_sections, 0)


def dsplit(ary: TensorLike, indices_or_sections: Sections) -> list[Tensor]:
    """Splits an array along the third axis.

    Args:
        ary: An array: a tensor, or a value that makes one.
        indices_or_sections: The number of equal parts as an int, or a list of the indices at which
            parts begin.

    Returns:
        A list of tensors of the dtype of `ary`.

    >>> import graphwright as tf
    >>> [x.numpy().tolist() for x in tf.experimental.numpy.dsplit([[[1, 2]]], 2)]
    [[[[1]]], [[[2]]]]
    """
    return split(ary, indices_or_sections, 2)


def tile(a: TensorLike, reps: TensorLike) -> Tensor:
    """Repeats an array as a whole along each axis.

    Args:
        a: An array: a tensor, or a value that makes one.
        reps: The number of repetitions along each axis, as an int or a list; the last one is for
            the last axis.

    Returns:
        A tensor of the dtype of the array.

    Raises:
        ValueError: The rank is unknown while tracing.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.tile([1, 2], 2).numpy()
    array([1, 2, 1, 2])
    """
    x, known = asarray(a), static_value(reps)
    rank = rank_of(x, "tile")
    if known is None:
        times = movement.reshape(reps, [-1])
        count = sizes_of(times, "tile")[0]
        times = joining.concat([[1] * (rank - count), times], 0) if count < rank else times
    else:
        times = np.atleast_1d(known).tolist()
        count = len(times)
        times = [1] * (rank - count) + times
    for _ in range(count - rank):
        x = movement.expand_dims(x, 0)
    return repetition.tile(x, times)


def repeat(a: TensorLike, repeats: TensorLike, axis: int | None = None) -> Tensor:
    """Repeats each element of an array.

    Args:
        a: An array: a tensor, or a value that makes one.
        repeats: The number of repetitions, as an int or one int for each element.
        axis: The axis, as an int. None means all elements in row-major order.

    Returns:
        A tensor of the dtype of the array.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.repeat([1, 2], 2).numpy()
    array([1, 1, 2, 2])
    """
    return repetition.repeat(asarray(a), repeats, axis)


def roll(a: TensorLike, shift: TensorLike, axis: TensorLike | None = None) -> Tensor:
    """Shifts elements along axes; those that leave at one end enter at the other.

    Args:
        a: An array: a tensor, or a value that makes one.
        shift: The distance, as an int, or a list with one for each axis.
        axis: The axis or axes. None shifts the flattened array.

    Returns:
        A tensor of the shape of the array.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.roll([1, 2, 3], 1).numpy()
    array([3, 1, 2])
    """
    x = asarray(a)
    if axis is not None:
        return reversal.roll(x, shift, axis)
    return movement.reshape(reversal.roll(ravel(x), shift, 0), shape_of(x))


def flip(m: TensorLike, axis: TensorLike | None = None) -> Tensor:
    """Reverses the elements along axes.

    Args:
        m: An array: a tensor, or a value that makes one.
        axis: The axis or axes, as an int or a list of ints. None means all axes.

    Returns:
        A tensor of the shape of the array.

    Raises:
        ValueError: The rank is unknown while tracing.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.flip([1, 2, 3]).numpy()
    array([3, 2, 1])
    """
    x = asarray(m)
    axes = list(range(rank_of(x, "flip"))) if axis is None else sizes(axis)
    return reversal.reverse(x, list(axes))


def flipud(m: TensorLike) -> Tensor:
    """Reverses the elements along the first axis.

    Args:
        m: An array: a tensor, or a value that makes one.

    Returns:
        A tensor of the shape of the array.

    Raises:
        ValueError: The rank is unknown while tracing.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.flipud([[1], [2]]).numpy().tolist()
    [[2], [1]]
    """
    return flip(m, 0)


def fliplr(m: TensorLike) -> Tensor:
    """Reverses the elements along the second axis.

    Args:
        m: An array: a tensor, or a value that makes one.

    Returns:
        A tensor of the shape of the array.

    Raises:
        ValueError: The rank is unknown while tracing.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.fliplr([[1, 2]]).numpy().tolist()
    [[2, 1]]
    """
    return flip(m, 1)


def rot90(m: TensorLike, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Tensor:
    """Rotates an array by right angles in the plane of two axes.

    Args:
        m: An array: a tensor, or a value that makes one.
        k: The number of right angles, from the first axis towards the second.
        axes: The two axes.

    Returns:
        A tensor of the dtype of the array.

    Raises:
        ValueError: The rank is unknown while tracing.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.rot90([[1, 2], [3, 4]]).numpy().tolist()
    [[2, 4], [1, 3]]
    """
    x, (first, second) = asarray(m), axes
    turns = k % 4
    if turns == 0:
        return x
    if turns == 2:
        return flip(x, [a % rank_of(x, "rot90") for a in axes])
    if turns == 1:
        return swapaxes(flip(x, second), first, second)
    return flip(swapaxes(x, first, second), second)


def pad(array: TensorLike, pad_width: TensorLike, mode: str, **kwargs: TensorLike) -> Tensor:
    """Pads an array along each axis.

    Args:
        array: An array: a tensor, or a value that makes one.
        pad_width: The numbers of elements before and after, for each axis; they broadcast to [rank,
            2].
        mode: "constant", "reflect" (mirrored without the edge) or "symmetric" (with it).
        **kwargs: `constant_values`, a number: 0 by default.

    Returns:
        A tensor of the dtype of the array.

    Raises:
        ValueError: `mode` is another, or the rank is unknown while tracing.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.pad([1, 2], 1, "constant").numpy()
    array([0, 1, 2, 0])
    """
    if mode not in ("constant", "reflect", "symmetric"):
        raise ValueError(f"Unsupported padding mode: {mode}.")
    x = asarray(array)
    known, shape = static_value(pad_width), (rank_of(x, "pad"), 2)
    if known is None:
        widths: Any = movement.broadcast_to(pad_width, shape)
    else:
        widths = np.broadcast_to(known, shape).tolist()
    value = asarray(kwargs.get("constant_values", 0), x.dtype)
    return padding.pad(x, widths, mode.upper(), value)


def meshgrid(*xi: TensorLike, **kwargs: Any) -> list[Tensor]:
    """Makes coordinate arrays of a grid from vectors of coordinates.

    Args:
        *xi: Vectors of coordinates.
        **kwargs: `indexing`: "xy", the default, or "ij".

    Returns:
        A list with a tensor for each vector.

    Raises:
        ValueError: `sparse` is set, or `copy` is not.

    >>> import graphwright as tf
    >>> [x.numpy().tolist() for x in tf.experimental.numpy.meshgrid([1, 2], [3])]
    [[[1, 2]], [[3, 3]]]
    """
    if kwargs.get("sparse") or not kwargs.get("copy", True):
        raise ValueError("tf.numpy doesn't support sparse=True or copy=False.")
    indexing_kind = kwargs.get("indexing", "xy")
    if not Preference.is_narrow:
        return list(grid(*promoted(*xi), indexing=indexing_kind)) if xi else []
    # Each keeps its dtype: the grids are of places, at which its elements are.
    tensors = [asarray(x) for x in xi]
    places = grid(*[sequences.range(count_of(x)) for x in tensors], indexing=indexing_kind)
    return [gather(ravel(x), place) for x, place in zip(tensors, places)]
