"""Fields of a text and the numbers in them as machine code, which goes through the text once.

What it does not know is left to who reads single numbers: those of more digits than a word has
room for, the smallest and the greatest ones, and other texts.

Source: Daniel Lemire, "Number parsing at a gigabyte per second" (2021): the first 64 bits of a
decimal times 128 bits of a power of five round to the nearest double.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from graphwright.base.named_tuples import NamedTuple
from graphwright.machine import compiler
from graphwright.machine.array_layout import address
from graphwright.machine.preparation import Preparation
from graphwright.types.arrays import Array

#: Bytes of text, or fields, from which on the code is worth to be made, and worth its call.
WORTH_MAKING, WORTH_CALLING = 1 << 14, 1 << 8
#: The states of a field: its number was read, it is empty, or it is any other text.
READ, EMPTY, OTHER = range(3)
_NEWLINE = 0x0A

#: The powers of ten with which numbers are read.
_LEAST, _MOST = 325, 308

#: Puts where fields stop in %stops and, for each record, behind which field it ends in %lasts.
#: What was written for a byte that is no end is written again for the next one.
#: Of 64 bytes at a time the marked ones are gone through; what is left at the end, byte by byte.
_CUT = """
define void @cut(ptr %text, i64 %start, i64 %end, i8 %delimiter, ptr %stops, ptr %lasts) {
entry:
  %one.cut = insertelement <64 x i8> poison, i8 %delimiter, i64 0
  %cuts = shufflevector <64 x i8> %one.cut, <64 x i8> poison, <64 x i32> zeroinitializer
  %one.end = insertelement <64 x i8> poison, i8 10, i64 0
  %ends = shufflevector <64 x i8> %one.end, <64 x i8> poison, <64 x i32> zeroinitializer
  br label %block
block:
  %b.at = phi i64 [ %start, %entry ], [ %b.next, %marks ]
  %b.field = phi i64 [ 0, %entry ], [ %m.field, %marks ]
  %b.record = phi i64 [ 0, %entry ], [ %m.record, %marks ]
  %b.next = add i64 %b.at, 64
  %is.whole = icmp sle i64 %b.next, %end
  br i1 %is.whole, label %look, label %tail
look:
  %b.place = getelementptr i8, ptr %text, i64 %b.at
  %octets = load <64 x i8>, ptr %b.place, align 1
  %are.ends = icmp eq <64 x i8> %octets, %ends
  %are.cuts = icmp eq <64 x i8> %octets, %cuts
  %end.bits = bitcast <64 x i1> %are.ends to i64
  %cut.bits = bitcast <64 x i1> %are.cuts to i64
  %bits = or i64 %end.bits, %cut.bits
  br label %marks
marks:
  %m.bits = phi i64 [ %bits, %look ], [ %m.others, %mark ]
  %m.field = phi i64 [ %b.field, %look ], [ %m.fields, %mark ]
  %m.record = phi i64 [ %b.record, %look ], [ %m.records, %mark ]
  %m.any = icmp ne i64 %m.bits, 0
  br i1 %m.any, label %mark, label %block
mark:
  %m.bit = call i64 @llvm.cttz.i64(i64 %m.bits, i1 true)
  %m.at = add i64 %b.at, %m.bit
  %m.stop = getelementptr i64, ptr %stops, i64 %m.field
  store i64 %m.at, ptr %m.stop
  %m.last = getelementptr i64, ptr %lasts, i64 %m.record
  store i64 %m.field, ptr %m.last
  %m.shifted = lshr i64 %end.bits, %m.bit
  %m.is.end = and i64 %m.shifted, 1
  %m.fields = add i64 %m.field, 1
  %m.records = add i64 %m.record, %m.is.end
  %m.less = sub i64 %m.bits, 1
  %m.others = and i64 %m.bits, %m.less
  br label %marks
tail:
  %any = icmp slt i64 %b.at, %end
  br i1 %any, label %loop, label %done
loop:
  %at = phi i64 [ %b.at, %tail ], [ %next, %loop ]
  %field = phi i64 [ %b.field, %tail ], [ %fields, %loop ]
  %record = phi i64 [ %b.record, %tail ], [ %records, %loop ]
  %place = getelementptr i8, ptr %text, i64 %at
  %octet = load i8, ptr %place
  %is.end = icmp eq i8 %octet, 10
  %is.cut = icmp eq i8 %octet, %delimiter
  %is.stop = or i1 %is.end, %is.cut
  %stop = getelementptr i64, ptr %stops, i64 %field
  store i64 %at, ptr %stop
  %last = getelementptr i64, ptr %lasts, i64 %record
  store i64 %field, ptr %last
  %stop.count = zext i1 %is.stop to i64
  %end.count = zext i1 %is.end to i64
  %fields = add i64 %field, %stop.count
  %records = add i64 %record, %end.count
  %next = add i64 %at, 1
  %more = icmp slt i64 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""

#: Reads the numbers of the fields %parts, of which each starts and stops at places of the text. Up
#: to eight characters are a word, whose digits become a number in three products (Johnny Lee and
#: Daniel Lemire, "Quickly parsing eight digits", 2018).
_READ = """
define void @read_KIND(ptr %text, ptr %starts, ptr %stops, ptr %parts, i64 %count,
                       ptr %values, ptr %states, ptr %powers, ptr %tens) {
entry:
  %any = icmp sgt i64 %count, 0
  br i1 %any, label %field, label %done
field:
  %i = phi i64 [ 0, %entry ], [ %following, %next ]
  %part.at = getelementptr i64, ptr %parts, i64 %i
  %part = load i64, ptr %part.at
  %start.at = getelementptr i64, ptr %starts, i64 %part
  %start = load i64, ptr %start.at
  %stop.at = getelementptr i64, ptr %stops, i64 %part
  %stop = load i64, ptr %stop.at
  %value.at = getelementptr TYPE, ptr %values, i64 %i
  store TYPE ZERO, ptr %value.at
  %is.empty = icmp eq i64 %start, %stop
  br i1 %is.empty, label %next, label %short
short:
  %s0.at = getelementptr i8, ptr %text, i64 %start
  %s0 = load i8, ptr %s0.at
  %s0.minus = icmp eq i8 %s0, 45
  %s0.skip = zext i1 %s0.minus to i64
  %s1 = add i64 %start, %s0.skip
  %size = sub i64 %stop, %s1
  %size.less = sub i64 %size, 1
  %is.short = icmp ult i64 %size.less, 8
  br i1 %is.short, label %word, label %front
word:
  %word.first = sub i64 %stop, 8
  %word.at = getelementptr i8, ptr %text, i64 %word.first
  %octets = load i64, ptr %word.at, align 1
  %spare = sub i64 8, %size
  %spare.bits = shl i64 %spare, 3
  %own = shl i64 -1, %spare.bits
  %plain = xor i64 %octets, 3472328296227680304
  %own.digits = and i64 %plain, %own
UNDOTTED  %tens.0 = mul i64 %DIGITS, 2561
  %pairs.wide = lshr i64 %tens.0, 8
  %pairs = and i64 %pairs.wide, 71777214294589695
  %tens.1 = mul i64 %pairs, 6553601
  %fours.wide = lshr i64 %tens.1, 16
  %fours = and i64 %fours.wide, 281470681808895
  %tens.2 = mul i64 %fours, 42949672960001
  %eight = lshr i64 %tens.2, 32
  %over.nine = add i64 %DIGITS, 8536140394893047414
  %no.digits = or i64 %over.nine, %DIGITS
  %wrong = and i64 %no.digits, -9187201950435737472
  %are.digits = icmp eq i64 %wrong, 0
QUICK
front:
  %a0 = phi i64 [ %start, %short ], [ %start, %word ], [ %a0.next, %front.skip ]
  %a0.in = icmp slt i64 %a0, %stop
  br i1 %a0.in, label %front.look, label %next
front.look:
  %a0.at = getelementptr i8, ptr %text, i64 %a0
  %first = load i8, ptr %a0.at
  %a0.space = icmp eq i8 %first, 32
  br i1 %a0.space, label %front.skip, label %back
front.skip:
  %a0.next = add i64 %a0, 1
  br label %front
back:
  %b = phi i64 [ %stop, %front.look ], [ %b.last, %back ]
  %b.last = sub i64 %b, 1
  %b.at = getelementptr i8, ptr %text, i64 %b.last
  %last = load i8, ptr %b.at
  %b.space = icmp eq i8 %last, 32
  br i1 %b.space, label %back, label %sign
sign:
  %is.minus = icmp eq i8 %first, 45
  %is.plus = icmp eq i8 %first, 43
  %is.signed = or i1 %is.minus, %is.plus
  %a1.skip = zext i1 %is.signed to i64
  %a1 = add i64 %a0, %a1.skip
  br label %whole
WHOLE
behind:
BEHIND
FINISH
next:
  %state = phi i8 [ 1, %field ], [ 2, %front ]STATES
  %state.at = getelementptr i8, ptr %states, i64 %i
  store i8 %state, ptr %state.at
  %following = add i64 %i, 1
  %more = icmp slt i64 %following, %count
  br i1 %more, label %field, label %done
done:
  ret void
}
"""


def digits(
    block: str, names: tuple[str, str, str], entry: tuple[str, str, str], end: str, other: str
) -> str:
    """The blocks that go on through the digits of a number.

    Args:
        block: The block that they begin with.
        names: The names of the place, of the number, and of the octet at the place.
        entry: The block before, and the first place and number there.
        end: The block behind the field's last digit.
        other: The block where an octet is no digit.
    """
    place, number, octet = names
    before, first, start = entry
    return f"""{block}:
  %{place} = phi i64 [ {first}, %{before} ], [ %{place}.next, %{block}.digit ]
  %{number} = phi i64 [ {start}, %{before} ], [ %{number}.next, %{block}.digit ]
  %{place}.in = icmp slt i64 %{place}, %b
  br i1 %{place}.in, label %{block}.look, label %{end}
{block}.look:
  %{place}.at = getelementptr i8, ptr %text, i64 %{place}
  %{octet} = load i8, ptr %{place}.at
  %{octet}.digit = sub i8 %{octet}, 48
  %{octet}.is = icmp ult i8 %{octet}.digit, 10
  br i1 %{octet}.is, label %{block}.digit, label %{other}
{block}.digit:
  %{octet}.wide = zext i8 %{octet}.digit to i64
  %{number}.ten = mul i64 %{number}, 10
  %{number}.next = add i64 %{number}.ten, %{octet}.wide
  %{place}.next = add i64 %{place}, 1
  br label %{block}"""


_DIGITS = {
    "WHOLE": digits("whole", ("a2", "w", "c"), ("sign", "%a1", "0"), "ended", "behind"),
    "TENTHS": digits(
        "decimals", ("a3", "m", "d"), ("behind", "%a3.first", "%w"), "ended", "exponent"
    ),
    "POWER": digits("power", ("a7", "x", "g"), ("exponent.sign", "%a6", "0"), "power.done", "next"),
}

#: Whether a word is an integer, and the integer.
_INTEGER_QUICK = """  br i1 %are.digits, label %quick, label %front
quick:
  %q.negative = sub i64 0, %eight
  %q.signed = select i1 %s0.minus, i64 %q.negative, i64 %eight
  %q.value = SHORTEN
  store TYPE %q.value, ptr %value.at
  br label %next"""

#: A word without its point, where it has one, and how many digits are behind that.
_UNDOTTED = """  %q.marked = xor i64 %own.digits, 2170205185142300190
  %q.less = sub i64 %q.marked, 72340172838076673
  %q.not = xor i64 %q.marked, -1
  %q.top = and i64 %q.less, %q.not
  %q.dots = and i64 %q.top, -9187201950435737472
  %has.dot = icmp ne i64 %q.dots, 0
  %q.dot.bit = call i64 @llvm.cttz.i64(i64 %q.dots, i1 false)
  %q.dot.bits = and i64 %q.dot.bit, 56
  %q.dot.one = shl i64 1, %q.dot.bits
  %q.low = sub i64 %q.dot.one, 1
  %q.first = and i64 %own.digits, %q.low
  %q.first.up = shl i64 %q.first, 8
  %q.low.up = shl i64 %q.low, 8
  %q.upto = or i64 %q.low.up, 255
  %q.high = xor i64 %q.upto, -1
  %q.second = and i64 %own.digits, %q.high
  %q.joined = or i64 %q.first.up, %q.second
  %undotted = select i1 %has.dot, i64 %q.joined, i64 %own.digits
  %q.dot.place = lshr i64 %q.dot.bits, 3
  %q.behind = sub i64 7, %q.dot.place
  %q.places = select i1 %has.dot, i64 %q.behind, i64 0
"""

#: Whether a word is a decimal, and the quotient of two exact numbers, which is the nearest one.
_DECIMAL_QUICK = """  %q.dot = zext i1 %has.dot to i64
  %q.any = icmp ne i64 %size, %q.dot
  %q.exact = icmp ule i64 %eight, EXACT
  %q.good = and i1 %are.digits, %q.any
  %q.sure = and i1 %q.good, %q.exact
  br i1 %q.sure, label %quick, label %front
quick:
  %q.whole = sitofp i64 %eight to TYPE
  %q.ten.at = getelementptr TYPE, ptr %tens, i64 %q.places
  %q.ten = load TYPE, ptr %q.ten.at
  %q.quotient = fdiv TYPE %q.whole, %q.ten
  %q.negative = fneg TYPE %q.quotient
  %q.value = select i1 %s0.minus, TYPE %q.negative, TYPE %q.quotient
  store TYPE %q.value, ptr %value.at
  br label %next"""

#: An integer has nothing behind its digits, and one of 18 digits at most.
_INTEGER_BEHIND = "  br label %next"
_INTEGER_FINISH = """ended:
  %n = sub i64 %a2, %a1
  %n.less = sub i64 %n, 1
  %n.fits = icmp ult i64 %n.less, 18
  %negative = sub i64 0, %w
  %signed = select i1 %is.minus, i64 %negative, i64 %w
  NARROW
  %fits = and i1 %n.fits, %same
  br i1 %fits, label %store, label %next
store:
  store TYPE %value, ptr %value.at
  br label %next"""
_INTEGER_STATES = ", [ 0, %quick ], [ 2, %behind ], [ 2, %ended ], [ 0, %store ]"

#: A decimal has a point, then an exponent, or none of them.
_DECIMAL_BEHIND = """  %is.dot = icmp eq i8 %c, 46
  %a3.skip = zext i1 %is.dot to i64
  %a3.first = add i64 %a2, %a3.skip
  br i1 %is.dot, label %decimals, label %exponent
TENTHS
exponent:
  %a4 = phi i64 [ %a2, %behind ], [ %a3, %decimals.look ]
  %m4 = phi i64 [ %w, %behind ], [ %m, %decimals.look ]
  %p4 = phi i64 [ %a2, %behind ], [ %a3.first, %decimals.look ]
  %e = phi i8 [ %c, %behind ], [ %d, %decimals.look ]
  %e.small = or i8 %e, 32
  %is.e = icmp eq i8 %e.small, 101
  %a5 = add i64 %a4, 1
  %a5.in = icmp slt i64 %a5, %b
  %has.e = and i1 %is.e, %a5.in
  br i1 %has.e, label %exponent.sign, label %next
exponent.sign:
  %a5.at = getelementptr i8, ptr %text, i64 %a5
  %s = load i8, ptr %a5.at
  %s.minus = icmp eq i8 %s, 45
  %s.plus = icmp eq i8 %s, 43
  %s.is = or i1 %s.minus, %s.plus
  %a6.skip = zext i1 %s.is to i64
  %a6 = add i64 %a5, %a6.skip
  %x.digits = sub i64 %b, %a6
  %x.less = sub i64 %x.digits, 1
  %x.fits = icmp ult i64 %x.less, 3
  br i1 %x.fits, label %power, label %next
POWER
power.done:
  %x.negative = sub i64 0, %x
  %x.signed = select i1 %s.minus, i64 %x.negative, i64 %x
  br label %ended"""
_DECIMAL_FINISH = """ended:
  %mantissa = phi i64 [ %w, %whole ], [ %m, %decimals ], [ %m4, %power.done ]
  %digits.stop = phi i64 [ %a2, %whole ], [ %a3, %decimals ], [ %a4, %power.done ]
  %part.start = phi i64 [ %a2, %whole ], [ %a3.first, %decimals ], [ %p4, %power.done ]
  %added = phi i64 [ 0, %whole ], [ 0, %decimals ], [ %x.signed, %power.done ]
  %places = sub i64 %digits.stop, %part.start
  %long = sub i64 %digits.stop, %a1
  %dots = icmp sgt i64 %part.start, %a2
  %dot = zext i1 %dots to i64
  %n = sub i64 %long, %dot
  %n.less = sub i64 %n, 1
  %n.fits = icmp ult i64 %n.less, 19
  %scale = sub i64 %added, %places
  %row = add i64 %scale, LEAST
  %scale.fits = icmp ult i64 %row, ROWS
  %fits = and i1 %n.fits, %scale.fits
  br i1 %fits, label %scaled, label %next
scaled:
  %is.zero = icmp eq i64 %mantissa, 0
  %one.less = zext i1 %is.zero to i64
  %some = or i64 %mantissa, %one.less
  %zeros = call i64 @llvm.ctlz.i64(i64 %some, i1 false)
  %full = shl i64 %some, %zeros
  %power.at = getelementptr [2 x i64], ptr %powers, i64 %row
  %power.high = load i64, ptr %power.at
  %power.low.at = getelementptr i64, ptr %power.at, i64 1
  %power.low = load i64, ptr %power.low.at
  %full.wide = zext i64 %full to i128
  %power.high.wide = zext i64 %power.high to i128
  %power.low.wide = zext i64 %power.low to i128
  %first.product = mul i128 %full.wide, %power.high.wide
  %second.product = mul i128 %full.wide, %power.low.wide
  %second.high = lshr i128 %second.product, 64
  %sum = add i128 %first.product, %second.high
  %first.high.wide = lshr i128 %first.product, 64
  %first.high = trunc i128 %first.high.wide to i64
  %below = and i64 %first.high, 511
  %is.close = icmp eq i64 %below, 511
  %whole.product = select i1 %is.close, i128 %sum, i128 %first.product
  %high.wide.product = lshr i128 %whole.product, 64
  %high.bits = trunc i128 %high.wide.product to i64
  %low.bits = trunc i128 %whole.product to i64
  %upper = lshr i64 %high.bits, 63
  %drop = add i64 %upper, 9
  %kept = lshr i64 %high.bits, %drop
  %again.high = shl i64 %kept, %drop
  %is.exact = icmp eq i64 %again.high, %high.bits
  %is.low = icmp ule i64 %low.bits, 1
  %kept.last = and i64 %kept, 3
  %is.half = icmp eq i64 %kept.last, 1
  %near.row = add i64 %scale, 4
  %is.near = icmp ule i64 %near.row, 27
  %tie.1 = and i1 %is.exact, %is.low
  %tie.2 = and i1 %is.half, %is.near
  %is.tie = and i1 %tie.1, %tie.2
  %tie = zext i1 %is.tie to i64
  %even = sub i64 %kept, %tie
  %odd = and i64 %even, 1
  %rounded.twice = add i64 %even, %odd
  %rounded = lshr i64 %rounded.twice, 1
  %is.over = icmp uge i64 %rounded, 9007199254740992
  %over = zext i1 %is.over to i64
  %fraction.over = lshr i64 %rounded, %over
  %fraction = and i64 %fraction.over, 4503599627370495
  %binary.product = mul i64 %scale, 217706
  %binary = ashr i64 %binary.product, 16
  %exponent.1 = add i64 %binary, 1086
  %exponent.2 = add i64 %exponent.1, %upper
  %exponent.3 = sub i64 %exponent.2, %zeros
  %exponent.4 = add i64 %exponent.3, %over
  %exponent.less = sub i64 %exponent.4, 1
  %is.normal = icmp ult i64 %exponent.less, 2046
  %bits.high = shl i64 %exponent.4, 52
  %bits = or i64 %bits.high, %fraction
  %number = bitcast i64 %bits to double
  %nearest = select i1 %is.zero, double 0.0, double %number
  %is.known = or i1 %is.normal, %is.zero
  %negative = fneg double %nearest
  %signed = select i1 %is.minus, double %negative, double %nearest
  NARROW
  %sure = and i1 %same, %is.known
  br i1 %sure, label %store, label %next
store:
  store TYPE %value, ptr %value.at
  br label %next"""
_DECIMAL_STATES = (
    ", [ 0, %quick ], [ 2, %exponent ], [ 2, %exponent.sign ], [ 2, %power.look ], [ 2, %ended ], "
    "[ 2, %scaled ], [ 0, %store ]"
)

#: How a wide number becomes one of a column's type, and whether that is surely the nearest.
_NARROW: dict[np.dtype[Any], str] = {
    np.dtype(np.int64): "%same = icmp eq i64 0, 0\n  %value = add i64 %signed, 0",
    np.dtype(np.int32): """%value = trunc i64 %signed to i32
  %again = sext i32 %value to i64
  %same = icmp eq i64 %again, %signed""",
    np.dtype(np.float64): "%same = icmp eq i64 0, 0\n  %value = fadd double %signed, -0.0",
    np.dtype(np.float32): """%value = fptrunc double %signed to float
  %low.wide = fmul double %signed, 0x3FEFFFFFFFFFFFFE
  %high.wide = fmul double %signed, 0x3FF0000000000001
  %low = fptrunc double %low.wide to float
  %high = fptrunc double %high.wide to float
  %same = fcmp oeq float %low, %high""",
}
#: How the integer of a word becomes one of a column's type.
_SHORTEN = {
    np.dtype(np.int64): "add i64 %q.signed, 0",
    np.dtype(np.int32): "trunc i64 %q.signed to i32",
}
#: Up to which number all integers are floating-point numbers, as far as words have them.
_EXACT = {np.dtype(np.float32): 1 << 24, np.dtype(np.float64): 10**8}
_TYPES: dict[np.dtype[Any], str] = {
    np.dtype(np.int64): "i64",
    np.dtype(np.int32): "i32",
    np.dtype(np.float64): "double",
    np.dtype(np.float32): "float",
}
#: The dtypes of numbers that are read here.
DTYPES = frozenset(_TYPES)


def reader_text(dtype: np.dtype[Any]) -> str:
    """The function that reads numbers of a dtype."""
    is_integer = dtype.kind == "i"
    text = _READ.replace("BEHIND", _INTEGER_BEHIND if is_integer else _DECIMAL_BEHIND)
    if is_integer:
        quick, digits_of, undotted = (
            _INTEGER_QUICK.replace("SHORTEN", _SHORTEN[dtype]),
            "own.digits",
            "",
        )
    else:
        quick, digits_of, undotted = (
            _DECIMAL_QUICK.replace("EXACT", str(_EXACT[dtype])),
            "undotted",
            _UNDOTTED,
        )
    text = text.replace("QUICK", quick).replace("UNDOTTED", undotted).replace("DIGITS", digits_of)
    text = text.replace("FINISH", _INTEGER_FINISH if is_integer else _DECIMAL_FINISH)
    for place, blocks in _DIGITS.items():
        text = text.replace(place, blocks)
    text = text.replace("STATES", _INTEGER_STATES if is_integer else _DECIMAL_STATES)
    text = text.replace("LEAST", str(_LEAST)).replace("ROWS", str(_LEAST + _MOST + 1))
    text = text.replace("NARROW", _NARROW[dtype]).replace("KIND", dtype.name)
    return text.replace("ZERO", "0" if is_integer else "0.0").replace("TYPE", _TYPES[dtype])


class FieldFunctions(NamedTuple):
    """The function that cuts a text into fields, and those that read numbers, by their dtypes."""

    cut: Any
    read: dict[np.dtype[Any], Any]
    #: The powers of five, for all readers.
    powers: npt.NDArray[np.uint64]
    #: The first powers of ten, by their dtypes.
    tens: dict[np.dtype[Any], Array]


def powers_of_five() -> npt.NDArray[np.uint64]:
    """The first 128 bits of each power of five as two words; those below one are rounded up."""
    rows = []
    for power in range(-_LEAST, _MOST + 1):
        five = 5 ** abs(power)
        bits = five.bit_length()
        first = (1 << bits + 127) // five + 1 if power < 0 else five << 128 >> bits
        rows.append([first >> 64, first & (1 << 64) - 1])
    return np.array(rows, np.uint64)


_DECLARED = """declare i64 @llvm.ctlz.i64(i64, i1)
declare i64 @llvm.cttz.i64(i64, i1)
"""


@functools.cache
def functions() -> FieldFunctions:
    """The functions, compiled."""
    text = _CUT + "".join(map(reader_text, _TYPES)) + _DECLARED
    addresses = compiler.compiled(text).addresses
    place, number = ctypes.c_void_p, ctypes.c_int64
    cut = ctypes.CFUNCTYPE(None, place, number, number, ctypes.c_uint8, place, place)
    read = ctypes.CFUNCTYPE(None, *[place] * 4, number, *[place] * 4)
    readers = {dtype: read(addresses[f"read_{dtype.name}"]) for dtype in _TYPES}
    tens = {dtype: (10 ** np.arange(8)).astype(dtype) for dtype in _TYPES}
    return FieldFunctions(cut(addresses["cut"]), readers, powers_of_five(), tens)


PREPARATION = Preparation(functions, is_brief=True, patience=8)


def are_ready_for(count: int) -> bool:
    """Whether machine code takes so many bytes or fields."""
    return count >= WORTH_CALLING and PREPARATION.is_ready_for(count, WORTH_MAKING)


def cut(octets: Array, start: int, end: int, delimiter: int) -> tuple[Array, Array]:
    """Where the fields of a text stop, and which is the last one of each record.

    Args:
        octets: A text with margins as uint8, without quotes and carriage returns.
        start: Where its first record begins.
        end: Where it ends.
        delimiter: The byte between fields.

    Returns:
        The places at which fields stop, and the numbers of fields: those that end whole records.
    """
    text = octets[start:end]
    records = np.count_nonzero(text == _NEWLINE)
    fields = records + np.count_nonzero(text == delimiter)
    stops, lasts = np.empty(fields + 1, np.int64), np.empty(records + 1, np.int64)
    functions().cut(address(octets), start, end, delimiter, address(stops), address(lasts))
    return stops[:fields], lasts[:records]


def read(
    octets: Array | None, starts: Array, stops: Array, parts: Array, dtype: np.dtype[Any]
) -> tuple[Array, npt.NDArray[np.uint8]]:
    """The numbers in fields, and the state of each field; 0 where none was read.

    Args:
        octets: The text as uint8. None: fields start and stop at places in memory. Eight bytes or
            more before each field can be read.
        starts: Where fields start, int64.
        stops: Where they stop, int64.
        parts: The numbers of the fields that are read, int64.
        dtype: int32, int64, float32 or float64.
    """
    values, states = np.empty(len(parts), dtype), np.empty(len(parts), np.uint8)
    _, readers, powers, tens = functions()
    readers[dtype](
        0 if octets is None else address(octets),
        address(starts), address(stops), address(parts), len(parts),
        address(values), address(states), address(powers), address(tens[dtype]),
    )  # fmt: skip
    return values, states
