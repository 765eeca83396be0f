"""Statements as code: the function `run`, with calls of a function for each nest."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import partial, reduce
from typing import TYPE_CHECKING

from graphwright.base.forks import cached_property
from graphwright.compile.llvm.emitter import Reg
from graphwright.compile.llvm.function import I64, FunctionWriter
from graphwright.compile.llvm.functions.branchless_selection import takes_both
from graphwright.compile.llvm.functions.combine import combined, identity
from graphwright.compile.llvm.instructions import element, scalar_instruction
from graphwright.compile.llvm.launch import FRAME, ROUND, leave, weight, word
from graphwright.compile.llvm.llvm_module import LlvmModule
from graphwright.compile.llvm.nest_code import NestWriter, extent
from graphwright.compile.llvm.nest_function import accumulated
from graphwright.compile.llvm.shared_functions import SharedCallee
from graphwright.compile.llvm.statement_patterns import StatementPattern, pattern_of
from graphwright.compile.llvm.whole_runs import NestRun
from graphwright.compile.memory.accesses import accessed
from graphwright.compile.memory.arena import GRAIN, bytes_of
from graphwright.compile.nests.call_statements import OutsideCall
from graphwright.compile.nests.collapse import collapse, linears
from graphwright.compile.nests.loop_counters import Counting, counting
from graphwright.compile.nests.nest import (
    Choice,
    Clear,
    Copy,
    Element,
    Index,
    Linear,
    Load,
    Loop,
    Multiply,
    Nest,
    PackRight,
    Reduce,
    Scalar,
    Scan,
    Statement,
    Straight,
    all_statements,
    exchanged,
    exchanges,
)
from graphwright.compile.nests.sizes import ONE, product
from graphwright.machine.exclusion import LLVM

if TYPE_CHECKING:
    from graphwright.compile.llvm.list_code import ListWriter

#: The simple operations after which signals are let in, and the least count of a nest. A nest's
#: operations run in vectors, so as many as the last number count as one.
_PATIENCE, _LONG, _AT_ONCE = 1 << 20, 1 << 12, ROUND >> 20


class StatementWriter:
    """Writes `run(frame)`, the statements of a program."""

    def __init__(self, module: LlvmModule) -> None:
        self.module = module
        self.program = module.program
        self.frame = module.frame
        self.f = f = FunctionWriter(self.frame, "define i64 @run(ptr %frame)")
        self.e = f.e
        self.scalars: dict[int, Reg] = {}
        self.patterns: dict[Hashable, tuple[StatementPattern, SharedCallee]] = {}
        self.shared = set(scalars_of_nests(self.program.body))  # they must be in the frame
        self.patience = f.number(_PATIENCE)  # operations until signals are let in again
        #: Results in inputs' memory: once the first of them is begun, the run must finish.
        self.lent = {self.program.results[result][0] for result, _ in self.program.reuses}
        self.whole = False
        self.loops = 0  # that are open
        self.counted: Counting | None = None  # by the outermost of them
        roles = [buffer.role for buffer in self.program.buffers]
        #: Whether it makes lists. Their addresses change, and those of their items.
        self.has_lists = "owned" in roles
        moving = [i for i, role in enumerate(roles) if role in ("owned", "view")]
        f.moving = {*exchanged(self.program.body), *moving}

    @cached_property
    def lists(self) -> ListWriter:
        """The writer of statements of lists."""
        with LLVM:  # not all programs have lists; a fork waits for the import
            from graphwright.compile.llvm.list_code import ListWriter

        return ListWriter(self.f, self.frame, self.scalars, self.define)

    def text(self) -> str:
        """The text of the function, which returns the status: 0 if all is well."""
        if self.has_lists:
            self.lists.clear(self.program)
        temporaries = self.allocate()
        for statement in self.program.body:
            self.statement(statement)
        self.f.branch("leave")
        self.e.label("leave")
        if self.frame.sanitizer is not None:
            self.frame.sanitizer.end(self.f)
        self.free(temporaries)
        if self.has_lists:
            self.lists.free(self.program)
        self.e.line(f"ret {self.f.from_slot(0, I64)}")
        return self.f.text()

    def allocate(self) -> Reg | None:
        """Allocates memory for all temporaries, in one piece."""
        places = dict(self.program.homes)
        roots = [i for i, home in places.items() if i == home]
        if self.frame.sanitizer is not None:
            self.frame.sanitizer.begin(self.f, places)
        memory = self.lay_out(roots) if roots else None
        for i, home in places.items():
            if i != home and i not in self.frame.guests:
                self.lies_at(i, self.f.buffer(home))
        return memory

    def lay_out(self, roots: list[int]) -> Reg:
        """Lays out buffers in one piece of memory, as `arena.offsets` says."""
        f, sanitizer = self.f, self.frame.sanitizer
        guard = 0 if sanitizer is None else sanitizer.zone
        offset = f.number(0)
        offsets = []
        for i in roots:
            offsets.append(f.add(offset, f.number(guard)))
            size = f.add(f.size(bytes_of(self.program.buffers[i])), f.number(2 * guard))
            padded = f.e.binary("and", f.add(size, f.number(2 * GRAIN - 1)), f.number(-GRAIN))
            offset = f.add(offset, padded)
        memory = f.allocate(offset)
        allocated, none = f.e.fresh_label("some"), f.e.fresh_label("none")
        f.branch_if(f.e.compare("ne", memory, Reg("null", "ptr")), allocated, none)
        f.e.label(none)
        f.e.line("ret i64 1")
        f.e.label(allocated)
        if sanitizer is not None:
            sanitizer.poison(f, memory, offset)
            starts = [f.e.binary("sub", place, f.number(guard)) for place in offsets]
            for i, *zone in zip(roots, starts, [*starts[1:], offset]):
                sanitizer.guard(f, i, memory, *zone)
        for i, place in zip(roots, offsets):
            self.lies_at(i, f.e.assign("ptr", 1, f"getelementptr i8, {memory}, {place}"))
        return memory

    def lies_at(self, i: int, address: Reg) -> None:
        """Notes the address of a buffer."""
        self.f.to_slot(self.frame.buffer(i), address)
        if i not in self.f.moving:
            self.f.set_buffer(i, address)

    def free(self, memory: Reg | None) -> None:
        """Frees the temporaries."""
        if memory is not None:
            self.f.release(memory)

    def statement(self, statement: Statement) -> None:
        """Writes one statement."""
        if self.frame.sanitizer is not None:
            self.frame.sanitizer.statement(self.f, statement, self.lists.require)
        self.whole = self.whole or not self.lent.isdisjoint(accessed(statement))
        if isinstance(statement, Nest):
            self.nest(statement)
        elif isinstance(statement, Straight):
            self.straight(statement)
        elif isinstance(statement, Clear):
            self.clear(statement)
        elif isinstance(statement, Multiply):
            self.products(statement)
        elif isinstance(statement, PackRight):
            self.pack(statement)
        elif isinstance(statement, Scan):
            self.scan(statement)
        elif isinstance(statement, Copy):
            self.copy(statement)
        elif isinstance(statement, OutsideCall):
            self.call_outside(statement)
        elif isinstance(statement, Loop):
            self.loop(statement)
        elif isinstance(statement, Choice):
            self.choice(statement)
        else:
            self.lists.statement(statement)

    def callee(
        self, statement: Nest | Multiply | Scan, write: Callable[[], SharedCallee]
    ) -> SharedCallee:
        """The function of a statement, which `write` adds unless an earlier statement has it."""
        if self.frame.sanitizer is not None or (
            isinstance(statement, Nest) and accumulated(statement)
        ):
            return write()
        pattern = pattern_of(statement, self.program, self.frame)
        key = self.key(pattern, statement)
        if key not in self.patterns:
            self.patterns[key] = pattern, write()
        first, callee = self.patterns[key]
        return first.of_alike(callee, pattern.slots)

    def key(self, pattern: StatementPattern, statement: Nest | Multiply | Scan) -> Hashable:
        """What statements share that have one function."""
        return pattern.key, self.whole, self.module.weights.get(id(statement))

    def products(self, statement: Multiply) -> None:
        """Calls a function for matrix products, which equal layers share."""
        with LLVM:  # few programs multiply matrices; a fork waits for the import
            from graphwright.compile.llvm.product_code import ProductsRun, single_product

        if statement.products != ONE:
            self.run(self.callee(statement, ProductsRun(self.module, statement).callee))
        else:
            write = partial(single_product, self.module, statement)
            self.e.line(self.callee(statement, write).call(FRAME))

    def pack(self, statement: PackRight) -> None:
        """Packs the right operand of a product."""
        with LLVM:
            from graphwright.compile.llvm.product_code import write_pack

        write_pack(self.f, statement.product)

    def call_outside(self, statement: OutsideCall) -> None:
        """Calls a kernel or a routine."""
        with LLVM:  # few programs do; a fork waits for the import
            from graphwright.compile.llvm.call_code import CallWriter

        CallWriter(self.f, self.lists.require).statement(statement)

    def nest(self, nest: Nest) -> None:
        """Writes a nest of a few elements in a loop, and calls the function of any other."""
        short = self.module.short(nest) if self.loops else None
        if short is None:
            self.call_nest(nest)
            return
        if not short.lengths:
            self.straight(short.straight)
            return
        f, e = self.f, self.f.e
        then, otherwise, joined = [e.fresh_label(p) for p in ("few", "many", "done")]
        same = [e.compare("eq", f.size(size), f.number(n)) for size, n in short.lengths]
        f.branch_if(reduce(lambda x, y: e.binary("and", x, y), same), then, otherwise)
        ways: list[tuple[list[Reg], str]] = []
        for label in (then, otherwise):
            e.label(label)
            self.straight(short.straight) if label == then else self.call_seldom(nest)
            ways.append(([self.scalars[s] for _, s, _ in nest.scalars], e.block))
            f.branch(joined)
        e.label(joined)
        for i, (_, scalar, kind) in enumerate(nest.scalars):
            sources = [(values[i].text, block) for values, block in ways]
            self.scalars[scalar] = f.phi(kind, 1, *sources)

    def call_nest(self, nest: Nest) -> None:
        """Calls the function of a nest."""

        def write() -> SharedCallee:
            return NestRun(self.module, nest, self.whole, bool(self.lent)).callee()

        self.run(self.callee(nest, write))
        for i, (_, scalar, kind) in enumerate(nest.scalars):
            self.define(scalar, self.f.load(word(self.f, self.room, i), kind, 1))

    def call_seldom(self, nest: Nest) -> None:
        """Calls the function of a nest for lengths that a trace like this one does not have.

        A trace of these lengths runs it until it has code of its own. So it is short code, which
        threads do not share. Where sums would be taken in another order, it is the usual one.
        """
        pattern, collapsed = pattern_of(nest, self.program, self.frame), collapse(nest)
        reduces = any(isinstance(e, Reduce) for stage in nest.stages for e in stage.effects)
        if self.key(pattern, nest) in self.patterns or len(nest.stages) > 1 or reduces:
            self.call_nest(nest)
            return
        key = pattern.key, "seldom"
        if key not in self.patterns or self.frame.sanitizer is not None:
            name, buffers = f"nest{len(self.module.functions)}", self.program.buffers
            writer = NestWriter(name, collapsed, self.frame, buffers, -1, is_seldom=True)
            self.patterns[key] = pattern, self.module.share(writer)
        first, callee = self.patterns[key]
        shared, f = first.of_alike(callee, pattern.slots), self.f
        end = f.size(product(extent(collapsed)))
        f.e.line(shared.call(FRAME, f.number(0), end, self.room))

    def scan(self, scan: Scan) -> None:
        """Calls the function of a scan."""
        with LLVM:  # few programs scan; a fork waits for the import
            from graphwright.compile.llvm.scan_code import ScanRun

        self.run(self.callee(scan, ScanRun(self.module, scan, self.whole).callee))

    def run(self, callee: SharedCallee) -> None:
        """Calls a function that runs a statement, and leaves if it could not."""
        f = self.f
        ended = f.e.assign(I64, 1, callee.call(FRAME, self.room))
        on = f.e.fresh_label("on")
        f.branch_if(f.e.compare("ne", ended, f.number(0)), "leave", on)
        f.e.label(on)

    @cached_property
    def room(self) -> Reg:
        """Room for the totals of any nest."""
        nests = [s for s in all_statements(self.program.body) if isinstance(s, Nest)]
        most = max([1, *[len(nest.scalars) for nest in nests]])
        with self.f.at_entry():
            return self.e.assign("ptr", 1, f"alloca i64, i64 {most}, align 16")

    def loop(self, loop: Loop) -> None:
        """Writes a loop: scalars are phis, buffers swap their addresses in the frame.

        Where a step computes whether there is another one, the test is at its end: then a step has
        one jump.
        """
        f, e = self.f, self.e
        before, head, body, end_label = (
            e.block,
            *[e.fresh_label(p) for p in ("loop", "body", "done")],
        )
        variables, firsts, nexts, kinds = list(zip(*loop.scalars)) or [()] * 4
        at_end = not loop.condition and loop.again in variables
        initial = [self.scalars[i] for i in firsts]
        patience = self.patience
        if at_end:
            f.branch_if(initial[variables.index(loop.again)], head, end_label)
        else:
            f.branch(head)
        e.label(head)
        if not self.loops:
            self.counted = counting(loop)
        self.loops += 1
        phis = [f.open_phi(kind) for kind in (*kinds, I64)]
        for variable, phi in zip(variables, phis):
            self.define(variable, phi.reg)
        self.patience = phis[-1].reg
        if not at_end:
            for statement in loop.condition:
                self.statement(statement)
            f.branch_if(self.scalars[loop.again], body, end_label)
            e.label(body)
        self.poll(loop)
        for statement in loop.body:
            self.statement(statement)
        self.loops -= 1
        moved = [(b, f.from_slot(self.frame.buffer(c), "ptr")) for b, c in exchanges(loop)]
        for buffer, address in moved:
            f.to_slot(self.frame.buffer(buffer), address)
        if self.frame.sanitizer is not None:
            self.frame.sanitizer.exchange(f, exchanges(loop))
        ways = [
            ((x.text, before), (y.text, e.block))
            for x, y in zip(
                (*initial, patience), (*[self.scalars[i] for i in nexts], self.patience)
            )
        ]
        for phi, sources in zip(phis, ways):
            f.close_phi(phi, *sources)
        if not at_end:
            f.branch(head)
            e.label(end_label)
            self.patience = phis[-1].reg
            return
        f.branch_if(self.scalars[nexts[variables.index(loop.again)]], head, end_label)
        e.label(end_label)
        ended = [f.phi(kind, 1, *sources) for kind, sources in zip((*kinds, I64), ways)]
        for variable, reg in zip(variables, ended):
            self.define(variable, reg)
        self.patience = ended[-1]

    def poll(self, loop: Loop) -> None:
        """Lets signals in when patience is at its end.

        That is after about a million simple operations, or as many as in a round of a nest.
        """
        f, e = self.f, self.e
        remaining = e.binary("sub", self.patience, self.cost(loop))
        look, go, on = [e.fresh_label(p) for p in ("look", "none", "on")]
        before = e.block
        f.branch_if(e.compare("slt", remaining, f.number(0)), look, on)
        e.label(look)
        raised = f.call(I64, "gw_poll", Reg("%frame", "ptr"), *self.progress())
        ended = e.block
        f.branch_if(e.compare("ne", raised, f.number(0)), go, on)
        e.label(go)
        leave(f)
        e.label(on)
        self.patience = f.phi(I64, 1, (remaining.text, before), (str(_PATIENCE), ended))

    def progress(self) -> tuple[Reg, Reg]:
        """What the outermost loop counts, and its limit; zeros if these are unknown."""
        f, e, counted = self.f, self.e, self.counted
        if counted is None or self.frame.sanitizer is not None:
            return f.number(0), f.number(0)
        x = counted.limit
        if isinstance(x, Load):
            limit = f.load(f.element(x.buffer, self.place(x.place), x.kind, False), x.kind, 1)
        elif isinstance(x, Scalar):
            limit = self.scalars[x.scalar]
        else:
            limit = scalar_instruction(f, x, {})
        present = self.scalars[counted.variable]
        return e.cast_integer(present, I64), e.cast_integer(limit, I64)

    def cost(self, loop: Loop) -> Reg:
        """The rough cost of one step of a loop, without inner loops, with all sides of branches."""
        f = self.f
        known, sizes = 1, []
        for s in all_statements((*loop.condition, *loop.body)):
            if isinstance(s, Straight):
                known += len(s.instructions)
            elif isinstance(s, OutsideCall):
                known += _LONG
            elif isinstance(s, (Nest, Multiply, Scan)):
                size = s.work if isinstance(s, Multiply) else product(s.axes)
                each = weight(s) if isinstance(s, Nest) else 1
                known += _LONG
                if size.symbols:
                    sizes.append((each, size))
                else:
                    known += size.factor * each // _AT_ONCE
        with f.at_entry():
            total = f.number(known)
            for each, size in sizes:
                work = f.mul(f.size(size), f.number(each))
                total = f.add(total, f.e.binary("sdiv", work, f.number(_AT_ONCE)))
        return total

    def choice(self, choice: Choice) -> None:
        """Writes a branch, or both sides of it and a selection."""
        f, e = self.f, self.e
        if takes_both(choice):
            for statement in (*choice.then, *choice.otherwise):
                self.statement(statement)
            condition = self.scalars[choice.condition]
            for result, then, otherwise, _ in choice.scalars:
                self.define(
                    result, e.select(condition, self.scalars[then], self.scalars[otherwise])
                )
            return
        labels = [e.fresh_label(p) for p in ("then", "else")]
        joined = e.fresh_label("done")
        f.branch_if(self.scalars[choice.condition], *labels)
        ends = []
        patience, patiences = self.patience, []
        for label, statements in zip(labels, (choice.then, choice.otherwise)):
            e.label(label)
            self.patience = patience
            for statement in statements:
                self.statement(statement)
            ends.append(e.block)
            patiences.append(self.patience.text)
            f.branch(joined)
        e.label(joined)
        results = [
            f.phi(
                kind,
                1,
                (self.scalars[then].text, ends[0]),
                (self.scalars[otherwise].text, ends[1]),
            )
            for _, then, otherwise, kind in choice.scalars
        ]
        if patiences[0] != patiences[1]:
            self.patience = f.phi(I64, 1, *zip(patiences, ends))
        for (result, *_), reg in zip(choice.scalars, results):
            self.define(result, reg)

    def define(self, scalar: int, reg: Reg) -> None:
        """Defines a scalar; the frame has it for nests."""
        self.scalars[scalar] = reg
        if scalar in self.shared:
            self.f.store(reg, self.f.slot(self.frame.scalar(scalar)))

    def place(self, linear: Linear) -> Reg:
        """The index of a place that does not depend on axes."""
        f = self.f
        index = f.number(0)
        for offset in linear.offsets:
            index = f.add(index, f.size(offset))
        for scalar, stride in linear.scalars:
            index = f.add(index, f.mul(self.scalars[scalar], f.size(stride)))
        return index

    def straight(self, statement: Straight) -> None:
        """Writes scalars that are computed once, and their stores."""
        with self.f.at_rest():
            self.elements(statement)

    def elements(self, statement: Straight) -> None:
        """Writes the instructions of straight code, one after the other."""
        f = self.f
        values: list[Reg] = []
        for x in statement.instructions:
            if isinstance(x, (Load, Index)):
                index = self.place(x.place)
                for i, stride in x.picks if isinstance(x, Load) else ():
                    index = f.add(index, f.mul(values[i], f.size(stride)))
                if isinstance(x, Index):
                    values.append(f.e.cast_integer(index, x.kind))
                else:
                    values.append(f.load(f.element(x.buffer, index, x.kind, False), x.kind, 1))
            elif isinstance(x, Element):
                operands = [values[i] for i in x.operands]
                values.append(element(f, x.op, operands, x.kind, self.report))
            elif isinstance(x, Scalar):
                values.append(self.scalars[x.scalar])
            else:
                values.append(scalar_instruction(f, x, {}))
        for value, scalar, _ in statement.scalars:
            self.define(scalar, values[value])
        for store in statement.stores:
            index, stored = self.place(store.place), values[store.value]
            for i, stride in store.picks:
                index = f.add(index, f.mul(values[i], f.size(stride)))
            if store.combine:
                before = f.load(f.element(store.buffer, index, store.kind, False), store.kind, 1)
                stored = combined(f, store.combine, before, stored)
            f.store(stored, f.element(store.buffer, index, store.kind, True))

    def report(self, condition: Reg) -> None:
        """Notes a refusal, so that the slow tier does the call."""
        f = self.f
        old = f.from_slot(0, I64)
        f.to_slot(0, f.e.binary("or", old, f.e.cast("zext", condition, I64)))

    def clear(self, statement: Clear) -> None:
        """Fills a buffer."""
        f = self.f
        shape = self.program.buffers[statement.buffer].shape
        value = f.e.constant(statement.kind, identity(statement.combine, statement.kind))
        with f.loop(f.number(0), f.size(product(shape))) as i:
            f.store(value, f.address(f.buffer(statement.buffer), i, statement.kind))

    def copy(self, statement: Copy) -> None:
        """Copies a buffer."""
        target, source = self.f.buffer(statement.target), self.f.buffer(statement.source)
        self.f.copy(target, source, self.f.size(statement.elements), statement.kind)


def scalars_of_nests(body: tuple[Statement, ...]) -> Iterator[int]:
    """The scalars that nests read."""
    for statement in all_statements(body):
        if isinstance(statement, Nest):
            for stage in statement.stages:
                for x in stage.instructions:
                    if isinstance(x, Scalar):
                        yield x.scalar
                for place in linears(stage):
                    yield from (scalar for scalar, _ in place.scalars)
