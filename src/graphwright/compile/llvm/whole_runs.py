"""Functions that run a statement over its whole range, which statements alike share.

Such a function returns 0, or 1 if a signal or a lack of memory has ended the run.
"""

from __future__ import annotations

from functools import reduce

from graphwright.compile.llvm.emitter import Reg
from graphwright.compile.llvm.function import I64, FunctionWriter
from graphwright.compile.llvm.launch import Launch, word
from graphwright.compile.llvm.llvm_module import LlvmModule
from graphwright.compile.llvm.nest_code import NestWriter
from graphwright.compile.llvm.shared_functions import SharedCallee
from graphwright.compile.nests.nest import Nest
from graphwright.machine.exclusion import LLVM


class WholeRun:
    """Writes such a function. Its caller gives room for totals, and the slots of all callees."""

    def __init__(self, module: LlvmModule, whole: bool) -> None:
        self.module = module
        self.whole = whole
        self.f = FunctionWriter(module.frame, "")
        self.given: dict[int, Reg] = {}  # slots of callees

    def callee(self) -> SharedCallee:
        """The function, which the module has then."""
        f = self.f
        totals = self.write()
        for i, total in enumerate(totals):
            f.store(total, word(f, self.room, i))
        f.e.line("ret i64 0")
        f.e.label("leave")
        f.e.line("ret i64 1")
        name = f"whole{len(self.module.functions)}"
        given = "".join([f", {reg}" for reg in self.given.values()])
        f.signature = f"define internal i64 @{name}(ptr %frame, ptr %room{given})"
        callee = self.module.share(f)
        return callee._replace(slots=(*self.given, *callee.slots))

    @property
    def room(self) -> Reg:
        """Room for the totals."""
        return Reg("%room", "ptr")

    def write(self) -> list[Reg]:
        """The totals; writes what the function does."""
        raise NotImplementedError

    def launch(self, launch: Launch, room: Reg | None = None) -> list[Reg]:
        """The totals of a function, which finds this room for them, or what else is there."""
        slots = [
            self.given.setdefault(slot, Reg(f"%given{len(self.given)}", I64))
            for slot in launch.callee.slots
        ]
        return launch.write(self.f, room or self.room, slots, self.module.shared.part)


class NestRun(WholeRun):
    """Writes the function that runs a nest, by the length of its rows.

    Where memory for rows is lacking, the kernels do the call again. They may not if arguments were
    lent, which may have been overwritten.
    """

    def __init__(self, module: LlvmModule, nest: Nest, whole: bool, lent: bool) -> None:
        super().__init__(module, whole)
        self.nest = nest
        self.lent = lent

    def write(self) -> list[Reg]:
        f, e = self.f, self.f.e
        *short, general = self.module.forms(self.nest)
        ways = []
        joined = e.fresh_label("done")
        for form in short:
            then, otherwise = e.fresh_label("short"), e.fresh_label("any")
            same = [e.compare("eq", f.size(s), f.number(n)) for s, n in form.lengths]
            f.branch_if(reduce(lambda x, y: e.binary("and", x, y), same), then, otherwise)
            e.label(then)
            ways.append(([total.text for total in self.form(form.nest)], e.block))
            f.branch(joined)
            e.label(otherwise)
        totals = self.form(general.nest)
        if not ways:
            return totals
        ways.append(([total.text for total in totals], e.block))
        f.branch(joined)
        e.label(joined)
        return [
            f.phi(total.kind, 1, *[(texts[i], block) for texts, block in ways])
            for i, total in enumerate(totals)
        ]

    def form(self, nest: Nest) -> list[Reg]:
        """The totals of one form of the nest; writes its function, and its run."""
        name, frame = f"nest{len(self.module.functions)}", self.module.frame
        buffers = self.module.program.buffers
        writer = NestWriter(name, nest, frame, buffers, self.module.expected(nest.axes[-1]))
        totals: list[Reg] = []
        if writer.into:
            with LLVM:  # few programs need it; a fork waits for the import
                from graphwright.compile.llvm.accumulation import BlockAccumulation
            self.module.add(writer)
            accumulation = BlockAccumulation(name, nest, frame, buffers, self.whole)
            self.module.add(accumulation.part())
            accumulation.write(self.f, self.launch)
        else:
            callee = self.module.share(writer)
            each = self.module.weights[id(self.nest)]
            totals = self.launch(Launch.of_nest(callee, nest, each, self.whole))
        if writer.row_memory:
            self.require_rows()
        return totals

    def require_rows(self) -> None:
        """Leaves if there was no memory for rows."""
        f, e = self.f, self.f.e
        go, on = e.fresh_label("exhausted"), e.fresh_label("on")
        f.branch_if(e.compare("eq", f.from_slot(0, I64), f.number(0)), on, go)
        e.label(go)
        if not self.lent:
            f.to_slot(0, f.number(1))
        f.branch("leave")
        e.label(on)
