"""LLVM text on vectors of one kind of element, the parts of the text of kernels."""

from __future__ import annotations

from graphwright.base.named_tuples import NamedTuple
from graphwright.machine.targets import Vectors


class VectorCode(NamedTuple):
    """Lines of text, each with its result's name; a mask selects lanes, None selects all."""

    vectors: Vectors
    bits: int  # of an element

    @property
    def lanes(self) -> int:
        """The number of elements of a vector."""
        return self.vectors.bits // self.bits

    @property
    def size(self) -> int:
        """The bytes of an element."""
        return self.bits // 8

    @property
    def element(self) -> str:
        """The type of an element."""
        return {32: "float", 64: "double"}[self.bits]

    @property
    def vector(self) -> str:
        """The type of a vector."""
        return f"<{self.lanes} x {self.element}>"

    @property
    def suffix(self) -> str:
        """The end of names of intrinsics."""
        return f"v{self.lanes}f{self.bits}"

    def load(self, name: str, address: str, mask: str | None) -> str:
        """The line that loads a vector; lanes outside the mask get zeros."""
        vector, size = self.vector, self.size
        if mask is None:
            return f"  {name} = load {vector}, ptr {address}, align {size}"
        operands = f"ptr {address}, i32 {size}, <{self.lanes} x i1> {mask}"
        symbol = f"llvm.masked.load.{self.suffix}.p0"
        return f"  {name} = call {vector} @{symbol}({operands}, {vector} zeroinitializer)"

    def store(self, value: str, address: str, mask: str | None) -> str:
        """The line that stores a vector."""
        vector, size = self.vector, self.size
        if mask is None:
            return f"  store {vector} {value}, ptr {address}, align {size}"
        operands = f"ptr {address}, i32 {size}, <{self.lanes} x i1> {mask}"
        symbol = f"llvm.masked.store.{self.suffix}.p0"
        return f"  call void @{symbol}({vector} {value}, {operands})"

    def fma(self, name: str, x: str, y: str, z: str) -> str:
        """The line for x * y + z."""
        vector = self.vector
        if self.vectors.fused:
            operands = f"{vector} {x}, {vector} {y}, {vector} {z}"
            return f"  {name} = call {vector} @llvm.fma.{self.suffix}({operands})"
        return f"  {name}.p = fmul {vector} {x}, {y}\n  {name} = fadd {vector} {name}.p, {z}"

    def splat(self, name: str, scalar: str, element: str) -> str:
        """The lines for a vector with a scalar in all lanes."""
        vector = f"<{self.lanes} x {element}>"
        zeros = f"<{self.lanes} x i32> zeroinitializer"
        return (
            f"  {name}.1 = insertelement {vector} poison, {element} {scalar}, i32 0\n"
            f"  {name} = shufflevector {vector} {name}.1, {vector} poison, {zeros}"
        )

    def below(self, name: str, count: str) -> str:
        """The lines for the mask of the first `count` lanes."""
        numbers = ", ".join(f"i64 {lane}" for lane in range(self.lanes))
        vector = f"<{self.lanes} x i64>"
        return (
            f"{self.splat(f'{name}.n', count, 'i64')}\n"
            f"  {name} = icmp slt {vector} <{numbers}>, {name}.n"
        )

    @property
    def declarations(self) -> str:
        """The intrinsics that these lines call."""
        vector, mask, suffix = self.vector, f"<{self.lanes} x i1>", self.suffix
        return f"""
declare {vector} @llvm.fma.{suffix}({vector}, {vector}, {vector})
declare {vector} @llvm.masked.load.{suffix}.p0(ptr, i32, {mask}, {vector})
declare void @llvm.masked.store.{suffix}.p0({vector}, ptr, i32, {mask})"""

    @property
    def attributes(self) -> str:
        """The attributes of all functions, as `#0`."""
        return f"\nattributes #0 = {{ {self.vectors.attributes} }}\n"


def square_turn(lanes: int, element: str, size: int) -> str:
    """The text of `turn(from, step, to, stride)`: a square block of a matrix, transposed.

    Vector j is read at `j * step` bytes, vector i is written at `i * stride`. Each stage is about
    one bit: in all pairs of vectors whose numbers differ in it, elements whose places differ in it
    swap.
    """
    vector = f"<{lanes} x {element}>"
    lines = ["define internal void @turn(ptr %from, i64 %step, ptr %to, i64 %stride) #0 {"]
    names = [f"%x{j}" for j in range(lanes)]
    for j, name in enumerate(names):
        lines += [
            f"  {name}.skip = mul i64 %step, {j}",
            f"  {name}.at = getelementptr i8, ptr %from, i64 {name}.skip",
            f"  {name} = load {vector}, ptr {name}.at, align {size}",
        ]
    bit = 1
    while bit < lanes:
        for j in (j for j in range(lanes) if not j & bit):
            pair = f"{vector} {names[j]}, {vector} {names[j + bit]}"
            low = [i if not i & bit else lanes + i - bit for i in range(lanes)]
            high = [i + bit if not i & bit else lanes + i for i in range(lanes)]
            for k, places in ((j, low), (j + bit, high)):
                mask = ", ".join(f"i32 {i}" for i in places)
                name = f"%s{bit}.{k}"
                lines.append(f"  {name} = shufflevector {pair}, <{lanes} x i32> <{mask}>")
                names[k] = name
        bit *= 2
    for i, name in enumerate(names):
        lines += [
            f"  %y{i}.skip = mul i64 %stride, {i}",
            f"  %y{i}.at = getelementptr i8, ptr %to, i64 %y{i}.skip",
            f"  store {vector} {name}, ptr %y{i}.at, align {size}",
        ]
    return "\n".join([*lines, "  ret void", "}"])


class EightLanes(NamedTuple):
    """Lines of text on vectors of eight elements, some of them under a mask."""

    kind: str  # LLVM's type of an element

    @property
    def size(self) -> int:
        """The bytes of an element."""
        return {"float": 4, "double": 8, "i32": 4, "i64": 8}[self.kind]

    @property
    def vector(self) -> str:
        """The type of a vector."""
        return f"<8 x {self.kind}>"

    def symbol(self, word: str, pointer: str) -> str:
        """The name of one of LLVM's functions under a mask."""
        suffix = {"float": "f32", "double": "f64"}.get(self.kind, self.kind)
        return f"@llvm.masked.{word}.v8{suffix}.{pointer}"

    def splat(self, number: str, name: str) -> str:
        """The lines for a vector with a number in all lanes."""
        vector, zeros = self.vector, "<8 x i32> zeroinitializer"
        return f"""\
  {number}.one = insertelement {vector} poison, {self.kind} {number}, i64 0
  {name} = shufflevector {vector} {number}.one, {vector} poison, {zeros}"""

    def load(self, name: str, address: str, mask: str) -> str:
        """The lines that load a vector; lanes outside the mask get zeros."""
        return f"""\
  {name} = call {self.vector} {self.symbol("load", "p0")}(ptr {address}, i32 {self.size},
    <8 x i1> {mask}, {self.vector} zeroinitializer)"""

    def gather(self, name: str, addresses: str, mask: str, others: str = "zeroinitializer") -> str:
        """The lines that load elements, each at its address; lanes outside the mask get others."""
        symbol = self.symbol("gather", "v8p0")
        return f"""\
  {name} = call {self.vector} {symbol}(<8 x ptr> {addresses}, i32 {self.size},
    <8 x i1> {mask}, {self.vector} {others})"""

    def store(self, value: str, address: str, mask: str) -> str:
        """The lines that store the elements in the lanes of a mask."""
        symbol = self.symbol("store", "p0")
        return f"""\
  call void {symbol}({self.vector} {value}, ptr {address}, i32 {self.size},
    <8 x i1> {mask})"""

    @property
    def declarations(self) -> str:
        """What declares LLVM's functions."""
        vector, rest = self.vector, f"i32, <8 x i1>, {self.vector}"
        return f"""\
declare {vector} {self.symbol("load", "p0")}(ptr, {rest})
declare {vector} {self.symbol("gather", "v8p0")}(<8 x ptr>, {rest})
declare void {self.symbol("store", "p0")}({vector}, ptr, i32, <8 x i1>)
"""


#: Places of lanes, what counts them, and the numbers of the lanes themselves.
EIGHT_PLACES = EightLanes("i64")
EIGHT_NUMBERS = f"<{', '.join([f'i64 {lane}' for lane in range(8)])}>"


def lanes_before(end: str, place: str) -> str:
    """The lines for the mask %is.there of the lanes from a place on that are before an end."""
    return f"""\
  %left = sub i64 {end}, {place}
{EIGHT_PLACES.splat("%left", "%lefts")}
  %is.there = icmp slt <8 x i64> {EIGHT_NUMBERS}, %lefts"""
