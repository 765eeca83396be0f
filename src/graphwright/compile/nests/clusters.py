"""Clusters: values that are computed in one loop."""

from __future__ import annotations

from typing import Any

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.nests.moves import FIRST, Place, Position
from graphwright.compile.nests.sizes import ONE, Shape
from graphwright.ir.graph import Node, Value


class ClusterMember(NamedTuple):
    """A value computed in a cluster."""

    value: Value
    at: Place  # which axis of the cluster each of its dimensions is
    level: int  # the stage from which on it is there
    row: bool  # one for each outer index, not for each element
    reduced: frozenset[int] | None = None  # the axes that it combines, if it is a reduction
    source: tuple[Value, Place] | None = None  # what a copy or a reduction reads, and where
    #: What is read, as it was found when the member was placed: what is copied to memory by a
    #: later statement can be read there by later ones only.
    reads: tuple[tuple[Value, Place], ...] = ()


class Cluster:
    """Nodes over one iteration space."""

    def __init__(self, space: Shape, index: int) -> None:
        self.space = space
        self.index = index
        self.outer: int | None = None  # the outer axes, once a reduction has fixed them
        self.accumulates = False
        self.members: dict[Value, ClusterMember] = {}

    @property
    def levels(self) -> int:
        """The number of stages."""
        return 1 + max(m.level for m in self.members.values())


class Opaque:
    """A node that is a statement of its own."""

    def __init__(self, node: Node, index: int) -> None:
        self.node = node
        self.index = index


def is_final(cluster: Cluster, member: ClusterMember) -> bool:
    """Whether a member is complete only when its cluster has ended."""
    return member.reduced is not None and (cluster.accumulates or cluster.outer == 0)


def spread(dims: Shape) -> tuple[Shape, Place]:
    """The iteration space of a shape, and which axis of it each dimension is."""
    space: list[Any] = []
    at: list[Position] = []
    for d in dims:
        if d == ONE:
            at.append(FIRST)
        else:
            at.append(Position(len(space), 1))
            space.append(d)
    return tuple(space), tuple(at)
