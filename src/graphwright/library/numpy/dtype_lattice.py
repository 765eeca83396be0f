"""The lattice of dtypes by which the promotion modes "all" and "safe" promote, weak ones included.

Weak are the dtypes of Python numbers and of tensors made of them without a dtype: they adapt to the
other operand. The common dtype of two is the least one above both. `promotion_modes` asks for it.
`tests/golden/promotion.json` has TensorFlow's tables of both.

Source: TensorFlow's guide "TF-NumPy Type Promotion", and tables recorded from TensorFlow 2.21.
"""

from __future__ import annotations

import functools

from graphwright.base.named_tuples import NamedTuple
from graphwright.types.dtypes import DType, as_dtype


class Promoted(NamedTuple):
    """A dtype, and whether it is weak."""

    dtype: DType
    weak: bool


#: What stands directly above each dtype; `*` marks weak ones.
_ABOVE = {
    "bool": "int32*",
    "int32*": "int64*",
    "int64*": "uint8 int8 float32*",
    "uint8": "uint16 int16",
    "uint16": "uint32 int32",
    "uint32": "uint64 int64",
    "uint64": "float64*",
    "int8": "int16",
    "int16": "int32",
    "int32": "int64",
    "int64": "float64*",
    "float32*": "float64*",
    "float64*": "bfloat16 float16 complex128*",
    "bfloat16": "float32",
    "float16": "float32",
    "float32": "float64 complex64",
    "float64": "complex128",
    "complex128*": "complex64",
    "complex64": "complex128",
    "complex128": "",
}

#: The binary digits that each dtype of floats and complex numbers holds.
_DIGITS = {
    "bfloat16": 8,
    "float16": 11,
    "float32": 24,
    "float64": 53,
    "complex64": 24,
    "complex128": 53,
}


@functools.cache
def above(kind: str) -> frozenset[str]:
    """A dtype's name, and those of all dtypes above it."""
    return frozenset([kind]).union(*map(above, _ABOVE[kind].split()))


@functools.cache
def joined(first: str, second: str) -> str:
    """The name of the least dtype above two: the one that all common ones are above."""
    common = above(first) & above(second)
    return max(common, key=lambda kind: len(above(kind)))


def promoted_pair(first: Promoted, second: Promoted) -> Promoted:
    """The common dtype of two operands; KeyError for dtypes that are not promoted."""
    name = joined(name_of(first), name_of(second))
    return Promoted(as_dtype(name.removesuffix("*")), name.endswith("*"))


def is_safe(first: Promoted, second: Promoted) -> bool:
    """Whether "safe" promotes two operands: to the dtype of one, where no integer loses digits."""
    common = promoted_pair(first, second).dtype
    if common is not first.dtype and common is not second.dtype:
        return False
    digits = _DIGITS.get(common.name)
    return digits is None or not any(
        kind.dtype.is_integer and not kind.weak and kind.dtype.size * 8 > digits
        for kind in (first, second)
    )


def name_of(kind: Promoted) -> str:
    """The name of a dtype in the lattice."""
    return kind.dtype.name + ("*" if kind.weak else "")
