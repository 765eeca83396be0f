"""The second executor of plans: what `graphwright.compile.nests.nest` says, statement by statement.

It shares no code with what makes plans, nor with what writes machine code.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from plans import elements, nests
from plans.lists import Lists
from plans.memory import END, Block, Here, Memory, Refused, grains, numpy_dtype

from graphwright.compile.nests.call_statements import OutsideCall
from graphwright.compile.nests.nest import (
    Choice,
    Clear,
    Copy,
    Count,
    Element,
    Index,
    Linear,
    Load,
    Loop,
    Multiply,
    Nest,
    PackRight,
    Program,
    Reduce,
    Scalar,
    ScalarConstant,
    Scan,
    Statement,
    Store,
    Straight,
)
from graphwright.compile.nests.sizes import DERIVATIONS, Size
from graphwright.compile.select.kernel_calls import called


def flipped(matrices: Any, flag: bool) -> Any:
    """Matrices, or their transposes."""
    return np.swapaxes(matrices, -1, -2) if flag else matrices


def triangular(flags: Sequence[bool], matrix: Any, side: Any) -> Any:
    """The solutions of triangular systems: of full ones, without the other triangle."""
    triangle = np.tril(matrix) if flags[0] else np.triu(matrix)
    return np.linalg.solve(flipped(triangle, flags[1]), side)


#: What routines of LAPACK compute.
ROUTINES: dict[str, Any] = {
    "cholesky": lambda flags, x: np.linalg.cholesky(x),
    "triangular": triangular,
    "solve": lambda flags, x, side: np.linalg.solve(flipped(x, flags[0]), side),
    "inverse": lambda flags, x: np.linalg.inv(flipped(x, flags[0])),
}

#: A loop that has taken so many turns does not end.
_TURNS = 1_000_000


def interpret(
    program: Program,
    constants: Sequence[Any],
    arrays: Sequence[Any],
    lent: frozenset[int] = frozenset(),
) -> tuple[Run, tuple[Any, ...]]:
    """The run and the results of a program for some arrays; `Refused` for what is left to the
    slow tier, `Violation` for what no plan may do. The results in `lent` have the memory of the
    arrays that the program names for them."""
    with np.errstate(all="ignore"):
        run = Run(program, constants, arrays, lent)
        try:
            run.block(program.body, ())
        except Refused:
            run.leave()
            raise
        return run, run.results()


class Run:
    """One execution of a program."""

    def __init__(
        self,
        program: Program,
        constants: Sequence[Any],
        arrays: Sequence[Any],
        lent: frozenset[int],
    ) -> None:
        self.program, self.arrays, self.lent = program, arrays, lent
        self.scalars: dict[int, tuple[Any, str, int]] = {}  # value, kind, stamp
        self.packed: dict[int, Any] = {}  # right operands, as they were when they were packed
        self.symbols: dict[int, int] = {}
        self.sizes: dict[Size, int] = {}
        self.take_sizes()
        counts = [prod(map(self.size, buffer.shape)) for buffer in program.buffers]
        self.memory = Memory(program.buffers, counts)
        self.lists = Lists(self)
        self.take_memory([*arrays, *constants])

    # -- sizes ------------------------------------------------------------------------------

    def size(self, size: Size) -> int:
        """A size in this run."""
        result = self.sizes.get(size)
        if result is None:
            result = prod([self.symbols[s] for s in size.symbols], start=size.factor)
            self.sizes[size] = result
        return result

    def take_sizes(self) -> None:
        """The values of all symbols; refused where they are not as the program expects."""
        program = self.program
        for (symbol, number, axis), expected in zip(program.symbols, program.expected):
            result = self.arrays[number].shape[axis]
            if expected not in (-1, result):
                raise Refused
            self.symbols[symbol] = result
        for symbol, buffer in program.numbers:
            self.symbols[symbol] = int(self.arrays[program.inputs.index(buffer)])
            if self.symbols[symbol] < 0:
                raise Refused
        for symbol, function, operands in program.derived:
            self.symbols[symbol] = DERIVATIONS[function](*map(self.size, operands))
        if any(self.size(a) != self.size(b) for a, b in program.guards):
            raise Refused

    # -- memory -----------------------------------------------------------------------------

    def take_memory(self, given: list[Any]) -> None:
        """Memory for all buffers that have some from the beginning."""
        program, memory = self.program, self.memory
        lies = dict(program.homes)
        kinds: dict[int, list[str]] = {}
        for buffer, home in lies.items():
            kinds.setdefault(home, []).append(program.buffers[buffer].kind)
        reuses = {program.results[r][0]: program.inputs[i] for r, i in program.reuses
                  if r in self.lent}  # fmt: skip
        kept = set(reuses.values())
        for number, (buffer, array) in enumerate(zip(program.inputs, given, strict=True)):
            if array.size != memory.counts[buffer]:
                memory.violate(f"b{buffer} has another size than what is given")
            block = Block(array.nbytes, array.itemsize, writable=True)
            memory.place(buffer, block)
            how = "argument" if number < len(self.arrays) else "constant"
            memory.write(how, buffer, np.arange(array.size), program.buffers[buffer].kind,
                         array.ravel())  # fmt: skip
            block.writable = buffer in kept
        for i, (role, _, kind) in enumerate(program.buffers):
            if role == "result" and i in reuses:
                memory.place(i, memory.at(reuses[i]).block)
            elif role == "result" or lies.get(i) == i:
                grain = grains([kind, *kinds.get(i, ())])
                memory.place(i, Block(memory.counts[i] * numpy_dtype(kind).itemsize, grain))
        for buffer, home in lies.items():
            if buffer != home:
                memory.place(buffer, memory.at(home).block)

    def results(self) -> tuple[Any, ...]:
        """The results' arrays; where a result has the memory of an argument, the argument."""
        self.memory.here, self.memory.statement = END, None
        result = []
        reuses = dict(self.program.reuses)
        for i, (buffer, shape) in enumerate(self.program.results):
            dims = [self.size(d) for d in shape]
            if self.program.buffers[buffer].role == "late":
                if i not in self.lists.lengths:
                    self.memory.violate(f"result {i} is no list")
                dims[0] = self.lists.lengths[i]
            kind = self.program.buffers[buffer].kind
            array = self.memory.read("result", buffer, np.arange(prod(dims)), kind).reshape(dims)
            if i in self.lent and i in reuses:
                self.arrays[reuses[i]][...] = array
                array = self.arrays[reuses[i]]
            result.append(array)
        return tuple(result)

    def leave(self) -> None:
        """Sees that the arguments are as they were, when all is left to the slow tier."""
        for result, number in self.program.reuses:
            buffer = self.program.inputs[number]
            if result in self.lent:
                data = self.memory.at(buffer).block.data
                if data.tobytes()[: self.arrays[number].nbytes] != self.arrays[number].tobytes():
                    self.memory.violate(f"refuses when b{buffer}, an argument, is written over")

    # -- scalars ----------------------------------------------------------------------------

    def define(self, scalar: int, value: Any, kind: str, how: str) -> None:
        """A scalar's value."""
        if value.dtype != numpy_dtype(kind):
            self.memory.violate(f"%{scalar} is {value.dtype}, not {kind}")
        self.scalars[scalar] = value.reshape(1), kind, self.memory.stamp(how)

    def scalar(self, scalar: int, kind: str, reader: str) -> Any:
        """The value of a scalar, which must be defined where it is read."""
        if scalar not in self.scalars:
            self.memory.violate(f"%{scalar} is read where nothing defines it")
        value, own, stamp = self.scalars[scalar]
        if kind != own:
            self.memory.violate(f"reads %{scalar}, which is {own}, as {kind}")
        self.memory.meet(stamp, reader)
        return value

    def plain(self, x: Any, reader: str) -> Any:
        """What an instruction gives that reads no memory."""
        if isinstance(x, ScalarConstant):
            return elements.number(x.value, x.kind)
        if isinstance(x, Scalar):
            return self.scalar(x.scalar, x.kind, reader)
        if isinstance(x, Count):
            self.memory.meet(self.memory.stamp("size"), reader)
            return elements.number(self.size(x.size), x.kind)
        return self.memory.violate(f"no instruction for here: {x}")

    def picked(self, at: Linear, reader: str) -> int:
        """The part of a place that scalars say."""
        return sum(int(self.scalar(s, "i64", f"{reader} place")[0]) * self.size(stride)
                   for s, stride in at.scalars)  # fmt: skip

    # -- statements -------------------------------------------------------------------------

    def block(self, statements: Sequence[Statement], around: tuple[Any, ...]) -> None:
        """Statements, one after the other."""
        for number, statement in enumerate(statements):
            self.memory.here, self.memory.statement = Here(around, number), statement
            self.statement(statement)

    def statement(self, statement: Statement) -> None:
        """One statement."""
        rule = self.RULES.get(type(statement))
        if rule is None:
            self.lists.statement(statement)
        else:
            rule(self, statement)

    def nest_kind(self, nest: Nest) -> str:
        """What a nest is, for those who count."""
        loads = [x for stage in nest.stages for x in stage.instructions if isinstance(x, Load)]
        effects = [e for stage in nest.stages for e in stage.effects]
        stores = [e for e in effects if isinstance(e, Store)]
        if nest.ordered or any(e.picks for e in stores):
            return "scatter"
        if any(e.combine for e in stores):
            return "accumulation"
        if any(isinstance(e, Reduce) for e in effects):
            return "reduction" if nest.outer else "total"
        if any(x.picks for x in loads):
            return "gather"
        if all(isinstance(x, (Load, ScalarConstant)) for s in nest.stages for x in s.instructions):
            return "move"
        return "elementwise"

    def nest(self, nest: Nest) -> None:
        """A nest."""
        nests.execute(self, nest)

    def straight(self, s: Straight) -> None:
        """Scalars, and then what is stored of them."""
        values: list[Any] = []

        def place(at: Linear, picks: Any = ()) -> Any:
            if any(stride.factor for stride in at.strides):
                self.memory.violate("there is no axis here")
            result = sum(map(self.size, at.offsets)) + self.picked(at, "straight")
            return np.asarray([result + sum(int(values[i][0]) * self.size(d) for i, d in picks)])

        for x in s.instructions:
            if isinstance(x, Load):
                outcome = self.memory.read("straight", x.buffer, place(x.place, x.picks), x.kind)
            elif isinstance(x, Index):
                outcome = place(x.place).astype(numpy_dtype(x.kind))
            elif isinstance(x, Element):
                outcome = elements.element(x.op, [values[i] for i in x.operands], x.kind)
            else:
                outcome = self.plain(x, "straight")
            if outcome.dtype != numpy_dtype(x.kind):
                self.memory.violate(f".{len(values)} is {outcome.dtype}, not {x.kind}")
            values.append(outcome)
        for value, scalar, kind in s.scalars:
            self.define(scalar, values[value], kind, "straight scalar")
        for store in s.stores:
            if store.combine or store.picks:
                self.memory.violate(
                    "straight code stores to places that it knows, and adds nothing"
                )
            value = values[store.value]
            self.memory.write("straight store", store.buffer, place(store.place), store.kind, value)

    def clear(self, s: Clear) -> None:
        """What a reduction starts from, everywhere."""
        places = np.arange(self.memory.counts[s.buffer])
        value = elements.start(s.combine, s.kind)
        self.memory.write("Clear", s.buffer, places, s.kind, value)

    def copy(self, s: Copy) -> None:
        """Elements of one buffer into another."""
        a, b = self.memory.at(s.source), self.memory.at(s.target)
        if self.memory.overlap(s.source, s.target) and a.start != b.start:
            self.memory.violate("a copy between places that overlap")
        places = np.arange(self.size(s.elements))
        values = self.memory.read("Copy", s.source, places, s.kind)
        self.memory.write("Copy", s.target, places, s.kind, values)

    def matrices(self, s: Multiply, which: str, rows: Size, columns: Size, turned: bool) -> Any:
        """An operand: some matrices, as they are multiplied."""
        dims = [
            self.size(d) for d in (s.products, *((columns, rows) if turned else (rows, columns)))
        ]
        places = np.arange(prod(dims))
        result = self.memory.read(f"Multiply {which}", getattr(s, which), places, s.kind)
        result = result.reshape(dims)
        return result.swapaxes(1, 2) if turned else result

    def multiply(self, s: Multiply) -> None:
        """Products of matrices; a right operand that was packed is still what it was then."""
        if any(self.memory.overlap(s.c, operand) for operand in (s.a, s.b)):
            self.memory.violate("a product is written over what it is made of")
        a = self.matrices(s, "a", s.m, s.k, s.transpose_a)
        b = self.matrices(s, "b", s.k, s.n, s.transpose_b)
        if s.packed >= 0:
            if s.packed not in self.packed:
                self.memory.violate(f"nothing is packed in b{s.packed}")
            if self.packed[s.packed].tobytes() != b.tobytes():
                self.memory.violate(f"b{s.b} is no longer what was packed of it")
        result = np.matmul(elements.wide(a), elements.wide(b))
        if s.add:
            result = result + self.matrices(s, "c", s.m, s.n, False)
        result = result.astype(numpy_dtype(s.kind)).ravel()
        self.memory.write("Multiply", s.c, np.arange(len(result)), s.kind, result)

    def pack(self, s: PackRight) -> None:
        """Keeps the right operand of products."""
        p = s.product
        self.packed[p.packed] = self.matrices(p, "b", p.k, p.n, p.transpose_b).copy()

    def scan(self, s: Scan) -> None:
        """Each element combined with those before it."""
        a, b = self.memory.at(s.source), self.memory.at(s.target)
        if self.memory.overlap(s.source, s.target) and a.start != b.start:
            self.memory.violate("a scan between places that overlap")
        dims = [self.size(axis) for axis in s.axes]
        places = np.arange(prod(dims))
        x = elements.wide(self.memory.read("Scan", s.source, places, s.kind)).reshape(dims)
        x = x[:, ::-1] if s.reverse else x
        begun = elements.start(s.combine, s.kind)
        result = elements.function(s.combine).accumulate(x, axis=1)
        if s.exclusive:
            first = np.full_like(result[:, :1], begun)
            result = np.concatenate([first, result[:, :-1]], axis=1)
        result = result[:, ::-1] if s.reverse else result
        values = result.astype(numpy_dtype(s.kind)).ravel()
        self.memory.write("Scan", s.target, places, s.kind, values)

    def call(self, s: OutsideCall) -> None:
        """What a routine outside makes of whole buffers."""
        for i, target in enumerate(s.targets):
            if any(self.memory.overlap(target, b) for b in (*s.sources, *s.targets[:i])):
                self.memory.violate(f"b{target} is written over what a routine is given")
        buffers = [*s.sources, *s.targets]
        dims = [[self.size(d) for d in shape] for shape in s.shapes]
        sources, results = [], []
        for i, (buffer, kind, shape) in enumerate(zip(buffers, s.kinds, dims, strict=True)):
            if i < len(s.sources):
                array = self.memory.read("Call", buffer, np.arange(prod(shape)), kind)
                sources.append(np.array(array).reshape(shape))
            else:
                results.append(np.zeros(shape, numpy_dtype(kind)))
        if s.routine == "kernel":
            number, *rest = sources
            if called(int(number[0]), *rest, *results):
                raise Refused
        else:
            try:
                results[0][...] = ROUTINES[s.routine](s.flags, *sources)
            except np.linalg.LinAlgError:
                raise Refused from None
        for target, kind, array in zip(s.targets, s.kinds[len(s.sources) :], results):
            self.memory.write("Call", target, np.arange(array.size), kind, array.ravel())

    def loop(self, s: Loop) -> None:
        """while condition: body. All variables take their next values at once."""
        here, before = self.memory.here, self.scalars
        number, around = here.number, here.around
        result = [(v, self.scalar(first, k, "Loop first"), k) for v, first, _, k in s.scalars]
        self.scalars = dict(before)
        for variable, value, kind in result:
            self.define(variable, value, kind, "loop variable")
        for turn in range(_TURNS):
            kept = dict(self.scalars)
            self.block(s.condition, (*around, (number, "condition", turn)))
            self.memory.here = Here((*around, (number, "condition", turn)), len(s.condition))
            self.memory.statement = s
            if not self.scalar(s.again, "b1", "Loop again")[0]:
                break
            body = (*around, (number, "body", turn))
            self.block(s.body, body)
            self.memory.here, self.memory.statement = Here(body, len(s.body)), s
            result = [(v, self.scalar(n, k, "Loop next"), k) for v, _, n, k in s.scalars]
            self.memory.exchange(s.buffers)
            self.scalars = kept
            for variable, value, kind in result:
                self.define(variable, value, kind, "loop variable")
        else:
            self.memory.violate("a loop does not end")
        self.memory.here = here

    def choice(self, s: Choice) -> None:
        """One of two sides, and what it says of each result."""
        here, before = self.memory.here, self.scalars
        taken = bool(self.scalar(s.condition, "b1", "Choice condition")[0])
        side, block = ("then", s.then) if taken else ("otherwise", s.otherwise)
        around = (*here.around, (here.number, side, 0))
        self.scalars = dict(before)
        self.block(block, around)
        self.memory.here, self.memory.statement = Here(around, len(block)), s
        outcome = [(result, self.scalar(then if taken else other, kind, "Choice result"), kind)
                 for result, then, other, kind in s.scalars]  # fmt: skip
        self.memory.here, self.scalars = here, before
        for result, value, kind in outcome:
            self.define(result, value, kind, "choice scalar")

    RULES: Any = {
        Nest: nest,
        Straight: straight,
        Clear: clear,
        Copy: copy,
        Multiply: multiply,
        PackRight: pack,
        Scan: scan,
        OutsideCall: call,
        Loop: loop,
        Choice: choice,
    }
