"""One stage of a nest: a loop over chunks of the innermost axis, and the loops around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphwright.compile.llvm.chunk_loop import ChunkLoop
from graphwright.compile.llvm.emitter import Reg
from graphwright.compile.llvm.function import I64
from graphwright.compile.llvm.functions.combine import combined, horizontal
from graphwright.compile.llvm.instructions import element, scalar_instruction
from graphwright.compile.nests.collapse import innermost
from graphwright.compile.nests.nest import Element, Index, Instruction, Linear, Load, Reduce, Stage
from graphwright.compile.nests.sizes import Size

if TYPE_CHECKING:
    from graphwright.compile.llvm.nest_code import NestWriter


#: A sum is taken in blocks of this many elements, and then over blocks.
_BLOCK = 1 << 14


class StageWriter:
    """Writes one stage."""

    def __init__(self, nest: NestWriter, stage: Stage) -> None:
        self.nest = nest
        self.stage = stage
        self.f, self.e, self.lanes = nest.f, nest.e, nest.lanes
        self.uniform: dict[int, Reg] = {}
        self.reductions = [x for x in stage.effects if isinstance(x, Reduce)]
        self.varying = self.find_varying()

    def find_varying(self) -> list[bool]:
        """Which instructions change along the innermost axis."""
        result: list[bool] = []
        for x in self.stage.instructions:
            if isinstance(x, (Load, Index)):
                picked = any(result[i] for i, _ in x.picks) if isinstance(x, Load) else False
                result.append(self.stage.inner and (picked or innermost(x.at) != "still"))
            elif isinstance(x, Element):
                result.append(any(result[i] for i in x.operands))
            else:
                result.append(False)
        return result

    def write(self, indices: list[Reg], begin: Reg, end: Reg) -> None:
        """The loops over the inner axes."""
        middle = self.nest.nest.axes[self.nest.outside : -1]
        accumulators = self.start()
        self.around(list(middle), indices, begin, end, accumulators)
        self.finish(accumulators)

    def start(self) -> dict[int, Reg]:
        """Room for what is reduced in more than one run of the innermost loop."""
        if not self.nest.nest.outer:
            return self.nest.accumulators
        rooms: dict[int, Reg] = {}
        for effect in self.reductions:
            rooms[effect.row] = self.f.stack(effect.kind, self.lanes)
            self.f.store(self.nest.whole(effect), rooms[effect.row])
        return rooms

    def finish(self, accumulators: dict[int, Reg]) -> None:
        """What was reduced becomes row values."""
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
        """Loops over the inner axes but the innermost; then that one, in blocks for sums."""
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
        """The loop over the innermost axis, after all that does not change along it."""
        self.uniform = {}
        for i, varies in enumerate(self.varying):
            if not varies:
                self.scalar(i, indices)
        totals = ChunkLoop(self, indices, begin, end).write()
        for r, total in zip(self.reductions, totals):
            room = accumulators[r.row]
            before = self.f.load(room, r.kind, self.lanes)
            self.f.store(combined(self.f, r.combine, before, total), room)

    # -- values that do not change along the innermost axis ----------------------------------

    def place(self, at: Linear, indices: list[Reg]) -> Reg:
        """The part of an index that the innermost axis has no part in."""
        f = self.f
        index = f.number(0)
        for offset in at.offsets:
            index = f.add(index, f.size(offset))
        for axis, i in enumerate(indices):
            stride = at.strides[axis]
            if stride.factor:
                index = f.add(index, f.mul(i, f.size(stride)))
        for scalar, stride in at.scalars:
            value = f.from_slot(f.frame.scalar(scalar), I64)
            index = f.add(index, f.mul(value, f.size(stride)))
        return index

    def address(
        self,
        buffer: int,
        at: Linear,
        kind: str,
        indices: list[Reg],
        picks: tuple[tuple[int, Size], ...] = (),
    ) -> Reg:
        """The address where the innermost axis is 0, but for indices that change along it."""
        place = self.place(at, indices)
        for i, stride in picks:
            if not self.varying[i]:
                place = self.f.add(place, self.f.mul(self.scalar(i, indices), self.f.size(stride)))
        return self.f.address(self.nest.base(buffer), place, kind)

    def scalar(self, i: int, indices: list[Reg]) -> Reg:
        """An instruction that is the same for the whole innermost axis."""
        found = self.uniform.get(i)
        if found is None:
            found = self.uniform[i] = self._scalar(self.stage.instructions[i], indices)
        return found

    def _scalar(self, x: Instruction, indices: list[Reg]) -> Reg:
        f = self.f
        if isinstance(x, Load):
            address = self.address(x.buffer, x.at, x.kind, indices, x.picks)
            return f.load(self.nest.accessed(x.buffer, address, x.kind, False), x.kind, 1)
        if isinstance(x, Index):
            return f.e.cast_integer(self.place(x.at, indices), x.kind)
        if isinstance(x, Element):
            operands = [self.scalar(k, indices) for k in x.operands]
            return element(f, x.op, operands, x.kind, self.report)
        return scalar_instruction(f, x, self.nest.rows)

    def report(self, condition: Reg) -> None:
        """Notes that a lane did what native code leaves to the slow tier."""
        if condition.lanes > 1:
            condition = horizontal(self.f, "any", condition)
        code = self.e.cast("zext", condition, I64)
        address = self.f.slot(0)
        old = self.e.assign(I64, 1, f"load i64, {address}, align 8")
        self.e.line(f"store {self.e.binary('or', old, code)}, {address}, align 8")
