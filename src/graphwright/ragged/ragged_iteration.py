"""The rows of a ragged tensor as items of a `for` loop in a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.op.interpreter import convert
from graphwright.types.arguments import TensorValue


class RaggedRows:
    """The rows, one after the other: see `autograph.staging.Iteration`."""

    def __init__(self, ragged: Any) -> None:
        self.ragged = ragged
        self.count = ragged.nrows()
        self.start: list[Any] = [convert(0, self.count.dtype)]

    def more(self, state: Sequence[TensorValue]) -> Any:
        """Whether there is another row."""
        return state[0] < self.count

    def item(self, state: Sequence[TensorValue]) -> Any:
        """The row."""
        return self.ragged[state[0]]

    def advance(self, state: Sequence[TensorValue]) -> list[Any]:
        """The state for the row after it."""
        return [state[0] + 1]
