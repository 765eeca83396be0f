"""Where long programs are cut: clusters that end alike in every turn of an unrolled loop.

A cluster has a largest size. If it ended wherever that is reached, each turn of a repeated body
would be cut at other places. Then each cluster would need code of its own. So a place for a cut is
one that looks the same in every turn: where the fewest values are handed on to nodes nearby, and
then by what follows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate

from graphwright.ir.graph import Node, Value

#: The most nodes of a program that is one chapter.
WHOLE = 160

#: The most nodes of a chapter of a longer one, and the fewest.
LONGEST, _SHORTEST = 64, 16

#: How far a node looks for readers, and the nodes after a cut that tell it from others.
_NEARBY, _FOLLOWING = 24, 6


def chapters(nodes: Sequence[Node], fuses: Callable[[Node], bool]) -> list[int]:
    """The number of each node's chapter, from 0 on.

    `fuses` says whether a node may share a loop.
    """
    if len(nodes) <= WHOLE:
        return [0] * len(nodes)
    kinds = [node.op.type_name for node in nodes]
    following = [kinds[i : i + _FOLLOWING] for i in range(len(kinds))]
    crossing = handed_on(nodes, fuses)
    ends: list[int] = []
    start = 0
    while len(nodes) - start > LONGEST:
        start = -min(
            [
                (crossing[i], following[i] != following[start], following[i], -i)
                for i in range(start + _SHORTEST, start + LONGEST + 1)
            ]
        )[-1]
        ends.append(start)
    starts = set(ends)
    return list(accumulate([int(i in starts) for i in range(len(nodes))]))


def handed_on(nodes: Sequence[Node], fuses: Callable[[Node], bool]) -> list[int]:
    """Before each node, the number of values from nodes that fuse with later ones nearby."""
    makers = {v: i for i, node in enumerate(nodes) if fuses(node) for v in node.outputs}
    last: dict[Value, int] = {}
    for i, node in enumerate(nodes):
        if fuses(node):
            last.update((v, i) for v in node.inputs if v in makers and i - makers[v] <= _NEARBY)
    changes = [0] * (len(nodes) + 1)
    for value, reader in last.items():
        changes[makers[value] + 1] += 1
        changes[reader + 1] -= 1
    return list(accumulate(changes))[: len(nodes)]
