"""Elements of one kind as another, with the results that NumPy has on x86."""

from __future__ import annotations

from graphwright.lower.llvm.emitter import bits, is_float, is_signed
from graphwright.lower.llvm.lanes import Lanes, select


def converted(x: Lanes, kind: str) -> Lanes:
    """`x` as another kind: integers wrap, floats are truncated to integers, bools are x != 0.

    What fits no integer, NaN included, becomes the least one, of 32 bits for the narrow kinds
    (which is 0 in them) and of 64 for u32, where NumPy itself is not of one mind.
    """
    if x.kind == kind:
        return x
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
        return resized(select(high, low ^ -(2**63), low), "u64")
    return resized(signed(x, "i64" if kind in ("i64", "u32") else "i32"), kind)


def signed(x: Lanes, kind: str) -> Lanes:
    """A float as i32 or i64: the least where it does not fit."""
    least = -(2 ** (bits(kind) - 1))
    integer = x.cast("fptosi", kind)
    return select(x.abs() < -float(least), integer, least)
