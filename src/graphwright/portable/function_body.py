"""A function of a model as it is written: its nodes in order, and where values come from."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator
from typing import NamedTuple

from graphwright.portable.model_error import malformed
from graphwright.portable.node_ops import STRUCTURAL, place
from graphwright.proto.graph_pb2 import FunctionDef, NodeDef

#: What the arguments of functions and their nodes may be called, and what functions may be.
NAME = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.\\/>-]*")
_FUNCTION_NAME = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.\\/<>-]*")


class Source(NamedTuple):
    """Where a value comes from: an argument, or an output of a node by its name and place."""

    node: str
    output: str = ""
    place: int = 0


class FunctionBody:
    """A function whose nodes are in an order that data and effects allow.

    Names are unique, each input names an argument or a node, and nothing waits for itself.
    """

    def __init__(self, message: FunctionDef) -> None:
        self.name = message.signature.name
        self.arguments = [argument.name for argument in message.signature.input_arg]
        self.dtypes = [argument.type for argument in message.signature.input_arg]
        self.results = [result.name for result in message.signature.output_arg]
        self._check_signature(message)
        if not _FUNCTION_NAME.fullmatch(self.name):
            raise malformed("its library", f"{self.name!r} is no name of a function")
        for name in [*self.arguments, *[node.name for node in message.node_def]]:
            if not NAME.fullmatch(name):
                raise malformed(repr(self.name), f"{name!r} is no name")
        names = [*self.arguments, *[node.name for node in message.node_def]]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise malformed(self.name, f"the name {twice!r} occurs twice")
        nodes = {node.name: node for node in message.node_def}
        self._known = nodes.keys() | set(self.arguments)
        self.inputs = {node.name: list(self._inputs(node)) for node in message.node_def}
        self.nodes = self._ordered(list(message.node_def))
        self.returned = []
        for result in self.results:
            if result not in message.ret:
                raise malformed(self.name, f"the result {result!r} is not returned")
            self.returned.append(self._source(message.ret[result], f"the result {result!r}"))
        self._by_name = nodes

    def _check_signature(self, message: FunctionDef) -> None:
        """Refuses functions of other functions' dtypes and lists, and those that return ones."""
        signature = message.signature
        if signature.attr:
            raise malformed(self.name, f"it has an attribute {signature.attr[0].name!r}")
        for argument in (*signature.input_arg, *signature.output_arg):
            if argument.number_attr or argument.type_list_attr or argument.type_attr:
                raise malformed(self.name, f"{argument.name!r} is no single tensor")
            if argument.is_ref:
                raise malformed(self.name, f"{argument.name!r} is a reference")

    def _inputs(self, node: NodeDef) -> Iterator[Source]:
        """Where the operands of a node come from."""
        waits = False
        for text in node.input:
            if text.startswith("^"):
                waits = True
                if text[1:] not in self._known:
                    raise malformed(self.name, f"{place(node)} waits for {text[1:]!r}")
            elif waits:
                raise malformed(self.name, f"{place(node)} has an operand behind what it waits for")
            else:
                yield self._source(text, place(node))

    def _source(self, text: str, user: str) -> Source:
        """What a reference names: an argument, or `node:output:place`."""
        parts = text.split(":")
        if parts[0] not in self._known:
            raise malformed(self.name, f"{user} takes {text!r}, which there is not")
        if len(parts) == 1 and parts[0] in self.arguments:
            return Source(parts[0])
        if len(parts) != 3 or not parts[2].isdecimal() or len(parts[2]) > 9:
            raise malformed(self.name, f"{user} takes {text!r}, which names no output")
        return Source(parts[0], parts[1], int(parts[2]))

    def _ordered(self, nodes: list[NodeDef]) -> list[NodeDef]:
        """The nodes, each behind those that it waits for, else as they are written."""
        numbers = {node.name: i for i, node in enumerate(nodes)}
        waiting, users = [0] * len(nodes), [[] for _ in nodes]  # type: ignore[var-annotated]
        for i, node in enumerate(nodes):
            before = {text.lstrip("^").partition(":")[0] for text in node.input}
            for name in before & numbers.keys():
                waiting[i] += 1
                users[numbers[name]].append(i)
        ready = [i for i, count in enumerate(waiting) if not count]
        order = []
        while ready:
            i = heapq.heappop(ready)
            order.append(nodes[i])
            for user in users[i]:
                waiting[user] -= 1
                if not waiting[user]:
                    heapq.heappush(ready, user)
        if len(order) < len(nodes):
            stuck = next(node for node, count in zip(nodes, waiting) if count)
            raise malformed(self.name, f"{place(stuck)} waits for itself")
        return order

    def argument_of(self, source: Source) -> str | None:
        """The argument that a value repeats through identities, or None."""
        while source.output:
            node = self._by_name[source.node]
            if node.op != "Identity" or not self.inputs[source.node]:
                return None
            source = self.inputs[source.node][0]
        return source.node

    def functions(self) -> Iterator[str]:
        """The names of the functions that its nodes call."""
        for node in self.nodes:
            yield from called_by(node)


def called_by(node: NodeDef) -> Iterator[str]:
    """The names of the functions that a node calls."""
    if node.op not in STRUCTURAL:
        return
    for name in ("f", "then_branch", "else_branch", "cond", "body"):
        if name in node.attr and node.attr[name].HasField("func"):
            yield node.attr[name].func.name
    if "branches" in node.attr:
        for function in node.attr["branches"].list.func:
            yield function.name
