"""Random programs over integers in variables, attributes and containers.

They compare a function with its converted self.

Every loop is bounded and no operation fails, whatever the variables hold, so that a
staging that takes both branches of an `if` gets through them too.
"""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

VARIABLES = ("a", "b", "c", "box.v", "slots[0]", "table['k']")
RESULT = "b, c, box.v, slots[0], table['k']"
SETUP = """def program(a, b, c, zero):
    box = Box()
    box.v = b
    slots = [c, 0]
    table = {'k': a}
    def bump(by):
        nonlocal c
        c = (c + by) % 11
        if c > 5:
            slots[0] = (slots[0] + 1) % 5
"""
_numbers = itertools.count()


class Box:
    """An object with an attribute."""

    v: Any


class _Writer:
    """Draws one program; `tensors` writes loops over toy tensors too."""

    def __init__(self, draw: Any, tensors: bool) -> None:
        self.draw = draw
        self.tensors = tensors
        self.lines: list[str] = []
        self.counters = 0
        self.left = 25

    def pick(self, *choices: Any) -> Any:
        return self.draw(st.sampled_from(choices))

    def variable(self) -> str:
        return self.pick(*VARIABLES)

    def value(self, depth: int = 2) -> str:
        kind = self.pick("name", "number", "sum", "exp", "call") if depth else "name"
        if kind == "name":
            return self.variable()
        if kind == "number":
            return str(self.draw(st.integers(-3, 3)))
        if kind == "sum":
            return f"({self.value(depth - 1)} {self.pick('+', '-', '*')} {self.variable()}) % 7"
        if kind == "call":
            return f"helper({self.value(depth - 1)})"
        return f"({self.value(depth - 1)} if {self.test(1)} else {self.value(depth - 1)})"

    def test(self, depth: int = 2) -> str:
        kind = self.pick("less", "equal", "and", "or", "not", "chain") if depth else "less"
        if kind == "less":
            return f"{self.variable()} < {self.draw(st.integers(-2, 4))}"
        if kind == "equal":
            return f"{self.variable()} % 3 == {self.draw(st.integers(0, 2))}"
        if kind == "not":
            return f"not ({self.test(depth - 1)})"
        if kind == "chain":
            return f"-2 < {self.variable()} <= {self.variable()}"
        return f"({self.test(depth - 1)} {kind} {self.test(depth - 1)})"

    def block(self, indent: str, depth: int, loop: bool) -> None:
        for _ in range(self.draw(st.integers(1, 3))):
            self.left -= 1
            self.statement(indent, depth if self.left > 0 else 0, loop)
        if not depth and self.draw(st.booleans()):
            self.jump(indent, loop)

    def jump(self, indent: str, loop: bool) -> None:
        kinds = ("return", "break", "continue") if loop else ("return",)
        kind = self.pick(*kinds)
        value = f" ({self.value()}, {RESULT})" if kind == "return" else ""
        self.lines.append(f"{indent}if {self.test()}:")
        self.lines.append(f"{indent}    {kind}{value}")

    def statement(self, indent: str, depth: int, loop: bool) -> None:
        simple = ("assign", "add", "jump", "log", "bump")
        deep = (*simple, "if", "if", "for", "while", "try", "with")
        getattr(self, f"write_{self.pick(*(deep if depth else simple))}")(indent, depth, loop)

    def write_assign(self, indent: str, depth: int, loop: bool) -> None:
        self.lines.append(f"{indent}{self.variable()} = {self.value()}")

    def write_add(self, indent: str, depth: int, loop: bool) -> None:
        self.lines.append(f"{indent}{self.variable()} += {self.value()} % 5")

    def write_log(self, indent: str, depth: int, loop: bool) -> None:
        self.lines.append(f"{indent}log({self.value()})" if not self.tensors else f"{indent}pass")

    def write_bump(self, indent: str, depth: int, loop: bool) -> None:
        self.lines.append(f"{indent}bump({self.value()})")

    def write_jump(self, indent: str, depth: int, loop: bool) -> None:
        self.jump(indent, loop)

    def write_if(self, indent: str, depth: int, loop: bool) -> None:
        self.lines.append(f"{indent}if {self.test()}:")
        self.block(indent + "    ", depth - 1, loop)
        if self.draw(st.booleans()):
            self.lines.append(f"{indent}elif {self.test()}:")
            self.block(indent + "    ", depth - 1, loop)
        if self.draw(st.booleans()):
            self.lines.append(f"{indent}else:")
            self.block(indent + "    ", depth - 1, loop)

    def write_for(self, indent: str, depth: int, loop: bool) -> None:
        items = [self.draw(st.integers(-1, 3)) for _ in range(self.draw(st.integers(0, 3)))]
        choices = [f"{items}", f"range({len(items)})"]
        if self.tensors:
            choices.append(f"tensor({items})")
        target = self.pick("_", self.variable()) if not self.tensors else "_"
        self.lines.append(f"{indent}for {target} in {self.pick(*choices)}:")
        self.block(indent + "    ", depth - 1, True)
        self.otherwise(indent, depth, loop)

    def write_while(self, indent: str, depth: int, loop: bool) -> None:
        self.counters += 1
        counter = f"n{self.counters}"
        self.lines.append(f"{indent}{counter} = zero")
        self.lines.append(f"{indent}while {counter} < 4 and {self.test()}:")
        self.lines.append(f"{indent}    {counter} += 1")
        self.block(indent + "    ", depth - 1, True)
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
        if self.draw(st.booleans()):
            self.lines.append(f"{indent}else:")
            self.block(indent + "    ", depth - 1, loop)
        self.lines.append(f"{indent}finally:")
        self.lines.append(f"{indent}    {self.variable()} = {self.value()}")

    def write_with(self, indent: str, depth: int, loop: bool) -> None:
        self.lines.append(f"{indent}with context():")
        self.block(indent + "    ", depth - 1, loop)


@st.composite
def sources(draw: Any, tensors: bool = False) -> str:
    """The source of a function `program(a, b, c, zero)`."""
    writer = _Writer(draw, tensors)
    writer.block("    ", draw(st.integers(1, 4)), False)
    return "\n".join([SETUP, *writer.lines, f"    return (a, {RESULT})", ""])


def load(source: str, **scope: Any) -> Callable[..., Any]:
    """The function of a source, which tracebacks and AutoGraph can read."""
    filename = f"<program {next(_numbers)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    scope = {"__name__": "programs", "Box": Box, **scope}
    exec(compile(source, filename, "exec", dont_inherit=True), scope)
    return scope["program"]
