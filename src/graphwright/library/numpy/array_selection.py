"""NumPy's functions that select elements of arrays, and those that compare and test arrays."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from graphwright.library.numpy.array_functions import equal, not_equal
from graphwright.library.numpy.array_shapes import atleast_1d, moveaxis, ravel
from graphwright.library.numpy.promotion import asarray, promoted, rank_of, sizes_of
from graphwright.op.interpreter import is_tensor
from graphwright.ops.core import creation, gathering, indexing, joining, movement
from graphwright.ops.core.casting import cast
from graphwright.ops.core.shapes import broadcast_static_shape
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ops.math.arithmetic import floormod
from graphwright.ops.math.clipping import clip_by_value
from graphwright.ops.math.reduction import reduce_all
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.values.convert import convert


@overload
def where(condition: TensorLike) -> list[Tensor]: ...
@overload
def where(condition: TensorLike, x: TensorLike | None, y: TensorLike | None) -> Tensor: ...
def where(condition: TensorLike, x: TensorLike | None = None, y: TensorLike | None = None) -> Any:
    """Selects elements of `x` where a condition holds and of `y` elsewhere.

    Args:
        condition: An array of bools, or of numbers, which are true unless 0.
        x: An array that broadcasts against `condition`, or None.
        y: An array that broadcasts against `condition`, or None.

    Returns:
        A tensor of the promoted dtype; or, without `x` and `y`, a list of int64 vectors as of
        `numpy.nonzero`.

    Raises:
        ValueError: Only one of `x` and `y` is None.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.where([True, False], [1, 2], 0).numpy()
    array([1, 0])
    """
    holds = cast(asarray(condition), dt.bool_)
    if x is None and y is None:
        return nonzero(holds)
    if x is None or y is None:
        raise ValueError("Both x and y must be ndarrays, or both must be None.")
    return indexing.where(holds, *promoted(x, y))


def nonzero(a: TensorLike) -> list[Tensor]:
    """Returns the indices of all elements that are not 0.

    Args:
        a: An array: a tensor, or a value that makes one.

    Returns:
        A list with an int64 vector for each axis.

    >>> import graphwright as tf
    >>> [x.numpy().tolist() for x in tf.experimental.numpy.nonzero([[0, 1], [2, 0]])]
    [[0, 1], [1, 0]]
    """
    x = atleast_1d(a)
    places = indexing.where(cast(x, dt.bool_))
    return list(joining.unstack(places, x.type.rank, axis=1))


def select(
    condlist: Sequence[TensorLike], choicelist: Sequence[TensorLike], default: TensorLike = 0
) -> Tensor:
    """Selects each element from the choice of the first condition that holds.

    Args:
        condlist: A list of arrays of bools.
        choicelist: A list of as many arrays.
        default: The value where no condition holds.

    Returns:
        A tensor of the promoted dtype.

    Raises:
        ValueError: The lists differ in length, or are empty.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.select([[True, False], [True, True]], [[1, 2], [3, 4]]).numpy()
    array([1, 4])
    """
    if len(condlist) != len(choicelist) or not condlist:
        raise ValueError(
            f"condlist and choicelist must have the same length of at least 1, got "
            f"{len(condlist)} and {len(choicelist)}"
        )
    *choices, result = promoted(*choicelist, default)
    for condition, choice in zip(reversed(condlist), reversed(choices)):
        result = where(condition, choice, result)
    return result


def compress(condition: TensorLike, a: TensorLike, axis: int | None = None) -> Tensor:
    """Selects the slices along an axis for which a condition holds.

    Args:
        condition: A vector of bools.
        a: An array: a tensor, or a value that makes one.
        axis: The axis, as an int. None means all elements in row-major order.

    Returns:
        A tensor of the dtype of `a`.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.compress([True, False, True], [1, 2, 3]).numpy()
    array([1, 3])
    """
    x = ravel(a) if axis is None else asarray(a)
    axis = axis or 0
    places = nonzero(asarray(condition, bool))[0]
    return gathering.gather(x, places, axis=axis)


def take(
    a: TensorLike,
    indices: TensorLike,
    axis: int | None = None,
    out: TensorLike | None = None,
    mode: str = "clip",
) -> Tensor:
    """Selects elements along an axis by their indices.

    Args:
        a: An array: a tensor, or a value that makes one.
        indices: An array of integers.
        axis: The axis, as an int. None means all elements in row-major order.
        out: None: tensors cannot be written into.
        mode: "clip" for indices that end at the edges, "wrap" for those that go round.

    Returns:
        A tensor of the dtype of `a`, with the axes of `indices` in place of `axis`.

    Raises:
        ValueError: `mode` is another, or `out` is given.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.take([1, 2, 3], [0, 5]).numpy()
    array([1, 3])
    """
    if out is not None:
        raise ValueError("out argument is not supported in take.")
    if mode not in ("clip", "wrap"):
        raise ValueError(f"The '{mode}' mode to take is not supported.")
    x, places = (ravel(a) if axis is None else asarray(a)), asarray(indices)
    axis = axis or 0
    length = cast(shape_of(x)[axis], places.dtype)
    zero = creation.zeros_like(length)
    inside = floormod(places, length) if mode == "wrap" else (
        clip_by_value(places, zero, length - 1)
    )  # fmt: skip
    return gathering.gather(x, inside, axis=axis)


def take_along_axis(arr: TensorLike, indices: TensorLike, axis: int | None) -> Tensor:
    """Selects elements along an axis, with indices for each slice.

    Args:
        arr: An array: a tensor, or a value that makes one.
        indices: An array of integers, whose other axes broadcast against those of `arr`.
        axis: The axis, as an int. None means all elements in row-major order.

    Returns:
        A tensor of the shape of `indices` and the dtype of `arr`.

    Raises:
        ValueError: The rank is unknown while tracing.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.take_along_axis([[1, 2], [3, 4]], [[1], [0]], 1).numpy().tolist()
    [[2], [3]]
    """
    x, places = asarray(arr), asarray(indices)
    if axis is None:
        return gathering.gather(ravel(x), places)
    x, places = moveaxis(x, axis, -1), moveaxis(places, axis, -1)
    outer = rank_of(x, "take_along_axis") - 1
    if sizes_of(places, "take_along_axis")[:-1] != sizes_of(x, "take_along_axis")[:-1]:
        whole = broadcast_static_shape(x.shape[:-1], places.shape[:-1])
        x = movement.broadcast_to(x, whole.concatenate(x.shape[-1:]))
        places = movement.broadcast_to(places, whole.concatenate(places.shape[-1:]))
    return moveaxis(gathering.gather(x, places, batch_dims=outer, axis=outer), -1, axis)


def ix_(*args: TensorLike) -> list[Tensor]:
    """Reshapes vectors so that together they index a grid.

    Args:
        *args: Vectors of integers or bools.

    Returns:
        A list of tensors, each with its elements along another axis. Bools become indices.

    Raises:
        ValueError: An argument is no vector.

    >>> import graphwright as tf
    >>> [x.shape for x in tf.experimental.numpy.ix_([0, 1], [2])]
    [TensorShape([2, 1]), TensorShape([1, 1])]
    """
    count, grid = len(args), []
    for place, arg in enumerate(args):
        x = asarray(arg)
        if rank_of(x, "ix_") != 1:
            raise ValueError(f"Arguments must be 1-d, got arg {place} of rank {x.type.rank}")
        x = nonzero(x)[0] if x.dtype is dt.bool_ else x
        grid.append(movement.reshape(x, [-1 if i == place else 1 for i in range(count)]))
    return grid


def array_equal(a1: TensorLike, a2: TensorLike) -> Tensor:
    """Says whether two arrays have the same shape and elements.

    Args:
        a1: The first array.
        a2: The second array.

    Returns:
        A scalar bool tensor.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.array_equal([1, 2], [1, 2]).numpy()
    np.True_
    """
    x, y = promoted(a1, a2)
    if not x.shape.is_compatible_with(y.shape):
        return convert(False)
    return reduce_all(equal(x, y))


def isscalar(num: object) -> bool:
    """Says whether a value is a number or a scalar tensor.

    Args:
        num: Any object.

    Returns:
        A bool.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.isscalar(3), tf.experimental.numpy.isscalar([3])
    (True, False)
    """
    if is_tensor(num):
        return builtins.bool(num.type.rank == 0)
    return builtins.bool(np.isscalar(num))


def iscomplexobj(x: TensorLike) -> bool:
    """Says whether an array has a complex dtype.

    Args:
        x: An array: a tensor, or a value that makes one.

    Returns:
        A bool.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.iscomplexobj([1j])
    True
    """
    return builtins.bool(asarray(x).dtype.is_complex)


def isrealobj(x: TensorLike) -> bool:
    """Says whether an array has another dtype than a complex one.

    Args:
        x: An array: a tensor, or a value that makes one.

    Returns:
        A bool.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.isrealobj([1j])
    False
    """
    return not iscomplexobj(x)


def diff(a: TensorLike, n: int = 1, axis: int = -1) -> Tensor:
    """Subtracts from each element the one before it.

    Args:
        a: An array: a tensor, or a value that makes one.
        n: The number of times.
        axis: The axis, as an int.

    Returns:
        A tensor of the dtype of `a`; bools are compared instead.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.diff([1, 4, 9]).numpy()
    array([3, 5])
    """
    x = moveaxis(a, axis, -1)
    for _ in range(n):
        later, sooner = x[..., 1:], x[..., :-1]
        x = not_equal(later, sooner) if x.dtype is dt.bool_ else later - sooner
    return moveaxis(x, -1, axis)
