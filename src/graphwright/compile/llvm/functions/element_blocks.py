"""Loops and rare cases inside element functions: their only branches."""

from __future__ import annotations

from collections.abc import Callable

from graphwright.compile.llvm.emitter import Reg
from graphwright.compile.llvm.functions.lanes import Lanes


def any_lane(condition: Lanes) -> Reg:
    """Whether the condition holds in any lane."""
    reg = condition.reg
    if reg.lanes == 1:
        return reg
    emitter = condition.emitter
    symbol = f"llvm.vector.reduce.or.v{reg.lanes}i1"
    emitter.declarations[symbol] = f"declare i1 @{symbol}({reg.type})"
    return emitter.assign("b1", 1, f"call i1 @{symbol}({reg})")


def rarely(condition: Lanes, usual: list[Lanes], rare: Callable[[], list[Lanes]]) -> list[Lanes]:
    """The values of `rare` for all lanes if the condition holds in any, else `usual`."""
    emitter = condition.emitter
    slow, join = emitter.fresh_label("rare"), emitter.fresh_label("usual")
    before = emitter.block
    emitter.line(f"br i1 {any_lane(condition).text}, label %{slow}, label %{join}")
    emitter.label(slow)
    unusual = rare()
    after = emitter.block
    emitter.line(f"br label %{join}")
    emitter.label(join)
    return [
        Lanes(emitter, emitter.assign(
            x.kind, x.reg.lanes,
            f"phi {x.reg.type} [ {x.reg.text}, %{before} ], [ {y.reg.text}, %{after} ]",
        ))
        for x, y in zip(usual, unusual)
    ]  # fmt: skip


def repeated(
    start: list[Lanes], body: Callable[[list[Lanes]], tuple[list[Lanes], Lanes]]
) -> list[Lanes]:
    """The last values of a loop: `body` gives the next ones, and the lanes that go on.

    All lanes go on while any must.
    """
    emitter = start[0].emitter
    before, loop, after = emitter.block, emitter.fresh_label("loop"), emitter.fresh_label("done")
    emitter.line(f"br label %{loop}")
    emitter.label(loop)
    first = len(emitter.lines)
    values = [
        Lanes(emitter, emitter.assign(x.kind, x.reg.lanes, "a phi, when the loop's end is known"))
        for x in start
    ]
    following, more = body(values)
    end = emitter.block
    for line, (x, value, y) in enumerate(zip(start, values, following), first):
        emitter.lines[line] = (
            f"  {value.reg.text} = phi {x.reg.type} [ {x.reg.text}, %{before} ], "
            f"[ {y.reg.text}, %{end} ]"
        )
    emitter.line(f"br i1 {any_lane(more).text}, label %{loop}, label %{after}")
    emitter.label(after)
    return following
