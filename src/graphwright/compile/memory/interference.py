"""Pairs of buffers that may not share memory, because both are needed at some moment.

Two buffers interfere where one is written while the other is live, as in register allocators
(Chaitin, "Register Allocation & Spilling via Graph Coloring", 1982). There are two exceptions.
After a copy both hold the same. And one buffer may die in the statement that writes the other, if
it reads each element before it writes the one in its place.

A buffer is *live* where a write to it has begun and a read will follow. A buffer that one block
alone accesses (an iteration, a side of a branch) is not live where that block begins or ends. The
last step of an iteration gives loop variables their next values: it exchanges addresses, reads the
next values' buffers and writes all of them.

Sets of buffers are integers, a bit for each. Each block is summarized once, after the blocks inside
it. So the work is linear in the statements, however deep loops are.
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
    """A statement without others inside, or a loop as the end of its iterations."""

    statement: Statement
    reads: int
    writes: int


class Block:
    """Statements that run one after the other: steps, and statements with blocks inside."""

    def __init__(self, path: tuple[int, ...], loops: int) -> None:
        self.path = path  # the numbers of the blocks around this one, and its own
        self.loops = loops  # the number of loops around it
        self.items: list[LiveStep | tuple[Statement, list[Block]]] = []
        self.local = 0  # buffers that this block alone accesses
        self.needs = 0  # buffers written before it that it reads
        self.begins = 0  # buffers that it writes and others access


class Affinity(NamedTuple):
    """Two buffers that should be one: the second may die where the first is written."""

    loops: int  # the number of loops around that place
    new: int
    old: int


class Interference:
    """The graph of buffers that interfere, and the affinities of others."""

    def __init__(self, program: Program) -> None:
        self.buffers = program.buffers
        self.neighbours = [0] * len(program.buffers)
        self.copies: list[Affinity] = []
        self.exchanges: list[Affinity] = []
        self.handovers: list[Affinity] = []
        self.local = 0  # buffers that one block in a loop alone accesses
        self._views = viewed(all_statements(program.body))
        self._paths: dict[int, tuple[int, ...]] = {}  # of the innermost block with all accesses
        self._blocks: list[Block] = []
        root = self._block(program.body, (), 0)
        results = bits(buffer for buffer, _ in program.results if buffer >= 0)
        for buffer, path in self._paths.items():
            block = root if results >> buffer & 1 else self._blocks[path[-1]]
            block.local |= 1 << buffer
        for block in reversed(self._blocks):
            self._summarize(block)
            self.local |= block.local if block.loops else 0
        root.local &= ~results
        self._visit(root, results, 0)

    # -- statements as blocks ---------------------------------------------------------------

    def _block(self, body: Sequence[Statement], around: tuple[int, ...], loops: int) -> Block:
        """A block, with the blocks inside it."""
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
        """Appends a step to a block."""
        sets = []
        for buffers in (reads, writes):
            places = [self._views.get(b, b) for b in buffers]
            for buffer in places:
                path = self._paths.get(buffer)
                self._paths[buffer] = block.path if path is None else common(path, block.path)
            sets.append(bits(places))
        block.items.append(LiveStep(statement, *sets))

    def _summarize(self, block: Block) -> None:
        """Computes what a block needs and begins from its items."""
        needs = begins = 0
        for item in reversed(block.items):
            if isinstance(item, LiveStep):
                needs = item.reads | (needs & ~rewritten(item))
                begins |= item.writes
            else:
                for inner in item[1]:
                    needs |= inner.needs
                    begins |= inner.begins
        block.needs, block.begins = needs & ~block.local, begins & ~block.local

    # -- live buffers -----------------------------------------------------------------------

    def _visit(self, block: Block, later: int, begun: int) -> None:
        """Notes the interferences in a block; `later` are the buffers read after it, `begun` those
        written before."""
        later &= ~block.local
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
        """The buffers that a statement and later ones need; notes interferences in its blocks."""
        if not isinstance(statement, Loop):
            before = later
            for block in blocks:  # one of them runs
                self._visit(block, later, begun)
                before |= block.needs
            return before
        condition, body = blocks
        head = later | condition.needs | body.needs
        begun |= begins_of(blocks)
        exchanged = bits(buffer for pair in statement.buffers for buffer in pair)
        self._visit(condition, later | body.needs | (head & ~exchanged), begun)
        self._visit(body, head, begun)
        return head

    def _meet(self, step: LiveStep, live: int, loops: int) -> None:
        """Notes the interferences of a step; the buffers of `live` are live after it."""
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
        """Notes the interferences at the end of an iteration, where addresses change places.

        So no buffer of the pairs is overwritten, and no other live buffer may be one of them.
        """
        variables, following = [bits(part) for part in zip(*loop.buffers)]
        for variable, next_ in loop.buffers:
            self.exchanges.append(Affinity(loops, variable, next_))
            self._interfere(variable, live | variables)
            self._interfere(next_, live & ~variables | following)

    def _is_whole(self, copy: Copy) -> bool:
        """Whether a copy takes all elements of one buffer to all of another."""
        sizes = [product(self.buffers[b].shape) for b in (copy.source, copy.target)]
        return sizes == [copy.elements] * 2 and self._views.keys().isdisjoint(copy[:2])

    def _interfere(self, buffer: int, others: int) -> None:
        """Notes that a buffer interferes with others."""
        others &= ~(1 << buffer)
        for other in members(others & ~self.neighbours[buffer]):
            self.neighbours[other] |= 1 << buffer
        self.neighbours[buffer] |= others


def bits(buffers: Iterable[int]) -> int:
    """The set of these buffers."""
    result = 0
    for buffer in buffers:
        result |= 1 << buffer
    return result


def members(buffers: int) -> Iterator[int]:
    """The buffers of a set, in ascending order."""
    while buffers:
        lowest = buffers & -buffers
        yield lowest.bit_length() - 1
        buffers ^= lowest


def begins_of(blocks: Iterable[Block]) -> int:
    """The buffers that any of the blocks begins."""
    result = 0
    for block in blocks:
        result |= block.begins
    return result


def rewritten(step: LiveStep) -> int:
    """The buffers that a step writes whole, if that matters: a buffer that one block alone accesses
    is not live before it anyway."""
    return step.writes if isinstance(step.statement, Loop) else 0


def common(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    """The common beginning of two paths."""
    length = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), None)
    return one[: min(len(one), len(other)) if length is None else length]
