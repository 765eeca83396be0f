"""`tensor[key]` as NumPy means it: arrays of indices and masks among slices.

The rules are NumPy's ("Advanced indexing" in its user guide): arrays of indices broadcast against
each other, an int among them counts as one, a mask counts as the arrays of the places where it
holds. Their common axes come where the arrays stood, or first if something stood between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import EllipsisType
from typing import Any, TypeGuard

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
Item = TensorLike | slice | EllipsisType | None


@boundary
def get_item(tensor: TensorValue, key: object) -> Any:
    """The elements of a tensor that a key of NumPy's means; IndexError for what is no index."""
    items = key if isinstance(key, tuple) else (key,)
    if not any(is_array(item) for item in items):
        return indexing.get_item(tensor, key)
    arrays = [as_indices(item) if is_array(item) else item for item in items]
    if len(arrays) == 1 and arrays[0].dtype is dt.bool_:
        return indexing.boolean_mask(tensor, arrays[0])
    return picked(tensor, without_masks(tensor, spelled_out(tensor, arrays)), is_apart(arrays))


def is_array(item: object) -> bool:
    """Whether an item of a key is an array of indices or a mask."""
    if isinstance(item, (list, tuple)):
        return True
    if is_tensor(item):
        return item.dtype is dt.bool_ or item.type.rank != 0
    return isinstance(item, np.ndarray) and (item.ndim > 0 or item.dtype == np.bool_)


def is_position(item: Item) -> TypeGuard[TensorLike]:
    """Whether an item picks places of an axis: no slice, no new axis, no `...`."""
    return item is not None and item is not Ellipsis and not isinstance(item, slice)


def is_apart(items: Sequence[Item]) -> bool:
    """Whether something stands between the arrays of a key, be it `...` that means no axis."""
    at = [i for i, item in enumerate(items) if is_position(item)]
    return at[-1] - at[0] >= len(at)


def as_indices(item: TensorLike) -> Any:
    """An array of indices as a tensor of bool, int32 or int64."""
    found = convert(item)
    if not is_tensor(item) and found.type.dims == (0,):
        return convert(item, dt.int32)  # the dtype of an empty list says nothing
    if found.dtype is dt.bool_ or found.dtype in dt.INDEX:
        return found
    if not (found.dtype.is_integer):
        raise IndexError(
            "arrays used as indices must be of integer (or boolean) type, got "
            f"{found.dtype.name} in {item!r}"
        )
    return cast(found, dt.int64)


def axes_taken(item: Item) -> int:
    """How many axes of a tensor an item of a key speaks of."""
    if item is None or item is Ellipsis:
        return 0
    if is_tensor(item) and item.dtype is dt.bool_:
        return len(item.type.dims or ())
    return 1


def spelled_out(tensor: TensorValue, items: Sequence[Item]) -> list[Item]:
    """A key with slices of all for `...` and for the axes that it does not speak of."""
    rank, taken = len(axis_sizes(tensor)), sum(map(axes_taken, items))
    if taken > rank:
        raise IndexError(f"too many indices: the tensor has {rank} axes, but {taken} were indexed")
    at = [i for i, item in enumerate(items) if item is Ellipsis] or [len(items)]
    return [*items[: at[0]], *[ALL] * (rank - taken), *items[at[0] + 1 :]]


def without_masks(tensor: TensorValue, items: Sequence[Item]) -> list[Item]:
    """A key with the places where masks hold instead of the masks."""
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


def picked(tensor: TensorValue, items: Sequence[Item], apart: bool) -> Any:
    """The elements for a key of arrays, ints, slices and new axes."""
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
    found = gather_nd(transpose(tensor, [*axes, *others]), stack(columns, -1))
    if apart or axes[0] == 0:
        return found
    common, before = columns[0].type.rank, axes[0]
    order = list(range(len(others) + common))
    order = [*order[common : common + before], *order[:common], *order[common + before :]]
    return transpose(found, order)


def from_the_front(places: TensorLike, size: Length) -> Any:
    """Indices of an axis, those from its end counted from its beginning."""
    places = cast(places, dt.int64)
    size = cast(size, dt.int64) if is_tensor(size) else convert(size, dt.int64)
    return apply(SELECT, less(places, convert(0, dt.int64)), add(places, size), places)
