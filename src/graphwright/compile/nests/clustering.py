"""The clusters of a schedule, and which of them a value may join."""

from __future__ import annotations

from collections.abc import Sequence

from graphwright.compile.nests.chapters import WHOLE
from graphwright.compile.nests.clusters import Cluster, ClusterMember, Opaque, is_final
from graphwright.compile.nests.moves import Place
from graphwright.compile.nests.sizes import Shape, Sizes
from graphwright.compile.nests.symbolic_shapes import Shapes
from graphwright.ir.graph import Value

#: The most nodes of a cluster: code generation is not linear in a block's size.
_LARGEST = WHOLE

#: The most nodes of a cluster that nodes of a later chapter may join.
_OPEN = 8


class Clustering(Shapes):
    """The clusters and opaque statements of a graph, with the values in each."""

    def __init__(self, sizes: Sizes, dims: dict[Value, Shape]) -> None:
        super().__init__(sizes, dims)
        self.home: dict[Value, Cluster | Opaque] = {}
        self.statements: list[Cluster | Opaque] = []
        self.escapes: dict[Value, None] = {}  # values that other statements read, in order
        self.chapter = 0  # of the node that is placed

    def member(self, value: Value) -> ClusterMember:
        """A value as a member of its cluster."""
        cluster = self.home[value]
        assert isinstance(cluster, Cluster)
        return cluster.members[value]

    def cluster(self, space: Shape) -> Cluster:
        """A new cluster."""
        added = Cluster(space, len(self.statements), self.chapter)
        self.statements.append(added)
        return added

    def candidates(self, reads: Sequence[tuple[Value, Place]]) -> list[Cluster]:
        """The clusters after all that is read, the latest first."""
        needed = [v for v, _ in reads] + [
            i for _, place in reads for p in place for i, _ in p.scalars
        ]
        earliest = max((self.home[v].index for v in needed if v in self.home), default=0)
        clusters = [
            s for s in self.statements[earliest:] if isinstance(s, Cluster) and self.is_open(s)
        ]
        return clusters[::-1]

    def is_open(self, cluster: Cluster) -> bool:
        """Whether a cluster has room for the node that is placed."""
        return len(cluster.members) < (_LARGEST if cluster.chapter == self.chapter else _OPEN)

    def agree(self, cluster: Cluster, reads: Sequence[tuple[Value, Place]]) -> bool:
        """Whether reads of members are at the members' places, and these complete in time."""
        for value, place in reads:
            if any(i in cluster.members for position in place for i, _ in position.scalars):
                return False  # an index is complete when its cluster has ended
            member = cluster.members.get(value)
            if member is not None and (member.place != place or is_final(cluster, member)):
                return False
        return True

    def level(self, cluster: Cluster, reads: Sequence[tuple[Value, Place]]) -> int:
        """The first stage in which all that is read is complete."""
        return max((cluster.members[v].level for v, _ in reads if v in cluster.members), default=0)

    def join(
        self, cluster: Cluster, member: ClusterMember, reads: Sequence[tuple[Value, Place]]
    ) -> None:
        """Puts a value into a cluster; the values that it reads from other clusters escape."""
        cluster.members[member.value] = member._replace(reads=tuple(reads))
        self.home[member.value] = cluster
        if is_final(cluster, member):
            self.escapes[member.value] = None
        for value, _ in reads:
            home = self.home.get(value)
            if home is not None and home is not cluster:
                self.escapes[value] = None
