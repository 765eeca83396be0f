"""What a module of WebAssembly has in place of a C library: memory, and products of 128 bits.

Memory comes in blocks of powers of two. A freed block waits in a list for the next one of its size.
"""

from __future__ import annotations

#: The text of the functions.
MEMORY = """
@__heap_base = external global i8
@gw_lists = internal global [32 x i32] zeroinitializer, align 4
@gw_top = internal global i32 0, align 4
declare i32 @llvm.wasm.memory.size.i32(i32)
declare i32 @llvm.wasm.memory.grow.i32(i32, i32)
declare i64 @llvm.ctlz.i64(i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define ptr @malloc(i64 %size) {
entry:
  %few = icmp ule i64 %size, 2147483616
  br i1 %few, label %sized, label %none
sized:
  %at.least = call i64 @llvm.umax.i64(i64 %size, i64 16)
  %last = add i64 %at.least, 15
  %zeros = call i64 @llvm.ctlz.i64(i64 %last, i1 false)
  %class64 = sub i64 64, %zeros
  %class = trunc i64 %class64 to i32
  %list = getelementptr i32, ptr @gw_lists, i32 %class
  %head = load i32, ptr %list
  %is.free = icmp ne i32 %head, 0
  br i1 %is.free, label %again, label %new
again:
  %again.at = inttoptr i32 %head to ptr
  %again.data = getelementptr i8, ptr %again.at, i32 16
  %after = load i32, ptr %again.data
  store i32 %after, ptr %list
  ret ptr %again.data
new:
  %old.top = load i32, ptr @gw_top
  %begun = icmp ne i32 %old.top, 0
  %base = ptrtoint ptr @__heap_base to i32
  %base.up = add i32 %base, 15
  %first = and i32 %base.up, -16
  %top = select i1 %begun, i32 %old.top, i32 %first
  %top64 = zext i32 %top to i64
  %bytes = shl i64 1, %class64
  %end = add i64 %top64, %bytes
  %pages = call i32 @llvm.wasm.memory.size.i32(i32 0)
  %pages64 = zext i32 %pages to i64
  %limit = shl i64 %pages64, 16
  %fits = icmp ule i64 %end, %limit
  br i1 %fits, label %take, label %grow
grow:
  %missing = sub i64 %end, %limit
  %missing.up = add i64 %missing, 65535
  %more64 = lshr i64 %missing.up, 16
  %more = trunc i64 %more64 to i32
  %grown = call i32 @llvm.wasm.memory.grow.i32(i32 0, i32 %more)
  %is.grown = icmp ne i32 %grown, -1
  br i1 %is.grown, label %take, label %none
take:
  %end32 = trunc i64 %end to i32
  store i32 %end32, ptr @gw_top
  %block = inttoptr i32 %top to ptr
  store i32 %class, ptr %block
  %data = getelementptr i8, ptr %block, i32 16
  ret ptr %data
none:
  ret ptr null
}
declare i64 @llvm.umax.i64(i64, i64)

define void @free(ptr %data) {
entry:
  %some = icmp ne ptr %data, null
  br i1 %some, label %give, label %done
give:
  %block = getelementptr i8, ptr %data, i32 -16
  %class = load i32, ptr %block
  %list = getelementptr i32, ptr @gw_lists, i32 %class
  %head = load i32, ptr %list
  store i32 %head, ptr %data
  %address = ptrtoint ptr %block to i32
  store i32 %address, ptr %list
  br label %done
done:
  ret void
}

define ptr @realloc(ptr %data, i64 %size) {
entry:
  %some = icmp ne ptr %data, null
  br i1 %some, label %old, label %new
old:
  %block = getelementptr i8, ptr %data, i32 -16
  %class = load i32, ptr %block
  %class64 = zext i32 %class to i64
  %bytes = shl i64 1, %class64
  %room = sub i64 %bytes, 16
  %fits = icmp ule i64 %size, %room
  br i1 %fits, label %same, label %move
same:
  ret ptr %data
move:
  %larger = call ptr @malloc(i64 %size)
  %got = icmp ne ptr %larger, null
  br i1 %got, label %copy, label %none
copy:
  call void @llvm.memcpy.p0.p0.i64(ptr %larger, ptr %data, i64 %room, i1 false)
  call void @free(ptr %data)
  ret ptr %larger
none:
  ret ptr null
new:
  %fresh = call ptr @malloc(i64 %size)
  ret ptr %fresh
}

define ptr @calloc(i64 %count, i64 %each) {
entry:
  %size = mul i64 %count, %each
  %data = call ptr @malloc(i64 %size)
  %some = icmp ne ptr %data, null
  br i1 %some, label %clear, label %done
clear:
  call void @llvm.memset.p0.i64(ptr %data, i8 0, i64 %size, i1 false)
  br label %done
done:
  ret ptr %data
}
"""

#: What LLVM calls for a product of 128 bits: those of all halves of 32 bits but the highest.
WIDE_PRODUCT = """
define hidden i128 @__multi3(i128 %a, i128 %b) {
  %a.low = trunc i128 %a to i64
  %a.shifted = lshr i128 %a, 64
  %a.high = trunc i128 %a.shifted to i64
  %b.low = trunc i128 %b to i64
  %b.shifted = lshr i128 %b, 64
  %b.high = trunc i128 %b.shifted to i64
  %a0 = and i64 %a.low, 4294967295
  %a1 = lshr i64 %a.low, 32
  %b0 = and i64 %b.low, 4294967295
  %b1 = lshr i64 %b.low, 32
  %p00 = mul i64 %a0, %b0
  %p01 = mul i64 %a0, %b1
  %p10 = mul i64 %a1, %b0
  %p11 = mul i64 %a1, %b1
  %carry = lshr i64 %p00, 32
  %middle = add i64 %p10, %carry
  %middle.low = and i64 %middle, 4294967295
  %middle.high = lshr i64 %middle, 32
  %sum = add i64 %p01, %middle.low
  %sum.high = lshr i64 %sum, 32
  %upper.0 = add i64 %p11, %middle.high
  %upper.1 = add i64 %upper.0, %sum.high
  %cross.0 = mul i64 %a.low, %b.high
  %cross.1 = mul i64 %a.high, %b.low
  %upper.2 = add i64 %upper.1, %cross.0
  %upper = add i64 %upper.2, %cross.1
  %lower = mul i64 %a.low, %b.low
  %wide.upper = zext i64 %upper to i128
  %wide.lower = zext i64 %lower to i128
  %shifted = shl i128 %wide.upper, 64
  %result = or i128 %shifted, %wide.lower
  ret i128 %result
}
"""
