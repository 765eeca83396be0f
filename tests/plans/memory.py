"""The memory of a plan: blocks of cells that know who wrote them.

All memory starts poisoned. A cell may be read only as the buffer as which it was written, so two
buffers that share memory cannot take each other's values by accident. What a loop exchanges takes
its owner along.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from graphwright.compile.nests.element_kinds import DTYPES, item_size
from graphwright.compile.nests.nest import Buffer, show

POISON = 0xA5


class Violation(AssertionError):
    """What no plan may do, with the statement that does it."""


class Refused(Exception):
    """What machine code leaves to the slow tier."""


class Here(NamedTuple):
    """A place in a plan: (number of a loop or branch, which of its blocks, the turn) of each that
    is around, the outermost first; then the number of the statement."""

    around: tuple[tuple[int, str, int], ...]
    number: int

    def __str__(self) -> str:
        names = [f"{number}.{block}" for number, block, _ in self.around]
        turns = [str(turn) for _, block, turn in self.around if block in ("condition", "body")]
        place = ".".join([*names, str(self.number)])
        return f"statement {place}" + (f", turn {'.'.join(turns)}" if turns else "")


#: Where arguments come from, and where results go.
START, END = Here((), -1), Here((), 1 << 30)


class Stamp(NamedTuple):
    """Who wrote a value, how, and as whose it may be read."""

    here: Here
    how: str
    owner: int


class Block:
    """Bytes, and for each grain of so many of them the number of the stamp: 0 where nobody
    wrote."""

    def __init__(self, size: int, grain: int, writable: bool = True) -> None:
        self.data = np.full(-(-size // 8) * 8, POISON, np.uint8)  # whole elements of any kind
        self.by = np.zeros(len(self.data) // grain, np.int32)
        self.size = size
        self.grain = grain
        self.writable = writable
        self.gone = False  # given back, or moved elsewhere

    def state(self) -> tuple[Any, Any]:
        """What it holds now."""
        return self.data.copy(), self.by.copy()

    def restore(self, state: tuple[Any, Any]) -> None:
        """Makes it hold what it held."""
        self.data[:], self.by[:] = state


class Address(NamedTuple):
    """Where a buffer lies, and as whose its cells are written."""

    block: Block
    start: int  # in bytes
    owner: int


class Memory:
    """Reads and writes of a plan's buffers, each with all its checks."""

    def __init__(self, buffers: tuple[Buffer, ...], counts: list[int]) -> None:
        self.buffers = buffers
        self.counts = counts  # the elements of each buffer; of one that is owned, of an item
        self.address: dict[int, Address] = {}
        self.here, self.statement = START, None
        self.stamps: list[Stamp | None] = [None]
        self.numbers: dict[Stamp, int] = {}
        self.owners = 0
        #: (how a value was made, between which places, what read it): see `plans.table`.
        self.meetings: set[tuple[str, tuple[Here, Here], str]] = set()

    # -- where buffers lie ------------------------------------------------------------------

    def owner(self) -> int:
        """Somebody new."""
        self.owners += 1
        return self.owners

    def place(self, buffer: int, block: Block, start: int = 0, owner: int | None = None) -> None:
        """Notes where a buffer lies."""
        self.address[buffer] = Address(block, start, self.owner() if owner is None else owner)

    def at(self, buffer: int) -> Address:
        """Where a buffer lies."""
        result = self.address.get(buffer)
        if result is None:
            self.violate(f"b{buffer} has no memory")
        if result.block.gone:
            self.violate(f"b{buffer} lies in memory that was given back")
        return result

    def limit(self, buffer: int) -> int:
        """How many elements a buffer has; of a list, for how many it has room."""
        address, (role, _, kind) = self.at(buffer), self.buffers[buffer]
        room = (address.block.size - address.start) // item_size(kind)
        return room if role in ("owned", "late") else min(room, self.counts[buffer])

    # -- who wrote what ---------------------------------------------------------------------

    def stamp(self, how: str, owner: int = 0) -> int:
        """The number of what is written here."""
        stamp = Stamp(self.here, how, owner)
        number = self.numbers.get(stamp)
        if number is None:
            number = self.numbers[stamp] = len(self.stamps)
            self.stamps.append(stamp)
        return number

    def meet(self, number: int, reader: str) -> None:
        """Notes that something was read."""
        stamp = self.stamps[number]
        assert stamp is not None
        self.meetings.add((stamp.how, (stamp.here, self.here), reader))

    def violate(self, words: str) -> Any:
        """Raises a violation of the statement that runs."""
        text = "" if self.statement is None else "\n".join(show((self.statement,), 1))
        raise Violation(f"{self.here}: {words}\n{text}")

    # -- reading and writing ----------------------------------------------------------------

    def cells(self, buffer: int, places: Any, kind: str, verb: str) -> tuple[Address, Any]:
        """Where elements are, in elements of the whole block; they must be the buffer's."""
        address, own = self.at(buffer), self.buffers[buffer].kind
        if kind != own:
            self.violate(f"{verb} b{buffer}, which holds {own}, as {kind}")
        limit = self.limit(buffer)
        outside = (places < 0) | (places >= limit)
        if outside.any():
            self.violate(f"{verb} element {places[outside][0]} of b{buffer}, which has {limit}")
        if address.start % item_size(kind):
            self.violate(f"b{buffer} lies between elements")
        return address, places + address.start // item_size(kind)

    def read(self, reader: str, buffer: int, places: Any, kind: str) -> Any:
        """Elements, which must have been written as this buffer's."""
        places = np.asarray(places)
        address, cells = self.cells(buffer, places, kind, "reads")
        grains = item_size(kind) // address.block.grain
        by = address.block.by.reshape(-1, grains) if grains > 1 else address.block.by
        self.check(reader, buffer, address, by[cells], places)
        return address.block.data.view(numpy_dtype(kind))[cells]

    def check(self, reader: str, buffer: int, address: Address, by: Any, places: Any) -> None:
        """A violation where nobody, or somebody else, wrote what is read."""
        if not by.size:
            return
        first = by.flat[0]
        for number in [first] if (by == first).all() else np.unique(by):
            stamp = self.stamps[number]
            if stamp is None or stamp.owner != address.owner:
                at = (by == number).reshape(*places.shape, -1).any(-1)
                what = f"reads element {places[at].flat[0]} of b{buffer}, which "
                role = self.buffers[buffer].role
                if stamp is None:
                    self.violate(f"{what}nobody has written ({role})")
                self.violate(f"{what}holds what {stamp.here} wrote as another's ({role})")
            self.meet(number, reader)

    def write(self, how: str, buffer: int, places: Any, kind: str, values: Any) -> None:
        """Writes elements; where a place comes twice the last one stays."""
        places = np.asarray(places)
        address, cells = self.cells(buffer, places, kind, "writes")
        if not address.block.writable:
            self.violate(f"writes b{buffer} over an argument")
        dtype = numpy_dtype(kind)
        if np.asarray(values).dtype != dtype:
            self.violate(f"writes {np.asarray(values).dtype} to b{buffer}, which holds {kind}")
        address.block.data.view(dtype)[cells] = values
        grains = item_size(kind) // address.block.grain
        by = address.block.by.reshape(-1, grains) if grains > 1 else address.block.by
        by[cells] = self.stamp(how, address.owner)

    def overlap(self, one: int, other: int) -> bool:
        """Whether two buffers have memory in common."""
        a, b = self.at(one), self.at(other)
        if a.block is not b.block:
            return False
        (x, y), (z, w) = [
            (at.start, at.start + self.limit(i) * item_size(self.buffers[i].kind))
            for i, at in ((one, a), (other, b))
        ]
        return x < w and z < y

    def exchange(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Each first of a pair gets the memory of the second, and what is in it. Pairs are chains:
        the last of each gets the memory of the first, and may not read what is left there."""
        pairs = list(pairs)
        variables, nexts = [v for v, _ in pairs], [f for _, f in pairs]
        for names in (variables, nexts):
            if len(set(names)) < len(names):
                self.violate("a loop gives one memory to two variables")
        old = {b: self.at(b) for b in (*variables, *nexts)}
        for variable, following in pairs:
            self.address[variable] = old[following]
        variable_of = dict(zip(nexts, variables))
        for last in [f for f in nexts if f not in variables]:
            first = last
            while first in variable_of:
                first = variable_of[first]
            self.address[last] = old[first]._replace(owner=self.owner())


def numpy_dtype(kind: str) -> Any:
    """How memory holds elements of a kind."""
    return DTYPES[kind].numpy_dtype


def grains(kinds: Iterable[str]) -> int:
    """The bytes that a stamp is for, in memory that holds elements of these kinds."""
    return min(map(item_size, kinds))
