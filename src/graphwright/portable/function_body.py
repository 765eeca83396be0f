"""A function or a graph as it is written: its nodes in order, and where values come from."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from graphwright.portable.model_error import malformed
from graphwright.portable.node_ops import STRUCTURAL, NodePlace, place
from graphwright.proto.graph_pb2 import FunctionDef, NodeDef

#: What the arguments of functions and their nodes may be called, and what functions may be.
NAME = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.\\/>-]*")
_FUNCTION_NAME = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.\\/<>-]*")


#: The output of a source that counts all outputs of its node: graphs name tensors so.
ANY = "*"


class Source(NamedTuple):
    """Where a value comes from: an argument, or an output of a node by its name and place."""

    node: str
    output: str = ""
    place: int = 0


class NodeBody:
    """Nodes between arguments and results, by their names.

    Each input names an argument or a node. `waits` has the nodes that must have run before a node
    without giving it anything.
    """

    def __init__(
        self,
        name: str,
        arguments: Sequence[str],
        nodes: Sequence[NodeDef],
        inputs: dict[str, list[Source]],
        waits: dict[str, list[str]],
        returned: Sequence[Source],
    ) -> None:
        self.name = name
        self.arguments = list(arguments)
        self.by_name = {node.name: node for node in nodes}
        self.inputs = inputs
        self.waits = waits
        self.returned = list(returned)
        #: The types of arguments and results as the model states them, where it does.
        self.dtypes: list[int] | None = None
        self.result_dtypes: list[int] | None = None
        self._ordered: list[NodeDef] | None = None

    @property
    def nodes(self) -> list[NodeDef]:
        """The nodes, each behind those that it waits for, else as they are written."""
        if self._ordered is None:
            self._ordered = self._in_order(list(self.by_name.values()))
        return self._ordered

    def _in_order(self, nodes: list[NodeDef]) -> list[NodeDef]:
        numbers = {name: i for i, name in enumerate(self.by_name)}
        if self._is_ordered(numbers):
            return nodes
        waiting, users = [0] * len(nodes), [[] for _ in nodes]  # type: ignore[var-annotated]
        for name, i in numbers.items():
            before = {source.node for source in self.inputs[name]}
            before.update(self.waits[name])
            for other in before:
                number = numbers.get(other)
                if number is not None:
                    waiting[i] += 1
                    users[number].append(i)
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

    def _is_ordered(self, numbers: dict[str, int]) -> bool:
        """Whether each node stands behind those that it waits for, as most programs write them."""
        for name, i in numbers.items():
            for source in self.inputs[name]:
                if numbers.get(source.node, -1) >= i:
                    return False
            for before in self.waits[name]:
                if numbers.get(before, -1) >= i:
                    return False
        return True

    def argument_of(self, source: Source) -> str | None:
        """The argument that a value repeats through identities, or None."""
        while source.output:
            node = self.by_name[source.node]
            if node.op != "Identity" or not self.inputs[source.node]:
                return None
            source = self.inputs[source.node][0]
        return source.node


def function_body(message: FunctionDef) -> NodeBody:
    """The body of a function. Names are unique, and each input names an argument or a node."""
    signature = message.signature
    name = signature.name
    arguments = [argument.name for argument in signature.input_arg]
    check_signature(message)
    if not _FUNCTION_NAME.fullmatch(name):
        raise malformed("its library", f"{name!r} is no name of a function")
    check_names(name, [*arguments, *[node.name for node in message.node_def]], NAME)
    given = frozenset(arguments)
    known = {node.name for node in message.node_def} | given

    def source(text: str, user: object) -> Source:
        """What a reference names: an argument, or `node:output:place`."""
        parts = text.split(":")
        if parts[0] not in known:
            raise malformed(name, f"{user} takes {text!r}, which there is not")
        if len(parts) == 1 and parts[0] in given:
            return Source(parts[0])
        if len(parts) != 3 or not parts[1] or not is_place(parts[2]):
            raise malformed(name, f"{user} takes {text!r}, which names no output")
        return Source(parts[0], parts[1], int(parts[2]))

    inputs, waits = references(name, message.node_def, known, source)
    returned = []
    for result in [result.name for result in signature.output_arg]:
        if result not in message.ret:
            raise malformed(name, f"the result {result!r} is not returned")
        returned.append(source(message.ret[result], f"the result {result!r}"))
    body = NodeBody(name, arguments, message.node_def, inputs, waits, returned)
    body.dtypes = [argument.type for argument in signature.input_arg]
    body.result_dtypes = [result.type for result in signature.output_arg]
    return body


def check_signature(message: FunctionDef) -> None:
    """Refuses functions of other functions' dtypes and lists, and those that return ones."""
    signature = message.signature
    if signature.attr:
        raise malformed(signature.name, f"it has an attribute {signature.attr[0].name!r}")
    for argument in (*signature.input_arg, *signature.output_arg):
        if argument.number_attr or argument.type_list_attr or argument.type_attr:
            raise malformed(signature.name, f"{argument.name!r} is no single tensor")
        if argument.is_ref:
            raise malformed(signature.name, f"{argument.name!r} is a reference")


def check_names(where: str, names: Sequence[str], form: re.Pattern[str]) -> None:
    """Refuses names that have not the form of names, or occur twice."""
    for name in names:
        if not form.fullmatch(name):
            raise malformed(repr(where), f"{name!r} is no name")
    if len(set(names)) < len(names):
        counts = Counter(names)
        twice = next(name for name in names if counts[name] > 1)
        raise malformed(where, f"the name {twice!r} occurs twice")


def references(
    where: str,
    nodes: Iterable[NodeDef],
    known: Collection[str],
    source: Callable[[str, object], Source],
) -> tuple[dict[str, list[Source]], dict[str, list[str]]]:
    """Where the operands of nodes come from, and what the nodes wait for."""
    inputs: dict[str, list[Source]] = {}
    waits: dict[str, list[str]] = {}
    for node in nodes:
        name, user = node.name, NodePlace(node)
        operands, before = inputs.setdefault(name, []), waits.setdefault(name, [])
        for text in node.input:
            if text.startswith("^"):
                if text[1:] not in known:
                    raise malformed(where, f"{user} waits for {text[1:]!r}")
                before.append(text[1:])
            elif before:
                raise malformed(where, f"{user} has an operand behind what it waits for")
            else:
                operands.append(source(text, user))
    return inputs, waits


def is_place(text: str) -> bool:
    """Whether a text is the number of an output."""
    return text.isdecimal() and len(text) < 10


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
