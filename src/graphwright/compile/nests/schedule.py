"""Which nodes share a loop: a graph's nodes as clusters over one iteration space each.

Nodes are placed in program order, each into the latest cluster that it fits, so that
producers, consumers and siblings are computed in one pass over the data. A cluster may
reduce along its innermost axes (then its outer axes are common to all its stages, and what
is reduced can be used again for the same row), or add into results along other axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.compile.graph.accumulate import accumulated, in_place
from graphwright.compile.graph.decompose import decompose
from graphwright.compile.graph.failures import refuses_values
from graphwright.compile.graph.simplify import simple_graphs
from graphwright.compile.lists.list_buffers import (
    LIST_OPS,
    MAKERS,
    ListBuffers,
    is_list,
    list_operands,
)
from graphwright.compile.nests.clusters import Cluster, ClusterMember, Opaque, is_final, spread
from graphwright.compile.nests.moves import FIRST, MOVES, Place, Position, aligned, is_trivial
from graphwright.compile.nests.sizes import ONE, Late, NotNative, Refusals, Shape, Size, Sizes
from graphwright.compile.nests.symbolic_shapes import COMBINE, FILLS, Shapes, joined_parts, kept
from graphwright.compile.select.host_operands import is_size
from graphwright.control.branch import StatelessIf
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Graph, Node, Value, transform
from graphwright.op.op_families import Elementwise
from graphwright.ops.core.creation import Const, Fill, Placeholder
from graphwright.ops.core.identity import Identity
from graphwright.ops.core.movement import Reshape, SumTo
from graphwright.ops.core.own_ops import Scattered, Sized
from graphwright.ops.core.sequences import Range
from graphwright.types.dtypes import INDEX

#: A cluster gets no more nodes than this: code generation is not linear in a block's size.
_LARGEST = 160


class Schedule(Shapes):
    """Clusters and opaque statements of one graph, in order."""

    def __init__(
        self,
        graph: Graph,
        sizes: Sizes,
        dims: dict[Value, Shape],
        aliases: dict[Value, Value] | None = None,
        lists: ListBuffers | None = None,
    ) -> None:
        super().__init__(sizes, dims)
        self.lists = ListBuffers(sizes) if lists is None else lists
        self.graph = graph
        #: What placeholders of a loop's or branch's graphs stand for outside, if it is one value.
        self.aliases = {} if aliases is None else aliases
        self.inner: dict[Node, list[Schedule]] = {}  # of the graphs that a node holds
        self.outside: set[Value] = set()  # values that are there before this graph runs
        self.home: dict[Value, Cluster | Opaque] = {}
        self.statements: list[Cluster | Opaque] = []
        self.escapes: dict[Value, None] = {}  # what other statements read, in order
        self.results: list[Value] = []
        self.overwritten = in_place(graph)  # what is computed in the memory of something else
        self.claimed: set[Value] = set()  # whose memory is a result's
        self.given_late: set[Value] = set()  # of refused nodes, as if they arrived with the call

    # -- shapes ---------------------------------------------------------------------------

    def infer(self) -> None:
        """The shapes of all values, in symbolic sizes.

        `Refusals` has all nodes without a native form: what is refused is taken for what arrives
        with the call, as it will, and the rest is looked at.
        """
        refusals: list[NotNative] = []
        for node in self.graph.nodes:
            refusal = self.refusal_of(node)
            while refusal is not None:
                if self.graph.is_body:
                    raise refusal
                refusals.append(refusal)
                if not self.take_as_given(refusal.nodes):
                    raise Refusals(refusals)
                refusal = None if node in refusal.nodes else self.refusal_of(node)
        if refusals:
            raise Refusals(refusals)
        for value, shape in self.dims.items():
            self.dims[value] = self.sizes.shape(shape)

    def refusal_of(self, node: Node) -> NotNative | None:
        """Finds the shapes of a node's results; why it has no native form, if so."""
        try:
            self.infer_node(node)
        except Late as reason:
            return late(reason, node, self.graph.is_body)
        except NotNative as reason:
            return NotNative(str(reason), [node])
        return None

    def infer_node(self, node: Node) -> None:
        """The shapes of a node's results."""
        if isinstance(node.op, Placeholder):
            return
        if is_size(node.outputs[0]):
            if node.outputs[0].type.dims == ():
                self.dims[node.outputs[0]] = ()
        elif type(node.op) in LIST_OPS:
            self.lists.infer(node, self)
        elif isinstance(node.op, (StatelessWhile, StatelessIf)):
            self.infer_inner(node)
        elif not is_list(node.outputs[0]):
            self.dims[node.outputs[0]] = self.sizes.shape(self.shape_of(node))

    def take_as_given(self, nodes: Sequence[Node]) -> bool:
        """Takes the results of nodes for what arrives with the call; False for those which cannot,
        or were taken before."""
        values = [value for node in nodes for value in node.outputs]
        if any(is_list(v) or v.type.dims is None or v in self.given_late for v in values):
            return False
        for value in values:
            self.given_late.add(value)
            dims = value.type.dims or ()
            self.dims[value] = tuple(
                [Size(d) if d in (0, 1) else self.sizes.symbol(d) for d in dims]
            )
            if not dims and value.type.dtype in INDEX:
                self.sizes.integers[value] = value
        return bool(values)

    def given(self, own: Value, shape: Shape) -> Shape:
        """The shape of what an inner graph gets: a branch that is not taken may get anything."""
        known = own.type.dims or ()
        fits = len(known) == len(shape) and all(
            d is None or self.sizes.value(size) in (None, d) for d, size in zip(known, shape)
        )
        if not fits:
            raise NotNative(f"{own.name} is given something of another shape")
        return shape

    def infer_inner(self, node: Node) -> None:
        """The shapes in a loop or in branches, and of their results."""
        op: Any = node.op
        if isinstance(op, StatelessWhile):
            count = len(op.body.parameters)
            given, kept = node.inputs, node.inputs[count:]
        else:
            given, kept = node.inputs[1:], node.inputs[1:]
        inner = [
            Schedule(fresh(graph), self.sizes, self.dims, self.aliases, self.lists)
            for graph in simple_graphs(op)
        ]
        if isinstance(op, StatelessWhile):
            self.lists.enter_loop(node, inner[0].graph, inner[1].graph, self)
        for schedule in inner:
            arguments = schedule.graph.arguments
            for own, outside in zip(arguments, given):
                if own.type.dims is None:
                    raise NotNative("a loop variable has no known rank")
                if not is_list(own):
                    self.dims[own] = self.given(own, self.of(outside))
            captured = list(zip(arguments[len(arguments) - len(kept) :], kept))
            self.aliases.update(captured)
            integers = self.sizes.integers
            integers.update((own, integers[v]) for own, v in captured if v in integers)
            schedule.infer()
        self.inner[node] = inner
        first, last = [i.graph.results for i in (inner[0], inner[-1])]
        if isinstance(op, StatelessWhile):
            first = inner[1].graph.parameters
            self.require_scalar(inner[0].graph.results[0])
            self.lists.leave_loop(node, inner[1])
        else:
            self.require_scalar(node.inputs[0])
            self.lists.leave_branch(node, inner)
        for output, a, b in zip(node.outputs, first, last):
            if not is_list(output):
                self.dims[output] = self.meet(a, b)

    def require_scalar(self, value: Value) -> None:
        """Conditions are single elements."""
        if any(d != ONE for d in self.of(value)):
            raise NotNative("a condition may have several elements")

    def meet(self, a: Value, b: Value) -> Shape:
        """The one shape of two values that take each other's place."""
        x, y = self.of(a), self.of(b)
        if len(x) != len(y):
            raise NotNative("a shape changes its rank")
        return tuple([self.sizes.unify(d, e) for d, e in zip(x, y)])

    # -- reading through what only moves -----------------------------------------------------

    def is_moved(self, node: Node) -> bool:
        """Whether a node's result is its operand read at other places."""
        op = node.op
        if isinstance(op, Reshape):
            return is_trivial(self.of(node.inputs[0]), self.of(node.outputs[0]))
        if type(op) in MOVES or isinstance(op, Fill):
            return True
        if type(op) in COMBINE:
            dims = self.of(node.inputs[0])
            return all(dims[i] == ONE for i in self.reduced(node))
        return False

    def trace(self, value: Value, at: Place) -> tuple[Value, Place]:
        """What a value's element at a place really is: of which value, and where there.

        Computed indices on the way are then scalars that somebody reads.
        """
        while value not in self.home:
            if value in self.aliases:
                value = self.aliases[value]
                continue
            if value in self.outside or is_size(value) or not self.is_moved(value.node):
                break
            node = value.node
            if isinstance(node.op, Fill):
                value = node.inputs[1]
                at = (FIRST,) * len(self.of(value))
                continue
            dims, out = self.of(node.inputs[0]), self.of(value)
            if type(node.op) in MOVES:
                at = MOVES[type(node.op)].pull(self.sizes, node, dims, out, at)
            elif isinstance(node.op, SumTo):
                at = (*(FIRST,) * (len(dims) - len(out)), *at)
            elif node.op.keep_dims:  # type: ignore[attr-defined]
                at = tuple([FIRST if d == ONE else a for d, a in zip(dims, at)])
            else:  # combines only dimensions of 1
                gone, rest = self.reduced(node), iter(at)
                at = tuple([FIRST if i in gone else next(rest) for i in range(len(dims))])
            value = node.inputs[0]
        for place in at:
            for index, _ in place.scalars:
                self.escapes[index] = None
        if value not in self.home and is_alike(value):
            return value, (FIRST,) * len(at)
        return value, tuple([self.traced_picks(place) if place.picks else place for place in at])

    def traced_picks(self, place: Position) -> Position:
        """A place whose indices are read where they really are."""
        return place._replace(picks=tuple([(*self.trace(v, at), f) for v, at, f in place.picks]))

    def with_indices(self, reads: list[tuple[Value, Place]]) -> list[tuple[Value, Place]]:
        """What is read, and the indices that say where."""
        found = list(reads)
        for _, at in found:
            found += [(v, where) for place in at for v, where, _ in place.picks]
        return found

    def operands(self, node: Node, at: Place) -> list[tuple[Value, Place]]:
        """What an elementwise node reads for its element at a place."""
        out = self.of(node.outputs[0])
        inputs = node.inputs[:1] if isinstance(node.op, Sized) else node.inputs
        return [self.trace(v, aligned(self.of(v), out, at)) for v in inputs]

    # -- placing ----------------------------------------------------------------------------

    def place_all(self) -> None:
        """Finds every node its statement, and what must be in memory."""
        for node in self.graph.nodes:
            op = node.op
            if isinstance(op, (Placeholder, Const, Range)) or type(op) in FILLS:
                continue
            if is_size(node.outputs[0]):
                continue
            if isinstance(op, MAKERS):  # made where they are used
                for value in list_operands(node):
                    self.demand(value)
                continue
            if self.is_moved(node):
                continue
            if isinstance(op, (Elementwise, Sized)):
                self.place_elementwise(node)
            elif type(op) in COMBINE:
                self.place_reduction(node)
            else:
                self.place_opaque(node)
        self.results = [self.result(v) for v in self.graph.results]
        self.demand_refusals()

    def demand_refusals(self) -> None:
        """Sees to it that what refuses values is computed, though nobody reads it: an index into
        what is the same everywhere, say."""
        unread = dict.fromkeys(
            v for s in self.statements if isinstance(s, Cluster) for v in s.members
        )
        needed = [v for v in unread if v in self.escapes or self.member(v).row]
        while True:
            while needed:
                value = needed.pop()
                if value in unread:
                    del unread[value]
                    needed += self.read_for(self.member(value))
            refusing = next((v for v in reversed(unread) if refuses_values(v.node)), None)
            if refusing is None:
                return
            self.demand(refusing)
            needed.append(refusing)

    def read_for(self, member: ClusterMember) -> list[Value]:
        """What computing a member reads: no index into what has one element, which needs none."""
        picked: dict[Value, bool] = {}
        for value, at in member.reads:
            is_one = all(d == ONE for d in self.of(value))
            for index in [v for place in at for v, _, _ in place.picks]:
                picked[index] = picked.get(index, False) or not is_one
        return [v for v, _ in member.reads if picked.get(v, True)]

    def member(self, value: Value) -> ClusterMember:
        """A value in its cluster."""
        cluster = self.home[value]
        assert isinstance(cluster, Cluster)
        return cluster.members[value]

    def result(self, value: Value) -> Value:
        """A value that has memory of its own to be returned in."""
        if is_list(value) or value in self.lists.late:
            return value
        if self.graph.is_body:
            self.demand(value)
            return value
        root = value
        while isinstance(root.node.op, Reshape) and root in self.home:
            root = root.node.inputs[0]
        lent = isinstance(root.node.op, (StatelessWhile, StatelessIf))
        if root not in self.home or root in self.claimed or lent:
            copy = Node(Identity.of(), (value,), (value.type,), "result", value.node.location)
            self.dims[copy.outputs[0]] = self.dims[value]
            value = root = copy.outputs[0]
        self.claimed.add(root)
        self.demand(value)
        return value

    def place_elementwise(self, node: Node) -> None:
        """An elementwise node."""
        value = node.outputs[0]
        space, at = spread(self.of(value))
        reads = self.with_indices(self.operands(node, at))
        for cluster in self.candidates(reads):
            if cluster.space == space and self.agree(cluster, reads):
                self.join(
                    cluster, ClusterMember(value, at, self.level(cluster, reads), False), reads
                )
                return
            if (
                cluster.outer
                and cluster.space[: cluster.outer] == space
                and self.agree(cluster, reads)
                and all(cluster.members[v].row for v, _ in reads if v in cluster.members)
            ):
                self.join(
                    cluster, ClusterMember(value, at, self.level(cluster, reads), True), reads
                )
                return
        self.join(self.cluster(space), ClusterMember(value, at, 0, False), reads)

    def place_reduction(self, node: Node) -> None:
        """A reduction, over the space of its operand."""
        dims = self.of(node.inputs[0])
        space, at = spread(dims)
        gone = self.reduced(node)
        axes = frozenset(a.axis for i, a in enumerate(at) if i in gone and a.axis >= 0)
        own = kept(node.op, at, gone, len(dims) - len(self.of(node.outputs[0])))
        read = self.trace(node.inputs[0], at)
        reads = self.with_indices([read])
        value = node.outputs[0]
        first = len(space) - len(axes)
        trailing = axes == frozenset(range(first, len(space)))
        for cluster in self.candidates(reads):
            if cluster.space != space or not self.agree(cluster, reads):
                continue
            level = self.level(cluster, reads)
            if trailing and not cluster.accumulates and cluster.outer in (None, first):
                if first == 0 and level:
                    continue
                cluster.outer = first
                member = ClusterMember(value, own, level + 1, True, axes, read)
                self.join(cluster, member, reads)
                return
            if not trailing and cluster.outer is None and level == 0:
                cluster.accumulates = True
                self.join(cluster, ClusterMember(value, own, 0, True, axes, read), reads)
                return
        cluster = self.cluster(space)
        if trailing:
            cluster.outer = first
        else:
            cluster.accumulates = True
        self.join(cluster, ClusterMember(value, own, int(trailing), True, axes, read), reads)

    def place_opaque(self, node: Node) -> None:
        """A node that is a statement of its own, and reads memory; a reshape is another view."""
        for value in read_from_memory(node):
            self.demand(value)
        for inner in self.inner.get(node, ()):
            inner.outside = self.outside | set(node.inputs)
            inner.place_all()
        statement = Opaque(node, len(self.statements))
        self.statements.append(statement)
        for value in node.outputs:
            self.home[value] = statement
            self.escapes[value] = None

    def demand(self, value: Value) -> None:
        """Sees to it that a value is in memory."""
        if value in self.home:
            self.escapes[value] = None
        elif isinstance(value.node.op, Placeholder) or is_list(value) or is_size(value):
            return
        elif not isinstance(value.node.op, Const):
            self.place_copy(value)

    def place_copy(self, value: Value) -> None:
        """A value that is another one read at other places, computed for itself."""
        space, at = spread(self.of(value))
        source = self.trace(value, at)
        reads = self.with_indices([source])
        for cluster in self.candidates(reads):
            if cluster.space == space and self.agree(cluster, reads):
                break
        else:
            cluster = self.cluster(space)
        level = self.level(cluster, reads)
        self.join(cluster, ClusterMember(value, at, level, False, None, source), reads)
        self.escapes[value] = None

    def cluster(self, space: Shape) -> Cluster:
        """A new cluster."""
        found = Cluster(space, len(self.statements))
        self.statements.append(found)
        return found

    def candidates(self, reads: Sequence[tuple[Value, Place]]) -> list[Cluster]:
        """The clusters after everything that is read, the latest first."""
        needed = [v for v, _ in reads] + [i for _, at in reads for p in at for i, _ in p.scalars]
        earliest = max((self.home[v].index for v in needed if v in self.home), default=0)
        found = [
            s
            for s in self.statements[earliest:]
            if isinstance(s, Cluster) and len(s.members) < _LARGEST
        ]
        return found[::-1]

    def agree(self, cluster: Cluster, reads: Sequence[tuple[Value, Place]]) -> bool:
        """Whether what is read in a cluster is read where it is computed, and is there in time."""
        for value, at in reads:
            if any(i in cluster.members for place in at for i, _ in place.scalars):
                return False  # an index is complete when its cluster has ended
            member = cluster.members.get(value)
            if member is not None and (member.at != at or is_final(cluster, member)):
                return False
        return True

    def level(self, cluster: Cluster, reads: Sequence[tuple[Value, Place]]) -> int:
        """The stage in which everything that is read is there."""
        return max((cluster.members[v].level for v, _ in reads if v in cluster.members), default=0)

    def join(
        self, cluster: Cluster, member: ClusterMember, reads: Sequence[tuple[Value, Place]]
    ) -> None:
        """Puts a value into a cluster; what it reads of others must be in memory."""
        cluster.members[member.value] = member._replace(reads=tuple(reads))
        self.home[member.value] = cluster
        if is_final(cluster, member):
            self.escapes[member.value] = None
        for value, _ in reads:
            home = self.home.get(value)
            if home is not None and home is not cluster:
                self.escapes[value] = None


def late(reason: Late, node: Node, is_body: bool) -> NotNative:
    """What is late for a node: something before it, or its own result. In a loop or a branch there
    is no after."""
    if is_body:
        return NotNative(str(reason), [node])
    return Late(str(reason), reason.nodes or [node])


def is_alike(value: Value) -> bool:
    """Whether a value's elements are one number that the program says."""
    op = value.node.op
    return type(op) in FILLS or (isinstance(op, Const) and op.value.array.size == 1)


def read_from_memory(node: Node) -> tuple[Value, ...]:
    """What a statement of its own reads."""
    if isinstance(node.op, Reshape):
        return node.inputs[:1]
    if type(node.op) in LIST_OPS:
        return list_operands(node)
    if isinstance(node.op, Scattered) and not node.op.adds:
        return (node.inputs[0], *node.inputs[2:])
    return joined_parts(node)


def fresh(graph: Graph) -> Graph:
    """A copy of a loop's or branch's simplified graph, with nodes and values of its own."""
    result = Graph(graph.name, is_body=True)
    simple = accumulated(decompose(graph)[0])
    transform(simple, lambda node, inputs: None, result)
    return result
