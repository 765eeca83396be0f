"""Functions of many complex64 numbers from functions of their parts.

NumPy has vector code for real numbers, but calls the C library for each complex one. Numbers for
which a formula does not hold, such as infinities, are left to the C library. Squares are in
float64, which holds those of float32 exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from graphwright.ops.math import formula_blocks
from graphwright.types.arrays import Array

Function: TypeAlias = Callable[[Array], Array]
#: The real and the imaginary part, and where they are valid.
Parts: TypeAlias = tuple[Array, Array, Array]

#: Numbers from which on the formulas cost less than NumPy's functions.
MANY = 1 << 10


def reciprocal_root(z: Array) -> Array:
    """1 / sqrt(z)."""
    root: Array = np.reciprocal(np.sqrt(z))
    return root


def of_parts(formula: Callable[[Array, Array], Parts], plain: Function) -> Function:
    """A function by `formula`; `plain` computes few numbers, and those where it is not valid."""

    def block(z: Array) -> Array:
        result = np.empty(z.shape, np.complex64)
        result.real, result.imag, valid = formula(z.real.copy(), z.imag.copy())
        if not valid.all():
            rest = ~valid
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
    # Near 1 the logarithm is as small as the rounding error of the sum.
    rounded = square - yy
    error = (xx - rounded) + (yy - (square - rounded))
    return (np.log(square) + error / square) * 0.5, np.arctan2(y, x), _is_finite(square)


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
    """Whether lengths are neither 0 nor infinite nor NaN."""
    return (length > 0) & (length < np.inf)


def _halves(x: Array, y: Array, length: Array) -> tuple[Array, Array]:
    """The greater and the lesser of the absolute values of a root's parts, without cancellation."""
    more = np.sqrt((length + np.abs(x)) * 0.5)
    return more, np.abs(y) / (more + more)


def _root(x: Array, y: Array, more: Array, less: Array) -> tuple[Array, Array]:
    """A root's parts: the real one is the greater where x >= 0, the imaginary one has y's sign.

    By bits, for which NumPy has vector code; it has none for `where` and `copysign`.
    """
    most, least = (part.astype(np.float32).view(np.int32) for part in (more, less))
    change = most ^ least
    real = most ^ (change & (x.view(np.int32) >> 31))
    imag = real ^ change | (y.view(np.int32) & np.int32(-1 << 31))
    return real.view(np.float32), imag.view(np.float32)


exp, log = of_parts(_exp, np.exp), of_parts(_log, np.log)
sqrt, rsqrt = of_parts(_sqrt, np.sqrt), of_parts(_rsqrt, reciprocal_root)
