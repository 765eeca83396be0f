"""What TensorFlow 1 builds branches and loops of: nodes that pass a value on, or do not.

`Switch` sends a value to one of two outputs, `Merge` takes the one that arrives. A loop is a frame:
`Enter` brings values in, `NextIteration` around, and `Exit` out of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from graphwright.portable.function_body import ANY, NodeBody, Source
from graphwright.portable.model_error import malformed
from graphwright.portable.node_ops import place
from graphwright.proto.graph_pb2 import NodeDef

#: The outputs of nodes, by the names that functions give them.
_PLACES = {
    "Switch": {"output_false": 0, "output_true": 1},
    "Merge": {"output": 0, "value_index": 1},
}
#: The ops that pass values on without a change.
PASSING = frozenset({"Identity", "LoopCond"})


def flat(body: NodeBody, source: Source) -> tuple[str, int]:
    """A source as the node and the number of its output."""
    if not source.output or source.output == ANY:
        return source.node, source.place
    places = _PLACES.get(body.by_name[source.node].op, {})
    return source.node, places.get(source.output, source.place)


def operand(body: NodeBody, node: NodeDef, number: int, count: int) -> Source:
    """An operand of a node, which must have so many."""
    inputs = body.inputs[node.name]
    if len(inputs) != count:
        raise malformed(f"{body.name}: {place(node)}", f"it has {len(inputs)} operands")
    return inputs[number]


def origin(body: NodeBody, source: Source) -> Source:
    """Where a value comes from that identities pass on."""
    seen = set()
    while source.output:
        node = body.by_name[source.node]
        if node.op not in PASSING or source.node in seen or len(body.inputs[node.name]) != 1:
            break
        seen.add(source.node)
        source = body.inputs[node.name][0]
    if source.output and source.output != ANY:
        name, number = flat(body, source)
        if body.by_name[name].op in _PLACES or body.by_name[name].op in PASSING:
            return Source(name, ANY, number)
    return source


def forward_order(body: NodeBody) -> list[NodeDef]:
    """The nodes, each behind those that it waits for, but for what comes around in loops."""
    around = {name for name, node in body.by_name.items() if node.op == "NextIteration"}
    merges = {name for name, node in body.by_name.items() if node.op == "Merge"}
    inputs = {
        name: [s for s in sources if s.node not in around] if name in merges else sources
        for name, sources in body.inputs.items()
    }
    cut = NodeBody(body.name, body.arguments, list(body.by_name.values()), inputs, body.waits, [])
    return cut.nodes


class BodyPart:
    """A part of a body that becomes a function: what its results need, up to a border.

    What lies behind the border becomes arguments, in the order in which it is met.
    """

    def __init__(self, body: NodeBody) -> None:
        self.body = body
        self.nodes: dict[str, NodeDef] = {}
        self.inputs: dict[str, list[Source]] = {}
        self.waits: dict[str, list[str]] = {}

    def step(self, source: Source) -> Source:
        """What a source is inside: an argument, or an output of a node."""
        raise NotImplementedError

    def has(self, name: str) -> bool:
        """Whether a node that others wait for is inside."""
        raise NotImplementedError

    def form(self, node: NodeDef) -> NodeDef:
        """A node as it stands inside."""
        return node

    def take(self, roots: list[Source]) -> list[Source]:
        """Takes what sources need, and returns what they are inside."""
        results = [self.step(source) for source in roots]
        names = [source.node for source in results if source.output]
        for name in names:
            if name in self.nodes:
                continue
            node = self.body.by_name[name]
            self.nodes[name] = self.form(node)
            self.inputs[name] = [self.step(source) for source in self.body.inputs[name]]
            self.waits[name] = [before for before in self.body.waits[name] if self.has(before)]
            names += [source.node for source in self.inputs[name] if source.output]
            names += self.waits[name]
        return results

    def as_body(self, name: str, arguments: list[str], results: list[Source]) -> NodeBody:
        """The function, in the order of its body."""
        nodes = [self.nodes[n] for n in self.body.by_name if n in self.nodes]
        return NodeBody(name, arguments, nodes, self.inputs, self.waits, results)


class Replacement(NamedTuple):
    """A node that takes the place of others: its operands, and what it waits for."""

    node: NodeDef
    operands: list[Source]
    waits: list[str]


def replaced(
    body: NodeBody,
    lost: set[str],
    new: Sequence[Replacement],
    moved: Mapping[tuple[str, int], Source],
    waits: Mapping[str, str],
) -> NodeBody:
    """A body with other nodes in the place of some.

    Args:
        body: The body.
        lost: The nodes that it loses.
        new: The nodes that it gets.
        moved: What stands for outputs of lost nodes. A node whose first output moves is an Identity
            then, under its name.
        waits: The nodes that others wait for in the place of lost ones.
    """
    identities = {name: source for (name, number), source in moved.items() if not number}
    gone = lost - identities.keys()

    def at(source: Source) -> Source:
        name, number = flat(body, source) if source.output else (source.node, 0)
        if number == 0 and name in identities:
            return Source(name, ANY, 0)
        return moved.get((name, number), source)

    def before(names: Sequence[str]) -> list[str]:
        behind = [waits.get(name, name) if name in gone else name for name in names]
        return list(dict.fromkeys([name for name in behind if name not in gone]))

    nodes: list[NodeDef] = []
    inputs: dict[str, list[Source]] = {}
    waiting: dict[str, list[str]] = {}
    for name, node in body.by_name.items():
        if name in identities:
            nodes.append(NodeDef(name=name, op="Identity"))
            inputs[name], waiting[name] = [identities[name]], []
        elif name not in gone:
            nodes.append(node)
            inputs[name] = [at(source) for source in body.inputs[name]]
            waiting[name] = before(body.waits[name])
    for node, operands, names in new:
        nodes.append(node)
        inputs[node.name] = [at(source) for source in operands]
        waiting[node.name] = [name for name in before(names) if name != node.name]
    returned = [at(source) for source in body.returned]
    for name in [s.node for sources in (*inputs.values(), returned) for s in sources]:
        if name in gone:
            words = "its value is taken outside the branch or loop in which it is computed"
            raise malformed(f"{body.name}: {place(body.by_name[name])}", words)
    result = NodeBody(body.name, body.arguments, nodes, inputs, waiting, returned)
    result.dtypes, result.result_dtypes = body.dtypes, body.result_dtypes
    return result
