"""Branches of TensorFlow 1 as nodes of the op If, whose sides are functions.

A node is on the sides that the Switches before it choose. A Merge joins two sides. It and others of
its condition become one node, as far as none of them waits for another. Branches inside a side stay
in its function, which is structured when it is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from graphwright.op.op import Effect, registered
from graphwright.portable.function_body import ANY, NodeBody, Source
from graphwright.portable.graphs.classic_control import (
    BodyPart,
    Replacement,
    flat,
    forward_order,
    operand,
    origin,
    replaced,
)
from graphwright.portable.graphs.structure_loops import free_name
from graphwright.portable.model_error import malformed
from graphwright.portable.node_ops import place
from graphwright.proto.graph_pb2 import NodeDef
from graphwright.proto.types_pb2 import DT_INT32

#: The conditions on which a node runs, from the outside in: each with the side that it is on.
Sides: TypeAlias = dict[Source, int]
#: Takes a function under a name of its own.
Add: TypeAlias = Callable[[NodeBody], str]
#: Branches may be inside each other so deep.
_DEEPEST = 40


def structure_branches(body: NodeBody, add: Add) -> NodeBody:
    """The body with nodes for its branches, whose functions `add` takes."""
    if not any(node.op in ("Switch", "Merge") for node in body.by_name.values()):
        return body
    sides = SidesOf(body)
    lost = {name for name, node in body.by_name.items() if node.op == "Switch"}
    lost |= {name for name, on in sides.by_node.items() if on} | sides.joined.keys()
    moved: dict[tuple[str, int], Source] = {}
    new: list[Replacement] = []
    waits: dict[str, str] = {}
    taken: set[str] = set()
    for branch in sides.branches():
        name = free_name(body, f"{branch.merges[0].name}/If")
        made = BranchNode(body, sides, branch, name, add)
        new.append(Replacement(made.node, made.operands, made.waits))
        moved |= made.moved
        taken |= made.taken
        waits |= dict.fromkeys([*made.taken, *[m.name for m in branch.merges]], name)
    for name in lost - taken:
        sides.check_left(body.by_name[name])
    return replaced(body, lost, new, moved, waits)


class ClassicBranch:
    """The Merges that one node stands for."""

    def __init__(self, condition: Source) -> None:
        self.condition = condition
        self.merges: list[NodeDef] = []
        self.before: set[ClassicBranch] = set()  # those that it waits for

    def waits_for(self, other: ClassicBranch) -> bool:
        """Whether another one must have run before."""
        seen, left = {self}, [self]
        for branch in left:
            if other is branch:
                return True
            more = branch.before - seen
            seen |= more
            left += more
        return False


class SidesOf:
    """The sides on which each node is, and the Merges that join sides at the top."""

    def __init__(self, body: NodeBody) -> None:
        self.body = body
        self.by_node: dict[str, Sides] = {name: {} for name in body.arguments}
        #: The condition that each outermost Merge joins, and its operands by their sides.
        self.joined: dict[str, tuple[Source, dict[int, int]]] = {}
        self.order = forward_order(body)
        for node in self.order:
            self.by_node[node.name] = self._merged(node) if node.op == "Merge" else self._of(node)

    def of(self, source: Source) -> Sides:
        """The sides on which a value is there."""
        sides = self.by_node[source.node]
        if not source.output or self.body.by_name[source.node].op != "Switch":
            return sides
        name, number = flat(self.body, source)
        condition = self.condition(self.body.by_name[name])
        if sides.get(condition, number) != number:
            raise malformed(f"{self.body.name}: {name}", "it is on both sides of a condition")
        return {**sides, condition: number}

    def condition(self, switch: NodeDef) -> Source:
        """What chooses an output of a Switch."""
        return origin(self.body, operand(self.body, switch, 1, 2))

    def _of(self, node: NodeDef) -> Sides:
        sides: Sides = {}
        before = [self.of(source) for source in self.body.inputs[node.name]]
        for on in (*before, *[self.by_node[name] for name in self.body.waits[node.name]]):
            for condition, side in on.items():
                if sides.setdefault(condition, side) != side:
                    words = "it is on both sides of a condition"
                    raise malformed(f"{self.body.name}: {place(node)}", words)
        if len(sides) > _DEEPEST:
            words = f"branches stand inside each other {_DEEPEST} times"
            raise malformed(self.body.name, words)
        return sides

    def _merged(self, node: NodeDef) -> Sides:
        where = f"{self.body.name}: {place(node)}"
        first, second = [self.of(operand(self.body, node, number, 2)) for number in (0, 1)]
        both = [c for c in first if c in second and first[c] != second[c]]
        if len(both) != 1:
            raise malformed(where, "it joins no two sides of one condition")
        (condition,) = both
        sides = {c: side for on in (first, second) for c, side in on.items() if c != condition}
        if not sides:
            self.joined[node.name] = condition, {first[condition]: 0, second[condition]: 1}
        return sides

    def branches(self) -> list[ClassicBranch]:
        """The outermost branches."""
        before: dict[str, set[ClassicBranch]] = {name: set() for name in self.body.arguments}
        by_condition: dict[Source, list[ClassicBranch]] = {}
        for node in self.order:
            sources = [source.node for source in self.body.inputs[node.name]]
            behind = {b for n in (*sources, *self.body.waits[node.name]) for b in before[n]}
            if node.name in self.joined:
                condition, _ = self.joined[node.name]
                same = by_condition.setdefault(condition, [])
                free = [b for b in same if not any(other.waits_for(b) for other in behind)]
                branch = free[0] if free else ClassicBranch(condition)
                if not free:
                    same.append(branch)
                branch.merges.append(node)
                branch.before |= behind
                behind = {branch}
            before[node.name] = behind
        return [branch for same in by_condition.values() for branch in same]

    def check_left(self, node: NodeDef) -> None:
        """Refuses a node with an effect that runs on a side which gives nothing."""
        record = registered(node.op)
        if record is not None and record.effect is not Effect.NONE and node.op != "NoOp":
            words = "it has an effect in a branch that gives nothing"
            raise malformed(f"{self.body.name}: {place(node)}", words)


class SidePart(BodyPart):
    """A side of a branch."""

    def __init__(self, branch: BranchNode, side: int) -> None:
        super().__init__(branch.body)
        self._branch, self._side = branch, side

    def step(self, source: Source) -> Source:
        while source.output and self._is_switch(source.node):
            source = operand(self.body, self.body.by_name[source.node], 0, 2)
        if self._branch.sides.of(source).get(self._branch.condition) == self._side:
            return source
        return self._branch.argument(source)

    def _is_switch(self, name: str) -> bool:
        node = self.body.by_name[name]
        return node.op == "Switch" and self._branch.sides.condition(node) == self._branch.condition

    def has(self, name: str) -> bool:
        on = self._branch.sides.by_node[name].get(self._branch.condition) == self._side
        return on and not self._is_switch(name)


class BranchNode:
    """The node for a branch, and its functions."""

    def __init__(
        self, body: NodeBody, sides: SidesOf, branch: ClassicBranch, name: str, add: Add
    ) -> None:
        self.body, self.sides, self.condition = body, sides, branch.condition
        self._arguments: dict[Source, str] = {}
        self.node = NodeDef(name=name, op="If")
        self.taken: set[str] = set()
        merges = branch.merges
        indices = [m.name for m in merges if self._is_counted(m)]
        results = []
        for side in (1, 0):
            part = SidePart(self, side)
            places = [sides.joined[merge.name][1][side] for merge in merges]
            taken = part.take([operand(body, m, number, 2) for m, number in zip(merges, places)])
            for merge, number in zip(merges, places):
                if merge.name in indices:
                    taken.append(numbered(part, f"{merge.name}/index", number))
            results.append((part, taken))
            self.taken |= part.nodes.keys()
        names = list(self._arguments.values())
        for (part, taken), which in zip(results, ("then_branch", "else_branch")):
            made = part.as_body(f"{body.name}.{name}.{which}", names, taken)
            made.by_name |= {n: node for n, node in part.nodes.items() if n not in made.by_name}
            self.node.attr[which].func.name = add(made)
        self.operands = [self.condition, *self._arguments]
        self.waits = [n for taken in self.taken if taken in body.waits for n in body.waits[taken]
                      if n not in self.taken and not sides.by_node[n]]  # fmt: skip
        self.waits += [n for merge in merges for n in body.waits[merge.name]]
        self.moved = {(m.name, 0): Source(name, ANY, number) for number, m in enumerate(merges)}
        for number, merge_name in enumerate(indices, len(merges)):
            self.moved[merge_name, 1] = Source(name, ANY, number)

    def _is_counted(self, merge: NodeDef) -> bool:
        """Whether somebody asks which operand of a Merge arrived."""
        uses = [s for sources in self.body.inputs.values() for s in sources] + self.body.returned
        return any(s.output and s.node == merge.name and flat(self.body, s)[1] == 1 for s in uses)

    def argument(self, source: Source) -> Source:
        """The argument of the sides for what comes from outside."""
        return Source(self._arguments.setdefault(source, f"x{len(self._arguments)}"))


def numbered(part: BodyPart, name: str, number: int) -> Source:
    """A constant inside a part."""
    node = NodeDef(name=name, op="Const")
    node.attr["dtype"].type = DT_INT32
    node.attr["value"].tensor.dtype = DT_INT32
    node.attr["value"].tensor.tensor_shape.SetInParent()
    node.attr["value"].tensor.int_val.append(number)
    part.nodes[name], part.inputs[name], part.waits[name] = node, [], []
    return Source(name, ANY, 0)
