"""LLVM text of `turn(from, step, to, stride)`: a square block of a matrix, transposed in registers.

Vector j is read at `j * step` bytes, vector i is written at `i * stride`. Each stage is about one
bit: in all pairs of vectors whose numbers differ in it, elements whose places differ in it swap.
"""

from __future__ import annotations


def text(lanes: int, element: str, size: int) -> str:
    """The function for vectors of so many elements."""
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
