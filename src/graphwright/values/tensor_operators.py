"""Python's operators on tensors and variables, each handed to the op that it means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NoReturn

from graphwright.base.errors import show_users_lines, user_location
from graphwright.op.dispatch import call
from graphwright.op.interpreter import (
    STATE,
    adds_to_open_graph,
    convert,
    convert_pair,
    is_tensor,
)
from graphwright.op.op import Hooks
from graphwright.op.refusal import leave, own_boundary
from graphwright.ops.core import indexing
from graphwright.ops.core.casting import cast
from graphwright.ops.linalg import contraction
from graphwright.ops.math import arithmetic, bitwise, comparison, magnitude, transcendental
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike
from graphwright.types.composite import Composite


def unary(function: Callable[..., object]) -> Any:
    """The operator of one operand that calls a function."""

    def operator(self: TensorLike) -> Any:
        try:
            return function(self)
        except Exception as error:
            leave(error, function, (self,), {})
            raise

    return operator


def binary(
    function: Callable[..., object], name: str, public: Callable[..., object] | None = None
) -> Any:
    """The operator of two operands that calls a function; errors name the public one."""

    def operator(self: TensorLike, other: TensorLike) -> Any:
        try:
            tensor = Hooks.tensor
            if isinstance(self, tensor) and isinstance(other, tensor):
                return function(self, other, name=name)
            return combined(function, self, other, other, name)
        except Exception as error:
            if takes_tensors(other, name, error):
                return NotImplemented
            leave(error, public or function, (self, other), {})
            raise

    return operator


def reflected(
    function: Callable[..., object], name: str, public: Callable[..., object] | None = None
) -> Any:
    """The operator of two operands that calls a function with the other operand first."""

    def operator(self: TensorLike, other: TensorLike) -> Any:
        try:
            return combined(function, other, self, other, name)
        except Exception as error:
            leave(error, public or function, (other, self), {})
            raise

    return operator


def product_of_bools(x: TensorLike, y: TensorLike, name: str | None = None) -> Any:
    """The product of two operands as the numbers 0 and 1, a bool."""
    product = arithmetic.multiply(cast(x, dt.int32), cast(y, dt.int32), name=name)
    return cast(product, dt.bool_)


def multiplication(
    function: Callable[..., Callable[[TensorLike, TensorLike], object]],
) -> Any:
    """The operator `*`, made by `binary` or `reflected`, which takes bools beside numbers."""
    numbers = function(arithmetic.multiply, "mul")
    bools = function(product_of_bools, "mul", arithmetic.multiply)

    def operator(self: TensorLike, other: TensorLike) -> Any:
        first: Any = self
        second: Any = other if isinstance(other, Operators) else self
        try:
            if first.dtype is dt.bool_ or second.dtype is dt.bool_:
                return bools(self, other)
            return numbers(self, other)
        except Exception as error:
            show_users_lines(error)
            raise

    return operator


def combined(
    function: Callable[..., object], x: object, y: object, other: object, name: str
) -> Any:
    """The result of an operator's function; NotImplemented where the other operand has priority."""
    if getattr(other, "__array_priority__", 0) > Operators.__array_priority__:
        return NotImplemented
    if isinstance(x, Composite) or isinstance(y, Composite):
        return call(function, x, y, name)
    if not isinstance(x, Operators) and not is_tensor(x):
        value: Any = x
        tensor: Any = y
        if isinstance(y, Hooks.tensor):
            return function(*convert_pair(value, tensor, wraps=True), name=name)
        return function(convert(value, tensor.dtype), y, name=name)
    return function(x, y, name=name)


def takes_tensors(other: object, name: str, error: Exception) -> bool:
    """Whether an operand that the operator refuses may have the reflected operator for tensors."""
    kind = type(other)
    return (
        isinstance(error, (TypeError, ValueError))
        and kind.__module__ not in _MODULES
        and not isinstance(other, Operators)
        and hasattr(kind, f"__r{name}__")
    )


#: The modules whose classes have reflected operators, which take no tensors.
_MODULES = frozenset({"builtins", "numpy"})


def comparison_with(function: Callable[..., object], of_none: bool) -> Any:
    """The comparison that calls a function, and returns `of_none` for None."""

    def operator(self: TensorLike, other: object) -> Any:
        if other is None:
            return of_none
        if not compares_elements(self):
            return is_same(self, other) is not of_none
        if isinstance(other, Composite) and type(other).__eq__ is not object.__eq__:
            return NotImplemented  # Python asks the other operand, which compares elements
        try:
            return function(self, other)
        except Exception as error:
            leave(error, function, (self, other), {})
            raise

    return operator


def compares_elements(x: Any) -> bool:
    """Whether `==` compares elements, and does not say whether two tensors are the same one.

    Tensors and variables of a graph that blocks of a program add to are kept in lists and dicts,
    as in TensorFlow 1.
    """
    if not Operators._compares_elements or (x._graph is not None and x._graph.is_plain):
        return False
    return STATE.active is None or not adds_to_open_graph()


def is_same(x: object, y: object) -> bool:
    """Whether two objects are one tensor: those of a graph stand for its values."""
    value = getattr(x, "_value", x)
    return value is getattr(y, "_value", y)


class Operators:
    """The operators that tensors and variables share."""

    __slots__: tuple[str, ...] = ()
    __array_priority__ = 100

    #: Whether `==` compares elements; in TensorFlow 1 it says whether tensors are the same one.
    _compares_elements: ClassVar[bool] = True
    #: The graph that a tensor, or a variable of sessions, belongs to.
    _graph: Any = None

    __add__ = binary(arithmetic.add, "add")
    __radd__ = reflected(arithmetic.add, "add")
    __sub__ = binary(arithmetic.subtract, "sub")
    __rsub__ = reflected(arithmetic.subtract, "sub")
    __mul__ = multiplication(binary)
    __rmul__ = multiplication(reflected)
    __truediv__ = binary(arithmetic.truediv, "truediv")
    __rtruediv__ = reflected(arithmetic.truediv, "truediv")
    __floordiv__ = binary(arithmetic.floordiv, "floordiv")
    __rfloordiv__ = reflected(arithmetic.floordiv, "floordiv")
    __mod__ = binary(arithmetic.floormod, "mod")
    __rmod__ = reflected(arithmetic.floormod, "mod")
    __pow__ = binary(transcendental.pow, "pow")
    __rpow__ = reflected(transcendental.pow, "pow")
    __matmul__ = binary(contraction.matmul, "matmul")
    __rmatmul__ = reflected(contraction.matmul, "matmul")
    __and__ = binary(bitwise.and_operator, "and")
    __rand__ = reflected(bitwise.and_operator, "and")
    __or__ = binary(bitwise.or_operator, "or")
    __ror__ = reflected(bitwise.or_operator, "or")
    __xor__ = binary(bitwise.xor_operator, "xor")
    __rxor__ = reflected(bitwise.xor_operator, "xor")
    __lt__ = binary(comparison.less, "Less")
    __le__ = binary(comparison.less_equal, "LessEqual")
    __gt__ = binary(comparison.greater, "Greater")
    __ge__ = binary(comparison.greater_equal, "GreaterEqual")
    __neg__: Any = unary(arithmetic.negative)
    __abs__: Any = unary(magnitude.abs)
    __invert__: Any = unary(bitwise.invert_operator)
    __eq__ = comparison_with(comparison.tensor_equals, of_none=False)
    __ne__ = comparison_with(comparison.tensor_not_equals, of_none=True)

    def __pos__(self) -> Any:
        return self

    def __hash__(self) -> int:
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def __setitem__(self, key: object, value: object) -> NoReturn:
        where = user_location()
        raise TypeError(
            f"{type(self).__name__!r} object does not support item assignment: {self._instead}"
            + ("" if where is None else f"\n  {where}")
        )

    #: The advice in the error for the assignment of an item.
    _instead = (
        "a tensor does not change. `x = tf.tensor_scatter_nd_update(x, [[i]], [value])` makes "
        "another one; in a loop, collect items in a tf.TensorArray."
    )

    @own_boundary
    def __getitem__(self, key: object) -> Any:
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
