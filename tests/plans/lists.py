"""The statements of lists: memory that may move whenever there is to be room for more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from plans import elements
from plans.memory import Address, Block, Refused, grains, numpy_dtype

from graphwright.compile.nests.element_kinds import item_size
from graphwright.compile.nests.list_statements import (
    Agree,
    Deliver,
    Extend,
    Locate,
    Mark,
    Require,
    Reserve,
    Shorten,
    Transfer,
)
from graphwright.compile.nests.sizes import Size

if TYPE_CHECKING:
    from plans.interpreter import Run


def require(condition: Any) -> None:
    """Leaves the rest to the slow tier unless a condition holds."""
    if not condition:
        raise Refused


class Lists:
    """The list statements of a run. A list gets new memory whenever it gets room for more: what
    held its address before is then wrong."""

    def __init__(self, run: Run) -> None:
        self.run, self.memory = run, run.memory
        self.written: dict[int, bool] = {}  # by slot, whether something was written to a list
        self.lengths: dict[int, int] = {}  # of the results that are lists

    def statement(self, statement: Any) -> None:
        """One statement."""
        self.RULES[type(statement)](self, statement)

    def length(self, length: Size | int, reader: str) -> int:
        """A length or an index: a size, or an int32 scalar."""
        if isinstance(length, Size):
            self.memory.meet(self.memory.stamp("size"), reader)
            return self.run.size(length)
        return int(self.run.scalar(length, "i32", reader)[0])

    def renew(self, buffer: int, items: int, item: int, kept: int) -> None:
        """New memory for a list, with as many items of the old one."""
        kind = self.run.program.buffers[buffer].kind
        new = Block(items * item * item_size(kind), grains([kind]))
        owner, old = self.memory.owner(), self.memory.address.get(buffer)
        if old is not None:
            owner, count = old.owner, kept * item * item_size(kind)
            new.data[:count] = old.block.data[:count]
            new.by[: count // new.grain] = old.block.by[: count // new.grain]
            old.block.gone = True
        self.memory.address[buffer] = Address(new, 0, owner)

    def zeros(self, buffer: int, begin: int, end: int) -> None:
        """Fills elements with zeros."""
        kind = self.run.program.buffers[buffer].kind
        places = np.arange(begin, max(begin, end))
        self.memory.write("list zeros", buffer, places, kind, elements.number(0, kind))

    def reserve(self, s: Reserve) -> None:
        """A list of zeros."""
        length, item = self.length(s.length, "Reserve length"), self.run.size(s.item)
        require(length >= 0)
        own, like = s.written
        if own >= 0:
            self.written[own] = like >= 0 and self.slot(like)
        self.renew(s.buffer, length, item, 0)
        self.zeros(s.buffer, 0, length * item)

    def slot(self, slot: int) -> bool:
        """Whether something was written to a list."""
        if slot not in self.written:
            self.memory.violate(f"nothing says yet whether something was written to list %{slot}")
        return self.written[slot]

    def extend(self, s: Extend) -> None:
        """A longer list, or a shorter one; no zeros where just one item follows."""
        length, item = self.length(s.length, "Extend length"), self.run.size(s.item)
        self.memory.at(s.buffer)
        after = length + 1
        if s.place >= 0:
            index = self.length(s.place, "Extend place")
            require(index >= 0)
            after = max(length, index + 1)
        elif s.exactly != -1:
            after = self.length(s.exactly, "Extend exactly")
            require(after >= 0)
        if after > length:
            self.renew(s.buffer, after, item, length)
        if s.place >= 0 or s.exactly != -1:
            self.zeros(s.buffer, length * item, after * item)
        self.run.define(s.result, elements.number(after, "i32"), "i32", "list length")

    def shorten(self, s: Shorten) -> None:
        """The length without some items."""
        length, by = self.length(s.length, "Shorten length"), self.length(s.by, "Shorten by")
        require(0 <= by <= length)
        self.run.define(s.result, elements.number(length - by, "i32"), "i32", "list length")

    def locate(self, s: Locate) -> None:
        """Where an item is."""
        index, length = self.length(s.place, "Locate place"), self.length(s.length, "Locate length")
        require(0 <= index < length)
        size = self.run.size(s.item) * item_size(s.kind)
        if size != self.memory.counts[s.view] * item_size(s.kind):
            self.memory.violate(f"b{s.view} is no item of b{s.buffer}")
        block, start, owner = self.memory.at(s.buffer)
        if start + (index + 1) * size > block.size:
            self.memory.violate(f"item {index} is outside the memory of b{s.buffer}")
        self.memory.address[s.view] = Address(block, start + index * size, owner)

    def transfer(self, s: Transfer) -> None:
        """Items copied from one list to another."""
        item, count = self.run.size(s.item), self.length(s.number, "Transfer number")
        if self.memory.overlap(s.source, s.target):
            self.memory.violate("a list is copied to itself")
        source, target = [
            self.length(start, f"Transfer {name}") * item + np.arange(count * item)
            for start, name in ((s.start, "start"), (s.place, "place"))
        ]
        values = self.memory.read("Transfer", s.source, source, s.kind)
        self.memory.write("Transfer", s.target, target, s.kind, values)

    def agree(self, s: Agree) -> None:
        """Two lengths that must be the same."""
        require(self.length(s.one, "Agree") == self.length(s.other, "Agree"))

    def mark(self, s: Mark) -> None:
        """Something was written."""
        self.written[s.written] = True

    def demand(self, s: Require) -> None:
        """Something must have been written to a list that has items."""
        require(self.slot(s.written) and self.length(s.length, "Require length") > 0)

    def deliver(self, s: Deliver) -> None:
        """A list as a result."""
        length = self.lengths[s.result] = self.length(s.length, "Deliver length")
        count = length * self.run.size(s.item)
        block = Block(count * item_size(s.kind), grains([s.kind]))
        values = self.memory.read("Deliver", s.buffer, np.arange(count), s.kind)
        if not s.copy:
            if self.run.program.buffers[s.buffer].role != "owned":
                self.memory.violate(f"gives away b{s.buffer}, which is not a list's own memory")
            self.memory.address.pop(s.buffer).block.gone = True
        self.memory.place(s.late, block)
        assert values.dtype == numpy_dtype(s.kind)
        self.memory.write("Deliver", s.late, np.arange(count), s.kind, values)

    RULES: Any = {
        Reserve: reserve,
        Extend: extend,
        Shorten: shorten,
        Locate: locate,
        Transfer: transfer,
        Agree: agree,
        Mark: mark,
        Require: demand,
        Deliver: deliver,
    }
