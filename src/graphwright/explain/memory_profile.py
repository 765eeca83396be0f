"""When the values of a graph come and go, and how much memory they need together.

Python code keeps each value in an array of its own. Machine code has one block for each call, which
holds the values between its operands and its results; `segment_plan` says where each of them lies.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from graphwright.compile.graph.simplify import simplify
from graphwright.compile.memory.arena import bytes_of as size_of_buffer
from graphwright.compile.memory.arena import lifetimes, moments, offsets
from graphwright.compile.run.straight_line import last_uses
from graphwright.compile.select.native_op import Native
from graphwright.compile.select.segments import partition
from graphwright.explain.wording import plural
from graphwright.ir.graph import Graph, Value
from graphwright.ir.text import show_type
from graphwright.ops.core.creation import Const

_ROLES = {
    "input": "an operand",
    "result": "a result",
    "late": "a result of any length",
    "temporary": "in the block",
    "row": "on its own, for one row",
    "owned": "on its own",
}
_ROW = 14  # pixels
_WIDTH = 600
_NAMES = 330
_BARS = 60  # values drawn, the largest


@dataclass(frozen=True)
class Life:
    """A value: the steps at which it is made and last used, its size and its place.

    `bytes` is None and `place` is empty where they are not known.
    """

    name: str
    type: str
    begin: int
    end: int
    bytes: int | None
    place: str = ""


@dataclass(frozen=True)
class MemoryPlan:
    """The lives of a program's values, and the most memory that those of known size need."""

    lives: tuple[Life, ...]
    steps: int
    words: str  # all of it in a sentence
    peak_step: int | None = None


def plans(graph: Graph, tier: str) -> list[tuple[str, MemoryPlan]]:
    """The plans of a graph that a tier runs, with titles: one for each native segment."""
    simple = simplify(graph)
    if tier != "native":
        return [("memory", plan(simple))]
    parts = partition(simple)
    segments = [node.op for node in parts.nodes if isinstance(node.op, Native)]
    inside = [(f"memory of segment {i}", segment_plan(op)) for i, op in enumerate(segments)]
    return inside if len(inside) == 1 else [("memory between segments", plan(parts)), *inside]


def segment_plan(op: Native) -> MemoryPlan:
    """The lives and places of a segment's values; steps are the statements of its program."""
    program, _ = op.lowered
    value, places, lives = program.sizes(), dict(program.homes), lifetimes(program) or {}
    steps = len(moments(program.body))
    blocks = [i for i, home in places.items() if i == home]
    sizes = [value(size_of_buffer(program.buffers[i])) for i in blocks]
    known = sizes[: sizes.index(None)] if None in sizes else sizes
    starts = dict(zip(blocks, offsets([size for size in known if size is not None])))
    names = dict(zip(program.inputs, op.f.arguments)) if program.crossing is None else {}
    names |= dict(zip([buffer for buffer, _ in program.results], op.f.results))
    values = []
    for i, buffer in enumerate(program.buffers):
        if buffer.role in ("view", "alias") or (buffer.role == "temporary" and i not in places):
            continue  # an item of a list, or a number that lies in a register
        name = f"b{i}"
        if i in names:
            name += f" {names[i].name}"
        place = _ROLES[buffer.role]
        if i in places and places[i] != i:
            place = f"where b{places[i]} lies"
        elif i in starts:
            place = f"at {starts[i]:,} in the block"
        shape = ",".join(map(str, buffer.shape))
        begin, end = lives.get(i, (0, steps - 1))
        size = value(size_of_buffer(buffer))
        values.append(Life(name, f"{buffer.kind}[{shape}]", begin, end + 1, size, place))
    return MemoryPlan(tuple(values), steps, in_words(sizes, len(places)))


def in_words(sizes: list[int | None], temporaries: int) -> str:
    """The block of a segment in a sentence, by the sizes of its buffers."""
    if not temporaries:
        return "No memory but operands and results."
    known = [size for size in sizes if size is not None]
    total = f"{offsets(known)[-1]:,} bytes"
    if len(known) < len(sizes):
        total += f" and {plural(len(sizes) - len(known), 'buffer')} sized by a call"
    text = f"A call takes one block of {total}, for {plural(temporaries, 'temporary value')}"
    again = temporaries - len(sizes)
    return f"{text}, {again} of which reuse the memory of others." if again else f"{text}."


def plan(simple: Graph) -> MemoryPlan:
    """The lives of a simplified graph's values in Python code; constants are part of the code."""
    steps = {node: i for i, node in enumerate(simple.nodes)}
    last = last_uses(simple)
    lives = []
    for node in simple.nodes:
        if isinstance(node.op, Const):
            continue
        for value in node.outputs:
            user = last.get(value, node)
            end = len(steps) if user is None else steps[user]
            lives.append(Life(value.name, show_type(value.type), steps[node], end, bytes_of(value)))
    needs = [
        sum(life.bytes or 0 for life in lives if life.begin <= step <= life.end)
        for step in range(len(steps) + 1)
    ]
    peak = max(needs)
    peak_step = needs.index(peak)
    words = f"At most {peak:,} bytes at once, in step {peak_step} of {len(steps)}"
    unknown = sum(life.bytes is None for life in lives)
    if unknown:
        words += f"; {unknown} of {len(lives)} values have sizes that a call decides"
    return MemoryPlan(tuple(lives), len(steps), f"{words}.", peak_step)


def bytes_of(value: Value) -> int | None:
    """The size of a value's array; None where its shape or element size is not known."""
    size, dtype = value.type.size, value.type.dtype
    return None if size is None or not dtype.is_numpy_compatible else size * dtype.size


def svg(plan: MemoryPlan) -> str:
    """A picture with a bar for each value, from the step that makes it to its last use."""
    chosen = sorted(plan.lives, key=lambda life: -(life.bytes or 0))[:_BARS]
    scale = _WIDTH / max(plan.steps, 1)
    shapes = []
    for row, life in enumerate(sorted(chosen, key=lambda life: life.begin)):
        y = row * _ROW
        size = "size known at the call" if life.bytes is None else f"{life.bytes} bytes"
        tip = f"{life.name} {life.type}, {size}, steps {life.begin} to {life.end}"
        tip += f", {life.place}" if life.place else ""
        name = f"{life.name[:30]} {life.place}" if life.place else life.name[:30]
        colour = "#bbb" if life.bytes is None else "#69c"
        width = max(2.0, (life.end - life.begin) * scale)
        shapes.append(
            f"<g><title>{escape(tip)}</title><text x='0' y='{y + 10}'>{escape(name)}</text>"
            f"<rect x='{_NAMES + life.begin * scale:.1f}' y='{y + 1}' width='{width:.1f}' "
            f"height='{_ROW - 3}' fill='{colour}'/></g>"
        )
    height = len(chosen) * _ROW + 4
    if plan.peak_step is not None:
        x = _NAMES + plan.peak_step * scale
        shapes.append(f"<path d='M{x:.1f} 0V{height}' stroke='#a33' stroke-dasharray='3'/>")
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{_NAMES + _WIDTH}' height='{height}' "
        f"font-family='monospace' font-size='11' fill='currentColor'>{''.join(shapes)}</svg>"
    )
