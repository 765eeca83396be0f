"""Loop nests as LLVM functions: explicit vectors along the innermost axis.

A nest becomes `void nestK(frame, begin, end)` over a range of its outer axes (of all but the
innermost where nothing is reduced; of the elements where there is one axis). What does not
change along the innermost axis is computed once before its loop. The loop runs over chunks
of as many elements as a vector has lanes; the last, partial chunk goes through small buffers on
the stack, so that its body is the same code.
"""

from __future__ import annotations

from functools import reduce

from graphwright.compile.llvm.emitter import Reg
from graphwright.compile.llvm.frame import EXHAUSTED
from graphwright.compile.llvm.function import I64
from graphwright.compile.llvm.functions.combine import combined, horizontal
from graphwright.compile.llvm.nest_function import NestFunction
from graphwright.compile.llvm.stages import StageWriter
from graphwright.compile.nests.element_kinds import item_size
from graphwright.compile.nests.nest import Keep, Load, Nest, Reduce, Stage, Store
from graphwright.compile.nests.sizes import ONE, Size


class NestWriter(NestFunction):
    """Writes the function of a nest."""

    def text(self) -> str:
        """The function."""
        f, nest = self.f, self.nest
        begin, end = Reg("%begin", I64), Reg("%end", I64)
        self.allocate_rows()
        if not nest.outer:
            self.start_totals()
        if nest.ordered and nest.outer:
            self.in_order([])
        elif len(nest.axes) == 1 and not nest.outer:
            self.stages([], begin, end)
        else:
            with f.loop(begin, end) as position:
                indices = self.indices(position)
                self.stages(indices, f.number(0), f.size(nest.axes[-1]))
        if not nest.outer:
            self.finish_totals()
        self.free_rows()
        self.e.line("ret void")
        return f.text()

    def in_order(self, indices: list[Reg]) -> None:
        """The stages of one element after the other."""
        if len(indices) == len(self.nest.axes):
            self.stages(indices, self.f.number(0), self.f.number(0))
            return
        with self.f.loop(self.f.number(0), self.f.size(self.nest.axes[len(indices)])) as i:
            self.in_order([*indices, i])

    def indices(self, position: Reg) -> list[Reg]:
        """The index along each of the axes that the range runs over."""
        axes = self.nest.axes[: self.outside]
        indices: list[Reg] = []
        for size in reversed(axes[1:]):
            value = self.f.size(size)
            indices.append(self.e.binary("urem", position, value))
            position = self.e.binary("udiv", position, value)
        return [position, *reversed(indices)]

    def allocate_rows(self) -> None:
        """Memory for values of one row that a later stage reads."""
        wanted = {
            x.buffer
            for stage in self.nest.stages
            for x in (*stage.instructions, *stage.effects)
            if isinstance(x, (Load, Store)) and self.buffers[x.buffer].role == "row"
        }
        for i in sorted(wanted):
            count = self.f.size(Size(item_size(self.buffers[i].kind)))
            for d in self.buffers[i].shape:
                count = self.f.mul(count, self.f.size(d))
            self.row_memory[i] = self.f.call("ptr", "malloc", count)
            if self.f.frame.sanitizer is not None:
                self.row_shadows[i] = self.f.call("ptr", "calloc", count, self.f.number(1))
        if self.row_memory:
            self.require_rows()

    def require_rows(self) -> None:
        """Returns with a status if there is no memory for rows; other threads have the same."""
        f, e = self.f, self.e
        null = Reg("null", "ptr")
        none, some = e.fresh_label("none"), e.fresh_label("rows")
        missing = [
            e.compare("eq", memory, null)
            for memory in (*self.row_memory.values(), *self.row_shadows.values())
        ]
        f.branch_if(reduce(lambda x, y: e.binary("or", x, y), missing), none, some)
        e.label(none)
        f.to_slot(0, f.number(EXHAUSTED))
        self.free_rows()
        e.line("ret void")
        e.label(some)

    def free_rows(self) -> None:
        """Gives the memory of rows back."""
        for memory in (*self.row_memory.values(), *self.row_shadows.values()):
            self.f.call("", "free", memory)

    # -- totals -----------------------------------------------------------------------------

    def start_totals(self) -> None:
        """Room for what is reduced over everything."""
        for effect in totals_of(self.nest):
            room = self.f.stack(effect.kind, self.lanes)
            self.f.store(self.whole(effect), room)
            self.accumulators[effect.row] = room

    def finish_totals(self) -> None:
        """Totals go where the caller wants them, in the order of the nest's scalars."""
        for i, effect in enumerate(totals_of(self.nest)):
            value = self.f.load(self.accumulators[effect.row], effect.kind, self.lanes)
            total = horizontal(self.f, effect.combine, value)
            address = f"getelementptr i64, ptr %totals, i64 {i}"
            self.f.store(total, self.e.assign("ptr", 1, address))

    # -- stages -----------------------------------------------------------------------------

    def stages(self, indices: list[Reg], begin: Reg, end: Reg) -> None:
        """All stages, for one index of the range's axes."""
        for stage in self.nest.stages:
            if not stage.inner:
                self.once(stage, indices)
            else:
                StageWriter(self, stage).write(indices, begin, end)

    def once(self, stage: Stage, indices: list[Reg]) -> None:
        """A stage without inner axes."""
        writer = StageWriter(self, stage)
        for i in range(len(stage.instructions)):
            writer.scalar(i, indices)
        for effect in stage.effects:
            if isinstance(effect, Keep):
                self.rows[effect.row] = writer.uniform[effect.value]
            elif isinstance(effect, Store):
                place = effect.buffer, effect.at, effect.kind, indices, effect.picks
                address, value = writer.address(*place), writer.uniform[effect.value]
                if effect.combine:
                    address = self.accessed(effect.buffer, address, effect.kind, False)
                    before = self.f.load(address, effect.kind, 1)
                    value = combined(self.f, effect.combine, before, value)
                self.f.store(value, self.accessed(effect.buffer, address, effect.kind, True))


def totals_of(nest: Nest) -> list[Reduce]:
    """What a nest reduces over everything, in the order of its scalars."""
    if nest.outer:
        return []
    found = {e.row: e for stage in nest.stages for e in stage.effects if isinstance(e, Reduce)}
    return [found[row] for row, _, _ in nest.scalars]


def extent(nest: Nest) -> tuple[Size, ...]:
    """The axes that the range of a nest's function runs over."""
    if len(nest.axes) == 1 and not nest.outer:
        return nest.axes
    return nest.axes[: nest.outer or len(nest.axes) - 1] or (ONE,)
