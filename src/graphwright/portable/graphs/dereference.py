"""References to variables, which TensorFlow 1 has, as handles of variables.

A node that takes a reference for its value gets a read of its own, which happens when the node
would have read. A node that changes a variable becomes one that changes it by its handle.
"""

from __future__ import annotations

import math

from graphwright.portable.function_body import ANY, NodeBody, Source
from graphwright.portable.graphs.classic_control import flat
from graphwright.portable.graphs.training_steps import STEPS
from graphwright.portable.model_error import malformed
from graphwright.portable.node_ops import place
from graphwright.proto.graph_pb2 import NodeDef
from graphwright.proto.types_pb2 import DT_RESOURCE

#: Ops that make a variable and return a reference to it.
VARIABLES = frozenset({"Variable", "VariableV2"})
#: Ops that pass references on, and what they are for handles.
_PASSING = {
    "RefEnter": "Enter", "RefExit": "Exit", "RefIdentity": "Identity", "RefMerge": "Merge",
    "RefNextIteration": "NextIteration", "RefSwitch": "Switch",
}  # fmt: skip
#: Ops that change what their first operand refers to, and return it.
_CHANGING = {
    "Assign": "AssignVariableOp", "AssignAdd": "AssignAddVariableOp",
    "AssignSub": "AssignSubVariableOp", "ScatterAdd": "ResourceScatterAdd",
    "ScatterDiv": "ResourceScatterDiv", "ScatterMax": "ResourceScatterMax",
    "ScatterMin": "ResourceScatterMin", "ScatterMul": "ResourceScatterMul",
    "ScatterNdAdd": "ResourceScatterNdAdd", "ScatterNdSub": "ResourceScatterNdSub",
    "ScatterNdUpdate": "ResourceScatterNdUpdate", "ScatterSub": "ResourceScatterSub",
    "ScatterUpdate": "ResourceScatterUpdate",
    **{name: f"Resource{name}" for name in STEPS},
}  # fmt: skip
_ASKING = {"IsVariableInitialized": "VarIsInitializedOp"}
#: Ops that change what their operand refers to, and return something else.
_COUNTING = {"CountUpTo": "ResourceCountUpTo"}
#: All ops that make, pass on or change references.
REFERRING = VARIABLES | _PASSING.keys() | _CHANGING.keys() | _ASKING.keys() | _COUNTING.keys()


def shared_name(node: NodeDef) -> str:
    """The name by which nodes share a variable or a table."""
    name = node.attr["shared_name"].s if "shared_name" in node.attr else b""
    return name.decode(errors="replace") or node.name


def references_of(op: str) -> float:
    """How many of the first operands of an op are references that it takes as such."""
    if op == "RefMerge":
        return math.inf
    if op in STEPS:
        return STEPS[op].handles
    return int(op in REFERRING and op not in VARIABLES)


def dereference(body: NodeBody) -> NodeBody:
    """The body with handles in the place of references."""
    if not any(node.op in VARIABLES for node in body.by_name.values()):
        return body
    return References(body).result()


class References:
    """The nodes of a body as they are rewritten."""

    def __init__(self, body: NodeBody) -> None:
        self.body = body
        self.nodes: list[NodeDef] = []
        self.inputs: dict[str, list[Source]] = {}
        self.waits: dict[str, list[str]] = {}

    def result(self) -> NodeBody:
        """The body that is rewritten."""
        for node in self.body.by_name.values():
            self._rewrite(node)
        returned = []
        for source in self.body.returned:
            handle = self._handle(source)
            returned.append(source if handle is None else self._read(source.node, source, []))
        body = NodeBody(
            self.body.name, self.body.arguments, self.nodes, self.inputs, self.waits, returned
        )
        body.dtypes, body.result_dtypes = self.body.dtypes, self.body.result_dtypes
        return body

    def _handle(self, source: Source) -> Source | None:
        """The handle that a source refers to, or None for a value."""
        if not source.output:
            return None
        name, number = flat(self.body, source)
        node = self.body.by_name[name]
        if node.op in VARIABLES:
            return Source(name, ANY, 0)
        if node.op in _PASSING:
            return None if node.op == "RefMerge" and number else Source(name, ANY, number)
        if node.op in _CHANGING:
            return self._changed(node)
        return None

    def _changed(self, node: NodeDef) -> Source:
        """The handle of what a node changes."""
        seen = []
        while node.name not in seen:
            seen.append(node.name)
            inputs = self.body.inputs[node.name]
            if not inputs or not inputs[0].output:
                break
            before = self.body.by_name[inputs[0].node]
            if before.op not in _CHANGING:
                handle = self._handle(inputs[0])
                if handle is None:
                    break
                return handle
            node = before
        raise malformed(f"{self.body.name}: {place(node)}", "it changes what is no variable")

    def _variable(self, source: Source) -> NodeDef:
        """The node of the variable behind a reference."""
        node, seen = self.body.by_name[source.node], set()
        while node.op not in VARIABLES:
            inputs = self.body.inputs[node.name]
            if node.name in seen or not inputs or not inputs[0].output:
                raise malformed(f"{self.body.name}: {place(node)}", "it refers to no variable")
            seen.add(node.name)
            node = self.body.by_name[inputs[0].node]
        return node

    def _rewrite(self, node: NodeDef) -> None:
        inputs, waits = self.body.inputs[node.name], self.body.waits[node.name]
        new = NodeDef()
        new.CopyFrom(node)
        operands = []
        for number, source in enumerate(inputs):
            handle = self._handle(source)
            is_reference = number < references_of(node.op)
            if handle is None:
                operands.append(source)
                if is_reference and (node.op in _CHANGING or node.op in _COUNTING):
                    words = "it changes what is no variable"
                    raise malformed(f"{self.body.name}: {place(node)}", words)
            elif is_reference:
                operands.append(handle)
                waits = [*waits, *self._changes(source)]
            else:
                operands.append(self._read(node.name, source, waits))
        if node.op in VARIABLES:
            new.op = "VarHandleOp"
        elif node.op in _PASSING:
            new.op = _PASSING[node.op]
            new.attr["T"].type = DT_RESOURCE
        elif node.op in _COUNTING:
            new.op = _COUNTING[node.op]
        elif node.op in _CHANGING or node.op in _ASKING:
            new.op = {**_CHANGING, **_ASKING}[node.op]
            if node.op in _ASKING or node.op.startswith("Assign"):
                for name in [n for n in new.attr if n not in ("dtype", "_class")]:
                    del new.attr[name]
                if node.op in _CHANGING:
                    new.attr["dtype"].type = node.attr["T"].type
                else:
                    del new.attr["dtype"]
            elif node.op in STEPS or node.op.startswith("ScatterNd"):
                del new.attr["use_locking"]
            else:
                new.attr["dtype"].type = node.attr["T"].type
                del new.attr["T"]
                del new.attr["use_locking"]
        self._add(new, operands, waits)

    def _changes(self, source: Source) -> list[str]:
        """The node that has changed what a source refers to."""
        return [source.node] if self.body.by_name[source.node].op in _CHANGING else []

    def _read(self, user: str, source: Source, waits: list[str]) -> Source:
        """A read of what a source refers to, for one that uses its value."""
        handle = self._handle(source)
        assert handle is not None
        name, count = f"{user}/{source.node}/read", 0
        while name in self.inputs or name in self.body.by_name or name in self.body.arguments:
            count += 1
            name = f"{user}/{source.node}/read_{count}"
        node = NodeDef(name=name, op="ReadVariableOp")
        node.attr["dtype"].type = self._variable(source).attr["dtype"].type
        self._add(node, [handle], [*waits, *self._changes(source)])
        return Source(name, ANY, 0)

    def _add(self, node: NodeDef, operands: list[Source], waits: list[str]) -> None:
        self.nodes.append(node)
        self.inputs[node.name], self.waits[node.name] = operands, list(dict.fromkeys(waits))
