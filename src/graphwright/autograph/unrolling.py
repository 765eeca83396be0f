"""A warning of Python loops that make a graph large.

Python runs its own loops, so nothing counts their iterations. A look at a growing graph samples
them, once in some hundred nodes. It notes the instruction at which each converted function on the
stack stands. A function that went back in its code has begun another iteration.
"""

from __future__ import annotations

import dis
from collections.abc import Iterator
from types import CodeType, FrameType

from graphwright.autograph.exempt import is_converted
from graphwright.base.errors import Location, frame_above
from graphwright.base.logs import LOGGER
from graphwright.base.named_tuples import NamedTuple
from graphwright.trace.tracer import Tracer

NODES = 1_000  # nodes of a graph, before the warning
TURNS = 100  # iterations that add to it: models have loops over some dozens of layers
EVERY = 500  # nodes between two looks
_SAMPLE = 25  # nodes of one look


class UnrollingWatch:
    """The loops that add to one graph."""

    def __init__(self) -> None:
        self.end = 0  # the size of the graph at which this look ends; 0 between two looks
        self.places: dict[FrameType, _Place] = {}
        self.turns: dict[FrameType, int] = {}  # iterations in this look
        self.total: dict[FrameType, float] = {}  # estimates, of frames that loop in each look
        self.has_warned = False

    def look(self, size: int) -> int:
        """Notes a graph that has grown to `size`; returns the size for the next call."""
        if not self.end:
            self.end = size + _SAMPLE
        for frame, place in _converted():
            if place.is_another_turn(self.places.get(frame)):
                self.turns[frame] = self.turns.get(frame, 0) + 1
            self.places[frame] = place
        if size < self.end:
            return size + 1
        rate = EVERY / _SAMPLE
        self.total = {f: n * rate + self.total.get(f, 0) for f, n in self.turns.items()}
        for frame, turns in self.total.items():
            if turns >= TURNS and size >= NODES and not self.has_warned:
                self.has_warned = True
                _warn(frame, size, turns)
        self.end, self.places, self.turns = 0, {}, {}
        return size + EVERY - _SAMPLE


class _Place(NamedTuple):
    """The instruction at which a function stands, and the call that it makes there."""

    instruction: int
    call: FrameType

    def is_another_turn(self, before: _Place | None) -> bool:
        if before is None or before.instruction < self.instruction:
            return False
        return before.instruction > self.instruction or before.call is not self.call


def _converted() -> Iterator[tuple[FrameType, _Place]]:
    """The converted functions on the stack of a tracer that has just added a node."""
    call = frame_above(3)
    frame = None if call is None else call.f_back
    while call is not None and frame is not None:
        if is_converted(frame.f_code):
            yield frame, _Place(frame.f_lasti, call)
        call, frame = frame, frame.f_back


def _warn(frame: FrameType, size: int, turns: float) -> None:
    code = frame.f_code
    where = Location(code.co_filename, _head(code, frame.f_lasti) or frame.f_lineno, code.co_name)
    LOGGER.warning(
        "%s: this Python loop has run about %d times while a graph was being built, which has %d "
        "operations now, those of each turn. Did you mean to loop in the graph? Loop over a tensor "
        "(`for i in tf.range(n)`) or use a tensor in the condition of the while.",
        where, turns, size,
    )  # fmt: skip


def _head(code: CodeType, place: int) -> int | None:
    """The line where the innermost loop around an instruction begins."""
    starts = dict(dis.findlinestarts(code))
    lines: dict[int, int] = {}
    line = None
    loop_line: int | None = None
    jumps = {*dis.hasjrel, *dis.hasjabs}
    for instruction in dis.get_instructions(code):
        line = starts.get(instruction.offset) or line
        lines[instruction.offset] = line or 0
        back = instruction.opcode in jumps and instruction.argval < instruction.offset
        if back and instruction.argval <= place <= instruction.offset and loop_line is None:
            loop_line = min(lines[instruction.argval], lines[instruction.offset])
    return loop_line


def watch(tracer: Tracer) -> int:
    """Looks at the graph of a tracer; returns its size for the next look."""
    state: UnrollingWatch = tracer.watch or UnrollingWatch()
    tracer.watch = state
    return state.look(len(tracer.graph.nodes))
