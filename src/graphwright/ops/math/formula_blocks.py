"""Formulas applied block by block, so that intermediate results stay in the cache.

NumPy goes over memory once for each step, which for large arrays costs more than the step.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from graphwright.types.arrays import Array

#: Elements of a block: a few arrays of them fit a core's second cache.
SIZE = 1 << 15


def mapped(function: Callable[[Array], Array], x: Array, dtype: npt.DTypeLike) -> Array:
    """An elementwise function of `x`, block by block, as an array of `dtype`."""
    x = np.asarray(x)
    if x.size <= SIZE:
        # NumPy makes numbers of arrays without axes, into which a formula cannot write.
        small: Array = np.asarray(function(np.atleast_1d(x)), dtype).reshape(x.shape)
        return small
    result = np.empty(x.shape, dtype)
    source, target = x.reshape(-1), result.reshape(-1)
    for start in range(0, x.size, SIZE):
        target[start : start + SIZE] = function(source[start : start + SIZE])
    return result
