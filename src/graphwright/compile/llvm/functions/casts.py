"""Elements of one kind as another, with the results that NumPy has on x86."""

from __future__ import annotations

from graphwright.compile.llvm.emitter import bits, is_float, is_signed
from graphwright.compile.llvm.functions.lanes import Lanes, select
from graphwright.compile.nests.element_kinds import HALVES


def converted(x: Lanes, kind: str) -> Lanes:
    """`x` as another kind: integers wrap, floats are truncated to integers, bools are x != 0.

    A float that fits no integer, NaN included, becomes the least integer. That is of 64 bits for
    u32 and u64, and of 32 bits for narrow kinds, where it is 0. `op.scalars.caster` does the same
    for arrays.
    """
    if x.kind == kind:
        return x
    if x.kind in HALVES:
        return converted(from_half(x), kind)
    if kind in HALVES:
        return to_half(x, kind)
    if kind == "b1":
        return x.ne(0)
    if is_float(kind):
        if not is_float(x.kind):
            return x.cast("sitofp" if is_signed(x.kind) else "uitofp", kind)
        return x.cast("fpext" if bits(kind) > bits(x.kind) else "fptrunc", kind)
    return truncated(x, kind) if is_float(x.kind) else resized(x, kind)


def resized(x: Lanes, kind: str) -> Lanes:
    """An integer or bool as an integer of another size, wrapping around."""
    have, want = bits(x.kind), bits(kind)
    if have == want:
        return Lanes(x.emitter, x.emitter.bitcast(x.reg, kind))
    if have > want:
        return x.cast("trunc", kind)
    return x.cast("sext" if is_signed(x.kind) else "zext", kind)


def truncated(x: Lanes, kind: str) -> Lanes:
    """A float rounded towards zero to an integer."""
    if kind == "u64":
        high = x >= 2.0**63
        low = signed(select(high, x - 2.0**63, x), "i64")
        return resized(select(high, low | -(2**63), low), "u64")
    return resized(signed(x, "i64" if kind in ("i64", "u32") else "i32"), kind)


def signed(x: Lanes, kind: str) -> Lanes:
    """A float as i32 or i64: the least integer where it does not fit."""
    least = -(2 ** (bits(kind) - 1))
    integer = x.cast("fptosi", kind)
    return select(x.abs() < -float(least), integer, least)


# -- halves ---------------------------------------------------------------------------------


def from_half(x: Lanes) -> Lanes:
    """f16 or bf16 as f32, exactly."""
    if x.kind == "f16":
        return x.cast("fpext", "f32")
    return (Lanes(x.emitter, x.emitter.cast("zext", x.reg, "i32")) << 16).from_bits()


def to_half(x: Lanes, kind: str) -> Lanes:
    """A number rounded to f16 or bf16, to even in a tie."""
    if kind == "bf16":
        return rounded_to_bfloat16(converted(x, "f32"))
    if x.kind == "f64":
        return rounded_to_odd(x).cast("fptrunc", "f16")
    return converted(x, "f32").cast("fptrunc", "f16")


def rounded_to_bfloat16(x: Lanes) -> Lanes:
    """The upper half of f32, after half of its last place is added; NaN stays NaN."""
    bits = Lanes(x.emitter, x.emitter.bitcast(x.reg, "u32"))
    rounded = bits + (((bits >> 16) & 1) + 0x7FFF)
    quiet = bits | 0x400000
    upper = select(x.is_nan(), quiet, rounded) >> 16
    return upper.cast("trunc", "bf16")


def rounded_to_odd(x: Lanes) -> Lanes:
    """f64 as f32 such that a second rounding gives the result of a single one.

    It is truncated; where that is inexact the last bit is set.
    """
    near = x.cast("fptrunc", "f32")
    back = near.cast("fpext", "f64")
    bits = near.to_bits()
    bits = select(back.abs() > x.abs(), bits - 1, bits)
    return select(back.compare("ne", x) & ~x.is_nan(), bits | 1, bits).from_bits()
