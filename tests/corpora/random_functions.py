"""Random programs over integers in variables, attributes, containers and nested tuples.

They compare a function with its converted self.

Every loop is bounded and no operation fails, whatever the variables hold, so that a
staging that takes both branches of an `if` gets through them too. A program is drawn from
anything that picks numbers: hypothesis, which shrinks what fails, or `random`, which is
quick enough for many thousands.
"""

from __future__ import annotations

import itertools
import linecache
import random
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import strategies as st

VARIABLES = (
    "a", "b", "c", "box.v", "box.inner.v", "slots[0]", "table['k']", "table['l'][1]", "boxes[0].v",
)  # fmt: skip
PARTS = (
    "pair[0]", "pair[1][0]", "pair[1][1]['z']", "kept[0]", "kept[-1]", "grown[0]", "grown[-1]",
    "len(grown)",
)  # fmt: skip  # never assigned
RESULT = (
    "b, c, box.v, box.inner.v, slots[0], table['k'], table['l'][1], pair, boxes[0].v, kept, "
    "digest(grown), len(grown)"
)
SETUP = """def program(a, b, c, zero):
    box = Box()
    box.v = b
    box.inner = Box()
    box.inner.v = zero
    slots = [c, zero]
    table = {'k': a, 'l': [b, zero]}
    boxes = [Box()]
    boxes[0].v = a
    pair = (a, (b, {'z': c}))
    kept = [a, b, zero]
    def bump(by):
        nonlocal c
        c = (c + by) % 11
        if c > 5:
            slots[0] = (slots[0] + 1) % 5
    grown = [a, c]
    def push(item):
        if item % 2 == 0:
            grown.append(item)
    def digest(items):
        result = zero
        for item in items:
            result = (result * 7 + item) % 1009
        return result
"""
#: Grows from the beginning on, so that it may in all branches, and by another name too.
GROWN = """    for item in tensor([2, 3]):
        grown.append(item + c)
    also = grown
"""
_numbers = itertools.count()


class Box:
    """An object with an attribute."""

    v: Any


Pick = Callable[[int], int]  # a number from 0 on, below the given one


class _Writer:
    """Draws one program; `tensors` writes loops over toy tensors too."""

    def __init__(self, below: Pick, tensors: bool) -> None:
        self.below = below
        self.tensors = tensors
        self.lines: list[str] = []
        self.counters = 0
        self.left = 25
        self.names = [*VARIABLES, *PARTS]
        self.grown = ["grown"]
        self.growing = 0  # how many loops of the graph are around

    def pick(self, *choices: Any) -> Any:
        return choices[self.below(len(choices))]

    def number(self, first: int, last: int) -> int:
        return first + self.below(last - first + 1)

    def sometimes(self) -> bool:
        return bool(self.below(2))

    def variable(self) -> str:
        return self.pick(*VARIABLES)

    def name(self) -> str:
        return self.pick(*self.names)

    def value(self, depth: int = 2) -> str:
        kind = self.pick("name", "number", "sum", "exp", "call") if depth else "name"
        if kind == "name":
            return self.name()
        if kind == "number":
            return str(self.number(-3, 3))
        if kind == "sum":
            return f"({self.value(depth - 1)} {self.pick('+', '-', '*')} {self.name()}) % 7"
        if kind == "call":
            return f"helper({self.value(depth - 1)})"
        return f"({self.value(depth - 1)} if {self.test(1)} else {self.value(depth - 1)})"

    def test(self, depth: int = 2) -> str:
        kind = self.pick("less", "equal", "and", "or", "not", "chain") if depth else "less"
        if kind == "less":
            return f"{self.name()} < {self.number(-2, 4)}"
        if kind == "equal":
            return f"{self.name()} % 3 == {self.number(0, 2)}"
        if kind == "not":
            return f"not ({self.test(depth - 1)})"
        if kind == "chain":
            return f"-2 < {self.name()} <= {self.name()}"
        return f"({self.test(depth - 1)} {kind} {self.test(depth - 1)})"

    def block(self, indent: str, depth: int, loop: bool) -> None:
        for _ in range(self.number(1, 3)):
            self.left -= 1
            self.statement(indent, depth if self.left > 0 else 0, loop)
        if not depth and self.sometimes():
            self.jump(indent, loop)

    def jump(self, indent: str, loop: bool) -> None:
        kinds = ("return", "break", "continue") if loop else ("return",)
        kind = self.pick(*kinds)
        value = f" ({self.value()}, {RESULT})" if kind == "return" else ""
        self.lines.append(f"{indent}if {self.test()}:")
        self.lines.append(f"{indent}    {kind}{value}")

    def statement(self, indent: str, depth: int, loop: bool) -> None:
        simple = ("assign", "add", "jump", "log", "bump", "pack", "unpack", "rotate", "sum")
        if self.growing:
            simple = (*simple, "grow", "grow", "grow", "shrink", "store", "push")
        deep = (*simple, "if", "if", "for", "while", "try", "with")
        getattr(self, f"write_{self.pick(*(deep if depth else simple))}")(indent, depth, loop)

    def write_assign(self, indent: str, depth: int, loop: bool) -> None:
        self.lines.append(f"{indent}{self.variable()} = {self.value()}")

    def write_add(self, indent: str, depth: int, loop: bool) -> None:
        self.lines.append(f"{indent}{self.variable()} += {self.value()} % 5")

    def write_pack(self, indent: str, depth: int, loop: bool) -> None:
        value = f"({self.value()}, ({self.value(1)}, {{'z': {self.value(0)}}}))"
        self.lines.append(f"{indent}pair = {value}")

    def write_unpack(self, indent: str, depth: int, loop: bool) -> None:
        one, two = self.variable(), self.variable()
        self.lines.append(f"{indent}{one}, ({two}, _) = pair")

    def write_rotate(self, indent: str, depth: int, loop: bool) -> None:
        change = f"kept.append(kept.pop(0) + {self.value(1)})" if not loop else "pass"
        self.lines.append(f"{indent}{change}")  # the body of a loop is traced once

    def write_grow(self, indent: str, depth: int, loop: bool) -> None:
        value = self.value(1)
        choices = (f".append({value})", f".extend([{value}, {self.name()}])", f" += [{value}]")
        self.lines.append(f"{indent}{self.pick(*self.grown)}{self.pick(*choices)}")

    def write_shrink(self, indent: str, depth: int, loop: bool) -> None:
        name = self.pick(*self.grown)
        self.lines.append(f"{indent}if len({name}) > 2:")
        self.lines.append(f"{indent}    {self.variable()} = {name}.pop() % 7")

    def write_store(self, indent: str, depth: int, loop: bool) -> None:
        place = self.pick("0", "-1", "b % len(grown)" if len(self.grown) > 1 else "1")
        self.lines.append(f"{indent}{self.pick(*self.grown)}[{place}] = {self.value(1)}")

    def write_push(self, indent: str, depth: int, loop: bool) -> None:
        call = self.pick(
            f"push({self.value(1)})", f"give({self.pick(*self.grown)}, {self.value(1)})"
        )
        self.lines.append(f"{indent}{call}")

    def write_sum(self, indent: str, depth: int, loop: bool) -> None:
        self.lines.append(f"{indent}for item in {self.pick(*self.grown)}:")
        self.lines.append(f"{indent}    if {self.test(1)}:")
        self.lines.append(f"{indent}        b = (b + item) % 7")

    def write_log(self, indent: str, depth: int, loop: bool) -> None:
        self.lines.append(f"{indent}log({self.value()})" if not self.tensors else f"{indent}pass")

    def write_bump(self, indent: str, depth: int, loop: bool) -> None:
        self.lines.append(f"{indent}bump({self.value()})")

    def write_jump(self, indent: str, depth: int, loop: bool) -> None:
        self.jump(indent, loop)

    def write_if(self, indent: str, depth: int, loop: bool) -> None:
        self.lines.append(f"{indent}if {self.test()}:")
        self.block(indent + "    ", depth - 1, loop)
        if self.sometimes():
            self.lines.append(f"{indent}elif {self.test()}:")
            self.block(indent + "    ", depth - 1, loop)
        if self.sometimes():
            self.lines.append(f"{indent}else:")
            self.block(indent + "    ", depth - 1, loop)

    def write_for(self, indent: str, depth: int, loop: bool) -> None:
        items = [self.number(-1, 3) for _ in range(self.number(0, 3))]
        choices = [f"{items}", f"range({len(items)})"]
        if self.tensors:
            choices.append(f"tensor({items})")
        target = self.pick("_", self.variable()) if not self.tensors else "_"
        chosen = self.pick(*choices)
        self.lines.append(f"{indent}for {target} in {chosen}:")
        self.turns(indent + "    ", depth - 1, not self.tensors or chosen.startswith("tensor"))
        self.otherwise(indent, depth, loop)

    def turns(self, indent: str, depth: int, staged: bool) -> None:
        """The body of a loop; `staged`: of one of the graph, where lists may grow."""
        self.growing += staged
        self.block(indent, depth, True)
        self.growing -= staged

    def write_while(self, indent: str, depth: int, loop: bool) -> None:
        self.counters += 1
        counter = f"n{self.counters}"
        self.lines.append(f"{indent}{counter} = zero")
        self.lines.append(f"{indent}while {counter} < 4 and {self.test()}:")
        self.lines.append(f"{indent}    {counter} += 1")
        self.turns(indent + "    ", depth - 1, True)
        self.otherwise(indent, depth, loop)

    def otherwise(self, indent: str, depth: int, loop: bool) -> None:
        if self.pick(True, False, False):
            self.lines.append(f"{indent}else:")
            self.block(indent + "    ", depth - 1, loop)

    def write_try(self, indent: str, depth: int, loop: bool) -> None:
        self.lines.append(f"{indent}try:")
        self.block(indent + "    ", depth - 1, loop)
        self.lines.append(f"{indent}except ZeroDivisionError:")
        self.block(indent + "    ", 0, loop)
        if self.sometimes():
            self.lines.append(f"{indent}else:")
            self.block(indent + "    ", depth - 1, loop)
        self.lines.append(f"{indent}finally:")
        self.lines.append(f"{indent}    {self.variable()} = {self.value()}")

    def write_with(self, indent: str, depth: int, loop: bool) -> None:
        self.lines.append(f"{indent}with context():")
        self.block(indent + "    ", depth - 1, loop)


def write(below: Pick, tensors: bool = False) -> str:
    """The source of a function `program(a, b, c, zero)`."""
    writer = _Writer(below, tensors)
    setup = SETUP
    if writer.sometimes():
        setup += GROWN
        writer.grown.append("also")
        writer.names += ["also[-1]", "len(also)"]
        writer.growing = 1
    writer.block("    ", writer.number(1, 4), False)
    return "\n".join([setup, *writer.lines, f"    return (a, {RESULT})", ""])


@st.composite
def sources(draw: Any, tensors: bool = False) -> str:
    """Programs that hypothesis draws."""
    return write(lambda count: draw(st.integers(0, count - 1)), tensors)


def many(
    first: int, count: int, tensors: bool = False
) -> Iterator[tuple[str, tuple[int, int, int]]]:
    """Programs by their numbers, each with values for a, b and c."""
    for seed in range(first, first + count):
        below = random.Random(seed).randrange
        source = write(below, tensors)
        yield source, (below(9) - 3, below(9) - 3, below(9) - 3)


def load(source: str, **scope: Any) -> Callable[..., Any]:
    """The function of a source, which tracebacks and AutoGraph can read."""
    filename = f"<program {next(_numbers)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    scope = {"__name__": "programs", "Box": Box, **scope}
    exec(compile(source, filename, "exec", dont_inherit=True), scope)
    return scope["program"]


def helper(x: Any) -> Any:
    """A function that programs call, with a branch in it."""
    if x > 1:
        return x - 2
    return x + 1


def give(items: Any, x: Any) -> None:
    """A function that may change the list of its caller."""
    if x % 3 != 0:
        items.append(x)
