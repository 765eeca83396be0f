"""Ops that act on the world outside, or refuse to go on: Assert, NoOp."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwright.errors import InvalidArgumentError
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Effect, Op, Shapes, not_differentiable
from graphwright.types.tensor_type import TensorType


@dataclass(frozen=True)
class Assert(Op):
    """Raises InvalidArgumentError with the `data` unless the condition is true."""

    type_name = "Assert"
    inputs = ("condition: bool", "data: T...")
    effect = Effect.WRITE
    gradient = not_differentiable

    summarize: int = 3

    def shapes(self, condition: TensorType, *data: TensorType) -> Shapes:
        return ()

    def kernel(self, condition: Any, *data: Any) -> None:
        if not np.all(condition):
            shown = " ".join(f"[{summary(array, self.summarize)}]" for array in data)
            raise InvalidArgumentError(None, None, f"assertion failed: {shown}")


@dataclass(frozen=True)
class NoOp(Op):
    """Does nothing."""

    type_name = "NoOp"
    effect = Effect.WRITE
    gradient = not_differentiable

    def shapes(self) -> Shapes:
        return ()

    def kernel(self) -> None:
        return None


def summary(array: Any, count: int) -> str:
    """The first elements of an array, as messages of the runtime show them."""
    flat = np.asarray(array).ravel()
    shown = [element(v) for v in (flat if count < 0 else flat[:count])]
    return " ".join(shown) + ("..." if 0 <= count < flat.size else "")


def element(value: Any) -> str:
    """One element: text as it is, bools as 0 and 1, floats with six digits."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, np.bool_):
        return str(int(value))
    return f"{value:g}" if isinstance(value, np.floating) else str(value)


def assert_true(condition: Any, data: Sequence[Any], summarize: int | None = None) -> None:
    """`Assert` of values that are converted to tensors."""
    op = Assert.of(3 if summarize is None else summarize)
    apply(op, convert(condition), *[convert(v) for v in data])
