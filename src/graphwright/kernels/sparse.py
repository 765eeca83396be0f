"""Rows of indices: their order, which are alike, and what is wrong with them."""

from __future__ import annotations

from typing import Any

import numpy as np


def order(rows: Any) -> Any:
    """What sorts rows of indices; equal rows stay as they are."""
    if not rows.shape[1]:
        return np.arange(len(rows))
    return np.lexsort(rows.T[::-1])


def numbered(*lists: Any) -> tuple[Any, list[Any]]:
    """The distinct rows of all lists in order, and for each list the numbers of its rows."""
    rows = np.concatenate(lists)
    sorting = order(rows)
    ordered = rows[sorting]
    is_new = np.ones(len(rows), bool)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    numbers = np.empty(len(rows), np.int64)
    numbers[sorting] = np.cumsum(is_new) - 1
    ends = np.cumsum([len(each) for each in lists])[:-1]
    return ordered[is_new], np.split(numbers, ends)


def counted(groups: Any) -> Any:
    """The place of each element among those of its group, of groups that lie together."""
    if not len(groups):
        return np.zeros(0, np.int64)
    starts = np.flatnonzero(np.r_[True, groups[1:] != groups[:-1]])
    lengths = np.diff(np.r_[starts, len(groups)])
    return np.arange(len(groups)) - np.repeat(starts, lengths)


def check(rows: Any, shape: Any, ordered: bool) -> None:
    """ValueError that names the first row beyond the shape, or out of order, or repeated."""
    limits = np.asarray(shape, np.int64)
    if rows.shape[1:] != limits.shape:
        raise ValueError(f"indices of {rows.shape[1:]} numbers for a shape of rank {len(limits)}")
    outside = ((rows < 0) | (rows >= limits)).any(axis=1)
    if outside.any():
        at = int(np.argmax(outside))
        raise ValueError(
            f"indices[{at}] = {shown(rows[at])} is out of bounds: need 0 <= index < {shown(limits)}"
        )
    if ordered and len(rows) > 1 and rows.shape[1]:
        steps = np.diff(rows, axis=0)
        first = np.argmax(steps != 0, axis=1)
        leading = steps[np.arange(len(steps)), first]
        if (leading <= 0).any():
            at = int(np.argmax(leading <= 0))
            what = "repeated" if leading[at] == 0 else (
                "out of order. Many sparse ops require sorted indices.\n"
                "  Use `tf.sparse.reorder` to create a correctly ordered copy."
            )  # fmt: skip
            raise ValueError(f"indices[{at + 1}] = {shown(rows[at + 1])} is {what}")


def shown(row: Any) -> str:
    """A row as messages show it."""
    return f"[{','.join(map(str, np.asarray(row).tolist()))}]"


def flattened(rows: Any, shape: Any) -> Any:
    """The numbers of elements in the order of a dense tensor."""
    strides = np.cumprod(np.r_[1, np.asarray(shape, np.int64)[:0:-1]])[::-1]
    return rows @ strides[: rows.shape[1]]


def unflattened(numbers: Any, shape: Any) -> Any:
    """The rows of indices of elements numbered in the order of a dense tensor."""
    sizes = np.asarray(shape, np.int64)
    rows = np.empty((len(numbers), len(sizes)), np.int64)
    for axis in range(len(sizes) - 1, -1, -1):
        size = max(int(sizes[axis]), 1)
        rows[:, axis] = numbers % size
        numbers = numbers // size
    return rows
