"""Steps of algorithms on rows of numbers, as plain Python for machine code.

`row_texts` has text of some that takes four numbers at once.
"""

from __future__ import annotations

from math import sqrt

from graphwright.base.scalar_code import Reals


def length(x: float, y: float) -> float:
    """sqrt(x * x + y * y) without overflow."""
    high, low = max(abs(x), abs(y)), min(abs(x), abs(y))
    if low == 0.0:
        return high
    share = low / high
    return high * sqrt(1.0 + share * share)


def rotate(x: Reals, y: Reals, c: float, s: float, n: int) -> None:
    """x and y become c * x + s * y and c * y - s * x."""
    for i in range(n):
        first = x[i]
        second = y[i]
        x[i] = c * first + s * second
        y[i] = c * second - s * first


def dot(x: Reals, y: Reals, n: int) -> float:
    """The sum of the products of two rows."""
    total = 0.0
    for i in range(n):
        total += x[i] * y[i]
    return total


def add(x: Reals, y: Reals, factor: float, n: int) -> None:
    """x becomes x + factor * y."""
    for i in range(n):
        x[i] = x[i] + factor * y[i]


def exchange(x: Reals, y: Reals, n: int) -> None:
    """x and y change places."""
    for i in range(n):
        first = x[i]
        x[i] = y[i]
        y[i] = first
