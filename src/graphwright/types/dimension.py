"""`Dimension`: one size of a shape as TensorFlow 1 has it, with arithmetic on what is unknown."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, SupportsIndex, Union

import numpy as np

from graphwright.types.arrays import Array

#: What an operator of a dimension takes: None is an unknown size.
Size = Union["Dimension", SupportsIndex, None]


class Dimension:
    """One size of a shape, which may be unknown.

    It is an index, as an int is. Results of arithmetic with an unknown size are unknown, and those
    of comparisons are None.

    Args:
        value: An int, another dimension, or None where the size is unknown.

    Raises:
        TypeError: `value` is something else.
        ValueError: `value` is negative.

    >>> import graphwright as tf
    >>> tf.compat.v1.Dimension(3) * 2, tf.compat.v1.Dimension(None) + 1
    (Dimension(6), Dimension(None))
    """

    __slots__ = ("_value",)
    __hash__ = None  # type: ignore[assignment]  # equality with an unknown size is neither way

    def __init__(self, value: Size) -> None:
        size = value.value if isinstance(value, Dimension) else value
        try:
            self._value: int | None = None if size is None else operator.index(size)
        except TypeError:
            raise TypeError(f"a dimension is an int or None, got {value!r}") from None
        if self._value is not None and self._value < 0:
            raise ValueError(f"Dimension {self._value} must be >= 0")

    @property
    def value(self) -> int | None:
        """The size, or None where it is unknown."""
        return self._value

    def __repr__(self) -> str:
        return f"Dimension({self._value})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)

    def __index__(self) -> int:
        if self._value is None:
            raise TypeError("the size of an unknown dimension is no number")
        return self._value

    __int__ = __index__

    def __array__(self, dtype: np.dtype[Any] | None = None, copy: bool | None = None) -> Array:
        return np.array(self.__index__(), np.int32 if dtype is None else dtype)

    def __bool__(self) -> bool:
        return bool(self._value)

    def is_compatible_with(self, other: Size) -> bool:
        """Returns whether the sizes are the same, or one is unknown.

        Args:
            other: An int, a dimension or None.

        Returns:
            A bool.
        """
        size = Dimension(other)._value
        return None in (self._value, size) or self._value == size

    def assert_is_compatible_with(self, other: Size) -> None:
        """Checks that the sizes are the same, or one is unknown.

        Args:
            other: An int, a dimension or None.

        Raises:
            ValueError: They differ.
        """
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other: Size) -> Dimension:
        """Returns what both sizes say together.

        Args:
            other: An int, a dimension or None.

        Returns:
            A dimension, which is unknown where both are.

        Raises:
            ValueError: They differ.
        """
        self.assert_is_compatible_with(other)
        return Dimension(other if self._value is None else self._value)

    def __eq__(self, other: object) -> Any:
        return _compared(operator.eq, self, other)

    def __ne__(self, other: object) -> Any:
        return _compared(operator.ne, self, other)

    def __lt__(self, other: object) -> Any:
        return _compared(operator.lt, self, other)

    def __le__(self, other: object) -> Any:
        return _compared(operator.le, self, other)

    def __gt__(self, other: object) -> Any:
        return _compared(operator.gt, self, other)

    def __ge__(self, other: object) -> Any:
        return _compared(operator.ge, self, other)

    def __add__(self, other: Size) -> Dimension:
        return _computed(operator.add, self, other)

    def __radd__(self, other: Size) -> Dimension:
        return _computed(operator.add, other, self)

    def __sub__(self, other: Size) -> Dimension:
        return _computed(operator.sub, self, other)

    def __rsub__(self, other: Size) -> Dimension:
        return _computed(operator.sub, other, self)

    def __mul__(self, other: Size) -> Dimension:
        return _computed(operator.mul, self, other)

    def __rmul__(self, other: Size) -> Dimension:
        return _computed(operator.mul, other, self)

    def __floordiv__(self, other: Size) -> Dimension:
        return _computed(operator.floordiv, self, other)

    def __rfloordiv__(self, other: Size) -> Dimension:
        return _computed(operator.floordiv, other, self)

    def __mod__(self, other: Size) -> Dimension:
        return _computed(operator.mod, self, other)

    def __rmod__(self, other: Size) -> Dimension:
        return _computed(operator.mod, other, self)


def _computed(function: Callable[[int, int], int], x: Size, y: Size) -> Dimension:
    """The dimension that a function makes of two sizes; NotImplemented for what is none."""
    try:
        a, b = Dimension(x)._value, Dimension(y)._value
    except (TypeError, ValueError):
        return NotImplemented
    return Dimension(None if a is None or b is None else function(a, b))


def _compared(function: Callable[[int, int], bool], x: Dimension, y: Any) -> Any:
    """How two sizes compare; None where one is unknown, and NotImplemented for what is none."""
    try:
        a, b = x._value, Dimension(y)._value
    except (TypeError, ValueError):
        return NotImplemented
    return None if a is None or b is None else function(a, b)
