"""Sizes of dimensions as values of a run, so that one compilation serves all lengths.

A size is a number times symbols. A symbol stands for a dimension of an input, whose value arrives
with the call, or is derived from other sizes. Where an op needs two sizes to be equal they become
one, and a guard at the entry checks that. A call that fails a guard runs elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from graphwright.base.named_tuples import NamedTuple

if TYPE_CHECKING:
    from graphwright.ir.graph import Node, Value


class NotNative(Exception):
    """The reason why some nodes have no native form; they run as host calls."""

    def __init__(
        self, reason: str, nodes: Sequence[Node] = (), innermost: Node | None = None
    ) -> None:
        super().__init__(reason)
        self.nodes = list(nodes)  # of the graph, if it is about some of them
        self.innermost = innermost  # the node in a loop or a branch, if it is about one

    @property
    def each(self) -> Sequence[NotNative]:
        """The single refusals in this one."""
        return (self,)


class Late(NotNative):
    """A native node's result has a size that only a run knows: no node after it can be native."""


class Refusals(NotNative):
    """Several refusals of one walk, each with its own reason."""

    def __init__(self, refusals: Sequence[NotNative]) -> None:
        super().__init__(str(refusals[0]), [node for r in refusals for node in r.nodes])
        self.refusals = tuple([one for r in refusals for one in r.each])

    @property
    def each(self) -> Sequence[NotNative]:
        return self.refusals


class Size(NamedTuple):
    """factor * symbols[0] * symbols[1] ..., the symbols in ascending order."""

    factor: int
    symbols: tuple[int, ...] = ()

    def __mul__(self, other: Size) -> Size:  # type: ignore[override]
        factor, left, right = self.factor * other.factor, self.symbols, other.symbols
        both = left and right
        return Size(factor, tuple(sorted((*left, *right))) if both else left or right)

    def __str__(self) -> str:
        names = [f"s{i}" for i in self.symbols]
        return "*".join(names if names and self.factor == 1 else [str(self.factor), *names])


ONE = Size(1)
ZERO = Size(0)
_INT32 = (1 << 31) - 1

#: A number with many divisors.
_DIVISIBLE = 720_720

Shape: TypeAlias = tuple[Size, ...]


def product(sizes: Shape) -> Size:
    """The product of sizes: a shape's number of elements."""
    result = ONE
    for size in sizes:
        result *= size
    return result


class Derived(NamedTuple):
    """The definition of a symbol by other sizes: `add`, `div`, ..."""

    function: str
    operands: tuple[Size, ...]


class Sizes:
    """The symbols of one program: their values, equalities and definitions."""

    def __init__(self) -> None:
        self.values: list[int | None] = []  # in this trace, as far as it knows them
        self.definitions: dict[int, Derived] = {}
        self.equal: dict[int, Size] = {}  # symbols that must equal another size
        self.guards: list[tuple[Size, Size]] = []
        #: Values that are sizes but do not follow from shapes: see `host_operands.host_of`.
        self.known: dict[Value, Any] = {}
        self.cuts: dict[Node, Any] = {}  # of nodes that slice: see `cuts.cuts`
        #: Integers that arrive with the call, by the values for them, in inner graphs too.
        self.integers: dict[Value, Value] = {}
        self.numbers: dict[Value, Size] = {}  # the integers that are sizes
        self._derived: dict[Derived, Size] = {}

    def symbol(self, value: int | None = None) -> Size:
        """A new symbol; `value` is its static value, if there is one."""
        self.values.append(value)
        return Size(1, (len(self.values) - 1,))

    def number(self, integer: Value) -> Size:
        """The size that an integer says, which arrives with the call and must not be negative."""
        value = self.integers[integer]
        if value not in self.numbers:
            self.numbers[value] = self.symbol()
        return self.numbers[value]

    def least(self, a: Size, b: Size) -> Size:
        """The smaller of two sizes."""
        a, b = self.canonical(a), self.canonical(b)
        return a if a == b else self.derive("sub", a, self.derive("sub", a, b))

    def of_static(self, value: int) -> Size:
        """A size for a constant: above 1 a symbol of that static value, if there is one."""
        if value > 1:
            for i, known in enumerate(self.values):
                if known == value and i not in self.equal and i not in self.definitions:
                    return Size(1, (i,))
        return Size(value)

    def value(self, size: Size) -> int | None:
        """The static value of a size, or None."""
        result = size.factor
        for i in size.symbols:
            known = self.values[i]
            if known is None:
                return None
            result *= known
        return result

    def canonical(self, size: Size) -> Size:
        """The size in terms of the symbols that represent all symbols equal to them."""
        if self.equal.keys().isdisjoint(size.symbols):
            return size
        result = Size(size.factor)
        for i in size.symbols:
            known = self.equal.get(i)
            result *= Size(1, (i,)) if known is None else self.canonical(known)
        return result

    def shape(self, sizes: Shape) -> Shape:
        """The sizes, each in canonical form."""
        equal = self.equal.keys()
        for size in sizes:
            if not equal.isdisjoint(size.symbols):
                return tuple([self.canonical(s) for s in sizes])
        return sizes

    def unify(self, a: Size, b: Size) -> Size:
        """The one size that two sizes become; `NotNative` if they cannot be equal."""
        a, b = self.canonical(a), self.canonical(b)
        if a == b:
            return a
        if not self._free(a):
            a, b = b, a
        known, other = self.value(a), self.value(b)
        if known is not None and other is not None and known != other:
            raise NotNative(f"sizes {known} and {other} differ")
        if not self._free(a):
            self.guards.append((a, b))
            for computed, number in ((a, b), (b, a)):
                if computed.factor == 1 and len(computed.symbols) == 1 and not number.symbols:
                    self.equal[computed.symbols[0]] = number
                    return number
            return a
        if self._free(b) and b.symbols > a.symbols:
            a, b = b, a  # the first symbol represents both
        if a.symbols[0] in b.symbols:
            raise NotNative(f"sizes {a} and {b} differ")
        if self.value(b) is None and known is not None and self._free(b):
            self.values[b.symbols[0]] = known
        self.equal[a.symbols[0]] = b
        self.guards.append((a, b))
        return b

    def _free(self, size: Size) -> bool:
        """Whether a size is one symbol of an input."""
        return (
            size.factor == 1 and len(size.symbols) == 1 and size.symbols[0] not in self.definitions
        )

    def carried(self, a: Size, b: Size) -> Size:
        """The one size of a loop's variable, before an iteration and after it.

        `NotNative` where the iteration makes another size of it, as when it appends something.
        """
        a, b = self.canonical(a), self.canonical(b)
        before, after = self.value(a), self.value(b)
        words = "" if before is None or after is None else f" from {before} to {after}"
        if not words:
            roots, samples = self.samples()
            if all_of(a, roots) & all_of(b, roots):  # else they may be equal, as sizes of inputs
                before, after = at(samples, a), at(samples, b)
        if before is not None and after is not None and before != after:
            raise NotNative(f"an iteration changes the size of a variable{words}")
        return self.unify(a, b)

    def samples(self) -> tuple[list[frozenset[int]], list[int]]:
        """Of each symbol the free ones that it follows from, and a value where these are large,
        different, and have many divisors."""
        roots: list[frozenset[int]] = []
        samples: list[int] = []
        for i in range(len(self.values)):
            same = self.canonical(Size(1, (i,)))
            definition = self.definitions.get(i)
            if definition is not None:
                a, b = definition.operands
                roots.append(all_of(a, roots) | all_of(b, roots))
                samples.append(DERIVATIONS[definition.function](at(samples, a), at(samples, b)))
            elif all(k < i for k in same.symbols):
                roots.append(all_of(same, roots))
                samples.append(at(samples, same))
            else:
                roots.append(frozenset({i}))
                samples.append(_DIVISIBLE * (2 * i + 3))
        return roots, samples

    def derive(self, function: str, *operands: Size) -> Size:
        """A size computed from others: `add`, `sub` (at least 0), `div` (rounded down)."""
        operands = self.shape(operands)
        values = [v for v in map(self.value, operands) if v is not None]
        value = None
        if len(values) == 2:
            value = DERIVATIONS[function](values[0], values[1])
            if all(not o.symbols for o in operands):
                return Size(value)
        key = Derived(function, operands)
        if key not in self._derived:
            self._derived[key] = size = self.symbol(value)
            self.definitions[size.symbols[0]] = key
        return self._derived[key]

    def difference(self, a: Size, b: Size) -> Size:
        """a - b; a guard checks that it is not negative."""
        beyond = self.derive("sub", a, b)
        self.guards.append((self.derive("add", beyond, b), a))
        return beyond

    def require_some(self, size: Size) -> None:
        """Guards that a size is not 0, even if a trace knows it: other traces share the code."""
        if self.value(size) == 0:
            raise NotNative("something is needed of what has no elements")
        guard = self.derive("sub", ONE, size), ZERO
        if size.symbols and guard not in self.guards:
            self.guards.append(guard)

    def require_counted(self, size: Size) -> None:
        """Guards that an int32 counts up to a size."""
        known = self.value(size)
        if known is None:
            self.guards.append((self.derive("sub", size, Size(_INT32)), ZERO))
        elif known > _INT32:
            raise NotNative(f"no int32 counts up to {known}")

    def quotient(self, total: Size, rest: Size) -> Size:
        """total / rest, where that is known to be whole."""
        symbols = list(total.symbols)
        for s in rest.symbols:
            if s not in symbols:
                return self.derive("div", total, rest)
            symbols.remove(s)
        if rest.factor == 0 or total.factor % rest.factor:
            return self.derive("div", total, rest)
        return Size(total.factor // rest.factor, tuple(symbols))


def at(samples: Sequence[int], size: Size) -> int:
    """The value of a size where symbols have these values."""
    return math.prod([samples[i] for i in size.symbols], start=size.factor)


def all_of(size: Size, roots: Sequence[frozenset[int]]) -> frozenset[int]:
    """The roots of all symbols of a size."""
    return frozenset().union(*[roots[i] for i in size.symbols])


DERIVATIONS: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: max(a - b, 0),
    "div": lambda a, b: a // b if b else 0,
}
