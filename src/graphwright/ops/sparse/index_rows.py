"""Rows of indices: their order, which are alike, and what is wrong with them.

Rows are short. So what concerns all of them is computed column by column, and `take` picks rows:
NumPy's indexing goes from number to number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from graphwright.types.arrays import Array

#: The numbers of a shape, or of a row.
Numbers: TypeAlias = Sequence[int] | Array

#: So many entries of a table for each row take less time than to sort the rows.
_ROOM = 8


def order(rows: Array) -> Array:
    """The permutation that sorts rows of indices; equal rows stay in their order."""
    return np.argsort(ranked(rows), kind="stable")  # which passes over what is in order


def ranked(rows: Array) -> Array:
    """A number for each row, equal, less or greater as the rows are."""
    if not rows.size:
        return np.zeros(len(rows), np.int64)
    columns = rows.T.copy()
    low, high = columns.min(axis=1), columns.max(axis=1)
    sizes = [most - least + 1 for least, most in zip(low.tolist(), high.tolist())]
    if math.prod(sizes) < 1 << 63:
        columns -= low[:, None]
        return flattened(columns.T, sizes)
    sorting = np.lexsort(rows.T[::-1])
    ordered, numbers = rows[sorting], np.zeros(len(rows), np.int64)
    numbers[sorting[1:]] = np.cumsum((ordered[1:] != ordered[:-1]).any(axis=1))
    return numbers


def ascends(rows: Array, least: int = 1) -> bool:
    """Whether each row is above the one before, or only not below it if the `least` step is 0."""
    fit = np.full(max(len(rows) - 1, 0), least == 0)
    for column in rows.T[::-1]:
        before, after = column[:-1], column[1:]
        fit = (before < after) | ((before == after) & fit)
    return bool(fit.all())


def numbered(*lists: Array) -> tuple[Array, list[Array]]:
    """The distinct rows of all lists in order, and for each list the numbers of its rows."""
    rows = np.concatenate(lists) if len(lists) > 1 else lists[0]
    ranks = ranked(rows)
    if len(ranks) and ranks.max() < _ROOM * len(ranks):
        firsts, numbers = numbered_by_table(ranks)
    else:
        sorting = np.argsort(ranks, kind="stable")
        ordered = ranks[sorting]
        is_new = np.ones(len(rows), bool)
        np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
        firsts, numbers = sorting[is_new], np.empty(len(rows), np.int64)
        numbers[sorting] = np.cumsum(is_new) - 1
    ends = np.cumsum([len(each) for each in lists])[:-1]
    return rows.take(firsts, axis=0), np.split(numbers, ends)


def numbered_by_table(ranks: Array) -> tuple[Array, Array]:
    """Where one of each distinct rank is, in their order, and the number of each rank."""
    place = np.full(int(ranks.max()) + 1, -1)
    place[ranks] = np.arange(len(ranks))
    is_there = place >= 0
    return place.compress(is_there), (np.cumsum(is_there) - 1).take(ranks)


def matched(*lists: Array) -> tuple[Array, list[Array]]:
    """The distinct rows as `numbered` returns them, but a repeated row of a list is one of its own.

    So rows have a further number: how many like them come before in their list.
    """
    if all(map(ascends, lists)):
        return numbered(*lists)
    rows, numbers = numbered(*map(with_occurrences, lists))
    return rows[:, :-1], numbers


def with_occurrences(rows: Array) -> Array:
    """The rows, each with the number of rows like it that come before."""
    (distinct, (groups,)), occurrence = numbered(rows), np.zeros(len(rows), np.int64)
    if len(distinct) == len(rows):
        return np.column_stack([rows, occurrence])
    together = np.argsort(groups, kind="stable")
    occurrence[together] = counted(groups[together])
    return np.column_stack([rows, occurrence])


def counted(groups: Array) -> Array:
    """The place of each element among those of its group, of groups that lie together."""
    if not len(groups):
        return np.zeros(0, np.int64)
    starts = np.flatnonzero(np.r_[True, groups[1:] != groups[:-1]])
    lengths = np.diff(np.r_[starts, len(groups)])
    return np.arange(len(groups)) - np.repeat(starts, lengths)


def check_rank(rows: Array, shape: Numbers) -> None:
    """ValueError unless rows have as many numbers as the shape."""
    rank = len(np.asarray(shape, np.int64))
    if rows.shape[1:] != (rank,):
        raise ValueError(f"indices of {rows.shape[1:]} numbers for a shape of rank {rank}")


def check_sizes(name: str, sizes: Numbers) -> None:
    """ValueError for negative sizes."""
    if (np.asarray(sizes, np.int64) < 0).any():
        raise ValueError(f"{name} must be non-negative, got {shown(sizes)}")


def within(rows: Array, lows: Array, ends: Array) -> Array:
    """Whether each row's numbers are at least these, and below those."""
    fits = np.ones(len(rows), bool)
    for column, low, end in zip(rows.T, lows, ends, strict=True):
        fits &= (column >= low) & (column < end)
    return fits


def check(rows: Array, shape: Numbers, ordered: bool) -> None:
    """ValueError that names the first row beyond the shape, or out of order, or repeated."""
    check_rank(rows, shape)
    limits = np.asarray(shape, np.int64)
    fits = within(rows, np.zeros_like(limits), limits)
    if not fits.all():
        place = int(np.argmin(fits))
        raise ValueError(
            f"indices[{place}] = {shown(rows[place])} is out of bounds: need 0 <= index < "
            f"{shown(limits)}"
        )
    if ordered:
        check_order(rows, least=1)


def check_order(rows: Array, least: int) -> None:
    """ValueError that names the first row out of order, or repeated if the `least` step is 1."""
    if len(rows) > 1 and rows.shape[1] and not ascends(rows, least):
        steps = np.diff(rows, axis=0)
        first = np.argmax(steps != 0, axis=1)
        leading = steps[np.arange(len(steps)), first]
        place = int(np.argmax(leading < least))
        what = "repeated" if leading[place] == 0 else (
            "out of order. Many sparse ops require sorted indices.\n"
            "  Use `tf.sparse.reorder` to create a correctly ordered copy."
        )  # fmt: skip
        raise ValueError(f"indices[{place + 1}] = {shown(rows[place + 1])} is {what}")


def shown(row: Numbers) -> str:
    """A row as messages show it."""
    return f"[{','.join(map(str, np.asarray(row).tolist()))}]"


def flattened(rows: Array, shape: Numbers) -> Array:
    """The numbers of elements in the order of a dense tensor."""
    sizes = np.asarray(shape, np.int64).tolist()
    if rows.shape[1] > len(sizes):
        raise ValueError(f"indices of {rows.shape[1]} numbers for a shape of rank {len(sizes)}")
    numbers = np.zeros(len(rows), np.int64)
    for column, size in zip(rows.T, sizes):
        numbers *= size
        numbers += column
    for size in sizes[rows.shape[1] :]:
        numbers *= size
    return numbers


def unflattened(numbers: Array, shape: Numbers) -> Array:
    """The rows of indices of elements numbered in the order of a dense tensor.

    A number outside of the shape shows in the first axis that can, since division is as in C.
    """
    sizes = np.maximum(np.asarray(shape, np.int64), 1)
    rows = np.empty((len(numbers), len(sizes)), np.int64)
    for axis, stride in enumerate(np.cumprod(np.r_[1, sizes[:0:-1]])[::-1][: len(sizes)]):
        rest = np.fmod(numbers, stride)
        rows[:, axis] = (numbers - rest) // stride
        numbers = rest
    return rows
