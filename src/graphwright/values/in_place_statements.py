"""Statements such as `variable += value`, which would make a tensor of the name of a variable."""

from __future__ import annotations

from typing import Any

_VARIABLE = "graphwright_variable"


def refused_variable(error: Exception) -> object:
    """The variable of a statement that was refused by this error; None for other errors."""
    return vars(error).get(_VARIABLE)


def _refusal(variable: object, symbol: str, instead: str) -> RuntimeError:
    error = RuntimeError(
        f"`variable {symbol}= value` is not allowed: use `{instead}` to change the variable, "
        f"or `variable = variable {symbol} value` for a new tensor."
    )
    vars(error)[_VARIABLE] = variable
    return error


class NotInPlace:
    """Refuses the in-place operators that TensorFlow's variables refuse."""

    def __iadd__(self, other: object) -> Any:
        raise _refusal(self, "+", "variable.assign_add(value)")

    def __isub__(self, other: object) -> Any:
        raise _refusal(self, "-", "variable.assign_sub(value)")

    def __imul__(self, other: object) -> Any:
        raise _refusal(self, "*", "variable.assign(variable * value)")

    def __itruediv__(self, other: object) -> Any:
        raise _refusal(self, "/", "variable.assign(variable / value)")

    def __ipow__(self, other: object) -> Any:
        raise _refusal(self, "**", "variable.assign(variable ** value)")
