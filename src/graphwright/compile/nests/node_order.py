"""The order in which nodes are placed: a simple one right before the one that alone reads it.

A node joins the latest loop that it fits. If its reader comes behind further loops, what the node
computes would be written to memory and read again, though the reader's loop could compute it. That
costs nothing where all that the node reads is in memory anyway.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graphwright.compile.nests.element_kinds import SIMPLE
from graphwright.compile.nests.moves import MOVES
from graphwright.ir.graph import Node, Value
from graphwright.ops.core.creation import Const, Placeholder


def placing_order(nodes: Sequence[Node], uses: Mapping[Value, int]) -> list[Node]:
    """The nodes, each after all that it reads; those that wait are right before their readers.

    `uses` has the number of readers of each value, results among them.
    """
    waiting = waiting_nodes(nodes, uses)
    order: list[Node] = []  # from the last one on
    for node in reversed(nodes):
        branch = [] if node in waiting else [node]
        while branch:
            order.append(branch.pop())
            branch += [v.node for v in order[-1].inputs if v.node in waiting]
    return order[::-1]


def waiting_nodes(nodes: Sequence[Node], uses: Mapping[Value, int]) -> set[Node]:
    """The simple nodes that one simple node alone reads, and that read what is in memory, or what
    such nodes compute."""
    readers = {value: node for node in nodes for value in node.inputs}
    present: set[Value] = set()  # in memory before the nodes, or computed by those that wait
    waiting: set[Node] = set()
    for node in nodes:
        if isinstance(node.op, (Placeholder, Const)):
            present.update(node.outputs)
        elif not present.issuperset(node.inputs):
            continue
        elif type(node.op) in MOVES:
            present.update(node.outputs)
        elif is_simple(node) and uses.get(node.outputs[0]) == 1:
            reader = readers.get(node.outputs[0])
            if reader is not None and is_simple(reader):
                waiting.add(node)
                present.update(node.outputs)
    return waiting


def is_simple(node: Node) -> bool:
    """Whether an element of a node takes an instruction or two."""
    return node.op.type_name in SIMPLE
