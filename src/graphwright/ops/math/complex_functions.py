"""Functions of many complex64 numbers from those of their parts, for which NumPy has vectors.

It has none for complex numbers: it calls the C library for each. What a formula does not hold for,
such as infinities, is left to that. Squares are in float64, which holds those of float32 exactly.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from graphwright.ops.math import formula_blocks
from graphwright.types.arrays import Array

Function = Callable[[Array], Array]
#: The real and the imaginary part, and for which numbers they hold.
Parts = tuple[Array, Array, Array]

#: Numbers from which on the formulas cost less than NumPy's functions.
MANY = 1 << 10


def reciprocal_root(z: Array) -> Array:
    """1 / sqrt(z)."""
    root: Array = np.reciprocal(np.sqrt(z))
    return root


def of_parts(formula: Callable[[Array, Array], Parts], plain: Function) -> Function:
    """The function that is `plain` of few numbers, and for those that the formula leaves."""

    def block(z: Array) -> Array:
        result = np.empty(z.shape, np.complex64)
        result.real, result.imag, held = formula(z.real.copy(), z.imag.copy())
        if not held.all():
            rest = ~held
            result[rest] = plain(z[rest])
        return result

    def function(z: Array) -> Array:
        return plain(z) if z.size < MANY else formula_blocks.mapped(block, z, np.complex64)

    return function


def _exp(x: Array, y: Array) -> Parts:
    length = np.exp(x)
    return length * np.cos(y), length * np.sin(y), (np.abs(x) < 80) & (np.abs(y) < np.inf)


def _log(x: Array, y: Array) -> Parts:
    xx, yy = _squared(x), _squared(y)
    square = xx + yy
    held = _is_finite(square)
    # Near 1 the logarithm is as small as what the sum was rounded by.
    kept = square - yy
    lost = (xx - kept) + (yy - (square - kept))
    return (np.log(square) + lost / square) * 0.5, np.arctan2(y, x), held


def _sqrt(x: Array, y: Array) -> Parts:
    length = np.sqrt(_squared(x) + _squared(y))
    return *_root(x, y, *_halves(x, y, length)), _is_finite(length)


def _rsqrt(x: Array, y: Array) -> Parts:
    length = np.sqrt(_squared(x) + _squared(y))
    more, less = _halves(x, y, length)
    return *_root(x, -y, more / length, less / length), _is_finite(length)


def _squared(x: Array) -> Array:
    square: Array = np.multiply(x, x, dtype=np.float64)
    return square


def _is_finite(length: Array) -> Array:
    """Whether lengths are neither 0 nor infinite nor unknown."""
    return (length > 0) & (length < np.inf)


def _halves(x: Array, y: Array, length: Array) -> tuple[Array, Array]:
    """The greater and the lesser of the absolute values of a root's parts, without cancellation."""
    more = np.sqrt((length + np.abs(x)) * 0.5)
    return more, np.abs(y) / (more + more)


def _root(x: Array, y: Array, more: Array, less: Array) -> tuple[Array, Array]:
    """A root's parts: the real one is the greater where x >= 0, the imaginary one has y's sign.

    By bits, for NumPy has vectors for these, and none for `where` and `copysign`.
    """
    most, least = (part.astype(np.float32).view(np.int32) for part in (more, less))
    change = most ^ least
    real = most ^ (change & (x.view(np.int32) >> 31))
    imag = real ^ change | (y.view(np.int32) & np.int32(-1 << 31))
    return real.view(np.float32), imag.view(np.float32)


exp, log = of_parts(_exp, np.exp), of_parts(_log, np.log)
sqrt, rsqrt = of_parts(_sqrt, np.sqrt), of_parts(_rsqrt, reciprocal_root)
