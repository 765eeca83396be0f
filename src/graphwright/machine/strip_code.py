"""LLVM text of `perform(context, part)`, which does the steps of a plan, strip by strip.

A plan is a table of steps of `WORDS` numbers, the first of which is the kind of step:

- `FILL` copies rows of images into a frame, with zeros around them;
- `PACK` packs a matrix (`tile_code`);
- `MULTIPLY` multiplies a frame, or a matrix that needs none, by a packed matrix. `OVER`, `UPDATE`
  and `ADD` say what happens to the old result.

Memory that differs from call to call has the number of a base and an offset. All else in a step
is a number, or the address of a table that belongs to the plan. The last two bases are in a room of
work space. There are as many rooms as threads, and a part takes a free one. So a thread that does
several parts works in memory that is in the cache of its core.
"""

from __future__ import annotations

from graphwright.machine import jobs

FILL, PACK, MULTIPLY = range(3)
WORDS = 16

#: What a step writes: the product alone. Or the sum of the product and the old result, each times
#: a factor of the call. Or such a sum, the old result without a factor.
OVER, UPDATE, ADD = range(3)

#: The number of bases of the call, and of those in a room.
GIVEN, ROOM = 4, 2

#: The context. `steps` is the plan's table, `starts` the numbers of the parts' first steps. The
#: bases of the call follow, and the distance `apart` of the parts' results. `rooms` is the first
#: room, `flags` marks rooms in use, `size` is the bytes of a room, and `count` is their number.
#: `factors` are the two of `UPDATE` and the two of `ADD`, and `pair` is the bytes of two.
_CONTEXT = (
    "ptr steps, ptr starts, ptr source, ptr other, ptr result, ptr panels, i64 apart, "
    "ptr rooms, ptr flags, i64 size, i64 first.half, i64 count, ptr factors, i64 pair"
)

#: The words after the first: two for memory (`M`: base, offset), one for an address (`A`) or a
#: number (`N`).
_KINDS = {
    FILL: "MMANNNNNNN",  # source, frame, table of rows, rows, left, run, right, items, their steps
    PACK: "MMANNN",  # matrix, panels, offsets of rows, k, step of columns, n
    MULTIPLY: "MMMANANNAN",  # a, panels, c, rows, m, cols, k, n, places, mode
}


def text() -> str:
    """The functions, for the module that has `pack` and `multiply`."""
    blocks = "\n".join(_block(kind, name) for kind, name in _NAMES.items())
    return f"""{_FILL}

define void @perform(ptr %context, i64 %part) #0 {{
entry:
  %bases = alloca ptr, i64 {GIVEN + ROOM}, align 8
{jobs.words(_CONTEXT)}
  call void @llvm.memcpy.p0.p0.i64(ptr %bases, ptr %source.at, i64 {8 * GIVEN}, i1 false)
  %skip = mul i64 %part, %apart
  %own = getelementptr i8, ptr %result, i64 %skip
  %own.at = getelementptr ptr, ptr %bases, i64 2
  store ptr %own, ptr %own.at
  br label %look
look:
  %room = phi i64 [0, %entry], [%another, %taken]
  %flag = getelementptr i64, ptr %flags, i64 %room
  %tried = cmpxchg ptr %flag, i64 0, i64 1 acquire monotonic
  %free = extractvalue {{i64, i1}} %tried, 1
  br i1 %free, label %found, label %taken
taken:
  %following = add i64 %room, 1
  %another = urem i64 %following, %count
  br label %look
found:
  %distance = mul i64 %room, %size
  %half = getelementptr i8, ptr %rooms, i64 %distance
  %half.at = getelementptr ptr, ptr %bases, i64 {GIVEN}
  store ptr %half, ptr %half.at
  %rest = getelementptr i8, ptr %half, i64 %first.half
  %rest.at = getelementptr ptr, ptr %bases, i64 {GIVEN + 1}
  store ptr %rest, ptr %rest.at
  %first.at = getelementptr i64, ptr %starts, i64 %part
  %first = load i64, ptr %first.at
  %end.at = getelementptr i64, ptr %first.at, i64 1
  %end = load i64, ptr %end.at
  br label %again
again:
  %i = phi i64 [%first, %found], [%i1, %next]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %step, label %done
step:
  %row = getelementptr [{WORDS} x i64], ptr %steps, i64 %i
  %kind = load i64, ptr %row
  switch i64 %kind, label %next [
    i64 {FILL}, label %fill
    i64 {PACK}, label %pack
    i64 {MULTIPLY}, label %multiply
  ]
{blocks}
next:
  %i1 = add i64 %i, 1
  br label %again
done:
  store atomic i64 0, ptr %flag release, align 8
  ret void
}}"""


def _block(kind: int, name: str) -> str:
    """The text that loads a step's words and makes its call."""
    lines, arguments, number_of_word = [f"{name}:"], [], 1

    def word(register: str, type_: str) -> None:
        nonlocal number_of_word
        lines.append(f"  {register}.at = getelementptr i64, ptr %row, i64 {number_of_word}")
        lines.append(f"  {register} = load {type_}, ptr {register}.at")
        number_of_word += 1

    for number, letter in enumerate(_KINDS[kind]):
        register = f"%{name}.{number}"
        if letter == "M":
            word(f"{register}.base", "i64")
            word(f"{register}.offset", "i64")
            lines += [
                f"  {register}.from = getelementptr ptr, ptr %bases, i64 {register}.base",
                f"  {register}.start = load ptr, ptr {register}.from",
                f"  {register} = getelementptr i8, ptr {register}.start, i64 {register}.offset",
            ]
        else:
            word(register, "ptr" if letter == "A" else "i64")
        arguments.append(f"{'i64' if letter == 'N' else 'ptr'} {register}")
    if kind == MULTIPLY:  # in the kernel's order
        a, panels, c, rows, m, cols, k, n, places, mode = arguments
        lines += [
            f"  %is.over = icmp eq {mode}, {OVER}",
            f"  %mode.number = sub {mode}, {UPDATE}",
            "  %mode.skip = mul i64 %mode.number, %pair",
            "  %mode.at = getelementptr i8, ptr %factors, i64 %mode.skip",
            "  %own.factors = select i1 %is.over, ptr null, ptr %mode.at",
        ]
        arguments = [a, rows, m, cols, k, panels, n, c, places, "ptr %own.factors"]
    elif kind == PACK:
        matrix, panels, rows, k, step, n = arguments
        arguments = [matrix, rows, k, step, n, panels]
    return "\n".join([*lines, f"  call void @{name}({', '.join(arguments)})", "  br label %next"])


_NAMES = {FILL: "fill", PACK: "pack", MULTIPLY: "multiply"}

# Rows of a frame, for some images: `%left` bytes of zeros, `%run` bytes from the source, `%right`
# bytes of zeros. A row whose offset in the table is negative lies in the padding.
_FILL = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define internal void @fill(ptr %source, ptr %frame, ptr %table, i64 %rows, i64 %left, i64 %run,
    i64 %right, i64 %items, i64 %source.step, i64 %frame.step) #0 {
entry:
  %side = add i64 %left, %run
  %width = add i64 %side, %right
  br label %item
item:
  %i = phi i64 [0, %entry], [%i1, %item.done]
  %source.skip = mul i64 %i, %source.step
  %from = getelementptr i8, ptr %source, i64 %source.skip
  %frame.skip = mul i64 %i, %frame.step
  %to = getelementptr i8, ptr %frame, i64 %frame.skip
  br label %row
row:
  %r = phi i64 [0, %item], [%r1, %row.done]
  %at = phi ptr [%to, %item], [%at1, %row.done]
  %entry.at = getelementptr i64, ptr %table, i64 %r
  %offset = load i64, ptr %entry.at
  %outside = icmp slt i64 %offset, 0
  br i1 %outside, label %empty, label %copy
empty:
  call void @llvm.memset.p0.i64(ptr %at, i8 0, i64 %width, i1 false)
  br label %row.done
copy:
  call void @llvm.memset.p0.i64(ptr %at, i8 0, i64 %left, i1 false)
  %inner = getelementptr i8, ptr %at, i64 %left
  %found = getelementptr i8, ptr %from, i64 %offset
  call void @llvm.memcpy.p0.p0.i64(ptr %inner, ptr %found, i64 %run, i1 false)
  %after = getelementptr i8, ptr %at, i64 %side
  call void @llvm.memset.p0.i64(ptr %after, i8 0, i64 %right, i1 false)
  br label %row.done
row.done:
  %at1 = getelementptr i8, ptr %at, i64 %width
  %r1 = add i64 %r, 1
  %rows.left = icmp slt i64 %r1, %rows
  br i1 %rows.left, label %row, label %item.done
item.done:
  %i1 = add i64 %i, 1
  %items.left = icmp slt i64 %i1, %items
  br i1 %items.left, label %item, label %done
done:
  ret void
}"""
