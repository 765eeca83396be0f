"""Philox as machine code: the blocks of many counters, several in each vector.

Words stand in the low halves of lanes of 64 bits, where a product of two of them has room. What is
in the high halves otherwise does not matter, since each product and each result masks its operands.
"""

from __future__ import annotations

import ctypes
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from graphwright.base.named_tuples import NamedTuple
from graphwright.machine import targets
from graphwright.machine.array_layout import address
from graphwright.machine.drafts import lasting
from graphwright.machine.preparation import Preparation

if TYPE_CHECKING:
    from graphwright.machine.linking import Library

#: Blocks from which on the code is worth to be made, and those from which on it is worth its call.
WORTH_MAKING, WORTH_CALLING = 1 << 10, 1 << 5

_MASK = (1 << 32) - 1

UInt64s = npt.NDArray[np.uint64]
#: The multipliers, what is added to the halves of a key, and the rounds.
Constants = tuple[tuple[int, int], tuple[int, int], int]


class CipherText:
    """LLVM's text of the cipher for so many blocks at once.

    Args:
        lanes: How many blocks a vector has.
        constants: The cipher's.
    """

    def __init__(self, lanes: int, constants: Constants) -> None:
        self.lanes = lanes
        self.multipliers, self.increments, self.rounds = constants
        self.kind = f"<{lanes} x i64>"
        self.lines: list[str] = []

    def vector(self, number: int) -> str:
        """A number in each lane."""
        return f"<{', '.join([f'i64 {number}'] * self.lanes)}>"

    def line(self, instruction: str) -> str:
        """The name of the result of an instruction."""
        result = f"%v{len(self.lines)}"
        self.lines.append(f"  {result} = {instruction}")
        return result

    def op(self, name: str, x: str, y: str) -> str:
        """The same of an operation on two vectors."""
        return self.line(f"{name} {self.kind} {x}, {y}")

    def low(self, x: str) -> str:
        """The low halves alone."""
        return self.op("and", x, self.vector(_MASK))

    def high(self, x: str) -> str:
        """The high halves, as low ones."""
        return self.op("lshr", x, self.vector(32))

    def joined(self, low: str, high: str) -> str:
        """Two words in one lane."""
        return self.op("or", self.low(low), self.op("shl", high, self.vector(32)))

    def product(self, x: str, place: int) -> str:
        """A word times one of the multipliers, with all 64 bits."""
        return self.op("mul", self.low(x), self.vector(self.multipliers[place]))

    def enciphered(self, key: str, first: str, second: str) -> tuple[str, str]:
        """The two halves of the blocks for a key and the halves of counters."""
        c0, c1, c2, c3 = first, self.high(first), second, self.high(second)
        k0, k1 = key, self.high(key)
        for _ in range(self.rounds):
            p0, p1 = self.product(c0, 0), self.product(c2, 1)
            c0, c1 = self.op("xor", self.op("xor", self.high(p1), c1), k0), p1
            c2, c3 = self.op("xor", self.op("xor", self.high(p0), c3), k1), p0
            k0 = self.op("add", k0, self.vector(self.increments[0]))
            k1 = self.op("add", k1, self.vector(self.increments[1]))
        return self.joined(c0, c1), self.joined(c2, c3)

    def everywhere(self, number: str) -> str:
        """A number of the loop in each lane."""
        one = self.line(f"insertelement {self.kind} poison, i64 {number}, i32 0")
        zeros = f"<{self.lanes} x i32> zeroinitializer"
        return self.line(f"shufflevector {self.kind} {one}, {self.kind} poison, {zeros}")

    def stream(self) -> str:
        """The function that gives the blocks of consecutive counters, which do not wrap around."""
        numbers = ", ".join([f"i64 {lane}" for lane in range(self.lanes)])
        first = self.line("add i64 %low, %place")
        lows = self.op("add", self.everywhere(first), f"<{numbers}>")
        low, high = self.enciphered(self.everywhere("%key"), lows, self.everywhere("%high"))
        whole, lanes = f"<{2 * self.lanes} x i64>", range(self.lanes)
        order = ", ".join([f"i32 {lane}, i32 {lane + self.lanes}" for lane in lanes])
        parts = f"{self.kind} {low}, {self.kind} {high}, <{2 * self.lanes} x i32> <{order}>"
        both = self.line(f"shufflevector {parts}")
        place = self.line("mul i64 %place, 2")
        target = self.line(f"getelementptr i64, ptr %words, i64 {place}")
        self.lines.append(f"  store {whole} {both}, ptr {target}, align 4")
        return self.function(f"stream{self.lanes}", "i64 %key, i64 %low, i64 %high, ptr %words")

    def units(self) -> str:
        """The function from pairs of seeds to numbers in [0, 1): the first of stateless draws."""
        whole = f"<{2 * self.lanes} x i64>"
        place = self.line("mul i64 %place, 2")
        target = self.line(f"getelementptr i64, ptr %seeds, i64 {place}")
        pairs = self.line(f"load {whole}, ptr {target}, align 8")
        low, high = [self.each_second(whole, pairs, start) for start in (0, 1)]
        key, counter = self.enciphered(self.everywhere("%scramble"), low, high)
        words, _ = self.enciphered(key, self.vector(0), counter)
        first = self.op("shl", words, self.vector(32))
        bits = self.op("and", first, self.vector(0xFFFFF << 32))
        bits = self.op("or", bits, self.high(words))
        bits = self.op("or", bits, self.vector(0x3FF << 52))
        floats = self.kind.replace("i64", "double")
        numbers = self.line(f"bitcast {self.kind} {bits} to {floats}")
        ones = ", ".join(["double 1.0"] * self.lanes)
        units = self.line(f"fsub {floats} {numbers}, <{ones}>")
        target = self.line("getelementptr double, ptr %units, i64 %place")
        self.lines.append(f"  store {floats} {units}, ptr {target}, align 8")
        return self.function(f"units{self.lanes}", "ptr %seeds, i64 %scramble, ptr %units")

    def each_second(self, whole: str, pairs: str, start: int) -> str:
        """Each second number of a vector."""
        lanes = ", ".join([f"i32 {start + 2 * lane}" for lane in range(self.lanes)])
        chosen = f"{whole} {pairs}, {whole} poison, <{self.lanes} x i32> <{lanes}>"
        return self.line(f"shufflevector {chosen}")

    def function(self, name: str, parameters: str) -> str:
        """A loop over a number of blocks that is a multiple of the lanes, and its body so far."""
        body, self.lines = "\n".join(self.lines), []
        return f"""
define void @{name}({parameters}, i64 %count) #0 {{
entry:
  %any = icmp sgt i64 %count, 0
  br i1 %any, label %loop, label %end
loop:
  %place = phi i64 [ 0, %entry ], [ %next, %loop ]
{body}
  %next = add i64 %place, {self.lanes}
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}}
"""


class CipherFunctions(NamedTuple):
    """Functions that take so many blocks at once, and the same for single blocks."""

    lanes: int
    stream: tuple[Any, Any]
    units: tuple[Any, Any]


def text_for(constants: Constants, lanes: int) -> str:
    """The functions of a cipher."""
    codes = CipherText(lanes, constants), CipherText(1, constants)
    text = "".join([code.stream() + code.units() for code in codes])
    return f"{text}\nattributes #0 = {{ {targets.vectors().attributes} }}\n"


def functions(library: Library, lanes: int) -> CipherFunctions:
    """The functions of a library."""
    addresses = library.addresses
    place, number = ctypes.c_void_p, ctypes.c_int64
    stream = ctypes.CFUNCTYPE(None, number, number, number, place, number)
    units = ctypes.CFUNCTYPE(None, place, number, place, number)
    return CipherFunctions(
        lanes,
        (stream(addresses[f"stream{lanes}"]), stream(addresses["stream1"])),
        (units(addresses[f"units{lanes}"]), units(addresses["units1"])),
    )


class NativeCipher:
    """The cipher with some constants, as machine code once somebody has asked for many blocks."""

    functions: CipherFunctions

    def __init__(self, constants: Constants) -> None:
        self.constants = constants
        self.preparation = Preparation(self.compile, is_brief=True)

    def compile(self) -> None:
        """Makes the functions, a draft at first."""
        lanes = targets.vectors().bits // 32
        lasting(text_for(self.constants, lanes), partial(self.use, lanes))

    def use(self, lanes: int, library: Library) -> None:
        """Has calls that begin from now on run a library's functions."""
        self.functions = functions(library, lanes)

    def is_ready_for(self, count: int) -> bool:
        """Whether machine code takes so many blocks."""
        return count >= WORTH_CALLING and self.preparation.is_ready_for(count, WORTH_MAKING)

    def stream(self, key: int, low: int, high: int, count: int) -> npt.NDArray[np.uint32]:
        """The words [count, 4] from a counter on, whose low half does not wrap around."""
        lanes, (many, one), _ = self.functions
        words = np.empty((count, 4), np.uint32)
        whole = count - count % lanes
        many(key, low, high, address(words), whole)
        one(key, low + whole, high, address(words) + 16 * whole, count - whole)
        return words

    def rows(self, keys: UInt64s, counters: UInt64s, count: int) -> npt.NDArray[np.uint32]:
        """The words [rows, 4 * count] of so many blocks for each row.

        Args:
            keys: The rows' keys [rows, 1].
            counters: The halves of the rows' first counters [rows, 2]. The low ones do not wrap
                around before `count` and a vector's lanes.
            count: How many blocks.
        """
        lanes, (many, _), _ = self.functions
        whole = -(-count // lanes) * lanes
        words = np.empty((len(keys), 4 * whole), np.uint32)
        place = address(words)
        for key, (low, high) in zip(keys[:, 0].tolist(), counters.tolist()):
            many(key, low, high, place, whole)
            place += 16 * whole
        return words[:, : 4 * count]

    def units(self, seeds: UInt64s, scramble: int) -> npt.NDArray[np.float64]:
        """The first number in [0, 1) of the stateless draws of pairs of seeds [n, 2].

        Args:
            seeds: The seeds.
            scramble: The key under which seeds are enciphered.
        """
        lanes, _, (many, one) = self.functions
        count = len(seeds)
        units = np.empty(count)
        seeds = np.ascontiguousarray(seeds)
        whole = count - count % lanes
        many(address(seeds), scramble, address(units), whole)
        one(address(seeds) + 16 * whole, scramble, address(units) + 8 * whole, count - whole)
        return units
