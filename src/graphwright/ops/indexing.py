"""Indexing as Python writes it: `tensor[key]`."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.op.interpreter import apply, is_tensor
from graphwright.ops.slicing import StridedSlice
from graphwright.types import dtypes as dt

PICK_FIRST = StridedSlice.of(0, 0, 0, 0, 1)


def get_item(tensor: Any, key: Any) -> Any:
    """`tensor[key]`: ints, slices, `...`, newaxis, scalar tensors."""
    if type(key) is int:
        return apply(PICK_FIRST, tensor, (key,), (key + 1,), (1,), name="strided_slice")
    begin, end, strides, masks = slice_spec(key if isinstance(key, (list, tuple)) else (key,))
    op = StridedSlice.of(*masks)
    return apply(op, tensor, begin, end, strides, name="strided_slice")


def slice_spec(key: Any) -> tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...], Any]:
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


def checked_index(value: Any) -> Any:
    """An index as an int or a scalar tensor of int32 or int64; TypeError for all else."""
    if type(value) is int:
        return value
    if is_tensor(value):
        if value.dtype in dt.INDEX and value.type.rank in (0, None):
            return value
    elif isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return int(value)
    elif isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "iu":
        return int(value)
    elif hasattr(value, "__index__") and not isinstance(value, (bool, np.ndarray)):
        return value.__index__()
    raise TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
        f"tf.int32/tf.int64 tensors are valid indices, got {value!r}"
    )
