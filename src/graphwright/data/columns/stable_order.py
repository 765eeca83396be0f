"""Sorting numbers so that equal ones keep their order, by their digits where that is quicker."""

from __future__ import annotations

import numpy as np

from graphwright.types.arrays import Array


def stable_order(numbers: Array, stop: int) -> Array:
    """The order of numbers from 0 up to `stop`, which keeps that of equal ones.

    NumPy sorts numbers of 16 bits by their digits, which is several times as quick.
    """
    if stop > 1 << 32:
        return np.argsort(numbers, kind="stable")
    order = np.argsort(numbers.astype(np.uint16), kind="stable")
    if stop > 1 << 16:
        high = (numbers >> 16).astype(np.uint16)
        order = order.take(np.argsort(high.take(order), kind="stable"))
    return order
