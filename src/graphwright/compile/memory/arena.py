"""The homes of temporaries: memory serves again once the value there is dead."""

from __future__ import annotations

from _heapq import heappop, heappush
from bisect import insort
from collections.abc import Collection, Sequence
from itertools import accumulate, count
from typing import TypeAlias

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.memory.accesses import accessed, viewed
from graphwright.compile.memory.in_place import is_in_step
from graphwright.compile.nests.call_statements import OutsideCall
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
from graphwright.compile.nests.nest import (
    Buffer,
    Choice,
    Clear,
    Copy,
    Loop,
    Multiply,
    Nest,
    PackRight,
    Program,
    Scan,
    Statement,
    Straight,
    all_statements,
    inner_blocks,
)
from graphwright.compile.nests.sizes import Size, product

#: Blocks of memory begin at multiples of this many bytes, and lie at least as many apart.
GRAIN = 64

#: The first and the last moment, by number.
Span: TypeAlias = tuple[int, int]


def homes(program: Program) -> dict[int, int]:
    """The buffer whose memory each temporary has, for all that are used.

    That is its own, that of one that is no smaller and dead by then, or that of a result which is
    not begun yet. A buffer that loops swap may lie anywhere in the memory of its company. So all
    members of a company live as long as any of them.
    """
    result = {i: i for i, buffer in enumerate(program.buffers) if buffer.role == "temporary"}
    story = moments(program.body)
    lives = spans_of(story)
    if lives is None:
        return result
    result = {i: i for i in result if i in lives}
    lent = {program.results[result][0] for result, _ in program.reuses}
    begun = {}  # the first moment of each result: before it, temporaries may lie there
    for buffer, _ in program.results:
        if program.buffers[buffer].role == "result" and buffer in lives:
            begun[buffer] = 0 if buffer in lent else lives[buffer][0]
    heirs: dict[int, set[int]] = {}  # results written by the last statement that reads a company
    for members in companies(program.body):
        first, last = zip(*[lives[b] for b in members])
        lives.update(dict.fromkeys(members, (min(first), max(last))))
        inheriting = {b for b in begun if b not in lent and inherits(story, b, members, max(last))}
        heirs.update(dict.fromkeys(members, inheriting))
    places = [*begun]  # in the order in which they are offered
    sizes = [bytes_of(program.buffers[b]) for b in places]
    free: dict[tuple[int, ...], list[int]] = {}  # by symbols of sizes: no others may fit
    for number, size in enumerate(sizes):
        free.setdefault(size.symbols, []).append(number)
    ends: list[tuple[int, int]] = []  # (last moment, place), the earliest first
    for buffer in sorted(result, key=lambda b: (lives[b], b)):
        size, (begin, end) = bytes_of(program.buffers[buffer]), lives[buffer]
        while ends and ends[0][0] < begin:
            number = heappop(ends)[1]
            insort(free.setdefault(sizes[number].symbols, []), number)
        offered = free.get(size.symbols, [])
        for number in offered:
            home = places[number]
            until = end - (home in heirs.get(buffer, ()))
            is_free = until < begun.get(home, len(story))
            if is_free and is_within(size, sizes[number]):
                offered.remove(number)
                break
        else:
            number = len(places)
            places.append(buffer)
            sizes.append(size)
        result[buffer] = places[number]
        heappush(ends, (end, number))
    return result


def offsets(sizes: Sequence[int]) -> list[int]:
    """The beginnings of blocks of these sizes in one piece of memory, and its end."""
    return list(accumulate([s + 2 * GRAIN - 1 & -GRAIN for s in sizes], initial=0))


def bytes_of(buffer: Buffer) -> Size:
    """The bytes of a buffer."""
    return product(buffer.shape) * Size(item_size(buffer.kind))


def is_within(size: Size, other: Size) -> bool:
    """Whether a size is no larger than another one for all values of the symbols."""
    return size.symbols == other.symbols and size.factor <= other.factor


def lifetimes(program: Program) -> dict[int, Span] | None:
    """The first and the last moment at which each buffer is needed; None if the accesses of a
    statement are unknown."""
    return spans_of(moments(program.body))


def spans_of(story: Sequence[Moment]) -> dict[int, Span] | None:
    """The first and the last moment at which each buffer is needed; None as for `lifetimes`.

    A buffer that an iteration makes lives in that iteration. A buffer from outside, or one that the
    loop carries, lives as long as the loop runs.
    """
    uses: dict[int, list[tuple[int, tuple[int, ...]]]] = {}
    ends: dict[int, Span] = {}  # by loop
    views = viewed(m.statement for m in story)
    for moment, (statement, loops) in enumerate(story):
        for loop in loops:
            ends[loop] = (ends.get(loop, (moment, moment))[0], moment)
        if type(statement) not in _KNOWN:
            return None
        if isinstance(statement, Loop):
            for variable, following in statement.buffers:
                uses.setdefault(variable, []).append((moment, loops[:-1]))
                uses.setdefault(variable, []).append((moment, loops))
                uses.setdefault(following, []).append((moment, loops))
        for buffer in accessed(statement):
            uses.setdefault(views.get(buffer, buffer), []).append((moment, loops))
    lives: dict[int, Span] = {}
    for buffer, places in uses.items():
        depth = len(common([loops for _, loops in places]))
        spans = [
            ends[loops[depth]] if len(loops) > depth else (moment, moment)
            for moment, loops in places
        ]
        lives[buffer] = min(s[0] for s in spans), max(s[1] for s in spans)
    return lives


def common(paths: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The common beginning of paths."""
    low, high = min(paths), max(paths)
    return low[: next((i for i, x in enumerate(low) if high[i : i + 1] != (x,)), len(low))]


class Moment(NamedTuple):
    """A statement with no others inside, or the end of a loop's or branch's blocks.

    `loops` are those around it, the outermost first.
    """

    statement: Statement
    loops: tuple[int, ...]


def moments(body: Sequence[Statement]) -> list[Moment]:
    """The moments of a block, at any depth, in program order."""
    story: list[Moment] = []
    numbers = count()

    def append_all(block: Sequence[Statement], around: tuple[int, ...]) -> None:
        for statement in block:
            number = next(numbers)
            inside = (*around, number) if isinstance(statement, Loop) else around
            for inner in inner_blocks(statement):
                append_all(inner, inside)
            story.append(Moment(statement, inside))

    append_all(body, ())
    return story


def companies(body: Sequence[Statement]) -> list[frozenset[int]]:
    """Groups of buffers whose addresses loops exchange."""
    groups: list[frozenset[int]] = []
    for statement in all_statements(tuple(body)):
        for pair in statement.buffers if isinstance(statement, Loop) else ():
            touched = [c for c in groups if not c.isdisjoint(pair)]
            groups = [c for c in groups if c not in touched]
            groups.append(frozenset(pair).union(*touched))
    return groups


def inherits(story: Sequence[Moment], result: int, members: Collection[int], last: int) -> bool:
    """Whether the last statement that reads a company begins a result in step with it.

    That is, it reads each element no later than it writes the one in its place.
    """
    begun = next((i for i, m in enumerate(story) if result in accessed(m.statement)), None)
    if begun is None or begun != last:
        return False
    statement, views = story[begun].statement, viewed(m.statement for m in story)
    if any(views.get(b) in members for b in accessed(statement)):
        return False
    return isinstance(statement, Nest) and all(is_in_step(statement, result, b) for b in members)


#: Statements whose accesses are known; those of a branch are in its sides.
_KNOWN = frozenset(
    {
        *(Nest, Straight, Clear, Multiply, Copy, Loop, Choice, PackRight, Scan, OutsideCall),
        *(Reserve, Extend, Shorten, Locate, Transfer, Agree, Mark, Require, Deliver),
    }
)
