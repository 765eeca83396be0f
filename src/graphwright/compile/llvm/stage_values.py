"""The values and addresses of a stage that do not change along the innermost axis."""

from __future__ import annotations

from graphwright.compile.llvm.emitter import Reg
from graphwright.compile.llvm.function import I64
from graphwright.compile.llvm.functions.combine import horizontal
from graphwright.compile.llvm.instructions import element, scalar_instruction
from graphwright.compile.llvm.nest_function import NestFunction
from graphwright.compile.nests.collapse import varying
from graphwright.compile.nests.nest import Element, Index, Instruction, Linear, Load, Reduce, Stage
from graphwright.compile.nests.sizes import Size


class StageValues:
    """The values of a stage before its innermost loop."""

    def __init__(self, nest: NestFunction, stage: Stage) -> None:
        self.nest = nest
        self.stage = stage
        self.f, self.e, self.lanes = nest.f, nest.e, nest.lanes
        self.uniform: dict[int, Reg] = {}
        self.reductions = [x for x in stage.effects if isinstance(x, Reduce)]
        self.varying = varying(stage)

    def place(self, linear: Linear, indices: list[Reg]) -> Reg:
        """The part of an index that does not depend on the innermost axis."""
        f = self.f
        index = f.number(0)
        for offset in linear.offsets:
            index = f.add(index, f.size(offset))
        for axis, i in enumerate(indices):
            stride = linear.strides[axis]
            if stride.factor:
                index = f.add(index, f.mul(i, f.size(stride)))
        for scalar, stride in linear.scalars:
            value = f.from_slot(f.frame.scalar(scalar), I64)
            index = f.add(index, f.mul(value, f.size(stride)))
        return index

    def address(
        self,
        buffer: int,
        place: Linear,
        kind: str,
        indices: list[Reg],
        picks: tuple[tuple[int, Size], ...] = (),
    ) -> Reg:
        """The address at index 0 of the innermost axis, without picks that change along it."""
        index = self.place(place, indices)
        for i, stride in picks:
            if not self.varying[i]:
                index = self.f.add(index, self.f.mul(self.scalar(i, indices), self.f.size(stride)))
        return self.f.address(self.nest.base(buffer), index, kind)

    def scalar(self, i: int, indices: list[Reg]) -> Reg:
        """The value of an instruction that is the same along the innermost axis."""
        value = self.uniform.get(i)
        if value is None:
            value = self.uniform[i] = self._scalar(self.stage.instructions[i], indices)
        return value

    def _scalar(self, x: Instruction, indices: list[Reg]) -> Reg:
        f = self.f
        if isinstance(x, Load):
            address = self.address(x.buffer, x.place, x.kind, indices, x.picks)
            return f.load(self.nest.accessed(x.buffer, address, x.kind, False), x.kind, 1)
        if isinstance(x, Index):
            return f.e.cast_integer(self.place(x.place, indices), x.kind)
        if isinstance(x, Element):
            operands = [self.scalar(k, indices) for k in x.operands]
            return element(f, x.op, operands, x.kind, self.report)
        return scalar_instruction(f, x, self.nest.rows)

    def report(self, condition: Reg) -> None:
        """Notes that a lane was refused, so that the slow tier does the call.

        Nothing is written else: threads would pass the line of the cache to and fro.
        """
        f, e = self.f, self.e
        if condition.lanes > 1:
            condition = horizontal(f, "any", condition)
        refused, accepted = e.fresh_label("refused"), e.fresh_label("accepted")
        f.branch_if(condition, refused, accepted)
        e.label(refused)
        address = f.slot(0)
        old = e.assign(I64, 1, f"load i64, {address}, align 8")
        e.line(f"store {e.binary('or', old, f.number(1))}, {address}, align 8")
        f.branch(accepted)
        e.label(accepted)
