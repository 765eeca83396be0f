"""What the writer of a program knows: which names there are, and what they hold."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

#: A size: a number, or the name of one that the arguments of a call decide.
Dim = int | str
Shape = tuple[Dim, ...]

FLOAT, INT, BOOL = "f", "i", "b"

#: Names as people choose them.
NAMES = (
    "y", "z", "w", "a", "b", "c", "p", "q", "u", "v", "total", "best", "state", "carry", "out",
    "last", "prev", "acc", "scale", "offset", "h", "m", "delta", "first", "second", "current",
    "result", "level", "value", "weight", "step", "error", "guess", "low", "high", "mask", "count",
    "index", "k", "j", "t", "flag", "done", "row", "col", "left", "right", "grid", "vec", "mat",
)  # fmt: skip


class Type(NamedTuple):
    """What a value is: floats, ints or bools of a shape."""

    kind: str
    shape: Shape = ()


class Variable(NamedTuple):
    """A name, or any other text that can be read and assigned, as `box["w"]`."""

    name: str
    type: Type
    #: It may hold a Python number.
    is_plain: bool = False
    #: It keeps its value: a size is taken from it, a loop counts with it, a tape watches it.
    is_fixed: bool = False


class Function(NamedTuple):
    """A function that the program defines."""

    name: str
    parameters: tuple[Type, ...]
    result: Type


class Scope:
    """Names that are visible at one place of the program."""

    def __init__(
        self, variables: Iterable[Variable] = (), functions: Iterable[Function] = ()
    ) -> None:
        self.variables = {v.name: v for v in variables}
        self.functions = {f.name: f for f in functions}

    def copy(self) -> Scope:
        """The same names; what is added to one is not in the other."""
        return Scope(self.variables.values(), self.functions.values())

    def of(self, kind: str, shape: Shape, plain: bool = False) -> list[Variable]:
        """Variables of a type, those that may be Python numbers too if `plain`."""
        return [
            v
            for v in self.variables.values()
            if v.type == (kind, shape) and (plain or not v.is_plain or kind != FLOAT)
        ]

    def assignable(self) -> list[Variable]:
        """Variables that may be given another value."""
        return [v for v in self.variables.values() if not v.is_fixed]


class Base:
    """What all parts of the writer share: chance, the present scope, names that are free."""

    def __init__(self, r: random.Random) -> None:
        self.r = r
        self.scope = Scope()
        self.used: set[str] = set()
        #: Where sizes with names are found: an argument and its axis.
        self.sizes: dict[str, tuple[str, int]] = {}
        #: How the program writes the type of its floats.
        self.dtype = "tf.float32"
        #: How often an index may be out of range.
        self.wild = 0.0

    def chance(self, probability: float) -> bool:
        """True as often as that."""
        return self.r.random() < probability

    def pick(self, items: Sequence[str]) -> str:
        """One of them."""
        return self.r.choice(items)

    def fresh(self, *wanted: str) -> str:
        """A name that nothing has yet, one of these if any is left."""
        free = [n for n in wanted if n not in self.used]
        free = free or [n for n in NAMES if n not in self.used]
        name = self.pick(free) if free else f"{self.pick(NAMES)}{len(self.used)}"
        self.used.add(name)
        return name

    def size(self, dim: Dim) -> str:
        """A size as an expression."""
        if isinstance(dim, int):
            return str(dim)
        name, axis = self.sizes[dim]
        return self.pick([f"tf.shape({name})[{axis}]", f"{name}.shape[{axis}]"])

    def dims(self, shape: Shape) -> str:
        """A shape as an expression."""
        return "[" + ", ".join(map(self.size, shape)) + "]"

    def dtype_of(self, kind: str) -> str:
        """How the program writes a type of elements."""
        return {FLOAT: self.dtype, INT: "tf.int32", BOOL: "tf.bool"}[kind]


def is_one(shape: Shape) -> bool:
    """Whether tensors of this shape have one element."""
    return all(d == 1 for d in shape)


def is_known(shape: Shape) -> bool:
    """Whether all sizes are numbers."""
    return all(isinstance(d, int) for d in shape)
