"""Functions that are the same but for the slots of the frame that they use.

Unrolled loops and equal layers repeat their parts. With a function for each of their nests, LLVM
would make code of all of them. So a function gets its slots as arguments, behind its own, and one
serves all whose texts are then the same. Nothing else has to be known of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.llvm.emitter import Reg

#: The text between the name of a slot's address and the number of the slot, with which a line ends.
_SLOT = " = getelementptr i64, ptr %frame, i64 "


class SharedCallee(NamedTuple):
    """A function, and the slots that are arguments behind its own."""

    name: str
    slots: tuple[int, ...] = ()
    result: str = "void"  #: LLVM's type

    def call(self, *arguments: Reg, slots: Sequence[Reg] | None = None) -> str:
        """A call, with its own slots or others."""
        behind = [Reg(str(slot), "i64") for slot in self.slots] if slots is None else slots
        return f"call {self.result} @{self.name}({', '.join(map(str, (*arguments, *behind)))})"


class Parametric(NamedTuple):
    """A function whose slots are parameters."""

    callee: SharedCallee
    parameters: str
    rest: str  # of the text, behind the parameters

    @property
    def text(self) -> str:
        """The text of the function."""
        more = [f"i64 %slot{i}" for i in range(len(self.callee.slots))]
        named = ", ".join([self.parameters, *more])
        return f"define internal {self.callee.result} @{self.callee.name}({named}){self.rest}"


def parametric(text: str) -> Parametric:
    """A function of a frame, from its text."""
    head, end, body = text.partition("\n")
    signature, _, attributes = head.rpartition(")")
    function, _, parameters = signature.removeprefix("define internal ").partition("(")
    result, name = function.split(" @")
    names: dict[int, str] = {}
    parts = body.split(_SLOT)
    for i, part in enumerate(parts[1:], 1):
        slot, ending, rest = part.partition("\n")
        if slot.isdecimal() and int(slot):
            parts[i] = names.setdefault(int(slot), f"%slot{len(names)}") + ending + rest
    callee = SharedCallee(name, tuple(names), result)
    return Parametric(callee, parameters, attributes + end + _SLOT.join(parts))


class SharedFunctions:
    """The functions of a module that others may share."""

    def __init__(self, functions: list[str]) -> None:
        self.functions = functions  # of the module
        self.callees: dict[tuple[str, str], str] = {}  # names by what is the same
        self.texts: dict[str, str] = {}  # by name

    def add(self, text: str) -> SharedCallee:
        """The function to call: a new one, or one that differs in slots alone."""
        function = parametric(text)
        key = function.parameters, function.rest
        if key not in self.callees:
            self.callees[key] = function.callee.name
            self.functions.append(function.text)
        return function.callee._replace(name=self.callees[key])

    def part(self, name: str, write: Callable[[str], str]) -> str:
        """The name of a function of parts that `write` gives the text of, under some name."""
        text = write(name)
        if self.texts.setdefault(name, text) != text:  # the same nest with other totals
            return self.part(f"{name}_", write)
        if text not in self.functions:
            self.functions.append(text)
        return name
