"""Partition: which parts of a graph run as machine code, and which stay host calls.

Nodes with a native form gather into segments, each as large as the order of effects and the host
calls between allow. A segment becomes one node, `Native`, whose kernel is compiled. All other nodes
stay as they were.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from graphwright.compile.graph.failures import may_fail
from graphwright.compile.graph.inline import inlined
from graphwright.compile.graph.passes import through, verified
from graphwright.compile.graph.rewrites import lengths_first, rewritten
from graphwright.compile.graph.variable_cells import UPDATES, VariableCells
from graphwright.compile.lists.list_uses import LIST_OPS, has_lists, is_list
from graphwright.compile.nests.element_kinds import is_native_dtype
from graphwright.compile.nests.sizes import Late, NotNative, Refusals
from graphwright.compile.select.coverage import is_compute, is_native, is_native_update
from graphwright.compile.select.host_operands import is_single_size, is_size
from graphwright.compile.select.outline import native_node, rewired
from graphwright.control.branch import If
from graphwright.control.loop import StatelessWhile, While
from graphwright.ir.graph import Graph, Node, Value
from graphwright.machine.exclusion import LLVM
from graphwright.op.op import Effect
from graphwright.ops.core.creation import Const, Placeholder
from graphwright.ops.core.shapes import Shape, Size
from graphwright.ops.linalg.contraction import MatMul
from graphwright.ops.state.variable_ops import Assignment, ReadVariableOp
from graphwright.types.tensor_type import TensorType

if TYPE_CHECKING:
    from graphwright.compile.graph.value_form import ValueForm

#: The most bytes of the variables that one segment changes, if it changes several.
_HELD = 1 << 23
#: The most bytes of the variables that a branch changes in machine code.
_HELD_BY_BRANCH = 1 << 15


class Segment:
    """Native nodes that run as one."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.produced: set[Value] = set()
        self.sizes: set[Node] = set()  # of values produced here: they follow the segment
        self.written: dict[Value, int] = {}  # handles of variables, and the bytes they get
        self.unread: set[Value] = set()  # handles of variables that nothing has read since
        self.reads: list[Node] = []  # those before it that still hold when it begins
        self.may_fail = False

    def add(self, node: Node) -> None:
        """Adds a node, or a size of a value produced here."""
        self.nodes.append(node)
        if isinstance(node.op, Assignment):
            handle, value = node.inputs
            self.written[handle] = bytes_of(value.type)
            self.unread.add(handle)
            return
        if isinstance(node.op, ReadVariableOp):
            self.unread.discard(node.inputs[0])
        self.may_fail = self.may_fail or may_fail(node)
        if is_size(node.outputs[0]):
            self.sizes.add(node)
        else:
            self.produced.update(node.outputs)

    def add_form(self, node: Node, form: ValueForm) -> None:
        """Adds a loop or a branch that changes variables."""
        self.nodes.append(node)
        self.written.update({h: bytes_of(value.type) for value, h in form.handles.items()})
        self.unread.update(form.written)
        self.produced.update(node.outputs)
        self.may_fail = True

    def take_moves(self, ends: set[Node]) -> list[Node]:
        """Takes away the moves and sizes that no other node here reads, but for those in `ends`."""
        read: set[Value] = set()
        taken: list[Node] = []
        rest: list[Node] = []
        for node in reversed(self.nodes):
            has_lists = any(map(is_list, node.outputs))
            moves = node in self.sizes or not (is_compute(node) or has_lists)
            if moves and node not in ends and read.isdisjoint(node.outputs):
                taken.append(node)
            else:
                rest.append(node)
                read.update(node.inputs)
        self.nodes = rest[::-1]
        self.sizes.difference_update(taken)
        self.produced.difference_update([v for node in taken for v in node.outputs])
        return taken[::-1]

    def loses(self, node: Node) -> bool:
        """Whether an assignment here may lose an error: it replaces a value that nothing has read,
        so machine code does not compute that."""
        replaces = isinstance(node.op, Assignment) and type(node.op) not in UPDATES
        return replaces and self.may_fail and node.inputs[0] in self.unread

    def split(self, needed: set[Value]) -> tuple[list[Node], list[Node]]:
        """The live native nodes, and those that follow them; adds inputs of these to `needed`.

        Sizes follow, and so do moves whose results are read only outside, where they are views and
        cost nothing. A move that an assignment waits for is inside.
        """
        inside: set[Value] = set()
        native: list[Node] = []
        after: list[Node] = []
        writes = False
        for node in reversed(self.nodes):
            is_needed = any(v in needed for v in node.outputs)
            is_used = any(v in inside for v in node.outputs)
            if node.op.effect is Effect.WRITE:
                native.append(node)
                inside.update(node.inputs)
                writes = True
            elif node in self.sizes or (
                is_needed
                and not is_used
                and not is_compute(node)
                and not (writes and may_fail(node))
            ):
                if is_needed:
                    after.append(node)
                    needed.update(node.inputs)
                if node in self.sizes and is_used:
                    inside.update(node.inputs)
            elif is_needed or is_used:
                native.append(node)
                inside.update(node.inputs)
        return native[::-1], after[::-1]


class Partition:
    """The walk over a graph that forms segments."""

    def __init__(
        self, graph: Graph, hosts: set[Node], ends: set[Node], forms: dict[Node, ValueForm]
    ) -> None:
        self.graph = graph
        self.hosts = hosts  # nodes that a lowering has refused
        self.ends = ends  # nodes whose results have sizes that only a run knows
        self.ended: set[Value] = set()  # their outputs in the open segment
        self.items: list[Node | Segment] = []
        self.open: Segment | None = None
        self.late: set[Value] = set()  # sizes of values that the open segment computes
        self.cells = VariableCells(graph)
        self.forms = forms  # of loops and branches that change variables, as far as they are made
        self.has_lists = any(map(self.loops_over_lists, graph.nodes))

    def loops_over_lists(self, node: Node) -> bool:
        """Whether a node is a native loop with lists."""
        return (
            isinstance(node.op, StatelessWhile)
            and any(is_list(v) for v in node.inputs)
            and node not in self.hosts
            and is_native(node)
        )

    def run(self) -> list[Node | Segment]:
        """The nodes and segments, in an order in which they can run."""
        for node in self.graph.nodes:
            self.visit(node)
        self.close()
        return self.items

    def visit(self, node: Node) -> None:
        """Puts a node into the open segment, before it, or after it."""
        if not self.ended.isdisjoint(node.inputs):
            self.go_on()
        depends = self.open is not None and any(
            v in self.open.produced or v in self.late for v in node.inputs
        )
        if isinstance(node.op, (Placeholder, Const)):
            self.items.append(node)
        elif isinstance(node.op, (Assignment, ReadVariableOp)):
            self.visit_variable(node)
        elif (form := self.form(node)) is not None:
            self.visit_form(node, form)
        elif node.outputs and is_size(node.outputs[0]):
            if isinstance(node.op, (Shape, Size)) and not self.reachable(node):
                self.close()
                depends = False
            if depends and self.open is not None:
                self.open.add(node)
                self.late.update(node.outputs)
            else:
                self.items.append(node)
        elif self.is_native(node):
            if not self.reachable(node):
                self.close()
            if self.open is None:
                self.open = Segment()
            self.open.add(node)
            if node in self.ends:
                self.ended.update(node.outputs)
        else:
            if depends or not self.may_precede(node):
                self.close()
            self.items.append(node)

    def may_precede(self, node: Node) -> bool:
        """Whether a host call that does not use the open segment may move before it.

        It may not where this shows: the segment writes variables, or may fail before an effect.
        """
        if self.open is None:
            return True
        if self.open.written:
            return False
        return node.op.effect is not Effect.WRITE or not self.open.may_fail

    def is_native(self, node: Node) -> bool:
        """Whether a node may be native here; ops on lists only beside a native loop over lists."""
        of_lists = type(node.op) in LIST_OPS
        if node in self.hosts or (of_lists and not self.has_lists):
            return False
        return is_native(node, in_loop=of_lists)

    def form(self, node: Node) -> ValueForm | None:
        """The form over values of a loop or a branch that changes variables, if it is native."""
        if not isinstance(node.op, (While, If)) or node in self.hosts:
            return None
        form = self.forms.get(node) or native_form(node, self.cells)
        if form is not None:
            self.forms[node] = form
        return form

    def visit_form(self, node: Node, form: ValueForm) -> None:
        """Puts a loop or a branch that changes variables into the open segment."""
        handles = form.handles.values()
        if self.open is not None:
            others = [h for h in self.open.written if h not in handles]
            if not self.reachable(node) or not self.cells.are_distinct([*others, *handles]):
                self.close()
        self.make_room({h: bytes_of(value.type) for value, h in form.handles.items()})
        if self.open is None:
            self.open = Segment()
        self.open.add_form(node, form)

    def visit_variable(self, node: Node) -> None:
        """Puts a read or assignment of a variable into the open segment, or leaves it outside."""
        handle = node.inputs[0]
        if self.open is not None and not all(
            h is handle or self.cells.distinct(h, handle) for h in self.open.written
        ):
            self.close()
        if isinstance(node.op, ReadVariableOp):
            inside = self.open is not None and handle in self.open.written
        else:
            loses = self.open is not None and self.open.loses(node)
            inside = node not in self.hosts and not loses and self.is_inside(node)
        if not inside:
            if self.open is not None and (
                handle in self.open.written
                or (self.open.written and not self.cells.is_set(handle))
                or not self.open.produced.isdisjoint(node.inputs)
                or (node.op.effect is Effect.WRITE and not self.may_precede(node))
            ):
                self.close()
            self.items.append(node)
            return
        if isinstance(node.op, Assignment):
            self.make_room({handle: bytes_of(node.inputs[1].type)})
        if self.open is None:
            self.open = Segment()
        self.open.add(node)

    def is_inside(self, node: Node) -> bool:
        """Whether an assignment belongs into the open segment: it stores a value computed there."""
        handle, value = node.inputs
        if not is_native_dtype(value.type.dtype) or not self.reachable(node):
            return False
        op = UPDATES.get(type(node.op))
        dims = value.type.dims
        if op is None:
            produced = self.open is not None and value in self.open.produced
            return produced and dims is not None and self.cells.fits(handle, dims)
        known = dims is not None and None not in dims and 0 not in dims
        return known and dims == self.cells.dims(handle) and is_native_update(op.of(), value.type)

    def make_room(self, added: Mapping[Value, int]) -> None:
        """Ends a segment that would hold too much: all its results exist before the values that
        they replace are freed."""
        if self.open is not None:
            others = [size for handle, size in self.open.written.items() if handle not in added]
            if others and sum(others) + sum(added.values()) > _HELD:
                self.close()

    def reachable(self, node: Node) -> bool:
        """Whether none of a node's tensors comes after the open segment."""
        mask = node.op.host_mask(len(node.inputs))
        tensors = [v for v, host in zip(node.inputs, mask) if not host]
        return not any(v in self.late and not is_single_size(v) for v in tensors)

    def go_on(self) -> None:
        """Ends the open segment, since the next one is given a number that it computes.

        Moves that only others read go on in the next one. Between the two they would be views,
        which machine code takes as copies.
        """
        moves = self.open.take_moves(self.ends) if self.open and not self.open.written else []
        self.close()
        for move in moves:
            self.visit(move)

    def close(self) -> None:
        """Ends the open segment."""
        if self.open is not None:
            self.items.append(self.open)
            self.open = None
        self.late = set()
        self.ended = set()


def bytes_of(type_: TensorType) -> int:
    """The bytes of a tensor, 0 if its shape is not known."""
    return (type_.size or 0) * type_.dtype.size


def native_form(node: Node, cells: VariableCells) -> ValueForm | None:
    """The form over values of a loop or a branch, if machine code should run it.

    It copies all its variables, so large ones stay where an iteration changes them in place. A
    branch may leave them as they are, and costs little in Python.
    """
    with LLVM:  # most programs have no such loops; a fork waits for the import
        from graphwright.compile.graph.value_form import value_form
    try:
        form = value_form(node, cells)
    except NotNative:
        return None
    held = sum([bytes_of(value.type) for value in form.handles])
    most = _HELD if isinstance(node.op, While) else _HELD_BY_BRANCH
    return form if held <= most and is_native(form.node) else None


def with_plain_lists(graph: Graph) -> Graph:
    """The graph with lists of tensors alone, whose items have known types."""
    if not has_lists(graph):
        return graph
    with LLVM:  # most programs have no lists; a fork waits for the import
        from graphwright.compile.lists.list_types import with_list_types
        from graphwright.compile.lists.nested_lists import with_flat_lists

    return through(graph, with_flat_lists, with_list_types)


def with_updates(graph: Graph) -> Graph:
    """The graph with variables that change as a product is computed."""
    kinds = {type(node.op) for node in graph.nodes}
    if MatMul not in kinds or not any(issubclass(kind, Assignment) for kind in kinds):
        return graph
    with LLVM:  # a fork waits for the import
        from graphwright.compile.graph.updates import updated_by_products

    return updated_by_products(graph)


def partition(graph: Graph, reasons: dict[Node, NotNative] | None = None) -> Graph:
    """The graph with its native parts as `Native` nodes.

    Nodes that a lowering refuses stay outside; `reasons` gets why. One lowering finds all nodes
    that shapes refuse, so there are two walks, however many these are. Segments that the second
    walk leaves as they are need no other lowering.
    """
    hosts: set[Node] = set()
    ends: set[Node] = set()
    nodes: Made = {}
    forms: dict[Node, ValueForm] = {}
    graph = through(graph, inlined, with_plain_lists, rewritten, lengths_first, with_updates)
    while True:
        items = Partition(graph, hosts, ends, forms).run()
        try:
            return verified(assembled(graph, items, nodes, forms), "assembled")
        except NotNative as reason:
            before = len(hosts), len(ends)
            ended = frozenset(ends)
            for refusal in reason.each:
                culprits = set(refusal.nodes) - hosts
                if isinstance(refusal, Late) and not culprits <= ended:
                    ends |= culprits
                    continue
                hosts |= culprits
                if reasons is not None:
                    reasons.update(dict.fromkeys(culprits, refusal))
            if before == (len(hosts), len(ends)):
                raise


def note_reads(items: Sequence[Node | Segment]) -> None:
    """Gives each segment that changes variables the earlier reads that still hold."""
    reads: list[Node] = []
    for item in items:
        if isinstance(item, Segment):
            if item.written:
                item.reads, reads = reads, []
        elif isinstance(item.op, ReadVariableOp):
            reads.append(item)
        elif item.op.effect is Effect.WRITE:
            reads = []


#: Lowered segments, by their nodes, their results and the reads before them.
Made: TypeAlias = dict[tuple[tuple[Node, ...], tuple[Value, ...], tuple[Node, ...]], Node]


def assembled(
    graph: Graph,
    items: Sequence[Node | Segment],
    lowered: Made,
    forms: Mapping[Node, ValueForm],
) -> Graph:
    """The graph of these nodes and segments, without unused ones. `Refusals` of all segments."""
    needed: set[Value] = set(graph.results)
    live_nodes: list[Node] = []
    renamed: dict[Value, Value] = {}
    refusals: list[NotNative] = []
    note_reads(items)
    for item in reversed(items):
        if isinstance(item, Segment):
            live, after = item.split(needed)
            live_nodes += after[::-1]
            if not live:
                continue
            results = tuple([v for n in live for v in n.outputs if v in needed])
            key = tuple(live), results, tuple(item.reads)
            try:
                if key not in lowered:
                    lowered[key] = native_node(graph, live, results, item.reads, forms)
            except NotNative as reason:
                refusals.append(reason)
                needed.update(v for n in live for v in n.inputs)
                continue
            node = lowered[key]
            renamed.update(zip(results, node.outputs))
            live_nodes.append(node)
            needed.update(node.inputs)
        elif (
            item.op.effect is Effect.WRITE
            or isinstance(item.op, Placeholder)
            or any(v in needed for v in item.outputs)
        ):
            live_nodes.append(item)
            needed.update(item.inputs)
    if refusals:
        raise Refusals(refusals)
    return rewired(graph, live_nodes[::-1], renamed)
