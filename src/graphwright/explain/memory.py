"""When the values of a graph come and go, and how much memory they need together."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from graphwright.ir.graph import Graph, Value
from graphwright.ir.text import show_type
from graphwright.lower.simplify import simplify
from graphwright.lower.straight_line import last_uses
from graphwright.ops.creation import Const

_ROW = 14  # pixels
_WIDTH = 600
_NAMES = 220
_BARS = 60  # values drawn, the largest


@dataclass(frozen=True)
class Life:
    """A value: the steps at which it is made and last used, its bytes where they are known."""

    name: str
    type: str
    begin: int
    end: int
    bytes: int | None


@dataclass(frozen=True)
class Plan:
    """The lives of a graph's values, and the most memory that those of known size need."""

    steps: int
    lives: tuple[Life, ...]
    peak: int
    peak_step: int

    @property
    def unknown(self) -> int:
        """How many values have a size that only a call tells."""
        return sum(life.bytes is None for life in self.lives)


def plan(graph: Graph) -> Plan:
    """The lives of the values of a graph as it runs; constants live as long as the code."""
    simple = simplify(graph)
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
    peak = max(needs, default=0)
    return Plan(len(steps), tuple(lives), peak, needs.index(peak) if needs else 0)


def bytes_of(value: Value) -> int | None:
    """The size of a value's array; None where its shape or element size is not known."""
    size, dtype = value.type.size, value.type.dtype
    return None if size is None or not dtype.is_numpy_compatible else size * dtype.size


def svg(plan: Plan) -> str:
    """A bar for each value, from where it is made to its last use."""
    chosen = sorted(plan.lives, key=lambda life: -(life.bytes or 0))[:_BARS]
    scale = _WIDTH / max(plan.steps, 1)
    shapes = []
    for row, life in enumerate(sorted(chosen, key=lambda life: life.begin)):
        y = row * _ROW
        size = "size known at the call" if life.bytes is None else f"{life.bytes} bytes"
        tip = f"{life.name} {life.type}, {size}, steps {life.begin} to {life.end}"
        colour = "#bbb" if life.bytes is None else "#69c"
        width = max(2.0, (life.end - life.begin) * scale)
        shapes.append(
            f"<g><title>{escape(tip)}</title><text x='0' y='{y + 10}'>{escape(life.name[:30])}"
            f"</text><rect x='{_NAMES + life.begin * scale:.1f}' y='{y + 1}' width='{width:.1f}' "
            f"height='{_ROW - 3}' fill='{colour}'/></g>"
        )
    x = _NAMES + plan.peak_step * scale
    height = len(chosen) * _ROW + 4
    shapes.append(f"<path d='M{x:.1f} 0V{height}' stroke='#a33' stroke-dasharray='3'/>")
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{_NAMES + _WIDTH}' height='{height}' "
        f"font-family='monospace' font-size='11' fill='currentColor'>{''.join(shapes)}</svg>"
    )


def describe(plan: Plan) -> str:
    """The plan in a sentence."""
    text = f"At most {plan.peak:,} bytes at once, in step {plan.peak_step} of {plan.steps}"
    if plan.unknown:
        text += f"; {plan.unknown} of {len(plan.lives)} values have sizes that only a call tells"
    return f"{text}."
