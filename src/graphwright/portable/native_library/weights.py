"""The constants of a library: one block of bytes, inside it or in a file beside it."""

from __future__ import annotations

import hashlib

import numpy as np

from graphwright.compile.llvm.emitter import Reg
from graphwright.compile.llvm.function import FunctionWriter
from graphwright.machine.targets import Target
from graphwright.types.arrays import Array

#: The bytes to which each array is aligned in the block.
_LINE = 64

#: How a file of weights begins; the digest of its content follows.
MAGIC = b"graphwright weights 1\n".ljust(32, b"\0")

#: The bytes before the content of a file.
HEAD = len(MAGIC) + hashlib.sha256().digest_size


class Weights:
    """Arrays in one block; equal ones lie there once."""

    def __init__(self, are_inside: bool) -> None:
        self.are_inside = are_inside
        self.arrays: list[Array] = []
        self.size = 0
        self._places: dict[bytes, int] = {}

    def place(self, array: Array) -> int:
        """The offset of an array."""
        array = np.ascontiguousarray(array)
        digest = hashlib.sha256(array.reshape(-1).view(np.uint8).data).digest()
        if digest not in self._places:
            self._places[digest] = self.size
            self.arrays.append(array)
            self.size += -(-max(array.nbytes, 1) // _LINE) * _LINE
        return self._places[digest]

    def address(self, f: FunctionWriter, array: Array) -> Reg:
        """Writes the address of an array."""
        place = self.place(array)
        return f.e.assign("ptr", 1, f"getelementptr i8, {self.base(f)}, i64 {place}")

    def base(self, f: FunctionWriter) -> Reg:
        """Writes the address of the block; it is null until the block is loaded."""
        if self.are_inside:
            return Reg("@gw_weights", "ptr")
        return f.e.assign("ptr", 1, "load atomic ptr, ptr @gw_weights acquire, align 8")

    def content(self) -> bytearray:
        """The block."""
        block = bytearray(self.size)
        start = 0
        for array in self.arrays:
            block[start : start + array.nbytes] = array.reshape(-1).view(np.uint8).data
            start += -(-max(array.nbytes, 1) // _LINE) * _LINE
        return block

    def head(self) -> bytes:
        """The bytes before the content of a file, by which a library knows its own."""
        return MAGIC + hashlib.sha256(self.content()).digest()


def storage(weights: Weights, target: Target) -> str:
    """The text of the block, or of the place that has its address once it is loaded."""
    if not weights.are_inside:
        return "@gw_weights = internal global ptr null, align 8"
    if not weights.size:
        return ""
    if target.family != "wasm32":  # the linker takes the bytes as they are
        return "@gw_weights = external hidden constant i8"
    return f"@gw_weights = internal constant {literal(weights.content())}, align {_LINE}"


def literal(content: bytes | bytearray) -> str:
    """Bytes as a constant of LLVM."""
    plain = bytes(content).hex().upper()
    text = "".join([f"\\{plain[i : i + 2]}" for i in range(0, len(plain), 2)])
    return f'[{len(content)} x i8] c"{text}"'


def reader(prefix: str, weights: Weights, target: Target) -> str:
    """The text of the function that loads the block, once."""
    head = f"@gw_head = internal constant {literal(weights.head())}"
    template = _READ_MEMORY if target.family == "wasm32" else _READ_FILE
    text = template.format(
        prefix=prefix,
        head=HEAD,
        size=max(weights.size, 1),
        all=weights.size,
        whole=HEAD + weights.size,
    )
    return head + text


#: A file is read by the C library.
_READ_FILE = """
@gw_mode = internal constant [3 x i8] c"rb\\00"
define i32 @{prefix}_load(ptr %path) {{
entry:
  %here = alloca [{head} x i8], align 16
  %before = load atomic ptr, ptr @gw_weights acquire, align 8
  %known = icmp ne ptr %before, null
  br i1 %known, label %fine, label %open
open:
  %file = call ptr @fopen(ptr %path, ptr @gw_mode)
  %opened = icmp ne ptr %file, null
  br i1 %opened, label %begin, label %wrong
begin:
  %read = call i64 @fread(ptr %here, i64 1, i64 {head}, ptr %file)
  %whole = icmp eq i64 %read, {head}
  br i1 %whole, label %compare, label %close
compare:
  %difference = call i32 @memcmp(ptr %here, ptr @gw_head, i64 {head})
  %same = icmp eq i32 %difference, 0
  br i1 %same, label %allocate, label %close
allocate:
  %block = call ptr @malloc(i64 {size})
  %some = icmp ne ptr %block, null
  br i1 %some, label %fill, label %none
fill:
  %count = call i64 @fread(ptr %block, i64 1, i64 {all}, ptr %file)
  %complete = icmp eq i64 %count, {all}
  br i1 %complete, label %keep, label %drop
keep:
  %closed = call i32 @fclose(ptr %file)
  store atomic ptr %block, ptr @gw_weights release, align 8
  br label %fine
drop:
  call void @free(ptr %block)
  br label %close
close:
  %closed2 = call i32 @fclose(ptr %file)
  br label %wrong
none:
  %closed3 = call i32 @fclose(ptr %file)
  ret i32 3
wrong:
  ret i32 4
fine:
  ret i32 0
}}
declare ptr @fopen(ptr, ptr)
declare i64 @fread(ptr, i64, i64, ptr)
declare i32 @fclose(ptr)
declare i32 @memcmp(ptr, ptr, i64)
declare ptr @malloc(i64)
declare void @free(ptr)
"""

#: The caller has the content of the file in memory, which stays the library's.
_READ_MEMORY = """
define i32 @{prefix}_load(ptr %content, i32 %size) {{
entry:
  %long = zext i32 %size to i64
  %fits = icmp eq i64 %long, {whole}
  br i1 %fits, label %look, label %wrong
look:
  %i = phi i32 [ 0, %entry ], [ %next, %same ]
  %mine.at = getelementptr i8, ptr @gw_head, i32 %i
  %its.at = getelementptr i8, ptr %content, i32 %i
  %mine = load i8, ptr %mine.at
  %its = load i8, ptr %its.at
  %equal = icmp eq i8 %mine, %its
  br i1 %equal, label %same, label %wrong
same:
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, {head}
  br i1 %more, label %look, label %fine
fine:
  %block = getelementptr i8, ptr %content, i32 {head}
  store ptr %block, ptr @gw_weights
  ret i32 0
wrong:
  ret i32 4
}}
"""
