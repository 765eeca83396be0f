"""Element expressions as LLVM instructions: the words of `op.scalars` on registers."""

from __future__ import annotations

from collections.abc import Callable

from graphwright.compile.llvm.emitter import Emitter, Reg, bits, is_signed
from graphwright.compile.llvm.functions import division, elementary
from graphwright.compile.llvm.functions.casts import converted
from graphwright.compile.llvm.functions.element_blocks import repeated
from graphwright.compile.llvm.functions.lanes import INTEGERS, Lanes, select
from graphwright.compile.nests.element_kinds import HALVES, KINDS
from graphwright.compile.select.native_words import family
from graphwright.op.scalars import CheckedScalars, NoNativeForm
from graphwright.types.dtypes import DType


def overlook(condition: Reg) -> None:
    """Ignores division by zero: the result is then some integer."""


class VectorScalars(CheckedScalars[Reg]):
    """The words of element expressions; `NoNativeForm` for one that a kind lacks.

    `on_zero` gets the lanes in which an integer is divided by zero or raised to a negative power.
    Nothing traps there, and the result means nothing.
    """

    def __init__(self, emitter: Emitter, on_zero: Callable[[Reg], None] = overlook) -> None:
        self.emitter = emitter
        self._on_zero = on_zero

    def on_zero(self, condition: Reg) -> None:
        self._on_zero(condition)

    def bitcast(self, x: Reg, dtype: DType) -> Reg:
        return self.emitter.bitcast(x, KINDS[dtype])

    def is_inside(self, place: Reg, size: Reg) -> Reg:
        return self.emitter.compare("ult", place, size)  # negative ones are the largest

    def constant(self, value: float, like: Reg) -> Reg:
        return self.emitter.like(value, like)

    def add(self, x: Reg, y: Reg) -> Reg:
        return self._apply(Lanes.__add__, x, y)

    def sub(self, x: Reg, y: Reg) -> Reg:
        return self._apply(Lanes.__sub__, x, y)

    def mul(self, x: Reg, y: Reg) -> Reg:
        return self._apply(Lanes.__mul__, x, y)

    def div(self, x: Reg, y: Reg) -> Reg:
        if family(x.kind) == "float":
            return self._apply(division.quotient, x, y)
        return self.binary("truncdiv", x, y)

    def neg(self, x: Reg) -> Reg:
        return self._apply(Lanes.__neg__, x)

    def compare(self, relation: str, x: Reg, y: Reg) -> Reg:
        return self._apply(lambda a, b: a.compare(relation, b), x, y)

    def select(self, condition: Reg, x: Reg, y: Reg) -> Reg:
        return self.emitter.select(condition, x, y)

    def cast(self, x: Reg, dtype: DType) -> Reg:
        kind = KINDS.get(dtype)
        if kind is None:
            raise NoNativeForm(f"{dtype.name} has no native form")
        return self.convert(x, kind)

    def convert(self, x: Reg, kind: str) -> Reg:
        """`x` as another kind, as `Cast` does."""
        return converted(Lanes(self.emitter, x), kind).reg

    def unary(self, function: str, x: Reg) -> Reg:
        return self._apply(word(UNARY, function, x.kind), x)

    def binary(self, function: str, x: Reg, y: Reg) -> Reg:
        if function in QUOTIENTS and family(x.kind) == "float":
            return self.unary(QUOTIENTS[function], self.div(x, y))
        if function in CHECKED and family(x.kind) == "integer":
            checked = CHECKED[function]
            return self._apply(lambda a, b: checked(a, b, self.on_zero), x, y)
        return self._apply(word(BINARY, function, x.kind), x, y)

    def _apply(self, rule: Callable[..., Lanes], *operands: Reg) -> Reg:
        """The result of a rule; halves are computed in f32, and rounded after every word."""
        lanes = [Lanes(self.emitter, x) for x in operands]
        kind = operands[0].kind
        if kind not in HALVES:
            return rule(*lanes).reg
        result = rule(*(converted(x, "f32") for x in lanes))
        return converted(result, kind).reg if result.kind == "f32" else result.reg


def word(
    table: dict[str, dict[str, Callable[..., Lanes]]], function: str, kind: str
) -> Callable[..., Lanes]:
    """The rule of a word for a kind."""
    rule = table.get(function, {}).get(family(kind))
    if rule is None:
        raise NoNativeForm(f"{function!r} of {kind} has no native form")
    return rule


# -- rules ----------------------------------------------------------------------------------


def itself(x: Lanes) -> Lanes:
    """x itself: the rounded integer, the conjugate of a real number."""
    return x


def integer_abs(x: Lanes) -> Lanes:
    """|x|; the least integer stays itself."""
    return Lanes(x.emitter, x.emitter.intrinsic("abs", x.reg, flags="i1 false"))


def float_sign(x: Lanes) -> Lanes:
    """-1, 0 or 1; NaN of NaN."""
    signed = select((x < 0) ^ (x > 0), x.constant(1).with_sign_of(x), x)
    return select(x.eq(0), x.constant(0), signed)


def integer_sign(x: Lanes) -> Lanes:
    """-1, 0 or 1."""
    positive = select(x > 0, x.constant(1), 0)
    return select(x < 0, x.constant(-1), positive) if is_signed(x.kind) else positive


def popcount(x: Lanes) -> Lanes:
    """The number of set bits, as u8."""
    return converted(Lanes(x.emitter, x.emitter.intrinsic("ctpop", x.reg)), "u8")


def maximum(x: Lanes, y: Lanes) -> Lanes:
    """The greater; NaN if either is."""
    return _extreme(x, y, "gt")


def minimum(x: Lanes, y: Lanes) -> Lanes:
    """The lesser; NaN if either is."""
    return _extreme(x, y, "lt")


def _extreme(x: Lanes, y: Lanes, relation: str) -> Lanes:
    """y where they are equal: of zeros of both signs, the one that NumPy's vector code takes."""
    if _is_number(y):  # then one comparison is enough
        return select(y.compare(f"{relation[0]}e", x), y, x)
    if _is_number(x):
        return select(x.compare(relation, y), x, y)
    return select(x.compare(relation, y) | x.is_nan(), x, y)


def _is_number(x: Lanes) -> bool:
    """Whether x is known, and not NaN."""
    value = x.known()
    return value is not None and value == value


def integer_extreme(name: str) -> Callable[[Lanes, Lanes], Lanes]:
    """`max` or `min`, signed or unsigned."""

    def rule(x: Lanes, y: Lanes) -> Lanes:
        intrinsic = ("s" if is_signed(x.kind) else "u") + name
        return Lanes(x.emitter, x.emitter.intrinsic(intrinsic, x.reg, y.reg))

    return rule


def distance(y: Lanes) -> Lanes:
    """The distance of a shift, clipped to the width of the kind."""
    width = bits(y.kind) - 1
    constant = y.known()
    if constant is not None:
        return y.constant(min(max(constant, 0), width))
    inside = select(y > width, y.constant(width), y)
    return select(y < 0, y.constant(0), inside) if is_signed(y.kind) else inside


def next_after(x: Lanes, y: Lanes) -> Lanes:
    """The float next to x in the direction of y; y itself if they are equal."""
    kind = INTEGERS[x.kind]
    step = x.to_bits()
    upwards = (x < y) ^ (x < 0)
    moved = select(upwards, step + 1, step - 1).from_bits()
    least = Lanes(x.emitter, x.emitter.constant(kind, 1, x.reg.lanes)).from_bits()
    moved = select(x.eq(0), least.with_sign_of(y), moved)
    moved = select(x.eq(y), y, moved)
    return select(x.is_nan() | y.is_nan(), x + y, moved)


def integer_power(x: Lanes, y: Lanes, on_zero: Callable[[Reg], None]) -> Lanes:
    """x ** y by squaring, wrapping around; negative powers are reported."""
    constant = y.known()
    if constant is not None and 0 <= constant < 64:
        return product_of_squares(x, int(constant))
    if is_signed(y.kind):
        on_zero((y < 0).reg)
        y = select(y < 0, y.constant(0), y)

    def step(values: list[Lanes]) -> tuple[list[Lanes], Lanes]:
        result, base, rest = values
        odd = (rest & 1).ne(0)
        following = rest >> 1
        return [select(odd, result * base, result), base * base, following], following.ne(0)

    return repeated([x.constant(1), x, y], step)[0]


def product_of_squares(x: Lanes, power: int) -> Lanes:
    """x to a known power, without a loop."""
    result, base = x.constant(1), x
    while power:
        result = result * base if power & 1 else result
        power >>= 1
        base = base * base if power else base
    return result


#: The words of integers that refuse some operands.
CHECKED: dict[str, Callable[..., Lanes]] = {
    "floordiv": division.floor_divided,
    "floormod": division.floor_remainder,
    "pow": integer_power,
    "truncdiv": division.divided,
    "truncmod": division.remainder,
}

#: The rounding of quotients of floats.
QUOTIENTS = {"floordiv": "floor", "truncdiv": "trunc"}

_ROUNDINGS: dict[str, dict[str, Callable[..., Lanes]]] = {
    how: {"float": lambda x, how=how: x.rounded(how), "integer": itself}
    for how in ("ceil", "floor", "rint", "trunc")
}
UNARY: dict[str, dict[str, Callable[..., Lanes]]] = {
    **{name: {"float": rule} for name, rule in elementary.UNARY.items()},
    **_ROUNDINGS,
    "abs": {"float": Lanes.abs, "integer": integer_abs},
    "conj": {"float": itself, "integer": itself},
    "invert": {"integer": Lanes.__invert__, "bool": Lanes.__invert__},
    "isfinite": {"float": lambda x: x.abs() < float("inf")},
    "isinf": {"float": lambda x: x.abs().eq(float("inf"))},
    "isnan": {"float": Lanes.is_nan},
    "not": {"bool": Lanes.__invert__},
    "popcount": {"integer": popcount},
    "sign": {"float": float_sign, "integer": integer_sign},
    "sqrt": {"float": Lanes.sqrt},
}
BINARY: dict[str, dict[str, Callable[..., Lanes]]] = {
    **{name: {"float": rule} for name, rule in elementary.BINARY.items()},
    "and": {"bool": Lanes.__and__},
    "bitand": {"integer": Lanes.__and__},
    "bitor": {"integer": Lanes.__or__},
    "bitxor": {"integer": Lanes.__xor__},
    "floormod": {"float": division.float_floor_remainder},
    "maximum": {"float": maximum, "integer": integer_extreme("max")},
    "minimum": {"float": minimum, "integer": integer_extreme("min")},
    "nextafter": {"float": next_after},
    "or": {"bool": Lanes.__or__},
    "shiftleft": {"integer": lambda x, y: x << distance(y)},
    "shiftright": {"integer": lambda x, y: x >> distance(y)},
    "truncmod": {"float": division.float_remainder},
    "xor": {"bool": Lanes.__xor__},
}
