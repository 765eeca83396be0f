"""Clusters: values computed in one loop."""

from __future__ import annotations

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.nests.moves import FIRST, Place, Position
from graphwright.compile.nests.sizes import ONE, Shape, Size
from graphwright.ir.graph import Node, Value


class ClusterMember(NamedTuple):
    """A value computed in a cluster."""

    value: Value
    place: Place  # for each of its dimensions, the place along the cluster's axes
    level: int  # the first stage in which it is complete
    row: bool  # whether there is one for each outer index, not for each element
    reduced: frozenset[int] | None = None  # the axes that a reduction combines
    source: tuple[Value, Place] | None = None  # the operand of a copy or a reduction, and where
    #: The reads at the time of placing: where a later statement copies a value to memory, only
    #: statements after that can read it there.
    reads: tuple[tuple[Value, Place], ...] = ()


class Cluster:
    """Nodes over one iteration space."""

    def __init__(self, space: Shape, index: int, chapter: int = 0) -> None:
        self.space = space
        self.index = index
        self.chapter = chapter
        self.outer: int | None = None  # how many outer axes, once a reduction has fixed that
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
    """The iteration space of a shape, and the place along its axes for each dimension."""
    space: list[Size] = []
    place: list[Position] = []
    for d in dims:
        if d == ONE:
            place.append(FIRST)
        else:
            place.append(Position(len(space), 1))
            space.append(d)
    return tuple(space), tuple(place)
