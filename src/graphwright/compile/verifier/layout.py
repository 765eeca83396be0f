"""The memory of a plan's values, and which of them may share it.

A *value* is a buffer of the lowered program. Its *memory* is the buffer of the plan with which it
was joined. Memory lies in *blocks*: that of a temporary in the block of its home, that of an item
in the block of its list. A result may also lie in the block of an argument that is lent to it. A
buffer that a loop exchanges may lie in the block of any that take part.
"""

from __future__ import annotations

from collections.abc import Iterable

from graphwright.compile.nests.element_kinds import item_size
from graphwright.compile.nests.list_statements import Extend, Locate, Reserve
from graphwright.compile.nests.nest import Loop, Program, all_statements
from graphwright.compile.nests.sizes import Size
from graphwright.compile.verifier.plan_rules import PlanRule, refuse, require
from graphwright.compile.verifier.quantities import Quantities


class Layout:
    """The memory of a plan's values in one run."""

    def __init__(self, lowered: Program, plan: Program, sizes: Quantities) -> None:
        self.buffers, self.sizes = plan.buffers, sizes
        self._names, self._homes = dict(plan.names), dict(plan.homes)
        self.counts = [sizes.product(buffer.shape) for buffer in plan.buffers]
        self.lists: dict[int, int] = {}  # view -> the list of its item
        pairs: list[tuple[int, int]] = []
        self.room: dict[int, int | None] = {}  # by list: the number of items, if that is a size
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
        """The buffer of the plan that holds a value."""
        return self._names.get(value, value)

    def base(self, value: int) -> int:
        """The buffer of the plan that holds a value; for an item, that of its list."""
        return self._bases[value]

    def rivals(self, value: int) -> frozenset[int]:
        """The other values that may share memory with this one."""
        known = self._rivals.get(value)
        if known is None:
            others = [self._values[block] for block in self._blocks[value]]
            known = frozenset[int]().union(*others) - {value}
            base = self._bases[value]
            apart = self.company.get(base, frozenset()) - {base}
            if apart:  # each of these has one of the blocks for itself
                known = frozenset([v for v in known if self._bases[v] not in apart])
            self._rivals[value] = known
        return known

    def meet(self, one: int, other: int) -> bool:
        """Whether two values may have memory in common."""
        return one == other or other in self.rivals(one)

    def aligned(self, one: int, other: int) -> bool:
        """Whether two values lie in the same place if they share memory: all do but a list and its
        items."""
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
        """Whether the plan says where a value lies."""
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

    # -- rules of the tables ----------------------------------------------------------------

    def _verify_names(self) -> None:
        """Requires that joined buffers had one kind and size, and roles that may be joined."""
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
        """Requires that temporaries lie in large enough memory, of a temporary or a result."""
        for memory, home in self._homes.items():
            words = f"b{memory} lies in the memory of b{home}"
            role = self.buffers[home].role
            require(self.buffers[memory].role == "temporary", PlanRule.SHARED, words)
            if role != "result":
                is_home = role == "temporary" and self._homes.get(home) == home
                require(is_home, PlanRule.SHARED, f"{words}, which has none of its own")
            require(self.bytes(memory) <= self.bytes(home), PlanRule.SHARED, f"{words}, is larger")
        for company in set(self.company.values()):
            homes = {self._homes.get(member) for member in company}
            if len(homes) < len(company) or None in homes:
                names = ", ".join([f"b{b}" for b in sorted(company)])
                refuse(PlanRule.EXCHANGES, f"of {names}, which exchange memory, two have the same")


def companies(pairs: Iterable[tuple[int, int]]) -> dict[int, frozenset[int]]:
    """By buffer: the buffers with which it exchanges memory, and itself."""
    result: dict[int, frozenset[int]] = {}
    for one, other in pairs:
        company = result.get(one, frozenset([one])) | result.get(other, frozenset([other]))
        result.update(dict.fromkeys(company, company))
    return result
