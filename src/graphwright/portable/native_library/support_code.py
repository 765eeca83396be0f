"""What the functions of a library refer to beside each other, as code in the library itself."""

from __future__ import annotations

from collections.abc import Iterable

from graphwright.compile.llvm.boundary_code import rounds_function
from graphwright.compile.llvm.emitter import Reg
from graphwright.compile.llvm.function import FunctionWriter
from graphwright.machine.targets import vectors
from graphwright.machine.tile_code import CodeTile
from graphwright.portable.native_library.c_header import MESSAGES
from graphwright.portable.native_library.module_text import private, referred
from graphwright.portable.native_library.product_substitute import substitutes

#: The functions of the C library that a library may need.
C_LIBRARY = frozenset(
    {"calloc", "free", "malloc", "memcmp", "memcpy", "memmove", "memset", "realloc"}
    | {"fclose", "fopen", "fread"}
)


def support(texts: Iterable[str]) -> list[str]:
    """The texts that define what other ones refer to."""
    needed = {name for text in texts for name in referred(text)}
    result: list[str] = []
    products = [letter for letter in "sd" if f"gw_{letter}gemm" in needed]
    result += substitutes(products)
    for letter in "sd":
        functions = ("pack", "multiply", "shared_product", "multiply_rows")
        names = {name: f"gw_{letter}{name}" for name in functions}
        if letter not in products and needed.isdisjoint(names.values()):
            continue
        tile = CodeTile(vectors(), 32 if letter == "s" else 64)
        result.append(private(tile.kernels_text(), f".{letter}", names))
    rounds = rounds_function()
    rounds_text = "\n".join([*rounds.e.declarations.values(), rounds.text(), _NO_SIGNALS])
    result.append(private(rounds_text, "", {"rounds": "gw_rounds", "poll": "gw_poll"}))
    result += [parallel_for(), _TEMPORARIES]
    if not vectors().fused:
        result.append(_FUSED)
    return result


#: Nothing interrupts a library, which has no interpreter.
_NO_SIGNALS = "define i64 @poll(ptr %frame) {\n  ret i64 0\n}"


def parallel_for() -> str:
    """The text that runs blocks by the caller's function, or one after the other without it."""
    f = FunctionWriter(
        None,
        "define internal void @gw_parallel_for(ptr %function, ptr %context, i64 %blocks)",
    )
    e = f.e
    share = e.assign("ptr", 1, "load atomic ptr, ptr @gw_share acquire, align 8")
    f.branch_if(e.compare("eq", share, Reg("null", "ptr")), "alone", "shared")
    e.label("shared")
    e.line(f"call void {share.text}(ptr %function, ptr %context, i64 %blocks)")
    e.line("ret void")
    e.label("alone")
    with f.loop(f.number(0), Reg("%blocks", "i64")) as i:
        e.line(f"call void %function(ptr %context, {i})")
    e.line("ret void")
    return "@gw_share = internal global ptr null, align 8\n" + f.text()


#: A library keeps no memory between its calls.
_TEMPORARIES = """
declare ptr @malloc(i64)
declare void @free(ptr)

define internal noalias ptr @gw_malloc(i64 %size) {
  %memory = call ptr @malloc(i64 %size)
  ret ptr %memory
}

define internal void @gw_free(ptr %memory) {
  call void @free(ptr %memory)
  ret void
}
"""

#: x * y + z, for processors that have no such step. The product is a number and its rest, and so is
#: the sum. Source: T. J. Dekker, "A floating-point technique for extending the
#: available precision", 1971; D. E. Knuth, "The Art of Computer Programming", volume 2.
_FUSED = """
define hidden double @fma(double %x, double %y, double %z) {
  %p = fmul double %x, %y
  %cx = fmul double %x, 134217729.0
  %dx = fsub double %cx, %x
  %xh = fsub double %cx, %dx
  %xl = fsub double %x, %xh
  %cy = fmul double %y, 134217729.0
  %dy = fsub double %cy, %y
  %yh = fsub double %cy, %dy
  %yl = fsub double %y, %yh
  %hh = fmul double %xh, %yh
  %hl = fmul double %xh, %yl
  %lh = fmul double %xl, %yh
  %ll = fmul double %xl, %yl
  %e1 = fsub double %hh, %p
  %e2 = fadd double %e1, %hl
  %e3 = fadd double %e2, %lh
  %rest = fadd double %e3, %ll
  %s = fadd double %p, %z
  %b = fsub double %s, %p
  %a = fsub double %s, %b
  %ra = fsub double %p, %a
  %rb = fsub double %z, %b
  %r = fadd double %ra, %rb
  %low = fadd double %r, %rest
  %result = fadd double %s, %low
  %good = fcmp ord double %result, %result
  %chosen = select i1 %good, double %result, double %s
  ret double %chosen
}
"""


def services(prefix: str) -> str:
    """The text of the functions that each library has beside those that are compiled."""
    lines = []
    for i, message in enumerate((*MESSAGES, "an unknown code")):
        content = message.encode()
        lines.append(
            f'@gw_message.{i} = internal constant [{len(content) + 1} x i8] c"{message}\\00"'
        )
    cases = "\n".join(f"    i32 {i}, label %is.{i}" for i in range(len(MESSAGES)))
    blocks = "\n".join(f"is.{i}:\n  ret ptr @gw_message.{i}" for i in range(len(MESSAGES)))
    lines.append(
        f"""define ptr @{prefix}_error(i32 %code) {{
entry:
  switch i32 %code, label %other [
{cases}
  ]
{blocks}
other:
  ret ptr @gw_message.{len(MESSAGES)}
}}
define void @{prefix}_free(ptr %result) {{
  call void @free(ptr %result)
  ret void
}}
define void @{prefix}_share(ptr %for_each) {{
  store atomic ptr %for_each, ptr @gw_share release, align 8
  ret void
}}
declare void @free(ptr)"""
    )
    return "\n".join(lines)
