"""One stage of a nest: a loop over chunks of the innermost axis, and the loops around it."""

from __future__ import annotations

from graphwright.compile.llvm.chunk_loop import ChunkLoop
from graphwright.compile.llvm.emitter import Reg
from graphwright.compile.llvm.functions.combine import combined, horizontal
from graphwright.compile.llvm.stage_values import StageValues
from graphwright.compile.nests.sizes import Size

#: A sum runs over blocks of this many elements, and then over the blocks.
_BLOCK = 1 << 14


class StageWriter(StageValues):
    """Writes one stage."""

    def write(self, indices: list[Reg], begin: Reg, end: Reg) -> None:
        """Writes the loops over the inner axes."""
        middle = self.nest.nest.axes[self.nest.outside : -1]
        accumulators = self.start()
        self.around(list(middle), indices, begin, end, accumulators)
        self.finish(accumulators)

    def start(self) -> dict[int, Reg]:
        """Room for reductions over several runs of the innermost loop."""
        if not self.nest.nest.outer:
            return self.nest.accumulators
        rooms: dict[int, Reg] = {}
        for effect in self.reductions:
            rooms[effect.row] = self.f.stack(effect.kind, self.lanes)
            self.f.store(self.nest.whole(effect), rooms[effect.row])
        return rooms

    def finish(self, accumulators: dict[int, Reg]) -> None:
        """Makes the reductions row values."""
        if self.nest.nest.outer:
            for effect in self.reductions:
                value = self.f.load(accumulators[effect.row], effect.kind, self.lanes)
                self.nest.rows[effect.row] = horizontal(self.f, effect.combine, value)

    def around(
        self,
        middle: list[Size],
        indices: list[Reg],
        begin: Reg,
        end: Reg,
        accumulators: dict[int, Reg],
    ) -> None:
        """Writes loops over the inner axes, and inside the innermost loop, in blocks for sums."""
        if middle:
            with self.f.loop(self.f.number(0), self.f.size(middle[0])) as i:
                self.around(middle[1:], [*indices, i], begin, end, accumulators)
        elif self.reductions:
            length = self.e.binary("sub", end, begin)
            rounded = self.e.binary("add", length, self.f.number(_BLOCK - 1))
            blocks = self.e.binary("sdiv", rounded, self.f.number(_BLOCK))
            with self.f.loop(self.f.number(0), blocks) as block:
                first = self.f.add(begin, self.f.mul(block, self.f.number(_BLOCK)))
                last = self.e.intrinsic("smin", self.f.add(first, self.f.number(_BLOCK)), end)
                self.innermost(indices, first, last, accumulators)
        else:
            self.innermost(indices, begin, end, accumulators)

    def innermost(
        self, indices: list[Reg], begin: Reg, end: Reg, accumulators: dict[int, Reg]
    ) -> None:
        """Writes the loop over the innermost axis, after the values that do not change along it."""
        self.uniform = {}
        for i, varies in enumerate(self.varying):
            if not varies:
                self.scalar(i, indices)
        totals = ChunkLoop(self, indices, begin, end).write()
        for r, total in zip(self.reductions, totals):
            room = accumulators[r.row]
            before = self.f.load(room, r.kind, self.lanes)
            self.f.store(combined(self.f, r.combine, before, total), room)
