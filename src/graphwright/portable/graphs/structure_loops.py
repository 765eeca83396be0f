"""Loops of TensorFlow 1 as nodes of the op While, whose condition and body are functions.

The outermost loops of a body become nodes; loops inside them stay in the functions, which are
structured when they are needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from graphwright.portable.function_body import ANY, NodeBody, Source
from graphwright.portable.graphs.classic_control import (
    BodyPart,
    Replacement,
    flat,
    forward_order,
    operand,
    replaced,
)
from graphwright.portable.model_error import malformed
from graphwright.portable.node_ops import place
from graphwright.proto.graph_pb2 import NodeDef

#: Takes a function under a name of its own.
Add: TypeAlias = Callable[[NodeBody], str]
#: The frames around a node, from the outside in.
Frame: TypeAlias = tuple[str, ...]
#: Loops may be inside each other so deep.
_DEEPEST = 40


def structure_loops(body: NodeBody, add: Add) -> NodeBody:
    """The body with nodes for its loops, whose functions `add` takes."""
    if not any(node.op in ("Enter", "Exit") for node in body.by_name.values()):
        return body
    frames = frames_of(body)
    outermost = dict.fromkeys(frame[0] for frame in frames.values() if frame)
    loops = [ClassicLoop(body, frame, frames, add) for frame in outermost]
    moved: dict[tuple[str, int], Source] = {}
    waits: dict[str, str] = {}
    lost: set[str] = set()
    for loop in loops:
        moved |= loop.moved
        lost |= loop.lost
        waits |= dict.fromkeys(loop.lost, loop.node.name)
    new = [Replacement(loop.node, loop.operands, loop.waits) for loop in loops]
    return replaced(body, lost, new, moved, waits)


def frames_of(body: NodeBody) -> dict[str, Frame]:
    """The frames around each node."""
    frames: dict[str, Frame] = dict.fromkeys(body.arguments, ())
    for node in forward_order(body):
        before = [source.node for source in body.inputs[node.name]] + body.waits[node.name]
        around = [frames[name] for name in before if name in frames]
        frame = max(around, key=len, default=())
        if any(frame[: len(other)] != other for other in around):
            raise malformed(f"{body.name}: {place(node)}", "it takes values of two loops")
        if node.op == "Enter":
            frame = (*frame, node.attr["frame_name"].s.decode(errors="replace"))
            if len(frame) > _DEEPEST:
                raise malformed(body.name, f"loops stand inside each other {_DEEPEST} times")
        elif node.op == "Exit":
            if not frame:
                raise malformed(f"{body.name}: {place(node)}", "it leaves no loop")
            frame = frame[:-1]
        frames[node.name] = frame
    return frames


class LoopPart(BodyPart):
    """The condition or the body of a loop."""

    def __init__(self, loop: ClassicLoop) -> None:
        super().__init__(loop.body)
        self._loop = loop

    def step(self, source: Source) -> Source:
        return self._loop.inside(source)

    def has(self, name: str) -> bool:
        return name in self._loop.members and name not in self._loop.border

    def form(self, node: NodeDef) -> NodeDef:
        is_end = node.name == self._loop.end
        return NodeDef(name=node.name, op="Identity") if is_end else node


class ClassicLoop:
    """One loop: the node in its place, and its functions."""

    def __init__(self, body: NodeBody, frame: str, frames: dict[str, Frame], add: Add) -> None:
        self.body = body
        nodes = body.by_name
        self.members = {name for name, f in frames.items() if f[:1] == (frame,)}
        direct = [
            nodes[n] for n in nodes if frames[n] == (frame,)
        ]  # of this loop, not of inner ones
        #: What a turn starts with: each Merge with where its first value and the next come from.
        merges = [node for node in direct if node.op == "Merge" and self._around(node)]
        conditions = [node for node in direct if node.op == "LoopCond"]
        if len(conditions) != 1:
            raise malformed(body.name, f"the loop {frame!r} has {len(conditions)} conditions")
        self.end = conditions[0].name
        self._condition = operand(body, conditions[0], 0, 1)
        self._places = {node.name: number for number, node in enumerate(merges)}
        switches = [node for node in direct if node.op == "Switch" and self._leaves(node)]
        self._switches = {node.name: self._place(operand(body, node, 0, 2)) for node in switches}
        starts, nexts = zip(*map(self._variable, merges)) if merges else ((), ())
        entered = [nodes[self._enter(source, frame)] for source in starts]
        self._invariants: dict[Source, str] = {}
        self._entered = {
            node.name: operand(body, node, 0, 1)
            for node in direct
            if node.op == "Enter" and node.name not in {e.name for e in entered}
        }
        self.border = {*self._places, *self._switches, *self._entered, *[e.name for e in entered]}
        condition, turn = LoopPart(self), LoopPart(self)
        results = condition.take([self._condition])
        after = turn.take(list(nexts))
        arguments = [f"v{number}" for number in range(len(merges))]
        rest = list(self._invariants.values())
        names = [*arguments, *rest]
        self.node = NodeDef(name=free_name(body, frame), op="While")
        test = condition.as_body(f"{body.name}.{self.node.name}.cond", names, results)
        returned = [*after, *map(Source, rest)]
        step = turn.as_body(f"{body.name}.{self.node.name}.body", names, returned)
        self.node.attr["cond"].func.name = add(test)
        self.node.attr["body"].func.name = add(step)
        self.operands = [operand(body, node, 0, 1) for node in entered] + list(self._invariants)
        enters = [node for node in direct if node.op == "Enter"]
        self.waits = [name for node in enters for name in body.waits[node.name]]
        exits = [
            node for name, node in nodes.items() if node.op == "Exit" and not frames[name]
            and flat(body, operand(body, node, 0, 1))[0] in self.members
        ]  # fmt: skip
        self.moved = {(node.name, 0): self._left(node) for node in exits}
        self.lost = {*self.members, *[node.name for node in exits]} & nodes.keys()

    def _around(self, node: NodeDef) -> bool:
        """Whether a value comes around to a node."""
        sources = self.body.inputs[node.name]
        return any(
            source.output and self.body.by_name[source.node].op == "NextIteration"
            for source in sources
        )

    def _variable(self, merge: NodeDef) -> tuple[Source, Source]:
        """Where a variable of the loop starts, and what it is after a turn."""
        sources = [operand(self.body, merge, number, 2) for number in (0, 1)]
        sources.sort(key=lambda s: self.body.by_name[s.node].op == "NextIteration"
                     if s.output else False)  # fmt: skip
        start, after = sources
        return start, operand(self.body, self.body.by_name[after.node], 0, 1)

    def _enter(self, source: Source, frame: str) -> str:
        """The Enter from which a variable starts."""
        if not source.output or self.body.by_name[source.node].op != "Enter":
            raise malformed(self.body.name, f"the loop {frame!r} has a variable without a start")
        return source.node

    def _leaves(self, node: NodeDef) -> bool:
        """Whether the condition of the loop chooses an output of a Switch."""
        value, chooser = [operand(self.body, node, number, 2) for number in (0, 1)]
        is_variable = value.output and flat(self.body, value)[0] in self._places
        chosen = chooser
        while chosen.output and self.body.by_name[chosen.node].op == "Identity":
            chosen = operand(self.body, self.body.by_name[chosen.node], 0, 1)
        is_end = bool(chosen.output) and self.body.by_name[chosen.node].op == "LoopCond"
        return bool(is_variable and is_end)

    def _place(self, source: Source) -> int:
        return self._places[flat(self.body, source)[0]]

    def _left(self, node: NodeDef) -> Source:
        """What an Exit passes on: a variable as the condition saw it last."""
        name, side = flat(self.body, operand(self.body, node, 0, 1))
        if name not in self._switches or side != 0:
            words = "it passes on what is no variable of the loop"
            raise malformed(f"{self.body.name}: {place(node)}", words)
        return Source(self.node.name, ANY, self._switches[name])

    def inside(self, source: Source) -> Source:
        """What a source is in the functions: an argument, or an output of a node."""
        if not source.output:
            return self._invariant(source)
        name, number = flat(self.body, source)
        if name in self._places and number == 0:
            return Source(f"v{self._places[name]}")
        if name in self._switches and number == 1:
            return Source(f"v{self._switches[name]}")
        if name in self._entered:
            return self._invariant(self._entered[name])
        if name not in self.members:
            return self._invariant(source)
        if name in self.border:
            words = "its value is taken at another place of its loop than it is there"
            raise malformed(f"{self.body.name}: {place(self.body.by_name[name])}", words)
        return source

    def _invariant(self, source: Source) -> Source:
        """The argument for what does not change in the loop."""
        return Source(self._invariants.setdefault(source, f"c{len(self._invariants)}"))


def free_name(body: NodeBody, base: str) -> str:
    """A name that no node or argument has."""
    base = base.rstrip("/") or "loop"
    name, count = base, 0
    while name in body.by_name or name in body.arguments:
        count += 1
        name = f"{base}_{count}"
    return name
