"""Where the values of a plan lie, and which of them may share memory.

A *value* is a buffer of the program as it was lowered. Its *memory* is the buffer of the plan that
it was made one with. Memory lies in *blocks*: a temporary in that of its home, an item in that of
its list, a result also in that of the argument that may be lent to it, and what a loop exchanges in
any block of those that exchange.
"""

from __future__ import annotations

from collections.abc import Iterable

from graphwright.compile.nests.element_kinds import item_size
from graphwright.compile.nests.nest import Extend, Locate, Loop, Program, Reserve, all_statements
from graphwright.compile.nests.sizes import Size
from graphwright.compile.verifier.plan_rules import PlanRule, refuse, require
from graphwright.compile.verifier.quantities import Quantities


class Layout:
    """The memory of a plan's values in one run."""

    def __init__(self, lowered: Program, plan: Program, sizes: Quantities) -> None:
        self.buffers, self.sizes = plan.buffers, sizes
        self._names, self._homes = dict(plan.names), dict(plan.homes)
        self.counts = [sizes.product(buffer.shape) for buffer in plan.buffers]
        self.lists: dict[int, int] = {}  # by view, the list whose items it is
        pairs: list[tuple[int, int]] = []
        self.room: dict[int, int | None] = {}  # by list, how many items it has if a size says it
        for statement in all_statements(lowered.body):
            if isinstance(statement, (Reserve, Extend)):
                self._add_room(statement)
            elif isinstance(statement, Locate):
                self._add_view(statement)
        for statement in all_statements(plan.body):
            if isinstance(statement, Loop):
                pairs += statement.buffers
        self.company = companies(pairs)
        self._lent = {plan.results[r][0]: plan.inputs[i] for r, i in plan.reuses}
        self._verify_names()
        self._verify_homes()
        self._bases = [self.memory(self.lists.get(v, v)) for v in range(len(plan.buffers))]
        self._blocks = list(map(self._blocks_of, self._bases))
        self._values: dict[int, list[int]] = {}  # by block
        for value, blocks in enumerate(self._blocks):
            for block in blocks:
                self._values.setdefault(block, []).append(value)
        self._rivals: dict[int, frozenset[int]] = {}

    def memory(self, value: int) -> int:
        """The buffer of the plan in which a value is."""
        return self._names.get(value, value)

    def base(self, value: int) -> int:
        """The same; of an item, that of its list."""
        return self._bases[value]

    def rivals(self, value: int) -> frozenset[int]:
        """The other values that may be where this one is."""
        known = self._rivals.get(value)
        if known is None:
            others = [self._values[block] for block in self._blocks[value]]
            known = frozenset[int]().union(*others) - {value}
            base = self._bases[value]
            apart = self.company.get(base, frozenset()) - {base}
            if apart:  # each of them has a block for itself, whichever it is
                known = frozenset([v for v in known if self._bases[v] not in apart])
            self._rivals[value] = known
        return known

    def meet(self, one: int, other: int) -> bool:
        """Whether two values may have memory in common."""
        return one == other or other in self.rivals(one)

    def aligned(self, one: int, other: int) -> bool:
        """Whether two values lie in the same place if they have memory in common: all do but a
        list and its items."""
        return (one in self.lists) == (other in self.lists)

    def is_given(self, value: int) -> bool:
        """Whether a value is an argument, or an item of one."""
        return self.buffers[self.base(value)].role == "input"

    def is_empty(self, value: int) -> bool:
        """Whether a value has no elements."""
        return not self.counts[value] and self.buffers[value].role not in ("owned", "late")

    def bytes(self, value: int) -> int:
        """The bytes of a buffer."""
        return self.counts[value] * item_size(self.buffers[value].kind)

    def has_memory(self, value: int) -> bool:
        """Whether something says where a value lies."""
        memory = self.memory(value)
        role = self.buffers[memory].role
        return memory in {"temporary": self._homes, "view": self.lists}.get(role, (memory,))

    # -- blocks -----------------------------------------------------------------------------

    def _blocks_of(self, base: int) -> frozenset[int]:
        blocks = set()
        for member in self.company.get(base, (base,)):
            block = self._homes.get(member, member)
            blocks.add(block)
            if block in self._lent:
                blocks.add(self._lent[block])
        return frozenset(blocks)

    def _add_room(self, statement: Reserve | Extend) -> None:
        size = statement.length if isinstance(statement, Reserve) else None
        room = self.sizes.of(size) if isinstance(size, Size) else None
        known = self.room.setdefault(statement.buffer, room)
        if known != room:
            self.room[statement.buffer] = None

    def _add_view(self, statement: Locate) -> None:
        known = self.lists.setdefault(statement.view, statement.buffer)
        words = f"b{statement.view} is of b{known} and of b{statement.buffer}"
        require(known == statement.buffer, PlanRule.LISTS, words)
        require(self.buffers[statement.view].role == "view", PlanRule.LISTS, "an item is no view")

    # -- what must be so of all of it -------------------------------------------------------

    def _verify_names(self) -> None:
        """What is one buffer now was of the same kind and size, and may be."""
        for value, memory in self._names.items():
            one, other = self.buffers[value], self.buffers[memory]
            words = f"b{value} was made one with b{memory}"
            require(memory not in self._names, PlanRule.SHARED, f"{words}, which is none itself")
            if one.role == "alias":
                inside = other.role == "owned" or self.bytes(value) <= self.bytes(memory)
                require(inside, PlanRule.SHARED, f"{words}, which is smaller")
                continue
            require(one.kind == other.kind, PlanRule.SHARED, f"{words}, of another kind")
            require(
                self.bytes(value) == self.bytes(memory), PlanRule.SHARED, f"{words}, not as large"
            )
            require(one.role == "temporary", PlanRule.SHARED, f"{words}, though it is no temporary")
            require(
                other.role in ("temporary", "result"), PlanRule.SHARED, f"{words}, {other.role}"
            )

    def _verify_homes(self) -> None:
        """A temporary lies in memory that is large enough, of a temporary or of a result."""
        for memory, home in self._homes.items():
            words = f"b{memory} lies in the memory of b{home}"
            role = self.buffers[home].role
            require(self.buffers[memory].role == "temporary", PlanRule.SHARED, words)
            if role != "result":
                own = role == "temporary" and self._homes.get(home) == home
                require(own, PlanRule.SHARED, f"{words}, which has none of its own")
            require(self.bytes(memory) <= self.bytes(home), PlanRule.SHARED, f"{words}, is larger")
        for company in set(self.company.values()):
            homes = {self._homes.get(member) for member in company}
            if len(homes) < len(company) or None in homes:
                names = ", ".join([f"b{b}" for b in sorted(company)])
                refuse(PlanRule.EXCHANGES, f"of {names}, which exchange memory, two have the same")


def companies(pairs: Iterable[tuple[int, int]]) -> dict[int, frozenset[int]]:
    """The buffers that exchange memory with each other, by each of them."""
    result: dict[int, frozenset[int]] = {}
    for one, other in pairs:
        both = result.get(one, frozenset([one])) | result.get(other, frozenset([other]))
        result.update(dict.fromkeys(both, both))
    return result
