"""Which nodes share a loop: clusters of a graph's nodes, each over one iteration space.

Nodes are placed one by one, each into the latest cluster that it fits. So one pass over the
data computes producers, consumers and siblings. A cluster may add into results along any axes. Or
it reduces along its innermost axes: then all its stages share the outer axes, and can use the
reduced values of the same row.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from graphwright.compile.graph.accumulate import accumulated, are_zeros, in_place, uses_of
from graphwright.compile.graph.decompose import decompose
from graphwright.compile.graph.failures import refuses_values
from graphwright.compile.graph.simplify import simple_graphs
from graphwright.compile.lists.absent_lists import AbsentBuffers
from graphwright.compile.lists.list_uses import LIST_OPS, MAKERS, is_list, list_operands
from graphwright.compile.nests.chapters import chapters
from graphwright.compile.nests.clustering import Clustering
from graphwright.compile.nests.clusters import Cluster, ClusterMember, Opaque, spread
from graphwright.compile.nests.element_kinds import SIMPLE
from graphwright.compile.nests.moves import FIRST, MOVES, Place, Position, aligned, is_trivial
from graphwright.compile.nests.node_order import placing_order
from graphwright.compile.nests.number_vectors import with_number_vectors
from graphwright.compile.nests.sizes import (
    ONE,
    ZERO,
    Late,
    NotNative,
    Refusals,
    Shape,
    Size,
    Sizes,
    product,
)
from graphwright.compile.nests.symbolic_shapes import (
    joined_parts,
    place_of_result,
)
from graphwright.compile.select.coverage import is_called
from graphwright.compile.select.host_operands import is_single_size, is_size
from graphwright.compile.select.kernel_calls import may_be_called, operands_in_memory
from graphwright.control.branch import StatelessIf
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Graph, Node, Value, transform
from graphwright.ir.inference import takes
from graphwright.op.op_families import Elementwise
from graphwright.ops.core.creation import Const, Fill, Placeholder
from graphwright.ops.core.identity import Identity
from graphwright.ops.core.joining import ConcatV2, Pack
from graphwright.ops.core.movement import Reshape, SumTo
from graphwright.ops.core.own_ops import Scattered, Sized
from graphwright.ops.core.sequences import Range
from graphwright.types.dtypes import INDEX

if TYPE_CHECKING:
    from graphwright.compile.lists.list_buffers import ListBuffers


class Schedule(Clustering):
    """The clusters and opaque statements of one graph, in order."""

    def __init__(
        self,
        graph: Graph,
        sizes: Sizes,
        dims: dict[Value, Shape],
        aliases: dict[Value, Value] | None,
        lists: ListBuffers | AbsentBuffers,
    ) -> None:
        super().__init__(sizes, dims)
        self.lists = lists
        self.graph = graph
        #: The outside values of placeholders in a loop's or branch's graphs, where there is one.
        self.aliases = {} if aliases is None else aliases
        self.inner: dict[Node, list[Schedule]] = {}  # of the graphs inside a node
        self.parts: dict[Node, list[tuple[Value, Place]]] = {}  # of joins: what is read, and where
        self.outside: set[Value] = set()  # values from before this graph runs
        self.results: list[Value] = []
        self.overwritten = in_place(graph)  # by sum: the operand that it overwrites
        self.claimed: set[Value] = set()  # values in the memory of results
        self.called_nodes: set[Node] = set()  # whose kernels machine code calls
        self.inside: dict[Value, tuple[Node, int]] = {}  # parts that are computed in their joins
        self.uses: dict[Value, int] = uses_of(graph)
        self.stacks: set[Node] = set()  # of which readers take one part each, known beforehand
        self.late_arguments: set[Value] = set()  # outputs of refused nodes, taken as arguments

    # -- shapes ---------------------------------------------------------------------------

    def infer(self) -> None:
        """Infers the shapes of all values, in symbolic sizes.

        `Refusals` has all nodes without a native form. The outputs of a refused node are taken as
        arguments, which they will be, and the walk goes on.
        """
        refusals: list[NotNative] = []
        for node in self.graph.nodes:
            refusal = self.refusal_of(node)
            while refusal is not None:
                if self.graph.is_body:
                    raise refusal
                refusals.append(refusal)
                if not self.take_as_arguments(refusal.nodes):
                    raise Refusals(refusals)
                refusal = None if node in refusal.nodes else self.refusal_of(node)
        if refusals:
            raise Refusals(refusals)

    def refusal_of(self, node: Node) -> NotNative | None:
        """Infers the shapes of a node's results; the reason why it has no native form, or None."""
        try:
            self.infer_node(node)
        except Late as reason:
            return late(reason, node, self.graph.is_body)
        except NotNative as reason:
            return NotNative(str(reason), [node], reason.innermost or node)
        except ValueError:
            if takes(node.op, node.inputs):
                raise
            return NotNative(f"{node.op.type_name} does not take such operands", [node], node)
        return None

    def infer_node(self, node: Node) -> None:
        """Infers the shapes of a node's results."""
        if isinstance(node.op, Placeholder):
            return
        if is_size(node.outputs[0]):
            if node.outputs[0].type.dims == ():
                self.dims[node.outputs[0]] = ()
        elif type(node.op) in LIST_OPS:
            self.lists.infer(node, self)
        elif isinstance(node.op, (StatelessWhile, StatelessIf)):
            self.infer_inner(node)
        elif self.graph.is_body and is_called(node):
            self.call(node)
        elif not is_list(node.outputs[0]):
            try:
                self.dims[node.outputs[0]] = self.sizes.shape(self.shape_of(node))
            except NotNative as reason:
                if not (self.graph.is_body and may_be_called(node)):
                    raise
                with suppress(NotNative):
                    self.call(node)
                if node not in self.called_nodes:
                    raise reason from None

    def call(self, node: Node) -> None:
        """Has machine code call a node's kernel."""
        self.dims.update(zip(node.outputs, self.called(node)))
        self.called_nodes.add(node)

    def take_as_arguments(self, nodes: Sequence[Node]) -> bool:
        """Takes the results of nodes as arguments; False if they cannot be, or are so already."""
        values = [value for node in nodes for value in node.outputs]
        if any(is_list(v) or v.type.dims is None or v in self.late_arguments for v in values):
            return False
        for value in values:
            self.late_arguments.add(value)
            dims = value.type.dims or ()
            self.dims[value] = tuple(
                [Size(d) if d in (0, 1) else self.sizes.symbol(d) for d in dims]
            )
            if not dims and value.type.dtype in INDEX:
                self.sizes.integers[value] = value
        return bool(values)

    def argument_shape(self, argument: Value, shape: Shape) -> Shape:
        """The shape of an inner graph's argument; that of a branch not taken may not fit."""
        known = argument.type.dims or ()
        fits = len(known) == len(shape) and all(
            d is None or self.sizes.value(size) in (None, d) for d, size in zip(known, shape)
        )
        if not fits:
            raise NotNative(f"{argument.name} is given something of another shape")
        return shape

    def infer_inner(self, node: Node) -> None:
        """Infers the shapes in a loop or in branches, and of their results."""
        op: Any = node.op
        if isinstance(op, StatelessWhile):
            count = len(op.body.parameters)
            operands, constant = node.inputs, node.inputs[count:]
        else:
            operands, constant = node.inputs[1:], node.inputs[1:]
        is_loop = isinstance(op, StatelessWhile)
        zeros = {i for i, v in enumerate(operands) if is_loop and are_zeros(v)}
        inner = [
            Schedule(fresh(graph, zeros), self.sizes, self.dims, self.aliases, self.lists)
            for graph in simple_graphs(op)
        ]
        if isinstance(op, StatelessWhile):
            self.lists.enter_loop(node, inner[0].graph, inner[1].graph, self)
        for schedule in inner:
            arguments = schedule.graph.arguments
            for argument, outside in zip(arguments, operands):
                if argument.type.dims is None:
                    raise NotNative("a loop variable has no known rank")
                if not is_list(argument):
                    self.dims[argument] = self.argument_shape(argument, self.of(outside))
            captured = list(zip(arguments[len(arguments) - len(constant) :], constant))
            self.aliases.update(captured)
            integers = self.sizes.integers
            integers.update((argument, integers[v]) for argument, v in captured if v in integers)
            for argument, outside in captured:
                self.note_size(argument, outside)
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
        meet = self.sizes.carried if isinstance(op, StatelessWhile) else self.sizes.unify
        for output, one, other in zip(node.outputs, first, last):
            if not is_list(output):
                self.dims[output] = self.meet(one, other, meet)

    def note_size(self, argument: Value, outside: Value) -> None:
        """Notes that an argument of an inner graph is a size, where the value outside is one."""
        known = self.sizes.known
        if outside in known:
            known[argument] = known[outside]
        elif is_single_size(outside):
            with suppress(NotNative):  # an entry of a vector that is computed
                known[argument] = self.host(outside)

    def require_scalar(self, value: Value) -> None:
        """Refuses a condition of several elements."""
        if any(d != ONE for d in self.of(value)):
            raise NotNative("a condition may have several elements")

    def meet(self, a: Value, b: Value, meet: Callable[[Size, Size], Size]) -> Shape:
        """The common shape of two values that take each other's place."""
        x, y = self.of(a), self.of(b)
        if len(x) != len(y):
            raise NotNative("a shape changes its rank")
        return tuple([meet(d, e) for d, e in zip(x, y)])

    # -- reading through ops that only move elements ------------------------------------------

    def is_moved(self, node: Node) -> bool:
        """Whether a node's result is its operand, read at other places."""
        op = node.op
        if node in self.called_nodes:
            return False
        if node in self.stacks:
            return True
        if isinstance(op, Reshape):
            return is_trivial(self.of(node.inputs[0]), self.of(node.outputs[0]))
        if type(op) in MOVES or isinstance(op, Fill):
            return True
        if op.combination:
            dims = self.of(node.inputs[0])
            return all(dims[i] == ONE for i in self.reduced(node))
        return False

    def trace(self, value: Value, place: Place) -> tuple[Value, Place]:
        """The value and place that a value's element at a place is really read from.

        Computed indices on the way become scalars that a statement reads.
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
                place = (FIRST,) * len(self.of(value))
                continue
            if node in self.stacks:
                axis = self.axis_of(node)
                number = place[axis].number
                assert number is not None  # so do all readers
                value, place = node.inputs[number], (*place[:axis], *place[axis + 1 :])
                continue
            dims, out = self.of(node.inputs[0]), self.of(value)
            if type(node.op) in MOVES:
                place = MOVES[type(node.op)].pull(self.sizes, node, dims, out, place)
            elif isinstance(node.op, SumTo):
                place = (*(FIRST,) * (len(dims) - len(out)), *place)
            elif node.op.keep_dims:  # type: ignore[attr-defined]
                place = tuple([FIRST if d == ONE else p for d, p in zip(dims, place)])
            else:  # combines only dimensions of 1
                dropped, rest = self.reduced(node), iter(place)
                place = tuple([FIRST if i in dropped else next(rest) for i in range(len(dims))])
            value = node.inputs[0]
        for position in place:
            for index, _ in position.scalars:
                self.escapes[index] = None
        if value not in self.home and is_alike(value):
            return value, (FIRST,) * len(place)
        return value, tuple(
            [self.traced_picks(position) if position.picks else position for position in place]
        )

    def traced_picks(self, position: Position) -> Position:
        """A position whose indices are traced to where they are really read."""
        return position._replace(
            picks=tuple([(*self.trace(v, place), f) for v, place, f in position.picks])
        )

    def with_indices(self, reads: list[tuple[Value, Place]]) -> list[tuple[Value, Place]]:
        """These reads, and those of the indices in their places."""
        result = list(reads)
        for _, place in result:
            result += [(v, source) for position in place for v, source, _ in position.picks]
        return result

    def operands(self, node: Node, place: Place) -> list[tuple[Value, Place]]:
        """The reads of an elementwise node for its element at a place."""
        out = self.of(node.outputs[0])
        inputs = node.inputs[:1] if isinstance(node.op, Sized) else node.inputs
        return [self.trace(v, aligned(self.of(v), out, place)) for v in inputs]

    def stacks_read_apart(self) -> set[Node]:
        """The stacks of which each reader takes one part, known beforehand: they need no memory."""
        stacks = {n for n in self.graph.nodes if isinstance(n.op, Pack) and self.is_nested(n)}
        for node in self.graph.nodes:
            stacks.difference_update([v.node for v in node.inputs if not self.takes_part(node, v)])
        return stacks.difference([v.node for v in self.graph.results])

    def is_nested(self, node: Node) -> bool:
        """Whether a node's result has elements, which no kernel computes."""
        return node not in self.called_nodes and not is_size(node.outputs[0])

    def takes_part(self, node: Node, stack: Value) -> bool:
        """Whether a node reads one part of a stack, known beforehand."""
        if not isinstance(stack.node.op, Pack) or type(node.op) not in MOVES:
            return False
        if stack in node.inputs[1:] or not (self.is_nested(node) and self.is_moved(node)):
            return False
        dims, out = self.of(stack), self.of(node.outputs[0])
        place = MOVES[type(node.op)].pull(self.sizes, node, dims, out, spread(out)[1])
        return place[self.axis_of(stack.node)].number is not None

    # -- placing ----------------------------------------------------------------------------

    def place_all(self) -> None:
        """Gives every node its statement, and finds the values that must be in memory."""
        self.stacks = self.stacks_read_apart()
        order = placing_order(self.graph.nodes, self.uses)
        nodes = [n for n in order if not isinstance(n.op, (Placeholder, Const))]
        for node, chapter in zip(nodes, chapters(nodes, self.may_fuse)):
            self.chapter = chapter
            op = node.op
            if node not in self.called_nodes and (isinstance(op, Range) or op.filling is not None):
                continue
            if is_size(node.outputs[0]):
                continue
            if node in self.called_nodes:
                self.place_opaque(node)
                continue
            if isinstance(op, MAKERS):  # lists are made where they are used
                for value in list_operands(node):
                    self.demand(value)
                continue
            if self.is_moved(node):
                continue
            if isinstance(op, (Elementwise, Sized)):
                self.place_elementwise(node)
            elif op.combination:
                self.place_reduction(node)
            else:
                self.place_opaque(node)
        self.results = [self.result(v) for v in self.graph.results]
        self.demand_refusals()

    def may_fuse(self, node: Node) -> bool:
        """Whether a node may share a loop with others."""
        op = node.op
        fuses = isinstance(op, (Elementwise, Sized)) or bool(op.combination) or type(op) in MOVES
        return fuses and node not in self.called_nodes

    def demand_refusals(self) -> None:
        """Makes sure that nodes which refuse values are computed, though no statement reads them.

        An example is an index into a tensor of equal elements.
        """
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
        """The values that a member's computation reads, without indices into single elements."""
        picked: dict[Value, bool] = {}
        for value, place in member.reads:
            is_one = all(d == ONE for d in self.of(value))
            for index in [v for position in place for v, _, _ in position.picks]:
                picked[index] = picked.get(index, False) or not is_one
        return [v for v, _ in member.reads if picked.get(v, True)]

    def result(self, value: Value) -> Value:
        """The value itself, or a copy of it, that can be returned in memory of its own."""
        if is_list(value) or value in self.lists.late:
            return value
        if self.graph.is_body:
            self.demand(value)
            return value
        root = value = self.unnamed(value)
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
        """Puts an elementwise node into a cluster."""
        value = node.outputs[0]
        space, place = spread(self.of(value))
        reads = self.with_indices(self.operands(node, place))
        for cluster in self.candidates(reads):
            if cluster.space == space and self.agree(cluster, reads):
                self.join(
                    cluster, ClusterMember(value, place, self.level(cluster, reads), False), reads
                )
                return
            if (
                cluster.outer
                and cluster.space[: cluster.outer] == space
                and self.agree(cluster, reads)
                and all(cluster.members[v].row for v, _ in reads if v in cluster.members)
            ):
                self.join(
                    cluster, ClusterMember(value, place, self.level(cluster, reads), True), reads
                )
                return
        self.join(self.cluster(space), ClusterMember(value, place, 0, False), reads)

    def place_reduction(self, node: Node) -> None:
        """Puts a reduction into a cluster over the space of its operand."""
        dims = self.of(node.inputs[0])
        space, place = spread(dims)
        reduced = self.reduced(node)
        axes = frozenset(p.axis for i, p in enumerate(place) if i in reduced and p.axis >= 0)
        result_place = place_of_result(
            node.op, place, reduced, len(dims) - len(self.of(node.outputs[0]))
        )
        read = self.trace(node.inputs[0], place)
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
                member = ClusterMember(value, result_place, level + 1, True, axes, read)
                self.join(cluster, member, reads)
                return
            if not trailing and cluster.outer is None and level == 0:
                cluster.accumulates = True
                self.join(cluster, ClusterMember(value, result_place, 0, True, axes, read), reads)
                return
        cluster = self.cluster(space)
        if trailing:
            cluster.outer = first
        else:
            cluster.accumulates = True
        self.join(
            cluster, ClusterMember(value, result_place, int(trailing), True, axes, read), reads
        )

    def place_opaque(self, node: Node) -> None:
        """Makes a node a statement of its own that reads memory; a reshape is one, as a view."""
        if isinstance(node.op, (ConcatV2, Pack)) and node not in self.called_nodes:
            self.parts[node] = [self.source(value) for value in joined_parts(node)]
            for number, value in enumerate(map(self.unnamed, joined_parts(node))):
                if self.may_be_inside(value, node):
                    self.inside[value] = node, number
        else:
            is_called = node in self.called_nodes
            for value in operands_in_memory(node) if is_called else read_from_memory(node):
                self.demand(value)
        for inner in self.inner.get(node, ()):
            inner.outside = self.outside | set(node.inputs)
            inner.place_all()
        statement = Opaque(node, len(self.statements))
        self.statements.append(statement)
        for value in node.outputs:
            self.home[value] = statement
            self.escapes[value] = None

    def may_be_inside(self, value: Value, node: Node) -> bool:
        """Whether a part can be computed in its place in a join, which alone reads it.

        Rows that the join parts from each other may be short, and dear operations need long ones.
        """
        home, axis = self.home.get(value), self.axis_of(node)
        if home is None or self.uses.get(value) != 1 or is_list(value) or value in self.lists.late:
            return False
        dims = self.of(value)
        is_whole = all(d == ONE for d in dims[:axis])
        if isinstance(home, Opaque):
            joins = isinstance(value.node.op, (ConcatV2, Pack))
            inner = [v for v in map(self.unnamed, value.node.inputs) if v in self.inside]
            simple = all(is_whole or self.is_simple(v) for v in inner)
            return joins and value.node not in self.called_nodes and simple
        member = home.members[value]
        is_column = isinstance(node.op, Pack) and product(dims[axis:]) == ONE  # one nest writes all
        is_element = home.space and not (member.row or member.reduced)
        return bool(is_element) and not is_column and (is_whole or self.is_simple(value))

    def unnamed(self, value: Value) -> Value:
        """The value that an identity alone reads, if a value is that, and so on."""
        while value not in self.home and isinstance(value.node.op, Identity):
            (source,) = value.node.inputs
            if self.uses.get(source) != 1 or self.uses.get(value) != 1:
                break
            value = source
        return value

    def is_simple(self, value: Value) -> bool:
        """Whether nothing dear is computed in the loop of a value, or of what is inside of it."""
        home = self.home[value]
        if isinstance(home, Opaque):
            parts = map(self.unnamed, value.node.inputs)
            return all(self.is_simple(v) for v in parts if v in self.inside)
        return all(m.source or v.node.op.type_name in SIMPLE for v, m in home.members.items())

    def starts(self, node: Node) -> list[Size]:
        """Where each part of a join begins along its axis."""
        axis, starts = self.axis_of(node), [ZERO]
        for value in joined_parts(node)[:-1]:
            length = ONE if isinstance(node.op, Pack) else self.of(value)[axis]
            starts.append(self.sizes.derive("add", starts[-1], length))
        return starts

    def in_join(self, node: Node, number: int, place: Place) -> tuple[Value, Place]:
        """The value in whose memory a part of a join lies, and the place there of its element."""
        axis, start = self.axis_of(node), self.starts(node)[number]
        along = FIRST if isinstance(node.op, Pack) else place[axis]
        behind = place[axis if isinstance(node.op, Pack) else axis + 1 :]
        return self.whole(node.outputs[0], (*place[:axis], along.moved((start,), 1), *behind))

    def whole(self, value: Value, place: Place) -> tuple[Value, Place]:
        """The value in whose memory a value lies, and the place there of its element."""
        return self.in_join(*self.inside[value], place) if value in self.inside else (value, place)

    def source(self, value: Value) -> tuple[Value, Place]:
        """The value in memory from which a part of a join is read, and the place of its element."""
        _, place = spread(self.of(value))
        source, origin = self.trace(value, place)
        if any(position.picks for position in origin):
            source, origin = value, place
        if source is value or source in self.home:  # others lie in memory before this graph runs
            self.demand(source)
        return source, origin

    def demand(self, value: Value) -> None:
        """Makes sure that a value is in memory."""
        if value in self.home:
            self.escapes[value] = None
        elif isinstance(value.node.op, Placeholder) or is_list(value) or is_size(value):
            return
        elif not isinstance(value.node.op, Const):
            self.place_copy(value)

    def place_copy(self, value: Value) -> None:
        """Puts a copy into a cluster: a value that is another one, read at other places."""
        space, place = spread(self.of(value))
        source = self.trace(value, place)
        reads = self.with_indices([source])
        for cluster in self.candidates(reads):
            if cluster.space == space and self.agree(cluster, reads):
                break
        else:
            cluster = self.cluster(space)
        level = self.level(cluster, reads)
        self.join(cluster, ClusterMember(value, place, level, False, None, source), reads)
        self.escapes[value] = None


def late(reason: Late, node: Node, is_body: bool) -> NotNative:
    """The refusal of a node for a late size: of an earlier value, or of its own result.

    A loop or a branch has no segment after it, so there it is a plain refusal.
    """
    if is_body:
        return NotNative(str(reason), [node])
    return Late(str(reason), reason.nodes or [node])


def is_alike(value: Value) -> bool:
    """Whether all elements of a value are one constant."""
    op = value.node.op
    return op.filling is not None or (isinstance(op, Const) and op.value.array.size == 1)


def read_from_memory(node: Node) -> tuple[Value, ...]:
    """The values that an opaque statement reads from memory."""
    if isinstance(node.op, Reshape):
        return node.inputs[:1]
    if type(node.op) in LIST_OPS:
        return list_operands(node)
    if isinstance(node.op, Scattered) and not node.op.adds:
        return (node.inputs[0], *node.inputs[2:])
    return joined_parts(node)


def fresh(graph: Graph, zeros: Collection[int]) -> Graph:
    """A copy of a loop's or branch's simplified graph, with new nodes and values.

    The parameters of these numbers begin as zeros.
    """
    result = Graph(graph.name, is_body=True)
    simple = accumulated(with_number_vectors(decompose(with_number_vectors(graph))[0]), zeros)
    transform(simple, lambda node, inputs: None, result)
    return result
