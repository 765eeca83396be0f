"""The loop-nest form of a program, without a word about LLVM.

A program has buffers, scalars and statements over them. A `Nest` is a space of axes with stages
that run one after the other for each index of the outer axes. A stage is a list of instructions in
SSA form, and of effects that store or reduce their results. Instructions are loads by linear index
maps, and element expressions of ops.

Statements run one after the other. A read of a buffer follows a write to this buffer: others may
have its memory before and after. A scalar is known from its statement to the end of its block. A
loop or a branch hands on its `scalars` alone. Where an op refuses its operands (division by zero,
indices out of range) the program ends, and the kernels do all of it again. `tests/plans` has an
interpreter of this form.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from graphwright.base.errors import Location
from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.nests.call_statements import OutsideCall
from graphwright.compile.nests.list_statements import ListStatement
from graphwright.compile.nests.sizes import DERIVATIONS, ONE, Shape, Size
from graphwright.op.op import Op


class Linear(NamedTuple):
    """An element's place in a buffer: offsets + axis i * strides[i] + scalar * stride ...

    Scalars of places are int64.
    """

    offsets: tuple[Size, ...]
    strides: Shape
    scalars: tuple[tuple[int, Size], ...] = ()

    def __str__(self) -> str:
        terms = [str(o) for o in self.offsets if o.factor]
        terms += [f"i{k}*{s}" for k, s in enumerate(self.strides) if s.factor]
        terms += [f"%{k}*{s}" for k, s in self.scalars]
        return " + ".join(terms) or "0"


# -- instructions: each has one result, whose number is its position in the stage -----------


class Load(NamedTuple):
    """An element of a buffer."""

    buffer: int
    place: Linear
    kind: str
    #: (instruction, stride): its result times the stride is added to the place.
    picks: tuple[tuple[int, Size], ...] = ()

    def __str__(self) -> str:
        picked = "".join([f" + .{i}*{s}" for i, s in self.picks])
        return f"load b{self.buffer}[{self.place}{picked}] : {self.kind}"


class Index(NamedTuple):
    """A place as a number."""

    place: Linear
    kind: str

    def __str__(self) -> str:
        return f"{self.place} : {self.kind}"


class ScalarConstant(NamedTuple):
    """A constant number."""

    value: int | float
    kind: str

    def __str__(self) -> str:
        return f"{self.value!r} : {self.kind}"


class Scalar(NamedTuple):
    """A scalar of the program."""

    scalar: int
    kind: str

    def __str__(self) -> str:
        return f"%{self.scalar} : {self.kind}"


class Row(NamedTuple):
    """A value of the current outer index: a reduction's result, or a value computed from it."""

    row: int
    kind: str

    def __str__(self) -> str:
        return f"row{self.row} : {self.kind}"


class Element(NamedTuple):
    """An op's element expression, or a conversion, on earlier instructions of the stage."""

    op: Op
    operands: tuple[int, ...]
    kind: str

    def __str__(self) -> str:
        return f"{self.op}({', '.join(f'.{i}' for i in self.operands)}) : {self.kind}"


class Count(NamedTuple):
    """A size as a number of some kind, such as the divisor of a mean."""

    size: Size
    kind: str

    def __str__(self) -> str:
        return f"size {self.size} : {self.kind}"


Instruction: TypeAlias = Load | Index | ScalarConstant | Scalar | Row | Element | Count


# -- statements -----------------------------------------------------------------------------


class Store(NamedTuple):
    """Writes an instruction's result; `combine` says how it combines with the element there, if so.

    Code takes the innermost axis in vectors. Along it `picks` do not change. The places of combined
    elements are all the same or adjacent: those of one store, or of several that leave no gap.
    """

    value: int
    buffer: int
    place: Linear
    kind: str
    combine: str = ""
    picks: tuple[tuple[int, Size], ...] = ()  # as those of a load

    def __str__(self) -> str:
        sign = f"{self.combine}=" if self.combine else "="
        picked = "".join([f" + .{i}*{s}" for i, s in self.picks])
        return f"b{self.buffer}[{self.place}{picked}] {sign} .{self.value}"


class Reduce(NamedTuple):
    """Combines an instruction's results over the inner axes into a row value."""

    value: int
    row: int
    combine: str  # sum, prod, max, min, all, any; peak, trough: max, min that ignore NaN
    kind: str

    def __str__(self) -> str:
        return f"row{self.row} = {self.combine} .{self.value}"


class Keep(NamedTuple):
    """Makes an instruction's result a row value (in a stage without inner axes)."""

    value: int
    row: int

    def __str__(self) -> str:
        return f"row{self.row} = .{self.value}"


StageEffect: TypeAlias = Store | Reduce | Keep


class Stage(NamedTuple):
    """One pass over the inner axes, in any order; without `inner`, one step for each outer index.

    A pass loads some elements, any number, before it stores any of them, or loads each just before
    the effect that needs it. A stage of one step computes everything before its effects.
    """

    instructions: tuple[Instruction, ...]
    effects: tuple[StageEffect, ...]
    inner: bool = True


class Nest(NamedTuple):
    """Loops over a space: `outer` axes outside all stages, the others inside each.

    Outer indices come in any order, and at the same time. Where `outer` is 0, each element takes
    all stages by itself, and reductions become scalars of the program. An `ordered` nest writes to
    places that follow from data, so its steps run one after the other. Along an inner axis their
    places differ; that is the last axis, if `outer` is 0.
    """

    axes: Shape
    outer: int
    stages: tuple[Stage, ...]
    #: Row values that become scalars: (row, scalar, kind).
    scalars: tuple[tuple[int, int, str], ...] = ()
    ordered: bool = False
    #: Buffers that may share memory with a result. For some elements, a pass loads all that it
    #: needs of them before it writes.
    first: frozenset[int] = frozenset()


class Straight(NamedTuple):
    """Scalars computed once: all instructions, then scalars from their results, then stores.

    Stores have places without axes. In plans they have no picks, and combine with nothing.
    """

    instructions: tuple[Instruction, ...]
    scalars: tuple[tuple[int, int, str], ...]
    stores: tuple[Store, ...] = ()


class Clear(NamedTuple):
    """Fills a buffer with the initial value of a reduction."""

    buffer: int
    kind: str
    combine: str


class Multiply(NamedTuple):
    """c = a @ b of row-major matrices; flags transpose the operands. With `add`, c += a @ b.

    Several `products` have adjacent operands and adjacent results. c lies apart from a and b.
    `packed` is the buffer in which b was packed before, or -1. b must still be there, unchanged:
    small products read it.
    """

    a: int
    b: int
    c: int
    m: Size
    n: Size
    k: Size
    transpose_a: bool
    transpose_b: bool
    kind: str
    add: bool = False
    packed: int = -1
    products: Size = ONE

    @property
    def work(self) -> Size:
        """The number of multiplications."""
        return self.products * self.m * self.n * self.k


class PackRight(NamedTuple):
    """Packs the right operand of a product into a buffer, for all products that will use it."""

    product: Multiply


class Scan(NamedTuple):
    """Combines each element with all before it along the second of three axes.

    An `exclusive` scan leaves out the element itself, a `reverse` one runs from the end.
    """

    source: int
    target: int
    axes: tuple[Size, Size, Size]
    combine: str
    exclusive: bool
    reverse: bool
    kind: str


class Copy(NamedTuple):
    """Copies the elements of one buffer to another, at the same address or apart."""

    source: int
    target: int
    elements: Size
    kind: str


class Loop(NamedTuple):
    """while condition: body, over scalars and buffers that take their next values together.

    `scalars`: (the variable, its first value, its next value, kind); `buffers`: (the variable's
    buffer, the next one's), which exchange their addresses. The old value of a variable is lost
    then, unless it is the next value of another one.
    """

    condition: tuple[Statement, ...]
    again: int
    body: tuple[Statement, ...]
    scalars: tuple[tuple[int, int, int, str], ...]
    buffers: tuple[tuple[int, int], ...]


class Choice(NamedTuple):
    """if condition: then, else: otherwise; `scalars`: (result, from then, from else, kind)."""

    condition: int
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]
    scalars: tuple[tuple[int, int, int, str], ...]


Statement: TypeAlias = (
    Nest
    | Straight
    | Clear
    | Multiply
    | PackRight
    | Scan
    | Copy
    | OutsideCall
    | Loop
    | Choice
    | ListStatement
)


def inner_blocks(statement: Statement) -> tuple[tuple[Statement, ...], ...]:
    """The blocks of statements inside a statement."""
    if isinstance(statement, Loop):
        return statement.condition, statement.body
    if isinstance(statement, Choice):
        return statement.then, statement.otherwise
    return ()


def all_statements(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """The statements of a block, at any depth."""
    for statement in body:
        yield statement
        for block in inner_blocks(statement):
            yield from all_statements(block)


def exchanges(loop: Loop) -> list[tuple[int, int]]:
    """(buffer, the one whose address it gets) where a loop's variables take their next values.

    No address is lost, and addresses move along chains of pairs alone.
    """
    variable_of = {following: variable for variable, following in loop.buffers}
    ends = [f for _, f in loop.buffers if f not in {v for v, _ in loop.buffers}]
    pairs = list(loop.buffers)
    for end in ends:
        first = end
        while first in variable_of:  # back along the chain
            first = variable_of[first]
        pairs.append((end, first))
    return pairs


def exchanged(body: tuple[Statement, ...]) -> Iterator[int]:
    """The buffers that exchange their addresses in loops."""
    for statement in all_statements(body):
        if isinstance(statement, Loop):
            for pair in statement.buffers:
                yield from pair


class Buffer(NamedTuple):
    """Memory of a program: an input, a result, or its own.

    A statement allocates an `owned` buffer: a list, which moves when it grows, or a packed operand.
    The address of a `view` is that of an item in a list. A `late` result is a list: its first
    dimension and its memory are known in the end.
    """

    #: input, result, temporary, row (memory for one outer index of one nest), owned, view, late, or
    #: alias: a value in another buffer's memory. Plans have no aliases any more.
    role: str
    shape: Shape
    kind: str


class Program(NamedTuple):
    """Statements with their buffers, scalars, sizes and guards, ready to become native code."""

    symbols: tuple[tuple[int, int, int], ...]  # (symbol, input, axis)
    expected: tuple[int, ...]  # their values in this trace, -1 if unknown
    derived: tuple[tuple[int, str, Shape], ...]
    guards: tuple[tuple[Size, Size], ...]
    buffers: tuple[Buffer, ...]
    inputs: tuple[int, ...]  # their buffers
    results: tuple[tuple[int, Shape], ...]
    scalars: int  # how many there are
    body: tuple[Statement, ...]
    crossing: Any = None  # the inputs and results that are lists: see `list_boundary`
    #: (symbol, buffer): sizes that arrive as numbers.
    numbers: tuple[tuple[int, int], ...] = ()
    #: (result, input): a call may lend the input's memory to the result.
    reuses: tuple[tuple[int, int], ...] = ()
    #: (buffer, the one that it was joined with): statements of a plan know it by that name.
    names: tuple[tuple[int, int], ...] = ()
    #: (temporary, the buffer whose memory it has, or itself): see `arena.homes`.
    homes: tuple[tuple[int, int], ...] = ()

    #: The ops whose kernels it calls, and their lines in the program.
    kernels: tuple[tuple[str, Location | None], ...] = ()

    def sizes(self) -> Callable[[Size], int | None]:
        """A function that gives the value of a size in this trace, or None."""
        known = {s: n for (s, _, _), n in zip(self.symbols, self.expected) if n >= 0}

        def value(size: Size) -> int | None:
            numbers = [known.get(s, -1) for s in size.symbols]
            return math.prod(numbers, start=size.factor) if min(numbers, default=0) >= 0 else None

        for symbol, function, operands in self.derived:
            a, b = map(value, operands)
            if a is not None and b is not None:
                known[symbol] = DERIVATIONS[function](a, b)
        return value

    def __str__(self) -> str:
        lines = [
            f"b{i}: {b.role} {b.kind}[{', '.join(map(str, b.shape))}]"
            for i, b in enumerate(self.buffers)
        ]
        lines += [f"s{i} = {name}({', '.join(map(str, sizes))})" for i, name, sizes in self.derived]
        lines += [f"guard {a} == {b}" for a, b in self.guards]
        return "\n".join([*lines, *show(self.body, 0)])


def show(statements: tuple[Statement, ...], depth: int) -> list[str]:
    """Statements as indented lines."""
    pad = "  " * depth
    lines: list[str] = []
    for statement in statements:
        if isinstance(statement, Nest):
            axes = ", ".join(map(str, statement.axes))
            lines.append(f"{pad}nest [{axes}] outer {statement.outer}")
            for stage in statement.stages:
                lines.append(f"{pad}  {'each' if stage.inner else 'once'}")
                lines += [f"{pad}    .{i} = {x}" for i, x in enumerate(stage.instructions)]
                lines += [f"{pad}    {e}" for e in stage.effects]
            lines += [f"{pad}  %{s} = row{r} : {k}" for r, s, k in statement.scalars]
        elif isinstance(statement, Straight):
            lines.append(f"{pad}straight")
            lines += [f"{pad}    .{i} = {x}" for i, x in enumerate(statement.instructions)]
            lines += [f"{pad}    %{s} = .{v} : {k}" for v, s, k in statement.scalars]
            lines += [f"{pad}    {store}" for store in statement.stores]
        elif isinstance(statement, Loop):
            lines.append(f"{pad}loop {statement.scalars} {statement.buffers}")
            lines += show(statement.condition, depth + 1)
            lines.append(f"{pad}while %{statement.again}")
            lines += show(statement.body, depth + 1)
        elif isinstance(statement, Choice):
            lines.append(f"{pad}if %{statement.condition} {statement.scalars}")
            lines += show(statement.then, depth + 1)
            lines.append(f"{pad}else")
            lines += show(statement.otherwise, depth + 1)
        else:
            lines.append(f"{pad}{statement}")
    return lines
