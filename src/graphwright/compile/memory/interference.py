"""Which buffers of a program may not be one, because both are needed at some moment.

The rule is that of allocators of registers (Chaitin, "Register Allocation & Spilling via Graph
Coloring", 1982): two buffers interfere where one is written while the other is live. The exceptions
are statements after which both hold the same (copies), and those that read each element of one no
later than they write the one in its place of the other, if the first is not live afterwards.

A buffer is *live* where something has begun to write it and something will read it. What is
accessed in one block alone (an iteration, a side of a branch) is not live where that block begins
or ends. The last step of an iteration gives a loop's variables their next values by exchanging
addresses: it reads the next values' buffers and writes all of them.

Sets of buffers are integers, a bit for each. A block is summarized once, after those in it, so the
work is linear in the statements, however deep loops are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.memory.accesses import read_by, viewed, written_by
from graphwright.compile.memory.in_place import is_in_step
from graphwright.compile.nests.nest import (
    Copy,
    Loop,
    Program,
    Statement,
    all_statements,
    inner_blocks,
)
from graphwright.compile.nests.sizes import product


class LiveStep(NamedTuple):
    """A statement without others in it, or a loop as the end of its iterations."""

    statement: Statement
    reads: int
    writes: int


class Block:
    """Statements that run one after the other: steps, and statements with blocks in them."""

    def __init__(self, path: tuple[int, ...], loops: int) -> None:
        self.path = path  # the numbers of the blocks around it, and its own
        self.loops = loops  # how many are around it
        self.items: list[LiveStep | tuple[Statement, list[Block]]] = []
        self.own = 0  # the buffers that are accessed in this block alone
        self.needs = 0  # what it reads of what was written before it
        self.begins = 0  # what it writes that others access


class Affinity(NamedTuple):
    """Two buffers that had better be one: the second may die where the first is written."""

    loops: int  # how many are around that place
    new: int
    old: int


class Interference:
    """The graph of buffers that interfere, and what would be gained if others were one."""

    def __init__(self, program: Program) -> None:
        self.buffers = program.buffers
        self.neighbours = [0] * len(program.buffers)
        self.copies: list[Affinity] = []
        self.exchanges: list[Affinity] = []
        self.handovers: list[Affinity] = []
        self.local = 0  # what is accessed inside of a loop alone
        self._views = viewed(all_statements(program.body))
        self._paths: dict[int, tuple[int, ...]] = {}  # of the blocks that have all accesses
        self._blocks: list[Block] = []
        root = self._block(program.body, (), 0)
        results = bits(buffer for buffer, _ in program.results if buffer >= 0)
        for buffer, path in self._paths.items():
            block = root if results >> buffer & 1 else self._blocks[path[-1]]
            block.own |= 1 << buffer
        for block in reversed(self._blocks):
            self._summarize(block)
            self.local |= block.own if block.loops else 0
        root.own &= ~results
        self._visit(root, results, 0)

    # -- statements as blocks ---------------------------------------------------------------

    def _block(self, body: Sequence[Statement], around: tuple[int, ...], loops: int) -> Block:
        """A block, and those in it."""
        block = Block((*around, len(self._blocks)), loops)
        self._blocks.append(block)
        for statement in body:
            inner = inner_blocks(statement)
            if not inner:
                self._add_step(block, statement, read_by(statement), written_by(statement))
                continue
            deeper = loops + isinstance(statement, Loop)
            blocks = [self._block(part, block.path, deeper) for part in inner]
            if isinstance(statement, Loop) and statement.buffers:
                variables, following = zip(*statement.buffers)
                self._add_step(blocks[-1], statement, following, (*variables, *following))
            block.items.append((statement, blocks))
        return block

    def _add_step(
        self, block: Block, statement: Statement, reads: Iterable[int], writes: Iterable[int]
    ) -> None:
        """Another step at the end of a block."""
        sets = []
        for buffers in (reads, writes):
            places = [self._views.get(b, b) for b in buffers]
            for buffer in places:
                path = self._paths.get(buffer)
                self._paths[buffer] = block.path if path is None else common(path, block.path)
            sets.append(bits(places))
        block.items.append(LiveStep(statement, *sets))

    def _summarize(self, block: Block) -> None:
        """What a block needs and begins, from what its items do."""
        needs = begins = 0
        for item in reversed(block.items):
            if isinstance(item, LiveStep):
                needs = item.reads | (needs & ~rewritten(item))
                begins |= item.writes
            else:
                for inner in item[1]:
                    needs |= inner.needs
                    begins |= inner.begins
        block.needs, block.begins = needs & ~block.own, begins & ~block.own

    # -- what is live -----------------------------------------------------------------------

    def _visit(self, block: Block, later: int, begun: int) -> None:
        """Notes what interferes in a block; `later` is what is read after it, `begun` what was
        written before."""
        later &= ~block.own
        before = []
        for item in block.items:
            before.append(begun)
            begun |= item.writes if isinstance(item, LiveStep) else begins_of(item[1])
        for item, earlier in zip(reversed(block.items), reversed(before)):
            if isinstance(item, LiveStep):
                self._meet(item, later & (earlier | item.writes), block.loops)
                later = item.reads | (later & ~rewritten(item))
            else:
                statement, blocks = item
                later = self._visit_blocks(statement, blocks, later, earlier)

    def _visit_blocks(
        self, statement: Statement, blocks: list[Block], later: int, begun: int
    ) -> int:
        """The same for the blocks in a statement; what it and what follows it need."""
        if not isinstance(statement, Loop):
            for block in blocks:
                self._visit(block, later, begun)
                later |= block.needs
            return later
        condition, body = blocks
        head = later | condition.needs | body.needs
        begun |= begins_of(blocks)
        exchanged = bits(buffer for pair in statement.buffers for buffer in pair)
        self._visit(condition, later | body.needs | (head & ~exchanged), begun)
        self._visit(body, head, begun)
        return head

    def _meet(self, step: LiveStep, live: int, loops: int) -> None:
        """Notes what a step's buffers interfere with; `live` is so after it."""
        statement, reads, writes = step
        if isinstance(statement, Loop):
            self._exchange(statement, live, loops)
            return
        if isinstance(statement, Copy) and self._is_whole(statement):
            self.copies.append(Affinity(loops, statement.target, statement.source))
            self._interfere(statement.target, live & ~reads)
            return
        through_views = bits(self._views[b] for b in read_by(statement) if b in self._views)
        for new in members(writes):
            self._interfere(new, live | writes)
            for old in members(reads & ~writes & ~live):
                if not through_views >> old & 1 and is_in_step(statement, new, old):
                    self.handovers.append(Affinity(loops, new, old))
                else:
                    self._interfere(new, 1 << old)

    def _exchange(self, loop: Loop, live: int, loops: int) -> None:
        """The same for the end of an iteration: addresses change places, so no buffer of the pairs
        is overwritten, and all others that are live must be none of them."""
        variables, following = [bits(part) for part in zip(*loop.buffers)]
        for variable, next_ in loop.buffers:
            self.exchanges.append(Affinity(loops, variable, next_))
            self._interfere(variable, live | variables)
            self._interfere(next_, live & ~variables | following)

    def _is_whole(self, copy: Copy) -> bool:
        """Whether a copy is of all elements of one buffer to all of another."""
        sizes = [product(self.buffers[b].shape) for b in (copy.source, copy.target)]
        return sizes == [copy.elements] * 2 and self._views.keys().isdisjoint(copy[:2])

    def _interfere(self, buffer: int, others: int) -> None:
        """Notes that a buffer interferes with others."""
        others &= ~(1 << buffer)
        for other in members(others & ~self.neighbours[buffer]):
            self.neighbours[other] |= 1 << buffer
        self.neighbours[buffer] |= others


def bits(buffers: Iterable[int]) -> int:
    """A set of buffers."""
    result = 0
    for buffer in buffers:
        result |= 1 << buffer
    return result


def members(buffers: int) -> Iterator[int]:
    """The buffers of a set, in their order."""
    while buffers:
        lowest = buffers & -buffers
        yield lowest.bit_length() - 1
        buffers ^= lowest


def begins_of(blocks: Iterable[Block]) -> int:
    """What is written in any of the blocks."""
    result = 0
    for block in blocks:
        result |= block.begins
    return result


def rewritten(step: LiveStep) -> int:
    """What a step writes anew, as a whole, as far as it matters: a buffer that is accessed in one
    block alone is not live before it anyway."""
    return step.writes if isinstance(step.statement, Loop) else 0


def common(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    """How both begin."""
    length = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), None)
    return one[: min(len(one), len(other)) if length is None else length]
