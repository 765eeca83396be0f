"""Where temporaries lie: memory is used again once nobody needs what lay there."""

from __future__ import annotations

from bisect import insort
from collections.abc import Collection, Sequence
from heapq import heappop, heappush
from itertools import accumulate, count

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.memory.accesses import accessed, viewed
from graphwright.compile.memory.in_place import is_in_step
from graphwright.compile.nests.element_kinds import item_size
from graphwright.compile.nests.nest import (
    Agree,
    Buffer,
    Choice,
    Clear,
    Copy,
    Deliver,
    Extend,
    Locate,
    Loop,
    Mark,
    Multiply,
    Nest,
    PackRight,
    Program,
    Require,
    Reserve,
    Scan,
    Shorten,
    Statement,
    Straight,
    Transfer,
    all_statements,
    inner_blocks,
)
from graphwright.compile.nests.sizes import Size, product

#: Blocks of memory begin at multiples of this many bytes, and as many at least lie between them.
GRAIN = 64

#: Moments, in the order of statements.
Span = tuple[int, int]


def homes(program: Program) -> dict[int, int]:
    """For each temporary that is used the buffer whose memory it has: its own, that of one that is
    no smaller and dead by then, or that of a result that is not begun yet.

    What loops swap lies anywhere in the memory of its company, all of which lives as long as any.
    """
    result = {i: i for i, buffer in enumerate(program.buffers) if buffer.role == "temporary"}
    story = moments(program.body)
    lives = spans_of(story)
    if lives is None:
        return result
    result = {i: i for i in result if i in lives}
    lent = {program.results[result][0] for result, _ in program.reuses}
    begun = {}  # when results are, in whose memory temporaries lie before
    for buffer, _ in program.results:
        if program.buffers[buffer].role == "result" and buffer in lives:
            begun[buffer] = 0 if buffer in lent else lives[buffer][0]
    heirs: dict[int, set[int]] = {}  # the results that are written as a company is read
    for members in companies(program.body):
        first, last = zip(*[lives[b] for b in members])
        lives.update(dict.fromkeys(members, (min(first), max(last))))
        found = {b for b in begun if b not in lent and inherits(story, b, members, max(last))}
        heirs.update(dict.fromkeys(members, found))
    places = [*begun]  # in the order in which they are offered
    free = list(range(len(places)))
    taken: list[tuple[int, int]] = []  # until when, and which: the first to be free comes first
    for buffer in sorted(result, key=lambda b: (lives[b], b)):
        size, (begin, end) = bytes_of(program.buffers[buffer]), lives[buffer]
        while taken and taken[0][0] < begin:
            insort(free, heappop(taken)[1])
        for number in free:
            home = places[number]
            until = end - (home in heirs.get(buffer, ()))
            is_free = until < begun.get(home, len(story))
            if is_free and is_within(size, bytes_of(program.buffers[home])):
                free.remove(number)
                break
        else:
            number = len(places)
            places.append(buffer)
        result[buffer] = places[number]
        heappush(taken, (end, number))
    return result


def offsets(sizes: Sequence[int]) -> list[int]:
    """Where blocks of these sizes begin in one piece of memory, and where it ends."""
    return list(accumulate([s + 2 * GRAIN - 1 & -GRAIN for s in sizes], initial=0))


def bytes_of(buffer: Buffer) -> Size:
    """The bytes of a buffer."""
    return product(buffer.shape) * Size(item_size(buffer.kind))


def is_within(size: Size, other: Size) -> bool:
    """Whether a size is no larger than another one, whatever the symbols are."""
    return size.symbols == other.symbols and size.factor <= other.factor


def lifetimes(program: Program) -> dict[int, Span] | None:
    """The first and the last moment at which each buffer is needed; None where there are
    statements that say nothing of it."""
    return spans_of(moments(program.body))


def spans_of(story: Sequence[Moment]) -> dict[int, Span] | None:
    """When each buffer is needed.

    What an iteration of a loop makes lives in that iteration; what comes from outside, and what
    the loop carries, as long as the loop runs.
    """
    uses: dict[int, list[tuple[int, tuple[int, ...]]]] = {}
    ends: dict[int, Span] = {}  # by loop
    views = viewed(m.statement for m in story)
    for at, (statement, loops) in enumerate(story):
        for loop in loops:
            ends[loop] = (ends.get(loop, (at, at))[0], at)
        if type(statement) not in _KNOWN:
            return None
        if isinstance(statement, Loop):
            for variable, following in statement.buffers:
                uses.setdefault(variable, []).append((at, loops[:-1]))
                uses.setdefault(variable, []).append((at, loops))
                uses.setdefault(following, []).append((at, loops))
        for buffer in accessed(statement):
            uses.setdefault(views.get(buffer, buffer), []).append((at, loops))
    lives: dict[int, Span] = {}
    for buffer, places in uses.items():
        depth = len(common([loops for _, loops in places]))
        spans = [ends[loops[depth]] if len(loops) > depth else (at, at) for at, loops in places]
        lives[buffer] = min(s[0] for s in spans), max(s[1] for s in spans)
    return lives


def common(paths: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """How all of them begin."""
    low, high = min(paths), max(paths)
    return low[: next((i for i, x in enumerate(low) if high[i : i + 1] != (x,)), len(low))]


class Moment(NamedTuple):
    """A statement that is not made of others, or the end of a loop's iteration; in which loops
    that is, the outermost first."""

    statement: Statement
    loops: tuple[int, ...]


def moments(body: Sequence[Statement]) -> list[Moment]:
    """A block's statements at any depth, in program order."""
    story: list[Moment] = []
    numbers = count()

    def tell(block: Sequence[Statement], around: tuple[int, ...]) -> None:
        for statement in block:
            number = next(numbers)
            inside = (*around, number) if isinstance(statement, Loop) else around
            for inner in inner_blocks(statement):
                tell(inner, inside)
            story.append(Moment(statement, inside))

    tell(body, ())
    return story


def companies(body: Sequence[Statement]) -> list[frozenset[int]]:
    """The buffers that are where others of them were after a loop."""
    found: list[frozenset[int]] = []
    for statement in all_statements(tuple(body)):
        for pair in statement.buffers if isinstance(statement, Loop) else ():
            known = [c for c in found if not c.isdisjoint(pair)]
            found = [c for c in found if c not in known]
            found.append(frozenset(pair).union(*known))
    return found


def inherits(story: Sequence[Moment], result: int, members: Collection[int], last: int) -> bool:
    """Whether a result is begun by the statement that reads a company last, each element of which
    it reads no later than it writes the one in its place."""
    begun = next((i for i, m in enumerate(story) if result in accessed(m.statement)), None)
    if begun is None or begun != last:
        return False
    statement, views = story[begun].statement, viewed(m.statement for m in story)
    if any(views.get(b) in members for b in accessed(statement)):
        return False
    return isinstance(statement, Nest) and all(is_in_step(statement, result, b) for b in members)


#: Statements whose accesses are known; a branch is what is in it.
_KNOWN = frozenset(
    {
        *(Nest, Straight, Clear, Multiply, Copy, Loop, Choice, PackRight, Scan),
        *(Reserve, Extend, Shorten, Locate, Transfer, Agree, Mark, Require, Deliver),
    }
)
