"""Python's operators on tensors and variables, each handed to the op that it means."""

from __future__ import annotations

from typing import Any

from graphwright.op.dispatch import call
from graphwright.op.interpreter import convert, is_tensor
from graphwright.op.refusal import leave
from graphwright.ops import arithmetic, bitwise, comparison, contraction, indexing, transcendental
from graphwright.types.composite import Composite


class Operators:
    """The operators that tensors and variables share."""

    __slots__ = ()
    __array_priority__ = 100

    def __add__(self, other: Any) -> Any:
        return binary(arithmetic.add, self, other, "add")

    def __radd__(self, other: Any) -> Any:
        return binary(arithmetic.add, other, self, "add")

    def __sub__(self, other: Any) -> Any:
        return binary(arithmetic.subtract, self, other, "sub")

    def __rsub__(self, other: Any) -> Any:
        return binary(arithmetic.subtract, other, self, "sub")

    def __mul__(self, other: Any) -> Any:
        return binary(arithmetic.multiply, self, other, "mul")

    def __rmul__(self, other: Any) -> Any:
        return binary(arithmetic.multiply, other, self, "mul")

    def __truediv__(self, other: Any) -> Any:
        return binary(arithmetic.truediv, self, other, "truediv")

    def __rtruediv__(self, other: Any) -> Any:
        return binary(arithmetic.truediv, other, self, "truediv")

    def __floordiv__(self, other: Any) -> Any:
        return binary(arithmetic.floordiv, self, other, "floordiv")

    def __rfloordiv__(self, other: Any) -> Any:
        return binary(arithmetic.floordiv, other, self, "floordiv")

    def __mod__(self, other: Any) -> Any:
        return binary(arithmetic.floormod, self, other, "mod")

    def __rmod__(self, other: Any) -> Any:
        return binary(arithmetic.floormod, other, self, "mod")

    def __pow__(self, other: Any) -> Any:
        return binary(transcendental.pow, self, other, "pow")

    def __rpow__(self, other: Any) -> Any:
        return binary(transcendental.pow, other, self, "pow")

    def __matmul__(self, other: Any) -> Any:
        return binary(contraction.matmul, self, other, "matmul")

    def __rmatmul__(self, other: Any) -> Any:
        return binary(contraction.matmul, other, self, "matmul")

    def __neg__(self) -> Any:
        return applied(arithmetic.negative, self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return applied(transcendental.abs, self)

    def __invert__(self) -> Any:
        return applied(bitwise.invert_operator, self)

    def __and__(self, other: Any) -> Any:
        return binary(bitwise.and_operator, self, other, "and")

    def __rand__(self, other: Any) -> Any:
        return binary(bitwise.and_operator, other, self, "and")

    def __or__(self, other: Any) -> Any:
        return binary(bitwise.or_operator, self, other, "or")

    def __ror__(self, other: Any) -> Any:
        return binary(bitwise.or_operator, other, self, "or")

    def __xor__(self, other: Any) -> Any:
        return binary(bitwise.xor_operator, self, other, "xor")

    def __rxor__(self, other: Any) -> Any:
        return binary(bitwise.xor_operator, other, self, "xor")

    def __lt__(self, other: Any) -> Any:
        return binary(comparison.less, self, other, "Less")

    def __le__(self, other: Any) -> Any:
        return binary(comparison.less_equal, self, other, "LessEqual")

    def __gt__(self, other: Any) -> Any:
        return binary(comparison.greater, self, other, "Greater")

    def __ge__(self, other: Any) -> Any:
        return binary(comparison.greater_equal, self, other, "GreaterEqual")

    def __eq__(self, other: object) -> Any:
        if other is None:
            return False
        return applied(comparison.tensor_equals, self, other)

    def __ne__(self, other: object) -> Any:
        if other is None:
            return True
        return applied(comparison.tensor_not_equals, self, other)

    def __hash__(self) -> int:
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def __getitem__(self, key: Any) -> Any:
        try:
            return indexing.get_item(self, key)
        except Exception as error:
            leave(error, indexing.get_item, (self, key), {})
            raise


for _function, _operator in (
    (indexing.get_item, "getitem"),
    (bitwise.invert_operator, "invert"),
    (bitwise.and_operator, "and"),
    (bitwise.or_operator, "or"),
    (bitwise.xor_operator, "xor"),
    (comparison.tensor_equals, "eq"),
    (comparison.tensor_not_equals, "ne"),
):
    _function.__qualname__ = f"Tensor.__{_operator}__"  # what errors call it


def applied(function: Any, *operands: Any) -> Any:
    """An operator's function that takes its operands as they are."""
    try:
        return function(*operands)
    except Exception as error:
        leave(error, function, operands, {})
        raise


def binary(function: Any, x: Any, y: Any, name: str) -> Any:
    """An operator's function; NotImplemented where the other operand knows better."""
    try:
        other = y if isinstance(x, Operators) else x
        if getattr(other, "__array_priority__", 0) > Operators.__array_priority__:
            return NotImplemented
        if isinstance(x, Composite) or isinstance(y, Composite):
            return call(function, x, y, name)
        if not isinstance(x, Operators) and not is_tensor(x):
            x = convert(x, y.dtype)
        return function(x, y, name=name)
    except Exception as error:
        leave(error, function, (x, y), {})
        raise
