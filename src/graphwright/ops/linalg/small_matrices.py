"""Factors of many small matrices: each step of an algorithm is done for all of them at once.

Entries stand in front and the matrices behind them, [rows, columns, matrices]. So a step is a few
operations on long vectors, and there are as many steps as columns.
"""

from __future__ import annotations

import math

import numpy as np

from graphwright.types.arrays import Array

SMALL = 16  # rows; LAPACK spends more than its call costs on larger matrices


def side_by_side(count: int, size: int) -> bool:
    """Whether `count` matrices of this size take less time together than one after the other."""
    return size <= SMALL and count >= 4 * size


def entries_first(matrices: Array) -> Array:
    """A copy of [..., rows, columns] as [rows, columns, matrices]."""
    *lead, rows, columns = matrices.shape
    flat = matrices.reshape(math.prod(lead), rows, columns)
    return np.array(np.moveaxis(flat, 0, -1), order="C")


def entries_last(entries: Array, shape: tuple[int, ...]) -> Array:
    """A copy of [..., matrices] in a shape whose matrices come first."""
    return np.ascontiguousarray(np.moveaxis(entries, -1, 0)).reshape(shape)


def cholesky(matrices: Array) -> Array:
    """The lower triangular factors of [..., n, n]; NaN where a matrix is not positive definite.

    As in LAPACK, the upper triangles and imaginary parts of diagonals are not read.
    """
    entries = entries_first(matrices)
    size = len(entries)
    definite = np.ones(entries.shape[-1], np.bool_)
    for j in range(size):
        done = entries[j, :j]
        diagonal = entries[j, j].real - np.sum(done.real**2 + done.imag**2, axis=0)
        definite &= diagonal > 0
        root = np.sqrt(diagonal)
        below = entries[j + 1 :, j]
        below -= np.sum(entries[j + 1 :, :j] * done.conj(), axis=1)
        below /= root
        entries[j, j] = root
        entries[j, j + 1 :] = 0
    entries[np.tri(size, dtype=np.bool_)[..., None] & ~definite] = np.nan
    return entries_last(entries, matrices.shape)


def lu(matrices: Array) -> tuple[Array, Array]:
    """L below and U above the diagonals of [..., n, n], and the rows' order [..., n].

    A pivot is the first of the greatest absolute values, but NaN only where it comes first.
    """
    entries = entries_first(matrices)
    size, _, count = entries.shape
    order = np.repeat(np.arange(size)[:, None], count, axis=1)
    every = np.arange(count)
    for k in range(size - 1):
        sizes = np.abs(entries[k:, k])
        sizes[0, np.isnan(sizes[0])] = np.inf
        pivot = k + (sizes == np.fmax.reduce(sizes)).argmax(0)
        for rows in (entries, order):
            chosen = rows[pivot, ..., every].T
            rows[pivot, ..., every] = rows[k].T
            rows[k] = chosen
        factors = entries[k + 1 :, k]
        factors /= entries[k, k]
        entries[k + 1 :, k + 1 :] -= factors[:, None] * entries[k, k + 1 :]
    return entries_last(entries, matrices.shape), entries_last(order, matrices.shape[:-1])
