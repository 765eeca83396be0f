"""The nodes of a graph, or those that some of its tensors need, as a body.

In a graph `node:2` names the third output of a node, and `node` the first one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from graphwright.portable.function_body import (
    ANY,
    NAME,
    NodeBody,
    Source,
    check_names,
    is_place,
    references,
)
from graphwright.portable.model_error import malformed
from graphwright.proto.graph_pb2 import NodeDef

_TENSOR = re.compile(r"(?P<node>[^:^]+)(:(?P<place>[0-9]{1,9}))?")


class TensorName(NamedTuple):
    """The name of a tensor: its node and the number of its output."""

    node: str
    place: int

    def __str__(self) -> str:
        return f"{self.node}:{self.place}"


def tensor_name(text: str) -> TensorName | None:
    """What a text such as "add:0" names, or None where it names no tensor."""
    match = _TENSOR.fullmatch(text)
    return TensorName(match["node"], int(match["place"] or 0)) if match else None


class GraphNodes:
    """The nodes of a graph by their names, with where their operands come from."""

    def __init__(self, where: str, nodes: Iterable[NodeDef]) -> None:
        self.where = where
        listed = list(nodes)
        self.nodes = {node.name: node for node in listed}
        check_names(where, [node.name for node in listed], NAME)

        def source(text: str, user: object) -> Source:
            name, colon, number = text.partition(":")
            if name not in self.nodes:
                raise malformed(where, f"{user} takes {text!r}, which there is not")
            if colon and not is_place(number):
                raise malformed(where, f"{user} takes {text!r}, which names no output")
            return Source(name, ANY, int(number or 0))

        self.inputs, self.waits = references(where, listed, self.nodes, source)

    def needed(self, names: Iterable[str], given: Mapping[TensorName, object]) -> list[NodeDef]:
        """The nodes that others need, these among them, where some tensors are given."""
        left = list(dict.fromkeys(names))
        seen = set(left)
        for name in left:
            before = [s.node for s in self.inputs[name] if TensorName(s.node, s.place) not in given]
            new = [n for n in dict.fromkeys([*before, *self.waits[name]]) if n not in seen]
            seen.update(new)
            left.extend(new)
        return [node for name, node in self.nodes.items() if name in seen]

    def without(self, blocked: Iterable[str]) -> list[NodeDef]:
        """The nodes that need none of those that are blocked."""
        gone = self.dependents(blocked)
        return [node for name, node in self.nodes.items() if name not in gone]

    def dependents(self, names: Iterable[str]) -> dict[str, str]:
        """The nodes that need others, with these themselves, each with one of those it needs."""
        users: dict[str, list[str]] = {name: [] for name in self.nodes}
        for name in self.nodes:
            for before in (*[s.node for s in self.inputs[name]], *self.waits[name]):
                users[before].append(name)
        reasons = {name: name for name in names}
        left = list(reasons)
        for name in left:
            new = [user for user in dict.fromkeys(users[name]) if user not in reasons]
            reasons.update(dict.fromkeys(new, reasons[name]))
            left.extend(new)
        return reasons

    def body(
        self,
        name: str,
        given: Mapping[TensorName, str],
        fetches: Sequence[TensorName],
        targets: Iterable[str] = (),
    ) -> NodeBody:
        """The body that computes tensors, and runs nodes, of tensors that are given as arguments.

        Args:
            name: What it is called.
            given: The arguments by the tensors that they stand for.
            fetches: The tensors of its results.
            targets: The nodes that run besides.
        """
        nodes = self.needed([*[f.node for f in fetches if f not in given], *targets], given)

        def at(source: Source) -> Source:
            argument = given.get(TensorName(source.node, source.place))
            return source if argument is None else Source(argument)

        inputs = {n.name: [at(source) for source in self.inputs[n.name]] for n in nodes}
        # A node whose outputs are all given does not run, so nothing waits for it.
        present = {n.name for n in nodes}
        waits = {n.name: [w for w in self.waits[n.name] if w in present] for n in nodes}
        returned = [at(Source(fetch.node, ANY, fetch.place)) for fetch in fetches]
        return NodeBody(name, list(given.values()), nodes, inputs, waits, returned)
