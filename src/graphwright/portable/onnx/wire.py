"""The values of a model that is being written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType
from graphwright.values.variable import Variable


class Wire:
    """A value of a model: its name, and what is known of it.

    `item` is the dtype of what a list holds, of a wire that is a sequence. `array` is the value of
    an initializer. `known` is a known value as in `ir.known`. `variable` is what a handle leads to,
    and `parts` are the scalars that a vector was packed of.
    """

    __slots__ = ("array", "item", "known", "name", "parts", "type", "variable")

    def __init__(
        self,
        name: str,
        type: TensorType,
        known: Any = None,
        array: Array | None = None,
        item: DType | None = None,
        variable: Variable | None = None,
    ) -> None:
        self.name = name
        self.type = type
        self.variable = variable
        self.parts: Sequence[Wire] | None = None
        self.known = known
        self.array = array
        self.item = item

    def typed(self, type: TensorType, known: Any) -> Wire:
        """The same with another type and known value."""
        wire = Wire(self.name, type, known, self.array, self.item, self.variable)
        wire.parts = self.parts
        return wire

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self.type.dtype

    @property
    def is_list(self) -> bool:
        """Whether it is a sequence of tensors."""
        return self.type.dtype is dt.variant

    @property
    def whole(self) -> Any:
        """The value as numbers and nested tuples, if all of it is known; else None."""
        return self.known if is_complete(self.known) else None

    def __repr__(self) -> str:
        return f"{self.name}: {self.type!r}"


def is_complete(known: Any) -> bool:
    """Whether all entries of a known value are known."""
    if isinstance(known, tuple):
        return all(map(is_complete, known))
    return known is not None
