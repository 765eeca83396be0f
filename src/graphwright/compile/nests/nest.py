"""The loop-nest form: what native code is made of, without a word about LLVM.

A program has buffers, scalars and statements over them. A `Nest` is a space of axes with
stages that run one after the other for each index of the outer axes; a stage is a list of
instructions in SSA form (loads by linear index maps, element expressions of ops), what is
stored of them and what is reduced.

Statements run one after the other. A buffer is read only where it was written before, as this
buffer: others may have its memory before and after. A scalar is known from its statement to the
end of the block that it is in; out of a loop or a branch come its `scalars` alone. What ops refuse
(division by zero, indices out of range) ends the program: the kernels do it all again.
`tests/plans` has an interpreter of this form.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from graphwright.base.named_tuples import NamedTuple
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


# -- instructions: each has one result, named by its position in the stage ------------------


class Load(NamedTuple):
    """An element of a buffer."""

    buffer: int
    at: Linear
    kind: str
    #: Instructions whose results are indices, and how far apart what they count is.
    picks: tuple[tuple[int, Size], ...] = ()

    def __str__(self) -> str:
        picked = "".join([f" + .{i}*{s}" for i, s in self.picks])
        return f"load b{self.buffer}[{self.at}{picked}] : {self.kind}"


class Index(NamedTuple):
    """A place itself, as a number."""

    at: Linear
    kind: str

    def __str__(self) -> str:
        return f"{self.at} : {self.kind}"


class ScalarConstant(NamedTuple):
    """A number."""

    value: Any
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
    """A value of this outer index: a reduction's result, or something computed from it."""

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
    """A size as a number of some kind: what a mean divides by."""

    size: Size
    kind: str

    def __str__(self) -> str:
        return f"size {self.size} : {self.kind}"


Instruction = Load | Index | ScalarConstant | Scalar | Row | Element | Count


# -- statements -----------------------------------------------------------------------------


class Store(NamedTuple):
    """Writes an instruction's result; `combine` names how, where it adds to what is there.

    Code takes the innermost axis in vectors. Along it `picks` do not change, and places of what is
    added are all the same, or one after the other.
    """

    value: int
    buffer: int
    at: Linear
    kind: str
    combine: str = ""
    picks: tuple[tuple[int, Size], ...] = ()  # as those of a load

    def __str__(self) -> str:
        sign = f"{self.combine}=" if self.combine else "="
        picked = "".join([f" + .{i}*{s}" for i, s in self.picks])
        return f"b{self.buffer}[{self.at}{picked}] {sign} .{self.value}"


class Reduce(NamedTuple):
    """Combines an instruction's results over the inner axes into a row value."""

    value: int
    row: int
    combine: str  # sum, prod, max, min, all, any; peak, trough: without regard to NaN
    kind: str

    def __str__(self) -> str:
        return f"row{self.row} = {self.combine} .{self.value}"


class Keep(NamedTuple):
    """Makes an instruction's result a row value (in a stage without inner axes)."""

    value: int
    row: int

    def __str__(self) -> str:
        return f"row{self.row} = .{self.value}"


class Stage(NamedTuple):
    """One pass over the inner axes, in any order; `inner` False: once for each outer index.

    A pass loads some elements, as many as it likes, before it stores any of them, or loads each
    just before the effect that needs it; what runs once computes everything before its effects.
    """

    instructions: tuple[Instruction, ...]
    effects: tuple[Store | Reduce | Keep, ...]
    inner: bool = True


class Nest(NamedTuple):
    """Loops over a space: `outer` axes outside all stages, the others inside each.

    Outer indices come in any order, and at the same time. Where `outer` is 0, each element takes
    all stages by itself, and what the stages reduce to becomes scalars of the program. What is
    `ordered` writes to places that follow from data: its steps are taken one after the other,
    though along an inner axis they are apart. That is the last axis, if `outer` is 0.
    """

    axes: Shape
    outer: int
    stages: tuple[Stage, ...]
    #: Row values that become scalars: (row, scalar, kind).
    scalars: tuple[tuple[int, int, str], ...] = ()
    ordered: bool = False
    #: Buffers in whose memory a result may be: a pass loads all that it needs of them for some
    #: elements before it writes any of these.
    first: frozenset[int] = frozenset()


class Straight(NamedTuple):
    """Scalars computed once: all instructions, then which results are which scalars, then what is
    stored, at places without axes or picks; nothing is added to what is there."""

    instructions: tuple[Instruction, ...]
    scalars: tuple[tuple[int, int, str], ...]
    stores: tuple[Store, ...] = ()


class Clear(NamedTuple):
    """Fills a buffer with what a reduction starts from."""

    buffer: int
    kind: str
    combine: str


class Multiply(NamedTuple):
    """c = a @ b of row-major matrices; flags transpose the operands. With `add`, c += a @ b.

    Of several `products` the operands lie one after the other, and so do the results; these lie
    apart from a and b. `packed` is the buffer in which b was packed before, -1 if it was not; b is
    still there then, as it was: small products read it.
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
        """The multiplications of numbers."""
        return self.products * self.m * self.n * self.k


class PackRight(NamedTuple):
    """Packs the right operand of a product into a buffer, for all products that will use it."""

    product: Multiply


class Scan(NamedTuple):
    """Each element combined with all before it along the second of three axes.

    What is `exclusive` leaves out the element itself, what is `reverse` runs from the end.
    """

    source: int
    target: int
    axes: tuple[Size, Size, Size]
    combine: str
    exclusive: bool
    reverse: bool
    kind: str


class Copy(NamedTuple):
    """The elements of one buffer into another, which lie in the same place or apart."""

    source: int
    target: int
    elements: Size
    kind: str


class Loop(NamedTuple):
    """while condition: body, over scalars and buffers that take their next values together.

    `scalars`: (the variable, its first value, its next value, kind); `buffers`: (the variable's
    buffer, the next one's), whose addresses change places. What a variable held is gone then,
    unless it is the next value of another one.
    """

    condition: tuple[Any, ...]
    again: int
    body: tuple[Any, ...]
    scalars: tuple[tuple[int, int, int, str], ...]
    buffers: tuple[tuple[int, int], ...]


class Choice(NamedTuple):
    """if condition: then, else: otherwise; `scalars`: (result, from then, from else, kind)."""

    condition: int
    then: tuple[Any, ...]
    otherwise: tuple[Any, ...]
    scalars: tuple[tuple[int, int, int, str], ...]


# -- lists: items of one shape one after the other; lengths are scalars or sizes ------------


class Reserve(NamedTuple):
    """Room for a list of `length` items, zeros if nothing is written to them; not less than 0.

    `written` are slots of scalars that say whether anything was written: the list's own, and the
    one of the list that it is made like (or -1).
    """

    buffer: int
    capacity: int
    length: Size | int
    item: Size  # elements
    kind: str
    written: tuple[int, int] = (-1, -1)


class Extend(NamedTuple):
    """A list with room for one more item, which is to be written, or up to the item `place`, or
    of a length that `exactly` says: what is new of these is zeros.

    `result` is its length then. A list that gets more room may move: views of it are then wrong.
    """

    buffer: int
    capacity: int
    length: Size | int
    result: int
    item: Size
    kind: str
    place: int = -1
    exactly: Size | int = -1


class Shorten(NamedTuple):
    """`result` is the length of a list without its last `by` items; there must be so many."""

    length: Size | int
    result: int
    by: Size | int = ONE


class Locate(NamedTuple):
    """`view` is the memory of an item of a list; an index outside it is not native."""

    view: int
    buffer: int
    place: int
    length: Size | int
    item: Size
    kind: str


class Transfer(NamedTuple):
    """`number` items of one list, from `start` on, copied to `place` of another."""

    source: int
    start: Size | int
    target: int
    place: Size | int
    number: int
    item: Size
    kind: str


class Agree(NamedTuple):
    """Two lengths must be the same."""

    one: Size | int
    other: Size | int


class Mark(NamedTuple):
    """Notes that something was written to a list."""

    written: int


class Require(NamedTuple):
    """Leaves it to others to read a list that nothing was written to (or that is empty)."""

    written: int
    length: Size | int


class Deliver(NamedTuple):
    """Makes a list's memory, or a copy of it, that of a late buffer, result number `result`."""

    buffer: int
    late: int
    result: int
    length: Size | int
    item: Size
    kind: str
    copy: bool


ListStatement = Reserve | Extend | Shorten | Locate | Transfer | Agree | Mark | Require | Deliver
Statement = (
    Nest | Straight | Clear | Multiply | PackRight | Scan | Copy | Loop | Choice | ListStatement
)


def inner_blocks(statement: Statement) -> tuple[tuple[Statement, ...], ...]:
    """The statements in a statement."""
    if isinstance(statement, Loop):
        return statement.condition, statement.body
    if isinstance(statement, Choice):
        return statement.then, statement.otherwise
    return ()


def all_statements(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """Statements at any depth."""
    for statement in body:
        yield statement
        for block in inner_blocks(statement):
            yield from all_statements(block)


def exchanges(loop: Loop) -> list[tuple[int, int]]:
    """(buffer, the one whose address it gets) when a loop's variables take their next values:
    nobody's address is lost, and what is not next to another by a pair gets nothing of it."""
    variable_of = {following: variable for variable, following in loop.buffers}
    ends = [f for _, f in loop.buffers if f not in {v for v, _ in loop.buffers}]
    found = list(loop.buffers)
    for end in ends:
        first = end
        while first in variable_of:  # back along the chain
            first = variable_of[first]
        found.append((end, first))
    return found


class Buffer(NamedTuple):
    """Memory of a program: an input, a result, or its own.

    What is `owned` is allocated by a statement: lists, which move when they grow, and packed
    operands. The address of a `view` is an item's in a list; a `late` result is a list, so its
    first dimension and its memory are known in the end.
    """

    #: input, result, temporary, row (memory for one outer index of one nest), owned, view, late,
    #: alias (a name for what lies in another's memory, which no plan knows any more)
    role: str
    shape: Shape
    kind: str


class Program(NamedTuple):
    """What native code is made of."""

    symbols: tuple[tuple[int, int, int], ...]  # (symbol, input, axis)
    expected: tuple[int, ...]  # their values in this trace, -1 where it does not say
    derived: tuple[tuple[int, str, Shape], ...]
    guards: tuple[tuple[Size, Size], ...]
    buffers: tuple[Buffer, ...]
    inputs: tuple[int, ...]  # their buffers
    results: tuple[tuple[int, Shape], ...]
    scalars: int  # how many there are
    body: tuple[Statement, ...]
    crossing: Any = None  # which inputs and results are lists: see `list_boundary`
    #: (symbol, buffer): sizes that are given as numbers.
    numbers: tuple[tuple[int, int], ...] = ()
    #: (result, input): whoever calls may say that the result is to have the input's memory.
    reuses: tuple[tuple[int, int], ...] = ()
    #: (buffer, the one that it was made one with): statements of a plan know it by that name.
    names: tuple[tuple[int, int], ...] = ()
    #: (temporary, the buffer whose memory it has, or itself): see `arena.homes`.
    homes: tuple[tuple[int, int], ...] = ()

    def sizes(self) -> Callable[[Size], int | None]:
        """What a size is in this trace, as far as it says."""
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


def show(statements: tuple[Any, ...], depth: int) -> list[str]:
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
