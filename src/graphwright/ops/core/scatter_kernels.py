"""Slices of an array by index vectors: gathered, and scattered with duplicates combined.

The last axis of `indices` holds vectors into the leading axes of the array. Many updates are
combined one after the other (`segment_kernels.combine_at`). Few ones, and those of narrow floats,
are sorted and reduced (`segment_kernels.reduce_duplicates`), so that a scatter is one vectorised
store. The last of several updates of one place wins.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from graphwright.op.late_imports import late_module
from graphwright.ops.convolution.windows import accumulator
from graphwright.ops.core.segment_kernels import MANY, Integers, combine_at, reduce_duplicates
from graphwright.types.arrays import Array

#: The bytes of a result whose memory is taken again (`machine/large_arrays.py`).
_LARGE = 32 << 20

Combination: TypeAlias = Literal["update", "add", "sub", "min", "max"]


def _lesser(array: Array, updates: Array) -> Array:
    return np.where(np.less(updates, array), updates, array)


def _greater(array: Array, updates: Array) -> Array:
    return np.where(np.greater(updates, array), updates, array)


#: Of duplicates, and then with the array: what is not a number is neither less nor greater.
_COMBINATIONS: dict[str, tuple[np.ufunc, Callable[[Array, Array], Array]]] = {
    "add": (np.add, np.add),
    "sub": (np.add, np.subtract),
    "min": (np.fmin, _lesser),
    "max": (np.fmax, _greater),
}


def is_large(array: Array, indices: Array, axis: int) -> bool:
    """Whether slices at indices are worth the memory of an earlier array."""
    size: int = array.shape[axis]
    return indices.size * array.nbytes >= _LARGE * max(size, 1)


def taken(array: Array, indices: Array, axis: int) -> Array:
    """The slices at indices in range, in the memory of an earlier array where they are large."""
    if not is_large(array, indices, axis):
        return array.take(indices, axis)
    place = axis % array.ndim
    dims = (*array.shape[:place], *indices.shape, *array.shape[place + 1 :])
    memory = late_module("graphwright.machine.large_arrays")  # most programs need none
    result: Array = memory.empty(dims, array.dtype)
    return array.take(indices, axis, result, "clip")  # a check of indices would copy the result


def gather_nd(array: Array, indices: Integers, batch_dims: int = 0) -> Array:
    """The slices [*indices.shape[:-1], ...] that the index vectors point to.

    With batch dimensions each batch's vectors index that batch of the array. Raises ValueError for
    a vector that does not index into the array.
    """
    if batch_dims:
        grids = np.indices(indices.shape[:batch_dims])
        extra = indices.ndim - 1 - batch_dims
        batch = np.moveaxis(grids, 0, -1).reshape(*indices.shape[:batch_dims], *[1] * extra, -1)
        batch = np.broadcast_to(batch, (*indices.shape[:-1], batch_dims)).astype(indices.dtype)
        indices = np.concatenate([batch, indices], axis=-1)
    depth = indices.shape[-1]
    slots = _slots(indices, array.shape, "param shape")
    inner = array.shape[depth:]
    rows = array.reshape(math.prod(array.shape[:depth]), *inner)
    return taken(rows, slots, 0).reshape((*indices.shape[:-1], *inner))


def tensor_scatter(
    kind: Combination, array: Array, indices: Integers, updates: Array, out: Array | None = None
) -> Array:
    """The array with the update slices combined into it where the index vectors point.

    It is a copy, unless `out` is the array itself, of one contiguous piece: then that is changed.
    Raises ValueError for a vector that does not index into the array, before anything is written.
    So it does unless the updates have the shape [*indices.shape[:-1], *array.shape[depth:]].
    """
    depth = indices.shape[-1]
    inner = array.shape[depth:]
    if updates.shape != (*indices.shape[:-1], *inner):
        raise ValueError(
            f"updates of shape {list(updates.shape)} do not fit indices of shape "
            f"{list(indices.shape)} into shape {list(array.shape)}; "
            f"they must have shape {[*indices.shape[:-1], *inner]}"
        )
    slots = _slots(indices, array.shape, "shape")
    result: Array = array.copy() if out is None else out
    rows = result.reshape(math.prod(array.shape[:depth]), *inner)
    values = updates.reshape(slots.size, *inner)
    if not values.size:
        return result
    if kind == "update":
        rows[slots] = values
        return result
    combine, apply = _COMBINATIONS[kind]
    whole = accumulator(values.dtype) == values.dtype
    if isinstance(apply, np.ufunc) and whole and values.size >= MANY:
        combine_at(apply, rows, slots, values)
        return result
    present, reduced = reduce_duplicates(combine, values, slots)
    rows[present] = apply(rows[present], reduced)
    return result


def _slots(indices: Integers, shape: tuple[int, ...], what: str) -> npt.NDArray[np.intp]:
    """Each vector as an index into the leading axes as one; ValueError where it is out of range."""
    depth = indices.shape[-1]
    if depth > len(shape):
        raise ValueError(
            f"the last dimension of indices, {depth}, exceeds the rank {len(shape)} of "
            f"{what} {_listed(shape)}"
        )
    vectors = indices.reshape(math.prod(indices.shape[:-1]), depth)
    slots: npt.NDArray[np.intp] = np.zeros(len(vectors), np.intp)
    outside = np.zeros(len(vectors), np.bool_)
    for axis, size in enumerate(shape[:depth]):
        numbers = vectors[:, axis]
        outside |= (numbers < 0) | (numbers >= size)
        slots = slots * size + numbers
    if outside.any():
        first = int(np.flatnonzero(outside)[0])
        place = ",".join(map(str, np.unravel_index(first, indices.shape[:-1])))
        vector = vectors[first].tolist()
        raise ValueError(f"indices[{place}] = {vector} does not index into {what} {_listed(shape)}")
    return slots


def _listed(shape: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, shape))}]"
