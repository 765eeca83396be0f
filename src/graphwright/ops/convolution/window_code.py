"""LLVM text of loops over windows, channel by channel: pooling and depthwise convolutions.

Every function visits windows in their order, the channels of a window a vector at a time, and the
taps of a vector. The last vector is masked. An element lies at the sum of an offset of its window,
one of its tap and its channel. So padding, strides and dilations are all in the tables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from graphwright.machine import jobs
from graphwright.machine.jobs import NUMBER, PLACE
from graphwright.machine.vector_code import VectorCode

_WINDOWS = (NUMBER, NUMBER, NUMBER, PLACE)  # how many windows, taps, channels; the taps

#: The functions' arguments: arrays with their tables, windows, weights.
KINDS = {
    "greatest": (*[PLACE] * 4, *_WINDOWS),
    "weigh": (*[PLACE] * 4, *_WINDOWS, PLACE, NUMBER),
    "spread": (*[PLACE] * 4, *_WINDOWS, PLACE, NUMBER),
    "give": (*[PLACE] * 6, *_WINDOWS, PLACE, NUMBER),
    "put": (*[PLACE] * 6, *_WINDOWS, PLACE, NUMBER),
    "correlate": (*[PLACE] * 4, *_WINDOWS, PLACE, NUMBER),
}

#: The text for one vector of a window, from a prefix of names and the mask of the last vector.
Body: TypeAlias = Callable[[str, str | None], str]


class SlidingCode(VectorCode):
    """The functions for one kind of element."""

    def text(self) -> str:
        """The module."""
        functions = [
            self._function("greatest", ("x", "out"), "ptr %taps", self._greatest),
            self._function("weigh", ("x", "out"), "ptr %taps, ptr %w, i64 %w.step", self._weigh),
            self._function("spread", ("g", "out"), "ptr %taps, ptr %w, i64 %w.step", self._spread),
            self._function("give", ("x", "g", "out"), "ptr %taps, ptr %to, i64 %all", self._give),
            self._function("put", ("x", "g", "out"), "ptr %taps, ptr %to, i64 %all", self._put),
            self._function("correlate", ("x", "g"), "ptr %taps, ptr %w, i64 %w.step", self._sums),
            *[jobs.text(name, kinds) for name, kinds in KINDS.items()],
            self.declarations,
            f"declare {self.vector} @llvm.maxnum.{self.suffix}({self.vector}, {self.vector})",
        ]
        return "\n".join(functions) + self.attributes

    # -- the loops over windows and channels -------------------------------------------------

    def _function(self, name: str, arrays: tuple[str, ...], extra: str, body: Body) -> str:
        """Each array comes with the table of its windows' offsets; `%t` is how many taps."""
        parameters = ", ".join(f"ptr %{a}, ptr %{a}.table" for a in arrays)
        places = "\n".join(
            f"""  %{a}.entry = getelementptr i64, ptr %{a}.table, i64 %p
  %{a}.offset = load i64, ptr %{a}.entry
  %{a}.row = getelementptr i8, ptr %{a}, i64 %{a}.offset"""
            for a in arrays
        )
        vectors = [self._places(arrays, prefix) for prefix in ("full", "tail")]
        return f"""
define void @{name}({parameters}, i64 %m, i64 %t, i64 %n, {extra}) #0 {{
entry:
  %rest = urem i64 %n, {self.lanes}
  %whole = sub i64 %n, %rest
{self.below("%mask", "%rest")}
  %some.whole = icmp ne i64 %whole, 0
  %some.rest = icmp ne i64 %rest, 0
  br label %window
window:
  %p = phi i64 [0, %entry], [%p1, %next]
{places}
  br i1 %some.whole, label %full.start, label %tail.check
full.start:
  br label %full
full:
  %full.c = phi i64 [0, %full.start], [%full.c1, %full.done]
{vectors[0]}
{body("full", None)}
full.done:
  %full.c1 = add i64 %full.c, {self.lanes}
  %full.more = icmp ult i64 %full.c1, %whole
  br i1 %full.more, label %full, label %tail.check
tail.check:
  br i1 %some.rest, label %tail, label %next
tail:
  %tail.c = add i64 %whole, 0
{vectors[1]}
{body("tail", "%mask")}
tail.done:
  br label %next
next:
  %p1 = add i64 %p, 1
  %more = icmp ult i64 %p1, %m
  br i1 %more, label %window, label %done
done:
  ret void
}}"""

    def _places(self, arrays: tuple[str, ...], prefix: str) -> str:
        lines = [f"  %{prefix}.skip = mul i64 %{prefix}.c, {self.size}"]
        for a in arrays:
            lines.append(f"  %{prefix}.{a} = getelementptr i8, ptr %{a}.row, i64 %{prefix}.skip")
        return "\n".join(lines)

    # -- one vector ------------------------------------------------------------------------

    def _taps(self, p: str, label: str, before: str, carried: str, body: str, after: str) -> str:
        """A loop over taps: `carried` are phis, `body` what a tap does at `%{p}.{label}.o`."""
        loop = f"{p}.{label}"
        return f"""  br label %{loop}
{loop}:
  %{loop}.i = phi i64 [0, %{before}], [%{loop}.i1, %{loop}]
{carried}
  %{loop}.entry = getelementptr i64, ptr %taps, i64 %{loop}.i
  %{loop}.o = load i64, ptr %{loop}.entry
{body}
  %{loop}.i1 = add i64 %{loop}.i, 1
  %{loop}.more = icmp ult i64 %{loop}.i1, %t
  br i1 %{loop}.more, label %{loop}, label %{after}"""

    def _weight(self, p: str, label: str, mask: str | None) -> str:
        """The tap's weights for these channels."""
        loop = f"{p}.{label}"
        return f"""  %{loop}.w.o = mul i64 %{loop}.i, %w.step
  %{loop}.w.c = add i64 %{loop}.w.o, %{p}.skip
  %{loop}.w.at = getelementptr i8, ptr %w, i64 %{loop}.w.c
{self.load(f"%{loop}.w", f"%{loop}.w.at", mask)}"""

    def _best(self, p: str, mask: str | None, after: str) -> str:
        """The greatest of the taps, as `%{p}.best`: nan where there is nothing else."""
        nan = f"splat ({self.element} 0x7FF8000000000000)"
        name = f"%{p}.best"
        return self._taps(
            p,
            "look",
            p,
            f"  {name}.0 = phi {self.vector} [{nan}, %{p}], [{name}, %{p}.look]",
            f"""  {name}.at = getelementptr i8, ptr %{p}.x, i64 %{p}.look.o
{self.load(f"{name}.x", f"{name}.at", mask)}
  {name} = call {self.vector} @llvm.maxnum.{self.suffix}({self.vector} {name}.0, """
            f"""{self.vector} {name}.x)""",
            after,
        )

    def _greatest(self, p: str, mask: str | None) -> str:
        """out = the greatest of the taps of x."""
        return f"""{self._best(p, mask, f"{p}.end")}
{p}.end:
{self.store(f"%{p}.best", f"%{p}.out", mask)}
  br label %{p}.done"""

    def _weigh(self, p: str, mask: str | None) -> str:
        """out = the sum of the taps of x, each times its weights."""
        name = f"%{p}.sum"
        return f"""{
            self._taps(
                p,
                "add",
                p,
                f"  {name}.0 = phi {self.vector} [zeroinitializer, %{p}], [{name}, %{p}.add]",
                f'''{self._weight(p, "add", mask)}
  {name}.at = getelementptr i8, ptr %{p}.x, i64 %{p}.add.o
{self.load(f"{name}.x", f"{name}.at", mask)}
{self.fma(name, f"{name}.x", f"%{p}.add.w", f"{name}.0")}''',
                f"{p}.end",
            )
        }
{p}.end:
{self.store(name, f"%{p}.out", mask)}
  br label %{p}.done"""

    def _spread(self, p: str, mask: str | None) -> str:
        """Adds g times its weights to every tap of out."""
        name = f"%{p}.to"
        return self._each_tap(
            p,
            mask,
            name,
            "out",
            f"""{self.fma(name, f"%{p}.gv", f"%{p}.add.w", f"{name}.tap")}
{self.store(name, f"{name}.at", mask)}""",
        )

    def _give(self, p: str, mask: str | None) -> str:
        """Adds g to out at the first tap where x is greatest, or at all of them."""
        name = f"%{p}.given"
        return self._given(
            p,
            mask,
            f"""{self.load(f"{name}.0", f"{name}.to", mask)}
  {name}.1 = fadd {self.vector} {name}.0, {name}
{self.store(f"{name}.1", f"{name}.to", mask)}""",
        )

    def _put(self, p: str, mask: str | None) -> str:
        """Writes g to out at the first tap where x is greatest, or at all of them; else zero."""
        return self._given(p, mask, self.store(f"%{p}.given", f"%{p}.given.to", mask))

    def _given(self, p: str, mask: str | None, written: str) -> str:
        """What of g a tap gets, and how it is written; `%to` is the taps' table for out."""
        vector, name = self.vector, f"%{p}.given"
        zero = f"{vector} zeroinitializer"
        return f"""{self.load(f"%{p}.gv", f"%{p}.g", mask)}
  %{p}.keep = icmp ne i64 %all, 0
{self._best(p, mask, f"{p}.found")}
{p}.found:
{
            self._taps(
                p,
                "give",
                f"{p}.found",
                f"  {name}.g = phi {vector} [%{p}.gv, %{p}.found], [{name}.left, %{p}.give]",
                f'''  {name}.at = getelementptr i8, ptr %{p}.x, i64 %{p}.give.o
{self.load(f"{name}.x", f"{name}.at", mask)}
  {name}.hit = fcmp oeq {vector} {name}.x, %{p}.best
  {name} = select <{self.lanes} x i1> {name}.hit, {vector} {name}.g, {zero}
  {name}.rest = select <{self.lanes} x i1> {name}.hit, {zero}, {vector} {name}.g
  {name}.left = select i1 %{p}.keep, {vector} {name}.g, {vector} {name}.rest
  {name}.entry = getelementptr i64, ptr %to, i64 %{p}.give.i
  {name}.o = load i64, ptr {name}.entry
  {name}.to = getelementptr i8, ptr %{p}.out, i64 {name}.o
{written}''',
                f"{p}.done",
            )
        }"""

    def _sums(self, p: str, mask: str | None) -> str:
        """Adds g times each tap of x to the tap's weights."""
        name = f"%{p}.sum"
        return self._each_tap(
            p,
            mask,
            name,
            "x",
            f"""{self.fma(name, f"{name}.tap", f"%{p}.gv", f"%{p}.add.w")}
{self.store(name, f"%{p}.add.w.at", mask)}""",
        )

    def _each_tap(self, p: str, mask: str | None, name: str, tensor: str, update: str) -> str:
        """Runs `update` for every tap, once g, the tap's weights and its element are loaded."""
        return f"""{self.load(f"%{p}.gv", f"%{p}.g", mask)}
{
            self._taps(
                p,
                "add",
                p,
                "",
                f'''{self._weight(p, "add", mask)}
  {name}.at = getelementptr i8, ptr %{p}.{tensor}, i64 %{p}.add.o
{self.load(f"{name}.tap", f"{name}.at", mask)}
{update}''',
                f"{p}.done",
            )
        }"""
