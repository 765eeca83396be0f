"""The values of a text that is being written, and how types and numbers are spelled there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType
from graphwright.values.variable import Variable

#: The element types of StableHLO by ours.
ELEMENTS: dict[DType, str] = {
    dt.bool_: "i1", dt.int8: "i8", dt.int16: "i16", dt.int32: "i32", dt.int64: "i64",
    dt.uint8: "ui8", dt.uint16: "ui16", dt.uint32: "ui32", dt.uint64: "ui64",
    dt.float16: "f16", dt.bfloat16: "bf16", dt.float32: "f32", dt.float64: "f64",
}  # fmt: skip

#: An array of more elements is written as its bytes.
_SPELLED = 16


class HloValue:
    """A value of the text: its name, or the array of a constant that has no name yet.

    An array of one element stands for that element everywhere. `known` is a known value as in
    `ir.known`, `variable` is what a handle leads to, and `parts` are the scalars of
    a packed vector. `items` is the tensor that a list of tensors is.
    """

    __slots__ = ("array", "dims", "dtype", "items", "known", "name", "parts", "variable")

    def __init__(
        self,
        name: str,
        dtype: DType,
        dims: tuple[int, ...] | None,
        array: Array | None = None,
        known: Any = None,
        variable: Variable | None = None,
    ) -> None:
        self.name = name
        self.dtype = dtype
        self.dims = dims
        self.array = array.reshape(()) if array is not None and array.size == 1 else array
        self.known = known
        self.variable = variable
        self.parts: Sequence[HloValue] | None = None
        self.items: HloValue | None = None

    @property
    def sizes(self) -> tuple[int, ...]:
        """The shape, of a value that has a place in the text."""
        assert self.dims is not None
        return self.dims

    @property
    def is_usable(self) -> bool:
        """Whether the value may stand in the text."""
        known = (self.array, self.variable, self.items)
        return bool(self.name) or any(part is not None for part in known)

    @property
    def whole(self) -> Array | None:
        """All its numbers, if they are known."""
        if self.array is not None:
            return np.broadcast_to(self.array, self.sizes)
        if is_complete(self.known):
            return np.asarray(self.known)
        return None


def is_complete(known: Any) -> bool:
    """Whether all entries of a known value are known."""
    if isinstance(known, tuple):
        return all(map(is_complete, known))
    return known is not None


def static_dims(type_: TensorType) -> tuple[int, ...] | None:
    """The shape of a type whose sizes are all known."""
    dims = type_.dims
    if dims is None or None in dims:
        return None
    return tuple([int(d) for d in dims if d is not None])


def type_text(dtype: DType, dims: Sequence[int]) -> str:
    """A type as StableHLO spells it."""
    return f"tensor<{''.join(f'{d}x' for d in dims)}{ELEMENTS[dtype]}>"


def array_text(array: Array, dtype: DType) -> str:
    """The numbers of a constant as StableHLO spells them."""
    if not array.size:
        return "dense<>"
    if array.size == 1:
        return f"dense<{number_text(array.reshape(())[()], dtype)}>"
    if array.size > _SPELLED and dtype is not dt.bool_:
        raw = np.ascontiguousarray(array)
        little = raw.astype(raw.dtype.newbyteorder("<"), copy=False)
        return f'dense<"0x{little.tobytes().hex().upper()}">'
    return f"dense<{nested_text(array, dtype)}>"


def nested_text(array: Array, dtype: DType) -> str:
    """The numbers of an array in brackets."""
    if not array.ndim:
        return number_text(array[()], dtype)
    return "[" + ", ".join([nested_text(np.asarray(row), dtype) for row in array]) + "]"


def number_text(number: Any, dtype: DType) -> str:
    """A number as StableHLO spells it; the bits of a float where digits would not do."""
    if dtype is dt.bool_:
        return "true" if number else "false"
    if not dtype.is_floating:
        return str(int(number))
    if np.isfinite(number):
        digits, mark, power = str(number).partition("e")
        text = (digits if "." in digits else digits + ".0") + mark + power
        if dtype.numpy_dtype.type(float(text)) == number:
            return text
    bits = np.asarray(number, dtype.numpy_dtype)
    return "0x" + bits.tobytes()[::-1].hex().upper()
