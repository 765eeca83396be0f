"""What callers see of a function in a library: names, dtypes and sizes of its arrays."""

from __future__ import annotations

import re
from collections.abc import Iterable

from graphwright.base.named_tuples import NamedTuple
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType

#: The types of elements in C. Halves are their bits.
C_TYPES: dict[DType, str] = {
    dt.float32: "float",
    dt.float64: "double",
    dt.float16: "uint16_t",
    dt.bfloat16: "uint16_t",
    dt.bool_: "uint8_t",
    **{getattr(dt, f"int{n}"): f"int{n}_t" for n in (8, 16, 32, 64)},
    **{getattr(dt, f"uint{n}"): f"uint{n}_t" for n in (8, 16, 32, 64)},
}

#: Words that no parameter may be called: those of C and C++.
_RESERVED = frozenset(
    """
    alignas alignof and asm auto bool break case catch char class const constexpr continue default
    delete do double else enum explicit export extern false float for friend goto if inline int
    long mutable namespace new not operator or private protected public register restrict return
    short signed sizeof static struct switch template this throw true try typedef typename union
    unsigned using virtual void volatile while xor
    """.split()  # noqa: SIM905 - words are read more easily than a list of strings
)

#: What functions of a library are called beside those that are compiled.
RESERVED_NAMES = ("error", "free", "load", "share")


class InterfaceArray(NamedTuple):
    """An argument or a result."""

    name: str
    dtype: DType
    dims: Dims

    @property
    def rank(self) -> int:
        """The number of its axes."""
        return len(self.dims)

    def __str__(self) -> str:
        return f"{self.name}: {TensorType(self.dtype, self.dims)!r}"


class InterfaceFunction(NamedTuple):
    """A function of a library."""

    name: str
    arguments: tuple[InterfaceArray, ...]
    results: tuple[InterfaceArray, ...]


def identifier(text: str) -> str:
    """A text as a name in C."""
    name = re.sub(r"\W", "_", text, flags=re.ASCII).strip("_") or "x"
    name = f"_{name}" if name[0].isdigit() else name
    return f"{name}_" if name in _RESERVED else name


def names(texts: Iterable[str]) -> list[str]:
    """Names in C, each of which occurs once, and with `_dims` behind it too."""
    taken: set[str] = set()
    result = []
    for text in texts:
        base = name = identifier(text)
        count = 0
        while name in taken or f"{name}_dims" in taken:
            count += 1
            name = f"{base}_{count}"
        taken |= {name, f"{name}_dims"}
        result.append(name)
    return result
