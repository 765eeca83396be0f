"""`tensor[key]` by NumPy's rules: arrays of indices and masks among slices.

The rules are "Advanced indexing" in NumPy's user guide. Arrays of indices broadcast against each
other. An int among them counts as an array, a mask as the arrays of indices of its true elements.
Their common axes take the place of the arrays, or come first if a slice stands between these.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import EllipsisType
from typing import Any, TypeAlias, TypeGuard

import numpy as np

from graphwright.library.numpy.array_shapes import broadcast_arrays
from graphwright.op.interpreter import apply, is_tensor
from graphwright.op.refusal import boundary
from graphwright.ops.core import indexing
from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import axis_sizes, gather, gather_nd
from graphwright.ops.core.joining import stack, unstack
from graphwright.ops.core.movement import transpose
from graphwright.ops.math.arithmetic import add
from graphwright.ops.math.comparison import SELECT, less
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Length, TensorLike, TensorValue
from graphwright.types.tensor_type import is_compatible
from graphwright.values.convert import convert

ALL = slice(None)

#: An item of a key, after `as_indices` made tensors of lists and arrays.
Item: TypeAlias = TensorLike | slice | EllipsisType | None


@boundary
def get_item(tensor: TensorValue, key: object) -> Any:
    """The elements at a key, by NumPy's rules; IndexError for an invalid key."""
    items = key if isinstance(key, tuple) else (key,)
    if not any(is_array(item) for item in items):
        return indexing.get_item(tensor, key)
    arrays = [as_indices(item) if is_array(item) else item for item in items]
    if len(arrays) == 1 and arrays[0].dtype is dt.bool_:
        return indexing.boolean_mask(tensor, arrays[0])
    return elements_at(tensor, without_masks(tensor, spelled_out(tensor, arrays)), is_apart(arrays))


def is_array(item: object) -> bool:
    """Whether an item of a key is an array of indices or a mask."""
    if isinstance(item, (list, tuple)):
        return True
    if is_tensor(item):
        return item.dtype is dt.bool_ or item.type.rank != 0
    return isinstance(item, np.ndarray) and (item.ndim > 0 or item.dtype == np.bool_)


def is_position(item: Item) -> TypeGuard[TensorLike]:
    """Whether an item has indices: it is no slice, no new axis and no `...`."""
    return item is not None and item is not Ellipsis and not isinstance(item, slice)


def is_apart(items: Sequence[Item]) -> bool:
    """Whether something stands between the arrays of a key, even a `...` for no axis."""
    places = [i for i, item in enumerate(items) if is_position(item)]
    return places[-1] - places[0] >= len(places)


def as_indices(item: TensorLike) -> Any:
    """An array of indices, or a mask, as a tensor of int32, int64 or bool."""
    indices = convert(item)
    if not is_tensor(item) and indices.type.dims == (0,):
        return convert(item, dt.int32)  # the dtype of an empty list says nothing
    if indices.dtype is dt.bool_ or indices.dtype in dt.INDEX:
        return indices
    if not indices.dtype.is_integer:
        raise IndexError(
            "arrays used as indices must be of integer (or boolean) type, got "
            f"{indices.dtype.name} in {item!r}"
        )
    return cast(indices, dt.int64)


def axes_taken(item: Item) -> int:
    """The number of axes of the tensor that an item of a key covers."""
    if item is None or item is Ellipsis:
        return 0
    if is_tensor(item) and item.dtype is dt.bool_:
        return len(item.type.dims or ())
    return 1


def spelled_out(tensor: TensorValue, items: Sequence[Item]) -> list[Item]:
    """The key with full slices for `...`, or at its end, so that it covers all axes."""
    rank, taken = len(axis_sizes(tensor)), sum(map(axes_taken, items))
    if taken > rank:
        raise IndexError(f"too many indices: the tensor has {rank} axes, but {taken} were indexed")
    gap = next((i for i, item in enumerate(items) if item is Ellipsis), len(items))
    return [*items[:gap], *[ALL] * (rank - taken), *items[gap + 1 :]]


def without_masks(tensor: TensorValue, items: Sequence[Item]) -> list[Item]:
    """The key with the indices of their true elements in place of masks."""
    spelled: list[Item] = []
    axis = 0
    for item in items:
        if is_tensor(item) and item.dtype is dt.bool_:
            masked = (tensor.type.dims or ())[axis : axis + axes_taken(item)]
            if not is_compatible(masked, item.type.dims):
                raise IndexError(
                    f"boolean index did not match: the mask has shape {item.shape}, the axes from "
                    f"{axis} on have {indexing.plain(masked)}"
                )
            spelled += unstack(apply(indexing.WHERE, item), num=item.type.rank, axis=1)
        else:
            spelled.append(item)
        axis += axes_taken(item)
    return spelled


def elements_at(tensor: TensorValue, items: Sequence[Item], apart: bool) -> Any:
    """The elements at a key of arrays, ints, slices and new axes."""
    axes = [i for i, item in enumerate(items) if is_position(item)]
    rest = tuple([ALL if i in axes else item for i, item in enumerate(items)])
    if any(item != ALL for item in rest):
        tensor = indexing.get_item(tensor, rest)
    sizes = axis_sizes(tensor)
    places = [from_the_front(item, size) for item, size in zip(items, sizes) if is_position(item)]
    if len(axes) == 1:
        return gather(tensor, places[0], axis=axes[0])
    others = [i for i in range(len(sizes)) if i not in axes]
    columns = broadcast_arrays(*places)
    elements = gather_nd(transpose(tensor, [*axes, *others]), stack(columns, -1))
    if apart or axes[0] == 0:
        return elements
    common, before = len(columns[0].shape), axes[0]
    order = list(range(len(others) + common))
    order = [*order[common : common + before], *order[:common], *order[common + before :]]
    return transpose(elements, order)


def from_the_front(places: TensorLike, size: Length) -> Any:
    """Indices of an axis, with the size added to negative ones."""
    places = cast(places, dt.int64)
    size = cast(size, dt.int64) if is_tensor(size) else convert(size, dt.int64)
    return apply(SELECT, less(places, convert(0, dt.int64)), add(places, size), places)
