"""The words of element expressions that machine code has, for each kind of elements.

No other place lists them, and this module imports nothing that writes code. So a second renderer
can stand beside the one for LLVM. Tests hold that to these words.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from graphwright.compile.nests.element_kinds import HALVES, KINDS, is_native_dtype
from graphwright.op.op import Op
from graphwright.op.op_families import Elementwise
from graphwright.op.scalars import CheckedScalars, NoNativeForm
from graphwright.ops.core.casting import Cast
from graphwright.types.dtypes import DType

FLOAT, INTEGER, BOOL = "float", "integer", "bool"


def family(kind: str) -> str:
    """The family of a kind: floats, integers or booleans."""
    if kind in HALVES or kind.startswith("f"):
        return FLOAT
    return BOOL if kind == "b1" else INTEGER


def table(**words: str) -> dict[str, frozenset[str]]:
    """The families that have each word, from a text of words for each family."""
    rows = [(word, name) for name, text in words.items() for word in text.split()]
    return {word: frozenset([f for w, f in rows if w == word]) for word, _ in rows}


UNARY = table(
    float="abs acos acosh asin asinh atan atanh bessel_i0 bessel_i0e bessel_i1 bessel_i1e "
    "bessel_j0 bessel_j1 bessel_k0 bessel_k0e bessel_k1 bessel_k1e bessel_y0 bessel_y1 ceil conj "
    "cos cosh digamma erf erfc exp expint expm1 floor isfinite isinf isnan log log1p rint sigmoid "
    "sign sin sinh sqrt tan tanh trunc",
    integer="abs ceil conj floor invert popcount rint sign trunc",
    bool="invert not",
)
BINARY = table(
    float="atan2 floordiv floormod maximum minimum nextafter pow truncdiv truncmod",
    integer="bitand bitor bitxor floordiv floormod maximum minimum pow shiftleft shiftright "
    "truncdiv truncmod",
    bool="and or xor",
)

#: The words that refuse some integers: a divisor of 0, a negative power.
CHECKED = frozenset({"floordiv", "floormod", "pow", "truncdiv", "truncmod"})

#: Words whose results are of another kind.
_RESULTS = {"isfinite": "b1", "isinf": "b1", "isnan": "b1", "not": "b1", "popcount": "u8"}


class NativeKinds(CheckedScalars[str]):
    """Element expressions whose values are kinds: `NoNativeForm` for a word that a kind lacks.

    `refuses` says whether the expressions so far refuse some operands.
    """

    def __init__(self) -> None:
        self.refuses = False

    def on_zero(self, condition: str) -> None:
        self.refuses = True

    def bitcast(self, x: str, dtype: DType) -> str:
        return self.cast(x, dtype)

    def constant(self, value: float, like: str) -> str:
        return like

    def unary(self, function: str, x: str) -> str:
        return self._word(UNARY, function, x)

    def binary(self, function: str, x: str, y: str) -> str:
        self.refuses |= function in CHECKED and family(x) == INTEGER
        return self._word(BINARY, function, x)

    def compare(self, relation: str, x: str, y: str) -> str:
        return "b1"

    def select(self, condition: str, x: str, y: str) -> str:
        return x

    def add(self, x: str, y: str) -> str:
        return x

    def sub(self, x: str, y: str) -> str:
        return x

    def mul(self, x: str, y: str) -> str:
        return x

    def div(self, x: str, y: str) -> str:
        self.refuses |= family(x) == INTEGER
        return x

    def neg(self, x: str) -> str:
        return x

    def cast(self, x: str, dtype: DType) -> str:
        kind = KINDS.get(dtype)
        if kind is None:
            raise NoNativeForm(f"{dtype.name} has no native form")
        return kind

    def _word(self, words: Mapping[str, frozenset[str]], function: str, kind: str) -> str:
        if family(kind) not in words.get(function, ()):
            raise NoNativeForm(f"{function!r} of {kind} has no native form")
        return _RESULTS.get(function, kind)


def has_element(op: Elementwise, dtypes: tuple[DType, ...]) -> bool:
    """Whether an op's element expression has a native form for operands of these dtypes."""
    if isinstance(op, Cast):  # it depends on the target
        return is_native_dtype(op.DstT)
    return _has_words(op, dtypes)


@lru_cache(maxsize=4096)
def _has_words(op: Elementwise, dtypes: tuple[DType, ...]) -> bool:
    try:
        op.element(NativeKinds(), *[KINDS[d] for d in dtypes])
    except NoNativeForm:
        return False
    return True


@lru_cache(maxsize=4096)
def refuses(op: Op, kinds: tuple[str, ...]) -> bool:
    """Whether an op's element expression refuses some operands of these kinds."""
    if isinstance(op, Cast):
        return False
    words = NativeKinds()
    op.element(words, *kinds)  # type: ignore[attr-defined]
    return words.refuses
